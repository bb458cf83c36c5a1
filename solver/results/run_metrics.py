"""Metrics of a run: tracking errors in time, contour errors in space, joint forces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...blocks.errors import LuffError, Problem
from ...blocks.light_dataclass import record
from .recorded_run import RecordedRun

Floats = NDArray[np.float64]
NEAREST = 4  # vertices of the path whose neighbouring pieces are looked at


@record
class Errors:
    """Errors over the time of a run, with their largest magnitude and root of the mean square.

    Tracking errors have a column for each direction, and a maximum and RMS for each; contour errors have one.
    """

    time: Floats
    values: Floats

    @property
    def maximum(self) -> Floats:
        """Largest magnitude of each column."""
        return np.max(np.abs(self.values), axis=0)

    @property
    def rms(self) -> Floats:
        """Root mean square of each column over the rows."""
        return np.sqrt(np.mean(self.values**2, axis=0))


def tracking_error(
    result: RecordedRun, target: str, actual: str, start: float = 0.0, stop: float = np.inf
) -> Errors:
    """Tracking error, target less actual, in each direction of the target; from `start` to `stop` [s].

    Of an actual position with more components than the target has, the first ones count.
    """
    time, wanted, actual_rows = _pair(result, target, actual, start, stop)
    return Errors(time, wanted - actual_rows)


def contour_error(
    result: RecordedRun, target: str, actual: str, start: float = 0.0, stop: float = np.inf
) -> Errors:
    """Distance to the nearest point of the whole target path, at whatever time the target is there.

    The path is the polygon of the target's rows: its sag of ds^2 / (8 radius) is part of the error, for rows ds apart.
    """
    time, _, actual_rows = _pair(result, target, actual, start, stop)
    return Errors(time, distance_to_path(actual_rows, _rows(result, target)))


def distance_to_path(points: Floats, path: Floats) -> Floats:
    """Distance of each point to a polygon, given by its corners."""
    from scipy.spatial import KDTree

    moved = np.concatenate([[True], np.any(np.diff(path, axis=0) != 0.0, axis=1)])
    corners = path[moved]
    count = min(NEAREST, len(corners))
    nearest = np.reshape(KDTree(corners).query(points, k=count)[1], (len(points), count))
    best = np.full(len(points), np.inf)
    for near in nearest.T:
        for first in (np.maximum(near - 1, 0), np.minimum(near, max(len(corners) - 2, 0))):
            best = np.minimum(
                best, _to_piece(points, corners[first], corners[np.minimum(first + 1, len(corners) - 1)])
            )
    return best


def _to_piece(points: Floats, a: Floats, b: Floats) -> Floats:
    along, offset = b - a, points - a
    length = np.sum(along**2, axis=1)
    share = np.clip(np.sum(offset * along, axis=1) / np.where(length > 0.0, length, 1.0), 0.0, 1.0)
    return np.linalg.norm(offset - share[:, None] * along, axis=1)


@record
class Reaction:
    """Resultants of one joint over a run: root of the mean square in time, and the greatest value [N and N m]."""

    rms_force: float
    peak_force: float
    rms_torque: float
    peak_torque: float


def reactions(
    result: RecordedRun, kind: str = "total", start: float = 0.0, stop: float = np.inf
) -> dict[str, Reaction]:
    """Resultants of force and torque in each recorded joint over a run.

    Parameters
    ----------
    result : Result
        A run in which the forces of joints are recorded.
    kind : str, optional
        `total`, or `constraint` for the constraint forces alone.
    start, stop : float, optional
        Part of the run that counts [s].

    Returns
    -------
    dict of str to Reaction
        By joint: `rms_force`, `peak_force` [N], `rms_torque`, `peak_torque` [N m]. Axes do not matter for resultants.

    Raises
    ------
    LuffError
        No joint has both signals of that kind in the result.

    Examples
    --------
    >>> import luff
    >>> result = luff.compile("library/templates/pendulum.yaml").run(stop=1.0)
    >>> forces = luff.reactions(result)["pin"]
    >>> 2.0 * 9.8 < forces.peak_force < 60.0
    True
    """
    ends = f".{kind}_force", f".{kind}_torque"
    joints = [
        name.removesuffix(ends[0])
        for name in result.names
        if name.endswith(ends[0]) and name.removesuffix(ends[0]) + ends[1] in result
    ]
    if not joints:
        fix = "kind is total or constraint; record *_force and *_torque of the joints"
        raise LuffError(Problem(f"this result has no {kind}_force with its {kind}_torque", "result", fix))
    chosen = rows_between(result, start, stop)
    time = result.time[chosen]
    largest = {}
    for joint in joints:
        force, torque = (np.linalg.norm(_rows(result, joint + end)[chosen], axis=1) for end in ends)
        largest[joint] = Reaction(
            mean(time, force**2) ** 0.5,
            float(force.max()),
            mean(time, torque**2) ** 0.5,
            float(torque.max()),
        )
    return largest


def rising_crossings(values: Floats, level: float, after_fall: bool = False) -> int:
    """Number of times a signal rises above a level; with `after_fall`, once it has been above and fallen."""
    above = values > level
    up = np.flatnonzero(above[1:] & ~above[:-1])
    if not after_fall:
        return len(up)
    falls = np.flatnonzero(above[:-1] & ~above[1:])
    return int(np.sum(up > falls[0])) if len(falls) else 0


def time_above(time: Floats, values: Floats, level: float) -> float:
    """Time that a signal is above a level, linear between its rows [s]."""
    a, b, step = values[:-1] - level, values[1:] - level, np.diff(time)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(
            a * b < 0.0, np.maximum(a, b) / np.abs(a - b), np.where(np.maximum(a, b) > 0.0, 1.0, 0.0)
        )
    return float(np.sum(share * step))


def first_above(time: Floats, values: Floats, level: float) -> float:
    """Time at which a signal first is above a level, linear between its rows [s]; infinite if never."""
    above = np.flatnonzero(values > level)
    if not len(above):
        return float("inf")
    k = int(above[0])
    if k == 0:
        return float(time[0])
    share = (level - values[k - 1]) / (values[k] - values[k - 1])
    return float(time[k - 1] + share * (time[k] - time[k - 1]))


def mean(time: Floats, values: Floats) -> float:
    """Over time, by the trapezoidal rule."""
    span = time[-1] - time[0]
    return float(np.trapezoid(values, time) / span) if span > 0 else float(values.mean())


def vibration(time: Floats, values: Floats, frequency: float) -> Floats:
    """The share of a signal above a frequency [Hz]: Butterworth's high-pass of fourth order, forward and back.

    Nothing is shifted in time, and what is at the frequency keeps half of its amplitude. A value that is no number
    leaves all unknown.
    """
    from scipy.signal import butter, sosfiltfilt

    if not np.isfinite(values).all():
        return np.full_like(values, np.nan)
    steps = np.diff(time)
    # rows stand at multiples of the step, which are rounded
    if len(steps) < 2 or np.ptp(steps) > 1e-6 * steps.max():
        raise LuffError("found rows at unequal times, or two at most; expected rows at equal steps of time")
    rate = 1.0 / float(steps.mean())
    if not frequency < 0.5 * rate:
        mistake = f"found {frequency:g} Hz and rows {rate:g} times a second, which show nothing above {rate / 2:g} Hz"
        raise LuffError(Problem(mistake, fix="write simulation: {output_step: ...} smaller"))
    # ends are continued by reflection, for as long as the filter remembers
    beyond = min(len(values) - 1, int(np.ceil(2.0 * rate / frequency)))
    sections = butter(4, frequency, "highpass", fs=rate, output="sos")
    return np.asarray(sosfiltfilt(sections, values, axis=0, padlen=beyond))


def rows_between(result: RecordedRun, start: float, stop: float) -> NDArray[np.bool_]:
    """The rows from one time to another."""
    # rows stand at multiples of the step, which are rounded
    slack = 1e-9 * max(1.0, abs(float(result.time[-1])) if len(result.time) else 1.0)
    chosen = (result.time >= start - slack) & (result.time <= stop + slack)
    if not chosen.any():
        raise LuffError(f"found no rows from {start:g} to {stop:g} s", path="result")
    return chosen


def _rows(result: RecordedRun, name: str) -> Floats:
    values = result[name]
    return values[:, None] if values.ndim == 1 else values


def _pair(
    result: RecordedRun, target: str, actual: str, start: float, stop: float
) -> tuple[Floats, Floats, Floats]:
    wanted, actual_rows = _rows(result, target), _rows(result, actual)
    width = wanted.shape[1]
    if actual_rows.shape[1] < width:
        raise LuffError(
            f"found {actual_rows.shape[1]} components, expected {width} as in {target}", path=actual
        )
    chosen = rows_between(result, start, stop)
    return result.time[chosen], wanted[chosen], actual_rows[chosen, :width]
