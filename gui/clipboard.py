"""Blocks on the clipboard are a netlist: they paste into this window, another one, or a text editor."""

from __future__ import annotations

import copy
from collections.abc import Iterable

from ..blocks import LuffError
from ..solver.diagram import Diagram
from .canvas.nets import ends
from .commands import AddBlock, Connect, Place, Route
from .document import WORLD, Document


def fragment(document: Document, names: Iterable[str]) -> str:
    """The blocks named, the wires among them and their places, as a netlist."""
    part = Diagram()
    part.base = document.diagram.base
    chosen = [name for name in names if name in document.diagram.blocks and name != WORLD]
    for name in chosen:
        part.add_block(name, copy.deepcopy(document.diagram.blocks[name]))
    inside = set(chosen)
    for text in document.diagram.connections:
        a, b = ends(text)
        if document.split(a)[0] in inside and document.split(b)[0] in inside:
            part.connect(a, b)
            route = document.route(text)
            if route:
                part.set_route(text, [list(point) for point in route])
    for name in chosen:
        part.place(name, *document.place(name))
    return part.to_yaml()


def paste(document: Document, text: str, dx: float, dy: float, title: str = "paste") -> list[str]:
    """Add a fragment under fresh names, moved by (dx, dy); raises LuffError for text that is no netlist."""
    part = Document(Diagram.from_yaml(text, "clipboard", document.diagram.base))
    try:
        return _paste(document, part, dx, dy, title)
    finally:
        part.close()


def _paste(document: Document, part: Document, dx: float, dy: float, title: str) -> list[str]:
    blocks = {name: raw for name, raw in part.diagram.blocks.items() if name != WORLD}
    if not blocks:
        raise LuffError("there is no block on the clipboard")
    names: dict[str, str] = {}
    for name in blocks:
        names[name] = document.fresh_name(name, names.values())
    diagram = document.diagram
    with document.step(title):
        document.settle()
        for name, raw in blocks.items():
            document.push(AddBlock(diagram, names[name], copy.deepcopy(raw)))
        places = {names[name]: part.place(name) for name in blocks}
        document.push(
            Place(diagram, "place", {name: (x + dx, y + dy, turn) for name, (x, y, turn) in places.items()})
        )
        for text in part.diagram.connections:
            a, b = (_renamed(end, names) for end in ends(text))
            if a and b:
                command = Connect(diagram, a, b)
                document.push(command)
                route = [(x + dx, y + dy) for x, y in part.route(text)]
                if route:
                    document.push(Route(diagram, command.connection, route))
    return list(names.values())


def _renamed(reference: str, names: dict[str, str]) -> str:
    block, dot, rest = reference.partition(".")
    return names[block] + dot + rest if block in names else ""


def corner(document: Document, names: Iterable[str]) -> tuple[float, float]:
    """The upper left corner of some blocks."""
    places = [document.place(name) for name in names]
    return min(x for x, _, _ in places), min(y for _, y, _ in places)
