"""Second vertical axis of a plot, at its right: curves in other units than that of the left axis."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyqtgraph as pg

from ..theme.active_theme import Paper
from .gesture_box import AxisBox
from .plot_base import AxisLabel, Plot, ValueAxis

NUMBERS = 58.0  # px of the axis, its title included
ROUNDING = 1e-9  # share of a number below which changes are those of its last digits
ZERO = 1e-12  # of the displayed unit; values below are noise about zero
FREE = 0.08  # share of the values that stays free at both ends of an axis
RIM = 0.02  # share of an axis that stays free at its ends
MARGIN, EDGE = 14.0, 2.0  # px at the right of a plot, and at its other sides


class SecondAxis:
    """View box over that of the plot, with its own vertical range and the plot's horizontal one."""

    def __init__(self, plot: Plot):
        self.plot, self.on, self._room = plot, False, MARGIN
        self._fitted = (0.0, 1.0), (0.0, 1.0)  # what both axes showed when their curves were fitted last
        plot.item.layout.setContentsMargins(EDGE, EDGE, MARGIN, EDGE)
        self.box = AxisBox()  # gestures over the curves move the left axis; this one goes with it
        self.box.moved.connect(self._on_moved)
        self.axis = ValueAxis("right")
        self.axis.enableAutoSIPrefix(False)
        self.axis.setStyle(tickLength=-5, hideOverlappingLabels=False)
        item = plot.item
        self.axis.setWidth(NUMBERS)
        item.setAxisItems({"right": self.axis})
        item.hideAxis("right")
        item.scene().addItem(self.box)
        self.axis.linkToView(self.box)
        plot.box.sigXRangeChanged.connect(self.follow)  # a link of view boxes would scale by their sizes
        self.label = AxisLabel(item, "right")
        self.axis.retitled.connect(lambda: self.label.show_text(self.axis.title, self.label.ink))
        plot.box.sigResized.connect(self.place)
        self.box.hide()

    def _on_moved(self) -> None:
        """Keep what the user has set beside the left axis."""
        self._keep_fitted()
        self.plot.box.moved.emit(True)

    def _keep_fitted(self) -> None:
        (low, high), (bottom, top) = self.plot.box.viewRange()[1], self.box.viewRange()[1]
        self._fitted = (low, high), (bottom, top)

    def place(self, *_: object) -> None:
        """Lie over the plot's own view box."""
        self.box.setGeometry(self.plot.box.sceneBoundingRect())

    def follow(self, *_: object) -> None:
        self.box.setXRange(*self.plot.box.viewRange()[0], padding=0)

    def fit(self, columns: list[np.ndarray], by_hand: bool) -> None:
        """Fit the curves of this axis; where the left one is `by_hand`, move and stretch as that was."""
        if not by_hand:
            fit_values(self.box, columns)
            self._keep_fitted()
            return
        left = self.plot.box.viewRange()[1]
        (low, high), (bottom, top) = self._fitted
        scale = (top - bottom) / (high - low)
        self.box.setYRange(*(bottom + (end - low) * scale for end in left), padding=0)

    def zoom(self, curve: pg.PlotDataItem) -> None:
        """Set the range of the left axis by which a curve is seen as large as it can be, also one of this axis."""
        values = np.asarray(curve.yData)
        ends = ends_of([np.log10(values) if self.axis.logMode else values])
        if ends is not None:
            (low, high), (bottom, top) = (
                self._fitted if curve in self.box.addedItems else ((0.0, 1.0), (0.0, 1.0))
            )
            limits = [low + (end - bottom) * (high - low) / (top - bottom) for end in with_margin(ends)]
            self.plot.box.setYRange(*limits, padding=0)

    def show(self, units: Mapping[str, str], prefixes: bool, ink: str) -> None:
        """Show the axis if curves (displayed unit by name) have several units, else hide it."""
        listed = list(dict.fromkeys(units.values()))
        on = len(listed) > 1
        self.axis.show_units(listed[1:], prefixes)
        if on:
            self.label.show_text(self.axis.title, ink)
        if on != self.on:
            self.on = on
            self.plot.item.showAxis("right", on)
            self.box.setVisible(on)
            self.place()
            self.follow()

    def reserve(self, on: bool) -> None:
        """Keep room for the axis, shown or not: plots below each other have their times below each other."""
        room = MARGIN + (NUMBERS if on and not self.on else 0.0)
        if room != self._room:
            self._room = room
            self.plot.item.layout.setContentsMargins(EDGE, EDGE, room, EDGE)
            self.plot.item.layout.activate()

    def add(self, curve: pg.PlotDataItem, right: bool) -> None:
        """Draw a curve on this axis or on the left one."""
        there = curve in self.box.addedItems
        if right == there and (there or curve in self.plot.item.items):
            return
        self.remove(curve)
        if right:
            self.box.addItem(curve)
            curve.setLogMode(False, self.axis.logMode)
        else:
            self.plot.item.addItem(curve)

    def remove(self, curve: pg.PlotDataItem) -> None:
        if curve in self.box.addedItems:
            self.box.removeItem(curve)
        elif curve in self.plot.item.items:
            self.plot.item.removeItem(curve)

    def set_logarithmic(self, on: bool) -> None:
        self.axis.setLogMode(y=on)
        for item in self.box.addedItems:
            if isinstance(item, pg.PlotDataItem):
                item.setLogMode(False, on)

    def restyle(self, paper: Paper) -> None:
        self.axis.setPen(pg.mkPen(paper.muted))
        self.axis.setTextPen(pg.mkPen(paper.ink))
        if self.on:
            self.label.show_text(self.label.text, paper.ink)


def is_constant(columns: list[np.ndarray]) -> bool:
    """True if values differ by no more than rounding; False without any."""
    finite = np.concatenate([values[np.isfinite(values)] for values in columns] or [np.zeros(0)])
    return len(finite) > 0 and float(np.ptp(finite)) <= max(ROUNDING * float(abs(finite).max()), ZERO)


def fit_values(box: pg.ViewBox, columns: list[np.ndarray]) -> None:
    """Rescale a vertical axis only if values leave it or use little of it, since axis redraws are expensive."""
    ends = ends_of(columns)
    if ends is None:
        return
    (low, high), room = ends, ends[1] - ends[0]
    bottom, top = box.viewRange()[1]
    edge = RIM * (top - bottom)  # a curve on the border would be cut in half
    if low < bottom + edge or high > top - edge or room < 0.55 * (top - bottom):
        box.setYRange(*with_margin(ends), padding=0)


def ends_of(columns: list[np.ndarray]) -> tuple[float, float] | None:
    """Ends of a vertical axis that shows values without a margin; None for no values."""
    finite = [values[np.isfinite(values)] for values in columns]
    filled = [values for values in finite if len(values)]
    if not filled:
        return None
    low, high = min(float(v.min()) for v in filled), max(float(v.max()) for v in filled)
    largest = max(abs(low), abs(high))
    if high - low <= max(ROUNDING * largest, ZERO):  # constant: its own number stands in the middle
        half = 0.1 * largest if largest > ZERO else 1.0
        return low - half, high + half
    return low, high


def with_margin(ends: tuple[float, float]) -> tuple[float, float]:
    room = FREE * (ends[1] - ends[0])
    return ends[0] - room, ends[1] + room
