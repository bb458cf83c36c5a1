"""The plan flown again: a fine run of the netlist under the planned controls, compared with the plan."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter

import numpy as np

from ...blocks import LuffError
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.text.raw_types import RawMap
from ..results.result import Result
from ..simulation.session import Session
from ..simulation.simulation import Simulation
from .collocation import Case, Motion
from .plan_problem import PlanProblem

ROWS = 400  # recorded rows, about
RAMP = 8e-6  # of the run's step: duration of a jump of a constant control, which is a line between two rows
RAMP_SHARE = 1e-9  # of the duration, at least
TOLERANCE = {"simulation.rtol": 1e-10, "simulation.atol": 1e-12}


@dataclass
class Flown:
    """A case flown again: where it ends beside the plan, and how far signals go.

    `deviation` is that of the final `state` that is furthest off over its size, `share` over that size; `rate` the
    largest rate of a state after the end [SI/s], `rate_share` the largest of those asked to vanish, over its largest on
    the way (NaN on models that are flown alone); `end` has wanted and flown values, `peaks` the lowest and highest.
    """

    case: str
    result: Result | None
    deviation: float = np.nan
    share: float = np.nan
    state: str = ""
    rate: float = np.nan
    rate_state: str = ""
    rate_share: float = np.nan
    end: dict[str, tuple[float, float]] = field(default_factory=dict)
    peaks: dict[str, tuple[float, float]] = field(default_factory=dict)
    over: dict[str, float] = field(default_factory=dict)  # beyond a limit, by signal
    problem: str = ""
    # at the rows of `result`
    states: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)), repr=False)


def control_rows(
    times: np.ndarray, controls: np.ndarray, last: np.ndarray | None, linear: bool, ramp: float
) -> np.ndarray:
    """Rows [t, u...] of the controls, joined by lines; a jump is a line of the duration `ramp` about its time.

    `last` are the controls after the end; None holds the last ones.
    """
    if linear:
        rows = [np.column_stack([times, controls])]
        final = controls[-1]
    else:
        rows = [np.concatenate([times[:1], controls[0]])[None]]
        for k in range(1, len(controls)):
            if np.any(controls[k] != controls[k - 1]):
                rows.append(np.concatenate([[times[k] - ramp / 2], controls[k - 1]])[None])
                rows.append(np.concatenate([[times[k] + ramp / 2], controls[k]])[None])
        final = controls[-1]
    if last is not None and np.any(last != final):
        if linear:
            rows.append(np.concatenate([[times[-1] + ramp], last])[None])
        else:
            rows.append(np.concatenate([[times[-1] - ramp / 2], final])[None])
            rows.append(np.concatenate([[times[-1] + ramp / 2], last])[None])
    elif not linear:
        rows.append(np.concatenate([times[-1:], final])[None])
    return np.concatenate(rows)


def feeds(problem: PlanProblem, rows: np.ndarray) -> dict[str, RawMap]:
    """Tables of the inputs by name, from rows [t, u...]."""
    tables: dict[str, RawMap] = {}
    for name in dict.fromkeys(one.partition("[")[0] for one in problem.controls):
        columns = [k for k, one in enumerate(problem.controls) if one.partition("[")[0] == name]
        data = rows[:, [0, *(1 + k for k in columns)]]
        tables[name] = {"data": data.tolist(), "unit": problem.unit.get(name, "")}
    return tables


def parameter_changes(case: Case, planned: Mapping[str, float]) -> dict[str, object]:
    """Defaults of the inputs that are free parameters, at the plan's values."""
    values: dict[str, list[float]] = {}
    for one in case.free:
        values.setdefault(one.name.partition("[")[0], []).append(planned[one.name])
    return {f"{INPUTS}.{name}.default": some[0] if len(some) == 1 else some for name, some in values.items()}


def rows_of(sim: Simulation, duration: float, intervals: int) -> tuple[int, int]:
    """Number of recorded rows, and of steps in each, of a flight; a uniform grid's times are among them."""
    rows = max(20, min(ROWS, int(np.ceil(duration / sim.settings.step))))
    rows = max(1, round(rows / intervals)) * intervals
    return rows, max(1, int(np.ceil(duration / rows / sim.settings.step)))


