"""Variant table: status and measured numbers of each variant."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QMenu, QTreeWidget, QTreeWidgetItem

from ...blocks.errors import LuffError
from ...solver.studies.distribution_figures import changed_numbers
from ...solver.studies.run_measures import heading
from ...solver.studies.study_settings import Measure
from ...solver.studies.study_store import SelectedVariants, StudyResult
from ..theme.number_format import unit_words

LEAST, NAME = 40, 90  # px: of any column, and of a variant's name where room is short
NUMBER = Qt.ItemDataRole.UserRole
WORDS = {"finished": "done", "kept": "done", "running": "", "waiting": "queued"}


class Input(NamedTuple):
    """Parameter that differs between variants, in one unit."""

    path: str
    words: str  # with its unit
    numbers: dict[str, float]  # values by variant

    @property
    def unit(self) -> str:
        return self.words[len(self.path) :].strip(" []")


class _Row(QTreeWidgetItem):
    def __lt__(self, other: QTreeWidgetItem) -> bool:
        """Order numbers by value, text alphabetically."""
        column = self.treeWidget().sortColumn()
        mine, theirs = self.data(column, NUMBER), other.data(column, NUMBER)
        if mine is None or theirs is None:
            return self.text(column) < other.text(column)
        return mine < theirs


class VariantTable(QTreeWidget):
    opened = Signal(str)  # as the run that the window shows
    compared = Signal(str)  # beside the runs of the window

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Variants")
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setSelectionMode(QTreeWidget.SelectionMode.ExtendedSelection)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._menu)
        self.itemActivated.connect(lambda item, _: self.opened.emit(item.text(0)))
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.header().setStretchLastSection(False)
        self.header().setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.header().sectionResized.connect(self._drawn_by_hand)
        self.setTextElideMode(Qt.TextElideMode.ElideLeft)  # a variant's value stands at the end of its name
        self._by_hand = self._fitting = False
        self.setSortingEnabled(True)
        self.header().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.clear_all()

    def clear_all(self) -> None:
        self.clear()
        self._by_hand = False
        self._first = 2  # column of the first number; before it stand drawn values
        self._say_heads(["Variant", "State"])

    def _say_heads(self, heads: list[str]) -> None:
        heads = [unit_words(words) for words in heads]
        self.setColumnCount(len(heads))
        self.setHeaderLabels(heads)
        for k, words in enumerate(heads):
            self.headerItem().setToolTip(k, words)

    # ------------------------------------------------------------------ widths

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _drawn_by_hand(self) -> None:
        self._by_hand = self._by_hand or not self._fitting

    def _fit(self) -> None:
        """Fit all columns into the view: headings are narrowed first, then variant names, numbers never."""
        if self._by_hand:
            return
        columns = range(self.columnCount())
        needed = [max(self.sizeHintForColumn(k), LEAST) for k in columns]
        wide = [max(need, self.header().sectionSizeHint(k)) for k, need in zip(columns, needed, strict=True)]
        room = self.viewport().width()
        over, spare = sum(wide) - room, sum(wide) - sum(needed)
        share = min(max(over / spare, 0.0), 1.0) if spare > 0 else 0.0
        wide = [int(w - share * (w - need)) for w, need in zip(wide, needed, strict=True)]
        wide[0] = max(min(wide[0], NAME), wide[0] - max(sum(wide) - room, 0))
        self._fitting = True
        for k in columns:
            self.header().resizeSection(k, wide[k])
        self._fitting = False

    def rows(self) -> dict[str, QTreeWidgetItem]:
        items = [self.topLevelItem(k) for k in range(self.topLevelItemCount())]
        return {item.text(0): item for item in items if item is not None}

    def chosen(self) -> list[str]:
        """Selected variants, or all of them if none is selected."""
        every = self.rows()
        return [name for name, item in every.items() if item.isSelected()] or list(every)

    def show_states(self, states: Sequence[tuple[str, str, float]], messages: Mapping[str, str]) -> None:
        """Show the name, status and progress of each variant."""
        rows = self.rows()
        if rows.keys() != {name for name, _, _ in states}:  # their order may be the user's
            self.clear()
            rows = {}
        for name, status, share in states:
            item = rows.get(name)
            if item is None:
                item = _Row([name, ""])
                self.addTopLevelItem(item)
            item.setText(1, WORDS.get(status, status) or f"{100 * share:.0f} %")
            item.setToolTip(0, name)
            item.setToolTip(1, messages.get(name, ""))
        self._fit()

    def show_numbers(
        self, results: StudyResult, measures: Sequence[Measure], inputs: Sequence[Input] = ()
    ) -> None:
        heads = [one.words for one in inputs]
        for measure in measures:
            unit = unit_of(results, measure)
            heads.append(f"{heading(measure)} [{unit}]" if unit else heading(measure))
        self._first = 2 + len(inputs)
        self._say_heads(["Variant", "State", *heads])
        for name, item in self.rows().items():
            for k, one in enumerate(inputs):
                self._set_cell(item, 2 + k, one.numbers.get(name, math.nan), "")
            for k, measure in enumerate(measures):
                self._set_cell(item, self._first + k, *number_of(results, name, measure))
        self._fit()

    def _set_cell(self, item: QTreeWidgetItem, column: int, value: float, why: str) -> None:
        item.setText(column, "" if math.isnan(value) else f"{value:.5g}")
        item.setData(column, NUMBER, value)
        item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight)
        item.setToolTip(column, why)

    def numbers(self, k: int) -> dict[str, float]:
        """Column k of measured numbers for the chosen variants; NaN where there is none."""
        rows = self.rows()
        numbers = {name: rows[name].data(self._first + k, NUMBER) for name in self.chosen()}
        return {name: math.nan if value is None else value for name, value in numbers.items()}

    def head(self, k: int) -> str:
        """Heading of a column of numbers."""
        return self.headerItem().text(self._first + k)

    def _menu(self, at: QPoint) -> None:
        item = self.itemAt(at)
        if item is None:
            return
        menu = QMenu(self)
        menu.addAction("Open as a Run", lambda: self.opened.emit(item.text(0)))
        menu.addAction("Add to the Runs", lambda: self.compared.emit(item.text(0)))
        menu.exec(self.viewport().mapToGlobal(at))


def inputs_of(results: StudyResult, paths: Sequence[str]) -> list[Input]:
    """Values of the variants at each path, for paths with numbers."""
    given = []
    for path in paths:
        names = [name for name, changes in results.changes.items() if path in changes]
        if not names:
            continue
        try:
            values, words = changed_numbers(SelectedVariants(results, names), path)
        except LuffError:  # words, of a choice
            continue
        given.append(Input(path, words, dict(zip(names, values.tolist(), strict=True))))
    return given


def number_of(results: StudyResult, name: str, measure: Measure) -> tuple[float, str]:
    """Measured number of a variant; NaN and the reason if there is none."""
    if name not in results:
        return math.nan, results.messages.get(name, "")
    try:
        return results.measured(name, measure), ""
    except (LuffError, KeyError) as error:
        return math.nan, str(error)


def unit_of(results: StudyResult, measure: Measure) -> str:
    """Unit of a measured number, as it is shown."""
    try:
        return results.shown_unit(measure)
    except (LuffError, KeyError):
        return measure.unit
