"""Trajectories within limits: against closed forms, linear programmes for the least time, and steps of any length."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

import luff
from luff.blocks.planning.trajectory_limiter import (
    ACCELERATION,
    DURATIONS,
    ENTRIES,
    RATE,
    VALUE,
    plan_values,
    replan,
)

NETLIST = """luff: 1
blocks:
  goal: {type: table, data: [[0, 2], [1.999, 2], [2, -1], [2.999, -1], [3, 0.5], [20, 0.5]]}
  hold: {type: zero_order_hold, sample_time: 0.5 s}
  it: {type: trajectory_limiter, speed: 1.5, acceleration: 2, jerk: 6}
  parts: {type: split_trajectory}
connect: [goal.y -> hold.u, hold.y -> it.u, it.y -> parts.u]
outputs: {p: parts.value, v: parts.rate, a: parts.acceleration}
simulation: {stop: 8 s, step: 0.5 s, output_step: 0.5 s}
"""


def duration(plan: np.ndarray) -> float:
    return float(plan[DURATIONS : DURATIONS + 7].sum())


def test_from_rest_to_rest_takes_the_time_of_the_closed_form() -> None:
    for way, speed, acceleration, jerk, lasts in (
        (10.0, 1.0, 2.0, 8.0, 10 / 1 + 1 / 2 + 2 / 8),  # travel, and full acceleration
        (1.0, 10.0, 100.0, 4.0, 4 * (1 / (2 * 4.0)) ** (1 / 3)),  # jerk alone: way = 2 j (T/4)^3
        (1.0, 10.0, 1.0, 1e6, 2.0),  # nearly without jerk: 2 sqrt(way / a)
    ):
        plan = np.zeros(ENTRIES)
        replan(plan, 0.0, way, speed, acceleration, jerk, 1.0, 0.0)
        assert duration(plan) == pytest.approx(lasts, rel=1e-5 if jerk == 1e6 else 1e-12)
        assert plan_values(plan, 2 * lasts, 1.0) == (way, 0.0, 0.0)


def test_any_chain_of_targets_keeps_the_limits_and_arrives() -> None:
    draw = random.Random(1)
    for _ in range(300):
        speed, acceleration, jerk = (10 ** draw.uniform(-1, 1) for _ in range(3))
        plan, t = np.zeros(ENTRIES), 0.0
        for _ in range(4):
            goal = draw.uniform(-5, 5)
            before = plan_values(plan, t, 1.0) if t else (0.3, 0.0, 0.0)
            replan(plan, t, goal, speed, acceleration, jerk, 1.0, 0.3)
            assert plan_values(plan, t, 1.0) == pytest.approx(before, abs=1e-12)
            times = t + np.linspace(0, duration(plan), 40)
            _, v, a = np.array([plan_values(plan, s, 1.0) for s in times]).T
            assert abs(v).max() <= speed * (1 + 1e-12)
            assert abs(a).max() <= acceleration * (1 + 1e-12)
            assert np.all(abs(np.diff(a)) <= jerk * np.diff(times) * (1 + 1e-9) + 1e-12)
            # just before its end it is where it then stays
            near = plan_values(plan, t + duration(plan) * (1 - 1e-12), 1.0)
            assert near == pytest.approx((goal, 0.0, 0.0), abs=1e-9)
            t += draw.uniform(0, 1.2) * duration(plan)


def reachable(plan: np.ndarray, goal: float, limits: tuple[float, float, float], time: float) -> bool:
    """Whether some jerk, constant on 150 stretches, brings the start to rest at the goal in this time."""
    speed, acceleration, jerk = limits
    n = 150
    h = time / n
    step = np.array([[1, h, h * h / 2], [0, 1, h], [0, 0, 1]])
    push = np.array([h**3 / 6, h * h / 2, h])
    state, moved = plan[[VALUE, RATE, ACCELERATION]].copy(), np.zeros((3, n))
    rows, bounds = [], []
    for k in range(n):
        state, moved = step @ state, step @ moved
        moved[:, k] += push
        for part, most in ((1, speed), (2, acceleration)):
            for sign in (1, -1):
                rows.append(sign * moved[part].copy())
                bounds.append(most - sign * state[part])
    plan_told = linprog(
        np.zeros(n),
        A_ub=rows,
        b_ub=bounds,
        A_eq=moved,
        b_eq=np.array([goal, 0, 0]) - state,
        bounds=(-jerk, jerk),
    )
    return plan_told.status == 0


def test_no_motion_within_the_limits_is_quicker() -> None:
    draw = random.Random(3)
    for _ in range(9):
        limits = (draw.uniform(0.5, 2), draw.uniform(0.5, 2), draw.uniform(1, 5))
        plan = np.zeros(ENTRIES)
        replan(plan, 0.0, draw.uniform(-3, 3), *limits, 1.0, 0.0)
        goal = draw.uniform(-3, 3)
        replan(plan, draw.uniform(0.1, 0.9) * duration(plan), goal, *limits, 1.0, 0.0)
        # 3 %: what the stretches of the programme cost it
        assert reachable(plan, goal, limits, 1.03 * duration(plan))
        assert not reachable(plan, goal, limits, 0.97 * duration(plan))


def test_long_steps_give_the_same_numbers_as_short_ones() -> None:
    long, short = (
        luff.compile(luff.loads(NETLIST)).run(step=step, output_step=0.5) for step in (0.5, 1 / 512)
    )
    for name in "pva":
        np.testing.assert_allclose(long[name], short[name], rtol=0, atol=1e-13)
    assert long["p"][-1] == 0.5
    assert np.ptp(long["p"]) > 1.9


def test_a_speed_is_followed_and_kept() -> None:
    text = NETLIST.replace("jerk: 6}", "jerk: 6, of: speed, initial: 1}")
    result = luff.compile(luff.loads(text)).run(step=1 / 64, output_step=1 / 64)
    at = lambda name, t: float(result[name][round(64 * t)])  # noqa: E731
    # 2 is beyond the greatest speed; from rest to 1.5 takes 1.5 / 2 + 2 / 6
    assert at("v", 1.5 / 2 + 2 / 6 + 1 / 64) == 1.5
    assert at("v", 1.0) < 1.5
    assert at("v", 8.0) == pytest.approx(0.5, abs=1e-15)
    assert at("p", 2.0) == pytest.approx(1 + 1.5 * (2 - 0.5 * (1.5 / 2 + 2 / 6)), abs=1e-12)
    np.testing.assert_allclose(
        np.gradient(result["p"], result.time)[5:-5], result["v"][5:-5], atol=2e-3
    )  # differences over 1/32 s of a jerk of 6


def test_a_snapshot_and_an_fmu_give_the_same_bits(tmp_path: Path) -> None:
    import fmpy

    session = luff.compile(luff.loads(NETLIST)).start(step=1 / 64)
    for _ in range(150):
        session.step()
    mark = session.snapshot()
    first = [np.array(session.step()) for _ in range(200)]
    session.restore(mark)
    np.testing.assert_array_equal([np.array(session.step()) for _ in range(200)], first)

    luff.export_fmu(luff.loads(NETLIST), tmp_path / "t.fmu")
    rows = fmpy.simulate_fmu(
        str(tmp_path / "t.fmu"), stop_time=8, output_interval=0.5, output=["p", "v", "a"]
    )
    result = luff.compile(luff.loads(NETLIST)).run()
    for name in "pva":
        np.testing.assert_array_equal(rows[name], result[name])


def test_it_drives_a_joint_whose_motion_is_given() -> None:
    """The effort of a prescribed slide is its mass times the acceleration that the plan has."""
    text = """luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  goal: {type: step, height: 1, start: 0.1 s}
  it: {type: trajectory_limiter, speed: 1, acceleration: 2, jerk: 20}
  slide: {type: prismatic, axis: x, driven: true}
  load: {type: rigid_link, mass: 3, inertia: [1, 1, 1]}
connect: [world.frame -- slide.frame_a, slide.frame_b -- load.frame_a, goal.y -> it.u, it.y -> slide.follow]
simulation: {stop: 2 s, step: 5 ms, output_step: 5 ms}
record: ["*"]
"""
    result = luff.compile(luff.loads(text)).run()
    assert math.isclose(result["slide.position"][-1], 1.0, abs_tol=1e-12)
    push = result["slide.total_force"]
    np.testing.assert_allclose(abs(push[:, 0]), 3 * abs(result["slide.acceleration"]), atol=1e-9)
    assert result["slide.acceleration"].max() == pytest.approx(2.0, rel=1e-9)
