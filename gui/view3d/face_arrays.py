"""Mesh arrays of a mechanism, so that a picture takes few numpy calls, and their shading. Pure numpy: no Qt."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .scene_shapes import Bend, Skin

IDENTITY = np.concatenate((np.eye(3).ravel(), np.zeros(3)))
MOST = 12  # parts of a side
CLOSE = 1e-6  # corners this near are one, in units of the size of their solid
Quad = tuple[np.ndarray, np.ndarray]  # four corners, and which of the sides after them are edges
LIGHT_FROM = np.array([0.35, -0.5, 0.79]) / np.linalg.norm([0.35, -0.5, 0.79])
CONTACT = 0.03  # height that counts as ground contact, in units of the mechanism's size
OPAQUE = 0.75  # opacity of the water


class Mesh:
    """Mesh of quads with vertices in the frames of their rows; long faces on one row are split to at most `longest`.

    Pages paint faces back to front by their centres, which orders only small faces correctly; stresses change from face
    to face along a link, and only faces that are near to the ground darken it. A mesh with `like` is split in the same
    way as that one, so that vertices correspond.
    """

    def __init__(self, skins: list[Skin], longest: float = np.inf, like: Mesh | None = None):
        self.counts: list[tuple[int, int]] = []  # parts of each quad, along and across
        known = iter(like.counts if like else ())
        corners: list[np.ndarray] = [np.zeros((0, 3))]
        rows: list[np.ndarray] = [np.zeros(0, int)]
        edges: list[np.ndarray] = [np.zeros((0, 4), bool)]
        self.colours: list[str] = []
        self.blocks: list[str] = []
        back: list[float] = []
        # with its first vertex, and the point of each vertex
        self.bends: list[tuple[Bend, int, np.ndarray]] = []
        for skin in skins:
            first, points = 4 * len(self.colours), []
            whole = not isinstance(skin.rows, int) or skin.bend is not None or like is not None
            alike = {} if whole else matching_counts(skin.faces, longest)
            for k, face in enumerate(skin.faces):
                own = skin.rows_of(k)
                for places, sides in _quads(len(face)):
                    quad = face[places], sides & skin.edges
                    counts = (1, 1) if whole else alike.get(k) or _counts(quad[0], longest)
                    if skin.bend is not None:
                        points.append(skin.numbers[k][places])
                    self.counts.append(next(known, counts))
                    for part, lines in _parts(quad, *self.counts[-1]):
                        corners.append(part)
                        rows.append(own[places])
                        edges.append(lines[None])
                        self.colours.append(skin.colour)
                        self.blocks.append(skin.block)
                        back.append(skin.back)
            if skin.bend is not None:
                self.bends.append((skin.bend, first, np.concatenate([np.zeros(0, int), *points])))
        self.local, self.rows = np.concatenate(corners), np.concatenate(rows)
        self.edges, self.back = np.concatenate(edges), np.array(back)
        self.faces = np.arange(len(self.local)).reshape(-1, 4)

    def vertices(self, pose: np.ndarray) -> np.ndarray:
        """All vertices in the world frame [m]."""
        # row -1, the world, is the last of the table
        table = np.vstack((pose, IDENTITY))
        R, p = table[:, :9].reshape(-1, 3, 3), table[:, 9:]
        return np.einsum("nij,nj->ni", R[self.rows], self._bent(pose)) + p[self.rows]

    def _bent(self, pose: np.ndarray) -> np.ndarray:
        """All vertices in the frames of their rows, flexible bodies as their modes bend them [m]."""
        if not self.bends:
            return self.local
        local = self.local.copy()
        for bend, first, points in self.bends:
            local[first : first + len(points)] += bend.moved(pose)[points]
        return local


def areas_of(vertices: np.ndarray) -> np.ndarray:
    """Vectors along the outward normals of quads, twice as long as their areas; from the diagonals, so that a repeated
    corner does not matter."""
    quads = vertices.reshape(-1, 4, 3)
    return np.cross(quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1])


def units_of(vectors: np.ndarray) -> np.ndarray:
    """Unit vectors; zero where there is no direction."""
    lengths = np.linalg.norm(vectors, axis=1)
    return vectors / np.where(lengths > 0, lengths, 1.0)[:, None]


def _quads(corners: int) -> Iterator[tuple[list[int], np.ndarray]]:
    """Split a polygon into quads: a fan, with inner sides that are no edges; a triangle repeats a corner."""
    if corners == 4:
        yield [0, 1, 2, 3], np.ones(4, bool)
        return
    last = corners - 1
    for k in range(1, last, 2):
        end = min(k + 2, last)
        yield [0, k, k + 1, end], np.array([k == 1, True, end > k + 1, end == last])


def matching_counts(faces: list[np.ndarray], longest: float) -> dict[int, tuple[int, int]]:
    """Parts of the faces with four corners, along and across, such that those of two faces meet on their common side:
    opposite sides, and so sides of a whole strip of faces, have as many as the longest of them needs."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    chosen = [k for k, face in enumerate(faces) if len(face) == 4]
    if not chosen or not np.isfinite(longest):
        return {}
    corners = np.array([faces[k] for k in chosen])
    size = float(np.ptp(corners.reshape(-1, 3), axis=0).max()) or 1.0
    cells = np.rint(corners.reshape(-1, 3) / (CLOSE * size))
    points = np.unique(cells, axis=0, return_inverse=True)[1].reshape(-1, 4)
    ends = np.sort(np.stack((points, np.roll(points, -1, axis=1)), axis=2), axis=2)
    number = np.unique(ends.reshape(-1, 2), axis=0, return_inverse=True)[1].reshape(-1, 4)
    one, other = number[:, :2].ravel(), number[:, 2:].ravel()
    links = coo_array((np.ones(len(one)), (one, other)), shape=(number.max() + 1,) * 2)
    strip = connected_components(links, directed=False)[1][number]
    lengths = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    needed = np.zeros(int(strip.max()) + 1)
    np.maximum.at(needed, strip, lengths)
    return {
        k: (_count(float(needed[along]) / longest), _count(float(needed[across]) / longest))
        for k, (along, across) in zip(chosen, strip[:, :2], strict=True)
    }


