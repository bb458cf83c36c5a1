"""Reading of curves from run histories."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..run.run_history import History
from ..theme.number_format import round_off_noise
from .compared_runs import ComparedRun
from .plot_spec import PlotSpec

PATH = 4000  # points of one signal over another
MEASURED = 4000  # points of a stretch that is measured: its extremes are among them
NO_VALUE = "–"  # a run has none there, or not yet
Curve = tuple[np.ndarray, np.ndarray]


def columns_of(name: str, history: History) -> list[str]:
    """Scalar columns of a signal; a vector has one per element."""
    if name in history.index:
        return [name]
    return [column for column in history.columns if column.startswith(f"{name}[")]


def signal_in(column: str, names: Iterable[str]) -> bool:
    """True if a column is one of these signals or an element of one."""
    return any(column == name or column.startswith(f"{name}[") for name in names)


def columns_of_runs(signal: str, runs: Iterable[ComparedRun]) -> list[str]:
    """Scalar columns of a signal that occur in any of the runs."""
    return [*dict.fromkeys(name for run in runs for name in columns_of(signal, run.history))]


def paths(
    history: History, names: list[str], span: tuple[float, float]
) -> tuple[list[np.ndarray], list[Curve]]:
    """Columns, and x-y paths of each later column over the first from simultaneous values, up to the run's end."""
    time, columns = history.read(names, *span)
    shown = np.unique(np.append(np.arange(0, len(time), max(1, len(time) // PATH)), len(time) - 1))
    return columns, [(columns[0][shown], column[shown]) for column in columns[1:]]


def above_zero(values: np.ndarray) -> np.ndarray:
    """Values with those not above zero replaced by NaN, for a logarithmic axis."""
    return np.where(values > 0.0, values, np.nan)


def covers(history: History, time: float) -> bool:
    """True if a run has rows up to this time and from it on."""
    low, high = history.span()
    return history.rows > 0 and low <= time <= high


def value_at(
    history: History, name: str, time: float, there: float | None, spec: PlotSpec, short: bool = False
) -> tuple[str, str]:
    """Value at the cursor, with the change to a second one, and the unit of both, as the plot shows them."""
    unit, peak = history.units.get(name, ""), history.peak(name)
    value = round_off_noise(history.at(name, time), peak)
    number, _, shown = spec.reading(value, unit, peak, 4 if short else 5).partition(" ")
    if there is None:
        return number, shown
    change = NO_VALUE
    if covers(history, there):
        text = spec.reading(history.at(name, there) - value, unit, peak, 3 if short else 5, "+")
        change = text.partition(" ")[0]
    return f"{number} {change}" if short else f"{number}, change {change}", shown


def measures_of(history: History, name: str, start: float, end: float, spec: PlotSpec) -> str:
    """Minimum, maximum and root mean square over a time interval, as the plot shows them."""
    unit, peak = history.units.get(name, ""), history.peak(name)
    ((stamps, outline),) = history.read_window([name], start, end, MEASURED)
    inside = outline[(stamps >= start) & (stamps <= end)]
    time, (values,) = history.read([name], start, end)
    kept = (time >= start) & (time <= end)
    time, values = time[kept], values[kept]
    if not len(inside) or len(time) < 2:
        return ""
    rms = np.sqrt(np.trapezoid(values**2, time) / (time[-1] - time[0]))
    *ends, rms = (spec.reading(float(value), unit, peak, 4) for value in (inside.min(), inside.max(), rms))
    low, high = (text.partition(" ")[0] for text in ends)
    return f"min {low}, max {high}, RMS {rms}"
