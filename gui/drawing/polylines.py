"""Points, ends and segments of wires. Pure Python: no Qt."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .card_geometry import GRID, OUTWARD

Point = tuple[float, float]
Rect = tuple[float, float, float, float]  # left, top, right, bottom

STUB = float(GRID)


@dataclass(frozen=True)
class End:
    x: float
    y: float
    side: str

    def beside(self, way: float) -> End:
        """End shifted along its side of the card by `way`"""
        along = self.side in ("top", "bottom")
        return End(self.x + way * along, self.y + way * (not along), self.side)

    def stub(self, length: float = STUB) -> Point:
        dx, dy = OUTWARD[self.side]
        return self.x + dx * length, self.y + dy * length


def segments(points: list[Point]) -> Iterator[tuple[bool, float, float, float]]:
    """Segments of a wire as (vertical, fixed coordinate, low, high)."""
    for (x1, y1), (x2, y2) in itertools.pairwise(points):
        if abs(x1 - x2) < abs(y1 - y2):
            yield True, x1, min(y1, y2), max(y1, y2)
        else:
            yield False, y1, min(x1, x2), max(x1, x2)


def simplify(points: Iterable[Point]) -> list[Point]:
    """Polyline without repeated and collinear points."""
    kept: list[Point] = []
    for x, y in points:
        if kept:
            x1, y1 = kept[-1]
            if abs(x1 - x) < 1e-6 and abs(y1 - y) < 1e-6:
                continue
            x0, y0 = kept[-2] if len(kept) > 1 else (x1, y1)
            if (x0 == x1 == x and (y1 - y0) * (y - y1) > 0) or (y0 == y1 == y and (x1 - x0) * (x - x1) > 0):
                kept.pop()
        kept.append((x, y))
    return kept
