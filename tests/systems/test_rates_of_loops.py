"""Spatial loops through the public interface: what they report must be the derivative of what they report."""

from __future__ import annotations

import numpy as np
import pytest

import luff

# a closed chain of R-S-U-P links between two turning columns: both ends of every joint but the first and last move
CHAIN = """
luff: 1
blocks:
  left: {type: revolute, axis: [0.2, 0, 1], initial: {position: 0.3, velocity: 0.9}}
  column: {type: rigid_link, mass: 4, com: [0.3, 0.1, 0.4], inertia: [0.4, 0.5, 0.3],
    frame_b: {at: [0.6, 0, 0.8], rotate: [[y, 35 deg], [x, 0.3]]}}
  knee: {type: revolute, axis: y, guess: {position: -1}CUT_KNEE}
  arm: {type: rigid_link, mass: 2, com: [0.2, 0, 0.1], inertia: [0.03, 0.06, 0.05],
    frame_b: {at: [0.7, 0.1, 0], rotate: [[z, 0.4]]}}
  first: {type: sphericalCUT_FIRST}
  rod: {type: rigid_link, mass: 1.5, com: [0.3, 0, 0], inertia: [0.01, 0.05, 0.06], frame_b: {at: [0.7, 0, 0]}}
  second: {type: universal, axis_a: [0, 1, 0], axis_b: [0, 0, 1]CUT_SECOND}
  lever: {type: rigid_link, mass: 2.5, com: [0.1, 0.2, 0.2], inertia: [0.2, 0.1, 0.15],
    frame_b: {at: [0.1, 0.2, 0.9], rotate: [[x, 0.5]]}}
  right: {type: revolute, axis: [0, 0.3, 1], initial: {position: -1.2, velocity: -0.6}}
  ground: {type: fixed, at: [1.9, 0.2, 0]}
connect:
  - world.frame -- left.frame_a
  - left.frame_b -- column.frame_a
  - column.frame_b -- knee.frame_a
  - knee.frame_b -- arm.frame_a
  - arm.frame_b -- first.frame_a
  - first.frame_b -- rod.frame_a
  - rod.frame_b -- second.frame_a
  - second.frame_b -- lever.frame_b
  - world.frame -- ground.frame_a
  - ground.frame_b -- right.frame_a
  - right.frame_b -- lever.frame_a
simulation: {stop: 20 ms, step: 1 ms, constraints: {method: METHOD}}
"""
CUTS = ("knee", "first", "second")


def chain(cut: str, method: str) -> luff.Simulation:
    text = CHAIN.replace("METHOD", method)
    for joint in CUTS:
        text = text.replace(f"CUT_{joint.upper()}", ", cut: true" if joint == cut else "")
    return luff.compile(luff.loads(text))


@pytest.mark.parametrize("method", ["reduced", "baumgarte", "projected"])
@pytest.mark.parametrize("cut", CUTS)
def test_accelerations_are_the_derivatives_of_velocities_where_both_sides_of_the_cut_turn(
    cut: str, method: str
) -> None:
    """What velocities alone do to the second rate of a closure has no other witness: accelerations that leave it out
    or count it wrongly are still consistent with the masses."""
    sim = chain(cut, method)
    assert sim.summary["degrees_of_freedom"] == 2
    result = sim.run()
    h = result.time[1]
    for joint in {"left", "knee", "right"} - {cut}:
        v, a = result[f"{joint}.velocity"], result[f"{joint}.acceleration"]
        # central differences of order 6: (3/4, -3/20, 1/60)
        slope = sum(
            weight * (v[3 + k : len(v) - 3 + k] - v[3 - k : len(v) - 3 - k])
            for k, weight in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
        )
        assert np.ptp(a) > 1e-3  # the motion is no steady one
        # rates of a few 1/s at steps of 1 ms: RK4's own error, 1e-9; where a drift of that much is pulled back,
        # it counts beta^2 = 1e4 times, and more in the knee
        tolerance = 1e-4 if method == "baumgarte" else 1e-7
        np.testing.assert_allclose(slope / h, a[3:-3], rtol=0, atol=tolerance, err_msg=joint)


