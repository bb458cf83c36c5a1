"""Run list panel: visibility, colour and name of runs, and the parameters in which they differ."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMenu,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ...blocks import LuffError
from ...solver.results import file_formats
from ..run.run_history import History
from ..theme.active_theme import paper
from ..theme.icons import swatch
from ..theme.number_format import unit_words
from ..theme.small_widgets import DeleteKey, WrappedRows, laid, push_button
from .compared_runs import ComparedRun, ComparedRuns

RUN = Qt.ItemDataRole.UserRole
LISTED = 8  # differing parameters that are named


class RunList(QWidget):
    message = Signal(str)

    def __init__(self, kept: ComparedRuns):
        super().__init__()
        self.kept = kept
        self.unit_of: Callable[[str], str] = lambda path: ""  # unit of a parameter; set by the window
        self._filling = False
        self.tree = QTreeWidget()
        self.tree.setHeaderLabels(["Run", "Ends at", "Differs from the current run in"])
        self.tree.setRootIsDecorated(False)
        self.tree.setItemDelegate(WrappedRows(self.tree))
        self.tree.setAccessibleName("Runs")
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.header().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._menu)
        self.tree.itemChanged.connect(self._changed)
        self.add_button = push_button(
            "Add Result...", "Draw a saved result beside the runs of this window", self.ask_for_result
        )
        self.forget_button = push_button("Throw Away", "Forget the selected run (Del)", self.remove_selected)
        self.tree.currentItemChanged.connect(lambda *_: self._offer())
        self.empty = QLabel("Runs are listed here: press Run, or add a result")
        self.empty.setProperty("role", "muted")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        laid(QVBoxLayout(self.tree.viewport()), self.empty)
        DeleteKey(self.tree).pressed.connect(self.remove_selected)
        buttons = laid(QHBoxLayout(), self.add_button, self.forget_button, None)
        laid(QVBoxLayout(self), self.tree, buttons, margins=(4, 4, 4, 4))
        kept.changed.connect(self.fill)
        self.fill()

    def fill(self) -> None:
        """Update the rows, one per run. Existing rows are reused, since a row must outlive the signal of its check
        box."""
        runs = [*([self.kept.current] if self.kept.current else []), *reversed(self.kept.earlier)]
        chosen = self.selected()
        self._filling = True
        if [item.data(0, RUN) for item in self._rows()] != runs:
            self.tree.clear()
            for run in runs:
                item = QTreeWidgetItem()
                item.setData(0, RUN, run)
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
                self.tree.addTopLevelItem(item)
                if run is chosen:
                    self.tree.setCurrentItem(item)
        for run, item in zip(runs, self._rows(), strict=True):
            self._fill_item(run, item)
        self._filling = False
        self.empty.setVisible(not runs)
        self._offer()

    def _offer(self) -> None:
        """Enable *Throw Away* for a run that can be: the current one, with which all are compared, stays."""
        run = self.selected()
        self.forget_button.setEnabled(run is not None and run is not self.kept.current)

    def _rows(self) -> list[QTreeWidgetItem]:
        items = [self.tree.topLevelItem(k) for k in range(self.tree.topLevelItemCount())]
        return [item for item in items if item is not None]

    def _fill_item(self, run: ComparedRun, item: QTreeWidgetItem) -> None:
        item.setText(0, run.name)
        item.setText(1, f"{run.history.span()[1]:.4g} s")
        item.setText(2, self._differences(run))
        if run is not self.kept.current:
            item.setCheckState(0, Qt.CheckState.Checked if run.shown else Qt.CheckState.Unchecked)
            item.setIcon(0, swatch(run.ink(paper())))
            item.setToolTip(0, "Kept until it is thrown away" if run.pinned else "Goes after five more runs")
        else:
            item.setText(2, "this is the current run")
        last = self.kept.current
        told = (
            f"{k}: {self._parameter_history(run, k, a)}, now {self._parameter_history(last, k, b) if last else ''}"
            for k, (a, b) in self._all(run)
        )
        item.setToolTip(2, "\n".join(told))

    def _all(self, run: ComparedRun) -> list[tuple[str, tuple[object, object]]]:
        return list(self.kept.differences(run).items())

    def _differences(self, run: ComparedRun) -> str:
        last = self.kept.current
        if last is None:
            return "there is no run to compare with"
        differing = self._all(run)
        own = {*run.written, *last.written, *run.moved, *last.moved}
        set_here = [(name, both) for name, both in differing if name in own] or differing
        differences = [f"{name} = {self._parameter_history(run, name, mine)}" for name, (mine, _) in set_here]
        more = f", and {len(differences) - LISTED} more" if len(differences) > LISTED else ""
        inside = len(differing) - len(set_here)
        more += f"; {inside} more inside blocks" if inside else ""
        return ", ".join(differences[:LISTED]) + more if differences else "nothing"

    def _parameter_history(self, run: ComparedRun, path: str, value: object) -> str:
        """Parameter value of a run; if it changed during the run, the first value and the time of the change."""
        if path not in run.moved:
            return self._word(path, value)
        first, when = run.moved[path]
        return f"{self._word(path, first)}, from {when:.4g} s on {self._word(path, value)}"

    def _word(self, path: str, value: object) -> str:
        if value is None:
            return "not there"
        number = f"{value:.6g}" if isinstance(value, float) else str(value)
        return f"{number} {unit_words(self.unit_of(path))}".strip() if isinstance(value, float) else number

    def selected(self) -> ComparedRun | None:
        item = self.tree.currentItem()
        return item.data(0, RUN) if item is not None else None

    def _changed(self, item: QTreeWidgetItem) -> None:
        """Apply an edited name or a changed check mark."""
        if self._filling:
            return
        run = item.data(0, RUN)
        run.name = item.text(0).strip() or run.name
        if run is not self.kept.current:
            run.shown = item.checkState(0) == Qt.CheckState.Checked
        self.kept.touch()

    def _menu(self, at: QPoint) -> None:
        run = self.selected()
        item = self.tree.itemAt(at)
        if run is None or item is None:
            return
        menu = QMenu(self)
        menu.addAction("Rename", lambda: self.tree.editItem(item, 0))
        if run is not self.kept.current:
            inks = menu.addMenu("Colour")
            inks.addAction(swatch(run.quiet_ink(paper())), "Quiet", lambda: self.colour(run, ""))
            for name, ink in zip(paper().names, paper().curves, strict=True):
                inks.addAction(swatch(ink), name, lambda ink=ink: self.colour(run, ink))
            keep = menu.addAction("Keep", lambda: self.pin(run))
            keep.setCheckable(True)
            keep.setChecked(run.pinned)
            menu.addAction("Throw Away", lambda: self.kept.remove(run))
        menu.exec(self.tree.viewport().mapToGlobal(at))

    def colour(self, run: ComparedRun, ink: str) -> None:
        run.colour = ink
        self.kept.touch()

    def pin(self, run: ComparedRun) -> None:
        run.pinned = not run.pinned
        self.kept.touch()

    def remove_selected(self) -> None:
        run = self.selected()
        if run is not None:
            self.kept.remove(run)

    def ask_for_result(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Add Result", "", file_formats.open_filter())
        if name:
            self.add_result(Path(name))

    def add_result(self, path: Path) -> None:
        """Add a saved result as a reference run."""
        from ...solver.results.result import read_result

        try:
            result = read_result(path)
        except (LuffError, OSError) as error:
            self.message.emit(str(error))
            return
        used = [run.colour for run in self.kept.earlier]
        inks = [ink for ink in paper().curves[1:] if ink not in used] or [paper().curves[1]]
        self.kept.add(
            ComparedRun(path.name, History.of(result), dict(result.parameters), inks[0], pinned=True)
        )
