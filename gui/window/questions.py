"""Questions that the window asks before something is lost."""

from __future__ import annotations

from PySide6.QtWidgets import QMessageBox, QWidget

Answer = QMessageBox.StandardButton


def save_discard_cancel(parent: QWidget, title: str, what: str, more: str) -> Answer:
    """Whether to save what is lost otherwise."""
    box = QMessageBox(QMessageBox.Icon.Question, title, what, parent=parent)
    box.setInformativeText(more)
    box.setStandardButtons(Answer.Save | Answer.Discard | Answer.Cancel)
    box.setDefaultButton(Answer.Save)
    return Answer(box.exec())
