"""Analyse: a panel stays beside the model, says when its answer is old, and tells mistakes as the command does."""

from __future__ import annotations

import math
import threading
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import luff
from luff.gui.document.document import Document
from luff.gui.window.analyses.age_bar import OLD
from luff.gui.window.analyses.linear_model_panel import LinearPanel
from luff.gui.window.analyses.linear_panels import ResponsePanel
from luff.gui.window.analyses.modes_panel import RATE, ModesPanel
from luff.gui.window.analyses.panel_table import PANELS
from luff.gui.window.main_window import Window
from luff.tests.gui.driver import LONG, answered, panel_of
from luff.tests.gui.window.pendulum import LENGTH, PENDULUM, G, pendulum_window


@pytest.fixture
def window(make_window, qtbot) -> Window:
    return pendulum_window(make_window, qtbot)


def test_an_old_answer_is_computed_again(window: Window, qtbot) -> None:
    panel = panel_of(window, "modes")
    assert isinstance(panel, ModesPanel)
    answered(panel, qtbot)
    window.document.set_value("bob.mass", 12)
    assert panel.age.isVisible()
    assert panel.age.words.text() == OLD
    QTest.mouseClick(panel.age.again, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(panel.begin.isEnabled, timeout=LONG)
    frequency = math.sqrt((30 + 12 * G * LENGTH) / (12 * LENGTH**2))
    assert float(panel.table.topLevelItem(0).text(RATE)) == pytest.approx(frequency, rel=1e-3)
    assert not panel.age.isVisible()
    assert window.view3d.swing.on


def test_a_panel_follows_the_model(window: Window, qtbot) -> None:
    panel = panel_of(window, "modes")
    assert isinstance(panel, ModesPanel)
    answered(panel, qtbot)
    panel.follow.setChecked(True)
    leave = threading.Event()
    panel.job.start(lambda tell: leave.wait())
    panel.job.stop()  # its thread is left, and holds up nothing
    window.document.set_value("bob.mass", 12)
    frequency = math.sqrt((30 + 12 * G * LENGTH) / (12 * LENGTH**2))

    def again() -> bool:
        item = panel.table.topLevelItem(0)
        return item is not None and abs(float(item.text(RATE)) / frequency - 1.0) < 1e-3

    try:
        qtbot.waitUntil(again, timeout=LONG)
    finally:
        leave.set()
    assert not panel.age.isVisible()


def test_an_answer_is_old_once_a_composite_is_edited(make_window, qtbot, tmp_path: Path) -> None:
    (tmp_path / "bar.yaml").write_text(
        "luff: 1\nblocks: {link: {type: rigid_link, mass: 3, com: [0, 0, -2]}}\nports: {frame_a: link.frame_a}\n"
    )
    text = "luff: 1\nblocks: {pin: {type: revolute, axis: y}, bob: {type: ./bar.yaml}}\n"
    window = make_window(
        text + "connect: [world.frame -- pin.frame_a, pin.frame_b -- bob.frame_a]\n", tmp_path / "arm.yaml"
    )
    qtbot.waitUntil(window.actions_["modes"].isEnabled, timeout=LONG)
    panel = panel_of(window, "modes")
    answered(panel, qtbot)
    window.editing.open_block("bob")
    assert not panel.age.isVisible()
    window.document.set_value("link.mass", 5)
    assert panel.age.isVisible()


def test_a_panel_stays_beside_others_until_it_is_closed(window: Window, qtbot) -> None:
    modes, static = panel_of(window, "modes"), panel_of(window, "static")
    answered(modes, qtbot)
    assert modes.window() is static.window() is window.tabs
    assert panel_of(window, "modes") is modes
    assert window.view3d.swing.on
    window.panels.show("Plots")
    assert window.view3d.swing.on
    modes.time.setValue(2.5)
    QTest.mouseClick(modes.close_button, Qt.MouseButton.LeftButton)
    assert not window.view3d.swing.on
    assert window.panels.opened["Modes"].isHidden()
    assert modes.said.text() == ""
    assert panel_of(window, "modes") is modes
    assert modes.time.value() == 2.5  # what was put in is kept
    window.panels.reset()
    assert window.panels.opened["Static"].isHidden()


def test_an_open_panel_survives_a_fold_and_closes_with_reset_panels(window: Window, qtbot) -> None:
    panels = window.panels
    static, modes = panel_of(window, "static"), panel_of(window, "modes")
    QTest.mouseClick(panel_of(window, "buckling").close_button, Qt.MouseButton.LeftButton)
    panel_of(window, "locus")
    window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, panels.opened["Root Locus"])  # by the user
    panels.show("Modes")
    answered(modes, qtbot)
    sides = [panels.docks[key] for key in ("Palette", "Properties")]
    wide = window.width()
    for width, folded_ in ((1280, True), (wide, False)):
        window.tabs.resize(width, 800)
        qtbot.waitUntil(lambda on=folded_: all(side.isHidden() == on for side in sides), timeout=LONG)
        QApplication.processEvents()
        beside = window.tabifiedDockWidgets(panels.docks["Plots"])
        assert panels.is_visible("Modes")  # in front of its tabs, as it was
        assert {panels.opened[key] in beside for key in ("Modes", "Static")} == {True}
        assert window.dockWidgetArea(panels.opened["Root Locus"]) == Qt.DockWidgetArea.RightDockWidgetArea
        assert panels.is_visible("Root Locus")
        assert panels.opened["Buckling"].isHidden()
        assert modes.answered
        assert modes.table.topLevelItemCount()
        assert window.view3d.swing.on
    window.actions_["reset_panels"].trigger()
    assert all(dock.isHidden() for dock in panels.opened.values())
    panel_of(window, "locus")
    assert panels.opened["Root Locus"] in window.tabifiedDockWidgets(panels.docks["Plots"])
    assert not any(panel.answered for panel in (modes, static))
    assert not window.view3d.swing.on


