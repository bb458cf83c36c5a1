"""Plot cursors and their readings: values, differences between two cursors, extrema and RMS."""

from __future__ import annotations

from typing import Protocol

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QPen

from ..run.run_history import History
from ..theme import active_theme as themes
from ..theme.active_theme import Paper, paper
from .plot_caption import Caption
from .plot_spec import PlotSpec
from .run_curves import measures_of, values_at

NO_VALUE = "–"  # a run has none there, or not yet


class Plot(Protocol):
    """Interface of a plot for its cursors."""

    spec: PlotSpec
    box: pg.ViewBox
    caption: Caption
    curves: dict[str, pg.PlotDataItem]
    history: History | None

    @property
    def xy(self) -> bool: ...
    def place_caption(self) -> None: ...


class Cursors:
    """Pair of cursors: one for values, a second one for differences to it."""

    def __init__(self, plot: Plot):
        self.plot = plot
        self.line, self.second = (
            pg.InfiniteLine(angle=90, movable=True, pen=pg.mkPen(paper().muted)) for _ in range(2)
        )
        for line in (self.line, self.second):
            line.setZValue(50)
            line.hide()
        self.measured = False  # peaks and RMS are shown

    def restyle(self, paper: Paper) -> None:
        self.line.setPen(pg.mkPen(paper.muted, width=1, style=Qt.PenStyle.DashLine))
        self.second.setPen(pg.mkPen(paper.muted, width=1, style=Qt.PenStyle.DotLine))

    def refresh(self) -> None:
        """Show the readings that are on again, of other values or below another caption."""
        if self.line.isVisible():
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
        self.line.setVisible(on and not self.plot.xy)
        if on and not self.plot.xy:
            self._bring_in(self.line, 0.5)
            self.place(float(self.line.value()))
        else:
            self.plot.caption.show_values("", self._in_full([]))
            self.plot.place_caption()

    def show_second(self, on: bool) -> None:
        """Show the second cursor; values are followed by the change to it."""
        self.second.setVisible(on and not self.plot.xy)
        if on and not self.plot.xy:
            self._bring_in(self.second, 0.75)
        self.refresh()

    def place_second(self, time: float) -> None:
        _put(self.second, time)
        self.refresh()

    def place(self, time: float) -> None:
        _put(self.line, time)
        if not self.line.isVisible():
            return
        known = self.plot.history
        there = float(self.second.value()) if self.second.isVisible() else None
        within = known is not None and known.rows and known.span()[0] <= time <= known.span()[1]
        words = [
            (values_at(known, name, time, there, self.plot.spec) if within else NO_VALUE)
            if known and name in known.index
            else ""
            for name in self.plot.curves
        ]
        moment = f"t = {time:.4g} s" if there is None else f"t = {time:.4g} s, dt = {there - time:.4g} s"
        if self.measured:
            words = ["; ".join(filter(None, pair)) for pair in zip(words, self._measured(), strict=True)]
        self.plot.caption.show_values(moment, self._in_full(words))
        self.plot.place_caption()

    def _in_full(self, words: list[str]) -> list[str]:
        """Words of the curves, and none for the runs behind them."""
        return words + [""] * (len(self.plot.caption.entries) - len(words))

    def show_measures(self, on: bool) -> None:
        """Show extrema and RMS over the visible time interval beside the curve names."""
        self.measured = on and not self.plot.xy
        if self.line.isVisible():
            self.place(float(self.line.value()))
            return
        words = self._in_full(self._measured() if self.measured else [])
        low, high = self.plot.box.viewRange()[0]
        self.plot.caption.show_values(f"{low:.4g} to {high:.4g} s" if self.measured else "", words)
        self.plot.place_caption()

    def _measured(self) -> list[str]:
        known, (low, high) = self.plot.history, self.plot.box.viewRange()[0]
        if known is None or not known.rows:
            return [""] * len(self.plot.curves)
        return [
            measures_of(known, name, float(low), float(high), self.plot.spec) if name in known.index else ""
            for name in self.plot.curves
        ]

    def _bring_in(self, line: pg.InfiniteLine, share: float) -> None:
        """Move a cursor to a share of the visible interval if it is outside."""
        low, high = self.plot.box.viewRange()[0]
        if not low < float(line.value()) < high:
            line.setValue(low + share * (high - low))

    def move(self, line: pg.InfiniteLine, share: float) -> None:
        """Move a cursor by a share of the visible interval, within it."""
        low, high = self.plot.box.viewRange()[0]
        line.setValue(min(max(float(line.value()) + share * (high - low), low), high))


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
