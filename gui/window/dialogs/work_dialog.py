"""Dialogs of imports and exports: an input form with its fields, and work in a background thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPushButton, QVBoxLayout

from ...run.background_job import BackgroundJob
from ...run.run_control import DiagramSnapshot
from ...theme.small_widgets import laid
from ..work_form import WorkForm, restore_entries, text_of

if TYPE_CHECKING:
    from ..shell import Shell

TITLE = 32  # px of a window's own bar
CHANGED = "The model has changed since; this was found for what it was before"


class WorkDialogs:
    """Registry of dialogs, one of each kind, with their background job and last inputs."""

    def __init__(self, window: Shell):
        self.window = window
        self.jobs: dict[type[WorkDialog], BackgroundJob] = {}
        self.entries: dict[tuple[type[WorkDialog], str], str] = {}

    def open(self, kind: type[WorkDialog]) -> WorkDialog:
        shown = [dialog for dialog in self.window.findChildren(kind) if dialog.isVisible()]
        dialog = (
            shown[0] if shown else kind(self.window, self.jobs.setdefault(kind, BackgroundJob(self.window)))
        )
        if not shown:
            dialog.remember(self.entries)
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()
        return dialog

    def close(self) -> None:
        """Close all dialogs."""
        for job in self.jobs.values():
            job.close()


class WorkDialog(WorkForm, QDialog):
    """Non-modal dialog; closing it in any way cancels its work."""

    of_model = True  # the answer is of the diagram in the window

    def __init__(self, window: Shell, job: BackgroundJob):
        QDialog.__init__(self, window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.title)
        self.setMinimumWidth(460)
        self._entries: dict[tuple[type[WorkDialog], str], str] = {}
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.make_parts(window, job)
        self.said.setText(self.purpose)
        self.buttons.rejected.connect(self.reject)
        self.box = laid(QVBoxLayout(self), self.form, self.said)
        self.build()
        self.box.addWidget(self.buttons)
        self.begin.setDefault(True)  # known to the dialog only in it
        self._set_busy(False)

    def button(self, text: str) -> QPushButton:
        return self.buttons.addButton(text, QDialogButtonBox.ButtonRole.ActionRole)

    def _set_busy(self, on: bool) -> None:
        super()._set_busy(on)
        self.cancel.setVisible(on)  # else it reads as a second Close

    def remember(self, entries: dict[tuple[type[WorkDialog], str], str]) -> None:
        """Restore the last inputs of this kind of dialog; later inputs are stored there."""
        self._entries = entries
        for label, field in self.fields.items():
            text = entries.get((type(self), label))
            if text is not None:
                restore_entries(field, text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Stop work by Escape after a word; close without work."""
        if not (event.key() == Qt.Key.Key_Escape and self.take_escape()):
            super().keyPressEvent(event)

    def done(self, result: int) -> None:
        for label, field in self.fields.items():
            self._entries[type(self), label] = text_of(field)
        self.job.stop()
        self.clear()
        super().done(result)

    def is_current(self) -> bool:
        return not self.of_model or DiagramSnapshot.of(self.window_.top.diagram) == self.asked

    def _done(self, answer: object) -> None:
        super()._done(answer)
        if not self.is_current():
            self.say(f"{self.said.text()}\n{CHANGED}")

    def make_room(self) -> None:
        """Set the height to what the content needs, within the screen; Qt's own limit is two thirds of it."""
        self.adjustSize()
        if not self.isVisible():
            return
        screen, box = self.screen().availableGeometry(), self.geometry()
        need = max(self.box.totalHeightForWidth(box.width()), box.height())
        box.setHeight(min(need, screen.height() - TITLE))
        self.setGeometry(box.translated(0, min(0, screen.bottom() - box.bottom())))
