"""All faces of a mechanism in a few arrays, so that a picture takes few calls. Pure numpy: nothing here knows Qt."""

from __future__ import annotations

import numpy as np

from .shapes import Shape
from .solids import faces_of

IDENTITY = np.concatenate((np.eye(3).ravel(), np.zeros(3)))


class Mesh:
    """Rigid shapes are meshed once, in the frame of their row; those between rows anew in each picture."""

    def __init__(self, shapes: list[Shape], start: np.ndarray):
        self.start = start
        self.moving = [shape for shape in shapes if len(set(shape.rows)) > 1]
        self.rows = np.zeros(0, int)
        self.local = np.zeros((0, 3))
        faces: list[np.ndarray] = []
        self.families: list[str] = []
        rows, local = [], []
        count = 0
        still = [shape for shape in shapes if len(set(shape.rows)) == 1]
        rest = np.tile(IDENTITY, (len(start), 1))
        for shape in still:
            for quad in _quads(faces_of(shape, rest)):
                faces.append(np.arange(count, count + 4))
                count += 4
                local.append(quad)
                rows += [shape.rows[0]] * 4
                self.families.append(shape.family)
        if local:
            self.rows, self.local = np.array(rows), np.concatenate(local)
        for shape in self.moving:
            for _ in _quads(faces_of(shape, start)):
                faces.append(np.arange(count, count + 4))
                count += 4
                self.families.append(shape.family)
        self.faces = np.array(faces, int).reshape(-1, 4)
        self._world = np.zeros((count, 3))

    def vertices(self, pose: np.ndarray) -> np.ndarray:
        """All corners in the world."""
        fixed = len(self.rows)
        if fixed:
            # row -1, the world, is the last of the table
            table = np.vstack((pose, IDENTITY))
            R, p = table[:, :9].reshape(-1, 3, 3), table[:, 9:]
            self._world[:fixed] = np.einsum("nij,nj->ni", R[self.rows], self.local) + p[self.rows]
        corners = [quad for shape in self.moving for quad in _quads(faces_of(shape, pose))]
        if corners and len(corners) * 4 == len(self._world) - fixed:
            self._world[fixed:] = np.concatenate(corners)
        return self._world

    def shades(self, pose: np.ndarray, light: np.ndarray) -> np.ndarray:
        """How much each face looks into the light, 0 to 1; after `vertices`."""
        quads = self._world[self.faces]
        normals = np.cross(quads[:, 1] - quads[:, 0], quads[:, 2] - quads[:, 0])
        lengths = np.linalg.norm(normals, axis=1)
        return np.abs(normals @ light) / np.where(lengths > 0, lengths, 1.0)


def _quads(faces: list[np.ndarray]) -> list[np.ndarray]:
    """Polygons as quads: a larger one becomes a fan, a triangle repeats a corner."""
    found = []
    for face in faces:
        if len(face) == 4:
            found.append(face)
            continue
        for k in range(1, len(face) - 1, 2):
            last = min(k + 2, len(face) - 1)
            found.append(face[[0, k, k + 1, last]])
    return found
