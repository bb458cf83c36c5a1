"""Base of all plots: axes, their titles and numbers, below a caption, in the theme's colours."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QApplication

from ...solver.results.display_unit import NO_UNIT
from ..theme import active_theme as themes
from ..theme.active_theme import Paper, paper
from ..theme.number_format import prefixed, short_power, thousands, unit_words
from .gesture_box import GestureBox
from .plot_caption import CURVES, Caption

SIDES = ("left", "bottom")
BEYOND = 13.0  # px of a number at the end of an axis, less than a plot leaves beside it
BEYOND_UPRIGHT = 8.0  # px, of an upright one
MARGIN = 3.0  # px of those that a label has around its letters: they may lie outside
LONGEST = 5  # letters of a number; a longer one is written with its power of ten
LOWEST = 1e-2  # numbers of an axis below it have one power of ten in its title
SIZES = (10.0, 9.0, 8.0, 7.0)  # points of the letters
DEGREES, APART = (360.0, 180.0, 90.0, 45.0, 15.0, 5.0), 16.0  # steps of angles, and px between their numbers
GRID = 0.12  # opacity of the grid lines
BESIDE = 8.0  # px between two numbers of a level axis
RANKS = {"1": 0, "2": 1, "5": 2}  # of a logarithmic axis's numbers by their first digit
SPARE = 4.0  # px by which words may be drawn longer than they were measured
BARE = 6  # px below a plot without numbers there: half of the lowest number at its side stands there
BORDERS = 4  # px above and below all parts of a plot
NARROWEST = 160  # px


def lower_axis_height() -> int:
    """Height of the numbers of a lower axis and of its title [px]."""
    return round(2.0 * QFontMetricsF(QApplication.font()).height()) + 4


def lower_axis_room() -> int:
    """Height that a plot with numbers below takes more than one without [px]."""
    return lower_axis_height() - BARE


class AxisLabel:
    """Axis title fitted to its axis: smaller letters first, or little smaller ones and fewer words, then its unit, then
    without its front, of units without their end."""

    def __init__(self, item: pg.PlotItem, side: str):
        self.item, self.side = item, side
        self.text, self.fewer, self.ink = "", "", ""
        self.on = True
        self._shown = ("", 0.0, "")  # words, size and colour
        item.getViewBox().sigResized.connect(lambda _: self.fit())

    def show_text(self, text: str, ink: str, fewer: str = "") -> None:
        self.text, self.ink, self.fewer = unit_words(text), ink, unit_words(fewer)
        self.fit()

    def show(self, on: bool) -> None:
        self.on = on
        self.item.showLabel(self.side, on and bool(self.text))

    def fit(self) -> None:
        box, font = self.item.getViewBox(), QFont(QApplication.font())
        room = (box.width() if self.side == "bottom" else box.height()) - SPARE
        text, unit = self.text, self.text[max(self.text.rfind("["), 0) :]
        power = unit.rpartition("]")[2].strip()  # of numbers; of several units each name above has its own
        texts = self.fewer or self.text, unit, power or unit
        whole = [(self.text, size) for size in SIZES[: 2 if self.fewer else None]]
        for text, size in [*whole, *itertools.product(texts, SIZES)]:
            font.setPointSizeF(size)
            if QFontMetricsF(font).horizontalAdvance(text) <= room:
                break
        way = Qt.TextElideMode.ElideRight if text == unit else Qt.TextElideMode.ElideLeft
        words = QFontMetricsF(font).elidedText(text, way, max(room, 20.0))
        shown = (words, font.pointSizeF(), self.ink)
        if shown != self._shown and (words or self._shown[0]):  # setting a title shows its axis
            self._shown = shown
            self.item.setLabel(self.side, words, **{"font-size": f"{shown[1]:g}pt", "color": self.ink})
            self.show(self.on)
            self.item.getAxis(self.side).resizeEvent()  # other words have another middle


def units_listed(units: Iterable[str]) -> str:
    """Units of an axis, each once, as `[rad, -]`, a dash for dimensionless curves; empty for no curves."""
    words = [unit_words(unit) or NO_UNIT for unit in dict.fromkeys(units)]
    return f"[{', '.join(words)}]" if words else ""


def show_numbers(item: pg.PlotItem, on: bool, upright: bool = True) -> None:
    """Show numbers and grid lines on the axes, or hide them for an empty plot."""
    for side in ("left", "bottom"):
        item.getAxis(side).setStyle(showValues=on, tickLength=-5 if on else 0)
    item.showGrid(x=on and upright, y=on, alpha=GRID)


class ValueAxis(pg.AxisItem):
    """Axis whose first and last number are centred on its ends; its numbers are short in the unit of its title."""

    bare = False  # without a line
    degrees = False  # of an angle in degrees
    counts = False  # of whole numbers
    units: tuple[str, ...] = ()  # of its curves
    prefixes = True  # its units may take one, the same for all
    factor = 1.0  # from a value to its number
    title = ""  # units with their prefix, or their power of ten
    retitled = Signal()
    _written: Mapping[str, str] = {}

    def show_units(self, units: Iterable[str], prefixes: bool) -> None:
        self.units, self.prefixes = tuple(dict.fromkeys(units)), prefixes
        self.degrees = self.units == ("deg",)
        self._follow_range()

    def setRange(self, mn: float, mx: float) -> None:
        super().setRange(mn, mx)  # pyright: ignore[reportAttributeAccessIssue]
        self._follow_range()

    def _follow_range(self) -> None:
        peak = 1.0 if self.logMode or self.degrees or not self.units else max(map(abs, self.range))
        found = [prefixed(unit, peak) for unit in self.units] if self.prefixes else []
        alike = len({factor for _, factor in found}) == 1
        self._written = dict(zip(self.units, [own for own, _ in found], strict=True)) if alike else {}
        factor = found[0][1] if alike else 1.0
        power = thousands(peak) if factor == 1.0 and not LOWEST <= peak < 10.0**LONGEST else 0
        title = units_listed(map(self.written, self.units))
        title += f" ×{unit_words(f'10^{power}')}" if power else ""
        if (title, factor / 10.0**power) != (self.title, self.factor):
            self.title, self.factor = title, factor / 10.0**power
            self.picture = None
            self.update()
            self.retitled.emit()

    def written(self, unit: str) -> str:
        """One of its units with the prefix of its numbers."""
        return self._written.get(unit, unit)

    def boundingRect(self) -> QRectF:
        along = (0.0, BEYOND_UPRIGHT) if self.orientation in ("left", "right") else (BEYOND, 0.0)
        return super().boundingRect().adjusted(-along[0], -along[1], *along)

    def generateDrawSpecs(self, p: QPainter) -> pg.DrawSpecs:
        """Drop ticks of no length, which would be dots, the line of a bare axis, and numbers that would overlap."""
        (pen, start, end), ticks, texts = super().generateDrawSpecs(p)
        texts = without_overlap(texts) if self.logMode else texts
        line = pg.mkPen(None) if self.bare else pen, start, end
        return line, ticks if self.style["tickLength"] or self.style["showValues"] else [], texts

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:
        """Steps of an angle in degrees are parts of a turn; of others 1, 2 and 5 times a power of ten, of counts
        not less than 1."""
        levels = super().tickSpacing(minVal, maxVal, size)
        if self.counts:
            levels = [level for level in levels if level[0] >= 1.0] or [(1.0, 0.0)]
        if not self.degrees or levels[0][0] < DEGREES[-1]:
            return self._apart(levels, minVal, maxVal, size)
        wide = [step for step in DEGREES if (maxVal - minVal) / step >= 1.5]
        return [(step, 0.0) for step in wide if size * step / (maxVal - minVal) >= APART][:2] or levels

    def _apart(
        self, levels: list[tuple[float, float]], low: float, high: float, size: float
    ) -> list[tuple[float, float]]:
        """Steps between whose numbers there is room along the axis: coarser ones where the numbers are long."""
        if self.logMode:
            return levels
        metrics, step = QFontMetricsF(QApplication.font()), levels[0][0]
        upright = self.orientation in ("left", "right")
        several = lambda step: math.floor(high / step) > math.ceil(low / step)  # noqa: E731
        while several(step):
            words = self.tickStrings([low - low % step, high - high % step], 1.0, step)
            along = metrics.ascent() if upright else max(map(metrics.horizontalAdvance, words)) + BESIDE
            wider = step * (2.5 if f"{step:e}"[0] == "2" else 2.0)
            if along <= size * step / (high - low) or (upright and not several(wider)):
                break
            step = wider
        return levels if step == levels[0][0] else [(step, 0.0)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        scale *= self.factor
        plain = super().tickStrings(values, scale, spacing)
        # numbers of one axis are written alike, those of finer steps too
        large = max(map(abs, self.range)) * scale >= 10.0**LONGEST
        if self.logMode or (not large and all(len(text) <= LONGEST for text in plain)):
            return plain
        return [short_number(value * scale, spacing * scale) for value in values]

    def logTickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        numbers = [10.0**value * scale for value in values]
        return [f"{n:g}" if 1e-3 <= n < 1e4 else short_power(f"{n:.0e}") for n in numbers]


class TimeAxis(ValueAxis):
    """Time axis: descenders of its title are not clipped."""

    def resizeEvent(self, ev: QResizeEvent | None = None) -> None:
        super().resizeEvent(ev)
        if self.label is not None:
            self.label.setY(self.size().height() - self.label.boundingRect().height() + MARGIN)


def without_overlap(texts: list[tuple[QRectF, int, str]]) -> list[tuple[QRectF, int, str]]:
    """Numbers of a logarithmic axis that stand apart: decades first, then those that begin with 2 or 5."""
    kept: list[tuple[QRectF, int, str]] = []
    for text in sorted(texts, key=lambda text: RANKS.get(f"{float(text[2]):e}"[0], len(RANKS))):
        room = text[0].adjusted(-BESIDE / 2, 0.0, BESIDE / 2, 0.0)
        if not any(room.intersects(other[0]) for other in kept):
            kept.append(text)
    return kept


def short_number(value: float, spacing: float) -> str:
    """Short text of an axis number, 450000 as 4.5e5, with the digits that distinguish it from its neighbours."""
    if abs(value) < 1e-6 * spacing:
        return "0"
    power = math.floor(math.log10(abs(value)) + 1e-9)
    scale = 0 if 0 <= power < LONGEST - 1 else power
    words = next(
        text
        for digits in range(17)
        if abs(float(text := f"{value / 10.0**scale:.{digits}f}") * 10.0**scale - value) < 1e-3 * spacing
        or digits == 16
    )
    return f"{words}e{scale}" if scale else words


class Plot(pg.PlotWidget):
    least_changed = Signal()  # the height that it needs

    def __init__(self) -> None:
        axes: dict[str, ValueAxis] = {"left": ValueAxis("left"), "bottom": TimeAxis("bottom")}
        box = GestureBox()
        super().__init__(background=paper().paper, axisItems={**axes}, viewBox=box, enableMenu=False)
        self.axes = axes
        item = self.getPlotItem()
        self.item, self.box = item, box
        item.hideButtons()
        for side in SIDES:
            item.getAxis(side).enableAutoSIPrefix(False)
        self.caption = Caption(self.toggle, self.show_more, self.drag)
        self.caption.setParentItem(item)
        self.side, self.below = AxisLabel(item, "left"), AxisLabel(item, "bottom")
        self.numbered = True  # its lower axis has numbers and a title
        self.least = 0  # px of height that it needs beside them
        self.curves_height = CURVES  # px of it for curves, at least
        self.setMinimumWidth(NARROWEST)
        item.geometryChanged.connect(self.place_caption)
        themes.holder.changed.connect(self.follow_theme)

    def close(self) -> None:
        """Disconnect from theme changes, then close."""
        themes.holder.changed.disconnect(self.follow_theme)
        super().close()

    def follow_theme(self) -> None:
        self.set_paper(paper())

    def set_paper(self, own: Paper) -> None:
        self.caption.paper = own
        self.setBackground(own.paper)
        for side in SIDES:
            axis = self.item.getAxis(side)
            axis.setPen(pg.mkPen(own.muted))
            axis.setTextPen(pg.mkPen(own.ink))
        for label in (self.side, self.below):
            label.show_text(label.text, own.ink, label.fewer)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Handle a double click; names in the caption take each click for themselves."""
        on_caption = self.caption.sceneBoundingRect().contains(self.mapToScene(event.position().toPoint()))
        super().mouseDoubleClickEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not on_caption:
            self.double_click()

    def double_click(self) -> None:
        """Show all again, however it was zoomed."""
        self.item.enableAutoRange()

    def toggle(self, k: int) -> None:
        """Handle a click on the name of curve k."""

    def drag(self, k: int) -> None:
        """Handle a drag of the name of curve k."""

    def show_more(self) -> None:
        """Show all names of the caption, or the first ones again."""
        self.caption.folded = not self.caption.folded
        self.place_caption()
        self.caption.update()

    def place_caption(self) -> None:
        self.caption.place_above(self.item)
        # under many lines of values there still is a plot to see
        least = round(self.caption.least_height()) + self.curves_height + BARE + BORDERS
        if least != self.least:
            self.least = least
            self.follow_lower_axis()
            self.least_changed.emit()

    def show_lower_axis(self, on: bool) -> None:
        """Show the numbers and the title of the lower axis; without them a plot leaves their height to its curves."""
        if on != self.numbered:
            self.numbered = on
            self.follow_lower_axis()

    def follow_lower_axis(self) -> None:
        """Give the lower axis its height, and the plot the least one."""
        axis = self.item.getAxis("bottom")
        axis.setHeight(lower_axis_height() if self.numbered else BARE)  # pyright: ignore[reportAttributeAccessIssue]
        axis.setStyle(showValues=self.numbered and self.filled)
        self.below.show(self.numbered)
        self.setMinimumHeight(self.least + lower_axis_room() * self.numbered)

    @property
    def filled(self) -> bool:
        """True if there are curves, whose axes have numbers."""
        return True
