"""Completion list below a field: matching names while typing, or all names by arrow button or Down key."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QObject, QRect, QStringListModel, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QCompleter, QLineEdit

from .icons import icon

Names = Callable[[], Iterable[str]]
ENDS = ",[]"  # characters that end a name in a list
SHOWN = 14  # names at once
WIDEST, EDGE = 480, 6  # px of the list, and around a name


class CompletionList(QObject):
    """Completion list; in a comma-separated field it completes the name at the cursor.

    Names in `first` stand before the others, those of the diagram before those of its blocks.
    """

    taken = Signal()

    def __init__(self, field: QLineEdit, names: Names, several: bool = False, first: Names = tuple):
        super().__init__(field)
        self.field, self.names, self.several, self.first = field, names, several, first
        self.model = QStringListModel(self)
        self.list = QCompleter(self.model, self)
        self.list.setWidget(field)
        self.list.setFilterMode(Qt.MatchFlag.MatchContains)
        self.list.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.list.setMaxVisibleItems(SHOWN)
        self.list.activated[str].connect(self.put)  # type: ignore[index]
        field.textEdited.connect(lambda _: self._follow())
        self.action = QAction(icon("down"), "Names that fit", field)
        self.action.triggered.connect(self.show_all)
        field.addAction(self.action, QLineEdit.ActionPosition.TrailingPosition)
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        down = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Down
        if down and event.type() == QEvent.Type.KeyPress and not self._popup().isVisible():
            self.show_all()
            return True
        return super().eventFilter(watched, event)

    def show_all(self) -> None:
        self.field.setFocus()
        self._complete("")

    def put(self, name: str) -> None:
        """Replace the word at the cursor by a name."""
        text, (start, end) = self.field.text(), self._span()
        space = " " if start and text[start - 1] == "," else ""
        self.field.setText(f"{text[:start]}{space}{name}{text[end:]}")
        self.field.setCursorPosition(start + len(space) + len(name))
        self.taken.emit()

    def _follow(self) -> None:
        piece = self._typed_name()
        if piece.strip():
            self._complete(piece)
        else:
            self._popup().hide()

    def _complete(self, piece: str) -> None:
        first = set(self.first())
        names = sorted(set(self.names()), key=lambda name: (name not in first, "." in name, name))
        self.model.setStringList(names)
        self.list.setCompletionPrefix(piece.strip())
        if piece.strip() in self.model.stringList() and self.list.completionCount() == 1:
            self._popup().hide()
        else:
            self.list.complete(QRect(0, 0, self._width(), self.field.height()))

    def _width(self) -> int:
        """Width of the list: that of the field, or more where a name is longer."""
        popup = self._popup()
        names = popup.sizeHintForColumn(0) + popup.verticalScrollBar().sizeHint().width() + 2 * EDGE
        return max(self.field.width(), min(names, WIDEST))

    def _typed_name(self) -> str:
        start, end = self._span()
        return self.field.text()[start:end]

    def _span(self) -> tuple[int, int]:
        text, at = self.field.text(), self.field.cursorPosition()
        if not self.several:
            return 0, len(text)
        start = max((text.rfind(sign, 0, at) + 1 for sign in ENDS), default=0)
        ends = [k for sign in ENDS if (k := text.find(sign, at)) >= 0]
        return start, min(ends, default=len(text))

    def _popup(self) -> QAbstractItemView:
        popup = self.list.popup()
        assert popup is not None
        return popup
