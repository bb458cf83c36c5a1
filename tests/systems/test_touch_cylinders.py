"""Cylinders that touch cylinders and meshes: levers, sinks, exact derivatives, and forces without jumps at rims."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.kernels import model_data as f
from luff.solver.kernels.touch_features import PARALLEL
from luff.tests.conftest import hours_as_plain_python
from luff.tests.systems.test_touch import GROUND, G, compiled
from luff.tests.systems.test_touch_rolling import disc

WRENCH = [*range(f.FORCE_ON_B, f.FORCE_ON_B + 3), *range(f.TORQUE_ON_B, f.TORQUE_ON_B + 3)]
UPRIGHT = 1.0 / (1.0 + PARALLEL)  # weight of a feature between directions at right angles
CUBE = """v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1
f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8
"""


def test_pipe_across_two_pipes_rests_by_the_rule_of_the_lever() -> None:
    """Its middle is 0.2 m from that of two pipes 2 m apart: each bears its share, and sinks in by it over k."""
    mass, k, radius = 300.0, 1e6, 0.1
    middle = 4.0 * radius - mass * G / 2.0 / k
    own, wires = disc("pipe", mass, radius, 3.0, f"position: [0.2, 0, {middle}], rotate: [[y, 90 deg]]", 0.02)
    size = f"kind: cylinder, size: [{2 * radius}, 2], round: 0.02"
    rests = ", ".join(
        f"{side}: {{{size}, at: [{x}, 0, {radius}], rotate: [[x, 90 deg]]}}"
        for side, x in (("left", -1), ("right", 1))
    )
    blocks = f"{own}  rests: {{type: fixture, shapes: {{{rests}}}}}\n" + "\n".join(
        f"  {side}: {{type: touch, of: [pipe], against: [rests.{side}], friction: {{mu: 0.5}},"
        f" law: {{stiffness: {k}, dissipation: 2}}}}"
        for side in ("left", "right")
    )
    found = compiled(blocks, wires, stop=6, step=1e-3, output_step=0.1).run()
    for side, share in (("left", 0.4), ("right", 0.6)):
        # it turned by 0.3 mrad, and its middle moved by its bristle
        assert found[f"{side}.normal_force"][-1] == pytest.approx(share * mass * G, rel=1e-3)
        assert found[f"{side}.depth"][-1] == pytest.approx(share * mass * G / k, rel=1e-3)
    assert np.abs(found["pipe_free.velocity"][-1]).max() < 1e-6


@pytest.mark.parametrize(
    ("rotate", "height", "points"), [("[z, 0 deg]", 0.4, 8), ("[y, 90 deg]", 0.5, 2)], ids=["end", "side"]
)
def test_drum_on_a_mesh_rests_as_on_a_plane(rotate: str, height: float, points: int, tmp_path: Path) -> None:
    (tmp_path / "cube.obj").write_text(CUBE)
    mass, k = 400.0, 1e6
    sinks = mass * G / points / k / (1.0 if points == 8 else UPRIGHT)
    own, wires = disc("drum", mass, 0.5, 0.8, f"position: [0.1, 0, {height}], rotate: [{rotate}]", 0.02)
    blocks = (
        f"{own}  base: {{type: fixture, shape: {{kind: mesh, file: cube.obj, at: [0, 0, -1], round: 0.02}}}}\n"
        f"  stand: {{type: touch, of: [drum], against: [base], friction: {{mu: 0.5}},"
        f" law: {{stiffness: {k}, dissipation: 3}}}}"
    )
    text = f"luff: 1\nblocks:\n{blocks}\nconnect: [{wires}]\nsimulation: {{stop: 3, step: 1e-3}}\n"
    found = luff.compile(luff.loads(text, base=tmp_path)).run()
    # what is left of the fall after 3 s
    assert found["stand.depth"][-1] == pytest.approx(sinks, rel=1e-4)
    assert found["drum_free.position"][-1, 2] == pytest.approx(height - sinks, abs=1e-4 * sinks)


def test_drum_on_a_drum_stands_on_the_corners_of_both() -> None:
    """Eight of the upper one in the lower one's end, and eight of the lower one in the upper one's."""
    mass, k = 100.0, 1e6
    first, wires = disc("low", mass, 0.3, 0.6, f"position: [0, 0, {0.3 - 2 * mass * G / 8 / k}]", 0.02)
    second, more = disc("high", mass, 0.3, 0.6, "position: [0, 0, 0.9]", 0.02)
    law = f"law: {{stiffness: {k}, dissipation: 3}}, friction: {{mu: 0.5}}"
    blocks = (
        f"{first}{second}{GROUND}  floor: {{type: touch, of: [low], against: [ground], {law}}}\n"
        f"  pile: {{type: touch, among: [low, high], {law}}}"
    )
    found = compiled(blocks, f"{wires}, {more}", stop=4, step=1e-3, output_step=0.1).run()
    assert found["pile.depth"][-1] == pytest.approx(mass * G / 16.0 / k, rel=1e-3)
    assert found["floor.depth"][-1] == pytest.approx(2.0 * mass * G / 8.0 / k, rel=1e-3)


TWO = """
luff: 1
blocks:
  world: {{gravity: [0, 0, 0]}}
  a: {{type: fixture, shape: {a}}}
  b_free: {{type: free, initial: {{position: {at}, rotate: {turns}, velocity: [0.1, 0, -0.05],
            angular_velocity: [0.1, 0.2, 0.3]}}}}
  b: {{type: rigid_link, mass: 50, inertia: [5, 6, 7], shape: {b}}}
  it: {{type: touch, of: [b], against: [a], law: {{stiffness: 1e6, dissipation: {c}}}, friction: {{mu: {mu}}}}}
