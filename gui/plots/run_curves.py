"""Reading of curves from run histories."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..run.run_history import History
from .compared_runs import ComparedRun

PATH = 4000  # points of one signal over another
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
