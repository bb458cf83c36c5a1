"""Where the results of runs lie until the next run, and which of them a process has left behind."""

from __future__ import annotations

import contextlib
import math
import shutil
import time
import uuid
from pathlib import Path

from PySide6.QtCore import QStandardPaths

from ...solver.simulation.operator_log_file import SUFFIX
from ..recovery.file_locks import LivenessLock

CREATED = "created"  # s since the epoch


def folder() -> Path:
    """Not the system's temporary files, which may be kept in memory."""
    base = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.CacheLocation)
    return Path(base) / "runs"


alive = LivenessLock(lambda: folder())  # the lock lies beside the runs: who sees these sees it


def new_folder() -> Path:
    """Of one run."""
    made = folder() / f"{alive.hold()}-{uuid.uuid4().hex[:8]}"
    made.mkdir(parents=True)
    (made / CREATED).write_text(f"{time.time()}", encoding="utf-8")
    return made


def _created(place: Path) -> float:
    """When a folder was made, as its note says; NaN where that is damaged."""
    try:
        created = float((place / CREATED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return math.nan
    return created if math.isfinite(created) else math.nan


def left_behind() -> list[tuple[Path, float]]:
    """Results of runs whose process is gone, and over how many seconds each was written: NaN where that is unknown."""
    left = []
    for place in sorted(folder().glob("*/")):
        if alive.lives(place.name.rpartition("-")[0]):
            continue
        # the oldest is whole: a copy that thins it was under way
        results = (file for file in place.glob("*.h5") if not file.name.endswith(SUFFIX))
        with contextlib.suppress(OSError, IndexError):
            files = sorted((file.stat().st_mtime, file) for file in results)
            left.append((files[0][1], files[-1][0] - _created(place)))
            continue
        shutil.rmtree(place, ignore_errors=True)
    return left
