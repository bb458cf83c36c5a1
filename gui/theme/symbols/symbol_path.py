"""Symbol texts as QPainterPath."""

from __future__ import annotations

import math
from functools import cache

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath

from .symbol import commands


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
