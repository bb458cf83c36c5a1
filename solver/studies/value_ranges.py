"""Values of a parameter as people write them: a list, `8m,12m,16m`, or a range with both ends.

A range is `0 deg to 90 deg in 4`, with `log` behind it for equal ratios, or `0deg:90deg:30deg`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from ...blocks.errors import LuffError, Problem
from ...blocks.expression_scope import Scope
from ...blocks.text.quantity import unit as unit_of
from ..netlist import read_value

NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*?)\s*")
SPREAD = re.compile(r"\s*(?P<first>.+?)\s+to\s+(?P<last>.+?)\s+in\s+(?P<count>\d+)(?P<log>\s+log)?\s*")
FIX = "slewing=0deg:360deg:15deg"
WAYS = "FROM:TO:STEP or FROM to TO in COUNT"
MOST = 1000  # values by their count: more is taken for a slip of the pen, and refused


def is_range(text: str) -> bool:
    """True for a text that means a range, be it a right one or not."""
    return not {*text} & {*"[{("} and (":" in text or re.search(r"\sto\s", text) is not None)


def values_of(given: object, path: str) -> list[object]:
    """List of values, raw as a netlist has them."""
    if isinstance(given, Sequence) and not isinstance(given, str):
        if given:
            return [*given]
        raise LuffError(Problem("found no values", path, FIX))
    text = str(given)
    if not is_range(text):
        return [read_value(value) for value in text.split(",")]
    return stepped(text, path) if ":" in text else spread(text, path)


def stepped(text: str, path: str) -> list[object]:
    """Values of FROM:TO:STEP."""
    parts = [NUMBER.fullmatch(part) for part in text.split(":")]
    if len(parts) != 3 or any(part is None for part in parts):
        raise LuffError(Problem(f'found "{text}", expected {WAYS}', path, FIX))
    first, last, step = (float(part[1]) for part in parts if part is not None)
    units = {part[2] for part in parts if part is not None}
    if len(units) != 1 or step <= 0.0 or last < first:
        raise LuffError(Problem(f'found "{text}", expected FROM:TO:STEP upwards, in one unit', path, FIX))
    unit = units.pop()
    numbers = [first + k * step for k in range(math.floor((last - first) / step + 1e-9) + 1)]
    if not unit and first.is_integer() and step.is_integer():
        return [int(number) for number in numbers]
    return [_value(number, unit) for number in numbers]


def spread(text: str, path: str) -> list[object]:
    """Values of FROM to TO in COUNT, in the unit of the last; a bare end is in that of the other."""
    match = SPREAD.fullmatch(text)
    ends = [NUMBER.fullmatch(match[key]) for key in ("first", "last")] if match else []
    if match is None or len(found := [end for end in ends if end is not None]) < 2:
        raise LuffError(Problem(f'found "{text.strip()}", expected {WAYS}', path, FIX))
    count, shared = int(match["count"]), found[1][2] or found[0][2]
    if not 2 <= count <= MOST:
        raise LuffError(Problem(f"found {count} values, expected 2 to {MOST}", path))
    low, high = (_in_unit(end, shared, path) for end in found)
    if match["log"] and not low * high > 0.0:
        raise LuffError(Problem("found a range over zero, expected two ends of one sign for log", path))
    spaced = np.geomspace if match["log"] else np.linspace
    return [_value(float(f"{number:.12g}"), shared) for number in spaced(low, high, count)]


def _value(number: float, unit: str) -> str | float:
    """Value of a range, in digits that leave its ends as they are written."""
    return f"{number:.12g} {unit}" if unit else number


def _in_unit(end: re.Match[str], word: str, path: str) -> float:
    """Number of an end in a unit."""
    value, own = float(end[1]), end[2]
    if not own or own == word:
        return value
    here, there = unit_of(own), unit_of(word)
    if here.dimension != there.dimension:
        raise LuffError(Problem(f"found {own} and {word}, expected ends of one kind of unit", path))
    return value * float(here.factor) / float(there.factor)


def numbers_of(values: Sequence[object]) -> tuple[list[float], str]:
    """Numbers for an axis, and the unit that all values are written in; of several units the SI's, without a name."""
    parts = [NUMBER.fullmatch(str(value)) for value in values]
    units = {part[2] if part else None for part in parts}
    if len(units) == 1 and (unit := units.pop()) is not None:
        return [float(part[1]) for part in parts if part], unit
    return [Scope().quantity(value).value for value in values], ""


def unit_scale(unit: str) -> float:
    """Factor from a unit to SI."""
    return float(unit_of(unit).factor) if unit else 1.0
