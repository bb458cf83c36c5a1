"""Study panel: varied parameters, measures, table, curves and bars of the variants."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TypeVar, cast

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QProgressBar,
    QSizePolicy,
    QSplitter,
    QTabWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ...blocks.errors import LuffError
from ...blocks.text.raw_types import Raw
from ...solver.studies.run_measures import heading
from ...solver.studies.study_settings import Measure
from ...solver.studies.study_store import StudyResult
from ...solver.studies.study_tables import shares_of
from ..plots.graph import Graph
from ..theme.number_format import unit_words, units_in_print
from ..theme.small_widgets import DeleteKey, ElidedLabel, laid, push_button
from .metric_curves import curve_inputs, metric_picture
from .panel_rows import WHAT, add, choice, refill, row, stacked
from .random_draws import RandomLine, drawn_words, law_of
from .study_draft import Draft
from .study_plots import VariantBars, VariantCurves, VariantSpread
from .study_process import State
from .study_questions import Check, Look, MeasureDialog, VaryDialog
from .typed_values import in_short, shown
from .variant_table import Input, VariantTable, inputs_of, unit_of

MOST = 0.4  # of the width, for what is asked
BEGIN, MEASURE = "Press Vary... to begin", "Press Metric... to measure"
EACH_ITS_OWN, BANDS = "each its own colour", "bands of percentiles"
EACH_A_BAR, INDICES, OVER = "each variant", "Sobol indices", "over "
TABLE, METRICS = 0, 2  # tabs
LOW = 24  # px of a metric's curve, with its axis below: as much as a window of 540 px leaves
CONFIDENCE = 0.95  # confidence level of the indices' intervals
HOW_OFTEN = "how often"
STARTING = "Compiling"  # until the runs report
Picture = TypeVar("Picture", bound=QWidget)
HINT = "Or right-click a parameter and choose Vary in a Study"


class StudyPanel(QWidget):
    run_wanted = Signal()
    stop_wanted = Signal()
    open_wanted = Signal()
    save_wanted = Signal()
    report_wanted = Signal()
    variant_opened = Signal(str)
    variant_compared = Signal(str)
    asking = Signal()  # before a question: what the diagram has now is to be known

    def __init__(self) -> None:
        super().__init__()
        self.draft = Draft()
        self.results: StudyResult | None = None
        self.inputs: list[Input] = []  # inputs in which the variants differ
        self.active = False  # a run of variants is under way, even if another study is shown by now
        self.signals: list[str] = []
        self.paths: list[str] = []
        self._pictured = False
        self.usual = ""  # the signal that is measured where nothing is said
        self.look: Look = lambda path: (None, "")
        self.check: Check = lambda path, value: ""
        box = laid(QVBoxLayout(self), self._buttons(), margins=(4, 4, 4, 4))
        self.across = across = QSplitter(Qt.Orientation.Horizontal)
        across.addWidget(self._asked())
        across.addWidget(self._found())
        across.setStretchFactor(1, 1)
        box.addWidget(across, 1)
        self.show_draft(self.draft)
        across.setSizes([230, 590])  # now that what is not needed on the left is hidden

    # ------------------------------------------------------------------ parts

    def _buttons(self) -> QHBoxLayout:
        self.vary_button = push_button(
            "Vary...", "Give a parameter several values", lambda: self.ask_values("")
        )
        self.metric_button = push_button("Metric...", "Measure a number of each run", self.ask_metric)
        self.run_button = push_button("Run Study", "Run all variants that were not run yet", self.run_wanted)
        self.stop_button = push_button(
            "Cancel", "End the study; variants that are done stay", self.stop_wanted
        )
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setMinimumWidth(20)
        self.bar.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.bar.setAccessibleName("Progress of the study")
        self.state = ElidedLabel()
        self.state.setProperty("role", "muted")
        steps = (self.vary_button, self.metric_button, self.run_button, self.stop_button)
        line = row(*steps, self.bar, self.state)
        line.setStretchFactor(self.bar, 1)
        return line

    def _asked(self) -> QWidget:
        self.tree = QTreeWidget()
        self.tree.setColumnCount(2)
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName("What the study varies and measures")
        self.tree.itemActivated.connect(lambda item, _: self._edit(item))
        self.tree.setIndentation(12)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        DeleteKey(self.tree).pressed.connect(self.remove_selected)
        self.random = RandomLine()
        self.random.changed.connect(self._say_random)
        self.open_button = push_button("Open...", "Open a study file", self.open_wanted)
        self.save_button = push_button("Save...", "Save as a study file", self.save_wanted)
        self.report_button = push_button(
            "Report...", "Write tables and figures into a folder", self.report_wanted
        )
        files = (self.open_button, self.save_button, self.report_button)
        for button in files:
            button.setProperty("compact", True)
        below = row(*files)
        below.addStretch(1)
        return stacked(self.tree, self.random, below)

    def _found(self) -> QWidget:
        self.table = VariantTable()
        self.table.opened.connect(self.variant_opened)
        self.table.compared.connect(self.variant_compared)
        self.table.itemSelectionChanged.connect(self._draw)
        self.signal_box = choice("Signal of the curves", self._draw_curves)
        self.colour_box = choice("Colour of the curves", self._draw_curves)
        self.number_box = choice("Metric that is drawn", self._draw_metric)
        self.bars_box = choice("What the metric is drawn over", self._draw_metric)
        self.spread_box = choice("Number whose distribution is drawn", self._draw_spread)
        self.over_box = choice("What it is drawn over", self._draw_spread)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName("Results of the study")
        self.tabs.addTab(self.table, "Table")
        self.tabs.addTab(stacked(row(self.signal_box, self.colour_box)), "Curves")
        self.tabs.addTab(stacked(row(self.number_box, self.bars_box)), "Metrics")
        self.tabs.addTab(stacked(row(self.spread_box, self.over_box)), "Distribution")
        self.tabs.currentChanged.connect(lambda _: self._draw())
        return self.tabs

    # ------------------------------------------------------------------ the study

    def know(
        self, paths: Sequence[str], signals: Sequence[str], usual: str, look: Look, check: Check
    ) -> None:
        """Set what the diagram offers: paths, signals, the usual signal, and lookup and check of parameter values."""
        self.paths, self.signals, self.usual = list(paths), list(signals), usual
        self.look, self.check = look, check

    def show_draft(self, draft: Draft) -> None:
        """Show another study."""
        self.draft, self.results = draft, None
        self.table.clear_all()
        self.fill()

    def fill(self) -> None:
        self.tree.clear()
        varied, numbers = QTreeWidgetItem(["Parameters", ""]), QTreeWidgetItem(["Metrics", ""])
        for head in (varied, numbers):
            head.setFlags(Qt.ItemFlag.ItemIsEnabled)
            self.tree.addTopLevelItem(head)
        for path, axis in self.draft.axes().items():
            words = (
                in_short(axis)
                if isinstance(axis, list)
                else ", ".join(map(str, axis if isinstance(axis, dict) else [axis]))
            )
            add(varied, [path, words], ("axis", path), f"{path}: {words}")
        for path, law in self.draft.draws().items():
            words = units_in_print(drawn_words(law))
            add(varied, [path, words], ("axis", path), f"{path}: {words}")
        self.random.show_random(self.draft.random())
        for words in self.draft.others():
            add(varied, [words, "in the file"], None, "Variants that only the study file says")
        for where, measure in self.draft.measures():
            add(numbers, [heading(measure), unit_words(measure.unit)], ("number", where), heading(measure))
        if not varied.childCount():
            add(varied, [BEGIN, ""], None, HINT)
        elif not numbers.childCount():
            add(numbers, [MEASURE, ""], None, "Numbers of each run, in the table and as bars")
        self.tree.expandAll()
        self._make_room()
        self._count()
        self.show_results(self.results)

    def _make_room(self) -> None:
        """Widen the tree to its words, as far as results keep most of the width."""
        columns = sum(self.tree.sizeHintForColumn(k) for k in range(2))
        columns += 2 * self.tree.indentation() + 4 * self.tree.frameWidth()
        now = self.across.sizes()
        wanted = min(columns, int(MOST * sum(now)))
        if wanted > now[0]:
            self.across.setSizes([wanted, sum(now) - wanted])

    def _count(self) -> None:
        try:
            count = len(self.draft.variants())
        except LuffError as error:
            self.state.setText(str(error).replace("\n", "  "))
            return
        self.state.setText(f"{count} variants" if count > 1 else "")

    def vary(self, path: str, values: list[Raw], law: str = "") -> None:
        if not self.draft.axes() and not self.draft.measures() and self.usual:
            self.draft.add_measure("peak", self.usual)
        if law:
            self.draft.draw(path, law, values)
        else:
            self.draft.vary(path, values)
        self.fill()

    def _say_random(self, key: str, value: Raw) -> None:
        self.draft.say_random(key, value)
        self._count()

    def add_measure(self, metric: str, of: str, target: str = "", unit: str = "") -> None:
        self.draft.add_measure(metric, of, target, unit)
        self.fill()

    def ask_values(self, path: str) -> None:
        self.asking.emit()
        law, values = law_of(self.draft.draws().get(path))
        axis = values if law else self.draft.axes().get(path)
        given = shown(axis) if isinstance(axis, list) else ""
        dialog = VaryDialog(self, path, self.paths, self.look, self.check, given, law)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(
            lambda: self.vary(dialog.path.currentText().strip(), dialog.values, dialog.law)
        )
        dialog.open()

    def ask_metric(self) -> None:
        self.asking.emit()
        dialog = MeasureDialog(self, self.signals)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(lambda: self.add_measure(*dialog.answer()))
        dialog.open()

    def _edit(self, item: QTreeWidgetItem) -> None:
        what = item.data(0, WHAT)
        if what and what[0] == "axis" and not isinstance(self.draft.axes().get(what[1]), dict):
            self.ask_values(what[1])

    def remove_selected(self) -> None:
        item = self.tree.currentItem()
        what = item.data(0, WHAT) if item is not None else None
        if what is None:
            return
        if what[0] == "axis":
            self.draft.keep(what[1])
        else:
            self.draft.forget(tuple(what[1]))
        self.fill()

    # ------------------------------------------------------------------ its runs

    def set_active(self, on: bool) -> None:
        if on and not self.active:
            self.bar.setValue(0)
            self.state.setText(STARTING)
        self.active = on
        self.run_button.setEnabled(not on)
        self.stop_button.setEnabled(on)
        self.report_button.setEnabled(not on and self.results is not None)

    def show_progress(self, states: list[State]) -> None:
        done = sum(share if status == "running" else status != "waiting" for _, status, share in states)
        self.bar.setValue(round(1000 * done / max(1, len(states))))
        ready = sum(status in ("finished", "kept", "failed") for _, status, _ in states)
        self.state.setText(f"{ready} of {len(states)} variants")
        self.table.show_states([(name, status, share) for name, status, share in states], {})

    def show_results(self, results: StudyResult | None) -> None:
        self.results = results
        self.set_active(self.active)
        if results is None:
            self._draw()
            return
        states = [(name, status, 1.0) for name, status in results.statuses.items()]
        self.table.show_states(states, results.messages)
        varied = [*self.draft.draws(), *self.draft.axes()]
        self.inputs = inputs_of(results, varied)
        drawn = [one for one in self.inputs if one.path in self.draft.draws()]
        self.table.show_numbers(results, self._measures(), self.inputs)
        for box in (self.number_box, self.spread_box):
            refill(box, [heading(measure) for measure in self._measures()])
        paths = [one.path for one in self.inputs]
        refill(self.over_box, [HOW_OFTEN, *paths])
        bands = [BANDS] if drawn else []
        refill(self.colour_box, [EACH_ITS_OWN, *bands, *paths], drawn[0].path if drawn else "")
        paired = self.draft.random().get("sampling") == "saltelli"
        over = [OVER + one.path for one in curve_inputs(results, self.inputs, [*self.draft.draws()])]
        refill(self.bars_box, [*over, EACH_A_BAR, *([INDICES] if paired else [])], INDICES if paired else "")
        self.bars_box.setVisible(self.bars_box.count() > 1)
        first = next(iter(results.values()), None)
        columns = list(first.columns) if first is not None else []
        self.asking.emit()
        telling = [
            *self.draft.curves(),
            *(measure.of for measure in self._measures()),
            self.usual,
            *self.signals,
        ]
        refill(self.signal_box, columns, next((name for name in telling if name in columns), ""))
        self._draw()

    def open_results(self, results: StudyResult) -> None:
        """Show results of a run that has ended; the first ones of a metric over a parameter as its curve."""
        first = self.results is None and self.tabs.currentIndex() == TABLE
        self.show_results(results)
        if first and self._measures() and self.bars_box.currentText().startswith(OVER):
            self.tabs.setCurrentIndex(METRICS)

    def _measures(self) -> list[Measure]:
        return [measure for _, measure in self.draft.measures()]

    # ------------------------------------------------------------------ pictures

    @cached_property
    def curves(self) -> VariantCurves:
        return self._placed(VariantCurves(), 1)

    @cached_property
    def bars(self) -> VariantBars:
        return self._placed(VariantBars(), METRICS)

    @cached_property
    def sweep(self) -> Graph:
        made = Graph("Metric over a parameter")
        made.curves_height = LOW
        return self._placed(made, METRICS)

    @cached_property
    def spread(self) -> VariantSpread:
        made = self._placed(VariantSpread(), 3)
        made.picked.connect(self._select)
        return made

    def _placed(self, made: Picture, tab: int) -> Picture:
        """Insert a plot created on first use, so that a window opens faster."""
        page = cast("QWidget", self.tabs.widget(tab))
        cast("QVBoxLayout", page.layout()).addWidget(made)
        self._pictured = True
        return made

    def _draw(self) -> None:
        if self.results is None and not self._pictured and self.tabs.currentIndex() == 0:
            return
        self._draw_curves()
        self._draw_metric()
        self._draw_spread()

    def _input(self, box: QComboBox) -> Input | None:
        return next((one for one in self.inputs if one.path == box.currentText()), None)

    def _select(self, name: str) -> None:
        """Select a variant in the table after its point was clicked."""
        self.table.setCurrentItem(self.table.rows()[name])
        self.tabs.setCurrentWidget(self.table)

    def _draw_curves(self) -> None:
        lines: dict[str, np.ndarray] = {}
        banded = False
        signal, unit = self.signal_box.currentText(), ""
        results = self.results
        if results is not None and signal and self.tabs.currentIndex() == 1:
            banded = self.colour_box.currentText() == BANDS
            counted = self._independent() if banded else set(results)
            for name in self.table.chosen():
                if name in results and name in counted:
                    lines[name] = results.columns(name, [signal])
            unit = next(iter(results.values())).units.get(signal, "")
        self.curves.show_lines(lines, signal, unit, self._input(self.colour_box), banded)

    def _draw_metric(self) -> None:
        """Draw a metric as curves over an input, or in bars."""
        numbers, words = self._numbers(self.number_box)
        over = next((one for one in self.inputs if OVER + one.path == self.bars_box.currentText()), None)
        curved = bool(numbers) and over is not None
        if curved or "sweep" in vars(self):
            self.sweep.setVisible(curved)
        if not curved or "bars" in vars(self):
            self.bars.setVisible(not curved)
        if numbers and over is not None and self.results is not None:
            measure = self._measures()[self.number_box.currentIndex()]
            unit = unit_of(self.results, measure)
            self.sweep.at, self.sweep.unit = over.path, over.unit
            self.sweep.show_picture(
                metric_picture(numbers, heading(measure), unit, over, self.results.changes)
            )
            return
        if not numbers or self.bars_box.currentText() != INDICES:
            self.bars.show_bars(numbers, words)
            return
        paths, drawn = list(self.draft.draws()), [one for one in self.draft.variants() if one.drawn]
        try:
            finite = {name: number for name, number in numbers.items() if np.isfinite(number)}
            self.bars.show_shares(paths, shares_of(paths, drawn, finite, words, CONFIDENCE), words)
        except LuffError as error:
            self.bars.show_shares(paths, None, str(error))

    def _independent(self) -> set[str]:
        """Names of statistically independent variants."""
        return {one.name for one in self.draft.variants() if one.independent}

    def _draw_spread(self) -> None:
        self.spread.show_spread(*self._numbers(self.spread_box), self._input(self.over_box))

    def _numbers(self, box: QComboBox) -> tuple[dict[str, float], str]:
        """Measured numbers of the chosen variants, and the column's heading."""
        k = box.currentIndex()
        if self.results is None or not 0 <= k < len(self._measures()):
            return {}, ""
        return self.table.numbers(k), self.table.head(k)
