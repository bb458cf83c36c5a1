"""Orthogonal wires that keep clear of blocks and of each other. Pure Python: nothing here knows Qt.

A wire leaves its port straight, by one stub. Between the two stubs simple shapes with few bends are tried first; only
when all of them meet a block does a search over the lines beside the blocks decide, near the wire first, then ever
further out. Where blocks keep the distance that `room.py` gives them there always is a way.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from .geometry import GRID, OUTWARD

Point = tuple[float, float]
Rect = tuple[float, float, float, float]  # left, top, right, bottom

CELL = 120.0
STUB = float(GRID)
SHORT = 7.0  # px of a stub, at least: just clear of its block
CLEARANCE = 6.0  # less than a grid step: a wire on the next grid line passes
BEND = 26.0  # the price of a bend, in pixels of length
OVERLAP = 30.0  # of each pixel on top of a wire of another net
TOUCH = 400.0  # of a corner on such a wire, which looks like a junction
APART = 3.0  # between wires side by side, at least
WIDE = tuple(sign * n * GRID for n in (1, 2, 3) for sign in (1, -1))  # px by which a piece moves aside
FINE = (3.0, -3.0, 6.0, -6.0)  # where there is no such room
ROUNDS = 3  # in which wires are laid anew
FAN = 4  # lines beside each block, and around both ends, among which a way apart is looked for

ROOMS = (160.0, 480.0, 1600.0, 1e5)  # px around both ends in which a way is looked for


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


class Tracks:
    """The segments of all wires, so that wires keep apart and crossings are found."""

    def __init__(self) -> None:
        self._wires: dict[Hashable, tuple[Hashable, list[Point]]] = {}
        # by orientation: cell of the fixed coordinate -> [(fixed, low, high, net, wire)]
        self._lines: tuple[dict[int, list], dict[int, list]] = ({}, {})

    def put(self, wire: Hashable, net: Hashable, points: list[Point]) -> None:
        self.drop(wire)
        self._wires[wire] = (net, points)
        for upright, fixed, low, high in segments(points):
            self._lines[upright].setdefault(int(fixed // GRID), []).append((fixed, low, high, net, wire))

    def drop(self, wire: Hashable) -> None:
        entry = self._wires.pop(wire, None)
        if entry:
            for upright, fixed, _, _ in segments(entry[1]):
                cell = int(fixed // GRID)
                lines = self._lines[upright]
                lines[cell] = [line for line in lines.get(cell, ()) if line[4] != wire]

    def overlap(self, upright: bool, fixed: float, low: float, high: float, net: Hashable) -> float:
        """How far a segment would lie on wires of other nets."""
        total = 0.0
        lines = self._lines[upright]
        for cell in range(int((fixed - APART) // GRID), int((fixed + APART) // GRID) + 1):
            for place, start, end, other, _ in lines.get(cell, ()):
                if other != net and abs(place - fixed) < APART:
                    total += max(0.0, min(high, end) - max(low, start) + APART)
        return total

    def touched(self, x: float, y: float, net: Hashable) -> int:
        """How many pieces of other nets a corner would lie on."""
        count = 0
        for upright, fixed, along in ((True, x, y), (False, y, x)):
            lines = self._lines[upright]
            for cell in range(int((fixed - APART) // GRID), int((fixed + APART) // GRID) + 1):
                for place, low, high, other, _ in lines.get(cell, ()):
                    count += (
                        other != net and abs(place - fixed) < APART and low - APART < along < high + APART
                    )
        return count

    def crossings(self, y: float, left: float, right: float, net: Hashable) -> list[tuple[float, Hashable]]:
        """Where wires of other nets cross a level segment: x and the wire."""
        crossings = []
        upright = self._lines[True]
        for cell in range(int(left // GRID), int(right // GRID) + 1):
            for x, low, high, other, wire in upright.get(cell, ()):
                if other != net and left + 5 < x < right - 5 and low + 0.5 < y < high - 0.5:
                    crossings.append((x, wire))
        return sorted(crossings, key=lambda hit: hit[0])


def segments(points: list[Point]) -> Iterator[tuple[bool, float, float, float]]:
    """(upright, fixed coordinate, low, high) of each piece of a wire."""
    for (x1, y1), (x2, y2) in itertools.pairwise(points):
        if abs(x1 - x2) < abs(y1 - y2):
            yield True, x1, min(y1, y2), max(y1, y2)
        else:
            yield False, y1, min(x1, x2), max(x1, x2)


def _cells(area: Rect) -> Iterator[tuple[int, int]]:
    left, top, right, bottom = area
    for i in range(int(left // CELL), int(right // CELL) + 1):
        for j in range(int(top // CELL), int(bottom // CELL) + 1):
            yield i, j


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


def through(start: End, waypoints: list[Point], end: End) -> list[Point]:
    """A wire along points that the user has dragged; its ends follow the ports."""
    s, e = start.stub(), end.stub()
    path = [(start.x, start.y), s]
    upright = start.side in ("left", "right")  # a corner after a level stub is reached by an upright piece
    for x, y in waypoints:
        px, py = path[-1]
        if px != x and py != y:
            path.append((px, y) if upright else (x, py))
        path.append((x, y))
        upright = len(path) > 1 and path[-1][1] == path[-2][1]
    px, py = path[-1]
    if px != e[0] and py != e[1]:
        path.append((px, e[1]) if end.side in ("left", "right") else (e[0], py))
    return simplify([*path, e, (end.x, end.y)])


def whole(path: list[Point], start: End, end: End) -> list[Point]:
    """With the stubs."""
    return simplify([(start.x, start.y), *path, (end.x, end.y)])


def shifted(path: list[Point], k: int, way: float, start: End, end: End) -> list[Point]:
    """Piece k moved aside; nothing where a stub would have to bend, or to become too short."""
    (x, y), (x2, y2) = path[k], path[k + 1]
    dx, dy = (way, 0.0) if x == x2 else (0.0, way)
    for at, port, tip in ((0, start, (x, y)), (len(path) - 2, end, (x2, y2))):
        if k == at:
            ox, oy = OUTWARD[port.side]
            length = ox * (tip[0] + dx - port.x) + oy * (tip[1] + dy - port.y)
            if not ox * dx + oy * dy or length < SHORT:
                return []
    return [*path[:k], (x + dx, y + dy), (x2 + dx, y2 + dy), *path[k + 2 :]]


class Router:
    def __init__(self) -> None:
        self.obstacles = Obstacles()
        self.tracks = Tracks()

    def route(self, start: End, end: End, net: Hashable = None) -> list[Point]:
        s, e = start.stub(), end.stub()
        best, price = None, float("inf")
        for middle in _simple_shapes(s, e):
            path = [s, *middle, e]
            cost = self._cost(path, start, end, net, price)
            if cost < price:
                best, price = path, cost
        for room in ROOMS if best is None else ():
            best = self._search(s, e, start, room)
            if best:
                break
        best = self._apart(best, start, end, net) if best else [s, (s[0], e[1]), e]
        if self._shared(whole(best, start, end), net):
            price = self._cost(best, start, end, net, float("inf"))
            other = self._search(s, e, start, ROOMS[0], net, FAN)
            other = self._apart(other, start, end, net) if other else None
            if other and self._cost(other, start, end, net, price) < price:
                best = other
        return whole(best, start, end)

    def settle(
        self, wires: Mapping[Hashable, tuple[End, End, Hashable]], ways: dict[Hashable, list[Point]]
    ) -> None:
        """Lay wires anew that lie on others which came after them; `tracks` holds them all."""
        for _ in range(ROUNDS):
            moved = False
            for wire, (a, b, net) in wires.items():
                if self._shared(ways[wire], net):
                    self.tracks.drop(wire)
                    way = self.route(a, b, net)
                    moved |= way != ways[wire]
                    ways[wire] = way
                    self.tracks.put(wire, net, way)
            if not moved:
                return

    def _cost(self, path: list[Point], start: End, end: End, net: Hashable, limit: float) -> float:
        path = simplify(path)
        every = whole(path, start, end)
        cost = BEND * (len(every) - 2)
        for a, b in itertools.pairwise(path):
            cost += abs(a[0] - b[0]) + abs(a[1] - b[1])
            if cost >= limit or self.obstacles.blocks(a, b):
                return float("inf")
        return cost + self._shared(every, net)

    def _shared(self, path: list[Point], net: Hashable) -> float:
        """The price of what lies on wires of other nets."""
        path = simplify(path)
        cost = OVERLAP * sum(self.tracks.overlap(*piece, net) for piece in segments(path))
        return cost + TOUCH * sum(self.tracks.touched(x, y, net) for x, y in path[1:-1])

    def _apart(self, path: list[Point], start: End, end: End, net: Hashable) -> list[Point]:
        """Move pieces aside where they lie on wires of other nets: by grid steps, then by less; the first and the last
        by longer stubs."""
        path = simplify(path)
        if not self._shared(whole(path, start, end), net):
            return path
        price = self._cost(path, start, end, net, float("inf"))
        for steps in (WIDE, FINE):
            for k in range(len(path) - 1):
                for n in steps:
                    moved = shifted(path, k, n, start, end)
                    cost = self._cost(moved, start, end, net, price) if moved else price
                    if cost < price:
                        path, price = moved, cost
            if not self._shared(whole(path, start, end), net):
                break
        return path

    def _search(
        self, s: Point, e: Point, start: End, room: float, net: Hashable = None, fan: int = 1
    ) -> list[Point] | None:
        """A* over the lines that run beside the blocks; the state is a crossing of lines and a direction.

        With a `fan` there are more lines, and what lies on wires of other nets has its price.
        """
        area = (
            min(s[0], e[0]) - room,
            min(s[1], e[1]) - room,
            max(s[0], e[0]) + room,
            max(s[1], e[1]) + room,
        )
        rects = self.obstacles.within(area)
        xs = _lines(s[0], e[0], [(r[0], r[2]) for r in rects], fan)
        ys = _lines(s[1], e[1], [(r[1], r[3]) for r in rects], fan)
        column, row = {x: i for i, x in enumerate(xs)}, {y: j for j, y in enumerate(ys)}
        goal = (column[e[0]], row[e[1]])
        first = (column[s[0]], row[s[1]], OUTWARD[start.side])
        queue: list[tuple[float, float, tuple, tuple | None]] = [(0.0, 0.0, first, None)]
        came: dict[tuple, tuple | None] = {}
        while queue:
            _, cost, state, parent = heapq.heappop(queue)
            if state in came:
                continue
            came[state] = parent
            i, j, heading = state
            if (i, j) == goal:
                return _walk(state, came, xs, ys)
            for dx, dy in OUTWARD.values():
                ni, nj = i + dx, j + dy
                if (dx, dy) == (-heading[0], -heading[1]) or not (0 <= ni < len(xs) and 0 <= nj < len(ys)):
                    continue
                a, b = (xs[i], ys[j]), (xs[ni], ys[nj])
                if (ni, nj, (dx, dy)) in came or self.obstacles.blocks(a, b):
                    continue
                step = abs(a[0] - b[0]) + abs(a[1] - b[1]) + (BEND if (dx, dy) != heading else 0.0)
                if fan > 1:
                    step += OVERLAP * sum(self.tracks.overlap(*piece, net) for piece in segments([a, b]))
                    if (dx, dy) != heading:
                        step += TOUCH * self.tracks.touched(*a, net)
                left = abs(b[0] - e[0]) + abs(b[1] - e[1])
                heapq.heappush(queue, (cost + step + left, cost + step, (ni, nj, (dx, dy)), state))
        return None


def _lines(a: float, b: float, sides: list[tuple[float, float]], fan: int) -> list[float]:
    """Where pieces of a wire may lie: at both ends and beside blocks, `fan` of them side by side."""
    beside = GRID - CLEARANCE
    lines = {end + GRID * k for end in (a, b) for k in (range(-fan, fan + 1) if fan > 1 else (0,))}
    lines |= {low - beside - GRID * k for low, _ in sides for k in range(fan)}
    lines |= {high + beside + GRID * k for _, high in sides for k in range(fan)}
    return sorted(lines)


def _walk(
    state: tuple | None, came: dict[tuple, tuple | None], xs: list[float], ys: list[float]
) -> list[Point]:
    points = []
    while state is not None:
        points.append((xs[state[0]], ys[state[1]]))
        state = came[state]
    return points[::-1]


def _simple_shapes(s: Point, e: Point) -> Iterator[list[Point]]:
    """The corners between two stubs: one bend, then two with the middle piece at several places."""
    (sx, sy), (ex, ey) = s, e
    yield [(ex, sy)]
    yield [(sx, ey)]
    for x in _places(sx, ex):
        yield [(x, sy), (x, ey)]
    for y in _places(sy, ey):
        yield [(sx, y), (ex, y)]


def _places(a: float, b: float) -> list[float]:
    """Where a middle piece may lie: halfway and near it, then beside and beyond both ends."""
    middle = round((a + b) / 2 / GRID) * GRID
    inner = [middle + GRID * k for k in (0, 1, -1, 2, -2, 3, -3)]
    outer = [edge + sign * GRID * k for edge in (a, b) for k in (0, 1, 2, 3, 5, 7, 9) for sign in (1, -1)]
    return list(dict.fromkeys([*inner, *outer]))
