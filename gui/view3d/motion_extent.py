"""Extent of a motion. Pure numpy: no Qt."""

from __future__ import annotations

import itertools

import numpy as np

_CUBE = np.array([way for way in itertools.product((-1.0, 0.0, 1.0), repeat=3) if any(way)])
WAYS = _CUBE / np.linalg.norm(_CUBE, axis=1)[:, None]
SEEN = 1e-9  # of a metre: what is not further out


class MotionExtent:
    """Extreme points in 26 directions of all points added: a tighter hull than a box."""

    def __init__(self) -> None:
        self.points = np.zeros((0, 3))
        self._reach = np.full(len(WAYS), -np.inf)

    def add(self, points: np.ndarray, room: float) -> bool:
        """Add points; True if any lies outside. The hull then grows by an extra margin `room`, so that it grows
        rarely."""
        if not len(points) or not np.all(np.isfinite(points)):
            return False
        heights = points @ WAYS.T
        furthest = heights.argmax(axis=0)
        reach = heights[furthest, np.arange(len(WAYS))]
        wider = reach > self._reach + SEEN
        if not wider.any():
            return False
        known = self.points if len(self.points) else np.zeros((len(WAYS), 3))
        self.points = np.where(wider[:, None], points[furthest] + room * WAYS, known)
        self._reach = np.where(wider, reach + room, self._reach)
        return True
