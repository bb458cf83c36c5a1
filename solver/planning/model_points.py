"""Rates f(x, u), signals y(x, u) and their Jacobians at many points of a plan in one call: controls are states of
hidden blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...blocks import Block, LuffError
from ...blocks.block_states import State
from ...blocks.errors import Problem, did_you_mean
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.ports import ANY, In, Out
from ...blocks.signal_params import PerElement
from ..analysis.operating_point import dependent_names
from ..codegen.jit import NoCode
from ..codegen.source_functions import Function
from ..flatten.analysis_points import wires_through_probe, with_same_partition
from ..flatten.flatten import Flat
from ..program.block_calls import reads_argument
from ..program.started_program import Started, started
from ..results.recorded_run import closes_a_loop
from ..simulation.constraint_state import walk_anchor
from ..simulation.jacobian import jacobian_of
from ..simulation.simulation import Simulation

CONTROL, PARAMETER = "@control.", "@parameter."  # prefixes of the hidden blocks
TIMES = ("t", "during")  # arguments of a block's functions that are times
DIFFERENCE = 6e-6  # cube root of the rounding error: step of central differences over the size of a number


class HeldControl(Block, abstract=True):
    """A control in the place of an input: y = x, dx/dt = 0."""

    u, y = In(ANY, default=0.0), Out(ANY)
    initial = PerElement(0.0, doc="y at the start")
    x = State("initial", width=ANY)

    def der(x):
        return 0.0

    def out(x):
        return x


def with_held_inputs(flat: Flat, names: Sequence[str], prefix: str) -> Flat:
    """Copy of a netlist in which states of hidden blocks stand in the place of inputs."""
    if not names:
        return flat
    block = flat.blocks[INPUTS]
    blocks, wires, widths = dict(flat.blocks), list(flat.wires), dict(flat.widths)
    for name in names:
        port, hidden = block.ports()[name], f"{prefix}{name}"
        width = flat.widths.get((INPUTS, name), port.width) or 1
        starts = block.starts(name)  # type: ignore[attr-defined]
        blocks[hidden] = HeldControl(hidden, {"initial": starts[0] if width == 1 else tuple(starts)})
        widths[hidden, "u"] = widths[hidden, "y"] = width
        wires = wires_through_probe(wires, (INPUTS, name), hidden, port, width)
    return replace(flat, blocks=blocks, wires=wires, widths=widths)


class UnknownSignal(LookupError):
    """A name that is neither a state nor a scalar signal."""


class ModelPoints:
    """f and y of one model at points z = [x, u], one a row, in SI units.

    The states are those of the model and, behind them, free parameters, whose rates are zero; their names are in
    `state_names`. `control_names` have one entry for each element of a control.
    """

    def __init__(
        self, sim: Simulation, controls: Sequence[str], signals: Sequence[str], parameters: Sequence[str] = ()
    ):
        flat = with_held_inputs(sim.program.flat, controls, CONTROL)
        flat = with_same_partition(with_held_inputs(flat, parameters, PARAMETER), dependent_names(sim))
        flat.record = ["*"] if signals else []
        if signals:
            known = {column.name for column in started(flat).columns}
            for name in signals:
                if name not in known:
                    raise UnknownSignal(name)
            flat.record = [*dict.fromkeys(signals)]
        self.sim = sim.twin(started(flat))
        self.model = sim
        names = self.sim.state_names
        free = [k for k, name in enumerate(names) if name.startswith(PARAMETER)]
        held = [k for k, name in enumerate(names) if name.startswith(CONTROL)]
        own = [k for k in range(len(names)) if k not in {*free, *held}]
        self.places = np.array([*own, *free, *held], int)
        self.native, self.n, self.m = len(own), len(own) + len(free), len(held)
        self.parameter_names = [_input_name(names[k], PARAMETER) for k in free]
        self.state_names = [*(names[k] for k in own), *self.parameter_names]
        self.control_names = [_input_name(names[k], CONTROL) for k in held]
        self.units = dict(zip(names, self.program.state_units, strict=True))
        columns = [column.name for column in self.program.columns]
        self.signals = list(dict.fromkeys(signals))
        self._picked = [columns.index(name) for name in self.signals]
        self.exact = ""  # or why derivatives are differences
        self.evaluations = 0

    @property
    def program(self) -> Started:
        """Program with the controls as states."""
        return self.sim.program

    @property
    def x0(self) -> np.ndarray:
        """Start of the model, controls at their defaults: [x, u]."""
        return self.sim.x0[self.places]

    def full(self, points: np.ndarray) -> np.ndarray:
        """States of the program from points [x, u]."""
        rows = np.empty_like(points)
        rows[:, self.places] = points
        return rows

    def values(self, points: np.ndarray, signals: bool) -> np.ndarray:
        """f at points [x, u], with y behind it if `signals`."""
        self.evaluations += len(points)
        return np.concatenate([self._values(group, signals) for group in self._groups(points)])

    def jacobians(self, points: np.ndarray, signals: bool) -> np.ndarray:
        """Derivatives of `values` by [x, u]: exact by duals, else central differences."""
        return np.concatenate([self._jacobians(group, signals) for group in self._groups(points)])

    def _groups(self, points: np.ndarray) -> list[np.ndarray]:
        """Split points into groups, of three for closed loops; each group is followed from the start."""
        return np.array_split(points, max(1, len(points) // 3)) if self.program.closed else [points]

    def _walk(self, rows: np.ndarray) -> None:
        walk_anchor(self.sim.instance, 0.0, rows[0])

    def _values(self, points: np.ndarray, signals: bool) -> np.ndarray:
        rows = self.full(points)
        self._walk(rows)
        answers = self.sim.instance.many(0.0, rows, signals)
        rates = answers[:, self.places[: self.n]]
        if not signals:
            return rates
        return np.hstack([rates, answers[:, rows.shape[1] :][:, self._picked]])

    def _jacobians(self, points: np.ndarray, signals: bool) -> np.ndarray:
        if self.exact:
            return self._differences(points, signals)
        rows = self.full(points)
        self._walk(rows)
        try:
            made, _ = jacobian_of(self.sim.instance, signals).jacobians(0.0, rows)
        except NoCode as reason:
            self.exact = str(reason)
            return self._differences(points, signals)
        q = rows.shape[1]
        kept = [*self.places[: self.n], *(q + k for k in self._picked)] if signals else self.places[: self.n]
        return made[:, kept][:, :, self.places]

    def _differences(self, points: np.ndarray, signals: bool) -> np.ndarray:
        columns = []
        for k in range(points.shape[1]):
            step = DIFFERENCE * np.maximum(1.0, abs(points[:, k]))
            ahead, behind = points.copy(), points.copy()
            ahead[:, k] += step
            behind[:, k] -= step
            difference = self._values(ahead, signals) - self._values(behind, signals)
            columns.append(difference / (2.0 * step)[:, None])
        return np.stack(columns, axis=2)


def _input_name(state: str, prefix: str) -> str:
    """Input element of a hidden state: `@control.force.x[1]` is `force[1]`."""
    name, _, index = state.removeprefix(prefix).rpartition(".x")
    return name + index


def unknown_signal(sim: Simulation, name: str, path: str) -> LuffError:
    """Error for a name that is neither a state nor a scalar signal."""
    columns = [column.name for column in started(replace(sim.program.flat, record=["*"])).columns]
    elements = [column for column in columns if column.startswith(f"{name}[")]
    if elements:
        message = f"found a vector, expected one of its elements, {elements[0]} to {elements[-1]}"
        return LuffError(Problem(message, path))
    known = [*sim.state_names, *columns]
    block = name.rpartition(".")[0]
    cls = type(sim.program.flat.blocks[block]) if block in sim.program.flat.blocks else None
    fix = (closes_a_loop(name, known, cls) if cls else "") or did_you_mean(name, known)
    return LuffError(Problem("there is no such state or signal", path, fix))


def timed_blocks(program: Started) -> list[str]:
    """Blocks whose operations read the time t: their laws are not those of an autonomous system."""
    labels = [
        operation.label
        for name in ("rates", "outputs")
        for call in program.tables[name].calls
        for operation in call.operations
        if any(not isinstance(entry, int) and entry[0] == "t" for entry in operation.entries)
        and not (isinstance(operation.code, Function) and not reads_argument(operation.code.source, TIMES))
    ]
    return list(dict.fromkeys(labels))
