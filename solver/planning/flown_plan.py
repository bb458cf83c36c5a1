"""The plan of a solution: flown in every case, corrected where a run does not confirm it, with remarks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from .active_limits import active_limits
from .collocation import point_times
from .confirmation import doubts, rates_on_the_way
from .corrected_flight import confirmed, final_states, fly
from .flight import RAMP_SHARE, control_rows, fly_case
from .interior_point import LOOSER, Solution
from .motion_plan import Plan
from .plan_file import PlanTask
from .plan_problem import PlanProblem
from .plan_settings import TOLERANCE
from .switching_grid import switching_times
from .transcription import Transcription


def finished(
    task: PlanTask,
    problem: PlanProblem,
    nlp: Transcription,
    solution: Solution,
    iterations: int,
    go: Callable[[str], bool],
) -> Plan:
    """Plan of a solution, flown in every case, and corrected by these runs where they do not confirm it."""
    motion = nlp.split(solution.v)
    status = (
        solution.outcome if solution.outcome in ("finished", "acceptable", "interrupted") else "unfinished"
    )
    switches = np.zeros(0)
    if nlp.grid.arcs > 1:
        switches = switching_times(nlp.grid.times(motion.durations), motion.controls, problem.reference)
    remarks = [*problem.remarks, *_method_remarks(problem, nlp, status)]
    evaluated = nlp.evaluated(solution.v)
    largest = [rates_on_the_way(case, one.f) for case, one in zip(problem.cases, evaluated, strict=True)]
    flown = fly(problem, problem.cases, nlp, motion, largest)
    found = [*doubts(nlp.cases, flown)]
    active = active_limits(problem, nlp, solution) if solution.optimal else []
    cost, better, ends = solution.cost, None, motion.arc_ends
    if status in ("finished", "acceptable") and found:
        better = confirmed(problem, nlp, motion, flown, [one.f for one in evaluated], go)
        if better is None:
            status = "unconfirmed"
        else:
            (nlp, motion, flown), found = better, []
            longer = motion.arc_ends[-1] - ends[-1]
            switches = np.interp(switches, ends, motion.arc_ends)
            remarks.append(
                f"the first run missed ends or limits by little: controls in {nlp.N} intervals are corrected "
                f"by the runs, the duration by {longer:.2g} s; active limits are told as before that"
            )
            cost = nlp.objective(nlp.joined(motion))
    if not better:
        remarks += _rest_remarks(problem)
    times = nlp.grid.times(motion.durations)
    T, rest = float(times[-1]), motion.rest if nlp.rests else None
    made = Plan(
        name=task.name, status=status, cost=cost,
        cost_unit=problem.cost_unit,
        time=times, controls={name: motion.controls[:, k].copy() for k, name in enumerate(problem.controls)},
        rest={} if rest is None else dict(zip(problem.controls, rest.tolist(), strict=True)),
        interpolation="linear" if problem.linear else "constant", units=problem.unit,
        limits=active,
        parameters={one.name: float(motion.states[0][-1, one.place]) for one in nlp.cases[0].free},
        bounds=problem.bounds, remarks=[*remarks, *found], points=point_times(times), switches=switches,
        states={
            case.name: dict(zip(case.points.state_names, x.T.copy(), strict=True))
            for case, x in zip(problem.cases, motion.states, strict=True)
        },
        iterations=iterations, rows=control_rows(times, motion.controls, rest, problem.linear, RAMP_SHARE * T),
        diagram=task.diagram(), flown=flown,
    )  # fmt: skip
    end = final_states(problem.cases[0], motion.states[0])
    made.flights = [fly_case(problem, case, motion, times, rest, end) for case in problem.flights]
    return made


def _rest_remarks(problem: PlanProblem) -> Iterator[str]:
    """Remarks on motions that are too fast for the grid to bring to rest."""
    for case in problem.cases:
        if case.faster:
            where = f"{case.name}: " if case.name else ""
            yield f"{where}{case.faster} states move faster than the grid, and are left to their damping at the end"


def _method_remarks(problem: PlanProblem, nlp: Transcription, status: str) -> list[str]:
    """Remarks on what the numbers leave out."""
    word = "linear between the grid's times" if problem.linear else "constant in each interval"
    remarks = [
        f"controls are {word} ({nlp.N} intervals), limits are kept at {nlp.P} points: a local optimum of that problem"
    ]
    exact = problem.cases[0].points.exact
    if exact:
        remarks.append(f"derivatives are differences, not exact: {exact}")
    if status == "acceptable":
        remarks.append(f"the search met its looser tolerance of {LOOSER * problem.tolerance:g} only")
    elif problem.tolerance > TOLERANCE and status == "finished":
        remarks.append(
            f"the search ended at a tolerance of {problem.tolerance:g}, which leaves the cost near its least"
        )
    if status in ("interrupted", "unfinished"):
        remarks.append("the best motion so far: it keeps its limits, and a better one may exist")
    return remarks
