"""Layout of all wires of a diagram. Pure Python: no Qt.

Two nets never share a corner, an end or a part of a segment. Wires are routed one by one where the others leave
room; those on which a later one lies are routed again. A wire that then still lies on another net, or runs through a
block, has no route: it is shown as two labels of one name. Corners that the user dragged are kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from .net_labels import labels
from .polylines import STUB, End, Point
from .router import Router, through

ROUNDS = 3  # in which wires are laid anew

Ways = dict[str, list[Point]]  # an empty one is shown as labels


@dataclass(frozen=True)
class Wire:
    start: End
    end: End
    net: tuple[str, str]
    first: bool = True  # before those of signals
    corners: tuple[Point, ...] = ()  # as dragged by the user
    labelled: bool = False  # set by the user

    @property
    def rank(self) -> tuple[bool, bool, bool, float]:
        """Routing order: labelled and dragged wires first, then short wires, which have the least choice."""
        length = abs(self.start.x - self.end.x) + abs(self.start.y - self.end.y)
        return not self.labelled, not self.corners, not self.first, length


def route_wires(
    router: Router, wires: Mapping[str, Wire], ways: Ways, stale: Collection[str], rounds: int = ROUNDS
) -> None:
    """Route the stale wires; other wires are routed again, up to `rounds` times and once more, where a stale one needs
    their place."""
    for _ in routing(router, wires, ways, stale, rounds):
        pass


def routing(
    router: Router, wires: Mapping[str, Wire], ways: Ways, stale: Collection[str], rounds: int = ROUNDS
) -> Iterator[None]:
    """Route as `route_wires` does, wire by wire."""
    for text in stale:
        forget_wire(router, text)
    ends = {(text, end): end for text in stale for end in (wires[text].start, wires[text].end)}
    # stubs at ports are reserved for their own wires before any routing
    for key, end in ends.items():
        router.tracks.put(key, wires[key[0]].net, [(end.x, end.y), end.stub(2 * STUB)])
    for text in stale:
        router.rooms.put(text, wires[text].net, (wires[text].start, wires[text].end))
    for text in sorted(stale, key=lambda text: (wires[text].rank, text)):
        put(router, text, wires[text], ways, way_of(router, wires[text]))
        yield
    for key in ends:
        router.tracks.drop(key)
    loose = [text for text, wire in wires.items() if not wire.labelled and not dragged_way(router, wire)]
    moved = True
    for _ in range(rounds):
        moved = False
        for text in loose:
            moved |= _reroute_overlap(router, wires, ways, text)
            yield
        if not moved:
            break
    for text in loose:
        if moved:  # else the last round found no other way; one that a label has just freed is not looked for
            _reroute_overlap(router, wires, ways, text)
        if router.shares(ways[text], wires[text].net):
            put(router, text, wires[text], ways, [])
        yield


def _reroute_overlap(router: Router, wires: Mapping[str, Wire], ways: Ways, text: str) -> bool:
    """Route a wire again if it lies on others; True if its route changed."""
    if not router.shares(ways[text], wires[text].net):
        return False
    forget_wire(router, text)
    way = way_of(router, wires[text])
    moved = way != ways[text]
    put(router, text, wires[text], ways, way)
    return moved


def way_of(router: Router, wire: Wire) -> list[Point]:
    """Route of a wire: through the user's corners, around a block if these lead through one, empty if there is none."""
    if wire.labelled:
        return []
    points = dragged_way(router, wire)
    if points:
        return points
    points = router.route(wire.start, wire.end, wire.net)
    return [] if router.obstacles.crossed(points) else points


def dragged_way(router: Router, wire: Wire) -> list[Point]:
    """Route through the user's corners; empty if there are none or they lead too near to a block."""
    points = through(wire.start, list(wire.corners), wire.end) if wire.corners else []
    inner = [wire.start.stub(), *points[1:-1], wire.end.stub()] if points else []
    near = any(router.obstacles.blocks(a, b) for a, b in itertools.pairwise(inner))
    return [] if near or router.obstacles.crossed(points) else points


def put(router: Router, text: str, wire: Wire, ways: Ways, way: list[Point]) -> None:
    """Record the route of a wire in the router."""
    forget_wire(router, text)
    ways[text] = way
    router.rooms.put(text, wire.net, (wire.start, wire.end))
    shown = () if way else labels(text, wire.net, wire.start, wire.end)
    router.tracks.put(text, wire.net, *([way] if way else [label.lead for label in shown]))
    for k, label in enumerate(shown):
        router.tags.put((text, k), label.box)


def forget_wire(router: Router, text: str) -> None:
    router.tracks.drop(text)
    router.rooms.drop(text)
    for k in (0, 1):
        router.tags.drop((text, k))
