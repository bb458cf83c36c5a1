"""Plots of results without a screen: PNG, SVG or PDF, one axes below another.

An entry of a netlist's `plots:` is `{title, y: [names or globs], x: time, unit, range}`; another `x` makes an X-Y plot.
Further results are drawn over the first one: a colour for each signal, a dash for each result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from ...blocks.errors import LuffError, Problem, RunError, did_you_mean
from .display_unit import NO_UNIT, display_unit
from .figure_style import FigureStyle
from .recorded_run import Floats, PlotEntry, RecordedRun, UnknownSignalError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# 3:1 on white (WCAG 2.1, 1.4.11), and apart for all three kinds of colour blindness. The first four are those of Okabe
# and Ito (2008), whose others are too light on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#774E06", "#229DCD", "#5C0A4E", "#5B6168")
DASHES = ("-", "--", ":", "-.")  # the colours begin again with the next one

_KEYS = ("title", "y", "x", "unit", "range", "plan", "planned")
_POINTS = 8000  # more than a figure resolves; longer lines keep the extremes of each stretch
_WIDTH, _HEIGHT = 8.0, 2.8  # inches, of one axes
_NAMED = 12  # lines that a legend has room for
_EQUAL = 5.0  # one range over the other up to which a path over a path keeps its shape


Results = Mapping[str, "RecordedRun"]  # by the name that their lines have in a legend


def plot(
    result: RecordedRun | Results,
    path: str | Path,
    plots: Sequence[PlotEntry] | None = None,
    style: FigureStyle | None = None,
) -> None:
    """Draw `plots`, or those of the netlist, or the positions, into one file."""
    (style or FigureStyle()).save(lambda: draw(result, plots, str(path)), Path(path))


def draw(
    result: RecordedRun | Results,
    plots: Sequence[PlotEntry] | None = None,
    where: str = "plot",
    axes: Sequence[Axes] | None = None,
) -> Figure:
    """Draw plots as a figure of their own, or into axes of another one."""
    results = {"": result} if isinstance(result, RecordedRun) else result
    first = next(iter(results.values()))
    entries = plots or first.plots or default_plots(first)
    if not entries:
        raise RunError(Problem("nothing to plot: the result holds no signals", where, "see `record:`"))
    rows = _new_axes(len(entries)) if axes is None else axes
    if len(rows) < len(entries):
        mistake = f"found {len(rows)} axes for {len(entries)} plots, expected one for each"
        raise LuffError(Problem(mistake, where, "name signals of one unit, or pass more axes"))
    for k, (each, entry) in enumerate(zip(rows, entries, strict=False)):
        _draw(each, results, entry, f"plots[{k}]")
    return cast("Figure", rows[0].figure)


def _new_axes(count: int) -> list[Axes]:
    """Axes below each other in a figure outside pyplot, which keeps global state and wants a display."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, _HEIGHT * count), layout="constrained")
    return [*figure.subplots(count, squeeze=False)[:, 0]]


def default_plots(result: RecordedRun) -> list[PlotEntry]:
    """The positions, or what was recorded first: one entry for each unit, of one line for each colour."""
    positions = [name for name in result.names if name.endswith(".position")]
    by_unit: dict[str, list[str]] = {}
    for name in positions or result.names:
        by_unit.setdefault(result.units[name], []).append(name)
    return [{"y": names[: len(COLOURS)]} for names in list(by_unit.values())[:4]]


def check(result: RecordedRun, plots: Sequence[PlotEntry]) -> None:
    """Raise what is wrong with `plots`, without drawing."""
    for k, entry in enumerate(plots):
        _lines(result, entry, f"plots[{k}]")


def _lines(result: RecordedRun, entry: PlotEntry, where: str) -> tuple[str, Floats, list[str]]:
    """Name and values along x, and the columns to draw, of an entry of `plots:`."""
    for key in entry:
        if key not in _KEYS:
            raise LuffError(Problem(f'a plot has no "{key}"', where, did_you_mean(str(key), _KEYS)))
    y = entry.get("y", [])
    y = [y] if isinstance(y, str) else list(y)
    if not y:
        raise LuffError(
            Problem("found no y, expected a list of signals", where, "for example y: [slew.position]")
        )
    try:
        columns = list(dict.fromkeys(column for name in y for column in result.match(name)))
        x_name = str(entry.get("x", "time"))
        x = result[x_name]
    except UnknownSignalError as error:
        raise UnknownSignalError(
            replace(p, path=where, message=f"{p.message}: {p.path}") for p in error.problems
        ) from None
    wanted = str(entry.get("unit") or "")
    if wanted and all(display_unit(result.units[column], wanted)[0] != wanted for column in columns):
        known = ", ".join(dict.fromkeys(result.units[column] or "no unit" for column in columns))
        raise LuffError(Problem(f"found the unit {wanted} for signals in {known}", where))
    if x.ndim > 1:
        raise LuffError(
            Problem(f'x is "{x_name}", {x.shape[1]} columns wide', where, f'take one: "{x_name}[0]"')
        )
    return x_name, x, columns


