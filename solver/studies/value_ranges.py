"""Values of a parameter as people write them: a list, `8m,12m,16m`, or `0deg:360deg:15deg` with both ends."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ...blocks.errors import LuffError, Problem
from ...blocks.expression_scope import Scope
from ...blocks.text.quantity import unit as unit_of
from ..netlist import read_value

NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*?)\s*")
FIX = "slewing=0deg:360deg:15deg"


def values_of(given: object, path: str) -> list[object]:
    """List of values, raw as a netlist has them."""
    if isinstance(given, Sequence) and not isinstance(given, str):
        if given:
            return [*given]
        raise LuffError(Problem("found no values", path, FIX))
    text = str(given)
    if ":" not in text:
        return [read_value(value) for value in text.split(",")]
    parts = [NUMBER.fullmatch(part) for part in text.split(":")]
    if len(parts) != 3 or any(part is None for part in parts):
        raise LuffError(Problem(f'found "{text}", expected FROM:TO:STEP', path, FIX))
    first, last, step = (float(part[1]) for part in parts if part is not None)
    units = {part[2] for part in parts if part is not None}
    if len(units) != 1 or step <= 0.0 or last < first:
        raise LuffError(Problem(f'found "{text}", expected FROM:TO:STEP upwards, in one unit', path, FIX))
    unit = units.pop()
    numbers = [first + k * step for k in range(math.floor((last - first) / step + 1e-9) + 1)]
    if not unit and first.is_integer() and step.is_integer():
        return [int(number) for number in numbers]
    return [f"{number:.12g} {unit}" if unit else number for number in numbers]


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
