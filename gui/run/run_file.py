"""The rows of a run in a result file that stays within a limit. A full one is thinned: every second row stays."""

from __future__ import annotations

import contextlib
import shutil
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QStandardPaths

from ...blocks import LuffError
from ...solver.result.stream import StreamWriter
from ...solver.run.recorder import attributes
from ..kept import autosave as session_files

if TYPE_CHECKING:
    from ...solver.run.session import Session
    from ...solver.run.simulation import Simulation

GB = 1e9
RESERVE = 1.0 * GB  # of the disk that stays free
ROOM = 8e6  # bytes that may come before the next look
BLOCK = 4e6  # bytes copied at a time
CREATED = "created"  # s since the epoch


def folder() -> Path:
    """Where the files of runs are: not the system's temporary files, which may be kept in memory."""
    base = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.CacheLocation)
    return Path(base) / "runs"


def left_behind() -> list[tuple[Path, float]]:
    """Results of runs whose process is gone, and over how many seconds each was written."""
    left = []
    for place in sorted(folder().glob("*")):
        if session_files.lives(place.name.rpartition("-")[0]):
            continue
        # the oldest is whole: a copy that thins it was under way
        files = sorted(place.glob("*.h5"), key=lambda file: file.stat().st_mtime)
        with contextlib.suppress(OSError, ValueError, IndexError):
            created = float((place / CREATED).read_text(encoding="utf-8"))
            left.append((files[0], files[-1].stat().st_mtime - created))
            continue
        shutil.rmtree(place, ignore_errors=True)
    return left


class RunFile:
    """Written by the thread of the run. `path` is a whole result at any moment."""

    def __init__(self, sim: Simulation, session: Session):
        self.sim, self.session = sim, session
        self.folder = folder() / f"{session_files.process_key()}-{uuid.uuid4().hex[:8]}"
        self.folder.mkdir(parents=True)
        (self.folder / CREATED).write_text(f"{time.time()}", encoding="utf-8")
        self.every = 1  # rows of the run for one here
        self.seen = 0  # rows that came
        self.width = 8 * (1 + len(session.columns))
        self._stream = self._create(1)

    @property
    def path(self) -> Path:
        return self._stream.path

    def _create(self, every: int) -> StreamWriter:
        path = self.folder / f"run-{every}.h5"
        return StreamWriter(path, self.session.columns, self.sim.units, attributes(self.sim))

    def write(self, times: np.ndarray, rows: np.ndarray) -> None:
        mine = slice(-self.seen % self.every, None, self.every)
        self.seen += len(times)
        self._stream.append(times[mine], rows[mine])

    def full(self, limit: float) -> str:
        """Why nothing more should be written, in words; empty while there is room."""
        if self._stream.size + ROOM > limit:
            return f"The recording of this run has reached {limit / GB:.3g} GB."
        # a copy of half of it must fit too
        if shutil.disk_usage(self.folder).free < RESERVE + self._stream.size / 2:
            return f"The disk is nearly full: {self._stream.size / GB:.2g} GB of this run are recorded."
        return ""

    def rows_within(self, limit: float) -> int:
        """How many rows of the run, as it is recorded now, the limit lets in."""
        return int((limit - ROOM) / self.width) * self.every

    @property
    def rows_in_room(self) -> int:
        """How many rows may come before the next look."""
        return int(ROOM / self.width)

    def thin(self, give_up: Callable[[], bool]) -> None:
        """Every second row stays. They are copied, so that a whole file is there whatever happens."""
        whole, thinned = self._stream, self._create(2 * self.every)
        count = max(2, int(BLOCK / self.width) // 2 * 2)
        for first in range(0, whole.rows, count):
            if give_up():
                self._drop(thinned)
                return
            times, rows = whole.block(first, count)
            thinned.append(times[::2], rows[::2])
        self._stream, self.every = thinned, 2 * self.every
        self._drop(whole)

    def _drop(self, stream: StreamWriter) -> None:
        with contextlib.suppress(LuffError):
            stream.close("interrupted")
        with contextlib.suppress(OSError):  # another program may be reading it
            stream.path.unlink(missing_ok=True)

    def close(self) -> None:
        self._stream.close(
            self.session.status, self.session.message, self.session.quality(), self.session.all_remarks
        )

    def release(self) -> None:
        """However the run has ended; what is written stays."""
        with contextlib.suppress(LuffError):
            self._stream.close("interrupted")

    def remove(self) -> None:
        """Once its thread has ended, or is about to."""
        shutil.rmtree(self.folder, ignore_errors=True)
