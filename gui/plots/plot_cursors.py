"""Plot cursors and their readings: values, differences between two cursors, extrema and RMS."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Protocol

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QPen

from ..run.run_history import History
from ..theme import active_theme as themes
from ..theme.active_theme import Paper, paper
from .plot_caption import Caption
from .plot_spec import PlotSpec
from .reference_curves import ReferenceCurves
from .run_curves import NO_VALUE, columns_of, covers, measures_of, value_at

Reading = tuple[str, str | None]  # number, with the change behind it, and unit
NONE: Reading = (NO_VALUE, None)
DOT = 8  # px of a place on a path


class Plot(Protocol):
    """Interface of a plot for its cursors."""

    spec: PlotSpec
    box: pg.ViewBox
    caption: Caption
    curves: dict[str, pg.PlotDataItem]
    behind: ReferenceCurves
    history: History | None
    logarithmic: bool

    @property
    def xy(self) -> bool: ...
    @property
    def filled(self) -> bool: ...
    def place_caption(self) -> None: ...


class Cursors:
    """Pair of cursors: one for values, a second one for differences to it.

    Over time they are lines; on a path each is a dot, at the place of its time.
    """

    def __init__(self, plot: Plot):
        self.plot = plot
        self.line, self.second = (
            pg.InfiniteLine(angle=90, movable=True, pen=pg.mkPen(paper().muted)) for _ in range(2)
        )
        for line in (self.line, self.second):
            line.setZValue(50)
            line.hide()
        self.dots = pg.ScatterPlotItem(size=DOT)
        self.dots.setZValue(50)
        self.on = self.second_on = False
        self.measured = False  # peaks and RMS are shown

    def restyle(self, paper: Paper) -> None:
        self.line.setPen(pg.mkPen(paper.muted, width=1, style=Qt.PenStyle.DashLine))
        self.second.setPen(pg.mkPen(paper.muted, width=1, style=Qt.PenStyle.DotLine))

    def refresh(self) -> None:
        """Show the readings that are on again, of other values or below another caption."""
        for line, on in ((self.line, self.on), (self.second, self.second_on)):
            line.setVisible(on and self.plot.filled and not self.plot.xy)
        if self.on:
            self.place(float(self.line.value()))
        elif self.measured:
            self.show_measures(True)

    def join(self, others: Cursors | None, first: bool, second: bool, measured: bool) -> None:
        """Set the cursors of an added plot to the places and readings of those in other plots."""
        if others:
            _put(self.line, float(others.line.value()))
            _put(self.second, float(others.second.value()))
        self.show_second(second)
        self.show(first)
        self.show_measures(measured)

    def show(self, on: bool) -> None:
        self.on = on
        if on:
            self._bring_in(self.line, 0.5)
        else:
            self.plot.caption.show_values("", self._in_full([]))
            self.plot.place_caption()
            self._show_dots([])
        self.refresh()

    def show_second(self, on: bool) -> None:
        """Show the second cursor; values are followed by the change to it."""
        self.second_on = on
        if on:
            self._bring_in(self.second, 0.75)
        self.refresh()

    def place_second(self, time: float) -> None:
        _put(self.second, time)
        self.refresh()

    def place(self, time: float) -> None:
        _put(self.line, time)
        if not self.on:
            return
        there = float(self.second.value()) if self.second_on else None
        moment = f"t = {time:.4g} s" if there is None else f"t = {time:.4g} s, dt = {there - time:.4g} s"
        full = [self._text(one, with_units=True) for one in self._readings(time, there, short=False)]
        few = self._readings(time, there, short=True)
        units = {unit for signals in few for values in signals for _, unit in values if unit is not None}
        alone = units.pop() if len(units) == 1 else ""
        short = [self._text(one, with_units=not alone) for one in few]
        if self.measured and not self.plot.xy:
            for words in (full, short):
                for k, text in enumerate(self._measured()):
                    words[k] = "; ".join(filter(None, (words[k], text)))
        short_moment = f"{moment} [{alone}]" if alone else moment
        self.plot.caption.show_values(moment, self._in_full(full), short_moment, self._in_full(short))
        self.plot.place_caption()
        self._show_dots([time] if there is None else [time, there])

    def _readings(self, time: float, there: float | None, short: bool) -> list[list[list[Reading]]]:
        """Readings of each entry of the caption: of a curve those of its signal, of a run those of all signals."""
        read = lambda history, name: self._reading(history, name, time, there, short)  # noqa: E731
        own = [[read(self.plot.history, name)] for name in self.plot.curves]
        runs = self.plot.behind.runs()
        return own + [[read(run.history, name) or [NONE] for name in self.plot.curves] for run in runs]

    def _reading(
        self, history: History | None, name: str, time: float, there: float | None, short: bool
    ) -> list[Reading]:
        """Reading of a run's signal, on a path of both coordinates; nothing where the run does not have it."""
        names = signals_of(self.plot.spec, name, history) if history else []
        if history is None or not names:
            return []
        if not covers(history, time):
            return [NONE]
        level = replace(self.plot.spec, unit="")  # its unit is that of the vertical axis
        specs = [self.plot.spec if one is names[-1] else level for one in names]
        return [
            value_at(history, one, time, there, own, short) for one, own in zip(names, specs, strict=True)
        ]

    def _text(self, signals: list[list[Reading]], with_units: bool) -> str:
        """Words of an entry: signals apart by semicolons where each has several numbers."""
        written = [
            [f"{number} {unit}" if unit and with_units else number for number, unit in values]
            for values in signals
        ]
        words = [", ".join(values) for values in written]
        return ("; " if any(", " in text for text in words) else ", ").join(words)

    def _in_full(self, words: list[str]) -> list[str]:
        """Words of the curves, and none for the runs behind them."""
        return words + [""] * (len(self.plot.caption.entries) - len(words))

    def _show_dots(self, times: list[float]) -> None:
        """Mark the places of paths at these times: a full dot, and a hollow one for the second cursor."""
        plot, spots = self.plot, []
        own = [(name, curve, plot.history) for name, curve in plot.curves.items() if plot.history]
        for name, curve, history in [*own, *plot.behind.histories()] if plot.xy else ():
            names = signals_of(plot.spec, name, history)
            for k, time in enumerate(times if names and curve.isVisible() else ()):
                if covers(history, time):
                    x, y = (history.at(one, time) for one in names)
                    y *= plot.spec.shown(history.units.get(name, ""))[1]
                    y = math.log10(y) if plot.logarithmic and y > 0.0 else math.nan if plot.logarithmic else y
                    colour = curve.opts["pen"].color()
                    spots.append({"pos": (x, y), "pen": pg.mkPen(colour), "brush": None if k else colour})
        self.dots.setData(spots=spots)

    def show_measures(self, on: bool) -> None:
        """Show extrema and RMS over the visible time interval beside the curve names."""
        self.measured = on
        if self.on:
            self.place(float(self.line.value()))
            return
        on = on and not self.plot.xy
        words = self._in_full(self._measured() if on else [])
        low, high = self.plot.box.viewRange()[0]
        self.plot.caption.show_values(f"{low:.4g} to {high:.4g} s" if on else "", words)
        self.plot.place_caption()

    def _measured(self) -> list[str]:
        known, (low, high) = self.plot.history, self.plot.box.viewRange()[0]
        if known is None or not known.rows:
            return [""] * len(self.plot.curves)
        return [
            measures_of(known, name, float(low), float(high), self.plot.spec) if name in known.index else ""
            for name in self.plot.curves
        ]

    def _span(self) -> tuple[float, float]:
        """The time interval that is visible; of a path that of the run, or of no length before it."""
        if not self.plot.xy:
            low, high = self.plot.box.viewRange()[0]
            return float(low), float(high)
        return self.plot.history.span() if self.plot.history else (0.0, 0.0)

    def _bring_in(self, line: pg.InfiniteLine, share: float) -> None:
        """Move a cursor to a share of the visible interval if it is outside."""
        low, high = self._span()
        if low < high and not low < float(line.value()) < high:
            line.setValue(low + share * (high - low))

    def move(self, line: pg.InfiniteLine, share: float) -> None:
        """Move a cursor by a share of the visible interval, within it."""
        low, high = self._span()
        line.setValue(min(max(float(line.value()) + share * (high - low), low), high))


def signals_of(spec: PlotSpec, name: str, history: History) -> list[str]:
    """A signal of a plot, on a path behind that of the horizontal axis; none where the run does not have all."""
    across = [] if spec.x == "time" else columns_of(spec.x, history)[:1]
    return [*across, name] if name in history.index and (across or spec.x == "time") else []


def _put(line: pg.InfiniteLine, time: float) -> None:
    """Set a cursor line without emitting its signal."""
    if abs(float(line.value()) - time) > 1e-12:
        line.blockSignals(True)
        line.setValue(time)
        line.blockSignals(False)


class TimeMarker(pg.InfiniteLine):
    """Marker line below the cursors, moved by the replay and not by the user."""

    def __init__(self) -> None:
        super().__init__(angle=90, movable=False, pen=self.own_pen())
        self.setZValue(40)
        self.hide()

    @staticmethod
    def own_pen() -> QPen:
        return pg.mkPen(themes.theme().accent, width=1)

    def restyle(self) -> None:
        self.setPen(self.own_pen())

    def show_at(self, time: float | None) -> None:
        """Move the marker to `time` [s]; None hides it."""
        self.setVisible(time is not None)
        if time is not None:
            self.setValue(time)
