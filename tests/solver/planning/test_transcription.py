"""Derivatives of transcribed plans beside central differences, on linear and constant controls, arcs and slacks."""

from __future__ import annotations

import numpy as np
import pytest

import luff
from luff.solver.planning.collocation import Grid
from luff.solver.planning.first_guess import first_guess
from luff.solver.planning.plan_file import load
from luff.solver.planning.plan_problem import PlanProblem, make_problem
from luff.solver.planning.scaled_program import ScaledProgram
from luff.solver.planning.transcription import Transcription

from .models import TROLLEY

PLAN = {
    "controls": {"accel": {"lower": -1, "upper": 1}},
    "end": {"trolley.position": 10, "at_rest": True},
    "limits": {"pin.position": {"lower": -0.3}, "trolley.required_effort": {"upper": "2 kN"}},
    "least": {
        "time": 1,
        "energy": 1e-3,
        "squares": {"pin.velocity": 0.5, "trolley.required_effort": 1e-6, "accel": 0.1},
    },
    "cases": {"short": {"rope": 4}, "long": {"rope": 7}},
}


@pytest.fixture(scope="module")
def problem() -> PlanProblem:
    return make_problem(load({"model": luff.loads(TROLLEY), "plan": PLAN}))


@pytest.mark.parametrize("elastic", [False, True])
@pytest.mark.parametrize("linear", [False, True])
def test_derivatives_are_those_of_differences(problem: PlanProblem, linear: bool, elastic: bool) -> None:
    problem.linear = linear
    grid = Grid(np.array([0, 0, 1, 1, 1]), np.array([0.5, 0.5, 0.2, 0.3, 0.5]))
    bounds = (problem.lower, problem.upper)
    nlp = Transcription(problem.cases, grid, linear, bounds, (1.0, 30.0), 1.0, elastic)
    guess = first_guess(problem, grid)
    guess.durations = np.array([3.0, 5.0])
    draw = np.random.default_rng(3)
    v = nlp.joined(guess) + 0.05 * draw.standard_normal(nlp.size)
    way, multipliers = draw.standard_normal(nlp.size), draw.standard_normal(len(nlp.low))
    step = 1e-5

    def rows(v: np.ndarray) -> np.ndarray:
        out = np.empty(len(nlp.low))
        nlp.constraints(v, out)
        return out

    def slope(v: np.ndarray) -> np.ndarray:
        """Gradient of the Lagrangian, from the Jacobian."""
        entries, out = np.empty(len(nlp.rows)), np.empty(nlp.size)
        nlp.jacobian(v, entries)
        nlp.gradient(v, out)
        out *= 0.7
        np.add.at(out, nlp.columns, entries * multipliers[nlp.rows])
        return out

    def lagrangian(v: np.ndarray) -> float:
        return 0.7 * nlp.objective(v) + float(multipliers @ rows(v))

    # central differences of values: the square of the step times third derivatives, over sizes of 1e3
    exact = slope(v)
    near = (lagrangian(v + step * way) - lagrangian(v - step * way)) / (2 * step)
    assert float(exact @ way) == pytest.approx(near, rel=1e-7, abs=1e-5)

    entries = np.empty(len(nlp.hessian_rows))
    nlp.hessian(v, multipliers, 0.7, entries)
    curved = np.zeros(nlp.size)
    np.add.at(curved, nlp.hessian_rows, entries * way[nlp.hessian_columns])
    off = nlp.hessian_rows != nlp.hessian_columns
    np.add.at(curved, nlp.hessian_columns[off], (entries * way[nlp.hessian_rows])[off])
    near = (slope(v + step * way) - slope(v - step * way)) / (2 * step)
    # forward differences of 1e-6 within the Hessian
    assert curved == pytest.approx(near, abs=2e-5 * np.max(abs(near)))


def test_rows_are_measured_by_what_moves_them(problem: PlanProblem) -> None:
    """No size of a variable changes a row by more than its size, and what is infinite for IPOPT stays so."""
    problem.linear = True
    grid = Grid.uniform(5)
    nlp = Transcription(problem.cases, grid, True, (problem.lower, problem.upper), (1.0, 30.0), 1.0)
    v = nlp.joined(first_guess(problem, grid))
    before = nlp.row_scale.copy()
    sizes = np.full(nlp.size, 1e3)
    nlp.balance_rows(v, sizes)
    entries, change = np.empty(len(nlp.rows)), np.zeros(len(nlp.low))
    nlp.jacobian(v, entries)
    np.maximum.at(change, nlp.rows, abs(entries) * sizes[nlp.columns] * nlp.row_scale[nlp.rows])
    assert np.max(change) < 1.0 + 1e-12
    assert np.all((nlp.row_scale == before) | (change > 1.0 - 1e-12))
    for scaled, bound in zip(
        ScaledProgram(nlp, sizes, 1.0).bounds(), (nlp.lower, nlp.upper, nlp.low, nlp.high), strict=True
    ):
        assert np.array_equal(abs(scaled) >= 1e19, abs(bound) >= 1e19)  # IPOPT's infinity
    assert np.any(nlp.upper >= 1e19)


def test_collocation_has_order_five() -> None:
    """Stiffly accurate: x' = -x + cos t over one second, by 4 and 8 intervals."""
    from luff.solver.planning.collocation import NODES, RADAU

    def end(count: int) -> float:
        x, h = 0.0, 1.0 / count
        for k in range(count):
            forced = np.cos(h * (k + NODES))
            x = np.linalg.solve(np.eye(3) + h * RADAU, x + h * RADAU @ forced)[2]
        return x

    exact = 0.5 * (np.cos(1.0) + np.sin(1.0) - np.exp(-1.0))
    order = np.log2(abs(end(4) - exact) / abs(end(8) - exact))
    assert order == pytest.approx(5.0, abs=0.2)
