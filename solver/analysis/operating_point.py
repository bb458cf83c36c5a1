"""A compiled model held at one state and time, for analyses: its own arrays, so that a run beside it sees nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...blocks import RunError
from ...blocks.errors import Problem
from ...blocks.external_block import ContinuousBlock
from ..flatten.analysis_points import with_probes, with_same_partition
from ..flatten.discrete_as_states import with_continuous_twins
from ..kernels import model_data as f
from ..program.started_program import started
from ..results.recorded_run import signal_of
from ..simulation.constraint_state import massless_motions, massless_words, walk_anchor
from ..simulation.external_blocks import partner_problem
from ..simulation.jacobian import jacobian_of
from .memory_cycles import is_self_contained, memory_cycles, update_turn

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation

SMALLEST_SHARE = 1e-3  # of the way to a state, before it counts as out of reach


class OperatingPoint:
    """f(x, u) and y(x, u) of a model near a state; u is added to the signals that `taps` name.

    With `outputs` y is all recorded signals, and the ports of composites among `named`.
    With `memories` those that are known (`Block.echo`) are states, whose rates are what they become less what they are;
    all others stand still.
    """

    def __init__(
        self,
        sim: Simulation,
        t: float,
        inputs: Sequence[str] = (),
        outputs: bool = False,
        memories: bool = False,
        named: Sequence[str] = (),
    ):
        check_releases(sim)
        dependent = dependent_names(sim)
        flat, remembered = with_continuous_twins(sim.program.flat) if memories else (sim.program.flat, [])
        if inputs or outputs or dependent or remembered:
            flat, self.taps = with_probes(with_same_partition(flat, dependent), inputs)
            if outputs:
                flat.record = ["*", *(name for name in named if signal_of(name) in flat.exposed)]
            self.sim = sim.twin(started(flat))
        else:
            self.sim, self.taps = sim.twin(), []
        self.t, self.x = t, self.sim.x0.copy()
        params = self.sim.program.param_names
        self._params = self.sim.instance.params
        self._slots = [params.index(tap.param) for tap in self.taps]
        kinds = self.sim.program.model.state[:, f.ST_KIND]
        self.positions = np.flatnonzero(kinds == f.Q_STATE)
        self.quaternions = np.flatnonzero(kinds == f.QUAT_STATE)
        self.velocities = np.flatnonzero(kinds == f.V_STATE)
        turn = sample_counts(sim)
        memory_states = sorted(
            (update_turn(name, turn.get(one.block, 1)), k, one.echo)
            for one in remembered
            for k, name in enumerate(self.sim.state_names)
            if name.startswith(f"{one.block}.held") and name not in sim.state_names
        )
        self.turns = tuple(number for number, _, _ in memory_states)
        self.memory = np.array([k for _, k, _ in memory_states], int)
        self.echoes = tuple(echo for _, _, echo in memory_states)
        self.own = np.setdiff1d(np.arange(len(self.x)), self.memory)
        names = set(sim.state_names)
        self.native = np.array([k for k, name in enumerate(self.sim.state_names) if name in names], int)
        blocks = self.sim.program.flat.blocks.values()
        self.outside = [block for block in blocks if isinstance(block, ContinuousBlock)]
        self.open = memory_cycles(sim.program.flat, self.held)
        self.fill()

    @property
    def held(self) -> list[str]:
        """Blocks whose memories stand still in an analysis."""
        return [sampled.block for sampled in self.sim.program.sampled]

    def rates(self, x: np.ndarray, u: np.ndarray | None = None) -> np.ndarray:
        self._perturb(u)
        try:
            return self.sim.derivative(self.t, x)
        finally:
            self._perturb(None)

    def many(self, points: np.ndarray, outputs: bool = False) -> np.ndarray:
        """f at many points [x, u], one a row, with y behind if wanted; all of them near the present state.

        Those that differ in x alone are evaluated in one call. Closed loops are followed to the present state once, and
        from there to each point.
        """
        n = len(self.x)
        walk_anchor(self.sim.instance, self.t, self.x)
        answers: np.ndarray | None = None
        for u, rows in grouped_inputs(points[:, n:]):
            self._perturb(u if len(u) else None)
            try:
                some = self.sim.instance.many(self.t, points[rows, :n], outputs)
            finally:
                self._perturb(None)
            answers = np.zeros((len(points), some.shape[1])) if answers is None else answers
            answers[rows] = some
        assert answers is not None
        return answers

    def slopes(self, points: np.ndarray, outputs: bool = False, ways: np.ndarray | None = None) -> np.ndarray:
        """Exact derivatives of `many` by x and u, or along a few `ways`, columns of [x, u].

        Raises NoCode, with the reason, where there are none.
        """
        n = len(self.x)
        walk_anchor(self.sim.instance, self.t, self.x)
        answers: dict[int, np.ndarray] = {}
        for u, rows in grouped_inputs(points[:, n:]):
            self._perturb(u if len(u) else None)
            try:
                made, here = jacobian_of(self.sim.instance, outputs), points[rows, :n]
                if ways is None:
                    some, _ = made.jacobians(self.t, here, self._slots)
                else:
                    some = made.along(self.t, here, ways, self._slots)
            finally:
                self._perturb(None)
            answers |= dict(zip(rows.tolist(), some, strict=True))
        return np.array([answers[k] for k in range(len(points))])

    def outputs(self, x: np.ndarray, u: np.ndarray | None = None) -> np.ndarray:
        self._perturb(u)
        try:
            return self.sim.instance.outputs(self.t, np.array(x, float))
        finally:
            self._perturb(None)

    def _perturb(self, u: np.ndarray | None) -> None:
        """Set the perturbations u of the inputs before an evaluation; clear them after it."""
        self._params[self._slots] = 0.0 if u is None else u
        if u is None and self.sim.instance.fault:
            raise RunError(self.sim.program.flat.located(partner_problem(self.sim.instance.fault[0])))

    def go(self, x: np.ndarray) -> None:
        """Move to a state. Closed loops follow on the way, so that they keep the branch on which they stand."""
        target = np.array(x, float)
        for places in (self.native, self.own):
            if target.shape == places.shape != self.x.shape:
                target = self.x.copy()
                target[places] = x
        if target.shape != self.x.shape:
            raise RunError(f"found {target.size} states, expected {self.x.size}", path="x")
        start, done, share = self.x, 0.0, 1.0
        while done < 1.0:
            trial = start + min(done + share, 1.0) * (target - start)
            if np.all(np.isfinite(self.rates(trial))):
                done = min(done + share, 1.0)
                share *= 2.0
                self.settle()
                continue
            share /= 2.0
            if share < SMALLEST_SHARE:
                raise RunError(self._unreachable(trial))
        self.x = target

    def fill(self) -> None:
        """Memories that have seen nothing but this state, one after the other."""
        seen = [k for k in self.memory if not is_self_contained(self.sim.state_names[k])]
        for _ in range(len(seen)):
            change = self.rates(self.x)[seen]
            if not np.all(np.isfinite(change)) or not np.any(change):
                return
            self.x[seen] += change

    def _unreachable(self, x: np.ndarray) -> Problem:
        bad = np.flatnonzero(~np.isfinite(self.rates(x)))
        name, run = self.sim.state_names[bad[0]], self.sim.instance
        idle = massless_words(run, massless_motions(run))
        fix = idle or "choose a state that the model can take"
        return Problem("its rate is not finite at this state", name, fix)

    def settle(self) -> None:
        """Constraints are solved from where the model was evaluated last."""
        if self.sim.program.constraints.rows:
            self.sim.instance.settle()

    def remember(self) -> None:
        """Memories as they are once the model stands at its state."""
        self.sim.instance.update(0, self.t, self.x)


def grouped_inputs(inputs: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The inputs that occur, each with the rows that have them."""
    if not inputs.shape[1]:
        yield np.zeros(0), np.arange(len(inputs))
        return
    values, which = np.unique(inputs, axis=0, return_inverse=True)
    for k, value in enumerate(values):
        yield value, np.flatnonzero(which.ravel() == k)


def sample_counts(sim: Simulation) -> dict[str, int]:
    """Order in which a run writes the memories of the blocks, from 1; those that are read before count last."""
    calls = sim.program.tables["updates"].calls
    operations = [operation for call in calls for operation in call.operations]
    turns: dict[str, int] = {}
    shown: set[str] = set()
    for operation in operations:
        for block, what, *_ in operation.makes:
            if what == "@update part":
                turns.setdefault(block, len(operations) + 1 if block in shown else len(turns) + 1)
            elif not what.startswith("@"):
                shown.add(block)
    return turns


def dependent_names(sim: Simulation) -> tuple[str, ...]:
    """The coordinates that are solved for, where constraints leave only some as states."""
    found: list[str] = []
    for one in sim.program.components:
        names = one.mechanism.coordinate_names()
        found += [names[row] for row in one.data.part[f.DEPENDENT, : one.data.coupling.shape[1]]]
    return tuple(found)


def check_releases(sim: Simulation) -> None:
    """RunError for a model with a release: equilibria and linear models would free what it locks."""
    for name in sim.program.releases:
        mistake = "found a release, whose coordinates are states also while it holds"
        raise RunError(
            Problem(mistake, name, "for a linear model take `fixed` where it holds, `free` where it is open")
        )
