"""List rows with wrapped text."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QTreeWidget

EDGE = 8  # px of padding left and right together


class WrappedRows(QStyledItemDelegate):
    """Item delegate that wraps text within its column instead of eliding it."""

    def __init__(self, tree: QTreeWidget):
        super().__init__(tree)
        self.tree = tree
        tree.setWordWrap(True)
        tree.setTextElideMode(Qt.TextElideMode.ElideNone)
        tree.setUniformRowHeights(False)
        tree.header().sectionResized.connect(lambda *_: tree.scheduleDelayedItemsLayout())

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        hint = super().sizeHint(option, index)
        width = self.tree.columnWidth(index.column()) - EDGE
        if index.data(Qt.ItemDataRole.DecorationRole) is not None:
            width -= self.tree.iconSize().width() + EDGE
        lines = option.fontMetrics.boundingRect(  # type: ignore[attr-defined]
            QRect(0, 0, max(width, 40), 10_000), Qt.TextFlag.TextWordWrap, str(index.data() or "")
        )
        return QSize(hint.width(), max(24, lines.height() + 8))
