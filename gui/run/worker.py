"""One run: a thread compiles and advances the simulation in chunks that release the GIL. What it writes, and nothing
else, is here; the window's side is `Runner`."""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import queue
import sys
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from ...blocks import LuffError
from ...blocks.errors import Problem
from ...solver.flat.opening import Diagram
from ...solver.run.recorder import attributes
from ...solver.stand.pace import HOPELESS
from .history import History, Poses
from .operator import Operator
from .run_file import RunFile

if TYPE_CHECKING:
    from ...solver.program.started import Started
    from ...solver.run.instance import Instance
    from ...solver.run.session import Session
    from ...solver.run.simulation import Simulation

# a step, or the value of a path
Order = (
    tuple[Literal["step"], None]
    | tuple[Literal["set"], tuple[str, object]]
    | tuple[Literal["give"], tuple[str, float]]
)

IDLE, COMPILING, RUNNING, PAUSED, FINISHED, FAILED = (
    "idle",
    "compiling",
    "running",
    "paused",
    "finished",
    "failed",
)
UNLIMITED = 0.0  # speed: as fast as possible
NICENESS = 5
CHUNK_SECONDS = 0.03  # of wall time: how long a button may wait
FILM_STEP = 0.02  # s of simulated time between frames of the 3-D view, as long as not too many were taken


def poses_of(program: Started | Instance) -> np.ndarray:
    """Where the rows of the mechanism stand as the solver left them: (rows, 12), R_WB row by row, then p_WB."""
    from ...solver.machine.fields import POSE, POSE_COLUMNS

    return program.data.row[:, POSE : POSE + POSE_COLUMNS].copy()


def step_back() -> None:
    """Where processors are short the window comes first: what waits for one shows as a stall."""
    if sys.platform == "linux":  # elsewhere niceness is the whole process's
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


@dataclass
class Rule:
    """What the window may change while a run is on."""

    speed: float = UNLIMITED
    limit: float = 2e9  # bytes of the recording
    thins: bool = False  # a full recording is thinned unasked


