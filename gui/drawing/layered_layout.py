"""Layered layout of a group of signal blocks, sources on the left. Pure Python: no Qt."""

from __future__ import annotations

from .layout_graph import Graph, Places

GAP_X, GAP_Y = 60.0, 25.0
WIRE = 10.0  # the room that a wire needs between two layers


def layered(part: Graph) -> Places:
    layers = ordered(layers_of(part), part)
    places: Places = {}
    x = 0.0
    for layer in layers:
        _stack(layer, {name: _after_sources(name, part, places) for name in layer}, x, part, places)
        here = set(layer)
        passing = sum(a in here for a, _ in part.arrows)
        x += max(part.nodes[name].width for name in layer) + max(GAP_X, (2 + passing) * WIRE)
    # a block without inputs goes beside its target
    hears = {target for _, target in part.arrows}
    for layer in reversed(layers[:-1]):
        wanted = {n: [places[n][1]] if n in hears else _before_targets(n, part, places) for n in layer}
        _stack(layer, wanted, places[layer[0]][0], part, places)
    return places


def _after_sources(name: str, part: Graph, places: Places) -> list[float]:
    """Heights at which each wire from the left would be straight."""
    return [places[a][1] + part.drops.get((a, b), 0.0) for a, b in part.arrows if b == name and a in places]


def _before_targets(name: str, part: Graph, places: Places) -> list[float]:
    return [places[b][1] - part.drops.get((a, b), 0.0) for a, b in part.arrows if a == name]


def _stack(layer: list[str], wanted: dict[str, list[float]], x: float, part: Graph, places: Places) -> None:
    """Stack a layer downwards, each block as close to its wanted height as the one above allows."""
    floor = float("-inf")
    for name in layer:
        ys = wanted[name]
        y = max(sum(ys) / len(ys) if ys else max(floor, 0.0), floor)
        places[name] = (x, y)
        floor = y + part.nodes[name].height + GAP_Y


def layers_of(part: Graph) -> list[list[str]]:
    """Layers by longest path from the sources, sources right before their targets; a cycle opens at its first block."""
    before: dict[str, list[str]] = {name: [] for name in part.nodes}
    after: dict[str, list[str]] = {name: [] for name in part.nodes}
    for source, target in part.arrows:
        before[target].append(source)
        after[source].append(target)
    waits = {name: len(sources) for name, sources in before.items()}
    rank: dict[str, int] = {}
    ready = [name for name in part.nodes if not waits[name]]
    while len(rank) < len(part.nodes):
        if not ready:
            ready = [next(name for name in part.nodes if name not in rank)]
        name = ready.pop(0)
        if name in rank:
            continue
        rank[name] = 1 + max((rank[source] for source in before[name] if source in rank), default=-1)
        for target in after[name]:
            waits[target] -= 1
            if not waits[target]:
                ready.append(target)
    for name in part.nodes:
        if not before[name] and after[name]:
            rank[name] = max(0, min(rank[target] for target in after[name]) - 1)
    used = sorted(set(rank.values()))
    return [[name for name in part.nodes if rank[name] == level] for level in used]


def ordered(layers: list[list[str]], part: Graph) -> list[list[str]]:
    """Order within layers by the barycentre heuristic: sweeps that sort each layer by the mean place of its
    neighbours."""
    for sweep in (1, -1, 1):
        sequence = layers[::sweep]
        place: dict[str, float] = {}
        for k, layer in enumerate(sequence):
            mean = {}
            for i, name in enumerate(layer):
                near = [a if b == name else b for a, b in part.arrows if name in (a, b)]
                known = [place[other] for other in near if other in place]
                mean[name] = sum(known) / len(known) if known else (i + 0.5) / len(layer)
            if k:
                layer.sort(key=lambda name, mean=mean: mean[name])
            place |= {name: (i + 0.5) / len(layer) for i, name in enumerate(layer)}
    return layers
