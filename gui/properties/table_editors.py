"""Table editors: lists of groups (supports), maps of groups (frames), rotations, diagram parameters."""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent, QLocale, QObject
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QHeaderView,
    QStyledItemDelegate,
    QTableWidget,
    QTableWidgetItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ...blocks import LuffError
from ...blocks.params import Param, Struct, Sub, SubList, SubMap
from ...blocks.text.raw_types import Raw
from ..document.undo_commands import UNSET
from ..theme.number_format import in_print
from ..theme.small_widgets import laid, tool_button
from .parameter_editors import Editor
from .value_text import from_text, to_text

SQUEEZED = 4  # columns that share the panel's width; more scroll sideways


class TableEditor(Editor):
    """Editor of a table whose cells are in netlist syntax; the whole table is one value."""

    named = False  # a first column of names
    grows = False  # further columns are added, and share the panel's width too

    def __init__(self, param: Param, columns: list[str], hints: list[str], parent: QWidget | None = None):
        super().__init__(param, parent)
        self.columns = columns
        self._filling = False
        self.raw: Raw = None
        self.table = QTableWidget(0, len(columns), self)
        self.table.setHorizontalHeaderLabels(columns)
        for k, hint in enumerate(hints):
            item = self.table.horizontalHeaderItem(k)
            if item:
                item.setToolTip(hint)
        self.table.verticalHeader().setVisible(False)
        self.table.verticalHeader().setDefaultSectionSize(24)
        self.table.setHorizontalScrollMode(QTableWidget.ScrollMode.ScrollPerPixel)
        wide = len(columns) > SQUEEZED and not self.grows
        mode = QHeaderView.ResizeMode.ResizeToContents if wide else QHeaderView.ResizeMode.Stretch
        self.table.horizontalHeader().setSectionResizeMode(mode)
        self.table.setTabKeyNavigation(False)  # Tab leaves the table, arrows move in it
        self.table.horizontalHeader().setHighlightSections(False)
        self.table.cellChanged.connect(self._commit)
        add = tool_button("plus", "Add a row", "Add a row")
        remove = tool_button("minus", "Remove the row", "Remove the row")
        add.clicked.connect(self.add_row)
        remove.clicked.connect(self.remove_row)
        self.buttons = laid(QHBoxLayout(), add, remove, None, spacing=2)
        self.row.addLayout(laid(QVBoxLayout(), self.table, self.buttons, spacing=2))

    def rows_of(self, raw: Raw) -> list[list[Raw]]:
        """Rows of cells of a raw value."""
        raise NotImplementedError

    def raw_of(self, rows: list[list[Raw]]) -> Raw:
        """Raw value of rows of cells."""
        raise NotImplementedError

    def show_raw(self, raw: Raw) -> None:
        self.raw = raw
        rows = self.rows_of(raw)
        self._filling = True
        self.table.setRowCount(len(rows))
        for i, row in enumerate(rows):
            for k, value in enumerate(row):
                cell = self.table.item(i, k)
                if cell:  # it may be the one that was just edited, which must outlive its signal
                    cell.setText(to_text(value))
                else:
                    self.table.setItem(i, k, QTableWidgetItem(to_text(value)))
        self._filling = False
        frame, header = 2 * self.table.frameWidth(), self.table.horizontalHeader().sizeHint().height()
        wide = self.table.horizontalHeader().length() > self.table.width() - frame
        bar = self.table.horizontalScrollBar().sizeHint().height() if wide else 0
        self.table.setFixedHeight(header + frame + bar + 24 * min(max(len(rows), 1), 8))
        self.table.setVisible(bool(rows))

    def _texts(self) -> list[list[str]]:
        cells = lambda i: [self.table.item(i, k) for k in range(len(self.columns))]  # noqa: E731
        return [
            [cell.text().strip() if cell else "" for cell in cells(i)] for i in range(self.table.rowCount())
        ]

    def _commit(self, *_: int) -> None:
        if self._filling:
            return
        try:
            rows: list[list[Raw]] = []
            for texts in self._texts():
                start = 1 if self.named else 0
                rows.append([*texts[:start], *(from_text(text) for text in texts[start:])])
            raw = self.raw_of(rows)
        except LuffError as error:
            self.refused.emit(error.problems[0].message)
            return
        self.edited.emit(raw if raw else UNSET)

    def add_row(self) -> None:
        self.table.setVisible(True)
        self._filling = True
        count = self.table.rowCount()
        self.table.setRowCount(count + 1)
        for k, text in enumerate(self.fresh_row(count)):
            self.table.setItem(count, k, QTableWidgetItem(text))
        self._filling = False
        self._commit()

    def fresh_row(self, count: int) -> list[str]:
        return [""] * len(self.columns)

    def remove_row(self) -> None:
        row = self.table.currentRow()
        if row < 0:
            row = self.table.rowCount() - 1
        if row >= 0:
            self._filling = True
            self.table.removeRow(row)
            self._filling = False
            self._commit()


