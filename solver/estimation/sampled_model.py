"""A model from one sample to the next, with inputs held, and its derivatives by states, parameters and inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ...blocks.errors import LuffError, Problem
from ...blocks.netlist_inputs import NAME as INPUTS
from ..codegen.jit import NoCode
from ..kernels import model_data as f
from ..planning.model_points import ModelPoints, UnknownSignal, timed_blocks, unknown_signal
from ..program.started_program import Started
from ..simulation.finite_differences import ROUGH
from ..simulation.jacobian import jacobian_of
from ..simulation.parameters import Parameters
from ..simulation.simulation import Simulation

# share of a parameter's size by which it is changed: best for central differences is the cube root of the function's
# relative uncertainty
CHANGE = ROUGH ** (1.0 / 3.0)


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
        self._order = np.argsort(self._inputs)
        self.n, self.m = self.points.n, len(names)
        self.period, self.step = period, sim.settings.step
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
            self._known[key] = self._program_with(p)
        self.points.sim.instance.take(self._known[key])
        self._set = key

    def _program_with(self, p: np.ndarray) -> Started:
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
        changed = self._parameter_differences(p, lambda: self.held(x[None], u[None])[0][0])
        ends, by_x, by_u = self.held(x[None], u[None])
        return ends[0], by_x[0], changed, by_u[0]

    def signals(
        self, x: np.ndarray, p: np.ndarray, u: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Signals, and their derivatives by x and p."""
        changed = self._parameter_differences(p, lambda: self.watched(x[None], u[None])[0][0])
        y, by_x, _ = self.watched(x[None], u[None])
        return y[0], by_x[0], changed

    def held(
        self, x: np.ndarray, u: np.ndarray, duration: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """States after a time (a sample) with inputs held, from each of the rows x, and derivatives by x and u."""
        duration = duration or self.period
        steps = max(1, math.ceil(duration / self.step - 1e-9))
        h, n = duration / steps, self.n
        z = np.hstack([x, u[:, self._order]])
        S = np.broadcast_to(np.eye(n + self.m), (len(x), n + self.m, n + self.m)).copy()
        for _ in range(steps):
            k1, D1 = self._rates(z, S)
            k2, D2 = self._rates(z + 0.5 * h * k1, S + 0.5 * h * D1)
            k3, D3 = self._rates(z + 0.5 * h * k2, S + 0.5 * h * D2)
            k4, D4 = self._rates(z + h * k3, S + h * D3)
            z = z + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
            S = S + h / 6.0 * (D1 + 2.0 * D2 + 2.0 * D3 + D4)
        return z[:, :n], S[:, :n, :n], S[:, :n, n:][:, :, self._inputs]

    def moved(self, x: np.ndarray, u: np.ndarray, duration: float = 0.0) -> np.ndarray:
        """States after a time (a sample) from each of the rows x, with inputs held: `held` without derivatives."""
        duration = duration or self.period
        steps = max(1, math.ceil(duration / self.step - 1e-9))
        h, z = duration / steps, np.hstack([x, u[:, self._order]])

        def rates(z: np.ndarray) -> np.ndarray:
            rate = np.zeros_like(z)
            rate[:, : self.n] = self.points.values(z, False)[:, : self.n]
            return rate

        for _ in range(steps):
            k1 = rates(z)
            k2 = rates(z + 0.5 * h * k1)
            k3 = rates(z + 0.5 * h * k2)
            k4 = rates(z + h * k3)
            z = z + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        return z[:, : self.n]

    def shown(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Signals at each of the rows x and u."""
        return self.points.values(np.hstack([x, u[:, self._order]]), True)[:, self.n :]

    @property
    def signal_count(self) -> int:
        """Number of signals."""
        return len(self.points.signals)

    def watched(self, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Signals at each of the rows x and u, and their derivatives by both."""
        y, J = self._evaluated(np.hstack([x, u[:, self._order]]), True)
        return y, J[:, :, : self.n], J[:, :, self.n :][:, :, self._inputs]

    def _parameter_differences(self, p: np.ndarray, value: Callable[[], np.ndarray]) -> np.ndarray:
        """Central differences of a value by the parameters, which are written into the model."""
        columns = []
        for k in range(len(p)):
            ends, step = [], np.zeros(len(p))
            step[k] = CHANGE * max(abs(p[k]), self._sizes[k])
            for side in (p + step, p - step):
                self.take(side)
                ends.append(value())
            columns.append((ends[0] - ends[1]) / ((p + step)[k] - (p - step)[k]))
        self.take(p)
        return np.stack(columns, axis=1) if columns else np.zeros((len(value()), 0))

    def _rates(self, z: np.ndarray, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rates of [x, u] in each row, and their derivatives along the columns of S."""
        rate, slope = np.zeros_like(z), np.zeros_like(S)
        rate[:, : self.n], J = self._evaluated(z, False)
        slope[:, : self.n] = J @ S
        return rate, slope

    def _evaluated(self, z: np.ndarray, signals: bool) -> tuple[np.ndarray, np.ndarray]:
        """Rates, or signals, at each row [x, u] and their derivatives by it; both come from one evaluation."""
        points = self.points
        if points.exact or points.program.closed:  # no code with derivatives; or loops to be followed
            kept = slice(self.n, None) if signals else slice(self.n)
            return points.values(z, signals)[:, kept], points.jacobians(z, signals)[:, kept]
        rows = points.full(z)
        try:
            slopes, values = jacobian_of(points.sim.instance, signals).jacobians(0.0, rows)
        except NoCode as reason:
            points.exact = str(reason)
            return self._evaluated(z, signals)
        kept = self._columns if signals else points.places[: self.n]
        return values[:, kept], slopes[:, kept][:, :, points.places]


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
        raise LuffError(
            Problem(
                mistake,
                "model",
                "use revolute or universal joints, or spherical ones with coordinates: angles",
            )
        )
