"""Table editors: lists of groups (supports), maps of groups (frames), rotations, diagram parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy

from PySide6.QtCore import QEvent, QLocale, QObject, Qt
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
from ...blocks.text.raw_types import Raw, RawMap
from ..document.undo_commands import UNSET
from ..theme.number_format import in_print, units_in_print
from ..theme.small_widgets import laid, tool_button
from ..theme.window_words import in_window
from .cell_table import CellTable
from .parameter_editors import Editor
from .value_text import from_text, split, to_text

SQUEEZED = 4  # columns that share the panel's width; more scroll sideways


class TableEditor(Editor):
    """Editor of a table whose cells are in netlist syntax; the whole table is one value.

    Rows that were added are a draft until the cells that they need are filled, or the focus leaves the table. Those at
    its end that nobody has changed are dropped then.
    """

    named = False  # a first column of names
    heads_stay = False  # also above no row
    grows = False  # further columns are added, and share the panel's width too

    def __init__(self, param: Param, columns: list[str], hints: list[str], parent: QWidget | None = None):
        super().__init__(param, parent)
        self.columns = columns
        self._filling = self.draft = False
        self._fresh: list[list[str]] = []  # rows of the draft as they were added
        self.raw: Raw = None
        self.table = CellTable(0, len(columns), self)
        self.table.setHorizontalHeaderLabels(columns)
        self.table.setItemDelegate(InPrint(self.table))
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
        self.table.cellChanged.connect(self._on_cell)
        self.table.passed_end.connect(self._on_end)
        self.table.installEventFilter(self)
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
        if self.draft and raw == self.raw:
            return
        self._end_draft()
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
        self._fit_height()

    def _fit_height(self) -> None:
        frame, header = 2 * self.table.frameWidth(), self.table.horizontalHeader().sizeHint().height()
        wide = self.table.horizontalHeader().length() > self.table.width() - frame
        count = self.table.rowCount()
        bar = self.table.horizontalScrollBar().sizeHint().height() if wide and count else 0
        self.table.setFixedHeight(header + frame + bar + 24 * min(count, 8))
        self.table.setVisible(count > 0 or self.heads_stay)

    def keep_heads(self) -> None:
        """Show what a row would have also where there is none."""
        self.heads_stay = True
        self._fit_height()

    def _texts(self) -> list[list[str]]:
        cells = lambda i: [self.table.item(i, k) for k in range(len(self.columns))]  # noqa: E731
        return [
            [cell.text().strip() if cell else "" for cell in cells(i)] for i in range(self.table.rowCount())
        ]

    def _on_cell(self) -> None:
        if not self._filling and not (self.draft and not self.complete()):
            self._commit()

    def _commit(self) -> None:
        texts = self._texts()
        while texts and texts[-1] in self._fresh:
            texts.pop()
        self._end_draft()
        self._take(texts)

    def _take(self, texts: list[list[str]]) -> None:
        """Report the value of the cells with these texts."""
        start = 1 if self.named else 0
        try:
            raw = self.raw_of([[*row[:start], *(from_text(text) for text in row[start:])] for row in texts])
        except LuffError as error:
            self.refused.emit(error.problems[0].message)
            return
        self.edited.emit(raw if raw else UNSET)

    def complete(self) -> bool:
        """True if no cell is empty that has to be filled."""
        return all(texts[k] for texts in self._texts() for k in self.needed_columns())

    def needed_columns(self) -> list[int]:
        """Columns without defaults."""
        members = self.param.struct.params.values() if isinstance(self.param, Sub) else []
        start = 1 if self.named else 0
        return [k for k, member in enumerate(members, start) if member.required]

    def begin_draft(self, row: int, column: int) -> None:
        """Keep what is shown to the window until it is complete, or left."""
        self._fit_height()
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        self.table.setCurrentCell(row, column)
        if not self.draft:
            self.draft = True
            QApplication.instance().focusChanged.connect(self._on_focus)  # type: ignore[union-attr]

    def _end_draft(self) -> None:
        self._fresh = []
        if self.draft:
            self.draft = False
            QApplication.instance().focusChanged.disconnect(self._on_focus)  # type: ignore[union-attr]

    def _on_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        if now is not None and not self.isAncestorOf(now):
            self._commit()

    def add_row(self) -> None:
        count = self._append()
        if self.complete():
            self._fresh = []  # the defaults are what is wanted
            self._commit()
        else:
            self.begin_draft(count, self.needed_columns()[0])

    def _on_end(self) -> None:
        """Begin another row behind the last cell; leave the table where the last row is still untouched."""
        if self._texts()[-1] in self._fresh:
            self.table.leave(True)
            return
        count = self._append()
        self.begin_draft(count, 0)
        self.table.edit(self.table.model().index(count, 0))

    def _append(self) -> int:
        """Append fresh rows; the place of the first."""
        count = self.table.rowCount()
        rows = self.fresh_rows(count)
        self._filling = True
        self.table.setRowCount(count + len(rows))
        for i, row in enumerate(rows, count):
            for k, text in enumerate(row):
                self.table.setItem(i, k, QTableWidgetItem(text))
        self._filling = False
        self._fresh += rows
        return count

    def fresh_rows(self, count: int) -> list[list[str]]:
        """Texts of the rows that are added to `count` ones."""
        return [[""] * len(self.columns)]

    def remove_row(self) -> None:
        row = self.table.currentRow()
        if row < 0:
            row = self.table.rowCount() - 1
        if row >= 0:
            self._filling = True
            self.table.removeRow(row)
            self._filling = False
            self._fit_height()
            self._on_cell()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Paste):
            if event.type() == QEvent.Type.KeyPress:
                self.paste(QApplication.clipboard().text())
            event.accept()  # before the window's own Paste hears it
            return True
        return super().eventFilter(watched, event)

    def paste(self, text: str) -> None:
        """Paste a table of a spreadsheet at the current cell, without its heading."""
        given = cells_of(text)
        top, left = max(self.table.currentRow(), 0), max(self.table.currentColumn(), 0)
        width = left + max(map(len, given), default=0)
        if width > len(self.columns) and not self.grows:
            self.refused.emit(
                f"found {width - left} columns, expected {len(self.columns) - left} from here on"
            )
            return
        cells = [row + [""] * (width - len(row)) for row in self._texts()]
        cells += [[""] * max(width, len(self.columns)) for _ in range(top + len(given) - len(cells))]
        for k, words in enumerate(given):
            cells[top + k][left : left + len(words)] = words
        self._end_draft()
        self._take(cells)


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

    def fresh_rows(self, count: int) -> list[list[str]]:
        taken = {row[0] for row in self._texts()}
        name = next(f"{self.stem}{k}" for k in range(1, len(taken) + 2) if f"{self.stem}{k}" not in taken)
        return [[name, *self.empty_row]]

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

    def fresh_rows(self, count: int) -> list[list[str]]:
        return [["z", "0 deg"]]


class InPrint(QStyledItemDelegate):
    """Cells whose quantities are shown with their units in print; they are edited as they were typed."""

    def displayText(self, value: object, locale: QLocale | QLocale.Language) -> str:
        return units_in_print(in_print(str(value)))


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

    def rows_of(self, raw: Raw) -> list[list[Raw]]:
        return [[name, value] for name, value in (raw or {}).items()] if isinstance(raw, dict | None) else []

    def raw_of(self, rows: list[list[Raw]]) -> Raw:
        return {str(name): 0 if value is None else value for name, value in rows if name}

    @property
    def empty_row(self) -> list[str]:
        return ["0"]


def hint(param: Param) -> str:
    return in_window(f"{param.doc}: {param.expected()}" if param.doc else param.expected())


class Matrix(TableEditor):
    """Table of numbers, as wide as its longest row; whole tables can be pasted from a spreadsheet."""

    grows = True

    def __init__(self, param: Param, parent: QWidget | None = None):
        super().__init__(param, list(names_of(param.entries, least_columns(param))), [], parent)
        wider = QToolButton(self)
        wider.setText("| +")
        wider.setToolTip("Add a column")
        wider.clicked.connect(self.add_column)
        self.buttons.insertWidget(2, wider)

    def rows_of(self, raw: Raw) -> list[list[Raw]]:
        items: list[list[Raw]] = []
        for row in raw if isinstance(raw, list) else []:
            items.append([*row] if isinstance(row, list) else [row])
        self._widen(max(map(len, items), default=0))
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

    def needed_columns(self) -> list[int]:
        """All columns of a table with names; of other ones, whose rows may differ, the first."""
        return list(range(len(self.columns))) if self.param.entries else [0]

    def fresh_rows(self, count: int) -> list[list[str]]:
        least = self.param.shape[0] or (2 if self.param.entries else 1)
        return [[""] * len(self.columns) for _ in range(1 if count else least)]

    def add_column(self) -> None:
        self._widen(len(self.columns) + 1)
        if self.table.rowCount():
            self.begin_draft(0, len(self.columns) - 1)
        else:
            self.add_row()

    def look_beside(self, raw: RawMap) -> None:
        """Name the columns as values beside the table ask for."""
        self.param = copy(self.param)
        self.param.entries = self.param.entries_beside(raw)
        self._widen(len(self.columns))

    def _widen(self, count: int) -> None:
        count = max(count, least_columns(self.param))
        names = list(names_of(self.param.entries, count))
        if names != self.columns:
            self.columns = names
            self.table.setColumnCount(count)
            self.table.setHorizontalHeaderLabels(self.columns)


def least_columns(param: Param) -> int:
    """Columns of a table of numbers that has no rows yet."""
    return param.shape[1] or len(param.entries) or 1


def names_of(entries: Sequence[str], count: int) -> Iterator[str]:
    """Names of columns: t, y of two, t, y1, y2 of three; numbers where they have none."""
    for k in range(count):
        if not entries:
            yield str(k + 1)
        elif count <= len(entries) or k < len(entries) - 1:
            yield entries[k]
        else:
            yield f"{entries[-1]}{k + 2 - len(entries)}"


def cells_of(text: str) -> list[list[str]]:
    """Cells of a table of a spreadsheet or of a file of values, without a first line of words."""
    separator = next((sign for sign in "\t;" if sign in text), ",")
    rows = [[cell.strip() for cell in line.split(separator)] for line in text.strip("\n").splitlines()]
    words = rows and not any(split(cell) or cell.startswith("=") for cell in rows[0])
    return rows[1:] if words and len(rows) > 1 else rows


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
