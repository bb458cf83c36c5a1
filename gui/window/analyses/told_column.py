"""Column of words on an answer, beside its pages or, where there is no width for it, below the settings."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from ...theme.small_widgets import laid

WIDTH = 250  # px of the column
BESIDE = 800  # px of pages and column from which both have room
SHARE = 0.5  # of the height below settings, at most
LEAST = 60  # px of its height there, if it has so much to tell
EDGE = 10  # px
HIGHEST = 16_777_215  # px: what Qt takes for no bound


class SizedWidget(QWidget):
    """Widget whose sizes are heard."""

    def __init__(self, resized: Callable[[], None]):
        super().__init__()
        self._resized = resized

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._resized()


class ToldColumn(QScrollArea):
    """Words of an answer, one widget below the other; without any it takes no room."""

    def __init__(self, *words: QWidget):
        super().__init__(widgetResizable=True)
        self._words = words
        self.beside = True
        self._high = 0  # of the settings with it [px]
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        content = QWidget()
        self._box = laid(QVBoxLayout(content), *words, None, margins=(EDGE, EDGE, EDGE, EDGE), spacing=8)
        self.setWidget(content)
        content.installEventFilter(self)

    def place(self, settings: QBoxLayout, pages: QBoxLayout, wide: int, high: int) -> None:
        """Stand before the pages, where these have so much width with it, or behind the settings, which are so high."""
        self.beside, self._high = wide >= BESIDE, high
        if self.beside:
            pages.insertWidget(0, self)
        else:
            settings.addWidget(self)
        self.setProperty("role", "beside" if self.beside else "below")
        self.style().polish(self)
        self.fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest and watched is self.widget():
            self.fit()
        return super().eventFilter(watched, event)

    def fit(self) -> None:
        """Follow what is told."""
        told = any(not each.isHidden() for each in self._words)
        self.setVisible(told and self.parentWidget() is not None)
        self.setMinimumWidth(WIDTH if self.beside else 0)
        self.setMaximumWidth(WIDTH if self.beside else HIGHEST)
        self.setMaximumHeight(HIGHEST if self.beside else round(SHARE * self._high))
        self.updateGeometry()

    @property
    def width_beside(self) -> int:
        """Width that it takes from the pages [px]."""
        return WIDTH if self.beside and not self.isHidden() else 0

    def sizeHint(self) -> QSize:
        """Size in which nothing has to be scrolled."""
        wide, frame = WIDTH if self.beside else self.width(), 2 * self.frameWidth()
        return QSize(wide, self._box.totalHeightForWidth(wide - frame) + frame)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0 if self.beside else min(LEAST, self.sizeHint().height()))
