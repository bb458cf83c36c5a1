"""State chart painter for block cards and the chart editor."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF

from ..drawing.statechart_layout import Arrow, Box, Chart, Point
from ..theme.active_theme import canvas_font, theme

WORDS, NAMES = 9, 11  # heights of letters
ROUND = 7.0
TINT = 60  # opacity (0 to 255) of the active state's fill
HEAD = 5.0


def paint_chart(
    painter: QPainter,
    chart: Chart,
    accent: QColor,
    active: int = 0,
    chosen: str = "",
    transition: int = -1,
    words: bool = True,
) -> None:
    """Paint a state chart; `active` is the number of the highlighted state (0: none), `chosen` and `transition` the
    selection."""
    lit = next((box.name for box in chart.boxes if box.number == active), "")
    for arrow in sorted(chart.arrows, key=lambda one: one.index == transition):
        _paint_way(
            painter, arrow.points, theme().colour("selection" if arrow.index == transition else "muted")
        )
    if chart.start:
        _paint_way(painter, chart.start, theme().colour("muted"))
        painter.setBrush(theme().colour("muted"))
        painter.drawEllipse(QPointF(*chart.start[0]), 3.0, 3.0)
    for box in chart.boxes:
        _paint_box(painter, box, accent, box.name == lit, box.name == chosen, words)
    if words:
        painter.setFont(canvas_font(WORDS))
        for arrow in chart.arrows:
            own = "selection" if arrow.index == transition else "text" if arrow.source == lit else "muted"
            _paint_words(painter, arrow, theme().colour(own))


def _paint_box(painter: QPainter, box: Box, accent: QColor, lit: bool, chosen: bool, words: bool) -> None:
    t = theme()
    place = QRectF(box.x, box.y, box.width, box.height)
    painter.setBrush(t.colour("card"))
    painter.setPen(QPen(t.colour("selection") if chosen else accent if lit else t.colour("outline"), 1.0))
    if chosen or lit:
        painter.setPen(QPen(painter.pen().color(), 2.0))
    painter.drawRoundedRect(place, ROUND, ROUND)
    if lit:
        fill = t.colour("accent")
        painter.setPen(QPen(fill, 2.0))
        fill.setAlpha(TINT)
        painter.setBrush(QBrush(fill))
        painter.drawRoundedRect(place, ROUND, ROUND)
    if words:
        font = canvas_font(NAMES)
        font.setBold(lit)
        painter.setFont(font)
        painter.setPen(t.colour("text"))
        name = painter.fontMetrics().elidedText(box.name, Qt.TextElideMode.ElideRight, int(box.width - 8))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, name)


def _paint_words(painter: QPainter, arrow: Arrow, colour: QColor) -> None:
    painter.setPen(colour)
    x, y = arrow.place
    painter.drawText(QRectF(x, y - 8, 300, 16), Qt.AlignmentFlag.AlignVCenter, arrow.words)


def _paint_way(painter: QPainter, points: Sequence[Point], colour: QColor) -> None:
    painter.setPen(QPen(colour, 1.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in points]))
    (x1, y1), (x, y) = points[-2], points[-1]
    length = abs(x - x1) + abs(y - y1) or 1.0
    dx, dy = (x - x1) / length, (y - y1) / length
    corners = [
        (x, y),
        (x - HEAD * dx - 0.6 * HEAD * dy, y - HEAD * dy + 0.6 * HEAD * dx),
        (x - HEAD * dx + 0.6 * HEAD * dy, y - HEAD * dy - 0.6 * HEAD * dx),
    ]
    painter.setBrush(colour)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.drawPolygon(QPolygonF([QPointF(a, b) for a, b in corners]))
