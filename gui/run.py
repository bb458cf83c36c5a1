"""Running: a worker thread compiles and advances the simulation in chunks that release the GIL. The solver is met
here and nowhere else in the desktop; the window reads `history` and `poses` at its own pace.
"""

from __future__ import annotations

import gc
import queue
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from ..blocks import LuffError
from ..blocks.errors import Problem
from ..solver.diagram import Diagram
from .history import History, Poses

IDLE, COMPILING, RUNNING, PAUSED, FINISHED, FAILED = (
    "idle",
    "compiling",
    "running",
    "paused",
    "finished",
    "failed",
)
CHUNK_SECONDS = 0.06  # of wall time: how long a button may wait
FILM_STEP, FILM_FRAMES = (
    0.02,
    4000,
)  # s of simulated time between frames of the 3-D view, and how many in a run
UNLIMITED = 0.0  # speed: as fast as possible


def snapshot(diagram: Diagram) -> Diagram:
    """A copy that another thread may read while the user goes on editing."""
    copy = Diagram.from_yaml(
        diagram.to_yaml(), str(diagram.path or "untitled"), diagram.base, diagram.allow_code
    )
    copy.path = diagram.path
    return copy


def compile_diagram(diagram: Diagram) -> Any:
    from ..solver.simulation import compile

    return compile(diagram)


def poses_of(program: Any) -> np.ndarray:
    """Where the rows of the mechanism stand as the solver left them: (rows, 12), R_WB row by row, then p_WB."""
    from ..solver.layout import POSE

    return program.data.row[:, POSE : POSE + 12].copy()


