"""`Simulation`: a compiled diagram that can be evaluated, changed and run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from threading import get_ident
from typing import TypedDict
from weakref import WeakSet

import numpy as np

from ...blocks import LuffError, RunError
from ...blocks.errors import Problem, did_you_mean
from ..diagram.settings import ADAPTIVE, EVENTS, METHODS, nearest_multiple
from ..flat.flatten import flatten
from ..flat.opening import Diagram
from ..machine.fields import V_STATE
from ..program.program import Program, make_program, unseen_plots
from ..result.notebook import words
from ..result.result import Result
from ..start.statics import StaticReport
from .closed import approach
from .instance import Instance
from .interface import Interface
from .live import Live, apply
from .session import Session

CHUNK_SECONDS = 0.1  # of wall time between looks at the keyboard and flushes of the result file


class Summary(TypedDict):
    name: str
    blocks: int
    degrees_of_freedom: int
    coordinates: int
    states: int
    mechanical_states: int
    constraints: int
    redundant: list[str]
    internal: list[str]
    bodies: int
    signals: int


class AtRest(TypedDict):
    """Coordinates at an equilibrium, the efforts of those that are held, and those that nothing holds."""

    positions: dict[str, float]
    units: dict[str, str]
    iterations: int
    residual: float
    held: dict[str, float]
    neutral: list[str]
    unstable: list[str]
    left: list[str]


class Simulation(Interface):
    """What `luff.compile` returns."""

    def __init__(self, diagram: Diagram, overrides: Mapping[str, object] | None = None):
        self.diagram = diagram
        self.overrides = dict(overrides or {})
        super().__init__(make_program(flatten(diagram, self.overrides)))

    def adopt(self, program: Program) -> None:
        super().adopt(program)
        self._stale = False  # live parameters were set since the program was made
        self._live: Live | None = None
        self._proved: set[str] = set()  # paths whose short way has given the bits of the whole one
        self._at_other_steps: WeakSet[Simulation] = WeakSet()

    @property
    def program(self) -> Program:
        """What is compiled, with all that was set."""
        if self._stale:
            with self.lock:
                if self._stale:
                    self._program = self._whole(self.overrides)
                    self._stale = False
        return self._program

    @program.setter
    def program(self, program: Program) -> None:
        self._program, self._stale, self._live = program, False, None

    # --- what it is ----------------------------------------------------------------------------------------------

    @property
    def summary(self) -> Summary:
        """Counts that say what kind of model this is."""
        mechanical = self.program.mechanical
        report = self.program.report
        velocities = sum(1 for kind, _, _ in self.program.model.state if kind == V_STATE)
        return {
            "name": self.program.flat.name,
            "blocks": len(self.program.flat.blocks),
            "degrees_of_freedom": report.free - report.rank if report else velocities,
            "coordinates": report.free if report else velocities,
            "states": len(self.state_names),
            "mechanical_states": mechanical,
            "constraints": report.constraints if report else 0,
            "redundant": report.redundant if report else [],
            "internal": report.internal if report else [],
            "bodies": len(self.program.mechanism.bodies),
            "signals": len(self.program.columns),
        }

    def __repr__(self) -> str:
        about, s = self.summary, self.settings
        counts = {"degrees of freedom": about["degrees_of_freedom"]}
        counts |= {name: about[name] for name in ("states", "constraints", "signals")}
        named = f' "{about["name"]}"' if about["name"] else ""
        return f"<Simulation{named}: {words(counts)}; {s.method}, {s.step:g} s to {s.stop:g} s>"

    # --- evaluation ----------------------------------------------------------------------------------------------

    @property
    def instance(self) -> Instance:
        """The work space of single evaluations, one for each thread; every run has one of its own."""
        # what `set` takes out of `__dict__` are those of all threads
        made: dict[int, Instance] = self.__dict__.setdefault("instance", {})
        found = made.get(get_ident())
        if found is None:
            with self.lock:
                made = self.__dict__.setdefault("instance", {})
                found = made[get_ident()] = Instance(self.program)
        return found

    def derivative(self, t: float, x: Sequence[float] | np.ndarray) -> np.ndarray:
        """dx/dt at one state."""
        state = np.array(x, float)
        if state.shape != self.x0.shape:
            raise RunError(f"found {state.size} states, expected {self.x0.size}", path="derivative")
        approach(self.instance, float(t), state)
        return self.instance.rates(float(t), state)

    def evaluate(self, t: float = 0.0, x: Sequence[float] | np.ndarray | None = None) -> dict[str, float]:
        """All recorded signals at one state (the initial one by default)."""
        state = np.array(self.x0 if x is None else x, float)
        approach(self.instance, float(t), state)
        return dict(zip(self.signal_names, self.instance.outputs(float(t), state).tolist(), strict=True))

    def set(self, path: str, value: object) -> None:
        """Change a parameter (`king.mass`), as in a netlist. Runs under way see it at their next step.

        A change of structure (other tables, arrays of other sizes) is for runs that begin afterwards: those under
        way keep the program that they began with.

        A number of one block that has been set before goes straight to the runs under way; what follows from it for
        the start is made when somebody asks for it.
        """
        with self.lock:
            self._set(path, value)

    def _set(self, path: str, value: object) -> None:
        overrides = {**self.overrides, path: value}
        if self._live is None:
            self._live = Live(self.program)
        if path in self._proved:
            changes = self._live.set(path, value)
            if changes is not None:
                self.overrides, self._stale = overrides, True
                self.__dict__.pop("instance", None)
                for instance in self._running:
                    if instance.program is self._program:
                        with instance.lock:  # a run in another thread sees all of a change, or nothing
                            apply(changes, instance.params, instance.model)
                for other in self._at_other_steps:
                    other.set(path, value)
                return
        live, self._live = self._live, None
        new = self._whole(overrides)
        changes = live.set(path, value)
        if changes and live.agrees_with(new) and path not in self._proved:
            self._proved.add(path)
        self.overrides, self.program = overrides, new
        for other in self._at_other_steps:
            other.set(path, value)

    def _whole(self, overrides: Mapping[str, object]) -> Program:
        """Compile anew; runs of the same structure take the numbers."""
        new = make_program(flatten(self.diagram, overrides))
        old = self._program
        self.__dict__.pop("instance", None)
        if old.like(new):
            for instance in self._running:
                if instance.program is old:
                    instance.take(new)
        else:
            self._proved.clear()
            self._live = None
        return new

    def _laid_out_for(self, step: float) -> Simulation:
        """This simulation, or one whose memories suit the step: delays count the steps that they reach back."""
        sized = any(
            isinstance(memory.size, str)
            for block in self.program.flat.blocks.values()
            for memory in block.memories.values()
        )
        if not sized or step >= self.settings.step:
            return self
        other = Simulation(self.diagram, {**self.overrides, "simulation.step": step})
        self._at_other_steps.add(other)
        return other

    @property
    def notes(self) -> list[str]:
        """What is worth knowing about the model before it runs: redundant constraints, other starts, ..."""
        return self.program.notes

    @property
    def remarks(self) -> list[Problem]:
        """Warnings of all kinds, each with its place in the file."""
        flat = self.program.flat
        return [*flat.warnings, *unseen_plots(self.program), *map(flat.remark, self.notes)]

    def static(self) -> AtRest:
        """Equilibrium with the joints held that `initial: {hold: [...]}` names: positions, and what holds them."""
        hold = self.program.flat.initial.hold
        program = make_program(
            flatten(self.diagram, {**self.overrides, "initial.solve": "static", "initial.hold": hold})
        )
        names = program.mechanism.coordinate_names()
        data = program.data
        positions = {name: float(q) for name, q in zip(names, data.q, strict=True) if name}
        units = {
            name: "m" if row.coordinate.prismatic else "rad"
            for name, row in zip(names, program.mechanism.rows, strict=True)
            if name and row.coordinate is not None
        }
        found = program.static or StaticReport()
        return {
            "positions": positions,
            "units": units,
            "iterations": found.iterations,
            "residual": found.residual,
            "held": found.held,
            "neutral": found.neutral,
            "unstable": found.unstable,
            "left": found.left,
        }

    # --- runs ----------------------------------------------------------------------------------------------------

    def start(
        self,
        stop: float | None = None,
        step: float | None = None,
        method: str | None = None,
        output_step: float | None = None,
        events: str | None = None,
    ) -> Session:
        """Begin a run that the caller advances."""
        s = self.settings
        chosen, met = (
            one_of(METHODS, "method", method or s.method),
            one_of(EVENTS, "events", events or s.events),
        )
        end, length = seconds("stop", stop, s.stop), seconds("step", step, s.step)
        every = seconds("output_step", output_step, s.output_step)
        if step is not None and output_step is None:
            every = nearest_multiple(
                every, length
            )  # a step that is set by hand need not divide the netlist's
        with self.program.flat.telling_places(), self.lock:
            sim = self._laid_out_for(length)
            return Session(sim, end, length, chosen, every, met)

    def run(
        self,
        stop: float | None = None,
        step: float | None = None,
        method: str | None = None,
        output_step: float | None = None,
        events: str | None = None,
        output: str | Path | None = None,
        progress: Callable[[Session], object] | None = None,
    ) -> Result:
        """Run to the end. With `output` (.h5) rows are streamed to the file and memory stays flat.

        A run that fails raises `RunError` with `.result`, what was computed so far. Ctrl-C ends the run, keeps the
        rows and returns them with status `interrupted`.
        """
        from .recorder import Recorder

        session = self.start(stop, step, method, output_step, events)
        with Recorder(self, session, output) as recorder:
            try:
                while session.advance(CHUNK_SECONDS) == "running":
                    recorder.write(*session.take())
                    if progress is not None and progress(session) is False:
                        session.cancel()
            except KeyboardInterrupt:
                session.cancel("interrupted", f"interrupted at t = {session.time:g} s")
            recorder.write(*session.take())
            recorder.close()
        result = recorder.result()
        if session.status == "failed":
            error = RunError(session.problem)
            error.result = result  # type: ignore[attr-defined]
            raise error
        return result


def seconds(name: str, given: object, default: float) -> float:
    """What a script gives, or what the netlist says."""
    try:
        return default if given is None else float(given)  # type: ignore[arg-type]
    except (ValueError, TypeError, OverflowError):
        found = repr(given) if isinstance(given, str) else f"a {type(given).__name__}"
        raise RunError(f"found {found[:60]}, expected a number of seconds", path=name) from None


def one_of(known: tuple[str, ...], name: str, found: str) -> str:
    if found not in known:
        raise RunError(
            f'found {name} "{found}", expected one of {", ".join(known)}', fix=did_you_mean(found, known)
        )
    return found


def compile(
    diagram: Diagram | str | Path, files: Iterable[str | Path] = (), **overrides: object
) -> Simulation:
    """Compile a diagram, or a netlist file that may read from the folders `files` beside its own, into one ODE."""
    if not isinstance(diagram, Diagram):
        diagram = Diagram.load(diagram, files=files)
    return Simulation(diagram, overrides)


__all__ = ["ADAPTIVE", "LuffError", "Simulation", "compile"]
