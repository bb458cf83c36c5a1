"""Items of the dashboard on the canvas: put there, dragged, undone, worked while a run is on, saved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import luff
from luff.gui.canvas.diagram_picture import export
from luff.gui.document.document import Document
from luff.gui.drawing.polylines import Rect
from luff.gui.theme.dial_painting import area_of
from luff.gui.window.main_window import Window
from luff.tests.gui.driver import LONG, Canvas

SLIDE = """luff: 1
name: slide
blocks:
  levers: {type: joystick, axes: [x], scale: 40, dead_band: 0}
  slide: {type: prismatic, axis: x, damping: 3, stiffness: 20}
  body: {type: rigid_link, mass: 2}
connect:
  - world.frame -- slide.frame_a
  - slide.frame_b -- body.frame_a
  - levers.y -> slide.effort
simulation: {stop: 600, step: 1 ms}
dashboard:
  # what pushes
  - {kind: lever, of: levers_u, keys: [A, D], dead_band: 0} # by hand
  - {kind: knob, of: slide.damping, range: [0, 10]}
  - {kind: gauge, of: slide.position, range: [-3, 3], at: [1000, 640]} # what comes of it
"""


@pytest.fixture
def window(make_window: Callable[..., Window], tmp_path: Path) -> Window:
    made = make_window(SLIDE, tmp_path / "slide.yaml")
    made.resize(1440, 900)
    made.panels.show("Dashboard")
    QApplication.processEvents()
    return made


def test_dial_is_put_on_the_canvas_dragged_worked_and_saved(window: Window, qtbot, tmp_path: Path) -> None:
    view, document, items = window.view, window.document, window.view.canvas.dials.items
    assert [*items] == [2]
    assert (items[2].x(), items[2].y()) == (1000, 640)
    assert [dial.k for dial in window.dashboard.rows.dials] == [0, 1]
    cards = [document.card(name) for name in document.block_names()]

    put = next(one for one in window.dashboard.menu_of(0).actions() if one.text() == "Put on Canvas")
    put.trigger()
    assert [dial.k for dial in window.dashboard.rows.dials] == [1]
    lever = items[0]
    card = lever.sceneBoundingRect()
    assert all(
        x > card.right() or card.left() > r or y > card.bottom() or card.top() > b for x, y, r, b in cards
    )
    view.fit()
    put_at = lever.pos()
    mouse, middle = Canvas(document, view), card.center().toTuple()
    mouse.drag(middle, (middle[0] + 300, middle[1] + 200))  # no run: also by what moves in one
    moved = lever.pos()
    assert moved != put_at
    assert moved.x() % 10 == moved.y() % 10 == 0
    assert document.diagram.dashboard[0]["at"] == [moved.x(), moved.y()]
    assert window.board.position(0) == 0.0
    document.undo.undo()
    assert lever.pos() == put_at
    document.undo.undo()
    assert [*items] == [2]
    assert document.diagram.to_yaml() == SLIDE
    document.undo.redo()
    document.undo.redo()
    lever = items[0]

    window.running.speed.setCurrentText("Real time")
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.state == "running", timeout=LONG)
    history = window.runner.history
    assert history is not None
    middle = lever.sceneBoundingRect().center().toTuple()
    mouse.press(middle)
    mouse.move((middle[0] + 200, middle[1]))
    assert lever.pos() == moved
    qtbot.waitUntil(lambda: history.last("levers.y") == 40.0, timeout=LONG)
    qtbot.waitUntil(lambda: window.board.shown(2).value > 0.0, timeout=LONG)
    mouse.release(middle)
    qtbot.waitUntil(lambda: history.last("levers.y") == 0.0, timeout=LONG)
    QTest.keyPress(view, Qt.Key.Key_A)  # of the lever that was clicked; no box opens that inserts blocks
    qtbot.waitUntil(lambda: history.last("levers.y") == -40.0, timeout=LONG)
    assert not view.quick_insert.isVisible()
    QTest.keyRelease(view, Qt.Key.Key_A)
    window.running.on_stop()
    qtbot.waitUntil(lambda: not window.runner.active, timeout=LONG)

    document.save()
    written = f"dead_band: 0, at: [{moved.x():g}, {moved.y():g}]}} # by hand"
    assert (tmp_path / "slide.yaml").read_text() == SLIDE.replace("dead_band: 0} # by hand", written)
    view.canvas.select([], dials=[2])
    back = next(one for one in window.dashboard.menu_of(2).actions() if one.text() == "Back to Dashboard")
    back.trigger()
    assert "at" not in document.diagram.dashboard[2]
    assert [dial.k for dial in window.dashboard.rows.dials] == [1, 2]


def test_arrows_move_delete_removes_and_the_picture_shows_it(window: Window, tmp_path: Path) -> None:
    view, document = window.view, window.document
    window.board.move(1, 7.0)
    view.canvas.select([], dials=[2])
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert document.diagram.dashboard[2]["at"] == [1010, 640]
    sizes = []
    for _ in range(2):
        export(view.canvas, tmp_path / "diagram.png")
        sizes.append(QImage(str(tmp_path / "diagram.png")).width())
        window.editing.on_delete()
    assert sizes[0] > sizes[1]  # the gauge stands beside all blocks
    assert len(document.diagram.dashboard) == 2
    window.dashboard.remove(0)
    assert window.board.position(0) == 7.0  # the knob stands as it did
    document.undo.undo()
    document.undo.undo()
    document.undo.undo()
    assert document.diagram.to_yaml() == SLIDE


def test_rubber_band_copies_and_cuts_take_it_as_they_take_blocks(window: Window) -> None:
    view, document = window.view, window.document
    canvas = view.canvas
    view.fit()
    mouse = Canvas(document, view)
    document.undo.setClean()
    area = canvas.content_rect().adjusted(-30, -30, 30, 30)
    left, top, right, bottom = area.left(), area.top(), area.right(), area.bottom()
    mouse.drag((left, top), (right, bottom))
    assert canvas.dials.selected() == [2]
    assert set(canvas.selected_blocks()) == set(document.block_names())
    # beside the others, one step, each of what its copy shows
    canvas.select(["levers", "slide"], dials=[2])
    window.editing.on_duplicate()
    assert canvas.selected_blocks() == ["levers2", "slide2"]
    assert canvas.dials.selected() == [3]
    gauge, copy = document.diagram.dashboard[2:]
    assert copy == {**gauge, "of": "slide2.position", "at": copy["at"]}
    moved = [document.place("slide2")[k] - document.place("slide")[k] for k in (0, 1)]
    assert [copy["at"][k] - gauge["at"][k] for k in (0, 1)] == moved
    document.undo.undo()
    assert document.diagram.to_yaml() == SLIDE
    # what it shows stays where that is not copied
    canvas.select([], dials=[2])
    window.editing.on_cut()
    assert len(document.diagram.dashboard) == 2
    assert not canvas.dials.items
    place = ((left + right) / 2 + 40, bottom - 80)
    mouse.move(place, button=Qt.MouseButton.NoButton)
    window.editing.on_paste()
    assert canvas.dials.selected() == [2]
    middle = canvas.dials.items[2].sceneBoundingRect().center()
    assert (middle.x(), middle.y()) == pytest.approx(place, abs=10)  # on the grid
    assert document.diagram.dashboard[2] == {**gauge, "at": document.diagram.dashboard[2]["at"]}
    # Shift adds to what is selected, a dial too
    mouse.drag((left, top), (left + 1, top + 1), keys=Qt.KeyboardModifier.ShiftModifier)
    assert canvas.dials.selected() == [2]
    document.undo.undo()
    document.undo.undo()
    assert document.diagram.to_yaml() == SLIDE
    assert document.undo.isClean()


def test_blocks_are_laid_out_and_added_beside_it(make_window: Callable[..., Window]) -> None:
    plain = make_window(SLIDE).document
    x, y, _, _ = plain.card("body")
    window = make_window(SLIDE.replace("[1000, 640]", f"[{x - 20}, {y - 20}]"))  # nothing has a place yet
    document = window.document
    gauge = area_of(document.dials()[2])
    beside(document, gauge)
    for name in document.block_names():
        document.move({name: (x - document.place(name)[0], y - document.place(name)[1])})
    document.arrange_all()
    beside(document, gauge)
    document.add_block("constant", gauge[0], gauge[1])
    beside(document, gauge)


def beside(document: Document, area: Rect) -> None:
    """All blocks, of a card."""
    left, top, right, bottom = area
    for name in document.block_names():
        x, y, r, b = document.card(name)
        assert x > right or r < left or y > bottom or b < top, name


def test_all_dials_of_a_crane_are_seen_without_scrolling(window: Window) -> None:
    """In the window of a first start, with the 3-D view beside the panel."""
    many = [{"kind": kind, "of": "slide.position"} for kind in ("gauge", "lamp", "trend", "load_moment") * 3]
    window.document.set_section("dashboard", many[:11])
    QApplication.processEvents()
    rows = window.dashboard.rows
    assert rows.verticalScrollBar().maximum() == 0
    seen = rows.viewport().rect()
    assert all(seen.contains(dial.geometry()) for dial in rows.dials)
    window.document.set_section("dashboard", many * 2)
    QApplication.processEvents()
    assert rows.verticalScrollBar().isVisible()


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ("[1]", "found 1 entries, expected a list of 2 numbers"),
        ("5", "found 5, expected a list of 2 numbers"),
        ("[1, left]", "left"),
        ("[0, 1e9]", "found 1000000000.0, expected a number >= -1e+06 and <= 1e+06"),
        ("[0, .inf]", "expected a finite number"),
    ],
)
def test_wrong_place_is_told_once(at: str, message: str) -> None:
    with pytest.raises(luff.LuffError) as caught:
        luff.compile(luff.loads(SLIDE.replace("[1000, 640]", at)))
    assert len(caught.value.problems) == 1
    assert message in str(caught.value)
    assert "dashboard[2].at" in str(caught.value)
