"""Fields that name something offer what there is, take it by click or by typing, and write what the netlist expects."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QTableWidget, QToolButton

from luff.gui.document.document import Document
from luff.gui.properties.name_pickers import NamesEditor, named_from
from luff.gui.properties.property_panel import PropertyPanel
from luff.gui.properties.property_rows import Row
from luff.gui.properties.table_editors import Matrix
from luff.solver.flatten.diagram import Diagram

TEXT = """luff: 1
blocks:
  luffing: {type: revolute, axis: y}
  boom: {type: rigid_link, mass: 1}
  ball: {type: spherical}
  load: {type: rigid_link, mass: 1}
  beam: {type: rfem_link, length: 2 m, section: {shape: circle, diameter: 5 cm}, E: 210 GPa}
  control: {type: computed_torque}
  keep: {type: programmed_constraint, components: [x]}
  station: {type: section_sensor}
  look: {type: table}
  mode: {type: state_machine, states: {idle: {}, up: {}}}
connect:
  - world.frame -- luffing.frame_a
  - luffing.frame_b -- boom.frame_a
"""


@pytest.fixture
def panel(qapp, tmp_path: Path):
    document = Document(Diagram.from_yaml(TEXT, "test", tmp_path))
    panel = PropertyPanel()
    panel.show_document(document)
    panel.resize(320, 600)
    panel.show()
    yield panel
    panel.close()
    document.close()


def row(panel: PropertyPanel, block: str, key: str) -> Row:
    panel.show_selection([block], [])
    QApplication.processEvents()
    return next(row for row in panel.rows if isinstance(row, Row) and row.keys == (key,))


def typed(panel: PropertyPanel, block: str, key: str, text: str) -> object:
    field = row(panel, block, key).findChild(QLineEdit)
    assert field is not None
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)
    popup = QApplication.activePopupWidget()
    if popup is not None:
        QTest.keyClick(popup, Qt.Key.Key_Escape)  # the list, not the text
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert panel.document is not None
    return panel.document.diagram.value(f"{block}.{key}")


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ("luffing", ["luffing"]),
        ("luffing, ball", ["luffing", "ball"]),
        ("[luffing]", ["luffing"]),
        ("", None),
    ],
)
def test_a_list_of_names_needs_no_brackets(panel: PropertyPanel, text: str, raw: object) -> None:
    assert typed(panel, "control", "drives", text) == raw


def test_drives_offer_the_joints_that_can_be_driven(panel: PropertyPanel) -> None:
    editor = row(panel, "control", "drives").editor
    assert isinstance(editor, NamesEditor)
    assert editor.offer.names() == ["luffing"]  # no body, and no joint without an effort


def test_a_name_is_taken_by_keys_and_is_one_edit(panel: PropertyPanel) -> None:
    editor = row(panel, "control", "drives").editor
    assert isinstance(editor, NamesEditor)
    assert panel.document is not None
    editor.field.setFocus()
    QTest.keyClick(editor.field, Qt.Key.Key_Down)
    popup = QApplication.activePopupWidget()
    assert popup is not None
    QTest.keyClick(popup, Qt.Key.Key_Down)
    QTest.keyClick(popup, Qt.Key.Key_Return)
    assert panel.document.diagram.value("control.drives") == ["luffing"]
    assert panel.document.undo.count() == 1
    panel.document.undo.undo()
    assert panel.document.diagram.to_yaml() == TEXT


def test_units_signals_and_states_are_offered(panel: PropertyPanel) -> None:
    assert {"m", "kN*m", "deg"} <= set(row(panel, "look", "unit").editor.offer.names())  # type: ignore[attr-defined]
    assert row(panel, "mode", "initial").editor.offer.names() == ["idle", "up"]  # type: ignore[attr-defined]
    panel.show_selection([], [])
    stop = next(one for one in panel.rows if one.keys == ("stop_when",))
    assert isinstance(stop, Row)
    assert {"luffing.position", "look.y"} <= set(stop.editor.offer.names())  # type: ignore[attr-defined]
    assert "boom.frame_b" not in stop.editor.offer.names()  # type: ignore[attr-defined]


def test_numbers_in_rows_are_edited_in_cells_and_pasted(panel: PropertyPanel) -> None:
    editor = row(panel, "look", "data").editor
    assert isinstance(editor, Matrix)
    QApplication.clipboard().setText("0\t1 m\n2\t=3*2\n")
    editor.table.setFocus()
    QTest.keyClick(editor.table, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert panel.document is not None
    value = panel.document.diagram.value
    assert value("look.data") == [[0, "1 m"], [2, "=3*2"]]
    cell = editor.table.item(1, 0)
    assert cell is not None
    cell.setText("4")
    assert panel.document.undo.count() == 2
    editor.add_column()
    assert [editor.table.horizontalHeaderItem(k).text() for k in range(3)] == ["t", "y1", "y2"]  # type: ignore[union-attr]
    assert value("look.data") == [[0, "1 m"], [4, "=3*2"]]  # an empty column says nothing yet


def test_buttons_of_a_table_stand_below_its_last_row(panel: PropertyPanel) -> None:
    assert panel.document is not None
    for count in (1, 7, 12):
        panel.document.set_section("parameters", {f"p{k}": f"{k} m" for k in range(count)})
        panel.show_selection([], [])
        panel._build()
        QApplication.processEvents()
        table = panel.findChildren(QTableWidget)[0]
        last = table.visualItemRect(table.item(min(count, 8) - 1, 0))
        assert last.bottom() <= table.viewport().height()
        for button in table.parentWidget().findChildren(QToolButton):
            assert button.y() >= table.geometry().bottom()
        assert table.width() > 0.9 * (panel.viewport().width() - 20)


def test_words_of_a_list_are_offered(panel: PropertyPanel) -> None:
    editor = row(panel, "keep", "components").editor
    assert isinstance(editor, NamesEditor)
    assert editor.field.text() == "x"
    assert list(editor.offer.names()) == ["x", "y", "z"]
    ideal = row(panel, "keep", "realised_by").editor
    assert isinstance(ideal, NamesEditor)
    assert list(ideal.offer.names()) == ["ideal", "luffing"]
    assert typed(panel, "keep", "realised_by", "ideal") == "ideal"
    assert typed(panel, "keep", "realised_by", "luffing") == ["luffing"]


def test_a_body_is_offered_where_one_is_named(panel: PropertyPanel) -> None:
    editor = row(panel, "station", "of").editor
    assert set(editor.offer.names()) == {"boom", "load", "beam"}  # type: ignore[attr-defined]
    assert typed(panel, "station", "of", "beam") == "beam"


def test_a_file_is_chosen_and_named_from_the_netlist(
    panel: PropertyPanel, tmp_path: Path, monkeypatch
) -> None:
    chosen = tmp_path / "data" / "rows.csv"
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(chosen), ""))
    buttons = row(panel, "look", "file").editor.findChildren(QToolButton)
    browse = next(button for button in buttons if button.toolTip() == "Choose a file")
    browse.click()
    assert panel.document is not None
    assert panel.document.diagram.value("look.file") == "data/rows.csv"
    assert named_from(tmp_path / "models", tmp_path / "rows.csv") == "../rows.csv"
