"""MJCF models that others attach, against MuJoCo, which reads the same files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.bench.robots import against_mujoco, mujoco
from luff.blocks import LuffError
from luff.solver.exchange.located_xml import read_xml
from luff.solver.exchange.mesh_files import MeshFiles
from luff.solver.exchange.mjcf import read_mjcf
from luff.tests.cli.test_commands import call

# of its own: degrees, a sequence, a class, a mesh, a range of groups, another model; of the outer one: radians
ARM = """<mujoco model="arm">
  <compiler angle="degree" eulerseq="zyx" inertiagrouprange="0 1"/>
  <default><geom density="500"/><default class="thin"><geom size="0.03 0.2" type="capsule"/></default></default>
  <asset>
    <mesh name="rock" vertex="0 0 0  0.3 0 0  0 0.2 0  0 0 0.4  0.1 0.1 -0.1" inertia="convex"/>
    <model name="hand" file="hand.xml"/>
  </asset>
  <worldbody>
    <geom size="0.1" mass="2"/>
    <body name="upper" pos="0 0 0.5" euler="30 20 10">
      <joint name="pitch" axis="0 1 0" range="-90 45" damping="0.2"/>
      <geom class="thin"/>
      <geom type="sphere" size="0.3" group="3"/>
      <body name="fore" pos="0.1 0 0.3" euler="0 0 40" childclass="thin">
        <joint name="elbow" axis="1 0 0" damping="0.1"/>
        <geom/> <geom type="mesh" mesh="rock"/>
        <attach model="hand" body="palm" prefix="grip_"/>
      </body>
    </body>
    <body name="side"><joint name="turn" axis="0 0 1"/><geom size="0.2" mass="3"/></body>
  </worldbody>
  <equality>
    <joint name="follow" joint1="pitch" joint2="elbow" polycoef="0.1 2 0 0 0"/>
    <joint name="lost" joint1="pitch" joint2="turn"/>
  </equality>
</mujoco>
"""
HAND = """<mujoco model="hand">
  <worldbody>
    <body name="palm" pos="0 0 0.2"><geom type="box" size="0.1 0.05 0.02"/>
      <body name="finger" pos="0.1 0 0"><joint name="bend" axis="0 1 0"/><geom type="box" size="0.1 0.02 0.02"/></body>
    </body>
  </worldbody>
</mujoco>
"""
STAND = """<mujoco model="stand">
  <compiler angle="radian" autolimits="true"/>
  <default><geom density="2000"/></default>
  <asset><model name="limb" file="arm.xml"/></asset>
  <worldbody>
    <body name="post" pos="0 0 1" euler="0.1 0.2 0.3">
      <joint name="swivel" axis="0 0 1" range="-1 1"/>
      <geom type="box" size="0.2 0.2 0.4"/>
      <frame pos="0.3 0 0" euler="0 0 0.5">{ATTACH}</frame>
    </body>
  </worldbody>
</mujoco>
"""
UPPER = '<attach model="limb" body="upper" prefix="left_"/>'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """MuJoCo logs its warnings in the folder that it runs in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.xml").write_text(ARM)
    (tmp_path / "hand.xml").write_text(HAND)
    return tmp_path


def stand(folder: Path, attach: str) -> Path:
    path = folder / "stand.xml"
    path.write_text(STAND.replace("{ATTACH}", attach))
    return path


@pytest.mark.parametrize(
    "attach",
    [
        UPPER,
        '<attach model="limb" body="fore" prefix="left_"/>',
        '<attach model="limb" prefix="all_"/>',
        '<attach model="limb" body="upper" prefix="a_"/><attach model="limb" body="side" prefix="b_"/>',
    ],
    ids=["upper", "fore", "whole", "two"],
)
def test_what_is_attached_weighs_and_stands_as_mujoco_says(folder: Path, attach: str) -> None:
    path = stand(folder, attach)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    robot = read_mjcf(read_xml(path), path, MeshFiles(folder))
    names = [model.body(k).name for k in range(1, model.nbody)]
    assert [body.name for body in robot.bodies] == names
    poses = []
    for k, body in enumerate(robot.bodies):
        pose = body.pose if body.parent < 0 else poses[body.parent] @ body.pose
        poses.append(pose)
        assert body.inertia.mass == pytest.approx(model.body_mass[k + 1], rel=1e-12)
        np.testing.assert_allclose(body.inertia.com, model.body_ipos[k + 1], atol=1e-12)
        np.testing.assert_allclose(pose.at, data.xpos[k + 1], atol=1e-12)
        np.testing.assert_allclose(pose.R.ravel(), data.xmat[k + 1], atol=1e-12)
    joints = robot.joints()
    assert [*joints] == [model.joint(k).name for k in range(model.njnt)]
    for k, joint in enumerate(joints.values()):
        limited = bool(model.jnt_limited[k])
        assert math.isfinite(joint.lower) == limited
        if limited:
            assert (joint.lower, joint.upper) == pytest.approx(tuple(model.jnt_range[k]), rel=1e-12)


