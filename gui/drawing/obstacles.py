"""Rectangles that a wire keeps off. Pure Python: nothing here knows Qt."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Iterator

from .lines import Point, Rect

CELL = 120.0
CLEARANCE = 6.0  # less than a grid step: a wire on the next grid line passes


class Obstacles:
    """Rectangles in a spatial hash."""

    def __init__(self) -> None:
        self._rects: dict[Hashable, Rect] = {}
        self._cells: dict[tuple[int, int], set[Hashable]] = {}

    def put(self, key: Hashable, rect: Rect) -> None:
        self.drop(key)
        left, top, right, bottom = rect
        grown = (left - CLEARANCE, top - CLEARANCE, right + CLEARANCE, bottom + CLEARANCE)
        self._rects[key] = grown
        for cell in _cells(grown):
            self._cells.setdefault(cell, set()).add(key)

    def drop(self, key: Hashable) -> None:
        rect = self._rects.pop(key, None)
        if rect:
            for cell in _cells(rect):
                self._cells[cell].discard(key)

    def within(self, area: Rect) -> list[Rect]:
        left, top, right, bottom = area
        rects: Iterable[Rect] = self._rects.values()
        if (right - left) * (bottom - top) < len(self._rects) * CELL**2:
            rects = [
                self._rects[key]
                for key in {key for cell in _cells(area) for key in self._cells.get(cell, ())}
            ]
        return [r for r in rects if r[0] < right and r[2] > left and r[1] < bottom and r[3] > top]

    def crossed(self, points: list[Point]) -> bool:
        """Whether a wire runs through a block: a pixel inside its card, however far from its edges."""
        inside = CLEARANCE + 1.0
        for a, b in itertools.pairwise(points):
            left, right = (a[0], b[0]) if a[0] < b[0] else (b[0], a[0])
            top, bottom = (a[1], b[1]) if a[1] < b[1] else (b[1], a[1])
            for cell in _cells((left, top, right, bottom)):
                for key in self._cells.get(cell, ()):
                    r = self._rects[key]
                    if (
                        r[0] + inside < right
                        and r[2] - inside > left
                        and r[1] + inside < bottom
                        and r[3] - inside > top
                    ):
                        return True
        return False

    def blocks(self, a: Point, b: Point) -> bool:
        left, right = (a[0], b[0]) if a[0] < b[0] else (b[0], a[0])
        top, bottom = (a[1], b[1]) if a[1] < b[1] else (b[1], a[1])
        for cell in _cells((left, top, right, bottom)):
            for key in self._cells.get(cell, ()):
                r = self._rects[key]
                if r[0] < right and r[2] > left and r[1] < bottom and r[3] > top:
                    return True
                # a line has no area: compare once more with its own thickness
                if r[0] < right + 0.1 and r[2] > left - 0.1 and r[1] < bottom + 0.1 and r[3] > top - 0.1:
                    return True
        return False


def _cells(area: Rect) -> Iterator[tuple[int, int]]:
    left, top, right, bottom = area
    for i in range(int(left // CELL), int(right // CELL) + 1):
        for j in range(int(top // CELL), int(bottom // CELL) + 1):
            yield i, j
