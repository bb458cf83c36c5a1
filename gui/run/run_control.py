"""Run control: the window's commands to a run and the run's reports. `history` and `poses` are polled by the window."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from ...blocks import LuffError
from ...blocks.errors import Problem
from ...solver.diagram.block_renaming import Change
from ...solver.flatten.diagram import Diagram
from ...solver.realtime.messages import OperatorDone, RunProgress, SetInput, SetParameter
from ...solver.realtime.rt_priority import RealTimePriority
from ...solver.realtime.run_process import prestart
from .run_history import History, Poses
from .run_thread import COMPILING, FINISHED, IDLE, PAUSED, RUNNING, LiveRules, RunThread

if TYPE_CHECKING:
    from ...solver.simulation.simulation import Simulation

PATIENCE = 0.3  # s for which the window waits for a run that is to end


@dataclass(frozen=True)
class DiagramSnapshot:
    """Diagram snapshot for another thread, while the user edits on."""

    text: str
    name: str
    path: Path | None
    base: Path | None
    allow_code: bool
    files: tuple[Path, ...]

    @classmethod
    def of(cls, diagram: Diagram) -> DiagramSnapshot:
        return cls(
            diagram.to_yaml(),
            str(diagram.path or "untitled"),
            diagram.path,
            diagram.base,
            diagram.allow_code,
            diagram.files,
        )

    def diagram(self) -> Diagram:
        copy = Diagram.from_yaml(self.text, self.name, self.base, self.allow_code, self.files)
        copy.path = self.path
        return copy


def compile_diagram(diagram: Diagram) -> Simulation:
    from ...solver.simulation.compile_diagram import compile

    return compile(diagram)


class RunControl(QObject):
    """Run control; its signals arrive in the window's thread."""

    state_changed = Signal(str)
    failed = Signal(list)  # problems
    remarked = Signal(list)  # problems: all that the run has said of itself so far
    finished = Signal(str)  # status of the session
    compiled = Signal(object)  # the simulation
    was_set = Signal(str, object)  # a parameter of the run under way, and its raw value
    operated = Signal(str)  # problems of devices; empty when none is left
    full = Signal(str)  # the recording has no more room, and why; the run is paused
    _said = Signal(object, str, object)  # reports of a run, from its thread
    devices: Mapping[str, str] = {}  # device files of joysticks by block, for all windows

    def __init__(
        self, parent: QObject | None = None, compiler: Callable[[Diagram], Simulation] = compile_diagram
    ):
        super().__init__(parent)
        self.compiler = compiler
        self.state = IDLE
        self.rule = LiveRules()  # rules of the next run
        self.by_screen: frozenset[str] = frozenset()  # inputs that the next run's window moves
        self.run: RunThread | None = None  # the last one, until the next
        self._put_by: list[RunThread] = []  # those before that may be shown again, the newest first
        self._renamed: list[Change] = []  # since the run began
        self._still = Poses()
        self._next = RealTimePriority(1)
        prestart()
        self._heard = True  # reports of the last run are still handled
        self._said.connect(self._on_report, Qt.ConnectionType.QueuedConnection)

    # ------------------------------------------------------------------ what is known of the last run

    @property
    def active(self) -> bool:
        return self.state in (COMPILING, RUNNING, PAUSED)

    @property
    def history(self) -> History | None:
        return self.run.history if self.run else None

    @property
    def poses(self) -> Poses:
        return self.run.poses if self.run else self._still

    @property
    def course(self) -> RunProgress | None:
        return self.run.course if self.run else None

    @property
    def lateness_text(self) -> str:
        """Timing of a real-time run with an operator, as text; empty otherwise."""
        run, course = self.run, self.course
        if run is None or run.rule.speed != 1.0:
            return ""
        if course is None or not course.drives or not course.lateness["slices"]:
            return ""
        told = course.lateness
        stalls = f", stood still {told['stalls']} times" if told["stalls"] else ""
        share, latest = 100 * told["in_time"], 1e3 * told["latest"]
        return f"{share:.4g} % in time, {latest:.0f} ms at most{stalls}; {course.priority}"

    @property
    def result_path(self) -> Path | None:
        return self.run.result_path if self.run else None

    @property
    def rate(self) -> float:
        """Real-time factor: simulated over wall time."""
        return self.course.rate if self.course else 0.0

    @property
    def doing(self) -> str:
        """Current activity of the run other than stepping, with its duration when over a second."""
        what, since = self.run.doing if self.run else ("", 0.0)
        spent = time.monotonic() - since
        return f"{what}, {spent:.0f} s" if what and spent > 1.0 else what

    @property
    def time(self) -> float:
        return self.course.time if self.course else 0.0

    @property
    def progress(self) -> float:
        return self.course.progress if self.course else 0.0

    # ------------------------------------------------------------------ orders from the window

    def start(self, diagram: Diagram, paused: bool = False) -> None:
        self._put_last_by()
        run = RunThread(DiagramSnapshot.of(diagram).diagram, self.compiler, replace(self.rule), self._say)
        run.freshness.begin(diagram)
        run.by_screen, run.devices, run.going = self.by_screen, self.devices, not paused
        self.run, self._heard, self._renamed = run, True, []
        self._set_state(COMPILING)
        run.start()

    def pause(self) -> None:
        if self.run and self.state == RUNNING:
            self.run.send("pause")
            self._set_state(PAUSED)

    def resume(self) -> None:
        if self.run and self.state == PAUSED:
            self._set_state(RUNNING)
            self.run.send("go")

    def step(self) -> None:
        """Advance a paused run by one recorded sample."""
        if self.run and self.state == PAUSED:
            self.run.send("step")

    def stop(self) -> None:
        """End the run; computed rows stay. A run that compiles or is inside a long step ends at its next check, and
        its later signals are ignored."""
        run = self.run
        if run is None or not self.active:
            return
        run.leave()
        if self.state != COMPILING:
            run.thread.join(PATIENCE)
        self._heard = False
        if self.active:
            self._set_state(FINISHED if run.history is not None and run.history.rows else IDLE)

    def set_speed(self, speed: float) -> None:
        """Set the speed of the active run and of later ones."""
        self.rule.speed = speed
        if self.run:
            self.set_rule(speed=speed)
            self._raise_priority()

    def set_rule(self, **changes: float | bool) -> None:
        """Change the rules of the active run only."""
        if self.run:
            self.run.rule = replace(self.run.rule, **changes)
            self.run.send("rule", self.run.rule)

    def note_saved(self, path: Path) -> None:
        if self.run and path == self.result_path:
            self.run.saved = True

    def set(self, path: str, raw: object) -> None:
        """Set a live parameter of the active run, between two chunks of steps."""
        if self.run and self.active:
            self.run.send("set", SetParameter(self._first_name(path) if "." in path else path, raw))
            self.was_set.emit(path, raw)

    def give(self, name: str, value: float) -> None:
        """Set an input of the active run, as operated on screen."""
        if self.run and self.active:
            self.run.send("give", SetInput(self._first_name(name), value))

    def rename(self, back: Change) -> None:
        """Go on after blocks got other names, from which `back` leads to those of before."""
        self._renamed.append(back)

    def _first_name(self, name: str) -> str:
        """Name that the run began with."""
        for back in reversed(self._renamed):
            name = back(name)
        return name

    @property
    def done(self) -> OperatorDone | None:
        """Operator log of the last run."""
        return self.run.done if self.run else None

    def forget(self) -> None:
        """End the run and discard its rows, and those of the runs before."""
        self._put_last_by()
        self.keep_only(())

    # ------------------------------------------------------------------ runs before the last one

    def _put_last_by(self) -> None:
        """End the last run; with rows it may be shown again, as long as all of these fit the limit of a recording."""
        self.stop()
        run, self.run = self.run, None
        if run is None:
            return
        if self.state == FINISHED:
            self._put_by.insert(0, run)
        else:
            run.forget()
        sizes = itertools.accumulate(run.size for run in self._put_by)
        fitting = [run for run, size in zip(self._put_by, sizes, strict=True) if size <= self.rule.limit]
        self.keep_only([run.history for run in fitting])

    def keep_only(self, histories: Container[History | None]) -> None:
        """Discard the rows of those that were put by, but for these."""
        for run in self._put_by:
            if run.history not in histories:
                run.forget()
        self._put_by = [run for run in self._put_by if run.history in histories]

    def edit_inside(self) -> None:
        """Note the edit of a composite, which runs read from its file: they are all of an older model."""
        for run in filter(None, (self.run, *self._put_by)):
            run.freshness.edit_inside()

    def take_up(self, diagram: Diagram) -> RunThread | None:
        """Make the run of a model that was put by the last one again; None if there is none."""
        run = next((run for run in self._put_by if not run.freshness.outdated(diagram)), None)
        if run is None:
            return None
        self._put_by.remove(run)
        self._put_last_by()
        self.run, self._heard, self._renamed = run, False, []
        self._set_state(FINISHED)
        return run

    def close(self) -> None:
        self.forget()

    # ------------------------------------------------------------------ what is heard

    def _say(self, run: RunThread, what: str, detail: object) -> None:
        with contextlib.suppress(RuntimeError):  # the window is gone
            self._said.emit(run, what, detail)

    def _on_report(self, run: RunThread, what: str, detail: object) -> None:
        """Handle a report of the run in the window's thread, so that state and display agree."""
        if run is not self.run or not self._heard:
            return
        if what == "remarked" and isinstance(detail, list):
            run.remarks = detail
        if what != "state":
            getattr(self, what).emit(detail)
        elif isinstance(detail, str) and (detail != RUNNING or self.state == COMPILING):
            self._set_state(detail)

    def _raise_priority(self) -> None:
        """Raise the window's priority during real-time runs with an operator, so that pictures follow the steps
        promptly."""
        driven = self.state == RUNNING and self.course is not None and self.course.drives
        self._next.__exit__()
        if driven and self.rule.speed == 1.0:
            self._next.__enter__()

    def _set_state(self, state: str) -> None:
        if state != self.state:
            self.state = state
            self._raise_priority()
            self.state_changed.emit(state)


class BackgroundCompiler(QObject):
    """Background compiler without machine code, which checks the diagram and determines the kind of model."""

    done = Signal(int, object)  # ticket, the simulation or a list of problems

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._ticket = 0
        self._busy: threading.Thread | None = None
        self._next: Diagram | None = None

    def ask(self, diagram: Diagram) -> int:
        self._ticket += 1
        self._next = diagram.copy()
        if self._busy is None or not self._busy.is_alive():
            self._busy = threading.Thread(target=self._work, name="luff analyse", daemon=True)
            self._busy.start()
        return self._ticket

    @property
    def ticket(self) -> int:
        return self._ticket

    def _work(self) -> None:
        while self._next is not None:
            taken, self._next, ticket = self._next, None, self._ticket
            try:
                answer: Simulation | list[Problem] = compile_diagram(DiagramSnapshot.of(taken).diagram())
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
