"""An HDF5 file to write, where a disk that is full ends in an error and not in the death of the process.

HDF5 keeps what it could not write, tries again while it closes the file, and crashes when that fails too. So it writes
into an object that never fails: the first error is kept, what comes after it goes nowhere, and the error is raised
once the library has closed its file.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import h5py
    from _typeshed import ReadableBuffer


class _Patient(io.FileIO):
    """A file that takes everything, and remembers the first thing that it could not write."""

    error: OSError | None = None

    def write(self, data: ReadableBuffer, /) -> int:
        view = memoryview(data).cast("B")
        done = 0
        while self.error is None and done < len(view):
            try:
                done += super().write(view[done:])
            except OSError as error:
                self.error = error
        return len(view)

    def truncate(self, size: int | None = None, /) -> int:
        if self.error is None:
            try:
                return super().truncate(size)
            except OSError as error:
                self.error = error
        return size or 0


@contextlib.contextmanager
def new_file(path: Path) -> Iterator[h5py.File]:
    """An `h5py.File` to write; OSError where the disk did not take all of it."""
    import h5py

    with _Patient(path, "w+") as below:
        try:
            with h5py.File(below, "w") as file:
                yield file
        except Exception:
            # whatever the library says of a file that lost a part: the reason is the first error
            if below.error is None:
                raise
        if below.error is not None:
            raise below.error
