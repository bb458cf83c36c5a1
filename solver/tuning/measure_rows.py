"""Measures and requirements of a run as largest values over rows that are linear in the parameters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..results.result import Result
from ..results.run_metrics import rows_between
from ..studies.run_measures import factor, in_shown_unit, shown_unit, signal_unit
from ..studies.study_settings import Measure, Requirement
from .minimax import Bounded, LargestOf, at_least, at_most, mean_weights

INSIDE = 1e-6  # of a limit's size: how far inside of it a search by derivatives stays


def parts_of(measure: Measure, result: Result, slopes: np.ndarray, sign: float) -> list[LargestOf]:
    """Parts of a measure of one run, or of its negative; slopes are (unknowns, rows, signals)."""
    stop = np.inf if measure.stop is None else measure.stop
    chosen, k = rows_between(result, measure.start, stop), result.names.index(measure.of)
    parts = at_most if sign > 0.0 else at_least
    weights = mean_weights(result.time[chosen])
    return parts(measure.metric, result[measure.of][chosen], slopes[:, chosen, k].T, weights)


def bounds_of(demand: Requirement, result: Result, slopes: np.ndarray) -> Iterator[Bounded]:
    """Bounds of a requirement in SI, a little inside."""
    unit = signal_unit(result, demand)
    shown = shown_unit(unit, demand)
    for limit, sign in ((demand.below, 1.0), (demand.above, -1.0)):
        if limit is not None:
            value = in_shown_unit(limit, shown) * factor(unit, shown)
            size = abs(value) or 1.0
            yield Bounded(parts_of(demand, result, slopes, sign), sign * value - INSIDE * size, size)
