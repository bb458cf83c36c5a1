"""The box that inserts a block by its name: words of other programs, and the world that a diagram has once."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from luff.tests.gui.driver import Canvas


def rows(canvas: Canvas, text: str) -> list[str]:
    """Rows of the list where a word is typed."""
    box = canvas.view.quick_insert
    box.open(QPointF(300.0, 600.0))
    QTest.keyClicks(box.field, text)
    return [box.list.item(row).text() for row in range(box.list.count())]


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("statechart", "State machine   state_machine"),
        ("scope", "Drag a port or a wire into Plots"),
        ("nothing like it", "No block of this name"),
    ],
)
def test_a_word_of_another_program_finds_what_there_is_instead(
    canvas: Canvas, typed: str, shown: str
) -> None:
    found = rows(canvas, typed)
    assert found[0] == shown
    assert len(found) == 1


def test_the_world_that_is_there_is_selected_and_stays(canvas: Canvas) -> None:
    said: list[str] = []
    canvas.view.message.connect(said.append)
    place, steps = canvas.document.place("world"), canvas.document.undo.count()
    assert rows(canvas, "world")[0].startswith("World")
    QTest.keyClick(canvas.view.quick_insert.field, Qt.Key.Key_Return)
    assert said == ["A diagram has one world: it is selected"]
    assert canvas.scene.selected_blocks() == ["world"]
    assert (canvas.document.place("world"), canvas.document.undo.count()) == (place, steps)


def test_a_wire_drawn_from_a_frame_leads_to_the_world_that_is_there(canvas: Canvas) -> None:
    name = canvas.document.add_block("revolute", 300.0, 700.0)
    canvas.scene.sync()
    place = canvas.document.place("world")
    canvas.view.quick_insert.open(QPointF(200.0, 700.0), "world", f"{name}.frame_a")
    QTest.keyClick(canvas.view.quick_insert.field, Qt.Key.Key_Return)
    ends = {*canvas.document.diagram.connections[-1].split(" -- ")}
    assert ends == {f"{name}.frame_a", "world.frame"}
    assert canvas.document.place("world") == place
