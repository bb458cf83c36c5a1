"""Banner for results of an older model."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

OLDER = "From before the last edits: run it again"


def stale_banner(parent: QWidget | None = None, words: str = OLDER) -> QLabel:
    """Create the banner, hidden at first."""
    label = QLabel(words, parent)
    label.setProperty("role", "warning")
    label.setProperty("over", parent is not None)  # of what is below it nothing shines through
    label.setContentsMargins(6, 2, 6, 2)
    label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    label.adjustSize()
    label.hide()
    return label
