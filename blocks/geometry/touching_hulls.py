"""Convex hulls of meshes as solids that touch: the core is the hull with its faces moved inwards by the rounding."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
from scipy.optimize import linprog, nnls
from scipy.spatial import ConvexHull, HalfspaceIntersection, KDTree, QhullError

from ..errors import LuffError, Problem
from ..multibody_parts import Solid
from . import solid_inertia
from .body_shapes import Files, Shape, is_closed_surface
from .touching_solids import TRIM, edges_between, rounding_of

MOST_CORNERS = 128  # of a core: each pair of edges is a feature
ONE_PLANE = (
    1e-7  # difference of unit normals, and of distances over the size, up to which triangles are one face
)


def hull_of(shape: Shape, files: Files, place: str) -> Solid:
    """Solid of a mesh's convex hull, in the axes of the mesh.

    Parameters
    ----------
    shape : Shape
        The mesh.
    files : Files
        Where it is read.
    place : str
        Place of the shape in its block, for messages.

    Returns
    -------
    Solid
        The hull.

    Raises
    ------
    LuffError
        The mesh is flat, or has no room for the rounding.
    """
    vertices, _ = files.triangles(shape)
    smallest = float(np.ptp(vertices, axis=0).min())
    if smallest == 0.0:
        raise _flat(place)
    r = rounding_of(shape, smallest, place)
    return _hull_of_points(vertices.tobytes(), r, place)


def _flat(place: str) -> LuffError:
    """Mistake of a mesh without volume."""
    return LuffError(Problem("found a mesh whose points lie in one plane, expected a solid", place))


@functools.lru_cache(maxsize=32)
def _hull_of_points(data: bytes, r: float, place: str) -> Solid:
    vertices = np.frombuffer(data).reshape(-1, 3)
    size = float(np.ptp(vertices, axis=0).max())
    try:
        hull = ConvexHull(vertices)
    except QhullError:
        raise _flat(place) from None
    outer = core_points(hull.equations, r, size, place)
    if len(outer) <= MOST_CORNERS:
        return polyhedron(outer, r, size)
    inner = coarse_hull(outer, MOST_CORNERS)
    # what both are swept by adds nothing to their distance
    return replace(polyhedron(inner, r, size), miss=max(distance_from_hull(one, inner) for one in outer))


def coarse_hull(points: np.ndarray, count: int) -> np.ndarray:
    """Choose up to `count` corners of a hull: the extremes, then each time the one that lies furthest outside."""
    flat = ONE_PLANE * float(np.ptp(points, axis=0).max())
    chosen = sorted({int(k) for k in (*points.argmin(axis=0), *points.argmax(axis=0))})
    while np.linalg.matrix_rank(points[chosen] - points[chosen[0]], tol=flat) < 3:
        apart = np.linalg.norm(points[:, None] - points[chosen], axis=2).min(axis=1)
        chosen.append(int(apart.argmax()))
    hull = ConvexHull(points[chosen], incremental=True)
    while len(hull.vertices) < count:
        heights = points @ hull.equations[:, :3].T + hull.equations[:, 3]
        outside = heights.max(axis=1)
        order = np.argsort(-outside)
        if not outside[order[0]] > flat:
            break
        # of each face the furthest, as far as they are half as far as the furthest of all
        _, first = np.unique(heights[order].argmax(axis=1), return_index=True)
        furthest = order[np.sort(first)]
        furthest = furthest[outside[furthest] > 0.5 * outside[order[0]]]
        hull.add_points(points[furthest[: count - len(hull.vertices)]])
    return hull.points[hull.vertices]


def distance_from_hull(point: np.ndarray, corners: np.ndarray) -> float:
    """Upper bound of a point's distance from the hull of corners, within rounding: to the mean by the best weights."""
    size = float(abs(corners - point).max()) or 1.0
    rows = np.vstack(((corners - point).T / size, np.full(len(corners), 1e6)))
    weights, _ = nnls(rows, np.array([0.0, 0.0, 0.0, 1e6]))
    return float(np.linalg.norm(weights @ (corners - point) / weights.sum()))


