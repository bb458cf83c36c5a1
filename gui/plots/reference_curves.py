"""Reference curves behind a plot's own: thin, in the tint or the colour of their run."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import pyqtgraph as pg
from PySide6.QtGui import QColor, QPen

from ..run.run_history import History
from ..theme.active_theme import Paper
from .compared_runs import ComparedRun
from .plot_caption import Entry
from .run_curves import Curve

Place = Callable[[str, pg.PlotDataItem], None]  # the curve of a column, on the axis of its unit
Read = Callable[[History, list[str]], list[Curve]]
LEAST = 3.0  # contrast that lines need on the paper, by WCAG 2.1
# dashes and gaps in widths of the line, told apart in the 16 px of a caption too; the first line is solid
DASHES = (None, (6, 4), (12, 4), (9, 3, 4, 3), (4, 4), (16, 5))


@lru_cache(64)
def pale(hue: str, paper: str) -> QColor:
    """Weak colour of a signal in earlier runs: the paper's shows through as far as the contrast allows."""
    ink, below = QColor(hue), QColor(paper)
    for share in range(50, 0, -1):
        mixed = QColor(
            *((share * a + (100 - share) * b) // 100 for a, b in zip(_rgb(below), _rgb(ink), strict=True))
        )
        if contrast(mixed, below) >= LEAST:
            return mixed
    return ink


def contrast(a: QColor, b: QColor) -> float:
    """Ratio of the luminances of two colours by WCAG 2.1."""
    low, high = sorted((_luminance(a), _luminance(b)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: QColor) -> float:
    parts = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (k / 255 for k in _rgb(colour))
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def _rgb(colour: QColor) -> tuple[int, int, int]:
    return colour.red(), colour.green(), colour.blue()


def broken(run: ComparedRun) -> tuple[int, ...] | None:
    """Dashes of the lines of an earlier run among several signals, which solid ones of the last run tell apart."""
    return DASHES[1:][run.tint % len(DASHES[1:])]


class ReferenceCurves:
    """Curves of reference runs by column, the oldest run first.

    Of several signals each keeps its hue, `hue(name)`, in the runs that have no colour of their own, whose lines are
    broken in one way each. A signal that is not `seen(name)` is hidden in all runs.
    """

    def __init__(
        self,
        plot: pg.PlotWidget,
        add: Place,
        remove: Callable[[pg.PlotDataItem], None],
        hue: Callable[[str], str],
        seen: Callable[[str], bool] = lambda name: True,
    ):
        self.plot, self.add, self.remove, self.hue, self.seen = plot, add, remove, hue, seen
        self.curves: dict[str, list[pg.PlotDataItem]] = {}
        self._runs: dict[pg.PlotDataItem, ComparedRun] = {}
        self._signals: dict[
            pg.PlotDataItem, tuple[str, int]
        ] = {}  # name and number of a curve's signal in the plot
        self._several = False  # signals are in the plot
        self._hidden: set[ComparedRun] = set()  # in this plot

    def show(self, runs: list[ComparedRun], names: list[str], read: Read, paper: Paper) -> None:
        """Replace the curves by those that `read` returns for each run."""
        self.forget()
        self._several = len(names) > 1
        self._hidden.intersection_update(runs)
        for run in runs:
            own = [name for name in names if name in run.history.index]
            for name, (x, y) in zip(own, read(run.history, own), strict=False):
                curve = pg.PlotDataItem(x, y, pen=pg.mkPen(None))
                self._runs[curve], self._signals[curve] = run, (name, names.index(name))
                curve.setPen(self._pen(curve, paper))
                self.add(name, curve)
                curve.setZValue(5 if run.colour else 1)
                self.curves.setdefault(name, []).append(curve)
        self.show_seen()

    def _pen(self, curve: pg.PlotDataItem, paper: Paper) -> QPen:
        run, (name, k), width = self._runs[curve], self._signals[curve], self.plot.devicePixelRatioF()
        if run.colour:  # it tells the run, so that the line tells the signal
            return pg.mkPen(run.colour, width=1.5 * width, dash=DASHES[k % len(DASHES)])
        if self._several:
            return pg.mkPen(pale(self.hue(name), paper.paper), width=width, dash=broken(run))
        return pg.mkPen(run.ink(paper), width=width)

    def restyle(self, paper: Paper) -> None:
        for curve in self._runs:
            curve.setPen(self._pen(curve, paper))

    def smooth(self, on: bool) -> None:
        """Set antialiasing as for the curves in front; it is too slow during a run."""
        for curve in self._runs:
            if bool(curve.opts["antialias"]) != on:
                curve.opts["antialias"] = on
                curve.updateItems()

    def runs(self) -> list[ComparedRun]:
        """Runs that have curves here, the latest first."""
        return list(dict.fromkeys(reversed(self._runs.values())))

    def histories(self) -> list[tuple[str, pg.PlotDataItem, History]]:
        """Each curve with its column and the history of its run."""
        return [(self._signals[curve][0], curve, run.history) for curve, run in self._runs.items()]

    def curves_of(self, name: str) -> list[tuple[ComparedRun, pg.PlotDataItem]]:
        """Curves of a column with their runs, the latest first."""
        return [(self._runs[curve], curve) for curve in reversed(self.curves.get(name, []))]

    def entries(self, paper: Paper) -> list[Entry]:
        """Entry of the caption for each run."""
        return [Entry(run.name, self._sample(run, paper), hidden=run in self._hidden) for run in self.runs()]

    def _sample(self, run: ComparedRun, paper: Paper) -> QPen:
        """Line that stands for a run: of several signals it has no colour, but its own kind of line."""
        if self._several and not run.colour:
            return pg.mkPen(paper.muted, dash=broken(run))
        return pg.mkPen(run.ink(paper))

    def toggle(self, k: int) -> None:
        """Hide the curves of a run here, or show them again."""
        run = self.runs()[k]
        self._hidden ^= {run}
        self.show_seen()

    def show_seen(self) -> None:
        """Show the curves of the runs and signals that are not hidden."""
        for curve, run in self._runs.items():
            curve.setVisible(run not in self._hidden and self.seen(self._signals[curve][0]))

    def all(self) -> list[pg.PlotDataItem]:
        return [*self._runs]

    def forget(self) -> None:
        for curve in self._runs:
            self.remove(curve)
        self.curves, self._runs, self._signals = {}, {}, {}
