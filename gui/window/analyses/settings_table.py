"""Table of a task's settings: a row is a name with its values; the last row is for another one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QLocale, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFocusEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidgetItem,
    QWidget,
)

from ...properties.cell_table import CellTable
from ...theme.active_theme import theme
from ...theme.breakable_names import breakable
from ...theme.completion_list import CompletionList, Names
from ...theme.field_mistake import FieldMistake, no_mistake
from ...theme.number_format import units_in_print
from .figures_list import JOINED, UNITS

ROW = 24  # px
VALUE = 44  # px of a column of values at least: names have the room that values leave
PAD = 8  # px beside a text in its cell, left and right together
EDITED = QTableWidgetItem().flags()
ADD = "Add..."  # in the empty row
WIDE = 280  # px of a table at least: its label stands above it where both have no room


class SettingsTable(CellTable):
    """Names and their values as texts. A name that is typed into the last row makes a row; one without a name goes.

    `names` complete the first column, `more` those behind it; `check` gives the mistake of a row, which stands in
    `mistake`, a label for the place below.
    """

    def __init__(
        self, heads: Sequence[str], names: Names, *more: Names, check: Callable[[list[str]], str] = no_mistake
    ):
        super().__init__(0, len(heads))
        self.check, self.mistake = check, FieldMistake(self)
        self.setHorizontalHeaderLabels(list(heads))
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW)
        head = self.horizontalHeader()
        head.setMinimumSectionSize(VALUE)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.setMinimumWidth(WIDE)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        head.setHighlightSections(False)
        self.setTabKeyNavigation(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # both the block and its parameter show
        self.setItemDelegate(_Value(self))
        self.setItemDelegateForColumn(0, _FirstName(self, names))
        for k, each in enumerate(more, 1):
            self.setItemDelegateForColumn(k, _NameDelegate(self, each))
        self._filling = False
        self.cellChanged.connect(lambda *_: self._follow_edit())
        self.passed_end.connect(lambda: self.leave(True))  # the last row is always the one for another name
        self.show_rows([])

    def show_rows(self, rows: Sequence[Sequence[str]]) -> None:
        self._filling = True
        self.setRowCount(len(rows) + 1)
        for i, row in enumerate([*rows, [""] * self.columnCount()]):
            for k, text in enumerate(row):
                cell = QTableWidgetItem(text)
                cell.setToolTip(text)
                self.setItem(i, k, cell)
        self._filling = False
        self._keep_empty_row()
        self.look()

    def look(self) -> None:
        """Judge the rows: the first mistake stands below them."""
        self.mistake.tell(next(filter(None, map(self.check, self.rows())), ""))

    def rows(self) -> list[list[str]]:
        """Rows with a name."""
        found = []
        for i in range(self.rowCount()):
            cells = [self.item(i, k) for k in range(self.columnCount())]
            row = [cell.text().strip() if cell is not None else "" for cell in cells]
            if row[0]:
                found.append(row)
        return found

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Select nothing where no key goes: an empty cell in colour would look like a choice."""
        super().focusOutEvent(event)
        self.clearSelection()

    def _follow_edit(self) -> None:
        if self._filling:
            return
        self._keep_empty_row()
        self.look()

    def _keep_empty_row(self) -> None:
        """Keep one empty row, at the end, which takes a name first."""
        names = [self._name(i) for i in range(self.rowCount())]
        self._filling = True
        for i in reversed(range(len(names) - 1)):
            if not names[i]:
                self.removeRow(i)
        if names and names[-1]:
            self.insertRow(self.rowCount())
            for k in range(self.columnCount()):
                self.setItem(self.rowCount() - 1, k, QTableWidgetItem(""))
        last = self.rowCount() - 1
        for i in range(self.rowCount()):
            for k in range(1, self.columnCount()):
                cell = self.item(i, k)
                if cell is not None:
                    cell.setFlags(EDITED if i < last else EDITED & ~Qt.ItemFlag.ItemIsEditable)
        self._filling = False
        self._fit()

    def _name(self, row: int) -> str:
        cell = self.item(row, 0)
        return cell.text().strip() if cell is not None else ""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Give columns of values the room of their texts, or of the longest word where that leaves names none."""
        width, pad = self.fontMetrics().horizontalAdvance, PAD
        texts = [
            [cell.text() if (cell := self.item(i, k)) else "" for i in range(self.rowCount())]
            for k in range(self.columnCount())
        ]
        heads = [self.horizontalHeader().sectionSizeHint(k) for k in range(self.columnCount())]
        whole = [max(map(width, column), default=0) + pad for column in texts]
        words = [
            max((width(word) for text in column for word in text.split()), default=0) + pad
            for column in texts
        ]
        names, *values = (max(pair) for pair in zip(whole, heads, strict=True))
        wraps = names + sum(values) > self.viewport().width()
        for k, head in enumerate(heads[1:], 1):
            self.horizontalHeader().resizeSection(k, max(words[k] if wraps else whole[k], head, VALUE))
        line, high = self.fontMetrics().lineSpacing(), 0
        for i in range(self.rowCount()):
            broken = any(width(column[i]) + pad > self.columnWidth(k) for k, column in enumerate(texts))
            self.setRowHeight(i, ROW + line * broken)
            high += self.rowHeight(i)
        self.setFixedHeight(self.horizontalHeader().sizeHint().height() + high + 2 * self.frameWidth())


class _Value(QStyledItemDelegate):
    """Cells of values, which break between a number and its unit alone."""

    def displayText(self, value: object, locale: QLocale | QLocale.Language) -> str:
        return UNITS.sub(JOINED, units_in_print(str(value)))


class _NameDelegate(QStyledItemDelegate):
    """Cells that names complete."""

    def __init__(self, table: SettingsTable, names: Names):
        super().__init__(table)
        self.names = names

    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        field = QLineEdit(parent)
        CompletionList(field, self.names)
        return field


class _FirstName(_NameDelegate):
    def displayText(self, value: object, locale: QLocale | QLocale.Language) -> str:
        """Name that breaks behind its parts."""
        return breakable(str(value), 40, "_")

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint a name; the empty row says what it is for."""
        super().paint(painter, option, index)
        if not index.data():
            place = option.rect.adjusted(4, 0, -2, 0)  # type: ignore[attr-defined]
            painter.setPen(theme().colour("muted"))
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, ADD)
