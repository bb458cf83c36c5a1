"""Multi-line text editor: text wraps, and the height follows it."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from ...blocks.params import Param
from ...blocks.text.raw_types import Raw
from ..document.undo_commands import UNSET
from .parameter_editors import Editor, is_windows
from .value_text import to_text

MOST = 5  # lines that are seen at once
RETURN = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class TextLines(QPlainTextEdit):
    """Multi-line editor that commits on Return and on loss of focus; Shift+Return starts a line, Escape restores the
    text."""

    committed = Signal(str)

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._shown = ""
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.textChanged.connect(self._grow)

    def show_text(self, text: str) -> None:
        self._shown = text
        if text != self.toPlainText():
            self.setPlainText(text)
        self._grow()

    def finish(self) -> None:
        if self.toPlainText() != self._shown:
            self._shown = self.toPlainText()
            self.committed.emit(self._shown)

    def _grow(self) -> None:
        lines = min(MOST, max(1, math.ceil(self.document().size().height())))
        around = self.contentsMargins().top() + self.contentsMargins().bottom()
        room = around + 2 * (self.document().documentMargin() + self.frameWidth())
        height = math.ceil(lines * self.fontMetrics().lineSpacing() + room)
        if self.height() != height:
            self.setFixedHeight(height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._grow()

    def event(self, event: QEvent) -> bool:
        if is_windows(event, self.toPlainText() == self._shown):
            event.ignore()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() == Qt.Key.Key_Escape and self.toPlainText() != self._shown:
            self.setPlainText(self._shown)
        elif event.key() in RETURN and not shift:
            self.finish()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.finish()


class TextEditor(Editor):
    def __init__(self, param: Param):
        super().__init__(param)
        self.field = TextLines(self)
        self.field.committed.connect(lambda text: self.edited.emit(text or UNSET))
        self.row.addWidget(self.field, 1)
        self.setFocusProxy(self.field)

    def show_raw(self, raw: Raw) -> None:
        self.field.show_text(to_text(raw))
