"""Mends that change more than a word: what nothing reads goes, wires are added up, a table is begun."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton

from luff.blocks.errors import OtherBlock, Problem
from luff.gui.properties.property_rows import Row
from luff.gui.properties.table_editors import TableEditor
from luff.gui.run.run_control import DiagramSnapshot
from luff.gui.theme.window_words import placed
from luff.gui.window.docks.problems_dock import ProblemList, where
from luff.gui.window.main_window import Window
from luff.solver.flatten.diagram import Diagram

MODEL = """\
luff: 1
blocks:
  pin: {type: revolute, axis: y}
  rod: {type: rigid_link, mass: 2 kg, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01], colour: red}
  a: {type: constant, value: 1}
  b: {type: constant, value: 2}
  look: {type: table}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- rod.frame_a
  - a.y -> pin.effort
  - b.y -> pin.effort
  - a.trajectory -- rod.frame_b
"""


def click(window: Window, qtbot, text: str) -> None:
    """Click the button of a mend in the list of problems."""
    window.document.check()
    window.panels.show("Problems")
    tree = window.problems.tree
    buttons = [
        button
        for row in range(tree.topLevelItemCount())
        if (cell := tree.itemWidget(tree.topLevelItem(row), 2)) is not None
        for button in cell.findChildren(QPushButton)
    ]
    (wanted,) = [button for button in buttons if button.text() == text]
    qtbot.mouseClick(wanted, Qt.MouseButton.LeftButton)


def said(window: Window) -> str:
    return " ".join(map(str, window.document.root.problems))


def test_what_nothing_reads_is_removed_by_a_click(make_window, qtbot) -> None:
    window = make_window(MODEL)
    document = window.document
    document.check()
    assert 'has no parameter "colour"' in said(window)
    click(window, qtbot, "Remove colour")
    assert document.diagram.value("rod.colour") is None
    assert 'has no parameter "colour"' not in said(window)
    click(window, qtbot, "Remove Wire")
    assert "a.trajectory -- rod.frame_b" not in document.diagram.connections
    assert len(document.diagram.connections) == 4
    document.undo.undo()
    document.undo.undo()
    assert document.diagram.value("rod.colour") == "red"
    assert "a.trajectory -- rod.frame_b" in document.diagram.connections


def test_wires_that_drive_one_input_are_led_through_a_sum(make_window, qtbot) -> None:
    window = make_window(MODEL)
    document = window.document
    click(window, qtbot, "Insert a Sum")
    wires = document.diagram.connections
    assert [wire for wire in wires if "sum" in wire] == [
        "a.y -> sum.u1",
        "b.y -> sum.u2",
        "sum.y -> pin.effort",
    ]
    assert document.diagram.value("sum.signs") == "++"
    assert "driven twice" not in said(window)
    assert document.card("sum")[2] < document.card("pin")[0]
    assert window.properties.subject == ("block", "sum")
    document.undo.undo()
    assert document.diagram.connections.count("b.y -> pin.effort") == 1


def test_a_table_is_begun_or_read_from_a_file(
    make_window, qtbot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window = make_window(MODEL)
    click(window, qtbot, "Add Rows")
    row = next(row for row in window.properties.findChildren(Row) if row.keys == ("data",))
    assert isinstance(row.editor, TableEditor)
    assert row.editor.table.rowCount() == 2
    assert window.document.diagram.value("look.data") is None  # a draft
    file = tmp_path / "rows.csv"
    file.write_text("0,1\n1,2\n")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(file), ""))
    click(window, qtbot, "Choose File...")
    assert str(window.document.diagram.value("look.file")).endswith("rows.csv")


def test_a_click_on_a_problem_leads_to_the_number_that_it_is_about(make_window, qtbot) -> None:
    window = make_window(
        MODEL.replace("mass: 2 kg", "mass: -2 kg").replace("type: table", "type: pd, kp: -1")
    )
    window.document.check()
    tree = window.problems.tree
    for path, field in (("rod.mass", "-2"), ("look.kp", "-1")):
        items = [tree.topLevelItem(row) for row in range(tree.topLevelItemCount())]
        (item,) = [item for item in items if item.text(0).startswith(path)]
        tree.itemClicked.emit(item, 0)
        focus = QApplication.focusWidget()
        assert focus is not None
        assert focus.property("text") == field


def test_a_joint_without_a_mass_behind_it_leads_to_the_mass(make_window, qtbot) -> None:
    window = make_window(MODEL)
    fix = OtherBlock("rod", "mass", "give rod mass and inertia")
    made = pickle.loads(pickle.dumps(fix))  # as it comes from the process of a run
    window.problems.show_problems([Problem("found no mass", "pin", made)])
    window.panels.show("Problems")
    tree = window.problems.tree
    button = tree.itemWidget(tree.topLevelItem(0), 2).findChild(QPushButton)
    assert button.text() == "Go to rod"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.properties.subject == ("block", "rod")
    focus = QApplication.focusWidget()
    assert focus is not None
    assert focus.property("text") == "2"


def test_a_diagram_without_a_file_has_no_lines_to_point_at(tmp_path: Path) -> None:
    untitled = DiagramSnapshot.of(Diagram.from_yaml(MODEL)).diagram()
    (problem, *_) = untitled.check()
    assert problem.mark is not None
    assert where(problem) == "rod.colour"
    assert str(placed(problem)).startswith("blocks.rod.colour: ")
    path = tmp_path / "saved.yaml"
    path.write_text(MODEL)
    (problem, *_) = DiagramSnapshot.of(Diagram.load(path)).diagram().check()
    assert where(problem) == "rod.colour (saved.yaml:4:85)"


def test_the_bar_says_what_is_undone_and_done_again(make_window) -> None:
    window = make_window(MODEL)
    window.document.set_value("rod.mass", "3 kg")
    window.actions_["undo"].trigger()
    assert window.message_label.text() == "Undone: change rod.mass"
    window.actions_["redo"].trigger()
    assert window.message_label.text() == "Done again: change rod.mass"


def test_a_list_of_problems_keeps_advice_beside_a_removal_and_its_place(qtbot) -> None:
    listed = ProblemList()
    qtbot.addWidget(listed)
    listed.resize(600, 120)
    listed.show()
    advice, paths = 'give it inside "fluid"', [f"blocks.cylinder_{k}.bore" for k in range(30)]
    problems = [Problem('has no parameter "bore"', path, advice, spare=path) for path in paths]
    listed.show_problems(problems)
    assert listed.tree.topLevelItem(0).text(1) == f'has no parameter "bore" ({advice})'
    bar = listed.tree.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    before = bar.value()
    assert before > 0
    listed.show_problems(problems[1:])
    assert bar.value() == before
    # a button alone has its column too
    listed.show_problems([Problem("is not read", "blocks.a.b", spare="blocks.a.b")])
    assert not listed.tree.isColumnHidden(2)


MISPLACED = """\
luff: 1
blocks:
  arm: {type: rigid_link, length: 2 m}
  cyl: {type: hydraulic_cylinder, bore: 0.1 m, fluid: {rod: 0.05 m}}
  full: {type: hydraulic_cylinder, bore: 0.1 m, fluid: {bore: 0.2 m}}
  hold: {type: pd, kp: -1e3, kd: -2 N*m*s/rad}
