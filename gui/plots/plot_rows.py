"""Rows of plots that share the height in sight; where it is too low for all of them, whole rows scroll."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QScrollArea, QScrollBar, QWidget

from ..theme.small_widgets import laid
from .plot_base import lower_axis_room
from .plot_pane import PlotPane

WIDE, HIGH = 340, 150  # px from which plots stand beside each other, and below which they do so
GAP = 1  # px between two plots


class PlotRows(QWidget):
    """Plots in rows and columns; the lowest plot in sight of a column has the numbers of the time."""

    def __init__(self) -> None:
        super().__init__()
        self.panes: list[PlotPane] = []
        self.columns = 1
        self.current: PlotPane | None = None  # the one that stays in sight when the rows become others
        self._order: list[PlotPane] = []  # of all plots in the grid, row by row
        self._laid: tuple[object, ...] = ()
        body = QWidget()
        self._grid = QGridLayout(body)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GAP)
        # for a plot that is higher than the view
        self.area = QScrollArea(widgetResizable=True)
        self.area.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.area.setWidget(body)
        self.bar = QScrollBar(Qt.Orientation.Vertical)
        self.bar.setAccessibleName("Rows of plots")
        self.bar.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.bar.valueChanged.connect(self.arrange)
        kept = self.bar.sizePolicy()
        kept.setRetainSizeWhenHidden(True)  # a width that followed the rows would change what they need
        self.bar.setSizePolicy(kept)
        laid(QHBoxLayout(self), (self.area, 1), self.bar, margins=(0, 0, 0, 0), spacing=0)
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self.arrange)

    def show_panes(self, panes: Sequence[PlotPane]) -> None:
        """Show these plots in place of those before; one that is new has its place at the end of the others."""
        for pane in self.panes:
            if pane not in panes:
                pane.hide()
        for pane in panes:
            pane.least_changed.connect(self._later.start, Qt.ConnectionType.UniqueConnection)
        self.panes = self._ordered(panes)
        self.arrange()

    def _ordered(self, panes: Sequence[PlotPane]) -> list[PlotPane]:
        """Plots in their order in the grid, in which those that stay keep their places."""
        new = [pane for pane in panes if pane not in self._order]
        if len(new) > 1:
            self._order = [*panes]
        elif new:
            stay = [pane for pane in self._order if pane in panes]
            before = self._columns_of(len(stay))
            full = len(stay) == 2 * before and self._columns_of(len(panes)) > before
            stay.insert(before if full else len(stay), new[0])  # in a column of its own beside two full rows
            self._order = stay
        return [pane for pane in self._order if pane in panes]

    def _columns_of(self, count: int) -> int:
        """Columns that keep a number of plots readable."""
        across = max(1, self.area.width() // WIDE)
        lower = min(across, -(-count // 2) if count > 2 else count)
        return 1 if count * HIGH <= self.area.height() else lower

    def reveal(self, pane: PlotPane) -> None:
        """Scroll to the row of a plot."""
        row = self.panes.index(pane) // self.columns if pane in self.panes else self.bar.value()
        low = row - self.bar.pageStep() + 1
        self.bar.setValue(min(max(self.bar.value(), low), row))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def arrange(self) -> None:
        """Arrange the plots in as many columns as keep them readable, and show the rows that fit."""
        count, view = len(self.panes), self.area.height()
        if not count:
            return
        before = self.columns, self.bar.pageStep()
        self.columns = self._columns_of(count)
        rows = -(-count // self.columns)
        seen = self._rows_seen(rows, view)
        self.bar.blockSignals(True)
        self.bar.setRange(0, rows - seen)
        self.bar.setPageStep(seen)
        if self.current is not None and before != (self.columns, seen):
            self.reveal(self.current)
        self.bar.blockSignals(False)
        self.bar.setVisible(seen < rows)
        self._lay(self.bar.value(), seen, view)
        self.align()

    def _rows_seen(self, rows: int, view: int) -> int:
        """Number of rows that fit into a height, wherever they are scrolled to."""
        least = max(pane.least for pane in self.panes)
        for seen in range(rows, 1, -1):
            axes = max(sum(self._timed(first, seen)) for first in range(rows - seen + 1))
            if seen * (least + GAP) - GAP + axes * lower_axis_room() <= view:
                return seen
        return 1

    def _timed(self, first: int, seen: int) -> list[bool]:
        """True for each row in sight that has the numbers of the time: the lowest, and one that ends at a path."""
        start, end = first * self.columns, (first + seen) * self.columns
        paths = [pane.xy for pane in self.panes[start:end]]
        own = [here or below for here, below in zip_longest(paths, paths[self.columns :], fillvalue=False)]
        rows = [any(own[k : k + self.columns]) for k in range(0, len(own), self.columns)]
        return [*rows[:-1], True]

    def align(self) -> None:
        """Keep room for a right axis in the columns that have one: their times stand below each other."""
        for k, pane in enumerate(self.panes):
            column = self.panes[k % self.columns :: self.columns]
            pane.right.reserve(not pane.xy and any(other.right.on for other in column))

    def _lay(self, first: int, seen: int, view: int) -> None:
        timed = self._timed(first, seen)
        there = self.panes[first * self.columns : (first + seen) * self.columns]
        if self._laid != (laying := (there, timed, self.columns, view)):
            self._laid = laying
            self._place(there, timed, view)

    def _place(self, there: list[PlotPane], timed: list[bool], view: int) -> None:
        """Give each row its height: that of the curves is the same in all, as far as captions leave it."""
        for pane in self.panes:
            if pane not in there:
                pane.hide()
        for k in range(max(self._grid.columnCount(), self.columns)):  # alike, however long a caption is
            self._grid.setColumnStretch(k, int(k < self.columns))
        share = view - GAP * (len(timed) - 1) - sum(timed) * lower_axis_room()
        for row in range(max(self._grid.rowCount(), len(timed))):
            height = share // len(timed) + timed[row] * lower_axis_room() if row < len(timed) else 0
            self._grid.setRowMinimumHeight(row, height)
            self._grid.setRowStretch(row, int(row == len(timed) - 1))  # what division leaves
        for k, pane in enumerate(there):
            row, column = divmod(k, self.columns)
            # a plot above the hole of a short last row takes that too
            last = len(timed) - 1 if k + self.columns >= len(there) else row
            self._grid.addWidget(pane, row, column, last - row + 1, 1)
            pane.show_lower_axis(timed[last])
            pane.show()  # not before it has a place: it would be a window of its own
