"""Overview rendering: all blocks and wires in a few paint calls, so that a large diagram zooms smoothly; blocks keep
their symbols while there are pixels for them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from functools import lru_cache

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem

from ..theme.active_theme import theme
from ..theme.symbols.symbol_painter import draw_symbol
from ..theme.symbols.symbol_table import symbol_of
from .block_item import TEXT_FROM, BlockItem, pixels_of
from .port_item import SIZE
from .wire_item import WireItem

WIDE, HIGH = 50, 34  # size of a symbol with its pen, in diagram units
MARKS_FROM = 0.1  # pixels to a unit below which a symbol would be a speck


def paint_overview(
    painter: QPainter,
    blocks: Iterable[BlockItem],
    wires: Iterable[WireItem],
    chosen: Collection[QGraphicsItem],
    exposed: QRectF,
) -> None:
    """Paint all wires and the blocks of an area; `chosen` ones in the colour of the selection."""
    t = theme()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    lines: dict[str, list[QLineF]] = {}
    inks: dict[str, QColor] = {}
    for wire in wires:
        state = wire.fate or wire.problem or ("selection" if wire in chosen else wire.kind)
        if state not in inks:
            inks[state] = wire.colour()
        lines.setdefault(state, []).extend(wire.lines())
    for state, group in lines.items():
        pen = QPen(inks[state])
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.drawLines(group)
    groups: dict[tuple[str, str], list[QRectF]] = {}
    seen = [block for block in blocks if block.area.intersects(exposed)]
    for block in seen:
        edge = block.fate or block.problem or ("selection" if block in chosen else "")
        groups.setdefault((block.family, edge), []).append(block.area)
    pixels = pixels_of(painter)
    near = pixels >= TEXT_FROM  # names are read: cards look as they do alone
    for (family, edge), rects in groups.items():
        accent = t.family(family) if family else t.colour("error")
        plain = t.colour("outline") if near else accent
        marked = t.fate(edge) if edge in t.fates else t.mark(edge) if edge else plain
        marked = t.colour(edge) if edge == "selection" else marked
        pen = QPen(marked)
        pen.setCosmetic(True)
        pen.setWidth(2 if edge else 1)
        painter.setPen(pen)
        fill = t.colour("card")
        painter.setBrush(fill)
        painter.drawRects(rects)
        if not near:  # a wash says the family where its symbol is a speck
            accent.setAlpha(40)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(accent)
            painter.drawRects(rects)
    if pixels >= MARKS_FROM:
        _paint_marks(painter, seen, near)
    if near:
        _paint_ports(painter, seen)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for block in seen:
            painter.translate(block.area.topLeft())
            block.paint_text(painter)
            painter.translate(-block.area.topLeft())
    painter.restore()


def _paint_ports(painter: QPainter, seen: Iterable[BlockItem]) -> None:
    """Paint wired ports as squares in the colours of their kinds."""
    kinds: dict[str, list[QRectF]] = {}
    for block in seen:
        x, y = block.area.x(), block.area.y()
        for name in block.wired & block.block_ports.keys() & block.block_shape.anchors.keys():
            anchor = block.block_shape.anchors[name]
            place = QRectF(x + anchor.x - SIZE, y + anchor.y - SIZE, 2 * SIZE, 2 * SIZE)
            kinds.setdefault(block.block_ports[name].kind, []).append(place)
    painter.setPen(Qt.PenStyle.NoPen)
    for kind, places in kinds.items():
        painter.setBrush(theme().wire(kind))
        painter.drawRects(places)


def _paint_marks(painter: QPainter, seen: Iterable[BlockItem], named: bool) -> None:
    """Paint the symbols of all blocks, those of one kind after each other; above the names if blocks are `named`."""
    t, pixels = theme(), pixels_of(painter)
    kinds: dict[tuple[str, str, int, float], list[QPointF]] = {}
    for block in seen:
        size = block.symbol_scale() if named else 1.0
        centre = block.area.topLeft() + block.symbol_centre() if named else block.area.center()
        kinds.setdefault((block.type_name, block.family, block.turned, size), []).append(centre)
    for (type_name, family, turned, size), places in kinds.items():
        colour = t.family(family) if family else t.colour("error")
        mark = _mark(type_name, family, colour.name(), turned, pixels * size)
        source = QRectF(mark.rect())
        place = QRectF(0, 0, mark.width() / pixels, mark.height() / pixels)
        for centre in places:
            place.moveCenter(centre)
            painter.drawImage(place, mark, source)


@lru_cache(maxsize=256)
def _mark(type_name: str, family: str, colour: str, turned: int, pixels: float) -> QImage:
    """Symbol rendered at the size on screen with lines one pixel wide."""
    symbol = symbol_of(type_name, family)
    turned = 0 if symbol.upright else turned
    wide, high = (HIGH, WIDE) if turned % 180 else (WIDE, HIGH)
    size = math.ceil(wide * pixels), math.ceil(high * pixels)
    picture = QImage(*size, QImage.Format.Format_ARGB32_Premultiplied)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(picture.width() / 2, picture.height() / 2)
    painter.scale(pixels, pixels)
    painter.rotate(turned)
    draw_symbol(painter, symbol, QColor(colour), width=1.0 / pixels)
    painter.end()
    return picture
