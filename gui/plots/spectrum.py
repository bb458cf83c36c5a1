"""Spectrum of a plot: amplitudes over frequency for the visible time interval."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from ..run.run_history import History
from ..theme.active_theme import paper
from ..theme.small_widgets import laid, text_label
from .plot_base import GRID, Plot
from .plot_caption import Entry

SEEN = 0.005  # share of the largest amplitude; frequencies above the last one are cut off at first
LEAST = 16  # rows that a spectrum is made of


def amplitudes(time: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies [Hz] and sine amplitudes: mean removed, Hann window, which spreads a line over its two neighbours.
    Rows at uneven times are interpolated."""
    finite = np.isfinite(values)
    time, values = time[finite], values[finite]
    if len(time) < LEAST or time[-1] <= time[0]:
        return np.zeros(0), np.zeros(0)
    even = np.linspace(time[0], time[-1], len(time))
    values = np.interp(even, time, values)
    # one that fades in and out once in the stretch; the last row would begin the next period
    window = np.hanning(len(even) + 1)[:-1]
    sizes = np.abs(np.fft.rfft((values - values.mean()) * window)) * 2.0 / window.sum()
    return np.fft.rfftfreq(len(even), even[1] - even[0]), sizes


class Spectrum(QDialog):
    """Spectrum window; it keeps the data of the moment when it was opened."""

    def __init__(self, parent: QWidget, history: History, names: list[str], span: tuple[float, float]):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Spectrum")
        self.resize(720, 420)
        inks = paper()
        self.plot = Plot()
        self.plot.follow_theme()
        self.plot.item.showGrid(x=True, y=True, alpha=GRID)
        units = list(dict.fromkeys(history.units.get(name, "") for name in names))
        self.plot.below.show_text("frequency [Hz]", inks.ink)
        axis = self.plot.axes["left"]
        axis.retitled.connect(lambda: self.plot.side.show_text(f"amplitude {axis.title}".rstrip(), inks.ink))
        axis.show_units(units, True)
        self.curves: dict[str, pg.PlotDataItem] = {}
        heard: list[float] = []
        time, columns = history.read(names, *span)
        for k, (name, values) in enumerate(zip(names, columns, strict=True)):
            frequency, amplitude = amplitudes(time, values)
            if len(frequency):
                heard.append(float(frequency[amplitude >= SEEN * amplitude.max()].max()))
            pen = pg.mkPen(inks.curves[k % len(inks.curves)], width=1.5 * self.devicePixelRatioF())
            self.curves[name] = self.plot.plot(frequency, amplitude, pen=pen)
        entries = [Entry(name, curve.opts["pen"]) for name, curve in self.curves.items()]
        self.plot.caption.show_text("", entries)
        if heard:
            self.plot.setXRange(0.0, 1.3 * max(heard))
        low, high = span if np.all(np.isfinite(span)) else history.span()
        words = text_label(
            f"t = {low:.4g} s to {high:.4g} s, {len(time)} rows, mean taken off, Hann's window", "muted"
        )
        laid(QVBoxLayout(self), self.plot, words)
