"""Line positions occupied by wires. Pure Python: no Qt."""

from __future__ import annotations

from collections.abc import Hashable

from .card_geometry import GRID
from .polylines import Point, segments

APART = 3.0  # between wires side by side, at least


class Tracks:
    """Segments of all wires, to keep wires apart and to find crossings."""

    def __init__(self) -> None:
        self._wires: dict[Hashable, tuple[list[Point], ...]] = {}
        # by orientation: cell of the fixed coordinate -> [(fixed, low, high, net, wire)]
        self._lines: tuple[dict[int, list], dict[int, list]] = ({}, {})

    def put(self, wire: Hashable, net: Hashable, *ways: list[Point]) -> None:
        self.drop(wire)
        self._wires[wire] = ways
        for upright, fixed, low, high in (piece for way in ways for piece in segments(way)):
            self._lines[upright].setdefault(int(fixed // GRID), []).append((fixed, low, high, net, wire))

    def drop(self, wire: Hashable) -> None:
        for upright, fixed, _, _ in (piece for way in self._wires.pop(wire, ()) for piece in segments(way)):
            cell, lines = int(fixed // GRID), self._lines[upright]
            lines[cell] = [line for line in lines.get(cell, ()) if line[4] != wire]

    def overlap(self, upright: bool, fixed: float, low: float, high: float, net: Hashable) -> float:
        """Length over which a segment would overlap wires of other nets."""
        total = 0.0
        lines = self._lines[upright]
        for cell in range(int((fixed - APART) // GRID), int((fixed + APART) // GRID) + 1):
            for place, start, end, other, _ in lines.get(cell, ()):
                if other != net and abs(place - fixed) < APART:
                    total += max(0.0, min(high, end) - max(low, start) + APART)
        return total

    def beside(self, upright: bool, fixed: float, net: Hashable) -> list[tuple[float, float]]:
        """Intervals of a line that are occupied by wires of other nets, or closer to them than APART."""
        lines = self._lines[upright]
        cells = range(int((fixed - APART) // GRID), int((fixed + APART) // GRID) + 1)
        return [
            (low, high)
            for cell in cells
            for place, low, high, other, _ in lines.get(cell, ())
            if other != net and abs(place - fixed) < APART
        ]

    def corner_contacts(self, x: float, y: float, net: Hashable) -> int:
        """Number of segments of other nets that a corner would touch."""
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
        """Crossings of a horizontal segment with wires of other nets: x and the wire."""
        crossings = []
        upright = self._lines[True]
        for cell in range(int(left // GRID), int(right // GRID) + 1):
            for x, low, high, other, wire in upright.get(cell, ()):
                if other != net and left + 5 < x < right - 5 and low + 0.5 < y < high - 0.5:
                    crossings.append((x, wire))
        return sorted(crossings, key=lambda hit: hit[0])
