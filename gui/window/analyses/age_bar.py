"""Bar above an answer that is of an older model."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QHBoxLayout

from ...theme.small_widgets import laid, push_button, text_label

OLD = "Of an older model"
EDGE = 10  # px


class AgeBar(QFrame):
    """Bar with a button that computes the answer again."""

    def __init__(self, again: Callable[[], None]) -> None:
        super().__init__()
        self.setProperty("role", "age")
        self.words = text_label(OLD, "warning")
        self.again = push_button("Run again", "Compute it for the model as it is now", again)
        self.again.setProperty("link", True)
        laid(QHBoxLayout(self), self.words, self.again, None, margins=(EDGE, 2, EDGE, 2), spacing=8)
        self.hide()
