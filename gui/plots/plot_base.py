"""Base of all plots: axes with short numbers and whole titles below a caption, in the theme's colours."""

from __future__ import annotations

import pyqtgraph as pg

from ..theme import active_theme as themes
from .axis_labels import AxisLabel
from .axis_ticks import TimeAxis, ValueAxis
from .plot_caption import Caption
from .plot_colours import Paper, paper

SIDES = ("left", "bottom")


class Plot(pg.PlotWidget):
    def __init__(self) -> None:
        axes = {"left": ValueAxis("left"), "bottom": TimeAxis("bottom")}
        super().__init__(background=paper().paper, axisItems=axes, enableMenu=False)
        item = self.getPlotItem()
        self.item, self.box = item, item.getViewBox()
        item.hideButtons()
        for side in SIDES:
            item.getAxis(side).enableAutoSIPrefix(False)
        self.caption = Caption(self.toggle, self.place_caption)
        self.caption.setParentItem(item)
        self.side, self.below = AxisLabel(item, "left"), AxisLabel(item, "bottom")
        item.geometryChanged.connect(self.place_caption)
        themes.holder.changed.connect(self.follow_theme)

    def close(self) -> None:
        """Disconnect from theme changes, then close."""
        themes.holder.changed.disconnect(self.follow_theme)
        super().close()

    def follow_theme(self) -> None:
        self.lie_on(paper())

    def lie_on(self, own: Paper) -> None:
        self.caption.paper = own
        self.setBackground(own.paper)
        for side in SIDES:
            axis = self.item.getAxis(side)
            axis.setPen(pg.mkPen(own.muted))
            axis.setTextPen(pg.mkPen(own.ink))
        for label in (self.side, self.below):
            label.show_text(label.text, own.ink)

    def toggle(self, k: int) -> None:
        """Handle a click on the name of curve k."""

    def place_caption(self) -> None:
        self.caption.lie_over(self.item)
