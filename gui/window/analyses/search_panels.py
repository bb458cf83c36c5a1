"""Study > Fit and Optimise: the commands' work on the same file, and the best values for the diagram."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from ....blocks.errors import LuffError, Problem, did_you_mean
from ....blocks.text.data_files import split_head
from ....blocks.text.quantity import unit
from ....blocks.text.raw_types import Raw
from ....solver.results.file_formats import listed_suffixes, open_filter
from ....solver.studies.study_settings import METRICS, TRACKING
from ....solver.tuning import Fit, Optimum
from ....solver.tuning.fit import FitObjective
from ....solver.tuning.optimise import Objective
from ....solver.tuning.parallel_runs import BestSoFar
from ....solver.tuning.search import run_searches
from ....solver.tuning.tuning_file import load
from ....solver.tuning.tuning_report import figure_rows, remarks, report, value_rows
from ...plots.analysis_pictures import residual_pictures
from ...plots.graph import Curve, GraphStack, Picture
from ...properties.value_text import sentence_of, split
from ...run.background_job import Work, goes_on
from ...run.run_control import DiagramSnapshot
from ...study.field_checks import columns_in, wrong_unit
from ...study.task_draft import TaskDraft
from ...study.tuning_draft import GOALS, FitDraft, OptimiseDraft, TuningDraft, widened
from ...theme.quiet_boxes import QuietCombo
from ..model_copy import model_file, readable_folders
from ..model_names import ModelNames
from ..work_form import missing, names_line
from .findings_table import FindingsTable, without_empty
from .offered_files import file_named, output_beside
from .settings_table import SettingsTable
from .task_panel import FILES, TaskPanel, headed

DATA = "Measured data"
DIGITS = 4  # of best values; Apply and reports have more, and estimates have their errors beside them
GOES_ON = "This is the best so far; Start goes on where it was."


class Progress(NamedTuple):
    """Runs of a search so far, and words on it."""

    runs: int
    words: str

    def __str__(self) -> str:
        return f"{self.runs} runs{', ' * bool(self.words)}{self.words}"


class SearchPanel(TaskPanel):
    """Search: an interrupted search resumes from the journal beside its file."""

    verb = "Start"
    folder = "studies"
    objective: ClassVar[type[FitObjective | Objective]]
    best_title = ""  # of the curve of the best value
    best_sign = 1.0  # of the curve: a search makes its value small
    needed: QLineEdit  # that a new task needs beside its parameters

    def build(self) -> None:
        self.form_lines()
        self.take = self.button("Apply")
        self.take.setToolTip("Write the values found into the diagram, as one edit")
        self.take.clicked.connect(self.take_over)
        self.report = self.button("Report...")
        self.report.clicked.connect(self.ask_report)
        self.save = self.button("Save...")
        self.save.setToolTip(f"Save what is searched for as a file, which luff {self.section} runs too")
        self.save.clicked.connect(self.ask_file)
        self.answer: Fit | Optimum | None = None
        self.best: list[BestSoFar] = []  # of the search under way
        self.progress_told = Progress(0, "")
        for button in (self.take, self.report):
            button.setEnabled(False)

    @cached_property
    def view(self) -> GraphStack:
        return GraphStack("Measured and computed signals, and their difference", "t", "s")

    @cached_property
    def curve(self) -> GraphStack:
        return GraphStack("Best value", "runs", "")

    def clear(self) -> None:
        super().clear()
        self.answer, self.best = None, []
        for button in (self.take, self.report):
            button.setEnabled(False)

    # ------------------------------------------------------------------ its task

    def task_lines(self) -> None:
        names = ModelNames(self.window_)
        heads = ["Parameter", "Lower", "Upper", "Start"]
        self.parameters = SettingsTable(
            heads,
            lambda: [*names.parameters()],
            check=lambda row: self.parameter_mistake(row[0], dict(zip(heads[1:], row[1:], strict=True))),
        )
        self.table_line(
            "Parameters", self.parameters, "Parameters that are varied, with bounds and start value"
        )

    def is_empty(self) -> bool:
        return not self.parameters.rows()

    def show_draft(self, draft: TaskDraft) -> None:
        assert isinstance(draft, TuningDraft)
        self.parameters.show_rows(draft.parameters())

    def collect(self) -> TuningDraft:
        draft = self.draft
        assert isinstance(draft, TuningDraft)
        draft.set_parameters(self.parameters.rows())
        return draft

    def take_in(self, path: str, value: str) -> None:
        """Search for a parameter too, between half and twice its value."""
        self.needed.setFocus(Qt.FocusReason.ShortcutFocusReason)
        rows = self.parameters.rows()
        if path not in [row[0] for row in rows]:
            self.parameters.show_rows([*rows, [path, *widened(value, 0.5, 2.0)]])

    def check_form(self) -> None:
        """Raise LuffError, and mark the field, where the form lacks something."""

    def ask_file(self) -> None:
        """Save the task as the form has it."""
        path = self.ask_name(FILES)
        if path is None:
            return
        try:
            self.save_task(path)
        except LuffError as error:
            self.say(str(error), "error")
            return
        self.window_.say(f"Saved {path}")

    # ------------------------------------------------------------------ its work

    def work(self, snapshot: DiagramSnapshot) -> Work:
        """Search by the file that is named; a task that is new or was edited is searched as the form has it."""
        top, text, draft = self.window_.top, self.file.text().strip(), self.collect()
        allow_code, files = top.diagram.allow_code, readable_folders(top)
        path = file_named(text) if text else None
        source: Path | Mapping[str, object]
        if path is not None and not (draft.modified and draft.path == path):
            source, journal = path, output_beside(path, ".json")
        elif self.is_empty():
            raise LuffError("Found no parameters, expected some with bounds, or a file that has them")
        else:
            self.check_form()
            model = draft.model(files) or model_file(top, self.work_folder)
            home = self.home()
            source = draft.detached(model, home)
            journal = self.work_folder / f"{self.section}.json"
            files = (*files, model.parent, *draft.data_folders(home))
        own = draft.path is None and path is None

        def work(tell: Callable[[object], None]) -> tuple[Path | None, Fit | Optimum]:
            task = load(source, self.section, {}, allow_code, files)

            def look(runs: int, words: str) -> bool:
                return goes_on(tell, Progress(runs, words))

            def improved(best: BestSoFar) -> None:
                goes_on(tell, best)  # a search that was called off ends at its next run

            return None if own else task.model, run_searches(
                task, self.objective, journal, look, False, None, None, improved
            )

        return work

    def _told(self, told: object) -> None:
        """Draw the best value up to the runs that are made."""
        if self._ending:
            return
        if isinstance(told, BestSoFar):
            self.best.append(told)
            if self.pages.indexOf(self.curve) < 0:
                self.show_pages({"Best Value": self.curve})
            self.show_curve(told.runs)
        elif isinstance(told, Progress):
            self.progress_told = told
            super()._told(told)
            if self.best:
                self.show_curve(told.runs)
        else:
            super()._told(told)

    def show_curve(self, runs: int) -> None:
        """Draw the best value up to a number of runs, as steps."""
        values = self.best_sign * np.array([one.value for one in self.best])
        steps = np.repeat(
            np.array([*(one.runs for one in self.best), max(runs, self.best[-1].runs)], float), 2
        )
        unit = self.best[-1].unit
        curve = Curve("best value", steps[1:-1], np.repeat(values, 2), 0, unit)
        self.curve.show_pictures([Picture([curve], "runs", unit=unit, title=self.best_title, counts=True)])
        self.curve.graphs[0].item.setXRange(0.0, steps[-1])

    def show_answer(self, answer: object, current: bool) -> str:
        assert isinstance(answer, tuple)
        model, result = answer
        self.answer = result
        found = value_rows(result, DIGITS) if isinstance(result, Optimum) else value_rows(result)
        heads, *rows = without_empty(found)
        heads = [head or "remark" for head in heads]
        pages: dict[str, QWidget] = {"Values": FindingsTable("Values found", [heads, *rows])}
        self.figures.show_rows(figure_rows(result))
        self.notes.show_notes(remarks(result))
        doubts = result.doubts if isinstance(result, Fit) else []
        if isinstance(result, Fit):
            self.view.show_pictures(residual_pictures(result, 0))
            pages["Residuals"] = self.view
        if self.best:
            self.show_curve(result.runs)
            pages["Best Value"] = self.curve
        self.show_pages(pages)
        other = self.is_of(model)
        self.report.setEnabled(True)
        self.take.setEnabled(self.ages)
        said = f"{result.runs} runs"
        if result.status == "interrupted":
            self.role, said = "warning", f"Stopped after {self.progress_told}. {GOES_ON}"
        return "\n".join([said, *doubts, *other])

    def take_over(self) -> None:
        assert self.answer is not None
        document, values = self.window_.top, values_of(self.answer)
        with document.step(f"take over {len(values)} values"):
            for path, value in values.items():
                if path in document.diagram.parameters:
                    document.set_parameter(path, like(document.diagram.parameters[path], value))
                else:
                    document.set_value(path, like(document.diagram.value(path), value))
        self.accept_model()
        self.say(f"{', '.join(values)}: taken over")

    def ask_report(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "Write the Report into")
        if not folder or self.answer is None:
            return
        try:
            files = report(self.answer, folder)
        except (LuffError, OSError) as error:
            self.say(str(error), "error")
            return
        self.say(f"Wrote {', '.join(path.name for path in files)} into {folder}")


class FitPanel(SearchPanel):
    title = "Fit"
    purpose = (
        "Which parameters make the model's signals match measured ones? Name the parameters with their bounds, "
        "the file with the data, and the signals that it holds."
    )
    section, drafts, objective = "fit", FitDraft, FitObjective
    best_title = "sum of squared residuals"
    _read_columns: tuple[tuple[str, int] | None, list[str]] = None, []

    def task_lines(self) -> None:
        super().task_lines()
        suffixes = listed_suffixes()
        self.needed = self.data = self.file_line(
            "measured.csv", f"File with the measured signals: {suffixes}", open_filter(), DATA
        )
        self.check_line(self.data, self.data_mistake)
        heads = ["Signal", "Column", "Unit"]
        self.signals = SettingsTable(
            heads, ModelNames(self.window_).signals, self.columns, check=self.measured_mistake
        )
        for change in (self.data.textChanged, self.signals.cellChanged):
            change.connect(lambda *_: self._name_columns())
        self.table_line(
            "Signals", self.signals, "Signals of the model, with their columns and units in the file"
        )

    def _name_columns(self) -> None:
        """Take the columns that have the names of their signals, where none are named."""
        columns = self.columns()
        for at, (name, column, _) in enumerate(self.signals.rows()):
            cell = self.signals.item(at, 1)
            if cell is not None and not column and name in columns:
                cell.setText(name)
        self.signals.look()

    def columns(self) -> list[str]:
        """Columns of the file with the measured signals; none where it cannot be read."""
        path = self.home() / self.data.text().strip()
        stamp = (str(path), path.stat().st_mtime_ns) if path.is_file() else None
        if stamp != self._read_columns[0]:
            self._read_columns = stamp, columns_in(path) if stamp else []
        return self._read_columns[1]

    def data_mistake(self, text: str) -> str:
        """Mistake of the name of the data's file."""
        if not text or (self.home() / Path(text).expanduser()).is_file():
            return ""
        return f"found no file {text} in {self.home()}"

    def measured_mistake(self, row: list[str]) -> str:
        """Mistake of a signal, of its column in the file, or of the unit there."""
        name, column, word = row
        units, columns = self.window_.signal_tree.units, self.columns()
        if columns and not column:
            return self.signal_mistake(name) or headed(name, "name its column in the file")
        if column and columns and not {column, split_head(column)[0]} & {*columns}:
            fix = did_you_mean(column, columns)
            return headed(name, sentence_of(Problem(f"found no column {column} in the file", fix=fix)))
        return self.signal_mistake(name) or headed(name, wrong_unit(word, units.get(name, "")))

    def show_draft(self, draft: TaskDraft) -> None:
        super().show_draft(draft)
        assert isinstance(draft, FitDraft)
        self.data.setText(draft.data_file())
        self.signals.show_rows(draft.signals())

    def check_form(self) -> None:
        for name, column, _ in self.signals.rows():
            if not column:
                raise LuffError("name its column in the file", path=name)

    def collect(self) -> FitDraft:
        draft = super().collect()
        assert isinstance(draft, FitDraft)
        draft.set_data(self.data.text().strip(), self.signals.rows())
        return draft


