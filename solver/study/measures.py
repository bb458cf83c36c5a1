"""Numbers of a run, as tables and bars ask for them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...blocks.errors import LuffError, Problem
from ...blocks.quantity import unit as unit_of
from ..result.metrics import Errors, Floats, between, contour_error, mean, tracking_error
from ..result.result import Result
from .settings import Measure


def measured(result: Result, measure: Measure, *, shown: bool = True) -> float:
    """The value in the unit that the measure asks for; with `shown=False`, in that of the signal."""
    if measure.metric == "quality":
        return _of_quality(result, measure.of)
    value = _tracking(result, measure) if measure.target else _of_signal(result, measure)
    return value / factor(signal_unit(result, measure), measure.unit) if shown else value


def shown_unit(unit: str, measure: Measure) -> str:
    """The unit of the shown value, for a signal in `unit`."""
    return unit if measure.metric in ("decay_rate", "quality") else measure.unit or unit


def heading(measure: Measure) -> str:
    return measure.title or f"{measure.metric.replace('_', ' ')} of {measure.of}"


def factor(has: str, wanted: str) -> float:
    """How many of the signal's units are one of those wanted."""
    if not wanted:
        return 1.0
    found, asked = unit_of(has), unit_of(wanted)
    if found.dimension != asked.dimension:
        raise LuffError(f"found a signal in {has or 'no unit'}, expected one that {wanted} measures")
    return float(asked.factor) / float(found.factor)


def magnitude(values: Floats) -> Floats:
    """Of a vector signal, row by row; a scalar stays as it is."""
    return values if values.ndim == 1 else np.linalg.norm(values, axis=1)


def signal_unit(result: Result, measure: Measure) -> str:
    if measure.metric == "quality":
        return ""
    return "1/s" if measure.metric == "decay_rate" else result.units.get(measure.of, "")


def _window(result: Result, measure: Measure) -> tuple[Floats, Floats]:
    stop = np.inf if measure.stop is None else measure.stop
    chosen = between(result, measure.start, stop)
    return result.time[chosen], magnitude(result[measure.of])[chosen]


def _of_signal(result: Result, measure: Measure) -> float:
    time, values = _window(result, measure)
    if measure.metric == "rms":
        return mean(time, values**2) ** 0.5
    if measure.metric == "mean":
        return mean(time, values)
    if measure.metric == "decay_rate":
        return decay_rate(time, values)
    simple: dict[str, Callable[[], float]] = {
        "final": lambda: values[-1],
        "initial": lambda: values[0],
        "maximum": values.max,
        "minimum": values.min,
        "peak": lambda: np.abs(values).max(),
        "range": lambda: np.ptp(values),
    }
    return float(simple[measure.metric]())


def decay_rate(time: Floats, values: Floats) -> float:
    """Rate r of the exponential exp(-r t) that the magnitudes follow best, by least squares of their logarithms."""
    size = np.abs(values)
    if len(size) < 2 or not (size > 0.0).all():
        raise LuffError("found a signal with zeros, or one row alone; an exponential has neither")
    return -float(np.polyfit(time, np.log(size), 1)[0])


def _tracking(result: Result, measure: Measure) -> float:
    stop = np.inf if measure.stop is None else measure.stop
    given = (result, measure.target, measure.of, measure.start, stop)
    if measure.metric.startswith("contour"):
        errors = contour_error(*given)
    else:
        errors = tracking_error(*given)
        if measure.component is None:
            errors = Errors(errors.time, magnitude(errors.values))
        elif measure.component >= errors.values.shape[1]:
            raise LuffError(
                f"found component {measure.component} of {errors.values.shape[1]}, which count from 0"
            )
        else:
            errors = Errors(errors.time, errors.values[:, measure.component])
    return float(errors.rms if measure.metric.endswith("rms") else errors.maximum)


def _of_quality(result: Result, path: str) -> float:
    found: object = result.quality
    for step in path.split("."):
        if not isinstance(found, dict) or step not in found:
            raise LuffError(Problem(f'the quality report has no "{path}"', fix="luff run --json shows one"))
        found = found[step]
    if not isinstance(found, int | float):
        raise LuffError(
            Problem(f'"{path}" of the quality report is no number', fix="luff run --json shows one")
        )
    return float(found)
