"""State machines in the window: the chart on the card, the state that is active, and the editor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog

import luff
from luff.gui.drawing.diagram_svg import draw
from luff.gui.theme import active_theme
from luff.gui.window.dialogs.statechart_editor import ChartEditor
from luff.tests.gui.driver import LEFT, LONG, NONE
from luff.tests.gui.user import User

LIFTS = """luff: 1
name: lifts
blocks:
  button: {type: pulse, period: 6 s, duration: 1 s, start: 1 s}
  logic:
    type: state_machine
    inputs: [go, x]
    outputs: {speed: {}, lifts: {}}
    # what each phase does
    states:
      rest: {entry: {speed: 0}}  # until the button is held
      up: {during: {speed: 1}, exit: {lifts: lifts + 1}}
      wait: {entry: {speed: 0}}
      down: {during: {speed: -0.8}}  # slower
    transitions:
      - {from: rest, to: up, when: go and lifts < 3, after: 0.3 s}
      - {from: up, to: wait, when: x >= 2}  # at the top
      - {from: wait, to: down, after: 0.5 s}
      - {from: down, to: rest, when: x <= 0}
  x: {type: integrator}
connect: [button.y -> logic.go, logic.speed -> x.u, x.y -> logic.x]
simulation: {stop: 14 s, step: 10 ms, output_step: 50 ms}
"""


@pytest.fixture
def lifts(make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> User:
    return User(make_window(LIFTS, tmp_path / "lifts.yaml"), monkeypatch, tmp_path)


def opened(user: User) -> ChartEditor:
    """By a double click on the card."""
    view = user.window.view
    view.fit()
    middle = view.mapFromScene(view.canvas.blocks["logic"].sceneBoundingRect().center())
    QTest.mouseDClick(view.viewport(), LEFT, NONE, middle)
    editor = user.window.findChild(ChartEditor)
    assert isinstance(editor, ChartEditor)
    return editor


def text(user: User) -> str:
    return user.window.document.diagram.to_yaml()


def test_the_chart_says_at_each_instant_what_the_results_say(lifts: User, qtbot) -> None:
    window = lifts.window
    editor = opened(lifts)
    lifts.menu("run")
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)
    item = window.view.canvas.blocks["logic"]
    result = luff.compile(luff.loads(LIFTS)).run()
    # with the next picture
    qtbot.waitUntil(lambda: item.active_state == result["logic.state"][-1], timeout=LONG)
    seen = set()
    # at rows, and between them: what was decided in the row before holds
    for time in [*result.time[::7], *(result.time[3:-1:11] + 0.02)]:
        window.running.show_moment(float(time))
        row = int(np.searchsorted(result.time, time, side="right")) - 1
        assert item.active_state == editor.view.active == result["logic.state"][row], time
        seen.add(item.active_state)
    assert seen == {1, 2, 3, 4}
    # and so do the cursor of the plots, where that was moved last
    window.deck.cursor_action.setChecked(True)
    for time in result.time[5:-1:13]:
        window.deck._move_cursor(float(time))
        assert item.active_state == result["logic.state"][np.searchsorted(result.time, time)], time
    window.running.show_moment(0.0)
    assert item.active_state == 1


def test_a_chart_in_an_opened_composite_says_what_the_results_say(
    make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot
) -> None:
    """Of two of one kind the one that was opened, with its own numbers."""
    inner = LIFTS.replace("after: 0.5 s", "after: =wait").partition("simulation")[0]
    (tmp_path / "lift.yaml").write_text(f"{inner}parameters: {{wait: 0.5 s}}\nports: {{height: x.y}}\n")
    outer = """luff: 1
blocks:
  quick: {type: ./lift.yaml}
  late: {type: ./lift.yaml, wait: 1.2 s}
