"""Files that were open in the last session, and the one that was shown."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSettings

from .autosave import alive, is_file, parsed_json

KEY = "open files"


def remember_open_files(paths: Sequence[Path], shown: Path | None) -> None:
    """Remember the files of the open tabs and the one that is shown."""
    with contextlib.suppress(OSError):  # a full disk must not stop the work
        alive.hold()
    session = {
        "process": alive.key,
        "files": [str(path.resolve()) for path in paths],
        "shown": str(shown.resolve()) if shown else "",
    }
    QSettings().setValue(KEY, json.dumps(session))


def last_session() -> tuple[list[Path], Path | None]:
    """Files of the last session that still exist, in the order of their tabs, and the one that was shown; none while
    another process has them open."""
    session = parsed_json(str(QSettings().value(KEY, "")))
    if not isinstance(session, dict) or alive.is_alive(str(session.get("process"))):
        return [], None
    listed = session.get("files")
    names = listed if isinstance(listed, list) else []
    paths = [Path(name) for name in names if isinstance(name, str) and is_file(name)]
    shown = session.get("shown")
    return paths, next((path for path in paths if str(path) == shown), None)
