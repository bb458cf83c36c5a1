"""IPOPT (Waechter and Biegler 2006) through the package `ipyopt`, which is the extra `plans`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...blocks import LuffError
from ...blocks.errors import Problem
from .plan_settings import TOLERANCE
from .scaled_program import ScaledProgram
from .transcription import Transcription

LOOSER = 100.0  # tolerance over that of optimality which an acceptable answer meets
FEASIBLE = 1e-7  # largest violation, scaled, at which an iterate keeps its constraints, at least
MET = 0.1  # violation that a search ends at, over the one at which an iterate keeps its constraints
# return codes of IPOPT (IpReturnCodes_inc.h)
OUTCOMES = {
    0: "finished", 1: "acceptable", 2: "infeasible", 3: "step", 4: "diverging", 5: "interrupted", 6: "finished",
    -1: "iterations", -2: "restoration", -3: "step", -4: "time", -5: "time",
}  # fmt: skip

# parameter of the barrier: from a motion it is small, so that the search stays near it, and never rises again
BEGINNINGS: dict[str, dict[str, float | str]] = {
    "guess": {"mu_strategy": "adaptive"},
    "motion": {"mu_strategy": "monotone", "mu_init": 1e-3},
    "solution": {"mu_strategy": "monotone", "mu_init": 1e-6, "bound_push": 1e-6, "bound_frac": 1e-6},
}

# iteration, cost, largest violation and its row where it is not kept -> go on
Monitor = Callable[[int, float, float, str], bool]


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
    tolerance: float  # violation at which constraints are kept

    @property
    def optimal(self) -> bool:
        return self.outcome in ("finished", "acceptable")

    @property
    def feasible(self) -> bool:
        return self.violation <= self.tolerance


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
    cost_scale: float = 1.0
    feasible: float = FEASIBLE
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
        cost /= self.cost_scale
        if self.error is not None:
            return False
        try:
            if (
                mode == 0
                and violation <= self.feasible
                and cost < self.best.cost
                and len(self.problem.accepted)
            ):
                self.best = BestSoFar(self.problem.accepted.copy(), float(cost))
            if self.monitor is None:
                return True
            open_ = not violation <= self.feasible and len(self.problem.accepted)
            worst = self.problem.worst_row(self.problem.accepted) if open_ else ""
            return self.monitor(self.iterations, float(cost), float(violation), worst)
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
    begin: str = "guess",
    tolerance: float = TOLERANCE,
) -> Solution:
    """Solve a transcribed plan; `scale` are the sizes of its variables, `tolerance` that of optimality.

    It begins at a smooth `guess`, at a `motion` that the model makes, or at a `solution` of a program like this one.
    """
    ipyopt = imported()
    feasible = feasible_at(tolerance)
    calls = Callbacks(problem, monitor, cost_scale, feasible)
    options: dict[str, int | float | str] = {
        "tol": tolerance, "max_iter": iterations, "print_level": 0, "sb": "yes",
        "option_file_name": "",  # no file of the current folder has a say
        "nlp_scaling_method": "none", "bound_relax_factor": 0.0, "constr_viol_tol": MET * feasible,
        "acceptable_constr_viol_tol": feasible, "acceptable_tol": LOOSER * tolerance,
        "acceptable_iter": 12, "honor_original_bounds": "yes", **BEGINNINGS[begin],
    }  # fmt: skip
    problem.balance_rows(v0, scale)
    scaled = ScaledProgram(problem, scale, cost_scale)
    lower, upper, low, high = scaled.bounds()
    nlp = ipyopt.Problem(
        problem.size, lower, upper, len(low), low, high,
        (problem.rows, problem.columns), (problem.hessian_rows, problem.hessian_columns),
        calls.guarded(scaled.objective), calls.guarded(scaled.gradient), calls.guarded(scaled.constraints),
        calls.guarded(scaled.jacobian), calls.guarded(scaled.hessian),
        intermediate_callback=calls.each, ipopt_options=options,
    )  # fmt: skip
    duals, z_lower, z_upper = np.zeros(len(low)), np.zeros(problem.size), np.zeros(problem.size)
    w, cost, status = nlp.solve(
        np.clip(v0 / scale, lower, upper), mult_g=duals, mult_x_L=z_lower, mult_x_U=z_upper
    )
    v, cost = scaled.variables(w), cost / cost_scale
    if calls.error is not None and not isinstance(calls.error, KeyboardInterrupt):
        raise calls.error
    outcome = OUTCOMES.get(status, "failed")
    if isinstance(calls.error, KeyboardInterrupt):
        outcome = "interrupted"
    if outcome not in ("finished", "acceptable") and calls.best.v is not None:
        v, cost = calls.best.v, calls.best.cost
    violation = float(np.max(problem.violations(v), initial=0.0))
    return Solution(
        v.copy(), float(cost), outcome, calls.iterations, *scaled.multipliers(duals, z_lower, z_upper),
        violation, float(calls.barrier), feasible,
    )  # fmt: skip


def feasible_at(tolerance: float) -> float:
    """Largest violation, scaled, at which an iterate keeps its constraints, by the tolerance of optimality."""
    return max(FEASIBLE, 0.1 * tolerance)


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
