"""Limits that hold a motion back: the times at which they do, and what a looser one would gain.

With the Lagrangian f + lambda g - z_L (v - v_L) - z_U (v_U - v) the cost changes by -z_U with an upper bound and by z_L
with a lower one. A bound is active where its multiplier over the cost exceeds its slack, both over the sizes of their
variables (the indicator of El-Bakry, Tapia and Zhang 1994): at the end of the search their product is the barrier
parameter, so that one of both is small.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .collocation import INFINITE, Watched, point_times, watched_values
from .constraint_rows import PathLimit
from .interior_point import Solution
from .plan_problem import PlanProblem
from .transcription import Transcription

SIDES = ("lower", "upper")


@dataclass
class ActiveLimit:
    """A bound that holds the motion back.

    `spans` are the times [s] at which it does; `multiplier` is the decrease of the cost for one SI unit by which the
    bound is looser.
    """

    name: str
    side: str
    bound: float
    unit: str
    spans: list[tuple[float, float]]
    multiplier: float
    case: str = ""

    @property
    def gain(self) -> float:
        """Decrease of the cost for a bound that is looser by 1 % of itself."""
        return 0.01 * abs(self.bound) * self.multiplier

    def words(self, cost_unit: str) -> str:
        """Name, times and gain in a line."""
        unit = f" {self.unit}" if self.unit else ""
        text = f"{self.name} at its {self.side} limit of {self.bound:.5g}{unit}"
        if self.spans:
            text += f" {spans_in_words(self.spans)}"
        text += f" in the case {self.case}" if self.case else ""
        return f"{text}; 1 % more would save {self.gain:.3g} {cost_unit}".rstrip()


def spans_in_words(spans: list[tuple[float, float]]) -> str:
    """Spans of time: from 3.1 to 7.4 s."""
    parts = [f"from {a:.3g} to {b:.3g} s" for a, b in spans[:4]]
    more = f" and {len(spans) - 4} more" if len(spans) > 4 else ""
    return ", ".join(parts) + more


def active_limits(problem: PlanProblem, nlp: Transcription, solution: Solution) -> list[ActiveLimit]:
    """Active bounds of controls, states, signals and duration, those of the largest gain first."""
    motion, found = nlp.split(solution.v), list[ActiveLimit]()
    times = nlp.grid.times(motion.durations)
    sizes = nlp.sizes(problem.reference, float(motion.durations.sum()))
    units = problem.unit
    gap = float(np.max(np.diff(times)))  # the grid tells no shorter ones

    def note(
        name: str, side: str, bound: float, multiplier: np.ndarray, on: np.ndarray,
        begins: np.ndarray, ends: np.ndarray, case: str = "",
    ) -> None:  # fmt: skip
        if np.isfinite(bound) and on.any():
            spans = merged(begins[on], ends[on], gap)
            unit = units.get(name, units.get(name.partition("[")[0], ""))
            found.append(
                ActiveLimit(name, side, float(bound), unit, spans, float(multiplier[on].sum()), case)
            )

    # controls, over the intervals of their nodes
    place = np.arange(nlp.u_first, nlp.r_first).reshape(nlp.nodes, nlp.m)
    edges = times if not nlp.linear else np.concatenate([[0.0], 0.5 * (times[1:] + times[:-1]), times[-1:]])
    for k, name in enumerate(problem.controls):
        at = place[:, k]
        for side, bounds, duals in _sides(problem.lower, problem.upper, solution):
            on = indicated(solution, solution.v[at], bounds[k], duals[at], sizes[at])
            note(name, side, bounds[k], duals[at], on, edges[:-1], edges[1:])
    points = point_times(times)
    before, after = points[:-1], np.append(points[2:], points[-1])
    for c, case in enumerate(nlp.cases):
        for one in case.limits:
            value, duals = _along_path(nlp, solution, c, one)
            size = np.full(nlp.P, case.scale[one.place])
            for side in SIDES:
                bound = getattr(one, side)
                on = indicated(solution, value, bound, duals[side], size)
                note(one.name, side, bound, duals[side], on, before, after, case.name)
        for one in case.free:
            at = nlp.x_first[c] + np.arange(nlp.P + 1) * case.n + one.place
            for side, duals in (("lower", solution.lower_multipliers), ("upper", solution.upper_multipliers)):
                bound, total = getattr(one, side), duals[at].sum(keepdims=True)
                on = indicated(solution, solution.v[at[:1]], bound, total, sizes[at[:1]])
                note(one.name, side, bound, total, on, times[:1], times[-1:], case.name)
    found.sort(key=lambda one: -one.gain)
    return found


def _along_path(
    nlp: Transcription, solution: Solution, c: int, one: Watched
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Values of a limited quantity at the points, and the multipliers of both bounds."""
    n = nlp.cases[c].n
    if one.place < n:
        at = nlp.x_first[c] + np.arange(1, nlp.P + 1) * n + one.place
        duals = {"lower": solution.lower_multipliers[at], "upper": solution.upper_multipliers[at]}
        return solution.v[at], duals
    made = nlp.evaluated(solution.v)[c]
    span = next(
        span
        for kind, span in zip(nlp.kinds, nlp.spans, strict=True)
        if isinstance(kind, PathLimit) and kind.c == c and kind.one is one
    )
    both = solution.multipliers[span]
    duals = {"lower": np.maximum(-both, 0.0), "upper": np.maximum(both, 0.0)}
    return watched_values(made.path, made.f, n, one.place), duals


def indicated(
    solution: Solution, value: np.ndarray, bound: np.ndarray | float, multiplier: np.ndarray, size: np.ndarray
) -> np.ndarray:
    """True where the multiplier over the cost exceeds the slack, both over the sizes of their quantities."""
    cost = max(abs(solution.cost), 1e-12)
    return np.isfinite(bound) & (multiplier * size / cost > abs(value - bound) / size)


def is_active(solution: Solution, bound: np.ndarray, multiplier: np.ndarray, size: np.ndarray) -> np.ndarray:
    """True for variables whose bounds are active."""
    return (abs(bound) < INFINITE) & indicated(solution, solution.v, bound, multiplier, size)


def _sides(
    lower: np.ndarray, upper: np.ndarray, solution: Solution
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    yield "lower", lower, solution.lower_multipliers
    yield "upper", upper, solution.upper_multipliers


def merged(begins: np.ndarray, ends: np.ndarray, gap: float) -> list[tuple[float, float]]:
    """Spans as one that overlap, touch, or are no farther apart than `gap` [s]."""
    spans: list[tuple[float, float]] = []
    for a, b in zip(begins.tolist(), ends.tolist(), strict=True):
        if spans and a <= spans[-1][1] + gap:
            spans[-1] = (spans[-1][0], max(b, spans[-1][1]))
        else:
            spans.append((a, b))
    return spans
