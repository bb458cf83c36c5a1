"""In-place text editor of a note."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QFocusEvent, QFont, QFontMetricsF, QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit

from ..document import note_edits
from .note_item import EDGE, PADDING, PIXELS

if TYPE_CHECKING:
    from .canvas_protocol import CanvasSurface


class NoteEditor(QPlainTextEdit):
    """Text editor of a note: Ctrl+Return, Escape and loss of focus keep the text; an area grows with its text."""

    def __init__(self, view: CanvasSurface):
        super().__init__(view.viewport())
        self.view = view
        self.index = -1
        self._added_at = -1  # the step that added the note, while its first words are typed
        self.setAccessibleName("Text of the note")
        self.setTabChangesFocus(True)
        self.textChanged.connect(self._fit)
        self.hide()

    def open(self, index: int, fresh: bool = False) -> None:
        """Edit a note. A `fresh` note and its first text are one undo step; left empty, the note is removed."""
        item = self.view.canvas.notes[index]
        self.index = index
        self._added_at = self.view.document.undo.index() if fresh else -1
        self.setPlainText(item.note.text)
        self.selectAll()
        font = QFont(self.font())
        font.setPixelSize(max(9, round(PIXELS * self.view.zoom())))
        self.setFont(font)
        self._fit()
        self.show()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _fit(self) -> None:
        """Place the editor over a whole comment, or over the text of an area only, so that its blocks stay visible."""
        item = self.view.canvas.notes.get(self.index)
        if item is None:
            return
        area = item.area()
        if item.note.colour:
            lines = QFontMetricsF(self.font()).lineSpacing() * max(1.0, self.document().size().height())
            frame = 2 * (self.document().documentMargin() + self.frameWidth() + EDGE)
            area.setHeight(min(area.height(), (lines + frame) / self.view.zoom()))
        place = self.view.mapFromScene(item.mapRectToScene(area)).boundingRect()
        self.setGeometry(place.adjusted(1, 1, -1, -1))

    def event(self, event: QEvent) -> bool:
        """Claim Ctrl+Return, which ends the text here and runs the model elsewhere in the window."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and ends(event):
            event.accept()
            return True
        return super().event(event)

    def finish(self) -> None:
        index, self.index = self.index, -1
        self.hide()
        item = self.view.canvas.notes.get(index)
        if item is None:
            return
        text, document = self.toPlainText().strip(), self.view.document
        trial = type(item)(index, note_edits.replace(item.note, text=text))
        words: QRectF = trial.words()
        height = max(item.note.height, round(words.bottom() + PADDING))
        if not self._take_back():
            note_edits.change(document, index, "edit note", text=text, height=height)
        elif text or item.note.colour:
            note_edits.add(document, note_edits.replace(item.note, text=text, height=height))
            self.view.canvas.sync()
            self.view.canvas.select([], notes=[index])

    def _take_back(self) -> bool:
        """Undo the insertion of a fresh note if it is still the last undo step; True if undone."""
        undo = self.view.document.undo
        fresh, self._added_at = self._added_at == undo.index() > 0, -1
        if fresh:
            undo.undo()
        return fresh

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape or ends(event):
            self.finish()  # words are kept: undo takes them back
            self.view.setFocus()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self.index >= 0 and event.reason() != Qt.FocusReason.PopupFocusReason:
            self.finish()


def ends(event: QKeyEvent) -> bool:
    control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
    return bool(control) and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
