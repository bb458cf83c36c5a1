"""Shapes of bodies: masses against MuJoCo and closed forms, files of meshes, and what is told of mistakes."""

from __future__ import annotations

import base64
import json
import struct
from itertools import product
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import luff
from luff.blocks import LuffError
from luff.blocks.geometry import rotations
from luff.blocks.geometry.body_shapes import DRAWN, FIELD, SIZES
from luff.blocks.geometry.mesh_readers import read_mesh
from luff.blocks.mechanics.bodies import ShapedBlock
from luff.blocks.registry import registered
from luff.gui.view3d.body_faces import faces_of

# the corners of a box of 2 x 3 x 4, and its sides as triangles that look outwards
CORNERS = np.array(list(product((-1.0, 1.0), (-1.5, 1.5), (-2.0, 2.0))))
SIDES = np.array(
    [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ]
)  # fmt: skip


def netlist(link: dict[str, Any]) -> str:
    body = json.dumps({"type": "rigid_link", **link})
    return f"luff: 1\nblocks:\n  body: {body}\nconnect: [world.frame -- body.frame_a]\n"


def weigh(
    shape: dict[str, Any], base: Path | None = None, **more: Any
) -> tuple[float, np.ndarray, np.ndarray]:
    """As the mechanism has it: mass, com, inertia about the com."""
    sim = luff.compile(luff.loads(netlist({"shape": shape, **more}), base=base))
    ((_, body, _, _),) = sim.program.mechanism.bodies
    return body.mass, np.array(body.com), rotations.inertia_matrix(body.inertia)


# MuJoCo takes radii and half lengths
CASES = {
    "box": ([0.4, 0.6, 1.0], "0.2 0.3 0.5"),
    "cylinder": ([0.4, 1.2], "0.2 0.6"),
    "capsule": ([0.3, 1.0], "0.15 0.5"),
    "sphere": (0.8, "0.4"),
}


@pytest.mark.parametrize("kind", [kind for kind in SIZES if kind not in (*DRAWN, FIELD)])
def test_masses_are_those_of_mujoco(kind: str) -> None:
    size, halves = CASES[kind]
    mass, com, J = weigh(
        {
            "kind": kind,
            "size": size,
            "at": [0.1, -0.2, 0.3],
            "rotate": [["x", "30 deg"], ["z", "-70 deg"]],
            "density": "2 t/m^3",
        }
    )
    geom = f'type="{kind}" size="{halves}" density="2000" pos="0.1 -0.2 0.3" euler="30 0 -70"'
    model: Any = mujoco.MjModel.from_xml_string(  # type: ignore[attr-defined]
        f"<mujoco><worldbody><body><freejoint/><geom {geom}/></body></worldbody></mujoco>"
    )
    assert mass == pytest.approx(model.body_mass[1], rel=1e-12)
    np.testing.assert_allclose(com, model.body_ipos[1], atol=1e-12)
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[1])  # type: ignore[attr-defined]
    R = R.reshape(3, 3)
    np.testing.assert_allclose(J, R @ np.diag(model.body_inertia[1]) @ R.T, rtol=1e-9, atol=1e-9 * mass)


def test_further_shapes_add_to_the_mass() -> None:
    """Two balls on a massless rod: m r^2 each, and 2/5 m R^2 of its own."""
    ball = {"kind": "sphere", "size": 0.2, "density": 1000}
    rod = {"kind": "cylinder", "size": [0.01, 2]}
    mass, com, J = weigh({**ball, "at": [0, 0, 1]}, shapes={"low": {**ball, "at": [0, 0, -1]}, "rod": rod})
    one = 1000 * 4 / 3 * np.pi * 0.1**3
    assert mass == pytest.approx(2 * one)
    np.testing.assert_allclose(com, 0, atol=1e-15)
    own = 0.4 * 2 * one * 0.1**2
    np.testing.assert_allclose(np.diag(J), [own + 2 * one, own + 2 * one, own], rtol=1e-12)


# --- meshes --------------------------------------------------------------------------------------------------------


def stl_text() -> bytes:
    lines = ["solid box"]
    for side in SIDES:
        points = "".join("vertex {} {} {}\n".format(*CORNERS[k]) for k in side)
        lines.append(f"facet normal 0 0 0\nouter loop\n{points}endloop\nendfacet")
    return "\n".join([*lines, "endsolid box"]).encode()


def stl_binary() -> bytes:
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *CORNERS[side].ravel(), 0) for side in SIDES)
    return bytes(80) + struct.pack("<I", len(SIDES)) + rows


