"""Study plots: a curve or a bar for each variant, with a legend above."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QBrush, QColor, QPen

from ...solver.studies.distribution_figures import percentile_bands
from ...solver.studies.statistics import Indices
from ...solver.studies.study_tables import ordinal
from ..plots.plot_base import Plot, show_numbers
from ..plots.plot_caption import Entry
from ..plots.second_axis import is_constant
from ..run.run_history import thinned
from ..theme.active_theme import WHITE, paper
from ..theme.colours import SCALE
from .variant_table import Input

STYLES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
# bars of the second and third turn of colours
FILLS = (Qt.BrushStyle.SolidPattern, Qt.BrushStyle.BDiagPattern, Qt.BrushStyle.Dense5Pattern)
POINTS = 2000  # points of one curve
MOST = 100  # variants in one picture
FAN = 1000  # curves of one scale of colours
SHADES = 5  # values of the scale that its legend names
TICK = 24  # px of a number below a bar
SHARES = (5.0, 25.0, 50.0, 75.0, 95.0)  # percent: those of `fans:` in a study file
FAINT, STRONG = 60, 130  # opacity (0 to 255) of the outer and the inner band
ALIKE = 0.1  # of the greatest: values that differ by less are points, not bars
DOT = 9  # px of such a point
WIDE = 0.38  # width of a bar; two per input


class _Picture(Plot):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setMinimumSize(160, 120)
        self.follow_theme()

    def follow_theme(self) -> None:
        super().follow_theme()
        self.draw()

    def draw(self) -> None: ...

    def _name(self, entries: list[Entry], title: str = "") -> None:
        self.caption.show_text(title, entries)
        self.place_caption()


class VariantCurves(_Picture):
    """Signal over time, one line per variant; a click on a legend entry hides its line."""

    def __init__(self) -> None:
        self.lines: dict[str, np.ndarray] = {}
        self.by: Input | None = None
        self.banded = False
        self.hidden: set[str] = set()
        self.words = ("", "")
        super().__init__("Curves of the variants")

    def show_lines(
        self,
        lines: dict[str, np.ndarray],
        signal: str,
        unit: str,
        by: Input | None = None,
        banded: bool = False,
    ) -> None:
        """Show lines in distinct colours, coloured by an input on a scale, or as percentile bands."""
        most = len(lines) if banded else MOST if by is None else FAN
        self.lines, self.banded = dict(list(lines.items())[:most]), banded and bool(lines)
        self.words, self.by = (signal, unit), by
        self.draw()

    def toggle(self, k: int) -> None:
        if self.by is None and not self.banded:
            self.hidden ^= {list(self.lines)[k]}
            self.draw()

    def draw(self) -> None:
        self.item.clear()
        title = f"{len(self.lines)} variants" if self.banded else self.by.words if self.by else ""
        entries = (
            self._draw_lines()
            if not self.banded
            else draw_bands(self.item, self.lines, self.devicePixelRatioF())
        )
        signal, unit = self.words
        self.side.show_text(f"{signal} [{unit}]" if unit else signal, paper().ink)
        self.below.show_text("time [s]" if self.lines else "", paper().ink)
        show_numbers(self.item, bool(self.lines))
        self.item.enableAutoRange()
        self._name(entries, title)

    def _draw_lines(self) -> list[Entry]:
        pens, entries = self._own_pens() if self.by is None else self._scaled_pens(self.by)
        for name, rows in self.lines.items():
            if self.by is not None or name not in self.hidden:
                self.item.plot(*thinned(rows[:, 0], rows[:, 1], POINTS), pen=pens[name], antialias=True)
        return entries

    def _own_pens(self) -> tuple[dict[str, QPen], list[Entry]]:
        inks, wide = paper().curves, self.devicePixelRatioF()
        pens, entries = {}, []
        for k, name in enumerate(self.lines):
            style = STYLES[k // len(inks) % len(STYLES)]
            pens[name] = pg.mkPen(inks[k % len(inks)], width=1.5 * wide, style=style)
            entries.append(Entry(short(name), pens[name], hidden=name in self.hidden))
        return pens, entries

    def _scaled_pens(self, by: Input) -> tuple[dict[str, QPen], list[Entry]]:
        """Pens on a colour scale by an input's value, and legend entries of some values."""
        wide = 1.2 * self.devicePixelRatioF()
        values = [by.numbers.get(name, np.nan) for name in self.lines]
        known = [value for value in values if np.isfinite(value)] or [0.0]
        low, high = min(known), max(known)
        pen = lambda value: pg.mkPen(shade(value, low, high), width=wide)  # noqa: E731
        marks = np.linspace(low, high, SHADES if high > low else 1)
        entries = [Entry(f"{mark:.3g}", pen(mark)) for mark in marks]
        return {name: pen(value) for name, value in zip(self.lines, values, strict=True)}, entries


