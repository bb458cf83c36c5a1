"""Meshes and FMUs that were made to harm, or are damaged: one error each, with the name of the file."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from luff.blocks.errors import LuffError
from luff.blocks.foreign import fmu_description
from luff.blocks.geometry.mesh_readers import read_mesh
from luff.tests.blocks.test_shapes import glb, gltf, numbers, obj, stl_binary

BIG = "9" * 30
TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"


def changed_gltf(**changes: object) -> bytes:
    """With other numbers in its accessors and views: `count=...`, `byteOffset=...`."""
    document = gltf(numbers())
    for name, value in changes.items():
        section = "bufferViews" if name.startswith("byte") else "accessors"
        document[section][0][name] = value
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("face.obj", f"{TRIANGLE}f 1 2 {BIG}\n".encode()),
        ("negative.obj", f"{TRIANGLE}f 1 2 -{BIG}\n".encode()),
        ("digits.obj", f"{TRIANGLE}f 1 2 {'9' * 5000}\n".encode()),
        ("vertex.obj", f"v 0 0 1e{BIG}\n{TRIANGLE}f 1 2 3\n".encode()),
        ("nan.obj", f"v 0 0 nan\n{TRIANGLE}f 1 2 3\n".encode()),
        ("single.obj", f"v 0 0 1e300\n{TRIANGLE}f 1 2 3\n".encode()),
        ("count.gltf", changed_gltf(count=int(BIG))),
        ("offset.gltf", changed_gltf(byteOffset=int(BIG))),
        ("negative.gltf", changed_gltf(byteOffset=-4)),
        ("stride.gltf", changed_gltf(byteStride=int(BIG))),
        ("half.gltf", changed_gltf(count=2.5)),
        ("infinite.gltf", changed_gltf(count=float("inf"))),
        ("deep.gltf", b"[" * 100_000),
        ("cut.glb", glb()[:40]),
        ("nan.stl", stl_binary()[:96] + struct.pack("<f", np.nan) + stl_binary()[100:]),
    ],
)
def test_numbers_of_a_mesh_beyond_all_bounds_are_told(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(LuffError, match=f"{name}: (is not a complete mesh|has a)"):
        read_mesh(tmp_path / name)


def test_a_sound_mesh_is_still_read(tmp_path: Path) -> None:
    (tmp_path / "box.obj").write_bytes(obj())
    assert len(read_mesh(tmp_path / "box.obj")[1]) == 12


DESCRIPTION = (
    '<fmiModelDescription fmiVersion="3.0"><CoSimulation modelIdentifier="m"/></fmiModelDescription>'
)


@pytest.mark.parametrize(
    "way", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_damaged_archives_are_told(way: int, tmp_path: Path) -> None:
    """Every single byte of one wrong, and every length: what is read is the description, or an error."""
    path = tmp_path / "m.fmu"
    with zipfile.ZipFile(path, "w", way) as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION * 1 + " " * 40)
    whole = path.read_bytes()
    assert fmu_description._read_fmu(path, "m.fmu").identifier == "m"
    for k in range(len(whole)):
        for damaged in (whole[:k], whole[:k] + bytes([whole[k] ^ 0xFF]) + whole[k + 1 :]):
            path.write_bytes(damaged)
            try:
                assert fmu_description._read_fmu(path, "m.fmu").identifier == "m"
            except LuffError as error:
                assert '"m.fmu"' in str(error)  # noqa: PT017 -- both ends are right


@pytest.mark.parametrize("encoding", ["nothing-known", "utf-32", "rot13", "hex", "idna", "undefined"])
def test_encodings_of_a_description_are_told(encoding: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "m.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", f'<?xml version="1.0" encoding="{encoding}"?>{DESCRIPTION}')
    with pytest.raises(LuffError, match=r"m\.fmu"):
        fmu_description._read_fmu(tmp_path / "m.fmu", "m.fmu")
