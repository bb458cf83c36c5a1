"""Problems that propose a word: one click in the list, one step of undo."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QInputDialog, QPushButton

from luff.blocks.errors import Problem
from luff.gui.window.dialogs.connect_dialog import ConnectDialog
from luff.tests.gui.driver import LONG, Canvas
from luff.tests.gui.user import User
from luff.tests.shared.netlists import TWO_LINKS


def offers(window) -> list[QPushButton]:
    tree = window.problems.tree
    cells = [tree.itemWidget(tree.topLevelItem(row), 2) for row in range(tree.topLevelItemCount())]
    return [button for cell in cells if cell is not None for button in cell.findChildren(QPushButton)]


def test_a_click_puts_the_word_right(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS)
    window.document.add_block("gain", 0, 600, {"k": "=gravty"})
    window.document.set_parameter("gravity", 9.81)
    window.document.check()
    wrong = window.document.diagram.to_yaml()
    (button,) = [each for each in offers(window) if each.text() == 'Use "gravity"']
    window.panels.show("Problems")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.document.diagram.to_yaml() == wrong.replace("gravty", "gravity")
    assert 'Use "gravity"' not in [each.text() for each in offers(window)]
    window.document.undo.undo()
    assert window.document.diagram.to_yaml() == wrong


def test_what_was_said_goes_with_the_next_step_and_the_list_keeps_the_keys(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS.replace("axis:", "axs:"))
    window.document.check()
    window.say("an edit is refused")
    button = next(each for each in offers(window) if each.text() == 'Use "axis"')
    window.panels.show("Problems")
    button.setFocus()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.document.undo.count() == 1
    assert window.message_label.text() == ""
    assert QApplication.focusWidget() is window.problems.tree  # and not the search of the palette


@pytest.mark.parametrize(
    "words", ["try a step of 0.125 ms, which is more exact", "it is off: try a step of 0.000125 s, or"]
)
def test_a_step_that_a_run_advises_is_taken_by_a_click(words: str, make_window, qtbot) -> None:
    window = make_window(TWO_LINKS)
    step = " ".join(words.partition("a step of ")[2].replace(",", "").split()[:2])
    window.problems.show_problems([Problem(words, severity="warning")])
    (button,) = offers(window)
    assert button.text() == f"Use {step}"
    before = window.document.diagram.to_yaml()
    window.panels.show("Problems")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.document.diagram.data["simulation"]["step"] == step
    window.document.undo.undo()
    assert window.document.diagram.to_yaml() == before


def test_a_number_takes_an_element_of_a_vector(make_window, qtbot) -> None:
    text = """\
luff: 1
blocks:
  pin: {type: revolute, axis: y}
  rod: {type: rigid_link, mass: 1 kg, com: [1, 0, 0]}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- rod.frame_a
  - pin.total_torque -> pin.effort
"""
    window = make_window(text)
    window.document.check()
    qtbot.mouseClick(offered(window, 'Use "pin.total_torque[0]"'), Qt.MouseButton.LeftButton)
    assert window.document.diagram.connections[-1] == "pin.total_torque[0] -> pin.effort"


def offered(window, word: str) -> QPushButton:
    (button,) = [each for each in offers(window) if each.text() == word]
    window.panels.show("Problems")
    return button


def test_a_quantity_gets_the_unit_that_is_asked_for(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS.replace("mass: 2 kg", "mass: 2 m"))
    window.document.check()
    qtbot.mouseClick(offered(window, 'Use "2 kg"'), Qt.MouseButton.LeftButton)
    assert window.document.diagram.to_yaml() == TWO_LINKS
    assert window.document.problems == []


def test_an_open_input_is_wired_to_the_one_output_that_is_free(make_window, qtbot) -> None:
    text = ONE_LINK
    window = make_window(text)
    window.document.check()
    qtbot.mouseClick(offered(window, "Wire..."), Qt.MouseButton.LeftButton)
    assert "reference.trajectory -> controller.target" in window.document.diagram.connections
    assert window.document.problems == []
    window.document.undo.undo()
    assert window.document.diagram.to_yaml() == text
    # where several fit, the user chooses
    window.document.add_block("sine", 0, 600)
    window.document.check()
    qtbot.mouseClick(offered(window, "Wire..."), Qt.MouseButton.LeftButton)
    (dialog,) = window.findChildren(ConnectDialog)
    assert dialog.start.word() == "controller.target"
    words = [dialog.goal.list.item(k).text() for k in range(dialog.goal.list.count())]
    assert {"reference.trajectory", "sine.trajectory"} <= set(words)
    assert "shoulder.trajectory" in words[2:]  # which has a wire: behind those that have none
    dialog.close()


ONE_LINK = """\
luff: 1
blocks:
  shoulder: {type: revolute, axis: y}
  upper: {type: rigid_link, mass: 2 kg, com: [1, 0, 0]}
  reference: {type: sine, unit: rad}
  controller: {type: pd}
