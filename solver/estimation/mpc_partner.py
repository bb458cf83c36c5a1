"""Partner of the block `mpc`: one Gauss-Newton step of a multiple-shooting problem each sample."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import numpy as np

from ...blocks.errors import LuffError, Problem
from ...blocks.external_block import ModelBlock
from ...blocks.foreign.mpc import Mpc
from ..simulation.simulation import Simulation
from .model_of_block import check_units, model_of
from .quadratic_program import solve_quadratic
from .sampled_model import SampledModel

FIRST = 20  # Gauss-Newton steps at the first sample, where nothing is known
# Weight c [s] of a limit's excess s over its size in the cost, c (s + s^2 / 2): a limit that can be kept is exceeded
# where its multiplier is above c. A followed signal costs 1/2 a second at its largest deviation.
EXCESS = 1e4


def open_partner(block: ModelBlock) -> MpcPartner:
    """Compile the model of a predictive controller."""
    assert isinstance(block, Mpc)
    return model_of(block, lambda sim: MpcPartner(block, sim))


class MpcPartner:
    """Plan of nodes X and inputs U over the horizon, moved on and improved at each sample."""

    def __init__(self, block: Mpc, sim: Simulation):
        self.block = block
        entries = {"commands": ("input", block.commands), "follow": ("signal", block.follow)}
        check_units(sim, entries | {"limits": ("signal", block.limits)})
        signals = list(dict.fromkeys(one.signal for one in (*block.follow, *block.limits)))
        self.model = SampledModel(
            sim, [one.input for one in block.commands], signals, [], block.step, np.zeros(0)
        )
        names, self.n, self.m = self.model.state_names, self.model.n, self.model.m
        if {*names} != {*block.order}:
            mistake = f"found {', '.join(block.order)}, expected all states of the model"
            raise LuffError(Problem(mistake, "order", f"its states are {', '.join(names)}"))
        self._order = [block.order.index(name) for name in names]
        self._followed = [signals.index(one.signal) for one in block.follow]
        self._limited = [signals.index(one.signal) for one in block.limits]
        self.interval = block.horizon / block.intervals
        self._weights = np.array([one.deviation for one in block.follow], float) ** -2.0
        self._effort = np.array([one.deviation for one in block.commands], float) ** -2.0
        self.lower = np.array([-np.inf if one.lower is None else one.lower for one in block.commands])
        self.upper = np.array([np.inf if one.upper is None else one.upper for one in block.commands])
        self._rate = np.array([np.inf if one.rate is None else one.rate for one in block.commands])
        self._least = np.array([-np.inf if one.lower is None else one.lower for one in block.limits])
        self._most = np.array([np.inf if one.upper is None else one.upper for one in block.limits])
        bounds = np.where(np.isfinite([self._least, self._most]), [self._least, self._most], 0.0)
        deviations = {one.signal: float(one.deviation) for one in block.follow}
        sizes = zip(block.limits, abs(bounds).max(axis=0, initial=0.0).tolist(), strict=True)
        self._size = np.array([size or deviations.get(one.signal, 1.0) for one, size in sizes])
        self.default = self.model.initial_inputs()
        self.u = np.clip(self.default, self.lower, self.upper)
        self.U = np.tile(self.u, (block.intervals, 1))
        self.X = np.tile(self.model.points.x0[: self.n], (block.intervals + 1, 1))
        self.slack, self.gap, self.duration, self._begun = 0.0, 0.0, 0.0, False

    def outputs(self, t: float) -> Sequence[float]:
        """Inputs from t on, with what the plan exceeds, its gap, and the time that it took."""
        self.u = np.clip(self.U[0], self.lower, self.upper) if self._begun else self.u
        return [*self.u, self.slack, self.gap, self.duration]

    def inputs(self, t: float, values: Sequence[float]) -> None:
        """Plan for the next sample, from the state predicted for it."""
        began = perf_counter()
        given = np.array(values)
        x, target = given[: self.n][self._order], given[self.n :]
        ahead = self.model.moved(x[None], self.u[None])[0]
        if not self._begun:
            self.X[:] = ahead
        else:
            self._shift_plan()
        for _ in range(1 if self._begun else FIRST):
            self._gauss_newton_step(ahead, target)
        self._begun = True
        self.duration = perf_counter() - began

    def _shift_plan(self) -> None:
        """Move the plan on by a sample, by interpolation along it."""
        share = min(1.0, self.block.step / self.interval)
        self.U[:-1] += share * (self.U[1:] - self.U[:-1])
        self.X[:-1] += share * (self.X[1:] - self.X[:-1])
        end = self.model.moved(self.X[-2:-1], self.U[-1:], self.interval)[0]
        self.X[-1] += share * (end - self.X[-1])

    def _gauss_newton_step(self, x: np.ndarray, target: np.ndarray) -> None:
        """One Gauss-Newton step with all bounds, condensed to the inputs (Bock and Plitt 1984)."""
        N, n, m = self.block.intervals, self.n, self.m
        ends, A, B = self.model.held(self.X[:-1], self.U, self.interval)
        gaps = ends - self.X[1:]
        # deviations of the nodes: base + way @ (deviations of all inputs)
        base, way = np.zeros((N + 1, n)), np.zeros((N + 1, n, N * m))
        base[0] = x - self.X[0]
        for k in range(N):
            base[k + 1] = A[k] @ base[k] + gaps[k]
            way[k + 1] = A[k] @ way[k]
            way[k + 1][:, k * m : (k + 1) * m] += B[k]
        y, C, D = self.model.watched(self.X[1:], self.U)
        moved = y + np.einsum("kij,kj->ki", C, base[1:])
        slopes = C @ way[1:]
        for k in range(N):
            slopes[k][:, k * m : (k + 1) * m] += D[k]
        H, g = self._cost(moved, slopes, target)
        # slacks of the order of one: over what is exceeded without a change, where that is more than the size
        limited = moved[:, self._limited]
        excess = np.maximum(limited - self._most, self._least - limited).max(axis=0, initial=0.0)
        room = np.maximum(self._size, excess)
        G, h = self._bounds(moved, slopes, room)
        found = solve_quadratic(H, g, G, h, self.block.iterations)
        if not np.isfinite(found).all():
            raise LuffError(
                Problem("the plan left all numbers", "model", "a shorter horizon, or more intervals")
            )
        change = found[: N * m]
        self.U = np.clip(self.U + change.reshape(N, m), self.lower, self.upper)
        self.X = self.X + base + way @ change
        self.slack = float((found[N * m :] * room / self._size).max(initial=0.0))
        size = np.maximum(abs(self.X).max(axis=0), 1.0)
        self.gap = float((abs(gaps) / size).max(initial=0.0))

    def _cost(
        self, moved: np.ndarray, slopes: np.ndarray, target: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Hessian and gradient of the cost by all inputs and slacks."""
        N, m, extra = self.block.intervals, self.m, len(self._limited)
        H, g = np.zeros((N * m + extra,) * 2), np.zeros(N * m + extra)
        times = np.full(N, self.interval)
        times[-1] += self.block.final
        weights = (times[:, None] * self._weights).ravel()
        J = slopes[:, self._followed].reshape(-1, N * m)
        away = (moved[:, self._followed] - target).ravel()
        H[: N * m, : N * m] = (J.T * weights) @ J
        g[: N * m] = J.T @ (weights * away)
        effort = np.tile(self.interval * self._effort, N)
        H[np.arange(N * m), np.arange(N * m)] += effort
        g[: N * m] += effort * (self.U - self.default).ravel()
        own = np.arange(N * m, N * m + extra)
        H[own, own], g[own] = EXCESS, EXCESS
        return H, g

    def _bounds(
        self, moved: np.ndarray, slopes: np.ndarray, room: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rows G and h of G [dU, slack] <= h: bounds and rates of inputs, limits of signals, slacks above zero.

        Slacks are excesses over `room`.
        """
        N, m, extra = self.block.intervals, self.m, len(self._limited)
        one, many = np.eye(N * m, N * m + extra), []
        U = self.U.ravel()
        many += [(one, np.tile(self.upper, N) - U), (-one, U - np.tile(self.lower, N))]
        before = np.vstack([np.zeros((m, N * m + extra)), one[:-m]])
        times = np.repeat([self.block.step, *[self.interval] * (N - 1)], m)
        change, last = one - before, U - np.concatenate([self.u, U[:-m]])
        many += [(way * change, times * np.tile(self._rate, N) - way * last) for way in (1.0, -1.0)]
        for k, at in enumerate(self._limited):
            rows = np.zeros((N, N * m + extra))
            rows[:, : N * m] = slopes[:, at]
            excess = np.zeros_like(rows)
            excess[:, N * m + k] = room[k]
            many.append((rows - excess, self._most[k] - moved[:, at]))
            many.append((-rows - excess, moved[:, at] - self._least[k]))
        slack = np.zeros((extra, N * m + extra))
        slack[np.arange(extra), N * m + np.arange(extra)] = -1.0
        many.append((slack, np.zeros(extra)))
        G, h = np.vstack([rows for rows, _ in many]), np.concatenate([ends for _, ends in many])
        kept = np.isfinite(h)
        return G[kept], h[kept]

    def close(self) -> None:
        """Nothing to end."""
