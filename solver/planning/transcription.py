"""A plan as a nonlinear program: Radau IIA collocation of three points, order 5 (Hairer and Wanner 1996, IV.5).

On the interval k of length h the states at its points c_i follow x_i - x_0 = h sum_j a_ij f(x_j, u_j); the last point is
the first of the next interval. Controls are constant or linear in an interval. Interval lengths are shares of the
durations of arcs, which are variables: one arc is a uniform grid of free or fixed duration, several move their ends.

Variables, in their order: states of each case at all points, controls at the grid's nodes, controls after the end,
durations of the arcs, slacks of an elastic program.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .lagrangian_hessian import PointHessian
from .model_points import ModelPoints

_S = 6.0**0.5
RADAU = np.array(
    [
        [(88 - 7 * _S) / 360, (296 - 169 * _S) / 1800, (-2 + 3 * _S) / 225],
        [(296 + 169 * _S) / 1800, (88 + 7 * _S) / 360, (-2 - 3 * _S) / 225],
        [(16 - _S) / 36, (16 + _S) / 36, 1 / 9],
    ]
)  # a_ij; its last row has the weights b_j of the quadrature
NODES = np.array([(4 - _S) / 10, (4 + _S) / 10, 1.0])  # c_i
INFINITE = 1e20  # bounds beyond which IPOPT sees none


@dataclass
class Grid:
    """Intervals: the arc of each, and its share of the arc's duration."""

    arc: np.ndarray
    share: np.ndarray

    @classmethod
    def uniform(cls, count: int) -> Grid:
        return cls(np.zeros(count, int), np.full(count, 1.0 / count))

    @property
    def count(self) -> int:
        return len(self.arc)

    @property
    def arcs(self) -> int:
        return int(self.arc[-1]) + 1

    def times(self, durations: np.ndarray) -> np.ndarray:
        """Ends of the intervals [s], 0 first."""
        return np.concatenate([[0.0], np.cumsum(durations[self.arc] * self.share)])


@dataclass
class Watched:
    """Quantity of a point by its place in [x, u, y], with its name and bounds."""

    name: str
    place: int
    lower: float = -np.inf
    upper: float = np.inf


@dataclass
class Case:
    """One model that follows the common controls: its start, end, limits and squares in the cost."""

    name: str
    points: ModelPoints
    x0: np.ndarray
    end: list[Watched] = field(default_factory=list)  # lower and upper are the wanted value
    rest: bool = False
    limits: list[Watched] = field(default_factory=list)
    squares: list[tuple[int, float]] = field(default_factory=list)  # place in [x, u, y], weight
    scale: np.ndarray = field(default_factory=lambda: np.zeros(0))  # sizes of [x, u, y]

    @property
    def n(self) -> int:
        return self.points.n

    @property
    def path_signals(self) -> bool:
        """True if signals other than states and controls are needed along the motion."""
        q = self.points.n + self.points.m
        return any(one.place >= q for one in self.limits) or any(place >= q for place, _ in self.squares)

    @property
    def end_signals(self) -> bool:
        """True if signals other than states are needed at the end."""
        return any(one.place >= self.points.n + self.points.m for one in self.end)


@dataclass
class Motion:
    """Values of the variables of a plan: states (points, n) of each case, controls at nodes, after the end, durations."""

    states: list[np.ndarray]
    controls: np.ndarray
    rest: np.ndarray
    durations: np.ndarray


class Evaluated:
    """Values and Jacobians of a case at the points of one iterate; Jacobians when first asked for."""

    def __init__(self, case: Case, path: np.ndarray, end: np.ndarray | None):
        self.case, self.path, self.end = case, path, end
        self.f = case.points.values(path, case.path_signals)
        self.f_end = case.points.values(end, case.end_signals) if end is not None else np.zeros((1, case.n))
        self._J: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def J(self) -> tuple[np.ndarray, np.ndarray]:
        """Jacobians along the path and at the end."""
        if self._J is None:
            case, q = self.case, self.path.shape[1]
            J = case.points.jacobians(self.path, case.path_signals)
            J_end = (
                case.points.jacobians(self.end, case.end_signals)
                if self.end is not None
                else np.zeros((1, case.n, q))
            )
            self._J = J, J_end
        return self._J


def watched_values(z: np.ndarray, f: np.ndarray, n: int, place: int) -> np.ndarray:
    """Quantity at a place of [x, u, y] at all points."""
    q = z.shape[1]
    return z[:, place] if place < q else f[:, n + place - q]


