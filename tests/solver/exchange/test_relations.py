"""Joints that follow others: mimic joints of URDF against Pinocchio, joint equalities of MJCF against MuJoCo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingImports]
import pytest

import luff
from luff.bench.robots import mujoco
from luff.blocks import LuffError
from luff.solver.exchange import read_model

pytestmark = pytest.mark.usefixtures("own_folder")
LINK = """<link name="NAME"><inertial><origin xyz="0.2 0.05 0.1"/><mass value="MASS"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="0.002" iyz="-0.001"/></inertial></link>"""
# A finger whose second joint follows the first one, and a slide that follows the second: a chain of two.
FINGER = f"""<robot name="finger">
  <link name="base"/>
  <joint name="knuckle" type="revolute"><parent link="base"/><child link="near"/>
    <origin xyz="0 0 1" rpy="0.2 0.3 0"/><axis xyz="0 1 0.2"/><limit lower="-1" upper="2" effort="1" velocity="1"/>
    <dynamics damping="0.3"/></joint>
  {LINK.replace("NAME", "near").replace("MASS", "2")}
  <joint name="middle" type="revolute"><parent link="near"/><child link="far"/><origin xyz="0.4 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/>
    <mimic joint="knuckle" multiplier="-1.5" offset="0.25"/></joint>
  {LINK.replace("NAME", "far").replace("MASS", "1.2")}
  <joint name="tip" type="prismatic"><parent link="far"/><child link="nail"/><origin xyz="0.3 0 0"/>
    <axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
    <mimic joint="middle" multiplier="0.1"/></joint>
  {LINK.replace("NAME", "nail").replace("MASS", "0.4")}
  <joint name="free" type="continuous"><parent link="nail"/><child link="ring"/><origin xyz="0.1 0 0"/>
    <axis xyz="0 0 1"/></joint>
  {LINK.replace("NAME", "ring").replace("MASS", "0.3")}
</robot>"""


def written(text: str, name: str) -> Path:
    Path(name).write_text(text)
    return Path(name)


def test_mimic_joints_accelerate_as_pinocchio_s_matrices_say() -> None:
    """a = G y with G^T M G y = G^T (tau - h): the tree of Pinocchio, its coordinates in terms of two."""
    path = written(FINGER, "finger.urdf")
    diagram = luff.import_model(path)
    diagram.blocks["knuckle"]["initial"] = {"position": 0.5, "velocity": 1.3}
    diagram.blocks["free"]["initial"] = {"position": -0.4, "velocity": 2.0}
    values = luff.compile(diagram).evaluate()
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    names = ["knuckle", "middle", "tip", "free"]
    assert list(model.names)[1:] == names
    G = np.array([[1.0, 0.0], [-1.5, 0.0], [-0.15, 0.0], [0.0, 1.0]])
    at, v = G @ [0.5, -0.4] + [0.0, 0.25, 0.025, 0.0], G @ [1.3, 2.0]
    q = np.array([*at[:3], np.cos(at[3]), np.sin(at[3])])
    M, h = pin.crba(model, data, q), pin.rnea(model, data, q, v, np.zeros(4))
    M = np.triu(M) + np.triu(M, 1).T
    tau = np.array([-0.3 * v[0], 0.0, 0.0, 0.0])
    expected = G @ np.linalg.solve(G.T @ M @ G, G.T @ (tau - h))
    assert [float(values[f"{name}.position"]) for name in names] == pytest.approx(at, abs=1e-14)
    ours = [float(values[f"{name}.acceleration"]) for name in names]
    assert ours == pytest.approx(expected, rel=1e-11)
    assert not any("mimic" in line for line in read_model(path).note_lines)


def test_a_leader_starts_at_zero_and_what_follows_where_it_belongs() -> None:
    values = luff.compile(luff.import_model(written(FINGER, "finger.urdf"))).evaluate()
    starts = [float(values[f"{name}.position"]) for name in ("knuckle", "middle", "tip")]
    assert starts == pytest.approx([0.0, 0.25, 0.025], abs=1e-3)


@pytest.mark.parametrize(
    ("leader", "why"),
    [
        ("middle", "follows itself"),
        ("thumb", 'follows "thumb", which is not a joint'),
        ("hook", "of one coordinate alone"),
    ],
)
def test_a_mimic_that_cannot_be_is_told_and_moves_freely(leader: str, why: str) -> None:
    text = FINGER.replace('mimic joint="knuckle"', f'mimic joint="{leader}"').replace(
        "</robot>",
        '<joint name="hook" type="fixed"><parent link="ring"/><child link="end"/></joint><link name="end"/></robot>',
    )
    read = read_model(written(text, "finger.urdf"))
    assert [line for line in read.note_lines if line.startswith("mimic (middle)") and why in line]
    assert "middle_mimic" not in read.text
    assert "tip_mimic" in read.text


GEARS = """<mujoco><option timestep="0.001"/><compiler angle="radian"/><worldbody>
  <body name="one" pos="0 0 1"><joint name="lead" axis="0 1 0" ref="0.3"/>
    <geom type="capsule" fromto="0 0 0 0.5 0 0.1" size="0.03"/>
    <body name="two" pos="0.5 0 0.1"><joint name="follow" axis="0 1 0.1" ref="-0.2" armature="0.01"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02"/></body></body>
  <body name="three" pos="0 1 1"><joint name="slide" type="slide" axis="1 0 1"/>
    <geom type="box" size="0.1 0.1 0.1"/></body>
  <body name="four" pos="0 2 1"><joint name="still" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02"/></body>
