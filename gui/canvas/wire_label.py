"""Label of a wire that is not drawn as a line: the net's name on a tag that points away from the port."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from ..drawing.card_geometry import OUTWARD
from ..drawing.net_labels import HIGH, LETTERS, Label
from ..theme.active_theme import canvas_font, theme

TIP = 4.0  # px of its point


def box_of(label: Label) -> QRectF:
    left, top, right, bottom = label.box
    return QRectF(left, top, right - left, bottom - top)


def paint_label(painter: QPainter, label: Label, colour: QColor) -> None:
    """Paint a wire label with its tip at the port; its text is vertical above and below a block."""
    left, top, right, bottom = label.box
    middle = QPointF((left + right) / 2, (top + bottom) / 2)
    long = max(right - left, bottom - top)
    painter.save()
    painter.translate(middle)
    if label.upright:
        painter.rotate(-90)
    dx, dy = OUTWARD[label.end.side]
    towards = -dx if not label.upright else dy  # of the port, along the words
    painter.setPen(QPen(colour, 1.0))
    painter.setBrush(theme().colour("card"))
    painter.drawPolygon(_outline(long, towards))
    painter.setFont(canvas_font(LETTERS))
    shift = -towards * TIP / 2
    painter.drawText(
        QRectF(-long / 2 + shift, -HIGH / 2, long, HIGH), Qt.AlignmentFlag.AlignCenter, label.text
    )
    painter.restore()


def _outline(long: float, towards: int) -> QPolygonF:
    a, b, half = -long / 2, long / 2, HIGH / 2
    if towards < 0:
        corners = [(a, 0.0), (a + TIP, -half), (b, -half), (b, half), (a + TIP, half)]
    else:
        corners = [(a, -half), (b - TIP, -half), (b, 0.0), (b - TIP, half), (a, half)]
    return QPolygonF([QPointF(x, y) for x, y in corners])
