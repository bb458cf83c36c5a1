"""Analyse > Load Chart: a crane's capacity over one or two parameters, as a plot and a table."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path

from PySide6.QtWidgets import QLineEdit

from ....blocks.errors import LuffError
from ....blocks.text.raw_types import Raw
from ....solver.analysis.confirmation import Confirmation
from ....solver.assessment.chart_table import Chart
from ....solver.assessment.load_chart import chart, checks_from, limit_from
from ....solver.netlist import read_value
from ....solver.studies.value_ranges import numbers_of
from ...plots.analysis_pictures import chart_picture
from ...plots.graph import GraphStack
from ...properties.value_text import sentence_of
from ...run.background_job import Work
from ...run.run_control import DiagramSnapshot
from ...study.typed_values import examples_of, parsed_values
from ...theme.completion_list import CompletionList
from ...theme.quiet_boxes import QuietDoubleSpin, QuietSpin
from ...theme.small_widgets import CheckBox
from ..model_copy import model_file, readable_folders
from ..model_names import ModelNames
from ..study_actions import mistake_of, value_of
from ..work_form import EXAMPLE, missing, names_line, wanted, words_of
from .analysis_panel import AnalysisPanel
from .assess_panel import OFFERED
from .findings_table import FindingsTable
from .offered_files import file_named, files_near

FILES = "Assessments and netlists (*.yaml *.yml);;All files (*)"
KINDS = "Table (*.csv);;Picture (*.png);;Picture (*.svg);;Numbers (*.json);;Table block (*.yaml)"
BETWEEN = "Between two places the lower of their loads is drawn; a load between them may be lower still"
VALUES = "Values with commas between them, or a range: 6 m to 12 m in 4"


class LoadChartPanel(AnalysisPanel):
    title = "Load Chart"
    purpose = (
        "Which load may the crane carry at each reach, and what limits it? Name the load, and the parameter of the "
        "x axis with its values."
    )
    verb = "Start"
    side_width = 320  # for lists of values

    def build(self) -> None:
        names = ModelNames(self.window_)
        tip = "Whose limits count: an assessment, or a model; empty for the model in this window"
        self.file = self.file_line("this model", tip, FILES)
        CompletionList(self.file, lambda: map(str, files_near(self.window_.top, *OFFERED)))
        self.load = names_line(names.parameters, "load", several=False)
        self.line("Load", self.load, "Parameter whose largest admissible value is searched for")
        self.most = QLineEdit(placeholderText="100 x the model's")
        self.line(
            "Largest load",
            self.most,
            "The largest load that is tried, with its unit: 40 t; left empty, 100 times the model's",
        )
        self.along = names_line(names.parameters, "reach", several=False)
        self.line("X axis", self.along, "Parameter along the x axis of the chart")
        self.places = QLineEdit()
        self.line("X values", self.places, VALUES)
        self.each = names_line(names.parameters, "slewing", several=False)
        self.line("Curves", self.each, "Second parameter, with a curve for each of its values; or none")
        self.each.setPlaceholderText("none")
        self.curves = QLineEdit()
        self.line("Curve values", self.curves, VALUES)
        for name, values in ((self.along, self.places), (self.each, self.curves)):
            name.textChanged.connect(partial(self._show_range, values))
            self._show_range(values, "")
        self.margin = QuietDoubleSpin(decimals=3, minimum=1e-3, maximum=1e3, value=1.0)
        self.line("Margin", self.margin, "Load found over rated load")
        self.gust = QuietDoubleSpin(decimals=3, minimum=1.0, maximum=10.0, value=1.0)
        self.line(
            "Gust factor",
            self.gust,
            "Gust over mean, for a wind as the load: the gust acts, the mean is shown",
        )
        self.seeds = QuietSpin(maximum=1000, value=0)
        self.seeds.setSpecialValueText("as in the model")
        self.line("Seeds", self.seeds, "Runs of all cases in so many seeds of sea and wind")
        self.percentile = QuietDoubleSpin(decimals=1, minimum=0.1, maximum=99.9, value=90.0, suffix=" %")
        self.line("Percentile", self.percentile, "Share of the seeds that break no check")
        self.limits = names_line(names.signals, "rope.tension<80kN")
        self.line("Limits", self.limits, "Further limits of any signals: SIGNAL<VALUE or SIGNAL>VALUE")
        self.dynamic = CheckBox()
        self.line("Dynamic runs", self.dynamic, "Run all cases at each place, rather than statics")
        self.confirm_line()
        self.confirm.setToolTip("Also make runs at 1.02 and 0.98 of each load that is found, and show them")
        self.save = self.button("Save...")
        self.save.setToolTip("A table, a picture, or a table block for a load-moment limiter")
        self.save.clicked.connect(self.ask_file)
        self.chart: Chart | None = None

    @cached_property
    def view(self) -> GraphStack:
        return GraphStack("Rated loads", "x", "")

    def _show_range(self, field: QLineEdit, path: str) -> None:
        """Show as an example a range about the value of a parameter."""
        _, spread, _ = examples_of(*value_of(self.window_.top, path.strip()))
        field.setPlaceholderText(f"{EXAMPLE}{spread}")

    def over(self) -> dict[str, list[object]]:
        """Axes of the load chart; the last one is the abscissa."""
        axes: dict[str, list[object]] = {}
        pairs = [(self.each, self.curves)] if self.each.text().strip() else []
        for name, values in [*pairs, (self.along, self.places)]:
            path = wanted(name, "parameter")[0]
            wanted(values, f"values of {path}")
            axes[path] = [*self._values(name, values, path)]
        return axes

    def _values(self, name: QLineEdit, field: QLineEdit, path: str) -> list[Raw]:
        """Values of a parameter in a field; LuffError at the field for what the model does not take."""
        top, own = self.window_.top, not self.file.text().strip()
        raw, unit = value_of(top, path) if own else (None, "")
        if own and (wrong := mistake_of(top, path, None)):
            raise missing(name, wrong)
        try:
            values = parsed_values(field.text().strip(), unit, raw)
        except LuffError as error:
            raise missing(field, sentence_of(error.problems[0])) from None
        wrong = next(filter(None, (mistake_of(top, path, value) for value in values if own)), "")
        if wrong:
            raise missing(field, wrong)
        return values

    def work(self, snapshot: DiagramSnapshot) -> Work:
        text, top = self.file.text().strip(), self.window_.top
        allow_code, files = top.diagram.allow_code, readable_folders(top)
        load, over, most = wanted(self.load, "load")[0], self.over(), self.most.text().strip()
        margin, dynamic, confirmed = self.margin.value(), self.dynamic.isChecked(), self.wants_confirmation()
        gust, seeds, percentile = self.gust.value(), self.seeds.value(), self.percentile.value()
        limits = [limit_from(words) for words in words_of(self.limits.text())]
        path = file_named(text) if text else model_file(top, self.work_folder)

        def work(tell: Callable[[object], None]) -> tuple[Chart, list[Confirmation] | None, Path | None]:
            assessment = checks_from(path, None, limits, allow_code, files)

            def count(done: int, of: int) -> None:
                tell((done, of))

            tell("Looking at the first place")
            upper = read_value(most) if most else None
            made = chart(
                assessment, load, over, 0.0, upper, margin, limits, dynamic, progress=count, confirm=confirmed,
                gust=gust, seeds=seeds, percentile=percentile,
            )  # fmt: skip
            return made, made.confirmed if confirmed else None, assessment.study.model if text else None

        return work

    def share(self, told: object) -> tuple[int, int]:
        return told if isinstance(told, tuple) else (0, 0)

    def progress(self, told: object) -> str:
        return "{} of {} places".format(*told) if isinstance(told, tuple) else str(told)

    def clear(self) -> None:
        super().clear()
        self.chart = None
        self.save.setEnabled(False)

    def show_answer(self, answer: object, current: bool) -> str:
        assert isinstance(answer, tuple)
        self.chart, confirmed, model = answer
        assert self.chart is not None
        self.view.at = [*self.chart.axes][-1]
        _, self.view.unit = numbers_of(self.chart.axes[self.view.at])
        self.view.show_pictures([chart_picture(self.chart)])
        table = FindingsTable("Load chart", self.chart.rows(), range(len(self.chart.axes)))
        self.show_pages({"Picture": self.view, "Table": table})
        self.save.setEnabled(True)
        self.notes.show_notes([*self.chart.remarks(), BETWEEN])
        runs = self.show_runs(confirmed)
        places = self.chart.rated.size
        return "\n".join([f"{places} place{'' if places == 1 else 's'}", *runs, *self.is_of(model)])

    def ask_file(self) -> None:
        path = self.saved("chart", "Save Load Chart", KINDS, ".csv")
        if path is None or self.chart is None:
            return
        try:
            self.chart.save(path)
        except LuffError as error:
            self.say(str(error), "error")
            return
        self.say(f"Saved {path}")

    def _set_busy(self, on: bool) -> None:
        super()._set_busy(on)
        self.save.setEnabled(not on and self.chart is not None)
