"""All faces of a mechanism in a few arrays, so that a picture takes few calls. Pure numpy: nothing here knows Qt."""

from __future__ import annotations

import numpy as np

from .shapes import Skin

IDENTITY = np.concatenate((np.eye(3).ravel(), np.zeros(3)))


class Mesh:
    """Corners in the frames of their rows, four to a face."""

    def __init__(self, skins: list[Skin]):
        corners: list[np.ndarray] = [np.zeros((0, 3))]
        rows: list[np.ndarray] = [np.zeros(0, int)]
        self.colours: list[str] = []
        self.blocks: list[str] = []
        self.edges: list[bool] = []
        for skin in skins:
            for k, face in enumerate(skin.faces):
                for quad in _quads(len(face)):
                    corners.append(face[quad])
                    rows.append(skin.rows_of(k)[quad])
                    self.colours.append(skin.colour)
                    self.blocks.append(skin.block)
                    self.edges.append(skin.edges)
        self.local, self.rows = np.concatenate(corners), np.concatenate(rows)
        self.faces = np.arange(len(self.local)).reshape(-1, 4)

    def vertices(self, pose: np.ndarray) -> np.ndarray:
        """All corners in the world."""
        # row -1, the world, is the last of the table
        table = np.vstack((pose, IDENTITY))
        R, p = table[:, :9].reshape(-1, 3, 3), table[:, 9:]
        return np.einsum("nij,nj->ni", R[self.rows], self.local) + p[self.rows]

    def normals(self, vertices: np.ndarray) -> np.ndarray:
        """Of unit length, outwards; across the diagonals, so that a corner that stands twice does no harm."""
        quads = vertices.reshape(-1, 4, 3)
        found = np.cross(quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1])
        lengths = np.linalg.norm(found, axis=1)
        return found / np.where(lengths > 0, lengths, 1.0)[:, None]


def _quads(corners: int) -> list[list[int]]:
    """A polygon as quads: a larger one becomes a fan, a triangle repeats a corner."""
    if corners == 4:
        return [[0, 1, 2, 3]]
    return [[0, k, k + 1, min(k + 2, corners - 1)] for k in range(1, corners - 1, 2)]
