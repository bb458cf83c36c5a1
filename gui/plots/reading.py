"""What a plot reads of runs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..run.history import History
from .kept import KeptRun

PATH = 4000  # points of one signal over another
Curve = tuple[np.ndarray, np.ndarray]


def columns_of(name: str, history: History) -> list[str]:
    """The scalar columns of a signal; a wider one has one an element."""
    if name in history.index:
        return [name]
    return [column for column in history.columns if column.startswith(f"{name}[")]


def columns_of_runs(signal: str, runs: Iterable[KeptRun]) -> list[str]:
    """The scalar columns that some runs have of a signal."""
    return [*dict.fromkeys(name for run in runs for name in columns_of(signal, run.history))]


def paths(
    history: History, names: list[str], span: tuple[float, float]
) -> tuple[list[np.ndarray], list[Curve]]:
    """Columns, and each but the first over the first: paths of one moment's values, which end where the run is."""
    time, columns = history.read(names, *span)
    shown = np.unique(np.append(np.arange(0, len(time), max(1, len(time) // PATH)), len(time) - 1))
    return columns, [(columns[0][shown], column[shown]) for column in columns[1:]]


def above_zero(values: np.ndarray) -> np.ndarray:
    """What a logarithmic axis can show."""
    return np.where(values > 0.0, values, np.nan)


def values_at(history: History, name: str, time: float, there: float | None) -> str:
    """The value at a cursor, and the change to another one."""
    value, unit = history.at(name, time), history.units.get(name, "")
    change = "" if there is None else f", change {history.at(name, there) - value:+.5g}"
    return f"{value:.5g}{change} {unit}".strip()
