"""Memory arena: arrays side by side in few blocks, so that a whole work space is copied in a few moves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

LINE = 8  # numbers in a cache line, at which arrays begin
KINDS = (np.dtype(np.float64), np.dtype(np.int64))


def cache_line_aligned(numbers: np.ndarray) -> np.ndarray:
    """Copy of an array that begins at a cache line."""
    room = np.zeros(len(numbers) + LINE, numbers.dtype)
    first = (-room.ctypes.data % (8 * LINE)) // 8
    aligned = room[first : first + len(numbers)]
    aligned[:] = numbers
    return aligned


class Arena:
    """Copies of arrays, one block a number type; `arrays` are views on them."""

    def __init__(self, arrays: Iterable[np.ndarray]):
        self.places: list[tuple[int, int, tuple[int, ...]]] = []  # block, offset, shape
        parts: tuple[list[np.ndarray], ...] = tuple([] for _ in KINDS)
        ends = [0] * len(KINDS)
        for array in arrays:
            kind = KINDS.index(array.dtype)
            self.places.append((kind, ends[kind], array.shape))
            gap = -array.size % LINE
            parts[kind].extend((array.ravel(), np.zeros(gap, array.dtype)))
            ends[kind] += array.size + gap
        self.whole = [
            cache_line_aligned(np.concatenate([*part, np.zeros(0, kind)]))
            for part, kind in zip(parts, KINDS, strict=True)
        ]
        self.arrays = self._views()

    def copy(self) -> Arena:
        """Copy of the blocks, with views of the same shapes."""
        made = object.__new__(Arena)
        made.places, made.whole = self.places, [cache_line_aligned(block) for block in self.whole]
        made.arrays = made._views()
        return made

    def _views(self) -> list[np.ndarray]:
        """Arrays as views on the blocks."""
        views = []
        for kind, first, shape in self.places:
            flat = self.whole[kind][first : first + math.prod(shape)]
            views.append(flat if len(shape) == 1 else flat.reshape(shape))
        return views


class RelocatedTables:
    """Relocation of address tables from some memory blocks to copies of these."""

    def __init__(self, blocks: Sequence[np.ndarray]):
        self.first = [(address(block), 8 * block.size) for block in blocks]
        self._owner: dict[str, np.ndarray] = {}

    def shifts(self, blocks: Sequence[np.ndarray]) -> np.ndarray:
        """Distance of each block from its original in bytes; last 0, for addresses outside."""
        places = zip(blocks, self.first, strict=True)
        return np.array([*(address(block) - first for block, (first, _) in places), 0], np.int64)

    def table(self, name: str, table: np.ndarray, shifts: np.ndarray) -> np.ndarray:
        """Copy of a table with the addresses in original blocks shifted."""
        owner = self._owner.get(name)
        if owner is None:
            owner = self._owner[name] = np.full(table.shape, len(self.first))
            for k, (first, size) in enumerate(self.first):
                owner[(table >= first) & (table < first + size)] = k
        return table + shifts[owner]


def address(array: np.ndarray) -> int:
    """Address of an array's data."""
    return array.__array_interface__["data"][0]