class OptimisePanel(SearchPanel):
    title = "Optimise"
    purpose = (
        "Which parameters make a metric of the run smallest or largest? Name the parameters with their bounds, "
        "the metric and its signal."
    )
    section, drafts, objective = "optimise", OptimiseDraft, Objective

    def task_lines(self) -> None:
        super().task_lines()
        self.way, self.number = QuietCombo(), QuietCombo()
        self.way.addItems(GOALS)
        self.number.addItems(METRICS)
        self.line("Goal", self.way, "Whether the metric is to be small or large")
        self.line("Metric", self.number, "Number that is taken of the signal over the run")
        self.needed = self.of = names_line(ModelNames(self.window_).signals, "", several=False)
        self.of.setPlaceholderText("a signal of the model")
        self.line("Signal", self.of, "Signal whose metric is the objective")
        self.check_line(self.of, self.signal_mistake)
        self.target = names_line(ModelNames(self.window_).signals, "", several=False)
        self.target.setPlaceholderText("a signal of the model")
        self.line("Target", self.target, "Signal that it is to follow")
        self.check_line(self.target, self.signal_mistake)
        self.number.currentTextChanged.connect(lambda _: self._follow_metric())
        self._follow_metric()

    def _follow_metric(self) -> None:
        """Ask for the target of a metric that has one."""
        self.form.setRowVisible(self.target, self.number.currentText() in TRACKING)

    def show_draft(self, draft: TaskDraft) -> None:
        super().show_draft(draft)
        assert isinstance(draft, OptimiseDraft)
        way, metric, of = draft.goal()
        self.way.setCurrentText(way)
        self.number.setCurrentText(metric)
        self.of.setText(of)
        self.target.setText(draft.target())

    def collect(self) -> OptimiseDraft:
        draft = super().collect()
        assert isinstance(draft, OptimiseDraft)
        metric = self.number.currentText()
        target = self.target.text().strip() if metric in TRACKING else ""
        draft.set_goal(self.way.currentText(), metric, self.of.text().strip(), target)
        return draft

    def check_form(self) -> None:
        if not self.of.text().strip():
            raise missing(self.of, "found no signal, expected the one whose metric is to be small or large")
        if self.number.currentText() in TRACKING and not self.target.text().strip():
            raise missing(self.target, "found no target, expected the signal to be followed")

    def work(self, snapshot: DiagramSnapshot) -> Work:
        work = super().work(snapshot)
        penalty = ", with penalties" if self.draft.task.get("require") else ""
        self.best_title = f"{self.number.currentText()} of {self.of.text().strip()}{penalty}"
        self.best_sign = 1.0 if self.way.currentText() == GOALS[0] else -1.0
        return work


def values_of(answer: Fit | Optimum) -> Mapping[str, float]:
    if isinstance(answer, Optimum):
        return answer.values
    return {name: each.value for name, each in answer.parameters.items()}


def like(raw: Raw, value: float) -> Raw:
    """Value in SI units, converted to the unit of the raw value."""
    parts = split(raw)
    if parts is None or not parts[1]:
        return float(f"{value:.8g}")
    return f"{value / float(unit(parts[1]).factor):.8g} {parts[1]}"
