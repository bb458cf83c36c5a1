"""Face of a composite on the canvas: port names inside the card, and the picture of what is inside."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF, QStaticText
from PySide6.QtWidgets import QApplication

from ...blocks.ports import FRAME
from ..drawing.composite_face import LETTERS, Face, PortName
from ..drawing.inner_picture import InnerPicture
from ..theme.active_theme import canvas_font, prepared, theme
from ..theme.symbols.symbol_painter import draw_symbol
from ..theme.symbols.symbol_table import symbol_of

NAMES_FROM = 0.55  # pixels of the screen to a unit from which port names can be read, and what is inside
SYMBOLS_FROM = 0.25  # pixels to a unit of the inner diagram from which its symbols show
FEW = 40  # blocks inside of which symbols are drawn
THIN = 0.9  # px of a stroke
SYMBOL = (56.0, 40.0)  # px of a card that its symbol fills


def paint_names(painter: QPainter, face: Face) -> None:
    """Names of the ports beside their glyphs, inside the card."""
    painter.setFont(canvas_font(LETTERS))
    painter.setPen(theme().colour("muted"))
    for text, place, upright in _texts(face, QApplication.font().family()):
        if upright:
            painter.save()
            painter.translate(place)
            painter.rotate(-90)
            painter.drawStaticText(QPointF(), text)
            painter.restore()
        else:
            painter.drawStaticText(place, text)


@lru_cache(maxsize=1024)
def _texts(face: Face, family: str) -> list[tuple[QStaticText, QPointF, bool]]:
    """Text of each name, elided to its box, where it begins, and True for one that stands upright."""
    font = canvas_font(LETTERS)
    metrics = QFontMetricsF(font)
    made = []
    for name in face.names:
        box = QRectF(name.left, name.top, name.right - name.left, name.bottom - name.top)
        length, thick = (box.height(), box.width()) if name.upright else (box.width(), box.height())
        text = prepared(name.port, font, length + 1.0)
        free = length - text.size().width()
        along = {Qt.AlignmentFlag.AlignLeft: 0.0, Qt.AlignmentFlag.AlignRight: free}.get(
            _alignment(name), free / 2
        )
        across = (thick - metrics.height()) / 2
        place = QPointF(along, across)
        place = QPointF(box.left() + across, box.bottom() - along) if name.upright else box.topLeft() + place
        made.append((text, place, name.upright))
    return made


def _alignment(name: PortName) -> Qt.AlignmentFlag:
    """Alignment that puts the text next to its port."""
    if name.side == "left" or (name.upright and name.side == "bottom"):
        return Qt.AlignmentFlag.AlignLeft
    if name.side == "right" or name.upright:
        return Qt.AlignmentFlag.AlignRight
    return Qt.AlignmentFlag.AlignHCenter


def paint_picture(
    painter: QPainter, picture: InnerPicture, room: QRectF, accent: QColor, turned: int, pixels: float
) -> None:
    """Paint a picture in the middle of a room; `pixels` of the screen are a unit of the outer diagram."""
    width, height = room.width(), room.height()
    if turned % 180:
        width, height = height, width
    scale = picture.scale(width, height)
    if scale <= 0.0:
        return
    painter.save()
    painter.translate(room.center())
    painter.rotate(turned)
    painter.scale(scale, scale)
    if picture.symbol is not None:
        draw_symbol(painter, picture.symbol, accent, 1.4 / max(scale, 1.0))
    else:
        _paint_inside(painter, picture, THIN / scale, scale * pixels)
    painter.restore()


def _paint_inside(painter: QPainter, picture: InnerPicture, thin: float, pixels: float) -> None:
    t = theme()
    wires, cards = _outlines(picture)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for kind, path in wires.items():
        colour = t.wire(kind)
        colour.setAlpha(170)
        painter.setPen(QPen(colour, thin * (1.3 if kind == FRAME else 1.0)))
        painter.drawPath(path)
    symbols = pixels >= SYMBOLS_FROM and len(picture.cards) <= FEW
    for family, rects in cards.items():
        accent = _accent(family)
        painter.setPen(QPen(accent, thin))
        painter.setBrush(t.colour("card"))
        painter.drawRects(rects)
        if not symbols:  # a wash says the family where a symbol would be a speck
            accent.setAlpha(70)
            painter.setBrush(accent)
            painter.drawRects(rects)
    for card in picture.cards if symbols else ():
        left, top, right, bottom = card.rect
        larger = max(1.0, min((right - left) / SYMBOL[0], (bottom - top) / SYMBOL[1]))
        painter.save()
        painter.translate((left + right) / 2, (top + bottom) / 2)
        painter.scale(larger, larger)
        symbol = symbol_of(card.type_name, card.family)
        draw_symbol(painter, symbol, _accent(card.family), thin / larger)
        painter.restore()


def _accent(family: str) -> QColor:
    return theme().family(family) if family else theme().colour("error")


@lru_cache(maxsize=512)
def _outlines(picture: InnerPicture) -> tuple[dict[str, QPainterPath], dict[str, list[QRectF]]]:
    """Path of the wires of each kind, and cards of each family."""
    wires = {}
    for kind, lines in picture.wires.items():
        wires[kind] = QPainterPath()
        for line in lines:
            wires[kind].addPolygon(QPolygonF([QPointF(x, y) for x, y in line]))
    cards: dict[str, list[QRectF]] = {}
    for card in picture.cards:
        left, top, right, bottom = card.rect
        cards.setdefault(card.family, []).append(QRectF(left, top, right - left, bottom - top))
    return wires, cards
