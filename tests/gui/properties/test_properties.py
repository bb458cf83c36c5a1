"""Values as text and in other units; every parameter of every block has an editor that shows and gives it back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from shiboken6 import delete

from luff.blocks import registered
from luff.blocks.text.quantity import quantity
from luff.gui.document.document import Document
from luff.gui.properties.parameter_editors import LineEditor
from luff.gui.properties.property_groups import Group
from luff.gui.properties.property_panel import PropertyPanel
from luff.gui.properties.property_rows import Row
from luff.gui.properties.table_editors import TableEditor
from luff.gui.properties.value_text import choices, converted, from_text, split, to_text
from luff.gui.theme import active_theme
from luff.gui.theme.small_widgets import CheckBox, ElidedLabel
from luff.gui.theme.symbols.symbol_painter import parsed
from luff.gui.theme.symbols.symbol_table import SYMBOLS
from luff.gui.window.help_dialogs import block_page
from luff.solver.flatten.diagram import Diagram
from luff.tests.gui.user import TEXT, User


@pytest.mark.parametrize(
    "raw",
    [1, 2.5, -3e-7, "6 m", "=l1/2", True, [0, 0, "=d1"], [["z", "90 deg"]], {"at": [1, 2, 3]}, "x", None],
)
def test_text_gives_the_value_back(raw: object) -> None:
    assert from_text(to_text(raw)) == raw


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (2e5, "2e5"),
        (1e23, "1e23"),
        (18000.0, "18000"),
        (210e9, "2.1e11"),
        (-1e12, "-1e12"),
        (0.0, "0"),
        (-0.0, "0"),
        (123456789.0, "123456789"),
        ([2e3, 0.5], "[2000, 0.5]"),
    ],
)
def test_numbers_stand_as_one_would_type_them(raw: object, words: str) -> None:
    assert to_text(raw) == words
    assert from_text(words) == raw


@pytest.mark.parametrize(
    ("raw", "own", "to"),
    [(2000, "kg", "t"), ("30 deg", "rad", "rad"), ("5 km/h", "m/s", "mm/s"), (0.5, "m", "cm")],
)
def test_conversion_keeps_the_quantity(raw: object, own: str, to: str) -> None:
    def si(value: object) -> float:
        return quantity(value).value if isinstance(value, str) else float(value)  # type: ignore[arg-type]

    # twelve digits are written
    assert si(converted(raw, own, to)) == pytest.approx(si(raw), rel=1e-11)


def test_expressions_are_not_converted_and_units_fit() -> None:
    assert converted("=l1", "m", "mm") == "=l1"
    assert split("=l1") is None
    assert "deg" in choices("rad")
    assert "kg" not in choices("rad")


def fill(editor: TableEditor) -> None:
    """Type a number into each empty cell of rows that were added."""
    table = editor.table
    for i in range(table.rowCount()):
        for k in range(table.columnCount()):
            cell = table.item(i, k)
            if editor.draft and cell is not None and not cell.text():
                cell.setText("1")


@pytest.mark.parametrize("type_name", sorted(registered()))
def test_panel_of_every_block_edits_every_parameter(type_name: str, qapp: QApplication) -> None:
    diagram = Diagram()
    if type_name != "world":
        diagram.add_block("b", {"type": type_name})
    name = "world" if type_name == "world" else "b"
    document = Document(diagram)
    before = diagram.to_yaml()
    panel = PropertyPanel()
    panel.show_document(document)
    panel.show_selection([name], [])

    def walk(rows: list[Row | Group]) -> list[Row]:
        return [r for row in rows for r in (walk(row.rows) if isinstance(row, Group) else [row])]

    rows = walk(panel.rows)
    assert {row.keys[0] for row in rows} == set(registered()[type_name].params)
    for row in rows:
        assert row.label.toolTip()
        if isinstance(row.editor, TableEditor):
            row.editor.add_row()
            fill(row.editor)
            assert diagram.value(row.target.path(row.keys)) is not None
            while row.editor.table.rowCount():
                row.editor.remove_row()
        else:
            row._write(1)
            assert diagram.value(row.target.path(row.keys)) == 1
            row.refresh()
            row.reset.click()
        assert diagram.value(row.target.path(row.keys)) is None, row.keys
    while document.undo.canUndo():
        document.undo.undo()
    assert diagram.to_yaml() == before
    document.close()
    panel.close()
    delete(panel)


@pytest.mark.parametrize("type_name", ["", *sorted(registered())])
def test_panel_cuts_neither_units_nor_rows_at_its_usual_width(type_name: str, qapp: QApplication) -> None:
    diagram = Diagram()
    if type_name not in ("", "world"):
        diagram.add_block("b", {"type": type_name})
    document = Document(diagram)
    panel = PropertyPanel()
    panel.show_document(document)
    if type_name:
        panel.show_selection(["world" if type_name == "world" else "b"], [])
    panel.resize(330, 700)
    panel.show()
    for group in panel.findChildren(Group):
        group.button.setChecked(True)
    qapp.processEvents()
    body = panel.widget()
    assert body is not None
    assert body.minimumSizeHint().width() <= panel.viewport().width()
    for editor in panel.findChildren(LineEditor):
        if editor.unit.isVisible():
            assert editor.unit.width() >= editor.unit.sizeHint().width(), editor.unit.text()
            assert editor.field.width() >= 30
    document.close()
    panel.close()
    delete(panel)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_box_to_tick_shows_on_the_panel_ticked_or_not(name: str, qapp: QApplication) -> None:
    active_theme.holder.use(name)
    box = CheckBox()
    box.resize(18, 18)
    panel = active_theme.theme().colour("panel").lightnessF()
    for on in (False, True):
        box.setChecked(on)
        picture = box.grab().toImage()
        far = max(abs(picture.pixelColor(x, 9).lightnessF() - panel) for x in range(picture.width()))
        assert far > 0.2
    delete(box)


def test_long_name_keeps_its_ends(qapp: QApplication) -> None:
    label = ElidedLabel("the_revolute_joint_of_the_main_boom.damping")
    label.resize(120, 20)
    shown = label.shown()
    assert shown.startswith("the_")
    assert shown.endswith("ing")
    assert label.fontMetrics().horizontalAdvance(shown) <= 120
    label.resize(900, 20)
    assert label.shown() == label.text()
    delete(label)


@pytest.mark.parametrize("type_name", sorted(registered()))
def test_every_block_has_a_symbol_in_its_box_and_a_page_of_help(type_name: str, qapp: QApplication) -> None:
    symbol = SYMBOLS[type_name]
    for text in (symbol.lines, symbol.filled, symbol.dashed):
        if text:
            box = parsed(text).boundingRect()
            assert -24.5 <= box.left() <= box.right() <= 24.5, type_name
            assert -17 <= box.top() <= box.bottom() <= 17, type_name
    page = block_page(type_name)
    for name in [*registered()[type_name].params, *registered()[type_name].class_ports]:
        assert name in page


def test_dragging_the_name_of_a_number_changes_it_in_one_step_back(user: User) -> None:
    user.select("upper")
    label = user.row("mass").label

    def drags(px: int, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.mousePress(label, Qt.MouseButton.LeftButton, keys, QPoint(10, 8))
        for part in (px // 2, px):
            place = QPointF(10 + part, 8)
            event = QMouseEvent(
                QEvent.Type.MouseMove, place, label.mapToGlobal(place),
                Qt.MouseButton.NoButton, Qt.MouseButton.LeftButton, keys,
            )  # fmt: skip
            QApplication.sendEvent(label, event)
        QTest.mouseRelease(label, Qt.MouseButton.LeftButton, keys, QPoint(10 + px, 8))

    diagram = user.window.document.diagram
    drags(40)
    assert diagram.value("upper.mass") == "3 kg"  # ten steps of 0.1 kg
    drags(-40, Qt.KeyboardModifier.ShiftModifier)
    assert diagram.value("upper.mass") == "3 kg"  # -7 kg is no mass; the drag stops before
    drags(8)
    assert diagram.value("upper.mass") == "3.2 kg"
    user.menu("undo")
    assert diagram.value("upper.mass") == "3 kg"
    user.menu("undo")
    assert diagram.to_yaml() == TEXT
    user.select("upper", "fore")
    assert not user.row("mass").label.scrubs  # two numbers at once
