"""Step response figures: overshoot, rise and settling time, steady error."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...blocks.errors import LuffError
from ...blocks.light_dataclass import record
from .run_metrics import first_above

Floats = NDArray[np.float64]
RISE = (0.1, 0.9)  # shares of the step between which a response rises
WITHIN = 0.02  # share of the step that a response stays within once it has settled


@record
class StepInfo:
    """A response from `initial` to `goal`; shares are of that step, times are straight between rows."""

    initial: float
    goal: float
    overshoot: float  # share by which it goes beyond the goal
    undershoot: float  # share by which it first goes the other way
    peak: float  # the value farthest on the side of the goal
    peak_time: float  # since the start [s]
    rise_time: float  # from a tenth to nine tenths of the step [s]; infinite if never
    settling_time: float  # from the start until it stays within 2 % of the step [s]; infinite if never
    steady_error: float  # goal less the last value
    band: float  # greatest distance from the goal


def step_info(
    time: Floats,
    values: Floats,
    goal: float | None = None,
    within: float = WITHIN,
    initial: float | None = None,
) -> StepInfo:
    """Figures of rows that begin at the step; the goal is the last value if left out, `initial` the first."""
    start = float(values[0]) if initial is None else initial
    end = float(values[-1]) if goal is None else goal
    step = end - start
    if not np.isfinite(values).all():
        raise LuffError("found rows that are not finite numbers, expected a step response")
    if step == 0.0:
        raise LuffError(f"found no step: the signal begins at {start:g} and is to end there")
    shares = (values - start) / step
    top = int(np.argmax(shares))
    low, high = (first_above(time, shares, np.nextafter(level, 0.0)) for level in RISE)
    return StepInfo(
        initial=start,
        goal=end,
        overshoot=max(0.0, float(shares[top]) - 1.0),
        undershoot=max(0.0, -float(shares.min())),
        peak=float(values[top]),
        peak_time=float(time[top] - time[0]),
        rise_time=high - low if np.isfinite(high) else np.inf,
        settling_time=settling_time(time, shares - 1.0, within),
        steady_error=end - float(values[-1]),
        band=float(np.abs(values - end).max()),
    )


def settling_time(time: Floats, errors: Floats, within: float) -> float:
    """Time until errors stay within a bound [s]; infinite if the last one does not."""
    outside = np.flatnonzero(np.abs(errors) > within)
    if not len(outside):
        return 0.0
    k = int(outside[-1])
    if k == len(errors) - 1:
        return np.inf
    edge = np.copysign(within, errors[k])
    share = (errors[k] - edge) / (errors[k] - errors[k + 1])
    return float(time[k] - time[0] + share * (time[k + 1] - time[k]))