def _counts(corners: np.ndarray, longest: float) -> tuple[int, int]:
    a, b, c, d = corners
    along, across = max(_far(a, b), _far(d, c)), max(_far(b, c), _far(a, d))
    return _count(along / longest), _count(across / longest)


def _parts(quad: Quad, along: int, across: int) -> Iterator[Quad]:
    """Split a quad into a grid of smaller quads."""
    (a, b, c, d), sides = quad
    if along == across == 1:
        yield quad
        return
    u, v = np.linspace(0, 1, along + 1)[:, None, None], np.linspace(0, 1, across + 1)[None, :, None]
    grid = (1 - v) * ((1 - u) * a + u * b) + v * ((1 - u) * d + u * c)
    for i in range(along):
        for j in range(across):
            outer = np.array([j == 0, i == along - 1, j == across - 1, i == 0])
            part = np.array([grid[i, j], grid[i + 1, j], grid[i + 1, j + 1], grid[i, j + 1]])
            yield part, sides & outer


def _far(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(b - a))


def _count(share: float) -> int:
    return int(np.clip(np.ceil(share - 1e-9), 1, MOST))


def shade(normals: np.ndarray, towards: np.ndarray) -> np.ndarray:
    """Brightness of faces, 0 to 1: a sun, the sky above and a lamp at the eye; unit vectors in the view's frame."""
    sun, lamp = (np.clip(normals @ way, 0.0, 1.0) for way in (LIGHT_FROM, towards))
    return 0.5 * sun + 0.3 * (0.5 + 0.5 * normals[:, 2]) + 0.2 * lamp
