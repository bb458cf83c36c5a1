"""Members of HDF5 files by their names. What a name stands for is known from the format alone: a file may differ."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import h5py


def group_in(group: h5py.Group, name: str) -> h5py.Group:
    """The group of a name."""
    import h5py

    found = group[name]
    if not isinstance(found, h5py.Group):
        raise ValueError(f"{name} is no group")
    return found


def dataset(group: h5py.Group, name: str) -> h5py.Dataset:
    """The data set of a name."""
    import h5py

    found = group[name]
    if not isinstance(found, h5py.Dataset):
        raise ValueError(f"{name} is no data set")
    return found


def numbers_in(group: h5py.Group, name: str) -> h5py.Dataset:
    """The data set of a table, which is one of numbers; a few bytes can declare any size and kind."""
    data = dataset(group, name)
    if len(data.shape) != 2 or data.dtype.kind != "f":
        raise ValueError(f"{name} is no table of numbers")
    return bounded(data)


def bounded(data: h5py.Dataset) -> h5py.Dataset:
    """A data set that memory holds; MemoryError for one that says it is larger."""
    if data.id.get_offset() is None and data.size * data.dtype.itemsize > memory():
        raise MemoryError
    return data


def memory() -> float:
    """Bytes that this machine has."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # another system: what is too much is found by trying
        return float("inf")
