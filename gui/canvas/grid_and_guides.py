"""Grid dots, alignment guides and rubber band of the canvas."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from ..drawing.snap_guides import Guide
from ..theme.active_theme import GRID, theme


def paint_grid(painter: QPainter, rect: QRectF, zoom: float, pixel_ratio: float) -> None:
    painter.fillRect(rect, theme().colour("canvas"))
    step = GRID * 2 if zoom >= 0.8 else GRID * 10 if zoom >= 0.2 else 0
    if not step:
        return
    pen = QPen(theme().colour("grid"))
    pen.setCosmetic(True)
    pen.setWidthF(1.6 * pixel_ratio)
    painter.setPen(pen)
    left, top = int(rect.left() // step) * step, int(rect.top() // step) * step
    columns = range(left, int(rect.right()) + step, step)
    rows = range(top, int(rect.bottom()) + step, step)
    painter.drawPoints([QPointF(x, y) for x in columns for y in rows])


def paint_guides(painter: QPainter, guides: Iterable[Guide]) -> None:
    pen = QPen(theme().colour("accent"), 1, Qt.PenStyle.DashLine)
    pen.setCosmetic(True)
    painter.setPen(pen)
    for g in guides:
        ends = (QPointF(g.at, g.low - 12), QPointF(g.at, g.high + 12))
        if not g.upright:
            ends = (QPointF(g.low - 12, g.at), QPointF(g.high + 12, g.at))
        painter.drawLine(*ends)


def paint_band(painter: QPainter, band: QRectF) -> None:
    wash = QColor(theme().colour("selection"))
    wash.setAlpha(30)
    pen = QPen(theme().colour("selection"))
    pen.setCosmetic(True)
    painter.setPen(pen)
    painter.setBrush(wash)
    painter.drawRect(band)
