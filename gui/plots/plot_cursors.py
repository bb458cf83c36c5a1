"""Plot cursors: lines over time, dots on a path; what is read at them is in the table of readings."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QPen

from ..run.run_history import History
from ..theme import active_theme as themes
from ..theme.active_theme import Paper, paper
from .gesture_box import GestureBox
from .plot_base import ValueAxis
from .plot_caption import FEW, Caption
from .plot_spec import PlotSpec
from .readings import Asked, Row, Source
from .reference_curves import ReferenceCurves
from .run_curves import columns_of, covers
from .second_axis import SecondAxis

DOT = 8  # px of a place on a path


class Plot(Protocol):
    """Interface of a plot for its cursors."""

    spec: PlotSpec
    box: GestureBox
    caption: Caption
    axes: dict[str, ValueAxis]
    right: SecondAxis
    curves: dict[str, pg.PlotDataItem]
    behind: ReferenceCurves
    history: History | None
    run: str
    logarithmic: bool

    @property
    def xy(self) -> bool: ...
    @property
    def filled(self) -> bool: ...
    def place_caption(self) -> None: ...
    def on_right(self, name: str) -> bool: ...


class Cursors:
    """Pair of cursors: one for values, a second one for differences to it.

    Over time they are lines; on a path each is a dot, at the place of its time. `read` is called when other numbers
    are to be read.
    """

    def __init__(self, plot: Plot, read: Callable[[], object]):
        self.plot, self.read = plot, read
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
        """Show the cursors that are on, at their places among other values."""
        for line, on in ((self.line, self.on), (self.second, self.second_on)):
            line.setVisible(on and self.plot.filled and not self.plot.xy)
        self._show_dots(self.times())
        few = 1 if self.on or self.measured else FEW  # names are in the table of readings, too
        if few != self.plot.caption.few:
            self.plot.caption.few = few
            self.plot.place_caption()
        self.read()

    def times(self) -> tuple[float, ...]:
        """Times at which signals are read [s]."""
        lines = [(self.line, self.on), (self.second, self.on and self.second_on)]
        return tuple(float(line.value()) for line, on in lines if on)

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
        self.refresh()

    def show_second(self, on: bool) -> None:
        """Show the second cursor, with the change to it."""
        self.second_on = on
        if on:
            self._bring_in(self.second, 0.75)
        self.refresh()

    def show_measures(self, on: bool) -> None:
        """Measure the visible time interval."""
        self.measured = on
        self.refresh()

    def place(self, time: float) -> None:
        _put(self.line, time)
        self.refresh()

    def place_second(self, time: float) -> None:
        _put(self.second, time)
        self.refresh()

    def asked(self) -> Asked:
        """Times and stretch of time at which this plot is read."""
        low, high = self.plot.box.viewRange()[0]
        measured = self.measured and not self.plot.xy
        return Asked(self.times(), (float(low), float(high)) if measured else None)

    def rows(self) -> list[Row]:
        """Rows of the table of readings, in the order of the curves."""
        return self.asked().rows(self.sources())

    def sources(self) -> list[Source]:
        """Signals that are read, in the units of their axes, each in all runs that have it; on a path behind that of
        the horizontal axis."""
        plot, behind = self.plot, self.plot.behind
        runs = behind.runs()
        names = dict.fromkeys([*plot.curves, *(name for name, _, _ in behind.histories())])
        found: list[Source] = []
        if plot.xy:
            own = [(plot.run, plot.history), *((run.name, run.history) for run in runs)]
            for run, history in own:
                across = columns_of(plot.spec.x, history)[:1] if history else []
                for name in across if history else ():
                    unit = plot.axes["bottom"].written(history.units.get(name, ""))
                    found.append(Source(name, history, unit, run))
        for k, name in enumerate(names):
            curve = plot.curves.get(name)
            if curve is not None and plot.history is not None and name in plot.history.index:
                unit = self._unit(name, plot.history)
                found.append(Source(name, plot.history, unit, plot.run, curve, k))
            for run, curve in behind.curves_of(name):
                entry = len(plot.curves) + runs.index(run)
                unit = self._unit(name, run.history)
                found.append(Source(name, run.history, unit, run.name, curve, entry))
        return found

    def _unit(self, name: str, history: History) -> str:
        """Unit in which the axis of a signal has its numbers."""
        plot = self.plot
        axis = plot.right.axis if plot.on_right(name) else plot.axes["left"]
        return axis.written(plot.spec.shown(history.units.get(name, ""))[0])

    def _show_dots(self, times: tuple[float, ...]) -> None:
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