simulation: {stop: 5 s, step: 10 ms, output_step: 50 ms}
"""
    window = make_window(outer, tmp_path / "two.yaml")
    user = User(window, monkeypatch, tmp_path)
    user.menu("run")
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)
    result = luff.compile(luff.load(tmp_path / "two.yaml")).run()
    window.running.show_moment(1.8)
    window.editing.open_block("late")
    item = window.view.canvas.blocks["logic"]
    assert item.active_state == result["late.logic.state"][36] == 2.0  # as it is opened
    editor = ChartEditor(window, window.document, window.view.canvas, "logic")
    differ = 0
    for row in range(20, 100, 4):
        window.running.show_moment(float(result.time[row]))
        assert item.active_state == editor.view.active == result["late.logic.state"][row], row
        differ += result["quick.logic.state"][row] != item.active_state
    assert differ >= 3
    editor.close()


@pytest.mark.parametrize("name", ["light", "dark"])
def test_the_active_state_is_lit_and_no_other(lifts: User, name: str) -> None:
    active_theme.holder.use(name)
    editor = opened(lifts)

    def colours() -> list[int]:
        image = editor.view.grab().toImage()
        # beside the name, inside of the box
        places = [editor.view.place_of(box) - QPointF(0.4 * box.width, 0) for box in editor.view.chart.boxes]
        return [image.pixel(place.toPoint()) for place in places]

    dark = colours()
    assert len(set(dark)) == 1
    lifts.window.view.canvas.show_states({"logic": 3})
    lit = colours()
    assert [a != b for a, b in zip(dark, lit, strict=True)] == [False, False, True, False]
    lifts.window.view.canvas.show_states({})
    assert colours() == dark


def test_states_and_transitions_are_edited_and_taken_back(lifts: User, monkeypatch) -> None:
    document, editor = lifts.window.document, opened(lifts)
    before = text(lifts)
    chart = editor.view
    up = next(box for box in chart.chart.boxes if box.name == "up")
    QTest.mouseClick(chart, LEFT, NONE, chart.place_of(up).toPoint())
    assert chart.state == "up"

    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("hoist", True))
    QTest.keyClick(chart, Qt.Key.Key_F2)
    wanted = before
    for place in (" {}: ", "to: {}", "from: {}"):
        wanted = wanted.replace(place.format("up"), place.format("hoist"))
    assert text(lifts) == wanted
    document.undo.undo()
    assert text(lifts) == before

    editor.add_state()
    assert "state1: {}" in text(lifts)
    assert chart.state == "state1"
    editor.add_transition()
    assert "{from: state1, to: rest, after: 1 s}" in text(lifts)
    assert chart.transition == 4
    editor.remove()
    document.undo.undo()
    document.undo.undo()
    document.undo.undo()
    assert text(lifts) == before

    chart.choose("up")
    QTest.keyClick(chart, Qt.Key.Key_Down)
    QTest.keyClick(chart, Qt.Key.Key_Delete)
    after = text(lifts)
    assert "wait" not in after
    assert "# slower" in after
    assert "# what each phase does" in after
    document.undo.undo()
    assert text(lifts) == before


def test_a_name_that_cannot_be_is_told(lifts: User, monkeypatch) -> None:
    editor = opened(lifts)
    before = text(lifts)
    for name, told in (("down", 'there is a state "down" already'), ("1st", "expected letters")):
        editor.view.choose("up")
        monkeypatch.setattr(QInputDialog, "getText", lambda *_, name=name, **__: (name, True))
        editor.rename()
        assert told in editor.says.text()
    assert text(lifts) == before


def test_the_editor_goes_with_its_block(lifts: User) -> None:
    editor = opened(lifts)
    lifts.window.document.remove(["logic"])
    assert not editor.isVisible()


def test_a_table_of_the_editor_writes_the_netlist(lifts: User) -> None:
    editor = opened(lifts)
    row = next(row for row in editor.rows if row.keys == ("transitions",))
    row.editor.table.item(1, 2).setText("x >= 3")
    assert "- {from: up, to: wait, when: x >= 3}  # at the top" in text(lifts)
    assert any(arrow.words == "x >= 3" for arrow in editor.view.chart.arrows)


def test_a_state_renamed_in_a_table_takes_its_transitions_along(lifts: User) -> None:
    before = text(lifts)
    lifts.select("logic")
    row = lifts.row("states")
    row.editor.table.item(2, 0).setText("pause")
    assert "      pause: {entry: {speed: 0}}" in text(lifts)
    assert "{from: pause, to: down, after: 0.5 s}" in text(lifts)
    assert "{from: up, to: pause, when: x >= 2}  # at the top" in text(lifts)
    lifts.window.document.undo.undo()
    assert text(lifts) == before


def test_the_active_state_is_lit_while_a_run_is_paused(lifts: User, qtbot) -> None:
    window = lifts.window
    item = window.view.canvas.blocks["logic"]
    assert item.active_state == 0
    lifts.menu("step")
    qtbot.waitUntil(lambda: window.runner.state == "paused" and item.active_state == 1, timeout=LONG)
    window.runner.set_speed(2.0)
    lifts.menu("run")
    qtbot.waitUntil(lambda: item.active_state == 2, timeout=LONG)
    assert window.runner.state == "running"
    lifts.menu("stop")


def test_pictures_show_the_chart() -> None:
    svg = draw(luff.loads(LIFTS)).svg
    assert svg.count('rx="7"') == 4
    assert "go and lifts &lt; 3, after 0.3 s" in svg
