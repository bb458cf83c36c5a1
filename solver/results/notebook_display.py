"""Conversions of a result for notebooks and data tools: pandas, xarray, figures, HTML.

pandas and xarray come with the extra `data` and are imported when they are asked for.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from ...blocks.errors import LuffError, Problem

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .recorded_run import PlotEntry, RecordedRun

SHOWN = 30  # signals in a notebook's table
_ABOUT = ("status", "message", "version", "netlist")


def import_extra(module: str, extra: str, what: str) -> ModuleType:
    """A module of an extra, or one sentence that says how to get it."""
    try:
        return import_module(module)
    except ImportError as error:
        missing = error.name or module
        fix = f"pip install 'luff[{extra}]'"
        raise LuffError(Problem(f"this needs {missing}, which is not installed", what, fix)) from None


def to_pandas(result: RecordedRun) -> pandas.DataFrame:
    """A column for each scalar, and for each element of a vector; the index is time in seconds."""
    made = import_extra("pandas", "data", "to_pandas")
    frame = made.DataFrame(result.table, made.Index(result.time, name="time"), result.columns)
    frame.attrs.update(_attributes(result), units={name: result.units[name] for name in result.columns})
    return frame


def to_xarray(result: RecordedRun) -> xarray.Dataset:
    """A variable for each signal over `time`; a vector has a dimension of its own, with its elements' names."""
    made = import_extra("xarray", "data", "to_xarray")
    variables: dict[str, object] = {}
    coordinates: dict[str, object] = {"time": ("time", result.time, {"units": "s"})}
    for name in result.names:
        values, about = result[name], {"units": result.units[name]}
        if values.ndim == 1:
            variables[name] = ("time", values, about)
            continue
        element = f"{name}_element"
        coordinates[element] = result.match(name)
        variables[name] = (("time", element), values, about)
    return made.Dataset(variables, coordinates, _attributes(result))


def _attributes(result: RecordedRun) -> dict[str, object]:
    return {name: getattr(result, name) for name in _ABOUT}


def by_unit(result: RecordedRun, names: Sequence[str], x: str = "time") -> list[PlotEntry]:
    """Names and globs as plots: one axes for each unit."""
    groups: dict[str, list[str]] = {}
    for column in dict.fromkeys(column for name in names for column in result.match(name)):
        groups.setdefault(result.units[column], []).append(column)
    return [{"y": columns, "x": x} for columns in groups.values()]


def plot(
    result: RecordedRun,
    names: Sequence[str],
    x: str,
    against: Mapping[str, RecordedRun] | None = None,
    axes: Sequence[Axes] | None = None,
) -> Figure:
    """Figure of named signals, or of the plots of the netlist; into axes of a caller if some are given."""
    from .matplotlib_plots import draw

    results = {"": result, **against} if against else result
    entries: list[PlotEntry] = by_unit(result, names, x)
    if axes and len(axes) == 1 and entries:
        entries = [{"y": [name for entry in entries for name in entry["y"]], "x": x}]
    return draw(results, entries or None, axes=axes)


def html(result: RecordedRun) -> str:
    """HTML for Jupyter: the run, its plots in small, and a table of its signals."""
    from html import escape

    end = f", {result.time[0]:g} to {result.time[-1]:g} s" if len(result.time) else ""
    counts = f"{len(result.names)} signals, {len(result.time)} rows{end}"
    parts = [f"<p><b>luff result</b>, {escape(result.status)}: {counts}</p>"]
    if result.message:
        parts.append(f"<p>{escape(result.message)}</p>")
    if len(result.time) and result.columns:
        parts += [_thumbnail(result), _table(result)]
    return "\n".join(part for part in parts if part)


def model_html(about: str, svg: str, remarks: Sequence[Problem]) -> str:
    """HTML for Jupyter: counts and settings of a model, its warnings, and its diagram."""
    from html import escape

    told = "".join(f"<li>{escape(str(remark))}</li>" for remark in remarks)
    return f"<p><b>luff</b> {escape(about)}</p>" + (f"<ul>{told}</ul>" if told else "") + svg


def _thumbnail(result: RecordedRun) -> str:
    from .matplotlib_plots import draw

    try:
        made = draw(result, None)
    except LuffError:  # the netlist asks for a signal that was not recorded
        return ""
    picture = io.BytesIO()
    made.savefig(picture, dpi=60, format="png")
    return f'<img alt="plots" src="data:image/png;base64,{base64.b64encode(picture.getvalue()).decode()}">'


def _table(result: RecordedRun) -> str:
    from html import escape

    heads = ("signal", "unit", "first", "last", "lowest", "highest")
    rows = []
    for column in result.columns[:SHOWN]:
        y = result[column]
        numbers = [f"{value:.4g}" for value in (y[0], y[-1], y.min(), y.max())]
        cells = "".join(f"<td>{escape(text)}</td>" for text in (column, result.units[column], *numbers))
        rows.append(f"<tr>{cells}</tr>")
    more = len(result.columns) - SHOWN
    note = f"<p>and {more} more columns</p>" if more > 0 else ""
    head = "".join(f"<th>{one}</th>" for one in heads)
    return f"<details><summary>signals</summary><table><tr>{head}</tr>{''.join(rows)}</table>{note}</details>"


def count_words(counts: Mapping[str, int]) -> str:
    """`3 blocks, 1 wire`, without what there is none of."""
    words = [f"{n} {_one(word) if n == 1 else word}" for word, n in counts.items() if n]
    return ", ".join(words) or "empty"


def _one(words: str) -> str:
    """`degree of freedom` of `degrees of freedom`"""
    first, space, rest = words.partition(" ")
    return first.removesuffix("s") + space + rest