def obj() -> bytes:
    corners = "".join("v {} {} {}\n".format(*corner) for corner in CORNERS)
    return (corners + "".join("f {} {} {}\n".format(*(side + 1)) for side in SIDES)).encode()


def gltf(binary: bytes | None = None, node: dict[str, Any] | None = None) -> dict[str, Any]:
    """The half of the box above x = 0 and its mirror image would overlap: one node, placed by the test."""
    buffer = {"byteLength": 12 * 8 + 36 * 2}
    return {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"children": [1], **(node or {})}, {"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 96},
            {"buffer": 0, "byteOffset": 96, "byteLength": 72},
        ],
        "buffers": [
            buffer
            if binary is None
            else {
                **buffer,
                "uri": "data:application/octet-stream;base64," + base64.b64encode(binary).decode(),
            }
        ],
    }


def numbers() -> bytes:
    return CORNERS.astype("<f4").tobytes() + SIDES.astype("<u2").tobytes()


def glb(node: dict[str, Any] | None = None) -> bytes:
    text = json.dumps(gltf(node=node)).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<I4s", len(text), b"JSON") + text
    body += struct.pack("<I4s", len(numbers()), b"BIN\0") + numbers()
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


FILES = {
    "text.stl": stl_text,
    "binary.STL": stl_binary,
    "box.obj": obj,
    "box.glb": glb,
    "box.gltf": lambda: json.dumps(gltf(numbers())).encode(),
}


@pytest.mark.parametrize("name", FILES)
def test_meshes_weigh_as_the_box_that_they_are(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(FILES[name]())
    shape = {"kind": "mesh", "file": name, "scale": [0.1, 0.1, 0.2], "density": 1000, "at": [1, 0, 0]}
    mass, com, J = weigh(shape, tmp_path)
    same = weigh({"kind": "box", "size": [0.2, 0.3, 0.8], "density": 1000, "at": [1, 0, 0]})
    assert mass == pytest.approx(same[0])
    np.testing.assert_allclose(com, same[1], atol=1e-12)
    np.testing.assert_allclose(J, same[2], atol=1e-9)


def test_nodes_of_gltf_place_turn_and_mirror_their_meshes(tmp_path: Path) -> None:
    half = np.sqrt(0.5)  # a quarter turn about z
    node = {"translation": [1, 2, 3], "rotation": [0, 0, half, half], "scale": [1, 1, -2]}
    (tmp_path / "box.glb").write_bytes(glb(node))
    vertices, faces = read_mesh(tmp_path / "box.glb")
    np.testing.assert_allclose(vertices.min(axis=0), [1 - 1.5, 2 - 1, 3 - 4], atol=1e-6)
    np.testing.assert_allclose(vertices.max(axis=0), [1 + 1.5, 2 + 1, 3 + 4], atol=1e-6)
    volume = np.linalg.det(vertices[faces] - vertices.mean(axis=0)).sum() / 6
    assert volume == pytest.approx(48, rel=1e-6)  # outwards, although mirrored


def test_numbers_of_gltf_lie_in_a_file_whose_name_is_written_as_an_address(tmp_path: Path) -> None:
    document = gltf()
    document["buffers"][0]["uri"] = "the%20numbers.bin"
    (tmp_path / "box.gltf").write_text(json.dumps(document))
    (tmp_path / "the numbers.bin").write_bytes(numbers())
    assert len(read_mesh(tmp_path / "box.gltf")[1]) == len(SIDES)


# --- mistakes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("link", "place", "told"),
    [
        ({"shape": {"kind": "cone"}}, "body.shape.kind", "expected one of box"),
        ({"shape": {"size": [1, 2]}}, "body.shape.size", r"expected \[x, y, z\]"),
        ({"shape": {"size": [1, 2, 0]}}, "body.shape.size[2]", "> 0"),
        ({"shape": {"kind": "sphere"}}, "body.shape", "found no size of a sphere"),
        ({"shape": {"kind": "sphere", "size": 1, "file": "a.stl"}}, "body.shape.file", "with a sphere"),
        ({"shape": {"kind": "mesh"}}, "body.shape", "without a file"),
        (
            {"shape": {"kind": "mesh", "file": "none.stl", "density": 1}},
            "body.shape.file",
            "there is no such file",
        ),
        ({"shape": {"kind": "mesh", "file": "../away.stl"}}, "body.shape.file", "outside of the netlist"),
        ({"shape": {"kind": "mesh", "file": "open.obj", "density": 1}}, "body.shape.density", "not closed"),
        (
            {"shape": {"kind": "mesh", "file": "bad.glb", "density": 1}},
            "body.shape.file",
            "not a complete mesh",
        ),
        (
            {"shape": {"kind": "mesh", "file": "odd.dae", "density": 1}},
            "body.shape.file",
            ".obj, .msh, .glb, .gltf, .ply or .ifc",
        ),
        # each ends where meshio waits for more
        *(
            (
                {"shape": {"kind": "mesh", "file": f"{name}.ply", "density": 1}},
                "body.shape.file",
                "not a complete mesh",
            )
            for name in ("odd", "header")
        ),
        ({"shape": {"size": [1, 1, 1], "color": "rouge"}}, "body.shape.color", "rrggbb"),
        ({"mass": 1, "shape": {"size": [1, 1, 1], "density": 1}}, "body.shape.density", "density and mass"),
        ({"shape": {"kind": "hook", "size": 1, "density": 1}}, "body.shape.density", "only drawn"),
        (
            {"shapes": {"hook": {"kind": "sphere", "size": 1, "scale": 2}}},
            "body.shapes.hook.scale",
            "with a sphere",
        ),
    ],
)
def test_mistakes_are_told_with_their_place(
    link: dict[str, Any], place: str, told: str, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "away.stl").write_bytes(stl_text())
    (folder / "open.obj").write_bytes(obj().rpartition(b"f ")[0])
    (folder / "bad.glb").write_bytes(glb()[:-3])
    (folder / "odd.ply").write_bytes(b"ply")
    (folder / "odd.dae").write_bytes(b"odd")
    (folder / "header.ply").write_bytes(b"ply\nformat ascii 1.0\ncomment end_header\nelement vertex 3\n")
    with pytest.raises(LuffError, match=told) as caught:
        luff.compile(luff.loads(netlist(link), base=folder))
    (problem,) = caught.value.problems
    assert f"blocks.{place}" == problem.path
    assert problem.mark is not None


