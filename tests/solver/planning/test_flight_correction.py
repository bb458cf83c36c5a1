"""Sensitivities of a flown motion beside differences of SciPy's runs; the least change beside closed forms."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import luff
from luff.solver.planning.collocation import Grid
from luff.solver.planning.flight_sensitivities import flown_sensitivities
from luff.solver.planning.least_change import least_change

from .models import TROLLEY


@pytest.mark.parametrize("linear", [True, False])
def test_sensitivities_are_those_of_differences(linear: bool) -> None:
    """A pendulum x'' = u - sin x - 0.1 x' on two arcs, by its controls and by the durations of both."""
    grid = Grid(np.array([0, 0, 1]), np.array([0.5, 0.5, 1.0]))
    durations, rows = np.array([1.2, 0.8]), 401
    u0 = np.array([0.7, -0.4, 0.3, 0.9]) if linear else np.array([0.7, -0.4, 0.3])

    def flown(p: np.ndarray) -> np.ndarray:
        u, ends = p[: len(u0)], grid.times(p[len(u0) :])
        x, found = np.array([0.2, 0.0]), [np.array([0.2, 0.0])]
        # rows have the same places in their arcs
        own = np.interp(np.linspace(0.0, 2.0, rows), grid.times(durations), ends)
        for a, b in pairwise(own):
            k = min(np.searchsorted(ends, 0.5 * (a + b)) - 1, 2)
            held = lambda t, k=k: np.interp(t, ends, u) if linear else u[k]  # noqa: E731
            law = lambda t, x, held=held: [x[1], held(t) - np.sin(x[0]) - 0.1 * x[1]]  # noqa: E731
            x = solve_ivp(law, (a, b), x, rtol=1e-11, atol=1e-13).y[:, -1]
            found.append(x)
        return np.array(found)

    p = np.concatenate([u0, durations])
    x = flown(p)
    J = np.zeros((rows, 2, 3))
    J[:, 0, 1], J[:, 1, 0], J[:, 1, 1], J[:, 1, 2] = 1.0, -np.cos(x[:, 0]), -0.1, 1.0
    S = flown_sensitivities(grid, durations, np.linspace(0.0, 2.0, rows), x, J, linear)
    for k in range(len(p)):
        step = np.zeros(len(p))
        step[k] = 1e-4
        slope = (flown(p + step) - flown(p - step)) / 2e-4
        # rows of 5 ms: the square of their length in slopes of size one
        assert np.max(abs(S[:, :, k] - slope)) < 2.5e-5 * (1.0 + np.max(abs(slope)))


def test_least_change_meets_a_plane_within_bounds() -> None:
    """q1 + q2 = 2 by equal shares; a dear one moves less; a bound leaves the rest to the other."""
    A, level = np.ones((1, 2)), (np.array([2.0]), np.array([2.0]))
    free = (np.full(2, -9.0), np.full(2, 9.0))
    assert least_change(np.ones(2), free, A, level) == pytest.approx([1.0, 1.0], abs=1e-7)
    assert least_change(np.array([3.0, 1.0]), free, A, level) == pytest.approx([0.5, 1.5], abs=1e-7)
    bound = (np.full(2, -9.0), np.array([0.25, 9.0]))
    assert least_change(np.ones(2), bound, A, level) == pytest.approx([0.25, 1.75], abs=1e-7)
    at_least = (np.array([1.0]), np.array([np.inf]))
    assert least_change(np.ones(2), free, A, at_least) == pytest.approx([0.5, 0.5], abs=1e-7)


def test_limits_that_clash_have_no_change() -> None:
    A, low = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1.0, 1.0])
    assert least_change(np.ones(2), (np.full(2, -9.0), np.full(2, 9.0)), A, (low, np.full(2, np.inf))) is None
    one = np.array([[1.0, 1.0]])
    assert (
        least_change(np.ones(2), (np.zeros(2), np.ones(2)), one, (np.array([3.0]), np.array([3.0]))) is None
    )


def test_corrected_plan_switches_where_its_controls_do() -> None:
    """Two intervals in the first and in the last arc: the runs lengthen arcs, by different shares."""
    made = luff.plan(
        {
            "model": luff.loads(TROLLEY),
            "plan": {
                "controls": {"accel": {"lower": -1, "upper": 1}},
                "end": {"trolley.position": "10 m", "at_rest": True},
                "duration": {"upper": 20},
                "intervals": 6,
            },
        }
    )
    assert any("are corrected by the runs" in remark for remark in made.remarks)
    u = made.controls["accel"]
    jumps = made.time[1:-1][abs(np.diff(u)) > 1.0]
    # rounding of sums
    assert made.switches == pytest.approx(jumps, rel=1e-12)
