"""Ways through the 3-D view: zoom to the mouse, a centre to turn about, axes to look along, no perspective."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest

from luff.gui.view3d.axes_gizmo import Gizmo
from luff.gui.view3d.camera import NEAREST, Camera
from luff.gui.view3d.canvas3d import Canvas3D
from luff.gui.view3d.mounted_camera import MountedCamera
from luff.gui.view3d.view3d_panel import View3D


@pytest.fixture
def canvas(panel: View3D) -> Canvas3D:
    return panel.canvas


def wheel(canvas: Canvas3D, at: QPointF, clicks: int) -> None:
    none = Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    turned = QWheelEvent(
        at, at, QPoint(), QPoint(0, 120 * clicks), Qt.MouseButton.NoButton, none[0], none[1], False
    )
    canvas.wheelEvent(turned)


def on_a_body(canvas: Canvas3D) -> tuple[QPointF, np.ndarray]:
    """Pixel of a surface, and its point in the world."""
    for corner in canvas.scene.mesh.vertices(canvas.pose).reshape(-1, 4, 3).mean(axis=1):
        x, y, _ = canvas.project(corner[None])[0]
        at = QPointF(round(x), round(y))
        point = canvas._point_at(at)
        if point is not None and not canvas.frame_at(at) and x < 300:
            return at, point
    raise AssertionError("there is no body in the picture")


@pytest.mark.parametrize("parallel", [False, True])
def test_wheel_zooms_to_what_is_under_the_mouse(canvas: Canvas3D, parallel: bool) -> None:
    canvas.project_parallel(parallel)
    at, point = on_a_body(canvas)
    before = canvas.camera.distance
    wheel(canvas, at, 8)
    assert canvas.camera.distance < 0.3 * before
    np.testing.assert_allclose(canvas.project(point[None])[0, :2], (at.x(), at.y()), atol=1e-6)
    # over the ground the point beside the target stays
    corner = QPointF(470.0, 60.0)
    assert canvas._point_at(corner) is None
    beside = canvas.camera.unproject(470.0, 60.0, canvas.camera.reach, canvas.width(), canvas.height())
    wheel(canvas, corner, -3)
    np.testing.assert_allclose(canvas.project(beside[None])[0, :2], (470.0, 60.0), atol=1e-6)


def test_camera_on_a_frame_zooms_to_the_middle(canvas: Canvas3D) -> None:
    canvas.attach_camera(MountedCamera("fore.frame_b"))
    canvas.grab()
    target = canvas.camera.target.copy()
    wheel(canvas, QPointF(60.0, 60.0), 2)
    canvas.grab()
    np.testing.assert_array_equal(canvas.camera.target, target)


def test_zoom_ends_in_front_of_the_point(canvas: Canvas3D) -> None:
    camera = Camera(distance=1.0)
    for _ in range(200):
        camera.zoom(1.5, np.array([0.1, 0.0, 0.0]))
    assert camera.distance == NEAREST
    assert np.linalg.norm(camera.target - [0.1, 0.0, 0.0]) < NEAREST


@pytest.mark.parametrize("parallel", [False, True])
def test_double_click_on_a_body_turns_about_that_point(canvas: Canvas3D, parallel: bool) -> None:
    canvas.project_parallel(parallel)
    at, point = on_a_body(canvas)
    size = canvas.camera.scale(canvas.project(point[None])[:, 2], canvas.height())
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=at.toPoint())
    middle = (canvas.width() / 2, canvas.height() / 2)
    np.testing.assert_allclose(canvas.project(point[None])[0, :2], middle, atol=1e-6)
    np.testing.assert_allclose(canvas.camera.scale(canvas.project(point[None])[:, 2], canvas.height()), size)
    canvas.camera.orbit(40.0, 10.0)
    np.testing.assert_allclose(canvas.project(point[None])[0, :2], middle, atol=1e-6)


def test_double_click_over_the_ground_shows_everything(canvas: Canvas3D) -> None:
    canvas.camera.zoom(7.0)
    near = canvas.camera.distance
    canvas.camera.target = canvas.camera.target + 100.0
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(300, 200))
    assert canvas.camera.distance > 2 * near
    assert canvas.camera.shows(canvas.scene.points_at(canvas.pose), canvas.width(), canvas.height())


def test_parallel_lines_are_parallel_without_perspective_and_unproject_inverts() -> None:
    camera = Camera(azimuth=0.7, elevation=0.4, distance=3.0, parallel=True)
    lines = np.array([[0, 0, 0], [1, 0, 0], [0, 2.0, 0.5], [1, 2.0, 0.5]], float)
    flat = camera.project(lines, 400, 300)
    np.testing.assert_allclose(flat[1, :2] - flat[0, :2], flat[3, :2] - flat[2, :2], atol=1e-9)
    for point, (x, y, depth) in zip(lines, flat, strict=True):
        np.testing.assert_allclose(camera.unproject(x, y, depth, 400, 300), point, atol=1e-9)
    # a length across the view at the target is as long as with perspective
    right, _, _ = camera.axes()
    long = camera.project(np.array([0 * right, right]), 400, 300)
    camera.parallel = False
    same = camera.project(np.array([0 * right, right]), 400, 300)
    np.testing.assert_allclose(long[:, :2], same[:, :2], atol=1e-9)


@pytest.mark.parametrize("parallel", [False, True])
def test_fitted_points_fill_the_picture(parallel: bool) -> None:
    camera = Camera(parallel=parallel)
    rng = np.random.default_rng(3)
    points = rng.uniform(-1, 1, (60, 3)) * [3.0, 0.4, 1.0]
    camera.fit(points, 400, 300, 30.0)
    assert camera.shows(points, 400, 300, 30.0)
    assert not camera.misses(points, 400, 300, 30.0)
    x, y, _ = camera.project(points, 400, 300).T
    assert max(np.ptp(x) / 400, np.ptp(y) / 270) == pytest.approx(0.84, abs=0.01)  # FILLED


def test_tiny_mechanism_fills_the_picture_too() -> None:
    camera = Camera()
    points = 0.005 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    camera.fit(points, 400, 300)
    assert np.ptp(camera.project(points, 400, 300)[:, 1]) > 0.8 * 300


def test_click_on_an_axis_looks_along_it_and_again_from_behind(canvas: Canvas3D) -> None:
    for axis in range(3):
        gizmo = Gizmo(canvas.camera, canvas.height())
        knob = next(one for one in gizmo.knobs() if (one.axis, one.sign) == (axis, 1))
        assert canvas.tip_at(knob.at).startswith(f"Look along {'xyz'[axis]}")
        QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=knob.at.toPoint())
        towards = canvas.camera.axes()[2]
        assert towards[axis] > 0.999
        seen = canvas.camera.project(canvas.scene.points_at(canvas.pose), canvas.width(), canvas.height())
        assert np.all(seen[:, :2] > 0)
        front = Gizmo(canvas.camera, canvas.height()).knobs()[-1]
        assert (front.axis, front.sign) == (axis, 1)
        QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=front.at.toPoint())
        assert canvas.camera.axes()[2][axis] < -0.999
        canvas.look_from("iso")


def test_key_and_menu_switch_perspective_together(canvas: Canvas3D) -> None:
    panel = canvas.parent()
    (action,) = (a for a in panel.views.menu().actions() if a.text().startswith("Parallel"))
    QTest.keyClick(canvas, Qt.Key.Key_O)
    assert canvas.camera.parallel
    assert action.isChecked()
    action.trigger()
    assert not canvas.camera.parallel
    QTest.keyClick(canvas, Qt.Key.Key_O)
    # what looks out of a frame has its eye there
    canvas.attach_camera(MountedCamera("fore.frame_b", "cab"))
    assert not canvas.camera.parallel
    assert not action.isChecked()
