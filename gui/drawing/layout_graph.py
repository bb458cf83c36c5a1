"""Graph of a diagram for the automatic layout. Pure Python: no Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from ...blocks import Port
from ...blocks.ports import FRAME
from .card_geometry import Shape
from .wire_nets import ends, net_of_each, split

Places = dict[str, tuple[float, float]]


@dataclass
class Node:
    width: float
    height: float
    mechanical: bool
    low: bool = False  # feeds a port on the lower edge of a block of the mechanism
    before: float = 0.0  # room that names need beside it, left
    after: float = 0.0  # and right


@dataclass
class Graph:
    """Layout graph. `drops` gives, by wire, the height of the second block below the first at which the wire is
    straight."""

    nodes: dict[str, Node]
    bonds: list[tuple[str, str]] = field(default_factory=list)  # frames, the block nearer the world first
    arrows: list[tuple[str, str]] = field(default_factory=list)  # causal, from source to target; oil likewise
    drops: dict[tuple[str, str], float] = field(default_factory=dict)


LETTER = 7.0  # px


def graph_of(
    shapes: Mapping[str, Shape],
    ports: Callable[[str], Mapping[str, Port]],
    connections: Iterable[str],
    exposed: Mapping[str, Mapping[str, str]],
) -> Graph:
    """Layout graph of a diagram; `exposed` gives the outer names of a composite's ports by block and port."""
    graph = Graph({})
    for name, shape in shapes.items():
        frames = any(port.kind == FRAME for port in ports(name).values())
        node = graph.nodes[name] = Node(shape.width, shape.height, frames)
        for port, outer in exposed.get(name, {}).items():
            side = shape.anchors[port].side if port in shape.anchors else ""
            node.before = max(node.before, LETTER * len(outer) if side == "left" else 0.0)
            node.after = max(node.after, LETTER * len(outer) if side == "right" else 0.0)
    known = [text for text in connections if all(split(ref)[0] in shapes for ref in ends(text))]
    bonds = [
        text
        for text in known
        if "--" in text and all(graph.nodes[split(r)[0]].mechanical for r in ends(text))
    ]
    _bond(graph, shapes, bonds)
    chosen = set(bonds)
    for text in known:
        (a, out), (b, into) = (split(ref) for ref in ends(text))
        if text not in chosen and a != b:
            graph.arrows.append((a, b))
            start, end = shapes[a].anchors.get(out), shapes[b].anchors.get(into)
            if start and end and (start.side, end.side) == ("right", "left"):
                graph.drops.setdefault((a, b), start.y - end.y)
            if end and end.side == "bottom" and not graph.nodes[a].mechanical:
                graph.nodes[a].low = True
    return graph


def _bond(graph: Graph, shapes: Mapping[str, Shape], bonds: list[str]) -> None:
    """Add bonds so that all blocks on a node hang on the block whose far side is there, whatever pairs the wires
    name."""
    nodes: dict[object, list[tuple[str, str]]] = {}
    for text, net in net_of_each(bonds).items():
        members = nodes.setdefault(net, [])
        members += [pair for pair in map(split, ends(text)) if pair not in members]
    for members in nodes.values():
        sides = {pair: anchor.side for pair in members if (anchor := shapes[pair[0]].anchors.get(pair[1]))}
        owner = next((pair for pair in members if sides.get(pair) == "right"), members[0])
        for pair in members:
            if pair[0] == owner[0]:
                continue
            graph.bonds.append((owner[0], pair[0]))
            if (sides.get(owner), sides.get(pair)) == ("right", "left"):
                drop = shapes[owner[0]].anchors[owner[1]].y - shapes[pair[0]].anchors[pair[1]].y
                graph.drops.setdefault((owner[0], pair[0]), drop)
