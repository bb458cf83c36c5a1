"""A model from one sample to the next, with inputs held, and its derivatives by states, parameters and inputs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...blocks.errors import LuffError, Problem
from ...blocks.netlist_inputs import NAME as INPUTS
from ..codegen.jit import NoCode
from ..kernels import model_data as f
from ..planning.model_points import ModelPoints, UnknownSignal, timed_blocks, unknown_signal
from ..program.started_program import Started
from ..simulation.constraint_state import walk_anchor
from ..simulation.jacobian import jacobian_of
from ..simulation.parameters import Parameters
from ..simulation.simulation import Simulation

CHANGE = 1e-4  # share of a parameter's size by which it is changed for a central difference


class SampledModel:
    """x[k+1] = F(x[k], p, u[k]) by Runge-Kutta steps of order 4, and signals y = h(x, p, u), of an autonomous model.

    Derivatives by states and inputs are those of these steps, by exact ones of the rates; by parameters p they are
    central differences of the whole map.
    """

    def __init__(
        self,
        sim: Simulation,
        inputs: Sequence[str],
        signals: Sequence[str],
        parameters: Sequence[str],
        period: float,
        sizes: np.ndarray,
    ):
        self.sim, self.parameters = sim, list(parameters)
        check_inputs(sim, inputs)
        names = list(dict.fromkeys(inputs))
        try:
            self.points = ModelPoints(sim, names, signals)
        except UnknownSignal as error:
            raise unknown_signal(sim, str(error), "") from None
        check_autonomous(self.points, sim)
        # the program has inputs in its own order
        self._inputs = [self.points.control_names.index(name) for name in names]
        self.n, self.m = self.points.n, len(names)
        steps = max(1, math.ceil(period / sim.settings.step - 1e-9))
        self._step, self._steps = period / steps, steps
        self._sizes = sizes
        recorded = [column.name for column in self.points.program.columns]
        self._columns = [self.n + self.m + recorded.index(name) for name in self.points.signals]
        self._numbers = Parameters(self.points.sim.program)
        self._known: dict[bytes, Started] = {}  # programs of the last parameters
        self._set = b""

    @property
    def state_names(self) -> list[str]:
        """Names of the states."""
        return self.points.state_names

    def initial_inputs(self) -> np.ndarray:
        """Defaults of the inputs."""
        return self.points.x0[self.n :][self._inputs]

    def take(self, p: np.ndarray) -> None:
        """Write parameters into the model."""
        key = p.tobytes()
        if not len(p) or key == self._set:
            return
        if key not in self._known:
            while len(self._known) > 4 * len(p) + 2:
                del self._known[next(iter(self._known))]
            self._known[key] = self._with(p)
        self.points.sim.instance.take(self._known[key])
        self._set = key

    def _with(self, p: np.ndarray) -> Started:
        """Program of the model with these parameters."""
        changes, sim = dict(zip(self.parameters, p.tolist(), strict=True)), self.points.sim
        new = self._numbers.with_values(sim.diagram, sim.overrides, changes, begun=False)
        if new is None:
            words = ", ".join(f"{name} = {value:.6g}" for name, value in changes.items())
            mistake = f"the model cannot take {words}, or changes its form with it"
            raise LuffError(Problem(mistake, "parameters", "give bounds, or estimate another number"))
        return new

    def advance(
        self, x: np.ndarray, p: np.ndarray, u: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """State at the next sample, and its derivatives by x, p and u."""
        changed = [(self._end(x, up, u) - self._end(x, down, u)) / gap for up, down, gap in self._around(p)]
        self.take(p)
        z, S = self._point(x, u), np.eye(self.n + self.m)
        h = self._step
        for _ in range(self._steps):
            k1, D1 = self._rates(z, S)
            k2, D2 = self._rates(z + 0.5 * h * k1, S + 0.5 * h * D1)
            k3, D3 = self._rates(z + 0.5 * h * k2, S + 0.5 * h * D2)
            k4, D4 = self._rates(z + h * k3, S + h * D3)
            z = z + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
            S = S + h / 6.0 * (D1 + 2.0 * D2 + 2.0 * D3 + D4)
        n = self.n
        return (
            z[:n],
            S[:n, :n],
            np.stack(changed, axis=1) if changed else np.zeros((n, 0)),
            S[:n, n:][:, self._inputs],
        )

    def signals(
        self, x: np.ndarray, p: np.ndarray, u: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Signals, and their derivatives by x and p."""
        z = self._point(x, u)
        changed = []
        for up, down, gap in self._around(p):
            ends = []
            for one in (up, down):
                self.take(one)
                ends.append(self._evaluated(z, True)[0])
            changed.append((ends[0] - ends[1]) / gap)
        self.take(p)
        y, H = self._evaluated(z, True)
        return y, H[:, : self.n], np.stack(changed, axis=1) if changed else np.zeros((len(y), 0))

    def _point(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """[x, u], inputs in the order of the program."""
        z = np.concatenate([x, np.zeros(self.m)])
        z[self.n + np.array(self._inputs, int)] = u
        return z

    def _around(self, p: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, float]]:
        """Parameters above and below for central differences, and their distance."""
        found = []
        for k, value in enumerate(p):
            change = CHANGE * max(abs(value), self._sizes[k])
            up, down = p.copy(), p.copy()
            up[k], down[k] = value + change, value - change
            found.append((up, down, up[k] - down[k]))
        return found

    def _rates(self, z: np.ndarray, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rates of [x, u], and their derivatives along the columns of S."""
        rate, slope = np.zeros(len(z)), np.zeros_like(S)
        rate[: self.n], J = self._evaluated(z, False)
        slope[: self.n] = J @ S
        return rate, slope

    def _end(self, x: np.ndarray, p: np.ndarray, u: np.ndarray) -> np.ndarray:
        """State at the next sample."""
        self.take(p)
        z, h, n = self._point(x, u), self._step, self.n

        def f(z: np.ndarray) -> np.ndarray:
            rate = np.zeros(len(z))
            rate[:n] = self._evaluated(z, False)[0]
            return rate

        for _ in range(self._steps):
            k1 = f(z)
            k2 = f(z + 0.5 * h * k1)
            k3 = f(z + 0.5 * h * k2)
            z = z + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + f(z + h * k3))
        return z[:n]

    def _evaluated(self, z: np.ndarray, signals: bool) -> tuple[np.ndarray, np.ndarray]:
        """Rates, or signals, at [x, u] and their derivatives by it; both come from one evaluation."""
        points, rows = self.points, self.points.full(z[None])
        if points.exact:  # or why there is no code with derivatives
            kept = slice(self.n, None) if signals else slice(self.n)
            return points.values(z[None], signals)[0, kept], points.jacobians(z[None], signals)[0, kept]
        instance = points.sim.instance
        walk_anchor(instance, 0.0, rows[0])
        try:
            slopes, values = jacobian_of(instance, signals).jacobians(0.0, rows)
        except NoCode as reason:
            points.exact = str(reason)
            return self._evaluated(z, signals)
        kept = self._columns if signals else points.places[: self.n]
        return values[0, kept], slopes[0, kept][:, points.places]


def check_inputs(sim: Simulation, inputs: Sequence[str]) -> None:
    """LuffError for a name that is no input of width 1."""
    known = sim.inputs
    for name in inputs:
        if name not in known:
            message = f"the model has no input {name} of width 1"
            raise LuffError(Problem(message, "inputs", f"it has {', '.join(known) or 'none'}"))


def check_autonomous(points: ModelPoints, sim: Simulation) -> None:
    """LuffError for a model that depends on the time, or keeps memories between steps."""
    timed = [label for label in timed_blocks(points.program) if label]
    if timed:
        fix = "give it by an input, or take it out (enabled: false)"
        raise LuffError(Problem(f"{timed[0]} depends on the time, which this model must not", "model", fix))
    held = [one.block for one in sim.program.sampled if one.block != INPUTS]
    if held:
        mistake = f"{held[0]} keeps memories, and the model has to be one of states alone"
        raise LuffError(Problem(mistake, "model", "leave samplers and controllers out of it"))
    if (sim.program.model.state[:, f.ST_KIND] == f.QUAT_STATE).any():
        mistake = "found a joint whose attitude is a quaternion, which has no covariance of its own"
        raise LuffError(Problem(mistake, "model", "use revolute or universal joints in the model"))
