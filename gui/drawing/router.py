"""Orthogonal router that keeps wires clear of blocks and of each other. Pure Python: no Qt.

A wire leaves its port straight, by one stub. Simple shapes with few bends between the two stubs are tried first. If
all of them meet a block, a search runs over the lines beside the blocks, near the wire first, then further out. Longer
stubs are tried where a wire would cross another one at the arrow of its end. A route always exists where blocks keep
the distance of `block_spacing.py`. A segment that would lie on a wire of another net moves aside; if that does not
help, a search over the free lines follows.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator

from .card_geometry import GRID, OUTWARD
from .obstacles import CLEARANCE, Obstacles
from .occupied_tracks import Tracks
from .polylines import STUB, End, Point, Rect, segments, simplify
from .port_rooms import NEAR, TIP, PortRooms
from .route_search import BEND, Lattice

SHORT = 7.0  # px of a stub, at least: just clear of its block
OVERLAP = 30.0  # cost per pixel of overlap with another net
TOUCH = 400.0  # cost of a corner on another net, which looks like a junction
BARE = 1.0  # px around a label
OVER = 60.0  # cost of a label that hides a piece
PAST = 80.0  # cost of crossing the end of another net: more than a step aside, two bends and two steps of the grid
LONGER = ((2, 1), (1, 2), (2, 2))  # grid steps of both stubs, for a crossing beyond the arrow
WIDE = tuple(sign * n * GRID for n in (1, 2, 3) for sign in (1, -1))  # px by which a piece moves aside
FINE = (3.0, -3.0, 6.0, -6.0)  # shifts tried without such room

ROOMS = (160.0, 480.0, 1600.0, 1e5)  # px around both ends in which a way is looked for
FREE_ROOMS = ((160.0, 4), (480.0, 2))  # and in which a free one is, with how many lines beside each block


def through(start: End, waypoints: list[Point], end: End) -> list[Point]:
    """Wire through points that the user dragged; its ends follow the ports."""
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
    """Path with its port stubs, simplified."""
    return simplify([(start.x, start.y), *path, (end.x, end.y)])


def shifted(path: list[Point], k: int, way: float, start: End, end: End) -> list[Point]:
    """Path with segment k moved aside; empty if a stub would bend or become too short."""
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
        self.tags = Obstacles(BARE)  # labels: a wire that can keeps off them
        self.tracks = Tracks()
        self.rooms, self.unwired = PortRooms(), PortRooms(NEAR, TIP)

    def put_block(self, name: str, card: Rect, unwired: tuple[End, ...]) -> None:
        """Take a block and its inputs without wires into account, at its place by now."""
        self.obstacles.put(name, card)
        self.unwired.put(name, name, unwired)

    def drop_block(self, name: str) -> None:
        self.obstacles.drop(name)
        self.unwired.drop(name)

    def route(self, start: End, end: End, net: Hashable = None) -> list[Point]:
        s, e = start.stub(), end.stub()
        best, price = self._simple(start, end, net, (1, 1), float("inf"))
        for room in ROOMS if best is None else ():
            best = self._search(s, e, start, room)
            if best:
                price = self._cost(best, start, end, net, price)
                break
        for stubs in LONGER if best and self._passed(best, net) else ():
            shorter, price = self._simple(start, end, net, stubs, price)
            best = shorter or best
        if best and self._labels_over(best):
            best = self._around_labels(start, end, net, price) or best
        best = self._separate_segments(best, start, end, net) if best else [s, (s[0], e[1]), e]
        way = whole(best, start, end)
        return (self._free_way(start, end, net) or way) if self.shares(way, net) else way

    def _simple(
        self, start: End, end: End, net: Hashable, stubs: tuple[int, int], limit: float
    ) -> tuple[list[Point] | None, float]:
        """Cheapest of the simple shapes between stubs of so many grid steps, and its cost; None and the limit if none
        is below it."""
        s, e = start.stub(), end.stub()
        a, b = start.stub(stubs[0] * STUB), end.stub(stubs[1] * STUB)
        best = None
        for middle in _simple_shapes(a, b):
            path = [s, a, *middle, b, e] if stubs != (1, 1) else [s, *middle, e]
            cost = self._cost(path, start, end, net, limit)
            if cost < limit:
                best, limit = path, cost
        return best, limit

    def _passed(self, path: list[Point], net: Hashable) -> int:
        """Number of ends of other nets that a path crosses where their arrows are, and of unwired inputs that it
        passes too near."""
        return sum(
            self.rooms.passed(*piece, net) + self.unwired.passed(*piece, net) for piece in segments(path)
        )

    def _labels_over(self, path: list[Point]) -> int:
        """Number of labels that a path runs behind."""
        count = 0
        for (x1, y1), (x2, y2) in itertools.pairwise(simplify(path)):
            count += len(self.tags.within((min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))))
        return count

    def _around_labels(self, start: End, end: End, net: Hashable, limit: float) -> list[Point] | None:
        """Path around blocks and labels alike that costs less than the limit."""
        for room in FREE_ROOMS:
            path = self._search(start.stub(), end.stub(), start, room[0], labels=True)
            if path:
                path = simplify(path)
                return path if self._cost(path, start, end, net, limit) < limit else None
        return None

    def shares(self, way: list[Point], net: Hashable) -> bool:
        """True if a corner, an end or a segment lies on a wire of another net."""
        return bool(self._shared(way, net))

    def _free_way(self, start: End, end: End, net: Hashable) -> list[Point]:
        """Route over lines that no other net occupies; empty if there is none."""
        for room, fan in FREE_ROOMS:
            for length in (STUB, SHORT):
                path = self._search(start.stub(length), end.stub(length), start, room, net, fan)
                way = whole(path, start, end) if path else []
                if way and not self.shares(way, net):
                    return way
        return []

    def _cost(self, path: list[Point], start: End, end: End, net: Hashable, limit: float) -> float:
        length = sum(abs(x - x2) + abs(y - y2) for (x, y), (x2, y2) in itertools.pairwise(path))
        if length >= limit or any(itertools.starmap(self.obstacles.blocks, itertools.pairwise(path))):
            return float("inf")
        every = whole(path, start, end)
        cost = length + BEND * (len(every) - 2) + OVER * self._labels_over(path)
        if cost < limit:
            cost += PAST * self._passed(every, net)
        return cost + self._shared(every, net) if cost < limit else float("inf")

    def _shared(self, path: list[Point], net: Hashable) -> float:
        """Cost of overlaps and contacts of a simplified path with wires of other nets."""
        cost = OVERLAP * sum(self.tracks.overlap(*piece, net) for piece in segments(path))
        return cost + TOUCH * sum(self.tracks.corner_contacts(x, y, net) for x, y in path[1:-1])

    def _separate_segments(self, path: list[Point], start: End, end: End, net: Hashable) -> list[Point]:
        """Move segments off wires of other nets, by grid steps first, then by less; the first and last one by longer
        stubs."""
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

    def _labels_in(self, area: Rect, labels: bool) -> list[Rect]:
        return self.tags.within(area) if labels else []

    def _search(
        self,
        s: Point,
        e: Point,
        start: End,
        room: float,
        net: Hashable = None,
        fan: int = 1,
        labels: bool = False,
    ) -> list[Point] | None:
        """Cheapest path over the lines beside the blocks, within `room`; with `labels` around these too.

        With `fan` > 1 there are more lines, and those that other nets occupy are left out.
        """
        if self.obstacles.blocks(s, s) or self.obstacles.blocks(e, e):
            return None  # within a block, all pieces of its lines are closed
        area = (
            min(s[0], e[0]) - room,
            min(s[1], e[1]) - room,
            max(s[0], e[0]) + room,
            max(s[1], e[1]) + room,
        )
        rects = self.obstacles.within(area) + [_on_grid(r) for r in self._labels_in(area, labels)]
        xs = _lines(s[0], e[0], [(r[0], r[2]) for r in rects], fan)
        ys = _lines(s[1], e[1], [(r[1], r[3]) for r in rects], fan)
        lattice = Lattice(xs, ys)
        area = (xs[0] - 1, ys[0] - 1, xs[-1] + 1, ys[-1] + 1)
        lattice.shut_blocks(self.obstacles.within(area) + self._labels_in(area, labels))
        for upright, lines, along in ((True, xs, ys), (False, ys, xs)) if fan > 1 else ():
            for k, place in enumerate(lines):
                taken = self.tracks.beside(upright, place, along[0], along[-1], net)
                lattice.shut_line(upright, k, taken)
        return lattice.search(s, e, OUTWARD[start.side])


def _on_grid(label: Rect) -> Rect:
    """Rectangle around a label beside which lines are on the grid, as those beside cards."""
    beside = GRID - CLEARANCE
    low = [math.floor(x / GRID) * GRID + beside for x in label[:2]]
    high = [math.ceil(x / GRID) * GRID - beside for x in label[2:]]
    return low[0], low[1], high[0], high[1]


def _lines(a: float, b: float, sides: list[tuple[float, float]], fan: int) -> list[float]:
    """Candidate line positions: at both ends and beside blocks, `fan` of them next to each other."""
    beside = GRID - CLEARANCE
    lines = {end + GRID * k for end in (a, b) for k in (range(-fan, fan + 1) if fan > 1 else (0,))}
    lines |= {low - beside - GRID * k for low, _ in sides for k in range(fan)}
    lines |= {high + beside + GRID * k for _, high in sides for k in range(fan)}
    return sorted(lines)


def _simple_shapes(s: Point, e: Point) -> Iterator[list[Point]]:
    """Candidate corners between two stubs: one bend, then two bends with the middle segment at several places."""
    (sx, sy), (ex, ey) = s, e
    yield [(ex, sy)]
    yield [(sx, ey)]
    for x in _places(sx, ex):
        yield [(x, sy), (x, ey)]
    for y in _places(sy, ey):
        yield [(sx, y), (ex, y)]


def _places(a: float, b: float) -> list[float]:
    """Candidate positions of a middle segment: halfway and near it, then beside and beyond both ends."""
    middle = round((a + b) / 2 / GRID) * GRID
    inner = [middle + GRID * k for k in (0, 1, -1, 2, -2, 3, -3)]
    outer = [edge + sign * GRID * k for edge in (a, b) for k in (0, 1, 2, 3, 5, 7, 9) for sign in (1, -1)]
    return list(dict.fromkeys([*inner, *outer]))
