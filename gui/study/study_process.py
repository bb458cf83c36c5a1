"""Study process, read line by line; it ends on request or with the window."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TypedDict

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal

from ...solver.codegen.cache_folder import cache_dir
from ...solver.codegen.python_subprocess import python_words
from ...solver.flatten.diagram import Diagram
from .study_draft import Draft

PATIENCE = 5000  # ms for the process to write what it has


State = tuple[str, str, float]  # name, status and progress of a variant


class StudyEvent(TypedDict):
    variants: list[State]


class StudyEnded(TypedDict, total=False):
    """Final message of a study process."""

    ended: list[tuple[str, str, str]]  # name, status and message of each variant
    problems: list[str]


class StudyRun(QObject):
    """Running study; finished variants stay in its temporary folder while the window is open."""

    told = Signal(list)  # [name, status, share] of each variant
    ended = Signal(list)  # [name, status, message] of each variant
    failed = Signal(list)  # sentences

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._folder = tempfile.TemporaryDirectory(prefix="luff-study-", ignore_cleanup_errors=True)
        self._process: QProcess | None = None
        self._last: StudyEnded = {}  # final message of the last run

    @property
    def active(self) -> bool:
        return self._process is not None

    @property
    def folder(self) -> Path:
        return Path(self._folder.name)

    @property
    def output(self) -> Path:
        return self.folder / "study.h5"

    def start(self, draft: Draft, model: Path, diagram: Diagram) -> None:
        file = self.folder / "study.yaml"
        file.write_text(draft.text(str(model)), encoding="utf-8")
        order = {
            "study": str(file),
            "output": str(self.output),
            "allow_code": diagram.allow_code,
            "files": [str(model.resolve().parent), *(str(folder) for folder in diagram.files)],
        }
        process = QProcess(self)
        around = QProcessEnvironment.systemEnvironment()
        around.insert("LUFF_CACHE_DIR", str(cache_dir()))
        process.setProcessEnvironment(around)
        process.setProcessChannelMode(QProcess.ProcessChannelMode.ForwardedErrorChannel)
        process.readyReadStandardOutput.connect(self._read_output)
        process.finished.connect(self._report_end)
        process.errorOccurred.connect(self._not_started)
        self._process, self._last = process, {}
        program, *words = python_words("luff.solver.studies.json_protocol")
        process.start(program, words)
        process.write((json.dumps(order) + "\n").encode())

    def stop(self) -> None:
        """Stop the study; finished variants stay."""
        if self._process is not None:
            self._process.closeWriteChannel()

    def close(self) -> None:
        """End the process and delete the study's folder."""
        process, self._process = self._process, None
        if process is not None:
            process.blockSignals(True)
            process.closeWriteChannel()
            if not process.waitForFinished(PATIENCE):
                process.kill()
                process.waitForFinished(PATIENCE)
        self._folder.cleanup()

    def _read_output(self) -> None:
        process = self._process
        while process is not None and process.canReadLine():
            self._handle_message(json.loads(bytes(process.readLine().data())))

    def _handle_message(self, words: StudyEvent | StudyEnded) -> None:
        if "variants" in words:
            self.told.emit(words["variants"])
        else:
            self._last = words

    def _report_end(self, code: int, _: QProcess.ExitStatus) -> None:
        """Report the end of the process; only then may another study begin."""
        self._read_output()
        self._drop()
        if "ended" in self._last:
            self.ended.emit(self._last["ended"])
        else:
            self.failed.emit(
                self._last.get("problems") or [f"the process of the study ended with code {code}"]
            )

    def _not_started(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart and self._process is not None:
            words = self._process.errorString()
            self._drop()
            self.failed.emit([f"the process of the study did not start: {words}"])

    def _drop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.deleteLater()
