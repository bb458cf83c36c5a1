"""Rectangles that wires avoid. Pure Python: no Qt."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Hashable

from .polylines import Point, Rect

CELL = 120.0
CLEARANCE = 6.0  # less than a grid step: a wire on the next grid line passes
THICK = 0.1  # to each side of a wire
NOTHING: dict[Hashable, Rect] = {}


class Obstacles:
    """Spatial hash of rectangles, with a clearance [px] around each."""

    def __init__(self, clearance: float = CLEARANCE) -> None:
        self.clearance = clearance
        self.edits = 0  # rectangles put or dropped so far
        self._rects: dict[Hashable, Rect] = {}
        self._cells: dict[tuple[int, int], dict[Hashable, Rect]] = {}

    def put(self, key: Hashable, rect: Rect) -> None:
        self.drop(key)
        (left, top, right, bottom), gap = rect, self.clearance
        grown = (left - gap, top - gap, right + gap, bottom + gap)
        self._rects[key] = grown
        for cell in _cells(grown):
            self._cells.setdefault(cell, {})[key] = grown

    def drop(self, key: Hashable) -> None:
        self.edits += 1
        rect = self._rects.pop(key, None)
        if rect:
            for cell in _cells(rect):
                self._cells[cell].pop(key, None)

    def within(self, area: Rect) -> list[Rect]:
        """Rectangles, with their clearance, that overlap an area."""
        return list(self._overlapping(area).values())

    def cards(self, area: Rect, but: Collection[Hashable]) -> list[Rect]:
        """Cards in an area, without their clearance, but those of some blocks."""
        return [
            (r[0] + CLEARANCE, r[1] + CLEARANCE, r[2] - CLEARANCE, r[3] - CLEARANCE)
            for key, r in self._overlapping(area).items()
            if key not in but
        ]

    def _overlapping(self, area: Rect) -> dict[Hashable, Rect]:
        """Rectangles that overlap an area, looked up cell by cell where it has fewer cells than there are
        rectangles."""
        left, top, right, bottom = area
        near = self._rects
        if ((right - left) / CELL + 2.0) * ((bottom - top) / CELL + 2.0) < len(near):
            near = {}
            for cell in _cells(area):
                near.update(self._cells.get(cell, NOTHING))
        return {
            key: r for key, r in near.items() if r[0] < right and r[2] > left and r[1] < bottom and r[3] > top
        }

    def crossed(self, points: list[Point]) -> bool:
        """True if a wire runs through a block: more than one pixel inside its card, whatever the clearance."""
        return any(self._meets(a, b, -CLEARANCE - 1.0) for a, b in itertools.pairwise(points))

    def blocks(self, a: Point, b: Point) -> bool:
        return self._meets(a, b, THICK)

    def _meets(self, a: Point, b: Point, thick: float) -> bool:
        """True if an axis-parallel segment, thickened by `thick` on each side, meets a rectangle."""
        left, right = (a[0], b[0]) if a[0] < b[0] else (b[0], a[0])
        top, bottom = (a[1], b[1]) if a[1] < b[1] else (b[1], a[1])
        rows = range(int(top // CELL), int(bottom // CELL) + 1)
        for i in range(int(left // CELL), int(right // CELL) + 1):
            for j in rows:
                for r in self._cells.get((i, j), NOTHING).values():
                    if (
                        r[0] < right + thick
                        and r[2] > left - thick
                        and r[1] < bottom + thick
                        and r[3] > top - thick
                    ):
                        return True
        return False


def _cells(area: Rect) -> list[tuple[int, int]]:
    left, top, right, bottom = area
    columns, rows = (
        range(int(left // CELL), int(right // CELL) + 1),
        range(int(top // CELL), int(bottom // CELL) + 1),
    )
    return [(i, j) for i in columns for j in rows]