class VariantBars(_Picture):
    """Bar chart of a measured number, one numbered bar per variant."""

    def __init__(self) -> None:
        self.values: dict[str, float] = {}
        self.words = ""
        self.shares: tuple[list[str], Indices | None] | None = None
        super().__init__("Bars of the variants")

    def show_bars(self, values: dict[str, float], heading: str) -> None:
        self.values, self.words = dict(list(values.items())[:MOST]), heading
        self.shares = None
        self.draw()

    def show_shares(self, paths: Sequence[str], indices: Indices | None, heading: str) -> None:
        """Show sensitivity indices by input in place of bars per variant, or why they are unknown."""
        self.shares, self.words = (list(paths), indices), heading
        self.draw()

    def draw(self) -> None:
        self.item.clear()
        if self.shares is not None:
            self._draw_shares(*self.shares)
            return
        inks = paper().curves
        entries, alike = [], self._nearly_equal()
        for k, (name, value) in enumerate(self.values.items()):
            ink, turn = inks[k % len(inks)], k // len(inks) % len(STYLES)
            entries.append(Entry(f"{k + 1}: {short(name)}", pg.mkPen(ink, style=STYLES[turn])))
            fill = QBrush(QColor(ink), FILLS[turn])
            look: dict[str, object] = {"brush": fill, "pen": pg.mkPen(ink)}
            if np.isfinite(value) and alike:
                self.item.addItem(pg.ScatterPlotItem([k + 1], [value], size=DOT, **look))  # type: ignore[arg-type]
            elif np.isfinite(value):
                bar = pg.BarGraphItem(x=[k + 1], height=[value], width=0.7, **look)  # type: ignore[arg-type]
                self.item.addItem(bar)
        self.item.getAxis("bottom").setTicks([_ticks(len(entries), self.item.getViewBox().width())])
        # the box above names the number
        self.side.show_text("".join(self.words.rpartition(" [")[1:]).strip(), paper().ink)
        self.below.show_text("variant" if self.values else "", paper().ink)
        show_numbers(self.item, bool(self.values), upright=False)
        self.item.enableAutoRange()
        self._name(entries, parameters_of(self.values))

    def _nearly_equal(self) -> bool:
        """True if bars from zero would hide how the values differ: points show it, on an axis of their own."""
        values = np.array([value for value in self.values.values() if np.isfinite(value)])
        return len(values) > 0 and not is_constant([values]) and np.ptp(values) < ALIKE * abs(values).max()

    def _draw_shares(self, paths: list[str], indices: Indices | None) -> None:
        entries = draw_shares(self.item, paths, indices, self.devicePixelRatioF()) if indices else []
        self.item.getAxis("bottom").setTicks([[(k + 1.0, path) for k, path in enumerate(paths)]])
        self.side.show_text("share of the variance" if indices else "", paper().ink)
        self.below.show_text("", paper().ink)
        show_numbers(self.item, indices is not None, upright=False)
        self.item.enableAutoRange()
        self._name(entries, self.words)


class VariantSpread(_Picture):
    """Histogram of a measured number, or a scatter plot over an input."""

    picked = Signal(str)  # a variant's point

    def __init__(self) -> None:
        self.values: dict[str, float] = {}
        self.words = ""
        self.over: Input | None = None
        super().__init__("Distribution of a number")

    def show_spread(self, values: dict[str, float], words: str, over: Input | None) -> None:
        self.values = {name: value for name, value in values.items() if np.isfinite(value)}
        self.words, self.over = words, over
        self.draw()

    def draw(self) -> None:
        self.item.clear()
        side, bottom = (self.words, self.over.words) if self.over else ("variants", self.words)
        self.axes["left"].counts = self.over is None
        self.side.show_text(side if self.values else "", paper().ink)
        self.below.show_text(bottom if self.values else "", paper().ink)
        show_numbers(self.item, bool(self.values))
        if self.values and self.over is not None:
            self._draw_points(self.over)
        elif self.values:
            self._draw_bins(np.array(list(self.values.values())))
        self.item.enableAutoRange()
        self._name([], self._summary() if self.values else "")

    def _summary(self) -> str:
        values = np.array(list(self.values.values()))
        _, begun, rest = self.words.rpartition(" [")
        unit = f" {rest.rstrip(']')}" if begun else ""
        if len(values) > 1 and np.ptp(values) == 0.0:
            return f"{len(values)} variants: all {values[0]:.5g}{unit}"
        spread = f", deviation {values.std(ddof=1):.4g}{unit}" if len(values) > 1 else ""
        return f"{len(values)} variants: mean {values.mean():.4g}{unit}{spread}"

    def _draw_bins(self, values: np.ndarray) -> None:
        if np.ptp(values) == 0.0:
            self._draw_equal(values)
            return
        counts, edges = np.histogram(values, np.histogram_bin_edges(values, "auto"))
        ink = paper().curves[0]
        middle, width, pen = (edges[:-1] + edges[1:]) / 2, np.diff(edges), pg.mkPen(paper().paper)
        self.item.addItem(pg.BarGraphItem(x=middle, height=counts, width=width, brush=ink, pen=pen))

    def _draw_equal(self, values: np.ndarray) -> None:
        """Draw equal values as a line: a bin would look like a spread."""
        ink = pg.mkPen(paper().curves[0], width=2 * self.devicePixelRatioF())
        self.item.plot([values[0], values[0]], [0, len(values)], pen=ink)

    def _draw_points(self, over: Input) -> None:
        names = [name for name in self.values if name in over.numbers]
        points = pg.ScatterPlotItem(
            [over.numbers[name] for name in names],
            [self.values[name] for name in names],
            data=names,
            size=7,
            pen=None,
            brush=QColor(paper().curves[0]),
            hoverable=True,
            tip=lambda x, y, data: f"{data}: {x:.5g}, {y:.5g}",
        )
        points.sigClicked.connect(lambda _, hit, __: self.picked.emit(hit[0].data()) if len(hit) else None)
        self.item.addItem(points)


