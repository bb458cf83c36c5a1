"""What the window keeps of a run: bounded in memory, whatever the run's length. Pure Python: nothing here knows Qt.

When it is full, every four rows become two: for each signal the least and the greatest of the four, in their order,
so that no peak is lost. The complete rows are in the run's result file.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

MOST_NUMBERS = 8_000_000  # 64 MB
LEAST_ROWS, MOST_ROWS = 4_000, 120_000


class History:
    """Columns over time; written by one thread, read by another."""

    def __init__(self, columns: Sequence[str], units: dict[str, str] | None = None):
        self.columns = list(columns)
        self.units = dict(units or {})
        self.index = {name: k for k, name in enumerate(self.columns)}
        fits = MOST_NUMBERS // max(1, len(self.columns))
        self.capacity = min(MOST_ROWS, max(LEAST_ROWS, fits)) // 4 * 4
        self._time = np.empty(min(1024, self.capacity))
        self._table = np.empty((len(self.columns), len(self._time)))
        self._lock = threading.Lock()
        self.rows = 0
        self.version = 0

    def append(self, times: np.ndarray, table: np.ndarray) -> None:
        """`table` (rows, columns). Only the moments in which readers would see half a change are locked."""
        while len(times):
            self._make_room(len(times))
            part = min(len(self._time) - self.rows, len(times))
            self._time[self.rows : self.rows + part] = times[:part]
            self._table[:, self.rows : self.rows + part] = table[:part].T
            with self._lock:
                self.rows += part
                self.version += 1
            times, table = times[part:], table[part:]

    def _make_room(self, wanted: int) -> None:
        size = len(self._time)
        if self.rows + wanted <= size:
            return
        if size < self.capacity:
            self._replace(
                min(self.capacity, max(2 * size, self.rows + wanted)), self._time, self._table, self.rows
            )
        elif self.rows == self.capacity:
            times = self._time.reshape(-1, 4)[:, ::2].reshape(-1)
            self._replace(self.capacity, times, halved(self._table), self.capacity // 2)

    def _replace(self, size: int, old_time: np.ndarray, old_table: np.ndarray, rows: int) -> None:
        time, table = np.empty(size), np.empty((len(self.columns), size))
        time[:rows], table[:, :rows] = old_time[:rows], old_table[:, :rows]
        with self._lock:
            self._time, self._table, self.rows = time, table, rows

    def read(self, names: Sequence[str]) -> tuple[np.ndarray, list[np.ndarray]]:
        """Copies of time and of some columns."""
        with self._lock:
            time = self._time[: self.rows].copy()
            return time, [self._table[self.index[name], : self.rows].copy() for name in names]

    def read_window(
        self, names: Sequence[str], start: float, end: float, points: int
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Each column thinned to about `points` for the screen, within a stretch of time."""
        with self._lock:
            time = self._time[: self.rows]
            low = max(0, int(np.searchsorted(time, start, "left")) - 1)
            high = min(self.rows, int(np.searchsorted(time, end, "right")) + 1)
            return [
                thinned(time[low:high], self._table[self.index[name], low:high], points) for name in names
            ]

    def last(self, name: str) -> float:
        with self._lock:
            return float(self._table[self.index[name], self.rows - 1]) if self.rows else float("nan")

    def span(self) -> tuple[float, float]:
        with self._lock:
            return (float(self._time[0]), float(self._time[self.rows - 1])) if self.rows else (0.0, 0.0)


def halved(table: np.ndarray) -> np.ndarray:
    """Every four values of a row become two, the least and the greatest, in their order as far as halves tell it."""
    found = np.empty((len(table), table.shape[1] // 2))
    # row by row: one row fits into the processor's cache
    for values, out in zip(table, found, strict=True):
        pairs = values.reshape(-1, 2)
        low, high = np.minimum(pairs[:, 0], pairs[:, 1]), np.maximum(pairs[:, 0], pairs[:, 1])
        falls = (high[::2] >= high[1::2]) & (low[1::2] < low[::2])  # the greatest comes first
        least, greatest = np.minimum(low[::2], low[1::2]), np.maximum(high[::2], high[1::2])
        out[::2], out[1::2] = np.where(falls, greatest, least), np.where(falls, least, greatest)
    return found


def least_and_greatest(values: np.ndarray, group: int) -> np.ndarray:
    """Of each group of values the least and the greatest, in the order in which they came."""
    groups = values.reshape(-1, group)
    low, high = groups.argmin(axis=1), groups.argmax(axis=1)
    rows = np.arange(len(groups))
    first, second = np.minimum(low, high), np.maximum(low, high)
    return np.column_stack((groups[rows, first], groups[rows, second])).reshape(-1)


def thinned(time: np.ndarray, values: np.ndarray, points: int) -> tuple[np.ndarray, np.ndarray]:
    """Min-max decimation for drawing: the outline that all points together would have."""
    group = len(time) // max(1, points // 2)
    if group < 2:
        return time.copy(), values.copy()
    whole = len(time) // group * group
    kept = least_and_greatest(values[:whole], group)
    stamps = time[:whole].reshape(-1, group)
    times = np.column_stack((stamps[:, 0], stamps[:, group // 2])).reshape(-1)
    return np.concatenate((times, time[whole:])), np.concatenate((kept, values[whole:]))


@dataclass
class Poses:
    """Where the bodies were: one (bodies, 12) array a frame of the film; every other is dropped when it is full."""

    most: int = 4000
    times: list[float] = field(default_factory=list)
    frames: list[np.ndarray] = field(default_factory=list)
    _skip: int = 1
    _count: int = 0

    def add(self, time: float, pose: np.ndarray) -> None:
        self._count += 1
        if self._count % self._skip:
            return
        self.times.append(time)
        self.frames.append(pose)
        if len(self.times) > self.most:
            self.times, self.frames = self.times[::2], self.frames[::2]
            self._skip *= 2

    def at(self, time: float) -> np.ndarray | None:
        if not self.times:
            return None
        times = self.times
        k = int(np.searchsorted(times[: len(self.frames)], time, "right")) - 1
        return self.frames[max(0, min(k, len(self.frames) - 1))]
