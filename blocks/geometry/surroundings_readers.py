"""Triangles of surroundings: PLY meshes and point clouds (meshio), and products of IFC models (ifcopenshell)."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import LuffError


class Complete(io.BytesIO):
    """File whose end is an error: meshio looks for the end of a header for ever."""

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(size)
        if not line:
            raise ValueError("it ends where a line is expected")
        return line


def read_ply(data: bytes, _: Path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles; polygons as fans, and each point of a cloud as a triangle without a size."""
    try:
        import meshio
    except ImportError:
        raise LuffError("PLY files are read by meshio", fix="pip install 'luff[fem]'") from None
    try:
        mesh: Any = meshio.read(Complete(data), "ply")  # type: ignore[arg-type]  # it takes open files too
    except (meshio.ReadError, SystemExit, KeyError, AssertionError) as error:
        raise ValueError(str(error)) from None
    polygons = [np.asarray(block.data) for block in mesh.cells if np.ndim(block.data) == 2]
    fans = [
        np.stack((cells[:, [0] * (cells.shape[1] - 2)], cells[:, 1:-1], cells[:, 2:]), axis=2).reshape(-1, 3)
        for cells in polygons
        if cells.shape[1] >= 3
    ]
    points = np.asarray(mesh.points, float)
    faces = np.concatenate(fans) if fans else np.repeat(np.arange(len(points))[:, None], 3, axis=1)
    return points, faces


def read_ifc(data: bytes, _: Path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices in metres and triangles of all products of an IFC model, openings and spaces left out."""
    try:
        import ifcopenshell
        import ifcopenshell.geom as geometry
    except ImportError:
        raise LuffError("IFC models are read by ifcopenshell", fix="pip install 'luff[ifc]'") from None
    module: Any = ifcopenshell
    try:
        model = module.file.from_string(data.decode("utf-8", "replace"))
    except (module.Error, RuntimeError) as error:
        raise ValueError(str(error)) from None
    if model is None:
        raise ValueError("no IFC model")
    settings: Any = geometry.settings()
    settings.set("use-world-coords", True)
    products: Any = geometry.iterator(settings, model, 1, exclude=["IfcOpeningElement", "IfcSpace"])
    vertices, faces, count = [np.zeros((0, 3))], [np.zeros((0, 3), int)], 0
    more = products.initialize()
    while more:
        shape = products.get().geometry
        own = np.array(shape.verts, float).reshape(-1, 3)
        vertices.append(own)
        faces.append(np.array(shape.faces, int).reshape(-1, 3) + count)
        count += len(own)
        more = products.next()
    return np.concatenate(vertices), np.concatenate(faces)
