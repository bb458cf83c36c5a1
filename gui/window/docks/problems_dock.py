"""Problems dock: errors and warnings in the netlist's words; a click shows the block."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QLabel,
    QStackedLayout,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from ....blocks.errors import Problem
from ...canvas.problem_marks import MARKS
from ...document.document import INCOMPLETE
from ...document.repairs import offers
from ...theme.icons import icon
from ...theme.small_widgets import WrappedRows, laid_left, push_button
from ...theme.window_words import in_window, placed

SUBJECT = Qt.ItemDataRole.UserRole


def where(problem: Problem) -> str:
    """Block of a problem and its position in the file."""
    subject, mark = problem.path.removeprefix("blocks."), placed(problem).mark
    place = f"{Path(mark.file).name}:{mark.line}:{mark.column}" if mark else ""
    return f"{subject} ({place})" if subject and place else subject or place


def _words(problem: Problem) -> str:
    """Message of a problem, with the advice that its button, which only removes, does not give."""
    advice = problem.fix if problem.spare and type(problem.fix) is str else ""
    return f"{problem.message} ({advice})" if advice else problem.message


class ProblemList(QWidget):
    clicked = Signal(str)  # the path of a problem
    repair_wanted = Signal(object, object)  # a Problem that has `offers`, and one of them

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[tuple[str, Problem]] = []  # each with its mark
        self.tree = QTreeWidget()
        self.tree.setAccessibleName("Problems")
        self.tree.setColumnCount(3)
        self.tree.setHeaderLabels(["Where", "What", "Likely fix"])
        self.tree.setRootIsDecorated(False)
        self.tree.setItemDelegate(WrappedRows(self.tree))
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        for column in (1, 2):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        self.tree.itemClicked.connect(self._click)
        self.tree.itemActivated.connect(self._click)
        self.empty = QLabel("No problems")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setProperty("role", "muted")
        self.stack = QStackedLayout(self)
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self.tree)

    def show_problems(
        self, problems: list[Problem], mark_of: Callable[[Problem], str] = attrgetter("severity")
    ) -> None:
        rows = sorted(
            [(mark_of(problem), problem) for problem in problems],
            key=lambda row: (MARKS.index(row[0]), row[1].severity),
        )
        if rows == self._rows:
            return
        self._rows = rows
        focus = QApplication.focusWidget()
        if focus is not None and self.tree.isAncestorOf(focus):
            self.tree.setFocus()  # not what comes behind the buttons, which go
        bar = self.tree.verticalScrollBar()
        scrolled = bar.value()
        self.tree.clear()
        for mark, problem in rows:
            item = QTreeWidgetItem([where(problem), in_window(_words(problem)), in_window(problem.fix)])
            item.setIcon(0, icon(mark, "muted" if mark == INCOMPLETE else mark))
            item.setData(0, SUBJECT, problem.path)
            for k in range(3):
                item.setToolTip(k, in_window(str(placed(problem))))
            self.tree.addTopLevelItem(item)
            buttons = [
                push_button(one.text, one.tip, lambda *_, p=problem, one=one: self.repair_wanted.emit(p, one))
                for one in offers(problem)
            ]
            if buttons:
                item.setText(2, "")
                self.tree.setItemWidget(item, 2, laid_left(*buttons))
        self.tree.setColumnHidden(2, not any(problem.fix or problem.spare for problem in problems))
        self.stack.setCurrentIndex(1 if problems else 0)
        self.tree.doItemsLayout()
        bar.setValue(scrolled)  # one mend after the other, without a way back to it

    def _click(self, item: QTreeWidgetItem) -> None:
        self.clicked.emit(item.data(0, SUBJECT))