connect:
  - world.frame -- shoulder.frame_a
  - shoulder.frame_b -- upper.frame_a
  - shoulder.trajectory -> controller.measured
"""


LOOP = """\
luff: 1
blocks:
  half: {type: gain, k: 0.5}
  sum: {type: sum}
  one: {type: constant, value: 1}
connect: [one.y -> sum.u1, half.y -> sum.u2, sum.y -> half.u]
layout: {one: [0, 0], sum: [200, 0], half: [400, 0]}
"""


def test_a_delay_cuts_an_algebraic_loop(make_window, qtbot) -> None:
    window = make_window(LOOP)
    document = window.document
    places = {name: document.place(name) for name in document.block_names()}
    qtbot.waitUntil(lambda: any(each.text() == "Insert a Delay" for each in offers(window)), timeout=LONG)
    qtbot.mouseClick(offered(window, "Insert a Delay"), Qt.MouseButton.LeftButton)
    assert {name: document.place(name) for name in places} == places
    assert {"half.y -> unit_delay.u", "unit_delay.y -> sum.u2"} <= set(window.document.diagram.connections)
    assert window.view.canvas.selected_blocks() == ["unit_delay"]
    qtbot.waitUntil(lambda: not offers(window), timeout=LONG)
    window.document.undo.undo()
    assert window.document.diagram.to_yaml() == LOOP


def test_a_delay_cuts_an_algebraic_loop_in_a_subsystem(make_window, qtbot) -> None:
    inner = LOOP.partition("\n")[2].replace("\n", "\n      ").rstrip()
    window = make_window(f"luff: 1\nblocks:\n  inner:\n    type:\n      {inner}\n")
    qtbot.waitUntil(lambda: any(each.text() == "Insert a Delay" for each in offers(window)), timeout=LONG)
    window.editing.open_block("inner")
    wires = window.view.canvas.wires
    assert {text for text, wire in wires.items() if wire.problem} == {"half.y -> sum.u2", "sum.y -> half.u"}
    qtbot.mouseClick(offered(window, "Insert a Delay"), Qt.MouseButton.LeftButton)
    assert {"half.y -> unit_delay.u", "unit_delay.y -> sum.u2"} <= set(window.document.diagram.connections)
    qtbot.waitUntil(lambda: not offers(window), timeout=LONG)


def test_a_joint_without_mass_leads_to_its_link(make_window, qtbot) -> None:
    window = make_window(
        "luff: 1\nblocks:\n  base: {type: rigid_link, mass: 1}\n  pin: {type: revolute}\n  arm: {type: rigid_link}\n"
        "connect: [world.frame -- base.frame_a, base.frame_b -- pin.frame_a, pin.frame_b -- arm.frame_a]\n"
    )
    qtbot.waitUntil(lambda: [each.text() for each in offers(window)] == ["Go to arm"], timeout=LONG)
    assert "give arm mass and inertia" in window.problems.tree.topLevelItem(0).toolTip(0)
    qtbot.mouseClick(offered(window, "Go to arm"), Qt.MouseButton.LeftButton)
    assert window.view.canvas.selected_blocks() == ["arm"]


@pytest.mark.parametrize(
    ("path", "wrong", "offered_value", "right"),
    [
        ("upper.mass", "2 m", 'Use "2 kg"', "2 kg"),
        ("upper.com", ["1 kg", 0, 0], 'Use "1 m"', ["1 m", 0, 0]),
        ("upper.mass", "=2*gravty", 'Use "gravity"', "=2*gravity"),
    ],
)
def test_a_field_offers_its_mend(
    user: User, path: str, wrong: object, offered_value: str, right: object
) -> None:
    document = user.window.document
    document.set_parameter("gravity", "9.81 kg")
    document.set_value(path, wrong)
    user.select("upper")
    row = user.row(path.partition(".")[2])
    assert row.mend.text() == offered_value
    assert row.mend.isVisible()
    row.mend.click()
    assert document.diagram.blocks["upper"][path.partition(".")[2]] == right
    assert not row.mend.isVisible()
    user.menu("undo")
    assert document.diagram.blocks["upper"][path.partition(".")[2]] == wrong


def test_a_fix_that_no_button_makes_is_told(user: User) -> None:
    user.window.document.set_value("upper.shapes", {"hook": {"kind": "spher", "size": [1]}})
    user.select("upper")
    row = user.row("shapes")
    assert 'did you mean "sphere"?' in row.error.text()
    assert row.mend.isHidden()


def test_the_menu_of_a_block_mends_it(user: User) -> None:
    user.window.document.set_value("upper.mass", "2 m")
    user.window.document.check()
    user.chooses('Use "2 kg"')
    user.right_click_canvas(user.canvas.middle("upper"))
    assert user.window.document.diagram.blocks["upper"]["mass"] == "2 kg"


def test_the_menu_of_a_block_in_a_subsystem_mends_it(user: User) -> None:
    window = user.window
    window.document.set_value("upper.mass", "2 m")
    user.select("upper")
    user.menu("group")
    (name,) = window.view.canvas.selected_blocks()
    window.editing.open_block(name)
    window.document.check()
    inside = Canvas(window.document, window.view)
    user.chooses('Use "2 kg"')
    user.right_click(window.view.viewport(), inside.at(*inside.middle("upper")))
    assert window.document.diagram.blocks["upper"]["mass"] == "2 kg"


def test_a_parameter_that_is_missing_is_created(make_window, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = make_window(TWO_LINKS)
    window.document.add_block("gain", 0, 600, {"k": "=payload"})
    window.document.check()
    (button,) = [each for each in offers(window) if each.text() == "Create Parameter payload..."]
    window.panels.show("Problems")
    answers = iter([("", False), ("3 kg", True)])
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: next(answers))
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert "payload" not in window.document.diagram.parameters
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.document.diagram.data["parameters"]["payload"] == "3 kg"
    assert not any("payload" in problem.message for problem in window.document.problems)


def test_the_panel_creates_a_parameter_beside_the_value_that_uses_it(
    make_window, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window(TWO_LINKS)
    window.document.set_value("upper.mass", "=payload")
    window.view.canvas.select(["upper"])
    row = next(row for row in window.properties.rows if row.keys == ("mass",))
    assert row.mend.text() == "Create Parameter payload..."
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: ("3 kg", True))
    row.mend.click()
    QApplication.processEvents()
    assert window.document.diagram.data["parameters"]["payload"] == "3 kg"
    assert not row.mend.isVisible()
    assert not row.error.text()


@pytest.mark.parametrize(
    ("typed", "texts", "declared", "written"),
    [
        ("winch", ["Create Parameter winch..."], "winch", "=winch"),
        ("loads", ['Use "=load"', "Create Parameter loads..."], "loads", "=loads"),
        ("=loads", ['Use "load"', "Create Parameter loads..."], "loads", "=loads"),
    ],
)
def test_a_name_that_no_parameter_has_is_declared_at_the_field_or_in_problems(
    make_window, qtbot, monkeypatch: pytest.MonkeyPatch, typed: str, texts: list, declared: str, written: str
) -> None:
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: ("3 kg", True))
    for at_field in (True, False):
        window = make_window(TWO_LINKS)
        window.document.set_parameter("load", "1 kg")
        window.document.set_value("upper.mass", typed)
        window.view.canvas.select(["upper"])
        row = next(row for row in window.properties.rows if row.keys == ("mass",))
        buttons = [row.mend, row.other_mend][: len(texts)]
        assert [button.text() for button in buttons] == texts
        if at_field:
            buttons[-1].click()
        else:
            window.document.check()
            assert [each.text() for each in offers(window)] == texts
            qtbot.mouseClick(offered(window, texts[-1]), Qt.MouseButton.LeftButton)
        assert window.document.diagram.parameters[declared] == "3 kg"
        assert window.document.diagram.blocks["upper"]["mass"] == written
        window.document.check()
        assert not window.document.problems


def test_a_position_where_a_place_is_expected_is_written_as_its_at(make_window, qtbot) -> None:
    window = make_window("luff: 1\nblocks:\n  arm: {type: rigid_link, mass: 1, frame_b: [12 m, 0, 0]}\n")
    window.document.check()
    qtbot.mouseClick(offered(window, 'Use "{at: [12 m, 0, 0]}"'), Qt.MouseButton.LeftButton)
    assert window.document.diagram.value("arm.frame_b") == {"at": ["12 m", 0, 0]}
