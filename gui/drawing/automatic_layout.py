"""Automatic layout: the mechanism from the world on the left to the end effectors on the right, signals that feed it
above, signals that it feeds (controllers, filters) below. Pure Python: no Qt."""

from __future__ import annotations

from collections.abc import Iterable

from .card_geometry import GRID
from .layered_layout import GAP_X, GAP_Y, layered
from .layout_graph import Graph, Places
from .mechanism_layout import chains

CLEAR = 50.0  # between the mechanism and its signals
SIDEWAYS = 1.5  # px that a group rather moves aside than one px further out
BETWEEN = 80.0  # px from one row to the next
MOST_ROWS = 6
WORTH = 1.15  # least gain in scale that justifies another row
LONGEST, PAGE = 2500.0, 1.6  # px of a row whose names can be read on a screen; width over height of a page


def layout(graph: Graph, root: str = "world") -> Places:
    """Place of every node on the grid (top left corner)."""
    places = chains(graph, root)
    over, under = zones(graph)
    if not places:
        over, under = [], [*over, *under]
    above = Zone(graph, places, -1)
    for part in over:
        above.add(part)
    below = Zone(graph, places, 1)
    for part in under:
        below.add(part)
    return {
        name: (round(x / GRID) * float(GRID), round(y / GRID) * float(GRID))
        for name, (x, y) in {**places, **above.places, **below.places}.items()
    }


def zones(graph: Graph) -> tuple[list[Graph], list[Graph]]:
    """Signal groups above and below the mechanism: below those that read from it or feed it from below, above the
    others."""
    mechanical = {name for name, node in graph.nodes.items() if node.mechanical}
    hears = {target for source, target in graph.arrows if source in mechanical}
    above, below = [], []
    for part in components(graph, [name for name in graph.nodes if name not in mechanical]):
        low = hears & set(part.nodes) or any(node.low for node in part.nodes.values())
        (below if low else above).append(part)
    return above, below


def components(graph: Graph, names: Iterable[str]) -> list[Graph]:
    """Connected components of the named signal blocks, in the order of their first block."""
    names = list(names)
    near: dict[str, set[str]] = {name: set() for name in names}
    for a, b in graph.arrows:
        if a in near and b in near:
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
        nodes = {name: graph.nodes[name] for name in names if name in chosen}
        arrows = [(a, b) for a, b in graph.arrows if a in chosen and b in chosen and a != b]
        parts.append(Graph(nodes, [], arrows, graph.drops))
    return parts


class Zone:
    """Zone of signal groups above (-1) or below (1) the mechanism, each close to the blocks that it is wired to."""

    def __init__(self, graph: Graph, chain: Places, direction: int):
        self.graph, self.chain, self.direction = graph, chain, direction
        self.places: Places = {}
        # occupied intervals: left, right, extent
        self.taken: list[tuple[float, float, float]] = []
        self.floor = 0.0  # beside the mechanism
        for name, (x, y) in chain.items():
            node = graph.nodes[name]
            far = y + node.height if direction > 0 else -y
            self.taken.append((x, x + node.width, far + CLEAR))
            self.floor = max(self.floor, far + CLEAR)

    def add(self, part: Graph) -> None:
        places = layered(part)
        left = min(x for x, _ in places.values())
        top = min(y for _, y in places.values())
        width = max(x + part.nodes[name].width for name, (x, _) in places.items()) - left
        height = max(y + part.nodes[name].height for name, (_, y) in places.items()) - top
        x = self._room(self._centred_edge(part, width), width)
        level = self._level(x, x + width)
        y = level if self.direction > 0 else -level - height
        self.taken.append((x, x + width, level + height + GAP_Y))
        self.places |= {name: (px - left + x, py - top + y) for name, (px, py) in places.items()}

    def _room(self, wanted: float, width: float) -> float:
        """Left edge of a group with the least distance from the mechanism, sideways moves included in the cost."""
        lefts = {wanted, *(right + GAP_X / 2 for _, right, _ in self.taken)}
        lefts |= {start - GAP_X / 2 - width for start, _, _ in self.taken}
        best, price = wanted, float("inf")
        nearest = min((far for _, _, far in self.taken), default=0.0)
        for x in sorted((x for x in lefts if x >= 0), key=lambda x: (abs(x - wanted), x)):
            if abs(x - wanted) + SIDEWAYS * nearest >= price:
                break  # later candidates are further away
            cost = abs(x - wanted) + SIDEWAYS * self._level(x, x + width)
            if cost < price:
                best, price = x, cost
        return best

    def _centred_edge(self, part: Graph, width: float) -> float:
        """Left edge that centres a group on the blocks that it is wired to."""
        wired = [name for pair in self.graph.arrows if set(pair) & set(part.nodes) for name in pair]
        xs = [self.chain[name][0] + self.graph.nodes[name].width / 2 for name in wired if name in self.chain]
        return max(sum(xs) / len(xs) - width / 2, 0.0) if xs else 0.0

    def _level(self, left: float, right: float) -> float:
        """Distance at which a group between `left` and `right` clears everything placed there."""
        near = [far for a, b, far in self.taken if a < right + GAP_X / 2 and b > left - GAP_X / 2]
        return max(near, default=self.floor)


def page_layout(graph: Graph) -> Places:
    """Place of every node of a diagram without a layout: a row that no screen shows at a readable size folds."""
    places = layout(graph)
    return wrapped(places, graph, PAGE) if places and _size(places, graph)[0] > LONGEST else places


def wrapped(places: Places, graph: Graph, aspect: float) -> Places:
    """Layout cut between the mechanism's columns if that allows a larger scale; signals stay with their column.
    `aspect` is width over height of the window."""
    if not places:
        return places
    best, size = places, _scale(places, graph, aspect)
    for rows in range(2, MOST_ROWS + 1):
        other = _in_rows(places, graph, rows)
        scale = _scale(other, graph, aspect)
        if scale > WORTH * size:
            best, size = other, scale
    return best


def _scale(places: Places, graph: Graph, aspect: float) -> float:
    width, height = _size(places, graph)
    return min(aspect / width, 1.0 / height)


def _size(places: Places, graph: Graph) -> tuple[float, float]:
    """Width and height of a layout."""
    left, top = min(x for x, _ in places.values()), min(y for _, y in places.values())
    right = max(x + graph.nodes[name].width for name, (x, _) in places.items())
    bottom = max(y + graph.nodes[name].height for name, (_, y) in places.items())
    return right - left, bottom - top


def _in_rows(places: Places, graph: Graph, rows: int) -> Places:
    chain = [name for name in places if graph.nodes[name].mechanical] or list(places)
    columns = sorted({places[name][0] for name in chain})
    left, right = columns[0], max(places[name][0] + graph.nodes[name].width for name in chain)
    wanted = [left + (right - left) * k / rows for k in range(1, rows)]
    cuts = sorted({min(columns[1:], key=lambda x, at=at: abs(x - at)) for at in wanted if columns[1:]})
    strips: list[list[str]] = [[] for _ in range(len(cuts) + 1)]
    for name, (x, _) in places.items():
        strips[sum(x >= cut for cut in cuts)].append(name)
    placed: Places = {}
    floor = 0.0
    for strip, start in zip(strips, [left, *cuts], strict=True):
        if not strip:
            continue
        top = min(places[name][1] for name in strip)
        for name in strip:
            x, y = places[name]
            placed[name] = (x - start, y - top + floor)
        bottom = max(placed[name][1] + graph.nodes[name].height for name in strip)
        floor = -(-(bottom + BETWEEN) // GRID) * GRID
    return placed
