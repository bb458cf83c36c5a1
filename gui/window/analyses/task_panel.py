"""Panel of a task file (a plan, a fit, an optimisation): its form shows the file, and writes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QFileDialog

from ....blocks.errors import LuffError, Problem
from ...study.field_checks import unknown_signal, wrong_quantity
from ...study.task_draft import TaskDraft
from ...theme.completion_list import CompletionList
from ...theme.small_widgets import text_label
from ..proposed_file import proposed_file
from ..study_actions import mistake_of, value_mistake
from .analysis_panel import AnalysisPanel
from .offered_files import file_named, files_of_model
from .settings_table import SettingsTable

ENDING = "Ending with the best so far. Stop again leaves it."
FILES = "Tasks (*.yaml *.yml);;All files (*)"


class TaskPanel(AnalysisPanel):
    """Form of a task file; a new task is of the model in the window."""

    section: ClassVar[str] = ""  # of its files
    folder: ClassVar[str] = ""  # of the library, with files that are offered
    drafts: ClassVar[type[TaskDraft]] = TaskDraft
    side_width = 340
    _ending = False  # the search was stopped, and tells its best

    def task_lines(self) -> None:
        """Fields of the task, below its file."""
        raise NotImplementedError

    def show_draft(self, draft: TaskDraft) -> None:
        """Show a task in the fields."""
        raise NotImplementedError

    def collect(self) -> TaskDraft:
        """Draft with what stands in the fields."""
        raise NotImplementedError

    def new_draft(self) -> TaskDraft:
        """Task to begin with."""
        return self.drafts()

    def form_lines(self) -> None:
        """File, fields and a line for what the file has beside them."""
        self.file = self.file_line("new", f"File with a section {self.section}:; none for a new one", FILES)
        CompletionList(self.file, lambda: map(str, self._offered()))
        self.file.textChanged.connect(lambda _: self.read())
        self.task_lines()
        self.also = text_label("", "muted", wraps=True)
        self.form.addRow(self.also)
        self._show(self.new_draft())

    def cancel_work(self) -> None:
        """End the search with the best so far; a second time, without it."""
        if self._ending:
            super().cancel_work()
            return
        self._ending = True
        self.job.finish()
        self.say(ENDING)

    def _told(self, told: object) -> None:
        """Tell progress, but for what was on its way when the search was stopped."""
        if not self._ending:
            super()._told(told)

    def _set_busy(self, on: bool) -> None:
        super()._set_busy(on)
        self._ending = False

    def _failed(self, problems: list[Problem]) -> None:
        """Tell problems; those of a form that is no file have no place in one. What was stopped has not failed."""
        own, ending = f"<{self.section}>", self._ending
        super()._failed(
            [
                replace(one, mark=None, path=one.path.removeprefix(f"{self.section}.parameters."))
                if one.mark is not None and one.mark.file == own
                else one
                for one in problems
            ]
        )
        if ending:
            self.say(self.said.text())

    def table_line(self, label: str, table: SettingsTable, tip: str) -> None:
        """Add a table, with the mistake of its rows below."""
        self.line(label, table, tip)
        self.form.addRow(table.mistake)
        self.looks.append(table.look)

    def model_compiled(self) -> None:
        super().model_compiled()
        self.look_at_fields()

    def look_at_fields(self) -> None:
        """Judge all fields by the model as it is now."""
        for look in self.looks:
            look()

    def home(self) -> Path:
        """Folder from which the paths of the task count."""
        draft = self.draft
        return Path(
            (draft.path.parent if draft.path is not None else self.window_.top.diagram.base) or Path.cwd()
        )

    def is_of_window(self) -> bool:
        """True for a task of the model in the window, by whose names it can be judged."""
        top = self.window_.top
        try:
            model = self.draft.model(top.diagram.files)
        except LuffError:
            return False
        return model is None or (top.path is not None and top.path.resolve() == model.resolve())

    def parameter_mistake(self, path: str, texts: Mapping[str, str]) -> str:
        """Mistake of a parameter's path, or of one of its values by their heads."""
        top = self.window_.top
        if not self.is_of_window():
            return ""
        wrong = mistake_of(top, path, None)
        for head, text in texts.items():
            wrong = wrong or headed(f"{path}, {head.lower()}", value_mistake(top, path, text))
        return wrong

    def signal_mistake(self, name: str, *numbers: str, known: Iterable[str] = ()) -> str:
        """Mistake of a signal's name, or of numbers in its unit; `known` are names beside those of the signals."""
        tree = self.window_.signal_tree
        if not self.is_of_window() or self.window_.top.diagram.data.get("record"):
            return ""  # of another model, or of signals that are not recorded, nothing is known here
        wrong = unknown_signal(name, [*tree.names, *known] if tree.names else [])
        for text in numbers:
            wrong = wrong or headed(name, wrong_quantity(text, tree.units.get(name, "")))
        return wrong

    def _offered(self) -> list[Path]:
        return [*files_of_model(self.window_.top, self.folder, self.section)]

    def is_empty(self) -> bool:
        """True if nothing stands in the fields."""
        raise NotImplementedError

    def offer(self) -> None:
        if not self.file.text() and self.is_empty():
            self.file.setText(str(next(iter(self._offered()), "")))
            if not self.file.text():
                self.read()

    def read(self) -> None:
        """Show the file that is named, or a new task."""
        text = self.file.text().strip()
        if not text:
            self._show(self.new_draft())
            return
        path = file_named(text)
        if not path.is_file():
            return  # a name that is being typed
        try:
            draft = self.drafts.open(path)
        except LuffError as error:
            self.say(str(error), "error")
            return
        self._show(draft)
        self.say("")

    def _show(self, draft: TaskDraft) -> None:
        self.draft = draft
        self.show_draft(draft)
        self.look_at_fields()
        others = draft.others()
        self.also.setText(f"Also in the file: {', '.join(others)}" if others else "")
        self.also.setVisible(bool(others))

    def ask_name(self, kinds: str) -> Path | None:
        """File to save, as the user names it; the task's own is proposed."""
        start = self.draft.path or proposed_file(self.window_.top, f"_{self.section}.yaml")
        name, _ = QFileDialog.getSaveFileName(self, f"Save {self.title}", str(start), kinds)
        return self.window_.files.with_suffix(Path(name), ".yaml") if name else None

    def save_task(self, path: Path) -> None:
        """Write the form as a file about its model, for a new task the window's."""
        top, draft = self.window_.top, self.collect()
        model = draft.model(top.diagram.files) or top.path
        if model is None:
            raise LuffError("Save the model first: this file names the model's")
        if path.resolve() == model.resolve():
            raise LuffError("That is the model's own file", fix="choose another name")
        draft.save(path, model)
        with QSignalBlocker(self.file):
            self.file.setText(str(path))


def headed(head: str, words: str) -> str:
    """Mistake behind the name of what it is of; empty without one."""
    return f"{head}: {words}" if words else ""