</worldbody><equality>
  <joint name="cam" joint1="follow" joint2="lead" polycoef="0.1 -1.2 0.4 0.3 -0.2"/>
  <joint joint1="slide" joint2="lead" polycoef="0 0.5"/>
  <joint name="lock" joint1="still" polycoef="0.7"/>
</equality></mujoco>"""


def test_joint_equalities_accelerate_as_mujoco_s_rows_say() -> None:
    """MuJoCo's tree and the rows of its own constraints, made hard: M a - J^T l = -h, J a = p''(x) v^2."""
    path = written(GEARS, "gears.xml")
    diagram = luff.import_model(path)
    x, v = 0.4, 1.7
    diagram.blocks["lead"]["initial"] = {"position": x, "velocity": v}
    values = luff.compile(diagram).evaluate()
    names = ["lead", "follow", "slide", "still"]
    ours = {
        what: np.array([float(values[f"{name}.{what}"]) for name in names])
        for what in ("position", "velocity", "acceleration")
    }
    model = mujoco.MjModel.from_xml_path(str(path))
    data: Any = mujoco.MjData(model)
    data.qpos[:] = ours["position"] + model.qpos0
    data.qvel[:] = ours["velocity"]
    mujoco.mj_forward(model, data)
    J = np.array(data.efc_J).reshape(-1, 4)[:3]
    # MuJoCo itself says that positions and rates keep its constraints
    assert np.abs(data.efc_pos[:3]).max() < 1e-12
    assert np.abs(J @ data.qvel).max() < 1e-12
    M = np.zeros((4, 4))
    for k in range(4):
        column = np.zeros(4)
        mujoco.mj_mulM(model, data, column, np.eye(4)[k])
        M[:, k] = column
    bend = np.array([2 * 0.4 + 6 * 0.3 * x - 12 * 0.2 * x**2, 0.0, 0.0]) * v**2
    K = np.block([[M, -J.T], [J, np.zeros((3, 3))]])
    expected = np.linalg.solve(K, np.concatenate([-data.qfrc_bias, bend]))[:4]
    assert np.abs(expected[:3]).min() > 0.5
    assert ours["acceleration"] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('joint1="follow"', 'joint1="folow"', "unknown element 'folow' in equality constraint"),
        ('polycoef="0.7"', 'polycoef="1 2 3 4 5 6"', "polycoef"),
        ('type="slide" axis="1 0 1"', 'type="ball"', "only HINGE and SLIDE"),
    ],
)
def test_wrong_equalities_are_told(old: str, new: str, told: str) -> None:
    assert old in GEARS
    with pytest.raises(LuffError) as raised:
        read_model(written(GEARS.replace(old, new), "gears.xml"))
    assert told in str(raised.value)
    assert "gears.xml" in str(raised.value)


def test_inactive_equalities_are_told() -> None:
    text = GEARS.replace('name="cam"', 'name="cam" active="false"')
    read = read_model(written(text, "gears.xml"))
    assert "joint equality (cam): it is not active" in read.note_lines
    assert "cam:" not in read.text


def test_a_mimic_of_joints_without_mass_is_told() -> None:
    ghost = """<joint name="none" type="revolute"><parent link="near"/><child link="ghost"/><axis xyz="0 1 0"/>
      <limit lower="-1" upper="1" effort="1" velocity="1"/></joint><link name="ghost"/></robot>"""
    text = FINGER.replace('mimic joint="knuckle"', 'mimic joint="none"').replace("</robot>", ghost)
    told = "\n".join(read_model(written(text, "finger.urdf")).note_lines)
    assert "relation between joints (middle_mimic): none carries no mass" in told


def test_links_without_mass_keep_their_inertia() -> None:
    """A rotor that weighs nothing: M = J about its axis, which the joint feels."""
    text = """<robot name="rotor"><link name="base"/>
      <joint name="spin" type="continuous"><parent link="base"/><child link="disc"/><axis xyz="0 0 1"/></joint>
      <link name="disc"><inertial><mass value="0"/><inertia ixx="0.1" iyy="0.1" izz="0.2"/></inertial></link></robot>"""
    diagram = luff.import_model(written(text, "rotor.urdf"))
    assert diagram.blocks["disc"]["inertia"] == [0.1, 0.1, 0.2]
    diagram.add_block("push", {"type": "constant", "value": 3})
    diagram.connect("push.y", "spin.effort")
    assert float(luff.compile(diagram).evaluate()["spin.acceleration"]) == pytest.approx(15.0, rel=1e-12)
