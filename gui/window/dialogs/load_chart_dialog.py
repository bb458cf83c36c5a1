"""Analyse > Load Chart: a crane's capacity over one or two parameters, as a figure and a table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QDoubleSpinBox, QFileDialog, QLineEdit, QTabWidget

from ....blocks.errors import LuffError
from ....solver.assessment.load_chart import Chart, chart, checks_from, limit_from
from ....solver.netlist import read_value
from ....solver.netlist.library_paths import library_path
from ....solver.studies.value_ranges import values_of
from ...plots.matplotlib_figure import FigureView
from ...run.background_job import Work
from ...run.run_control import DiagramSnapshot
from ...theme.completion_list import CompletionList
from ...theme.small_widgets import CheckBox
from ..model_names import ModelNames
from .assess_dialog import ROOMY, of_which, offered
from .assess_table import FindingsTable
from .work_dialog import WorkDialog, names_line, wanted, words_of

FILES = "Assessments and netlists (*.yaml *.yml);;All files (*)"
KINDS = "Table (*.csv);;Picture (*.png);;Picture (*.svg);;Numbers (*.json);;Table block (*.yaml)"
TALL = (ROOMY[0], 640)  # px, with the picture
VALUES = "Values: 6m,8m,12m, or FROM:TO:STEP"


class LoadChartDialog(WorkDialog):
    title = "Load Chart"
    purpose = (
        "Which load may the crane carry where, and what limits it? As `luff chart` finds it, by statics."
    )
    verb = "Start"
    of_model = False

    def build(self) -> None:
        names = ModelNames(self.window_)
        self.file = self.file_line("crane.yaml", "Whose limits count: an assessment, or a model", FILES)
        CompletionList(self.file, lambda: [self._own(), *map(str, offered(self.window_.top))])
        self.load = names_line(names.parameters, "load", several=False)
        self.line("Load", self.load, "The parameter that is the load")
        self.most = QLineEdit(placeholderText="100 times what the model says")
        self.line("Looked for up to", self.most, "The greatest load that is tried, with its unit: 40 t")
        self.along = names_line(names.parameters, "reach", several=False)
        self.line("Along", self.along, "The parameter along the picture")
        self.places = QLineEdit(placeholderText="6m,8m,12m")
        self.line("At", self.places, VALUES)
        self.each = names_line(names.parameters, "slewing", several=False)
        self.line("A curve for each", self.each, "A second parameter, or none")
        self.curves = QLineEdit(placeholderText="0deg:180deg:45deg")
        self.line("Of", self.curves, VALUES)
        self.margin = QDoubleSpinBox(decimals=3, minimum=1e-3, maximum=1e3, value=1.0)
        self.line("Margin", self.margin, "The found load over the rated one")
        self.limits = names_line(names.signals, "rope.tension<80kN")
        self.line("Limits", self.limits, "Further limits of any signals: SIGNAL<VALUE or SIGNAL>VALUE")
        self.dynamic = CheckBox()
        self.line("With motion", self.dynamic, "Run all cases at each place, rather than statics")
        self.view = FigureView("Rated loads")
        self.tabs = QTabWidget()
        self.tabs.addTab(self.view, "Picture")
        self.tabs.hide()
        self.box.addWidget(self.tabs, 1)
        self.save = self.button("Save...")
        self.save.setToolTip("A table, a picture, or a table block for a load-moment limiter")
        self.save.clicked.connect(self.ask_file)
        self.chart: Chart | None = None

    def _own(self) -> str:
        return str(self.window_.top.path or "")

    def remember(self, entries: dict[tuple[type[WorkDialog], str], str]) -> None:
        super().remember(entries)
        if not self.file.text():
            self.file.setText(self._own())

    def over(self) -> dict[str, list[object]]:
        """Axes of the load chart; the last one is the abscissa."""
        axes = {}
        pairs = [(self.each, self.curves)] if self.each.text().strip() else []
        for name, values in [*pairs, (self.along, self.places)]:
            path = wanted(name, "parameter")[0]
            if not values.text().strip():
                raise LuffError(
                    f"found no values of {path}, expected some such as {values.placeholderText()}"
                )
            axes[path] = values_of(values.text().strip(), path)
        return axes

    def work(self, snapshot: DiagramSnapshot) -> Work:
        text, diagram = self.file.text().strip(), self.window_.top.diagram
        if not text:
            raise LuffError("found no file, expected an assessment or a netlist, such as crane.yaml")
        path = library_path(Path(text).expanduser()).absolute()
        load, over, most = wanted(self.load, "load")[0], self.over(), self.most.text().strip()
        margin, dynamic = self.margin.value(), self.dynamic.isChecked()
        limits = [limit_from(words) for words in words_of(self.limits.text())]

        def work(tell: Callable[[object], None]) -> tuple[Chart, Path]:
            assessment = checks_from(path, None, limits, diagram.allow_code, diagram.files)

            def count(done: int, of: int) -> None:
                tell(f"{done} of {of} places")

            tell("Looking at the first place")
            upper = read_value(most) if most else None
            made = chart(assessment, load, over, 0.0, upper, margin, limits, dynamic, progress=count)
            return made, assessment.study.model

        return work

    def clear(self) -> None:
        self.chart = None
        self.save.setEnabled(False)
        self.view.show_figure(None)
        self.tabs.hide()

    def show_answer(self, answer: object, current: bool) -> str:
        assert isinstance(answer, tuple)
        self.chart, model = answer
        assert self.chart is not None
        self.view.show_figure(self.chart.plot())
        if self.tabs.count() > 1:
            self.tabs.removeTab(1)
        self.tabs.addTab(FindingsTable("Load chart", self.chart.rows()), "Table")
        self.tabs.show()
        self.save.setEnabled(True)
        self.setMinimumSize(*TALL)
        told = [f"{self.chart.rated.size} places.", *self.chart.remarks(), *of_which(self.window_.top, model)]
        return "\n".join(told)

    def ask_file(self) -> None:
        stem = Path(self.file.text().strip()).stem
        name, _ = QFileDialog.getSaveFileName(self, "Save the Load Chart", f"{stem}-chart.csv", KINDS)
        if not name or self.chart is None:
            return
        try:
            self.chart.save(name)
        except LuffError as error:
            self.say(str(error), "error")
            return
        self.say(f"Saved {name}")

    def _set_busy(self, on: bool) -> None:
        super()._set_busy(on)
        self.save.setEnabled(not on and self.chart is not None)
