"""Quaternions of free joints: their length over a long tumble, and what a projection makes of them."""

from __future__ import annotations

import numpy as np
import pytest

import luff

TUMBLE = """
luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  float: {type: free, initial: {angular_velocity: [3, 5, -4]}}
  body: {type: rigid_link, mass: 2, inertia: [0.5, 0.5, 0.5]}
connect: [world.frame -- float.frame_a, float.frame_b -- body.frame_a]
simulation: {stop: 10, step: 10 ms, output_step: 0.1, method: METHOD}
"""


def turn(q: np.ndarray) -> np.ndarray:
    """The matrix of a unit quaternion, scalar first."""
    w, v = q[0], q[1:]
    return (w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * skew(v)


def skew(v: np.ndarray) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_a_quaternion_keeps_its_length_over_a_long_tumble(method: str) -> None:
    sim = luff.compile(luff.loads(TUMBLE.replace("METHOD", method)))
    session = sim.start()
    while session.advance() == "running":
        pass
    place = [sim.state_names.index(f"float.orientation[{k}]") for k in range(4)]
    # Euler's method alone would stretch it by (w h)^2 / 8 = 6e-4 a step, to twice its length after a thousand
    assert np.linalg.norm(session.x[place]) == pytest.approx(1.0, abs=1e-15)
    _, rows = session.take()
    q = rows[:, [session.columns.index(f"float.orientation[{k}]") for k in range(4)]]
    np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1.0, rtol=0, atol=1e-14)
    if method == "rk4":
        # a ball turns steadily: by |w| t about w, w h = 0.07 a step, an error of (w h)^5 / 3840 = 4e-10 each
        w, t = np.linalg.norm([3, 5, -4]), 10.0
        exact = np.concatenate([[np.cos(w * t / 2)], np.sin(w * t / 2) * np.array([3, 5, -4]) / w])
        np.testing.assert_allclose(q[-1] * np.sign(q[-1] @ exact), exact, rtol=0, atol=1e-6)


# a body on a free joint, one of its points held in the world by a ball that closes the loop
HELD = """
luff: 1
blocks:
  world: {gravity: [1, -2, -9.81]}
  float: {type: free, initial: {position: [-0.3, 0.4, 0.2], angular_velocity: [2, -3, 4], velocity: VELOCITY}}
  body: {type: rigid_link, mass: 2, com: [0.05, 0.1, -0.1], inertia: [0.1, 0.2, 0.25],
    frames: {hole: {at: [0.3, -0.4, -0.2]}}}
  ball: {type: spherical, cut: true}
connect: [world.frame -- float.frame_a, float.frame_b -- body.frame_a, world.frame -- ball.frame_a,
          ball.frame_b -- body.hole]
simulation: {stop: 1, step: 0.1, method: euler, constraints: {method: HOW}}
"""
HOLE, SPIN = np.array([0.3, -0.4, -0.2]), np.array([2.0, -3.0, 4.0])


def test_projection_takes_the_shortest_way_back_turns_included() -> None:
    """From where a coarse step without correction ends, Gauss and Newton's method in numpy leads to the same state."""
    velocity = (-np.cross(SPIN, HOLE)).tolist()
    text = HELD.replace("VELOCITY", str(velocity))
    ends = []
    for how in ("projected", "baumgarte, alpha: 0, beta: 0"):
        sim = luff.compile(luff.loads(text.replace("HOW", how)))
        session = sim.start()
        session.advance(steps=1)
        ends.append(dict(zip(sim.state_names, session.x.tolist(), strict=False)))
    projected, left = ends
    names = [f"float.position[{k}]" for k in range(3)], [f"float.orientation[{k}]" for k in range(4)]
    p, q = (np.array([left[name] for name in group]) for group in names)
    gap = p + turn(q) @ HOLE
    assert np.linalg.norm(gap) > 0.05  # a wrong sign would show in the square of it
    for _ in range(20):
        # the hole moves by dp + R (dtheta x r), with dtheta about the body's own axes
        J = np.hstack([np.eye(3), -turn(q) @ skew(HOLE)])
        step = -np.linalg.pinv(J) @ (p + turn(q) @ HOLE)
        p = p + step[:3]
        e = 0.5 * step[3:]
        q = np.concatenate([[q[0] - q[1:] @ e], q[1:] + q[0] * e + np.cross(q[1:], e)])
        q /= np.linalg.norm(q)
    # both end where a correction is below 1e-12
    np.testing.assert_allclose([projected[name] for name in names[0]], p, rtol=0, atol=1e-11)
    found = np.array([projected[name] for name in names[1]])
    np.testing.assert_allclose(found / np.linalg.norm(found), q, rtol=0, atol=1e-11)
    v, w = (
        np.array([projected[f"float.{name}[{k}]"] for k in range(3)])
        for name in ("velocity", "angular_velocity")
    )
    # and the hole stands still
    np.testing.assert_allclose(v + turn(q) @ np.cross(w, HOLE), 0.0, atol=1e-10)


@pytest.mark.parametrize("method", ["reduced", "baumgarte", "projected"])
def test_the_given_motion_of_a_free_joint_is_kept_where_there_are_constraints(method: str) -> None:
    velocity = -np.cross(SPIN, HOLE)
    sim = luff.compile(luff.loads(HELD.replace("VELOCITY", str(velocity.tolist())).replace("HOW", method)))
    values = sim.evaluate()
    found = [[values[f"float.{name}[{k}]"] for k in range(3)] for name in ("velocity", "angular_velocity")]
    np.testing.assert_allclose(found, [velocity, SPIN], rtol=0, atol=1e-12)


def test_given_motion_of_a_free_joint_that_contradicts_a_loop_is_refused() -> None:
    with pytest.raises(luff.CompileError, match="ball: given velocities contradict translation"):
        luff.compile(luff.loads(HELD.replace("VELOCITY", "[9, 9, 9]").replace("HOW", "reduced")))


def test_the_motion_of_a_free_joint_that_is_left_open_follows_its_loop() -> None:
    """With the spin alone given, the ball asks for the velocity."""
    text = HELD.replace(", velocity: VELOCITY", "").replace("HOW", "baumgarte")
    values = luff.compile(luff.loads(text)).evaluate()
    velocity = [values[f"float.velocity[{k}]"] for k in range(3)]
    np.testing.assert_allclose(velocity, -np.cross(SPIN, HOLE), rtol=0, atol=1e-12)
