"""Columns of an array by name and width, so that no offset is counted by hand.

    POSE, POSITION, AXIS, ROW_COLUMNS = columns(POSE=9, POSITION=3, AXIS=3)

Python shows a function no name on the left; `check_columns` finds names that do not match once the module is complete.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate

_DECLARED: list[dict[str, int]] = []


def columns(**widths: int) -> tuple[int, ...]:
    """Where each column begins, and behind them how many there are."""
    starts = tuple(accumulate(widths.values(), initial=0))
    _DECLARED.append(dict(zip(widths, starts, strict=False)))
    return starts


def check_columns(names: Mapping[str, object]) -> None:
    """Refuse names that were given another column than the one declared under them."""
    while _DECLARED:
        for name, start in _DECLARED.pop().items():
            if names.get(name) != start:
                raise NameError(
                    f"column {name} was declared at {start}, and its name stands for {names.get(name)}"
                )
