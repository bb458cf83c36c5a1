"""Symbol painter for the window: symbol texts as QPainterPath."""

from __future__ import annotations

import math
from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen

from ....blocks.text.symbol_text import commands
from .symbol import Symbol


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


@cache
def half_height(symbol: Symbol, turned: int) -> float:
    """Reach of a symbol above or below its origin on a turned block, with half the width of its lines."""
    boxes = [parsed(text).boundingRect() for text in (symbol.lines, symbol.filled, symbol.dashed) if text]
    if symbol.upright or turned % 180 == 0:
        return max(max(-box.top(), box.bottom()) for box in boxes) + 0.7
    return max(max(-box.left(), box.right()) for box in boxes) + 0.7


@cache
def parsed(text: str) -> QPainterPath:
    path = QPainterPath()
    for command, n in commands(text):
        if command == "M":
            path.moveTo(*n)
        elif command == "L":
            path.lineTo(*n)
        elif command == "C":
            path.cubicTo(*n)
        elif command == "Z":
            path.closeSubpath()
        elif command == "O":
            path.addEllipse(QPointF(n[0], n[1]), n[2], n[2])
        elif command == "R":
            path.addRect(QRectF(*n))
        elif command == "A":
            box = QRectF(n[0] - n[2], n[1] - n[2], 2 * n[2], 2 * n[2])
            path.arcMoveTo(box, n[3])
            path.arcTo(box, n[3], n[4])
        else:
            _head(path, *n)
    return path


def _head(path: QPainterPath, x: float, y: float, angle: float, size: float = 4.0) -> None:
    """Add an arrow head: two short barbs that meet in (x, y)."""
    for turn in (150, -150):
        direction = math.radians(angle + turn)
        path.moveTo(x, y)
        path.lineTo(x + size * math.cos(direction), y - size * math.sin(direction))
