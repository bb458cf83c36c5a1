"""Values of a varied parameter as a user types them. Pure Python: no Qt."""

from __future__ import annotations

from typing import cast

import numpy as np

from ...blocks.errors import LuffError
from ...blocks.text.raw_types import Raw
from ...solver.studies.value_ranges import WAYS, is_range, values_of
from ..properties.value_text import from_text, split, to_text
from ..theme.number_format import number_text, unit_words, units_in_print

AROUND = {
    "uniform": (0.8, 1.2),
    "log_uniform": (0.5, 2.0),
    "normal": (1.0, 0.1),
    "lognormal": (1.0, 0.1),
    "triangular": (0.8, 1.0, 1.2),
}


def examples_of(raw: object, unit: str) -> tuple[str, str, str]:
    """A list, a range and a range of powers as they may be typed for a parameter, around its value and in its unit."""
    number, own = split(raw) or (0.0, "")
    number, word = number or 1.0, f" {own or unit}".rstrip()
    low, middle, high, far = (f"{factor * number:g}{word}" for factor in (0.5, 1.0, 2.0, 100.0))
    return f"{low}, {middle}, {high}", f"{low} to {high} in 9", f"{middle} to {far} in 5 log"


def expected(raw: object, unit: str) -> str:
    """Sentence on the values that a parameter takes, with examples."""
    several, spread, _ = examples_of(raw, unit)
    return f"expected values as {several}, or a range as {spread}, with log behind it for powers"


def parsed_values(text: str, unit: str, raw: object = None) -> list[Raw]:
    """Raw netlist values of a text, bare numbers with the unit that they are in; LuffError if there are none.

    `raw` is the parameter's own value, of which examples are made.
    """
    try:
        given = (
            cast("list[Raw]", values_of(text, ""))
            if is_range(text)
            else [from_text(part) for part in parted(text)]
        )
    except LuffError as error:
        if WAYS not in str(error):
            raise
        raise LuffError(f"found {text.strip()}, {expected(raw, unit)}") from None
    values = [_with_unit(value, unit) for value in given if value is not None]
    if not values:
        raise LuffError(f"found no value, {expected(raw, unit)}")
    if len({str(value) for value in values}) < len(values):
        raise LuffError("found a value twice, expected different values")
    return values


def _with_unit(value: Raw, unit: str) -> Raw:
    bare = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{to_text(value)} {unit}" if bare and unit else value


def shown(values: list[Raw]) -> str:
    return ", ".join(map(to_text, values))


def in_short(values: list[Raw]) -> str:
    """Values in print, their unit said once: `1 to 4 MN·m/rad in 7` where they have one step, else `1, 2, 5 t`."""
    parts = [split(value) for value in values]
    numbers, units = [part[0] for part in parts if part], {part[1] for part in parts if part}
    if len(numbers) < len(values) or len(units) != 1:
        return units_in_print(shown(values))
    unit = unit_words(units.pop())
    for spaced, way in ((np.linspace, ""), (np.geomspace, " log")):
        ends = numbers[0], numbers[-1]
        if len(numbers) > 2 and (not way or min(numbers) > 0.0):
            close = np.allclose(
                spaced(*ends, len(numbers)), numbers, rtol=1e-9
            )  # digits of a range, 12 of them
            if close:
                first, last = map(number_text, ends)
                return f"{f'{first} to {last} {unit}'.rstrip()} in {len(numbers)}{way}"
    return f"{', '.join(map(number_text, numbers))} {unit}".rstrip()


def parted(text: str) -> list[str]:
    """Parts of a text between commas outside of brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[{(") - (letter in "]})")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def proposal(raw: object, law: str = "") -> str:
    """Proposed values around a number, or the proposed arguments of a distribution; other values unchanged."""
    parts = split(raw)
    if parts is None or parts[0] == 0.0:
        return to_text(raw)
    number, unit = parts
    return ", ".join(f"{factor * number:g} {unit}".strip() for factor in AROUND.get(law, (0.5, 1.0, 2.0)))
