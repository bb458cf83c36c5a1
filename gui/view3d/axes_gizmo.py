"""Axes of the world in a corner of the picture: which way it looks, and knobs to look along one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from .camera import VIEWS, Camera, angles

AXES = ("#c0392b", "#2e8b57", "#2467ae")
PLACE, REACH, KNOB = 46.0, 28.0, 8.0  # px: of the origin from the edges, of the knobs from it, of a knob


class Knob(NamedTuple):
    """End of an axis of the world in the picture."""

    axis: int
    sign: int
    at: QPointF
    near: float  # towards the eye, -1 to 1


@dataclass(frozen=True)
class Gizmo:
    """Axes of the world as a camera sees them, in the lower left corner of a picture."""

    camera: Camera
    height: float

    @property
    def origin(self) -> QPointF:
        return QPointF(PLACE, self.height - PLACE)

    def knobs(self) -> list[Knob]:
        """Ends of the axes, the furthest first."""
        right, up, towards = self.camera.axes()
        made = []
        for axis in range(3):
            for sign in (1, -1):
                way = QPointF(sign * REACH * float(right[axis]), -sign * REACH * float(up[axis]))
                made.append(Knob(axis, sign, self.origin + way, sign * float(towards[axis])))
        return sorted(made, key=lambda knob: knob.near)

    def knob_at(self, at: QPointF) -> Knob | None:
        """The nearest knob under the mouse."""
        for knob in reversed(self.knobs()):
            if (knob.at - at).manhattanLength() <= 1.4 * KNOB:
                return knob
        return None

    def look_along(self, knob: Knob) -> None:
        """Turn the camera so that this end points at the eye; once more, and the other end does."""
        towards = knob.sign * np.eye(3)[knob.axis]
        if float(self.camera.axes()[2] @ towards) > 0.999:
            towards = -towards
        azimuth, elevation = angles(towards, self.camera.up)
        upright = abs(elevation) > 1.5
        self.camera.azimuth = VIEWS["top"][0] if upright else azimuth
        self.camera.elevation = elevation

    def paint(self, painter: QPainter) -> None:
        font = painter.font()
        small = painter.font()
        small.setPixelSize(11)
        small.setBold(True)
        painter.setFont(small)
        for axis, sign, at, _ in self.knobs():
            colour = QColor(AXES[axis])
            disc = QRectF(at.x() - KNOB, at.y() - KNOB, 2 * KNOB, 2 * KNOB)
            if sign > 0:
                painter.setPen(QPen(colour, 2.0))
                painter.drawLine(self.origin, at)
                painter.setBrush(colour)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.drawEllipse(disc)
                painter.setPen(QColor("white"))
                painter.drawText(disc, Qt.AlignmentFlag.AlignCenter, "xyz"[axis])
            else:
                faint = QColor(colour)
                faint.setAlphaF(0.25)
                painter.setPen(QPen(colour, 1.2))
                painter.setBrush(faint)
                painter.drawEllipse(disc.adjusted(2, 2, -2, -2))
        painter.setFont(font)
        painter.setBrush(Qt.BrushStyle.NoBrush)


def described(knob: Knob) -> str:
    """Tip of a knob."""
    return f"Look along {'xyz'[knob.axis]}, from its {'positive' if knob.sign > 0 else 'negative'} end"
