"""Pens and brushes of faces and lines in the active theme."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QPen

from ..theme.active_theme import theme
from .face_arrays import OPAQUE
from .scene_shapes import BAR, TIE, Line
from .sea_surface import Surface

SHADES = 16


def colour_named(name: str) -> QColor:
    """Colour of a family or `#rrggbb`; family colours, made for thin lines, are lightened for areas."""
    if name.startswith("#"):
        return QColor(name)
    return mixed(theme().family(name), QColor("white"), 0.2 if theme().name == "light" else 0.0)


@lru_cache(4096)
def brush_of(name: str, level: int, selected: bool, _theme: str) -> tuple[QPen, QPen, QBrush]:
    """Pens for edges and for the seams between faces, and the brush of a face, at light level `level`."""
    base = colour_named(name)
    if selected:
        base = mixed(base, theme().colour("selection"), 0.6)
    share = level / SHADES
    # from three quarters of the colour in the shade to a third of the way to white in the light
    colour = mixed(base, QColor("white"), 0.34 * share) if share > 0.5 else base
    factor = 0.66 + 0.34 * min(1.0, 1.4 * share)
    colour = QColor(*(round(factor * part) for part in (colour.red(), colour.green(), colour.blue())))
    return QPen(colour.darker(122), 0.8), QPen(colour, 0.8), QBrush(colour)


def pen_of(line: Line, selected: bool) -> QPen:
    colour = theme().colour("selection") if selected else colour_named(line.colour)
    style = Qt.PenStyle.DashLine if line.kind == TIE else Qt.PenStyle.SolidLine
    width = (1.2 if line.kind in (TIE, BAR) else 1.8) + (1.2 if selected else 0.0)
    return QPen(colour, width, style, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)


def mixed(a: QColor, b: QColor, share: float) -> QColor:
    parts = zip((a.red(), a.green(), a.blue()), (b.red(), b.green(), b.blue()), strict=True)
    return QColor(*(round((1 - share) * x + share * y) for x, y in parts))


def water_colours(surface: Surface, sky: np.ndarray) -> list[list[list[int]]]:
    """RGB colours of each water strip's three pieces: shaded, and faded into the sky `sky` behind them."""
    dark, bright = (np.array(QColor(name).getRgb()[:3]) for name in theme().water)
    own = dark + surface.light()[:, None] * (bright - dark)
    faded = surface.water.faded[:, None, None]
    return np.rint((1.0 - faded) * own[:, None] + faded * sky).astype(int).tolist()


def water_sky(height: np.ndarray) -> np.ndarray:
    """RGB of the sky at relative picture heights, 0 at the upper edge, 1 at the lower."""
    top, bottom = (np.array(theme().colour(name).getRgb()[:3]) for name in ("canvas", "window"))
    return top + np.clip(height, 0.0, 1.0)[..., None] * (bottom - top)


def water_colour(parts: list[int]) -> QColor:
    colour = QColor(*parts)
    colour.setAlphaF(OPAQUE)
    return colour
