"""The words of a note are typed where they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFocusEvent, QFont, QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit

from ..document import notes
from .note_item import PADDING, PIXELS

if TYPE_CHECKING:
    from .surface import Surface


class NoteEditor(QPlainTextEdit):
    """Ctrl+Return and leaving keep the text, Escape gives it up; an area grows with its words."""

    def __init__(self, view: Surface):
        super().__init__(view.viewport())
        self.view = view
        self.index = -1
        self.setAccessibleName("Text of the note")
        self.setTabChangesFocus(True)
        self.hide()

    def open(self, index: int) -> None:
        item = self.view.canvas.notes[index]
        self.index = index
        self.setPlainText(item.note.text)
        self.selectAll()
        font = QFont(self.font())
        font.setPixelSize(max(9, round(PIXELS * self.view.zoom())))
        self.setFont(font)
        place = self.view.mapFromScene(item.mapRectToScene(item.area())).boundingRect()
        self.setGeometry(place.adjusted(1, 1, -1, -1))
        self.show()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def finish(self) -> None:
        index, self.index = self.index, -1
        self.hide()
        item = self.view.canvas.notes.get(index)
        if item is None:
            return
        text = self.toPlainText().strip()
        trial = type(item)(index, notes.replace(item.note, text=text))
        words: QRectF = trial.words()
        notes.change(
            self.view.document,
            index,
            "edit note",
            text=text,
            height=max(item.note.height, round(words.bottom() + PADDING)),
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if event.key() == Qt.Key.Key_Escape:
            self.index = -1
            self.hide()
            self.view.setFocus()
        elif control and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.finish()
            self.view.setFocus()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self.index >= 0 and event.reason() != Qt.FocusReason.PopupFocusReason:
            self.finish()
