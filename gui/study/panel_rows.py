"""Widgets of the study panel: tree rows, buttons, combo boxes and their layout."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QTreeWidgetItem, QVBoxLayout, QWidget

from ..theme.quiet_boxes import QuietCombo
from ..theme.small_widgets import laid

WHAT = Qt.ItemDataRole.UserRole


def add(head: QTreeWidgetItem, words: list[str], what: tuple[str, object] | None, tip: str) -> None:
    item = QTreeWidgetItem(words)
    item.setData(0, WHAT, what)
    for column in range(2):
        item.setToolTip(column, tip)
    head.addChild(item)
    if not words[1]:
        item.setFirstColumnSpanned(True)


def choice(name: str, slot: Callable[[], None]) -> QComboBox:
    box = QuietCombo()
    box.setAccessibleName(name)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.currentIndexChanged.connect(lambda _: slot())
    return box


def row(*widgets: QWidget) -> QHBoxLayout:
    return laid(QHBoxLayout(), *widgets, spacing=4)


def stacked(*parts: QWidget | QHBoxLayout) -> QWidget:
    both = QWidget()
    laid(QVBoxLayout(both), *parts, margins=(0, 2, 0, 0), spacing=2)
    return both


def refill(box: QComboBox, words: list[str], first: str = "") -> None:
    """Replace a combo box's entries; the current choice stays if it still exists."""
    before = box.currentText()
    box.blockSignals(True)
    box.clear()
    box.addItems(words)
    for word in (first, before):
        if word in words:
            box.setCurrentText(word)
    box.blockSignals(False)
