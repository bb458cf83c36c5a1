"""What outlives a window: recent files, autosaved documents, and their recovery after a crash."""

from __future__ import annotations

import contextlib
import json
import os
import uuid
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QSettings, QStandardPaths, QTimer

from ..blocks import LuffError
from ..solver.diagram import Diagram, write_whole
from .document import Document

RECENT = 12
AUTOSAVE_DELAY = 3000  # ms after an edit


def recent_files() -> list[Path]:
    raw = QSettings().value("recent", "[]")
    try:
        listed = json.loads(str(raw))
    except json.JSONDecodeError:
        return []
    return [Path(name) for name in listed if isinstance(name, str) and Path(name).is_file()]


def remember(path: Path) -> None:
    path = path.resolve()
    others = [other for other in recent_files() if other.resolve() != path]
    QSettings().setValue("recent", json.dumps([str(p) for p in [path, *others][:RECENT]]))


def forget_recent() -> None:
    QSettings().setValue("recent", "[]")


def folder() -> Path:
    base = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppDataLocation)
    return Path(base) / "autosave"


class Autosave(QObject):
    """Keeps a copy of one unsaved document; the copy goes when the document is saved or given up."""

    def __init__(self, document: Document):
        super().__init__(document)
        self.document = document
        self.file = folder() / f"{os.getpid()}-{uuid.uuid4().hex[:8]}.yaml"
        self._timer = QTimer(self, singleShot=True, interval=AUTOSAVE_DELAY)
        self._timer.timeout.connect(self.write)
        document.edited.connect(lambda _: self._timer.start())
        document.titled.connect(self._tidy)

    def write(self) -> None:
        if not self.document.modified:
            self.discard()
            return
        origin = str(self.document.path.resolve()) if self.document.path else ""
        base = str(self.document.diagram.base or "")
        with contextlib.suppress(OSError, LuffError):  # a full disk must not stop the work
            self.file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.file, self.document.diagram.to_yaml())
            write_whole(self.file.with_suffix(".json"), json.dumps({"path": origin, "base": base}))

    def _tidy(self) -> None:
        if not self.document.modified:
            self.discard()

    def discard(self) -> None:
        self._timer.stop()
        for file in (self.file, self.file.with_suffix(".json")):
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)


@dataclass(frozen=True)
class Recovered:
    file: Path
    origin: Path | None
    base: Path | None

    @property
    def label(self) -> str:
        return str(self.origin) if self.origin else "a document that was never saved"

    def open(self) -> Document:
        diagram = Diagram.from_yaml(self.file.read_text(encoding="utf-8"), self.label, self.base)
        diagram.path = self.origin
        document = Document(diagram)
        document.recovered = True
        return document

    def discard(self) -> None:
        for file in (self.file, self.file.with_suffix(".json")):
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)


def left_behind() -> list[Recovered]:
    """Autosaved documents whose process is gone."""
    found = []
    for file in sorted(folder().glob("*.yaml")):
        pid = file.name.partition("-")[0]
        if pid.isdigit() and _alive(int(pid)):
            continue
        note: dict[str, str] = {}
        with contextlib.suppress(OSError, json.JSONDecodeError):
            note = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
        origin, base = note.get("path") or "", note.get("base") or ""
        found.append(Recovered(file, Path(origin) if origin else None, Path(base) if base else None))
    return found


def _alive(pid: int) -> bool:
    if pid == os.getpid():
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
