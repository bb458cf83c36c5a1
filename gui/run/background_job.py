"""Background job with progress reports and cancellation."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal

from ...blocks import LuffError
from ...blocks.errors import Problem
from ...solver.realtime.rt_priority import lower_priority

Work = Callable[
    [Callable[[object], None]], object
]  # calls what it is given now and then, and returns its answer


class JobCancelled(Exception):
    """Raised inside a job at a progress report after it was cancelled."""


def goes_on(tell: Callable[[object], None], what: object) -> bool:
    """Report progress; False if the job was cancelled, which then keeps what it has."""
    try:
        tell(what)
    except JobCancelled:
        return False
    return True


class _Job:
    def __init__(self, work: Work, hear: Callable[[_Job, str, object], None]):
        self.work, self.hear = work, hear
        self.quit = threading.Event()
        self.thread = threading.Thread(target=self._run_work, name="luff beside", daemon=True)

    def _tell(self, what: object) -> None:
        if self.quit.is_set():
            raise JobCancelled
        self.hear(self, "told", what)

    def _run_work(self) -> None:
        lower_priority()
        try:
            self.hear(self, "done", self.work(self._tell))
        except JobCancelled:
            self.hear(self, "ended", None)
        except LuffError as error:
            self.hear(self, "failed", error.problems)
        except Exception as error:  # a fault of the program must reach the window, not die with its thread
            fix = "this is a fault of luff: please report it"
            self.hear(self, "failed", [Problem(f"{type(error).__name__}: {error}", fix=fix)])


class BackgroundJob(QObject):
    """Background job of the window; its signals arrive in the window's thread, and none after cancellation."""

    told = Signal(object)
    done = Signal(object)  # the answer
    ended = Signal(object)  # `finish` has ended the work, which has no answer
    failed = Signal(list)  # problems
    _said = Signal(object, str, object)

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._job: _Job | None = None
        self._threads: list[threading.Thread] = []  # one that was called off ends where it tells next
        self._said.connect(self._on_report, Qt.ConnectionType.QueuedConnection)

    @property
    def active(self) -> bool:
        return self._job is not None

    @property
    def running(self) -> bool:
        """True while a thread is left, including those of cancelled jobs."""
        return any(thread.is_alive() for thread in self._threads)

    def start(self, work: Work) -> None:
        self.stop()
        self._job = _Job(work, self._say)
        self._threads = [*(thread for thread in self._threads if thread.is_alive()), self._job.thread]
        self._job.thread.start()

    def stop(self) -> None:
        job, self._job = self._job, None
        if job is not None:
            job.quit.set()

    def finish(self) -> None:
        """Ask the work to end soon: its next progress report raises, and the answer that it has then counts."""
        if self._job is not None:
            self._job.quit.set()

    def close(self) -> None:
        """Cancel the job and wait for its threads."""
        self.stop()
        for thread in self._threads:
            thread.join()

    def _say(self, job: _Job, what: str, detail: object) -> None:
        with contextlib.suppress(RuntimeError):  # the window is gone
            self._said.emit(job, what, detail)

    def _on_report(self, job: _Job, what: str, detail: object) -> None:
        if job is not self._job:
            return
        if what != "told":
            self._job = None
        getattr(self, what).emit(detail)
