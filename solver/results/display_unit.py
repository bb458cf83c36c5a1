"""The unit that a plot shows a signal in."""

from __future__ import annotations

from ...blocks.errors import LuffError
from ...blocks.text.quantity import unit

NO_UNIT = "-"  # beside units of other curves


def display_unit(own: str, wanted: str) -> tuple[str, float]:
    """The unit to show, and how many of it one of the signal's own is; its own where the wanted one does not measure
    it. LuffError where there is no such unit."""
    if not wanted or wanted == own:
        return own, 1.0
    asked = unit(wanted)
    try:
        parsed = unit(own)
    except LuffError:
        return own, 1.0
    if not own or parsed.dimension != asked.dimension:
        return own, 1.0
    return wanted, float(parsed.factor) / float(asked.factor)
