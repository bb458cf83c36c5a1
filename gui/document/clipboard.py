"""Clipboard of blocks, notes and dials as netlist text: it pastes into this window, another one or a text editor."""

from __future__ import annotations

import copy
from collections.abc import Iterable

from ...blocks import LuffError
from ...solver.flatten.diagram import Diagram
from ..drawing.net_labels import SHOWN, is_labelled
from ..drawing.polylines import Rect
from ..drawing.snap_guides import to_grid
from ..drawing.wire_nets import ends
from ..theme.dial_painting import area_of
from . import dial_edits, note_edits
from .block_cards import WORLD
from .document import Document
from .undo_commands import AddBlock, Connect, MoveBlocks, RouteAs

Pasted = tuple[list[str], list[int], list[int]]  # blocks, notes, dials
APART = 40.0  # px between blocks and their copies


def copied_blocks(document: Document, names: Iterable[str], chosen: Iterable[int] = ()) -> list[str]:
    """Blocks that a copy includes: those named, and the content of note areas, as in a move."""
    known = note_edits.notes(document)
    held = [name for k in chosen if known[k].holds for name in note_edits.held(document, known[k])]
    every = dict.fromkeys([*names, *held])
    return [name for name in every if name in document.diagram.blocks and name != WORLD]


def fragment(
    document: Document, names: Iterable[str], chosen: Iterable[int] = (), moved: Iterable[int] = ()
) -> str:
    """Netlist of the named blocks, the wires among them, their places, and some notes and dials."""
    part = Diagram()
    part.base = document.diagram.base
    taken_along = copied_blocks(document, names, chosen)
    for name in taken_along:
        part.add_block(name, copy.deepcopy(document.diagram.blocks[name]))
    inside = set(taken_along)
    for text in document.diagram.connections:
        a, b = ends(text)
        if document.split(a)[0] in inside and document.split(b)[0] in inside:
            part.connect(a, b)
            route = document.route(text)
            if route:
                part.set_route(text, [list(point) for point in route])
            elif is_labelled(document.diagram.layout or {}, text):
                part.put_route_back(text, SHOWN)
    for name in taken_along:
        part.place(name, *document.place(name))
    known = note_edits.notes(document)
    note_edits.set_of(part, [known[k] for k in chosen])
    dial_edits.set_of(part, [document.diagram.dashboard[k] for k in moved])
    return part.to_yaml()


def paste(
    document: Document,
    text: str,
    middle: tuple[float, float] | None = None,
    offset: tuple[float, float] = (0.0, 0.0),
    title: str = "paste",
) -> Pasted:
    """Insert a netlist fragment under fresh names, centred at `middle` or moved by `offset`, at a free place; return
    the new blocks, notes and dials. Raises LuffError for text that is no netlist."""
    part = Document(Diagram.from_yaml(text, "clipboard", document.diagram.base))
    try:
        own, moved = note_edits.notes(part), part.dials()
        if not own and not moved and not any(name != WORLD for name in part.diagram.blocks):
            raise LuffError("There is no block on the clipboard")
        if middle is not None:
            left, top, right, bottom = extent(part, part.diagram.blocks, own, moved)
            offset = (to_grid(middle[0] - (left + right) / 2), to_grid(middle[1] - (top + bottom) / 2))
        return _paste(document, part, offset, title)
    finally:
        part.close()


def _paste(document: Document, part: Document, offset: tuple[float, float], title: str) -> Pasted:
    blocks = {name: raw for name, raw in part.diagram.blocks.items() if name != WORLD}
    for raw in blocks.values():
        document.diagram.check_height(raw)
    names: dict[str, str] = {}
    for name in blocks:
        names[name] = document.fresh_name(name, names.values())
    diagram = document.diagram
    dragged: dict[str, list[tuple[float, float]]] = {}
    with document.step(title):
        document.settle()
        for name, raw in blocks.items():
            document.push(AddBlock(diagram, names[name], copy.deepcopy(raw)))
        for text in part.diagram.connections:
            a, b = (_renamed(end, names) for end in ends(text))
            if a and b:
                command = Connect(diagram, a, b)
                document.push(command)
                dragged[command.connection] = part.route(text)
                if is_labelled(part.diagram.layout or {}, text):
                    document.push(RouteAs(diagram, command.connection, SHOWN))
        wanted = {}
        for name in blocks:
            x, y, turn = part.place(name)
            wanted[names[name]] = (x + offset[0], y + offset[1], turn)
        dx, dy = offset
        if blocks:
            places = document.free_places(wanted, apart=True)
            first = next(iter(blocks))
            dx, dy = (places[names[first]][k] - part.place(first)[k] for k in (0, 1))
            routes = {text: [(x + dx, y + dy) for x, y in route] for text, route in dragged.items() if route}
            document.push(MoveBlocks(diagram, "place", places, routes=routes))
        added = [
            note_edits.add(document, note_edits.replace(note, x=note.x + dx, y=note.y + dy))
            for note in note_edits.notes(part).values()
        ]
        return list(names.values()), added, dial_edits.add(document, part, (dx, dy), names)


def _renamed(reference: str, names: dict[str, str]) -> str:
    block, dot, rest = reference.partition(".")
    return names[block] + dot + rest if block in names else ""


def extent(
    document: Document, names: Iterable[str], chosen: Iterable[int] = (), moved: Iterable[int] = ()
) -> Rect:
    """Bounding rectangle of some blocks, notes and dials."""
    known, on_canvas = note_edits.notes(document), document.dials()
    cards = [document.card(name) for name in names if name != WORLD]
    cards += [known[k].area for k in chosen]
    cards += [area_of(on_canvas[k]) for k in moved]
    return (
        min(card[0] for card in cards),
        min(card[1] for card in cards),
        max(card[2] for card in cards),
        max(card[3] for card in cards),
    )


def paste_offset(area: Rect) -> tuple[float, float]:
    """Offset of a duplicate: below a wide area, to the right of a tall one."""
    left, top, right, bottom = area
    wide = right - left > bottom - top
    return (0.0, bottom - top + APART) if wide else (right - left + APART, 0.0)
