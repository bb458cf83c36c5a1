"""A row that is added is a draft until its cells are filled or the focus leaves the table; tables are pasted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from luff.gui.properties.property_rows import Row
from luff.gui.properties.table_editors import TableEditor, cells_of
from luff.gui.window.main_window import Window

MODEL = "luff: 1\nblocks:\n  look: {type: table}\n  base: {type: base_support}\n"


def table_of(window: Window, block: str, key: str) -> tuple[Row, TableEditor]:
    window.view.canvas.select([block])
    (row,) = (row for row in window.properties.rows if row.keys == (key,))
    assert isinstance(row, Row)
    assert isinstance(row.editor, TableEditor)
    return row, row.editor


def type_into(editor: TableEditor, row: int, column: int, text: str) -> None:
    cell = editor.table.item(row, column)
    assert cell is not None
    cell.setText(text)


def test_a_new_table_has_the_rows_and_columns_that_it_needs_and_no_mistake_yet(make_window) -> None:
    window = make_window(MODEL)
    value = window.document.diagram.value
    row, editor = table_of(window, "look", "data")
    editor.add_row()
    heads = [editor.table.horizontalHeaderItem(k).text() for k in range(editor.table.columnCount())]
    assert (editor.table.rowCount(), heads) == (2, ["t", "y"])
    window.document.set_value("base.mass", 3)  # another edit leaves the draft alone
    QApplication.processEvents()
    assert editor.table.rowCount() == 2
    for place, text in enumerate(["0", "1 m", "2", "=2*3"]):
        assert value("look.data") is None
        assert "error" not in vars(row) or not row.error.text()
        type_into(editor, place // 2, place % 2, text)
    assert value("look.data") == [[0, "1 m"], [2, "=2*3"]]
    window.document.check()
    assert not [
        str(problem) for problem in window.document.problems if problem.path.startswith("blocks.look")
    ]


def test_a_draft_is_taken_as_it_is_once_the_focus_leaves_it(make_window) -> None:
    window = make_window(MODEL)
    row, editor = table_of(window, "base", "supports")
    window.activateWindow()
    editor.add_row()
    assert QApplication.focusWidget() is editor.table
    damping = editor.columns.index("damping")
    type_into(editor, 0, damping, "[1, 1, 1]")
    assert window.document.diagram.value("base.supports") is None
    window.view.setFocus()
    assert window.document.diagram.value("base.supports") == [{"damping": [1, 1, 1]}]
    assert "needs a value" in row.error.text()


def test_a_draft_that_stays_empty_leaves_nothing(make_window) -> None:
    window = make_window(MODEL)
    _, editor = table_of(window, "look", "data")
    window.activateWindow()
    editor.add_row()
    window.view.setFocus()
    assert window.document.diagram.value("look.data") is None
    assert editor.table.rowCount() == 0


def test_a_table_that_nobody_filled_is_incomplete_and_not_wrong(make_window) -> None:
    window = make_window(MODEL)
    window.document.check()
    (problem,) = (one for one in window.document.problems if one.path.startswith("blocks.look"))
    assert problem.incomplete


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("t [s]\ty [m]\n0\t1\n2\t3 m\n", [[0, 1], [2, "3 m"]]),
        ("0;1\n2;=3*2\n", [[0, 1], [2, "=3*2"]]),
        ("0, 1\n2, 3", [[0, 1], [2, 3]]),
    ],
)
def test_a_table_of_a_spreadsheet_is_pasted_into_a_draft(make_window, text: str, rows: list) -> None:
    window = make_window(MODEL)
    _, editor = table_of(window, "look", "data")
    editor.add_row()
    QApplication.clipboard().setText(text)
    QTest.keyClick(editor.table, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert window.document.diagram.value("look.data") == rows


def test_more_columns_than_a_table_has_are_refused(make_window) -> None:
    window = make_window(MODEL)
    row, editor = table_of(window, "base", "supports")
    editor.paste("\t".join(["[0, 0, 0]"] * 6))
    assert row.error.text() == "found 6 columns, expected 4 from here on"
    assert window.document.diagram.value("base.supports") is None
    editor.paste("[0, 0, 0]\t[1, 1, 1]")
    assert window.document.diagram.value("base.supports") == [{"at": [0, 0, 0], "stiffness": [1, 1, 1]}]


def test_a_first_line_of_words_is_a_heading_only_above_numbers() -> None:
    assert cells_of("a\tb\n1\t2") == [["1", "2"]]
    assert cells_of("a\tb") == [["a", "b"]]


@pytest.mark.parametrize(("over", "heads"), [("input", ["u", "y1", "y2"]), ("inputs", ["y1", "y2", "y3"])])
def test_columns_are_named_after_what_a_table_is_over(make_window, over: str, heads: list[str]) -> None:
    window = make_window(MODEL.replace("table}", "table, data: [[0, 1, 2]]}"))
    _, editor = table_of(window, "look", "data")
    assert editor.columns == ["t", "y1", "y2"]
    window.document.set_value("look.over", over)
    QApplication.processEvents()
    assert [editor.table.horizontalHeaderItem(k).text() for k in range(3)] == heads
    window.document.undo.undo()
    QApplication.processEvents()
    assert editor.table.horizontalHeaderItem(0).text() == "t"
