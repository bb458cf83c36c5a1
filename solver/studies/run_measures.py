"""Measures of a run for tables and bars."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from ...blocks.errors import LuffError, Problem
from ...blocks.text.quantity import compatible, spelled, written_unit
from ...blocks.text.quantity import unit as unit_of
from ..results.cycle_counting import count_signal, equivalent_range
from ..results.recorded_run import RecordedRun
from ..results.result import Result
from ..results.run_metrics import (
    Errors,
    Floats,
    contour_error,
    first_above,
    mean,
    rising_crossings,
    rows_between,
    time_above,
    tracking_error,
    vibration,
)
from ..results.step_response import step_info
from ..simulation.turning_points import Watched
from .study_settings import (
    CYCLES,
    EXTREMES,
    LEVELS,
    STEPS,
    VIBRATIONS,
    Denominator,
    Limit,
    Measure,
    Requirement,
)

# what has a unit of its own, whatever the signal's
OWN_UNIT = {
    "decay_rate": "1/s",
    "ratio": "",
    "count": "",
    "damage": "",
    "time_above": "s",
    "first_time": "s",
    "overshoot": "",
    "rise_time": "s",
    "settling_time": "s",
}


def measure_value(result: Result, measure: Measure, *, shown: bool = True) -> float:
    """The value in the unit that the measure asks for; with `shown=False`, in that of the signal."""
    if measure.metric == "quality":
        return _of_quality(result, measure.of)
    value = _tracking(result, measure) if measure.target else _of_signal(result, measure)
    unit = signal_unit(result, measure)
    return value / factor(unit, shown_unit(unit, measure)) if shown else value


def shown_unit(unit: str, measure: Measure) -> str:
    """The unit of the shown value, for a signal in `unit`: the one asked for, or that in which its limit is written."""
    if measure.metric == "quality":
        return unit
    return measure.unit or _unit_of_limits(unit, measure) or unit


def _unit_of_limits(unit: str, measure: Measure) -> str:
    """Empty where a limit is a bare number, which is in the signal's own unit."""
    bounds = (measure.below, measure.above) if isinstance(measure, Requirement) else ()
    limits = [limit for limit in bounds if limit is not None]
    written = [written_unit(limit.text) for limit in limits]
    if not limits or not all(written) or any(limit.dimension != unit_of(unit).dimension for limit in limits):
        return ""
    return written[0]


def watched_by(measures: Iterable[Measure]) -> list[Watched]:
    """Signals whose peaks, counts or damage are measured: every step is examined for them."""
    edges: dict[str, set[float]] = {}
    for measure in measures:
        for name, window in _peaks(measure):
            inside = {window.start, window.stop if window.stop is not None else window.start} - {0.0}
            edges.setdefault(name, set()).update(inside)
    return [{"signals": [name], "ratios": [], "edges": sorted(times)} for name, times in edges.items()]


def _peaks(measure: Measure) -> Iterator[tuple[str, Measure | Denominator]]:
    if measure.metric == "ratio":
        over = measure.over
        if measure.by in EXTREMES:
            yield measure.of, measure
        if over is not None and over.metric in EXTREMES:
            yield over.of or measure.of, over
    elif measure.metric in EXTREMES:
        yield measure.of, measure


def heading(measure: Measure) -> str:
    if measure.title:
        return measure.title
    words = f"{measure.metric.replace('_', ' ')} of {measure.of}"
    return f"{words} above {measure.level.text}" if measure.level is not None else words


def signals_of(measure: Measure) -> list[str]:
    """Signals that a measure reads."""
    over = [measure.over.of] if measure.over is not None else []
    return [name for name in (measure.of, measure.target, *over) if name]


def factor(has: str, wanted: str) -> float:
    """Size of the wanted unit in units of the signal."""
    if not wanted:
        return 1.0
    own, asked = unit_of(has), unit_of(wanted)
    if own.dimension != asked.dimension:
        raise LuffError(f"found a signal in {has or 'no unit'}, expected one that {wanted} measures")
    return float(asked.factor) / float(own.factor)


def magnitude(values: Floats) -> Floats:
    """Euclidean norm of a vector signal, row by row; a scalar stays as it is."""
    return values if values.ndim == 1 else np.linalg.norm(values, axis=1)


def signal_unit(result: Result, measure: Measure) -> str:
    if measure.metric == "quality":
        return ""
    return OWN_UNIT.get(measure.metric, result.units.get(measure.of, ""))


def in_shown_unit(limit: Limit.Value, unit: str) -> float:
    """A bare number is in the unit that the measure shows."""
    if limit.dimension is None:
        return limit.value
    parsed = unit_of(unit)
    if not compatible(limit.dimension, parsed.dimension):
        seen = spelled(limit.dimension) or "no unit"
        raise LuffError(f'found "{limit.text}" ({seen}), expected a limit in {unit or "no unit"}')
    return limit.value / float(parsed.factor)


def known(value: float, bound: float, sign: float, metric: str) -> float:
    """The value; NaN where it is infinite and yet within its bound, unless that is how its metric says "never"."""
    never = metric == "first_time" and value == np.inf
    return value if np.isfinite(value) or never or sign * value > sign * bound else np.nan


