"""Small parts of the panel of studies: rows of its tree, buttons, boxes to choose from, and how they stand together."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QTreeWidgetItem, QVBoxLayout, QWidget

WHAT = Qt.ItemDataRole.UserRole


def add(head: QTreeWidgetItem, words: list[str], what: tuple[str, object] | None, tip: str) -> None:
    item = QTreeWidgetItem(words)
    item.setData(0, WHAT, what)
    for column in range(2):
        item.setToolTip(column, tip)
    head.addChild(item)
    if not words[1]:
        item.setFirstColumnSpanned(True)


def button(text: str, tip: str, slot: Callable[[], object] | SignalInstance) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tip)
    button.clicked.connect(slot)
    return button


def choice(name: str, slot: Callable[[], None]) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.currentIndexChanged.connect(lambda _: slot())
    return box


def row(*widgets: QWidget) -> QHBoxLayout:
    line = QHBoxLayout()
    line.setSpacing(4)
    for widget in widgets:
        line.addWidget(widget)
    return line


def stacked(*parts: QWidget | QHBoxLayout) -> QWidget:
    both = QWidget()
    lines = QVBoxLayout(both)
    lines.setContentsMargins(0, 2, 0, 0)
    lines.setSpacing(2)
    for part in parts:
        lines.addLayout(part) if isinstance(part, QHBoxLayout) else lines.addWidget(part)
    return both


def refill(box: QComboBox, words: list[str], first: str = "") -> None:
    """Other words; the one that was chosen stays, if it is still there."""
    before = box.currentText()
    box.blockSignals(True)
    box.clear()
    box.addItems(words)
    for word in (first, before):
        if word in words:
            box.setCurrentText(word)
    box.blockSignals(False)
