"""Symbol painter for the window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen

from .symbol import Symbol
from .symbol_path import parsed


def draw_symbol(painter: QPainter, symbol: Symbol, colour: QColor, width: float = 1.4) -> None:
    """Paint a symbol around the painter's origin."""
    pen = QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    if symbol.filled:
        wash = QColor(colour)
        wash.setAlpha(48)
        painter.setPen(pen)
        painter.setBrush(QBrush(wash))
        painter.drawPath(parsed(symbol.filled))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if symbol.lines:
        painter.setPen(pen)
        painter.drawPath(parsed(symbol.lines))
    if symbol.dashed:
        pen.setWidthF(width * 0.7)
        pen.setDashPattern([3, 2.5])
        painter.setPen(pen)
        painter.drawPath(parsed(symbol.dashed))
