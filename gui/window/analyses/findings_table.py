"""Table of an answer's rows: columns fit the panel, utilisation is a bar, failed and unknown checks are red."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence

from PySide6.QtCore import QEvent, QLocale, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPalette, QResizeEvent
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
from ...theme.number_format import unit_words

BARS = ("utilisation", "share")  # columns whose numbers are of a limit of one
RUNS = ("governing run", "run")
MARKED = (Verdict.FAILS.shown, Verdict.UNKNOWN.shown, "DIFFERS", "unstable")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|inf|nan")
QUANTITY = re.compile(rf"({NUMBER.pattern}) \S+")  # which no line ends in
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
BAR, THICK = 70, 8  # px: as long as the limit, and across
EDGE = 8  # px beside a text in its cell, left and right together
LINES = 3  # of a cell whose words wrap, at most


class FindingsTable(QTreeWidget):
    """Table under one heading; the first of `rows` are the column heads; numbers are right-aligned.

    Heads begin with a capital, but for columns of `named`, whose heads are names of the model. Heads break into two
    lines, and words wrap, before a column lies beside the view.
    """

    def __init__(self, heading: str, rows: Sequence[Sequence[str]], named: Container[int] = ()):
        super().__init__()
        self.setAccessibleName(heading)
        self.setRootIsDecorated(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setItemDelegate(_Painted(self))
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.header().sectionResized.connect(self._resized)
        self._named = named
        self._fitting = self._by_hand = False
        self._wide: list[tuple[int, int]] | None = None  # see _widths; None until they are measured
        self.show_rows(rows)

    def show_rows(self, rows: Sequence[Sequence[str]]) -> None:
        """Show other rows below their heads, which are the first of them."""
        self.clear()
        self.heads = list(rows[0])
        self.setColumnCount(len(self.heads))
        self._numbers = [k for k in range(len(self.heads)) if is_numeric([row[k] for row in rows[1:]])]
        for column in range(len(self.heads)):
            self.headerItem().setTextAlignment(column, self._side(column))
        for row in rows[1:]:
            shown = [words if self.heads[k] in RUNS else unit_words(words) for k, words in enumerate(row)]
            item = QTreeWidgetItem(shown)
            for column, words in enumerate(shown):
                item.setToolTip(column, words)
                item.setTextAlignment(column, self._side(column))
            self.addTopLevelItem(item)
        self._by_hand, self._wide = False, None
        self.fit_columns()

    def _side(self, column: int) -> Qt.AlignmentFlag:
        return RIGHT if column in self._numbers else LEFT

    # ------------------------------------------------------------------ widths

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._wide = None
            self.fit_columns()

    def whole_width(self) -> int:
        """Width in which no words wrap [px]."""
        self.fit_columns()
        beside = 2 * self.frameWidth() + self.verticalScrollBar().sizeHint().width()
        return sum(wide for wide, _ in self._wide or ()) + beside

    def _resized(self) -> None:
        self._by_hand = self._by_hand or not self._fitting
        self.scheduleDelayedItemsLayout()  # heights follow

    def fit_columns(self) -> None:
        """Fit all columns into the view, unless the user has set their widths."""
        if self._by_hand:
            return
        if self._wide is None:
            self._wide = self._widths()
        whole, most = (sum(column) for column in zip(*self._wide, strict=True))
        over = max(0, whole - self.viewport().width())
        if over > most:
            over = 0  # it has to be scrolled: then each row is one line
        self.setUniformRowHeights(over == 0)
        self._fitting = True
        for k, (wide, spare) in enumerate(self._wide):
            share = -(-over * spare // most) if over else 0
            self.header().resizeSection(k, wide - share)
        self._fitting = False

    def _widths(self) -> list[tuple[int, int]]:
        """Width [px] of each column with its cells in one line, and how much of it wrapped words can spare; heads break
        where that makes their column narrower."""
        columns, width = range(len(self.heads)), self.header().fontMetrics().horizontalAdvance
        cells = [self.sizeHintForColumn(k) for k in columns]
        self.setHeaderLabels([broken(self.label_of(k), cells[k] - EDGE, width) for k in columns])
        heads = [self.header().sectionSizeFromContents(k).width() for k in columns]
        wide = [max(pair) for pair in zip(cells, heads, strict=True)]
        return [
            (wide[k], 0 if k in self._numbers else max(0, wide[k] - max(heads[k], self._least(k))))
            for k in columns
        ]

    def _least(self, column: int) -> int:
        """Width [px] in which no word of a column is cut and no cell takes more than `LINES` lines."""
        items = [self.topLevelItem(k) for k in range(self.topLevelItemCount())]
        width, cells = (
            self.fontMetrics().horizontalAdvance,
            [in_one(item.text(column)) for item in items if item],
        )
        words = max((width(word) for cell in cells for word in cell.split(" ")), default=0)
        # a line ends before the word that has no room: at most a word of each is lost
        return EDGE + words + max(map(width, cells), default=0) // LINES

    def label_of(self, column: int) -> str:
        """Head of a column, as it is shown."""
        head = unit_words(self.heads[column]) or "holds"
        return head if column in self._named else head[:1].upper() + head[1:]

    def rows(self) -> list[list[str]]:
        """Texts of the cells, row by row."""
        items = [self.topLevelItem(k) for k in range(self.topLevelItemCount())]
        return [[item.text(k) for k in range(len(self.heads))] for item in items if item is not None]

    def run_of(self, item: QTreeWidgetItem) -> str:
        """Run of a table row; empty for a row about all runs."""
        return next((item.text(k) for k, head in enumerate(self.heads) if head in RUNS), "")


def in_one(cell: str) -> str:
    """Text of a cell; a number and its unit stay in one line."""
    return cell.replace(" ", "\N{NO-BREAK SPACE}") if QUANTITY.fullmatch(cell) else cell


def broken(head: str, room: int, width: Callable[[str], int]) -> str:
    """Head in two lines, parted where that is narrowest, if it is wider than the room that the cells need."""
    if width(head) <= room:
        return head
    words = head.split(" ")
    ways = ["\n".join((" ".join(words[:k]), " ".join(words[k:]))) for k in range(1, len(words))]
    return min([head, *ways], key=lambda way: max(map(width, way.split("\n"))))


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

    def displayText(self, value: object, locale: QLocale | QLocale.Language) -> str:
        return in_one(super().displayText(value, locale))

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        if not self.table.uniformRowHeights():
            option.features |= QStyleOptionViewItem.ViewItemFeature.WrapText  # type: ignore[attr-defined]
        last = index.sibling(index.row(), len(self.table.heads) - 1)
        if last.data() in MARKED:
            option.palette.setColor(QPalette.ColorRole.Text, theme().colour("error"))  # type: ignore[attr-defined]

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Size of a cell: its width is that of its text in one line, its height that of the wrapped one."""
        text, metrics = in_one(str(index.data() or "")), QFontMetrics(option.font)  # type: ignore[attr-defined]
        line = metrics.size(Qt.TextFlag.TextSingleLine, text)
        high = line.height()
        if not self.table.uniformRowHeights():
            room = max(self.table.columnWidth(index.column()) - EDGE, 1)
            high = metrics.boundingRect(QRect(0, 0, room, 10_000), Qt.TextFlag.TextWordWrap, text).height()
        bar = BAR + 12 if self._bar(index) is not None else 0
        return QSize(line.width() + EDGE + bar, max(high, line.height()) + 4)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        use = self._bar(index)
        if use is None:
            super().paint(painter, option, index)
            return
        cell = QRect(option.rect)  # type: ignore[attr-defined]
        words = QStyleOptionViewItem(option)
        words.rect = cell.adjusted(0, 0, -(BAR + 8), 0)  # type: ignore[attr-defined]
        super().paint(painter, words, index)
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
