"""Snapping of dragged blocks: to edges and centres of other blocks first, then to the grid. Pure Python."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .card_geometry import GRID
from .polylines import Rect

REACH = 6.0


@dataclass(frozen=True)
class Guide:
    """Guide line to show: vertical at x, or horizontal at y, from low to high."""

    upright: bool
    at: float
    low: float
    high: float


def to_grid(value: float) -> float:
    return round(value / GRID) * float(GRID)


def snap(
    moving: Rect, offset: tuple[float, float], others: Iterable[Rect]
) -> tuple[tuple[float, float], list[Guide]]:
    """Offset that aligns `moving`, and the guides that show with what."""
    others = list(others)
    dx, dy = offset
    x, x_guides = _along(moving, dx, dy, others, 0)
    y, y_guides = _along(moving, dx, dy, others, 1)
    return (x, y), x_guides + y_guides


def _along(moving: Rect, dx: float, dy: float, others: list[Rect], axis: int) -> tuple[float, list[Guide]]:
    shift = (dx, dy)[axis]
    low, high = moving[axis] + shift, moving[axis + 2] + shift
    cross = (moving[1 - axis] + (dx, dy)[1 - axis], moving[3 - axis] + (dx, dy)[1 - axis])
    best: tuple[float, float, float, Rect] | None = None
    for other in others:
        near = (other[axis], (other[axis] + other[axis + 2]) / 2, other[axis + 2])
        for mine, theirs in zip((low, (low + high) / 2, high), near, strict=True):
            gap = theirs - mine
            far = min(abs(other[1 - axis] - cross[0]), abs(other[3 - axis] - cross[1]))
            if abs(gap) <= REACH and (best is None or (abs(gap), far) < (abs(best[0]), best[1])):
                best = (gap, far, theirs, other)
    if best is None:
        return to_grid(moving[axis] + shift) - moving[axis], []
    gap, _, at, other = best
    ends = (min(cross[0], other[1 - axis]), max(cross[1], other[3 - axis]))
    return shift + gap, [Guide(axis == 0, at, *ends)]
