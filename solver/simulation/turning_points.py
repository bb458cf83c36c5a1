"""Turning points of watched signals, kept at full step resolution for peaks, cycle counts and damage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from ..results.recorded_run import RecordedRun, signal_of

Floats = NDArray[np.float64]
Ratio = tuple[
    list[float], list[float]
]  # weights of the columns in numerator and denominator; a zero denominator stands for one


class Watched(TypedDict):
    """Signals watched together at each step.

    Kept are the steps at which one of their columns, the magnitude of a vector or a ratio turns, those at the edges of
    windows of measurement, those that are not finite, and all output rows.
    """

    signals: list[str]
    ratios: list[Ratio]
    edges: list[float]  # [s]


class TurningPoints:
    """Filter of the rows of all steps: keeps turning points of watched signals, passes on output rows."""

    def __init__(self, columns: Sequence[str], watched: Sequence[Watched], every: int, step: float):
        self._every, self._seen = every, 0
        self.last: tuple[Floats, Floats] | None = None
        index = {column: k for k, column in enumerate(columns)}
        by_signal: dict[str, list[int]] = {}
        for k, column in enumerate(columns):
            by_signal.setdefault(signal_of(column), []).append(k)
        self._groups: list[_Group] = []
        for one in watched:
            vectors = [[index[name]] if name in index else by_signal.get(name, []) for name in one["signals"]]
            if all(vectors):
                self._groups.append(_Group(columns, vectors, one, step))

    def take(self, times: Floats, rows: Floats) -> tuple[Floats, Floats]:
        """Take the rows of the next steps; returns the output rows."""
        if not len(times):
            return times, rows
        written = (self._seen + np.arange(len(times))) % self._every == 0
        for group in self._groups:
            group.take(times, rows, written)
        self._seen += len(times)
        self.last = times[-1:].copy(), rows[-1:].copy()
        return times[written], rows[written]

    def traces(self, units: dict[str, str]) -> list[RecordedRun]:
        """Kept rows, a table for each group."""
        return [group.trace(units) for group in self._groups]


class _Group:
    """Turning points of one group of signals."""

    def __init__(self, columns: Sequence[str], vectors: list[list[int]], one: Watched, step: float):
        self._picked = [*dict.fromkeys(k for vector in vectors for k in vector)]
        self._columns = [columns[k] for k in self._picked]
        self._vectors = [[self._picked.index(k) for k in vector] for vector in vectors if len(vector) > 1]
        self._ratios = [(np.array(top), np.array(bottom)) for top, bottom in one["ratios"]]
        self._edges, self._step = np.array(one["edges"], float), step
        self._kept: list[tuple[Floats, Floats]] = []
        # last two steps: the next one decides if the later of them turns
        self._tail = np.zeros(0), np.zeros((0, len(self._picked))), np.zeros(0, bool)

    def take(self, times: Floats, rows: Floats, written: NDArray[np.bool_]) -> None:
        """Take rows; `written` marks output rows."""
        time = np.concatenate([self._tail[0], times])
        values = np.concatenate([self._tail[1], rows[:, self._picked]])
        always = np.concatenate([self._tail[2], written])
        first = len(self._tail[0]) == 2  # the first row was decided before
        keep = always | ~np.isfinite(values).all(axis=1)
        for edge in self._edges:
            keep |= np.abs(time - edge) <= 1.5 * self._step
        keep[1:-1] |= turns(self._derived(values))
        keep[:1] &= not first
        settled = slice(0, len(time) - 1)  # the last one is undecided
        self._kept.append((time[settled][keep[settled]], values[settled][keep[settled]]))
        self._tail = time[-2:].copy(), values[-2:].copy(), always[-2:].copy()

    def _derived(self, values: Floats) -> Floats:
        """Columns, magnitudes and ratios that may turn."""
        sizes = [np.linalg.norm(values[:, vector], axis=1) for vector in self._vectors]
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = [
                (values @ top) / (values @ bottom if bottom.any() else 1.0) for top, bottom in self._ratios
            ]
        return np.column_stack([values, *sizes, *shares])

    def trace(self, units: dict[str, str]) -> RecordedRun:
        """Kept rows as a recorded run."""
        kept = [*self._kept, (self._tail[0][-1:], self._tail[1][-1:])]
        time, table = (np.concatenate([part[k] for part in kept]) for k in (0, 1))
        return RecordedRun(time, self._columns, table, {name: units.get(name, "") for name in self._columns})


def turns(values: Floats) -> NDArray[np.bool_]:
    """Mask of inner rows at which a column changes between rising, falling and level."""
    with np.errstate(invalid="ignore"):  # rows that are not finite are kept by themselves
        steps = np.diff(values, axis=0)
    before, after = steps[:-1], steps[1:]
    goes_on = (
        ((before > 0.0) & (after > 0.0))
        | ((before < 0.0) & (after < 0.0))
        | ((before == 0.0) & (after == 0.0))
    )
    return ~goes_on.all(axis=1)