def flight_under(
    problem: PlanProblem,
    case: Case,
    rows: np.ndarray,
    count: tuple[int, int],
    changes: Mapping[str, object],
) -> tuple[Simulation, Session]:
    """Simulation of a case under controls in rows [t, u...], and its run by an adaptive method at its start."""
    sim, T = case.simulation, float(rows[-1, 0])
    made = copy.copy(sim.diagram)
    made.feeds = sim.diagram.feeds | feeds(problem, rows)
    run = Simulation(made, {**sim.overrides, **changes, "simulation.stop": T})
    step = T / (count[0] * count[1])
    method = "radau" if sim.settings.method == "implicit" else "dop853"
    own = case.x0[: case.points.native]
    start = own if np.any(own != run.x0) else None
    return run, run.start(stop=T, step=step, method=method, output_step=step * count[1], x0=start)


def fly_case(
    problem: PlanProblem,
    case: Case,
    motion: Motion,
    times: np.ndarray,
    rest: np.ndarray | None,
    planned: Mapping[str, float],
    rates: np.ndarray | None = None,
) -> Flown:
    """Run a case under the controls by an adaptive method; `planned` has the final states by name.

    `rates` are the largest on the way of those that rest asks to vanish.
    """
    T = float(times[-1])
    count = rows_of(case.simulation, T, len(times) - 1)
    ramp = max(RAMP * T / (count[0] * count[1]), RAMP_SHARE * T)
    rows = control_rows(times, motion.controls, rest, problem.linear, ramp)
    flown = Flown(case.name, None)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            chosen = parameter_changes(case, planned)
            run, session = flight_under(problem, case, rows, count, {**chosen, **TOLERANCE})
            states = [session.x[: case.points.native].copy()]
            flown.result = run.record(session, go=partial(_advance, session, states))
    except LuffError as error:
        flown.problem = str(error.problems[0])
        return flown
    flown.states = np.array(states)
    _compare(case, planned, session.x[: case.points.native], rest, rates, flown)
    _peaks(case, flown.states, flown)
    return flown


def _advance(session: Session, states: list[np.ndarray], seconds: float) -> str:
    """Advance a run for about a wall time; its states at the recorded rows are kept."""
    until = perf_counter() + seconds
    while True:
        status = session.advance(steps=session.rows_every)
        states.append(session.x[: len(states[0])].copy())
        if status != "running" or perf_counter() > until:
            return status


def _compare(
    case: Case,
    planned: Mapping[str, float],
    x: np.ndarray,
    rest: np.ndarray | None,
    rates: np.ndarray | None,
    flown: Flown,
) -> None:
    """Final state beside the planned one, wanted ends, and rates at rest."""
    points = case.points
    names = points.state_names
    # a flight on another model may have states of which the plan knows nothing
    known = [k for k, name in enumerate(names[: len(x)]) if name in planned]
    if known:
        gap = np.array([abs(x[k] - planned[names[k]]) for k in known])
        worst = int(np.argmax(gap / case.scale[known]))  # a NaN is the largest
        flown.deviation, flown.state = float(gap[worst]), names[known[worst]]
        flown.share = float(gap[worst] / case.scale[known[worst]])
    x = np.concatenate([x, [planned[name] for name in names[points.native :]]])
    u = rest if rest is not None else np.zeros(points.m)
    z = np.concatenate([x, u])[None]
    f = points.values(z, bool(points.signals))[0]
    for one in case.end:
        value = z[0, one.place] if one.place < z.shape[1] else f[case.n + one.place - z.shape[1]]
        flown.end[one.name] = (one.lower, float(value))
    if case.rest:
        k = int(np.argmax(abs(f[: case.n]) / case.scale[: case.n]))
        flown.rate, flown.rate_state = float(abs(f[k])), names[k]
        if rates is not None:
            share = abs(case.rest_rates(f)) / rates
            flown.rate_share = float(np.max(share, initial=0.0))


def _peaks(case: Case, states: np.ndarray, flown: Flown) -> None:
    """Lowest and highest values of limited states and signals, and how far they are beyond."""
    result = flown.result
    assert result is not None
    for one in case.limits:
        if one.place < case.points.native:
            values = states[:, one.place]
        elif one.name in result:
            values = np.asarray(result[one.name])
        else:
            continue
        low, high = float(np.min(values)), float(np.max(values))
        flown.peaks[one.name] = (low, high)
        over = max(one.lower - low, high - one.upper)
        if not over <= 0.0:
            flown.over[one.name] = over
