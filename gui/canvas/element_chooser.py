"""Element labels of wires at vector ports: `[i]` beside the port."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from ..drawing.polylines import Point
from ..drawing.wire_nets import ends
from ..theme.active_theme import canvas_font, theme

HEIGHT = 9  # px of the letters

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
        places = element_places([(text, way) for _, text, way in entries])
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


def element_places(wires: Sequence[tuple[str, Sequence[Point]]]) -> list[Point]:
    """Positions of the element labels of all wires into one port: near the port, on a segment that no other wire
    shares.

    Each wire is a pair of label text and points, the port first.
    """
    chosen: list[Point] = []
    boxes: list[QRectF] = []
    for k, (text, points) in enumerate(wires):
        others = [
            QLineF(*a, *b) for j, (_, way) in enumerate(wires) if j != k for a, b in itertools.pairwise(way)
        ]
        places = [p for a, b in itertools.pairwise(points) for p in _segment_candidates(a, b)]
        free = [p for p in places if not any(element_box(text, p).intersects(box) for box in boxes)]
        own = [p for p in free if not any(_label_at(line, p) for line in others)]
        place = next(iter(own or free or places), points[0] if points else (0.0, 0.0))
        chosen.append(place)
        boxes.append(element_box(text, place))
    return chosen


def _segment_candidates(a: Point, b: Point) -> list[Point]:
    """Candidate positions along a segment, one label width apart, nearest to its start first."""
    length = abs(a[0] - b[0]) + abs(a[1] - b[1])
    count = int(length // (2 * HEIGHT))
    shares = [(k + 0.5) * 2 * HEIGHT / length for k in range(min(count, 12))]
    return [(a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])) for share in shares]


def _label_at(line: QLineF, place: Point) -> bool:
    x, y = sorted((line.x1(), line.x2())), sorted((line.y1(), line.y2()))
    return x[0] - 3 <= place[0] <= x[1] + 3 and y[0] - 3 <= place[1] <= y[1] + 3
