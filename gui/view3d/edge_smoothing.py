"""Smooth shading and the edges that are drawn: from the angles between faces that share a side. Pure numpy: no Qt."""

from __future__ import annotations

import numpy as np

from .face_arrays import Mesh, areas_of, units_of

SMOOTH = np.cos(
    np.radians(34.0)
)  # faces that meet at a smaller angle are one surface, whose edges are not drawn
CLOSE = 1e-6  # corners this near are one, in units of the mesh's size


class Smoothing:
    """Corners whose faces share one normal, and edges; known from any pose in which the faces of a body meet."""

    def __init__(self, mesh: Mesh, vertices: np.ndarray):
        self.mesh = mesh
        count = len(mesh.faces)
        first = np.arange(4 * count)
        after = first + np.tile([1, 1, 1, -3], count)
        points = _points(mesh, vertices)
        low, high = np.minimum(points[first], points[after]), np.maximum(points[first], points[after])
        whole = low != high  # the side of a repeated corner is none
        normals = units_of(areas_of(vertices))
        one, other = _pairs(low, high, np.flatnonzero(whole))
        flat = (normals[one // 4] * normals[other // 4]).sum(axis=1) > SMOOTH
        smooth = np.zeros(4 * count, bool)
        smooth[one[flat]] = smooth[other[flat]] = True
        # sides of each face, twice where two share one
        self.drawn = (mesh.edges.ravel() & whole & ~smooth).reshape(-1, 4)
        # each side once: of two faces that share it, the first one's
        again = np.zeros(4 * count, bool)
        again[other] = True
        self.edges = first[self.drawn.ravel() & ~again]  # first corner of each
        self.ends = after[self.edges]
        beside = first // 4
        beside[one] = other // 4
        self.sides = np.column_stack((self.edges // 4, beside[self.edges]))  # faces of each edge
        self.groups, self.number = _groups(one[flat], other[flat], points, after, count)

    def normals(self, areas: np.ndarray) -> np.ndarray:
        """Unit normals of all corners in the world, (4 n, 3): the mean of their group's faces by `areas_of` them."""
        own = np.repeat(areas, 4, axis=0)
        summed = np.stack([np.bincount(self.groups, axis, self.number) for axis in own.T], axis=1)
        return units_of(summed)[self.groups]


def _points(mesh: Mesh, vertices: np.ndarray) -> np.ndarray:
    """Number of the point that each corner is at; corners of two blocks are never the same."""
    if not len(vertices):
        return np.zeros(0, int)
    names: dict[str, int] = {}
    blocks = np.repeat([names.setdefault(block, len(names)) for block in mesh.blocks], 4)
    size = float(np.ptp(vertices, axis=0).max()) or 1.0
    cells = np.rint(vertices / (CLOSE * size)).astype(np.int64)
    return np.unique(np.column_stack((blocks, cells)), axis=0, return_inverse=True)[1].reshape(-1)


def _pairs(low: np.ndarray, high: np.ndarray, sides: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sides that two faces share, and no third, by the first corner of each."""
    if not len(sides):
        return sides, sides
    ends = np.column_stack((low[sides], high[sides]))
    _, number, times = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
    number = number.reshape(-1)
    twice = sides[times[number] == 2]
    order = twice[np.argsort(number[times[number] == 2], kind="stable")]
    return order[0::2], order[1::2]


def _groups(
    one: np.ndarray, other: np.ndarray, points: np.ndarray, after: np.ndarray, count: int
) -> tuple[np.ndarray, int]:
    """Group of each corner, and how many there are: corners at one point, of faces joined by smooth sides there."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    same = points[one] == points[other]  # where the second face goes along the side in the same direction
    joined = [(one, np.where(same, other, after[other])), (after[one], np.where(same, after[other], other))]
    # a corner that is repeated in its face is one
    corners = np.arange(4 * count)
    twin = points[corners] == points[after]
    joined.append((corners[twin], after[twin]))
    rows, columns = (np.concatenate(ends) for ends in zip(*joined, strict=True))
    links = coo_array((np.ones(len(rows)), (rows, columns)), shape=(4 * count, 4 * count))
    number, groups = connected_components(links, directed=False)
    return groups, int(number)
