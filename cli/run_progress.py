"""Terminal run: progress, and a clean end on Ctrl-C or SIGTERM."""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING

import numpy as np

from ..blocks.errors import RunError
from ..solver.simulation.recorder import Recorder
from .console import own_console

if TYPE_CHECKING:
    from rich.progress import Progress

    from ..solver.results.recorded_run import Quality
    from ..solver.simulation.session import Session
    from ..solver.simulation.simulation import Simulation

CHUNK_SECONDS = 0.1  # s of wall time between checks of signals and flushes of the file
PATIENCE = 0.5  # seconds; a shorter run shows no bar


class SignalHandler:
    """Signal handler that records the first SIGINT or SIGTERM; a second one ends the process."""

    def __init__(self) -> None:
        self.caught = ""
        self._before: dict[int, signal._HANDLER] = {}

    def __enter__(self) -> SignalHandler:
        for number in (signal.SIGINT, signal.SIGTERM):
            # signals that the parent ignores (nohup, a background job) stay ignored
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._note)
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.caught = "Ctrl-C" if number == signal.SIGINT else "SIGTERM"
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._restore()


@contextmanager
def temporary_folder_removed(what: str) -> Iterator[None]:
    """Context of work whose temporary files lie in one folder, removed at its end; Ctrl-C and SIGTERM end it with a
    message.

    Signals interrupt only the work itself; while the folder is created or removed they are recorded, so that nothing
    is left behind.
    """
    caught: list[str] = []
    unwinds = False

    def ended(number: int, frame: FrameType | None) -> None:
        caught.append("Ctrl-C" if number == signal.SIGINT else "SIGTERM")
        if unwinds and len(caught) == 1:
            raise KeyboardInterrupt

    before = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        # signals that the parent ignores (nohup, a background job) stay ignored
        if signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, ended)
    own, folder = tempfile.tempdir, tempfile.mkdtemp(prefix="luff-")
    try:
        tempfile.tempdir, unwinds = folder, True
        if caught:
            raise KeyboardInterrupt
        yield
    except KeyboardInterrupt:
        caught = caught or ["Ctrl-C"]
    finally:
        unwinds = False
        tempfile.tempdir = own
        shutil.rmtree(folder, ignore_errors=True)
        for number, handler in before.items():
            signal.signal(number, handler)
    if caught:
        raise RunError(f"{what} was ended by {caught[0]}")


class ProgressBar:
    """Progress bar with simulated time and real-time factor, shown once a run is long."""

    def __init__(self, wanted: bool):
        self._wanted = wanted and sys.stderr.isatty()
        self._began = time.perf_counter()
        self._progress: Progress | None = None

    def __enter__(self) -> ProgressBar:
        return self

    def show(self, session: Session) -> None:
        spent = time.perf_counter() - self._began
        if not self._wanted or (self._progress is None and spent < PATIENCE):
            return
        progress = self._progress = self._progress or self._started(session.stop)
        progress.update(progress.task_ids[0], completed=session.time, factor=f"{session.time / spent:.3g}")

    def _started(self, stop: float) -> Progress:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        progress = Progress(
            TextColumn("t = {task.completed:.4g} s of {task.total:g} s"),
            BarColumn(),
            TextColumn("{task.percentage:3.0f} %  {task.fields[factor]} x real time"),
            TimeRemainingColumn(),
            console=own_console(),
            transient=True,
        )
        progress.add_task("", total=stop, factor="")
        progress.start()
        return progress

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._progress is not None:
            self._progress.stop()


def run_to_end(
    sim: Simulation,
    session: Session,
    stream: Path | None,
    bar: bool,
    go: Callable[[float], str] | None = None,
) -> Quality:
    """Advance a session to its end, streaming rows to `stream` if given; return the quality report.

    `go` replaces `session.advance` where other work belongs to each chunk of wall time.
    """
    # energies of a run that diverged may be anything: the report says so in numbers, not in warnings
    with np.errstate(all="ignore"), SignalHandler() as signals:
        if stream is None:
            _advance(session, signals, bar, lambda *rows: None, go)
            return session.quality()
        with Recorder(sim, session, stream) as recorder:
            _advance(session, signals, bar, recorder.write, go)
            recorder.close()
        return recorder.quality


def _advance(
    session: Session,
    signals: SignalHandler,
    bar: bool,
    write: Callable[[np.ndarray, np.ndarray], object],
    go: Callable[[float], str] | None,
) -> None:
    with ProgressBar(bar) as shown:
        while (go or session.advance)(CHUNK_SECONDS) == "running":
            write(*session.take())
            shown.show(session)
            if signals.caught:
                session.cancel("interrupted", f"ended by {signals.caught} at t = {session.time:g} s")
        write(*session.take())
