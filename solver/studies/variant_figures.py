"""Figures of a study, without a screen: curves of several variants in one axes, and bar charts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.errors import LuffError
from ..results.figure_style import FigureStyle
from ..results.matplotlib_plots import COLOURS, DASHES, equal_scales, labelled, thinned
from ..results.recorded_run import Floats
from ..results.result import Result
from .run_measures import heading, magnitude
from .study_file import Study
from .study_settings import BarSettings, OverlaySettings
from .study_store import SelectedVariants

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg")
_SIZE = (8.0, 4.2)  # inches
MOST = 100  # variants in one figure, each with a line or a bar of its own


def figure() -> tuple[Figure, Axes]:
    # a figure of its own, outside pyplot, which keeps global state and wants a display
    from matplotlib.figure import Figure

    made = Figure(figsize=_SIZE, layout="constrained")
    return made, made.subplots()


def save(draw: Callable[[], Figure], path: Path, style: FigureStyle | None = None) -> list[Path]:
    """Write a figure in all formats, with a style as PDF too; `path` has no extension."""
    formats = FORMATS if style is None else (*FORMATS, ".pdf")
    files = [path.with_name(path.name + extension) for extension in formats]
    (style or FigureStyle()).save(draw, *files)
    return files


def overlay(entry: OverlaySettings, study: Study, results: SelectedVariants) -> Figure:
    """A line for each variant and signal; a colour for each variant, a dash for each signal."""
    _few(results, "draw fans: of so many curves, or pick some with variants:")
    made, axes = figure()
    units: list[str] = []
    first = next(iter(results.values()))
    for k, (name, result) in enumerate(results.items()):
        lines = _lines(entry, result, entry.x, entry.y)
        for j, (label, x, y, unit) in enumerate(lines):
            units.append(unit)
            dash = DASHES[(j + k // len(COLOURS)) % len(DASHES)]
            label = name if len(lines) == 1 else f"{name}: {label}"
            _draw(axes, entry, x, y, label, COLOURS[k % len(COLOURS)], dash)
    if entry.reference is not None:
        for label, x, y, unit in _lines(entry, first, entry.reference.x, entry.reference.y):
            units.append(unit)
            _draw(axes, entry, x, y, label, "#808080", ":")
    unit = units[0] if len(set(units)) == 1 else ""
    axes.set_title(entry.title, parse_math=False)
    axes.set_xlabel(labelled(entry.x, first.units[entry.x]), parse_math=False)
    axes.set_ylabel(labelled(entry.y[0] if len(entry.y) == 1 else "", unit), parse_math=False)
    axes.grid(color="#D9D9D9", linewidth=0.6)
    if entry.log and any((np.asarray(line.get_ydata()) > 0.0).any() for line in axes.lines):
        axes.set_yscale("log")
    if entry.x != "time" and unit and unit == first.units[entry.x]:
        equal_scales(axes)
    made.legend(loc="outside lower center", ncols=2, fontsize="small", frameon=False)
    return made


def _draw(
    axes: Axes, entry: OverlaySettings, x: Floats, y: Floats, label: str, colour: str, dash: str
) -> None:
    axes.plot(
        *thinned(x, y, ordered=entry.x == "time"), label=label, linewidth=1.3, color=colour, linestyle=dash
    )


def _lines(
    entry: OverlaySettings, result: Result, x_name: str, names: tuple[str, ...]
) -> list[tuple[str, Floats, Floats, str]]:
    """Label, x, y and unit of each line."""
    if x_name not in result or result[x_name].ndim > 1:
        raise LuffError(f'found "{x_name}" for x, expected a scalar signal of the result')
    chosen = np.ones(len(result.time), bool)
    if entry.start is not None:
        chosen &= result.time >= entry.start
    if entry.stop is not None:
        chosen &= result.time <= entry.stop
    x = result[x_name][chosen]
    lines = []
    for name in names:
        whole = entry.magnitude and name in result
        for column in [name] if whole else result.match(name):
            y = magnitude(result[column])[chosen]
            lines.append((column, x, np.abs(y) if entry.log else y, result.units[column]))
    return lines


def _few(results: SelectedVariants, fix: str) -> None:
    if len(results) > MOST:
        raise LuffError(f"found {len(results)} variants for one figure, expected at most {MOST}", fix=fix)


def bars(entry: BarSettings, study: Study, results: SelectedVariants) -> Figure:
    """Groups of bars: one for each measure, in it a bar for each variant."""
    _few(results, "draw a histogram of so many numbers, or pick some with variants:")
    made, axes = figure()
    units = {results.shown_unit(measure) for measure in entry.columns}
    places = np.arange(len(entry.columns))
    width = 0.8 / len(results)
    positive = False  # a logarithmic axis needs something to show
    for k, name in enumerate(results):
        values = [results.measured(name, measure) for measure in entry.columns]
        positive |= any(value > 0.0 for value in values)
        at = places + (k - (len(results) - 1) / 2) * width
        hatch = ("", "///", "...")[k // len(COLOURS) % 3]
        axes.bar(
            at,
            values,
            0.92 * width,
            label=name,
            color=COLOURS[k % len(COLOURS)],
            hatch=hatch,
            edgecolor="white",
            linewidth=0.3,
        )
    axes.set_xticks(places, [heading(measure) for measure in entry.columns], parse_math=False)
    axes.set_title(entry.title, parse_math=False)
    axes.set_ylabel(f"[{units.pop()}]" if len(units) == 1 and units != {""} else "", parse_math=False)
    axes.grid(axis="y", color="#D9D9D9", linewidth=0.6)
    axes.set_axisbelow(True)
    if entry.log and positive:
        axes.set_yscale("log")
    made.legend(loc="outside lower center", ncols=3, fontsize="small", frameon=False)
    return made
