"""Confirmation questions before something is lost."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QMessageBox, QWidget

Answer = QMessageBox.StandardButton


def save_discard_cancel(parent: QWidget, title: str, what: str, more: str) -> Answer:
    """Ask whether to save, discard or cancel."""
    box = QMessageBox(QMessageBox.Icon.Question, title, what, parent=parent)
    box.setInformativeText(more)
    box.setStandardButtons(Answer.Save | Answer.Discard | Answer.Cancel)
    box.setDefaultButton(Answer.Save)
    return Answer(box.exec())


def may_save(parent: QWidget, title: str, what: str, more: str) -> bool:
    """Ask whether to save what has no file yet, before something that needs one."""
    box = QMessageBox(QMessageBox.Icon.Question, title, what, parent=parent)
    box.setInformativeText(more)
    save = box.addButton("Save...", QMessageBox.ButtonRole.AcceptRole)
    box.addButton(QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(save)
    box.exec()
    return box.clickedButton() is save


def may_replace(parent: QWidget, what: str, then: str) -> bool:
    box = QMessageBox(QMessageBox.Icon.Warning, "Save", what, parent=parent)
    box.setInformativeText(then)
    replace = box.addButton("Replace", QMessageBox.ButtonRole.DestructiveRole)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.exec()
    return box.clickedButton() is replace


def with_suffix(parent: QWidget, path: Path, suffix: str) -> Path | None:
    """Path with its usual suffix. Asks before replacing a file whose name the file dialog has not checked; None if
    declined."""
    if path.suffix or not suffix:
        return path
    path = path.with_suffix(suffix)
    if path.exists() and not may_replace(parent, f"{path.name} is there already.", "Saving replaces it."):
        return None
    return path
