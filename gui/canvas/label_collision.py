"""Occupied regions for labels: blocks, other labels, and everything outside the diagram."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

Box = tuple[float, float, float, float]  # left, top, right, bottom
EVERYWHERE = (-np.inf, -np.inf, np.inf, np.inf)


class LabelCollisions:
    """Occupied regions that a label must not overlap."""

    def __init__(self, boxes: Iterable[Box], within: Box = EVERYWHERE):
        self._boxes, self._within = np.array(list(boxes), float).reshape(-1, 4), within

    def free(self, box: Box) -> bool:
        b = self._boxes
        apart = (b[:, 0] >= box[2]) | (b[:, 2] <= box[0]) | (b[:, 1] >= box[3]) | (b[:, 3] <= box[1])
        left, top, right, bottom = self._within
        inside = left <= box[0] and top <= box[1] and box[2] <= right and box[3] <= bottom
        return inside and bool(apart.all())

    def add(self, box: Box) -> None:
        self._boxes = np.vstack((self._boxes, box))
