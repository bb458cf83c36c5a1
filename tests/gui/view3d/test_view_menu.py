"""Menu and words of the 3-D view: what stays open, what is offered, what the picture says of its scales."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QCursor, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import luff
from luff.gui.run.run_history import History
from luff.gui.view3d.frame_menus import OTHERS
from luff.gui.view3d.ground_picture import length_text
from luff.gui.view3d.link_gauges import Gauge
from luff.gui.view3d.load_overlays import NO_STRESS, NOT_RECORDED
from luff.gui.view3d.mounted_camera import MountedCamera
from luff.gui.view3d.scene_model import Scene
from luff.gui.view3d.view3d_panel import View3D
from luff.solver.diagram.view_section import FOLLOW
from luff.tests.gui.view3d.shown_run import show_run

PIN = """luff: 1
blocks:
  hinge: {type: revolute, axis: y}
  bob: {type: rigid_link, mass: 1, com: [0.5, 0, 0], inertia: [1, 1, 1], frame_b: {at: [1, 0, 0]}}
connect: [world.frame -- hinge.frame_a, hinge.frame_b -- bob.frame_a]
"""


def test_menu_stays_open_while_what_is_shown_is_switched(panel: View3D) -> None:
    menu = panel.menu
    menu.popup(panel.mapToGlobal(panel.rect().topLeft()))
    try:
        for name in ("frames", "gravity"):
            before = getattr(panel.canvas.look, name)
            spot = menu.actionGeometry(panel.shown_beside[name]).center()
            QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=spot)
            assert getattr(panel.canvas.look, name) != before
            assert menu.isVisible()
    finally:
        menu.hide()


def test_the_release_of_the_click_that_opens_the_menu_switches_nothing(panel: View3D) -> None:
    """Where the menu opens over the mouse."""
    menu, action = panel.menu, panel.shown_beside["frames"]
    before, mouse = panel.canvas.look.frames, QCursor.pos()
    menu.popup(mouse)
    try:
        for switched in (False, True):
            spot = QPointF(menu.actionGeometry(action).center())
            left = Qt.MouseButton.LeftButton
            release = QMouseEvent(
                QEvent.Type.MouseButtonRelease,
                spot,
                QPointF(mouse),
                left,
                Qt.MouseButton.NoButton,
                Qt.KeyboardModifier.NoModifier,
            )
            QApplication.sendEvent(menu, release)
            assert (panel.canvas.look.frames != before) is switched
            assert menu.isVisible()
    finally:
        menu.hide()


def test_the_view_says_why_there_are_no_stresses(panel: View3D) -> None:
    action, look, scene = panel.shown_beside["stresses"], panel.canvas.look, panel.canvas.scene
    assert look.reason == ""
    action.trigger()
    assert look.reason == NO_STRESS
    scene.gauges["upper"] = [Gauge(0.0, ("gauge.von_mises",))]
    panel._show_beside("stresses", True)  # before a run there are none to explain
    assert look.reason == ""
    history = History(["shoulder.position"])
    history.append(np.array([0.0]), np.array([[0.0]]))
    panel.beside.show(scene.start, history, 0.0)
    assert look.reason == NOT_RECORDED
    action.trigger()
    assert look.reason == ""


def test_what_arrows_mean_goes_with_the_arrows(panel: View3D) -> None:
    panel.canvas.look.legend = "longest arrow so far 2 kN"
    panel.rest()
    assert panel.canvas.look.legend == ""


def test_frames_are_listed_by_name_and_number_bodies_first() -> None:
    names = ("rail.frame_10", "world.frame", "rail.frame_2", "arm.frame_b", "pin.frame_a")
    scene = Scene(frames=dict.fromkeys(names, (0, np.zeros(3))), bodies={"rail"})
    assert scene.frames_by_kind() == (["rail.frame_2", "rail.frame_10"], ["arm.frame_b", "pin.frame_a"])


def test_menus_of_frames_begin_with_what_is_selected(make_view) -> None:
    panel = make_view(luff.compile(luff.loads(PIN)))
    texts = lambda menu: [action.text() for action in menu.actions() if not action.isSeparator()]  # noqa: E731
    bodies = ["bob.frame_a", "bob.frame_b", OTHERS]
    follow = panel.mount_menus[FOLLOW]
    follow.aboutToShow.emit()
    assert texts(follow) == ["Nothing", *bodies]
    panel.canvas.select(frozenset({"bob"}))
    follow.aboutToShow.emit()
    assert texts(follow) == ["Nothing", "Selected: bob.frame_b", *bodies]
    follow.actions()[1].trigger()
    assert panel.canvas.mount == MountedCamera("bob.frame_b", FOLLOW)
    menu = panel.trace_button.menu()
    menu.aboutToShow.emit()
    assert texts(menu) == ["No Trace", "Selected: bob.frame_b", *bodies]
    assert texts(menu.actions()[-1].menu()) == ["hinge.frame_a", "hinge.frame_b"]


def test_several_frames_are_traced_from_a_menu_that_stays_open(make_view) -> None:
    panel = make_view(luff.compile(luff.loads(PIN)))
    menu = panel.trace_button.menu()
    menu.popup(panel.mapToGlobal(panel.rect().topLeft()))
    try:
        actions = {action.text(): action for action in menu.actions()}
        for name in ("bob.frame_b", "bob.frame_a"):
            spot = menu.actionGeometry(actions[name]).center()
            QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=spot)
            assert menu.isVisible()
        assert panel.traces.names == ["bob.frame_b", "bob.frame_a"]
        assert actions["bob.frame_a"].isChecked()
        actions["bob.frame_b"].trigger()
        assert panel.traces.names == ["bob.frame_a"]
    finally:
        menu.hide()
    actions["No Trace"].trigger()
    assert panel.traces.names == []


@pytest.mark.parametrize(
    ("length", "text"), [(20.0, "20 m"), (1.0, "1 m"), (0.5, "50 cm"), (0.02, "2 cm"), (0.005, "5 mm")]
)
def test_step_of_the_grid_has_a_short_number(length: float, text: str) -> None:
    assert length_text(length) == text


def test_picture_says_how_large_the_longest_force_is(make_view) -> None:
    panel = make_view(luff.compile(luff.loads(PIN)))
    show_run(panel, [f"hinge.total_force[{k}]" for k in range(3)], [[-30.0, 0, 0], [0, 0, 6000.0]])
    plain = panel.canvas.grab().toImage()
    panel.shown_beside["forces"].trigger()
    assert panel.canvas.look.legend == "longest arrow so far 6 kN"
    assert panel.canvas.grab().toImage() != plain
    panel.shown_beside["forces"].trigger()
    assert panel.canvas.look.legend == ""


def test_sides_are_seen_without_perspective_until_the_view_is_turned(panel: View3D) -> None:
    canvas = panel.canvas
    for key in (Qt.Key.Key_1, Qt.Key.Key_3, Qt.Key.Key_6):
        QTest.keyClick(canvas, key)
        assert canvas.camera.parallel
    QTest.keyClick(canvas, Qt.Key.Key_Left)
    assert not canvas.camera.parallel
    QTest.keyClick(canvas, Qt.Key.Key_O)
    QTest.keyClick(canvas, Qt.Key.Key_Left)
    assert canvas.camera.parallel  # as was asked for by itself
    QTest.keyClick(canvas, Qt.Key.Key_0)
    assert not canvas.camera.parallel


def test_view_of_another_size_is_fitted_again(panel: View3D) -> None:
    canvas = panel.canvas
    points = canvas.scene.points_at(canvas.pose)

    def share() -> float:
        seen = canvas.project(points)[:, :2]
        return float((np.ptp(seen, axis=0) / (canvas.width(), canvas.height())).max())

    def clear() -> bool:
        seen = canvas.project(points)[:, :2]
        (left, upper), (right, lower) = seen.min(axis=0), seen.max(axis=0)
        span = QRectF(QPointF(left, upper), QPointF(right, lower)).toRect()
        return not canvas.childrenRegion().intersects(span)

    before = share()
    panel.resize(900, 300)
    assert canvas.camera.shows(points, canvas.width(), canvas.height())
    assert clear()
    assert share() > 0.8  # of the whole height: the controls stand beside it
    panel.resize(260, 500)
    assert canvas.camera.shows(points, canvas.width(), canvas.height(), canvas.top)
    assert share() > 0.9 * before
    assert clear()
    canvas.by_hand = True
    distance = canvas.camera.distance
    panel.resize(480, 360)
    assert canvas.camera.distance == distance


def test_the_row_of_the_time_stands_below_the_picture_in_a_low_window(make_window) -> None:
    """As on a screen of 1920 by 1080 pixels at 200 %."""
    window = make_window(PIN)
    window.tabs.resize(960, 505)
    window.panels.show("3-D View")
    QApplication.processEvents()
    view = window.view3d
    for widget in (view.play, view.slider, view.label, view.speed):
        assert widget.geometry().top() > view.canvas.geometry().bottom()
        assert widget.geometry().bottom() <= view.height()