def watched_slopes(z: np.ndarray, J: np.ndarray, n: int, place: int) -> np.ndarray:
    """Its gradients by [x, u] at all points."""
    q = z.shape[1]
    if place >= q:
        return J[:, n + place - q]
    return np.broadcast_to(np.eye(q)[place], z.shape)


class Transcription:
    """Objective, constraints and their sparse derivatives for IPOPT."""

    def __init__(
        self,
        cases: list[Case],
        grid: Grid,
        linear: bool,
        control_bounds: tuple[np.ndarray, np.ndarray],
        duration: tuple[float, float],
        time_weight: float,
        elastic: bool = False,
        arc_bounds: tuple[np.ndarray, np.ndarray] | None = None,
    ):
        self.cases, self.grid, self.linear, self.elastic = cases, grid, linear, elastic
        self.m, self.time_weight, self.duration = cases[0].points.m, time_weight, duration
        self.N, self.P = grid.count, 3 * grid.count
        self.nodes = self.N + 1 if linear else self.N
        self.rests = any(case.rest for case in cases)
        # places of the variables
        self.x_first = np.cumsum([0, *((self.P + 1) * case.n for case in cases)])
        self.u_first = int(self.x_first[-1])
        self.r_first = self.u_first + self.nodes * self.m
        self.t_first = self.r_first + (self.m if self.rests else 0)
        self.s_first = self.t_first + grid.arcs
        self.slacks = self._slack_names() if elastic else []
        self.size = self.s_first + len(self.slacks)
        self._ends: list[np.ndarray] = []  # columns of [x, u] at the end, by case
        self.lower, self.upper = self._bounds(control_bounds)
        if arc_bounds is not None:
            self.lower[self.t_first : self.s_first], self.upper[self.t_first : self.s_first] = arc_bounds
        self.maps = [self._lift(c) for c in range(len(cases))]
        self._structure()
        self.hessians = [PointHessian(case.points, case.scale) for case in cases]
        self._key, self._evaluated = b"", list[Evaluated]()
        self.accepted = np.zeros(0)  # the iterate whose gradient was asked for last

    # --- variables ---------------------------------------------------------------------------------------------------

    def split(self, v: np.ndarray) -> Motion:
        """Motion of a vector of variables."""
        states = [
            v[a:b].reshape(self.P + 1, case.n)
            for a, b, case in zip(self.x_first[:-1], self.x_first[1:], self.cases, strict=True)
        ]
        rest = v[self.r_first : self.t_first]
        return Motion(
            states,
            v[self.u_first : self.r_first].reshape(self.nodes, self.m),
            rest,
            v[self.t_first : self.s_first],
        )

    def joined(self, motion: Motion) -> np.ndarray:
        """Vector of variables of a motion; slacks are 0."""
        parts = [*(x.ravel() for x in motion.states), motion.controls.ravel()]
        parts += [motion.rest[: self.t_first - self.r_first], motion.durations]
        return np.concatenate([*parts, np.zeros(len(self.slacks))])

    def sizes(self, reference: np.ndarray, duration: float) -> np.ndarray:
        """Sizes of the variables, from those of the states, of the controls and of the duration."""
        states = [np.tile(case.scale[: case.n], self.P + 1) for case in self.cases]
        rest = reference if self.rests else np.zeros(0)
        slacks = np.array([size for *_, size in self.slacks])
        controls = np.tile(reference, self.nodes)
        return np.concatenate([*states, controls, rest, np.full(self.grid.arcs, duration), slacks])

    def _bounds(self, controls: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        lower, upper = np.full(self.size, -INFINITE), np.full(self.size, INFINITE)
        for first, case in zip(self.x_first, self.cases, strict=False):
            for bound, side in ((lower, "lower"), (upper, "upper")):
                rows = bound[first : first + (self.P + 1) * case.n].reshape(self.P + 1, case.n)
                if not self.elastic:
                    for one in case.limits:
                        if one.place < case.n:
                            rows[1:, one.place] = np.clip(getattr(one, side), -INFINITE, INFINITE)
                    for one in case.end:
                        if one.place < case.n:
                            rows[-1, one.place] = getattr(one, side)
                rows[0] = case.x0
        for bound, values in zip((lower, upper), controls, strict=True):
            bound[self.u_first : self.r_first] = np.clip(np.tile(values, self.nodes), -INFINITE, INFINITE)
            if self.rests:
                bound[self.r_first : self.t_first] = np.clip(values, -INFINITE, INFINITE)
        low, high = self.duration
        arcs = self.grid.arcs
        lower[self.t_first : self.s_first] = low if arcs == 1 else 0.0
        upper[self.t_first : self.s_first] = high
        lower[self.s_first :] = 0.0
        return lower, upper

    def _lift(self, c: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Entries of z = [x, u] at each point (the end's last) as variables: their place in z, weights, columns."""
        n, m, P = self.cases[c].n, self.m, self.P
        interval, within = np.arange(P) // 3, np.tile(NODES, self.N)
        x_columns = self.x_first[c] + np.arange(1, P + 1)[:, None] * n + np.arange(n)
        nodes = (
            [(interval, 1.0 - within), (interval + 1, within)] if self.linear else [(interval, np.ones(P))]
        )
        place, weights, columns = [np.arange(n)], [np.ones((P, n))], [x_columns]
        for node, weight in nodes:
            place.append(n + np.arange(m))
            weights.append(np.broadcast_to(weight[:, None], (P, m)))
            columns.append(self.u_first + node[:, None] * m + np.arange(m))
        # at the end: the controls after it, or the last ones
        last = self.r_first if self.rests else self.u_first + (self.nodes - 1) * m
        self._ends.append(np.concatenate([x_columns[-1], last + np.arange(m)])[None])
        return np.concatenate(place), np.hstack(weights), np.hstack(columns)

    def path_points(self, motion: Motion, c: int) -> np.ndarray:
        """[x, u] at the points of a case."""
        if self.linear:
            u = (
                motion.controls[:-1, None] * (1.0 - NODES)[:, None]
                + motion.controls[1:, None] * NODES[:, None]
            )
            controls = u.reshape(self.P, self.m)
        else:
            controls = np.repeat(motion.controls, 3, axis=0)
        return np.hstack([motion.states[c][1:], controls])

    def end_point(self, motion: Motion, c: int) -> np.ndarray | None:
        """[x, u] at the end of a case, with the controls after it; None if nothing is asked there."""
        case = self.cases[c]
        if not (case.rest or case.end):
            return None
        u = motion.rest if self.rests else motion.controls[-1]
        return np.concatenate([motion.states[c][-1], u])[None]

    def evaluated(self, v: np.ndarray) -> list[Evaluated]:
        """Values of all cases at an iterate, computed once."""
        key = v[: self.s_first].tobytes()
        if key != self._key:
            motion = self.split(v)
            self._evaluated = [
                Evaluated(case, self.path_points(motion, c), self.end_point(motion, c))
                for c, case in enumerate(self.cases)
            ]
            self._key = key
        return self._evaluated

    def lengths(self, v: np.ndarray) -> np.ndarray:
        """Lengths h_k of the intervals [s]."""
        return v[self.t_first : self.s_first][self.grid.arc] * self.grid.share

    # --- rows --------------------------------------------------------------------------------------------------------

    def _asked_rows(self, case: Case) -> tuple[list[Watched], list[Watched]]:
        """Wanted ends and limits that are rows and not bounds of variables."""
        n = case.n
        ends = [one for one in case.end if self.elastic or one.place >= n]
        limits = [one for one in case.limits if self.elastic or one.place >= n]
        return ends, limits

    def _slack_names(self) -> list[tuple[int, str, str, float]]:
        """Slacks of an elastic program: case, quantity, side and size."""
        found = []
        for c, case in enumerate(self.cases):
            n = case.n
            size = lambda one, case=case: max(case.scale[one.place], 1e-12)  # noqa: E731
            if case.rest:
                rates = case.scale[:n]
                for k, name in enumerate(case.points.state_names):
                    found += [(c, name, side, rates[k]) for side in ("rest above", "rest below")]
            for one in case.end:
                found += [(c, one.name, side, size(one)) for side in ("end above", "end below")]
            for one in case.limits:
                for side in ("lower", "upper"):
                    if np.isfinite(getattr(one, side)):
                        found.append((c, one.name, side, size(one)))
        return found

    def _structure(self) -> None:
        """Rows, columns, bounds and scales of the constraints."""
        rows: list[np.ndarray] = []
        columns: list[np.ndarray] = []
        low: list[np.ndarray] = []
        high: list[np.ndarray] = []
        scale: list[np.ndarray] = []
        count, slack = 0, self.s_first

        def entries(row: np.ndarray, column: np.ndarray) -> None:
            r, c = np.broadcast_arrays(row, column)
            rows.append(r.ravel())
            columns.append(c.ravel())

        arc_column = self.t_first + self.grid.arc
        for c, case in enumerate(self.cases):
            n, N = case.n, self.N
            _, _, cols = self.maps[c]
            cols = cols.reshape(N, 3, -1)
            begin = self.x_first[c] + np.arange(N)[:, None] * 3 * n + np.arange(n)
            for i in range(3):
                base = count + np.arange(N)[:, None] * 3 * n + i * n + np.arange(n)
                for j in range(3):
                    entries(base[:, :, None], cols[:, j, None, :])
                entries(base, cols[:, i, :n])
                entries(base, begin)
                entries(base, arc_column[:, None])
            count += 3 * N * n
            low.append(np.zeros(3 * N * n))
            scale.append(np.tile(1.0 / case.scale[:n], 3 * N))
            high.append(low[-1])
            end_cols = self._ends[c]
            ends, limits = self._asked_rows(case)
            if case.rest:
                entries(count + np.arange(n)[:, None], end_cols)
                if self.elastic:
                    entries(count + np.arange(n)[:, None], slack + np.arange(2 * n).reshape(n, 2))
                    slack += 2 * n
                count += n
                low.append(np.zeros(n))
                high.append(low[-1])
                scale.append(1.0 / case.scale[:n])
            for one in ends:
                entries(np.array([count]), end_cols[0])
                if self.elastic:
                    entries(np.array([count]), slack + np.arange(2))
                    slack += 2
                count += 1
                low.append(np.array([one.lower]))
                high.append(np.array([one.upper]))
                scale.append(np.array([1.0 / case.scale[one.place]]))
            flat_cols = cols.reshape(self.P, -1)
            for one in limits:
                for side in ("both",) if not self.elastic else ("lower", "upper"):
                    if side != "both" and not np.isfinite(getattr(one, side)):
                        continue
                    entries(count + np.arange(self.P)[:, None], flat_cols)
                    if self.elastic:
                        entries(count + np.arange(self.P), np.full(self.P, slack))
                        slack += 1
                    count += self.P
                    lower = one.lower if side != "upper" else -np.inf
                    upper = one.upper if side != "lower" else np.inf
                    low.append(np.full(self.P, np.clip(lower, -INFINITE, INFINITE)))
                    high.append(np.full(self.P, np.clip(upper, -INFINITE, INFINITE)))
                    scale.append(np.full(self.P, 1.0 / case.scale[one.place]))
        if self.grid.arcs > 1:
            entries(np.array([count]), np.arange(self.t_first, self.s_first))
            count += 1
            low.append(np.array([self.duration[0]]))
            high.append(np.array([min(self.duration[1], INFINITE)]))
            scale.append(
                np.array([1.0 / max(self.duration[0], 1e-3)]) if self.duration[0] > 0 else np.ones(1)
            )
        self.rows, self.columns = np.concatenate(rows), np.concatenate(columns)
        self.low, self.high, self.row_scale = map(np.concatenate, (low, high, scale))
        self._hessian_structure()

    def _hessian_structure(self) -> None:
        rows: list[np.ndarray] = []
        columns: list[np.ndarray] = []
        self._lower_part: list[tuple[np.ndarray, np.ndarray]] = []
        arc_column = self.t_first + np.repeat(self.grid.arc, 3)
        for c, _ in enumerate(self.cases):
            _, _, cols = self.maps[c]
            kept = []
            for some in (cols, self._ends[c]):
                a, b = np.broadcast_arrays(some[:, :, None], some[:, None, :])
                keep = (a >= b).ravel()
                rows.append(a.ravel()[keep])
                columns.append(b.ravel()[keep])
                kept.append(keep)
            self._lower_part.append((kept[0], kept[1]))
            rows.append(np.broadcast_to(arc_column[:, None], cols.shape).ravel())
            columns.append(cols.ravel())
        self.hessian_rows, self.hessian_columns = np.concatenate(rows), np.concatenate(columns)

    # --- functions for IPOPT -----------------------------------------------------------------------------------------

    def _integrand(self, case: Case, made: Evaluated) -> np.ndarray:
        """Squares in the cost at the points."""
        total = np.zeros(self.P)
        for place, weight in case.squares:
            total += weight * watched_values(made.path, made.f, case.n, place) ** 2
        return total / len(self.cases)

    def _integrand_slopes(self, case: Case, made: Evaluated) -> np.ndarray:
        """Their gradients by [x, u]."""
        total = np.zeros(made.path.shape)
        for place, weight in case.squares:
            value = watched_values(made.path, made.f, case.n, place)
            total += 2.0 * weight * value[:, None] * watched_slopes(made.path, made.J[0], case.n, place)
        return total / len(self.cases)

    def objective(self, v: np.ndarray) -> float:
        """Cost: weighted duration and integrals of squares; of an elastic program the sum of slacks over sizes."""
        if self.elastic:
            return float(sum(v[self.s_first + k] / size for k, (*_, size) in enumerate(self.slacks)))
        h = np.repeat(self.lengths(v), 3) * np.tile(RADAU[2], self.N)
        cost = self.time_weight * v[self.t_first : self.s_first].sum()
        for case, made in zip(self.cases, self.evaluated(v), strict=True):
            if case.squares:
                cost += h @ self._integrand(case, made)
        return float(cost)

    def gradient(self, v: np.ndarray, out: np.ndarray) -> None:
        """Gradient of the cost."""
        out[:] = 0.0
        self.accepted = v.copy()
        if self.elastic:
            out[self.s_first :] = [1.0 / size for *_, size in self.slacks]
            return
        out[self.t_first : self.s_first] = self.time_weight
        b, share = np.tile(RADAU[2], self.N), np.repeat(self.grid.share, 3)
        h = np.repeat(self.lengths(v), 3) * b
        for c, (case, made) in enumerate(zip(self.cases, self.evaluated(v), strict=True)):
            if not case.squares:
                continue
            place, weights, cols = self.maps[c]
            slopes = self._integrand_slopes(case, made)[:, place] * weights * h[:, None]
            np.add.at(out, cols, slopes)
            np.add.at(
                out, self.t_first + np.repeat(self.grid.arc, 3), share * b * self._integrand(case, made)
            )

    def constraints(self, v: np.ndarray, out: np.ndarray) -> None:
        """Defects of the collocation, rates at rest, wanted ends, limits, total duration."""
        motion, h, parts, slack = self.split(v), self.lengths(v), [], self.s_first
        for c, (case, made) in enumerate(zip(self.cases, self.evaluated(v), strict=True)):
            n, x = case.n, motion.states[c]
            f = made.f[:, :n].reshape(self.N, 3, n)
            step = x[1:].reshape(self.N, 3, n) - x[:-1:3][:, None, :]
            parts.append((step - h[:, None, None] * np.einsum("ij,kjn->kin", RADAU, f)).ravel())
            ends, limits = self._asked_rows(case)
            if case.rest:
                rates = made.f_end[0, :n].copy()
                if self.elastic:
                    rates += v[slack : slack + 2 * n].reshape(n, 2) @ [-1.0, 1.0]
                    slack += 2 * n
                parts.append(rates)
            for one in ends:
                assert made.end is not None
                value = watched_values(made.end, made.f_end, n, one.place).copy()
                if self.elastic:
                    value += v[slack + 1] - v[slack]
                    slack += 2
                parts.append(value)
            for one in limits:
                value = watched_values(made.path, made.f, n, one.place)
                if not self.elastic:
                    parts.append(value)
                    continue
                for side, sign in (("lower", 1.0), ("upper", -1.0)):
                    if np.isfinite(getattr(one, side)):
                        parts.append(value + sign * v[slack])
                        slack += 1
        if self.grid.arcs > 1:
            parts.append(v[self.t_first : self.s_first].sum()[None])
        out[:] = np.concatenate(parts)

    def jacobian(self, v: np.ndarray, out: np.ndarray) -> None:
        """Entries of the constraints' Jacobian at `rows`, `columns`."""
        h, share, parts = self.lengths(v), self.grid.share, []
        for c, (case, made) in enumerate(zip(self.cases, self.evaluated(v), strict=True)):
            n, N = case.n, self.N
            J, J_end = made.J
            place, weights, _ = self.maps[c]
            lifted = (J[:, :n][:, :, place] * weights[:, None, :]).reshape(N, 3, n, -1)
            f = made.f[:, :n].reshape(N, 3, n)
            for i in range(3):
                parts += [(-h[:, None, None] * RADAU[i, j] * lifted[:, j]).ravel() for j in range(3)]
                parts += [np.ones(N * n), -np.ones(N * n)]
                parts.append((-share[:, None] * np.einsum("j,kjn->kn", RADAU[i], f)).ravel())
            ends, limits = self._asked_rows(case)
            if case.rest:
                parts.append(J_end[0, :n].ravel())
                if self.elastic:
                    parts.append(np.tile([-1.0, 1.0], n))
            for one in ends:
                assert made.end is not None
                parts.append(watched_slopes(made.end, J_end, n, one.place).ravel())
                if self.elastic:
                    parts.append(np.array([-1.0, 1.0]))
            for one in limits:
                slopes = (watched_slopes(made.path, J, n, one.place)[:, place] * weights).ravel()
                if not self.elastic:
                    parts.append(slopes)
                    continue
                for side, sign in (("lower", 1.0), ("upper", -1.0)):
                    if np.isfinite(getattr(one, side)):
                        parts += [slopes, np.full(self.P, sign)]
        if self.grid.arcs > 1:
            parts.append(np.ones(self.grid.arcs))
        out[:] = np.concatenate(parts)

    def hessian(self, v: np.ndarray, multipliers: np.ndarray, factor: float, out: np.ndarray) -> None:
        """Lower triangle of the Hessian of the Lagrangian at `hessian_rows`, `hessian_columns`."""
        h, share, b = self.lengths(v), self.grid.share, np.tile(RADAU[2], self.N)
        parts, at = [], 0
        factor = 0.0 if self.elastic else factor
        for c, (case, made) in enumerate(zip(self.cases, self.evaluated(v), strict=True)):
            n, q = case.n, case.n + self.m
            J, J_end = made.J
            place, weights, _ = self.maps[c]
            L = multipliers[at : at + 3 * self.N * n].reshape(self.N, 3, n)
            at += 3 * self.N * n
            per_second = -np.einsum("ij,kin->kjn", RADAU, L).reshape(self.P, n) * np.repeat(share, 3)[:, None]
            durations = np.repeat(v[self.t_first : self.s_first][self.grid.arc], 3)
            omega = np.zeros((self.P, J.shape[1]))
            omega[:, :n] = per_second * durations[:, None]
            omega_end = np.zeros(J_end.shape[1])
            cost_slopes = np.zeros((self.P, q))
            square = np.zeros((self.P, q, q))
            if case.squares and factor:
                weight = factor * np.repeat(h, 3) * b / len(self.cases)
                cost_slopes = factor * (np.repeat(share, 3) * b)[:, None] * self._integrand_slopes(case, made)
                for where, size in case.squares:
                    value = watched_values(made.path, made.f, n, where)
                    slope = watched_slopes(made.path, J, n, where)
                    square += (2.0 * size * weight)[:, None, None] * slope[:, :, None] * slope[:, None, :]
                    if where >= q:
                        omega[:, n + where - q] += 2.0 * size * weight * value
            ends, limits = self._asked_rows(case)
            if case.rest:
                omega_end[:n] += multipliers[at : at + n]
                at += n
            for one in ends:
                if one.place >= q:
                    omega_end[n + one.place - q] += multipliers[at]
                at += 1
            for one in limits:
                sides = (
                    [s for s in ("lower", "upper") if np.isfinite(getattr(one, s))] if self.elastic else [""]
                )
                for _ in sides:
                    if one.place >= q:
                        omega[:, n + one.place - q] += multipliers[at : at + self.P]
                    at += self.P
            H = self.hessians[c].along(made.path, J, omega, case.path_signals) + square
            lifted = H[:, place][:, :, place] * weights[:, :, None] * weights[:, None, :]
            keep, keep_end = self._lower_part[c]
            parts.append(lifted.ravel()[keep])
            if made.end is not None:
                H_end = self.hessians[c].along(made.end, J_end, omega_end[None], case.end_signals)
                parts.append(H_end.ravel()[keep_end])
            else:
                parts.append(np.zeros(int(keep_end.sum())))
            mixed = np.einsum("pn,pnq->pq", per_second, J[:, :n]) + cost_slopes
            parts.append((mixed[:, place] * weights).ravel())
        out[:] = np.concatenate(parts)
