"""Contacts and clearances of shapes in the 3-D view."""

from __future__ import annotations

import numpy as np
import pytest

import luff
from luff.gui.view3d.canvas3d import Canvas3D
from luff.gui.view3d.scene_model import scene_of

CRATE = """
luff: 1
blocks:
  free: {type: free}
  crate: {type: rigid_link, mass: 100, inertia: [8, 8, 8], shape: {kind: box, size: [1, 1, 0.5], round: 0.02}}
  floor: {type: fixture, shape: {kind: box, size: [4, 4, 1], at: [0, 0, -0.5], round: 0.03}}
  ground: {type: fixture, shape: {kind: plane, at: [0, 0, -9]}}
  stand: {type: touch, of: [crate], against: [floor, ground], law: {stiffness: 1e5}, friction: {mu: 0.5}}
connect: [world.frame -- free.frame_a, free.frame_b -- crate.frame_a]
simulation: {stop: 1, step: 1e-3}
"""


@pytest.mark.parametrize(("depth", "lit"), [(0.01, "fits"), (0.049, "fits"), (0.051, "error")])
def test_contacts_are_lit_in_any_pose_and_red_beyond_their_roundings(qtbot, depth: float, lit: str) -> None:
    """Four corners, each at half its depth."""
    canvas = Canvas3D()
    qtbot.addWidget(canvas)
    canvas.show_scene(scene_of(luff.compile(luff.loads(CRATE))))
    pose = canvas.scene.start.copy()
    pose[-1, 9:] = [0.3, 0.2, 0.25 - depth]
    canvas.show_pose(pose)
    (arrow,) = canvas.look.arrows
    # cores that meet push at the nearest face of the core
    np.testing.assert_allclose(arrow.at, [0.3, 0.2, -depth / 2.0], atol=1e-9 if lit == "fits" else 0.05)
    np.testing.assert_allclose(arrow.vector[:2], 0.0, atol=1e-9)
    assert arrow.vector[2] > 0.1 * canvas.scene.size
    assert arrow.lit == lit
    assert arrow.words.endswith(" at rest")
    with_dot = canvas.grab().toImage()
    canvas.look.contacts = False
    canvas.show_pose(pose)
    assert canvas.look.arrows == ()
    assert canvas.grab().toImage() != with_dot
    canvas.look.contacts = True
    pose[-1, 11] = 0.3
    canvas.show_pose(pose)
    assert canvas.look.arrows == []


def test_clearance_is_an_arrow_between_the_closest_points(qtbot) -> None:
    text = CRATE.replace("type: touch", "type: clearance").replace(
        ", law: {stiffness: 1e5}, friction: {mu: 0.5}", ""
    )
    canvas = Canvas3D()
    qtbot.addWidget(canvas)
    canvas.show_scene(scene_of(luff.compile(luff.loads(text))))
    pose = canvas.scene.start.copy()
    pose[-1, 9:] = [0.3, 0.2, 0.65]
    canvas.show_pose(pose)
    (arrow,) = canvas.look.arrows
    assert arrow.at[2] == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(arrow.vector, [0, 0, 0.4], atol=1e-9)
    assert arrow.words.endswith(": 0.4 m apart")
