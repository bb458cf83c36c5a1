"""Points, ends and pieces of wires. Pure Python: nothing here knows Qt."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .geometry import GRID, OUTWARD

Point = tuple[float, float]
Rect = tuple[float, float, float, float]  # left, top, right, bottom

STUB = float(GRID)


@dataclass(frozen=True)
class End:
    x: float
    y: float
    side: str

    def beside(self, way: float) -> End:
        """Another end of the same side, further down or to the right."""
        along = self.side in ("top", "bottom")
        return End(self.x + way * along, self.y + way * (not along), self.side)

    def stub(self, length: float = STUB) -> Point:
        dx, dy = OUTWARD[self.side]
        return self.x + dx * length, self.y + dy * length


def segments(points: list[Point]) -> Iterator[tuple[bool, float, float, float]]:
    """(upright, fixed coordinate, low, high) of each piece of a wire."""
    for (x1, y1), (x2, y2) in itertools.pairwise(points):
        if abs(x1 - x2) < abs(y1 - y2):
            yield True, x1, min(y1, y2), max(y1, y2)
        else:
            yield False, y1, min(x1, x2), max(x1, x2)


def simplify(points: Iterable[Point]) -> list[Point]:
    """Without repeated points and points on a straight line."""
    kept: list[Point] = []
    for point in points:
        if kept and abs(kept[-1][0] - point[0]) < 1e-6 and abs(kept[-1][1] - point[1]) < 1e-6:
            continue
        if len(kept) >= 2:
            (x0, y0), (x1, y1) = kept[-2], kept[-1]
            if (x0 == x1 == point[0] and (y1 - y0) * (point[1] - y1) > 0) or (
                y0 == y1 == point[1] and (x1 - x0) * (point[0] - x1) > 0
            ):
                kept[-1] = point
                continue
        kept.append(point)
    return kept
