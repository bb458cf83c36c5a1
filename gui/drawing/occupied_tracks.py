"""Line positions occupied by wires. Pure Python: no Qt."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from .card_geometry import GRID
from .polylines import Point, segments

APART = 3.0  # between wires side by side, at least
ALONG = 320.0  # px of a line in one cell: about three cards and their gaps

# fixed, low, high, net, wire, its first cell along
_Line = tuple[float, float, float, Hashable, Hashable, int]


class Tracks:
    """Segments of all wires, to keep wires apart and to find crossings."""

    def __init__(self) -> None:
        self._wires: dict[Hashable, tuple[list[Point], ...]] = {}
        # by orientation: cell of the fixed coordinate and of the one along -> segments that are there
        self._lines: tuple[dict[tuple[int, int], list[_Line]], dict[tuple[int, int], list[_Line]]] = ({}, {})

    def put(self, wire: Hashable, net: Hashable, *ways: list[Point]) -> None:
        self.drop(wire)
        self._wires[wire] = ways
        for upright, fixed, low, high in (piece for way in ways for piece in segments(way)):
            cell, lines, first = int(fixed // GRID), self._lines[upright], int(low // ALONG)
            for n in range(first, int(high // ALONG) + 1):
                lines.setdefault((cell, n), []).append((fixed, low, high, net, wire, first))

    def drop(self, wire: Hashable) -> None:
        for upright, fixed, low, high in (
            piece for way in self._wires.pop(wire, ()) for piece in segments(way)
        ):
            cell, lines = int(fixed // GRID), self._lines[upright]
            for n in range(int(low // ALONG), int(high // ALONG) + 1):
                lines[cell, n] = [line for line in lines.get((cell, n), ()) if line[4] != wire]

    def _near(self, upright: bool, fixed: float, low: float, high: float) -> Iterator[_Line]:
        """Segments closer to a line than APART, each once, and some that are further along it."""
        lines = self._lines[upright]
        begin, end = int((low - APART) // ALONG), int((high + APART) // ALONG)
        for cell in range(int((fixed - APART) // GRID), int((fixed + APART) // GRID) + 1):
            for n in range(begin, end + 1):
                for line in lines.get((cell, n), ()):
                    if abs(line[0] - fixed) < APART and (n == begin or n == line[5]):
                        yield line

    def overlap(self, upright: bool, fixed: float, low: float, high: float, net: Hashable) -> float:
        """Length over which a segment would overlap wires of other nets."""
        total = 0.0  # the inner loop of all routing: written out
        lines = self._lines[upright]
        begin, end = int((low - APART) // ALONG), int((high + APART) // ALONG)
        for cell in range(int((fixed - APART) // GRID), int((fixed + APART) // GRID) + 1):
            for n in range(begin, end + 1):
                for place, start, stop, other, _, first in lines.get((cell, n), ()):
                    if other != net and abs(place - fixed) < APART and (n == begin or n == first):
                        total += max(0.0, min(high, stop) - max(low, start) + APART)
        return total

    def beside(
        self, upright: bool, fixed: float, low: float, high: float, net: Hashable
    ) -> list[tuple[float, float]]:
        """Intervals of a line that are occupied by wires of other nets, or closer to them than APART."""
        return [
            (start, end)
            for _, start, end, other, _, _ in self._near(upright, fixed, low, high)
            if other != net
        ]

    def corner_contacts(self, x: float, y: float, net: Hashable) -> int:
        """Number of segments of other nets that a corner would touch."""
        count = 0
        for upright, fixed, along in ((True, x, y), (False, y, x)):
            for _, start, stop, other, _, _ in self._near(upright, fixed, along, along):
                count += other != net and start - APART < along < stop + APART
        return count

    def crossings(self, y: float, left: float, right: float, net: Hashable) -> list[tuple[float, Hashable]]:
        """Crossings of a horizontal segment with wires of other nets: x and the wire."""
        crossings = []
        upright, n = self._lines[True], int(y // ALONG)
        for cell in range(int(left // GRID), int(right // GRID) + 1):
            for x, low, high, other, wire, _ in upright.get((cell, n), ()):
                if other != net and left + 5 < x < right - 5 and low + 0.5 < y < high - 0.5:
                    crossings.append((x, wire))
        return sorted(crossings, key=lambda hit: hit[0])
