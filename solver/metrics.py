"""How well a run followed its path: tracking errors in time, contour errors in space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..blocks.errors import LuffError
from .result import Result

Floats = NDArray[np.float64]
NEAREST = 4  # vertices of the path whose neighbouring pieces are looked at


@dataclass(frozen=True)
class Errors:
    """Errors over the time of a run, with their largest magnitude and root of the mean square.

    Tracking errors have a column for each direction, and a maximum and RMS for each; contour errors have one.
    """

    time: Floats
    values: Floats

    @property
    def maximum(self) -> Floats:
        return np.max(np.abs(self.values), axis=0)

    @property
    def rms(self) -> Floats:
        return np.sqrt(np.mean(self.values**2, axis=0))


def tracking_error(
    result: Result, target: str, actual: str, start: float = 0.0, stop: float = np.inf
) -> Errors:
    """Where it should be less where it is, in each direction of the target; from `start` to `stop`.

    Of an actual position with more components than the target has, the first ones count.
    """
    time, wanted, found = _pair(result, target, actual, start, stop)
    return Errors(time, wanted - found)


def contour_error(
    result: Result, target: str, actual: str, start: float = 0.0, stop: float = np.inf
) -> Errors:
    """Distance to the nearest point of the whole target path, at whatever time the target is there.

    The path is the polygon of the target's rows: its sag of ds^2 / (8 radius) is part of the error, for rows ds apart.
    """
    time, _, found = _pair(result, target, actual, start, stop)
    return Errors(time, distance_to_path(found, _rows(result, target)))


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


def _rows(result: Result, name: str) -> Floats:
    values = result[name]
    return values[:, None] if values.ndim == 1 else values


def _pair(
    result: Result, target: str, actual: str, start: float, stop: float
) -> tuple[Floats, Floats, Floats]:
    wanted, found = _rows(result, target), _rows(result, actual)
    width = wanted.shape[1]
    if found.shape[1] < width:
        raise LuffError(f"found {found.shape[1]} components, expected {width} as in {target}", path=actual)
    chosen = (result.time >= start) & (result.time <= stop)
    if not chosen.any():
        raise LuffError(f"found no rows from {start:g} to {stop:g} s", path="result")
    return result.time[chosen], wanted[chosen], found[chosen, :width]
