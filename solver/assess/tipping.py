"""Stability on pads that only push: moments about the edges between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Edge:
    """Between two pads, which are numbered as they were given; `inward` is the unit normal towards the others."""

    first: int
    second: int
    point: Floats
    inward: Floats

    def distance(self, places: Floats) -> Floats:
        return (places - self.point) @ self.inward


def edges_of(places: Sequence[Sequence[float]]) -> list[Edge]:
    """The edges of the polygon around all pads, counter-clockwise."""
    points = np.array(places, float)
    order = hull(points)
    edges = []
    for a, b in zip(order, [*order[1:], *order[:1]], strict=True):
        along = points[b] - points[a]
        inward = np.array([-along[1], along[0]]) / np.linalg.norm(along)
        edges.append(Edge(a, b, points[a], inward))
    return edges


def hull(points: Floats) -> list[int]:
    """Corners of the convex polygon around points, counter-clockwise (Andrew's chain)."""
    order = sorted(range(len(points)), key=lambda k: (points[k][0], points[k][1]))

    def half(numbers: list[int]) -> list[int]:
        chain: list[int] = []
        for k in numbers:
            while len(chain) > 1 and _turn(points[chain[-2]], points[chain[-1]], points[k]) <= 0.0:
                chain.pop()
            chain.append(k)
        return chain

    lower, upper = half(order), half(order[::-1])
    return [*lower[:-1], *upper[:-1]]


def _turn(a: Floats, b: Floats, c: Floats) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


@dataclass(frozen=True)
class Reserve:
    """The least stabilising over overturning moment: about which edge, and in which row."""

    value: float
    edge: Edge
    row: int
    curve: Floats  # the least of all edges, row by row


def least_reserve(
    forces: Floats, places: Sequence[Sequence[float]], weight: float | None, at: Sequence[float] | None
) -> Reserve:
    """From the pads' forces, a column each.

    Their moment about an edge is what holds the crane less what tips it. `weight` at `at` holds; without it, all that
    the pads carry counts as if it stood in their middle.
    """
    points = np.array(places, float)
    total = forces.sum(axis=1)
    middle = points.mean(axis=0) if at is None else np.array(at, float)
    best: Reserve | None = None
    curve = np.full(len(forces), np.inf)
    for edge in edges_of(places):
        net = forces @ edge.distance(points)
        holding = (total if weight is None else np.full(len(total), weight)) * float(edge.distance(middle))
        tipping = holding - net
        with np.errstate(divide="ignore", invalid="ignore"):
            reserve = np.where(tipping > 1e-12 * np.abs(holding), holding / tipping, np.inf)
        # nothing stands on the pads: nothing holds
        reserve = np.where(total <= 0.0, 0.0, reserve)
        curve = np.minimum(curve, reserve)
        row = int(np.argmin(reserve))
        if best is None or reserve[row] < best.value:
            best = Reserve(float(reserve[row]), edge, row, curve)
    assert best is not None
    return Reserve(best.value, best.edge, best.row, curve)
