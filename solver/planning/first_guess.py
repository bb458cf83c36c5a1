"""First guess of a motion: smooth from start to end, with the rates and the duration that this takes."""

from __future__ import annotations

import numpy as np

from .collocation import Case, Grid, Motion, point_times
from .nearest_state import nearest_state
from .plan_problem import PlanProblem

UNBOUNDED = 10.0  # [s] duration where nothing says how long the motion may take
MOVED = 1e-9  # share of a state's size beyond which it moves
SLACK = 1.2  # guessed duration over the one that the limits allow on a smooth way


def first_guess(problem: PlanProblem, grid: Grid) -> Motion:
    """Motion along s^2 (3 - 2 s) from start to end; 16 s^2 (1 - s)^2 leads it by what is wanted half-way."""
    rates = [_average_rates(case, z) for case, z in zip(problem.cases, problem.end_points, strict=True)]
    T = _duration(problem, [r for r, _ in rates], [u for _, u in rates])
    s = point_times(np.linspace(0.0, 1.0, grid.count + 1))
    way, slope = s * s * (3.0 - 2.0 * s), 6.0 * s * (1.0 - s)
    bump, bump_slope = 16.0 * (s - s * s) ** 2, 32.0 * (s - s * s) * (1.0 - 2.0 * s)
    states = []
    for case, z, (rate, _) in zip(problem.cases, problem.end_points, rates, strict=True):
        x0, xf = case.x0, z[: case.n]
        x = x0 + way[:, None] * (xf - x0) + slope[:, None] * rate / T
        if case.half_way:
            aside, its_rate = _halfway_distance(case, 0.5 * (x0 + xf), z)
            x += bump[:, None] * aside + bump_slope[:, None] * its_rate / T
        states.append(x)
    start = problem.cases[0].points.x0[problem.cases[0].n :]
    end = problem.end_points[0][problem.cases[0].n :]
    nodes = grid.count + 1 if problem.linear else grid.count
    share = np.linspace(0.0, 1.0, nodes)[:, None]
    controls = np.clip(start + share * (end - start), problem.lower, problem.upper)
    return Motion(states, controls, np.clip(end, problem.lower, problem.upper), np.full(1, T))


def _halfway_distance(case: Case, middle: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distance of what is wanted half-way from the middle of start and end, and the rates for it in one second."""
    n, points = case.n, case.points
    z = np.concatenate([middle, end[n:]])
    found, _ = nearest_state(points, z, case.half_way, False, np.arange(points.native))
    aside = found[:n] - middle
    return aside, _rates_for(case, z, aside)[0]


def _average_rates(case: Case, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """States that have to be moved for the others to get to the end in one second, and the controls for these."""
    n = case.n
    return _rates_for(case, np.concatenate([0.5 * (case.x0 + z[:n]), z[n:]]), z[:n] - case.x0)


def _rates_for(case: Case, middle: np.ndarray, way: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """States and controls that move the others by `way` in one second."""
    n, points = case.n, case.points
    J = points.jacobians(middle[None], False)[0]
    rates, controls = np.zeros(n), np.zeros(points.m)
    if not np.all(np.isfinite(J)):
        return rates, controls
    moved = abs(way) > MOVED * case.scale[:n]
    still = np.flatnonzero(~moved[: points.native])
    A = J[np.ix_(np.flatnonzero(moved), still)]
    if A.size:
        rates[still] = np.linalg.lstsq(A, way[moved], rcond=None)[0]
        controls = np.linalg.lstsq(J[still, n:], rates[still], rcond=None)[0]
    return rates, controls


def _duration(problem: PlanProblem, rates: list[np.ndarray], controls: list[np.ndarray]) -> float:
    """Duration at which the search begins [s]."""
    low, high = problem.duration
    if problem.guess:
        return float(np.clip(problem.guess, low, high))
    needed = 0.0
    for case, rate, u in zip(problem.cases, rates, controls, strict=True):
        for one in case.limits:
            bound = min(abs(one.lower), abs(one.upper))
            if one.place < case.n and 0.0 < bound < np.inf:
                needed = max(needed, 1.5 * abs(rate[one.place]) / bound)
        room = np.minimum(abs(problem.lower), abs(problem.upper))
        good = np.isfinite(room) & (room > 0.0)
        needed = max(needed, *np.sqrt(6.0 * abs(u[good]) / room[good]), 0.0)
    if needed:
        return float(np.clip(SLACK * needed, low, high))
    if low and np.isfinite(high):
        return float(np.sqrt(low * high))
    return float(np.clip(UNBOUNDED, low, high))
