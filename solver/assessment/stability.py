"""Stability on pads that only push: moments about the edges between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
ROUNDING = 64.0 * np.finfo(float).eps  # of moments that are sums of some tens of products


@dataclass(frozen=True)
class PadEdge:
    """Edge between two pads, numbered as they were given; `inward` is the unit normal towards the others."""

    first: int
    second: int
    point: Floats
    inward: Floats

    def distance(self, places: Floats) -> Floats:
        return (places - self.point) @ self.inward


def pad_edges(places: Sequence[Sequence[float]]) -> list[PadEdge]:
    """The edges of the polygon around all pads, counter-clockwise."""
    points = np.array(places, float)
    order = convex_hull(points)
    edges = []
    for a, b in zip(order, [*order[1:], *order[:1]], strict=True):
        along = points[b] - points[a]
        inward = np.array([-along[1], along[0]]) / np.linalg.norm(along)
        edges.append(PadEdge(a, b, points[a], inward))
    return edges


def convex_hull(points: Floats) -> list[int]:
    """Corners of the convex polygon around points, counter-clockwise (Andrew's chain)."""
    order = sorted(range(len(points)), key=lambda k: (points[k][0], points[k][1]))

    def half(numbers: list[int]) -> list[int]:
        chain: list[int] = []
        for k in numbers:
            while len(chain) > 1 and _orientation(points[chain[-2]], points[chain[-1]], points[k]) <= 0.0:
                chain.pop()
            chain.append(k)
        return chain

    lower, upper = half(order), half(order[::-1])
    return [*lower[:-1], *upper[:-1]]


def _orientation(a: Floats, b: Floats, c: Floats) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def edge_ratios(places: Sequence[Sequence[float]]) -> list[tuple[list[float], list[float]]]:
    """Weights of the pads' forces in the distance from each edge at which they press, and in their moment.

    A reserve is least where one of these turns: with a weight of its own where the moment does, without where the
    distance does.
    """
    points = np.array(places, float)
    arms = [edge.distance(points).tolist() for edge in pad_edges(places)]
    ones = [1.0] * len(points)
    return [(arm, ones) for arm in arms] + [(arm, [0.0] * len(points)) for arm in arms]


@dataclass(frozen=True)
class Moments:
    """Moments about one edge [N m], row by row: what keeps the crane on it, and what turns it over."""

    stabilising: Floats
    overturning: Floats

    @property
    def tips(self) -> NDArray[np.bool_]:
        """Mask of the rows in which everything stands on the edge itself, within the rounding of the moments."""
        net = self.stabilising - self.overturning
        return net <= ROUNDING * (np.abs(self.stabilising) + np.abs(self.overturning))


def finite(forces: Floats) -> Floats:
    """Infinite forces have no moments: they are no numbers."""
    return np.where(np.isfinite(forces), forces, np.nan)


def moments(
    edge: PadEdge,
    forces: Floats,
    places: Sequence[Sequence[float]],
    weight: float | None,
    at: Sequence[float] | None,
) -> Moments:
    """Moments about an edge of the weight that is told apart, and of all else that the pads carry.

    Each counts by its sign: what stands inside of the edge stabilises, what stands outside overturns. Without a weight
    all that the pads carry counts as if it stood in their middle, and the rest is what moves it from there.
    """
    points, forces = np.array(places, float), finite(forces)
    total = forces.sum(axis=1)
    middle = points.mean(axis=0) if at is None else np.array(at, float)
    dead = (total if weight is None else np.full(len(total), weight)) * float(edge.distance(middle))
    rest = forces @ edge.distance(points) - dead
    stabilising, overturning = (
        np.maximum(sign * dead, 0.0) + np.maximum(sign * rest, 0.0) for sign in (1.0, -1.0)
    )
    return Moments(stabilising, overturning)


@dataclass(frozen=True)
class StabilityReserve:
    """The least stabilising over overturning moment: about which edge, and in which row."""

    value: float
    edge: PadEdge
    row: int
    curve: Floats  # the least of all edges, row by row


def least_stability_reserve(
    forces: Floats, places: Sequence[Sequence[float]], weight: float | None, at: Sequence[float] | None
) -> StabilityReserve:
    """Least stability reserve about all edges of the pads, in both directions, over all rows of the pads' forces [N].

    `forces` has a column for each pad; the reserve is NaN if a force is NaN.

    Infinite where nothing overturns; 1 where the crane tips; 0 where nothing stands on the pads.
    """
    total = finite(forces).sum(axis=1)
    best: StabilityReserve | None = None
    curve = np.full(len(forces), np.inf)
    for edge in pad_edges(places):
        about = moments(edge, forces, places, weight, at)
        with np.errstate(divide="ignore", invalid="ignore"):
            reserve = np.where(about.overturning <= 0.0, np.inf, about.stabilising / about.overturning)
        reserve = np.where(about.tips, np.minimum(reserve, 1.0), reserve)
        reserve = np.where(total <= 0.0, 0.0, reserve)
        curve = np.minimum(curve, reserve)
        row = int(np.argmin(reserve))
        # a force that is no number is one about every edge, and so the first
        if best is None or reserve[row] < best.value:
            best = StabilityReserve(float(reserve[row]), edge, row, curve)
    assert best is not None
    return StabilityReserve(best.value, best.edge, best.row, curve)
