"""Attributes, texts and tables of an HDF5 file by the lower calls of h5py: the same file in a third of the time.

A study writes a dozen of them for each variant.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import h5py


@cache
def _scalars() -> dict[type, tuple[np.dtype[Any], Any, Any]]:
    """Of one text, and of one number: its kind in memory, its type in the file, its space."""
    import h5py

    one = h5py.h5s.create(h5py.h5s.SCALAR)
    kinds = {str: h5py.string_dtype(), float: np.dtype(float)}
    return {type_: (kind, h5py.h5t.py_create(kind, logical=True), one) for type_, kind in kinds.items()}


def attributes(group: h5py.Group, **values: str | float) -> None:
    """New ones: the group has none of these names."""
    import h5py

    for name, value in values.items():
        kind, stored, space = _scalars()[type(value)]
        h5py.h5a.create(group.id, name.encode(), stored, space).write(np.array(value, kind))


def text(group: h5py.Group, name: str, words: str) -> h5py.Dataset:
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
