"""Plots without the mouse: arrow keys and the context menu reach the cursors."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QToolButton

from luff.gui.plots.pane_menu import PaneMenu
from luff.solver.results.result import read_result
from luff.tests.gui.driver import LONG, run_to_end
from luff.tests.gui.fake_run import FakeSim
from luff.tests.shared.netlists import TWO_LINKS

CTRL = Qt.KeyboardModifier.ControlModifier


def test_the_first_arrow_shows_a_cursor_and_the_next_one_moves_it(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS + "plots: [{y: [shoulder.position]}]\n")
    run_to_end(window, qtbot, FakeSim(["shoulder.position"]))  # of 2 s
    pane = window.deck.panes[0]
    QTest.keyClick(pane, Qt.Key.Key_Right)
    assert window.deck.cursor_action.isChecked()
    assert pane.line.isVisible()
    before = float(pane.line.value())
    QTest.keyClick(pane, Qt.Key.Key_Right)
    assert float(pane.line.value()) > before
    QTest.keyClick(pane, Qt.Key.Key_Right, CTRL)
    assert pane.second.isVisible()


def test_tools_act_on_the_plot_that_had_the_focus_last(make_window, qtbot, monkeypatch, tmp_path) -> None:
    window = make_window(
        TWO_LINKS + "plots: [{y: [shoulder.position]}, {y: [elbow.position], title: 'Elbow, in time'}]\n"
    )
    window.panels.show("Plots")
    run_to_end(window, qtbot, FakeSim(["shoulder.position", "elbow.position"]))
    deck, path = window.deck, tmp_path / "rows.csv"
    window.document.diagram.path = tmp_path / "arm.yaml"
    framed = lambda: [pane.property("current") == "true" for pane in deck.panes]  # noqa: E731
    QTest.mouseClick(deck.panes[0].viewport(), Qt.MouseButton.LeftButton)
    assert framed() == [True, False]
    deck.panes[1].setFocus()
    window.view.setFocus()
    assert framed() == [False, True]
    asked: list[str] = []
    save_to = lambda *words: asked.append(words[2]) or (str(path), "")  # noqa: E731
    monkeypatch.setattr(QFileDialog, "getSaveFileName", save_to)
    tool = {action.text(): action for action in deck.tools}
    tool["Export..."].trigger()
    assert asked == [str(tmp_path / "elbow_in_time.png")]  # beside the diagram
    assert [*read_result(path).columns] == ["elbow.position"]
    assert window.message_label.text() == f"Saved {path}"
    deck.panes[0].setFocus()
    tool["Remove Plot"].trigger()
    assert [pane.spec.y for pane in deck.panes] == [["elbow.position"]]
    assert framed() == [False]  # alone


def test_no_tool_keeps_a_frame_that_the_mouse_left_while_it_was_hidden(make_window) -> None:
    deck = make_window(TWO_LINKS).deck
    button = deck._tools.findChildren(QToolButton)[0]
    deck.hide()
    button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
    QCursor.setPos(button.mapToGlobal(button.rect().bottomRight()) + QPoint(300, 0))
    deck.show()
    assert not button.underMouse()


def test_the_menu_of_a_plot_has_what_its_tool_bar_has(make_window) -> None:
    deck = make_window(TWO_LINKS + "plots: [{y: [shoulder.position]}]\n").deck
    menu = PaneMenu(deck, deck, 0)
    names = [action.text() for action in menu.actions()]
    assert {action.text() for action in deck.tools} - {"Add Plot"} <= {*names}
    next(action for action in menu.actions() if action.text() == "Cursor").trigger()
    assert deck.cursor_action.isChecked()


def test_the_tip_of_a_tool_goes_with_its_panel(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS)
    window.panels.show("Plots")
    fit = next(action for action in window.deck.tools if action.text() == "Fit")
    button = next(b for b in window.deck.findChildren(QToolButton) if b.defaultAction() is fit)
    assert fit.showStatusText(button)  # as the pointer over it does
    assert window.statusBar().currentMessage() == "Fit the axes to the data"
    window.panels.show("Problems")
    qtbot.waitUntil(lambda: not window.statusBar().currentMessage(), timeout=LONG)
