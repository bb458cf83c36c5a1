"""Temporary result files of runs, and those that a crashed process left."""

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
    """Cache folder of results; not the system's temporary folder, which may be in memory."""
    base = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.CacheLocation)
    return Path(base) / "runs"


alive = LivenessLock(lambda: folder())  # the lock lies beside the runs: who sees these sees it


def new_folder() -> Path:
    """Create the folder of one run."""
    made = folder() / f"{alive.hold()}-{uuid.uuid4().hex[:8]}"
    made.mkdir(parents=True)
    (made / CREATED).write_text(f"{time.time()}", encoding="utf-8")
    return made


def _created(place: Path) -> float:
    """Creation time of a run's folder from its note; NaN if that is damaged."""
    try:
        created = float((place / CREATED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return math.nan
    return created if math.isfinite(created) else math.nan


def left_behind() -> list[tuple[Path, float]]:
    """Results whose process has ended, with the seconds over which each was written; NaN if unknown."""
    left = []
    for place in sorted(folder().glob("*/")):
        if alive.is_alive(place.name.rpartition("-")[0]):
            continue
        # the oldest is whole: a copy that thins it was under way
        results = (file for file in place.glob("*.h5") if not file.name.endswith(SUFFIX))
        with contextlib.suppress(OSError, IndexError):
            files = sorted((file.stat().st_mtime, file) for file in results)
            left.append((files[0][1], files[-1][0] - _created(place)))
            continue
        shutil.rmtree(place, ignore_errors=True)
    return left
