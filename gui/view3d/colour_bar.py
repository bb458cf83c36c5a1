"""Colour bar: the scale of stress colours."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from ..theme.active_theme import theme
from .stress_colours import Scale

LEFT, WIDE, HIGH = 84.0, 168.0, 9.0  # px, beside the directions of the world


def paint_scale(painter: QPainter, scale: Scale, height: int) -> None:
    top = height - 34.0
    each = WIDE / len(scale.colours)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(Qt.PenStyle.NoPen)
    for k, colour in enumerate(scale.colours):
        painter.fillRect(QRectF(LEFT + k * each, top, each + 1.0, HIGH), QColor(colour))
    if scale.over:
        painter.fillRect(QRectF(LEFT + WIDE + 3.0, top, 2 * HIGH, HIGH), QColor(scale.over))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(theme().colour("text"))
    text = painter.fontMetrics()
    below = top + HIGH + text.ascent() + 2.0
    painter.drawText(QPointF(LEFT, below), scale.least)
    painter.drawText(QPointF(LEFT + 24.0, below), scale.most + (", and beyond" if scale.over else ""))
