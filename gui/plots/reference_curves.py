"""Reference curves behind a plot's own: thin, in the tint or the colour of their run."""

from __future__ import annotations

from collections.abc import Callable

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QPen

from ..run.run_history import History
from ..theme.active_theme import Paper
from .compared_runs import ComparedRun
from .plot_caption import Entry
from .run_curves import Curve

Place = Callable[[str, pg.PlotDataItem], None]  # the curve of a column, on the axis of its unit
Read = Callable[[History, list[str]], list[Curve]]
STYLES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine)


class ReferenceCurves:
    """Curves of reference runs by column, the oldest run first."""

    def __init__(self, plot: pg.PlotWidget, add: Place, remove: Callable[[pg.PlotDataItem], None]):
        self.plot, self.add, self.remove = plot, add, remove
        self.curves: dict[str, list[pg.PlotDataItem]] = {}
        self._runs: dict[pg.PlotDataItem, ComparedRun] = {}
        self._hidden: set[ComparedRun] = set()  # in this plot

    def show(self, runs: list[ComparedRun], names: list[str], read: Read, paper: Paper) -> None:
        """Replace the curves by those that `read` returns for each run."""
        self.forget()
        self._hidden.intersection_update(runs)
        for run in runs:
            own = [name for name in names if name in run.history.index]
            for name, (x, y) in zip(own, read(run.history, own), strict=False):
                curve = pg.PlotDataItem(x, y, pen=self._pen(run, names.index(name), paper))
                self.add(name, curve)
                curve.setZValue(5 if run.colour else 1)
                curve.setVisible(run not in self._hidden)
                self.curves.setdefault(name, []).append(curve)
                self._runs[curve] = run

    def _pen(self, run: ComparedRun, k: int, paper: Paper) -> QPen:
        width = self.plot.devicePixelRatioF()
        if not run.colour:
            return pg.mkPen(run.ink(paper), width=width)
        # its colour tells the run, so that the line tells the signal
        return pg.mkPen(run.colour, width=1.5 * width, style=STYLES[k % len(STYLES)])

    def restyle(self, paper: Paper) -> None:
        for curve, run in self._runs.items():
            pen = pg.mkPen(curve.opts["pen"])
            pen.setColor(pg.mkColor(run.ink(paper)))
            curve.setPen(pen)

    def smooth(self, on: bool) -> None:
        """Set antialiasing as for the curves in front; it is too slow during a run."""
        for curve in self._runs:
            if bool(curve.opts["antialias"]) != on:
                curve.opts["antialias"] = on
                curve.updateItems()

    def runs(self) -> list[ComparedRun]:
        """Runs that have curves here, the latest first."""
        return list(dict.fromkeys(reversed(self._runs.values())))

    def entries(self, paper: Paper) -> list[Entry]:
        """Entry of the caption for each run."""
        return [
            Entry(run.name, pg.mkPen(run.ink(paper)), "", hidden=run in self._hidden) for run in self.runs()
        ]

    def toggle(self, k: int) -> None:
        """Hide the curves of a run here, or show them again."""
        run = self.runs()[k]
        self._hidden ^= {run}
        for curve, of in self._runs.items():
            if of is run:
                curve.setVisible(run not in self._hidden)

    def all(self) -> list[pg.PlotDataItem]:
        return [*self._runs]

    def forget(self) -> None:
        for curve in self._runs:
            self.remove(curve)
        self.curves, self._runs = {}, {}
