"""Mass matrix, bias, constraint Jacobian and poses at a state, against derivations by hand and the slow twins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff
from luff.tests.shared.naive_dynamics import trace_form

DATA = Path(__file__).parents[2] / "data" / "trees"
# two point masses on massless rods, angles relative, about y: theta grows towards -x from straight down
DOUBLE = """luff: 1
blocks:
  a: {type: revolute, axis: y, damping: 3, stiffness: 7}
  one: {type: rigid_link, mass: 2, com: [0, 0, -1.5], frame_b: {at: [0, 0, -1.5]}}
  b: {type: revolute, axis: y}
  two: {type: rigid_link, mass: 3, com: [0, 0, -0.7], frames: {tip: {at: [0, 0, -0.7]}}}
connect:
  - world.frame -- a.frame_a
  - a.frame_b -- one.frame_a
  - one.frame_b -- b.frame_a
  - b.frame_b -- two.frame_a
simulation: {stop: 1, step: 1 ms}
"""
M1, M2, L1, L2, G = 2.0, 3.0, 1.5, 0.7, 9.81


@pytest.mark.parametrize("q", [(0.0, 0.0), (0.4, -0.9), (2.5, 1.1)])
def test_double_pendulum_is_that_of_the_textbook(q: tuple[float, float]) -> None:
    """Equations with absolute angles (any book), turned into relative ones: springs and dampers are no part of them."""
    sim = luff.compile(luff.loads(DOUBLE))
    (qa, qb), (va, vb) = q, (1.3, -0.6)
    x = [0.0] * 4
    for name, value in {"a.position": qa, "b.position": qb, "a.velocity": va, "b.velocity": vb}.items():
        x[sim.state_names.index(name)] = value
    assert sim.rate_names == ["a.velocity", "b.velocity"]
    c, s = np.cos(qb), np.sin(qb)
    coupling = M2 * L1 * L2 * c
    M = np.array(
        [
            [(M1 + M2) * L1**2 + M2 * L2**2 + 2 * coupling, M2 * L2**2 + coupling],
            [M2 * L2**2 + coupling, M2 * L2**2],
        ]
    )
    np.testing.assert_allclose(sim.mass_matrix(x), M, rtol=1e-13)
    turning = M2 * L1 * L2 * s
    gravity = np.array(
        [
            -(M1 + M2) * G * L1 * np.sin(qa) - M2 * G * L2 * np.sin(qa + qb),
            -M2 * G * L2 * np.sin(qa + qb),
        ]
    )
    h = gravity + np.array([turning * (2 * va * vb + vb**2), -turning * va**2])
    np.testing.assert_allclose(sim.bias(x), h, rtol=1e-12, atol=1e-12)
    assert sim.constraint_jacobian(x).shape == (0, 2)
    poses = sim.kinematics(x)
    place = -np.array([L1 * np.sin(qa) + L2 * np.sin(qa + qb), 0, L1 * np.cos(qa) + L2 * np.cos(qa + qb)])
    np.testing.assert_allclose(poses["two.tip"][:3, 3], place, atol=1e-14)
    np.testing.assert_allclose(poses["two.tip"][3], [0, 0, 0, 1])
    assert poses["one.frame_b"][:3, 3].tolist() == poses["b.frame_a"][:3, 3].tolist()


@pytest.mark.parametrize("name", ["tree_1", "tree_2", "tree_3"])
def test_trees_agree_with_the_trace_forms(name: str) -> None:
    sim = luff.compile(DATA / f"{name}.yaml")
    found, h = sim.mass_matrix(), sim.bias()
    data = sim.instance.data
    M, expected = trace_form(sim.instance.model, data.q, data.v)
    rows = [i for i, one in enumerate(sim.program.mechanism.rate_names()) if one]
    np.testing.assert_allclose(found, M[np.ix_(rows, rows)], rtol=1e-9, atol=1e-12 * np.abs(M).max())
    np.testing.assert_allclose(h, expected[rows], rtol=1e-9, atol=1e-10 * max(1.0, np.abs(expected).max()))


def test_jacobian_of_a_loop_is_that_of_the_residual() -> None:
    """A four-bar: what the coordinates may do together moves no constraint."""
    sim = luff.compile(luff.loads(FOUR_BAR))
    J = sim.constraint_jacobian()
    v = np.array([sim.evaluate()[name] for name in sim.rate_names])
    assert len(v) == 3
    assert abs(v).min() > 0.1
    np.testing.assert_allclose(J @ v, 0.0, atol=1e-9 * abs(v).max())
    assert np.linalg.matrix_rank(J, tol=1e-9) == 2


FOUR_BAR = """luff: 1
blocks:
  crank: {type: revolute, axis: y, initial: {position: 60 deg, velocity: 2}}
  one: {type: rigid_link, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], frame_b: {at: [1, 0, 0]}}
  b: {type: revolute, axis: y, guess: {position: -30 deg}}
  two: {type: rigid_link, mass: 1, com: [1, 0, 0], inertia: [0.1, 0.1, 0.1], frame_b: {at: [2, 0, 0]}}
  rocker: {type: revolute, axis: y, guess: {position: 80 deg}}
  three: {type: rigid_link, mass: 1, com: [1, 0, 0], inertia: [0.1, 0.1, 0.1], frame_b: {at: [2, 0, 0]}}
  ground: {type: fixed, at: [2.5, 0, 0]}
  closing: {type: spherical, cut: true}
