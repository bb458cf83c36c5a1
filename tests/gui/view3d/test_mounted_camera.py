"""A camera that goes with a frame: the frame stays where it is in the picture, or the eye stays in the frame."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtGui import QPixmap

import luff
from luff.gui.view3d.camera import Camera
from luff.gui.view3d.canvas3d import Canvas3D
from luff.gui.view3d.mounted_camera import MountedCamera
from luff.gui.view3d.scene_model import Scene, scene_of
from luff.gui.window.main_window import Window
from luff.solver.diagram.view_section import CAB, FOLLOW
from luff.tests.gui.driver import LONG

SLEWING = """luff: 1
name: slewing
blocks:
  slew: {type: revolute, axis: z, initial: {velocity: 1}}
  boom:
    type: rigid_link
    mass: 10
    inertia: [1, 1, 1]
    com: [2, 0, 0]
    frame_b: {at: [4, 0, 0]}
    frames: {cab: {at: [0.5, 0.3, 1], rotate: [[z, 90 deg], [y, -30 deg]]}}
connect: [world.frame -- slew.frame_a, slew.frame_b -- boom.frame_a]
simulation: {stop: 1, step: 1 ms}
"""


@pytest.fixture(scope="module")
def turned() -> tuple[Scene, np.ndarray]:
    """The mechanism, and its pose a radian later."""
    sim = luff.compile(luff.loads(SLEWING))
    scene = scene_of(sim)
    c, s = np.cos(1.0), np.sin(1.0)
    pose = scene.start.copy()
    for row in pose:  # about the world's z axis
        row[:9] = (np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ row[:9].reshape(3, 3)).ravel()
        row[9:] = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ row[9:]
    return scene, pose


def test_frame_that_is_followed_stays_in_the_middle(turned: tuple[Scene, np.ndarray]) -> None:
    scene, pose = turned
    camera, mount = Camera(), MountedCamera("boom.frame_b")
    assert mount.carry(camera, scene, scene.start)
    np.testing.assert_allclose(camera.target, [4, 0, 0], atol=1e-12)
    seen = camera.azimuth, camera.elevation
    camera.pan(30, -20, 400)  # by hand: it stays so far from the middle
    place = camera.project(np.array([[4.0, 0, 0]]), 600, 400)
    mount.carry(camera, scene, pose)
    tip = np.array([[4 * np.cos(1), 4 * np.sin(1), 0]])
    np.testing.assert_allclose(camera.project(tip, 600, 400), place, atol=1e-9)
    assert (camera.azimuth, camera.elevation) == seen
    assert not MountedCamera("boom.gone").carry(camera, scene, pose)


def test_eye_in_a_frame_looks_along_its_x_axis_and_turns_with_it(turned: tuple[Scene, np.ndarray]) -> None:
    """The cab's x axis points along the world's y, 30 degrees up; a hand that turned its head keeps it turned."""
    scene, pose = turned
    camera, mount = Camera(), MountedCamera("boom.cab", CAB)
    mount.carry(camera, scene, scene.start)
    np.testing.assert_allclose(camera.eye, [0.5, 0.3, 1], atol=1e-12)
    np.testing.assert_allclose(-camera.axes()[2], [0, np.cos(np.pi / 6), 0.5], atol=1e-12)
    camera.orbit(-100, 0)
    mount.carry(camera, scene, scene.start)
    np.testing.assert_allclose(camera.eye, [0.5, 0.3, 1], atol=1e-12)
    azimuth = camera.azimuth
    mount.carry(camera, scene, pose)
    assert np.remainder(camera.azimuth - azimuth, 2 * np.pi) == pytest.approx(1.0)
    c, s = np.cos(1.0), np.sin(1.0)
    np.testing.assert_allclose(camera.eye, [0.5 * c - 0.3 * s, 0.5 * s + 0.3 * c, 1], atol=1e-12)


def test_canvas_goes_with_a_frame_until_home(turned: tuple[Scene, np.ndarray], qtbot) -> None:
    scene, pose = turned
    canvas = Canvas3D()
    qtbot.addWidget(canvas)
    canvas.resize(400, 300)
    canvas.show_scene(scene)
    canvas.attach_camera(MountedCamera("boom.frame_b"))
    picture = QPixmap(canvas.size())
    canvas.render(picture)
    canvas.show_pose(pose)
    canvas.render(picture)
    np.testing.assert_allclose(canvas.camera.target, [4 * np.cos(1), 4 * np.sin(1), 0], atol=1e-12)
    canvas.look_from("top")
    assert canvas.mount is not None
    canvas.home()
    assert canvas.mount is None
    canvas.attach_camera(MountedCamera("gone.frame"))
    canvas.render(picture)
    assert canvas.mount is None  # a frame that is no more


def test_menu_offers_the_frames(make_window: Callable[..., Window], qtbot) -> None:
    window = make_window(SLEWING)
    view = window.view3d
    qtbot.waitUntil(
        lambda: view.canvas.scene is not None and "boom.cab" in view.canvas.scene.frames, timeout=LONG
    )
    view.mount_menus[CAB].aboutToShow.emit()
    actions = {action.text(): action for action in view.mount_menus[CAB].actions()}
    assert actions["Nothing"].isChecked()
    assert "world.frame" not in actions
    actions["boom.cab"].trigger()
    assert view.canvas.mount == MountedCamera("boom.cab", CAB)
    view.mount_menus[CAB].aboutToShow.emit()
    assert [a.text() for a in view.mount_menus[CAB].actions() if a.isChecked()] == ["boom.cab"]
    view.mount_menus[FOLLOW].aboutToShow.emit()
    view.mount_menus[FOLLOW].actions()[0].trigger()
    assert view.canvas.mount is None
