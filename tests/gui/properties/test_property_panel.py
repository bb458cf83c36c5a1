"""The property panel in its window: units, mistakes, nested values, names."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QLineEdit, QPlainTextEdit, QTableWidget

from luff.gui.properties.property_groups import Group
from luff.gui.properties.property_rows import Row
from luff.gui.window.docks.dock_layout import SIDES
from luff.gui.window.main_window import Window
from luff.tests.shared.netlists import TWO_LINKS

PADDING = 5  # px, of a field's style


def field(window: Window, key: str) -> QLineEdit:
    row = next(row for row in window.properties.rows if row.keys[-1] == key)
    found = row.findChild(QLineEdit)
    assert found is not None
    return found


def test_property_is_edited_in_the_unit_chosen_and_undone(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.view.canvas.select(["upper"])
    mass = field(window, "mass")
    assert mass.text() == "2"
    mass.setText("3.5")
    QTest.keyClick(mass, Qt.Key.Key_Return)
    assert window.document.diagram.value("upper.mass") == "3.5 kg"
    row = next(row for row in window.properties.rows if row.keys[-1] == "mass")
    row.editor._convert("t")
    assert window.document.diagram.value("upper.mass") == "0.0035 t"
    window.document.undo.undo()
    window.document.undo.undo()
    assert window.document.diagram.to_yaml() == TWO_LINKS


def test_property_shows_its_mistake_below_and_resets(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.view.canvas.select(["upper"])
    mass = field(window, "mass")
    mass.setText("-1 kg")
    QTest.keyClick(mass, Qt.Key.Key_Return)
    row = next(row for row in window.properties.rows if row.keys[-1] == "mass")
    assert ">= 0" in row.error.text()
    row.reset.click()
    assert window.document.diagram.value("upper.mass") is None
    assert row.error.text() == ""


def test_words_about_the_diagram_are_read_whole_and_taken_back_by_escape(make_window) -> None:
    words = "A boom of a mobile crane, which a cylinder with a holding valve lifts and lowers. " * 2
    window = make_window(f"luff: 1\ndoc: {words.strip()}\nblocks: {{lag: {{type: gain}}}}\n")
    QApplication.processEvents()
    (row,) = (row for row in window.properties.rows if row.keys == ("doc",))
    field, before = row.findChild(QPlainTextEdit), window.document.diagram.to_yaml()
    assert not field.verticalScrollBar().isVisible()
    assert field.viewport().height() >= 3 * field.fontMetrics().lineSpacing()
    QTest.keyClicks(field, "x")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert field.toPlainText() == words.strip()
    QTest.keyClicks(field, "Lifted by oil. ")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert window.document.diagram.data["doc"] == f"Lifted by oil. {words.strip()}"
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)  # the window's, not the field's
    assert window.document.diagram.to_yaml() == before


def test_vectors_have_their_unit_behind_them_and_tables_let_tab_go(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.view.canvas.select(["upper"])
    row = next(row for row in window.properties.rows if row.keys == ("com",))
    assert (row.label.text(), row.editor.unit.text()) == ("Centre of mass", "m")
    mass = next(row for row in window.properties.rows if row.keys == ("mass",))
    units = mass.editor.unit.menu().actions()
    assert [a.text() for a in units if a.isChecked()] == [mass.editor.unit.text()]
    window.view.canvas.select([])
    tables = window.properties.findChildren(QTableWidget)
    assert tables
    assert not any(table.tabKeyNavigation() for table in tables)


def test_fields_of_a_vector_share_their_room_by_what_they_hold(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.tabs.resize(1440, 900)
    window.view.canvas.select(["world"])
    QApplication.processEvents()
    for typed, whole in (("", 2), ("-1.625", 0)):
        first = field(window, "gravity")
        first.setText(typed)
        QTest.keyClick(first, Qt.Key.Key_Return)
        QApplication.processEvents()
        (row,) = (row for row in window.properties.rows if row.keys == ("gravity",))
        line = row.editor.fields[whole]
        text = line.text() or line.placeholderText()
        assert line.fontMetrics().horizontalAdvance(text) <= line.contentsRect().width() - 2 * PADDING


def test_what_must_be_given_is_in_sight(make_window) -> None:
    window = make_window("luff: 1\nblocks: {lift: {type: hydraulic_cylinder}}\n")
    window.view.canvas.select(["lift"])
    folds = {row.keys[0]: row.button.isChecked() for row in window.properties.rows if isinstance(row, Group)}
    assert [key for key, open_ in folds.items() if open_] == ["barrel", "piston", "fluid"]


def groups(window: Window, block: str) -> dict[str, Group]:
    window.view.canvas.select([block])
    return {row.keys[0]: row for row in window.properties.rows if isinstance(row, Group)}


def test_a_group_stays_as_it_was_folded_for_all_blocks_of_its_type(
    make_window, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Group, "folded", {})
    window = make_window(
        "luff: 1\nblocks: {a: {type: rigid_link}, b: {type: rigid_link}, j: {type: revolute}}\n"
    )
    assert groups(window, "a")["frame_b"].button.isChecked()  # a link's length is there
    groups(window, "a")["frame_b"].button.click()
    groups(window, "j")
    assert not groups(window, "b")["frame_b"].button.isChecked()
    groups(window, "b")["frame_b"].button.click()
    assert groups(window, "a")["frame_b"].button.isChecked()
    keys = [row.keys[0] for row in window.properties.rows]
    assert keys.index("frame_b") < min(keys.index("shapes"), keys.index("frames"))


def test_nested_parameters_are_edited_in_place(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.view.canvas.select(["elbow"])
    group = next(row for row in window.properties.rows if row.keys == ("friction",))
    mu = next(row for row in group.rows if row.keys[-1] == "mu_s")
    line = mu.findChild(QLineEdit)
    assert line is not None
    line.setText("0.3")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert window.document.diagram.value("elbow.friction") == {"mu_s": 0.3}
    window.document.undo.undo()
    assert window.document.diagram.to_yaml() == TWO_LINKS


def test_rename_in_the_panel_follows_through(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.view.canvas.select(["elbow"])
    name = window.properties.name_field
    assert name is not None
    window.activateWindow()
    name.setFocus()
    name.setText("wrist")
    QTest.keyClick(name, Qt.Key.Key_Return)
    assert "upper.frame_b -- wrist.frame_a" in window.document.diagram.connections
    name = window.properties.name_field
    assert name is not None
    assert name.text() == "wrist"
    assert QApplication.focusWidget() is name  # Tab goes on from there
    name.setText("fore")
    QTest.keyClick(name, Qt.Key.Key_Return)
    assert "taken" in window.properties.name_error.text()
    assert "wrist" in window.document.diagram.blocks


def test_tab_takes_a_name_and_leads_on_to_the_first_value(make_window) -> None:
    """The panel is built anew while the key of one of its fields is heard."""
    window = make_window(TWO_LINKS)
    window.activateWindow()
    window.view.canvas.select(["fore"])
    name = window.properties.name_field
    assert name is not None
    name.setFocus()
    name.setText("jib")
    QTest.keyClick(name, Qt.Key.Key_Tab)
    assert "jib" in window.document.diagram.blocks
    QApplication.processEvents()
    field = QApplication.focusWidget()
    assert field is not None
    assert window.properties.widget().isAncestorOf(field)
    assert field.parent() is next(row for row in window.properties.rows if row.keys[-1] == "mass").editor


def entered(window: Window, key: str, text: str) -> QLineEdit:
    """Field of the link, with a text that was typed into it."""
    window.view.canvas.select(["upper"])
    typed = field(window, key)
    typed.setText(text)
    QTest.keyClick(typed, Qt.Key.Key_Return)
    return typed


@pytest.mark.parametrize("text", ["0.01, 0.4, 0.4", "0.01 0.4 0.4", "[0.01, 0.4, 0.4]"])
def test_numbers_of_a_list_need_no_brackets(make_window, text: str) -> None:
    window = make_window("luff: 1\nblocks: {upper: {type: path}}\n")
    durations = entered(window, "leg_durations", text)
    assert window.document.diagram.value("upper.leg_durations") == [0.01, 0.4, 0.4]
    assert durations.text() == "[0.01, 0.4, 0.4]"


@pytest.mark.parametrize(
    ("text", "place", "raw"),
    [
        ("0.5, 1, 2", 0, [0.5, 1, 2]),
        ("0.5,1,2", 0, [0.5, 1, 2]),
        ("[0.5 m, 1, 20 cm]", 0, ["0.5 m", 1, "20 cm"]),
        ("1 2", 1, [0, 1, 2]),
    ],
)
def test_a_list_fills_the_fields_of_a_vector(make_window, text: str, place: int, raw: list) -> None:
    window = make_window(TWO_LINKS)
    window.document.set_value("upper.com", [0, 7, 8])
    window.view.canvas.select(["upper"])
    (row,) = (row for row in window.properties.rows if row.keys == ("com",))
    row.editor.fields[place].setText(text)
    QTest.keyClick(row.editor.fields[place], Qt.Key.Key_Return)
    assert window.document.diagram.value("upper.com") == raw
    assert [one.text() for one in row.editor.fields] == [str(value) for value in raw]


@pytest.mark.parametrize("text", ["1, 2, 3", "1 2 3 4"])
def test_a_list_too_long_for_a_vector_is_refused(make_window, text: str) -> None:
    window = make_window(TWO_LINKS)
    window.document.set_value("upper.com", [0, 7, 8])
    window.view.canvas.select(["upper"])
    (row,) = (row for row in window.properties.rows if row.keys == ("com",))
    row.editor.fields[1].setText(text)
    QTest.keyClick(row.editor.fields[1], Qt.Key.Key_Return)
    assert row.error.text() == f"found {1 + len(text.split())} numbers, expected 3"
    assert window.document.diagram.value("upper.com") == [0, 7, 8]


def test_the_tip_of_a_name_calls_a_default_only_what_is_one(make_window) -> None:
    window = make_window("luff: 1\nblocks: {lift: {type: hydraulic_cylinder}, link: {type: rigid_link}}\n")
    window.view.canvas.select(["lift"])
    barrel = next(row for row in window.properties.rows if row.keys == ("barrel",))
    tips = {row.keys[-1]: row.label.toolTip().split("<br>") for row in barrel.rows}
    assert tips["length"][1:] == ["required, in m", "in the netlist: length"]
    window.view.canvas.select(["link"])
    mass = next(row for row in window.properties.rows if row.keys == ("mass",))
    assert mass.label.toolTip().split("<br>")[1] == "default: 0 kg"


@pytest.mark.parametrize("text", ["1, 2", "1,5", "1 2", "1,000,000"])
def test_a_list_is_no_number(make_window, text: str) -> None:
    """Nor is what may be meant as 1.5."""
    window = make_window(TWO_LINKS)
    entered(window, "mass", text)
    row = next(row for row in window.properties.rows if row.keys[-1] == "mass")
    assert row.error.text()


def test_columns_of_a_wide_table_are_read_whole(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.view.canvas.select(["upper"])
    row = next(row for row in window.properties.rows if row.keys[-1] == "shapes")
    row.editor.add_row()
    QApplication.processEvents()
    table = row.findChild(QTableWidget)
    assert table.item(0, 0).text() == "shape1"
    header = table.horizontalHeader()
    for k in range(table.columnCount()):
        word = table.horizontalHeaderItem(k).text()
        assert table.columnWidth(k) >= header.fontMetrics().horizontalAdvance(word)
    assert table.horizontalScrollBar().maximum() > 0
    assert table.viewport().height() >= table.rowHeight(0)  # the scroll bar hides no row


def test_a_subsystem_offers_no_settings_that_belong_to_the_model(make_window) -> None:
    window = make_window(TWO_LINKS)
    assert ("stop",) in [row.keys for row in window.properties.rows]
    window.view.canvas.select(["upper", "elbow"])
    window.editing.on_group()
    window.editing.open_block("subsystem")
    assert window.document is not window.top
    assert [row.keys for row in window.properties.rows] == [("parameters",)]


def test_numbers_and_expressions_in_a_vector_are_read_whole_where_they_were(make_window) -> None:
    """Whatever is typed leaves the rows below it in their places."""
    window = make_window(TWO_LINKS)
    window.view.canvas.select(["upper"])
    window.properties.setMinimumWidth(SIDES[1])  # as beside a canvas of a wide window
    QApplication.processEvents()
    row = next(row for row in window.properties.rows if row.keys[-1] == "com")
    below = row.editor.y() > row.label.geometry().bottom()
    for first in (1, 0.4375, "=l1/2+l1/4", "2 mm"):
        window.document.set_value("upper.com", [first, 2, 0])
        row.refresh()
        QApplication.processEvents()
        assert (row.editor.y() > row.label.geometry().bottom()) == below
        field = row.editor.fields[0]
        assert field.width() > field.fontMetrics().horizontalAdvance(field.text())


@pytest.mark.parametrize("width", [960, 1280])
def test_rows_of_a_folded_panel_end_within_it(make_window, width: int) -> None:
    window = make_window(TWO_LINKS)
    window.tabs.resize(width, 540 if width == 960 else 720)
    QApplication.processEvents()
    window.view.canvas.select(["shoulder"])
    window.panels.show("Properties")
    QApplication.processEvents()
    panel = window.properties
    assert panel.widget().minimumSizeHint().width() <= panel.viewport().width()
    name = panel.name_field
    right = name.mapTo(window.tabs, name.rect().bottomRight()).x()
    dock = window.panels.docks["Properties"]
    assert right < dock.mapTo(window.tabs, dock.rect().bottomRight()).x()


def test_a_subsystem_says_what_is_inside_and_opens(make_window, tmp_path, monkeypatch) -> None:
    window = make_window(TWO_LINKS, tmp_path / "arm.yaml")
    window.tabs.resize(1280, 720)
    window.view.canvas.select(["upper", "elbow"])
    window.actions_["group"].trigger()
    (name,) = window.view.canvas.selected_blocks()
    panel = window.properties
    assert panel.name_field is not None
    assert panel.name_field.text() == name
    summary = panel.summary
    assert summary is not None
    assert summary.inside.text() == "2 blocks and 1 wire inside"
    ports = window.document.ports(name)
    lines = summary.ports.text().splitlines()
    assert lines[0] == "Ports:"
    assert [line.partition(":")[0] for line in lines[1:]] == [*ports]
    assert any(line.endswith(": frame") for line in lines)
    # it follows edits inside
    QTest.mouseClick(summary.open, Qt.MouseButton.LeftButton)
    assert len(window.levels) == 2
    window.document.add_block("gain", 0, 0)
    window.actions_["up"].trigger()
    window.view.canvas.select([name])
    QApplication.processEvents()
    assert panel.summary.inside.text() == "3 blocks and 1 wire inside"
    window.document.set_value(f"{name}.type.blocks.more", {"type": "gain"})
    QApplication.processEvents()
    assert panel.summary.inside.text() == "4 blocks and 1 wire inside"
    window.document.undo.undo()
    window.document.undo.undo()  # the window shows where
    if len(window.levels) > 1:
        window.actions_["up"].trigger()
    window.view.canvas.select([name])
    QApplication.processEvents()
    assert panel.summary.inside.text() == "2 blocks and 1 wire inside"
    saved = tmp_path / "half.yaml"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(saved), ""))
    QTest.mouseClick(panel.summary.save, Qt.MouseButton.LeftButton)
    assert "elbow" in saved.read_text()
    # what has a file of its own is opened, and not saved as a block once more
    QApplication.processEvents()
    assert panel.summary is not None
    assert not panel.summary.save.isVisibleTo(panel)


def test_keys_choose_an_axis_from_the_list_and_beside_it(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.view.canvas.select(["shoulder"])
    QApplication.processEvents()
    row = next(row for row in window.properties.rows if row.keys == ("axis",))
    box = row.findChild(QComboBox)
    assert box is not None
    words = [box.itemText(k) for k in range(box.count())]

    def axis() -> object:
        QApplication.processEvents()
        return window.document.diagram.value("shoulder.axis")

    before = axis()
    for keys, wanted in (
        ((Qt.Key.Key_End, Qt.Key.Key_Up, Qt.Key.Key_Return), words[-2]),
        ((Qt.Key.Key_Home, Qt.Key.Key_Return), words[0]),
        ((Qt.Key.Key_Home, Qt.Key.Key_Down, Qt.Key.Key_Enter), words[1]),
    ):
        box.showPopup()
        for key in keys:
            QTest.keyClick(box.view(), key)
        assert axis() == wanted
    # closed, from the word that holds
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Down)
    assert axis() == words[2]
    assert box.currentText() == words[2]
    while window.document.undo.canUndo():
        window.document.undo.undo()
    assert axis() == before
    assert box.currentIndex() == words.index(str(before))
    QTest.keyClick(box, Qt.Key.Key_Down)
    assert axis() == words[words.index(str(before)) + 1]


def test_settings_of_the_diagram_are_in_words_with_their_keys_as_tips(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.view.canvas.select([])
    shown = {row.keys[-1]: row.label for row in window.properties.rows if isinstance(row, Row)}
    wanted = {
        "doc": "Description",
        "stop": "End time",
        "output_step": "Output interval",
        "events": "Events",
        "solve": "Start from",
    }
    assert {key: shown[key].text() for key in wanted} == wanted
    for key in wanted:
        assert f"in the netlist: {key}" in shown[key].toolTip()


@pytest.mark.parametrize("wrong", ["3 s", "[3", "=nobody"])
def test_of_a_vector_the_number_that_is_wrong_is_marked(make_window, wrong: str) -> None:
    window = make_window(TWO_LINKS)
    window.view.canvas.select(["world"])
    (row,) = (row for row in window.properties.rows if row.keys == ("gravity",))
    typed = row.editor.fields[1]
    typed.setText(wrong)
    QTest.keyClick(typed, Qt.Key.Key_Return)
    assert [bool(each.property("wrong")) for each in row.editor.fields] == [False, True, False]
    typed.setText("3")
    QTest.keyClick(typed, Qt.Key.Key_Return)
    assert not any(each.property("wrong") for each in row.editor.fields)
