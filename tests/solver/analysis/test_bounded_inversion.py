"""Bounded inversion of an arm with a passive joint, against filters both ways and against equations by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import luff
from luff.solver.analysis.bounded_inversion import bounded_inversion

ARM = """
luff: 1
blocks:
  law: {type: motion_law, law: poly7, start: 1 s, duration: 1 s, end_value: GOAL, unit: rad}
  world: {gravity: [0, 0, 0]}
  shoulder: {type: revolute, axis: z}
  inner: {type: rigid_link, mass: 2, com: [0.25, 0, 0], inertia: [0, 0.05, 0.05], frame_b: {at: [0.5, 0, 0]}}
  elbow: {type: revolute, axis: z, stiffness: 40, damping: 0.4, guess: {position: 0}}
  outer: {type: rigid_link, mass: 1, com: [0.25, 0, 0], inertia: [0, 0.02, 0.02]}
  keep: {type: programmed_constraint, joints: [shoulder, elbow], relation: "x + 2*y", realised_by: [shoulder]}
connect:
  - law.y -> keep.target
  - world.frame -- shoulder.frame_a
  - shoulder.frame_b -- inner.frame_a
  - inner.frame_b -- elbow.frame_a
  - elbow.frame_b -- outer.frame_a
simulation: {stop: STOP, step: 1 ms, constraints: {dependent: [shoulder]}}
"""
J12, J22, C, K = 0.02 + 0.25**2 + 0.5 * 0.25, 0.02 + 0.25**2, 0.4, 40.0


def plan(goal: float, stop: str = "4 s") -> luff.Result:
    return bounded_inversion(
        luff.compile(luff.loads(ARM.replace("GOAL", str(goal)).replace("STOP", stop)))
    ).result


def test_a_small_motion_is_what_filters_forwards_and_backwards_give() -> None:
    """(J22 - 2 J12) y'' + c y' + k y = -J12 r'', its decaying part from the start, its growing part from the end."""
    goal = 1e-4
    found = plan(goal)
    t = found.time
    inertia = J22 - 2 * J12
    grows, decays = sorted(np.roots([inertia, C, K]).real, reverse=True)

    def pull(at: float) -> float:
        u = min(max(at - 1.0, 0.0), 1.0)
        return goal * u * u * (420 + u * (-1680 + u * (2100 - 840 * u)))

    ways = {"rtol": 1e-11, "atol": 1e-22, "method": "DOP853", "max_step": 0.02}
    ahead = solve_ivp(lambda at, y: decays * y + pull(at), (0, 4), [0], t_eval=t, **ways).y[0]
    back = solve_ivp(lambda at, y: grows * y + pull(at), (4, 0), [0], t_eval=t[::-1], **ways).y[0][::-1]
    known = -J12 / (inertia * (grows - decays)) * (back - ahead)
    # the arm's own terms of third order are of the size of goal^3, and 1e-9 rad/s the tolerance of rates
    assert found["elbow.position"] == pytest.approx(known, abs=1e-11 + 10 * goal**3)
    # it moves before the target does, and only as early as the growing root says
    before = np.interp(0.9, t, abs(found["elbow.position"]))
    assert before > 1e-3 * abs(known).max()
    assert np.interp(0.5, t, known) / np.interp(0.9, t, known) == pytest.approx(
        np.exp(-0.4 * grows), rel=1e-4
    )


def test_a_large_motion_flies_by_equations_by_hand() -> None:
    """With the shoulder as planned the elbow, by its own equation, meets the target, and nothing swings after."""
    found = plan(1.5)
    t, x, y = found.time, found["shoulder.position"], found["elbow.position"]
    assert x + 2 * y == pytest.approx(found["law.y"], abs=1e-10)
    shoulder = CubicSpline(t, found["shoulder.velocity"])

    def rates(at: float, s: np.ndarray) -> list[float]:
        q, w = s
        swing = shoulder(at)
        push = -(J22 + 0.125 * np.cos(q)) * shoulder(at, 1) - 0.125 * np.sin(q) * swing * swing
        return [w, float(push - C * w - K * q) / J22]

    start = [y[0], found["elbow.velocity"][0]]
    flown = solve_ivp(rates, (0, 4), start, "DOP853", t, rtol=1e-10, atol=1e-12, max_step=0.01).y[0]
    # the spline of a table of 1 ms, and the tolerance of the plan
    assert flown == pytest.approx(y, abs=1e-7)
    assert abs(flown[t > 3.5]).max() < 1e-6 * 1.5
    assert abs(y).max() > 0.03


PENDULUM = """  pin: {type: revolute, axis: z}
  bob: {type: rigid_link, mass: 1, com: [0.25, 0, 0]}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- bob.frame_a"""


def test_what_has_no_bounded_inversion_is_told() -> None:
    text = ARM.replace("GOAL", "0.1").replace("STOP", "4 s")
    for old, new, told in (
        ("start: 1 s, duration: 1 s", "start: 1 s, duration: 9 s", "the target moves at t = 4 s"),
        ("realised_by: [shoulder]", "realised_by: ideal", "found no drives"),
        ("stiffness: 40, damping: 0.4, ", "", "lies on the imaginary axis"),
        ("connect:", PENDULUM, "found another mechanism beside the one"),
    ):
        with pytest.raises(luff.LuffError, match=told):
            bounded_inversion(luff.compile(luff.loads(text.replace(old, new))))