def shade(value: float, low: float, high: float) -> QColor:
    """Colour of a value between low and high; the end of the scale that the background hides is left out."""
    share = (value - low) / (high - low) if high > low and np.isfinite(value) else 0.5
    first, last = (0.0, 0.85) if paper() is WHITE else (0.2, 1.0)
    place = (first + (last - first) * share) * (len(SCALE) - 1)
    k = min(int(place), len(SCALE) - 2)
    ends = zip(QColor(SCALE[k]).getRgb()[:3], QColor(SCALE[k + 1]).getRgb()[:3], strict=True)
    return QColor(*(round(a + (b - a) * (place - k)) for a, b in ends))


def parameters_of(names: Iterable[str]) -> str:
    """Parameters whose values are all that `short` leaves of the names of variants."""
    first = next(iter(names), "")
    return ", ".join(part.partition(" = ")[0] for part in first.split(", ")) if short(first) != first else ""


def short(name: str) -> str:
    """Values only of a variant name such as `slide.stiffness = 2 N/m, mass.mass = 1 kg`; other names unchanged."""
    parts = [part.partition(" = ") for part in name.split(", ")]
    return ", ".join(value for _, _, value in parts) if all(value for _, _, value in parts) else name


def _ticks(count: int, room: float) -> Sequence[tuple[float, str]]:
    """Ticks at every n-th bar, as many as fit."""
    every = max(1, -(-count // max(1, int(room // TICK))))
    return [(float(k + 1), str(k + 1)) for k in range(0, count, every)]


def draw_bands(item: pg.PlotItem, lines: Mapping[str, np.ndarray], pixels: float) -> list[Entry]:
    """Draw percentile bands and the median in shades of one colour; return the legend entries."""
    time, percentiles = percentile_bands(list(lines), lines.__getitem__, SHARES)
    ink, last = paper().curves[0], len(SHARES) - 1
    entries = []
    for k, strength in enumerate((FAINT, STRONG)):
        shade = QColor(ink)
        shade.setAlpha(strength)
        edges = [pg.PlotDataItem(time, percentiles[j], pen=pg.mkPen(None)) for j in (k, last - k)]
        for edge in edges:
            item.addItem(edge)
        item.addItem(pg.FillBetweenItem(*edges, brush=shade))
        entries.append(Entry(f"{SHARES[k]:g} % to {SHARES[last - k]:g} %", pg.mkPen(shade, width=6.0)))
    pen = pg.mkPen(ink, width=1.5 * pixels)
    item.plot(time, percentiles[last // 2], pen=pen, antialias=True)
    return [*entries, Entry(ordinal(SHARES[last // 2]), pen)]


def draw_shares(item: pg.PlotItem, paths: Sequence[str], indices: Indices, pixels: float) -> list[Entry]:
    """Draw first-order and total sensitivity indices as bars with their confidence intervals; return the legend
    entries."""
    entries = []
    for side, name, spans, ink in zip(
        (-0.5, 0.5), ("first order", "total"), indices, paper().curves, strict=False
    ):
        places = np.arange(1.0, len(paths) + 1.0) + side * WIDE
        values, low, high = np.array(spans).T
        item.addItem(
            pg.BarGraphItem(x=places, height=values, width=0.9 * WIDE, brush=ink, pen=pg.mkPen(None))
        )
        pen = pg.mkPen(paper().ink, width=pixels)
        for place, bottom, top in zip(places, low, high, strict=True):
            item.plot([place, place], [bottom, top], pen=pen)
        entries.append(Entry(name, pg.mkPen(ink, width=6.0)))
    return entries
