"""Bodies dragged in the 3-D view: starts of joints, as one step back, with loops closed."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import luff
from luff.gui.view3d.row_poses import start_data
from luff.gui.view3d.scene_model import scene_of
from luff.gui.view3d.scene_shapes import place
from luff.gui.window.initial_edits import start_entry
from luff.gui.window.main_window import Window
from luff.solver.diagram import composite_types
from luff.solver.diagram.netlist_document import Netlist
from luff.solver.initial.drag_ik import DragPose
from luff.tests.gui.driver import LONG

CONTROL, PLAIN = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier
PENDULUM = """luff: 1
blocks:
  pin: {type: revolute, axis: y, initial: {position: 90 deg}}   # hangs
  rod: {type: rigid_link, mass: 2 kg, com: [1, 0, 0], inertia: [0.1, 1, 1], frame_b: {at: [2, 0, 0]}}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- rod.frame_a
"""
FOUR_BAR = """luff: 1
blocks:
  crank_pin: {type: revolute, axis: y, initial: {position: -70 deg}}
  crank: {type: rigid_link, mass: 1 kg, inertia: [0.1, 0.1, 0.1], frame_b: {at: [0.5, 0, 0]}}
  elbow: {type: revolute, axis: y, guess: {position: 60 deg}}
  coupler: {type: rigid_link, mass: 1 kg, inertia: [0.1, 0.1, 0.1], frame_b: {at: [1.2, 0, 0]}}
  ground: {type: rigid_link, frame_b: {at: [1.2, 0, 0]}}
  rocker_pin: {type: revolute, axis: y, guess: {position: -80 deg}}
  rocker: {type: rigid_link, mass: 1 kg, inertia: [0.1, 0.1, 0.1], frame_b: {at: [0.9, 0, 0]}}
  last: {type: revolute, axis: y, cut: true}
connect:
  - world.frame -- crank_pin.frame_a
  - crank_pin.frame_b -- crank.frame_a
  - crank.frame_b -- elbow.frame_a
  - elbow.frame_b -- coupler.frame_a
  - world.frame -- ground.frame_a
  - ground.frame_b -- rocker_pin.frame_a
  - rocker_pin.frame_b -- rocker.frame_a
  - coupler.frame_b -- last.frame_a
  - last.frame_b -- rocker.frame_b