connect: [world.frame -- b_free.frame_a, b_free.frame_b -- b.frame_a]
simulation: {{stop: 0.05, step: 1e-3}}
"""
DRUM = "{kind: cylinder, size: [1, 0.8], round: 0.05}"
POSES = {
    # its rim on a box, on a side and on a rim, and both sides crossed
    "rim on box": ("{kind: box, size: [2, 2, 1], round: 0.05}", "[0.9, 0.3, 0.985]", "[[y, 0.3 rad], [x, 0.2 rad]]"),
    "rim on side": (DRUM.replace("}", ", rotate: [[y, 90 deg]]}"), "[0.1, 0.1, 0.985]", "[[x, 0.2 rad], [y, 0.3 rad]]"),
    "rim on rim": (DRUM, "[0.7, 0.2, 0.75]", "[[y, 0.3 rad], [x, 0.1 rad]]"),
    "sides": (DRUM.replace("}", ", rotate: [[y, 90 deg]]}"), "[0.05, 0.1, 0.98]", "[[x, 90 deg], [z, 0.4 rad]]"),
}  # fmt: skip


@hours_as_plain_python
@pytest.mark.parametrize("pose", POSES)
def test_derivatives_of_a_drum_are_exact(pose: str) -> None:
    """The place of the deepest point of a rim is found by iteration, and moves with the state."""
    a, at, turns = POSES[pose]
    sim = luff.compile(luff.loads(TWO.format(a=a, b=DRUM, at=at, turns=turns, c=1, mu=0.3)))
    x = np.array(sim.x0)
    bristle = [k for k, name in enumerate(sim.state_names) if "bristle" in name]
    x[bristle] = 1e-5
    sim.instance.rates(0.0, x)
    assert 0.0 < sim.instance.data.element_out[0, f.DEFLECTION] < 0.1  # it touches, and cores do not
    exact = sim.jacobian(0.0, x)
    for k in range(len(x)):
        way = np.zeros(len(x))
        way[k] = 1e-7
        there = (np.array(sim.derivative(0.0, x + way)) - np.array(sim.derivative(0.0, x - way))) / 2e-7
        # rounding of forces of some 10 kN over the step, and its square
        np.testing.assert_allclose(exact[:, k], there, rtol=1e-5, atol=1e-3)


def test_force_on_a_drum_that_tips_over_another_does_not_jump_from_side_to_side() -> None:
    """The lower rim is crossed at two places, as deep where it is symmetrical: neither is the deepest of the end."""
    sim = luff.compile(
        luff.loads(TWO.format(a=DRUM, b=DRUM, at="[0.3, 0, 0.7597]", turns="[[y, 0.06 rad]]", c=0, mu=0))
    )
    quaternion = [sim.state_names.index(f"b_free.orientation[{k}]") for k in range(4)]

    def largest_change(count: int) -> float:
        wrenches = []
        for roll in np.linspace(-0.01, 0.01, count + 1):
            x = np.array(sim.x0)
            w, i, j, k = x[quaternion]
            c, s = math.cos(roll / 2), math.sin(roll / 2)
            x[quaternion] = [c * w - s * i, c * i + s * w, c * j - s * k, c * k + s * j]
            sim.instance.rates(0.0, x)
            wrenches.append(sim.instance.data.element_out[0, WRENCH].copy())
        assert min(np.linalg.norm(one) for one in wrenches) > 1e3
        return float(np.abs(np.diff(wrenches, axis=0)).max())

    # a jump stays what it is with finer steps
    assert largest_change(1000) < 0.3 * largest_change(250)
