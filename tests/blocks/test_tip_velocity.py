"""Resolved rates: against numpy's pseudo-inverse, and against the motion that the rates make."""

from __future__ import annotations

import numpy as np
import pytest

import luff
from luff.blocks import CompileError, NetlistError

ARM = """
luff: 1
blocks:
  slew: {type: revolute, axis: z, initial: {position: 20 deg, velocity: R0}}
  king: {type: rigid_link, mass: 100, inertia: [10, 10, 10], frame_b: {at: [0.3, 0, 2]}}
  lift: {type: revolute, axis: y, initial: {position: LIFT deg, velocity: R1}}
  boom: {type: rigid_link, mass: 80, inertia: [10, 10, 10], frame_b: {at: [4, 0, 0]}}
  knuckle: {type: revolute, axis: y, initial: {position: KNUCKLE deg, velocity: R2}}
  jib: {type: rigid_link, mass: 50, inertia: [10, 10, 10], frame_b: {at: [2, 0, 0]}}
  slide: {type: prismatic, axis: x, initial: {position: 0.5, velocity: R3}}
  tip: {type: rigid_link, mass: 20, inertia: [1, 1, 1], frame_b: {at: [1, 0, 0]}}
  goal: {type: constant, value: [0.3, -0.2, 0.4]}
  rest: {type: constant, value: [0.05, 0.1, -0.1, 0.2]}
  it: {type: tip_velocity, drives: [slew, lift, knuckle, slide] MORE}
  seen: {type: frame_sensor}
connect: [world.frame -- slew.frame_a, slew.frame_b -- king.frame_a, king.frame_b -- lift.frame_a,
          lift.frame_b -- boom.frame_a, boom.frame_b -- knuckle.frame_a, knuckle.frame_b -- jib.frame_a,
          jib.frame_b -- slide.frame_a, slide.frame_b -- tip.frame_a, tip.frame_b -- it.frame_b,
          tip.frame_b -- seen.frame_b, goal.y -> it.target WIRES]
simulation: {stop: 1 ms, step: 1 ms}
"""


def first_row(text: str, lift: float = -30.0, knuckle: float = 70.0, more: str = "", wires: str = "",
              rates: np.ndarray | None = None) -> dict[str, np.ndarray]:  # fmt: skip
    """Signals at the start, at given rates of the drives."""
    for k, rate in enumerate(np.zeros(4) if rates is None else rates):
        text = text.replace(f"R{k}", repr(float(rate)))
    text = text.replace("LIFT", str(lift)).replace("KNUCKLE", str(knuckle))
    result = luff.compile(luff.loads(text.replace("MORE", more).replace("WIRES", wires))).run()
    names = ("it.rates", "it.reached", "it.jacobian", "it.scale", "seen.velocity")
    return {name: result[name][0] for name in names}


GOAL, REST = np.array([0.3, -0.2, 0.4]), np.array([0.05, 0.1, -0.1, 0.2])


