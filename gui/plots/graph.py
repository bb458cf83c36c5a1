"""Plot of computed curves with a cursor: functions of one quantity, or curves in a plane."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QKeyEvent, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from ..theme.active_theme import paper
from ..theme.number_format import quantity_text
from ..theme.small_widgets import laid
from .plot_base import NARROWEST, Plot, lower_axis_room, show_numbers
from .plot_caption import Entry
from .second_axis import fit_values, is_constant

STYLES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
LEFT = 62  # px of the left axis of a stack's plots, its title included
FAINT = 110  # opacity (0 to 255) of a hatched interval
SHADE = 45  # opacity (0 to 255) of a marked interval
WIDE = 1.5  # px of a curve
LOWEST = 110  # px of a stack, whose plots scroll


@dataclass(eq=False)
class Curve:
    """Curve of a graph; `ink` is its place in the theme's colours, `words(k)` its reading at sample k."""

    name: str
    x: np.ndarray
    y: np.ndarray
    ink: int = 0
    unit: str = ""
    style: Qt.PenStyle = Qt.PenStyle.SolidLine
    symbol: str = ""  # of its samples, drawn in place of a line
    held: bool = False  # constant from one x to the next; x has one value more than y
    words: Callable[[int], str] | None = None
    at: Callable[[float], str] | None = None  # reading at x, in place of `words`
    named: bool = True  # stands in the legend

    def sample(self, x: float) -> int | None:
        """Index of the sample nearest to x, or of the interval that holds it; None beyond the ends."""
        if len(self.y) == 0 or not np.nanmin(self.x) <= x <= np.nanmax(self.x):
            return None
        if self.held:
            return int(np.clip(np.searchsorted(self.x, x, "right") - 1, 0, len(self.y) - 1))
        return int(np.nanargmin(abs(self.x - x)))

    def between(self, low: float, high: float) -> np.ndarray:
        """Values from one x to another, those at both ends included."""
        if len(self.y) == 0:
            return self.y
        x = self.x[: len(self.y)]
        ends = [k for k in map(self.sample, (low, high)) if k is not None]
        edges = self.y[ends] if self.held else np.interp([low, high], x, self.y, np.nan, np.nan)
        return np.append(self.y[(x >= low) & (x <= high)], edges)

    def reading(self, x: float) -> str:
        """Value at x with its unit: interpolated between samples, held, or that of `words`."""
        k = self.sample(x)
        if k is None:
            return ""
        if self.at is not None:
            return self.at(x)
        if self.words is not None:
            return self.words(k)
        value = self.y[k] if self.held else np.interp(x, self.x, self.y)
        peak = float(np.max(abs(self.y), initial=0.0, where=np.isfinite(self.y)))
        return quantity_text(value, self.unit, peak, 5) if np.isfinite(value) else ""


@dataclass
class Marks:
    """Lines, intervals and points beside the curves of a graph."""

    across: Sequence[float] = ()  # y of horizontal lines, solid
    upright: Sequence[float] = ()  # x of vertical lines, solid
    bounds: Sequence[float] = ()  # y of dotted lines
    spans: Sequence[tuple[float, float]] = ()  # x of shaded intervals
    unknown: Sequence[tuple[float, float, str]] = ()  # hatched intervals of x, and what stands in them
    segments: Sequence[
        tuple[tuple[float, float], tuple[float, float]]
    ] = ()  # strong lines between two points
    points: Sequence[tuple[float, float, str, int]] = ()  # x, y, symbol, place in the theme's colours


@dataclass
class Picture:
    """Content of one graph: curves, marks and axis titles."""

    curves: Sequence[Curve]
    below: str = ""  # title of the x axis
    side: str = ""  # quantity of the y axis
    unit: str = ""  # of the y axis, with the prefix that suits what is seen
    title: str = ""
    marks: Marks = field(default_factory=Marks)
    log: bool = False  # x is logarithmic
    counts: bool = False  # x is a whole number
    lowest: float | None = None  # lower end of the y axis