def settle_memory() -> None:
    """Take all that lives now out of the collector's sight: its full passes would hold the window for long."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


class Runner(QObject):
    """Signals arrive in the thread of the window."""

    state_changed = Signal(str)
    failed = Signal(list)  # problems
    finished = Signal(str)  # status of the session
    compiled = Signal(object)  # the simulation

    def __init__(self, parent: QObject | None = None, compiler: Callable[[Diagram], Any] = compile_diagram):
        super().__init__(parent)
        self.compiler = compiler
        self.state = IDLE
        self.speed = UNLIMITED
        self.history: History | None = None
        self.poses = Poses()
        self.sim: Any = None
        self.session: Any = None
        self.result_path: Path | None = None
        self.rate = 0.0  # simulated over wall time
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._orders: queue.Queue[tuple[str, Any]] = queue.Queue()
        self._go = threading.Event()
        self._quit = threading.Event()
        self._thread: threading.Thread | None = None

    # ------------------------------------------------------------------ orders from the window

    @property
    def active(self) -> bool:
        return self.state in (COMPILING, RUNNING, PAUSED)

    @property
    def thread_id(self) -> int:
        """Of the worker, as the operating system counts threads; 0 without one."""
        return (self._thread.native_id or 0) if self._thread else 0

    @property
    def time(self) -> float:
        return float(self.session.time) if self.session is not None else 0.0

    @property
    def progress(self) -> float:
        return float(self.session.progress) if self.session is not None else 0.0

    def start(self, diagram: Diagram, paused: bool = False) -> None:
        self.stop()
        try:
            copy = snapshot(diagram)
        except LuffError as error:
            self._set_state(FAILED)
            self.failed.emit(error.problems)
            return
        self.history, self.session, self.poses, self.rate = None, None, Poses(), 0.0
        self._orders, self._quit = queue.Queue(), threading.Event()
        if not paused:
            self._go.set()
        else:
            self._go.clear()
        self._set_state(COMPILING)
        self._thread = threading.Thread(
            target=self._work, args=(copy, self._quit), name="luff run", daemon=True
        )
        self._thread.start()

    def pause(self) -> None:
        if self.state == RUNNING:
            self._go.clear()
            self._set_state(PAUSED)

    def resume(self) -> None:
        if self.state == PAUSED:
            self._set_state(RUNNING)
            self._go.set()

    def step(self) -> None:
        """One recorded sample."""
        if self.state == PAUSED:
            self._orders.put(("step", None))

    def stop(self) -> None:
        """End the run; what was computed stays."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        self._quit.set()
        self._go.set()
        thread.join()
        if self.active:
            self._set_state(FINISHED if self.history is not None and self.history.rows else IDLE)

    def set(self, path: str, raw: Any) -> None:
        """A new value for a live parameter, between two chunks."""
        if self.active:
            self._orders.put(("set", (path, raw)))

    def close(self) -> None:
        self.stop()
        if self._folder:
            self._folder.cleanup()
            self._folder = None

    def _set_state(self, state: str) -> None:
        if state != self.state:
            self.state = state
            self.state_changed.emit(state)

    # ------------------------------------------------------------------ the worker

    def _work(self, diagram: Diagram, quit_now: threading.Event) -> None:
        try:
            sim = self.compiler(diagram)
            session = sim.start()
            if quit_now.is_set():
                return
            self.sim, self.session = sim, session
            self.history = History(session.columns, sim.units)
            self.compiled.emit(sim)
            recorder = self._recorder(sim, session)
            settle_memory()
            if self.state == COMPILING:
                self._set_state(RUNNING if self._go.is_set() else PAUSED)
            self._advance_all(sim, session, recorder, quit_now)
        except LuffError as error:
            self._set_state(FAILED)
            self.failed.emit(error.problems)
        except Exception as error:  # a fault of the program must reach the window, not die with its thread
            self._set_state(FAILED)
            self.failed.emit(
                [Problem(f"{type(error).__name__}: {error}", fix="this is a fault of luff: please report it")]
            )

    def _recorder(self, sim: Any, session: Any) -> Any:
        """The complete rows go to a file, so that memory stays flat."""
        from ..solver.recording import Recorder

        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="luff-")
        self.result_path = Path(self._folder.name) / "run.h5"
        return Recorder(sim, session, self.result_path)

    def _advance_all(self, sim: Any, session: Any, recorder: Any, quit_now: threading.Event) -> None:
        assert self.history is not None
        status, count = "running", 32
        self._collect(sim, session, recorder)
        film = max(FILM_STEP, session.stop / FILM_FRAMES)
        clock = time.perf_counter
        began, began_at = clock(), session.time
        while status == "running" and not quit_now.is_set():
            self._obey(sim)
            if not self._go.is_set():
                status = self._wait(session)
                self._collect(sim, session, recorder)
                began, began_at = clock(), session.time
                continue
            allowed = count
            if self.speed > 0:
                due = began_at + (clock() - began) * self.speed
                allowed = min(count, int((due - session.time) / session.step))
                if allowed < 1:
                    quit_now.wait(0.004)
                    continue
                if due - session.time > 0.5 * self.speed:
                    # the solver cannot keep up: count from here, do not chase
                    began, began_at = clock(), session.time
            before, mark = session.time, clock()
            status = session.advance(steps=allowed)
            spent = max(clock() - mark, 1e-6)
            taken = max(1.0, (session.time - before) / session.step)
            # long enough to cost nothing, short enough for the eye and for the stop button
            per_second = taken / spent
            count = int(max(1, min(CHUNK_SECONDS * per_second, max(film / session.step, 0.002 * per_second))))
            self._collect(sim, session, recorder)
            elapsed = clock() - began
            self.rate = (session.time - began_at) / elapsed if elapsed > 0 else 0.0
        if status == "running":
            session.cancel()
            status = session.status
        self._collect(sim, session, recorder)
        recorder.close()
        if status == "failed":
            self._set_state(FAILED)
            self.failed.emit([session.problem])
        else:
            self._set_state(FINISHED)
        self.finished.emit(status)

    def _wait(self, session: Any) -> str:
        """Paused: wait for a step, a value, or the way on."""
        try:
            order, detail = self._orders.get(timeout=0.02)
        except queue.Empty:
            return str(session.status)
        if order == "step":
            return str(session.advance(steps=session.every))
        self._set(self.sim, *detail)
        return str(session.status)

    def _obey(self, sim: Any) -> None:
        while self._go.is_set():
            try:
                order, detail = self._orders.get_nowait()
            except queue.Empty:
                return
            if order == "set":
                self._set(sim, *detail)

    def _set(self, sim: Any, path: str, raw: Any) -> None:
        try:
            sim.set(path, raw)
        except LuffError as error:
            self.failed.emit(error.problems)

    def _collect(self, sim: Any, session: Any, recorder: Any) -> None:
        times, rows = session.take()
        if len(times) and self.history is not None:
            self.history.append(times, rows)
            recorder.write(times, rows)
        pose = poses_of(sim.program)
        if len(pose):
            self.poses.add(session.time, pose)


class Analyser(QObject):
    """Compiles the diagram in the background, without machine code, to say what kind of model it is."""

    done = Signal(int, object)  # ticket, the simulation or a list of problems

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._ticket = 0
        self._busy: threading.Thread | None = None
        self._next: Diagram | None = None

    def ask(self, diagram: Diagram) -> int:
        self._ticket += 1
        try:
            self._next = snapshot(diagram)
        except LuffError as error:
            self.done.emit(self._ticket, error.problems)
            return self._ticket
        if self._busy is None or not self._busy.is_alive():
            self._busy = threading.Thread(target=self._work, name="luff analyse", daemon=True)
            self._busy.start()
        return self._ticket

    @property
    def ticket(self) -> int:
        return self._ticket

    def _work(self) -> None:
        while self._next is not None:
            diagram, self._next, ticket = self._next, None, self._ticket
            try:
                answer: Any = compile_diagram(diagram)
            except LuffError as error:
                answer = error.problems
            except Exception as error:  # the badge must not take the window down
                answer = [
                    Problem(
                        f"{type(error).__name__}: {error}", fix="this is a fault of luff: please report it"
                    )
                ]
            self.done.emit(ticket, answer)

    def close(self) -> None:
        self._next = None
        if self._busy is not None:
            self._busy.join()