def test_rates_are_those_of_the_pseudo_inverse_and_make_the_velocity() -> None:
    found = first_row(ARM)
    J = found["it.jacobian"].reshape(3, 4)
    # condition below 20
    np.testing.assert_allclose(found["it.rates"], np.linalg.pinv(J) @ GOAL, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(found["it.reached"], GOAL, rtol=1e-12)
    moved = first_row(ARM, rates=found["it.rates"])
    np.testing.assert_allclose(moved["seen.velocity"], GOAL, rtol=1e-12)
    # each column by the motion of its drive alone
    for k in range(4):
        np.testing.assert_allclose(first_row(ARM, rates=np.eye(4)[k])["seen.velocity"], J[:, k], atol=1e-13)


def test_weights_and_wanted_rates_use_what_is_left_free() -> None:
    w = np.array([1.0, 4.0, 0.5, 2.0])
    found = first_row(ARM, more=", weights: [1, 4, 0.5, 2]", wires=", rest.y -> it.prefer")
    J = found["it.jacobian"].reshape(3, 4)
    half = np.sqrt(w)
    expected = REST + half * (np.linalg.pinv(J * half) @ (GOAL - J @ REST))
    np.testing.assert_allclose(found["it.rates"], expected, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(J @ found["it.rates"], GOAL, rtol=1e-12)


def test_limits_scale_all_rates_and_keep_the_direction() -> None:
    free = first_row(ARM)
    tight = first_row(ARM, more=", limits: [10, 0.02, 10, 10]")
    assert abs(tight["it.rates"][1]) == pytest.approx(0.02, rel=1e-12)
    assert tight["it.scale"] == pytest.approx(0.02 / abs(free["it.rates"][1]), rel=1e-12)
    np.testing.assert_allclose(tight["it.reached"], tight["it.scale"] * GOAL, rtol=1e-12)


@pytest.mark.parametrize("knuckle", [0.0, 0.05, 1.0])
def test_a_stretched_arm_is_damped(knuckle: float) -> None:
    """Drives in one plane, almost stretched: the smallest singular value decides, as numpy finds it."""
    near, damping = 0.2, 0.3
    only = ARM.replace("[slew, lift, knuckle, slide]", "[lift, knuckle]")
    found = first_row(only, knuckle=knuckle, more=f", components: [x, z], near: {near}, damping: {damping}")
    J = found["it.jacobian"].reshape(3, 2)[[0, 2]]
    u, s, vt = np.linalg.svd(J)
    more = damping**2 * (1.0 - (s[1] / near) ** 2) if s[1] < near else 0.0
    expected = vt.T @ (s / (s**2 + more) * (u.T @ GOAL[[0, 2]]))
    # s^2 is known to rounding of the largest one, 1e-15 of about 40: 1e-13 of near^2
    np.testing.assert_allclose(found["it.rates"], expected, rtol=1e-9)
    # a damped rate is at most |v| / (2 l)
    if more > 0.0:
        assert abs(found["it.rates"]).max() < np.linalg.norm(GOAL) / (2.0 * np.sqrt(more))


LOOP = """
luff: 1
blocks:
  slew: {type: revolute, axis: z, initial: {velocity: R0}}
  king: {type: rigid_link, mass: 500, inertia: [100, 100, 100], frame_b: {at: [0, 0, 2]},
         frames: {lug: {at: [1, 0, 0]}}}
  lift: {type: revolute, axis: y, guess: {position: -40 deg}}
  boom: {type: rigid_link, mass: 300, inertia: [10, 100, 100], frame_b: {at: [5, 0, 0]},
         frames: {lug: {at: [2, 0, -0.2]}}}
  ram: {type: hydraulic_cylinder, axis: y, barrel: {length: 2, mass: 20, inertia: [1, 1, 0.1]},
        piston: {mass: 10, inertia: [1, 1, 0.1]}, initial: {position: 1, velocity: R1}}
  slide: {type: prismatic, axis: x, initial: {position: 0.5, velocity: R2}}
  tip: {type: rigid_link, mass: 20, inertia: [1, 1, 1], frame_b: {at: [1, 0, 0]}}
  hang: {type: universal, axis_a: x, axis_b: y}
  load: {type: rigid_link, mass: 100, com: [0, 0, -3], inertia: [1, 1, 1]}
  goal: {type: constant, value: [0.3, -0.2, 0.4]}
  it: {type: tip_velocity, drives: [slew, ram, slide] MORE}
  seen: {type: frame_sensor}
connect: [world.frame -- slew.frame_a, slew.frame_b -- king.frame_a, king.frame_b -- lift.frame_a,
          lift.frame_b -- boom.frame_a, king.lug -- ram.frame_a, ram.frame_b -- boom.lug, boom.frame_b -- slide.frame_a,
          slide.frame_b -- tip.frame_a, tip.frame_b -- hang.frame_a, hang.frame_b -- load.frame_a,
          tip.frame_b -- it.frame_b, tip.frame_b -- seen.frame_b, goal.y -> it.target WIRES]
simulation: {stop: 1 ms, step: 1 ms}
"""


def test_a_boom_on_a_cylinder_moves_its_tip_as_asked() -> None:
    found = first_row(LOOP)
    J = found["it.jacobian"].reshape(3, 3)
    np.testing.assert_allclose(found["it.rates"], np.linalg.solve(J, GOAL), rtol=1e-10)
    moved = first_row(LOOP, rates=[*found["it.rates"], 0.0])
    # loops close to 1e-12 of their size
    np.testing.assert_allclose(moved["seen.velocity"], GOAL, rtol=1e-9)


def test_velocity_is_against_frame_a_in_its_axes() -> None:
    cab = ARM.replace("tip.frame_b -- it.frame_b", "king.frame_b -- it.frame_a, tip.frame_b -- it.frame_b")
    only = cab.replace("[slew, lift, knuckle, slide]", "[lift, knuckle, slide]")
    J = first_row(only, more=", components: [x, z]")["it.jacobian"].reshape(3, 3)
    # all moves in the cab's plane, whatever the slew angle: first column by hand, turned about y from the king's end
    a, b = np.radians(-30.0), np.radians(40.0)
    arm = np.array([4.0 * np.cos(a) + 3.5 * np.cos(b), -4.0 * np.sin(a) - 3.5 * np.sin(b)])
    np.testing.assert_allclose(J[:, 0], [arm[1], 0.0, -arm[0]], atol=1e-12)
    np.testing.assert_allclose(J[:, 2], [np.cos(b), 0.0, -np.sin(b)], atol=1e-12)


def test_drives_that_cannot_be_commanded_are_named() -> None:
    with pytest.raises(CompileError, match="the drive ram is not independent of lift"):
        first_row(LOOP.replace("[slew, ram, slide]", "[lift, ram]"))
    with pytest.raises(NetlistError, match="found 3 numbers for 4 drives"):
        first_row(ARM, more=", limits: [1, 2, 3]")
