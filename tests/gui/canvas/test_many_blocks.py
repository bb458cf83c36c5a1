"""Work that grows with the number of blocks, and not with its square."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsItem

from luff.bench.gui_canvas import grid
from luff.gui.canvas import minimap
from luff.gui.canvas.block_item import BlockItem
from luff.gui.canvas.scene import LARGE, LARGE_BELOW
from luff.gui.document.document import Document
from luff.gui.document.element_assignment import width_of
from luff.gui.document.wiring import Wiring
from luff.solver.diagram.netlist_sections import Sections
from luff.solver.flatten.diagram import Diagram


@pytest.mark.parametrize("act", ["open", "drag"])
def test_showing_blocks_lists_all_of_them_a_fixed_number_of_times(
    act: str, make_canvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`blocks` makes a mapping of all of them: with that for each block, the time to open grows with the square."""
    whole = Sections.blocks.fget
    assert whole is not None
    asked: list[int] = []

    def counted(netlist: Sections) -> dict[str, Any]:
        asked.append(1)
        return whole(netlist)

    monkeypatch.setattr(Sections, "blocks", property(counted))
    counts = []
    for count in (20, 60):
        asked.clear()
        canvas = make_canvas(grid(count))
        if act == "drag":
            asked.clear()
            canvas.document.move({"b3": (0.0, 30.0)})
            canvas.scene.sync()
        counts.append(len(asked))
    assert counts[0] == counts[1]


def test_beginning_a_wire_walks_along_a_chain_once(make_canvas, monkeypatch: pytest.MonkeyPatch) -> None:
    """Widths pass through chains of open ports: asked anew for each port that might fit, the time to begin a wire grew
    with the cube of the blocks (four minutes for a thousand)."""
    leaving = Wiring.leaving
    asked: list[str] = []

    def counted(wiring: Wiring, block: str) -> list[Any]:
        asked.append(block)
        return leaving(wiring, block)

    monkeypatch.setattr(Wiring, "leaving", counted)
    for count in (20, 60):
        asked.clear()
        canvas = make_canvas(grid(count))
        canvas.view.resize(5000, 800)
        canvas.press(canvas.port("b5.y"))
        assert 0 < len(asked) <= count
        canvas.key(Qt.Key.Key_Escape)


def test_adding_a_block_lays_out_no_other(make_canvas, monkeypatch: pytest.MonkeyPatch) -> None:
    canvas = make_canvas(grid(20))
    monkeypatch.setattr(Document, "_layout", lambda document: pytest.fail("a layout of the whole diagram"))
    name = canvas.document.add_block("gain", 200.0, -300.0)
    assert canvas.document.place(name)[:2] == (200.0, -300.0)


@pytest.mark.parametrize("first", ["a.y", "b.u", "c.y", "d.u", "e.u"])
def test_a_width_is_the_same_whatever_was_asked_before(first: str) -> None:
    """Answers that are kept for the blocks along a chain are those of a document that is asked for one alone."""
    chain = (
        "luff: 1\nblocks:\n  m: {type: mux}\n"
        + "".join(f"  {name}: {{type: gain}}\n" for name in "abcdef")
        + "connect: [a.y -> b.u, b.y -> c.u, 'c.y[0] -> d.u', d.y -> e.u, 'f.y[0:3] -> a.u', m.none -> e.u]\n"
    )
    ports = [f"{name}.{port}" for name in "abcdef" for port in "uy"]
    known = {port: width_of(Document(Diagram.from_yaml(chain)), *port.split(".")) for port in ports}
    assert {name: known[f"{name}.y"] for name in "abcdef"} == {
        **dict.fromkeys("abc", 3),
        **dict.fromkeys("de", 1),
        "f": None,
    }
    document = Document(Diagram.from_yaml(chain))
    for port in [first, *ports]:
        assert width_of(document, *port.split(".")) == known[port]


