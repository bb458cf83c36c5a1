"""Snapping of dragged blocks: to edges and centres of other blocks first, then to the grid. Pure Python."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

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
    cards = np.array(list(others), float).reshape(-1, 4)
    dx, dy = offset
    x, x_guides = _along(moving, dx, dy, cards, 0)
    y, y_guides = _along(moving, dx, dy, cards, 1)
    return (x, y), x_guides + y_guides


def _along(moving: Rect, dx: float, dy: float, cards: np.ndarray, axis: int) -> tuple[float, list[Guide]]:
    shift = (dx, dy)[axis]
    low, high = moving[axis] + shift, moving[axis + 2] + shift
    cross = (moving[1 - axis] + (dx, dy)[1 - axis], moving[3 - axis] + (dx, dy)[1 - axis])
    begin, end = cards[:, axis], cards[:, axis + 2]
    theirs = np.column_stack((begin, (begin + end) / 2, end))
    gaps = theirs - (low, (low + high) / 2, high)
    within = np.argwhere(np.abs(gaps) <= REACH)
    if not len(within):
        return to_grid(moving[axis] + shift) - moving[axis], []
    # the smallest shift, of equal ones the one to the nearest card
    near = cards[within[:, 0]]
    gap = gaps[tuple(within.T)]
    far = np.minimum(np.abs(near[:, 1 - axis] - cross[0]), np.abs(near[:, 3 - axis] - cross[1]))
    best = np.lexsort((near[:, 1], near[:, 0], gap, far, np.abs(gap)))[0]
    at, other = float(theirs[tuple(within[best])]), near[best].tolist()
    ends = (min(cross[0], other[1 - axis]), max(cross[1], other[3 - axis]))
    return shift + float(gap[best]), [Guide(axis == 0, at, *ends)]
