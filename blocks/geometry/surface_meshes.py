"""Surfaces from which distances are measured: triangles, or points, as they are, whether convex or not."""

from __future__ import annotations

import numpy as np

from ..multibody_parts import Solid
from .body_shapes import Files, Shape


def surface_of(shape: Shape, files: Files) -> Solid:
    """Solid of a surface: its triangles, each with a ball around it in the place of a face; swept by a ball of `round`.

    Parameters
    ----------
    shape : Shape
        The surface.
    files : Files
        Where it is read.

    Returns
    -------
    Solid
        The triangles, in the axes of the mesh.
    """
    vertices, faces = files.triangles(shape)
    corners = vertices[faces]
    middles = 0.5 * (corners.min(axis=1) + corners.max(axis=1))
    radii = np.linalg.norm(corners - middles[:, None], axis=2).max(axis=1)
    bound = float(np.linalg.norm(vertices, axis=1).max())
    r = shape.round or 0.0
    return Solid(
        "surface", (0.0, 0.0, 0.0), r, bound + r, tuple(map(tuple, vertices.tolist())),
        faces=tuple(map(tuple, np.column_stack((middles, radii)).tolist())), loops=tuple(map(tuple, faces.tolist())),
    )  # fmt: skip
