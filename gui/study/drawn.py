"""The variants of a study in one picture: a curve of each, and a bar of each, named above the picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from ..look import theme as themes
from ..plots.caption import Caption, Entry
from ..plots.label import SideLabel
from ..plots.paper import paper
from ..run.history import thinned

STYLES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
POINTS = 2000  # of one curve
MOST = 100  # variants in one picture
NAMES = 0.5  # of a picture's height: more names than that would leave no picture


class _Picture(pg.PlotWidget):
    def __init__(self, name: str) -> None:
        super().__init__(background=paper().paper)
        self.setMenuEnabled(False)
        self.setAccessibleName(name)
        self.setMinimumSize(160, 120)
        item = self.getPlotItem()
        self.item = item
        item.hideButtons()
        item.showGrid(x=True, y=True, alpha=0.12)
        for side in ("left", "bottom"):
            item.getAxis(side).enableAutoSIPrefix(False)
        self.caption = Caption(self.toggle)
        self.caption.setParentItem(item)
        self.side = SideLabel(item)
        item.geometryChanged.connect(self._place_caption)
        themes.holder.changed.connect(self._follow_theme)
        self._follow_theme()

    def _follow_theme(self) -> None:
        own = self.caption.paper = paper()
        self.setBackground(own.paper)
        for side in ("left", "bottom"):
            axis = self.item.getAxis(side)
            axis.setPen(pg.mkPen(own.muted))
            axis.setTextPen(pg.mkPen(own.ink))
        self.draw()

    def close(self) -> None:
        """No axes are left then, which a change of theme would look for."""
        themes.holder.changed.disconnect(self._follow_theme)
        super().close()

    def draw(self) -> None: ...

    def toggle(self, k: int) -> None: ...

    def _name(self, entries: list[Entry]) -> None:
        self.caption.show_text("", entries)
        self._place_caption()

    def _place_caption(self) -> None:
        self.caption.lie_over(self.item, NAMES)


class Curves(_Picture):
    """A signal over time, a line for each variant; a click on a name hides its line."""

    def __init__(self) -> None:
        self.lines: dict[str, np.ndarray] = {}
        self.hidden: set[str] = set()
        self.words = ("", "")
        super().__init__("Curves of the variants")

    def show_lines(self, lines: dict[str, np.ndarray], signal: str, unit: str) -> None:
        self.lines = dict(list(lines.items())[:MOST])
        self.words = (signal, unit)
        self.draw()

    def toggle(self, k: int) -> None:
        self.hidden ^= {list(self.lines)[k]}
        self.draw()

    def draw(self) -> None:
        self.item.clear()
        inks, wide = paper().curves, self.devicePixelRatioF()
        entries = []
        for k, (name, rows) in enumerate(self.lines.items()):
            style = STYLES[k // len(inks) % len(STYLES)]
            pen = pg.mkPen(inks[k % len(inks)], width=1.5 * wide, style=style)
            entries.append(Entry(short(name), pen, hidden=name in self.hidden))
            if name not in self.hidden:
                self.item.plot(*thinned(rows[:, 0], rows[:, 1], POINTS), pen=pen, antialias=True)
        signal, unit = self.words
        self.side.show_text(f"{signal} [{unit}]" if unit else signal, paper().ink)
        self.item.setLabel("bottom", "time [s]", color=paper().ink)
        self.item.enableAutoRange()
        self._name(entries)


class Bars(_Picture):
    """A number of each run, a bar for each variant; numbers below them tell which is which."""

    def __init__(self) -> None:
        self.values: dict[str, float] = {}
        self.words = ""
        super().__init__("Bars of the variants")
        self.item.showGrid(x=False, y=True, alpha=0.12)

    def show_bars(self, values: dict[str, float], heading: str) -> None:
        self.values, self.words = dict(list(values.items())[:MOST]), heading
        self.draw()

    def draw(self) -> None:
        self.item.clear()
        inks = paper().curves
        entries = []
        for k, (name, value) in enumerate(self.values.items()):
            ink = inks[k % len(inks)]
            entries.append(Entry(f"{k + 1}: {short(name)}", pg.mkPen(ink)))
            if np.isfinite(value):
                bar = pg.BarGraphItem(x=[k + 1], height=[value], width=0.7, brush=ink, pen=pg.mkPen(None))
                self.item.addItem(bar)
        self.item.getAxis("bottom").setTicks([_ticks(len(entries))])
        self.side.show_text(self.words, paper().ink)
        self.item.enableAutoRange()
        self._name(entries)


def short(name: str) -> str:
    """The values alone of `slide.stiffness = 2 N/m, mass.mass = 1 kg`; other names as they are."""
    parts = [part.partition(" = ") for part in name.split(", ")]
    return ", ".join(value for _, _, value in parts) if all(value for _, _, value in parts) else name


def _ticks(count: int) -> Sequence[tuple[float, str]]:
    every = max(1, -(-count // 20))
    return [(float(k + 1), str(k + 1)) for k in range(0, count, every)]
