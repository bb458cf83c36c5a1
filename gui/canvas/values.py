"""What the wires carry at a moment of a run, in words for their tags."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from ..drawing.nets import ends
from ..look.theme import canvas_font, theme
from ..run.history import History
from .wire_item import WireItem

PIXELS, MOST = 9, 3  # height of the letters, numbers of one wire
BESIDE = {"trajectory": ("position",), "port": ("pressure",), "shaft": ("speed", "velocity")}
FROM = 0.45  # zoom below which they cannot be read


def words_of(connections: Iterable[str], history: History, time: float | None) -> dict[str, str]:
    """By wire; of the last row where no time is given."""
    found = {}
    for text in connections:
        columns = next((c for reference in ends(text) if (c := _columns(reference, history))), [])
        numbers = [history.last(c) if time is None else history.at(c, time) for c in columns[:MOST]]
        if numbers:
            more = ", ..." if len(columns) > MOST else ""
            unit = history.units.get(columns[0], "")
            found[text] = f"{', '.join(f'{n:.4g}' for n in numbers)}{more} {unit}".strip()
    return found


def _columns(reference: str, history: History) -> list[str]:
    """A signal by its own name, what tells it beside a port: a joint's trajectory, a volume's port, a shaft."""
    name = reference.strip()
    if name in history.index:
        return [name]
    vector = [f"{name}[{k}]" for k in range(MOST + 1) if f"{name}[{k}]" in history.index]
    block, _, port = name.rpartition(".")
    beside = (f"{block}.{signal}" for signal in BESIDE.get(port, ()))
    return vector or [column for column in beside if column in history.index][:1]


def paint_values(
    painter: QPainter, wires: Mapping[str, WireItem], words: Mapping[str, str], zoom: float
) -> None:
    if zoom < FROM:
        return
    t, font = theme(), canvas_font(PIXELS)
    metrics = QFontMetricsF(font)
    painter.setFont(font)
    for text, word in words.items():
        wire = wires.get(text)
        if wire is None or not wire.isVisible() or len(wire.points) < 2:
            continue
        middle = _middle(wire.points)
        wide = metrics.horizontalAdvance(word) + 8
        box = QRectF(middle.x() - wide / 2, middle.y() - PIXELS / 2 - 3, wide, PIXELS + 6)
        painter.setPen(QPen(t.wire(wire.kind), 1))
        painter.setBrush(t.colour("card"))
        painter.drawRoundedRect(box, 3, 3)
        painter.setPen(t.colour("text"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, word)


def _middle(points: list[tuple[float, float]]) -> QPointF:
    """Of the longest piece: there the tag covers the least of anything else."""
    pieces = list(pairwise(points))
    (x1, y1), (x2, y2) = max(pieces, key=lambda p: abs(p[0][0] - p[1][0]) + abs(p[0][1] - p[1][1]))
    return QPointF((x1 + x2) / 2, (y1 + y2) / 2)
