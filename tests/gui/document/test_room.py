"""Blocks and wires keep out of each other's way, whatever is done to a diagram."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication

from luff.gui.document.document import Document
from luff.gui.drawing.automatic_layout import wrapped
from luff.gui.drawing.block_spacing import GAP, Room, spread
from luff.gui.drawing.layout_graph import Graph, Node
from luff.gui.theme.symbols.symbol_table import UNKNOWN, symbol_of
from luff.gui.window.main_window import Window
from luff.solver.flatten.diagram import Diagram
from luff.tests.gui.canvas_faults import crossings, hidden, overlaps
from luff.tests.gui.driver import Canvas
from luff.tests.gui.random_edits import MODELS, edit_models
from luff.tests.shared.netlists import TWO_LINKS

EDITS = 12  # of each model: some hundred in all


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_no_wire_runs_through_a_block_after_random_edits(path: Path, make_window, seed: int) -> None:
    """`python -m luff.tests.gui.random_edits` makes more edits."""

    def make(path: Path) -> Window:
        window = make_window()
        window.tabs.resize(1440, 900)
        window.running._ask_timer.blockSignals(True)  # what the model computes is not looked at
        window.replace(Document(Diagram.load(path)))
        QApplication.processEvents()
        return window

    edit_models(make, [path], EDITS, seed)


def test_inputs_that_the_file_does_not_place_stand_clear_of_blocks_that_it_places(make_window) -> None:
    text = "luff: 1\ninputs: {push: {unit: N}}\nblocks: {g: {type: gain}}\nconnect: [inputs.push -> g.u]\n"
    window = make_window(text + "layout: {g: [0, 0]}\n")
    assert window.document.place("g") == (0.0, 0.0, 0)
    canvas = Canvas(window.document, window.view)
    assert set(canvas.scene.blocks) == {"g", "inputs"}
    assert not overlaps(canvas)


def rows(columns: int) -> str:
    """A chain of revolute joints and links in two rows, the wire between them dragged by hand."""
    blocks, wires, layout = [], [], []
    for k in range(2 * columns):
        kind = "revolute" if k % 2 == 0 else "rigid_link"
        blocks.append(f"  b{k}: {{type: {kind}}}")
        if k:
            wires.append(f"  - b{k - 1}.frame_b -- b{k}.frame_a")
        layout.append(f"  b{k}: [{200 * (k % columns)}, {300 * (k // columns)}]")
    turn = f"b{columns - 1}.frame_b -- b{columns}.frame_a"
    right = 200 * columns + 100
    corners = f"[[{right}, 40], [{right}, 200], [-60, 200], [-60, 340]]"
    text = "luff: 1\nblocks:\n" + "\n".join(blocks) + "\nconnect:\n" + "\n".join(wires)
    return text + "\nlayout:\n" + "\n".join(layout) + f'\n  wires:\n    "{turn}": {corners}\n'


def test_wires_between_rows_go_along_with_copies_dragged_away(make_window) -> None:
    window = make_window(rows(4))
    window.tabs.resize(1800, 1300)
    QApplication.processEvents()
    canvas = Canvas(window.document, window.view)
    canvas.scene.select(canvas.scene.blocks)
    window.actions_["duplicate"].trigger()
    copies = canvas.scene.selected_blocks()
    assert len(copies) == 8
    window.view.resetTransform()
    window.view.centerOn(400, 600)
    start = canvas.middle(copies[0])
    canvas.drag(start, (start[0] + 330, start[1] + 140))
    wire = canvas.scene.wires[f"{copies[3]}.frame_b -- {copies[4]}.frame_a"]
    old = canvas.scene.wires["b3.frame_b -- b4.frame_a"]
    # the same corners, moved by as much as the blocks: found with the mouse, so not from the document's own numbers
    dx = canvas.scene.blocks[copies[0]].x() - canvas.scene.blocks["b0"].x()
    dy = canvas.scene.blocks[copies[0]].y() - canvas.scene.blocks["b0"].y()
    assert wire.points == [(x + dx, y + dy) for x, y in old.points]
    assert not crossings(canvas)


def test_dragged_corners_that_a_block_covers_give_way_and_come_back(make_canvas) -> None:
    canvas = make_canvas(rows(2))
    wire = canvas.scene.wires["b1.frame_b -- b2.frame_a"]
    dragged = list(wire.points)
    canvas.document.add_block("gain", 180, 170)
    canvas.scene.sync()
    assert wire.points != dragged
    assert not crossings(canvas)
    canvas.document.undo.undo()
    canvas.scene.sync()
    canvas.scene.reroute([wire.connection])
    assert wire.points == dragged


def test_a_block_dropped_on_another_lands_beside_it(canvas: Canvas) -> None:
    x, y = canvas.middle("elbow")
    canvas.drag(canvas.middle("reference"), (x + 7, y + 12))
    left, top, right, bottom = canvas.scene.blocks["reference"].rect()
    for name, item in canvas.scene.blocks.items():
        a, b, c, d = item.rect()
        apart = max(a - right, left - c, b - bottom, top - d)
        assert name == "reference" or apart >= GAP
    assert canvas.document.place("elbow") == (620, 200, 0)
    # near where it was dropped: no farther than both cards are wide
    assert abs((left + right) / 2 - x) + abs((top + bottom) / 2 - y) < 300


def test_a_move_by_nothing_is_no_step_to_undo(canvas: Canvas) -> None:
    name = next(iter(canvas.scene.blocks))
    before = canvas.document.undo.count()
    canvas.document.move({name: (0.0, 0.0)})
    assert canvas.document.undo.count() == before
    canvas.document.move({name: (-400.0, -400.0)})
    assert canvas.document.undo.count() == before + 1


def test_wires_of_others_make_way_while_a_block_is_dragged(canvas: Canvas) -> None:
    canvas.document.move({"fore": (260, 0)})
    canvas.scene.sync()
    wire = canvas.scene.wires["elbow.frame_b -- fore.frame_a"]
    straight = list(wire.points)
    middle = (straight[0][0] + straight[-1][0]) / 2, straight[0][1]
    canvas.press(canvas.middle("reference"))
    canvas.move(middle)
    assert wire.points != straight
    assert not crossings(canvas)
    canvas.key(Qt.Key.Key_Escape)
    assert wire.points == straight


def test_a_file_with_blocks_over_each_other_shows_them_apart_and_stays_as_it_is(make_canvas) -> None:
    text = (
        TWO_LINKS[: TWO_LINKS.index("layout:")]
        + "layout:\n"
        + "".join(
            f"  {name}: [{10 * k}, {5 * k}]\n"
            for k, name in enumerate(
                ["world", "shoulder", "upper", "elbow", "fore", "reference", "controller"]
            )
        )
    )
    canvas = make_canvas(text)
    assert not overlaps(canvas)
    assert not crossings(canvas)
    assert not hidden(canvas)
    assert canvas.document.diagram.to_yaml() == text
    assert canvas.document.place("world") == (0, 0, 0)  # the first stays


def test_a_duplicate_lands_beside_and_a_paste_at_the_pointer(user) -> None:
    user.select("shoulder", "upper")
    user.menu("duplicate")
    x, y, _ = user.window.document.place("shoulder2")
    assert abs(x - 200) <= 200
    assert y > 280  # below the row that it copies
    assert not overlaps(user.canvas)
    user.select("controller")
    user.menu("copy")
    user.canvas.move((800, 460), button=Qt.MouseButton.NoButton)
    user.menu("paste")
    assert abs(user.canvas.middle("controller2")[0] - 800) <= 10
    assert abs(user.canvas.middle("controller2")[1] - 460) <= 10
    user.menu("paste")
    assert not overlaps(user.canvas)


@pytest.mark.parametrize("name", ["controller", "fore"])
def test_the_view_follows_a_duplicate_that_lands_outside_of_it(user, name: str) -> None:
    view = user.window.view
    view.resetTransform()
    view.resize(300, 200)
    seen = lambda: view.mapToScene(view.viewport().rect()).boundingRect()  # noqa: E731
    card = view.canvas.blocks[name].sceneBoundingRect()
    view.centerOn(card.center().x(), card.bottom() + 10 - seen().height() / 2)  # at the lower edge
    user.select(name)
    user.menu("duplicate")
    (copy,) = view.canvas.selected_blocks()
    assert copy != name
    assert seen().contains(view.canvas.blocks[copy].sceneBoundingRect())


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_a_block_inserted_into_a_wire_stands_in_line_with_it(canvas: Canvas, share: float) -> None:
    before = canvas.document.place("elbow")
    points = canvas.scene.wires["upper.frame_b -- elbow.frame_a"].points
    there = points[0][0] + share * (points[-1][0] - points[0][0])
    name = canvas.view.insert("fixed", QPointF(there, points[0][1]))
    wires = canvas.document.diagram.connections
    assert f"upper.frame_b -- {name}.frame_a" in wires
    assert f"{name}.frame_b -- elbow.frame_a" in wires
    assert "upper.frame_b -- elbow.frame_a" not in wires
    for text in (f"upper.frame_b -- {name}.frame_a", f"{name}.frame_b -- elbow.frame_a"):
        (x, y), *_, end = canvas.scene.wires[text].points
        assert {at for _, at in canvas.scene.wires[text].points} == {y}  # straight
        assert end[0] - x >= 35  # wherever it was put: 40 px on both sides, to the grid
    assert canvas.document.place("elbow")[0] > before[0]  # what follows made room
    canvas.document.undo.undo()
    assert canvas.document.diagram.to_yaml() == TWO_LINKS


def test_a_block_inserted_into_a_wire_moves_its_row_and_what_is_wired_to_that(make_window) -> None:
    text = (
        "luff: 1\nblocks:\n  a: {type: sine}\n  b: {type: gain}\n  c: {type: gain}\n  d: {type: sine}\n"
        "  e: {type: gain}\nconnect: [a.y -> b.u, b.y -> c.u, d.y -> e.u]\n"
        "layout: {a: [0, 0], b: [120, 0], c: [240, 200], d: [0, 400], e: [240, 400]}\n"
    )
    window = make_window(text)
    name = window.view.insert("unit_delay", QPointF(100, 30))
    assert {f"a.y -> {name}.u", f"{name}.y -> b.u"} <= {*window.document.diagram.connections}
    before = {"a": 0, "b": 120, "c": 240, "d": 0, "e": 240}
    moved = {block: window.document.place(block)[0] - x for block, x in before.items()}
    assert moved["b"] == moved["c"] > 0
    assert (moved["a"], moved["d"], moved["e"]) == (0, 0, 0)


def test_a_block_that_does_not_fit_a_wire_is_put_beside_it(canvas: Canvas) -> None:
    points = canvas.scene.wires["upper.frame_b -- elbow.frame_a"].points
    canvas.view.insert("gain", QPointF(points[0][0] + 40, points[0][1]))
    assert "upper.frame_b -- elbow.frame_a" in canvas.document.diagram.connections
    assert not overlaps(canvas)
    assert not crossings(canvas)


def test_a_turned_block_turns_its_symbol(canvas: Canvas) -> None:
    def symbol(name: str):
        x, y = canvas.scene.blocks[name].pos().toTuple()
        corner = canvas.view.mapFromScene(QPointF(x + 10, y + 10))
        far = canvas.view.mapFromScene(QPointF(x + 90, y + 52))
        return (
            canvas.view.viewport()
            .grab()
            .toImage()
            .copy(corner.x(), corner.y(), far.x() - corner.x(), far.y() - corner.y())
        )

    level = symbol("upper")
    canvas.document.rotate(["upper"])
    canvas.scene.sync()
    assert canvas.scene.blocks["upper"].turned == 90
    assert symbol("upper") != level


def test_long_chain_is_arranged_in_rows_of_the_shape_of_the_window() -> None:
    names = [f"n{k}" for k in range(24)]
    graph = Graph({name: Node(100, 80, True) for name in names})
    places = {name: (150.0 * k, 0.0) for k, name in enumerate(names)}
    found = wrapped(places, graph, 1.6)
    levels = {y for _, y in found.values()}
    assert (
        3 <= len(levels) <= 6
    )  # 24 blocks of 150 x 160 px in a frame of 1.6: four rows of six are the nearest
    assert max(x for x, _ in found.values()) < 1600
    short = {name: places[name] for name in names[:3]}
    assert wrapped(short, graph, 1.6) == short


@pytest.mark.parametrize(("count", "folds"), [(10, False), (31, True)])
def test_a_line_of_blocks_that_nobody_has_laid_out_opens_in_rows(
    make_canvas, count: int, folds: bool
) -> None:
    blocks = ", ".join(f"g{k}: {{type: gain}}" for k in range(count))
    wires = ", ".join(f"g{k}.y -> g{k + 1}.u" for k in range(count - 1))
    canvas = make_canvas(f"luff: 1\nblocks: {{{blocks}}}\nconnect: [{wires}]\n")
    lefts, tops, rights, bottoms = zip(*map(canvas.document.card, canvas.document.block_names()), strict=True)
    assert (len(set(tops)) > 1) == folds
    wide, high = max(rights) - min(lefts), max(bottoms) - min(tops)
    assert (wide < 4 * high) == folds
    # on 1920 x 1080 the canvas has 1300 px: names of 12 px stay above 5 px on the screen
    assert wide < 2500


def test_spread_moves_later_cards_by_the_least_and_keeps_the_grid() -> None:
    moves = spread({"a": (0, 0, 100, 80), "b": (95, 0, 195, 80), "c": (400, 0, 500, 80)})
    assert moves == {"b": (30.0, 0.0)}  # to 125 - the next grid step that leaves the gap


def test_a_group_finds_room_as_a_whole() -> None:
    room = Room()
    room.put("wall", (0, -500, 50, 500))
    dx, dy = room.nearest([(-40, 0, 20, 20), (-200, 0, -140, 20)])
    assert (dx, dy) == (-40.0, 0.0)


def test_a_world_that_is_deleted_stands_where_the_file_shows_it(make_canvas) -> None:
    """It comes back at once, as frames want one; its place of before is in the file no more."""
    canvas = make_canvas("luff: 1\nblocks:\n  pin: {type: revolute}\n  tip: {type: fixed}\n")
    document = canvas.document
    document.add_block("gain", 500.0, 300.0)  # places are written
    document.set_value("world.gravity", [0, 0, -1])
    document.move({"pin": (-300.0, 200.0)})
    document.remove(["world"])
    assert "world" in document.block_names()
    again = Document(Diagram.from_yaml(document.diagram.to_yaml()))
    assert {name: document.place(name) for name in document.block_names()} == {
        name: again.place(name) for name in again.block_names()
    }


def test_a_world_and_inputs_written_without_their_type_have_their_symbols(make_window) -> None:
    text = "luff: 1\ninputs: {push: {unit: N}}\nblocks: {world: {gravity: [0, 0, -1.6]}, pin: {type: revolute}}\n"
    document = make_window(text).document
    kinds = [document.type_and_family(name) for name in ("world", "inputs")]
    assert [kind for kind, _ in kinds] == ["world", "inputs"]
    assert UNKNOWN not in [symbol_of(*kind) for kind in kinds]
