"""Element labels of wires at vector ports: `[i]` beside the port."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from ..drawing.polylines import Point
from ..drawing.wire_nets import ends
from ..theme.active_theme import canvas_font, theme
from .port_item import REACH

HEIGHT = 9  # px of the letters
CORNER = 4.0  # px of a round corner

Tag = tuple[str, Point]  # `[i]` and its middle


def element_tags(routes: Mapping[str, Sequence[Point]]) -> dict[str, list[Tag]]:
    """Element labels with their positions for each wire; `routes` gives the points of all wires by connection text."""
    ports: dict[str, list[tuple[str, str, Sequence[Point]]]] = {}
    for wire, points in routes.items():
        for reference, way in zip(ends(wire), (points, points[::-1]), strict=True):
            port, bracket, element = reference.partition("[")
            if bracket and points:
                ports.setdefault(port, []).append((wire, bracket + element, way))
    told: dict[str, list[Tag]] = {}
    for entries in ports.values():
        members = {wire for wire, *_ in entries}
        strangers = [way for wire, way in routes.items() if wire not in members]
        places = element_places([(text, way) for _, text, way in entries], strangers)
        for (wire, text, _), place in zip(entries, places, strict=True):
            told.setdefault(wire, []).append((text, place))
    return told


def paint_elements(painter: QPainter, tags: Sequence[Tag], colour: QColor) -> None:
    for text, place in tags:
        box = element_box(text, place)
        painter.fillRect(box, theme().colour("canvas"))
        painter.setFont(canvas_font(HEIGHT))
        painter.setPen(colour)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def element_box(text: str, place: Point) -> QRectF:
    width, height = 0.62 * HEIGHT * len(text) + 2, HEIGHT + 2.0
    return QRectF(place[0] - width / 2, place[1] - height / 2, width, height)


def element_places(
    wires: Sequence[tuple[str, Sequence[Point]]], strangers: Iterable[Sequence[Point]] = ()
) -> list[Point]:
    """Positions of the element labels of all wires into one port: near the port, clear of its glyph, on a segment where
    no other wire runs.

    Each wire is a pair of label text and points, the port first; `strangers` run elsewhere.
    """
    chosen: list[Point] = []
    boxes = [QRectF(x - REACH, y - REACH, 2 * REACH, 2 * REACH) for _, ((x, y), *_) in wires]
    apart = [_box(a, b) for way in strangers for a, b in itertools.pairwise(way)]
    for k, (text, points) in enumerate(wires):
        others = [
            _box(*piece) for j, (_, way) in enumerate(wires) if j != k for piece in itertools.pairwise(way)
        ]
        pieces = list(itertools.pairwise(points))
        places = [
            p for corner in (CORNER, -CORNER) for a, b in pieces for p in _candidates(text, a, b, corner)
        ]
        free = [p for p in places if not any(element_box(text, p).intersects(box) for box in boxes)]
        own = [p for p in free if not any(element_box(text, p).intersects(box) for box in others)]
        bare = (p for p in own if not any(element_box(text, p).intersects(box) for box in apart))
        place = next(bare, next(iter(own or free or places), points[0] if points else (0.0, 0.0)))
        chosen.append(place)
        boxes.append(element_box(text, place))
    return chosen


def _candidates(text: str, a: Point, b: Point, corner: float) -> list[Point]:
    """Candidate positions along a segment, nearest to its start first, so far from its ends."""
    length, box = abs(a[0] - b[0]) + abs(a[1] - b[1]), element_box(text, a)
    first = (box.width() if a[1] == b[1] else box.height()) / 2 + corner
    count = int((length - 2 * first) // HEIGHT) + 1
    shares = [(first + k * HEIGHT) / length for k in range(min(count, 24))]
    return [(a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])) for share in shares]


def _box(a: Point, b: Point) -> QRectF:
    """Box of a piece of a wire, with half a line to each side."""
    return QRectF(QPointF(*a), QPointF(*b)).normalized().adjusted(-1.0, -1.0, 1.0, 1.0)
