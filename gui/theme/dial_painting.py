"""Dashboard item painter: levers, knobs, gauges and lamps in the theme's colours."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from ...solver.diagram.dashboard_section import Dial
from .active_theme import canvas_font, theme
from .number_format import unit_words

SIZES = {"lever": (170, 120), "load_moment": (210, 120), "trend": (250, 120), "gauge": (150, 120)}
USUAL = (120, 120)
HEAD, FOOT = 20.0, 18.0  # px of title and value
LOW = 100.0  # px under which a lever that goes up and down needs the place of its value
SWEEP = 240.0  # degrees of a round scale, open below
CENTRE = Qt.AlignmentFlag.AlignCenter


@dataclass(frozen=True)
class Shown:
    """Displayed state of a dial."""

    value: float = math.nan  # in its unit
    times: Sequence[float] | np.ndarray = ()  # times of a trend [s]
    values: Sequence[float] | np.ndarray = ()
    focus: bool = False
    alive: bool = True  # a run supplies the value


def pen(colour: QColor, width: float, cap: Qt.PenCapStyle = Qt.PenCapStyle.RoundCap) -> QPen:
    return QPen(colour, width, Qt.PenStyle.SolidLine, cap)


def size_of(dial: Dial) -> tuple[int, int]:
    if dial.kind == "lever" and dial.upright:
        return 100, 120
    return SIZES.get(dial.kind, USUAL)


def area_of(dial: Dial) -> tuple[float, float, float, float]:
    """Rectangle that a dial covers on the canvas."""
    (x, y), (width, height) = dial.at, size_of(dial)
    return x, y, x + width, y + height


def share(dial: Dial, value: float) -> float:
    """Position of a value on the scale, limited to 0 to 1; 0 for NaN."""
    least, most = dial.ends
    return min(max((value - least) / (most - least), 0.0), 1.0) if math.isfinite(value) else 0.0


def paint(painter: QPainter, area: QRectF, dial: Dial, shown: Shown) -> None:
    """Paint a card with the title, the item, and its value below."""
    t = theme()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(t.colour("selection" if shown.focus else "border"), 1.5 if shown.focus else 1))
    painter.setBrush(t.colour("card"))
    painter.drawRoundedRect(area.adjusted(1, 1, -1, -1), 6, 6)
    painter.setFont(canvas_font(12))
    painter.setPen(t.colour("text"))
    head = QRectF(area.left() + 6, area.top() + 3, area.width() - 12, HEAD)
    title = painter.fontMetrics().elidedText(
        dial.title or dial.of, Qt.TextElideMode.ElideMiddle, int(head.width())
    )
    painter.drawText(head, CENTRE, title)
    words = "" if dial.kind == "lever" and dial.upright and area.height() < LOW else value_text(dial, shown)
    body = area.adjusted(8, HEAD + 4, -8, -(FOOT + 4 if words else 8))
    if words:
        painter.setFont(canvas_font(12))
        painter.setPen(t.colour("text" if shown.alive else "muted"))
        painter.drawText(
            QRectF(area.left() + 6, area.bottom() - FOOT - 3, area.width() - 12, FOOT), CENTRE, words
        )
    painter.setOpacity(1.0 if shown.alive else 0.5)
    PAINTERS[dial.kind](painter, body, dial, shown)
    painter.setOpacity(1.0)


def value_text(dial: Dial, shown: Shown) -> str:
    if dial.kind in ("lamp", "switch", "button"):
        return ""
    if not math.isfinite(shown.value):
        return "–"
    if dial.kind == "load_moment":
        return f"{100 * share_of_end(dial, shown.value):.0f} %"
    return f"{shown.value:.4g} {unit_words(dial.unit)}".strip()


def share_of_end(dial: Dial, value: float) -> float:
    """Position of a value on the scale, unlimited: a load moment may exceed the allowed one."""
    least, most = dial.ends
    return (value - least) / (most - least)


def _lever(painter: QPainter, body: QRectF, dial: Dial, shown: Shown) -> None:
    t, at = theme(), share(dial, shown.value)
    middle = body.center()
    length = (body.height() if dial.upright else body.width()) - 20

    def place(where: float) -> QPointF:
        along = (where - 0.5) * length
        return (
            QPointF(middle.x(), middle.y() - along)
            if dial.upright
            else QPointF(middle.x() + along, middle.y())
        )

    painter.setPen(pen(t.colour("border"), 6))
    painter.drawLine(place(0.0), place(1.0))
    if dial.dead_band > 0:
        painter.setPen(pen(t.colour("muted"), 6, Qt.PenCapStyle.FlatCap))
        painter.drawLine(place(0.5 - 0.5 * dial.dead_band), place(0.5 + 0.5 * dial.dead_band))
    painter.setPen(QPen(t.colour("outline"), 1))
    painter.setBrush(t.colour("accent"))
    handle = QRectF(-8, -11, 16, 22) if not dial.upright else QRectF(-11, -8, 22, 16)
    painter.drawRoundedRect(handle.translated(place(at)), 4, 4)


def _arc(painter: QPainter, room: QRectF, start: float, end: float, colour: QColor, width: float) -> None:
    """Paint an arc of a round scale between two shares of its sweep, from the left."""
    painter.setPen(pen(colour, width, Qt.PenCapStyle.FlatCap))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    first = 90 + SWEEP / 2 - SWEEP * start
    painter.drawArc(room, round(16 * first), round(-16 * SWEEP * (end - start)))


def _direction(at: float) -> QPointF:
    angle = math.radians(90 + SWEEP / 2 - SWEEP * at)
    return QPointF(math.cos(angle), -math.sin(angle))


def _round(body: QRectF, below: float = 0.0) -> tuple[QRectF, QPointF, float]:
    """Bounding square, centre and radius of a round scale that fills the space; `below` is the part of the radius
    that is drawn below the centre, at least that of the scale."""
    depth = max(below, math.cos(math.radians(180 - SWEEP / 2)))
    radius = min(body.width() / 2, body.height() / (1 + depth)) - 3
    centre = QPointF(body.center().x(), body.top() + radius + 3)
    return QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius), centre, radius


def _knob(painter: QPainter, body: QRectF, dial: Dial, shown: Shown) -> None:
    t, at = theme(), share(dial, shown.value)
    room, centre, radius = _round(body, 0.85)
    _arc(painter, room, 0.0, 1.0, t.colour("border"), 4)
    _arc(painter, room, 0.0, at, t.colour("accent"), 4)
    painter.setPen(QPen(t.colour("outline"), 1))
    painter.setBrush(t.colour("panel"))
    painter.drawEllipse(centre, radius - 7, radius - 7)
    painter.setPen(pen(t.colour("accent"), 2.5))
    way = _direction(at)
    painter.drawLine(centre + way * (radius * 0.35), centre + way * (radius - 10))


def _switch(painter: QPainter, body: QRectF, dial: Dial, shown: Shown) -> None:
    t, on = theme(), share(dial, shown.value) > 0.5
    room = QRectF(0, 0, 44, 22)
    room.moveCenter(body.center())
    painter.setPen(QPen(t.colour("outline"), 1))
    painter.setBrush(t.colour("accent" if on else "field"))
    painter.drawRoundedRect(room, 11, 11)
    painter.setBrush(t.colour("card" if on else "outline"))
    painter.drawEllipse(QPointF(room.right() - 11 if on else room.left() + 11, room.center().y()), 8, 8)
    painter.setPen(t.colour("muted"))
    painter.setFont(canvas_font(11))
    painter.drawText(QRectF(body.left(), room.bottom() + 2, body.width(), 15), CENTRE, "on" if on else "off")


def _button(painter: QPainter, body: QRectF, dial: Dial, shown: Shown) -> None:
    t, held = theme(), share(dial, shown.value) > 0.5
    room = QRectF(0, 0, min(body.width() - 8, 80), 34)
    room.moveCenter(body.center())
    painter.setPen(QPen(t.colour("outline"), 1))
    painter.setBrush(t.colour("accent" if held else "panel"))
    painter.drawRoundedRect(room, 6, 6)
    painter.setPen(t.colour("accent_text" if held else "text"))
    painter.drawText(room, CENTRE, "held" if held else "press")


def _gauge(painter: QPainter, body: QRectF, dial: Dial, shown: Shown) -> None:
    t, at = theme(), share(dial, shown.value)
    room, centre, radius = _round(body)
    _arc(painter, room, 0.0, 1.0, t.colour("border"), 5)
    if dial.warning < 1.0:
        _arc(painter, room, dial.warning, 1.0, t.colour("error"), 5)
    painter.setPen(QPen(t.colour("muted"), 1))
    for k in range(11):
        way = _direction(k / 10)
        painter.drawLine(centre + way * (radius - 4), centre + way * (radius - (10 if k % 5 == 0 else 7)))
    if math.isfinite(shown.value):
        painter.setPen(pen(t.colour("error" if at > dial.warning else "text"), 2, Qt.PenCapStyle.RoundCap))
        painter.drawLine(centre, centre + _direction(at) * (radius - 8))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(t.colour("text"))
    painter.drawEllipse(centre, 3, 3)


def _lamp(painter: QPainter, body: QRectF, dial: Dial, shown: Shown) -> None:
    t, lit = theme(), shown.value > dial.above
    painter.setPen(QPen(t.colour("outline"), 1.5))
    painter.setBrush(t.colour("error" if lit else "field"))
    painter.drawEllipse(body.center(), 14, 14)
    painter.setPen(t.colour("text" if lit else "muted"))
    painter.setFont(canvas_font(11))
    painter.drawText(
        QRectF(body.left(), body.center().y() + 16, body.width(), 15), CENTRE, "on" if lit else "off"
    )


def _load_moment(painter: QPainter, body: QRectF, dial: Dial, shown: Shown) -> None:
    """Paint a load moment bar up to the allowed value and 10 % beyond."""
    t, most = theme(), 1.1
    room = QRectF(body.left(), body.center().y() - 10, body.width(), 18)
    ends = [0.0, dial.warning / most, 1.0 / most, 1.0]
    at = share_of_end(dial, shown.value) if math.isfinite(shown.value) else 0.0
    for k, colour in enumerate(("fits", "warning", "error")):
        left = room.left() + ends[k] * room.width()
        piece = QRectF(left, room.top(), (ends[k + 1] - ends[k]) * room.width(), room.height())
        faint = t.colour(colour)
        faint.setAlpha(60)
        painter.fillRect(piece, faint)
        filled = min(max(at / most - ends[k], 0.0), ends[k + 1] - ends[k])
        painter.fillRect(QRectF(left, room.top(), filled * room.width(), room.height()), t.colour(colour))
    painter.setPen(QPen(t.colour("text"), 1.5))
    for end in ends[1:3]:
        x = room.left() + end * room.width()
        painter.drawLine(QPointF(x, room.top() - 3), QPointF(x, room.bottom() + 3))


def _trend(painter: QPainter, body: QRectF, dial: Dial, shown: Shown) -> None:
    t = theme()
    painter.setPen(QPen(t.colour("border"), 1))
    painter.setBrush(t.colour("field"))
    painter.drawRect(body)
    times, values = np.asarray(shown.times, float), np.asarray(shown.values, float)
    good = np.isfinite(values)
    times, values = times[good], values[good]
    if len(times) < 2:
        return
    least, most = dial.ends if dial.range is not None else (float(values.min()), float(values.max()))
    most = most if most > least else least + 1.0
    x = body.right() + (times - times[-1]) / dial.span * body.width()
    y = body.bottom() - (np.clip(values, least, most) - least) / (most - least) * body.height()
    painter.setPen(QPen(t.colour("accent"), 1.5))
    painter.save()
    painter.setClipRect(body)
    painter.drawPolyline(QPolygonF([QPointF(*point) for point in zip(x.tolist(), y.tolist(), strict=True)]))
    painter.restore()


Painter = Callable[[QPainter, QRectF, Dial, Shown], None]
PAINTERS: dict[str, Painter] = {
    "lever": _lever,
    "knob": _knob,
    "switch": _switch,
    "button": _button,
    "gauge": _gauge,
    "lamp": _lamp,
    "load_moment": _load_moment,
    "trend": _trend,
}
