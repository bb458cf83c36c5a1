"""Where no words may lie: on blocks, and on other words."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

Box = tuple[float, float, float, float]  # left, top, right, bottom


class Taken:
    """Where no tag may lie."""

    def __init__(self, boxes: Iterable[Box]):
        self._boxes = np.array(list(boxes), float).reshape(-1, 4)

    def free(self, box: Box) -> bool:
        b = self._boxes
        apart = (b[:, 0] >= box[2]) | (b[:, 2] <= box[0]) | (b[:, 1] >= box[3]) | (b[:, 3] <= box[1])
        return bool(apart.all())

    def add(self, box: Box) -> None:
        self._boxes = np.vstack((self._boxes, box))
