"""Layout of the mechanism: columns by distance from the world. Pure Python: no Qt."""

from __future__ import annotations

from collections.abc import Mapping

from .layout_graph import Graph, Places

GAP_X, GAP_Y = 50.0, 50.0


def chains(graph: Graph, root: str) -> Places:
    """Place each branch in a row of its own, the longest straight on; wires along a row are straight."""
    near: dict[str, list[str]] = {name: [] for name, node in graph.nodes.items() if node.mechanical}
    for a, b in graph.bonds:
        near[a].append(b)
        near[b].append(a)
    places: Places = {}
    seen: set[str] = set()
    for start in sorted(near, key=lambda name: name != root):
        if start not in seen:
            children, order = _spanning_tree(near, start, seen)
            floor = max(
                (y + graph.nodes[name].height + GAP_Y for name, (_, y) in places.items()), default=0.0
            )
            _rows(graph, children, order, start, floor, places)
    return places


def _spanning_tree(
    near: Mapping[str, list[str]], start: str, seen: set[str]
) -> tuple[dict[str, list[str]], list[str]]:
    """Breadth-first spanning tree and its order; breadth first so that closed loops fold in the middle."""
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


def _rows(
    graph: Graph,
    children: dict[str, list[str]],
    order: list[str],
    start: str,
    floor: float,
    places: Places,
) -> None:
    """Place one tree below `floor`."""
    x, depth = {start: 0.0}, dict.fromkeys(order, 1)
    for name in order:
        for child in children[name]:
            a, b = graph.nodes[name], graph.nodes[child]
            x[child] = x[name] + a.width + a.after + GAP_X + b.before
    for name in reversed(order):
        depth[name] = 1 + max((depth[child] for child in children[name]), default=0)
    starts = [start]
    # depth first: the longest child stays on its parent's row, the others open new rows below what is placed there
    while starts:
        row, ys = [starts.pop()], [0.0]
        while children[row[-1]]:
            first, *others = sorted(children[row[-1]], key=lambda child: -depth[child])
            starts += reversed(others)
            ys.append(ys[-1] + graph.drops.get((row[-1], first), 0.0))
            row.append(first)
        levels = [_level(graph, places, x[name], x[name] + graph.nodes[name].width, floor) for name in row]
        shift = max(level - y for level, y in zip(levels, ys, strict=True))
        places.update({name: (x[name], y + shift) for name, y in zip(row, ys, strict=True)})


def _level(graph: Graph, places: Places, left: float, right: float, floor: float) -> float:
    """Upper edge below everything placed between `left` and `right`"""
    over = [
        y + graph.nodes[name].height + GAP_Y
        for name, (x, y) in places.items()
        if x < right + GAP_X / 2 and x + graph.nodes[name].width > left - GAP_X / 2
    ]
    return max([floor, *over])
