"""What the canvas says of the thing under the cursor."""

from __future__ import annotations

from PySide6.QtCore import QPointF

from .port_item import describe
from .scene import CanvasScene


def tooltip_of(canvas: CanvasScene, place: QPointF) -> str:
    port = canvas.port_at(place)
    if port:
        return describe(canvas.blocks[port[0]].block_ports[port[1]])
    block, wire = canvas.block_at(place), canvas.wire_at(place)
    subject = block.name if block else wire.connection if wire else ""
    if not subject:
        return ""
    lines = [
        str(p)
        for p in [*canvas.document.problems, *canvas.found]
        if subject in (p.path, *p.path.replace("[", ".").split("."))
    ]
    head = f"<b>{block.name}</b> {block.type_name}" if block else subject
    return "<br>".join([head, *lines])