"""


def test_an_entry_at_the_wrong_level_moves_to_its_place(make_window, qtbot) -> None:
    window = make_window(MISPLACED)
    diagram, undo = window.document.diagram, window.document.undo
    click(window, qtbot, "Give frame_b at 2 m, 0, 0")
    assert diagram.blocks["arm"] == {"type": "rigid_link", "frame_b": {"at": ["2 m", 0, 0]}}
    click(window, qtbot, "Move into fluid")  # of one alone: the other would lose a number
    assert diagram.value("cyl") == {"type": "hydraulic_cylinder", "fluid": {"rod": "0.05 m", "bore": "0.1 m"}}
    undo.undo()
    undo.undo()
    assert diagram.to_yaml() == MISPLACED


def test_a_number_that_must_not_be_negative_loses_its_sign(make_window, qtbot) -> None:
    window = make_window(MISPLACED)
    click(window, qtbot, 'Use "1000.0"')
    window.view.canvas.select(["hold"])
    row = next(row for row in window.properties.findChildren(Row) if row.keys == ("kd",))
    assert row.mend.text() == 'Use "2 N·m·s/rad"'
    row.mend.click()
    assert window.document.diagram.blocks["hold"] == {"type": "pd", "kp": 1000, "kd": "2 N*m*s/rad"}


def test_what_is_missing_is_filled_in_where_it_stands(make_window, qtbot) -> None:
    window = make_window(MISPLACED.replace("  full:", "  # full:"))
    click(window, qtbot, "Fill in piston")
    assert window.properties.subject == ("block", "cyl")
    focus = QApplication.focusWidget()
    assert focus is not None
    assert focus.accessibleName() == "Mass"
    assert any(
        row.isAncestorOf(focus) for row in window.properties.findChildren(Row) if row.keys[0] == "piston"
    )
