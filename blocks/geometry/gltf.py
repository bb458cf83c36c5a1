"""Triangles out of glTF 2.0, as one binary file (.glb) or as text (.gltf); numbers stay in the file's own axes."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from ..errors import LuffError
from ..text.safe_read import file_content, whole_path

Triangles = tuple[np.ndarray, np.ndarray]
COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
TRIANGLES = 4  # of the modes of a primitive
JSON, BINARY = b"JSON", b"BIN\0"


def read_glb(data: bytes, folder: Path) -> Triangles:
    magic, version, length = struct.unpack_from("<4sII", data)
    if magic != b"glTF" or version != 2 or length != len(data):
        raise ValueError("no binary glTF 2.0")
    chunks, at = {}, 12
    while at < length:
        size, kind = struct.unpack_from("<I4s", data, at)
        chunks.setdefault(kind, data[at + 8 : at + 8 + size])
        at += 8 + size
    return _Reader(json.loads(chunks[JSON]), chunks.get(BINARY, b""), folder).triangles()


def read_gltf(data: bytes, folder: Path) -> Triangles:
    return _Reader(json.loads(data.decode("utf-8-sig")), b"", folder).triangles()


class _Reader:
    def __init__(self, document: dict[str, Any], binary: bytes, folder: Path):
        self.document, self.binary, self.folder = document, binary, folder
        self.met: set[int] = set()  # nodes: each stands once, or few could name more than any memory holds
        if document.get("extensionsRequired"):
            needed = ", ".join(map(str, document["extensionsRequired"]))
            raise LuffError(
                f"needs the glTF extension {needed}, which luff does not read", fix="save it plainly"
            )

    def triangles(self) -> Triangles:
        vertices, faces, count = [np.zeros((0, 3))], [np.zeros((0, 3), int)], 0
        scene = self.document["scenes"][self.document.get("scene", 0)]
        for node in scene.get("nodes", []):
            for corners, sides in self._below(node, np.eye(4)):
                vertices.append(corners)
                faces.append(sides + count)
                count += len(corners)
        return np.concatenate(vertices), np.concatenate(faces)

    def _below(self, number: int, outer: np.ndarray) -> Iterator[Triangles]:
        if number in self.met:
            raise ValueError("a node inside two others, or in itself")
        self.met.add(number)
        node = self.document["nodes"][number]
        place = outer @ _place(node)
        if "mesh" in node:
            for primitive in self.document["meshes"][node["mesh"]]["primitives"]:
                if primitive.get("mode", TRIANGLES) == TRIANGLES:
                    yield self._primitive(primitive, place)
        for child in node.get("children", []):
            yield from self._below(child, place)

    def _primitive(self, primitive: dict[str, Any], place: np.ndarray) -> Triangles:
        corners = self._accessor(primitive["attributes"]["POSITION"]).astype(float)
        if "indices" in primitive:
            sides = self._accessor(primitive["indices"]).astype(int).reshape(-1, 3)
        else:
            sides = np.arange(len(corners)).reshape(-1, 3)
        if np.linalg.det(place[:3, :3]) < 0.0:
            sides = sides[:, ::-1]  # a mirrored part looks outwards again
        return corners @ place[:3, :3].T + place[:3, 3], sides

    def _accessor(self, number: int) -> np.ndarray:
        accessor = self.document["accessors"][number]
        if "sparse" in accessor:
            raise LuffError("has sparse arrays, which luff does not read", fix="save it plainly")
        view = self.document["bufferViews"][accessor["bufferView"]]
        kind, width = np.dtype(COMPONENTS[accessor["componentType"]]), WIDTHS[accessor["type"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride") or width * kind.itemsize
        return np.ndarray(
            (accessor["count"], width), kind, self._buffer(view["buffer"]), start, (stride, kind.itemsize)
        )

    def _buffer(self, number: int) -> bytes:
        uri = self.document["buffers"][number].get("uri")
        if uri is None:
            return self.binary
        if uri.startswith("data:"):
            return base64.b64decode(uri.partition(",")[2], validate=True)
        path = whole_path(self.folder, unquote(uri))
        if path.parent != self.folder.resolve():
            raise LuffError("keeps its numbers in a file of another folder", fix="save it as .glb")
        buffer = file_content(path, "the numbers of a mesh")
        if buffer is None:
            raise LuffError(f'there is no file "{uri}" beside it', fix="save it as .glb")
        return buffer


def _place(node: dict[str, Any]) -> np.ndarray:
    if "matrix" in node:
        return np.array(node["matrix"], float).reshape(4, 4).T
    x, y, z, w = node.get("rotation", (0.0, 0.0, 0.0, 1.0))
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    place = np.eye(4)
    place[:3, :3] = R * np.array(node.get("scale", (1.0, 1.0, 1.0)), float)
    place[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return place