connect:
  - world.frame -- crank.frame_a
  - crank.frame_b -- one.frame_a
  - one.frame_b -- b.frame_a
  - b.frame_b -- two.frame_a
  - world.frame -- ground.frame_a
  - ground.frame_b -- rocker.frame_a
  - rocker.frame_b -- three.frame_a
  - two.frame_b -- closing.frame_a
  - three.frame_b -- closing.frame_b
simulation: {stop: 1, step: 1 ms}
"""


def test_state_of_another_size_is_refused() -> None:
    with pytest.raises(luff.RunError, match="found 3 states, expected 4"):
        luff.compile(luff.loads(DOUBLE)).mass_matrix([0.0] * 3)


def test_inverse_dynamics_of_a_double_pendulum_is_that_of_the_textbook() -> None:
    """Lagrange's equations with absolute angles; the torque of the first joint acts against that of the second."""
    sim = luff.compile(luff.loads(DOUBLE))
    assert sim.position_names == ["a.position", "b.position"]
    (qa, qb), (va, vb), (aa, ab) = (0.4, -0.9), (1.3, -0.6), (2.0, -5.0)
    p1, p2, w1, w2, e1, e2 = qa, qa + qb, va, va + vb, aa, aa + ab
    c, s = np.cos(p1 - p2), np.sin(p1 - p2)
    one = (M1 + M2) * L1**2 * e1 + M2 * L1 * L2 * (e2 * c + w2**2 * s) + (M1 + M2) * G * L1 * np.sin(p1)
    two = M2 * L2**2 * e2 + M2 * L1 * L2 * (e1 * c - w1**2 * s) + M2 * G * L2 * np.sin(p2)
    found = sim.inverse_dynamics([qa, qb], [va, vb], [aa, ab])
    np.testing.assert_allclose(found, [one + two, two], rtol=1e-13)
    found = sim.inverse_dynamics([qa, qb], [va, vb], [aa, ab])  # nothing of an earlier call is left
    np.testing.assert_allclose(found, [one + two, two], rtol=1e-13)
    with pytest.raises(
        luff.RunError, match=r"^v: found 3 numbers, expected 2 \(in the order of sim.rate_names"
    ):
        sim.inverse_dynamics([0, 0], [0, 0, 0], [0, 0])


def test_inverse_dynamics_of_a_free_body_is_eulers_equation() -> None:
    """I alpha + omega x I omega in the axes of the body, m (a - g) in those of the world."""
    text = "luff: 1\nblocks:\n  j: {type: free}\n  b: {type: rigid_link, mass: 2, inertia: [1, 2, 3.5]}\n"
    sim = luff.compile(luff.loads(f"{text}connect: [world.frame -- j.frame_a, j.frame_b -- b.frame_a]\n"))
    spin, turn, lift = np.array([0.3, -1.2, 2.0]), np.array([0.5, 0.7, -0.2]), np.array([1.0, 2.0, 3.0])
    q = np.zeros(7)
    q[[k for k, name in enumerate(sim.position_names) if "orientation" in name]] = [
        np.cos(0.4),
        np.sin(0.4),
        0,
        0,
    ]
    spins = [
        k for k, name in enumerate(sim.rate_names) if "omega" in name or "spin" in name or "angular" in name
    ]
    assert len(spins) == 3, sim.rate_names
    others = [k for k in range(6) if k not in spins]
    v, a = np.zeros(6), np.zeros(6)
    v[spins], a[spins], a[others] = spin, turn, lift
    inertia = np.diag([1, 2, 3.5])
    found = sim.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(found[spins], inertia @ turn + np.cross(spin, inertia @ spin), rtol=1e-13)
    np.testing.assert_allclose(found[others], 2 * (lift + np.array([0, 0, 9.81])), rtol=1e-13)


@pytest.mark.parametrize("name", ["tree_1", "tree_2", "tree_3"])
def test_inverse_dynamics_is_that_of_the_matrices(name: str) -> None:
    sim = luff.compile(DATA / f"{name}.yaml")
    n, x = len(sim.rate_names), dict(zip(sim.state_names, sim.x0, strict=True))
    a = np.random.default_rng(5).normal(size=n)
    found = sim.inverse_dynamics(
        [x[one] for one in sim.position_names], [x[one] for one in sim.rate_names], a
    )
    np.testing.assert_allclose(found, sim.mass_matrix() @ a - sim.bias(), rtol=1e-12, atol=1e-12)
