"""Members of HDF5 files by their names. What a name stands for is known from the format alone: a file may differ.

HDF5 lets a name, and the numbers of a data set, lie in other files. luff writes nothing of the kind, and a file that
came from elsewhere shall not have others read, or a pipe waited for: such members are refused before they are opened.
"""

from __future__ import annotations

import mmap
import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import h5py
    import numpy as np


HEAP = b"GCOL\1\0\0\0"  # begins a heap, whose size follows
OBJECT = 16  # bytes of the head of an object in it


def has_member(group: h5py.Group, name: str) -> bool:
    """True if a name is there; nothing is opened for it."""
    return group.get(name, getlink=True) is not None


def group_in(group: h5py.Group, name: str) -> h5py.Group:
    """The group of a name."""
    import h5py

    inner = _member(group, name)
    if not isinstance(inner, h5py.Group):
        raise ValueError(f"{name} is no group")
    return inner


def dataset(group: h5py.Group, name: str) -> h5py.Dataset:
    """The data set of a name."""
    import h5py

    data = _member(group, name)
    if not isinstance(data, h5py.Dataset):
        raise ValueError(f"{name} is no data set")
    if data.is_virtual or data.external:
        raise ValueError(f"the numbers of {name} lie in another file")
    return data


def _member(group: h5py.Group, path: str) -> h5py.Group | h5py.Dataset:
    """Member at a path, by hard links alone, step by step."""
    import h5py

    member: object = group
    for name in path.split("/"):
        if not isinstance(member, h5py.Group):
            raise ValueError(f"{path} is not there")
        link = member.get(name, getlink=True)
        if link is None:
            raise KeyError(f"{path} is not there")
        if not isinstance(link, h5py.HardLink):
            raise ValueError(f"{path} is a link")
        member = member[name]
    if not isinstance(member, h5py.Group | h5py.Dataset):
        raise ValueError(f"{path} is neither a group nor a data set")
    return member


def check_heaps(path: Path, end: int | None = None) -> None:
    """ValueError where a heap of texts, up to a place in the file, is damaged: in free space without a size the library
    goes round for ever (HDF5 file format specification, III.E)."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        last = len(data) if end is None else min(end, len(data))
        at = data.find(HEAP, 0, last)
        while at >= 0:
            _check_heap(data, at)
            at = data.find(HEAP, at + len(HEAP), last)


def _check_heap(data: mmap.mmap, at: int) -> None:
    """Objects of at least a head each fill it to its end."""
    size = struct.unpack_from("<Q", data, at + 8)[0] if at + 16 <= len(data) else 0
    here, end = at + 16, at + size
    while here + OBJECT <= end <= len(data):
        number, _, _, length = struct.unpack_from("<HHIQ", data, here)
        step = length if number == 0 else OBJECT + -(-length // 8) * 8
        here = here + step if step >= OBJECT else end + OBJECT
    if not end - OBJECT < here <= end:
        raise ValueError("its texts are damaged")


def signals(path: Path) -> dict[str, np.ndarray]:
    """Data sets of one dimension by their paths, `run/angle`, in a file of any program."""
    import h5py

    signals: dict[str, np.ndarray] = {}

    def take(name: str, member: h5py.Group | h5py.Dataset) -> None:
        # one that says more than one dimension of many is no signal, and need not fit into memory
        if not isinstance(member, h5py.Dataset) or member.dtype.kind not in "fiub":
            return
        if sum(length > 1 for length in member.shape or ()) == 1 and not (
            member.is_virtual or member.external
        ):
            signals[name] = bounded_dataset(member)[()].squeeze().astype(float)

    with h5py.File(path, "r") as file:
        file.visititems(take)  # which follows no links to other files
    return signals


def numbers_in(group: h5py.Group, name: str) -> h5py.Dataset:
    """The data set of a table, which is one of numbers; a few bytes can declare any size and kind."""
    data = dataset(group, name)
    if len(data.shape) != 2 or data.dtype.kind != "f":
        raise ValueError(f"{name} is not a table of numbers")
    return bounded_dataset(data)


def bounded_dataset(data: h5py.Dataset) -> h5py.Dataset:
    """A data set that memory holds; MemoryError for one that says it is larger."""
    if data.id.get_offset() is None and data.size * data.dtype.itemsize > installed_memory():
        raise MemoryError
    return data


def installed_memory() -> float:
    """Bytes that this machine has."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # another system: what is too much is found by trying
        return float("inf")
