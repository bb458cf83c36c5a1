"""Icons drawn from paths in the text colour: sharp at every scale, right in both themes."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPainterPath, QPen, QPixmap

from .active_theme import theme
from .symbols.symbol_painter import draw_symbol, parsed
from .symbols.symbol_table import symbol_of

# in a box of 20 x 20 around the origin; the second text is filled
SHAPES: dict[str, tuple[str, str]] = {
    "new": ("M -6 -8 L 2 -8 L 6 -4 L 6 8 L -6 8 Z M 2 -8 L 2 -4 L 6 -4", ""),
    "open": ("M -8 7 L -8 -6 L -3 -6 L -1 -4 L 7 -4 L 7 -1 M -8 7 L -5 -1 L 9 -1 L 6 7 Z", ""),
    "save": (
        "M -7 -7 L 4 -7 L 7 -4 L 7 7 L -7 7 Z M -4 -7 L -4 -2 L 3 -2 L 3 -7 M -4 7 L -4 2 L 4 2 L 4 7",
        "",
    ),
    "undo": ("M -7 -3 L 2 -3 C 9 -3 9 6 2 6 L -3 6 M -3 -7 L -7 -3 L -3 1", ""),
    "redo": ("M 7 -3 L -2 -3 C -9 -3 -9 6 -2 6 L 3 6 M 3 -7 L 7 -3 L 3 1", ""),
    "run": ("", "M -5 -7 L 7 0 L -5 7 Z"),
    "pause": ("", "R -6 -7 4 14 R 2 -7 4 14"),
    "step": ("", "M -6 -7 L 3 0 L -6 7 Z R 4 -7 2.5 14"),
    "stop": ("", "R -6 -6 12 12"),
    "reset": ("A 0 0 7 60 270 M 3.5 -6 L 3.5 -10 M 3.5 -6 L 7.5 -6", ""),
    "fit": (
        "M -8 -4 L -8 -8 L -4 -8 M 4 -8 L 8 -8 L 8 -4 M 8 4 L 8 8 L 4 8 M -4 8 L -8 8 L -8 4 R -3 -3 6 6",
        "",
    ),
    "plot": ("M -8 -8 L -8 8 L 8 8 M -6 4 L -2 -2 L 2 2 L 7 -6", ""),
    "plus": ("M -6 0 L 6 0 M 0 -6 L 0 6", ""),
    "minus": ("M -6 0 L 6 0", ""),
    "close": ("M -5 -5 L 5 5 M -5 5 L 5 -5", ""),
    "cube": ("M 0 -8 L 7 -4 L 7 4 L 0 8 L -7 4 L -7 -4 Z M -7 -4 L 0 0 L 7 -4 M 0 0 L 0 8", ""),
    "blocks": ("R -8 -8 6.5 6.5 R 1.5 -8 6.5 6.5 R -8 1.5 6.5 6.5 R 1.5 1.5 6.5 6.5", ""),
    "properties": (
        "M -8 -4.5 L 0.5 -4.5 M 5.5 -4.5 L 8 -4.5 O 3 -4.5 2.5 M -8 4.5 L -5.5 4.5 M -0.5 4.5 L 8 4.5 O -3 4.5 2.5",
        "",
    ),
    "hand": (
        (
            "M -4 2 L -4 -5 M -4 -5 C -4 -7 -1 -7 -1 -5 L -1 -1 M -1 -6 C -1 -8.5 2 -8.5 2 -6 L 2 -1 M 2 -5 "
            "C 2 -7 5 -7 5 -5 L 5 3 C 5 9 -3 9 -5 6 L -8 1 C -7 -1 -5 0 -4 2"
        ),
        "",
    ),
    "trace": ("M -8 6 C -2 7 -3 -5 3 -5 O 5.5 -5 2", ""),
    "search": ("O -2 -2 5 M 2 2 L 7 7", ""),
    "up": ("M 0 7 L 0 -6 M -5 -1 L 0 -6 L 5 -1", ""),
    "back": ("M 7 0 L -6 0 M -1 -5 L -6 0 L -1 5", ""),
    "forward": ("M -7 0 L 6 0 M 1 -5 L 6 0 L 1 5", ""),
    "down": ("M -5 -2.5 L 0 2.5 L 5 -2.5", ""),
    "time": ("O 0 0 7.5 M 0 -4.5 L 0 0 L 3.5 2", ""),
    "cursors": ("M -4 -8 L -4 8 M 4 -8 L 4 8 M -2 0 L 2 0", ""),
    "cursor": ("M 0 -8 L 0 8 M -8 3 L 8 3", ""),
    "measures": ("M -8 4 C -4 -12 0 -12 2 0 C 3 6 6 6 8 2 M -8 -8 L 8 -8 M -8 8 L 8 8", ""),
    "export": ("M -7 2 L -7 7 L 7 7 L 7 2 M 0 3 L 0 -8 M -4 -4 L 0 -8 L 4 -4", ""),
    "default": ("A 0 0 6 30 300 M 5 -6 L 5.4 -2.6 L 2 -2", ""),
    "error": ("O 0 0 7 M 0 -4 L 0 1 M 0 3.6 L 0 4", ""),
    "incomplete": ("O 0 0 7 M -3 0 L 3 0", ""),
    "warning": ("M 0 -7 L 8 7 L -8 7 Z M 0 -2 L 0 2 M 0 4.4 L 0 4.8", ""),
}


class PathIcon(QIconEngine):
    def __init__(self, name: str, role: str = "text"):
        super().__init__()
        self.name, self.role = name, role

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        role = {QIcon.Mode.Disabled: "outline", QIcon.Mode.Selected: "accent_text"}.get(mode, self.role)
        colour = theme().colour(role)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(QRectF(rect).center())
        scale = min(rect.width(), rect.height()) / 20
        painter.scale(scale, scale)
        lines, filled = SHAPES[self.name]
        painter.setPen(
            QPen(colour, 1.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
        )
        if lines:
            painter.drawPath(parsed(lines))
        if filled:
            painter.fillPath(parsed(filled), colour)
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return pixmap

    def clone(self) -> QIconEngine:
        return PathIcon(self.name, self.role)


class SymbolIcon(PathIcon):
    """Icon of a block's symbol."""

    def __init__(self, type_name: str, family: str):
        super().__init__(type_name)
        self.family = family

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(QRectF(rect).center())
        scale = min(rect.width() / 50, rect.height() / 34)
        painter.scale(scale, scale)
        colour = theme().family(self.family)
        if mode == QIcon.Mode.Selected:
            colour = theme().colour("accent_text")
        draw_symbol(painter, symbol_of(self.name, self.family), colour, 1.8)
        painter.restore()

    def clone(self) -> QIconEngine:
        return SymbolIcon(self.name, self.family)


def icon(name: str, role: str = "text") -> QIcon:
    return QIcon(PathIcon(name, role))


def symbol_icon(type_name: str, family: str) -> QIcon:
    return QIcon(SymbolIcon(type_name, family))


def swatch(colour: str) -> QIcon:
    picture = QPixmap(14, 14)
    picture.fill(QColor(colour))
    return QIcon(picture)


def app_icon() -> QIcon:
    """Application icon: a luffing boom under load."""
    icon = QIcon()
    for size in (16, 32, 64, 128, 256):
        pixmap = QPixmap(size, size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(size / 32, size / 32)
        back = QPainterPath()
        back.addRoundedRect(QRectF(1, 1, 30, 30), 7, 7)
        painter.fillPath(back, QColor("#1f5fbf"))
        painter.setPen(QPen(QColor("white"), 2.2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPath(parsed("M 6 26 L 15 26 M 10.5 26 L 10.5 20 M 10.5 20 L 25 8 M 25 8 L 25 17"))
        painter.setBrush(QColor("white"))
        painter.drawPath(parsed("O 10.5 20 1.6 O 25 19 1.4"))
        painter.end()
        icon.addPixmap(pixmap)
    return icon
