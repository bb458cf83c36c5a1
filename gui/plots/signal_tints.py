"""Colours of the signals of one plot: each keeps its own while others come and go."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from ...solver.diagram.block_renaming import Change
from .run_curves import signal_in


class SignalTints:
    """Numbers of colours by column."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, column: str) -> int:
        """Number of a column's colour: the first that no other one has."""
        taken = self._numbers.values()
        return self._numbers.setdefault(column, next(k for k in count() if k not in taken))

    def keep(self, signals: Sequence[str]) -> None:
        """Set the colours of all other signals free."""
        self._numbers = {name: k for name, k in self._numbers.items() if signal_in(name, signals)}

    def rename(self, change: Change) -> None:
        self._numbers = {change(name): k for name, k in self._numbers.items()}
