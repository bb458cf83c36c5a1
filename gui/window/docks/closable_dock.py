"""Dock of a panel that is opened on demand."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDockWidget


class ClosableDock(QDockWidget):
    """Dock that tells when it is closed; one behind another tab is not."""

    closed = Signal()

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()
