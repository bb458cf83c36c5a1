"""Operator log written to a file during a run: it survives the end of the process and replays like any other."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ...blocks.errors import LuffError
from ...version import __version__
from ..results.hdf5_stream import StreamWriter

if TYPE_CHECKING:
    from .operator_log import OperatorRecorder

SUFFIX = ".partial.h5"
TELLS: Mapping[str, object] = {"netlist": "", "parameters": {}, "plots": [], "version": __version__}


class OperatorLogFile:
    """Log file `NAME.partial.h5`, replaced by `NAME-2.partial.h5` once a parameter without a column is set."""

    def __init__(self, folder: Path, name: str, record: OperatorRecorder):
        self._folder, self._name, self._record = folder, name, record
        self._stream: StreamWriter | None = None
        self._columns: list[str] = []
        self._step = 0  # first step whose lines are not written yet

    def write(self) -> None:
        """Append the lines of steps that were taken; these no longer change."""
        done = self._record.session.done
        lines = self._record.drive(self._step, done)
        if not len(lines.times) or not lines.names:
            return
        if lines.names != self._columns:
            self._widen()
        assert self._stream is not None
        self._stream.append(lines.times, lines.values)
        self._step = done

    def _widen(self) -> None:
        """Start another file with all earlier lines and more columns; the old one is deleted afterwards."""
        old, earlier = self._stream, self._record.drive(0, self._step)
        number = f"-{len(earlier.names)}" * (old is not None)
        path = self._folder / f"{self._name}{number}{SUFFIX}"
        self._stream = StreamWriter(path, earlier.names, earlier.units, TELLS)
        self._stream.append(earlier.times, earlier.values)
        self._columns = earlier.names
        _drop(old)

    def release(self) -> None:
        """Close the file and keep it."""
        if self._stream is not None:
            self._stream.close("interrupted")

    def remove(self) -> None:
        """Delete the file."""
        stream, self._stream = self._stream, None
        _drop(stream)


def _drop(stream: StreamWriter | None) -> None:
    """Close and delete the file of a stream."""
    if stream is not None:
        with contextlib.suppress(LuffError):
            stream.close("interrupted")
        with contextlib.suppress(OSError):  # another program may be reading it
            stream.path.unlink(missing_ok=True)


def surviving_log(folder: Path) -> Path | None:
    """Largest log file that an ended process has left, or None."""
    found = sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_size)
    return found[-1] if found else None
