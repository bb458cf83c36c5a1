"""A shaft on the joint at which a loop would be cut: what turns it is not lost."""

from __future__ import annotations

import pytest

import luff

# All four joints are turns: the one that is written last would close the loop, as nothing else is wired to it.
FOUR_BAR = """
luff: 1
blocks:
  A: {type: revolute, axis: y, initial: {position: 1.0}}
  crank: {type: rigid_link, mass: 1, com: [0.15, 0, 0], inertia: [0.01, 0.01, 0.01], frame_b: {at: [0.3, 0, 0]}}
  B: {type: revolute, axis: y, guess: {position: -1}}
  coupler: {type: rigid_link, mass: 1, com: [0.4, 0, 0], inertia: [0.01, 0.05, 0.05], frame_b: {at: [0.8, 0, 0]}}
  C: {type: revolute, axis: y, guess: {position: 1.2}}
  rocker: {type: rigid_link, mass: 1, com: [0.25, 0, 0], inertia: [0.01, 0.02, 0.02], frame_b: {at: [0.5, 0, 0]}}
  D: {type: revolute, axis: y}
  ground: {type: rigid_link, frame_b: {at: [0.9, 0, 0]}}
  torque: {type: constant, value: 3, unit: N*m}
  source: {type: torque_source}
connect:
  - world.frame -- ground.frame_a
  - world.frame -- A.frame_a
  - A.frame_b -- crank.frame_a
  - crank.frame_b -- B.frame_a
  - B.frame_b -- coupler.frame_a
  - coupler.frame_b -- C.frame_a
  - C.frame_b -- rocker.frame_a
  - rocker.frame_b -- D.frame_a
  - D.frame_b -- ground.frame_b
"""
SHAFT = "  - torque.y -> source.torque\n  - source.shaft -- D.shaft\n"
EFFORT = "  - torque.y -> D.effort\n"


def acceleration(wires: str) -> float:
    text = FOUR_BAR if "source" in wires else FOUR_BAR.replace("  source: {type: torque_source}\n", "")
    return float(luff.compile(luff.loads(text + wires)).evaluate()["A.acceleration"])


def test_a_shaft_keeps_its_joint_in_the_tree() -> None:
    free = luff.compile(luff.loads(FOUR_BAR.replace("  source: {type: torque_source}\n", "")))
    assert [cut.block for cut in free.program.mechanism.cuts] == ["D"]
    assert acceleration(SHAFT) == pytest.approx(acceleration(EFFORT), rel=1e-12)
    # and it turns the loop
    assert abs(acceleration(SHAFT) - float(free.evaluate()["A.acceleration"])) > 1.0