def hollow_share(shape: Shape, files: Files) -> float | None:
    """Volume of a mesh's convex hull beyond the mesh's own, over its own; None of a mesh that encloses none."""
    vertices, faces = files.triangles(shape)
    outwards = (faces, faces[:, ::-1])  # some files have all triangles the other way round
    closed = next((each for each in outwards if is_closed_surface(vertices, each)), None)
    if closed is None:
        return None
    return float(ConvexHull(vertices).volume / solid_inertia.mesh(vertices, closed, "exact").mass - 1.0)


def core_points(planes: np.ndarray, r: float, size: float, place: str) -> np.ndarray:
    """Corners of a core with these face planes (n, -d), each moved inwards by r."""
    planes = planes[_distinct_planes(planes, size)]
    moved = planes + np.array([0.0, 0.0, 0.0, r])
    # centre and radius of the largest ball in the core
    ball = linprog(
        [0, 0, 0, -1], np.c_[moved[:, :3], np.ones(len(moved))], -moved[:, 3], bounds=[(None, None)] * 4
    )
    if not (ball.success and ball.x[3] > ONE_PLANE * size):
        message = f"found a rounding of {r:g} m, which leaves nothing of the mesh's hull"
        raise LuffError(Problem(message, f"{place}.round", "give a smaller one"))
    points = HalfspaceIntersection(moved, ball.x[:3]).intersections
    core = ConvexHull(points)
    points = points[core.vertices]
    return points[_separate_points(points, ONE_PLANE * size)]


def polyhedron(points: np.ndarray, r: float, size: float) -> Solid:
    """Solid whose core has these corners."""
    core = ConvexHull(points)
    faces, loops, ends = [], [], dict[tuple[int, int], None]()
    for face in core.equations[_distinct_planes(core.equations, size)]:
        n, d = face[:3], -face[3]
        on = np.flatnonzero(abs(points @ n - d) < 10.0 * ONE_PLANE * size)
        loop = _ordered_corners(points, on, n)
        faces.append((*n.tolist(), float(d)))
        loops.append(loop)
        ends |= dict.fromkeys(tuple(sorted(pair)) for pair in zip(loop, [*loop[1:], loop[0]], strict=True))
    corners = [tuple(point) for point in points.tolist()]
    half = tuple(abs(points).max(axis=0).tolist())
    bound = float(np.linalg.norm(points, axis=1).max()) + r
    edges = edges_between([(corners[a], corners[b]) for a, b in ends], r, TRIM * r)
    return Solid("hull", half, r, bound, tuple(corners), tuple(edges), tuple(faces), tuple(loops))


def _distinct_planes(planes: np.ndarray, size: float) -> list[int]:
    """Numbers of planes, one of each set of equal ones."""
    return _separate_points(planes / [1.0, 1.0, 1.0, size], ONE_PLANE, np.inf)


def _separate_points(points: np.ndarray, least: float, norm: float = 2.0) -> list[int]:
    """Numbers of points, without those that lie closer than `least` to one that is kept before them."""
    tree = KDTree(points)
    left = np.ones(len(points), bool)
    kept: list[int] = []
    for k, point in enumerate(points):
        if left[k]:
            kept.append(k)
            near = np.array(tree.query_ball_point(point, 1.001 * least, norm))
            left[near[np.linalg.norm(points[near] - point, norm, axis=1) < least]] = False
    return kept


def _ordered_corners(points: np.ndarray, on: np.ndarray, n: np.ndarray) -> tuple[int, ...]:
    """Corners of a face, counter-clockwise about its normal."""
    middle = points[on].mean(axis=0)
    u = points[on[0]] - middle
    u = u / np.linalg.norm(u)
    angles = np.arctan2((points[on] - middle) @ np.cross(n, u), (points[on] - middle) @ u)
    return tuple(on[np.argsort(angles)].tolist())
