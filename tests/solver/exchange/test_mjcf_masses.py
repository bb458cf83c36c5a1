"""Masses, centres of mass and inertias of MJCF's bodies, geoms and meshes, against MuJoCo's compiler."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.bench.robots import mujoco
from luff.solver.exchange import read_model
from luff.solver.exchange.located_xml import read_xml
from luff.solver.exchange.mesh_files import MeshFiles
from luff.solver.exchange.mjcf import read_mjcf
from luff.solver.exchange.robot_tree import Robot
from luff.tests.solver.exchange.mjcf_models import compiled, written

pytestmark = pytest.mark.usefixtures("own_folder")


def robot_of(path: Path) -> Robot:
    return read_mjcf(read_xml(path), path, MeshFiles(path.parent))


def same_masses(folder: Path, text: str, tolerance: float = 1e-9) -> Robot:
    """Every body weighs what MuJoCo's compiler makes of it."""
    model = compiled(text)
    robot = robot_of(written(folder, text))
    assert len(robot.bodies) == model.nbody - 1
    for k, body in enumerate(robot.bodies, 1):
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, model.body_iquat[k])
        R = R.reshape(3, 3)
        J = R @ np.diag(model.body_inertia[k]) @ R.T
        assert body.inertia.mass == pytest.approx(model.body_mass[k], rel=1e-12)
        np.testing.assert_allclose(body.inertia.com, model.body_ipos[k], atol=1e-12)
        np.testing.assert_allclose(body.inertia.about_com, J, atol=tolerance * np.abs(J).max())
    return robot


SHAPES = ["sphere", "box", "capsule", "cylinder", "ellipsoid"]


@pytest.mark.parametrize("hollow", ["false", "true"])
def test_geoms_weigh_what_mujoco_says(tmp_path: Path, hollow: str) -> None:
    bodies = "".join(
        f"""<body><freejoint/><geom type="{kind}" size="0.3 0.2 0.5" pos="0.1 0 0.2" euler="10 20 30"
        {weight} shellinertia="{hollow}"/></body>"""
        for kind in SHAPES
        for weight in ('mass="2"', 'density="300"')
    )
    same_masses(tmp_path, f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")


@pytest.mark.parametrize("way", ["convex", "exact", "legacy", "shell"])
def test_meshes_weigh_what_mujoco_says(tmp_path: Path, way: str) -> None:
    # an L-shaped prism: its hull is larger, and pyramids from its middle overlap
    outline = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 4), (0, 4)]
    vertices = " ".join(f"{0.1 * x} {0.1 * y} {z}" for z in (0.0, 0.25) for x, y in outline)
    ends = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    faces = [(c, b, a) for a, b, c in ends] + [(a + 6, b + 6, c + 6) for a, b, c in ends]
    for a in range(6):
        b = (a + 1) % 6
        faces += [(a, b, b + 6), (a, b + 6, a + 6)]
    numbers = " ".join(str(k) for face in faces for k in face)
    text = f"""<mujoco><asset><mesh name="m" vertex="{vertices}" face="{numbers}" inertia="{way}"
        refpos="0.1 0 0.2" refquat="0.9 0.1 0.3 0" scale="1 2 0.5"/></asset>
        <worldbody><body><freejoint/><geom type="mesh" mesh="m" pos="1 2 3" euler="10 20 30" density="700"/>
        </body></worldbody></mujoco>"""
    robot = same_masses(tmp_path, text)
    if way == "exact":  # 6 squares of 0.1 m x 0.1 m, stretched by 1, 2 and 0.5; vertices in single precision
        assert robot.bodies[0].inertia.mass == pytest.approx(700 * 0.06 * 0.25 * 1 * 2 * 0.5, rel=1e-6)


def test_mesh_files_are_read(tmp_path: Path) -> None:
    """A tetrahedron in each format weighs density a b c / 6."""
    corners = [(0, 0, 0), (2, 0, 0), (0, 3, 0), (0, 0, 4)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    obj = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {a + 1}//1 {b + 1} {c + 1}/2" for a, b, c in faces]
    (tmp_path / "m.obj").write_text("\n".join(obj))
    triangles = [[corners[k] for k in face] for face in faces]
    binary = b"\0" * 80 + struct.pack("<I", 4)
    for one in triangles:
        binary += struct.pack("<12fH", 0, 0, 0, *[float(x) for corner in one for x in corner], 0)
    (tmp_path / "m.stl").write_bytes(binary)
    msh = struct.pack("<4i", 4, 0, 0, 4) + struct.pack(
        "<12f", *[float(x) for corner in corners for x in corner]
    )
    (tmp_path / "m.msh").write_bytes(msh + struct.pack("<12i", *[k for face in faces for k in face]))
    for file in ("m.obj", "m.stl", "m.msh"):
        model = f"""<mujoco><asset><mesh name="m" file="{file}" inertia="exact"/></asset><worldbody><body name="b">
            <freejoint/><geom type="mesh" mesh="m" density="5"/></body></worldbody></mujoco>"""
        body = luff.import_model(written(tmp_path, model)).blocks["b"]
        assert float(body["mass"].split()[0]) == pytest.approx(20, rel=1e-6), file  # single precision
        assert body["com"] == pytest.approx([0.5, 0.75, 1], rel=1e-6), file


def test_masses_follow_the_settings_of_the_compiler(tmp_path: Path) -> None:
    body = """<body><freejoint/><inertial pos="0 0 0" mass="1e-3" diaginertia="1 2 4"/>
        <geom size="0.1" group="1"/><geom size="0.2" pos="1 0 0" group="3"/></body>"""
    for settings in (
        'balanceinertia="true" boundmass="0.5"',
        'balanceinertia="true" boundinertia="3"',
        'inertiafromgeom="true"',
        'inertiafromgeom="true" inertiagrouprange="2 4"',
        'inertiafromgeom="true" settotalmass="7"',
    ):
        same_masses(tmp_path, f"<mujoco><compiler {settings}/><worldbody>{body}{body}</worldbody></mujoco>")


def test_meshes_without_files_weigh_and_are_not_drawn(tmp_path: Path) -> None:
    assets = {"made": 'builtin="cone" params="8 0.5"', "bare": 'vertex="0 0 0  1 0 0  0 1 0  0 0 1"'}
    geoms = "".join(f'<geom type="mesh" mesh="{name}"/>' for name in assets)
    meshes = "".join(f'<mesh name="{name}" {rest}/>' for name, rest in assets.items())
    text = f"""<mujoco><asset>{meshes}</asset><worldbody><body name="arm"><joint name="j"/>
      <inertial mass="2" pos="0 0 0" diaginertia="1 1 1"/>{geoms}</body></worldbody></mujoco>"""
    read = read_model(written(tmp_path, text))
    assert "look of geoms (2: arm): its vertices stand in no file" in read.note_lines
    assert "kind: mesh" not in read.text
    assert luff.loads(read.text).blocks["arm"]["mass"] == "2 kg"
