"""`Simulation`: a compiled diagram that can be evaluated, changed and run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..blocks import LuffError, RunError
from ..blocks.errors import Problem, did_you_mean
from . import codegen
from .closed import approach
from .diagram import Diagram
from .flatten import flatten
from .layout import O_FRICTION, V_STATE, Model
from .model_control import controllers
from .notebook import words
from .program import Program, make_program, unseen_plots
from .result import Result
from .session import Session
from .settings import ADAPTIVE, METHODS, SimulationSettings, nearest_multiple
from .statics import StaticReport

CHUNK_SECONDS = 0.1  # of wall time between looks at the keyboard and flushes of the result file


class Code(NamedTuple):
    """The generated functions, compiled."""

    rhs: Any
    outputs: Any
    update: Any


class Simulation:
    """What `luff.compile` returns."""

    def __init__(self, diagram: Diagram, overrides: dict[str, Any] | None = None):
        self.diagram = diagram
        self.overrides = dict(overrides or {})
        self.program: Program = make_program(flatten(diagram, self.overrides))
        self.x0 = self.program.x0

    # --- what it is ----------------------------------------------------------------------------------------------

    @property
    def state_names(self) -> list[str]:
        return self.program.state_names

    @property
    def signal_names(self) -> list[str]:
        return [column.name for column in self.program.columns]

    @property
    def units(self) -> dict[str, str]:
        return {column.name: column.unit for column in self.program.columns}

    @property
    def settings(self) -> SimulationSettings:
        return self.program.flat.simulation

    @property
    def source(self) -> str:
        """The generated Python source."""
        return self.program.source

    @property
    def summary(self) -> dict[str, Any]:
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

    @cached_property
    def code(self) -> Code:
        module = codegen.load(self.program.source)
        return Code(module.rhs, module.outputs, module.update)

    @cached_property
    def kernels(self) -> Any:
        from .kernels.table import kernels

        program = self.program
        friction, inverse = bool(program.model.option[O_FRICTION]), bool(controllers(program.mechanism))
        return kernels(bool(program.table.rows), friction, inverse)

    @cached_property
    def door(self) -> Any:
        """The quick way to the rates, with the memories as they are before a run."""
        return self._door(self.program.memory)

    def _door(self, memory: np.ndarray) -> Any:
        from .door import Door

        return Door(self.code.rhs, self.arguments(memory))

    def arguments(self, memory: np.ndarray) -> tuple[Any, ...]:
        """What every generated function is given after its own arguments."""
        program = self.program
        return program.params, memory, program.model, program.data, self.kernels

    def machine(self, method: str) -> tuple[Any, Any]:
        """The run loop, and the step of a method."""
        from .integrators import step_of
        from .kernels.loop import advance

        return advance, step_of(method)

    def derivative(
        self, t: float, x: Sequence[float] | np.ndarray, memory: np.ndarray | None = None
    ) -> np.ndarray:
        """dx/dt at one state."""
        state = np.array(x, float)
        if state.shape != self.x0.shape:
            raise RunError(f"found {state.size} states, expected {self.x0.size}", path="derivative")
        dx = np.zeros(len(state))
        approach(self, float(t), state, self.program.memory if memory is None else memory)
        (self.door if memory is None else self._door(memory))(float(t), state, dx)
        return dx

    def evaluate(self, t: float = 0.0, x: Sequence[float] | np.ndarray | None = None) -> dict[str, float]:
        """All recorded signals at one state (the initial one by default)."""
        row = np.zeros(len(self.program.columns))
        state = np.array(self.x0 if x is None else x, float)
        approach(self, float(t), state, self.program.memory)
        self.code.outputs(float(t), state, row, *self.arguments(self.program.memory))
        return dict(zip(self.signal_names, row.tolist(), strict=True))

    def energy(self, t: float, x: np.ndarray, memory: np.ndarray) -> dict[str, float]:
        """Kinetic energy, and that of gravity and springs."""
        if not len(self.program.model.topo):
            return {}
        from .kernels.table import ENERGIES

        dx = np.zeros(len(self.x0))
        self.code.rhs(t, x, dx, *self.arguments(memory))
        self.kernels[ENERGIES](self.program.model, self.program.data)
        kinetic, gravity, elastic = self.program.data.energy[:3].tolist()
        return {"kinetic": kinetic, "gravity": gravity, "elastic": elastic}

    def set(self, path: str, value: Any) -> None:
        """Change a parameter (`king.mass`), as in a netlist. Nothing is compiled unless the structure changes."""
        overrides = {**self.overrides, path: value}
        new = make_program(flatten(self.diagram, overrides))
        old = self.program
        self.overrides = overrides
        if (
            new.source != old.source
            or any(a.shape != b.shape for a, b in zip(new.model, old.model, strict=True))
            or np.any(new.model.option != old.model.option)
        ):
            self.program, self.x0 = new, new.x0
            for made in ("code", "kernels", "door"):
                self.__dict__.pop(made, None)
            return
        # the arrays keep their identity: a run under way reads them
        every = {sampled.slot: old.params[sampled.slot] for sampled in old.sampled}
        for name, ours, fresh in zip(Model._fields, old.model, new.model, strict=True):
            # a run may have changed its choice of states, and counts components from its own start
            if name not in ("state", "constraint_value"):
                ours[...] = fresh
        old.origin, old.static, old.report, old.notes = new.origin, new.static, new.report, new.notes
        old.params[:] = new.params
        for slot, steps in every.items():
            old.params[slot] = steps
        old.flat = new.flat
        old.x0[:] = new.x0

    @property
    def notes(self) -> list[str]:
        """What is worth knowing about the model before it runs: redundant constraints, other starts, ..."""
        return self.program.notes

    @property
    def remarks(self) -> list[Problem]:
        """Warnings of all kinds, each with its place in the file."""
        flat = self.program.flat
        return [*flat.warnings, *unseen_plots(self.program), *map(flat.remark, self.notes)]

    def static(self) -> dict[str, Any]:
        """Equilibrium with the joints held that `initial: {hold: [...]}` names: positions, and what holds them."""
        hold = self.program.flat.initial["hold"]
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
        return {"positions": positions, "units": units, **(program.static or StaticReport()).as_dict()}

    # --- runs ----------------------------------------------------------------------------------------------------

    def start(
        self,
        stop: float | None = None,
        step: float | None = None,
        method: str | None = None,
        output_step: float | None = None,
    ) -> Session:
        """Begin a run that the caller advances."""
        s = self.settings
        chosen: str = method or s.method
        if chosen not in METHODS:
            raise RunError(
                f'found method "{chosen}", expected one of {", ".join(METHODS)}',
                fix=did_you_mean(chosen, METHODS),
            )
        end, length = s.stop if stop is None else stop, s.step if step is None else step
        every = s.output_step if output_step is None else output_step
        if step is not None and output_step is None:
            every = nearest_multiple(
                every, length
            )  # a step that is set by hand need not divide the netlist's
        with self.program.flat.telling_places():
            return Session(self, float(end), float(length), chosen, float(every))

    def run(
        self,
        stop: float | None = None,
        step: float | None = None,
        method: str | None = None,
        output_step: float | None = None,
        output: str | Path | None = None,
        progress: Callable[[Session], Any] | None = None,
    ) -> Result:
        """Run to the end. With `output` (.h5) rows are streamed to the file and memory stays flat.

        A run that fails raises `RunError` with `.result`, what was computed so far. Ctrl-C ends the run, keeps the
        rows and returns them with status `interrupted`.
        """
        from .recording import Recorder

        session = self.start(stop, step, method, output_step)
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


def compile(diagram: Diagram | str | Path, **overrides: Any) -> Simulation:
    """Compile a diagram (or a netlist file) into one ODE."""
    if not isinstance(diagram, Diagram):
        diagram = Diagram.load(diagram)
    return Simulation(diagram, overrides)


__all__ = ["ADAPTIVE", "LuffError", "Simulation", "compile"]
