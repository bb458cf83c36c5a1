"""An HDF5 file to write, where a disk that is full ends in an error and not in the death of the process.

HDF5 keeps what it could not write, tries again while it closes the file, and crashes when that fails too. So it writes
into an object that never fails: the first error is kept, what comes after it goes nowhere, and the error is raised
once the library has closed its file.

Attributes, texts and tables are written by the lower calls of h5py: the same file in a third of the time, since a study
writes a dozen of them for each variant.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import h5py
    from _typeshed import ReadableBuffer


class _DeferredErrors(io.FileIO):
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


def without_nul(text: str) -> str:
    """A text as HDF5 can hold it: a NUL ends it there, and its picture stands for it."""
    return text.replace("\0", "\u2400")


@contextlib.contextmanager
def create_hdf5(path: Path) -> Iterator[h5py.File]:
    """An `h5py.File` to write; OSError where the disk did not take all of it."""
    import h5py

    with _DeferredErrors(path, "w+") as below:
        try:
            with h5py.File(below, "w") as file:
                yield file
        except Exception:
            # whatever the library says of a file that lost a part: the reason is the first error
            if below.error is None:
                raise
        if below.error is not None:
            raise below.error


@cache
def _scalars() -> dict[type, tuple[np.dtype[Any], Any, Any]]:
    """Kind in memory, type in the file and dataspace of a text and of a number."""
    import h5py

    one = h5py.h5s.create(h5py.h5s.SCALAR)
    kinds = {str: h5py.string_dtype(), float: np.dtype(float)}
    return {type_: (kind, h5py.h5t.py_create(kind, logical=True), one) for type_, kind in kinds.items()}


def attributes(group: h5py.Group, **values: str | float) -> None:
    """New ones: the group has none of these names."""
    import h5py

    for name, value in values.items():
        kind, stored, space = _scalars()[type(value)]
        value = without_nul(value) if isinstance(value, str) else value
        h5py.h5a.create(group.id, name.encode(), stored, space).write(np.array(value, kind))


def new_text(group: h5py.Group, name: str, words: str) -> h5py.Dataset:
    """A new dataset of one text."""
    import h5py

    kind, stored, space = _scalars()[str]
    made = h5py.h5d.create(group.id, name.encode(), stored, space)
    made.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array(words, kind))
    return h5py.Dataset(made)


def table(group: h5py.Group, name: str, rows: np.ndarray) -> None:
    """A new dataset of numbers."""
    import h5py

    space = h5py.h5s.create_simple(rows.shape)
    made = h5py.h5d.create(group.id, name.encode(), h5py.h5t.IEEE_F64LE, space)
    made.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(rows, float))
