"""Colours of bodies without one: as far as these go, no two that a joint connects are alike. No Qt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ...solver.flatten.flatten import Flat
from ..theme.colours import LIGHT
from .body_faces import FAMILY
from .scene_shapes import Line, Skin


def colour_links(flat: Flat, skins: Iterable[Skin], lines: Iterable[Line]) -> None:
    """Give the parts of bodies without a colour that of their number."""
    parts: Sequence[Skin | Line] = [part for part in (*skins, *lines) if part.colour == FAMILY]
    bare = {part.block for part in parts}
    numbers = numbered([name for name in flat.blocks if name in bare], _neighbours(flat, bare))
    for part in parts:
        part.colour = f"{FAMILY} {numbers[part.block]}"


def numbered(names: Iterable[str], beside: Mapping[str, set[str]]) -> dict[str, int]:
    """Number of each colour, in order the first that no neighbour has; one that few have where all are taken."""
    numbers: dict[str, int] = {}
    for name in names:
        taken = [numbers[other] for other in beside[name] if other in numbers]
        numbers[name] = min(range(len(LIGHT.links)), key=lambda k: (taken.count(k), k))
    return numbers


def _neighbours(flat: Flat, bare: set[str]) -> dict[str, set[str]]:
    """Bodies beside each: those that wires of frames reach by way of joints, past no other body and not the world."""
    wired: dict[str, set[str]] = defaultdict(set)
    for bond in flat.bonds:
        if bond.kind == "frame":
            wired[bond.a.block].add(bond.b.block)
            wired[bond.b.block].add(bond.a.block)
    beside: dict[str, set[str]] = defaultdict(set)
    for name in bare:
        seen, ahead = {name, "world"}, [name]
        while ahead:
            for other in wired[ahead.pop()] - seen:
                seen.add(other)
                if other in bare:
                    beside[name].add(other)
                elif flat.blocks[other].family == "joints":
                    ahead.append(other)
    return beside
