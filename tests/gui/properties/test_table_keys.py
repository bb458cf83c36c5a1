"""Tab in a table of the panel of properties: it goes on to a new row, never back to the first."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from luff.gui.properties.table_editors import TableEditor
from luff.gui.window.main_window import Window

MODEL = "luff: 1\nparameters: {l: 2 m}\nblocks:\n  look: {type: table, data: [[0, 1], [1, 2]]}\n"
TAB, BACK = Qt.Key.Key_Tab, Qt.Key.Key_Backtab


def press(*keys: str | Qt.Key) -> None:
    for key in keys:
        at = QApplication.focusWidget()
        assert at is not None
        if isinstance(key, str):
            QTest.keyClicks(at, key)
        else:
            QTest.keyClick(at, key)
        QApplication.processEvents()


def edit(window: Window, block: str | None, row: int, column: int) -> TableEditor:
    window.activateWindow()
    window.view.canvas.select([block] if block else [])
    key = "data" if block else "parameters"
    (editor,) = (each.editor for each in window.properties.rows if each.keys == (key,))
    assert isinstance(editor, TableEditor)
    editor.table.setFocus()
    editor.table.setCurrentCell(row, column)
    editor.table.editItem(editor.table.item(row, column))
    return editor


def test_tab_behind_the_last_cell_goes_on_to_a_new_row(make_window) -> None:
    window = make_window(MODEL)
    value = window.document.diagram.value
    editor = edit(window, "look", 1, 1)
    press("3", TAB)
    assert (editor.table.rowCount(), editor.table.currentRow(), editor.table.currentColumn()) == (3, 2, 0)
    assert value("look.data") == [[0, 1], [1, 3]]
    press("2", TAB, "4", TAB)
    assert value("look.data") == [[0, 1], [1, 3], [2, 4]]
    assert editor.table.rowCount() == 4
    press(TAB, TAB)  # nothing is written into the last one
    assert QApplication.focusWidget() is not editor.table
    assert not editor.table.isAncestorOf(QApplication.focusWidget())


@pytest.mark.parametrize("column", [0, 1])
def test_a_new_row_that_is_left_untouched_is_dropped(make_window, column: int) -> None:
    window = make_window(MODEL)
    undone = window.document.undo.count()
    editor = edit(window, None, 0, 1)
    press(TAB)
    assert editor.table.rowCount() == 2
    assert editor.table.item(1, 0).text() == "p1"
    press(*[TAB] * column)
    window.view.setFocus()
    QApplication.processEvents()
    assert editor.table.rowCount() == 1
    assert window.document.diagram.data["parameters"] == {"l": "2 m"}
    assert window.document.undo.count() == undone


def test_a_new_parameter_takes_its_name_and_its_value(make_window) -> None:
    window = make_window(MODEL)
    edit(window, None, 0, 1)
    press(TAB, "m", TAB, "3 kg", TAB)
    assert window.document.diagram.data["parameters"] == {"l": "2 m", "m": "3 kg"}


def test_shift_tab_before_the_first_cell_leaves_the_table(make_window) -> None:
    window = make_window(MODEL)
    editor = edit(window, "look", 0, 0)
    press("5", BACK)
    assert window.document.diagram.value("look.data") == [[5, 1], [1, 2]]
    at = QApplication.focusWidget()
    assert at is not None
    assert at is not editor.table
    assert not editor.table.isAncestorOf(at)
