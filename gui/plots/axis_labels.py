"""Axis titles and numbers of a plot; numbers only where curves are drawn."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtWidgets import QApplication

SIZES = (10.0, 9.0, 8.0, 7.0)  # points of the letters
GRID = 0.12  # how much of their colour the lines of a grid have
SPARE = 4.0  # px by which words may be drawn longer than they were measured


class AxisLabel:
    """Axis title fitted to its axis: smaller letters first, then elided in the middle."""

    def __init__(self, item: pg.PlotItem, side: str):
        self.item, self.side = item, side
        self.text, self.ink = "", ""
        self.on = True
        self._shown = ("", 0.0, "")  # words, size and colour
        item.getViewBox().sigResized.connect(lambda _: self.fit())

    def show_text(self, text: str, ink: str) -> None:
        self.text, self.ink = text, ink
        self.fit()

    def show(self, on: bool) -> None:
        self.on = on
        self.item.showLabel(self.side, on and bool(self.text))

    def fit(self) -> None:
        box, font = self.item.getViewBox(), QFont(QApplication.font())
        room = (box.height() if self.side == "left" else box.width()) - SPARE
        for size in SIZES:
            font.setPointSizeF(size)
            if QFontMetricsF(font).horizontalAdvance(self.text) <= room:
                break
        words = QFontMetricsF(font).elidedText(self.text, Qt.TextElideMode.ElideMiddle, max(room, 20.0))
        shown = (words, font.pointSizeF(), self.ink)
        if shown != self._shown:
            self._shown = shown
            self.item.setLabel(self.side, words, **{"font-size": f"{shown[1]:g}pt", "color": self.ink})
            self.show(self.on)
            self.item.getAxis(self.side).resizeEvent()  # other words have another middle


def show_numbers(item: pg.PlotItem, on: bool, upright: bool = True) -> None:
    """Show numbers and grid lines on the axes, or hide them for an empty plot."""
    for side in ("left", "bottom"):
        item.getAxis(side).setStyle(showValues=on, tickLength=-5 if on else 0)
    item.showGrid(x=on and upright, y=on, alpha=GRID)