@pytest.mark.parametrize("file", ["none.stl", "bad.glb", "odd.ply"])
def test_a_mesh_that_weighs_nothing_is_left_out_with_a_warning(file: str, tmp_path: Path) -> None:
    (tmp_path / "bad.glb").write_bytes(glb()[:-3])
    (tmp_path / "odd.ply").write_bytes(b"ply")
    link = {"mass": 2, "inertia": [1, 1, 1]}
    diagram = luff.loads(netlist(link | {"shape": {"kind": "mesh", "file": file}}), base=tmp_path)
    (problem,) = diagram.check()
    assert (problem.severity, problem.path) == ("warning", "blocks.body.shape.file")
    assert file in problem.message
    sim = luff.compile(diagram)
    bare = luff.compile(luff.loads(netlist(link)))
    assert sim.derivative(0.0, sim.x0) == pytest.approx(bare.derivative(0.0, bare.x0), abs=0.0)
    body = sim.program.flat.blocks["body"]
    assert isinstance(body, ShapedBlock)
    assert faces_of(body.shapes_by_path()[".shape"], body.meshes) == []


def test_flexible_links_weigh_by_their_section_alone() -> None:
    cls = registered()["rfem_link"]
    link = {**cls.example, "type": "rfem_link", "shape": {"size": [1, 1, 1], "density": 1}}
    with pytest.raises(LuffError, match="section and rho"):
        luff.compile(luff.loads(netlist(link)))


def test_shapes_come_back_from_a_file_as_they_were(tmp_path: Path) -> None:
    text = netlist({"mass": "2 kg", "shape": {"kind": "sphere", "size": "20 cm", "color": "#ccc"}})
    diagram = luff.loads(text)
    diagram.save(tmp_path / "a.yaml")
    again = luff.load(tmp_path / "a.yaml")
    assert again.to_yaml() == text
    assert again.value("body.shape.size") == "20 cm"


@pytest.mark.parametrize("nodes", [[{"children": [k + 1, k + 1]} for k in range(60)], [{"children": [0]}]])
def test_nodes_of_gltf_that_are_no_tree_are_refused(nodes: list[dict[str, Any]], tmp_path: Path) -> None:
    """Sixty levels that name the next one twice would be 2^60 boxes."""
    document = gltf(numbers())
    document["nodes"] = [*nodes, {"mesh": 0}]
    (tmp_path / "box.gltf").write_text(json.dumps(document))
    with pytest.raises(luff.LuffError, match="is not a complete mesh"):
        read_mesh(tmp_path / "box.gltf")


def test_json_of_gltf_without_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "box.gltf").write_text(100_000 * "[")
    with pytest.raises(luff.LuffError, match="is not a complete mesh"):
        read_mesh(tmp_path / "box.gltf")
