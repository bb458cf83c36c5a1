"""Measures and requirements of a run as largest values and norms of rows that are linear in the parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..results.recorded_run import signal_of
from ..results.result import Result
from ..results.run_metrics import rows_between, vibration
from ..studies.run_measures import factor, heading, in_shown_unit, shown_unit, signal_unit
from ..studies.study_settings import Measure, Requirement
from .minimax import ROWS, Bounded, LargestOf, NormOf, Part, at_least, at_most, mean_weights

INSIDE = 1e-6  # of a limit's size: how far inside of it a search by derivatives stays
NORMS = ("rms", "vibration_rms", "tracking_rms")
PEAKS = ("vibration_peak", "tracking_peak")


def unlike_rows(measure: Measure, columns: Sequence[str]) -> str:
    """Why a measure is no extreme, mean or norm of rows; empty where it is one."""
    if measure.metric not in (*ROWS, *NORMS, *PEAKS):
        return f"{heading(measure)} is not differentiable row by row"
    if measure.metric not in NORMS and measure.component is None:
        for name in filter(None, (measure.of, measure.target)):
            if name not in columns:
                return f"{name} is a vector, whose magnitude has a kink"
    return ""


def parts_of(measure: Measure, result: Result, slopes: np.ndarray, sign: float) -> list[Part]:
    """Parts of a measure of one run, or of its negative; slopes are (unknowns, rows, signals)."""
    stop = np.inf if measure.stop is None else measure.stop
    chosen = rows_between(result, measure.start, stop)
    y, dy = _rows(measure.of, result, slopes)
    metric = measure.metric
    if measure.target:
        wanted, moved = _rows(measure.target, result, slopes)
        y, dy = wanted - y[:, : wanted.shape[1]], moved - dy[:, : wanted.shape[1]]
        if measure.component is not None:
            own = slice(measure.component, measure.component + 1)
            y, dy = y[:, own], dy[:, own]
    if metric.startswith("vibration"):
        y, dy = (vibration(result.time, each, measure.faster_than) for each in (y, dy))
    y, dy = y[chosen], dy[chosen]
    if metric in NORMS:
        weights = mean_weights(result.time[chosen])
        if measure.target:
            weights = np.full(len(y), 1.0 / len(y))  # of tracking errors each row counts alike
        root = np.sqrt(weights)[:, None]
        norm = NormOf((root * y).ravel(), (root[..., None] * dy).reshape(y.size, -1))
        if sign > 0.0:
            return [norm]
        plane = norm.tangent(np.zeros(dy.shape[2]))
        return [LargestOf(-plane.c, -plane.D)]
    parts = at_most if sign > 0.0 else at_least
    metric = "peak" if metric in PEAKS else metric
    return [*parts(metric, y[:, 0], dy[:, 0], mean_weights(result.time[chosen]))]


def _rows(name: str, result: Result, slopes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of a signal, (rows, components), and their derivatives, (rows, components, unknowns)."""
    columns = result.columns
    own = [k for k, each in enumerate(columns) if name == each]
    own = own or [k for k, each in enumerate(columns) if name == signal_of(each)]
    return result.table[:, own], slopes[:, :, own].transpose(1, 2, 0)


def bounds_of(demand: Requirement, result: Result, slopes: np.ndarray) -> Iterator[Bounded]:
    """Bounds of a requirement in SI, a little inside."""
    unit = signal_unit(result, demand)
    shown = shown_unit(unit, demand)
    for limit, sign in ((demand.below, 1.0), (demand.above, -1.0)):
        if limit is not None:
            value = in_shown_unit(limit, shown) * factor(unit, shown)
            size = abs(value) or 1.0
            yield Bounded(parts_of(demand, result, slopes, sign), sign * value - INSIDE * size, size)
