"""Run history for display: bounded memory for any length of run. Pure Python: no Qt.

Three stores take every row, at a cost that does not grow with the run:

- the last rows unchanged, for a moving time window;\n- the envelope of the whole run: minimum and maximum of each
group of rows, so that no peak is lost;\n- every n-th complete row, for x-y plots, where values must be simultaneous.

When one of the latter two is full its group size doubles. The complete rows are in the run's result file.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...solver.diagram.block_renaming import Change
from ...solver.results.recorded_run import PlotEntry, RecordedRun

MOST_NUMBERS = 8_000_000  # 64 MB in all stores
LEAST_ROWS, MOST_ROWS = 2_000, 60_000  # rows of one store
ROUNDING = 64.0 * np.finfo(float).eps  # of what a block adds to a vector, relative to its largest element

# planned curves of plots, by x and y: pairs of lists, in SI
Planned = dict[tuple[str, tuple[str, ...]], list[list[list[float]]]]


def planned_by_signals(plots: Sequence[PlotEntry]) -> Planned:
    """Planned curves of plots by their x and y."""
    curves = {(one.get("x", "time"), (*one["y"],)): one.get("planned", []) for one in plots}
    return {signals: some for signals, some in curves.items() if some}


class History:
    """Columns over time, written by one thread and read by another."""

    def __init__(self, columns: Sequence[str], units: dict[str, str] | None = None):
        self.columns = self.recorded = list(columns)
        self.units = dict(units or {})
        self.index = {name: k for k, name in enumerate(self.columns)}
        fits = MOST_NUMBERS // 4 // max(1, len(self.columns))
        self.capacity = min(MOST_ROWS, max(LEAST_ROWS, fits)) // 4 * 4
        width, lock = len(self.columns), threading.Lock()
        self._lock = lock
        self._recent = Recent(width, self.capacity, lock)
        self._outline = Outline(width, self.capacity, lock)
        self._samples = Samples(width, self.capacity, lock)
        self._peaks = np.zeros(width)
        self._first = 0.0
        self._vectors: dict[str, np.ndarray] = {}  # columns of the vector of a column, once asked for
        self._blocks = 0  # that have columns, counted with them
        self.planned: Planned = {}
        self.rows = 0  # all that came
        self.version = 0

    @classmethod
    def of(cls, result: RecordedRun, wired: Mapping[str, str] | None = None) -> History:
        """History with all rows of a result; signals without a unit have that of `wired`."""
        history = cls(list(result.columns), dict(result.units))
        history.complete_units(wired or {})
        history.append(np.asarray(result.time), np.asarray(result.table))
        history.planned = planned_by_signals(result.plots)
        return history

    def rename(self, change: Change) -> None:
        """Give the columns the names that they have now; `recorded` keeps those of the result file."""
        self.columns = [*map(change, self.columns)]
        self.units = {change(name): unit for name, unit in self.units.items()}
        self.index = {name: k for k, name in enumerate(self.columns)}
        self._vectors = {}
        self.planned = {(change(x), (*map(change, y),)): some for (x, y), some in self.planned.items()}

    def complete_units(self, wired: Mapping[str, str]) -> None:
        """Give signals without a unit that of the ports they are wired to."""
        self.units |= {name: wired[name] for name, unit in self.units.items() if not unit and name in wired}
        self._vectors = {}

    @property
    def complete(self) -> bool:
        """True if every row is still stored."""
        return self.rows <= self.capacity

    def append(self, times: np.ndarray, table: np.ndarray) -> None:
        """Append rows, `table` (rows, columns); only changes that readers must not see halfway are locked."""
        if not len(times):
            return
        if not self.rows:
            self._first = float(times[0])
        # a piece larger than a store would overtake itself
        for k in range(0, len(times), self.capacity):
            piece = slice(k, k + self.capacity)
            for store in (self._recent, self._outline, self._samples):
                store.append(times[piece], table[piece])
        with self._lock:
            self._peaks = np.fmax(self._peaks, np.fmax.reduce(np.abs(table)))
            self.rows += len(times)
            self.version += 1

    def read(
        self, names: Sequence[str], start: float = -np.inf, end: float = np.inf
    ) -> tuple[np.ndarray, list[np.ndarray]]:
        """Copies of time and columns with simultaneous values: all rows, or every n-th."""
        with self._lock:
            recent, store = self._recent, self._samples
            if recent.rows and start >= recent.first:
                stretch = within(time := recent.times(), start, end)
                return time[stretch], [recent.values(self.index[name], stretch) for name in names]
            stretch = within(time := store.time[: store.rows], start, end)
            return time[stretch].copy(), [store.table[stretch, self.index[name]].copy() for name in names]

    def read_window(
        self, names: Sequence[str], start: float, end: float, points: int
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the columns in a time interval, decimated to about `points` for drawing."""
        with self._lock:
            recent = self._recent
            if self.complete or (recent.rows and start >= recent.first):
                stretch = within(time := recent.times(), start, end)
                stamps = time[stretch]
                return [thinned(stamps, recent.values(self.index[name], stretch), points) for name in names]
            curves = []
            for name in names:
                time, values = self._outline.column(self.index[name])
                # the row that came last ends the curve, whatever its group
                time = np.append(time, recent.last)
                values = np.append(values, recent.last_row[self.index[name]])
                stretch = within(time, start, end)
                curves.append(thinned(time[stretch], values[stretch], points))
            return curves

    def at(self, name: str, time: float) -> float:
        """Value at `time` [s], interpolated between the nearest stored rows."""
        with self._lock:
            recent, k = self._recent, self.index[name]
            if recent.rows and time >= recent.first:
                stamps = recent.times()
                near = within(stamps, time, time)
                return float(np.interp(time, stamps[near], recent.values(k, near)))
            samples = self._samples
            near = within(samples.time[: samples.rows], time, time)
            return float(np.interp(time, samples.time[near], samples.table[near, k]))

    def held(self, name: str, time: float) -> float:
        """Value of the last stored row at or before `time` [s] (zero-order hold), for discontinuous signals."""
        with self._lock:
            recent, k = self._recent, self.index[name]
            if recent.rows and time >= recent.first:
                stamps = recent.times()
                row = max(int(np.searchsorted(stamps, time, side="right")) - 1, 0)
                return float(recent.values(k, slice(row, row + 1))[0])
            samples = self._samples
            row = max(int(np.searchsorted(samples.time[: samples.rows], time, side="right")) - 1, 0)
            return float(samples.table[row, k])

    def last(self, name: str) -> float:
        with self._lock:
            recent = self._recent
            return float(recent.last_row[self.index[name]]) if recent.rows else float("nan")

    def peak(self, name: str) -> float:
        """Greatest absolute value of a column so far; of an element that of its vector, whose unit it shares."""
        return float(self._peaks[self._vector(name)].max())

    def noise(self, name: str) -> float:
        """Size up to which a value of a column is shown as 0: the rounding of one evaluation, in which it passes each
        block of the model once at most. Elements of a vector share it, since axes that turn mix them. What steps add up
        is not in it: such a value is shown as it is."""
        peak = self.peak(name)  # which counts the blocks
        return ROUNDING * self._blocks * peak

    def _vector(self, name: str) -> np.ndarray:
        """Columns of the vector that a column is an element of, those in its unit; of another one itself."""
        if not self._vectors:
            heads: dict[tuple[str, str], list[int]] = {}
            keys = [(column.partition("[")[0], self.units.get(column, "")) for column in self.columns]
            for k, key in enumerate(keys):
                heads.setdefault(key, []).append(k)
            self._vectors = {
                column: np.array(heads[key]) for column, key in zip(self.columns, keys, strict=True)
            }
            self._blocks = len({column.rpartition(".")[0] for column in self.columns})
        return self._vectors[name]

    def span(self) -> tuple[float, float]:
        with self._lock:
            return (self._first, self._recent.last) if self._recent.rows else (0.0, 0.0)


