"""Vector symbols as one-line texts, in a box of 48 x 32 around the origin, y downwards.

Commands: `M x y` move, `L x y` line, `C x1 y1 x2 y2 x y` cubic, `Z` close, `O cx cy r` circle, `R x y w h` rectangle,
`A cx cy r start span` arc (degrees, counter-clockwise), `> x y angle` arrow head that points to `angle`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath

ARITY = {"M": 2, "L": 2, "C": 6, "Z": 0, "O": 3, "R": 4, "A": 5, ">": 3}


@dataclass(frozen=True)
class Symbol:
    """Lines to stroke and areas to fill with the family's colour; `dashed` lines are auxiliary."""

    lines: str
    filled: str = ""
    dashed: str = ""


@cache
def parsed(text: str) -> QPainterPath:
    path = QPainterPath()
    words = text.split()
    k = 0
    while k < len(words):
        command = words[k]
        count = ARITY[command]
        n = [float(word) for word in words[k + 1 : k + 1 + count]]
        k += 1 + count
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
    """Two short barbs that meet in (x, y)."""
    for turn in (150, -150):
        direction = math.radians(angle + turn)
        path.moveTo(x, y)
        path.lineTo(x + size * math.cos(direction), y - size * math.sin(direction))
