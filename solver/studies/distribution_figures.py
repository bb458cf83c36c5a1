"""Figures of many variants: histograms, scatters, fans of percentiles over time, and sensitivity indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.errors import LuffError
from ...blocks.text.quantity import quantity, written_unit
from ...blocks.text.quantity import unit as unit_of
from ..results.matplotlib_plots import COLOURS, labelled
from ..results.recorded_run import Floats
from .run_measures import heading
from .study_file import Study
from .study_settings import FanSettings, HistogramSettings, Measure, ScatterSettings, SensitivitySettings
from .study_store import SelectedVariants
from .study_tables import drawn_indices, ordinal, sample
from .variant_figures import figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GRID = 400  # times of a fan: more than a figure of this size shows
GRAY = "#D9D9D9"


def histogram(entry: HistogramSettings, study: Study, chosen: SelectedVariants) -> Figure:
    """Numbers of variants by value."""
    made, axes = figure()
    values = [sample(chosen, column) for column in entry.columns]
    bins = entry.bins or np.histogram_bin_edges(np.concatenate(values), "auto").tolist()
    for k, (column, one) in enumerate(zip(entry.columns, values, strict=True)):
        alpha = 0.85 if len(values) == 1 else 0.6
        axes.hist(one, bins, color=COLOURS[k % len(COLOURS)], alpha=alpha, label=heading(column))
    _x_of_measures(axes, chosen, entry.columns)
    axes.set_ylabel("variants")
    return _finished(made, axes, entry.title, len(values) > 1)


def _x_of_measures(axes: Axes, chosen: SelectedVariants, columns: Sequence[Measure]) -> None:
    units = {chosen.shown_unit(column) for column in columns}
    name = heading(columns[0]) if len(columns) == 1 else ""
    axes.set_xlabel(labelled(name, units.pop() if len(units) == 1 else ""), parse_math=False)


def scatter(entry: ScatterSettings, study: Study, chosen: SelectedVariants) -> Figure:
    """Plot a point for each variant."""
    made, axes = figure()
    if isinstance(entry.x, Measure):
        x, label = sample(chosen, entry.x), labelled(heading(entry.x), chosen.shown_unit(entry.x))
    else:
        x, label = changed_numbers(chosen, entry.x)
    for k, column in enumerate(entry.columns):
        colour = COLOURS[k % len(COLOURS)]
        size = float(np.clip(3000.0 / len(chosen), 2.0, 16.0))
        axes.scatter(
            x,
            sample(chosen, column),
            size,
            colour,
            label=heading(column),
            linewidths=0,
            alpha=0.7,
            rasterized=True,
        )
    units = {chosen.shown_unit(column) for column in entry.columns}
    name = heading(entry.columns[0]) if len(entry.columns) == 1 else ""
    axes.set_xlabel(label, parse_math=False)
    axes.set_ylabel(labelled(name, units.pop() if len(units) == 1 else ""), parse_math=False)
    return _finished(made, axes, entry.title, len(entry.columns) > 1)


def changed_numbers(chosen: SelectedVariants, path: str) -> tuple[Floats, str]:
    """The numbers that the variants have at a path, in the unit of the first one."""
    raw = []
    for name in chosen:
        changes = chosen.results.changes[name]
        if path not in changes:
            raise LuffError(f'the variant {name} does not change "{path}"')
        raw.append(changes[path])
    try:
        quantities = [quantity(one) if isinstance(one, str) else quantity(repr(float(one))) for one in raw]
    except (LuffError, TypeError, ValueError):
        raise LuffError(f'"{path}" has values that are not numbers') from None
    unit = written_unit(raw[0]) if isinstance(raw[0], str) else ""
    return np.array([one.value for one in quantities]) / float(unit_of(unit).factor), labelled(path, unit)


def fan(entry: FanSettings, study: Study, chosen: SelectedVariants) -> Figure:
    """Percentiles over time of one signal; only its column is read, one variant after the other."""
    made, axes = figure()
    read = lambda name: chosen.columns(name, [entry.y])  # noqa: E731
    time, percentiles = percentile_bands(list(chosen), read, entry.percentiles, entry.start, entry.stop)
    count = len(entry.percentiles)
    for k in range(count // 2):
        low, high = percentiles[k], percentiles[count - 1 - k]
        label = f"{entry.percentiles[k]:g} % to {entry.percentiles[count - 1 - k]:g} %"
        axes.fill_between(time, low, high, color=COLOURS[0], alpha=0.2 + 0.2 * k, linewidth=0, label=label)
    if count % 2:
        middle = count // 2
        axes.plot(
            time,
            percentiles[middle],
            color=COLOURS[0],
            linewidth=1.5,
            label=ordinal(entry.percentiles[middle]),
        )
    axes.set_xlabel("time [s]")
    axes.set_ylabel(labelled(entry.y, chosen.unit_of_signal(entry.y)), parse_math=False)
    return _finished(made, axes, entry.title, True)


def percentile_bands(
    names: Sequence[str],
    read: Callable[[str], np.ndarray],
    shares: Sequence[float],
    start: float | None = None,
    stop: float | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Times, and at each of them the percentiles of what `read` gives of the variants: rows of time and value."""
    time = read(names[0])[:, 0]
    start = float(time[0]) if start is None else start
    stop = float(time[-1]) if stop is None else stop
    if stop <= start:
        raise LuffError(f"found no rows from {start:g} to {stop:g} s")
    grid = np.linspace(start, stop, min(GRID, max(2, len(time))))
    curves = np.empty((len(names), len(grid)), np.float32)  # a pixel is wider than a float32 is coarse
    for row, name in enumerate(names):
        t, y = read(name).T
        curves[row] = np.interp(grid, t, y, left=np.nan, right=np.nan)
    some = np.isfinite(curves).any(axis=0)
    # a run that ended earlier counts as long as it lasted
    middle = np.nanpercentile if np.isnan(curves).any() else np.percentile
    return grid[some], middle(curves[:, some], sorted(shares), axis=0)


def sensitivity(entry: SensitivitySettings, study: Study, chosen: SelectedVariants) -> Figure:
    """Bars of first order and total for each input; the lines are confidence intervals."""
    made, axes = figure()
    groups = [(column, kind) for column in entry.columns for kind in (0, 1)]
    width = 0.8 / len(groups)
    paths: list[str] = []
    for k, (column, kind) in enumerate(groups):
        paths, both = drawn_indices(entry, study, chosen, column)
        value, low, high = np.array(both[kind]).T
        places = np.arange(len(paths)) + (k - (len(groups) - 1) / 2) * width
        errors = np.clip([value - low, high - value], 0.0, None)
        label = f"{heading(column)}, {('first order', 'total')[kind]}"
        colour = COLOURS[k // 2 % len(COLOURS)]
        axes.bar(
            places,
            value,
            0.92 * width,
            yerr=errors,
            ecolor="#404040",
            color=colour,
            alpha=(1.0, 0.5)[kind],
            label=label,
        )
    axes.set_xticks(range(len(paths)), paths, parse_math=False)
    axes.set_ylabel("share of the variance")
    return _finished(made, axes, entry.title, True)


def _finished(made: Figure, axes: Axes, title: str, legend: bool) -> Figure:
    axes.set_title(title, parse_math=False)
    axes.grid(color=GRAY, linewidth=0.6)
    axes.set_axisbelow(True)
    if legend:
        made.legend(loc="outside lower center", ncols=3, fontsize="small", frameon=False)
    return made
