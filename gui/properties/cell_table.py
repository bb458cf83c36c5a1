"""Table whose cells are walked with Tab while they are edited, as in a spreadsheet."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemDelegate, QTableWidget, QWidget

Hint = QAbstractItemDelegate.EndEditHint


class CellTable(QTableWidget):
    """Table that does not go round: Tab behind its last cell asks for a row, Shift+Tab before its first one leaves."""

    passed_end = Signal()  # by Tab in the last cell

    def closeEditor(self, editor: QWidget, hint: Hint) -> None:
        row, column = self.currentRow(), self.currentColumn()
        first = (row, column) == (0, 0)
        last = row == self.rowCount() - 1 and not any(
            map(self._takes_text, range(column + 1, self.columnCount()))
        )
        if hint == Hint.EditNextItem and last:
            super().closeEditor(editor, Hint.NoHint)
            self.passed_end.emit()
        elif hint == Hint.EditPreviousItem and first:
            super().closeEditor(editor, Hint.NoHint)
            self.leave(False)
        else:
            super().closeEditor(editor, hint)

    def _takes_text(self, column: int) -> bool:
        """True if the cell of the last row in a column is edited."""
        cell = self.item(self.rowCount() - 1, column)
        return cell is None or bool(cell.flags() & Qt.ItemFlag.ItemIsEditable)

    def leave(self, forward: bool) -> None:
        """Give the focus to what follows the table, or is before it."""
        self.focusNextPrevChild(forward)