def beyond(value: float, entry: Requirement, unit: str) -> float:
    """Excess of a value over the nearer bound of a requirement, in its unit; NaN if unknown."""
    bounds = [(one, sign) for one, sign in ((entry.below, 1.0), (entry.above, -1.0)) if one is not None]
    at = [(in_shown_unit(one, unit), sign) for one, sign in bounds]
    return float(
        np.max([sign * (known(value, b, sign, entry.metric) - b) for b, sign in at], initial=-np.inf)
    )


def _window(
    result: RecordedRun, of: str, window: Measure | Denominator, metric: str
) -> tuple[Floats, Floats]:
    stop = np.inf if window.stop is None else window.stop
    result = result.at_steps(of) if metric in EXTREMES else result
    chosen = rows_between(result, window.start, stop)
    return result.time[chosen], result[of][chosen]


def _of_signal(result: Result, measure: Measure) -> float:
    if measure.metric in VIBRATIONS:
        return _of_vibration(result, measure)
    time, values = _window(result, measure.of, measure, measure.metric)
    if measure.metric in (*CYCLES, *LEVELS, *STEPS) and not np.isfinite(values).all():
        return np.nan  # what counts or compares takes a value that is no number for small
    if measure.metric in CYCLES:
        return _of_cycles(values, measure)
    if measure.metric == "path":
        return path_length(values)
    values = magnitude(values)
    if measure.metric in STEPS:
        goal = None if measure.goal is None else in_shown_unit(measure.goal, result.units.get(measure.of, ""))
        return float(getattr(step_info(time, values, goal, measure.within / 100.0), measure.metric))
    if measure.metric in LEVELS:
        level = 0.0
        if measure.level is not None:
            unit = result.units.get(measure.of, "")
            level = in_shown_unit(measure.level, unit)
        return _of_level(time, values, level, measure)
    if measure.metric == "ratio":
        return _ratio(result, measure)
    return plain_metric(time, values, measure.metric)


def _of_vibration(result: Result, measure: Measure) -> float:
    """The whole run is filtered before the window is cut out, so that its edges are no ends of the filter."""
    chosen = rows_between(result, measure.start, np.inf if measure.stop is None else measure.stop)
    shaken = magnitude(vibration(result.time, result[measure.of], measure.faster_than))[chosen]
    return plain_metric(result.time[chosen], shaken, measure.metric.removeprefix("vibration_"))


def _of_cycles(values: Floats, measure: Measure) -> float:
    """Damage or equivalent range of a signal's cycles; for a vector, the worst element."""
    columns = values[:, None] if values.ndim == 1 else values
    if measure.metric == "damage":
        return max(count_signal(column, measure.fatigue).damage for column in columns.T) * measure.repeats
    return max(equivalent_range(column, measure.fatigue, measure.repeats) for column in columns.T)


def _of_level(time: Floats, values: Floats, level: float, measure: Measure) -> float:
    if measure.metric == "count":
        return float(rising_crossings(values, level, measure.after_fall))
    return (
        time_above(time, values, level)
        if measure.metric == "time_above"
        else first_above(time, values, level)
    )


def _ratio(result: Result, measure: Measure) -> float:
    over = measure.over or Denominator(
        {"metric": "initial", "of": "", "start": 0.0, "stop": None}, frozenset()
    )
    of = over.of or measure.of
    time, values = _window(result, measure.of, measure, measure.by)
    base_time, base = _window(result, of, over, over.metric)
    below = plain_metric(base_time, magnitude(base), over.metric)
    if result.units.get(of, "") != result.units.get(measure.of, ""):
        mistake = f"{result.units.get(measure.of, '')} over {result.units.get(of, '')}"
        raise LuffError(f"found a ratio of {mistake}, expected signals of one unit")
    if below == 0.0:
        raise LuffError(f"found a ratio to zero: the {over.metric} of {of}")
    return plain_metric(time, magnitude(values), measure.by) / below


def path_length(values: Floats) -> float:
    """Length of the polygon through the rows."""
    points = values[:, None] if values.ndim == 1 else values
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def plain_metric(time: Floats, values: Floats, metric: str) -> float:
    """Metric that needs only times and values."""
    if metric == "rms":
        return mean(time, values**2) ** 0.5
    if metric == "mean":
        return mean(time, values)
    if metric == "decay_rate":
        return decay_rate(time, values)
    simple: dict[str, Callable[[], float]] = {
        "final": lambda: values[-1],
        "initial": lambda: values[0],
        "maximum": values.max,
        "minimum": values.min,
        "peak": lambda: np.abs(values).max(),
        "range": lambda: np.ptp(values),
        "change": lambda: values[-1] - values[0],
    }
    return float(simple[metric]())


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
    entry: object = result.quality
    for step in path.split("."):
        if not isinstance(entry, dict) or step not in entry:
            raise LuffError(Problem(f'the quality report has no "{path}"', fix="luff run --json shows one"))
        entry = entry[step]
    if not isinstance(entry, int | float):
        raise LuffError(
            Problem(f'"{path}" of the quality report is not a number', fix="luff run --json shows one")
        )
    return float(entry)
