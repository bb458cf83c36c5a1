"""Shapes of imported robots, against what MuJoCo has and what stands in the files."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import gymnasium
import mujoco
import numpy as np
import pytest

import luff
from luff.blocks.geometry import rotations
from luff.gui.view3d.face_arrays import Mesh
from luff.gui.view3d.scene_model import scene_of
from luff.solver.exchange import read_model

ASSETS = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
G = mujoco.mjtGeom
KINDS = {
    G.mjGEOM_SPHERE: ("sphere", 1),
    G.mjGEOM_CAPSULE: ("capsule", 2),
    G.mjGEOM_CYLINDER: ("cylinder", 2),
    G.mjGEOM_BOX: ("box", 3),
}
CORNERS = np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.2, 0], [0, 0, 0.4]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def stl(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = b"".join(
        struct.pack("<12fH", 0, 0, 0, *CORNERS[face].astype(np.float32).ravel(), 0) for face in FACES
    )
    path.write_bytes(b"\0" * 80 + struct.pack("<I", len(FACES)) + rows)


def shapes_of(block: Any) -> list[Any]:
    return list(block.shapes_by_path().values())


@pytest.mark.parametrize("name", ["humanoid", "half_cheetah", "pusher"])
def test_bodies_look_as_in_mujoco(name: str) -> None:
    model = mujoco.MjModel.from_xml_path(str(ASSETS / f"{name}.xml"))
    blocks = luff.compile(luff.import_model(ASSETS / f"{name}.xml")).program.flat.blocks
    compared = 0
    for number in range(1, model.nbody):
        body = model.body(number)
        block = blocks[body.name if body.name in blocks else f"{body.name}_body"]
        seen = (model.geom_bodyid == number) & (model.geom_rgba[:, 3] > 0) & (model.geom_group <= 2)
        geoms = np.flatnonzero(seen).tolist()
        found = shapes_of(block)
        assert len(found) == len(geoms)
        for shape, k in zip(found, geoms, strict=True):
            kind, entries = KINDS[G(model.geom_type[k])]
            assert shape.kind == kind
            np.testing.assert_allclose(shape.sizes(), 2 * model.geom_size[k, :entries], rtol=1e-9)
            R, at = shape.pose()
            np.testing.assert_allclose(at, model.geom_pos[k], atol=1e-9)
            other = np.zeros(9)
            mujoco.mju_quat2Mat(other, model.geom_quat[k])
            if kind != "sphere":  # z is the axis, either way; about it all but boxes are round
                assert abs(R[:, 2] @ other.reshape(3, 3)[:, 2]) == pytest.approx(1.0)
            if shape.color is not None:
                parts = [int(shape.color[i : i + 2], 16) for i in (1, 3, 5)]
                np.testing.assert_allclose(parts, 255 * model.geom_rgba[k, :3], atol=0.51)
            compared += 1
    assert compared > 5


def test_a_mesh_of_mjcf_stands_where_mujoco_has_it(tmp_path: Path) -> None:
    stl(tmp_path / "parts" / "wedge.stl")
    (tmp_path / "robot.xml").write_text(
        """<mujoco><compiler meshdir="parts"/>
        <asset><mesh name="w" file="wedge.stl" scale="1 2 0.5" refpos="0.1 0 0.2"/>
        <material name="tin" rgba="0.2 0.4 0.6 1"/></asset>
        <worldbody><geom type="plane" size="5 5 1"/><geom type="box" size="0.1 0.2 0.3" pos="1 0 0"/>
        <body name="arm" pos="0 0 1"><joint type="hinge" axis="0 1 0"/>
        <geom type="mesh" mesh="w" pos="1 2 3" euler="10 20 30" material="tin"/>
        <geom type="ellipsoid" size="0.1 0.1 0.2"/><geom type="sphere" size="0.1" group="3"/></body>
        </worldbody></mujoco>"""
    )
    found = read_model(tmp_path / "robot.xml")
    told = "\n".join(found.note_lines)
    assert "luff draws no plane" in told
    assert "luff draws no ellipsoid" in told
    assert "viewer hides" in told
    diagram = luff.import_model(tmp_path / "robot.xml")
    arm: Any = diagram.blocks["arm"]["shape"]
    assert (arm["file"], arm["scale"], arm["color"]) == ("parts/wedge.stl", [1, 2, 0.5], "#336699")
    assert diagram.blocks["ground"]["shape"]["kind"] == "box"
    scene = scene_of(luff.compile(diagram))
    ours = scene.mesh.vertices(scene.start)[[block == "arm" for block in scene.mesh.blocks for _ in range(4)]]
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    k = int(np.flatnonzero(model.geom_type == G.mjGEOM_MESH)[0])
    theirs = model.mesh_vert @ data.geom_xmat[k].reshape(3, 3).T + data.geom_xpos[k]
    apart = np.linalg.norm(ours[:, None] - theirs[None], axis=2)
    assert apart.min(axis=1).max() < 1e-6
    assert apart.min(axis=0).max() < 1e-6


URDF = """<robot name="arm">
  <material name="tin"><color rgba="0.2 0.4 0.6 1"/></material>
  <link name="base"><visual><origin xyz="0 0 1" rpy="0 0 1.5"/><geometry>
    <mesh filename="package://robot_description/meshes/wedge.stl" scale="0.5 0.5 0.5"/></geometry>
    <material name="tin"/></visual>
    <visual><geometry><mesh filename="meshes/gone.stl"/></geometry></visual>
    <visual><geometry><mesh filename="meshes/old.dae"/></geometry></visual>
    <visual><geometry><mesh filename="meshes/wedge.stl" scale="1 -1 1"/></geometry></visual>
    <visual><geometry><mesh filename="meshes/torn.stl"/></geometry></visual>
  </link>
