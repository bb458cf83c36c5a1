"""A line at the moment that the 3-D view shows, in a plot over time."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtGui import QPen

from ..theme import active_theme as themes


class TimeMarker(pg.InfiniteLine):
    """Under the cursors, which the user moves; this one the film moves."""

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
        """None where no moment is shown."""
        self.setVisible(time is not None)
        if time is not None:
            self.setValue(time)
