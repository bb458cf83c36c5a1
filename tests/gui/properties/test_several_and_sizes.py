"""Fields of several blocks whose values differ, and fields that follow from values beside them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit

from luff.gui.properties.property_rows import Row
from luff.gui.theme.small_widgets import CheckBox
from luff.gui.window.main_window import Window

LINKS = """luff: 1
blocks:
  a: {type: rigid_link, mass: 2, com: [0.5, 0, 0], shape: {kind: box, size: [1, 20 cm, 0.3]}}
  b: {type: rigid_link, mass: 3, com: [0.5, 0, 0], shape: {kind: sphere, size: 0.3, hidden: true}}
"""


def row(window: Window, *keys: str) -> Row:
    return next(row for row in window.properties.findChildren(Row) if row.keys == keys)


def fields(row: Row) -> list[QLineEdit]:
    return [field for field in row.editor.findChildren(QLineEdit) if not field.isHidden()]


def test_values_that_differ_between_blocks_are_not_shown_as_the_default(make_window) -> None:
    window = make_window(LINKS)
    window.view.canvas.select(["a", "b"])
    (mass,) = fields(row(window, "mass"))
    assert (mass.text(), mass.placeholderText()) == ("", "several")
    assert [field.text() for field in fields(row(window, "com"))] == ["0.5", "0", "0"]
    kind = row(window, "shape", "kind").editor.findChild(QComboBox)
    assert (kind.currentIndex(), kind.placeholderText()) == (-1, "several")
    hidden = row(window, "shape", "hidden").editor.findChild(CheckBox)
    assert hidden.checkState() is Qt.CheckState.PartiallyChecked
    hidden.click()
    assert hidden.checkState() is Qt.CheckState.Checked
    assert window.document.diagram.value("a.shape.hidden") is True
    mass.setText("4")
    QTest.keyClick(mass, Qt.Key.Key_Return)
    assert window.document.diagram.value("a.mass") == window.document.diagram.value("b.mass") == 4
    assert (mass.text(), mass.placeholderText()) != ("", "several")
    com = row(window, "com")
    window.document.set_value("a.com", [1, 0, 0])
    QApplication.processEvents()
    assert [field.placeholderText() for field in fields(com)] == ["several"] * 3
    com.reset.click()
    assert [(field.text(), field.placeholderText()) for field in fields(com)] == [("", "0")] * 3
    window.view.canvas.select(["a"])
    assert fields(row(window, "shape", "density"))[0].placeholderText() == "not set"


def test_sizes_of_a_shape_have_a_field_each(make_window) -> None:
    window = make_window(LINKS)
    diagram = window.document.diagram
    window.view.canvas.select(["a"])
    size = row(window, "shape", "size")
    assert [field.text() for field in fields(size)] == ["1", "20 cm", "0.3"]
    assert [field.placeholderText() for field in fields(size)] == ["x", "y", "z"]
    fields(size)[2].setText("0.4")
    QTest.keyClick(fields(size)[2], Qt.Key.Key_Return)
    assert diagram.value("a.shape.size") == [1, "20 cm", 0.4]
    window.document.unset_value("a.shape.size")
    window.document.set_value("a.shape.kind", "cylinder")
    QApplication.processEvents()
    size = row(window, "shape", "size")
    assert [field.placeholderText() for field in fields(size)] == ["diameter", "length"]
    for field, text in zip(fields(size), ("0.2", "3"), strict=True):
        field.setText(text)
        QTest.keyClick(field, Qt.Key.Key_Return)
    assert diagram.value("a.shape.size") == [0.2, 3]


@pytest.mark.parametrize(("text", "raw"), [("0.5", 0.5), ("40 cm", "40 cm")])
def test_the_diameter_of_a_sphere_is_one_number(make_window, text: str, raw: object) -> None:
    window = make_window(LINKS)
    window.view.canvas.select(["b"])
    (diameter,) = fields(row(window, "shape", "size"))
    assert diameter.text() == "0.3"
    diameter.setText(text)
    QTest.keyClick(diameter, Qt.Key.Key_Return)
    assert window.document.diagram.value("b.shape.size") == raw


TWO_DRIVES = """luff: 1
blocks:
  j: {type: revolute, axis: y}
  k: {type: KIND, axis: y}
  a: {type: pd, kp: 10, kd: 1, limits: {lower: -5, upper: 5}}
  b: {type: pd, kp: 20, kd: 1, limits: {lower: -5, upper: 5}}
connect: [j.trajectory -> a.measured, a.effort -> j.effort, k.trajectory -> b.measured, b.effort -> k.effort]
"""


@pytest.mark.parametrize(("kind", "unit"), [("revolute", "N·m/rad"), ("prismatic", "")])
def test_several_drives_have_the_unit_that_follows_for_all_of_them(make_window, kind: str, unit: str) -> None:
    window = make_window(TWO_DRIVES.replace("KIND", kind))
    window.view.canvas.select(["a", "b"])
    assert row(window, "kp").editor.unit.text() == unit
    window.view.canvas.select(["a"])
    assert row(window, "kp").editor.unit.text() == "N·m/rad"
