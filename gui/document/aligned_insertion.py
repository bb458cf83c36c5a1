"""Insertion of a block at the end of a drawn wire: port choice, and a place where the wire runs straight."""

from __future__ import annotations

from ..drawing.card_geometry import GRID
from ..drawing.wire_nets import ends
from .block_cards import WORLD
from .document import Document
from .element_assignment import connect_ports, why_not

NEAR = 4 * GRID  # px by which the block may have been dropped beside the line
BODY = {
    "frame_sensor": "frame_b",
    "contact": "of",
}  # by type, of what is on a body; the others count from the world
MEASURED = "measured"  # what a joint tells a controller
MECHANICAL = ("joints", "forces")
FACING = {("left", "right"), ("right", "left"), ("top", "bottom"), ("bottom", "top")}


def wire_aligned(document: Document, reference: str, name: str) -> None:
    """Connect a port to the first fitting port of a new block, and align the block with it."""
    source = document.split(reference)[0]
    measures = document.type_and_family(source)[1] in MECHANICAL
    meant = MEASURED if measures else ""
    if source != WORLD:
        meant = BODY.get(document.type_and_family(name)[0], meant)
    for port in sorted(document.ports(name).values(), key=lambda port: port.name != meant):
        mine = f"{name}.{port.name}"
        a, b = (mine, reference) if port.direction == "out" else (reference, mine)
        if not why_not(document, a, b):
            _level(document, name, connect_ports(document, a, b))
            return


def _level(document: Document, name: str, connection: str) -> None:
    mine, other = sorted(ends(connection), key=lambda end: document.split(end)[0] != name)
    (side, x, y), (facing, ox, oy) = _stands(document, mine), _stands(document, other)
    level = side in ("left", "right")
    away = oy - y if level else ox - x
    if (side, facing) in FACING and 0 < abs(away) <= NEAR:
        document.move({name: (0.0, away) if level else (away, 0.0)})


def _stands(document: Document, reference: str) -> tuple[str, float, float]:
    block, port = document.split(reference)
    shape, (left, top, _) = document.shape(block), document.place(block)
    anchor = shape.anchors.get(port)
    return (anchor.side, left + anchor.x, top + anchor.y) if anchor else ("", 0.0, 0.0)
