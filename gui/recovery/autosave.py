"""Recent files, autosaved documents and their recovery after a crash."""

from __future__ import annotations

import contextlib
import json
import uuid
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, QSettings, QStandardPaths, QTimer

from ...blocks import LuffError
from ...blocks.text.atomic_write import write_whole
from ...solver.flatten.diagram import Diagram
from ..document.document import Document
from .file_locks import LivenessLock

RECENT = 12
AUTOSAVE_DELAY = 3000  # ms after an edit


def recent_files() -> list[Path]:
    raw = QSettings().value("recent", "[]")
    listed = parsed_json(str(raw))
    names = listed if isinstance(listed, list) else []
    return [Path(name) for name in names if isinstance(name, str) and is_file(name)]


def parsed_json(text: str) -> object:
    """Parsed JSON; None if the text is damaged."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def is_file(name: str) -> bool:
    """True if a file of this name exists."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def remember(path: Path) -> None:
    path = path.resolve()
    others = [other for other in recent_files() if other.resolve() != path]
    QSettings().setValue("recent", json.dumps([str(p) for p in [path, *others][:RECENT]]))


def forget_recent() -> None:
    QSettings().setValue("recent", "[]")


def folder() -> Path:
    base = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppDataLocation)
    return Path(base) / "autosave"


alive = LivenessLock(folder)


class Autosave(QObject):
    """Autosave of one unsaved document; the copy is deleted when the document is saved or discarded."""

    def __init__(self, document: Document):
        super().__init__(document)
        self.document = document
        self.file = folder() / f"{alive.key}-{uuid.uuid4().hex[:8]}.yaml"
        self._timer = QTimer(self, singleShot=True, interval=AUTOSAVE_DELAY)
        self._timer.timeout.connect(self.write)
        document.edited.connect(self._schedule)
        document.titled.connect(self._remove_stale)

    def _schedule(self, _: object) -> None:
        if not self._timer.isActive():  # continuous edits must not postpone saving
            self._timer.start()

    def write(self) -> bool:
        """Write the autosave; True if a copy exists or none is needed."""
        self._timer.stop()
        if not self.document.modified:
            self.discard()
            return True
        origin = str(self.document.path.resolve()) if self.document.path else ""
        note = {"path": origin, "base": str(self.document.diagram.base or ""), "name": self.document.title}
        try:
            alive.hold()
            write_whole(self.file.with_suffix(".json"), json.dumps(note))
            write_whole(self.file, self.document.diagram.to_yaml())
        except (OSError, LuffError):  # a full disk must not stop the work
            return False
        return True

    def _remove_stale(self) -> None:
        if not self.document.modified:
            self.discard()

    def discard(self) -> None:
        self._timer.stop()
        _forget(self.file)


def _forget(file: Path) -> None:
    for path in (file, file.with_suffix(".json")):
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


@dataclass(frozen=True)
class Recovered:
    file: Path
    origin: Path | None
    base: Path | None
    name: str = "Untitled"

    @property
    def label(self) -> str:
        return str(self.origin) if self.origin else f"{self.name}, which has no file yet"

    @property
    def kept(self) -> str:
        """Local date and time when the copy was written."""
        try:
            moment = datetime.fromtimestamp(self.file.stat().st_mtime)
        except OSError:
            return ""
        return moment.strftime("%Y-%m-%d %H:%M")

    def open(self) -> Document:
        diagram = Diagram.from_yaml(self.file.read_text(encoding="utf-8"), self.label, self.base)
        diagram.path = self.origin
        document = Document(diagram)
        document.recovered = True
        return document

    def discard(self) -> None:
        _forget(self.file)


def orphaned_autosaves() -> list[Recovered]:
    """Autosaved documents whose process has ended."""
    copies = []
    for file in sorted(folder().glob("*.yaml")):
        if alive.lives(file.stem.rpartition("-")[0]):
            continue
        note: object = None
        with contextlib.suppress(OSError, UnicodeDecodeError):
            note = parsed_json(file.with_suffix(".json").read_text(encoding="utf-8"))
        said = note if isinstance(note, dict) else {}
        words = {key: str(said.get(key) or "") for key in ("path", "base", "name")}
        words = {key: word for key, word in words.items() if "\0" not in word}
        origin, base, name = words.get("path"), words.get("base"), words.get("name") or "Untitled"
        copies.append(Recovered(file, Path(origin) if origin else None, Path(base) if base else None, name))
    return copies
