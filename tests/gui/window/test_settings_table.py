"""Tables of settings: names complete in their cells, and values belong to names."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLineEdit, QStyle

from luff.blocks.errors import Problem
from luff.gui.theme.completion_list import CompletionList
from luff.gui.window.analyses.search_panels import FitPanel, OptimisePanel
from luff.tests.gui.driver import LONG, panel_of

SERVO = """luff: 1
parameters: {stiff: 30}
blocks:
  servo: {type: pd, kp: 20, kd: =stiff/6, upper: [3]}
  rail: {type: prismatic, axis: x, stiffness: 4 kN/m}
"""


@pytest.fixture
def panel(make_window) -> OptimisePanel:
    made = panel_of(make_window(SERVO), "optimise")
    assert isinstance(made, OptimisePanel)
    return made


def edited(panel: OptimisePanel, row: int, column: int) -> QLineEdit:
    """Field of a cell that is edited."""
    table = panel.parameters
    table.editItem(table.item(row, column))
    return table.viewport().findChildren(QLineEdit)[-1]


def test_a_gain_completes_where_it_is_one_number(panel: OptimisePanel) -> None:
    field = edited(panel, 0, 0)
    QTest.keyClicks(field, "servo.")
    offered = field.findChild(CompletionList)
    found = {offered.list.setCurrentRow(k) and offered.list.currentCompletion() for k in range(99)}
    offered.list.popup().hide()
    assert {"servo.kp", "servo.kd"} <= found
    assert "servo.upper" not in found  # a vector


def test_the_last_row_takes_a_name_before_its_values(panel: OptimisePanel) -> None:
    table = panel.parameters
    assert not table.item(0, 1).flags() & Qt.ItemFlag.ItemIsEditable
    table.item(0, 0).setText("stiff")
    assert table.item(0, 1).flags() & Qt.ItemFlag.ItemIsEditable
    assert not table.item(1, 1).flags() & Qt.ItemFlag.ItemIsEditable
    table.item(0, 1).setText("20")
    assert table.rows() == [["stiff", "20", "", ""]]
    table.item(0, 0).setText("")
    assert (table.rowCount(), table.rows()) == (1, [])  # and no row of values alone


def test_a_refusal_goes_with_the_first_change_of_the_form(panel: OptimisePanel) -> None:
    panel.start()
    assert panel.said.text().startswith("Found no parameters")
    panel.parameters.item(0, 0).setText("stiff")
    assert panel.said.text() == ""
    panel.parameters.item(0, 0).setText("")
    panel.start()
    panel.say("3 runs")
    panel.number.setCurrentText("mean")
    assert panel.said.text() == "3 runs"  # only what is refused


def test_a_reason_goes_once_another_signal_is_named(panel: OptimisePanel) -> None:
    panel._failed([Problem("no equilibrium")])
    assert panel.said.text() == "no equilibrium"
    panel.of.setText("rail.position")
    assert panel.said.text() == ""


def test_a_measured_signal_takes_the_column_of_its_name(make_window, tmp_path: Path) -> None:
    panel = panel_of(make_window(SERVO), "fit_parameters")
    assert isinstance(panel, FitPanel)
    (tmp_path / "run.csv").write_text("time [s],rail.position [m],servo\n0,0,0\n1,0,0\n")
    panel.parameters.item(0, 0).setText("stiff")
    panel.signals.item(0, 0).setText("rail.position")
    panel.start()
    assert panel.said.text() == "rail.position: name its column in the file"
    panel.data.setText(str(tmp_path / "run.csv"))
    assert panel.signals.rows() == [["rail.position", "rail.position", ""]]
    panel.signals.item(1, 0).setText("servo.effort")
    assert panel.signals.mistake.words == "servo.effort: name its column in the file"


def test_a_name_has_the_room_that_short_values_leave(panel: OptimisePanel) -> None:
    table, name = panel.parameters, "slew_drive.damping"
    table.setFixedWidth(300)  # as in a panel of 320
    table.show_rows([[name, "1", "20", "1.5"]])
    QApplication.processEvents()
    margin = table.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 1
    assert table.columnWidth(0) >= table.fontMetrics().horizontalAdvance(name) + 2 * margin
    line = table.rowHeight(0)
    table.show_rows([[name, "0.25 kN/m", "1.25 kN/m", ""]])  # values break after their numbers
    QApplication.processEvents()
    assert table.columnWidth(0) >= table.fontMetrics().horizontalAdvance(name)
    assert table.columnWidth(1) >= table.fontMetrics().horizontalAdvance("kN/m")
    assert table.rowHeight(0) > line
    assert table.columnWidth(3) < table.columnWidth(1) + 10  # without values it has the room of its head
    assert table.rowHeight(1) == line


def test_tab_behind_the_last_value_begins_a_row_and_then_leaves(panel: OptimisePanel, qtbot) -> None:
    panel.window().activateWindow()
    qtbot.waitUntil(panel.isActiveWindow, timeout=LONG)
    table = panel.parameters
    table.show_rows([["stiff", "1", "2", "1.5"]])
    table.setCurrentCell(0, 3)
    QTest.keyClick(edited(panel, 0, 3), Qt.Key.Key_Tab)
    assert (table.currentRow(), table.currentColumn()) == (1, 0)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # of the editor before
    (field,) = table.viewport().findChildren(QLineEdit)
    QTest.keyClick(field, Qt.Key.Key_Tab)
    assert (table.currentRow(), table.currentColumn()) == (1, 0)  # not round to the first name
    assert table.state() != QAbstractItemView.State.EditingState
    assert panel.way.hasFocus()
