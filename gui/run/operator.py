"""The operator of a run in the window: devices and dials are the hands; notes what they do, and how late steps are."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...solver.run.by_hand import DoneByHand, Record
from ...solver.run.interface import signals_of
from ...solver.stand.pace import SOON
from ...solver.stand.stand import Stand

if TYPE_CHECKING:
    from ...solver.run.session import Session

IDLE, QUICK = 0.004, 0.001  # s between looks at the clock; quick where an operator drives
TELL = 0.5  # s between words about devices


class Operator:
    """Lives in the thread of the run; the window reads its numbers."""

    devices: dict[str, str] = {}  # of all windows: files of joysticks by block, as for luff run

    def __init__(self, session: Session, by_screen: frozenset[str], tell: Callable[[str], object]):
        self.session, self._tell = session, tell
        self.stand = Stand(session, self.devices, by_screen=by_screen)
        self.record = Record(session)
        self._slots = signals_of(session.instance.program).slots
        self.drives = bool(self.stand.driven or by_screen)
        self.pause = QUICK if self.drives else IDLE
        self.parts = self.late_parts = 0  # that were taken at their time; of these, more than 2 ms late
        self.latest = 0.0  # s
        self.unkept: set[str] = set()  # parameters whose changes cannot be done again
        self._words, self._told = "", 0.0

    def give(self) -> None:
        """Before steps are taken."""
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
        """A parameter that was set; what is no plain number cannot be done again."""
        if isinstance(raw, int | float):
            self.record.note_set(path, float(raw))
        else:
            self.unkept.add(path)

    def lag(self, simulated: float, speed: float) -> None:
        """How far the clock is ahead of the step that is taken now; only beside the clock does that matter."""
        if speed != 1.0:
            return
        late = simulated
        self.parts += 1
        self.late_parts += late > SOON
        self.latest = max(self.latest, late)

    def punctuality(self) -> str:
        """In words for the window."""
        if not self.parts:
            return ""
        share = 100 * (1 - self.late_parts / self.parts)
        return f"{share:.3g} % in time, {1e3 * self.latest:.0f} ms at most"

    def done(self) -> DoneByHand:
        return self.record.drive()

    def close(self) -> None:
        self.stand.close()