class StructList(TableEditor):
    """Table of a list of groups, one row each."""

    def __init__(self, param: Sub[Struct], parent: QWidget | None = None):
        members = param.struct.params
        super().__init__(param, list(members), [hint(member) for member in members.values()], parent)

    def rows_of(self, raw: Raw) -> list[list[Raw]]:
        items = raw if isinstance(raw, list) else []
        return [[item.get(key) if isinstance(item, dict) else None for key in self.columns] for item in items]

    def raw_of(self, rows: list[list[Raw]]) -> Raw:
        return [
            {key: value for key, value in zip(self.columns, row, strict=True) if value is not None}
            for row in rows
        ]


class StructMap(TableEditor):
    """Table of groups by name, one row each, the name in the first column."""

    named = True

    def __init__(self, param: Sub[Struct], parent: QWidget | None = None):
        members = param.struct.params
        super().__init__(
            param, ["name", *members], ["name of the port", *map(hint, members.values())], parent
        )

    def rows_of(self, raw: Raw) -> list[list[Raw]]:
        items = raw if isinstance(raw, dict) else {}
        keys = self.columns[1:]
        return [
            [name, *(item.get(key) if isinstance(item, dict) else None for key in keys)]
            for name, item in items.items()
        ]

    def raw_of(self, rows: list[list[Raw]]) -> Raw:
        keys = self.columns[1:]
        return {
            str(row[0]): {key: value for key, value in zip(keys, row[1:], strict=True) if value is not None}
            for row in rows
            if row[0]
        }

    def fresh_row(self, count: int) -> list[str]:
        taken = set(self.raw) if isinstance(self.raw, dict) else set()
        name = next(f"{self.stem}{k}" for k in range(1, len(taken) + 2) if f"{self.stem}{k}" not in taken)
        return [name, *self.empty_row]

    stem = "frame"

    @property
    def empty_row(self) -> list[str]:
        return [""] * (len(self.columns) - 1)


class Turns(TableEditor):
    """Table of rotations: axis and angle per row."""

    def __init__(self, param: Param, parent: QWidget | None = None):
        super().__init__(
            param, ["axis", "angle"], ["x, y, z, -x, -y, -z or [x, y, z]", "such as 90 deg"], parent
        )

    def rows_of(self, raw: Raw) -> list[list[Raw]]:
        items = raw if isinstance(raw, list) else []
        return [list(item) if isinstance(item, list) and len(item) == 2 else [item, None] for item in items]

    def raw_of(self, rows: list[list[Raw]]) -> Raw:
        return [[axis if axis is not None else "z", 0 if angle is None else angle] for axis, angle in rows]

    def fresh_row(self, count: int) -> list[str]:
        return ["z", "0 deg"]


class InPrint(QStyledItemDelegate):
    """Cells whose quantities are shown with their units in print; they are edited as they were typed."""

    def displayText(self, value: object, locale: QLocale | QLocale.Language) -> str:
        return in_print(str(value))