class Store:
    """Preallocated rows over time, `rows` of them valid, in row-major order since writing is more frequent than
    reading."""

    def __init__(self, width: int, capacity: int, lock: threading.Lock):
        self.time, self.table = np.empty(capacity), np.empty((capacity, width))
        self.rows = 0
        self.lock = lock

    def put(self, times: np.ndarray, table: np.ndarray) -> None:
        """Append rows behind the valid ones, where no reader looks yet."""
        end = self.rows + len(times)
        self.time[self.rows : end] = times
        self.table[self.rows : end] = table
        with self.lock:
            self.rows = end

    def replace(self, times: np.ndarray, rows: np.ndarray) -> None:
        time, table = np.empty_like(self.time), np.empty_like(self.table)
        time[: len(times)], table[: len(times)] = times, rows
        with self.lock:
            self.time, self.table, self.rows = time, table, len(times)


class Recent:
    """Most recent rows in two stores; the older is dropped when the newer is full, so that rows never move."""

    def __init__(self, width: int, kept: int, lock: threading.Lock):
        self.kept = kept
        self.old, self.new = Store(width, kept, lock), Store(width, kept, lock)
        self.lock = lock

    def append(self, times: np.ndarray, table: np.ndarray) -> None:
        while len(times):
            if self.new.rows == self.kept:
                with self.lock:
                    self.old, self.new = self.new, self.old
                    self.new.rows = 0
            done = min(len(times), self.kept - self.new.rows)
            self.new.put(times[:done], table[:done])
            times, table = times[done:], table[done:]

    # read access, under the lock

    @property
    def rows(self) -> int:
        return self.old.rows + self.new.rows

    @property
    def first(self) -> float:
        return float((self.old if self.old.rows else self.new).time[0])

    @property
    def _newest_rows(self) -> Store:
        return self.new if self.new.rows else self.old

    @property
    def last(self) -> float:
        return float(self._newest_rows.time[self._newest_rows.rows - 1])

    @property
    def last_row(self) -> np.ndarray:
        return self._newest_rows.table[self._newest_rows.rows - 1]

    def times(self) -> np.ndarray:
        return np.concatenate((self.old.time[: self.old.rows], self.new.time[: self.new.rows]))

    def values(self, k: int, stretch: slice) -> np.ndarray:
        """Values of column k over a slice of rows, counted from the oldest stored row."""
        rows, low, high = self.old.rows, stretch.start, stretch.stop
        older = self.old.table[low : min(high, rows), k]
        newer = self.new.table[max(low - rows, 0) : max(high - rows, 0), k]
        return np.concatenate((older, newer))