"""


def opened(make_window, qtbot, text: str = "", path: Path | None = None) -> Window:
    window = make_window(text)
    window.tabs.resize(1400, 900)
    if path is not None:
        window.files.open_path(path)
        found = Window.open_windows[-1]
        assert isinstance(found, Window)
        window = found
    view = window.view3d
    running = window.running
    qtbot.waitUntil(lambda: view.canvas.scene is not None, timeout=LONG)
    # a later look at the model, which begins the view anew, must not come into a drag
    qtbot.waitUntil(
        lambda: (
            not running._ask_timer.isActive()
            and not (running.analyser._busy and running.analyser._busy.is_alive())
        ),
        timeout=LONG,
    )
    view.window().resize(1400, 900)
    window.panels.docks["3-D View"].setFloating(True)
    window.panels.docks["3-D View"].resize(700, 600)
    window.panels.show("3-D View")
    QApplication.processEvents()
    view.canvas.look_from("front")
    return window


def pixel(window: Window, point: np.ndarray) -> QPointF:
    flat = window.view3d.canvas.project(np.asarray(point, float).reshape(1, 3))[0]
    return QPointF(flat[0], flat[1])


def where(window: Window, frame: str) -> np.ndarray:
    canvas = window.view3d.canvas
    assert canvas.scene is not None
    return place(canvas.pose, *canvas.scene.frames[frame])


def mouse(window: Window, kind: QEvent.Type, at: QPointF, keys: Qt.KeyboardModifier) -> None:
    button = Qt.MouseButton.LeftButton
    canvas = window.view3d.canvas
    held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else button
    event = QMouseEvent(kind, at, canvas.mapToGlobal(at), button, held, keys)
    QApplication.sendEvent(canvas, event)


def drag(window: Window, start: QPointF, end: QPointF, keys=CONTROL, release: bool = True) -> None:
    mouse(window, QEvent.Type.MouseButtonPress, start, keys)
    for share in (0.25, 0.5, 0.75, 1.0):
        mouse(window, QEvent.Type.MouseMove, start + share * (end - start), keys)
    if release:
        mouse(window, QEvent.Type.MouseButtonRelease, end, keys)


def degrees(text: object) -> float:
    number, unit = str(text).split()
    assert unit == "deg"
    return float(number)


def recompiled(window: Window, qtbot) -> None:
    """Until the view shows the model with its new start."""
    model = window.view3d.model
    qtbot.waitUntil(lambda: window.view3d.model is not model, timeout=LONG)


def test_a_pendulum_is_swung_and_swung_back(make_window, qtbot) -> None:
    window = opened(make_window, qtbot, PENDULUM)
    before = window.document.diagram.to_yaml()
    camera = window.view3d.canvas.camera
    side, seen = camera.azimuth, (camera.distance, *camera.target)
    # taken in the middle of the rod, which hangs: to 45 degrees beside
    middle = np.array([0.0, 0.0, -1.0])
    goal = np.array([math.sin(math.pi / 4), 0.0, -math.cos(math.pi / 4)])
    drag(window, pixel(window, middle), pixel(window, goal))
    assert degrees(window.document.diagram.value("pin.initial.position")) == pytest.approx(45.0, abs=0.6)
    assert "# hangs" in window.document.diagram.to_yaml()
    shown = where(window, "rod.frame_b")
    recompiled(window, qtbot)
    np.testing.assert_allclose(where(window, "rod.frame_b"), shown, atol=1e-3)  # the number is rounded
    assert camera.azimuth == side  # it is looked at as before
    assert (camera.distance, *camera.target) == seen  # and stays under the hand: it is still in the picture
    assert window.document.undo.count() == 1
    window.actions_["undo"].trigger()
    assert window.document.diagram.to_yaml() == before


def test_the_hand_does_without_ctrl_and_escape_calls_a_drag_off(make_window, qtbot) -> None:
    window = opened(make_window, qtbot, PENDULUM)
    canvas = window.view3d.canvas
    before, azimuth = canvas.pose.copy(), canvas.camera.azimuth
    middle, goal = pixel(window, np.array([0.0, 0.0, -1.0])), pixel(window, np.array([0.7, 0.0, -0.7]))
    QTest.keyClick(canvas, Qt.Key.Key_P)
    assert window.view3d.hand.isChecked()
    drag(window, middle, goal, PLAIN, release=False)
    assert not np.allclose(canvas.pose, before)
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    mouse(window, QEvent.Type.MouseButtonRelease, goal, PLAIN)
    np.testing.assert_array_equal(canvas.pose, before)
    assert window.document.undo.count() == 0
    window.view3d.hand.click()
    drag(window, middle, goal, PLAIN)
    assert canvas.camera.azimuth != azimuth  # a drag turns the view again
    np.testing.assert_array_equal(canvas.pose, before)


def test_a_four_bar_stays_closed_and_keeps_its_branch(make_window, qtbot) -> None:
    window = opened(make_window, qtbot, FOUR_BAR)
    tip = where(window, "crank.frame_b")
    goal = 0.5 * np.array([math.cos(math.radians(40)), 0.0, math.sin(math.radians(40))])
    drag(window, pixel(window, 0.6 * tip), pixel(window, 0.6 * goal))
    np.testing.assert_allclose(where(window, "coupler.frame_b"), where(window, "rocker.frame_b"), atol=1e-9)
    shown = where(window, "rocker.frame_b")
    assert degrees(window.document.diagram.value("crank_pin.initial.position")) == pytest.approx(-40, abs=1.5)
    # the loop says the others: as guesses, so that it closes on the side where it was shown
    assert window.document.diagram.value("rocker_pin.initial") is None
    assert degrees(window.document.diagram.value("rocker_pin.guess.position")) < -45
    recompiled(window, qtbot)
    np.testing.assert_allclose(where(window, "rocker.frame_b"), shown, atol=1e-3)
    assert window.document.undo.count() == 1


def test_a_crane_of_composites_is_posed_by_the_parameters_of_its_start(make_window, qtbot) -> None:
    path = Path(luff.__file__).parent / "library" / "crane_knuckle_boom.yaml"
    window = opened(make_window, qtbot, path=path)
    held = where(window, "outer.boom.frame_b")
    inner = 0.5 * (held + where(window, "outer.boom.frame_a"))
    window.view3d.canvas.look_from("side")
    start = pixel(window, inner)
    drag(window, start, start + QPointF(20, -25))
    diagram = window.document.diagram
    values = {name: diagram.parameters[name] for name in ("slew_start", "inner_start", "outer_start")}
    told = window.log.toPlainText()
    assert values["inner_start"] != "0.9 m" or values["outer_start"] != "0.7 m", f"{values}: {told}"
    assert diagram.blocks["outer"]["start"] == "=outer_start"
    shown = where(window, "outer.boom.frame_b")
    assert np.linalg.norm(shown - held) > 0.1
    recompiled(window, qtbot)
    np.testing.assert_allclose(where(window, "outer.boom.frame_b"), shown, atol=5e-3)
    assert window.document.undo.count() == 1
    window.actions_["undo"].trigger()
    assert diagram.parameters["outer_start"] == "0.7 m"


def test_starts_behind_composites_are_known_whoever_opened_these_first() -> None:
    """A composite is kept once it is open; a check of a file opens it as a netlist alone."""
    path = Path(luff.__file__).parent / "library" / "crane_knuckle_boom.yaml"
    composite_types._opened.clear()
    first = Netlist.load(path)
    for name in first.blocks:
        first.block_class(name, first.chain())
    place = start_entry(luff.load(path), "king.slew", "position")
    assert place is not None
    assert place.path == "slew_start"


def test_what_does_not_move_says_why(make_window, qtbot) -> None:
    driven = PENDULUM.replace("axis: y, initial: {position: 90 deg}", "axis: y, driven: true").replace(
        "connect:\n",
        "  swing: {type: sine, unit: rad}\n  foot: {type: rigid_link, frame_b: {at: [0, 0, 1.5]}}\n"
        "connect:\n  - swing.trajectory -> pin.follow\n  - world.frame -- foot.frame_a\n",
    )
    window = opened(make_window, qtbot, driven)
    for point, reason in (
        (np.array([1.0, 0.0, 0.0]), "pin is driven"),
        (np.array([0.0, 0.0, 0.8]), "stands on the ground"),
    ):
        start = pixel(window, point)
        drag(window, start, start + QPointF(30, 30))
        assert reason in window.message_label.text()
    assert window.document.undo.count() == 0


def test_a_run_is_stopped_and_its_start_is_shown_before_a_pose_is_set(make_window, qtbot) -> None:
    window = opened(make_window, qtbot, PENDULUM.replace("connect:", "simulation: {stop: 0.5 s}\nconnect:"))
    start = window.view3d.canvas.pose.copy()
    window.document.set_value("pin.initial.position", "60 deg")
    recompiled(window, qtbot)
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)
    assert not np.allclose(window.view3d.canvas.pose, start)
    at = pixel(window, 0.5 * where(window, "rod.frame_b"))
    drag(window, at, at + QPointF(20, 0))
    assert "start again" in window.message_label.text()
    assert where(window, "rod.frame_b")[0] == pytest.approx(2 * math.cos(math.radians(60)))
    count = window.document.undo.count()
    at = pixel(window, 0.5 * where(window, "rod.frame_b"))
    drag(window, at, at + QPointF(20, 0))
    assert window.document.undo.count() == count + 1


CHAIN = """luff: 1
blocks:
  float: {type: free, initial: {position: [0.1, 0.2, 0.3], rotate: [[x, 40 deg]]}}
  hull: {type: rigid_link, mass: 3 kg, inertia: [1, 2, 3], frame_b: {at: [0.3, 0.1, 0.2]}}
  ball: {type: spherical, initial: {psi: 20 deg, theta: 30 deg, phi: 0.1}}
  arm: {type: rigid_link, mass: 1 kg, inertia: [1, 1, 1], frame_b: {at: [0.5, 0, 0.1]}}
  slide: {type: prismatic, axis: x, initial: {position: 5 cm}, limits: {lower: 0 m, upper: 0.2 m}}
  hook: {type: rigid_link, mass: 1 kg, inertia: [1, 1, 1]}
