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
