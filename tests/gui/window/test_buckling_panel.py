"""Analyse > Buckling: the load, what is told of it, the mode in the 3-D view, and that nothing stays behind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import luff
from luff.gui.view3d.mode_animation import swing_under_load
from luff.gui.view3d.scene_model import scene_of
from luff.gui.view3d.scene_shapes import place
from luff.gui.window.analyses.buckling_panel import BucklingPanel
from luff.gui.window.analyses.findings_table import FindingsTable
from luff.gui.window.main_window import Window
from luff.solver.analysis.analysis_units import display_unit_of
from luff.solver.analysis.buckling import Buckling, describe_buckling
from luff.tests.gui.driver import LONG, answered, panel_of

COLUMN = """luff: 1
name: column
blocks:
  world: {gravity: [0, 0, 0]}
  column:
    type: rfem_link
    length: 2 m
    section: {shape: rectangle, width: 2 cm, height: 5 cm}
    E: 210 GPa
    divisions: 2
  tip: {type: applied_force}
  F: {type: constant, value: [-1 kN, 0, 0], unit: N}
connect: [world.frame -- column.frame_a, column.frame_b -- tip.frame_b, F.y -> tip.force]
"""
FOUR_BAR = """luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  left: {type: revolute, axis: y}
  a: {type: rigid_link, mass: 1, com: [0, 0, 0.5], inertia: [0.1, 0.1, 0.01], frame_b: {at: [0, 0, 1]}}
  top: {type: revolute, axis: y}
  b: {type: rigid_link, mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], frame_b: {at: [1, 0, 0]}}
  knee: {type: revolute, axis: y, cut: true}
  c: {type: rigid_link, mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01], frame_b: {at: [0.6, 0, -1]}}
  foot: {type: revolute, axis: y, stiffness: 500 N*m/rad}
  base: {type: fixed, at: [1.6, 0, 0]}
  tip: {type: applied_force}
  F: {type: constant, value: [0, 0, -10], unit: N}
connect:
  - world.frame -- left.frame_a
  - left.frame_b -- a.frame_a
  - a.frame_b -- top.frame_a
  - top.frame_b -- b.frame_a
  - b.frame_b -- knee.frame_a
  - knee.frame_b -- c.frame_a
  - c.frame_b -- foot.frame_a
  - world.frame -- base.frame_a
  - base.frame_b -- foot.frame_b
  - b.frame_a -- tip.frame_b
  - F.y -> tip.force
