"""Triangles out of STL (binary and text), OBJ, glTF, MSH, PLY and IFC files."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np

from ..errors import LuffError
from ..text.safe_read import file_content
from .gltf import read_glb, read_gltf
from .surroundings_readers import read_ifc, read_ply


def read_mesh(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (single precision, as in STL and in MuJoCo) and the triangles between them."""
    suffix = path.suffix.lower()
    if suffix not in READERS:
        raise LuffError("is not a mesh that luff reads", path=str(path), fix=f"save it as {ENDINGS}")
    data = file_content(path, "a mesh")
    if data is None:
        raise LuffError("cannot read it: No such file or directory", path=str(path))
    try:
        with np.errstate(all="ignore"):  # what comes of numbers beyond all bounds is looked at below
            vertices, faces = READERS[suffix](data, path.parent)
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        RecursionError,
        ArithmeticError,
        struct.error,
    ):
        raise LuffError("is not a complete mesh", path=str(path), fix="save it again") from None
    if len(faces) == 0:
        raise LuffError("has no triangles", path=str(path))
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise LuffError("has a triangle of vertices that it does not have", path=str(path))
    with np.errstate(over="ignore"):
        single = vertices.astype(np.float32).astype(float)
    if not np.isfinite(single).all():
        raise LuffError("has a vertex whose place is not finite", path=str(path), fix="save it again")
    return single, faces


def _stl(data: bytes, _: Path) -> tuple[np.ndarray, np.ndarray]:
    count = struct.unpack_from("<I", data, 80)[0] if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count:
        record = np.dtype([("corners", "<f4", (4, 3)), ("attribute", "<u2")])
        corners = np.frombuffer(data, record, count, 84)["corners"][:, 1:].reshape(-1, 3)
    else:
        words = [line.split() for line in data.decode("ascii", "replace").splitlines()]
        corners = np.array([[float(w) for w in line[1:4]] for line in words if line[:1] == ["vertex"]])
    return np.asarray(corners, float).reshape(-1, 3), np.arange(len(corners)).reshape(-1, 3)


def _obj(data: bytes, _: Path) -> tuple[np.ndarray, np.ndarray]:
    vertices: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for line in data.decode("utf-8", "replace").splitlines():
        word, *rest = line.split() or [""]
        if word == "v":
            vertices.append([float(number) for number in rest[:3]])
        elif word == "f":
            corners = [int(corner.partition("/")[0]) for corner in rest]
            corners = [k - 1 if k > 0 else len(vertices) + k for k in corners]
            faces += [(corners[0], b, c) for b, c in pairwise(corners[1:])]
    return np.array(vertices, float).reshape(-1, 3), np.array(faces, int).reshape(-1, 3)


def _msh(data: bytes, _: Path) -> tuple[np.ndarray, np.ndarray]:
    """Four counts; then vertices, normals, texture coordinates, and faces."""
    vertices, normals, texture, faces = struct.unpack_from("<4i", data)
    if min(vertices, normals, texture, faces) < 0:
        raise ValueError("a negative count")
    behind = 16 + 12 * (vertices + normals) + 8 * texture
    corners = np.frombuffer(data, "<f4", 3 * vertices, 16)
    return corners.reshape(-1, 3).astype(float), np.frombuffer(data, "<i4", 3 * faces, behind).reshape(-1, 3)


Reader = Callable[[bytes, Path], tuple[np.ndarray, np.ndarray]]
READERS: dict[str, Reader] = {
    ".stl": _stl, ".obj": _obj, ".msh": _msh, ".glb": read_glb, ".gltf": read_gltf, ".ply": read_ply, ".ifc": read_ifc,
}  # fmt: skip
ENDINGS = re.sub(", ([^,]*)$", r" or \1", ", ".join(READERS))  # in words


def hull(vertices: np.ndarray) -> np.ndarray:
    """Triangles of the convex hull, their normals outwards."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(vertices)
    except QhullError:
        raise LuffError("a mesh is flat or has fewer than four vertices: it has no hull") from None
    faces = hull.simplices.copy()
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    inwards = np.einsum("fi,fi->f", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    faces[inwards] = faces[inwards][:, ::-1]
    return faces
