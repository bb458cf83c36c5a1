"""Recording limits of a run: size limit, behaviour when full, questions before a recording is discarded."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFileDialog,
    QFormLayout,
    QLabel,
    QMessageBox,
    QRadioButton,
    QVBoxLayout,
)

from ...solver.realtime.bounded_result_file import GB
from ...solver.results.file_formats import STREAMED
from ...solver.simulation.operator_log_file import surviving_log
from ..run.run_files import folder, left_behind
from ..run.run_thread import PAUSED, RunThread
from ..theme.small_widgets import laid
from .confirmations import Answer, save_discard_cancel

if TYPE_CHECKING:
    from .shell import Shell

LIMIT = 2.0  # GB
ASK_ABOVE_SECONDS = 60.0  # s of computing, from which a run is not thrown away unasked
ADVICE = "A larger output_step, or fewer signals under record:, make smaller recordings."


def _limit(kept: object) -> float:
    """Size limit [GB] from the settings; the default for an invalid entry."""
    try:
        limit = float(str(kept))
    except ValueError:
        return LIMIT
    return limit if 0.0 < limit < math.inf else LIMIT


class Recording:
    def __init__(self, window: Shell):
        self.window = window
        self._full: RunThread | None = None  # run that waits for an answer
        settings, rule = QSettings(), window.runner.rule
        rule.limit = _limit(settings.value("recording/limit", LIMIT)) * GB
        rule.thins = str(settings.value("recording/thins", "false")) == "true"
        window.runner.full.connect(self.ask)

    def on_recording(self) -> None:
        RecordingDialog(self.window).open()

    def note(self) -> str:
        """Warning during a run that the recording will not fit; empty otherwise."""
        run = self.window.runner.run
        if run is None or run.extent is None or run.course is None or run.rule.thins:
            return ""
        if self.window.runner.state == PAUSED and run is self._full:
            return "Paused: the recording is full"
        rows = run.extent.rows_within(run.rule.limit, run.rule.room)
        until = rows * run.course.every * run.course.step_size
        if until >= run.course.stop:
            return ""
        return f"Pauses to ask at t = {until:.3g} s: the recording is full then"

    # ------------------------------------------------------------------ a full one

    def ask(self, reason: str) -> None:
        """Ask what to do with a full recording; the run is paused meanwhile."""
        run = self._full = self.window.runner.run
        if run is None:
            return
        box = QMessageBox(QMessageBox.Icon.Question, "Recording Full", reason, parent=self.window)
        box.setInformativeText(
            "The run is paused and nothing is lost. It can go on with every second row of what is recorded, "
            f"now and whenever the recording is full again. {ADVICE}"
        )
        roles = QMessageBox.ButtonRole
        thin = box.addButton("Keep Every Second Row", roles.AcceptRole)
        more = box.addButton(f"Record up to {2 * run.rule.limit / GB:.3g} GB", roles.AcceptRole)
        more.setEnabled(shutil.disk_usage(run.folder or folder()).free > 3 * run.rule.limit)
        end = box.addButton("End the Run", roles.DestructiveRole)
        box.setEscapeButton(box.addButton("Stay Paused", roles.RejectRole))
        box.setDefaultButton(thin)

        def answer() -> None:
            runner = self.window.runner
            clicked = box.clickedButton()
            if runner.run is not run:
                return
            if clicked is end:
                runner.stop()
            elif clicked in (thin, more):
                self._full = None
                runner.set_rule(thins=clicked is thin, limit=run.rule.limit * (2 if clicked is more else 1))
                runner.resume()
                self.window.running.show_note()

        box.finished.connect(lambda _: answer())
        box.open()

    # ------------------------------------------------------------------ letting one go

    def may_be_discarded(self) -> bool:
        """Ask before discarding an unsaved run that took long; False keeps the run."""
        runner = self.window.runner
        run = runner.run
        if run is None or run.saved or run.course is None or run.course.spent < ASK_ABOVE_SECONDS:
            return True
        self.window.tabs.show_page(self.window)
        minutes = max(1, round(run.course.spent / 60))
        still = "is under way and" if runner.active else "has not been saved; it"
        what, more = (
            f"The last run {still} took {minutes} min of computing.",
            "Save its result? It is lost otherwise.",
        )
        answer = save_discard_cancel(self.window, "Unsaved Result", what, more)
        if answer == Answer.Save:
            runner.stop()
            self.window.files.on_save_result()
            return run.saved
        return answer == Answer.Discard

    def offer_recovery(self) -> None:
        """Offer results of long runs that a crashed session left; delete short ones."""
        for path, seconds in left_behind():
            if seconds < ASK_ABOVE_SECONDS:
                shutil.rmtree(path.parent, ignore_errors=True)
                continue
            length = f" of {max(1, round(seconds / 60))} min" if math.isfinite(seconds) else ""
            box = QMessageBox(
                QMessageBox.Icon.Question,
                "Recover",
                f"luff ended without saving a run{length}.",
                parent=self.window,
            )
            box.setInformativeText(f"Save the result that was kept at {path}?")
            roles = QMessageBox.ButtonRole
            save = box.addButton("Save Result...", roles.AcceptRole)
            discard = box.addButton("Discard", roles.DestructiveRole)
            box.addButton("Ask Again Later", roles.RejectRole)
            box.exec()
            if box.clickedButton() is save:
                name, _ = QFileDialog.getSaveFileName(self.window, "Save Result", "result.h5", STREAMED.line)
                if name:
                    self._save_recovered(path, Path(name))
            elif box.clickedButton() is discard:
                shutil.rmtree(path.parent, ignore_errors=True)

    def _save_recovered(self, path: Path, target: Path) -> None:
        """Save a recovered result and the operator log beside it."""
        drive = surviving_log(path.parent)
        try:
            shutil.copyfile(path, target)
            if drive is not None:
                shutil.copyfile(drive, target.with_suffix(".drive.h5"))
        except OSError as error:
            self.window.say(f"Cannot save {target}: {error.strerror}")
            return
        shutil.rmtree(path.parent, ignore_errors=True)
        self.window.results.show(target)


class RecordingDialog(QDialog):
    """Settings of recordings, stored for this computer and used from the next run on."""

    def __init__(self, window: Shell):
        super().__init__(window)
        self.rule = window.runner.rule
        self.setWindowTitle("Recording")
        self.limit = QDoubleSpinBox(decimals=1, minimum=0.1, maximum=10_000.0, singleStep=1.0, suffix=" GB")
        self.limit.setValue(self.rule.limit / GB)
        self.limit.setAccessibleName("Largest recording")
        self.ask, self.thin = QRadioButton("Pause and ask"), QRadioButton("Keep every second row and go on")
        group = QButtonGroup(self)
        group.addButton(self.ask)
        group.addButton(self.thin)
        (self.thin if self.rule.thins else self.ask).setChecked(True)
        words = QLabel(
            "Every row of a run is recorded until the next run, for saving and for export. "
            f"Plots keep every peak in any case. {ADVICE}"
        )
        words.setWordWrap(True)
        words.setProperty("role", "muted")
        form = QFormLayout()
        form.addRow("Largest recording", self.limit)
        form.addRow("When it is full", self.ask)
        form.addRow("", self.thin)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        laid(QVBoxLayout(self), form, words, buttons)
        self.setMinimumWidth(420)

    def accept(self) -> None:
        self.rule.limit, self.rule.thins = self.limit.value() * GB, self.thin.isChecked()
        settings = QSettings()
        settings.setValue("recording/limit", self.limit.value())
        settings.setValue("recording/thins", "true" if self.rule.thins else "false")
        super().accept()