</robot>"""


def test_meshes_of_urdf_become_shapes_where_the_netlist_may_read_them(tmp_path: Path) -> None:
    package = tmp_path / "robot_description"
    stl(package / "meshes" / "wedge.stl")
    (package / "meshes" / "old.dae").write_text("<COLLADA/>")
    (package / "meshes" / "torn.stl").write_bytes(b"torn")
    (package / "arm.urdf").write_text(URDF)
    found = read_model(package / "arm.urdf")
    told = "\n".join(found.note_lines)
    for why in ("is not there", "not .dae", "mirrors", "has no triangles"):
        assert f"visual geometry (base): {'its file ' if 'is' in why or 'has' in why else ''}" in told
        assert why in told
    shape: Any = luff.import_model(package / "arm.urdf").blocks["base"]["shape"]
    assert (shape["file"], shape["scale"], shape["color"]) == ("meshes/wedge.stl", 0.5, "#336699")
    scene = scene_of(luff.compile(luff.import_model(package / "arm.urdf")))
    placed = 0.5 * CORNERS @ rotations.rotation_of_turns((((0, 0, 1), 1.5),)).T + [0, 0, 1]
    ours = Mesh(scene.skins).vertices(scene.start)  # whose faces are not cut for their painting
    assert np.linalg.norm(ours[:, None] - placed[None], axis=2).min(axis=1).max() < 1e-6
    # a netlist further up names it from there; one elsewhere may not read it
    above = read_model(package / "arm.urdf", folder=tmp_path)
    assert "file: robot_description/meshes/wedge.stl" in above.text
    (tmp_path / "elsewhere").mkdir()
    elsewhere = read_model(package / "arm.urdf", folder=tmp_path / "elsewhere")
    assert "wedge" not in elsewhere.text
    assert "write the netlist above it" in "\n".join(elsewhere.note_lines)


def test_no_robot_is_refused_for_its_looks(tmp_path: Path) -> None:
    """As robots are found: a box of no size, a mesh scaled by four numbers, a place of two; each is told."""
    (tmp_path / "body.stl").touch()
    geometries = {
        '<box size="0 0 0"/>': 'box: found size "0 0 0", expected numbers above zero',
        '<cylinder radius="1"/>': 'cylinder: found radius "1" and length "", expected numbers above zero',
        '<mesh filename="body.stl" scale="1 1 1 1"/>': 'mesh: scale: found "1 1 1 1", expected 3 numbers',
        '<mesh scale="1 1 1"/>': 'mesh: has no attribute "filename"',
    }
    visuals = "".join(f"<visual><geometry>{one}</geometry></visual>" for one in geometries)
    visuals += '<visual><origin xyz="0, 1"/><geometry><sphere radius="1"/></geometry></visual>'
    visuals += '<visual><geometry><sphere radius="0.5"/></geometry></visual>'
    inertia = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    (tmp_path / "arm.urdf").write_text(f'<robot name="arm"><link name="a">{inertia}{visuals}</link></robot>')
    found = read_model(tmp_path / "arm.urdf")
    assert found.text.count("kind:") == 1
    told = "\n".join(found.note_lines)
    for words in (*geometries.values(), 'origin: xyz: found "0, 1", expected 3 numbers'):
        assert f"visual geometry (a): {words}" in told
