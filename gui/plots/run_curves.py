"""Reading of curves from run histories."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..run.run_history import History
from ..theme.number_format import round_off_noise, rounded
from .compared_runs import ComparedRun

PATH = 4000  # points of one signal over another
MEASURED = 4000  # points of a stretch that is measured: its extremes are among them
Curve = tuple[np.ndarray, np.ndarray]


def columns_of(name: str, history: History) -> list[str]:
    """Scalar columns of a signal; a vector has one per element."""
    if name in history.index:
        return [name]
    return [column for column in history.columns if column.startswith(f"{name}[")]


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


def values_at(history: History, name: str, time: float, there: float | None, shown: tuple[str, float]) -> str:
    """Value at the cursor, and the change to a second one, in the displayed unit."""
    unit, scale = shown
    value = round_off_noise(history.at(name, time), history.peak(name)) * scale
    change = "" if there is None else f", change {rounded(history.at(name, there) * scale - value, 5, '+')}"
    return f"{rounded(value, 5)}{change} {unit}".strip()


def measures_of(history: History, name: str, start: float, end: float, shown: tuple[str, float]) -> str:
    """Minimum, maximum and root mean square over a time interval, in the displayed unit."""
    unit, scale = shown
    ((stamps, outline),) = history.read_window([name], start, end, MEASURED)
    inside = outline[(stamps >= start) & (stamps <= end)] * scale
    time, (values,) = history.read([name], start, end)
    kept = (time >= start) & (time <= end)
    time, values = time[kept], values[kept] * scale
    if not len(inside) or len(time) < 2:
        return ""
    rms = np.sqrt(np.trapezoid(values**2, time) / (time[-1] - time[0]))
    low, high, middle = (rounded(float(value), 4) for value in (inside.min(), inside.max(), rms))
    return f"min {low}, max {high}, RMS {middle} {unit}".strip()
