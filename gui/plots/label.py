"""What stands beside the vertical axis of a plot."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtWidgets import QApplication

SIZES = (10.0, 9.0, 8.0, 7.0)  # points of the letters
SPARE = 4.0  # px by which words may be drawn longer than they were measured


class SideLabel:
    """No longer than the axis: in smaller letters where it must be, then with its middle left out."""

    def __init__(self, item: pg.PlotItem):
        self.item = item
        self.text, self.ink = "", ""
        self._shown = ("", 0.0, "")  # words, size and colour
        item.getViewBox().sigResized.connect(lambda _: self.fit())

    def show_text(self, text: str, ink: str) -> None:
        self.text, self.ink = text, ink
        self.fit()

    def fit(self) -> None:
        room, font = self.item.getViewBox().height() - SPARE, QFont(QApplication.font())
        for size in SIZES:
            font.setPointSizeF(size)
            if QFontMetricsF(font).horizontalAdvance(self.text) <= room:
                break
        words = QFontMetricsF(font).elidedText(self.text, Qt.TextElideMode.ElideMiddle, max(room, 20.0))
        shown = (words, font.pointSizeF(), self.ink)
        if shown != self._shown:
            self._shown = shown
            self.item.setLabel("left", words, **{"font-size": f"{shown[1]:g}pt", "color": self.ink})
            self.item.getAxis("left").resizeEvent()  # other words have another middle
