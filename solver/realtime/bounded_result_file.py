"""The rows of a run in a result file that stays within a limit. A full one is thinned: every second row stays."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.errors import LuffError
from ..results.hdf5_stream import StreamWriter
from ..simulation.recorder import result_attributes
from .messages import ROOM, RecordingExtent

if TYPE_CHECKING:
    from ..simulation.session import Session
    from ..simulation.simulation import Simulation

GB = 1e9
RESERVE = 1.0 * GB  # of the disk that stays free
BLOCK = 4e6  # bytes copied at a time


class BoundedResultFile:
    """`path` is a whole result at any moment."""

    def __init__(self, folder: Path, sim: Simulation, session: Session, room: float = ROOM):
        self.sim, self.session, self.folder, self.room = sim, session, folder, room
        self.every = 1  # rows of the run for one here
        self.seen = 0  # rows that came
        self.width = 8 * (1 + len(session.columns))
        self._stream = self._create(1)

    @property
    def path(self) -> Path:
        return self._stream.path

    @property
    def extent(self) -> RecordingExtent:
        return RecordingExtent(self.path, self.width, self.every)

    def _create(self, every: int) -> StreamWriter:
        path = self.folder / f"run-{every}.h5"
        return StreamWriter(path, self.session.columns, self.sim.units, result_attributes(self.sim))

    def write(self, times: np.ndarray, rows: np.ndarray) -> None:
        mine = slice(-self.seen % self.every, None, self.every)
        self.seen += len(times)
        self._stream.append(times[mine], rows[mine])

    def full(self, limit: float) -> str:
        """Reason why nothing more may be written, in words; empty while there is room."""
        if self._stream.size + self.room > limit:
            return f"The recording of this run has reached {limit / GB:.3g} GB."
        # a copy of half of it must fit too
        if shutil.disk_usage(self.folder).free < RESERVE + self._stream.size / 2:
            return f"The disk is nearly full: {self._stream.size / GB:.2g} GB of this run are recorded."
        return ""

    @property
    def rows_in_room(self) -> int:
        """Number of rows until the next check of the size."""
        return int(self.room / self.width)

    def thin(self, give_up: Callable[[], bool]) -> None:
        """Keep every second row, in a copy, so that a whole file is there at every moment."""
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
        self._stream.close(self.session.status, self.session.message, *self.session.judged())

    def release(self) -> None:
        """Release the file, however the run has ended; what is written stays."""
        with contextlib.suppress(LuffError):
            self._stream.close("interrupted")
