"""Input fields shared by dialogs: names of the model, state and time."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QLineEdit

from ....blocks.errors import LuffError
from ...theme.completion_list import CompletionList, Names
from .work_dialog import words_of

AT_TIME = "Time at which sources and plans are taken"
ABOUT = "About which state: where all rests, or the first"


def names_line(names: Names, example: str, several: bool = True) -> QLineEdit:
    field = QLineEdit(placeholderText=example)
    CompletionList(field, names, several)
    return field


def at_time() -> QDoubleSpinBox:
    return QDoubleSpinBox(decimals=3, minimum=-1e9, maximum=1e9, suffix=" s")


def at_state() -> QComboBox:
    box = QComboBox()
    box.addItems(["equilibrium", "initial"])
    return box


def wanted(field: QLineEdit, what: str) -> list[str]:
    """Names in a field; raises LuffError if there is none."""
    names = words_of(field.text())
    if not names:
        raise LuffError(f"found no {what}, expected one such as {field.placeholderText()}")
    return names
