"""Time marker in plots: the moment that the 3-D view shows."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtGui import QPen

from ..theme import active_theme as themes


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