class Graph(Plot):
    """Curves over one quantity; a cursor at the mouse reads all of them. A click on a name hides its curve."""

    pointed = Signal(float)  # x of the cursor, moved by the user

    def __init__(self, name: str, at: str = "", unit: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.at, self.unit = at, unit  # symbol and unit of x, for the reading
        self.picture = Picture([])
        self.stack: GraphStack | None = None  # of graphs, to which this one belongs
        self.hidden: set[str] = set()
        self.cursor_x: float | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._line = pg.InfiniteLine(angle=90, pen=pg.mkPen(paper().muted))
        self._line.setZValue(50)
        self.scene().sigMouseMoved.connect(self._hover)
        self.axes["left"].retitled.connect(self._show_side)
        self._fixed_y = False  # the user has chosen the vertical range
        self._let_values_follow()
        self.follow_theme()

    def follow_theme(self) -> None:
        super().follow_theme()
        self._line.setPen(pg.mkPen(paper().muted, width=1, style=Qt.PenStyle.DashLine))
        self.draw()

    def show_picture(self, picture: Picture | None) -> None:
        """Show other curves; the cursor leaves."""
        self.picture = picture or Picture([])
        self.hidden &= {curve.name for curve in self.picture.curves}
        self.cursor_x = None
        self.draw()
        self.fit()

    def _let_values_follow(self) -> None:
        """Have the vertical axis fit what is seen of the curves, until it is moved by hand."""
        self.box.follows = lambda dragged: self.picture.lowest is None and not (dragged and self._fixed_y)
        self.box.moved.connect(self._on_moved)

    def _on_moved(self, upright: bool) -> None:
        self._fixed_y |= upright
        for graph in self.stack.graphs if self.stack else [self]:
            graph.fit_seen()

    def fit_seen(self) -> None:
        """Fit the vertical axis to what is seen of the curves, unless it was moved by hand."""
        if not self._fixed_y and self.picture.lowest is None:
            ends = self.box.viewRange()[0]
            low, high = (10.0**end for end in ends) if self.picture.log else ends
            shown = [curve for curve in self.picture.curves if curve.name not in self.hidden]
            fit_values(self.box, [curve.between(low, high) for curve in shown])

    def fit(self) -> None:
        """Show all of the picture."""
        self._fixed_y = False
        self.item.enableAutoRange()
        self._fit()

    def double_click(self) -> None:
        (self.stack or self).fit()

    @property
    def filled(self) -> bool:
        return bool(self.picture.curves)

    def toggle(self, k: int) -> None:
        self.hidden ^= {self._legend_curves()[k].name}
        self.draw()

    def _legend_curves(self) -> list[Curve]:
        """Curves of the legend: the first of each name."""
        found: dict[str, Curve] = {}
        for curve in self.picture.curves:
            if curve.named:
                found.setdefault(curve.name, curve)
        return list(found.values())

    # ------------------------------------------------------------------ drawing

    def pen_of(self, curve: Curve) -> QPen:
        inks = paper().curves
        return pg.mkPen(
            inks[curve.ink % len(inks)],
            width=WIDE * self.devicePixelRatioF(),
            style=STYLES[(STYLES.index(curve.style) + curve.ink // len(inks)) % len(STYLES)],
        )

    def draw(self) -> None:
        self.item.clear()
        shown = self.picture
        self.item.setLogMode(x=shown.log)
        self.axes["bottom"].counts = shown.counts
        for a, b in shown.marks.spans:
            shade = QColor(paper().muted)
            shade.setAlpha(SHADE)
            region = pg.LinearRegionItem((a, b), brush=shade, pen=pg.mkPen(None), movable=False)
            region.setZValue(-20)
            self.item.addItem(region, ignoreBounds=True)
        for a, b, label in shown.marks.unknown:
            self._hatch(a, b, label)
        for curve in shown.curves:
            if curve.name not in self.hidden:
                self._plot(curve)
        self._draw_marks(shown.marks)
        self.item.addItem(self._line, ignoreBounds=True)
        self.axes["left"].show_units([shown.unit] * bool(shown.unit), True)
        self._show_side()
        self.below.show_text(shown.below if shown.curves else "", paper().ink)
        show_numbers(self.item, self.filled)
        self.follow_lower_axis()
        if shown.lowest is not None:
            self.box.setLimits(yMin=shown.lowest)
        entries = [
            Entry(c.name, self.pen_of(c), hidden=c.name in self.hidden, symbol=c.symbol)
            for c in self._legend_curves()
        ]
        self.caption.show_text(shown.title, entries)
        self.place_caption()
        self.put_cursor(self.cursor_x)

    def _show_side(self) -> None:
        """Title of the y axis: the quantity, and its unit with the prefix of the numbers."""
        words = f"{self.picture.side} {self.axes['left'].title}".strip()
        self.side.show_text(words if self.picture.curves else "", paper().ink)

    def _plot(self, curve: Curve) -> None:
        pen = self.pen_of(curve)
        if curve.symbol:
            brush = pg.mkBrush(pen.color())
            self.item.plot(
                curve.x,
                curve.y,
                pen=None,
                symbol=curve.symbol,
                symbolSize=5,
                symbolPen=None,
                symbolBrush=brush,
            )
        elif curve.held:
            self.item.plot(curve.x, curve.y, pen=pen, stepMode="center")
        else:
            self.item.plot(curve.x, curve.y, pen=pen, antialias=True, connect="finite")

    def _hatch(self, low: float, high: float, label: str) -> None:
        """Hatch an interval of x of which nothing is known; its label stands in its middle."""
        own, ink = paper(), QColor(paper().muted)
        ink.setAlpha(FAINT)
        brush = QBrush(ink, Qt.BrushStyle.BDiagPattern)
        region = pg.LinearRegionItem((low, high), brush=brush, pen=pg.mkPen(None), movable=False)
        region.setZValue(-20)
        words = {"position": 0.5, "color": own.ink, "fill": own.paper, "movable": False}
        middle = pg.InfiniteLine(0.5 * (low + high), pen=pg.mkPen(None), label=label, labelOpts=words)
        for item in (region, middle):
            self.item.addItem(item, ignoreBounds=True)

    def _draw_marks(self, marks: Marks) -> None:
        own, inks = paper(), paper().curves
        for places, angle, style in (
            (marks.across, 0, Qt.PenStyle.SolidLine),
            (marks.upright, 90, Qt.PenStyle.SolidLine),
            (marks.bounds, 0, Qt.PenStyle.DotLine),
        ):
            for place in places:
                at = np.log10(place) if self.picture.log and angle else place
                line = pg.InfiniteLine(at, angle=angle, pen=pg.mkPen(own.muted, width=1, style=style))
                line.setZValue(-10)
                self.item.addItem(line, ignoreBounds=True)
        for (x1, y1), (x2, y2) in marks.segments:
            self.item.plot([x1, x2], [y1, y2], pen=pg.mkPen(inks[1], width=2.5))
        for x, y, symbol, ink in marks.points:
            dot = pg.ScatterPlotItem(
                [x], [y], symbol=symbol, size=9, pen=pg.mkPen(inks[ink % len(inks)], width=1.5), brush=None
            )
            self.item.addItem(dot)

    def _fit(self) -> None:
        """Choose the range that is shown first."""
        lowest = self.picture.lowest
        if lowest is not None:
            most = [np.max(c.y, initial=lowest, where=np.isfinite(c.y)) for c in self.picture.curves]
            self.box.setYRange(lowest, float(max([lowest, *most])) * 1.05 or 1.0, padding=0.0)
        elif is_constant(heights := [curve.y for curve in self.picture.curves]):
            fit_values(self.box, heights)

    # ------------------------------------------------------------------ cursor

    def wheelEvent(self, ev: QWheelEvent) -> None:
        """Zoom, but scroll a stack of graphs that is higher than its room; Ctrl zooms there."""
        scrolls = self.stack is not None and self.stack.verticalScrollBar().maximum() > 0
        if scrolls and not ev.modifiers() & Qt.KeyboardModifier.ControlModifier:
            ev.ignore()
        else:
            super().wheelEvent(ev)

    def put_cursor(self, x: float | None) -> None:
        """Read all curves at x; None removes the cursor."""
        self.cursor_x = x
        self._line.setVisible(x is not None)
        if x is None:
            self.caption.show_values("", [""] * len(self.caption.entries))
        else:
            self._line.setValue(np.log10(x) if self.picture.log else x)
            values = [
                "" if curve.name in self.hidden else curve.reading(x) for curve in self._legend_curves()
            ]
            self.caption.show_values(f"{self.at} = {x:.5g} {self.unit}".rstrip(), values)
        self.place_caption()

    def _hover(self, place: QPointF) -> None:
        if self.picture.curves and self.box.sceneBoundingRect().contains(place):
            self._point_at(self.box.mapSceneToView(place))

    def _point_at(self, at: QPointF) -> None:
        x = 10.0 ** at.x() if self.picture.log else at.x()
        self.put_cursor(x)
        self.pointed.emit(x)

    def keyPressEvent(self, ev: QKeyEvent) -> None:
        """Move the cursor by the arrow keys, from sample to sample of the first curve."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(ev.key()))
        curves = self.picture.curves
        if step is None or not curves or not len(curves[0].y):
            super().keyPressEvent(ev)
            return
        first = curves[0]
        k = first.sample(self.cursor_x) if self.cursor_x is not None else None
        k = len(first.y) // 2 if k is None else min(max(k + step, 0), len(first.y) - 1)
        self.put_cursor(float(first.x[k]))
        self.pointed.emit(float(first.x[k]))


class Plane(Graph):
    """Curves in a plane, such as root loci; the cursor is the sample next to the mouse, on all curves that have it."""

    def __init__(self, name: str, square: bool = False, reach: float = np.inf) -> None:
        self.square, self.reach = square, reach
        self.moment: Callable[[int, Curve], str] = lambda k, curve: curve.name  # words of sample k of a curve
        self._dots = pg.ScatterPlotItem(size=9)
        self.sample: int | None = None
        self.along: Curve | None = None  # curve of the sample that is read
        super().__init__(name)
        self.box.setAspectLocked(square)

    def _let_values_follow(self) -> None:
        """Both axes go with the wheel."""

    def show_plane(self, picture: Picture, moment: Callable[[int, Curve], str]) -> None:
        """Show curves over a common list of samples; `moment` gives the words of sample k of a curve."""
        self.moment, self.sample, self.along = moment, None, None
        self.show_picture(picture)

    def draw(self) -> None:
        super().draw()
        self._line.hide()
        own = paper()
        self._dots.setPen(pg.mkPen(own.ink, width=1.5))
        self._dots.setBrush(pg.mkBrush(own.paper))
        self._dots.setZValue(60)
        self.item.addItem(self._dots, ignoreBounds=True)
        self.put_sample(self.sample)

    def _fit(self) -> None:
        """Show what lies within `reach` of the origin, where -1 is to be seen; all of it if that is less."""
        if np.isfinite(self.reach):
            sizes = [np.nanmax(np.hypot(c.x, c.y), initial=0.0) for c in self.picture.curves if len(c.x)]
            wide = min(max([1.5, *(1.05 * size for size in sizes)]), self.reach)
            self.box.setRange(xRange=(-wide, wide), yRange=(-wide, wide), padding=0.0)

    def put_cursor(self, x: float | None) -> None:
        self.cursor_x = None

    def put_sample(self, k: int | None) -> None:
        """Mark sample k on all curves and read them; None removes the marks."""
        self.sample = k
        curves = [curve for curve in self.picture.curves if curve.name not in self.hidden]
        there = [curve for curve in curves if k is not None and k < len(curve.y) and curve.words is not None]
        at = 0 if k is None else k
        self._dots.setData([float(curve.x[at]) for curve in there], [float(curve.y[at]) for curve in there])
        values = {curve.name: curve.words(k) for curve in there if curve.words is not None and k is not None}
        words = [values.get(entry.name, "") for entry in self.caption.entries]
        if self.along not in there:
            self.along = next(iter(there), None)
        moment = self.moment(k, self.along) if k is not None and self.along is not None else ""
        self.caption.show_values(moment, words)
        self.place_caption()

    def _point_at(self, at: QPointF) -> None:
        self.point_at(at.x(), at.y())

    def point_at(self, x: float, y: float) -> None:
        """Read the sample that is next to a place, in pixels."""
        wide, high = self.box.viewPixelSize()
        found, least = None, np.inf
        for curve in self.picture.curves:
            if curve.words is None or curve.name in self.hidden or not len(curve.x):
                continue
            away = np.hypot((curve.x - x) / wide, (curve.y - y) / high)
            if np.isfinite(away).any() and np.nanmin(away) < least:
                found, least, self.along = int(np.nanargmin(away)), float(np.nanmin(away)), curve
        self.put_sample(found)

    def keyPressEvent(self, ev: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(ev.key()))
        read = [curve for curve in self.picture.curves if curve.words is not None]
        if step is None or not read:
            Plot.keyPressEvent(self, ev)
            return
        most = max(len(curve.x) for curve in read) - 1
        self.put_sample(most // 2 if self.sample is None else min(max(self.sample + step, 0), most))


class GraphStack(QScrollArea):
    """Graphs one below the other, with one x axis and one cursor."""

    def __init__(self, name: str, at: str, unit: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setWidgetResizable(True)
        self.setMinimumSize(NARROWEST, LOWEST)
        self.name, self.at, self.unit = name, at, unit
        self.graphs: list[Graph] = []
        self._box = laid(QVBoxLayout(), margins=(0, 0, 0, 0), spacing=0)
        holder = QWidget()
        holder.setLayout(self._box)
        self.setWidget(holder)

    def show_over(self, at: str, unit: str, pictures: Iterable[Picture]) -> None:
        """Show pictures over another quantity."""
        self.at, self.unit = at, unit
        self.show_pictures(pictures)

    def show_pictures(self, pictures: Iterable[Picture]) -> None:
        """Show pictures from top to bottom; only the last has numbers on its x axis."""
        wanted = list(pictures)
        while len(self.graphs) < len(wanted):
            graph = Graph(f"{self.name} {len(self.graphs) + 1}", self.at, self.unit)
            graph.stack = self
            graph.pointed.connect(self.put_cursor)
            if self.graphs:
                graph.item.setXLink(self.graphs[0].item)
            graph.item.getAxis("left").setWidth(LEFT)
            self.graphs.append(graph)
            self._box.addWidget(graph, 1)
        for k, graph in enumerate(self.graphs):
            graph.at, graph.unit = self.at, self.unit
            graph.show_lower_axis(k == len(wanted) - 1)
            graph.show_picture(wanted[k] if k < len(wanted) else None)
            graph.setVisible(k < len(wanted))
        self._share_height()

    def fit(self) -> None:
        """Show all of the pictures."""
        for graph in self.graphs:
            graph.fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_height()

    def _share_height(self) -> None:
        """Give all curves the same height: the last plot has more than the others by its lower axis."""
        shown = [graph for graph in self.graphs if graph.isVisibleTo(self)]
        share = max(1, (self.viewport().height() - lower_axis_room()) // max(1, len(shown)))
        for graph in shown:
            self._box.setStretchFactor(graph, share + lower_axis_room() * graph.numbered)

    def put_cursor(self, x: float | None) -> None:
        """Put the cursor of all graphs at x."""
        for graph in self.graphs:
            if graph.isVisibleTo(self) and graph.cursor_x != x:
                graph.put_cursor(x)
