"""Words for a plan that cannot be met: the elastic program, whose least sum of violations says which limits clash.

Each wanted end and each limit may be missed by a slack, and the sum of the slacks over their sizes is minimised; what
the model and the controls' bounds demand is kept. The optimum is local, as every optimum of a nonlinear program here.
"""

from __future__ import annotations

import numpy as np

from .collocation import Grid, Motion
from .interior_point import Monitor, Solution, solve
from .plan_problem import PlanProblem
from .transcription import Transcription

SHOWN = 3  # clashes that are named
SMALL = 1e-6  # slack over its size that counts as kept


def elastic_solution(
    problem: PlanProblem, grid: Grid, guess: Motion, iterations: int, monitor: Monitor | None
) -> tuple[Transcription, Solution]:
    """Motion with the least sum of violations."""
    nlp = problem.transcribed(grid, elastic=True)
    v0 = nlp.joined(guess)
    v0[nlp.s_first :] = [0.1 * slack.size for slack in nlp.slacks]
    sizes = nlp.sizes(problem.reference, float(guess.durations.sum()))
    return nlp, solve(nlp, v0, sizes, iterations, monitor)


def violation_words(problem: PlanProblem, nlp: Transcription, solution: Solution) -> list[str]:
    """Violations in words, each with its amount, the largest first."""
    units = problem.unit
    found: dict[str, tuple[float, str]] = {}
    for k, slack in enumerate(nlp.slacks):
        c, name, side, size = slack.case, slack.name, slack.side, slack.size
        value = float(solution.v[nlp.s_first + k])
        if value / size <= SMALL:
            continue
        unit = units.get(name, "")
        case = f" in the case {nlp.cases[c].name}" if nlp.cases[c].name else ""
        amount = f"{value:.3g} {unit}".rstrip()
        if "rest" in side:
            words = f"{name} does not come to rest: its rate is {value:.3g} {unit + '/s' if unit else '1/s'}{case}"
        elif "end" in side:
            words = f"{name} misses its end by {amount}{case}"
        else:
            words = f"{name} cannot keep its {side} limit: {amount} beyond it{case}"
        found[f"{name} {side.split()[0]}{case}"] = max(
            found.get(f"{name} {side.split()[0]}{case}", (0.0, "")), (value / size, words)
        )
    return [words for _, words in sorted(found.values(), reverse=True)[:SHOWN]]


def kept(nlp: Transcription, solution: Solution) -> bool:
    """True if the elastic program found a motion without violations."""
    slack = solution.v[nlp.s_first :] / np.array([one.size for one in nlp.slacks])
    return solution.feasible and bool(np.all(slack <= SMALL))
