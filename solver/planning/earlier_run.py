"""A run at which a search begins: its signals as controls, resampled, and the plan's model flown under them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import PurePath

import numpy as np

from ...blocks import LuffError
from ...blocks.errors import Problem, did_you_mean
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.text.data_files import named_file
from ..flatten.diagram import Diagram
from ..results.result import Result, read_result
from ..simulation.simulation import Simulation
from ..studies.study_file import find_model
from .collocation import Case, Grid, Motion, point_times
from .flight import control_rows, flight_under
from .plan_file import PlanTask
from .plan_problem import PlanProblem
from .plan_settings import RunStart

NETLISTS = (".yaml", ".yml", "")
FINE = 20  # rows of the flight in an interval
TOLERANCES = {"simulation.rtol": 1e-7, "simulation.atol": 1e-9}
RAMP = 1e-6  # of the duration: a jump of a constant control


@dataclass
class EarlierRun:
    """Motion of a run from `begin` to `end` [s]; `signals` are its signals by control."""

    result: Result
    begin: float
    end: float
    signals: dict[str, str]


def earlier_run(task: PlanTask, entry: RunStart, controls: list[str]) -> EarlierRun:
    """Run of a warm start: that of a netlist, or one in a file."""
    path = "plan.warm_start"
    try:
        result = _result(task, entry)
    except LuffError as error:
        raise LuffError(
            replace(problem, path=f"{path}.run") if problem.path in ("", "model") else problem
            for problem in error.problems
        ) from None
    last = float(result.time[-1])
    begin, end = float(getattr(entry, "from")), last if entry.to is None else float(entry.to)
    if not begin < end <= last * (1.0 + 1e-12):
        found = f"found a motion from {begin:g} s to {end:g} s, expected one within the run, which ends at {last:g} s"
        raise LuffError(Problem(found, path))
    unknown = [name for name in entry.controls if name not in controls]
    if unknown:
        fix = did_you_mean(unknown[0], controls)
        raise LuffError(Problem("the plan has no such control", f"{path}.controls.{unknown[0]}", fix))
    signals = {name: entry.controls.get(name) or _own_name(name, result) for name in controls}
    for name, signal in signals.items():
        if signal not in result:
            fix = did_you_mean(signal, [*result]) or "name one of the run's signals"
            message = f'the run has no signal "{signal}" for this control'
            raise LuffError(Problem(message, f"{path}.controls.{name}", fix))
    return EarlierRun(result, begin, end, signals)


def _own_name(control: str, result: Result) -> str:
    """Signal of the control's own name: of the input in a run of the same netlist, else the plain name."""
    return f"{INPUTS}.{control}" if f"{INPUTS}.{control}" in result else control


def _result(task: PlanTask, entry: RunStart) -> Result:
    """Recorded run of a warm start."""
    folder, name = task.path.resolve().parent, entry.run
    if PurePath(name).suffix.lower() not in NETLISTS:
        if entry.set:
            raise LuffError("a recorded run has no parameters to set; give its netlist")
        return read_result(named_file(folder, name, task.files, "a run", "plan file"))
    diagram = Diagram.load(find_model(name, folder, task.files), task.allow_code, task.files)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Simulation(diagram, entry.set).run()


def guess_from_run(run: EarlierRun, problem: PlanProblem, grid: Grid, guess: Motion) -> Motion:
    """Guess from a run: its controls on this grid, its states by their names, others as the plan's model is flown."""
    clock = np.asarray(run.result.time)
    T = float(np.clip(run.end - run.begin, *problem.duration))
    ends = grid.times(np.full(1, T))
    rate = (run.end - run.begin) / T
    for k, name in enumerate(problem.controls):
        u = np.asarray(run.result[run.signals[name]], float)
        if problem.linear:
            guess.controls[:, k] = np.interp(run.begin + rate * ends, clock, u)
        else:
            area = np.concatenate([[0.0], np.cumsum(0.5 * (u[1:] + u[:-1]) * np.diff(clock))])
            over = np.interp(run.begin + rate * ends, clock, area)
            guess.controls[:, k] = np.diff(over) / (rate * np.diff(ends))
    guess.controls[:] = np.clip(guess.controls, problem.lower, problem.upper)
    points = point_times(ends)
    for case, x in zip(problem.cases, guess.states, strict=True):
        names = case.points.state_names[: case.points.native]
        missing = [k for k, name in enumerate(names) if name not in run.result]
        if missing:
            flown = _flown_states(problem, case, ends, guess.controls, points)
            x[:, missing] = flown[:, missing]
        for k, name in enumerate(names):
            if k not in missing:
                x[:, k] = np.interp(run.begin + rate * points, clock, np.asarray(run.result[name], float))
    guess.durations[:] = T
    return guess


def _flown_states(
    problem: PlanProblem, case: Case, ends: np.ndarray, controls: np.ndarray, points: np.ndarray
) -> np.ndarray:
    """States of a case at the points [s], flown under the controls; after a failure those before it."""
    T = float(ends[-1])
    rows = control_rows(ends, controls, None, problem.linear, RAMP * T)
    native = case.points.native
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, session = flight_under(problem, case, rows, (FINE * (len(ends) - 1), 1), TOLERANCES)
    times, states = [0.0], [session.x[:native].copy()]
    with session:
        while session.status == "running":
            session.advance(steps=session.rows_every)
            times.append(session.time)
            states.append(session.x[:native].copy())
    return np.stack([np.interp(points, times, x) for x in np.array(states).T], axis=1)
