"""Axes of a plot of one signal over another: their names, and whether their scales are equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...solver.results.matplotlib_plots import equal_scales_readable
from .plot_spec import PlotSpec


def path_titles(spec: PlotSpec, names: Sequence[str], units: tuple[str, str]) -> tuple[str, str]:
    """Titles of the vertical and the horizontal axis: the signals, without a block that all of them have, and units."""
    every = [spec.x, *names]
    block = f"{spec.x.rpartition('.')[0]}."
    if all(name.startswith(block) for name in every):  # the caption has it
        every = [name.removeprefix(block) for name in every]
    return f"{', '.join(every[1:])} {units[0]}".strip(), f"{every[0]} {units[1]}".strip()


def alike(spec: PlotSpec, units: Mapping[str, str], names: Sequence[str], columns: list[np.ndarray]) -> bool:
    """True if both axes have one unit and the picture stays wide enough with equal scales."""
    spans = [float(np.ptp(values[np.isfinite(values)])) for values in columns if np.isfinite(values).any()]
    wide, high = spans[0] if spans else 0.0, max(spans[1:], default=0.0)
    own = [units.get(names[0], ""), *(spec.shown(units.get(name, ""))[0] for name in names[1:])]
    return len(set(own)) == 1 and equal_scales_readable(wide, high)
