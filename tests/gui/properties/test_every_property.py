"""Every way in which the property panel and the sliders edit a document: one step, undone to the very text."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QPlainTextEdit,
)

from luff.gui.properties.property_groups import Group
from luff.gui.properties.table_editors import TableEditor
from luff.tests.gui.user import Edits, User, undoes_exactly

edit = Edits()


@edit
def number(user: User) -> None:
    user.select("upper")
    user.types("7", "mass")


@edit
def unit(user: User) -> None:
    user.select("upper")
    button = user.row("mass").editor.unit  # type: ignore[attr-defined]
    next(action for action in button.menu().actions() if action.text() == "t").trigger()


@edit
def vector(user: User) -> None:
    user.select("fore")
    user.types("0.4", "com", part=0)


@edit
def nested(user: User) -> None:
    user.select("elbow")
    user.types("30 deg", "initial", "position")


@edit
def flag(user: User) -> None:
    user.select("elbow")
    box = user.row("cut").findChild(QCheckBox)
    assert box is not None
    box.click()


@edit
def choice(user: User) -> None:
    user.select("elbow")
    box = user.row("friction", "model").findChild(QComboBox)
    assert box is not None
    box.setCurrentIndex(box.findText("Dahl"))
    box.activated.emit(box.currentIndex())


@edit
def shape(user: User) -> None:
    user.select("upper")
    box = user.row("shape", "kind").findChild(QComboBox)
    assert box is not None
    box.setCurrentIndex(box.findText("cylinder"))
    box.activated.emit(box.currentIndex())


@edit
def colour(user: User) -> None:
    user.select("fore")
    user.types("#c04020", "shape", "color")


@edit
def axis(user: User) -> None:
    user.select("elbow")
    user.types("-z", "axis")


@edit
def default(user: User) -> None:
    user.select("upper")
    user.row("mass").reset.click()


@edit
def default_by_the_menu(user: User) -> None:
    user.select("upper")
    row = user.row("mass")
    user.chooses("Back to the Default")
    user.right_click(row, QPoint(5, 5))


@edit
def default_of_a_group(user: User) -> None:
    user.select("upper")
    found = next(row for row in user.window.properties.rows if row.keys[-1] == "frame_b")
    assert isinstance(found, Group)
    found.remove.click()


@edit
def row_of_a_table(user: User) -> None:
    user.select("fore")
    editor = user.row("frames").editor
    assert isinstance(editor, TableEditor)
    editor.add_row()


@edit
def slider(user: User) -> None:
    user.select("upper")
    row = user.row("mass")
    user.chooses("Add a Slider")
    user.right_click(row, QPoint(5, 5))
    handle = user.window.controls.rows["upper.mass"].slider  # type: ignore[attr-defined]
    handle.setFocus()
    for _ in range(5):
        QTest.keyClick(handle, Qt.Key.Key_Right)


@edit
def switch(user: User) -> None:
    user.window.views.add_slider("elbow.cut")
    user.window.controls.rows["elbow.cut"].box.click()  # type: ignore[attr-defined]


@edit
def name_of_the_diagram(user: User) -> None:
    user.select()
    user.types("crane", "name")


@edit
def words_about_the_diagram(user: User) -> None:
    user.select()
    field = user.row("doc").findChild(QPlainTextEdit)
    assert field is not None
    QTest.keyClicks(field, "two links")
    QTest.keyClick(field, Qt.Key.Key_Return)


@edit
def setting_of_the_run(user: User) -> None:
    user.select()
    user.types("20", "stop")


@edit
def cell_of_the_parameters(user: User) -> None:
    user.select()
    editor = user.row("parameters").editor
    assert isinstance(editor, TableEditor)
    cell = editor.table.item(0, 1)
    assert cell is not None
    cell.setText("2 m")


@edit
def parameter_taken_away(user: User) -> None:
    user.select()
    editor = user.row("parameters").editor
    assert isinstance(editor, TableEditor)
    editor.remove_row()


@pytest.mark.parametrize("name", edit)
def test_edit_is_one_step_that_undoes_to_the_very_text(name: str, user: User) -> None:
    undoes_exactly(user, edit[name])
