"""Which symbol a block type has, and how it is painted."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen

from ....blocks.registry import registered
from . import bodies, control, drives, environment, forces, hydraulics, joints, planning, sensors, signals
from .path import Symbol, parsed

TABLES = (bodies, control, drives, environment, forces, hydraulics, joints, planning, sensors, signals)
SYMBOLS: dict[str, Symbol] = {name: symbol for table in TABLES for name, symbol in table.SYMBOLS.items()}
COMPOSITE = Symbol(
    "R -20 -12 40 24 M -14 -4 L -4 -4 M -4 -8 L 6 -8 L 6 0 L -4 0 Z M 6 -4 L 14 -4 L 14 6 L 4 6"
)
UNKNOWN = Symbol("R -16 -11 32 22", "", "M -16 -11 L 16 11 M -16 11 L 16 -11")


def symbol_of(type_name: str, family: str) -> Symbol:
    if family == "composites":
        return COMPOSITE
    return SYMBOLS.get(type_name) or _declared(type_name)


def _declared(type_name: str) -> Symbol:
    """The icon that a block of somebody else declares."""
    icon = getattr(registered().get(type_name), "icon", "")
    try:
        parsed(icon)
    except (KeyError, ValueError, IndexError, TypeError):
        return UNKNOWN
    return Symbol(icon) if icon else UNKNOWN


def draw_symbol(painter: QPainter, symbol: Symbol, colour: QColor, width: float = 1.4) -> None:
    """Paint around the painter's origin."""
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
