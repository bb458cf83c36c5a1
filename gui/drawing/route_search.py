"""Route search over a small lattice of lines. Pure Python: no Qt.

Forbidden segments are marked line by line before the search, so that a step only looks them up.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from .card_geometry import OUTWARD
from .occupied_tracks import APART
from .polylines import Point, Rect

BEND = 26.0  # the price of a bend, in pixels of length
FEW = 600  # states: a search looks at three times as many on average where there is no way
THICK = 0.1  # px: a line along an edge is on it
HEADINGS = tuple(sorted(OUTWARD.values()))  # the opposite of k is 3 - k


class Lattice:
    """Lattice of horizontal and vertical lines with closed segments."""

    def __init__(self, xs: list[float], ys: list[float]):
        self.xs, self.ys = xs, ys
        self.level = [
            bytearray(len(xs)) for _ in ys
        ]  # closed segments of each horizontal line, between neighbouring vertical lines
        self.upright = [bytearray(len(ys)) for _ in xs]
        self.straight = bytearray(len(xs) * len(ys))  # crossings where no way may turn

    def shut_blocks(self, rects: Sequence[Rect]) -> None:
        for left, top, right, bottom in rects:
            columns = _pieces(self.xs, left - THICK, right + THICK)
            rows = _pieces(self.ys, top - THICK, bottom + THICK)
            for j in range(bisect_right(self.ys, top - THICK), rows.stop):
                _mark(self.level[j], columns)
            for i in range(bisect_right(self.xs, left - THICK), columns.stop):
                _mark(self.upright[i], rows)

    def shut_line(self, upright: bool, k: int, taken: Sequence[tuple[float, float]]) -> None:
        """Close the parts of a line that wires of other nets occupy, or come closer to than APART."""
        along = self.ys if upright else self.xs
        line = self.upright[k] if upright else self.level[k]
        for low, high in taken:
            pieces = _pieces(along, low - APART, high + APART)
            _mark(line, pieces)
            for n in range(bisect_right(along, low - APART), pieces.stop):
                self.straight[k * len(self.ys) + n if upright else n * len(self.ys) + k] = 1

    def search(self, start: Point, end: Point, heading: tuple[int, int]) -> list[Point] | None:
        """Cheapest path by A*; a state is one number for crossing and heading. None if there is no path."""
        xs, ys, level, upright = self.xs, self.ys, self.level, self.upright
        many, last = len(ys), len(xs) - 1
        goal = bisect_left(xs, end[0]) * many + bisect_left(ys, end[1])
        first = 4 * (bisect_left(xs, start[0]) * many + bisect_left(ys, start[1])) + HEADINGS.index(heading)
        if self._shut_in(goal, first):
            return None
        queue: list[tuple[float, float, int, int]] = [(0.0, 0.0, first, -1)]
        came: dict[int, int] = {}
        while queue:
            _, cost, state, parent = heapq.heappop(queue)
            if state in came:
                continue
            came[state] = parent
            crossing, now = state >> 2, state & 3
            if crossing == goal:
                return self._walk(state, came)
            i, j = divmod(crossing, many)
            # left, up, down, right: as HEADINGS
            ways = (
                i > 0 and not level[j][i - 1],
                j > 0 and not upright[i][j - 1],
                j < many - 1 and not upright[i][j],
                i < last and not level[j][i],
            )
            for way in range(4):
                if not ways[way] or way == 3 - now or (way != now and self.straight[crossing]):
                    continue
                dx, dy = HEADINGS[way]
                following = ((i + dx) * many + j + dy) * 4 + way
                if following in came:
                    continue
                x, y = xs[i + dx], ys[j + dy]
                step = abs(xs[i] - x) + abs(ys[j] - y) + (BEND if way != now else 0.0)
                left = abs(x - end[0]) + abs(y - end[1])
                heapq.heappush(queue, (cost + step + left, cost + step, following, state))
        return None

    def _shut_in(self, goal: int, first: int) -> bool:
        """True if the goal is enclosed: a bounded search backwards from it, cheaper than a failing search from the
        start."""
        many = len(self.ys)
        seen = {4 * goal + way for way in range(4)}
        todo = list(seen)
        while todo:
            if len(seen) > FEW or first in seen:
                return False
            # the heading now is the one of the piece that leads here
            crossing, now = divmod(todo.pop(), 4)
            i, j = divmod(crossing, many)
            dx, dy = HEADINGS[now]
            k, m = i - dx, j - dy
            if not (0 <= k < len(self.xs) and 0 <= m < many):
                continue
            if self.level[j][min(i, k)] if dx else self.upright[i][min(j, m)]:
                continue
            before = k * many + m
            for way in (now,) if self.straight[before] else range(4):
                if way != 3 - now and 4 * before + way not in seen:
                    seen.add(4 * before + way)
                    todo.append(4 * before + way)
        return first not in seen

    def _walk(self, state: int, came: dict[int, int]) -> list[Point]:
        points = []
        while state >= 0:
            i, j = divmod(state >> 2, len(self.ys))
            points.append((self.xs[i], self.ys[j]))
            state = came[state]
        return points[::-1]


def _pieces(along: list[float], low: float, high: float) -> range:
    """Lattice segments that overlap an interval."""
    return range(max(bisect_right(along, low) - 1, 0), bisect_left(along, high))


def _mark(line: bytearray, pieces: range) -> None:
    line[pieces.start : pieces.stop] = b"\1" * len(pieces)
