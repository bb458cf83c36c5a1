"""Automatic layout: the mechanism from the world on the left to the end effectors on the right, signals that feed
it above, what it feeds (controllers, filters) below. Pure Python: nothing here knows Qt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .geometry import GRID

GAP_X, GAP_Y = 60.0, 50.0


@dataclass
class Node:
    width: float
    height: float
    mechanical: bool


@dataclass
class Graph:
    nodes: dict[str, Node]
    bonds: list[tuple[str, str]] = field(default_factory=list)  # acausal
    arrows: list[tuple[str, str]] = field(default_factory=list)  # causal, from source to target


Places = dict[str, tuple[float, float]]


def layout(graph: Graph, root: str = "world") -> Places:
    """A place (top left corner) for every node, on the grid."""
    chain = _mechanism(graph, root)
    over, under = _zones(graph)
    if not chain:
        return _snap(_shelves(over, graph, {}, 0.0, 1))
    top = min(y for _, y in chain.values())
    bottom = max(y + graph.nodes[name].height for name, (_, y) in chain.items())
    above = _shelves(over, graph, chain, top - GAP_Y, -1)
    below = _shelves(under, graph, chain, bottom + GAP_Y, 1)
    return _snap({**chain, **above, **below})


def _snap(places: Places) -> Places:
    return {
        name: (round(x / GRID) * float(GRID), round(y / GRID) * float(GRID))
        for name, (x, y) in places.items()
    }


def _mechanism(graph: Graph, root: str) -> Places:
    """Columns by distance from the world; each branch has a row of its own, the longest goes straight on."""
    near: dict[str, list[str]] = {name: [] for name, node in graph.nodes.items() if node.mechanical}
    for a, b in graph.bonds:
        near[a].append(b)
        near[b].append(a)
    places: Places = {}
    seen: set[str] = set()
    floor = 0.0
    for start in sorted(near, key=lambda name: name != root):
        if start in seen:
            continue
        children, order = _spanning_tree(near, start, seen)
        columns = _columns(graph, children, start)
        floor = _rows(graph, children, order, columns, start, floor, places)
    return places


def _spanning_tree(
    near: Mapping[str, list[str]], start: str, seen: set[str]
) -> tuple[dict[str, list[str]], list[str]]:
    """Breadth first, so that closed loops fold in the middle."""
    children: dict[str, list[str]] = {start: []}
    order = [start]
    seen.add(start)
    for name in order:
        for other in near[name]:
            if other not in seen:
                seen.add(other)
                children[name].append(other)
                children[other] = []
                order.append(other)
    return children, order


def _columns(graph: Graph, children: Mapping[str, list[str]], start: str) -> dict[str, float]:
    x = {start: 0.0}
    queue = [start]
    for name in queue:
        for child in children[name]:
            x[child] = x[name] + graph.nodes[name].width + GAP_X
            queue.append(child)
    return x


def _rows(
    graph: Graph,
    children: dict[str, list[str]],
    order: list[str],
    x: dict[str, float],
    start: str,
    floor: float,
    places: Places,
) -> float:
    depth = dict.fromkeys(order, 1)
    for name in reversed(order):
        depth[name] = 1 + max((depth[child] for child in children[name]), default=0)
    stack = [(start, floor)]
    lowest = floor
    # depth first: the longest child stays on its parent's row, the others open new rows below all that is placed
    while stack:
        name, y = stack.pop()
        y = lowest if y < 0 else y
        node = graph.nodes[name]
        places[name] = (x[name], y)
        lowest = max(lowest, y + node.height + GAP_Y)
        long_first = sorted(children[name], key=lambda child: -depth[child])
        stack.extend((child, -1.0) for child in reversed(long_first[1:]))
        if long_first:
            stack.append((long_first[0], y))
    return lowest


def _zones(graph: Graph) -> tuple[list[Graph], list[Graph]]:
    """Groups of signal blocks: those that hear from the mechanism go below it, with their sources; others above."""
    mechanical = {name for name, node in graph.nodes.items() if node.mechanical}
    parts = _components(graph, [name for name in graph.nodes if name not in mechanical])
    hears = {target for source, target in graph.arrows if source in mechanical}
    above = [part for part in parts if not hears & set(part.nodes)]
    return above, [part for part in parts if hears & set(part.nodes)]


def _components(graph: Graph, names: Iterable[str]) -> list[Graph]:
    """The connected parts of the signal blocks named, in the order of their first block."""
    names = list(names)
    inside = set(names)
    near: dict[str, set[str]] = {name: set() for name in names}
    for a, b in graph.arrows:
        if a in inside and b in inside:
            near[a].add(b)
            near[b].add(a)
    parts, seen = [], set()
    for start in names:
        if start in seen:
            continue
        members = [start]
        seen.add(start)
        for name in members:
            fresh = [other for other in sorted(near[name]) if other not in seen]
            seen.update(fresh)
            members.extend(fresh)
        chosen = set(members)
        arrows = [(a, b) for a, b in graph.arrows if a in chosen and b in chosen and a != b]
        parts.append(Graph({name: graph.nodes[name] for name in names if name in chosen}, [], arrows))
    return parts


def _layers(part: Graph) -> list[list[str]]:
    """Longest path from the sources; a cycle is opened at its first block."""
    before: dict[str, list[str]] = {name: [] for name in part.nodes}
    after: dict[str, list[str]] = {name: [] for name in part.nodes}
    for source, target in part.arrows:
        before[target].append(source)
        after[source].append(target)
    open_inputs = {name: len(sources) for name, sources in before.items()}
    rank: dict[str, int] = {}
    ready = [name for name in part.nodes if not open_inputs[name]]
    while len(rank) < len(part.nodes):
        if not ready:  # a cycle: its first block starts it
            ready = [next(name for name in part.nodes if name not in rank)]
        name = ready.pop(0)
        if name in rank:
            continue
        rank[name] = 1 + max((rank[source] for source in before[name] if source in rank), default=-1)
        for target in after[name]:
            open_inputs[target] -= 1
            if not open_inputs[target]:
                ready.append(target)
    layers: list[list[str]] = [[] for _ in range(1 + max(rank.values()))]
    for name in part.nodes:
        layers[rank[name]].append(name)
    for k in range(1, len(layers)):
        position = {name: i for i, name in enumerate(layers[k - 1])}
        mean = {
            name: [position[source] for source in before[name] if source in position] for name in layers[k]
        }
        layers[k].sort(key=lambda name, mean=mean: sum(mean[name]) / len(mean[name]) if mean[name] else 1e9)
    return layers


def _place_part(part: Graph) -> tuple[Places, float, float]:
    places: Places = {}
    x = height = 0.0
    for layer in _layers(part):
        y = 0.0
        for name in layer:
            places[name] = (x, y)
            y += part.nodes[name].height + GAP_Y / 2
        height = max(height, y - GAP_Y / 2)
        x += max(part.nodes[name].width for name in layer) + GAP_X
    return places, x - GAP_X, height


def _shelves(parts: list[Graph], graph: Graph, chain: Places, level: float, direction: int) -> Places:
    """Put each part near what it is wired to, on the first shelf with room for it."""
    shelves: list[tuple[float, list[tuple[float, float]]]] = []  # height, taken intervals
    placed: list[tuple[Places, float, int]] = []
    for part in parts:
        places, width, height = _place_part(part)
        wired = [
            b if a in part.nodes else a for a, b in graph.arrows if (a in part.nodes) != (b in part.nodes)
        ]
        xs = [chain[name][0] + graph.nodes[name].width / 2 for name in wired if name in chain]
        left = max(sum(xs) / len(xs) - width / 2, 0.0) if xs else 0.0
        for k in range(len(shelves) + 1):
            if k == len(shelves):
                shelves.append((0.0, []))
            tall, taken = shelves[k]
            if all(left >= end + GAP_X / 2 or left + width + GAP_X / 2 <= start for start, end in taken):
                taken.append((left, left + width))
                shelves[k] = (max(tall, height), taken)
                placed.append((places, left, k))
                break
    result: Places = {}
    starts = []
    for tall, _ in shelves:
        starts.append(level if direction > 0 else level - tall)
        level += direction * (tall + GAP_Y)
    for places, left, k in placed:
        result |= {name: (x + left, y + starts[k]) for name, (x, y) in places.items()}
    return result
