"""The inertia of a body is three fields, and three more where products are given."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from luff.gui.properties.property_rows import Row
from luff.gui.properties.vector_editors import InertiaEditor
from luff.gui.theme.number_format import units_in_print
from luff.gui.window.main_window import Window

LINK = "luff: 1\nblocks: {link: {type: rigid_link}}\n"


def editor_of(window: Window) -> InertiaEditor:
    window.view.canvas.select(["link"])
    (row,) = (row for row in window.properties.rows if row.keys == ("inertia",))
    assert isinstance(row, Row)
    assert isinstance(row.editor, InertiaEditor)
    return row.editor


def enter(editor: InertiaEditor, place: int, text: str) -> None:
    editor.fields[place].setText(text)
    QTest.keyClick(editor.fields[place], Qt.Key.Key_Return)


@pytest.mark.parametrize(
    ("place", "text", "raw"),
    [
        (1, "4", [0, 4, 0]),
        (0, "1 t*m^2, 2, 3", ["1 t*m^2", 2, 3]),
        (0, "[1, 2, 3, 0.1, 0.2, 0.3]", [1, 2, 3, 0.1, 0.2, 0.3]),
        (4, "0.5", [0, 0, 0, 0, 0.5, 0]),
    ],
)
def test_products_are_written_where_they_are_given(make_window, place: int, text: str, raw: list) -> None:
    window = make_window(LINK)
    editor = editor_of(window)
    enter(editor, place, text)
    assert window.document.diagram.value("link.inertia") == raw
    assert editor.fold.isChecked() == (len(raw) == 6)
    shown = [field.text() for field in editor.fields]
    assert shown == [*(units_in_print(str(one)) for one in raw), *[""] * (6 - len(raw))]


def test_what_is_no_inertia_says_so(make_window) -> None:
    window = make_window(LINK)
    window.document.set_value("link.inertia", [1, 2])
    editor = editor_of(window)
    (row,) = (row for row in window.properties.rows if row.keys == ("inertia",))
    assert isinstance(row, Row)
    assert row.error.text().startswith("found 2 entries, expected [xx, yy, zz]")
    assert not any(field.text() for field in editor.fields)
