"""Thread of one run: it compiles, lets a separate process take the steps, and stores the process's reports. Painting
and stepping do not share an interpreter."""

from __future__ import annotations

import atexit
import contextlib
import gc
import pickle
import shutil
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ...blocks import LuffError
from ...blocks.errors import Problem
from ...blocks.text.raw_types import RawMap
from ...solver.codegen import object_loader
from ...solver.flatten.diagram import Diagram
from ...solver.realtime import run_process as engines
from ...solver.realtime.messages import (
    FAILED,
    FINISHED,
    PAUSED,
    RUNNING,
    UNLIMITED,
    LiveRules,
    OperatorDone,
    RecordingExtent,
    RunNews,
    RunOrder,
    RunProgress,
)
from ...solver.realtime.rt_priority import lower_priority
from ...solver.simulation.operator_log import OperatorLog
from ...solver.simulation.operator_log_file import surviving_log
from ...solver.simulation.recorder import result_attributes
from .run_files import new_folder
from .run_history import History, Planned, Poses, planned_by_signals
from .stale_check import StaleCheck
from .wired_units import wired_units

if TYPE_CHECKING:
    from ...solver.realtime.run_process import RunProcess
    from ...solver.simulation.simulation import Simulation

__all__ = [
    "COMPILING",
    "FAILED",
    "FINISHED",
    "IDLE",
    "PAUSED",
    "RUNNING",
    "UNLIMITED",
    "LiveRules",
    "RunThread",
]
IDLE, COMPILING = "idle", "compiling"
PATIENCE = 5.0  # s for a run to end by itself when the interpreter goes


