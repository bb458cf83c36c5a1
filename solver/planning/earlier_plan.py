"""An earlier plan at which a search begins."""

from __future__ import annotations

import json

import numpy as np

from ...blocks import LuffError
from ...blocks.errors import Problem
from ...blocks.text.data_files import named_file
from ...blocks.text.safe_read import file_content, shown
from .collocation import Grid, Motion, point_times
from .motion_plan import FORMAT, Plan
from .plan_file import PlanTask
from .plan_problem import PlanProblem
from .switching_grid import collocated


def earlier_plan(task: PlanTask, name: str) -> Plan:
    """Plan in the file `name`, which counts from the folder of the plan file."""
    try:
        path = named_file(task.path.resolve().parent, name, task.files, "a plan", "plan file")
        content = json.loads(file_content(path, "a plan") or b"")
        if not isinstance(content, dict) or FORMAT not in content:
            raise LuffError(f"{shown(path)} is another file, expected a plan (.json)")
        return Plan.from_dict(content)
    except LuffError as error:
        raise LuffError(problem.at(path="plan.warm_start") for problem in error.problems) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        problem = Problem(f"cannot read {shown(name)}, expected a plan that luff has written (.json)")
        raise LuffError(problem.at(path="plan.warm_start")) from None


def guess_from(earlier: Plan, problem: PlanProblem, grid: Grid, guess: Motion) -> Motion:
    """Guess from an earlier plan: its states and controls by their names, on this grid."""
    times = earlier.time
    T = float(np.clip(times[-1], *problem.duration))
    own = grid.times(np.full(1, T)) * times[-1] / T
    points = point_times(own)
    for case, x in zip(problem.cases, guess.states, strict=True):
        known = earlier.states.get(case.name) or next(iter(earlier.states.values()))
        for k, name in enumerate(case.points.state_names):
            if name in known:
                x[:, k] = collocated(times, known[name][:, None], points)[:, 0]
    wanted = own if problem.linear else 0.5 * (own[1:] + own[:-1])
    for k, name in enumerate(problem.controls):
        if name in earlier.controls:
            u = earlier.controls[name]
            at = times if len(u) == len(times) else 0.5 * (times[1:] + times[:-1])
            guess.controls[:, k] = np.interp(wanted, at, u)
    guess.durations[:] = T
    return guess