def test_modes_and_their_picture_are_seen_together_in_any_window(window: Window, qtbot) -> None:
    """Beside the 3-D view where that stands apart; in a narrow window, whose tab it is, with a picture of its own."""
    panel = panel_of(window, "modes")
    assert isinstance(panel, ModesPanel)
    window.tabs.resize(1600, 900)
    answered(panel, qtbot)
    assert window.panels.is_visible("3-D View")
    assert "own_view" not in vars(panel)
    window.tabs.resize(1272, 680)
    view = window.panels.docks["3-D View"]
    qtbot.waitUntil(lambda: view in window.tabifiedDockWidgets(window.panels.opened["Modes"]), timeout=LONG)
    window.panels.show("Modes")
    answered(panel, qtbot)
    assert panel.table.isVisible()
    own = panel.own_view
    assert own.canvas.isVisible()
    assert own.swing.on
    assert own.words.text().startswith("Mode 1")
    scene = own.canvas.scene
    assert scene is not None
    seen = np.concatenate([scene.points_at(pose) for pose in own.swing.frames])
    assert own.canvas.camera.shows(seen, own.canvas.width(), own.canvas.height())
    high = np.ptp(own.canvas.project(seen)[:, :2], axis=0) / (own.canvas.width(), own.canvas.height())
    assert high.max() > 0.6  # as large as it fits: 84 % of the picture, less with perspective
    window.document.set_value("bob.mass", 4)
    assert panel.age.isVisible()
    assert own.swing.on  # of the answer, which says that it is old
    QTest.mouseClick(panel.close_button, Qt.MouseButton.LeftButton)
    assert not own.swing.on
    assert own.isHidden()


def test_another_model_has_no_answers_of_the_one_before(window: Window, qtbot) -> None:
    panel = panel_of(window, "modes")
    answered(panel, qtbot)
    window.replace(Document())
    assert not panel.answered
    assert panel.said.text() == ""


@pytest.mark.parametrize(
    ("key", "words"),
    [("response", "found no input, expected one such as pin.effort"), ("locus", "found no parameter")],
)
def test_an_empty_form_is_told(window: Window, qtbot, key: str, words: str) -> None:
    panel = panel_of(window, key)
    QTest.mouseClick(panel.begin, Qt.MouseButton.LeftButton)
    assert words in panel.said.text()
    assert panel.said.property("role") == "error"
    assert panel.begin.isEnabled()


def test_mistakes_are_told_as_the_command_tells_them(window: Window, qtbot) -> None:
    panel = panel_of(window, "response")
    assert isinstance(panel, ResponsePanel)
    panel.inputs.setText("pin.efort")
    panel.outputs.setText("pin.position")
    said = answered(panel, qtbot)
    with pytest.raises(luff.LuffError) as told:
        luff.linearise(luff.compile(luff.loads(PENDULUM)), inputs=["pin.efort"])
    assert said == "\n".join(str(problem) for problem in told.value.problems)


def test_an_answer_of_a_model_that_changed_meanwhile_says_so(window: Window, qtbot) -> None:
    panel = panel_of(window, "modes")
    QTest.mouseClick(panel.begin, Qt.MouseButton.LeftButton)
    window.document.set_value("bob.mass", 5)
    qtbot.waitUntil(panel.begin.isEnabled, timeout=LONG)
    assert panel.age.isVisible()
    assert not window.view3d.swing.on


def test_names_are_offered_for_the_piece_that_is_typed(window: Window, qtbot) -> None:
    panel = panel_of(window, "linearise")
    assert isinstance(panel, LinearPanel)
    QTest.keyClicks(panel.inputs, "goal.y, pin.eff")
    QApplication.processEvents()
    popup = QApplication.activePopupWidget()
    assert popup is not None
    QTest.keyClick(popup, Qt.Key.Key_Down)
    QTest.keyClick(popup, Qt.Key.Key_Return)
    assert panel.inputs.text() == "goal.y, pin.effort"


def test_return_begins_the_work_in_every_panel(window: Window, monkeypatch) -> None:
    for key, kind in PANELS.items():
        begun: list[str] = []
        monkeypatch.setattr(kind, "start", lambda self, begun=begun: begun.append(self.title))
        panel = panel_of(window, key)
        focus = QApplication.focusWidget()
        assert focus is not None
        assert panel.isAncestorOf(focus)
        QTest.keyClick(focus, Qt.Key.Key_Return)
        assert begun == [kind.title]


def test_a_panel_turns_upright_where_there_is_no_width(window: Window) -> None:
    panel = panel_of(window, "response")
    window.panels.opened[panel.title].setFloating(True)
    window.panels.opened[panel.title].resize(360, 700)
    QApplication.processEvents()
    assert panel.splitter.orientation() == Qt.Orientation.Vertical
    window.panels.opened[panel.title].resize(900, 300)
    QApplication.processEvents()
    assert panel.splitter.orientation() == Qt.Orientation.Horizontal


def test_a_panel_with_an_answer_has_the_focus_in_its_first_field(window: Window, qtbot) -> None:
    panel = panel_of(window, "response")
    panel.fields["Inputs"].setText("pin.effort")
    panel.fields["Outputs"].setText("pin.position")
    answered(panel, qtbot)
    window.view.setFocus()
    assert panel_of(window, "response") is panel
    assert panel.pages.isVisible()
    assert QApplication.focusWidget() is panel.fields["Inputs"]
