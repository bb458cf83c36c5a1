"""The plan of a hoisting crane, flown by the equation of a pendulum whose pivot and length move."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import make_interp_spline

import luff

MODEL = Path(luff.__file__).resolve().parent / "library" / "crane_hoisting_plan.yaml"


def test_the_load_hangs_still_after_a_plan_that_another_program_flies() -> None:
    plan = luff.compile(MODEL).run(output_step=1e-3)
    t, g, m, damping = plan.time, 9.81, 500.0, 175.0
    speed, length = (
        make_interp_spline(t, plan[name], 5) for name in ("trolley_plan.velocity", "hoist_plan.position")
    )
    pull, hoists = speed.derivative(), length.derivative()

    def rates(at: float, s: np.ndarray) -> list[float]:
        q, w = s
        far = float(length(at))
        turn = -(float(pull(at)) * np.cos(q) + g * np.sin(q) + 2.0 * float(hoists(at)) * w) / far
        return [w, turn - damping * w / (m * far * far)]

    flown = solve_ivp(rates, (0, 8), [0, 0], "DOP853", t, rtol=1e-11, atol=1e-13, max_step=0.02).y[0]
    x = plan["trolley_plan.position"] + plan["hoist_plan.position"] * np.sin(flown)
    z = -plan["hoist_plan.position"] * np.cos(flown)
    stroke, after = 3.0, t >= 4.5
    assert np.ptp(x[after]) < 1e-6 * stroke
    assert np.ptp(z[after]) < 1e-6 * stroke
    # all along it is beta that the load is off by
    assert abs(x - plan["across.y"]).max() < 1e-4
    assert abs(flown).max() > 0.1
    # the crane itself, which its plan leads along
    assert abs(plan["place.position"][:, 0] - x).max() < 1e-6 * stroke
    assert abs(plan["place.position"][:, 2] - z).max() < 1e-6 * stroke


def test_what_is_planned_does_not_know_the_crane_that_flies_it() -> None:
    """Roots of the plan alone: (1 - beta) m h^2 s^2 + c s + m g h = 0 at rest, whatever swings beside it."""
    for beta in (0.9999, 1.0001):
        found = luff.internal_dynamics(luff.compile(MODEL, beta=beta, heavier=1.5))
        assert found is not None
        h = 5 / beta  # the point hangs 5 m below the trolley
        known = np.roots([(1 - beta) * 500 * h * h, 175, 500 * 9.81 * h])
        assert np.sort_complex(found.eigenvalues) == pytest.approx(np.sort_complex(known), rel=1e-6)
        assert found.stability == ("unstable" if beta > 1 else "stable")
