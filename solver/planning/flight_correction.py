"""Controls corrected by the runs that flew a plan, until these end as asked, rest and keep their limits.

Where a model moves faster than the grid, or a limit is broken between its points, the run leaves the collocated motion
by little. Gauss-Newton steps on the run itself take that off: its ends, its rates at rest and its limits at all rows,
linearised by the run's sensitivities, under the least change of the controls and of the duration.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from .collocation import Case, Motion, point_times, watched_slopes, watched_values
from .flight import Flown
from .flight_sensitivities import control_weights, flown_sensitivities
from .least_change import least_change
from .plan_problem import PlanProblem
from .transcription import Transcription

WHOLE = 1e-9  # share of the duration by which a whole run may end early, which is rounding
DURATION = 10.0  # change of all controls, over sizes, that counts as much as one of the duration over its own
SHORTER = 0.5  # share of its duration that an arc keeps in a correction, beyond which nothing is linear


@dataclass
class Linear:
    """A run of a case, linearised by p = [controls at nodes, durations of arcs, controls after the end]."""

    times: np.ndarray
    z: np.ndarray  # [x, u] at the rows
    f: np.ndarray  # rates and signals there
    dz: np.ndarray  # dz/dp
    J: np.ndarray
    end: np.ndarray  # [x, u] after the end (1, n + m)
    d_end: np.ndarray


def corrected(
    problem: PlanProblem, cases: list[Case], nlp: Transcription, motion: Motion, flown: list[Flown]
) -> Motion | None:
    """Motion whose runs end as asked and keep their limits to first order; None where none is found."""
    T = float(motion.durations.sum())
    if any(one.result is None or not one.result.time[-1] >= T * (1.0 - WHOLE) for one in flown):
        return None
    ref, count = problem.reference, nlp.nodes * nlp.m
    sizes = np.concatenate([np.tile(ref, nlp.nodes), motion.durations, ref if nlp.rests else motion.rest])
    runs = [linearised(nlp, c, motion, one) for c, one in enumerate(flown)]
    rows = [row for c, run in enumerate(runs) for row in _wanted(cases[c], run)]
    rows += [row for c, run in enumerate(runs) for row in _limited(cases[c], run)]
    total = np.zeros(len(sizes))
    total[count : count + nlp.grid.arcs] = 1.0
    rows.append((total / T, problem.duration[0] / T - 1.0, problem.duration[1] / T - 1.0))
    A = np.array([row for row, _, _ in rows]) * sizes
    low, high = np.array([a for _, a, _ in rows]), np.array([b for _, _, b in rows])
    if not (np.all(np.isfinite(A)) and not np.any(np.isnan(low)) and not np.any(np.isnan(high))):
        return None
    values = np.concatenate([motion.controls.ravel(), motion.rest])
    on = np.concatenate([np.arange(count), np.arange(count + nlp.grid.arcs, len(sizes))])
    lower, upper = np.full(len(sizes), SHORTER - 1.0), np.full(len(sizes), np.inf)
    for bound, given in ((lower, problem.lower), (upper, problem.upper)):
        bound[on] = (np.tile(given, len(values) // nlp.m) - values) / sizes[on]
    weight = np.ones(len(sizes))
    weight[count : count + nlp.grid.arcs] = count * DURATION**2
    q = least_change(weight, (np.minimum(lower, 0.0), np.maximum(upper, 0.0)), A, (low, high))
    return None if q is None else moved(problem, nlp, motion, runs, q * sizes)


def linearised(nlp: Transcription, c: int, motion: Motion, flown: Flown) -> Linear:
    """Linearised run of a case."""
    case, grid, m = nlp.cases[c], nlp.grid, nlp.m
    n, T = case.n, float(motion.durations.sum())
    times = np.linspace(0.0, T, len(flown.states))
    free = np.tile(motion.states[c][-1, case.points.native :], (len(times), 1))
    W = control_weights(grid, motion.durations, times, nlp.linear)
    z = np.hstack([flown.states, free, W @ motion.controls])
    f, J = case.points.values(z, case.path_signals), case.points.jacobians(z, case.path_signals)
    S = flown_sensitivities(grid, motion.durations, times, z[:, :n], J[:, :n], nlp.linear)
    rest = len(motion.rest) if nlp.rests else 0
    dz = np.zeros((len(times), n + m, S.shape[2] + rest))
    dz[:, :n, : S.shape[2]] = S
    for j in range(m):
        dz[:, n + j, j : nlp.nodes * m : m] = W
    last = motion.rest if rest else motion.controls[-1]
    d_end = dz[-1].copy()
    if rest:
        d_end[n:] = 0.0
        d_end[n:, S.shape[2] :] = np.eye(m)
    return Linear(times, z, f, dz, J, np.concatenate([z[-1, :n], last])[None], d_end)


Row = tuple[np.ndarray, float, float]  # slopes by p, and how far the value may fall and rise, over its size


def _wanted(case: Case, run: Linear) -> Iterator[Row]:
    """Wanted ends, and rates that vanish at rest."""
    if not (case.end or case.rest):
        return
    signals = case.needs_end_signals
    f, J = case.points.values(run.end, signals), case.points.jacobians(run.end, signals)
    for one in case.end:
        size = case.scale[one.place]
        gap = (one.lower - float(watched_values(run.end, f, case.n, one.place)[0])) / size
        yield watched_slopes(run.end, J, case.n, one.place)[0] @ run.d_end / size, gap, gap
    if case.rest:
        n = case.points.native
        R = case.rest_rows if len(case.rest_rows) else np.eye(n)
        slopes, rates = R @ J[0, :n] @ run.d_end, R @ f[0, :n]
        for row, rate, size in zip(
            slopes, rates, case.scale[np.argmax(abs(R * case.scale[:n]), axis=1)], strict=True
        ):
            yield row / size, -rate / size, -rate / size


def _limited(case: Case, run: Linear) -> Iterator[Row]:
    """Limits at all rows of the run."""
    for one in case.limits:
        size = case.scale[one.place]
        value = watched_values(run.z, run.f, case.n, one.place)
        slopes = watched_slopes(run.z, run.J, case.n, one.place)
        for k in range(1, len(value)):  # the start is given
            yield slopes[k] @ run.dz[k] / size, (one.lower - value[k]) / size, (one.upper - value[k]) / size


def moved(
    problem: PlanProblem, nlp: Transcription, motion: Motion, runs: list[Linear], p: np.ndarray
) -> Motion:
    """Motion after a change p, with the states that the linearised runs tell."""
    grid, count = nlp.grid, nlp.nodes * nlp.m
    controls = motion.controls + p[:count].reshape(nlp.nodes, nlp.m)
    durations = motion.durations + p[count : count + grid.arcs]
    rest = motion.rest + p[count + grid.arcs :] if nlp.rests else motion.rest
    bounds = problem.lower, problem.upper
    made = Motion([], np.clip(controls, *bounds), np.clip(rest, *bounds) if nlp.rests else rest, durations)
    points = point_times(grid.times(durations))
    for case, run, x in zip(nlp.cases, runs, motion.states, strict=True):
        change = run.dz @ p
        at = np.interp(run.times, motion.arc_ends, made.arc_ends)
        rates = run.f[:, : case.n] + np.einsum("kij,kj->ki", run.J[:, : case.n], change)
        curve = CubicHermiteSpline(at, run.z[:, : case.n] + change[:, : case.n], rates)
        states = curve(np.minimum(points, at[-1]))
        states[0] = x[0]
        made.states.append(states)
    return made