# a crank whose end slides along a lever: the slide closes the loop, and both of its sides turn
QUICK_RETURN = """
luff: 1
blocks:
  base: {type: fixed, rotate: TURNS}
  crank: {type: revolute, initial: {position: ANGLE, velocity: RATE}}
  arm: {type: rigid_link, mass: 1, com: [0.2, 0, 0], inertia: [0.1, 0.1, 0.1], frame_b: {at: [0.4, 0, 0]}}
  pin: {type: revolute}
  block: {type: rigid_link, mass: 0.5, inertia: [0.01, 0.01, 0.01]}
  slide: {type: prismatic, axis: x, cut: true}
  far: {type: fixed, at: [1, 0, 0]}
  pivot: {type: revolute, guess: {position: 3}}
  lever: {type: rigid_link, mass: 2, com: [0.3, 0, 0], inertia: [0.2, 0.2, 0.2]}
  push: {type: constant, value: 3}
connect:
  - world.frame -- base.frame_a
  - base.frame_b -- crank.frame_a
  - crank.frame_b -- arm.frame_a
  - arm.frame_b -- pin.frame_a
  - pin.frame_b -- block.frame_a
  - base.frame_b -- far.frame_a
  - far.frame_b -- pivot.frame_a
  - pivot.frame_b -- lever.frame_a
  - lever.frame_a -- slide.frame_a
  - slide.frame_b -- block.frame_a
  - push.y -> crank.effort
simulation: {stop: 1 ms, step: 1 ms, constraints: {method: METHOD}}
"""


@pytest.mark.parametrize("method", ["reduced", "baumgarte", "projected"])
@pytest.mark.parametrize("turns", ["[]", "[[x, 0.7], [y, -1.1]]"])
def test_a_slide_between_turning_bodies_feels_coriolis_acceleration(turns: str, method: str) -> None:
    """The lever points from its pivot, 1 m off, to the end of the crank of 0.4 m: tan phi = y / x, twice derived."""
    for angle, rate in ((0.8, 5.0), (2.5, -3.0)):
        text = QUICK_RETURN.replace("TURNS", turns).replace("METHOD", method)
        values = luff.compile(
            luff.loads(text.replace("ANGLE", str(angle)).replace("RATE", str(rate)))
        ).evaluate()
        a = values["crank.acceleration"]
        along = 0.4 * np.exp(1j * angle)
        z, dz, ddz = along - 1.0, 1j * rate * along, (1j * a - rate**2) * along
        # ln z = ln r + i phi
        phi, dphi = np.angle(z), (dz / z).imag
        ddphi = (ddz / z - (dz / z) ** 2).imag
        assert np.remainder(values["pivot.position"] - phi + 1, 2 * np.pi) == pytest.approx(1, abs=1e-10)
        assert values["pivot.velocity"] == pytest.approx(dphi, rel=1e-10)
        assert values["pivot.acceleration"] == pytest.approx(ddphi, rel=1e-9)
        # the block turns with the lever
        assert values["pin.acceleration"] == pytest.approx(ddphi - a, rel=1e-9)


# a body that floats in the tree, and is far off the pin that Baumgarte's method pulls it back to
PULLED = """
luff: 1
blocks:
  float: {type: free, initial: {position: [0.3, -0.2, 0.1], rotate: [[x, 0.5], [y, -0.3]],
    velocity: [0.4, 0.7, -0.2], angular_velocity: [1.2, -0.8, 2.0]}}
  body: {type: rigid_link, mass: 3, com: [0.2, 0.1, -0.1], inertia: [0.2, 0.3, 0.4]}
  pin: {type: revolute, axis: z, cut: true}
connect:
  - world.frame -- float.frame_a
  - float.frame_b -- body.frame_a
  - world.frame -- pin.frame_a
  - pin.frame_b -- body.frame_a
initial: {solve: none}
simulation: {stop: 0.2 s, step: 0.5 ms, output_step: 10 ms, constraints: {method: baumgarte, alpha: 20, beta: 20}}
"""


def test_what_is_far_off_a_pin_comes_back_as_baumgarte_s_equation_says() -> None:
    """phi'' + 40 phi' + 400 phi = 0 for each residual: where the origin is, and the tilt of the axis."""
    result = luff.compile(luff.loads(PULLED)).run()
    place = np.array([result[f"float.position[{k}]"] for k in range(3)])
    w, x, y, z = (result[f"float.orientation[{k}]"] for k in range(4))
    axis = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
    # rate of the axis at the start: spin, which is given in the body's axes, times axis
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )[:, :, 0]
    turning = np.cross(R @ [1.2, -0.8, 2.0], axis[:, 0])
    residuals = [*zip(place, (0.4, 0.7, -0.2), strict=True), *zip(axis[:2], turning[:2], strict=True)]
    t = result.time
    for phi, rate in residuals:
        assert abs(phi[0]) > 0.05
        wanted = (phi[0] + (rate + 20 * phi[0]) * t) * np.exp(-20 * t)
        # RK4 at h * alpha = 0.01, and a spin of some rad/s: 1e-10 a step of the motion
        np.testing.assert_allclose(phi, wanted, rtol=0, atol=1e-7)
