"""Solids of shapes that touch: convex cores swept by a ball, with their corners and edges."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import numpy as np

from ..errors import LuffError, Problem
from ..multibody_parts import Solid, Vec
from .body_shapes import FIELD, SURFACE, Shape

ROUNDING = 0.01  # default radius of edges over the smallest size
RIM_CORNERS = 8  # points on which a cylinder stands on its end
RIM_INSET = 0.05  # their distance from the rim over the radius: rolling does not meet them
TOUCHING = ("sphere", "capsule", "box", "cylinder", "plane", "mesh", FIELD, SURFACE)
TRIM = 0.25  # length by which edges end before corners, over the rounding: so corners on corners count less often
FEATURELESS = 1e-9  # lengths over the size below which an edge is a point


def solid_of(shape: Shape, place: str = "") -> Solid:
    """Solid of a shape that is no mesh (`touching_hulls.py`) and no height field (`height_fields.py`).

    Parameters
    ----------
    shape : Shape
        The shape.
    place : str
        Place of the shape in its block, for messages.

    Returns
    -------
    Solid
        Core, corners, edges and rounding.

    Raises
    ------
    LuffError
        The shape cannot touch, or its rounding leaves no core.
    """
    if shape.kind not in TOUCHING:
        raise LuffError(Problem(f"found a {shape.kind}, expected {', '.join(TOUCHING)}", place))
    if shape.kind == "plane":
        return Solid("plane", bound=math.inf)
    sizes = shape.sizes()
    if shape.kind == "sphere":
        return Solid("sphere", (0.0, 0.0, 0.0), sizes[0] / 2.0, sizes[0] / 2.0, ((0.0, 0.0, 0.0),))
    if shape.kind == "capsule":
        r, half = sizes[0] / 2.0, sizes[1] / 2.0
        ends = ((0.0, 0.0, -half), (0.0, 0.0, half))
        return Solid("capsule", (0.0, 0.0, half), r, half + r, ends, tuple(edges_between([ends], r, 0.0)))
    r = rounding_of(shape, min(sizes), place)
    if shape.kind == "box":
        return box(tuple(size / 2.0 - r for size in sizes), r)
    return cylinder(sizes[0] / 2.0 - r, sizes[1] / 2.0 - r, r)


def rounding_of(shape: Shape, smallest: float, place: str) -> float:
    """Radius of the edges: given, or a share of the smallest size; it leaves a core."""
    r = ROUNDING * smallest if shape.round is None else shape.round
    if not 2.0 * r < smallest:
        raise LuffError(
            Problem(
                f"found {r:g} m, expected less than half of the smallest size, {smallest:g} m",
                f"{place}.round",
            )
        )
    return r


def box(half: Vec, r: float) -> Solid:
    """Box with a core of these half extents."""
    corners = [tuple(np.multiply(signs, half).tolist()) for signs in itertools.product((-1.0, 1.0), repeat=3)]
    ends = [
        (a, b)
        for a, b in itertools.combinations(corners, 2)
        if sum(x != y for x, y in zip(a, b, strict=True)) == 1
    ]
    bound = float(np.linalg.norm(half)) + r
    return Solid("box", half, r, bound, tuple(corners), tuple(edges_between(ends, r, TRIM * r)))


def cylinder(radius: float, half: float, r: float) -> Solid:
    """Cylinder with a core of this radius and half length; corners and chords lie within its rims."""
    inner = radius - RIM_INSET * (radius + r)
    turns = [2.0 * math.pi * k / RIM_CORNERS for k in range(RIM_CORNERS)]
    corners: list[Vec] = []
    ends: list[tuple[Vec, Vec]] = []
    for z in (-half, half):
        ring = [(inner * math.cos(turn), inner * math.sin(turn), z) for turn in turns]
        corners += ring
        ends += zip(ring, [*ring[1:], ring[0]], strict=True)
    bound = math.hypot(radius, half) + r
    return Solid(
        "cylinder", (radius, radius, half), r, bound, tuple(corners), tuple(edges_between(ends, r, TRIM * r))
    )


def edges_between(ends: Iterable[tuple[Vec, Vec]], r: float, trim: float) -> Iterable[Vec]:
    """Rows of `Model.edge`: start, span and radius of edges, shortened at both ends; none of what nothing is left."""
    for first, last in ends:
        a, way = np.array(first), np.subtract(last, first)
        length = float(np.linalg.norm(way))
        if length - 2.0 * trim > FEATURELESS * length:
            start, span = a + way * (trim / length), way * (1.0 - 2.0 * trim / length)
            yield (*start.tolist(), *span.tolist(), r)


def family_of(a: Solid, b: Solid) -> str:
    """Kernel of a pair."""
    kinds = {a.kind, b.kind}
    if FIELD in kinds:
        return "touch_ground_round" if "cylinder" in kinds else "touch_ground"
    if "cylinder" in kinds:
        return "touch_mixed" if "hull" in kinds else "touch_round"
    return "touch_hull" if "hull" in kinds else "touch_flat"
