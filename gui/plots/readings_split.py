"""Plots with the table of readings beside them, or below where that takes less of a narrow panel."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from .readings_table import Pane, ReadingsTable

WIDE, HIGH = 330, 108  # px that the table usually takes beside plots, and below them
ROOMY = 3 * WIDE  # px of a panel that has room beside its plots, however high it is
BESIDE, BELOW = 0.55, 1.0 / 3.0  # shares of the room that it takes there at most


class ReadingsSplit(QSplitter):
    def __init__(self, plots: QWidget) -> None:
        super().__init__()
        self.plots, self.table = plots, ReadingsTable()
        self._told: tuple[object, ...] = ()  # what the sizes follow
        self.setChildrenCollapsible(False)
        self.addWidget(plots)
        self.addWidget(self.table)
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 0)

    def show_of(self, pane: Pane) -> None:
        """Show the readings of a plot, if there are any to show."""
        self.table.show_of(pane)
        self.table.setVisible(self.table.wanted)
        self._share()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share()

    def _share(self) -> None:
        """Give the table the room of its rows and columns; what the user has set stays until they change."""
        beside = self.width() >= ROOMY or WIDE * self.height() < HIGH * self.width()
        way = Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical
        need = self.table.whole()
        told = (way, len(self.table.rows), self.table.columnCount(), need.width(), self.size())
        if told == self._told or not self.table.wanted:
            return
        self._told = told
        self.setOrientation(way)
        room, most = (self.width(), BESIDE) if beside else (self.height(), BELOW)
        size = min(need.width() if beside else need.height(), round(most * room))
        self.setSizes([room - size - self.handleWidth(), size])
