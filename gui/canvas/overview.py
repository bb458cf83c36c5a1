"""The canvas from afar: all blocks and wires in a few calls, so that a large diagram zooms fluently."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from ..look.theme import theme
from .block_item import BlockItem
from .wire_item import WireItem


def paint_overview(
    painter: QPainter, blocks: Iterable[BlockItem], wires: Iterable[WireItem], exposed: QRectF
) -> None:
    t = theme()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    lines: dict[str, list[QLineF]] = {}
    for wire in wires:
        lines.setdefault(wire.colour().name(), []).extend(wire.lines())
    for colour, group in lines.items():
        pen = QPen(colour)
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.drawLines(group)
    groups: dict[tuple[str, str], list[QRectF]] = {}
    for block in blocks:
        rect = block.card().translated(block.pos())
        if rect.intersects(exposed):
            edge = block.fate or block.problem or ("selection" if block.isSelected() else "")
            groups.setdefault((block.family, edge), []).append(rect)
    for (family, edge), rects in groups.items():
        accent = t.family(family) if family else t.colour("error")
        marked = t.fate(edge) if edge in t.fates else t.colour(edge) if edge else accent
        pen = QPen(marked)
        pen.setCosmetic(True)
        pen.setWidth(2 if edge else 1)
        painter.setPen(pen)
        fill = t.colour("card")
        painter.setBrush(fill)
        painter.drawRects(rects)
        accent.setAlpha(40)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(accent)
        painter.drawRects(rects)
    painter.restore()
