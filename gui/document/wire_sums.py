"""A sum in place of several wires that drive one input."""

from __future__ import annotations

from ...blocks.text.raw_types import RawMap
from ..drawing.snap_guides import to_grid
from ..drawing.wire_nets import ends
from . import undo_commands
from .document import Document
from .wire_splice import APART


def add_up(document: Document, target: str) -> str:
    """Lead the wires of an input through a new sum before it and return its name; empty where they are not several."""
    wires = [text for text in document.diagram.connections if "->" in text and ends(text)[1] == target]
    if len(wires) < 2:
        return ""
    name = document.fresh_name("sum")
    with document.step(f"insert {name}"):
        document.settle()
        entry: RawMap = {"type": "sum", "signs": "+" * len(wires)}
        document.push(undo_commands.AddBlock(document.diagram, name, entry))
        block, port = document.split(target)
        left, top, _, bottom = document.card(block)
        anchor = document.shape(block).anchors.get(port)
        below = anchor is not None and anchor.side == "bottom"
        x = left - 2 * APART - document.shape(name).width
        place = to_grid(x), to_grid(bottom + APART if below else top), 0
        document.push(
            undo_commands.MoveBlocks(document.diagram, "place", document.free_places({name: place}))
        )
        for text in wires:
            document.push(undo_commands.Disconnect(document.diagram, text))
        for k, text in enumerate(wires, 1):
            document.connect_ports(ends(text)[0], f"{name}.u{k}")
        document.connect_ports(f"{name}.y", target)
    return name
