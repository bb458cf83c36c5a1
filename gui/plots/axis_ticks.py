"""Axes with short numbers, room for their titles, and unclipped titles."""

from __future__ import annotations

import math

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QResizeEvent

BEYOND = 13.0  # px of a number at the end of an axis, less than a plot leaves beside it
MARGIN = 3.0  # px of those that a label has around its letters: they may lie outside
LONGEST = 5  # letters of a number; a longer one is written with its power of ten


class ValueAxis(pg.AxisItem):
    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        plain = super().tickStrings(values, scale, spacing)
        # numbers of one axis are written alike, those of finer steps too
        large = max(map(abs, self.range)) * scale >= 10.0**LONGEST
        if self.logMode or (not large and all(len(text) <= LONGEST for text in plain)):
            return plain
        return [short_number(value * scale, spacing * scale) for value in values]

    def logTickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        numbers = [10.0**value * scale for value in values]
        return [
            f"{n:g}" if 1e-3 <= n < 1e4 else f"{n:.0e}".replace("e-0", "e-").replace("e+0", "e")
            for n in numbers
        ]


class TimeAxis(ValueAxis):
    """Time axis: descenders of its title are not clipped; the first and last number are centred on its ends."""

    def boundingRect(self) -> QRectF:
        return super().boundingRect().adjusted(-BEYOND, 0.0, BEYOND, 0.0)

    def resizeEvent(self, ev: QResizeEvent | None = None) -> None:
        super().resizeEvent(ev)
        if self.label is not None:
            self.label.setY(self.size().height() - self.label.boundingRect().height() + MARGIN)


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
