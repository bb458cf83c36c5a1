"""Measured signals: read, brought to SI, and the model's rows at their times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...blocks.errors import LuffError, Problem
from ...blocks.text.data_files import named_file
from ..results.file_columns import Columns, columns_by_bare_name, columns_with_units, in_si
from ..results.recorded_run import RecordedRun
from .tuning_settings import Data

EXPECTED = "a file of measured signals"


@dataclass
class MeasuredExperiment:
    """Measured experiment: values (signals, times), and the deviation of each signal."""

    time: np.ndarray
    signals: list[str]
    values: np.ndarray
    deviation: np.ndarray  # of each signal; NaN where the file says none
    weight: np.ndarray

    @property
    def scale(self) -> np.ndarray:
        """Divisor of the residuals: the deviation, or the spread of the signal where that is not known."""
        spread = self.values.std(axis=1)
        return np.where(np.isnan(self.deviation), np.where(spread > 0.0, spread, 1.0), self.deviation)

    @property
    def factor(self) -> np.ndarray:
        """Factor of each signal's residuals."""
        return np.sqrt(self.weight) / self.scale

    @property
    def size(self) -> np.ndarray:
        """Deviation of each signal about its mean; of one that is constant, its absolute value."""
        spread = self.values.std(axis=1)
        constant = np.ptp(self.values, axis=1) == 0.0
        return np.where(constant, np.abs(self.values[:, 0]), spread)


def read_experiment(
    data: Data,
    folder: Path,
    where: str,
    table: Columns | None,
    files: Iterable[Path],
    units: Mapping[str, str],
) -> MeasuredExperiment:
    """An experiment: of the columns that a script has given, or of those in the file, which lies in `folder` or below,
    or in one of `files`; `units` are those of the model's signals."""
    if table is None:
        try:
            table = columns_with_units(named_file(folder, data.file, files, EXPECTED, "fit"), EXPECTED)
        except LuffError as error:
            raise LuffError(problem.at(path=f"{where}.file") for problem in error.problems) from None
    time = _column(table, data.time, f"{where}.time", "s")
    chosen = np.isfinite(time)
    if data.start is not None:
        chosen &= time >= data.start
    if data.stop is not None:
        chosen &= time <= data.stop
    values, deviations, weights = [], [], []
    for name, about in data.signals.items():
        path = f"{where}.signals.{name}"
        column = _column(table, about.column, path, units.get(name) or None, about.unit)
        values.append(_as_long(column, time, path))
        chosen &= np.isfinite(values[-1])
        deviation = np.nan if about.deviation is None else about.deviation[0]
        if deviation <= 0.0:
            raise LuffError(
                Problem(f"found {deviation:g}, expected a deviation above 0", f"{path}.deviation")
            )
        deviations.append(deviation)
        weights.append(about.weight)
    if chosen.sum() < 2 or np.any(np.diff(time[chosen]) <= 0.0):
        mistake = f"found {int(chosen.sum())} rows with rising times, expected at least 2"
        raise LuffError(Problem(mistake, f"{where}.file", "check start, stop and the column of the times"))
    return MeasuredExperiment(
        time[chosen], [*data.signals], np.array(values)[:, chosen], np.array(deviations), np.array(weights)
    )


def given_columns(source: object, where: str) -> Columns:
    """The columns of a result, of a mapping from names to arrays, or of a table of pandas."""
    if isinstance(source, RecordedRun):
        times = {"time": (source.time, "s")}
        return times | {name: (source[name], source.units.get(name, "")) for name in source.columns}
    if not isinstance(source, Mapping) and not hasattr(source, "keys"):
        mistake = f"found {type(source).__name__}"
        fix = "a file, a mapping from names to arrays, a table of pandas, or a result"
        raise LuffError(Problem(f"{mistake}, expected measured signals", where, fix))
    table: dict[str, tuple[np.ndarray, str]] = {}
    units = getattr(source, "attrs", {}).get("units", {})  # as `to_pandas` notes them
    for name in source.keys():  # type: ignore[attr-defined]  # noqa: SIM118  # pandas iterates otherwise
        try:
            values = np.asarray(source[name], float)  # type: ignore[index]
        except (TypeError, ValueError):
            raise LuffError(Problem(f'the column "{name}" is not a list of numbers', where)) from None
        if values.ndim != 1:
            raise LuffError(Problem(f'the column "{name}" has {values.ndim} dimensions', where))
        table[str(name)] = values, str(units.get(name, "")) if isinstance(units, Mapping) else ""
    return columns_by_bare_name(table)


def _column(table: Columns, name: str, path: str, expected: str | None, stated: str = "") -> np.ndarray:
    try:
        return in_si(table, name, expected, stated)
    except LuffError as error:
        raise LuffError(problem.at(path=path) for problem in error.problems) from None


def _as_long(values: np.ndarray, time: np.ndarray, path: str) -> np.ndarray:
    if len(values) != len(time):
        raise LuffError(
            Problem(f"found {len(values)} values and {len(time)} times, expected equal lengths", path)
        )
    return values


def resample(time: np.ndarray, rows: np.ndarray, wanted: np.ndarray, derivative: int = 0) -> np.ndarray:
    """Curves (runs, times, signals) at other times: rows where there is one, cubic splines between; or their rates."""
    from scipy.interpolate import CubicSpline

    return CubicSpline(time, rows, axis=-2)(wanted, derivative)
