"""Constraints that repeat each other: forces of least norm by numpy's pseudo-inverse, and what a run says of them."""

from __future__ import annotations

import numpy as np
import pytest

import luff
from luff.tests.shared.loop_cases import FOUR_BAR

GRAVITY = np.array([0.0, 0.0, -9.81])

# a slab that floats in the tree and is held by balls at given points of it, each of which closes a loop
SLAB = """
luff: 1
blocks:
  float: {type: free, initial: {velocity: VELOCITY, angular_velocity: SPIN}}
  slab: {type: rigid_link, mass: 3, com: [0.2, 0.1, -0.1], inertia: [0.2, 0.3, 0.4], frames: {FRAMES}}
BLOCKS
connect:
  - world.frame -- float.frame_a
  - float.frame_b -- slab.frame_a
WIRES
simulation: {stop: 0.1 s, step: 1 ms, constraints: {method: METHOD}}
"""
MASS, COM, INERTIA = 3.0, np.array([0.2, 0.1, -0.1]), np.array([0.2, 0.3, 0.4])


def held(points: np.ndarray, spin: np.ndarray, method: str, off: float = 0.0) -> luff.Simulation:
    blocks, wires, frames = [], [], []
    for k, point in enumerate(points):
        where = point + np.array([0, 0, off if k == len(points) - 1 else 0.0])
        frames.append(f"p{k}: {{at: {point.tolist()}}}")
        blocks += [f"  post{k}: {{type: fixed, at: {where.tolist()}}}"]
        blocks += [f"  ball{k}: {{type: spherical, cut: true, resolve: world}}"]
        wires += [f"  - world.frame -- post{k}.frame_a", f"  - post{k}.frame_b -- ball{k}.frame_a"]
        wires += [f"  - ball{k}.frame_b -- slab.p{k}"]
    text = SLAB.replace("FRAMES", ", ".join(frames)).replace("BLOCKS", "\n".join(blocks))
    text = text.replace("WIRES", "\n".join(wires)).replace("METHOD", method)
    velocity = -np.cross(spin, points[0])
    text = text.replace("SPIN", str(spin.tolist())).replace("VELOCITY", str(velocity.tolist()))
    return luff.compile(luff.loads(text))


def forces(values: dict[str, float], count: int) -> np.ndarray:
    return np.array([[values[f"ball{b}.constraint_force[{k}]"] for k in range(3)] for b in range(count)])


def skew(v: np.ndarray) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def least(points: np.ndarray, force: np.ndarray, torque: np.ndarray) -> np.ndarray:
    """Forces at points that add up to a force and a torque about the origin, with the least sum of squares."""
    maps = np.hstack([np.vstack([np.eye(3), skew(point)]) for point in points])
    return (np.linalg.pinv(maps) @ np.concatenate([force, torque])).reshape(-1, 3)


@pytest.mark.parametrize("method", ["baumgarte", "projected"])
def test_balls_that_hold_a_slab_at_rest_share_its_weight_with_least_norm(method: str) -> None:
    """Three, four and five balls: 9 to 15 forces for six equations of Newton and Euler."""
    points = np.array([[0.5, 0, 0], [-0.3, 0.4, 0.1], [-0.2, -0.5, 0], [0.1, 0.6, -0.2], [0.3, 0.3, 0.4]])
    for count in (3, 4, 5):
        sim = held(points[:count], np.zeros(3), method)
        assert len(sim.summary["redundant"]) == 3 * count - 6
        weight = -MASS * GRAVITY
        wanted = least(points[:count], weight, np.cross(COM, weight))
        # six equations with a condition of some tens
        np.testing.assert_allclose(forces(sim.evaluate(), count), wanted, rtol=0, atol=1e-9 * MASS * 9.81)


@pytest.mark.parametrize("method", ["baumgarte", "projected"])
def test_two_balls_that_make_a_hinge_share_the_forces_of_a_motion_with_least_norm(method: str) -> None:
    points = np.array([[0.4, 0.1, 0.0], [-0.2, 0.3, 0.5]])
    axis = (points[1] - points[0]) / np.linalg.norm(points[1] - points[0])
    spin = 3.0 * axis
    values = held(points, spin, method).evaluate()
    # about the line through both: Euler's equation with the inertia about a point on it
    arm = COM - points[0]
    about = np.diag(INERTIA) + MASS * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    turning = axis @ np.cross(arm, MASS * GRAVITY) / (axis @ about @ axis)
    alpha = turning * axis
    a_com = np.cross(alpha, arm) + np.cross(spin, np.cross(spin, arm))
    force = MASS * (a_com - GRAVITY)
    torque = INERTIA * alpha + np.cross(spin, INERTIA * spin) + np.cross(COM, force)
    wanted = least(points, force, torque)
    np.testing.assert_allclose(forces(values, 2), wanted, rtol=0, atol=1e-9 * abs(wanted).max())


