"""A plan that its runs confirm: flown, and its controls corrected by these runs as long as they miss something."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .collocation import Case, Motion
from .confirmation import doubts, rates_on_the_way
from .flight import Flown, fly_case
from .flight_correction import corrected
from .plan_problem import PlanProblem
from .rest_motions import highest_frequency, resting
from .switching_grid import moved_to
from .transcription import Transcription

MOST_PARTS = 8  # of an interval of the controls, for a correction that brings faster motions to rest
CORRECTIONS = 5  # most corrections of the controls by the runs that flew them


def final_states(case: Case, x: np.ndarray) -> dict[str, float]:
    """Final states by name."""
    return dict(zip(case.points.state_names, x[-1].tolist(), strict=True))


def fly(
    problem: PlanProblem, cases: list[Case], nlp: Transcription, motion: Motion, largest: list[np.ndarray]
) -> list[Flown]:
    """Runs of the cases under the controls of a motion; `largest` are the rates on the way that vanish at rest."""
    times, rest = nlp.grid.times(motion.durations), motion.rest if nlp.rests else None
    return [
        fly_case(problem, case, motion, times, rest, final_states(case, x), rates)
        for case, x, rates in zip(cases, motion.states, largest, strict=True)
    ]


def confirmed(
    problem: PlanProblem,
    nlp: Transcription,
    motion: Motion,
    flown: list[Flown],
    rates: list[np.ndarray],
    go: Callable[[str], bool],
) -> tuple[Transcription, Motion, list[Flown]] | None:
    """Corrected motion and the runs that confirm it, all of whose motions rest; None after a few corrections.

    `rates` are those of the states along the plan, by case.
    """
    longest, parts, cases = float(np.max(np.diff(nlp.grid.times(motion.durations)))), 1, [*problem.cases]
    for c, (case, x) in enumerate(zip(problem.cases, motion.states, strict=True)):
        if case.faster:
            z = np.concatenate([x[-1], motion.rest])
            cases[c] = resting(case, z, np.inf)
            parts = max(parts, min(MOST_PARTS, int(np.ceil(longest * highest_frequency(case, z) / np.pi))))
    largest = [rates_on_the_way(case, f) for case, f in zip(cases, rates, strict=True)]
    if parts > 1:
        grid = nlp.grid.divided(parts)
        motion = moved_to(motion, nlp.grid, grid, motion.durations, problem.linear)
        nlp = problem.transcribed(grid)
    for k in range(CORRECTIONS):
        if any(one.problem for one in flown) or not go(f"correction {k + 1} by the run"):
            return None
        better = corrected(problem, cases, nlp, motion, flown)
        if better is None:
            return None
        motion = better
        flown = fly(problem, cases, nlp, motion, largest)
        if not [*doubts(cases, flown)]:
            return nlp, motion, flown
    return None
