"""Analyse > Assess: runs, check tables and report of an assessment."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from ....blocks.errors import LuffError
from ....solver.assessment import Assessed, judge_runs, load
from ....solver.assessment.findings_tables import Rows, summary
from ....solver.results.verdict import Verdict
from ....solver.studies.study_run import run
from ....solver.studies.study_store import read_study
from ....solver.studies.variant_outcome import VariantOutcome
from ...run.background_job import Work, goes_on
from ...run.run_control import DiagramSnapshot
from ...study.study_process import State
from ...study.variant_table import VariantTable
from ...theme.completion_list import CompletionList
from ..model_copy import readable_folders
from ..work_form import missing
from .analysis_panel import AnalysisPanel
from .findings_table import FindingsTable
from .offered_files import file_named, files_near, files_of_model, output_beside

FILES = "Assessments (*.yaml *.yml);;All files (*)"
EXAMPLE = "library/assessments/tower_crane.yaml"
RUNS = ".h5"  # files that keep runs
ENDED = ("finished", "kept", "failed")
OFFERED = ("assessments", "cases")  # folder of the library, and section of the files that are offered
WRITING = threading.Lock()  # runs that were stopped write down what is done before others begin


class AssessPanel(AnalysisPanel):
    """Assessment. A stopped assessment resumes with the remaining runs; finished ones are stored in a file."""

    title = "Assess"
    purpose = "Does the crane hold? Load cases, checks and fatigue lives of an assessment file."
    verb = "Start"
    cancelled = "The assessment was stopped. Start goes on with the runs that are left."

    def build(self) -> None:
        self.file = self.file_line("e.g. desk.yaml", "File of load cases and checks", FILES)
        CompletionList(self.file, lambda: map(str, files_near(self.window_.top, *OFFERED)))
        self.kept = QLineEdit()
        self.line("Runs in", self.kept, "The file that keeps the runs, .h5: those it has are not done again")
        self.file.textChanged.connect(self._say_kept)
        self.runs = VariantTable()
        self.runs.setAccessibleName("Runs")
        self.runs.opened.connect(self.open_run)
        self.report = self.button("Open Report...")
        self.report.setToolTip("Write the report, a page with all that the checks rest on, and open it")
        self.report.clicked.connect(self.ask_report)
        self.made: Assessed | None = None
        self.case_states: list[State] = []
        self.target = Path()
        self._say_kept()

    def offer(self) -> None:
        if not self.file.text():
            self.file.setText(str(next(files_of_model(self.window_.top, *OFFERED), "")))

    def _say_kept(self) -> None:
        text = self.file.text().strip()
        self.kept.setPlaceholderText(str(output_beside(Path(text), RUNS)) if text else "beside the file, .h5")

    # ------------------------------------------------------------------ its runs

    def work(self, snapshot: DiagramSnapshot) -> Work:
        text, top = self.file.text().strip(), self.window_.top
        allow_code, files = top.diagram.allow_code, readable_folders(top)
        if not text:
            raise missing(
                self.file, f"found no file, expected one of load cases and checks, such as {EXAMPLE}"
            )
        path = file_named(text)
        target = Path(self.kept.text().strip() or output_beside(path, RUNS)).expanduser().absolute()
        if target.suffix != RUNS:
            raise LuffError(f'found "{target.suffix}", expected {RUNS}, in {target}')
        self.target = target

        def work(tell: Callable[[object], None]) -> Assessed:
            tell("Waiting for the runs that were stopped to be written" if WRITING.locked() else "Reading")
            with WRITING:
                tell("Reading")
                assessment = load(path, None, allow_code, files)
                outcomes = run(assessment.study, target, progress=_progress_callback(tell))
                tell("Checking")
                return judge_runs(assessment, read_study(target), outcomes)

        return work

    def beginning(self) -> str:
        return "Reading"

    def share(self, told: object) -> tuple[int, int]:
        if not isinstance(told, list):
            return 0, 0
        return sum(status in ENDED for _, status, _ in told), len(told)

    def progress(self, told: object) -> str:
        if not isinstance(told, list):
            return str(told)
        self.case_states = told
        self.runs.show_states(told, {})
        if not self.pages.count():
            self._show_tables({})
        return f"{sum(status in ENDED for _, status, _ in told)} of {len(told)} runs are done"

    def cancel_work(self) -> None:
        super().cancel_work()
        left = [
            (name, status if status in ENDED else "waiting", share)
            for name, status, share in self.case_states
        ]
        self.runs.show_states(left, {})

    def clear(self) -> None:
        super().clear()
        self.made, self.case_states = None, []
        self.runs.clear_all()

    # ------------------------------------------------------------------ its checks

    def show_answer(self, answer: object, current: bool) -> str:
        if isinstance(answer, Path):
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(answer)))
            return f"Wrote {answer}"
        assert isinstance(answer, Assessed)
        self.made = answer
        self.report.setEnabled(True)
        results = answer.results
        states = [(name, results.statuses.get(name, ""), 1.0) for name in answer.assessment.loads]
        self.runs.show_states(states, answer.failed)
        warned = [[words, ", ".join(runs)] for words, runs in answer.warnings.items()]
        tables = dict(summary(answer))
        self._show_tables(tables | ({"Warnings": [["warning", "in"], *warned]} if warned else {}))
        self.notes.show_notes([f"Runs are kept in {self.target}."])
        bad = any(one.verdict is Verdict.FAILS for one in answer.judged) or bool(answer.failed)
        stability = "stable" if answer.holds else "unstable" if bad else "open"
        lines = [*verdicts(answer), *self.is_of(answer.assessment.study.model)]
        return self.verdict(stability, "\n".join(lines))

    def _show_tables(self, tables: Mapping[str, Rows]) -> None:
        """Show each table as a page, and the runs as the last one."""
        pages: dict[str, QWidget] = {}
        for heading, rows in tables.items():
            table = FindingsTable(heading, rows)
            table.itemActivated.connect(lambda item, _, table=table: self.open_run(table.run_of(item)))
            pages[heading] = table
        self.show_pages(pages | {"Runs": self.runs})

    def open_run(self, name: str) -> None:
        """Show a run in the plots; one of another model opens a tab of its own."""
        if self.made is None or name not in self.made.results:
            return
        model = self.made.assessment.study.model
        self.window_.results.show_result(self.made.results[name], name, model.parent)
        self.window_.panels.show("Plots")

    # ------------------------------------------------------------------ its report

    def ask_report(self) -> None:
        start = self.target.with_suffix(".html")
        name, _ = QFileDialog.getSaveFileName(self, "Write the Report", str(start), "Page (*.html)")
        path = self.window_.files.with_suffix(Path(name), ".html") if name else None
        made = self.made
        if path is None or made is None:
            return
        command = shlex.join(
            ["luff", "assess", str(made.assessment.study.path), "-o", str(self.target), "--report", str(path)]
        )
        self.say("Writing the report, and computing its load charts")
        self._set_busy(True)
        self.cancel.setEnabled(False)  # a report that has begun is written
        self.job.start(lambda tell: made.save(path, command))

    def _set_busy(self, on: bool) -> None:
        super()._set_busy(on)
        self.report.setEnabled(not on and self.made is not None)


def _progress_callback(
    tell: Callable[[object], None],
) -> Callable[[Sequence[VariantOutcome], VariantOutcome | None], bool]:
    """Progress callback; it returns False to stop, after which finished runs are saved."""
    return lambda outcomes, _: goes_on(tell, [(one.variant.name, one.status, one.share) for one in outcomes])


def verdicts(made: Assessed) -> list[str]:
    """Verdicts as sentences, equal to the command's output."""
    words = [f"{len(made.assessment.loads)} runs, {len(made.checks)} checks."]
    for verdict, head in ((Verdict.FAILS, "Fails"), (Verdict.UNKNOWN, "Unknown, since a value is no number")):
        titles = [one.title for one in made.judged if one.verdict is verdict]
        if titles:
            words.append(f"{head}: {', '.join(dict.fromkeys(titles))}.")
    words += [f"{name} failed: {why}" for name, why in made.failed.items()]
    return [*words, "Everything holds."] if made.holds else words
