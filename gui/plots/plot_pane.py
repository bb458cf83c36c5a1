"""Plot pane: curves over time, or one signal over another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPen,
)

from ...solver.diagram.block_renaming import Change
from ..run.run_history import History
from ..theme import active_theme as themes
from ..theme.active_theme import Paper, paper
from .compared_runs import ComparedRun
from .path_axes import alike, path_title
from .plot_base import SIDES, Plot, show_numbers, units_listed
from .plot_caption import Entry
from .plot_cursors import Cursors, TimeMarker
from .plot_spec import PlotSpec
from .reference_curves import ReferenceCurves
from .run_curves import Curve, above_zero, columns_of, columns_of_runs, paths
from .second_axis import SecondAxis, fit_values
from .signal_drag import drag, names_in
from .signal_tints import SignalTints

WIDTH = 1.5  # points of the screen; widths of curves count its own pixels
DROP, AWAITS = "Drop a signal or an output port here", "Press Run to see the curves"
COMPILING = "Compiling…"
STYLES = Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine  # of more curves than colours


class PlotPane(Plot):
    signals_dropped = Signal(list)
    menu_wanted = Signal(object)
    cursor_moved = Signal(float)
    second_moved = Signal(float)
    cursor_wanted = Signal(bool)  # by a key: the second one?
    activated = Signal()
    large_wanted = Signal()  # by a double click
    zoomed = Signal()  # zoomed by the user
    read = Signal()  # other numbers are to be read
    widened = Signal()  # wider than its curves have points for

    def __init__(self, spec: PlotSpec) -> None:
        super().__init__()
        self.paper = paper()
        self.spec = spec
        self.curves: dict[str, pg.PlotDataItem] = {}
        self._tints = SignalTints()
        self.right = SecondAxis(self)
        seen = lambda name: name not in self.curves or self.curves[name].isVisible()  # noqa: E731
        self.behind = ReferenceCurves(self, self._place, self.right.remove, self._hue, seen)
        self._units: dict[str, str] = {}  # displayed units of the curves
        self._told: str | None = None  # in place of curves
        self.compiling = False  # a run is, and has no rows yet
        self._planned: list[list[list[float]]] = []  # planned curves that are drawn
        self._plans: list[pg.PlotDataItem] = []
        self.setMinimumWidth(200)
        self.setAcceptDrops(True)
        item = self.item
        for side in SIDES:
            item.getAxis(side).setStyle(tickLength=-5, hideOverlappingLabels=False)
        item.getAxis("left").setWidth(58)
        for axis in self.axes.values():
            axis.retitled.connect(self._show_titles)
        for axis in (self.axes["left"], self.right.axis):
            axis.retitled.connect(self._caption)
        self.cursors = Cursors(self, self.read.emit)
        self.line, self.second = self.cursors.line, self.cursors.second
        self.line.sigPositionChanged.connect(lambda line: self.cursor_moved.emit(float(line.value())))
        self.second.sigPositionChanged.connect(lambda line: self.second_moved.emit(float(line.value())))
        for line in (self.line, self.second):
            item.addItem(line, ignoreBounds=True)
        item.addItem(self.cursors.dots, ignoreBounds=True)
        self.moment = TimeMarker()
        item.addItem(self.moment, ignoreBounds=True)
        self.logarithmic = False
        self.empty = pg.LabelItem("", color=themes.theme().muted)
        self.empty.setParentItem(self.box)
        self.empty.anchor(itemPos=(0.5, 0.5), parentPos=(0.5, 0.5))
        self.history: History | None = None
        self.run = ""  # name of the run of its curves
        self.fixed_y = False  # the user has chosen the vertical range
        self._points = 0  # that curves were last read with
        self.detail = 1  # pixels of a picture for one of the screen
        self._last = (0.0, 0.0), np.inf  # span and end that were last drawn
        self.box.sigResized.connect(self._on_resized)
        self.box.moved.connect(self._on_moved)
        self.box.follows = lambda dragged: not (self.xy or (dragged and self.fixed_y))
        self.show_spec(spec)
        self.restyle(self.paper)

    def follow_theme(self) -> None:
        self.restyle(paper())

    def restyle(self, paper: Paper) -> None:
        self.paper = paper
        self.set_paper(paper)
        self.cursors.restyle(paper)
        self.moment.restyle()
        for name, curve in self.curves.items():
            curve.setPen(self._pen(name))
        self.behind.restyle(paper)
        for item in self._plans:
            item.setPen(self._plan_pen())
        self.right.restyle(paper)
        self.empty.setText(self._told or "", color=themes.theme().muted)
        self._caption()
        self.cursors.refresh()

    def set_logarithmic(self, on: bool) -> None:
        """Set a logarithmic vertical axis; values not above zero are omitted."""
        self.logarithmic, self.fixed_y = on, False
        self.item.setLogMode(y=on)
        self.right.set_logarithmic(on)
        if not self.xy:
            self.box.disableAutoRange()  # which a new mode has set: the time axis is that of all plots

    def _on_moved(self, upright: bool) -> None:
        self.fixed_y |= upright
        self.zoomed.emit()

    def _on_resized(self, *_: object) -> None:
        if self.history is not None and self._most_points() > self._points:
            self.widened.emit()

    def _most_points(self) -> int:
        """Points of a curve that the width of the plot can show."""
        return int(max(200, 1.2 * self.box.width() * self.devicePixelRatioF() * self.detail))

    @property
    def xy(self) -> bool:
        return self.spec.x != "time"

    def show_spec(self, spec: PlotSpec) -> None:
        self.behind.forget()
        self.spec = spec
        self.setAccessibleName(f"Plot {spec.title or ', '.join(spec.y)}".strip())
        self.item.setTitle(None)
        self.box.setAspectLocked(False)
        self.box.enableAutoRange(enable=self.xy)  # over time the ranges are set with the rows
        for curve in self.curves.values():
            self.right.remove(curve)
        self.curves, self._units = {}, {}
        self._tints.keep(spec.y)
        self._show_planned([])
        self._show_filled()
        self._caption()
        self._label({}, [])

    def rename(self, change: Change) -> None:
        """Follow a block's new name: curves stay as they are."""
        self.spec = replace(self.spec, x=change(self.spec.x), y=[*map(change, self.spec.y)])
        self.curves = {change(name): curve for name, curve in self.curves.items()}
        self._units = {change(name): unit for name, unit in self._units.items()}
        self._tints.rename(change)
        self._caption()

    def _show_filled(self) -> None:
        """Show axis numbers if there are curves, else a hint."""
        awaits = COMPILING if self.compiling else AWAITS
        words = "" if self.curves or self.behind.curves else awaits if self.spec.y else DROP
        if words != self._told:
            self._told = words
            for side in SIDES:
                self.axes[side].bare = bool(words)
            show_numbers(self.item, not words)
            self.follow_lower_axis()
            self.empty.setText(words, color=themes.theme().muted)

    def show_compiling(self, on: bool) -> None:
        """Say in place of curves that a run is being compiled."""
        self.compiling = on
        self._show_filled()

    def _caption(self) -> None:
        entries = [
            Entry(self._curve_name(name), curve.opts["pen"], hidden=not curve.isVisible())
            for name, curve in self.curves.items()
        ]
        self.caption.show_text(self.spec.title, [*entries, *self.behind.entries(self.paper)])
        self.place_caption()

    def _curve_name(self, name: str) -> str:
        """Name of a curve; with its unit where the axes have several."""
        if not self.right.on:
            return name
        axis = self.right.axis if self.on_right(name) else self.axes["left"]
        return f"{name} {units_listed([axis.written(self._units.get(name, ''))])}"

    @property
    def filled(self) -> bool:
        return not self._told

    def toggle(self, k: int) -> None:
        curves = list(self.curves.values())
        if k < len(curves):
            curves[k].setVisible(not curves[k].isVisible())
            self.behind.show_seen()
        else:
            self.behind.toggle(k - len(curves))
        self._caption()
        self.cursors.refresh()

    def zoom_to(self, curve: pg.PlotDataItem) -> None:
        """Show a curve as large as its axis is, until all are fitted again."""
        self.fixed_y = True
        self.right.zoom(curve)
        self.zoomed.emit()

    def show_more(self) -> None:
        """Names that do not fit are in the table of readings, which comes with the cursor."""
        self.cursor_wanted.emit(False)

    def _label(self, units: dict[str, str], names: list[str]) -> None:
        """Set the axis titles to the units, the first one's left, others right; curve names are in the caption."""
        before, prefixes = (self.right.on, self._units), not self.spec.unit
        self._units = {name: self.spec.shown(units.get(name, ""))[0] for name in names}
        self.right.show({} if self.xy else self._units, prefixes, self.paper.ink)
        if (self.right.on, self._units) != before:
            self._caption()
        for name, curve in self._drawn():
            self._place(name, curve)
        self.axes["left"].show_units([*self._units.values()][: 1 if self.right.on else None], prefixes)
        # known with the rows
        self.axes["bottom"].show_units([units[self.spec.x]] if self.xy and self.spec.x in units else [], True)
        self._show_titles()

    def _show_titles(self) -> None:
        """Titles of the axes: units, with the names of the signals on both axes of a path."""
        left, bottom = (self.axes["left"].title, ""), ("time [s]", "")
        if self.xy:
            left, bottom = (
                path_title([*self._units], left[0]),
                path_title([self.spec.x], self.axes["bottom"].title),
            )
        self.side.show_text(left[0], self.paper.ink, left[1])
        self.below.show_text(bottom[0] if self.spec.y else "", self.paper.ink, bottom[1])

    def _place(self, name: str, curve: pg.PlotDataItem) -> None:
        self.right.add(curve, self.on_right(name))

    def _drawn(self) -> Iterator[tuple[str, pg.PlotDataItem]]:
        """Curves in front and behind, with the names of their signals."""
        yield from self.curves.items()
        for name, curves in self.behind.curves.items():
            for curve in curves:
                yield name, curve

    def on_right(self, name: str) -> bool:
        """True if a curve's axis is the right one."""
        units = [*self._units.values()]
        return self.right.on and self._units.get(name, units[0]) != units[0]

    # ------------------------------------------------------------------ data

    def label_axes(self, history: History) -> list[str]:
        """Show the axes that the units of the curves ask for; returns the columns of the curves."""
        names = [column for name in self.spec.y for column in columns_of(name, history)]
        self._label(history.units, names)
        return names

    def refresh(
        self,
        history: History | None,
        span: tuple[float, float],
        live: bool,
        until: float = np.inf,
        columns: list[str] | None = None,
    ) -> None:
        """Draw a time interval; during a run up to time `until`, since rows arrive while plots are drawn.

        `columns` are those of `label_axes`, where the caller has asked for them.
        """
        if history is None or not history.rows:
            return
        drawn, self._last = (span[0], min(span[1], until)), (span, until)
        self.history = history
        names = self.label_axes(history) if columns is None else columns
        self._points = points = self._most_points()
        if self.xy:
            x = columns_of(self.spec.x, history)
            if not x:
                return
            path, data = paths(history, [x[0], *names], drawn)
            equal = alike(self.spec, history.units, [x[0], *names], path)
            if equal != bool(self.box.state["aspectLocked"]):
                self.box.setAspectLocked(equal)
            self._show_planned(history.planned.get((self.spec.x, (*self.spec.y,)), []))
        else:
            data = history.read_window(names, *drawn, points)
        data = [
            (x_values, y_values * scale) for (x_values, y_values), scale in self._scaled(history, names, data)
        ]
        self.behind.smooth(not live)
        if self.logarithmic:
            data = [(x_values, above_zero(y_values)) for x_values, y_values in data]
        for gone in self.curves.keys() - {*names}:
            self.right.remove(self.curves.pop(gone))
        for name, (x_values, y_values) in zip(names, data, strict=True):
            self._curve(name).setData(x_values, y_values, antialias=not live)
        self._show_filled()
        if not self.xy and span[1] > span[0]:
            self._show_span(span)
            behind = self.behind.curves.items()
            kept = [(name, c.yData) for name, curves in behind for c in curves if c.yData is not None]
            shown = [(name, values) for name, (_, values) in zip(names, data, strict=True)] + kept
            self._show_values([values for name, values in shown if not self.on_right(name)])
            right = [values for name, values in shown if self.on_right(name)]
            self.right.fit(self._axis_values(right), self.fixed_y)

    def draw_in_detail(self, detail: int) -> None:
        """Draw the same again, with as many points as `detail` pixels for one of the screen can show."""
        self.detail = detail
        self.refresh(self.history, self._last[0], False, self._last[1])

    def _show_planned(self, curves: list[list[list[float]]]) -> None:
        """Draw the planned curves of a point, dashed, behind what it does."""
        if curves is self._planned:
            return
        for item in self._plans:
            self.item.removeItem(item)
        self._planned, self._plans = curves, []
        self._plans = [self.item.plot(x, y, pen=self._plan_pen()) for x, y in curves]

    def _plan_pen(self) -> QPen:
        return pg.mkPen(self.paper.ink, width=self.devicePixelRatioF(), style=Qt.PenStyle.DashLine)

    def _scaled(self, history: History, names: list[str], data: list[Curve]) -> Iterator[tuple[Curve, float]]:
        """Curves with the factor from the signal's unit to the displayed one."""
        for name, curve in zip(names, data, strict=False):
            yield curve, self.spec.shown(history.units.get(name, ""))[1]

    def _show_span(self, span: tuple[float, float]) -> None:
        if tuple(self.box.viewRange()[0]) != span:
            self.item.setXRange(*span, padding=0)

    def _show_values(self, columns: list[np.ndarray]) -> None:
        """Rescale the left axis unless the plot or the user has set its range."""
        if self.spec.range and not self.logarithmic and not self.fixed_y:
            if tuple(self.box.viewRange()[1]) != self.spec.range:
                self.item.setYRange(*self.spec.range, padding=0)
            return
        if self.fixed_y:
            return
        fit_values(self.box, self._axis_values(columns))

    def _axis_values(self, columns: list[np.ndarray]) -> list[np.ndarray]:
        """Values as an axis has them: logarithms on a logarithmic one."""
        return [np.log10(values) for values in columns] if self.logarithmic else columns

    def _curve(self, name: str) -> pg.PlotDataItem:
        curve = self.curves.get(name)
        if curve is None:
            curve = pg.PlotDataItem(pen=self._pen(name))
            self._place(name, curve)
            curve.setZValue(10)
            self.curves[name] = curve
            self._caption()
        return curve

    def _pen(self, name: str) -> QPen:
        style = STYLES[self._tints.number(name) // len(self.paper.curves) % len(STYLES)]
        return pg.mkPen(self._hue(name), width=WIDTH * self.devicePixelRatioF(), style=style)

    def _hue(self, name: str) -> str:
        return self.paper.curves[self._tints.number(name) % len(self.paper.curves)]

    def show_kept(self, runs: list[ComparedRun], span: tuple[float, float]) -> None:
        """Draw reference runs behind the curves."""
        names = [name for signal in self.spec.y for name in columns_of_runs(signal, runs)]
        points = self._most_points()

        def read(history: History, own: list[str]) -> list[Curve]:
            curves = history.read_window(own, *span, points)
            if self.xy:
                x = columns_of(self.spec.x, history)
                curves = paths(history, [x[0], *own], span)[1] if x else []
            curves = [(x, y * scale) for (x, y), scale in self._scaled(history, own, curves)]
            return [(x, above_zero(y)) for x, y in curves] if self.logarithmic else curves

        self.behind.show(runs, names, read, self.paper)
        self._show_filled()
        if self.behind.entries(self.paper) != self.caption.entries[len(self.curves) :]:
            self._caption()
            self.cursors.refresh()

    # ------------------------------------------------------------------ events

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.activated.emit()
        super().focusInEvent(event)

    def dragEnterEvent(self, ev: QDragEnterEvent) -> None:
        ev.acceptProposedAction() if names_in(ev.mimeData()) else ev.ignore()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        if event.source() is not self:
            self.signals_dropped.emit(names_in(event.mimeData()))
        event.acceptProposedAction()

    def drag(self, k: int) -> None:
        """Drag the signal of a name in the caption to another plot."""
        if k < len(self.curves):
            drag(self, [[*self.curves][k]])

    def mousePressEvent(self, ev: QMouseEvent) -> None:
        self.activated.emit()
        super().mousePressEvent(ev)

    def double_click(self) -> None:
        """Ask for the whole window, or give it back."""
        self.large_wanted.emit()

    def keyPressEvent(self, ev: QKeyEvent) -> None:
        """Move the cursor by arrow keys: 1 % of the visible interval, 10 % with Shift; Ctrl moves the second cursor.
        The first press shows it."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        second = bool(ev.modifiers() & Qt.KeyboardModifier.ControlModifier)
        line = self.second if second else self.line
        if ev.key() not in steps:
            super().keyPressEvent(ev)
            return
        if not (self.cursors.second_on if second else self.cursors.on):
            self.cursor_wanted.emit(second)
            return
        share = 0.1 if ev.modifiers() & Qt.KeyboardModifier.ShiftModifier else 0.01
        self.cursors.move(line, steps[Qt.Key(ev.key())] * share)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_wanted.emit(event.globalPos())
