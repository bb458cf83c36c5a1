"""Least of a largest value by sequential linear programs in a trust region (Madsen 1975, J. Inst. Maths Applics 16).

Peaks, ranges and limits are largest values over the rows of a run, rms values norms of them. The rows are linear in the
parameters to first order, so each step is a linear program over all of them; where as many rows as there are parameters
meet in a kink, it converges as Newton's method does. A norm of linear rows is the largest of its tangents: the program
is solved again with the tangent where it ended (Kelley 1960, J. SIAM 8), which makes a step of Gauss and Newton. Limits
that are exceeded cost in proportion (an exact penalty).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
from scipy.sparse import csr_matrix

FIRST, LARGEST = 0.1, 0.5  # of the cube: the trust region at the start, and at most
NEAR = 1e-6  # of the cube: trust region at which a search ends, as the simplex does
GAIN = 1e-9  # of the value at the start: least reduction that a step is taken for
PENALTY, MOST_PENALTY = (
    10.0,
    1e7,
)  # on excesses over their limits' sizes, beside values over that at the start
GOOD, POOR = 0.75, 0.25  # shares of the predicted reduction that widen and narrow the region
ACCEPTED = 1e-3
FINEST = 1e-10  # tolerance of a linear program, the least that HiGHS takes
TANGENTS = 50  # most tangents of a norm in one step
FOUND = 0.1  # share of a step's reduction within which its program is solved; at most GAIN below it

R = TypeVar("R")


@dataclass(frozen=True)
class LargestOf:
    """max over k of c_k + D_k dz."""

    c: np.ndarray
    D: np.ndarray

    @property
    def value(self) -> float:
        return float(self.c.max())

    def at(self, dz: np.ndarray) -> float:
        """Value after a step."""
        return float((self.c + self.D @ dz).max())


class NormOf:
    """|r + D dz|, the norm of rows that are linear in the step."""

    def __init__(self, r: np.ndarray, D: np.ndarray):
        # R of [D r] = Q R has the same norms
        self.R = np.linalg.qr(np.column_stack([D, r]), mode="r")
        self.value = float(np.linalg.norm(r))

    def at(self, dz: np.ndarray) -> float:
        """Value after a step."""
        return float(np.linalg.norm(self.R @ [*dz, 1.0]))

    def tangent(self, dz: np.ndarray) -> LargestOf:
        """Plane that touches it after a step, and is nowhere above it."""
        ahead = self.R @ [*dz, 1.0]
        value = float(np.linalg.norm(ahead))
        slope = self.R[:, :-1].T @ ahead / value if value else np.zeros(len(dz))
        return LargestOf(np.array([value - slope @ dz]), slope[None])


Part = LargestOf | NormOf


@dataclass(frozen=True)
class Bounded:
    """Sum of parts, which is to be at most `limit`; an excess counts over `size`."""

    parts: Sequence[Part]
    limit: float = 0.0
    size: float = 1.0

    @property
    def value(self) -> float:
        return sum(part.value for part in self.parts)

    @property
    def excess(self) -> float:
        return max(0.0, self.value - self.limit) / self.size

    def at(self, dz: np.ndarray) -> float:
        """Value after a step."""
        return sum(part.at(dz) for part in self.parts)

    def excess_at(self, dz: np.ndarray) -> float:
        """Excess after a step."""
        return max(0.0, self.at(dz) - self.limit) / self.size


@dataclass(frozen=True)
class LinearPoint(Generic[R]):
    """Numbers of which the largest is to be small, with limits, at a point of the cube; `made` is what they are of."""

    goals: Sequence[Bounded]
    limits: Sequence[Bounded]
    made: R

    def merit(self, scale: float, penalty: float) -> float:
        """Largest of the numbers over `scale`, with the penalty."""
        return max(one.value for one in self.goals) / scale + penalty * sum(one.excess for one in self.limits)

    def merit_at(self, dz: np.ndarray, scale: float, penalty: float) -> float:
        """`merit` after a step, as the linear rows have it."""
        over = sum(one.excess_at(dz) for one in self.limits)
        return max(one.at(dz) for one in self.goals) / scale + penalty * over


def minimax_search(
    ask: Callable[[np.ndarray], LinearPoint[R] | None],
    begin: np.ndarray,
    most: int,
    tell: Callable[[np.ndarray, LinearPoint[R]], object],
) -> str:
    """Search from a point of the cube; words where it ended early. `tell` hears of each better point.

    `ask` gives None where a run fails or has no derivatives.
    """
    z, here = begin, ask(begin)
    if here is None:
        return "its start has no derivatives"
    tell(z, here)
    scale = max(abs(one.value) for one in here.goals) or 1.0
    radius, penalty, there = FIRST, PENALTY, here
    for _ in range(most - 1):
        step, penalty = _step(here, z, radius, scale, penalty)
        if step is None:
            return "ended where a step's linear program was not solved"
        gain = here.merit(scale, penalty) - step.merit
        if gain <= GAIN and step.most > GAIN and radius >= NEAR:
            # so many tangents have not found where the linear rows are less
            radius = POOR * min(radius, float(abs(step.dz).max()))
            continue
        if gain <= GAIN:
            return ""
        if radius < NEAR:
            return "" if there is not None else "ended beside runs that fail or have no derivatives"
        there = ask(z + step.dz)
        share = -1.0 if there is None else (here.merit(scale, penalty) - there.merit(scale, penalty)) / gain
        size = float(abs(step.dz).max())
        if share > GOOD:
            radius = min(max(radius, 2.0 * size), LARGEST)
        elif not share >= POOR:
            radius = POOR * size
        if there is not None and share > ACCEPTED:
            z, here = z + step.dz, there
            tell(z, here)
    return f"ended after {most} evaluations, before it converged"


@dataclass(frozen=True)
class _Step:
    dz: np.ndarray
    merit: float
    excess: float
    most: float  # bound of the reduction


def _step(
    here: LinearPoint[R], z: np.ndarray, radius: float, scale: float, penalty: float
) -> tuple[_Step | None, float]:
    """Step of a linear program, with a penalty that grows until it brings the excess no further down."""
    step = _program(here, z, radius, scale, penalty)
    while step is not None and step.excess > GAIN and penalty < MOST_PENALTY:
        steeper = _program(here, z, radius, scale, 10.0 * penalty)
        if steeper is None or not steeper.excess < 0.99 * step.excess:
            break
        step, penalty = steeper, 10.0 * penalty
    return step, penalty


def _program(
    here: LinearPoint[R], z: np.ndarray, radius: float, scale: float, penalty: float
) -> _Step | None:
    """Least merit of the linear rows within the trust region and the cube; None where it was not found.

    Norms have their tangents where the programs ended so far, until the next one would not find less.
    """
    norms = [part for one in (*here.goals, *here.limits) for part in one.parts if isinstance(part, NormOf)]
    known = {id(norm): [norm.tangent(np.zeros(len(z)))] for norm in norms}
    now, best = here.merit(scale, penalty), None
    for _ in range(TANGENTS):
        found = _linear_program(here, known, z, radius, scale, penalty)
        if found is None:
            return None
        dz, least, excess = found
        merit = here.merit_at(dz, scale, penalty)
        if best is None or merit < best.merit:
            best = _Step(dz, merit, excess, now - least)
        best = replace(best, most=now - least)
        if not norms or best.merit - least <= max(FOUND * (now - best.merit), 0.5 * GAIN):
            break
        for norm in norms:
            known[id(norm)].append(norm.tangent(dz))
    return best


def _linear_program(
    here: LinearPoint[R],
    known: Mapping[int, Sequence[LargestOf]],
    z: np.ndarray,
    radius: float,
    scale: float,
    penalty: float,
) -> tuple[np.ndarray, float, float] | None:
    """Step, least merit and its excess with the tangents `known` of norms; None where it was not found.

    Variables are dz, one number t above all goals, a number above each part, and an excess of each limit.
    """
    from scipy.optimize import linprog

    n, bounded = len(z), [*here.goals, *here.limits]
    parts = sum(len(one.parts) for one in bounded)
    count = n + 1 + parts + len(here.limits)
    A, b, at = [], [], n + 1
    for k, one in enumerate(bounded):
        total = np.zeros(count)
        for part in one.parts:
            for plane in [part] if isinstance(part, LargestOf) else known[id(part)]:
                rows = np.zeros((len(plane.c), count))
                rows[:, :n], rows[:, at] = plane.D, -1.0
                A.append(rows)
                b.append(-plane.c)
            total[at] = 1.0
            at += 1
        own = k - len(here.goals)
        total[n if own < 0 else n + 1 + parts + own] = -1.0 if own < 0 else -one.size
        A.append(total[None])
        b.append(np.array([0.0 if own < 0 else one.limit]))
    cost = np.zeros(count)
    cost[n], cost[n + 1 + parts :] = 1.0 / scale, penalty
    free = (None, None)
    region = zip(np.maximum(-radius, -z), np.minimum(radius, 1.0 - z), strict=True)
    bounds = [*region, *[free] * (1 + parts), *[(0.0, None)] * len(here.limits)]
    found = linprog(
        cost, A_ub=csr_matrix(np.vstack(A)), b_ub=np.concatenate(b), bounds=bounds, method="highs",
        options={"primal_feasibility_tolerance": FINEST, "dual_feasibility_tolerance": FINEST},
    )  # fmt: skip
    if found.x is None:
        return None
    dz = np.clip(found.x[:n], np.maximum(-radius, -z), np.minimum(radius, 1.0 - z))
    return dz, float(found.fun), float(found.x[n + 1 + parts :].sum())


def at_most(metric: str, y: np.ndarray, dy: np.ndarray, weights: np.ndarray) -> list[LargestOf]:
    """Parts whose sum is the metric of rows y, and no less than it beside; dy are (rows, unknowns).

    `weights` are those of the mean. Of a least value the row that has it now is taken, which bounds it from above.
    """
    low, high = int(np.argmin(y)), int(np.argmax(y))
    if metric in ("final", "initial"):
        k = -1 if metric == "final" else 0
        return [LargestOf(y[k : k + 1 or None], dy[k : k + 1 or None])]
    if metric == "change":
        return [LargestOf(y[-1:] - y[:1], dy[-1:] - dy[:1])]
    if metric == "mean":
        return [LargestOf((weights @ y)[None], (weights @ dy)[None])]
    if metric == "minimum":
        return [LargestOf(y[low : low + 1], dy[low : low + 1])]
    if metric == "peak":
        return [LargestOf(np.concatenate([y, -y]), np.concatenate([dy, -dy]))]
    above = LargestOf(y, dy)
    return [above, LargestOf(-y, -dy)] if metric == "range" and high != low else [above]


def at_least(metric: str, y: np.ndarray, dy: np.ndarray, weights: np.ndarray) -> list[LargestOf]:
    """Parts whose sum is the negative metric of rows y, and no less than it beside."""
    if metric == "maximum":
        return at_most("minimum", -y, -dy, weights)
    if metric == "minimum":
        return at_most("maximum", -y, -dy, weights)
    if metric == "peak":
        k = int(np.argmax(abs(y)))
        sign = -np.sign(y[k]) or -1.0
        return [LargestOf(sign * y[k : k + 1], sign * dy[k : k + 1])]
    if metric == "range":
        return [*at_most("minimum", -y, -dy, weights), *at_most("minimum", y, dy, weights)]
    return at_most(metric, -y, -dy, weights)


def mean_weights(time: np.ndarray) -> np.ndarray:
    """Weights of rows in their mean over time, by trapezia."""
    if len(time) < 2 or not time[-1] > time[0]:
        return np.full(len(time), 1.0 / max(1, len(time)))
    half = 0.5 * np.diff(time) / (time[-1] - time[0])
    return np.concatenate([half, [0.0]]) + np.concatenate([[0.0], half])


ROWS = (
    "final",
    "initial",
    "change",
    "mean",
    "maximum",
    "minimum",
    "peak",
    "range",
)  # metrics that are such parts
