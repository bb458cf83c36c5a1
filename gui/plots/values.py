"""A vertical axis whose numbers are short, so that they leave room for its title."""

from __future__ import annotations

import math

import pyqtgraph as pg

LONGEST = 5  # letters of a number; a longer one is written with its power of ten


class Values(pg.AxisItem):
    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        plain = super().tickStrings(values, scale, spacing)
        if self.logMode or all(len(text) <= LONGEST for text in plain):
            return plain
        return [short(value * scale, spacing * scale) for value in values]

    def logTickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        numbers = [10.0**value * scale for value in values]
        return [
            f"{n:g}" if 1e-3 <= n < 1e4 else f"{n:.0e}".replace("e-0", "e-").replace("e+0", "e")
            for n in numbers
        ]


def short(value: float, spacing: float) -> str:
    """450000 as 4.5e5, with as many digits as tell it from its neighbours."""
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