class NameValues(StructMap):
    """Table of names and values: diagram parameters, constants of an expression."""

    stem = "p"

    def __init__(self, param: Param, parent: QWidget | None = None):
        TableEditor.__init__(
            self,
            param,
            ["name", "value"],
            ["letters, digits and underscores", "such as 6 m, or =l1/2"],
            parent,
        )
        self.table.setItemDelegateForColumn(1, InPrint(self.table))

    def rows_of(self, raw: Raw) -> list[list[Raw]]:
        return [[name, value] for name, value in (raw or {}).items()] if isinstance(raw, dict | None) else []

    def raw_of(self, rows: list[list[Raw]]) -> Raw:
        return {str(name): 0 if value is None else value for name, value in rows if name}

    @property
    def empty_row(self) -> list[str]:
        return ["0"]


def hint(param: Param) -> str:
    return f"{param.doc}: {param.expected()}" if param.doc else param.expected()


class Matrix(TableEditor):
    """Table of numbers, as wide as its longest row; whole tables can be pasted from a spreadsheet."""

    grows = True

    def __init__(self, param: Param, parent: QWidget | None = None):
        super().__init__(param, ["1"], ["a number"], parent)
        wider = QToolButton(self)
        wider.setText("| +")
        wider.setToolTip("Add a column")
        wider.clicked.connect(self.add_column)
        self.buttons.insertWidget(2, wider)
        self.table.installEventFilter(self)

    def rows_of(self, raw: Raw) -> list[list[Raw]]:
        items: list[list[Raw]] = []
        for row in raw if isinstance(raw, list) else []:
            items.append([*row] if isinstance(row, list) else [row])
        self._widen(max(map(len, items), default=1))
        for row in items:
            row += [None] * (len(self.columns) - len(row))
        return items

    def raw_of(self, rows: list[list[Raw]]) -> Raw:
        """Raw value of the rows; empty cells at a row's end are dropped."""
        counts = [max((k + 1 for k, value in enumerate(row) if value is not None), default=0) for row in rows]
        return [
            [0 if value is None else value for value in row[:count]]
            for row, count in zip(rows, counts, strict=True)
            if count
        ]

    def fresh_row(self, count: int) -> list[str]:
        return ["0"] * len(self.columns)

    def add_column(self) -> None:
        self._widen(len(self.columns) + 1)
        self.table.setVisible(True)

    def _widen(self, count: int) -> None:
        if count != len(self.columns):
            self.columns = [str(k + 1) for k in range(count)]
            self.table.setColumnCount(count)
            self.table.setHorizontalHeaderLabels(self.columns)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        key = event if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress else None
        if key is not None and key.matches(QKeySequence.StandardKey.Paste):
            self.paste(QApplication.clipboard().text())
            return True
        return super().eventFilter(watched, event)

    def paste(self, text: str) -> None:
        """Paste a table at the current cell."""
        given = [re.split(r"\t|;|,", line) for line in text.strip("\n").splitlines()]
        top, left = max(self.table.currentRow(), 0), max(self.table.currentColumn(), 0)
        cells = self._texts()
        self._widen(max(len(self.columns), left + max(map(len, given), default=0)))
        cells = [row + [""] * (len(self.columns) - len(row)) for row in cells]
        cells += [[""] * len(self.columns) for _ in range(top + len(given) - len(cells))]
        for k, words in enumerate(given):
            cells[top + k][left : left + len(words)] = [word.strip() for word in words]
        try:
            raw = self.raw_of([[from_text(cell) for cell in row] for row in cells])
        except LuffError as error:
            self.refused.emit(error.problems[0].message)
            return
        self.edited.emit(raw if raw else UNSET)


def table_for(param: Param) -> TableEditor | None:
    if isinstance(param, SubList):
        return StructList(param)
    if isinstance(param, SubMap):
        return StructMap(param)
    if param.kind == "number" and len(param.shape) == 2:
        return Matrix(param)
    kinds = {"rotations": Turns, "number map": NameValues}
    cls = kinds.get(param.kind)
    return cls(param) if cls else None
