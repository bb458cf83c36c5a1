"""Axes of a plot of one signal over another: their names, and whether their scales are equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...solver.results.matplotlib_plots import equal_scales_readable
from .plot_spec import PlotSpec


def path_title(names: Sequence[str], unit: str) -> tuple[str, str]:
    """Title of an axis: its signals and their unit; and the same without the blocks, for an axis that is too short."""
    short = [name.rpartition(".")[2] for name in names]
    whole, fewer = (f"{', '.join(words)} {unit}".strip() for words in (names, short))
    return whole, fewer if len({*short}) == len(names) else ""


def alike(spec: PlotSpec, units: Mapping[str, str], names: Sequence[str], columns: list[np.ndarray]) -> bool:
    """True if both axes have one unit and the picture stays wide enough with equal scales."""
    spans = [float(np.ptp(values[np.isfinite(values)])) for values in columns if np.isfinite(values).any()]
    wide, high = spans[0] if spans else 0.0, max(spans[1:], default=0.0)
    own = [units.get(names[0], ""), *(spec.shown(units.get(name, ""))[0] for name in names[1:])]
    return len(set(own)) == 1 and equal_scales_readable(wide, high)