def _legend(axes: Axes, beside: Sequence[Axes], left: float) -> None:
    """Draw the legend at `left` of the axes' width: the first lines for which there is room, and how many more."""
    from matplotlib.lines import Line2D

    lines, names = [], []
    for each in (axes, *beside):
        own = each.get_legend_handles_labels()
        lines, names = lines + own[0], names + own[1]
    if len(lines) > _NAMED:
        kept = _NAMED - 1
        names = [*names[:kept], f"and {len(lines) - kept} more"]
        lines = [*lines[:kept], Line2D([], [], linestyle="none")]
    axes.legend(lines, names, loc="upper left", bbox_to_anchor=(left, 1), fontsize="small", frameon=False)


def _draw(axes: Axes, results: Results, entry: PlotEntry, where: str) -> None:
    first = next(iter(results.values()))
    x_name, _, columns = _lines(first, entry, where)
    shown = {column: display_unit(first.units[column], str(entry.get("unit") or "")) for column in columns}
    units = list(dict.fromkeys(unit for unit, _ in shown.values()))
    # curves in other units than the first have the axis at the right
    beside = [axes.twinx()] if len(units) > 1 else []
    for number, (name, result) in enumerate(results.items()):
        x, factors = _of_another(result, entry, f"{where} of {name}" if name else where, shown)
        for k, column in enumerate(columns):
            # the axes say the unit where there is one for all
            label = column if len(units) == 1 else labelled(column, shown[column][0] or NO_UNIT)
            dash = number if len(results) > 1 else k // len(COLOURS)
            home = axes if shown[column][0] == units[0] else beside[0]
            home.plot(
                *thinned(x, result[column] * factors[column], ordered=x_name == "time"),
                DASHES[dash % len(DASHES)],
                color=COLOURS[k % len(COLOURS)],
                linewidth=1.5,
                label=f"{name}: {label}" if name else label,
            )
    one = len(columns) == 1
    for along, up in entry.get("planned", ()):
        _, factor = shown[columns[0]]
        axes.plot(along, np.multiply(up, factor), "--", color="#808080", linewidth=1.0, zorder=1)
    axes.set_xlabel(labelled(x_name, first.units[x_name]), parse_math=False)
    axes.set_ylabel(
        labelled(columns[0] if one else "", units[0] or (NO_UNIT if beside else "")), parse_math=False
    )
    for right in beside:
        right.set_ylabel(f"[{', '.join(unit or NO_UNIT for unit in units[1:])}]", parse_math=False)
    axes.set_title(str(entry.get("title", "")), parse_math=False)
    axes.grid(color="#D9D9D9", linewidth=0.6)
    if not one or len(results) > 1:
        _legend(axes, beside, 1.13 if beside else 1.0)
    if x_name != "time" and units == [first.units[x_name]] and units != [""]:
        equal_scales(axes)
    ends = entry.get("range")
    if ends:
        low, high = ends
        axes.set_ylim(float(low), float(high))


def _of_another(
    result: RecordedRun, entry: PlotEntry, where: str, shown: Mapping[str, tuple[str, float]]
) -> tuple[Floats, dict[str, float]]:
    """Values along x, and factors that bring the columns to the units that are shown."""
    _, x, columns = _lines(result, {**entry, "y": list(shown)}, where)
    factors: dict[str, float] = {}
    for column in columns:
        unit, factors[column] = display_unit(result.units[column], shown[column][0])
        if unit != shown[column][0]:
            raise LuffError(
                Problem(
                    f'{column} is in "{unit}", expected "{shown[column][0]}" as in the first result', where
                )
            )
    return x, factors


def equal_scales_readable(wide: float, high: float) -> bool:
    """True if equal scales squeeze neither of two ranges to a strip."""
    return min(wide, high) * _EQUAL >= max(wide, high) > 0.0


def equal_scales(axes: Axes) -> None:
    """Equal scales of a path over a path, where they leave it readable."""
    if equal_scales_readable(axes.dataLim.width, axes.dataLim.height):
        axes.set_aspect("equal", adjustable="datalim")


def labelled(name: str, unit: str) -> str:
    return f"{name} [{unit}]".lstrip() if unit else name


def thinned(x: Floats, y: Floats, *, ordered: bool) -> tuple[Floats, Floats]:
    """Reduce a curve to about _POINTS points: lowest and highest of each stretch, so that no peak is lost.

    A curve that is not over time has no such stretches; every nth point stands for it.
    """
    stretch = len(x) // (_POINTS // 2) if ordered else -(-len(x) // _POINTS)
    if len(x) <= _POINTS:
        return x, y
    if not ordered:
        return x[::stretch], y[::stretch]
    whole = len(x) // stretch * stretch
    rows = np.asarray(y[:whole]).reshape(-1, stretch)
    # argmin and argmax take a NaN where there is one, so that a gap stays a gap
    picked = np.sort(np.stack((rows.argmin(axis=1), rows.argmax(axis=1)), axis=1), axis=1)
    picked += np.arange(0, whole, stretch)[:, None]
    picked = np.concatenate((picked.ravel(), np.arange(whole, len(x))))
    return x[picked], y[picked]
