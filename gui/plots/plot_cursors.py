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
from .run_curves import columns_of, measures_of, values_at

NO_VALUE = "–"  # a run has none there, or not yet
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
            line.setVisible(on and not self.plot.xy)
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
        words = [self._value(self.plot.history, name, time, there) for name in self.plot.curves]
        moment = f"t = {time:.4g} s" if there is None else f"t = {time:.4g} s, dt = {there - time:.4g} s"
        if self.measured and not self.plot.xy:
            words = ["; ".join(filter(None, pair)) for pair in zip(words, self._measured(), strict=True)]
        behind = [
            ", ".join(self._value(run.history, name, time, there) or NO_VALUE for name in self.plot.curves)
            for run in self.plot.behind.runs()
        ]
        self.plot.caption.show_values(moment, self._in_full(words + behind))
        self.plot.place_caption()
        self._show_dots([time] if there is None else [time, there])

    def _value(self, history: History | None, name: str, time: float, there: float | None) -> str:
        """Reading of a run's signal, on a path of both coordinates; empty where the run does not have it."""
        names = signals_of(self.plot.spec, name, history) if history else []
        if history is None or not names:
            return ""
        if not covers(history, time):
            return NO_VALUE
        *across, up = names
        level = replace(self.plot.spec, unit="")  # its unit is that of the vertical axis
        words = [values_at(history, x, time, there, level) for x in across]
        return ", ".join([*words, values_at(history, up, time, there, self.plot.spec)])

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


def covers(history: History, time: float) -> bool:
    """True if a run has rows up to this time and from it on."""
    low, high = history.span()
    return history.rows > 0 and low <= time <= high


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