@dataclass(eq=False)
class Run:
    """`hear(run, what, detail)` is called from its thread."""

    read_diagram: Callable[[], Diagram]
    compiler: Callable[[Diagram], Simulation]
    rule: Rule
    hear: Callable[[Run, str, object], None]
    quit: threading.Event = field(default_factory=threading.Event)
    go: threading.Event = field(default_factory=threading.Event)
    orders: queue.Queue[Order] = field(default_factory=queue.Queue)
    sim: Simulation | None = None
    session: Session | None = None
    history: History | None = None
    poses: Poses = field(default_factory=Poses)
    file: RunFile | None = None
    rate: float = 0.0  # simulated over wall time
    spent: float = 0.0  # s of computing
    saved: bool = False
    forgotten: bool = False
    parameters: dict[str, object] = field(default_factory=dict)  # that it began with
    told: int = 0  # notes of the session that the window has heard
    doing: tuple[str, float] = ("", 0.0)  # what it is busy with besides steps, and since when
    by_screen: frozenset[str] = frozenset()  # inputs that the window moves
    operator: Operator | None = None

    def start(self) -> None:
        self.thread = threading.Thread(target=self._work, name="luff run", daemon=True)
        _runs.add(self)
        self.thread.start()

    def leave(self) -> None:
        """The thread ends at its next check of `quit`."""
        self.quit.set()
        self.go.set()

    def forget(self) -> None:
        """Its rows may go; where the thread is still writing, it takes them away itself."""
        self.forgotten = True
        self.leave()
        if self.file is not None:
            # to take a large file off a disk takes longer than a window should wait
            away = threading.Thread(target=self.file.remove, name="luff away", daemon=True)
            _removals.add(away)
            away.start()

    @property
    def result_path(self) -> Path | None:
        return self.file.path if self.file is not None else None

    # ------------------------------------------------------------------ the thread

    def _work(self) -> None:
        step_back()
        try:
            self._begin("Reading the model")
            diagram = self.read_diagram()
            self._begin("Making its equations")
            sim = self.compiler(diagram)
            self._begin("Looking at its start")
            session = sim.start()
            self._begin("")
            if self.quit.is_set():
                return
            self.sim, self.session = sim, session
            self.history = History(session.columns, sim.units)
            self.file = RunFile(sim, session)
            self.parameters = attributes(sim)["parameters"]
            self.hear(self, "compiled", sim)
            self.operator = Operator(session, self.by_screen, self.hear_of_devices)
            with undisturbed:
                self._advance_all(sim, session, self.file, self.operator)
        except LuffError as error:
            self._fail(error.problems)
        except Exception as error:  # a fault of the program must reach the window, not die with its thread
            self._fail(
                [Problem(f"{type(error).__name__}: {error}", fix="this is a fault of luff: please report it")]
            )
        finally:
            if self.operator is not None:
                self.operator.close()
            if self.file is not None:
                self.file.release()
                if self.forgotten:
                    self.file.remove()

    def hear_of_devices(self, words: str) -> None:
        self.hear(self, "operated", words)

    def _begin(self, what: str) -> None:
        self.doing = what, time.monotonic()

    def _fail(self, problems: list[Problem]) -> None:
        self.hear(self, "state", FAILED)
        self.hear(self, "failed", problems)

    def _advance_all(self, sim: Simulation, session: Session, file: RunFile, operator: Operator) -> None:
        status, count = "running", 32
        session.film = max(1, round(FILM_STEP / (session.step_size * session.every)))
        if len(sim.program.model.topo):
            self.poses.add(session.time, poses_of(session.instance))
        self._collect(session)
        clock = time.perf_counter
        began, began_at = clock(), session.time
        self.hear(self, "state", RUNNING if self.go.is_set() else PAUSED)
        while status == "running" and not self.quit.is_set():
            self._obey(sim, operator)
            if not self._may_go(file):
                operator.hurry(UNLIMITED)
                status = self._wait(sim, session, operator)
                self._collect(session)
                began, began_at = clock(), session.time
                continue
            allowed, speed = count, self.rule.speed
            operator.hurry(speed)
            if speed > 0:
                due = began_at + (clock() - began) * speed
                allowed = min(count, int((due - session.time) / session.step_size))
                if allowed < 1:
                    self._sleep(operator, session.step_size - (due - session.time))
                    continue
                if due - session.time > HOPELESS * speed:
                    # the solver cannot keep up: count from here, do not chase
                    operator.put_back(due - session.time)
                    began, began_at = clock(), session.time
            operator.give()
            before, mark = session.time, clock()
            status = session.advance(steps=allowed)
            spent = max(clock() - mark, 1e-6)
            taken = max(1.0, (session.time - before) / session.step_size)
            due = began_at + clock() - began
            operator.took(due - before - session.step_size, round(taken), speed)
            # long enough to cost nothing, short enough for the eye and for the stop button
            per_second = taken / spent
            count = int(max(1, min(CHUNK_SECONDS * per_second, file.rows_in_room * session.every)))
            self._collect(session)
            if len(session.notes) != self.told:
                self._remark(session)
            self.spent += clock() - mark
            elapsed = clock() - began
            self.rate = (session.time - began_at) / elapsed if elapsed > 0 else 0.0
        if status == "running":
            session.cancel()
            status = session.status
        self._collect(session)
        file.close()
        if status == "failed":
            self._fail([session.problem])
        else:
            self.hear(self, "state", FINISHED)
        self._remark(session)
        self.hear(self, "finished", status)

    def _sleep(self, operator: Operator, ahead: float) -> None:
        """Until the next step is due, as long as nobody has to wait for an answer meanwhile."""
        self.quit.wait(min(operator.pause, max(ahead, 1e-4)) if operator.drives else operator.pause)

    def _remark(self, session: Session) -> None:
        """What the run has to say of itself so far; at its end also whether its step was short enough."""
        self.told = len(session.notes)
        # energies of a run that diverged may be anything: the remarks say so
        with np.errstate(all="ignore"):
            self.hear(self, "remarked", session.remarks)

    def _may_go(self, file: RunFile) -> bool:
        """Asked once before each chunk; one who stops the run sets `quit` before `go`."""
        if not self.go.is_set():
            return False
        self._make_room(file)
        return self.go.is_set() and not self.quit.is_set()

    def _make_room(self, file: RunFile) -> None:
        """A full recording is thinned, or holds the run until the user has said what is to be."""
        full = file.full(self.rule.limit)
        if full and self.rule.thins:
            self._begin("Thinning the recording")
            file.thin(self.quit.is_set)
            self._begin("")
            full = file.full(self.rule.limit)
        if full and not self.quit.is_set():
            self.go.clear()
            self.hear(self, "state", PAUSED)
            self.hear(self, "full", full)

    def _wait(self, sim: Simulation, session: Session, operator: Operator) -> str:
        """Paused: wait for a step, a value, or the way on."""
        try:
            order = self.orders.get(timeout=0.02)
        except queue.Empty:
            return str(session.status)
        if order[0] == "step":
            operator.give()
            return str(session.advance(steps=session.every))
        self._do(sim, operator, order)
        return str(session.status)

    def _do(self, sim: Simulation, operator: Operator, order: Order) -> None:
        if order[0] == "set":
            operator.note_set(*order[1])
            self._set(sim, *order[1])
        elif order[0] == "give":
            operator.take(*order[1])

    def _obey(self, sim: Simulation, operator: Operator) -> None:
        while self.go.is_set():
            try:
                order = self.orders.get_nowait()
            except queue.Empty:
                return
            self._do(sim, operator, order)

    def _set(self, sim: Simulation, path: str, raw: object) -> None:
        try:
            sim.set(path, raw)
        except LuffError as error:
            self.hear(self, "failed", error.problems)

    def _collect(self, session: Session) -> None:
        times, rows = session.take()
        if len(times) and self.history is not None and self.file is not None:
            self.history.append(times, rows)
            self.file.write(times, rows)
        times, frames = session.take_film()
        if frames.shape[1]:
            self.poses.extend(times, frames)
            self.poses.now = (session.time, poses_of(session.instance))


class _Undisturbed:
    """While a run is on, all that lived at its start is out of the garbage collector's sight: its full passes would
    hold the window for long."""

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
_runs: weakref.WeakSet[Run] = weakref.WeakSet()
_removals: weakref.WeakSet[threading.Thread] = weakref.WeakSet()


def end_all() -> None:
    """The interpreter goes: a thread that computed on would call into what is no longer there."""
    for run in list(_runs):
        run.leave()
    for run in list(_runs):
        run.thread.join()
        run.forget()
    for away in list(_removals):
        away.join()


atexit.register(end_all)
