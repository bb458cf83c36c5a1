"""Filter field above a list: typing filters, Up and Down select while the field has the focus."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from .small_widgets import laid

CHOOSING = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class ListKeys(QObject):
    """Event filter: Up and Down in a field select in a list."""

    def __init__(self, field: QLineEdit, items: QAbstractItemView):
        super().__init__(field)
        self.items = items
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in CHOOSING:
            self.items.keyPressEvent(event)
            return True
        return False


class FilteredList(QWidget):
    chosen = Signal(str)  # the current word, by hand or because the list has become another
    taken = Signal()  # Return, or a double click

    def __init__(self, name: str, empty: str):
        super().__init__()
        self.empty = empty
        self._words: dict[str, str] = {}
        self._notes: Mapping[str, str] = {}
        self.field = QLineEdit(placeholderText=name)
        self.field.setAccessibleName(name)
        self.list = QListWidget()
        self.list.setAccessibleName(f"{name}: what fits")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        ListKeys(self.field, self.list)
        self.field.textChanged.connect(self._fill)
        self.field.returnPressed.connect(self.taken)
        self.list.currentItemChanged.connect(lambda *_: self.chosen.emit(self.word()))
        self.list.itemDoubleClicked.connect(lambda _: self.taken.emit())
        laid(QVBoxLayout(self), self.field, self.list, margins=(0, 0, 0, 0))

    def word(self) -> str:
        item = self.list.currentItem()
        known = item is not None and item.flags() & Qt.ItemFlag.ItemIsSelectable
        return item.data(Qt.ItemDataRole.UserRole) if item is not None and known else ""

    def offer(self, words: Mapping[str, str], notes: Mapping[str, str] | None = None) -> None:
        """Set the entries with their tooltips, and notes behind some; the current choice stays if it still exists."""
        self._words, self._notes = dict(words), notes or {}
        self._fill()

    def _fill(self, *_: object) -> None:
        wanted, before = self.field.text().lower().split(), self.word()
        fits = [word for word in self._words if all(part in word.lower() for part in wanted)]
        self.list.blockSignals(True)
        self.list.clear()
        for word in fits:
            item = QListWidgetItem(" – ".join(filter(None, (word, self._notes.get(word)))))
            item.setData(Qt.ItemDataRole.UserRole, word)
            item.setToolTip(self._words[word])
            self.list.addItem(item)
        if not fits:
            none = QListWidgetItem(self.empty)
            none.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(none)
        self.list.setCurrentRow(fits.index(before) if before in fits else 0)
        self.list.blockSignals(False)
        self.chosen.emit(self.word())
