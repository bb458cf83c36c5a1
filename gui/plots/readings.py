"""Readings of a plot: the values of its signals at both cursors, the change between them, peaks, mean and RMS."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QPen

from ..run.run_history import History
from ..theme.number_format import round_off_noise, rounded, unit_words
from .plot_spec import PlotSpec
from .run_curves import covers

NO_VALUE = "–"  # a signal has none there, or not yet
MEASURED = 4000  # points of a stretch that is measured: its extremes are among them
DIGITS, FEW = 5, 4


@dataclass(frozen=True)
class Source:
    """A signal of a run in a plot."""

    name: str
    history: History
    unit: str  # that its numbers are written in
    run: str = ""
    curve: pg.PlotDataItem | None = None  # that of the horizontal axis of a path has none
    entry: int = -1  # number of its entry in the caption

    @property
    def pen(self) -> QPen | None:
        return self.curve.opts["pen"] if self.curve is not None else None

    @property
    def hidden(self) -> bool:
        return self.curve is not None and not self.curve.isVisible()


@dataclass(frozen=True)
class Column:
    title: str
    tip: str


@dataclass(frozen=True)
class Row:
    source: Source
    unit: str
    numbers: list[str]  # by column


@dataclass(frozen=True)
class Asked:
    """Times [s] at which signals are read, at most two, and the stretch of time that is measured, if one is."""

    times: tuple[float, ...] = ()
    stretch: tuple[float, float] | None = None

    def columns(self) -> list[Column]:
        """Columns of numbers."""
        listed = [Column(f"at {time:.4g} s", "Value at the cursor") for time in self.times[:1]]
        if len(self.times) > 1:
            between = f"{self.times[1] - self.times[0]:.4g} s"
            listed += [
                Column(f"at {self.times[1]:.4g} s", "Value at the second cursor"),
                Column(f"Δ in {between}", "Change from the cursor to the second one"),
                Column("Δ per s", "Mean rate of change from the cursor to the second one, per second"),
            ]
        if self.stretch:
            over = "over the visible span, {:.4g} to {:.4g} s".format(*self.stretch)
            words = {"min": "Least value", "max": "Greatest value", "mean": "Mean", "RMS": "Root mean square"}
            listed += [Column(word, f"{meaning} {over}") for word, meaning in words.items()]
        return listed

    def rows(self, sources: Iterable[Source]) -> list[Row]:
        """Rows of numbers, in the unit of each signal."""
        return [self._row(source) for source in sources]

    def _row(self, source: Source) -> Row:
        name, history = source.name, source.history
        noise = history.noise(name)
        unit, factor = PlotSpec(unit=source.unit).shown(history.units.get(name, ""))
        at = [
            round_off_noise(history.at(name, time), noise) if covers(history, time) else math.nan
            for time in self.times
        ]
        numbers = [_text(value * factor, DIGITS) for value in at]
        if len(at) > 1:
            change, duration = round_off_noise(at[1] - at[0], 2.0 * noise), self.times[1] - self.times[0]
            rate = change / duration if duration else math.nan
            numbers += [_text(change * factor, DIGITS, "+"), _text(rate * factor, FEW, "+")]
        if self.stretch:
            measured = measures_of(history, name, *self.stretch)
            numbers += [_text(round_off_noise(value, noise) * factor, FEW) for value in measured]
        return Row(source, unit_words(unit), numbers)


def _text(number: float, digits: int, sign: str = "") -> str:
    return rounded(number, digits, sign if number else "") if math.isfinite(number) else NO_VALUE


def measures_of(history: History, name: str, start: float, end: float) -> tuple[float, float, float, float]:
    """Minimum, maximum, mean and root mean square of a column over a time interval; NaN where it has no rows."""
    ((stamps, outline),) = history.read_window([name], start, end, MEASURED)
    inside = outline[(stamps >= start) & (stamps <= end)]
    time, (values,) = history.read([name], start, end)
    kept = (time >= start) & (time <= end)
    time, values = time[kept], values[kept]
    if not len(inside) or len(time) < 2:
        return math.nan, math.nan, math.nan, math.nan
    mean, square = (np.trapezoid(powers, time) / (time[-1] - time[0]) for powers in (values, values**2))
    return float(inside.min()), float(inside.max()), float(mean), float(np.sqrt(square))
