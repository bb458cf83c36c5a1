"""Marks where wires meet: a jump over another net, a dot at a branch of the same net."""

from __future__ import annotations

from collections.abc import Collection

from ..drawing.occupied_tracks import Tracks
from ..drawing.wire_nets import junctions
from .element_chooser import element_tags
from .wire_item import WireItem

APART = 9  # px between two jumps of one wire, or they are drawn as one


def show_crossings(wires: Collection[WireItem], tracks: Tracks) -> None:
    """Set jumps, junction dots and element labels of all wires."""
    nets: dict[tuple[str, str], list[WireItem]] = {}
    for wire in wires:
        nets.setdefault(wire.net, []).append(wire)
    for members in nets.values():
        dots = junctions([wire.points for wire in members]) if len(members) > 1 else []
        for k, wire in enumerate(members):
            wire.show_crossings(_jumps(wire, tracks), dots if k == 0 else [])
    tags = element_tags({wire.connection: wire.points for wire in wires})
    for wire in wires:
        wire.show_elements(tags.get(wire.connection, []))


def _jumps(wire: WireItem, tracks: Tracks) -> dict[int, list[float]]:
    """Jumps by index of the horizontal segment: x of the crossings with other nets."""
    jumps = {}
    for k, ((x1, y1), (x2, y2)) in enumerate(zip(wire.points, wire.points[1:], strict=False)):
        if y1 == y2:
            places: list[float] = []
            for x, _ in tracks.crossings(y1, min(x1, x2), max(x1, x2), wire.net):
                if not places or x - places[-1] >= APART:
                    places.append(x)
            if places:
                jumps[k] = places
    return jumps
