"""Row wrapping: a long layout cut into rows that fill the window. Pure Python: no Qt."""

from __future__ import annotations

from .card_geometry import GRID
from .layout_graph import Graph, Places

BETWEEN = 80.0  # px from one row to the next
MOST_ROWS = 6
WORTH = 1.15  # how much larger the diagram must show for another row


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
    left, top = min(x for x, _ in places.values()), min(y for _, y in places.values())
    right = max(x + graph.nodes[name].width for name, (x, _) in places.items())
    bottom = max(y + graph.nodes[name].height for name, (_, y) in places.items())
    return min(aspect / (right - left), 1.0 / (bottom - top))


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