connect:
  - world.frame -- float.frame_a
  - float.frame_b -- hull.frame_a
  - hull.frame_b -- ball.frame_a
  - ball.frame_b -- arm.frame_a
  - arm.frame_b -- slide.frame_a
  - slide.frame_b -- hook.frame_a
"""


def posing_of(text: str, may_write=lambda block, name: True) -> DragPose:
    program = luff.compile(luff.loads(text)).program
    return DragPose(program.mechanism, program.constraints, program.model, start_data(program), may_write)


def test_the_slope_of_a_point_is_that_of_small_moves() -> None:
    posing = posing_of(CHAIN)
    row, point, rows = len(posing.movable) - 1, np.array([0.2, 0.3, -0.1]), np.flatnonzero(posing.movable)
    at = posing.place(row, point)
    slope = posing._point_jacobian(row, at, rows)
    small = 1e-6
    for k in range(len(rows)):
        posing._add_step(rows, small * np.eye(len(rows))[k])
        moved = posing.place(row, point) - at
        posing._restore(posing.before)
        np.testing.assert_allclose(moved / small, slope[:, k], atol=1e-5)


def test_a_pull_ends_at_its_target_or_at_the_stops() -> None:
    posing = posing_of(CHAIN)
    row, target = len(posing.movable) - 1, np.array([0.8, -0.5, 0.9])
    posing.pull(row, np.zeros(3), target)
    np.testing.assert_allclose(posing.place(row, np.zeros(3)), target, atol=1e-6)
    slide = posing_of(CHAIN, lambda block, name: block == "slide")
    start = slide.place(row, np.zeros(3))
    ahead = slide.place(row, np.array([0.0, 0.0, 1.0])) - start  # rows slide along their z
    slide.pull(row, np.zeros(3), start + 10.0 * ahead)
    np.testing.assert_allclose(slide.place(row, np.zeros(3)), start + 0.15 * ahead, atol=1e-9)
    assert [placed.block for placed in slide.starts()] == ["slide"]


def test_what_is_heavy_moves_least() -> None:
    # three pins in a plane: a place in it leaves one freedom open
    link = "{type: rigid_link, mass: 1 g, com: [1, 0, 0], frame_b: {at: [1, 0, 0]}}"
    text = PENDULUM.replace(
        "connect:\n",
        f"  eye: {{type: revolute, axis: y}}\n  shackle: {link}\n  nail: {{type: revolute, axis: y}}\n  hook: {link}\n"
        "connect:\n  - rod.frame_b -- eye.frame_a\n  - eye.frame_b -- shackle.frame_a\n"
        "  - shackle.frame_b -- nail.frame_a\n  - nail.frame_b -- hook.frame_a\n",
    )
    posing = posing_of(text)
    tip = np.array([0.0, 1.0, 0.0])  # in axes of a row, whose z is the pin
    np.testing.assert_allclose(posing.place(2, tip), [0, 0, -4], atol=1e-12)
    posing.pull(2, tip, np.array([0.5, 0.0, -3.8]))
    np.testing.assert_allclose(posing.place(2, tip), [0.5, 0.0, -3.8], atol=1e-6)
    rod, *others = np.abs(posing.data.q - posing.before[0])
    assert rod < 0.02 * max(others)


@pytest.mark.parametrize("coordinates", ["angles", "quaternion"])
def test_a_pulled_scene_is_the_one_that_its_starts_give(make_window, coordinates: str) -> None:
    from luff.gui.document.document import Document
    from luff.gui.window.initial_edits import write_starts
    from luff.solver.flatten.diagram import Diagram

    chain = CHAIN.replace("{type: spherical,", f"{{type: spherical, coordinates: {coordinates},")
    document = Document(Diagram.from_yaml(chain))
    posing = posing_of(chain)
    row = len(posing.movable) - 1
    posing.pull(row, np.zeros(3), np.array([0.8, -0.5, 0.9]))
    told = write_starts(document, posing)
    assert len(told) == 6  # three angles, the slide, place and turn of the hull
    scene = scene_of(luff.compile(document.diagram))
    np.testing.assert_allclose(scene.start[:, 9:], posing.pose[:, 9:], atol=2e-4)
    document.close()


def test_dragging_keeps_a_relation_to_the_signals_that_it_names() -> None:
    """z = 2 x along the slope that a wire gives: the nearest point to (1, 0) is (1/5, 2/5)."""
    posing = posing_of(
        """
luff: 1
blocks:
  x: {type: prismatic, axis: x, guess: {position: 0.1}}
  z: {type: prismatic, axis: z, guess: {position: 0.2}}
  ball: {type: rigid_link, mass: 1}
  slope: {type: sine, amplitude: 0, offset: 2}
  it: {type: programmed_constraint, joints: [x, z], relation: a*x - y, inputs: [a]}
connect:
  - world.frame -- x.frame_a
  - x.frame_b -- z.frame_a
  - z.frame_b -- ball.frame_a
  - slope.trajectory -> it.a
"""
    )
    row = len(posing.pose) - 1
    posing.pull(row, np.zeros(3), np.array([1.0, 0.0, 0.0]))
    np.testing.assert_allclose(posing.place(row, np.zeros(3)), [0.2, 0, 0.4], atol=1e-6)
