"""Nets of a diagram: wires that belong together, and their branches. Pure Python: no Qt."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from functools import lru_cache

from .polylines import Point, segments

BESIDE = 5.0  # between wires that end at elements of one port
WIDEST = 16.0  # px, total spread, less than the distance of ports


@lru_cache(maxsize=20_000)
def split(reference: str) -> tuple[str, str]:
    """Block and port of a reference; an element (`out[2]`) belongs to its port."""
    block, _, port = re.sub(r"\[[^\]]*\]$", "", reference.strip()).rpartition(".")
    return block, port


def net_of_each(connections: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Net of each wire: acausal wires on one node form a net, as do wires from one output or one element of it."""
    parent: dict[tuple[str, str], tuple[str, str]] = {}

    def root(port: tuple[str, str]) -> tuple[str, str]:
        while parent.setdefault(port, port) != port:
            parent[port] = parent[parent[port]]
            port = parent[port]
        return port

    pairs = {text: tuple(map(split, ends(text))) for text in connections}
    for text, (a, b) in pairs.items():
        if "--" in text:
            parent[root(a)] = root(b)
    return {text: _with_element(root(a), ends(text)[0]) for text, (a, _) in pairs.items()}


def _with_element(port: tuple[str, str], reference: str) -> tuple[str, str]:
    return port[0], port[1] + element_of(reference)


def element_of(reference: str) -> str:
    """Element suffix of a reference, `[2]` of `pd.measured[2]`; empty for a whole port."""
    return reference[reference.index("[") :] if reference.endswith("]") and "[" in reference else ""


def spread_ends(connections: Iterable[str]) -> dict[str, float]:
    """Offset of wire ends from the port's centre, by reference: to elements, and to the whole port beside them."""
    elements: dict[tuple[str, str], dict[str, str]] = {}
    for reference in (reference for text in connections for reference in ends(text)):
        elements.setdefault(split(reference), {})[reference] = element_of(reference)
    places: dict[str, float] = {}
    for named in elements.values():
        if not any(named.values()):
            continue
        order = sorted(named, key=lambda reference: (len(named[reference]), named[reference]))
        gap = min(BESIDE, WIDEST / max(len(order) - 1, 1))
        places |= {reference: gap * (k - (len(order) - 1) / 2) for k, reference in enumerate(order)}
    return places


def wired_ports(connections: Iterable[str]) -> dict[str, set[str]]:
    """Wired ports by block."""
    wired: dict[str, set[str]] = {}
    for reference in (reference for text in connections for reference in ends(text)):
        block, port = split(reference)
        wired.setdefault(block, set()).add(port)
    return wired


def junctions(wires: list[list[Point]]) -> list[Point]:
    """Branch points: where three or more directions of one net meet, ports excluded."""
    corners = {point for points in wires for point in points[1:-1]}
    lines = [line for points in wires for line in segments(points)]
    junctions = []
    for x, y in corners:
        ways = set()
        for upright, fixed, low, high in lines:
            along, across = (y, x) if upright else (x, y)
            if abs(across - fixed) < 0.5 and low - 0.5 < along < high + 0.5:
                if along > low + 0.5:
                    ways.add((upright, -1))
                if along < high - 0.5:
                    ways.add((upright, 1))
        if len(ways) >= 3:
            junctions.append((x, y))
    return sorted(junctions)


@lru_cache(maxsize=20_000)
def ends(connection: str) -> tuple[str, str]:
    """Port references of both ends of a connection text."""
    for arrow in ("--", "->"):
        a, sign, b = connection.partition(arrow)
        if sign:
            return a.strip(), b.strip()
    return connection.strip(), ""


def ring_of(message: str, connections: Iterable[str], level: Iterable[str] = ()) -> list[str]:
    """Wires of the algebraic loop in a message, `algebraic loop: a <- b <- a`, at a level: names of subsystems."""
    head, sign, ring = message.partition("algebraic loop: ")
    if not sign or head:
        return []
    prefix = "".join(f"{name}." for name in level)
    labels = [label.strip() for label in ring.split("<-")]
    # what stands outside of the level has no name in it
    names = [label.removeprefix(prefix).partition(".")[0] * label.startswith(prefix) for label in labels]
    steps = {(source, target) for target, source in itertools.pairwise(names)}
    pairs = {text: tuple(split(end)[0] for end in ends(text)) for text in connections if "->" in text}
    return [text for text, pair in pairs.items() if pair in steps]
