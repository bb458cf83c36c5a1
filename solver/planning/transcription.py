"""A plan as a nonlinear program for IPOPT: objective, constraints and their sparse derivatives.

Variables, in their order: states of each case at all points, controls at the grid's nodes, controls after the end,
durations of the arcs, slacks of an elastic program.
"""

from __future__ import annotations

import numpy as np

from .collocation import (
    INFINITE,
    NODES,
    RADAU,
    Case,
    Evaluated,
    Grid,
    Motion,
    point_times,
    watched_slopes,
    watched_values,
)
from .constraint_rows import Defects, Lift, Rows, SharedParameter, Slack, case_rows
from .lagrangian_hessian import PointHessian


class Transcription:
    """Objective, constraints and their derivatives at vectors of variables v.

    The Jacobian's entries are at `rows`, `columns`, those of the Hessian's lower triangle at `hessian_rows`,
    `hessian_columns`; `low`, `high` bound the constraints, whose sizes are 1 / `row_scale`.
    """

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
        self.x_first = np.cumsum([0, *((self.P + 1) * case.n for case in cases)])
        self.u_first = int(self.x_first[-1])
        self.r_first = self.u_first + self.nodes * self.m
        self.t_first = self.r_first + (self.m if self.rests else 0)
        self.s_first = self.t_first + grid.arcs
        self.lifts = [self._lift(c) for c in range(len(cases))]
        self._structure()
        self._hessian_structure()
        self.lower, self.upper = self._bounds(control_bounds)
        if arc_bounds is not None:
            self.lower[self.t_first : self.s_first], self.upper[self.t_first : self.s_first] = arc_bounds
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
        controls = v[self.u_first : self.r_first].reshape(self.nodes, self.m)
        return Motion(states, controls, v[self.r_first : self.t_first], v[self.t_first : self.s_first])

    def joined(self, motion: Motion) -> np.ndarray:
        """Vector of variables of a motion; slacks are 0."""
        rest = motion.rest[: self.t_first - self.r_first]
        parts = [*(x.ravel() for x in motion.states), motion.controls.ravel(), rest, motion.durations]
        return np.concatenate([*parts, np.zeros(len(self.slacks))])

    def sizes(self, reference: np.ndarray, duration: float) -> np.ndarray:
        """Sizes of the variables, from those of the states, of the controls and of the duration."""
        states = [np.tile(case.scale[: case.n], self.P + 1) for case in self.cases]
        rest = reference if self.rests else np.zeros(0)
        slacks = np.array([slack.size for slack in self.slacks])
        controls = np.tile(reference, self.nodes)
        return np.concatenate([*states, controls, rest, np.full(self.grid.arcs, duration), slacks])

    def _bounds(self, controls: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of the variables: starts, ends and limits of states, controls, durations."""
        lower, upper = np.full(self.size, -INFINITE), np.full(self.size, INFINITE)
        for bound, side in ((lower, "lower"), (upper, "upper")):
            for first, case in zip(self.x_first, self.cases, strict=False):
                rows = bound[first : first + (self.P + 1) * case.n].reshape(self.P + 1, case.n)
                for one in [] if self.elastic else case.limits:
                    if one.place < case.n:
                        rows[1:, one.place] = np.clip(getattr(one, side), -INFINITE, INFINITE)
                for one in [] if self.elastic else case.end:
                    if one.place < case.n:
                        rows[-1, one.place] = getattr(one, side)
                rows[0] = case.x0
                for one in case.free:
                    rows[:, one.place] = getattr(one, side)
        for bound, values in zip((lower, upper), controls, strict=True):
            clipped = np.clip(values, -INFINITE, INFINITE)
            bound[self.u_first : self.r_first] = np.tile(clipped, self.nodes)
            bound[self.r_first : self.t_first] = clipped if self.rests else 0.0
        low, high = self.duration
        lower[self.t_first : self.s_first] = low if self.grid.arcs == 1 else 0.0
        upper[self.t_first : self.s_first] = high
        lower[self.s_first :] = 0.0
        return lower, upper

    def _lift(self, c: int) -> Lift:
        """Map from the variables to the points of a case."""
        n, m, P, N = self.cases[c].n, self.m, self.P, self.N
        interval, within = np.arange(P) // 3, np.tile(NODES, N)
        states = self.x_first[c] + np.arange(P + 1)[:, None] * n + np.arange(n)
        nodes = (
            [(interval, 1.0 - within), (interval + 1, within)] if self.linear else [(interval, np.ones(P))]
        )
        place, weight, column = [np.arange(n)], [np.ones((P, n))], [states[1:]]
        for node, share in nodes:
            place.append(n + np.arange(m))
            weight.append(np.broadcast_to(share[:, None], (P, m)))
            column.append(self.u_first + node[:, None] * m + np.arange(m))
        # at the end: the controls after it, or the last ones
        last = self.r_first if self.rests else self.u_first + (self.nodes - 1) * m
        end = np.concatenate([states[-1], last + np.arange(m)])[None]
        return Lift(np.concatenate(place), np.hstack(weight), np.hstack(column), end, states[:-1:3])

    def path_points(self, motion: Motion, c: int) -> np.ndarray:
        """[x, u] at the points of a case."""
        u = motion.controls
        if self.linear:
            u = (u[:-1, None] * (1.0 - NODES)[:, None] + u[1:, None] * NODES[:, None]).reshape(self.P, self.m)
        else:
            u = np.repeat(u, 3, axis=0)
        return np.hstack([motion.states[c][1:], u])

    def end_point(self, motion: Motion, c: int) -> np.ndarray | None:
        """[x, u] at the end of a case, with the controls after it; None if nothing is wanted there."""
        case = self.cases[c]
        if not (case.rest or case.end):
            return None
        return np.concatenate([motion.states[c][-1], motion.rest if self.rests else motion.controls[-1]])[
            None
        ]

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

    def balance_rows(self, v: np.ndarray, sizes: np.ndarray) -> None:
        """Set the size of each row to at least the largest change that one size of a variable makes in it at v."""
        entries, change = np.empty(len(self.rows)), np.zeros(len(self.low))
        self.jacobian(v, entries)
        np.fmax.at(change, self.rows, abs(entries) * sizes[self.columns])  # a NaN tells nothing
        self.row_scale = 1.0 / np.maximum(1.0 / self.row_scale, change)

    def violations(self, v: np.ndarray) -> np.ndarray:
        """Violations of the rows at v over their sizes; infinite where a value is no number."""
        values = np.empty(len(self.low))
        self.constraints(v, values)
        over = np.maximum(self.low - values, values - self.high) * self.row_scale
        return np.where(np.isfinite(values), np.maximum(over, 0.0), np.inf)

    def worst_row(self, v: np.ndarray) -> str:
        """Name of the row that is violated most at v."""
        row = int(np.argmax(self.violations(v)))
        times = point_times(self.grid.times(self.split(v).durations))[1:]
        for kind, span in zip(self.kinds, self.spans, strict=True):
            if span.start <= row < span.stop:
                case = self.cases[kind.c].name
                return kind.words(row - span.start, times) + (f" in the case {case}" if case else "")
        return "the duration"

    # --- structure ---------------------------------------------------------------------------------------------------

    def _structure(self) -> None:
        """Kinds of rows with the places of their entries; slacks."""
        arc_column = self.t_first + self.grid.arc
        self.kinds: list[Rows] = []
        for c, case in enumerate(self.cases):
            self.kinds += case_rows(c, case, self.lifts[c], self.grid, arc_column, self.elastic)
            for one in case.free if c else []:
                columns = int(self.x_first[c]) + one.place, one.place
                self.kinds.append(SharedParameter(c, *columns, case.scale[one.place], one.name))
        self.slacks: list[Slack] = []
        rows, columns, self.spans, count = [], [], list[slice](), 0
        for kind in self.kinds:
            kind.slack = self.s_first + len(self.slacks)
            self.slacks += kind.slacks
            for row, column in kind.entries():
                r, c = np.broadcast_arrays(count + row, column)
                rows.append(r.ravel())
                columns.append(c.ravel())
            self.spans.append(slice(count, count + len(kind.low)))
            count += len(kind.low)
        low, high = [kind.low for kind in self.kinds], [kind.high for kind in self.kinds]
        scale = [kind.scale for kind in self.kinds]
        if self.grid.arcs > 1:
            columns.append(np.arange(self.t_first, self.s_first))
            rows.append(np.full(self.grid.arcs, count))
            low.append(np.array([self.duration[0]]))
            high.append(np.array([min(self.duration[1], INFINITE)]))
            scale.append(np.ones(1))
        self.rows, self.columns = np.concatenate(rows), np.concatenate(columns)
        self.low, self.high, self.row_scale = map(np.concatenate, (low, high, scale))
        self.size = self.s_first + len(self.slacks)

    def _hessian_structure(self) -> None:
        """Places of the Hessian's lower triangle: blocks of the points and of the ends, rows of the durations."""
        rows, columns, self._lower_part = [], [], list[list[np.ndarray]]()
        arc_column = self.t_first + np.repeat(self.grid.arc, 3)
        for lift in self.lifts:
            kept = []
            for some in (lift.column, lift.end):
                a, b = np.broadcast_arrays(some[:, :, None], some[:, None, :])
                kept.append((a >= b).ravel())
                rows.append(a.ravel()[kept[-1]])
                columns.append(b.ravel()[kept[-1]])
            self._lower_part.append(kept)
            rows.append(np.broadcast_to(arc_column[:, None], lift.column.shape).ravel())
            columns.append(lift.column.ravel())
        self.hessian_rows, self.hessian_columns = np.concatenate(rows), np.concatenate(columns)

    # --- functions for IPOPT -----------------------------------------------------------------------------------------

    def _quantities(self, case: Case, made: Evaluated, places: tuple[int, ...]) -> np.ndarray:
        """Quantities of a term of the cost at the points (P, places)."""
        return np.stack([watched_values(made.path, made.f, case.n, place) for place in places], axis=1)

    def _integrand(self, case: Case, made: Evaluated) -> np.ndarray:
        """Running cost at the points, over the number of cases."""
        terms = [term.value(self._quantities(case, made, term.places)) for term in case.costs]
        return np.sum(terms, axis=0) / len(self.cases)

    def _integrand_slopes(self, case: Case, made: Evaluated) -> np.ndarray:
        """Gradients of the running cost by [x, u]."""
        total = np.zeros(made.path.shape)
        for term in case.costs:
            slopes = term.slopes(self._quantities(case, made, term.places))
            for k, place in enumerate(term.places):
                total += slopes[:, k, None] * watched_slopes(made.path, made.J[0], case.n, place)
        return total / len(self.cases)

    def objective(self, v: np.ndarray) -> float:
        """Weighted duration and integral of the running cost; of an elastic program the sum of slacks over sizes."""
        if self.elastic:
            return float(sum(v[self.s_first + k] / slack.size for k, slack in enumerate(self.slacks)))
        h = np.repeat(self.lengths(v), 3) * np.tile(RADAU[2], self.N)
        cost = self.time_weight * v[self.t_first : self.s_first].sum()
        for case, made in zip(self.cases, self.evaluated(v), strict=True):
            if case.costs:
                cost += h @ self._integrand(case, made)
        return float(cost)

    def gradient(self, v: np.ndarray, out: np.ndarray) -> None:
        """Gradient of the cost."""
        out[:] = 0.0
        self.accepted = v.copy()
        if self.elastic:
            out[self.s_first :] = [1.0 / slack.size for slack in self.slacks]
            return
        out[self.t_first : self.s_first] = self.time_weight
        share = np.repeat(self.grid.share, 3) * np.tile(RADAU[2], self.N)
        h = np.repeat(self.lengths(v), 3) * np.tile(RADAU[2], self.N)
        for lift, case, made in zip(self.lifts, self.cases, self.evaluated(v), strict=True):
            if case.costs:
                slopes = self._integrand_slopes(case, made)[:, lift.place] * lift.weight * h[:, None]
                np.add.at(out, lift.column, slopes)
                arc = self.t_first + np.repeat(self.grid.arc, 3)
                np.add.at(out, arc, share * self._integrand(case, made))

    def constraints(self, v: np.ndarray, out: np.ndarray) -> None:
        """Values of the constraints."""
        made, h, states = self.evaluated(v), self.lengths(v), self.split(v).states
        for kind, span in zip(self.kinds, self.spans, strict=True):
            out[span] = kind.values(made[kind.c], states[kind.c], v, h)
        if self.grid.arcs > 1:
            out[-1] = v[self.t_first : self.s_first].sum()

    def jacobian(self, v: np.ndarray, out: np.ndarray) -> None:
        """Entries of the constraints' Jacobian."""
        made, h = self.evaluated(v), self.lengths(v)
        parts = [part.ravel() for kind in self.kinds for part in kind.slopes(made[kind.c], h)]
        if self.grid.arcs > 1:
            parts.append(np.ones(self.grid.arcs))
        out[:] = np.concatenate(parts)

    def hessian(self, v: np.ndarray, multipliers: np.ndarray, factor: float, out: np.ndarray) -> None:
        """Entries of the Hessian of the Lagrangian."""
        factor = 0.0 if self.elastic else factor
        parts = [
            part for c in range(len(self.cases)) for part in self._case_hessian(c, v, multipliers, factor)
        ]
        out[:] = np.concatenate(parts)

    def _case_hessian(
        self, c: int, v: np.ndarray, multipliers: np.ndarray, factor: float
    ) -> list[np.ndarray]:
        """Blocks of a case at its points, at its end, and beside the durations."""
        case, lift, made, h = self.cases[c], self.lifts[c], self.evaluated(v)[c], self.lengths(v)
        J, J_end = made.J
        omega, omega_end = np.zeros((self.P, J.shape[1])), np.zeros(J_end.shape[1])
        share = np.repeat(self.grid.share, 3)[:, None]
        mixed = np.zeros(made.path.shape)
        for kind, span in zip(self.kinds, self.spans, strict=True):
            if kind.c == c:
                kind.weigh(multipliers[span], omega, omega_end, h)
            if kind.c == c and isinstance(kind, Defects):
                mixed += np.einsum("pn,pnq->pq", kind.per_length(multipliers[span]) * share, J[:, : case.n])
        curved = self._cost_hessian(case, made, factor, h, omega)
        if factor and case.costs:
            mixed += factor * share * np.tile(RADAU[2], self.N)[:, None] * self._integrand_slopes(case, made)
        H = self.hessians[c].along(made.path, J, omega, case.path_signals) + curved
        lifted = H[:, lift.place][:, :, lift.place] * lift.weight[:, :, None] * lift.weight[:, None, :]
        keep, keep_end = self._lower_part[c]
        at_end = np.zeros(keep_end.shape)
        if made.end is not None:
            at_end = self.hessians[c].along(made.end, J_end, omega_end[None], case.needs_end_signals).ravel()
        return [lifted.ravel()[keep], at_end[keep_end], (mixed[:, lift.place] * lift.weight).ravel()]

    def _cost_hessian(
        self, case: Case, made: Evaluated, factor: float, h: np.ndarray, omega: np.ndarray
    ) -> np.ndarray:
        """Products of gradients in the running cost's Hessian; what signals curve is added to the weights omega."""
        q = made.path.shape[1]
        total = np.zeros((self.P, q, q))
        weight = factor * np.repeat(h, 3) * np.tile(RADAU[2], self.N) / len(self.cases)
        for term in case.costs if factor else []:
            values = self._quantities(case, made, term.places)
            slopes, curvature = term.slopes(values), term.curvature(values)
            gradients = [watched_slopes(made.path, made.J[0], case.n, place) for place in term.places]
            for a, place in enumerate(term.places):
                for b in range(len(term.places)):
                    product = gradients[a][:, :, None] * gradients[b][:, None, :]
                    total += (weight * curvature[:, a, b])[:, None, None] * product
                if place >= q:
                    omega[:, case.n + place - q] += weight * slopes[:, a]
        return total
