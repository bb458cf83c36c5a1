"""Matplotlib figure as a widget, rendered at its size and scale in the colours of the theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, QTimer
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..theme.active_theme import WHITE, holder, paper, theme

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

DPI = 96.0
REST = 60  # ms after the last change of size, until it is drawn anew


class FigureView(QWidget):
    def __init__(self, name: str):
        super().__init__()
        self.setAccessibleName(name)
        self.setMinimumSize(320, 220)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.figure: Figure | None = None
        self.image = QImage()
        self._timer = QTimer(self, singleShot=True, interval=REST)
        self._timer.timeout.connect(self.draw)
        holder.changed.connect(self.draw)

    def sizeHint(self) -> QSize:
        return QSize(680, 470)

    def show_figure(self, figure: Figure | None) -> None:
        self.figure = figure
        self.draw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._timer.start()

    def draw(self) -> None:
        self.image = QImage()
        if self.figure is not None and self.width() > 1 and self.height() > 1:
            self.image = drawn(self.figure, self.size(), self.devicePixelRatioF())
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(paper().paper))
        if not self.image.isNull():
            painter.drawImage(self.rect(), self.image)


def drawn(figure: Figure, size: QSize, scale: float) -> QImage:
    """Figure rendered as an image in the theme's colours; the figure's own colours are restored afterwards."""
    import numpy as np
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    (wide_before, high_before), dpi_before = figure.get_size_inches(), figure.dpi
    back = _recolour(figure) if theme().name == "dark" else []
    figure.set_dpi(DPI * scale)
    figure.set_size_inches(size.width() / DPI, size.height() / DPI)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    rows = np.asarray(canvas.buffer_rgba())
    high, wide = rows.shape[:2]
    image = QImage(rows.tobytes(), wide, high, 4 * wide, QImage.Format.Format_RGBA8888).copy()
    image.setDevicePixelRatio(scale)
    for artist, name, colour in back:
        getattr(artist, f"set_{name}")(colour)
    figure.set_size_inches(wide_before, high_before)
    figure.set_dpi(dpi_before)
    return image


def _recolour(figure: Figure) -> list[tuple[Artist, str, object]]:
    """Replace white-paper colours by those of the theme; return the replaced values."""
    from matplotlib.colors import to_hex
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.text import Text

    own = paper()
    pairs = {"#000000": own.ink, "#ffffff": own.paper, "#d9d9d9": own.earlier}
    pairs |= {one.lower(): other for one, other in zip(WHITE.curves, own.curves, strict=True)}
    back: list[tuple[Artist, str, object]] = []

    def give(artist: Artist, name: str) -> None:
        colour = getattr(artist, f"get_{name}")()
        other = pairs.get(to_hex(colour).lower()) if _is_colour(colour) else None
        if other is not None:
            back.append((artist, name, colour))
            getattr(artist, f"set_{name}")(other)

    for artist in figure.findobj():
        if isinstance(artist, Line2D | Text):
            give(artist, "color")
        if isinstance(artist, Line2D):
            give(artist, "markerfacecolor")
            give(artist, "markeredgecolor")
        elif isinstance(artist, Patch):
            give(artist, "facecolor")
            give(artist, "edgecolor")
    return back


def _is_colour(colour: object) -> bool:
    from matplotlib.colors import is_color_like

    return bool(is_color_like(colour)) and colour != "none"
