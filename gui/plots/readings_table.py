"""Table of the readings of a plot: a row for each signal and run, a column for each number."""

from __future__ import annotations

from typing import Protocol

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QMimeData, QPoint, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QIcon,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QApplication, QMenu, QTreeWidget, QTreeWidgetItem

from ..theme import active_theme as themes
from .name_cuts import cut_names
from .plot_caption import SAMPLE
from .plot_cursors import Cursors
from .plot_spec import PlotSpec
from .readings import Column, Row
from .signal_drag import data_of

LINE = QSize(int(SAMPLE), 12)  # px of the line that stands for a curve
SPARE = 6  # px of a column beside its words
NAMES = 120  # px that names have at least, however many columns stand beside them
POINTS = 9  # of the letters, as in captions
LONGEST = "-0.00000"  # number that usually has room
SIGNAL, RUN, UNIT = "Signal", "Run", "Unit"


class Pane(Protocol):
    """Interface of a plot for the table of its readings."""

    spec: PlotSpec
    cursors: Cursors

    def toggle(self, k: int) -> None: ...
    def zoom_to(self, curve: pg.PlotDataItem) -> None: ...


class ReadingsTable(QTreeWidget):
    def __init__(self) -> None:
        super().__init__()
        self.pane: Pane | None = None
        self.rows: list[Row] = []
        self.titles: list[str] = []
        self._names_width = 0  # px of the column of whole names
        self.setAccessibleName("Readings")
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setIconSize(LINE)
        small = QFont(QApplication.font())
        small.setPointSizeF(POINTS)
        for part in (self, self.header()):
            part.setFont(small)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragEnabled(True)
        self.itemActivated.connect(self._zoom)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.header().setStretchLastSection(False)
        self.header().setMinimumSectionSize(20)
        self.header().setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._ask_menu)
        self.hide()

    @property
    def wanted(self) -> bool:
        """True if there is a plot with numbers to read."""
        cursors = self.pane.cursors if self.pane else None
        return cursors is not None and (cursors.on or cursors.measured)

    def show_of(self, pane: Pane) -> None:
        """Show the readings of a plot; rows that stay keep their selection."""
        self.pane = pane
        self.rows = pane.cursors.rows() if self.wanted else []
        several = len({row.source.run for row in self.rows}) > 1
        columns = [
            Column(SIGNAL, f"Signals of {pane.spec.title or 'the plot'}"),
            Column(UNIT, "Unit of all numbers"),
        ]
        columns[1:1] = [Column(RUN, "Run of the curve")] * several
        self._show_columns([*columns, *pane.cursors.asked().columns()])
        for k, row in enumerate(self.rows):
            item = self.topLevelItem(k)
            if item is None:
                self.addTopLevelItem(item := QTreeWidgetItem())
            self._fill(item, row, [row.source.name, *[row.source.run] * several, row.unit, *row.numbers])
        for k in reversed(range(len(self.rows), self.topLevelItemCount())):
            self.takeTopLevelItem(k)
        self._widen()

    def _show_columns(self, columns: list[Column]) -> None:
        titles = [column.title for column in columns]
        if len(titles) != len(self.titles):
            self.setColumnCount(len(titles))
            for k in range(len(titles)):
                self.setColumnWidth(k, 0)
        if titles != self.titles:
            self.titles = titles
            head = self.headerItem()
            for k, column in enumerate(columns):
                head.setText(k, column.title)
                head.setToolTip(k, column.tip)
                head.setTextAlignment(k, self._side(k))

    def _side(self, column: int) -> Qt.AlignmentFlag:
        """Numbers stand at the right of their columns."""
        words = column <= self.titles.index(UNIT)
        side = Qt.AlignmentFlag.AlignLeft if words else Qt.AlignmentFlag.AlignRight
        return side | Qt.AlignmentFlag.AlignVCenter

    def _fill(self, item: QTreeWidgetItem, row: Row, words: list[str]) -> None:
        theme = themes.theme()
        ink = QColor(theme.muted if row.source.hidden else theme.text)
        for k, text in enumerate(words):
            item.setText(k, text)
            item.setTextAlignment(k, self._side(k))
            item.setForeground(k, ink)
        item.setIcon(0, self._line(row.source.pen, row.source.hidden))
        line = "a click on its line shows it" if row.source.hidden else "a click on its line hides it"
        shown = f"{line}, a double-click zooms to it"
        item.setToolTip(0, f"{row.source.name}, {shown}" if row.source.pen else row.source.name)

    def _line(self, pen: QPen | None, hidden: bool) -> QIcon:
        """Picture of a curve's line."""
        ratio = self.devicePixelRatioF()
        picture = QPixmap(LINE * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        if pen is not None:
            own = QPen(pen)
            own.setWidthF(2.0)
            own.setCosmetic(False)
            if hidden:
                own.setColor(QColor(themes.theme().muted))
            with QPainter(picture) as painter:
                painter.setPen(own)
                painter.drawLine(0, LINE.height() // 2, LINE.width(), LINE.height() // 2)
        icon = QIcon()
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected):
            icon.addPixmap(picture, mode)
        return icon

    def _widen(self) -> None:
        """Give columns the width of their words; numbers that change must not move them to and fro."""
        numbers = self.titles.index(UNIT) + 1
        for k in range(1, self.columnCount()):
            least = self.fontMetrics().horizontalAdvance(LONGEST) if k >= numbers else 0
            wide = max(self._words_width(k), least + SPARE)
            if self.columnWidth(k) < wide:
                self.setColumnWidth(k, wide)
        self._names_width = self._words_width(0)
        self._fit_names()

    def _words_width(self, column: int) -> int:
        """Width of a column that shows its title and its words whole."""
        return max(self.sizeHintForColumn(column), self.header().sectionSizeHint(column)) + SPARE

    def _fit_names(self) -> None:
        """Give names what the other columns leave, which do not scroll for a long one, and cut them to that."""
        room = max(self.viewport().width() - self.header().length() + self.columnWidth(0), NAMES)
        self.setColumnWidth(0, min(self._names_width, room))
        names, wide = [row.source.name for row in self.rows], self.fontMetrics().horizontalAdvance
        left = room - self._names_width + max(map(wide, names), default=0)
        short = names if room >= self._names_width else cut_names(names, lambda text: wide(text) <= left)
        for k, name in enumerate(short or names):
            self._item(k).setText(0, name)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_names()

    def whole(self) -> QSize:
        """Size that shows all of it [px]."""
        row = self.sizeHintForRow(0) if self.rows else 0
        edge = 2 * self.frameWidth()
        wide = self.header().length() - self.columnWidth(0) + self._names_width
        return QSize(wide + edge, self.header().height() + row * len(self.rows) + edge)

    # ------------------------------------------------------------------ events

    def text(self, chosen: bool = False) -> str:
        """Rows as text with tabs, below the titles: the selected ones, or all."""
        rows = [row for row in range(self.topLevelItemCount()) if not chosen or self._item(row).isSelected()]
        lines = [
            [self.rows[row].source.name, *(self._item(row).text(k) for k in range(1, self.columnCount()))]
            for row in rows
        ]
        return "\n".join("\t".join(line) for line in [self.titles, *lines])

    def _item(self, row: int) -> QTreeWidgetItem:
        item = self.topLevelItem(row)
        assert item
        return item

    def copy(self) -> None:
        QApplication.clipboard().setText(self.text(bool(self.selectedItems())))

    def _ask_menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.addAction("Copy", self.copy)
        menu.addAction("Copy All", lambda: QApplication.clipboard().setText(self.text()))
        menu.exec(self.viewport().mapToGlobal(at))
        menu.deleteLater()

    def event(self, event: QEvent) -> bool:
        """Take Ctrl+C from the blocks while the table has the focus."""
        copies = isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Copy)
        if copies and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy; Space hides or shows the curve of the current row."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() == Qt.Key.Key_Space:
            self._toggle(self.currentIndex().row())
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        place = event.position().toPoint()
        item = self.itemAt(place)
        if item and event.button() == Qt.MouseButton.LeftButton and place.x() < LINE.width() + SPARE // 2:
            self._toggle(self.indexFromItem(item).row())

    def _toggle(self, row: int) -> None:
        if self.pane and 0 <= row < len(self.rows) and self.rows[row].source.entry >= 0:
            self.pane.toggle(self.rows[row].source.entry)

    def _zoom(self, item: QTreeWidgetItem) -> None:
        """Show the curve of a row as large as its axis is."""
        curve = self.rows[self.indexFromItem(item).row()].source.curve
        if self.pane and curve is not None:
            self.pane.zoom_to(curve)

    def mimeData(self, items: list[QTreeWidgetItem]) -> QMimeData:  # type: ignore[override]
        """Signals of rows, for another plot."""
        names = dict.fromkeys(self.rows[self.indexOfTopLevelItem(item)].source.name for item in items)
        return data_of(names)
