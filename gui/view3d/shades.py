"""Colours of faces, lines and water in the active theme."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtGui import QColor

from ..theme.active_theme import theme
from .face_arrays import OPAQUE
from .scene_shapes import BAR, TIE, Line
from .sea_surface import Surface

SHADES = 64


def colour_named(name: str) -> QColor:
    """Colour of a family or `#rrggbb`; family colours, made for thin lines, are lightened for areas."""
    if name.startswith("#"):
        return QColor(name)
    return mixed(QColor(theme().part(name)), QColor("white"), 0.2 if theme().name == "light" else 0.0)


@lru_cache(256)
def shades_of(name: str, selected: bool, _theme: str) -> tuple[np.ndarray, np.ndarray]:
    """Words of the colours of a face and of its edges from the shade to the light, (SHADES,) each."""
    base = colour_named(name)
    if selected:
        base = mixed(base, theme().colour("selection"), 0.6)
    share = np.linspace(0.0, 1.0, SHADES)[:, None]
    own = np.array([base.red(), base.green(), base.blue()], float)
    # from 0.56 of the colour in the shade to a third of the way to white in the light
    lit = np.clip(0.68 * (share - 0.5), 0.0, 0.34)
    colour = (0.56 + 0.44 * np.minimum(1.0, 1.4 * share)) * (own + lit * (255.0 - own))
    return _words(colour), _words(colour / 1.3)


def _words(colours: np.ndarray) -> np.ndarray:
    red, green, blue = np.rint(np.clip(colours, 0.0, 255.0)).astype(np.int64).T
    return (255 << 24) | (red << 16) | (green << 8) | blue


def width_of(line: Line, selected: bool) -> float:
    """Width of a line in the picture [px]."""
    return (1.2 if line.kind in (TIE, BAR) else 1.8) + (1.2 if selected else 0.0)


def mixed(a: QColor, b: QColor, share: float) -> QColor:
    parts = zip((a.red(), a.green(), a.blue()), (b.red(), b.green(), b.blue()), strict=True)
    return QColor(*(round((1 - share) * x + share * y) for x, y in parts))


def water_colours(surface: Surface, seen: np.ndarray) -> np.ndarray:
    """Colours and opacities of the corners of water pieces, (strips, columns, 4, 4), of which shares (strips, columns,
    4) are seen."""
    dark, bright = (np.array(QColor(name).getRgb()[:3]) for name in theme().water)
    light = surface.light()
    lines = dark + light[:, None] * (bright - dark)
    colours = np.empty((*seen.shape, 4))
    colours[:, :, [0, 3], :3] = lines[:-1, None, None]
    colours[:, :, [1, 2], :3] = lines[1:, None, None]
    colours[..., 3] = OPAQUE * seen
    return colours
