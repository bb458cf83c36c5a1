"""Recorder of an operator in the process of the run: inputs by devices and by the screen."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..simulation.inputs_outputs import io_signals
from ..simulation.operator_log import OperatorRecorder
from .operator_stand import OperatorStand

if TYPE_CHECKING:
    from ..simulation.session import Session

TELL = 0.5  # s between words about devices


class RecordedOperator:
    """Lives in the thread that takes the steps."""

    def __init__(
        self,
        session: Session,
        devices: Mapping[str, str],
        by_screen: frozenset[str],
        tell: Callable[[str], object],
    ):
        self.session, self._tell = session, tell
        self.stand = OperatorStand(session, devices, by_screen=by_screen)
        self.record = OperatorRecorder(session)
        self._slots = io_signals(session.instance.program).slots
        self.drives = bool(self.stand.driven or by_screen)
        self.unkept: set[str] = set()  # parameters whose changes cannot be done again
        self._words, self._told = "", 0.0

    def give(self) -> None:
        """Set the inputs before steps are taken."""
        if self.drives:
            self.stand.give()
            now = time.monotonic()
            if now - self._told > TELL:
                words = "; ".join(self.stand.lost())
                if words != self._words:
                    self._tell(words)
                self._words, self._told = words, now
        self.record.note()

    def take(self, name: str, value: float) -> None:
        """An input that was moved on the screen."""
        slot = self._slots.get(name)
        if slot is not None:
            self.session.inputs[slot] = value

    def note_set(self, path: str, raw: object) -> None:
        """Record a parameter that was set; one that is no plain number cannot be replayed."""
        if isinstance(raw, int | float):
            self.record.note_set(path, float(raw))
        else:
            self.unkept.add(path)

    def close(self) -> None:
        self.stand.close()
