"""Options for the frequencies of a diagram: their unit and range."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Annotated

import typer

from .console import UsageError


class FrequencyUnit(StrEnum):
    """Unit of frequencies in a diagram and in words."""

    rad = "rad/s"
    hertz = "Hz"


Unit = Annotated[FrequencyUnit, typer.Option("--unit", help="Unit of frequencies: rad/s or Hz.")]
Range = Annotated[
    str, typer.Option("--range", help="First and last frequency, in --unit: 0.1..10. All modes if left out.")
]


def frequency_span(text: str, unit: FrequencyUnit) -> tuple[float | None, float | None]:
    """First and last frequency [rad/s] of LOW..HIGH; None where it is left out."""
    from ..solver.analysis.frequency_response import FREQUENCY_UNITS

    if not text:
        return None, None
    low, dots, high = (part.strip() for part in text.partition(".."))
    try:
        first, last = float(low) if low else None, float(high) if high else None
    except ValueError:
        first, last, dots = None, None, ""
    given = [end for end in (first, last) if end is not None]
    rise = given == sorted(set(given)) and all(0.0 < end < math.inf for end in given)
    if not dots or not given or not rise:
        raise UsageError(f'found "{text}", expected LOW..HIGH, such as 0.1..10', path="--range")
    each = FREQUENCY_UNITS[unit.value]
    return None if first is None else first * each, None if last is None else last * each
