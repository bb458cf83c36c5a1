"""Plots of many variants at once: percentile bands of curves, and sensitivity indices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QColor

from ...solver.studies.distribution_figures import percentile_bands
from ...solver.studies.statistics import Indices
from ...solver.studies.study_tables import ordinal
from ..plots.plot_caption import Entry
from ..plots.plot_colours import paper

SHARES = (5.0, 25.0, 50.0, 75.0, 95.0)  # percent: those of `fans:` in a study file
FAINT, STRONG = 60, 130  # of 255: the outer band, and the inner one
WIDE = 0.38  # of a bar; two stand side by side


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