def test_a_frame_of_a_drag_draws_no_block_in_the_minimap_but_its_own(
    make_canvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []

    def noted(painter: QPainter, blocks: list[BlockItem], *rest: Any) -> None:
        drawn.append(len(blocks))

    monkeypatch.setattr(minimap, "_paint_cards", noted)
    canvas = make_canvas(grid(60))
    canvas.view.resize(800, 300)
    canvas.view.minimap.set_wanted(True)
    canvas.view.resetTransform()
    canvas.view.show()
    x, y = canvas.middle("b2")
    canvas.press((x, y))
    canvas.move((x + 20.0, y))
    canvas.view.grab()
    assert drawn[-2:] == [59, 1]  # the others once, when the block was selected
    drawn.clear()
    canvas.move((x + 40.0, y))
    canvas.view.grab()
    assert set(drawn) == {1}
    canvas.release((x + 40.0, y))
    drawn.clear()
    canvas.view.grab()
    assert drawn == [59, 1]


def test_moving_many_blocks_lists_them_a_fixed_number_of_times(
    make_window, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of them tells of its move: who hears of it must not look at all the others."""
    whole = Document._named
    asked: list[int] = []

    def counted(document: Document) -> list[str]:
        asked.append(1)
        return whole(document)

    monkeypatch.setattr(Document, "_named", counted)
    counts = []
    for count in (20, 60):
        window = make_window(grid(count))
        asked.clear()
        window.document.move(dict.fromkeys(window.document.block_names(), (0.0, 30.0)))
        window.view.canvas.sync()
        counts.append(len(asked))
    assert counts[0] == counts[1]


def test_a_drag_routes_only_wires_that_still_make_way(make_canvas) -> None:
    """Behind the block the wires run as before: with all that it has passed, each frame of a drag is slower."""
    canvas = make_canvas(grid(130))
    canvas.view.resize(2600, 700)
    before = {text: list(wire.points) for text, wire in canvas.scene.wires.items()}
    x, y = canvas.middle("b45")
    canvas.press((x, y))
    passed: set[str] = set()
    for step in range(1, 20):
        canvas.move((x + 40.0 * step, y + 110.0))
        gesture = canvas.view.gesture
        passed |= gesture.displaced.keys()
        assert len(gesture.displaced) <= 2  # a card is narrower than a block with its gap
        aside = gesture.attached | gesture.displaced.keys()
        assert {text: wire.points for text, wire in canvas.scene.wires.items() if text not in aside} == {
            text: way for text, way in before.items() if text not in aside
        }
    assert len(passed) > 2
    canvas.key(Qt.Key.Key_Escape)
    assert {text: wire.points for text, wire in canvas.scene.wires.items()} == before


def test_a_large_diagram_paints_its_small_cards_together_and_still_names_them(
    make_canvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone: list[str] = []
    named: list[str] = []
    monkeypatch.setattr(BlockItem, "paint", lambda item, *rest: alone.append(item.name))
    monkeypatch.setattr(BlockItem, "paint_text", lambda item, painter: named.append(item.name))
    for count, together in ((LARGE, False), (LARGE + 1, True)):
        canvas = make_canvas(grid(count))
        canvas.view.zoom_by(0.9 * LARGE_BELOW / canvas.view.zoom())
        canvas.view.centerOn(canvas.scene.blocks["b45"])
        alone.clear()
        named.clear()
        canvas.view.grab()
        assert ("b45" in alone, "b45" in named) == (not together, together)
    assert set(named) < set(canvas.scene.blocks)  # those that are seen


@pytest.mark.parametrize("block", ["b45", "b46"])
def test_a_card_painted_with_all_others_reads_as_one_painted_alone(make_canvas, block: str) -> None:
    """Its symbol stands above its name: ink in the name's place is that of the name alone."""
    canvas = make_canvas(grid(LARGE + 1, 151))  # every other one is a subsystem
    view, item = canvas.view, canvas.scene.blocks[block]
    view.zoom_by(0.95 * LARGE_BELOW / view.zoom())
    view.centerOn(item)
    card = item.area
    name = QRectF(card.left() + 8, card.bottom() - 30, card.width() - 16, 26)
    inks = []
    for together in (True, False):
        canvas.scene.set_overview(together)
        image = view.viewport().grab(view.mapFromScene(name).boundingRect()).toImage()
        shades = [
            image.pixelColor(x, y).lightness() for x in range(image.width()) for y in range(image.height())
        ]
        inks.append(sum(255 - shade for shade in shades))
    assert inks[0] == pytest.approx(inks[1], rel=0.1)  # letters are placed to the pixel or between two


def test_a_diagram_that_grows_large_is_painted_together_at_once(make_canvas) -> None:
    canvas = make_canvas(grid(LARGE))
    canvas.view.zoom_by(0.9 * LARGE_BELOW / canvas.view.zoom())
    assert not canvas.scene.overview
    name = canvas.document.add_block("gain", 100.0, -200.0)
    canvas.scene.sync()
    assert canvas.scene.overview
    no_contents = QGraphicsItem.GraphicsItemFlag.ItemHasNoContents
    assert all(item.flags() & no_contents for item in canvas.scene.blocks.values())
    canvas.document.remove([name])
    canvas.scene.sync()
    assert not canvas.scene.overview
