"""Room before ports: ends of wires, where their arrows are, and inputs without a wire. Pure Python: no Qt."""

from __future__ import annotations

from collections.abc import Hashable

from .card_geometry import GRID, OUTWARD
from .polylines import End

DEPTH = 2.0 * GRID  # from the card: an arrow, and beyond it the jump of a wire that crosses
NEAR = 1.2 * GRID  # from the card: a wire that is not nearer seems to end in no port that it passes
TIP = 6.0  # px to both sides of a port without a wire: its triangle, and a gap
ALONG = 320.0  # px of a lane in one cell

_Room = tuple[float, float, float, Hashable, Hashable]  # across the lane from, to; along it; net, wire


class PortRooms:
    """Rooms of the ends of all wires, or of other ports, by the direction of the lane that passes before them.

    They reach `depth` px from the card and, along the lane, `beside` px to both sides of the port.
    """

    def __init__(self, depth: float = DEPTH, beside: float = 0.0) -> None:
        self.depth, self.beside = depth, beside
        self._cells: tuple[dict[tuple[int, int], list[_Room]], dict[tuple[int, int], list[_Room]]] = ({}, {})
        self._of: dict[Hashable, tuple[End, ...]] = {}

    def put(self, wire: Hashable, net: Hashable, ends: tuple[End, ...]) -> None:
        self.drop(wire)
        self._of[wire] = ends
        for end in ends:
            upright, low, high, along, cells = self._room(end)
            for cell in cells:
                self._cells[upright].setdefault(cell, []).append((low, high, along, net, wire))

    def drop(self, wire: Hashable) -> None:
        for end in self._of.pop(wire, ()):
            upright, *_, cells = self._room(end)
            for cell in cells:
                self._cells[upright][cell] = [room for room in self._cells[upright][cell] if room[4] != wire]

    def passed(self, upright: bool, fixed: float, low: float, high: float, net: Hashable) -> int:
        """Number of ends of other nets whose rooms a segment runs through."""
        count = 0
        low, high = low - self.beside, high + self.beside
        cells, lane = self._cells[upright], int(fixed // GRID)
        for n in range(int(low // ALONG), int(high // ALONG) + 1):
            for near, far, along, other, _ in cells.get((lane, n), ()):
                count += other != net and near < fixed < far and low < along < high
        return count

    def _room(self, end: End) -> tuple[bool, float, float, float, list[tuple[int, int]]]:
        """Direction of the lane before an end, the room across it, the end's place along it, and its cells."""
        upright = OUTWARD[end.side][0] != 0
        base, along = (end.x, end.y) if upright else (end.y, end.x)
        tip = base + self.depth * sum(OUTWARD[end.side])
        low, high, n = min(base, tip), max(base, tip), int(along // ALONG)
        return upright, low, high, along, [(k, n) for k in range(int(low // GRID), int(high // GRID) + 1)]
