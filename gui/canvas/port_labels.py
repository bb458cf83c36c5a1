"""Port names beside blocks: of the selected block, of the block under the cursor, and of ports of the whole diagram."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from ..drawing.card_geometry import GRID, Anchor
from ..theme.active_theme import CENTRED, canvas_font, theme
from .block_item import BlockItem, pixels_of
from .wire_item import WireItem

BESIDE = 140.0  # px around a block in which its port names may stand
AWAY, PIXELS = 9.0, 9  # from the port to its name; height of the letters, on the screen if there is room
BEYOND = (0.0, 10.0, 20.0, 30.0, 40.0)  # px that a name stands further out where wires leave it no room
NAMES_FROM = 0.45  # pixels of the screen to a unit below which nothing of this can be read
Box = tuple[float, float, float, float]  # left, top, right, bottom
EVERYWHERE = (-np.inf, -np.inf, np.inf, np.inf)


class LabelCollisions:
    """Occupied regions that a label must not overlap."""

    def __init__(self, boxes: Iterable[Box], within: Box = EVERYWHERE):
        self._boxes, self._within = np.array(list(boxes), float).reshape(-1, 4), within

    def free(self, box: Box) -> bool:
        b = self._boxes
        apart = (b[:, 0] >= box[2]) | (b[:, 2] <= box[0]) | (b[:, 1] >= box[3]) | (b[:, 3] <= box[1])
        left, top, right, bottom = self._within
        inside = left <= box[0] and top <= box[1] and box[2] <= right and box[3] <= bottom
        return inside and bool(apart.all())

    def add(self, box: Box) -> None:
        self._boxes = np.vstack((self._boxes, box))


def paint_port_names(
    painter: QPainter,
    blocks: Mapping[str, BlockItem],
    exposed: Mapping[str, Mapping[str, str]],
    named: Iterable[str],
    zoom: float,
    wires: Collection[WireItem] = (),
    values: Iterable[Box] = (),
) -> None:
    """Paint the outside names of exposed ports, and all port names of the `named` blocks beside the wires and off the
    `values` on these."""
    if pixels_of(painter) < NAMES_FROM:
        return
    t = theme()
    for name, ports in exposed.items():
        item = blocks.get(name)
        for port, outer in ports.items() if item else ():
            anchor = item.block_shape.anchors.get(port) if item else None
            if item and anchor and port in item.block_ports:
                _tag(painter, item, anchor, outer, t.wire(item.block_ports[port].kind), t.colour("card"))
    named = list(named)
    rects = [item.rect() for item in blocks.values()] if named else []
    lines = wires_near([blocks[name].rect() for name in named], wires)
    taken, lines = LabelCollisions([*rects, *lines, *values]), LabelCollisions(lines)
    for name in named:
        item = blocks[name]
        if item.block_shape.face is not None:
            continue  # they stand inside the card
        leading_out = exposed.get(name, {})
        pixels = port_name_height(item.block_shape.anchors.values(), zoom)
        for port, anchor in item.block_shape.anchors.items():
            if port not in leading_out:
                _name(painter, item, anchor, port, pixels, taken, lines)


def port_name_height(anchors: Iterable[Anchor], zoom: float) -> int:
    """Height of port names: larger when zoomed out, as long as neighbouring names do not overlap."""
    places = [(a.side, a.x if a.side in ("top", "bottom") else a.y) for a in anchors]
    pitch = min((abs(x - y) for s, x in places for t, y in places if s == t and x != y), default=2.0 * GRID)
    return max(PIXELS, round(min(PIXELS / max(zoom, NAMES_FROM), pitch - 2.0)))


def _box(painter: QPainter, item: BlockItem, anchor: Anchor, text: str, pixels: int = PIXELS) -> QRectF:
    """Rotate the painter so that the name runs away from the block; return the name's rectangle in that frame."""
    font = canvas_font(pixels)
    painter.setFont(font)
    metrics = QFontMetricsF(font)
    width, height = metrics.horizontalAdvance(text) + 4, pixels + 1.0
    painter.translate(QPointF(item.x() + anchor.x, item.y() + anchor.y))
    if anchor.side in ("top", "bottom"):
        painter.rotate(90)
    away = -AWAY - width if anchor.side in ("left", "top") else AWAY
    return QRectF(away, -height / 2, width, height)


def wires_near(rects: Iterable[Box], wires: Collection[WireItem]) -> list[Box]:
    """Segments of the wires around blocks, as boxes without width."""
    rooms = [(r[0] - BESIDE, r[1] - BESIDE, r[2] + BESIDE, r[3] + BESIDE) for r in rects]

    near: dict[WireItem, None] = {}
    for left, top, right, bottom in rooms:
        for wire in wires:
            box = wire.extent
            if box[0] < right and box[2] > left and box[1] < bottom and box[3] > top and wire.isVisible():
                near[wire] = None
    return [
        (min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
        for wire in near
        for (x1, y1), (x2, y2) in itertools.pairwise(wire.points)
    ]


def _name(
    painter: QPainter,
    item: BlockItem,
    anchor: Anchor,
    text: str,
    pixels: int,
    taken: LabelCollisions,
    lines: LabelCollisions,
) -> None:
    """Paint a port's name on the side of its wire where no block, wire, value or other name is, a little further out if
    need be, or off its value at the first and last port of a side, with no other wire between; the tooltip still shows
    one without room."""
    painter.save()
    before = painter.transform()
    box = _box(painter, item, anchor, text, pixels)
    to_scene = painter.transform() * before.inverted()[0]
    aside = pixels / 2 + 3  # over the wire or under it, not on it
    shifts = (-aside, aside) if anchor.side in ("left", "right") else (0.0, -aside, aside)
    sign = -1.0 if anchor.side in ("left", "top") else 1.0
    ports = [a.y for a in item.block_shape.anchors.values() if a.side == anchor.side]
    off = [-aside - pixels] if anchor.y == min(ports) else []
    off += [aside + pixels] if anchor.y == max(ports) else []
    off = off if anchor.side in ("left", "right") else []
    tried = itertools.chain(itertools.product(BEYOND, shifts), itertools.product(BEYOND, off))
    for beyond, shift in tried:
        place = box.translated(sign * beyond, shift)
        on_scene = to_scene.mapRect(place).adjusted(0.5, 0.5, -0.5, -0.5)  # names side by side touch
        where = on_scene.left(), on_scene.top(), on_scene.right(), on_scene.bottom()
        y = item.y() + anchor.y
        between = where[0], min(where[3], y + 1.0), where[2], max(where[1], y - 1.0)
        if (shift not in off or lines.free(between)) and taken.free(where):
            taken.add(where)
            paper = theme().colour("canvas")
            paper.setAlpha(190)
            painter.fillRect(place, paper)
            painter.setPen(theme().colour("muted"))
            painter.drawText(place, CENTRED, text)
            break
    painter.restore()


def _tag(
    painter: QPainter, item: BlockItem, anchor: Anchor, text: str, colour: QColor, paper: QColor
) -> None:
    """Paint the tag of a port of the whole diagram, with its outside name."""
    painter.save()
    box = _box(painter, item, anchor, text).adjusted(-2, -2, 2, 2)
    painter.setPen(QPen(colour, 1))
    painter.setBrush(paper)
    painter.drawRoundedRect(box, 3, 3)
    painter.setPen(colour)
    painter.drawText(box, CENTRED, text)
    painter.restore()
