"""Camera of the 3-D view: projection, named views, what fits the picture, and what an edit leaves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from luff.gui.view3d.camera import Camera
from luff.gui.view3d.scene_shapes import place
from luff.gui.view3d.view3d_panel import View3D
from luff.tests.gui.driver import LONG
from luff.tests.gui.view3d.arm_model import ARM


def test_camera_projects_the_target_to_the_middle_and_keeps_right_handed() -> None:
    camera = Camera(target=np.array([1.0, 2.0, 3.0]))
    (x, y, depth), *_ = camera.project(np.array([[1.0, 2.0, 3.0]]), 400, 300)
    assert (x, y) == (200, 150)
    assert depth == pytest.approx(camera.distance)
    right, up, towards = camera.axes()
    np.testing.assert_allclose(np.cross(right, up), towards, atol=1e-12)
    # an upright line stays upright, its upper end above
    low, high = camera.project(np.array([[1.0, 2.0, 2.9], [1.0, 2.0, 3.1]]), 400, 300)
    assert high[1] < low[1]
    assert high[0] == pytest.approx(low[0])


def test_neither_end_of_a_motion_is_seen_edge_on() -> None:
    """A boom that slews from the x axis until it points at the eye of the preferred side."""
    bar = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [10.0, 0.0, 4.0]])
    wide = lambda camera, points: float(np.ptp(points @ camera.axes()[0]))  # noqa: E731
    camera = Camera()
    camera.show_most(bar)
    first = camera.azimuth
    c, s = math.cos(first), math.sin(first)
    slewed = bar @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    assert wide(camera, slewed) == pytest.approx(0.0, abs=1e-9)
    camera.show_most(bar, slewed, first=first)
    assert camera.azimuth != first
    assert min(wide(camera, bar), wide(camera, slewed)) > 5.0  # half its length
    camera.show_most(bar, bar, first=first)
    assert camera.azimuth == first  # what did not move stays
    camera.show_most(bar, slewed, first=first)
    turned = camera.azimuth
    for points in (
        np.zeros((0, 3)),
        np.full((3, 3), np.nan),
    ):  # a model without bodies, and a run that diverged
        camera.show_most(points, first=first)
        assert camera.azimuth == turned
        camera.show_most(bar, points, first=first)
        assert camera.azimuth == first
        camera.show_most(bar, slewed, first=first)


def test_the_view_turns_after_a_run_unless_the_user_has_chosen_the_side(panel: View3D) -> None:
    canvas = panel.canvas
    assert canvas.scene is not None
    canvas.home()
    camera, start = canvas.camera, canvas.scene.start
    first = camera.azimuth
    c, s = math.cos(1.2), math.sin(1.2)
    turns = [np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])]
    for _ in range(4):
        turns.append(turns[-1] @ turns[0])

    def turned(R: np.ndarray) -> np.ndarray:
        poses = start.copy()
        poses[:, :9] = (R @ start[:, :9].reshape(-1, 3, 3)).reshape(-1, 9)
        poses[:, 9:] = start[:, 9:] @ R.T
        return poses

    for R in turns:
        panel.poses.times[:], panel.poses.frames[:] = [0.0, 1.0], [start, turned(R)]
        camera.azimuth = first
        panel._fit_film()
        ends = [canvas.scene.points_at(pose) for pose in (start, turned(R))]
        best = Camera()
        best.show_most(*ends, first=first)
        assert camera.azimuth == best.azimuth
        if camera.azimuth != first:
            break
    else:
        pytest.fail("no motion for which another side is better")
    canvas.home()
    QTest.keyClick(canvas, Qt.Key.Key_Left)
    chosen = camera.azimuth
    panel._fit_film()
    assert camera.azimuth == chosen
    QTest.keyClick(canvas, Qt.Key.Key_Home)
    camera.azimuth = first
    panel._fit_film()
    assert camera.azimuth == best.azimuth
    canvas.look_from("iso")
    camera.azimuth = first  # from which the best side is another
    panel._fit_film()
    assert camera.azimuth == first
    canvas.look_from("front")
    panel._fit_film()
    assert camera.azimuth == -math.pi / 2


def test_view_steps_back_when_the_mechanism_leaves_it_unless_turned_by_hand(panel: View3D) -> None:
    canvas = panel.canvas
    assert canvas.scene is not None
    np.testing.assert_allclose(
        canvas.scene.frames_at(canvas.pose),
        [place(canvas.pose, row, point) for row, point in canvas.scene.frames.values()],
    )
    near = canvas.camera.distance
    away = canvas.scene.start.copy()
    away[:, 9] += 30.0
    canvas.show_pose(away)
    far = canvas.camera.distance
    assert far > 2 * near
    flat = canvas.project(canvas.scene.frames_at(away))
    assert np.all((flat[:, 0] > 0) & (flat[:, 0] < canvas.width()))
    canvas.show_pose(canvas.scene.start)
    assert canvas.camera.distance == far  # it does not follow to and fro
    QTest.keyClick(canvas, Qt.Key.Key_Left)
    further = canvas.scene.start.copy()
    further[:, 9] -= 90.0
    canvas.show_pose(further)
    assert canvas.camera.distance == far
    canvas.home()
    assert canvas.camera.distance > far


def test_named_views_fit_the_mechanism(panel: View3D) -> None:
    canvas = panel.canvas
    for key, seen in ((Qt.Key.Key_1, (0, 2)), (Qt.Key.Key_2, (1, 2)), (Qt.Key.Key_3, (0, 1))):
        QTest.keyClick(canvas, key)
        flat = canvas.project(canvas.scene.points_at(canvas.pose))
        assert np.all((flat[:, :2] > 0) & (flat[:, :2] < (canvas.width(), canvas.height())))
        for axis in range(3):  # across the picture, or up, or away from the eye
            tip = canvas.project(
                np.array([canvas.camera.target, canvas.camera.target + 0.1 * np.eye(3)[axis]])
            )
            assert (np.linalg.norm(np.diff(tip[:, :2], axis=0)) > 4) == (axis in seen)


def test_an_edit_keeps_the_camera_unless_nothing_would_be_in_the_picture(make_window, qtbot) -> None:
    window = make_window(ARM.replace("revolute, axis: y, initial: {position: -30 deg}", "free"))
    window.tabs.resize(1500, 950)
    window.panels.show("3-D View")
    view, document = window.view3d, window.document
    canvas, camera = view.canvas, view.canvas.camera
    qtbot.waitUntil(lambda: view.model is not None, timeout=LONG)

    def edited(work) -> tuple[float, ...]:
        before = view.model
        work()
        qtbot.waitUntil(lambda: view.model is not before, timeout=LONG)
        return camera.azimuth, camera.elevation, camera.distance, *camera.target

    start = canvas.scene.start
    canvas.home()
    fitted = camera.distance
    document.set_value("upper.frame_b.at", [3, 0, 0])
    # no hand has moved the camera: it stands back
    qtbot.waitUntil(lambda: camera.distance > 1.5 * fitted, timeout=LONG)
    edited(document.undo.undo)
    canvas.home()
    QTest.keyClick(canvas, Qt.Key.Key_Left)
    seen = camera.azimuth, camera.elevation, camera.distance, *camera.target
    assert camera.shows(canvas.scene.points_at(start), canvas.width(), canvas.height(), canvas.top)
    # three times as long, so that its end leaves the picture, and with a block more
    assert edited(lambda: document.set_value("upper.frame_b.at", [3, 0, 0])) == seen
    assert not camera.shows(
        canvas.scene.points_at(canvas.scene.start), canvas.width(), canvas.height(), canvas.top
    )
    assert edited(lambda: document.set_value("fore.frame_b.at", [0.7, 0, 0])) == seen
    assert edited(document.undo.undo) == seen
    assert edited(document.undo.undo) == seen
    # out of sight altogether: fitted as far as Space fits it
    gone = edited(lambda: document.set_value("shoulder.initial.position", [100, 0, 0]))
    assert gone[:2] == seen[:2]
    assert edited(lambda: document.set_value("slide.initial.position", 0.5)) == gone
    edited(document.undo.undo)
    # of its old size again: as Space fits it
    again = edited(document.undo.undo)
    assert again[:2] == seen[:2]
    QTest.keyClick(canvas, Qt.Key.Key_Space)
    assert (camera.azimuth, camera.elevation, camera.distance, *camera.target) == pytest.approx(again)


def test_space_fits_from_the_side_that_is_looked_from_home_turns_too(sim, panel: View3D) -> None:
    canvas, camera = panel.canvas, panel.canvas.camera
    QTest.keyClick(canvas, Qt.Key.Key_2)
    side, near = camera.azimuth, camera.distance
    away = canvas.scene.start.copy()
    away[:, 9:] += 100.0
    canvas.show_pose(away)
    assert camera.distance > 10 * near
    panel.show_model(sim)  # after an edit the motion before it is none to fit
    QTest.keyClick(canvas, Qt.Key.Key_Plus)
    QTest.mouseClick(panel.fit, Qt.MouseButton.LeftButton)
    assert (camera.azimuth, camera.distance) == (side, pytest.approx(near))
    QTest.keyClick(canvas, Qt.Key.Key_Home)
    assert camera.azimuth != side


def test_nothing_is_in_the_picture_where_one_of_its_edges_parts_it_from_all_points() -> None:
    camera = Camera(azimuth=-math.pi / 2, elevation=0.0, distance=5.0)
    near = camera.project(np.zeros((1, 3)), 400, 300)[0]
    assert tuple(near[:2]) == (200, 150)
    box_ = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    # half of the picture's height at the target is 5 tan 0.26 = 1.33 m, half of its width a third more: 1.77 m
    for away, missed in (
        ([0, 0, 0], False), ([4.9, 0, 0], True), ([-4.9, 0, 0], True), ([2.9, 0, 0], False),
        ([0, 0, 3.3], True), ([0, 0, -3.3], True), ([0, 0, 2.4], False), ([0, -6.1, 0], True), ([0, -5.0, 0], False),
    ):  # fmt: skip
        assert camera.misses(box_ + away, 400, 300) == missed, away
    assert not camera.misses(100 * box_, 400, 300)  # from within
    assert camera.misses(1e-3 * box_, 400, 300)  # 300 px / 2.66 m: less than a pixel
    assert not camera.misses(0.1 * box_, 400, 300)
    assert camera.misses(box_ + np.array([0, 0, 2.2]), 400, 300, top=100.0)
    assert not camera.misses(box_ + np.array([0, 0, 1.2]), 400, 300, top=100.0)
