"""`luff.plan`: the best motion of a netlist, by collocation and IPOPT, flown again at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...blocks import RunError
from ...blocks.errors import Problem
from ..netlist import Given
from ..simulation.script_values import parameter_changes
from ..studies.sections import placed_in
from .active_limits import is_active
from .collocation import Grid, Motion
from .earlier_plan import earlier_plan, guess_from
from .earlier_run import EarlierRun, earlier_run, guess_from_run
from .first_guess import first_guess
from .flown_plan import finished
from .infeasibility import elastic_solution, kept, violation_words
from .interior_point import Monitor, Solution, imported, solve
from .motion_plan import Plan
from .plan_file import PlanTask, load
from .plan_problem import PlanProblem, make_problem
from .rest_motions import resting
from .switching_grid import MOST, arcs_between, moved_to, switching_times
from .transcription import Transcription

Progress = Callable[[int, str], object]
FLOOR = 1e-4  # shortest duration over the first guess, where none is given
CEILING = 100.0  # longest duration over the first guess, where none is given
ROUNDS = 3  # most grids with arcs
REFINED = 40  # most iterations of the solve on a moving grid
ARC = 0.1  # shortest arc over its first guess
EQUAL = 1e-7  # share of the cost, above the tolerance of the search, by which a cost may be larger and counts as equal
SMALL_SHARE = 1e-2  # of the largest range of its unit: size that a state has at least
SMALLEST = 1e-6  # size of a state below which its range says nothing on it [SI]
SNAP = 1e-5  # share of the cost by which controls on their bounds may change it
STOPPED = "the search was stopped before it found a motion that keeps its limits"


def plan(
    source: Given | PlanTask,
    output: str | Path | None = None,
    progress: Progress | None = None,
    *,
    set: Mapping[str, object] | None = None,
    **changes: object,
) -> Plan:
    """Find the best motion of a netlist within limits, as `luff plan` does, and fly it again.

    Parameters
    ----------
    source : str, Path or mapping
        A plan file, or a mapping with its sections.
    output : str or Path, optional
        A .json file for the plan, or a .csv file for the table that plays it.
    progress : callable, optional
        Called with the number of iterations and words on the search; the search ends when it returns False, with the
        best motion so far.
    set : mapping of str to value, optional
        Values in place of the model's by path: `{"load": "4 t"}`. A name of the arguments above can be given only here.
    **changes : object
        Parameters of the model in place of the file's.

    Returns
    -------
    Plan
        Controls over time, limits that hold them back, and the run that flew them.

    Raises
    ------
    LuffError
        The file or the model is wrong, IPOPT is not installed, or no motion keeps the limits: the message says which
        limit is missed, and by how much.

    Examples
    --------
    >>> import luff
    >>> mass = '''
    ... luff: 1
    ... inputs: {force: {unit: N}}
    ... blocks:
    ...   slide: {type: prismatic, axis: x}
    ...   mass: {type: rigid_link, mass: 1 kg, com: [0, 0, 0], inertia: [1, 1, 1]}
    ... connect: [world.frame -- slide.frame_a, slide.frame_b -- mass.frame_a, inputs.force -> slide.effort]
    ... '''
    >>> best = luff.plan(
    ...     {
    ...         "model": luff.loads(mass),
    ...         "plan": {
    ...             "controls": {"force": {"lower": "-1 N", "upper": "1 N"}},
    ...             "end": {"slide.position": "1 m", "at_rest": True},
    ...         },
    ...     }
    ... )
    >>> round(best.duration, 6)  # 2 sqrt(m d / F)
    2.0
    """
    imported()
    task = source if isinstance(source, PlanTask) else load(source, parameter_changes(set, changes))
    with placed_in(task.document):
        problem = make_problem(task)
        earlier = warm_start(task, problem)
    made = best_motion(task, problem, earlier, progress)
    if output is not None:
        made.save(output)
    return made


def warm_start(task: PlanTask, problem: PlanProblem) -> Plan | EarlierRun | None:
    """Earlier plan or run at which the search begins; None without one."""
    entry = task.settings.warm_start
    if isinstance(entry, str):
        return earlier_plan(task, entry) if entry else None
    return earlier_run(task, entry, problem.controls)


def scale_by(problem: PlanProblem, guess: Motion) -> None:
    """Sizes of the states from their ranges in a guess; those of limits and ends stay.

    A range far below the largest of the same unit is no size: what such a state does follows from the others.
    """
    for case, x in zip(problem.cases, guess.states, strict=True):
        watched = {one.place for one in (*case.limits, *case.end, *case.free)}
        units = [case.points.units.get(name, "") for name in case.points.state_names]
        ranges = np.ptp(x, axis=0)
        largest = {
            unit: max(r for r, one in zip(ranges, units, strict=True) if one == unit) for unit in units
        }
        for k, (size, unit) in enumerate(zip(ranges, units, strict=True)):
            size = max(size, SMALL_SHARE * largest[unit])
            if k not in watched and size > SMALLEST:
                case.scale[k] = size


def best_motion(
    task: PlanTask, problem: PlanProblem, earlier: Plan | EarlierRun | None, progress: Progress | None
) -> Plan:
    """Solve on the uniform grid, then on one whose arcs end at the switches, and fly the better motion."""
    settings = task.settings
    spent, stopped = 0, False

    def monitor(words: str) -> Monitor:
        def told(k: int, cost: float, violation: float, worst: str) -> bool:
            nonlocal stopped
            off = f"furthest off is {worst}, " if worst else ""
            text = f"{words}: cost {cost:.6g}, {off}largest violation {violation:.1e}"
            stopped = progress is not None and progress(spent + k, text) is False
            return not stopped

        return told

    grid = Grid.uniform(settings.intervals)
    guess = first_guess(problem, grid)
    if earlier is not None:
        if isinstance(earlier, EarlierRun):
            guess = guess_from_run(earlier, problem, grid, guess)
        else:
            guess = guess_from(earlier, problem, grid, guess)
        scale_by(problem, guess)
    (low, high), T = problem.duration, float(guess.durations.sum())
    problem.duration = (low or FLOOR * T, min(high, CEILING * T) if not np.isfinite(high) else high)
    ask_rest(problem, grid, T)
    nlp = problem.transcribed(grid)
    begin = "guess" if earlier is None else "motion"
    solution = run(problem, nlp, guess, settings.iterations, monitor("search"), begin)
    spent += solution.iterations
    if not solution.optimal and not solution.feasible:
        if solution.outcome == "interrupted":
            raise RunError(STOPPED)
        nlp, solution, used = recover(problem, grid, guess, solution, settings.iterations, monitor)
        spent += used
    motion = nlp.split(solution.v)
    T = float(motion.durations.sum())
    if not low and 1.01 * problem.duration[0] >= T:
        fix = "give the controls bounds, or limit rates"
        raise RunError("nothing limits how fast the motion may be", path="plan", fix=fix)
    if not np.isfinite(high) and 0.99 * problem.duration[1] <= T:
        message = f"the duration grows without bound, to {T:.4g} s and on: the controls hardly reach the end"
        raise RunError(message, path="plan", fix="look at the controls' bounds, or give duration: {upper}")
    if solution.optimal and not problem.linear:
        better = refine(problem, nlp, solution, monitor("grid"))
        if better is not None:
            spent += better[1].iterations - solution.iterations
            nlp, solution = better
        if stopped:
            solution = replace(solution, outcome="interrupted")
    return finished(
        task,
        problem,
        nlp,
        solution,
        spent,
        lambda words: progress is None or progress(spent, words) is not False,
    )


def ask_rest(problem: PlanProblem, grid: Grid, duration: float) -> None:
    """Ask the motions for rest that the grid resolves, and note how many are faster."""
    fastest = np.pi * grid.count / duration
    for k, z in enumerate(problem.end_points):
        if problem.cases[k].rest:
            problem.cases[k] = resting(problem.cases[k], z, fastest)


def run(
    problem: PlanProblem,
    nlp: Transcription,
    guess: Motion,
    iterations: int,
    monitor: Monitor,
    begin: str = "guess",
) -> Solution:
    """Solve a transcribed plan from a guess."""
    v0 = nlp.joined(guess)
    T = float(guess.durations.sum())
    scale = 1.0 / T if problem.time_weight else 1.0 / max(abs(nlp.objective(v0)), 1e-12)
    return solve(
        nlp, v0, nlp.sizes(problem.reference, T), iterations, monitor, scale, begin, problem.tolerance
    )


def recover(
    problem: PlanProblem,
    grid: Grid,
    guess: Motion,
    failed: Solution,
    iterations: int,
    monitor: Callable[[str], Monitor],
) -> tuple[Transcription, Solution, int]:
    """Solution from a motion that keeps all limits; an error that names what clashes where none was found."""
    if not all(problem.end_found):
        case = problem.cases[problem.end_found.index(False)].name
        message = "no state of the model was found that has the wanted end" + (
            f", in the case {case}" if case else ""
        )
        raise RunError(message, path="plan.end", fix="look whether the mechanism can stand there")
    elastic, nearest = elastic_solution(problem, grid, guess, iterations, monitor("limits"))
    if nearest.outcome == "interrupted":
        raise RunError(STOPPED)
    if kept(elastic, nearest):
        nlp = problem.transcribed(grid)
        solution = run(problem, nlp, elastic.split(nearest.v), iterations, monitor("search"), "motion")
        if solution.optimal or solution.feasible:
            return nlp, solution, nearest.iterations + solution.iterations
        raise RunError(f"the search ended without a best motion ({failed.outcome})", path="plan", fix=GIVE_UP)
    found = violation_words(problem, elastic, nearest)
    if nearest.optimal and found:
        raise RunError(
            [
                Problem(f"a local search found no motion that keeps all limits: {words}", "plan")
                for words in found
            ]
        )
    worst = elastic.worst_row(nearest.v)
    message = f"the search found no motion that keeps its limits ({failed.outcome}; furthest off is {worst})"
    raise RunError(message, path="plan", fix=GIVE_UP)


GIVE_UP = "begin from another plan (warm_start), or give duration: {guess}"


def refine(
    problem: PlanProblem, nlp: Transcription, solution: Solution, monitor: Monitor
) -> tuple[Transcription, Solution] | None:
    """Better solution on a grid whose arcs end at the switches; None if there is none, or too many arcs.

    It is repeated while controls still switch within an arc.
    """
    found: tuple[Transcription, Solution] | None = None
    for _ in range(ROUNDS):
        motion = nlp.split(solution.v)
        times = nlp.grid.times(motion.durations)
        switches = switching_times(times, motion.controls, problem.reference)
        if not 0 < len(switches) <= MOST * problem.intervals or (found and at_ends(nlp, motion, switches)):
            break
        grid, durations = arcs_between(times, switches, problem.intervals)
        low, high = ARC * durations, np.minimum(np.full(len(durations), problem.duration[1]), durations / ARC)
        other = problem.transcribed(grid, (low, high))
        guess = moved_to(motion, nlp.grid, grid, durations, problem.linear)
        better = run(problem, other, guess, REFINED, monitor, "solution")
        if not better.optimal or not better.cost <= solution.cost + EQUAL * abs(solution.cost):
            break
        nlp, solution = other, replace(better, iterations=solution.iterations + better.iterations)
        found = nlp, solution
    if found is None:
        return None
    return nlp, on_bounds(problem, nlp, solution, monitor)


def at_ends(nlp: Transcription, motion: Motion, switches: np.ndarray) -> bool:
    """True if controls switch at the ends of arcs alone."""
    ends = np.cumsum(motion.durations)
    return bool(np.all(np.min(abs(switches[:, None] - ends), axis=1) <= 1e-9 * ends[-1]))


def on_bounds(problem: PlanProblem, nlp: Transcription, solution: Solution, monitor: Monitor) -> Solution:
    """Solution whose active controls lie on their bounds exactly, and not within a barrier of them; else as it was."""
    lower, upper = nlp.lower.copy(), nlp.upper.copy()
    sizes = nlp.sizes(problem.reference, float(nlp.split(solution.v).durations.sum()))
    at = slice(nlp.u_first, nlp.r_first)
    for bound, duals in ((lower, solution.lower_multipliers), (upper, solution.upper_multipliers)):
        on = is_active(solution, bound, duals, sizes)[at]
        nlp.lower[at][on] = nlp.upper[at][on] = bound[at][on]
    exact = run(problem, nlp, nlp.split(solution.v), REFINED, monitor, "solution")
    nlp.lower, nlp.upper = lower, upper
    if not exact.optimal or not abs(exact.cost - solution.cost) <= SNAP * abs(solution.cost):
        return solution
    # what a looser bound gains is seen where controls are free
    return replace(
        solution, v=exact.v, cost=exact.cost, iterations=solution.iterations + exact.iterations,
        violation=exact.violation,
    )  # fmt: skip
