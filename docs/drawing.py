"""How the figures of these pages look, and where they go."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cycler import cycler
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from luff.solver.results.matplotlib_plots import COLOURS

IMAGES = Path(__file__).resolve().parent / "images"
FIGURES: dict[str, Callable[[], Figure]] = {}
STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=COLOURS),
    "grid.color": "#e6e9ec",
    "lines.linewidth": 1.3,
    "legend.framealpha": 0.8,
    "legend.edgecolor": "none",
    "legend.fontsize": 8,
}
DOTS = 110  # to the inch
SHADES = 64  # lines and text need no more colours, and the file is a third of the size

__all__ = ["COLOURS", "FIGURES", "figure", "panels", "save"]


def figure(draw: Callable[[], Figure]) -> Callable[[], Figure]:
    """The function makes the image of its own name."""
    FIGURES[draw.__name__] = draw
    return draw


def panels(
    titles: list[str], columns: int = 1, width: float = 7.2, height: float = 2.3
) -> tuple[Figure, list[Axes]]:
    rows = -(-len(titles) // columns)
    made = Figure(figsize=(width, height * rows), layout="constrained")
    grid = list(made.subplots(rows, columns, squeeze=False).flat)
    for axes, title in zip(grid, titles, strict=False):
        axes.set_title(title, loc="left")
    for axes in grid[len(titles) :]:
        axes.remove()
    return made, grid[: len(titles)]


def save(name: str) -> Path:
    IMAGES.mkdir(exist_ok=True)
    path = IMAGES / f"{name}.png"
    with rc_context(STYLE):
        stream = io.BytesIO()
        FIGURES[name]().savefig(stream, dpi=DOTS)
    Image.open(stream).convert("RGB").quantize(SHADES).save(path, optimize=True)
    return path