# off by less than what counts as closed, 1e-11 of the longest row; some ten times what is left of the constraints that
# are solved for
GAP = 4e-12


def test_a_gap_between_balls_that_nothing_can_close_is_reported() -> None:
    points = np.array([[0.0, 0, 0], [0.0, 0.0, 0.5]])
    sim = held(points, np.zeros(3), "projected", off=GAP)
    assert len(sim.summary["redundant"]) == 1
    # all of it at one end, or half of it at each
    assert 0.49 * GAP < sim.run().quality["constraint_violation"] < 1.01 * GAP


def rocker_angle(values: luff.Result | dict[str, float]) -> np.ndarray:
    """From where the end of the rod is."""
    crank = np.asarray(values["A.position"])
    rod = crank + values["B.position"]
    return np.arctan2(np.sin(crank) + 2.3 * np.sin(rod), np.cos(crank) + 2.3 * np.cos(rod) - 2.0)


@pytest.mark.parametrize("method", ["reduced", "projected"])
def test_a_pin_that_is_a_little_askew_is_reported_with_its_worst_moment(method: str) -> None:
    """The two angles between its axis and the rocker's plane change as the rocker turns; no constraint is solved for
    them, and the run must look at them all the same."""
    text = FOUR_BAR.replace("D: {type: revolute, guess", "D: {type: revolute, cut: true, guess")
    # frame_a, in whose axes the angles are, on the rocker
    text = text.replace("ground.frame_b -- D.frame_a", "ground.frame_b -- D.frame_b")
    text = text.replace("D.frame_b -- rocker.frame_a", "D.frame_a -- rocker.frame_a")
    text = text.replace("step: 1 ms}", f"step: 1 ms, constraints: {{method: {method}}}}}")
    # no force in a joint, which would take a look at all constraints by itself
    text += "record: [A.position, B.position]\n"
    start = float(rocker_angle(luff.compile(luff.loads(text)).evaluate()))
    # askew about a line at 45 degrees to the rocker: both angles are alike at the start
    turn = start + np.pi / 4
    askew = f"at: [2, 0, 0], rotate: [[z, {turn}], [x, {GAP}], [z, {-turn}]]}}"
    sim = luff.compile(luff.loads(text.replace("at: [2, 0, 0]}", askew)))
    assert len(sim.summary["redundant"]) == 3
    result = sim.run(stop=0.4)
    moved = np.pi / 4 + rocker_angle(result) - start
    worst = GAP * np.maximum(abs(np.sin(moved)), abs(np.cos(moved))).max()
    assert worst > 1.05 * np.sqrt(0.5) * GAP  # more than at the start
    # the other constraints are closed to some 1e-16
    assert result.quality["constraint_violation"] == pytest.approx(worst, rel=1e-3, abs=0)


@pytest.mark.parametrize("turns", ["[[x, 30 deg], [y, 20 deg]]", "[[y, 1.234], [x, 2.2], [z, -0.7]]"])
def test_a_flat_loop_moves_alike_in_any_plane(turns: str) -> None:
    """Turned as a whole, what repeats is zero but for rounding, which must count for nothing."""
    text = FOUR_BAR.replace("gravity: [0, -9.81, 0]", "gravity: [0, 0, 0]")
    base = f"  base: {{type: fixed, rotate: {turns}}}\n  ground:"
    turned = text.replace("  ground:", base).replace("world.frame -- ground", "base.frame_b -- ground")
    turned = turned.replace("world.frame -- A", "world.frame -- base.frame_a\n  - base.frame_b -- A")
    flat, found = (luff.compile(luff.loads(each)).evaluate() for each in (text, turned))
    for joint in ("A", "B", "C"):
        for part in ("position", "velocity", "acceleration"):
            # closed to 1e-12 or so
            assert found[f"{joint}.{part}"] == pytest.approx(flat[f"{joint}.{part}"], rel=1e-9, abs=1e-9)