@dataclass(eq=False)
class RunThread:
    """Run thread; `hear(run, what, detail)` is called from it."""

    read_diagram: Callable[[], Diagram]
    compiler: Callable[[Diagram], Simulation]
    rule: LiveRules
    hear: Callable[[RunThread, str, object], None]
    going: bool = True  # and not paused at its start
    quit: threading.Event = field(default_factory=threading.Event)
    sim: Simulation | None = None
    engine: RunProcess | None = None
    course: RunProgress | None = None
    extent: RecordingExtent | None = None
    folder: Path | None = None
    freshness: StaleCheck = field(default_factory=StaleCheck)
    remarks: list[Problem] = field(default_factory=list)  # what it has said of itself
    history: History | None = None
    poses: Poses = field(default_factory=Poses)
    saved: bool = False
    forgotten: bool = False
    parameters: dict[str, object] = field(default_factory=dict)  # parameters at its start
    netlist: RawMap = field(default_factory=dict)  # its netlist, as it was read
    planned: Planned = field(default_factory=dict)
    doing: tuple[str, float] = ("", 0.0)  # activity besides stepping, and its start time [s]
    by_screen: frozenset[str] = frozenset()  # inputs that the window moves
    devices: Mapping[str, str] = field(default_factory=dict)  # files of joysticks, by block
    done: OperatorDone | None = None  # operator log, after the end

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._early: list[tuple[str, object]] = []  # orders before there was anybody to give them to

    def start(self) -> None:
        self.thread = threading.Thread(target=self._work, name="luff run", daemon=True)
        _runs.add(self)
        self.thread.start()

    def send(self, what: str, detail: object = None) -> None:
        """Queue a command for the run's process."""
        with self._lock:
            if self.engine is None:
                self._early.append((what, detail))
            else:
                self.engine.send(what, detail)

    def leave(self) -> None:
        """Ask the run to end at its next check for commands."""
        self.quit.set()
        self.send("quit")

    def end(self) -> None:
        """Kill the run's process if its thread does not end in time."""
        self.thread.join(PATIENCE)
        with self._lock:
            if self.engine is not None:
                self.engine.kill()

    def forget(self) -> None:
        """End the run and delete its rows; a thread that still writes deletes them itself."""
        self.forgotten = True
        self.leave()
        # to take a large file off a disk takes longer than a window should wait
        away = threading.Thread(target=self._remove, name="luff away", daemon=True)
        _removals.add(away)
        away.start()

    def _remove(self) -> None:
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def result_path(self) -> Path | None:
        return self.extent.path if self.extent is not None else None

    @property
    def size(self) -> int:
        """Size of its recording [bytes]."""
        path = self.result_path
        return path.stat().st_size if path is not None and path.is_file() else 0

    # ------------------------------------------------------------------ the thread

    def _work(self) -> None:
        lower_priority()
        try:
            self._begin("Reading the model")
            diagram = self.read_diagram()
            self._begin("Making its equations")
            sim = self.compiler(diagram)
            self._begin("Looking at its start")
            if not self.quit.is_set():
                attributes = result_attributes(sim)
                self.sim, self.parameters, self.netlist = sim, attributes["parameters"], diagram.data
                self.planned = planned_by_signals(attributes["plots"])
                with undisturbed:
                    self._drive_process(engines.acquire(), sim, reusable=not diagram.allow_code)
        except LuffError as error:
            self._fail(error.problems)
        except Exception as error:  # a fault of the program must reach the window, not die with its thread
            self._fail(
                [Problem(f"{type(error).__name__}: {error}", fix="this is a fault of luff: please report it")]
            )
        finally:
            if self.forgotten:
                self._remove()

    def _drive_process(self, engine: RunProcess, sim: Simulation, reusable: bool) -> None:
        """Let a process take the steps and handle all its reports."""
        what = how = ""
        try:
            self.folder = new_folder()
            order = RunOrder(
                pickle.dumps(sim), self.folder, self.rule, self.going, self.by_screen, self.devices
            )
            with self._lock:
                self.engine = engine
                for word in (("run", order), *self._early):
                    engine.send(*word)
            for what, detail in engine.words():
                self._handle_report(sim, what, detail)
        finally:
            with self._lock:
                self.engine = None
            if what == "over" and reusable:
                engines.release(engine)
            else:
                how = engine.end()
        if what != "over" and not self.quit.is_set():
            rows = self.history.rows if self.history is not None else 0
            fix = "this is a fault of luff, or of code that the model brings"
            fix += f"; the {rows} rows that came can be saved" if rows else ""
            self._find_what_was_done()
            self._fail([Problem(f"the process that computes the run has ended {how}", fix=fix)])

    def _find_what_was_done(self) -> None:
        """Read the operator log of a process that ended before reporting it."""
        path = surviving_log(self.folder) if self.folder is not None else None
        if path is not None:
            with contextlib.suppress(LuffError):  # not a line was written
                self.done = OperatorDone(OperatorLog.read(path), frozenset())

    def _handle_report(self, sim: Simulation, what: str, detail: object) -> None:
        """Handle one report of the process."""
        if isinstance(detail, RunNews):
            self._store_news(detail)
        elif isinstance(detail, RunProgress):
            self.course, self.history = detail, History(detail.columns, wired_units(sim))
            self.history.planned = self.planned
            self._begin("")
            self.hear(self, "compiled", sim)
        elif what == "busy":
            self._begin(str(detail))
        elif what == "compiling":
            if object_loader.listener is not None and isinstance(detail, tuple):
                object_loader.listener(*detail)
        elif isinstance(detail, OperatorDone):
            self.done = detail
        elif what != "over":
            self.hear(self, what, detail)

    def _store_news(self, news: RunNews) -> None:
        self.extent = news.extent
        if self.history is not None:
            self.history.append(news.times, news.rows)
        if news.now is not None:
            if not self.poses.frames:
                self.poses.add(*news.now)
            self.poses.extend(news.film_times, news.frames)
            self.poses.now = news.now
        self.course = news.course

    def _begin(self, what: str) -> None:
        self.doing = what, time.monotonic()

    def _fail(self, problems: list[Problem]) -> None:
        self.hear(self, "state", FAILED)
        self.hear(self, "failed", problems)


class _Undisturbed:
    """Freeze existing objects from garbage collection during a run; full collections would stall the window."""

    def __init__(self) -> None:
        self._lock, self._inside = threading.Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            gc.freeze()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                gc.unfreeze()


undisturbed = _Undisturbed()
_runs: weakref.WeakSet[RunThread] = weakref.WeakSet()
_removals: weakref.WeakSet[threading.Thread] = weakref.WeakSet()


def end_all() -> None:
    """End all runs at interpreter exit, before the objects that their threads call disappear."""
    for run in list(_runs):
        run.leave()
    for run in list(_runs):
        run.end()
        run.thread.join()
        run.forget()
    for away in list(_removals):
        away.join()


atexit.register(end_all)
