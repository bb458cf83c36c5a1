"""Stability of equilibria: eigenvalues with their bounds, and runs beside the answer."""

from __future__ import annotations

import numpy as np
import pytest

from luff.solver.analysis.perturbed_rest import confirm_rest
from luff.solver.initial.tangent_stiffness import diverging_directions, tangent
from luff.tests.shared.compile_text import plain


def test_a_held_joint_keeps_its_place_in_the_runs_beside() -> None:
    """A slide with 29 N on it, held; and a pendulum below, which is kicked."""
    text = """
luff: 1
blocks:
  slide: {type: prismatic, axis: z}
  stone: {type: rigid_link, mass: 3, inertia: [1, 1, 1]}
  pin: {type: revolute, axis: y}
  rod: {type: rigid_link, mass: 2, com: [0, 0, -0.5], inertia: [0.2, 0.2, 0.1]}
connect: [world.frame -- slide.frame_a, slide.frame_b -- stone.frame_a, stone.frame_a -- pin.frame_a,
  pin.frame_b -- rod.frame_a]
initial: {solve: static, hold: [slide]}
simulation: {stop: 1 s, step: 1 ms}
"""
    assert [run.agrees for run in confirm_rest(plain(text))] == [True, True]


@pytest.mark.parametrize(
    ("K", "falls", "flutters"),
    [
        ([[2.0, -9.0], [0.5, 3.0]], 0, 1),  # half of K + K^T has -1.8; lambda = 2.5 +- 2.06i
        ([[2.0, -9.0], [0.0, 3.0]], 0, 0),  # the same; lambda = 2 and 3
        ([[1.0, 4.0], [2.0, 3.0]], 1, 0),  # lambda = -1 and 5
        ([[2.0, -9.0], [-1e-14, 3.0]], 0, 0),
    ],
)
def test_unsymmetric_stiffness_diverges_by_its_own_eigenvalues(
    K: list[list[float]], falls: int, flutters: int
) -> None:
    """Masses 1 and 4, coordinates scaled so that M^-1 K has these eigenvalues."""
    scale = np.diag([1.0, 2.0])
    view = tangent(scale @ np.array(K) @ scale, scale @ scale, np.ones(2), np.ones(2), 1e-6)
    assert view.falling.shape[1] == falls
    assert view.fluttering.shape[1] == flutters
    if falls:
        assert view.fastest == pytest.approx(
            1.0, rel=1e-7
        )  # light masses that keep M positive shift it by 1e-8
        v = scale @ view.falling[:, 0]
        assert np.array(K) @ v == pytest.approx(-v, rel=1e-6)


def test_what_may_fall_is_not_known_rather_than_stable() -> None:
    """Eigenvalues -4 +- 1e-3, -4 +- 10, a complex pair, and a double one without a basis of eigenvectors."""
    one = np.eye(2)

    def found(K: list[list[float]], error: float) -> tuple[int, float, int]:
        falling, fastest, unknown = diverging_directions(np.array(K), one, np.full(2, error))
        return falling.shape[1], fastest, unknown.shape[1]

    assert found([[-4.0, 0.0], [0.0, 1.0]], 1e-3) == (1, 4.0, 0)
    assert found([[-4.0, 0.0], [0.0, 1.0]], 10.0) == (0, 0.0, 1)
    assert found([[1.0, -3.0], [3.0, 1.0]], 1e-3) == (0, 0.0, 1)
    assert found([[2.0, 0.0], [0.0, 1.0]], 1e-3) == (0, 0.0, 0)
    assert found([[0.0, 0.0], [1e150, 0.0]], 1e-3) == (0, 0.0, 2)


def test_the_distance_to_rest_is_within_its_bound() -> None:
    """K = [[2, 1], [1, 3]] and F = [1e-3, -2e-3]: K^-1 F = [1e-3, -1e-3]; nothing moves along the kernel of K."""
    force = np.array([1e-3, -2e-3])
    view = tangent(np.array([[2.0, 1.0], [1.0, 3.0]]), np.eye(2), np.ones(2), np.ones(2), 1e-6)
    bound = view.error(force)
    assert (bound >= 1e-3).all()
    assert bound == pytest.approx([1e-3, 1e-3], rel=0.5)  # |K^-1| |F| = [3/5 + 2/5, 1/5 + 4/5] e-3
    loose = tangent(np.diag([2.0, 0.0]), np.eye(2), np.ones(2), np.ones(2), 1e-6)
    assert loose.error(np.array([1e-3, 0.0])) == pytest.approx([5e-4, 0.0], abs=1e-9)
    vague = tangent(np.eye(2), np.eye(2), np.full(2, 1e7), np.ones(2), 1e-6)  # errors of K: 0.14 per entry
    assert (vague.error(np.zeros(2)) > 64 * np.finfo(float).eps * 1e7).all()
    assert np.isnan(
        tangent(np.eye(2), np.eye(2), np.full(2, 3.6e7), np.ones(2), 1e-6).error(np.zeros(2))
    ).all()


def test_a_heavy_arm_about_an_axis_along_gravity_is_moved_by_nothing() -> None:
    """The moments of 50 t at 4 m cancel but for rounding, which is neither stiffness nor its opposite."""
    text = """luff: 1
blocks:
  world: {gravity: [3, 5, -8]}
  pin: {type: revolute, axis: [3, 5, -8]}
  arm: {type: rigid_link, mass: 50 t, com: [4, 1, 2], inertia: [1e4, 2e4, 3e4]}
connect: [world.frame -- pin.frame_a, pin.frame_b -- arm.frame_a]
"""
    found = plain(text).static()
    assert (found["neutral"], found["unstable"], found["undecided"]) == (["pin.position"], [], [])
