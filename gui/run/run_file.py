"""Where the results of runs lie until the next run, and which of them a process has left behind."""

from __future__ import annotations

import contextlib
import shutil
import time
import uuid
from pathlib import Path

from PySide6.QtCore import QStandardPaths

from ...solver.run.drive_file import SUFFIX
from ..kept.locks import Alive

CREATED = "created"  # s since the epoch


def folder() -> Path:
    """Not the system's temporary files, which may be kept in memory."""
    base = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.CacheLocation)
    return Path(base) / "runs"


alive = Alive(lambda: folder())  # the lock lies beside the runs: who sees these sees it


def new_folder() -> Path:
    """Of one run."""
    made = folder() / f"{alive.hold()}-{uuid.uuid4().hex[:8]}"
    made.mkdir(parents=True)
    (made / CREATED).write_text(f"{time.time()}", encoding="utf-8")
    return made


def left_behind() -> list[tuple[Path, float]]:
    """Results of runs whose process is gone, and over how many seconds each was written."""
    left = []
    for place in sorted(folder().glob("*/")):
        if alive.lives(place.name.rpartition("-")[0]):
            continue
        # the oldest is whole: a copy that thins it was under way
        results = (file for file in place.glob("*.h5") if not file.name.endswith(SUFFIX))
        files = sorted(results, key=lambda file: file.stat().st_mtime)
        with contextlib.suppress(OSError, ValueError, IndexError):
            created = float((place / CREATED).read_text(encoding="utf-8"))
            left.append((files[0], files[-1].stat().st_mtime - created))
            continue
        shutil.rmtree(place, ignore_errors=True)
    return left