initial: {solve: assemble}
"""


@pytest.fixture
def window(make_window, qtbot) -> Window:
    window = make_window(COLUMN)
    action = window.actions_["buckling"]
    qtbot.waitUntil(lambda: action.isEnabled() and window.view3d.model is not None, timeout=LONG)
    return window


def asked(window: Window, load: str = "") -> BucklingPanel:
    window.actions_["buckling"].trigger()
    panel = next(child for child in window.findChildren(BucklingPanel) if child.isVisible())
    if load:
        panel.load.setCurrentText(load)
    return panel


def found(panel: BucklingPanel, qtbot) -> str:
    QTest.mouseClick(panel.begin, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(panel.begin.isEnabled, timeout=LONG)
    return panel.said.text()


def assert_told(window: Window, text: str, wanted: Buckling, lines: list[str]) -> None:
    """The figures of the command, in a table with units."""
    panel = panel_of(window, "buckling")
    figures = dict(panel.figures.rows())
    said, shown = (float(text.split()[2]) for text in (lines[0], f"load factor {figures['load factor']}"))
    assert shown == float(f"{said:.4g}")
    assert lines[0].endswith(f" {figures['F.value'].split()[-1]})")
    assert text.lower().startswith(wanted.kind)
    assert panel.said.property("role") == "warning"
    if wanted.kind == "flutter":
        assert float(figures["frequency"].split()[0]) == float(f"{float(lines[1].split()[2]):.4g}")
    table = panel.pages.widget(0)
    assert isinstance(table, FindingsTable)
    assert (
        table.heads[1:] == ["mode", "magnitude"][: 1 + (wanted.kind == "flutter")]
    )  # a real mode is its own


def test_buckling_tells_what_the_command_does_and_shows_the_mode(window: Window, qtbot) -> None:
    panel = asked(window)
    offered = [panel.load.itemText(k) for k in range(panel.load.count())]
    assert offered == ["F.value"]
    text = found(panel, qtbot)
    sim = luff.compile(luff.loads(COLUMN))
    wanted = luff.buckling(sim, load="F.value")
    assert_told(window, text, wanted, describe_buckling(wanted, display_unit_of(sim)))

    view = window.view3d
    scene = view.canvas.scene
    assert scene is not None
    assert view.swing.on
    assert view.canvas.look.rest
    frames = view.swing.frames
    # the column stands along x and leaves across its weaker side, as far to one side as to the other
    away = frames[:, :, 9:] - scene.start[:, 9:]
    assert abs(away[..., 1:]).max() == pytest.approx(0.15 * scene.size, rel=0.05)
    np.testing.assert_allclose(frames[0, :, 10:], -frames[len(frames) // 2, :, 10:], atol=1e-6 * scene.size)
    moved, along = away[0][:, 1:].ravel(), wanted.moved[:, 1:].ravel()
    assert abs(moved @ along) == pytest.approx(np.linalg.norm(moved) * np.linalg.norm(along), rel=1e-2)
    before = view.canvas.pose
    qtbot.waitUntil(lambda: view.canvas.pose is not before, timeout=LONG)  # it swings

    QTest.mouseClick(panel.close_button, Qt.MouseButton.LeftButton)
    assert not view.swing.on
    assert not view.canvas.look.rest
    np.testing.assert_array_equal(view.canvas.pose, scene.start)


def test_the_load_that_grows_is_said_and_those_that_stay(window: Window) -> None:
    panel = asked(window)
    assert panel.others.text() == "F.value grows."
    panel.load.setCurrentText("column.length")
    assert panel.others.text() == "column.length grows; F.value stays as it is."


def test_a_load_that_takes_no_stability_is_an_answer_which_grows_old(window: Window, qtbot) -> None:
    window.document.set_value("F.value", "-1 N")
    panel = asked(window)
    said = answered(panel, qtbot)
    assert "is still stable at" in said
    assert "where the search ends" in said
    assert panel.said.property("role") == "warning"  # no mistake
    window.document.set_value("column.length", "3 m")
    assert panel.age.isVisible()
    panel.load.setCurrentText("F.valu")
    assert "is not a number" in answered(panel, qtbot)
    window.document.set_value("column.length", "2 m")
    assert not panel.said.text()  # it was of the model before


def test_an_edit_ends_the_mode(window: Window, qtbot) -> None:
    found(asked(window), qtbot)
    assert window.view3d.swing.on
    window.document.set_value("column.length", "3 m")
    assert not window.view3d.swing.on


@pytest.mark.parametrize(
    ("load", "words"),
    [("tap.force", 'there is no block "tap"'), ("F.valu", '"valu" is not a number of this block')],
)
def test_a_load_that_is_none_is_told_as_the_command_does(
    window: Window, qtbot, load: str, words: str
) -> None:
    panel = asked(window, load)
    text = found(panel, qtbot)
    with pytest.raises(luff.LuffError) as told:
        luff.buckling(luff.compile(luff.loads(COLUMN)), load=load)
    assert words in text
    assert text == "\n".join(str(problem) for problem in told.value.problems)
    assert not window.view3d.swing.on


@pytest.mark.parametrize("way", ["cancel", "escape", "close"])
def test_a_search_is_called_off(window: Window, qtbot, way: str) -> None:
    panel = asked(window)
    beside = panel.job
    QTest.mouseClick(panel.begin, Qt.MouseButton.LeftButton)
    assert beside.active
    assert not panel.begin.isEnabled()
    if way == "cancel":
        QTest.mouseClick(panel.cancel, Qt.MouseButton.LeftButton)
        assert panel.said.text() == "Stopped"
        assert panel.begin.isEnabled()
    elif way == "escape":
        panel.cancel.setFocus()
        QTest.keyClick(panel, Qt.Key.Key_Escape)  # says that the next one stops it
        QTest.keyClick(panel, Qt.Key.Key_Escape)
    else:
        QTest.mouseClick(panel.close_button, Qt.MouseButton.LeftButton)
    assert not beside.active
    qtbot.waitUntil(lambda: not beside.running, timeout=LONG)
    QApplication.processEvents()
    assert not window.view3d.swing.on


def test_a_load_that_follows_makes_it_flutter(window: Window, qtbot) -> None:
    window.document.set_value("tip.resolve", "b")
    text = found(asked(window), qtbot)
    sim = luff.compile(luff.loads(window.document.diagram.to_yaml()))
    wanted = luff.buckling(sim, load="F.value")
    assert wanted.kind == "flutter"
    assert_told(window, text, wanted, describe_buckling(wanted, display_unit_of(sim)))
    assert window.view3d.swing.on


def test_a_mode_keeps_its_loop_closed() -> None:
    """A strut in a four-bar under a load that its spring holds: 10 N grow to c/l = 500 N/m times 1 m."""
    sim = luff.compile(luff.loads(FOUR_BAR))
    scene = scene_of(sim)
    mode = luff.buckling(sim, load="F.value")
    assert (mode.kind, mode.factor) == ("divergence", pytest.approx(50))
    frames = swing_under_load(sim, mode, scene.size)
    ends = np.array(
        [[place(pose, *scene.frames[f"knee.{port}"]) for port in ("frame_a", "frame_b")] for pose in frames]
    )
    np.testing.assert_allclose(ends[:, 0], ends[:, 1], atol=1e-9)
    assert np.ptp(ends[:, 0, 0]) > 0.1


def test_a_mode_swings_where_rest_is_not_found_from_the_start() -> None:
    """A column that hangs down under a load of which its start knows no equilibrium."""
    sim = luff.compile(Path(luff.__file__).parent / "library" / "column.yaml", **{"column.divisions": 1})
    mode = Buckling(6e5, "divergence", "head.mass", 3e8, 0.0, {"column.psi": 1.0 + 0j}, sim.x0)
    frames = swing_under_load(sim, mode, 6.0)
    assert np.ptp(frames, axis=0).max() > 0.1


def test_asked_twice_there_is_one_panel_and_one_search(window: Window, qtbot) -> None:
    panel = asked(window)
    QTest.mouseClick(panel.begin, Qt.MouseButton.LeftButton)
    assert asked(window) is panel
    assert len([child for child in window.findChildren(BucklingPanel) if child.isVisible()]) == 1
    assert not panel.begin.isEnabled()
    qtbot.waitUntil(panel.begin.isEnabled, timeout=LONG)
    assert found(panel, qtbot).startswith("Divergence")  # again


def test_an_edit_during_a_search_is_told(window: Window, qtbot) -> None:
    panel = asked(window)
    QTest.mouseClick(panel.begin, Qt.MouseButton.LeftButton)
    window.document.set_value("column.length", "3 m")
    qtbot.waitUntil(panel.begin.isEnabled, timeout=LONG)
    assert panel.age.isVisible()
    assert not window.view3d.swing.on
    found(panel, qtbot)
    assert not panel.age.isVisible()


def test_a_window_closes_during_a_search(window: Window, qtbot, monkeypatch) -> None:
    monkeypatch.setattr(window.files, "may_close", lambda level: True)
    panel = asked(window)
    QTest.mouseClick(panel.begin, Qt.MouseButton.LeftButton)
    beside = panel.job
    assert window.close()
    assert not beside.running
    QApplication.processEvents()


def test_what_does_not_compile_cannot_be_asked(window: Window, qtbot) -> None:
    window.document.set_value("column.E", "3 kg")
    qtbot.waitUntil(lambda: "error" in window.running.badge.text(), timeout=LONG)
    assert not window.actions_["buckling"].isEnabled()
