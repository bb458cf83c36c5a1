"""Button that folds what stands below it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget


class FoldButton(QToolButton):
    """Line above a body that it folds and unfolds."""

    def __init__(self, text: str, tip: str, body: QWidget):
        super().__init__()
        self.setText(text)
        self.setToolTip(tip)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setStyleSheet(
            "QToolButton { text-align: left; padding: 2px; } QToolButton:checked { background: transparent; }"
        )
        self._body = body
        self.toggled.connect(self._fold)

    def start(self, opened: bool) -> None:
        """Show the body or not, before anyone folds it."""
        self.setChecked(opened)
        self._fold(opened)

    def _fold(self, opened: bool) -> None:
        self._body.setVisible(opened)
        self.setArrowType(Qt.ArrowType.DownArrow if opened else Qt.ArrowType.RightArrow)
