"""Table of an answer's rows: utilisation as a bar, failed and unknown checks in red."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
)

from ....solver.results.verdict import Verdict
from ...theme.active_theme import theme

BARS = ("utilisation", "share")  # columns whose numbers are of a limit of one
RUNS = ("governing run", "run")
MARKED = (Verdict.FAILS.shown, Verdict.UNKNOWN.shown, "DIFFERS", "unstable")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|inf|nan")
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
BAR, THICK = 70, 8  # px: as long as the limit, and across


class FindingsTable(QTreeWidget):
    """Table under one heading; the first of `rows` are the column heads; numbers are right-aligned."""

    def __init__(self, heading: str, rows: Sequence[Sequence[str]]):
        super().__init__()
        self.setAccessibleName(heading)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setItemDelegate(_Painted(self))
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.show_rows(rows)

    def show_rows(self, rows: Sequence[Sequence[str]]) -> None:
        """Show other rows below their heads, which are the first of them."""
        self.clear()
        self.heads = list(rows[0])
        self.setHeaderLabels([head or "holds" for head in self.heads])
        numbers = [k for k in range(len(self.heads)) if is_numeric([row[k] for row in rows[1:]])]
        for column in range(len(self.heads)):
            self.headerItem().setTextAlignment(column, RIGHT if column in numbers else LEFT)
        for row in rows[1:]:
            item = QTreeWidgetItem(list(row))
            for column, words in enumerate(row):
                item.setToolTip(column, words)
                item.setTextAlignment(column, RIGHT if column in numbers else LEFT)
            self.addTopLevelItem(item)

    def rows(self) -> list[list[str]]:
        """Texts of the cells, row by row."""
        items = [self.topLevelItem(k) for k in range(self.topLevelItemCount())]
        return [[item.text(k) for k in range(len(self.heads))] for item in items if item is not None]

    def run_of(self, item: QTreeWidgetItem) -> str:
        """Run of a table row; empty for a row about all runs."""
        return next((item.text(k) for k, head in enumerate(self.heads) if head in RUNS), "")


def without_empty(rows: list[list[str]]) -> list[list[str]]:
    """Table without a last column in which nothing stands but its head."""
    return rows if any(row[-1] for row in rows[1:]) else [row[:-1] for row in rows]


def is_numeric(cells: Sequence[str]) -> bool:
    """True if all cells that are not empty are numbers, and one is."""
    told = [cell for cell in cells if cell]
    return bool(told) and all(NUMBER.fullmatch(cell) for cell in told)


class _Painted(QStyledItemDelegate):
    def __init__(self, table: FindingsTable):
        super().__init__(table)
        self.table = table

    def _bar(self, index: QModelIndex | QPersistentModelIndex) -> float | None:
        text = str(index.data() or "")
        if not text or text == Verdict.UNKNOWN.shown or self.table.heads[index.column()] not in BARS:
            return None
        return float(text)

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        last = index.sibling(index.row(), len(self.table.heads) - 1)
        if last.data() in MARKED:
            option.palette.setColor(QPalette.ColorRole.Text, theme().colour("error"))  # type: ignore[attr-defined]

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex):
        hint = super().sizeHint(option, index)
        if self._bar(index) is not None:
            hint.setWidth(hint.width() + BAR + 12)
        return hint

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        super().paint(painter, option, index)
        use = self._bar(index)
        if use is None:
            return
        cell: QRect = option.rect  # type: ignore[attr-defined]
        place = QRect(cell.right() - BAR - 4, cell.center().y() - THICK // 2, BAR, THICK)
        colours = theme()
        painter.save()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.colour("border"))
        painter.drawRect(place)
        place.setWidth(filled(use))
        painter.setBrush(colours.colour("error" if use > 1.0 else "accent"))
        painter.drawRect(place)
        painter.restore()


def filled(use: float) -> int:
    """Length of a utilisation bar [px]."""
    return round(BAR * min(max(use, 0.0), 1.0))
