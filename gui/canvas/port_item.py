"""Port glyphs by kind: frame = square, signal = triangle, trajectory = double triangle, hydraulic = circle, shaft =
diamond.

The shape repeats what the colour says. A filled glyph is a port where flow begins or enters: frame_a and inputs. The
block item paints its ports; one item per port would be too many for large diagrams.
"""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from ...blocks import Port
from ...blocks.ports import FRAME, HYDRAULIC, SHAFT, TRAJECTORY
from ..drawing.card_geometry import OUTWARD, Anchor
from ..theme.number_format import unit_words

SIZE = 4.0
REACH = SIZE + 1.5  # px from a port's centre to the tips of its glyph
HIT = 9.0  # px, largest distance of a click
TURN = {"right": 0, "bottom": 90, "left": 180, "top": 270}


@cache
def glyph(kind: str, pointing: str) -> QPainterPath:
    """Outline of a port, centred on the port; triangles point in the direction of signal flow."""
    path = QPainterPath()
    if kind == FRAME:
        path.addRect(QRectF(-SIZE, -SIZE, 2 * SIZE, 2 * SIZE))
    elif kind == HYDRAULIC:
        path.addEllipse(QPointF(0, 0), SIZE + 0.5, SIZE + 0.5)
    elif kind == SHAFT:
        corners = [(SIZE + 1.5, 0), (0, SIZE + 1.5), (-SIZE - 1.5, 0), (0, -SIZE - 1.5)]
        path.addPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))
        path.closeSubpath()
    else:
        for shift in (-2.5, 2.5) if kind == TRAJECTORY else (0.0,):
            _triangle(path, pointing, shift)
    return path


def _triangle(path: QPainterPath, pointing: str, shift: float) -> None:
    dx, dy = OUTWARD[pointing]
    along = lambda a, b: QPointF(dx * (a + shift) - dy * b, dy * (a + shift) + dx * b)  # noqa: E731
    path.moveTo(along(-SIZE + 0.5, -SIZE))
    path.lineTo(along(SIZE, 0))
    path.lineTo(along(-SIZE + 0.5, SIZE))
    path.closeSubpath()


OPPOSITE = {"left": "right", "right": "left", "top": "bottom", "bottom": "top"}


def pointing(port: Port, side: str) -> str:
    return OPPOSITE[side] if port.direction == "in" else side


def draw_port(
    painter: QPainter, port: Port, anchor: Anchor, colour: QColor, paper: QColor, scale: float = 1.0
) -> None:
    """Paint a port at the painter's origin."""
    painter.setPen(
        QPen(colour, 1.3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.MiterJoin)
    )
    painter.setBrush(colour if anchor.solid else paper)
    if scale != 1.0:
        painter.save()
        painter.scale(scale, scale)
        painter.drawPath(glyph(port.kind, pointing(port, anchor.side)))
        painter.restore()
    else:
        painter.drawPath(glyph(port.kind, pointing(port, anchor.side)))


def describe(port: Port) -> str:
    """Tooltip of a port: name, kind, width, unit and documentation."""
    words = [port.kind]
    if port.direction:
        words.append(port.direction + "put")
    if port.width > 1:
        words.append(f"of {port.width}")
    if port.unit:
        words.append(f"[{unit_words(port.unit)}]")
    return f"<b>{port.name}</b> {' '.join(words)}" + (f"<br>{port.doc}" if port.doc else "")