def test_what_is_attached_moves_as_mujoco_says(folder: Path) -> None:
    (folder / "arm.xml").write_text(ARM.replace("<equality>", "<!--").replace("</equality>", "-->"))
    counted, worst = against_mujoco(stand(folder, UPPER), seed=3)
    assert counted == 4
    assert worst < 1e-9  # as of a robot in one file


def test_equalities_come_with_what_they_join(folder: Path) -> None:
    robot = read_mjcf(read_xml(stand(folder, UPPER)), folder / "stand.xml", MeshFiles(folder))
    model = mujoco.MjModel.from_xml_path("stand.xml")
    assert [one.name for one in robot.relations] == [model.equality(k).name for k in range(model.neq)]
    assert robot.relations[0].coefficients == pytest.approx(tuple(model.eq_data[0][:5]))


def test_an_attached_model_becomes_a_netlist_that_runs(folder: Path) -> None:
    diagram = luff.import_model(stand(folder, UPPER))
    assert {"left_pitch", "left_elbow", "left_grip_bend", "swivel"} <= set(diagram.blocks)
    assert luff.compile(diagram).run(stop=0.01).status == "finished"


@pytest.mark.parametrize(
    ("attach", "hand", "told"),
    [
        ('<attach model="lim" body="upper" prefix="l_"/>', HAND, "could not find model 'lim'"),
        ('<attach model="limb" body="uper" prefix="l_"/>', HAND, "could not find body 'uper'"),
        ('<attach model="limb" body="upper"/>', HAND, "required attribute missing: 'prefix'"),
        (2 * UPPER, HAND, "element upper already exists with prefix left_"),
        (UPPER, HAND.replace("<worldbody>", '<asset><model name="h" file="arm.xml"/></asset><worldbody>').replace(
            "</body></body>", '</body><attach model="h" body="upper" prefix="x_"/></body>').replace(
            "</body>\n    </body>", '</body><attach model="h" body="upper" prefix="x_"/></body>'),
         "MuJoCo"),
        (UPPER, "<mujoco>", "not well-formed XML"),
    ],
    ids=["model", "body", "prefix", "twice", "ring", "torn"],
)  # fmt: skip
def test_what_cannot_be_attached_is_told(folder: Path, attach: str, hand: str, told: str) -> None:
    (folder / "hand.xml").write_text(hand)
    with pytest.raises(LuffError) as raised:
        luff.import_model(stand(folder, attach))
    assert told in str(raised.value)


def test_an_attached_model_stays_in_its_folder(folder: Path) -> None:
    inner = folder / "inner"
    inner.mkdir()
    path = inner / "stand.xml"
    path.write_text(STAND.replace("{ATTACH}", UPPER).replace("arm.xml", "../arm.xml"))
    with pytest.raises(LuffError, match="outside of the model's folder"):
        luff.import_model(path)


def test_a_permission_lets_an_attached_model_lie_elsewhere(folder: Path) -> None:
    """As the API and the command take it; without it the message names the option."""
    inner = folder / "inner"
    inner.mkdir()
    path = inner / "stand.xml"
    path.write_text(STAND.replace("{ATTACH}", UPPER).replace("arm.xml", "../arm.xml"))
    with pytest.raises(LuffError, match=r"--allow-files DIR, or luff\.import_model\(path, files=\[DIR\]\)"):
        luff.import_model(path)
    assert "left_elbow" in luff.import_model(path, files=[folder]).blocks
    call("import", str(path), "-o", "made.yaml", "--allow-files", str(folder))
    assert "left_elbow" in luff.load("made.yaml").blocks
