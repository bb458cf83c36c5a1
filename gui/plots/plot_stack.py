"""Plot stack of a document on a common time axis; it repaints in the window's thread only."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QCursor, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QToolBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ...blocks.text.raw_types import Raw
from ...solver.diagram.edit_events import Event
from ..document.document import Document
from ..properties.name_pickers import signals_of
from ..run.run_control import RunControl
from ..run.run_history import History
from ..theme.icons import icon
from ..theme.small_widgets import Choice, laid, set_style_property, stale_banner
from .compared_runs import ComparedRuns, NewNames
from .pane_menu import PaneMenu
from .plot_export import ask_and_export
from .plot_pane import PlotPane
from .plot_rows import PlotRows
from .plot_spec import PlotSpec
from .readings_split import ReadingsSplit
from .run_curves import columns_of
from .spectrum import Spectrum

PERIOD = 50  # ms between repaints at least
RESULT = "result"  # name of a run that this window has not made
WINDOWS = {"Whole run": 0.0, "Last 1 s": 1.0, "Last 5 s": 5.0, "Last 20 s": 20.0, "Last 60 s": 60.0}


class PlotStack(QWidget):
    message = Signal(str)
    large_wanted = Signal()  # the current plot asks for the whole window, or gives it back
    pointed = Signal(object)  # the time of the cursor; None where none is shown

    def __init__(self, runner: RunControl) -> None:
        super().__init__()
        self.runner = runner
        self.document: Document | None = None
        self.panes: list[PlotPane] = []
        self._current = 0
        self.kept = ComparedRuns(self)  # earlier runs and results to compare with
        self.kept.changed.connect(self._show_kept)
        self.loaded: History | None = None  # a result shown without a run
        self._shown: dict[PlotPane, int] = {}  # version of the history that a plot shows
        self._end = 0.0  # end of the time axis during a run [s]
        self._chosen: tuple[float, float] | None = None  # the stretch of time that the user has zoomed to
        self._alone: PlotPane | None = None  # the plot that hides the others
        self._moment: float | None = None  # time of the replay [s]
        self.rows = PlotRows()
        self._tools = self._toolbar()
        self.age = stale_banner()
        self.split = ReadingsSplit(self.rows)
        column = laid(QVBoxLayout(), self.age, (self.split, 1), spacing=0)
        laid(QHBoxLayout(self), self._tools, (column, 1), margins=(0, 0, 0, 0), spacing=0)
        self._timer = QTimer(self, interval=PERIOD)
        self._timer.timeout.connect(self.tick)
        self._wider = QTimer(self, singleShot=True, interval=0)  # once for all plots of a new layout
        self._wider.timeout.connect(lambda: self.tick(force=True))
        runner.state_changed.connect(self._on_state)

    def _toolbar(self) -> QToolBar:
        bar = QToolBar(orientation=Qt.Orientation.Vertical)
        bar.setMovable(False)
        bar.setProperty("narrow", True)  # nine tools in the height that a small screen leaves
        bar.setIconSize(QSize(16, 16))

        def action(
            name: str, title: str, tip: str, slot: Callable[..., object], checkable: bool = False
        ) -> QAction:
            action = QAction(icon(name), title, self)
            action.setIconVisibleInMenu(False)
            action.setToolTip(tip)
            action.setStatusTip(tip)
            action.setCheckable(checkable)
            (action.toggled if checkable else action.triggered).connect(slot)
            bar.addAction(action)
            return action

        action("plus", "Add Plot", "Add a plot", lambda: self.add_pane())
        action("minus", "Remove Plot", "Remove the plot", lambda: self.remove_pane())
        self.cursor_action = action(
            "cursor", "Cursor", "Show a cursor with its values", self._show_cursor, checkable=True
        )
        self.second_action = action(
            "cursors",
            "Second Cursor",
            "Show a second cursor, and the change between the two",
            self._show_second,
            checkable=True,
        )
        self.measures_action = action(
            "measures",
            "Peaks and RMS",
            "Show peaks, mean and RMS of the visible span",
            self._show_measures,
            checkable=True,
        )
        self._readings = self.cursor_action, self.second_action, self.measures_action
        action("fit", "Fit", "Fit the axes to the data", self.fit)
        action("export", "Export...", "Export the plot as PNG, SVG or CSV", self.export)
        forget = action("close", "Forget Earlier Runs", "Forget earlier runs", self.forget_earlier)
        self.window_box = Choice("time", list(WINDOWS), "The stretch of time that is shown")
        self.window_box.chosen.connect(lambda _: self._follow_again())
        times = self.window_box.menu()
        times.setTitle("Time Shown")
        self.tools = [*bar.actions(), times.menuAction()]
        self.shared = [*self._readings, times.menuAction(), forget]  # by all plots
        bar.addWidget(self.window_box)
        return bar

    # ------------------------------------------------------------------ following the document

    def show_document(self, document: Document) -> None:
        if self.document is document:
            return
        document.report_to(self._on_event, self.document)
        self.document = document
        self.sync()

    def _on_event(self, event: Event) -> None:
        if event.kind in ("reset", "renamed") or (event.kind == "section" and event.name == "plots"):
            self.sync()

    def rename(self, names: NewNames) -> None:
        """Give signals, curves and parameters of all runs the names that they have now."""
        runs = self.kept.all()
        for history in {self.runner.history, self.loaded, *(run.history for run in runs)} - {None}:
            history.rename(names.signals)
        self.runner.rename(names.back)
        for run in runs:
            run.rename(names.signals)
        for pane in self.panes:
            pane.rename(names.written)

    def sync(self) -> None:
        """Synchronise the panes with the document; at least one empty pane is shown."""
        specs = [PlotSpec.of(raw) for raw in self.document.diagram.plots] if self.document else []
        specs = specs or [PlotSpec()]
        before, self.panes = self.panes, self._panes_for(specs)
        stays = bool(before) and before[self.current] in self.panes
        self.current = (
            self.panes.index(before[self.current]) if stays else min(self.current, len(self.panes) - 1)
        )
        self._arrange()
        self._show_kept()
        self.show_moment(self._moment)
        self.tick(force=True)
        stand = next((pane.cursors for pane in before if pane in self.panes), None)
        for pane in self.panes:
            if pane not in before:
                pane.cursors.join(stand, *(action.isChecked() for action in self._readings))

    def _panes_for(self, specs: list[PlotSpec]) -> list[PlotPane]:
        """Panes for the given specifications: unchanged ones keep their pane, edited ones reuse the pane at their
        place."""
        free, chosen = dict(enumerate(self.panes)), {}
        for k, spec in enumerate(specs):
            same = next((j for j, pane in free.items() if pane.spec == spec), None)
            if same is not None:
                chosen[k] = free.pop(same)
        for k, spec in enumerate(specs):
            if k not in chosen:
                chosen[k] = free.pop(k) if k in free else self._make(spec)
            if chosen[k].spec != spec:
                chosen[k].show_spec(spec)
        for gone in free.values():
            gone.deleteLater()
        return [chosen[k] for k in range(len(specs))]

    def showEvent(self, event: QShowEvent) -> None:
        """Draw the rows that arrived while the panel was hidden."""
        super().showEvent(event)
        for button in self._tools.findChildren(
            QToolButton
        ):  # the mouse may have left while it was hidden, too
            under = button.rect().contains(button.mapFromGlobal(QCursor.pos()))
            button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, under)
        self.tick(force=True)

    def show_alone(self, on: bool) -> None:
        """Show the current plot in the place of all, or all of them again."""
        self._alone = self.panes[self.current] if on else None
        self._arrange()

    def _arrange(self) -> None:
        self.rows.show_panes([pane for pane in self.panes if pane is self._alone] or self.panes)

    def _make(self, spec: PlotSpec) -> PlotPane:
        pane = PlotPane(spec)
        pane.signals_dropped.connect(lambda names, pane=pane: self.add_signals(names, self.panes.index(pane)))
        pane.menu_wanted.connect(lambda at, pane=pane: self._menu(pane, at))
        pane.cursor_moved.connect(self._move_cursor)
        pane.second_moved.connect(self._move_second)
        pane.large_wanted.connect(self.large_wanted)
        pane.cursor_wanted.connect(self._ask_cursor)
        pane.widened.connect(self._wider.start)
        pane.read.connect(lambda pane=pane: self._tell(pane))
        pane.activated.connect(lambda pane=pane: self._activate(pane))
        pane.zoomed.connect(lambda pane=pane: self._on_zoomed(pane))
        return pane

    @property
    def current(self) -> int:
        """Number of the plot that tools act on: the one that had the focus last, framed beside others."""
        return self._current

    @current.setter
    def current(self, k: int) -> None:
        self._current, self.rows.current = k, self.panes[k]
        for pane in self.panes:
            framed = pane is self.panes[k] and len(self.panes) > 1
            set_style_property(pane, "current", "true" if framed else "false")
            pane.update()
        self._tell(self.panes[k])

    def _activate(self, pane: PlotPane) -> None:
        self.current = self.panes.index(pane)

    def _tell(self, pane: PlotPane) -> None:
        """Show the readings of the current plot."""
        if pane in self.panes and pane is self.panes[self.current]:
            self.split.show_of(pane)

    # ------------------------------------------------------------------ editing: through the document

    def write(self, specs: list[PlotSpec]) -> None:
        if self.document:
            raw: list[Raw] = [spec.raw() for spec in specs if spec.y or spec.title or len(specs) > 1]
            self.document.set_section("plots", raw or None)

    def ask_large(self) -> None:
        self.large_wanted.emit()

    def say(self, text: str) -> None:
        self.message.emit(text)

    def specs(self) -> list[PlotSpec]:
        return [replace(pane.spec, y=list(pane.spec.y)) for pane in self.panes]

    def signal_names(self) -> list[str]:
        """Signals of the run, or before it those that the blocks of the diagram have."""
        if self.history:
            return self.history.columns
        return signals_of(self.document) if self.document else []

    def add_signals(self, names: list[str], pane: int | None = None) -> None:
        specs = self.specs()
        index = self.current if pane is None else pane
        specs[index].y += [name for name in names if name not in specs[index].y]
        self.write(specs)
        if pane is None:  # it was not pointed at
            where = f'the plot "{specs[index].title}"' if specs[index].title else f"plot {index + 1}"
            self.say(f"{', '.join(names)} in {where}")

    def add_pane(self, names: list[str] | None = None) -> None:
        specs = self.specs()
        specs.append(PlotSpec("" if names else f"Plot {len(specs) + 1}", names or []))
        self.write(specs)
        self.current = len(self.panes) - 1
        self.rows.reveal(self.panes[self.current])

    def remove_pane(self, index: int | None = None) -> None:
        specs = self.specs()
        specs.pop(self.current if index is None else index)
        self.write(specs)

    def _menu(self, pane: PlotPane, at: QPoint) -> None:
        self.current = self.panes.index(pane)
        PaneMenu(self, self, self.current).exec(at)

    # ------------------------------------------------------------------ following the run

    @property
    def history(self) -> History | None:
        return self.loaded or self.runner.history

    def show_age(self, older: bool) -> None:
        self.age.setVisible(older)

    def _on_state(self, state: str) -> None:
        for pane in self.panes:
            pane.show_compiling(state == "compiling")
        if state == "compiling":
            self._shown, self._end, self._chosen = {}, 0.0, None
        if state in ("running", "compiling", "paused"):
            self._timer.start()
        else:
            self._timer.stop()
            self.tick(force=True)

    def tick(self, force: bool = False) -> None:
        """Repaint after new rows; during a run all plots are drawn up to the same time."""
        history = self.history
        if history is None or not self.isVisible() or not self.panes:
            return
        version = history.version
        if force:
            self._show_kept()
            self._shown = dict.fromkeys(self.panes, version)
            self._show(self.panes, history, live=False)
            return
        if all(self._shown.get(pane) == version for pane in self.panes):
            return
        began = time.perf_counter()
        self._shown = dict.fromkeys(self.panes, version)
        self._show(self.panes, history, live=True)
        for pane in self.panes:
            pane.viewport().repaint()
        # a slow machine gets fewer pictures, not a stuck window
        spent = (time.perf_counter() - began) * 1000
        self._timer.setInterval(int(max(PERIOD, 4 * spent)))

    def _show_kept(self) -> None:
        """Redraw reference runs; needed only when they or the axes change."""
        for pane in self.panes:
            pane.show_kept(self.kept.visible(), self._chosen or (-np.inf, np.inf))

    def _show(self, panes: list[PlotPane], history: History, live: bool) -> None:
        until, span = history.span()[1], self.span(history)
        columns = {pane: pane.label_axes(history) for pane in self.panes}
        self.rows.align()
        last = self.kept.current
        for pane in panes:
            pane.run = last.name if last and last.history is history else RESULT
            pane.refresh(history, span, live, until, columns[pane])
            pane.cursors.refresh()
        self.show_moment(self._moment)

    def span(self, history: History) -> tuple[float, float]:
        if self._chosen:
            return self._chosen
        start, end = history.span()
        window = WINDOWS[self.window_box.currentText()]
        if window:
            return max(start, end - window), max(end, start + window)
        if not self.runner.active:
            return start, max(end, start + 1e-9)
        # while it grows, the axis grows by quarters
        course = self.runner.course
        stop = course.stop if course is not None else end
        if end <= start and math.isfinite(stop):
            return start, max(stop, start + 1e-9)  # it has no time yet
        if self._end < end or self._end > 4 * max(end, 1e-3):
            self._end = end * 1.25
        return start, max(min(self._end, stop), end, 1e-9)

    def _on_zoomed(self, pane: PlotPane) -> None:
        """Redraw the zoomed interval from the stored rows, not from the decimated whole."""
        if not pane.xy:
            low, high = pane.box.viewRange()[0]
            self._chosen = (float(low), float(high))
            self.tick(force=True)

    def _follow_again(self) -> None:
        self._chosen = None
        self.tick(force=True)

    def show_moment(self, time: float | None) -> None:
        """Mark the time shown by the 3-D view, in all plots with curves over time."""
        self._moment = time
        for pane in self.panes:
            pane.moment.show_at(time if pane.filled and not pane.xy else None)

    def fit(self) -> None:
        for pane in self.panes:
            pane.fixed_y = False
        self._follow_again()
        for pane in self.panes:
            if pane.xy:  # once it has its whole path again
                pane.autoRange()

    def _show_cursor(self, on: bool) -> None:
        """Show or hide the cursor; hiding it hides the second one too."""
        if not on:
            self.second_action.setChecked(False)
        for pane in self.panes:
            pane.cursors.show(on)
        self.pointed.emit(float(self.panes[0].line.value()) if on else None)

    def _ask_cursor(self, second: bool) -> None:
        (self.second_action if second else self.cursor_action).setChecked(True)

    def _move_cursor(self, at: float) -> None:
        for pane in self.panes:
            pane.cursors.place(at)
        if self.cursor_action.isChecked():
            self.pointed.emit(at)

    def _show_measures(self, on: bool) -> None:
        for pane in self.panes:
            pane.cursors.show_measures(on)

    def _show_second(self, on: bool) -> None:
        """Show or hide the second cursor; showing it shows the first too."""
        if on:
            self.cursor_action.setChecked(True)
        for pane in self.panes:
            pane.cursors.show_second(on)

    def _move_second(self, at: float) -> None:
        for pane in self.panes:
            pane.cursors.place_second(at)

    def toggle_logarithmic(self, pane: PlotPane) -> None:
        pane.set_logarithmic(not pane.logarithmic)
        self.tick(force=True)

    def show_spectrum(self, pane: PlotPane) -> None:
        """Open the spectrum of a plot's signals over the visible time interval."""
        history = self.history
        names = [column for name in pane.spec.y for column in columns_of(name, history)] if history else []
        if history is None or not history.rows or not names:
            self.message.emit("There is nothing to make a spectrum of: run the model first")
            return
        Spectrum(self, history, names, self.span(history)).show()

    def forget_earlier(self) -> None:
        self.kept.forget()

    def complete_rows(self) -> Path | None:
        """Result file of a finished run of which this window stores only a part of the rows; None otherwise."""
        history = self.runner.history
        if history is None or history is not self.history or history.complete or self.runner.active:
            return None
        return self.runner.result_path

    def export(self) -> None:
        path = self.document.path if self.document else None
        folder = path.parent if path else Path()
        said = ask_and_export(self, self.panes[self.current], self.history, folder, self.complete_rows())
        if said:
            self.message.emit(said)
