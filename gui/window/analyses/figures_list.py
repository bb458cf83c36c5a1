"""Figures of an answer: a list of names and values beside the settings, which wraps where it has no room."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from ....solver.results.verdict import Verdict
from ...theme.breakable_names import breakable
from ...theme.number_format import unit_words
from ...theme.small_widgets import text_label

BAD = ("unstable", Verdict.FAILS.shown)  # words with which what is told in red begins
NAME, VALUE = 2, 3  # shares of the width
UNBROKEN = 8  # letters in a row of a name in one line
JOINED, UNITS = "\u2060/\u2060", re.compile(r"(?<=\S)/(?=\S)")  # a unit is not parted at its stroke


class FiguresList(QWidget):
    """Rows of an answer: the name at the left, its value and what belongs to it at the right."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Figures")
        self._rows: list[list[str]] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(0, NAME)
        self._grid.setColumnStretch(1, VALUE)
        self.hide()

    def show_rows(self, rows: Iterable[Sequence[str]]) -> None:
        """Show other rows: name, value, and what belongs to the value; none hide the list."""
        while item := self._grid.takeAt(0):
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        self._rows = [list(row) for row in rows]
        for k, (name, *told) in enumerate(self._rows):
            bad = any(words.startswith(BAD) for words in told)
            self._grid.addWidget(_cell(name, "muted"), k, 0)
            self._grid.addWidget(_cell("\n".join(filter(None, told)), "error" if bad else ""), k, 1)
        self.setVisible(bool(self._rows))

    def rows(self) -> list[list[str]]:
        """Rows as they were given."""
        return self._rows


def _cell(text: str, role: str) -> QLabel:
    text = unit_words(text)
    text_that_wraps = UNITS.sub(JOINED, breakable(text, UNBROKEN))
    label = text_label(text_that_wraps, role, wraps=True)
    label.setToolTip(text)
    label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    return label
