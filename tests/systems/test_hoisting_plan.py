"""The plan of a hoisting crane, flown by the equation of a pendulum whose pivot and length move."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import make_interp_spline

import luff

PAGE = Path(luff.__file__).resolve().parent / "docs" / "overhead_crane.md"


def test_the_load_hangs_still_after_a_plan_that_another_program_flies() -> None:
    text = PAGE.read_text("utf-8").partition('title="hoisting_planner.yaml"\n')[2].partition("```")[0]
    plan = luff.compile(luff.loads(text)).run(output_step=1e-3)
    t, g, m, damping = plan.time, 9.81, 500.0, 175.0
    speed, length = (make_interp_spline(t, plan[name], 5) for name in ("trolley.velocity", "hoist.position"))
    pull, hoists = speed.derivative(), length.derivative()

    def rates(at: float, s: np.ndarray) -> list[float]:
        q, w = s
        far = float(length(at))
        turn = -(float(pull(at)) * np.cos(q) + g * np.sin(q) + 2.0 * float(hoists(at)) * w) / far
        return [w, turn - damping * w / (m * far * far)]

    flown = solve_ivp(rates, (0, 8), [0, 0], "DOP853", t, rtol=1e-11, atol=1e-13, max_step=0.02).y[0]
    x = plan["trolley.position"] + plan["hoist.position"] * np.sin(flown)
    z = -plan["hoist.position"] * np.cos(flown)
    stroke, after = 3.0, t >= 4.5
    assert np.ptp(x[after]) < 1e-6 * stroke
    assert np.ptp(z[after]) < 1e-6 * stroke
    # all along it is beta that the load is off by
    assert abs(x - plan["across.y"]).max() < 1e-4
    assert abs(flown).max() > 0.1
