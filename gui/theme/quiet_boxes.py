"""Boxes that ignore the wheel: a panel that is scrolled under the mouse keeps its settings."""

from __future__ import annotations

from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QSpinBox


class QuietCombo(QComboBox):
    """Combo box that leaves the wheel to what it stands in."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class QuietSpin(QSpinBox):
    """Box of a whole number that leaves the wheel to what it stands in."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class QuietDoubleSpin(QDoubleSpinBox):
    """Box of a number that leaves the wheel to what it stands in."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