class Outline(Store):
    """Envelope: minimum and maximum of every column per group of rows, in their order of time."""

    def __init__(self, width: int, capacity: int, lock: threading.Lock):
        super().__init__(width, capacity, lock)
        self.group = 1  # rows of the run that two rows here stand for; 1: every row is here
        self._waiting = 0  # rows of the group that is not complete
        self._waiting_time, self._waiting_rows = np.zeros(2), np.zeros((2, width))

    def append(self, times: np.ndarray, table: np.ndarray) -> None:
        while len(times):
            if self.rows == len(self.time):
                self._double_group_size()
            take = self._take_plain if self.group == 1 else self._take_groups
            done = take(times, table)
            times, table = times[done:], table[done:]

    def _take_plain(self, times: np.ndarray, table: np.ndarray) -> int:
        done = min(len(times), len(self.time) - self.rows)
        self.put(times[:done], table[:done])
        return done

    def _take_groups(self, times: np.ndarray, table: np.ndarray) -> int:
        if self._waiting or len(times) < self.group:
            done = min(len(times), self.group - self._waiting)
            self._keep_partial_group(times[:done], table[:done])
            return done
        done = min(len(times) // self.group, (len(self.time) - self.rows) // 2) * self.group
        self.put(*outline(times[:done], table[:done], self.group))
        return done

    def _keep_partial_group(self, times: np.ndarray, table: np.ndarray) -> None:
        """Keep the rows of an incomplete group as its two envelope rows so far."""
        count = self._waiting + len(times)
        if self._waiting:
            times, table = np.append(self._waiting_time, times), np.concatenate((self._waiting_rows, table))
        two = outline(times, table, len(times))
        complete = count == self.group
        with self.lock:
            self._waiting = 0 if complete else count
            self._waiting_time, self._waiting_rows = two
        if complete:
            self.put(*two)

    def _double_group_size(self) -> None:
        """Double the group size: every four rows become two."""
        self.replace(*outline(self.time, self.table, 4))
        self.group = 4 if self.group == 1 else 2 * self.group

    def column(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Time and one column, the incomplete group included; call under the lock."""
        time, values = self.time[: self.rows], self.table[: self.rows, k]
        if not self._waiting:
            return time, values
        return np.append(time, self._waiting_time), np.append(values, self._waiting_rows[:, k])


class Samples(Store):
    """Store of every n-th row, unchanged."""

    def __init__(self, width: int, capacity: int, lock: threading.Lock):
        super().__init__(width, capacity, lock)
        self.stride = 1
        self._seen = 0

    def append(self, times: np.ndarray, table: np.ndarray) -> None:
        while len(times):
            if self.rows == len(self.time):
                self.replace(self.time[::2], self.table[::2])
                self.stride *= 2
            first = -self._seen % self.stride
            done = min(len(times), first + (len(self.time) - self.rows) * self.stride)
            self.put(times[first : done : self.stride], table[first : done : self.stride])
            self._seen += done
            times, table = times[done:], table[done:]


def outline(times: np.ndarray, table: np.ndarray, group: int) -> tuple[np.ndarray, np.ndarray]:
    """Two envelope rows per group: minimum and maximum of each column, ordered by the half of the group in which
    each occurs."""
    groups, half = table.reshape(-1, group, table.shape[1]), max(1, group // 2)
    early, late = groups[:, :half], groups[:, half:] if group > 1 else groups
    low, high, low_late, high_late = early.min(axis=1), early.max(axis=1), late.min(axis=1), late.max(axis=1)
    falls = (high >= high_late) & (low_late < low)
    least, greatest = np.minimum(low, low_late), np.maximum(high, high_late)
    rows = np.stack((np.where(falls, greatest, least), np.where(falls, least, greatest)), axis=1)
    stamps = times.reshape(-1, group)[:, [0, group // 2]]
    return stamps.reshape(-1), rows.reshape(-1, table.shape[1])


def within(time: np.ndarray, start: float, end: float) -> slice:
    """Slice of the rows in a time interval, extended by one row at each end."""
    low = max(0, int(np.searchsorted(time, start, "left")) - 1)
    return slice(low, min(len(time), int(np.searchsorted(time, end, "right")) + 1))


def least_and_greatest(values: np.ndarray, group: int) -> np.ndarray:
    """Indices of the minimum and maximum of each group of values, in order of time."""
    groups = values.reshape(-1, group)
    low, high = groups.argmin(axis=1), groups.argmax(axis=1)
    places = np.column_stack((np.minimum(low, high), np.maximum(low, high)))
    return (places + group * np.arange(len(groups))[:, None]).reshape(-1)


def thinned(time: np.ndarray, values: np.ndarray, points: int) -> tuple[np.ndarray, np.ndarray]:
    """Min-max decimation for drawing: about `points` of the given points, with the same envelope."""
    group = len(time) // max(1, points // 2)
    if group < 2:
        return time.copy(), values.copy()
    whole = len(time) // group * group
    # a curve begins and ends where its values do
    ends = (np.arange(1), np.arange(whole, len(time)), np.array([len(time) - 1]))
    kept = np.unique(np.concatenate((least_and_greatest(values[:whole], group), *ends)))
    return time[kept], values[kept]


@dataclass
class Poses:
    """Recorded poses, one (bodies, 12) array per frame; every other frame is dropped when the store is full."""

    most: int = 4000
    times: list[float] = field(default_factory=list)
    frames: list[np.ndarray] = field(default_factory=list)
    now: tuple[float, np.ndarray] | None = None  # the present, whether or not it is a frame
    skip: int = 1  # frames that come for each that stays
    _count: int = 0

    def add(self, time: float, pose: np.ndarray) -> None:
        self.extend(np.array([time]), pose[None])

    def extend(self, times: np.ndarray, poses: np.ndarray) -> None:
        """Append frames in order; frames that would be dropped at once are skipped."""
        done = 0
        while done < len(times):
            first = done + -self._count % self.skip
            room = self.most + 1 - len(self.times)
            kept = range(first, len(times), self.skip)[:room]
            self.times += times[kept.start : kept.stop : kept.step].tolist()
            self.frames += [poses[k].copy() for k in kept]
            end = len(times) if len(kept) < room else kept[-1] + 1
            self._count += end - done
            done = end
            if len(self.times) > self.most:
                self.times, self.frames = self.times[::2], self.frames[::2]
                self.skip *= 2

    def end(self) -> None:
        """Have the present as the last frame of a run that has ended."""
        if self.now is not None and self.times and self.now[0] > self.times[-1]:
            self.times.append(self.now[0])
            self.frames.append(self.now[1])

    def at(self, time: float) -> np.ndarray | None:
        if not self.times:
            return None
        times = self.times
        k = int(np.searchsorted(times[: len(self.frames)], time, "right")) - 1
        return self.frames[max(0, min(k, len(self.frames) - 1))]
