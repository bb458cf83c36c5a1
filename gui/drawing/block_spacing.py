"""Spacing of blocks. Pure Python: no Qt.

Blocks never overlap, and between any two of them a wire can pass. With `GAP` px between all cards the lines one grid
step beside them are free and meet each other, so that every two ports have a way around the blocks.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence

from .card_geometry import GRID
from .polylines import Rect

GAP = 2.0 * GRID
CELL = 240.0
CLOSE = 1e-6


class Room:
    """Spatial hash of card rectangles."""

    def __init__(self) -> None:
        self._rects: dict[Hashable, Rect] = {}
        self._cells: dict[tuple[int, int], list[Hashable]] = {}

    def put(self, key: Hashable, rect: Rect) -> None:
        self._rects[key] = rect
        for cell in _cells(rect):
            self._cells.setdefault(cell, []).append(key)

    def in_the_way(self, rect: Rect) -> Rect | None:
        """Card closer to a rectangle than the gap; None if there is none."""
        left, top, right, bottom = rect
        near = left - GAP + CLOSE, top - GAP + CLOSE, right + GAP - CLOSE, bottom + GAP - CLOSE
        for cell in _cells(near):
            for key in self._cells.get(cell, ()):
                r = self._rects[key]
                if r[0] < near[2] and r[2] > near[0] and r[1] < near[3] and r[3] > near[1]:
                    return r
        return None

    def nearest(self, group: Sequence[Rect]) -> tuple[float, float]:
        """Shortest displacement in grid steps that moves a group of cards as a whole to a free place."""
        queue = [(0.0, 0.0, 0.0)]
        seen = {(0.0, 0.0)}
        while queue:
            _, dx, dy = heapq.heappop(queue)
            clash = self._clash(group, dx, dy)
            if clash is None:
                return dx, dy
            mine, other = clash
            for step in _ways_out(mine, other, dx, dy):
                if step not in seen:
                    seen.add(step)
                    heapq.heappush(queue, (math.hypot(*step), *step))
        return 0.0, 0.0  # not reached: far enough to one side there always is room

    def _clash(self, group: Sequence[Rect], dx: float, dy: float) -> tuple[Rect, Rect] | None:
        for left, top, right, bottom in group:
            other = self.in_the_way((left + dx, top + dy, right + dx, bottom + dy))
            if other:
                return (left, top, right, bottom), other
        return None


def spread(cards: Mapping[str, Rect]) -> dict[str, tuple[float, float]]:
    """Displacements that give all cards room for wires between them; earlier cards stay."""
    room, moved = Room(), {}
    for name, card in cards.items():
        dx, dy = room.nearest([card])
        if dx or dy:
            moved[name] = (dx, dy)
        room.put(name, (card[0] + dx, card[1] + dy, card[2] + dx, card[3] + dy))
    return moved


def _ways_out(mine: Rect, other: Rect, dx: float, dy: float) -> Iterator[tuple[float, float]]:
    """Displacements to the left, right, above and below an obstacle."""
    yield _steps(other[0] - GAP - mine[2], -1), dy
    yield _steps(other[2] + GAP - mine[0], 1), dy
    yield dx, _steps(other[1] - GAP - mine[3], -1)
    yield dx, _steps(other[3] + GAP - mine[1], 1)


def _steps(length: float, direction: int) -> float:
    """Length rounded outwards to a multiple of the grid."""
    count = length / GRID
    return (math.ceil(count - CLOSE) if direction > 0 else math.floor(count + CLOSE)) * float(GRID)


def _cells(area: Rect) -> Iterator[tuple[int, int]]:
    left, top, right, bottom = area
    for i in range(int(left // CELL), int(right // CELL) + 1):
        for j in range(int(top // CELL), int(bottom // CELL) + 1):
            yield i, j
