"""IPOPT (Waechter and Biegler 2006) through the package `ipyopt`, which is the extra `plans`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...blocks import LuffError
from ...blocks.errors import Problem
from .plan_settings import TOLERANCE
from .transcription import Transcription

LOOSER = 100.0  # tolerance over that of optimality which an acceptable answer meets
FEASIBLE = 1e-7  # largest violation, scaled, at which an iterate keeps its constraints
# return codes of IPOPT (IpReturnCodes_inc.h)
OUTCOMES = {
    0: "finished", 1: "acceptable", 2: "infeasible", 3: "step", 4: "diverging", 5: "interrupted", 6: "finished",
    -1: "iterations", -2: "restoration", -3: "step", -4: "time", -5: "time",
}  # fmt: skip

Monitor = Callable[[int, float, float], bool]  # iteration, cost, largest violation -> go on


@dataclass
class Solution:
    """Variables, cost, multipliers and outcome of one solve."""

    v: np.ndarray
    cost: float
    outcome: str
    iterations: int
    multipliers: np.ndarray
    lower_multipliers: np.ndarray
    upper_multipliers: np.ndarray
    violation: float
    barrier: float

    @property
    def optimal(self) -> bool:
        return self.outcome in ("finished", "acceptable")

    @property
    def feasible(self) -> bool:
        return self.violation <= FEASIBLE


@dataclass
class BestSoFar:
    """Feasible iterate of least cost."""

    v: np.ndarray | None = None
    cost: float = np.inf


@dataclass
class Callbacks:
    """Functions that IPOPT calls; an error in one ends the solve and is raised afterwards."""

    problem: Transcription
    monitor: Monitor | None
    best: BestSoFar = field(default_factory=BestSoFar)
    error: BaseException | None = None
    iterations: int = 0
    barrier: float = 0.0

    def guarded(self, function: Callable[..., object]) -> Callable[..., Any]:
        def called(v: np.ndarray, *rest: Any) -> object:
            try:
                if self.error is None:
                    return function(v, *rest)
            except BaseException as error:
                self.error = error
            if rest and isinstance(rest[-1], np.ndarray):
                rest[-1][:] = np.nan
            return np.nan

        return called

    def each(self, *state: Any) -> bool:
        """Note an iterate; False ends the solve."""
        mode, self.iterations, cost, violation, _, self.barrier = state[:6]
        if self.error is not None:
            return False
        try:
            if mode == 0 and violation <= FEASIBLE and cost < self.best.cost and len(self.problem.accepted):
                self.best = BestSoFar(self.problem.accepted.copy(), float(cost))
            return self.monitor is None or self.monitor(self.iterations, float(cost), float(violation))
        except BaseException as error:
            self.error = error
            return False


def solve(
    problem: Transcription,
    v0: np.ndarray,
    scale: np.ndarray,
    iterations: int,
    monitor: Monitor | None = None,
    cost_scale: float = 1.0,
    warm: bool = False,
    tolerance: float = TOLERANCE,
) -> Solution:
    """Solve a transcribed plan; `scale` are the sizes of its variables, `tolerance` that of optimality."""
    ipyopt = imported()
    calls = Callbacks(problem, monitor)
    options: dict[str, int | float | str] = {
        "tol": tolerance, "max_iter": iterations, "print_level": 0, "sb": "yes", "mu_strategy": "adaptive",
        "option_file_name": "",  # no file of the current folder has a say
        "nlp_scaling_method": "user-scaling", "bound_relax_factor": 0.0, "constr_viol_tol": 1e-8,
        "acceptable_tol": LOOSER * tolerance, "acceptable_iter": 12, "honor_original_bounds": "yes",
    }  # fmt: skip
    if warm:
        options |= {"bound_push": 1e-6, "bound_frac": 1e-6, "mu_init": 1e-6, "mu_strategy": "monotone"}
    nlp = ipyopt.Problem(
        problem.size, problem.lower.copy(), problem.upper.copy(),
        len(problem.low), problem.low.copy(), problem.high.copy(),
        (problem.rows, problem.columns), (problem.hessian_rows, problem.hessian_columns),
        calls.guarded(problem.objective), calls.guarded(problem.gradient), calls.guarded(problem.constraints),
        calls.guarded(problem.jacobian), calls.guarded(problem.hessian),
        intermediate_callback=calls.each, ipopt_options=options,
    )  # fmt: skip
    nlp.set_problem_scaling(cost_scale, 1.0 / scale, problem.row_scale)
    v = np.clip(v0, problem.lower, problem.upper)
    duals = np.zeros(len(problem.low))
    low, high = np.zeros(problem.size), np.zeros(problem.size)
    v, cost, status = nlp.solve(v, mult_g=duals, mult_x_L=low, mult_x_U=high)
    if calls.error is not None and not isinstance(calls.error, KeyboardInterrupt):
        raise calls.error
    outcome = OUTCOMES.get(status, "failed")
    if isinstance(calls.error, KeyboardInterrupt):
        outcome = "interrupted"
    if outcome not in ("finished", "acceptable") and calls.best.v is not None:
        v, cost = calls.best.v, calls.best.cost
    violation = largest_violation(problem, v)
    return Solution(
        v.copy(), float(cost), outcome, calls.iterations, duals, low, high, violation, float(calls.barrier)
    )


def largest_violation(problem: Transcription, v: np.ndarray) -> float:
    """Largest violation of a constraint, over its size; infinite where one is no number."""
    values = np.empty(len(problem.low))
    problem.constraints(v, values)
    over = np.maximum(problem.low - values, values - problem.high) * problem.row_scale
    largest = float(np.max(over, initial=0.0))
    return largest if np.all(np.isfinite(values)) else np.inf


def imported() -> Any:
    """The package `ipyopt`; an error that names the extra where it is missing."""
    try:
        import ipyopt
    except ImportError:
        problem = Problem(
            "plans are solved by IPOPT, which is not installed", fix="pip install 'luff[plans]'"
        )
        raise LuffError(problem) from None
    return ipyopt
