"""The operator of a run in the window: devices and dials are the hands; notes what they do, and how late steps are."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...solver.run.by_hand import DoneByHand, Record
from ...solver.run.interface import signals_of
from ...solver.stand.punctual import Punctuality
from ...solver.stand.stand import Stand
from ...solver.stand.urgent import Urgent

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
        self.punctual, self.urgent = Punctuality(), Urgent()
        self._window = Urgent(threading.main_thread().native_id or 0)  # which a step may have to wait for
        self._hurries = False
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

    def hurry(self, speed: float) -> None:
        """Beside the clock a run that is driven comes before others; at another speed, or paused, it does not."""
        wanted = self.drives and speed == 1.0
        if wanted is not self._hurries:
            self._hurries = wanted
            for urgent in (self.urgent, self._window):
                if wanted:
                    urgent.__enter__()
                else:
                    urgent.__exit__()
            self.punctual.pause()

    def took(self, late: float, steps: int, speed: float) -> None:
        """Steps were taken until now, the first of them so late after its end was due."""
        if speed == 1.0:
            self.punctual.note(late, time.perf_counter(), steps, self.session.step_size)

    def put_back(self, seconds: float) -> None:
        """The clock, for the run could not follow: then it takes no processor from others either."""
        self.punctual.skipped += seconds
        self.urgent.__exit__()

    def punctuality(self) -> str:
        """In words for the window."""
        report = self.punctual.report()
        if not report["slices"]:
            return ""
        stalls = f", stood still {report['stalls']} times" if report["stalls"] else ""
        share, latest = 100 * report["in_time"], 1e3 * report["latest"]
        return f"{share:.4g} % in time, {latest:.0f} ms at most{stalls}; {self.urgent.priority}"

    def done(self) -> DoneByHand:
        return self.record.drive()

    def close(self) -> None:
        self.hurry(0.0)
        self.stand.close()
