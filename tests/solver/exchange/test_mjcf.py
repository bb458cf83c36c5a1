"""MJCF -> netlist, against MuJoCo, which reads the same file with a parser and compiler of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import luff
from luff.bench.robots import against_mujoco, mujoco
from luff.blocks import LuffError
from luff.blocks.geometry.mass_properties import Pose
from luff.solver.exchange import mjcf_files, read_model
from luff.solver.exchange.written_values import placement
from luff.tests.solver.exchange.mjcf_models import compiled, written

pytestmark = pytest.mark.usefixtures("own_folder")

# Classes of defaults, frames, replicas, several joints on a body that do not meet, anchors beside the origin, ref and
# springref, a free body, a ball, and orientations in every way that MJCF has.
ROBOT = """<mujoco model="test robot">
  <compiler angle="degree" eulerseq="zYx" autolimits="true"/>
  <option gravity="0.5 -1 -9" timestep="0.004" density="1.2"/>
  <default>
    <joint damping="0.1" armature="0.01"/>
    <geom density="800" size="0.05 0.2 0.1"/>
    <default class="arm">
      <joint type="hinge" axis="0 1 0.3" damping="0.3"/>
      <default class="finger"><geom type="capsule" size="0.02"/><joint stiffness="2" springref="10" ref="4"/></default>
    </default>
  </default>
  <asset><mesh name="wedge" vertex="0 0 0  0.3 0 0  0 0.2 0  0 0 0.4  0.1 0.1 -0.1" scale="1 0.5 2"
    inertia="convex"/></asset>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <light pos="0 0 3"/>
    <body name="base" pos="0 0 1" euler="20 -30 40">
      <freejoint name="float"/>
      <inertial pos="0.1 0 0" mass="5" diaginertia="0.2 0.3 0.4" quat="0.8 0.6 0.1 0"/>
      <body name="upper" pos="0.2 0.1 0" quat="0.7 0.1 0.7 0" childclass="arm">
        <joint name="yaw" type="hinge" axis="0 0 1" pos="0.1 0 0" range="-90 45" ref="15"/>
        <joint name="pitch" pos="0 0.2 -0.1"/>
        <joint name="reach" type="slide" axis="1 0 1" pos="0 9 0" range="-0.1 0.4"/>
        <geom type="box" pos="0.1 0 0" axisangle="1 1 0 30" mass="1.5"/>
        <geom type="cylinder" fromto="0 0 0 0.3 0.1 0.2" size="0.04"/>
        <geom type="sphere" group="2"/>
        <frame pos="0.3 0 0" euler="0 90 0">
          <body name="fore" pos="0 0 0.1" xyaxes="1 0.2 0 0 1 0.5">
            <joint name="elbow" type="ball" damping="0.7" pos="0.05 0 0"/>
            <geom type="ellipsoid" zaxis="1 0 2"/> <geom type="cylinder" size="0.03" pos="0 0 0.1"/>
            <frame pos="0.1 0 0" axisangle="0 0 1 30"><geom type="mesh" mesh="wedge" euler="0 0 20"/></frame>
            <replicate count="3" offset="0 0.1 0.02" euler="0 0 25" sep="_">
              <body name="finger" pos="0.1 0 0" childclass="finger">
                <joint name="bend"/>
                <geom fromto="0 0 0 0.2 0 0"/>
                <body name="tip" pos="0.2 0 0"><inertial pos="0 0 0.1" mass="0.1"
                  fullinertia="1e-3 2e-3 2.5e-3 1e-4 -2e-4 3e-4"/></body>
              </body>
            </replicate>
          </body>
        </frame>
      </body>
    </body>
    <body pos="1 0 0">
      <joint springdamper="0.1 0.5" axis="1 0 0"/>
      <geom type="cylinder" pos="0 0.3 0" shellinertia="true" density="5"/>
      <body name="2nd" pos="0 0.5 0"><joint name="2nd" axis="0 1 0"/><geom type="box" pos="0 0 0.2"/></body>
    </body>
  </worldbody>
  <actuator><motor name="drive" joint="yaw"/></actuator>
  <sensor><jointpos joint="yaw"/></sensor>
  <contact><exclude body1="base" body2="upper"/></contact>
</mujoco>
"""


def test_robot_moves_as_mujoco_says(tmp_path: Path) -> None:
    freedoms, worst = against_mujoco(written(tmp_path, ROBOT), seed=5)
    assert freedoms == 6 + 3 + 3 + 3 + 2
    # MuJoCo turns sums of inertias to principal axes to about 1e-10; the rest is rounding
    assert worst < 1e-9


def test_netlist_names_joints_and_places(tmp_path: Path) -> None:
    diagram = luff.import_model(written(tmp_path, ROBOT))
    assert [problem for problem in diagram.check() if problem.severity == "error"] == []
    blocks = diagram.blocks
    assert blocks["world"] == {"gravity": [0.5, -1, -9]}
    assert diagram.simulation["step"] == "4 ms"
    assert blocks["float"]["initial"]["position"] == [0, 0, 1]
    # limits count from the position in which the model is drawn, not from ref
    assert blocks["yaw"]["limits"]["lower"] == "-105 deg"
    assert blocks["yaw"]["limits"]["upper"] == "30 deg"
    assert blocks["pitch_offset"] == {"type": "fixed", "at": [-0.1, 0.2, -0.1]}
    assert blocks["bend_1"]["rest"] == "6 deg"  # springref less ref
    assert blocks["bend_1"]["stiffness"] == "2 N*m/rad"
    assert blocks["bend_1"]["damping"] == "0.3 N*m*s/rad"  # of the class around its own
    assert blocks["elbow_damper"]["rotational_damping"] == [0.7, 0.7, 0.7]
    assert blocks["tip_2"]["mass"] == "0.1 kg"
    assert blocks["body_10_joint"]["type"] == "revolute"
    assert blocks["n2nd_joint"]["type"] == "revolute"
    assert blocks["n2nd"]["type"] == "rigid_link"


def test_what_is_not_taken_over_is_named(tmp_path: Path) -> None:
    told = read_model(written(tmp_path, ROBOT)).note_lines
    for words in (
        "sensor (yaw)",
        "contact: ",
        "fluid (density)",
        "armature (elbow)",
        "geoms (",
    ):
        assert any(line.startswith(words) for line in told), words


def test_dry_friction_and_stops_act(tmp_path: Path) -> None:
    """Far above its smoothing, dry friction slows 2 kg by F/m; far in a stop, its spring and damper push back."""
    text = """<mujoco><option gravity="0 0 0"/><worldbody><body name="b"><inertial pos="0 0 0" mass="2"
      diaginertia="1 1 1"/><joint name="j" type="slide" axis="1 0 0" frictionloss="3" range="-1 1"/></body>
      </worldbody></mujoco>"""
    diagram = luff.import_model(written(tmp_path, text))
    stop = diagram.blocks["j"]["limits"]
    # critically damped within 20 ms, as MuJoCo's default: k = m/T^2, c = 2 m/T
    assert (stop["stiffness"], stop["damping"]) == ("5000 N/m", "200 N*s/m")
    sim = luff.compile(diagram)
    assert sim.derivative(0.0, [0.0, 100.0])[1] == pytest.approx(-1.5, rel=1e-12)
    assert sim.derivative(0.0, [1.5, 0.0])[1] == pytest.approx(
        -5000 * 0.5 / 2, rel=1e-2
    )  # the width of fading


@pytest.mark.parametrize(
    ("law", "expected"),
    [
        ('<motor name="d" joint="j" gear="3" ctrlrange="-2 2"/>', lambda u, q, v: 3 * min(max(u, -2), 2)),
        ('<motor name="d" joint="j"/>', lambda u, q, v: u),
        ('<position name="d" joint="j" kp="50" kv="4"/>', lambda u, q, v: 50 * (u - q - 0.3) - 4 * v),
        ('<velocity name="d" joint="j" kv="7" gear="2" forcerange="-5 9"/>',
         lambda u, q, v: 2 * min(max(7 * (u - 2 * v), -5), 9)),
        ('<motor name="d" joint="j"/><motor name="e" joint="j" gear="-2"/>', lambda u, q, v: u),
    ],
)  # fmt: skip
def test_drives_of_joints_push_as_mujoco_s_do(tmp_path: Path, law: str, expected: Any) -> None:
    text = f"""<mujoco><option gravity="0 0 0"/><compiler angle="radian"/><worldbody><body><joint name="j" ref="0.3"/>
      <geom size="0.1" mass="2"/></body></worldbody><actuator>{law}</actuator></mujoco>"""
    path = written(tmp_path, text)
    model = compiled(text)
    data = mujoco.MjData(model)
    diagram = luff.import_model(path)
    diagram.add_block("u", {"type": "expression", "expr": "t"})  # a time that stands for the input
    for wire in [text for text in diagram.connections if text.startswith("inputs.d ")]:
        diagram.disconnect(wire)
        diagram.connect("u.y", wire.partition(" -> ")[2])
    sim = luff.compile(diagram)
    for u, q, v in ((1.0, 0.2, 0.0), (4.0, -0.3, 0.6), (0.1, 1.0, -2.0)):
        data.ctrl[0], data.qpos[0], data.qvel[0] = u, q + 0.3, v
        mujoco.mj_forward(model, data)
        assert data.qfrc_actuator[0] == pytest.approx(expected(u, q, v), abs=1e-12)
        assert sim.derivative(u, [q, v])[1] == pytest.approx(data.qacc[0], rel=1e-9, abs=1e-12)


TENDON = """<mujoco><option gravity="0 0 0"/><compiler angle="radian"/><worldbody>
  <body name="a"><joint name="a" type="slide" axis="1 0 0" ref="0.2"/><geom size="0.1" mass="2"/></body>
  <body name="b" pos="0 1 0"><joint name="b" axis="0 0 1"/><geom type="box" size="0.1 0.2 0.3" mass="3"/></body>
</worldbody><tendon><fixed name="split"><joint joint="a" coef="0.5"/><joint joint="b" coef="-0.8"/></fixed></tendon>
<actuator><general name="both" tendon="split" gear="3" ctrlrange="0 255" forcerange="-5 5" gainprm="0.3"
  biastype="affine" biasprm="1 -40 -6"/><motor name="alone" joint="b"/></actuator></mujoco>"""


def test_drives_of_fixed_tendons_push_all_their_joints_as_mujoco_s_do(tmp_path: Path) -> None:
    model, found = compiled(TENDON), read_model(written(tmp_path, TENDON))
    data = mujoco.MjData(model)
    assert found.note_lines == ["geoms (2: a, b): bodies pass through each other; --touch"]
    sim = luff.compile(luff.loads(found.text))
    place = {name: k for k, name in enumerate(sim.state_names)}
    for u, q, v in (
        (100.0, (0.3, -0.1), (0.0, 0.0)),
        (20.0, (0.21, 0.02), (0.03, -0.01)),
        (9.0, (1.0, 2.0), (1.0, 1.0)),
    ):
        data.ctrl[:], data.qpos[:], data.qvel[:] = (u, 0.7), q, v
        mujoco.mj_forward(model, data)
        x = np.zeros(4)
        x[[place[f"{name}_joint.{of}"] for of in ("position", "velocity") for name in "ab"]] = (
            q[0] - 0.2, q[1], *v
        )  # fmt: skip
        result = sim.run(stop=1e-6, step=1e-6, x0=x, inputs={"both": u, "alone": 0.7}, output_step=1e-6)
        ours = [np.diff(result[f"{name}_joint.velocity"])[-1] for name in "ab"]
        # a step of a microsecond; velocities of 1 are stored to 1e-16
        assert np.array(ours) / 1e-6 == pytest.approx(data.qacc, rel=1e-3, abs=1e-6)


def test_range_of_a_joint_bounds_the_sum_of_its_drives(tmp_path: Path) -> None:
    text = """<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="j" actuatorfrcrange="-3 2"/>
      <geom type="box" size="0.1 0.2 0.3" mass="3"/></body></worldbody>
      <actuator><motor name="a" joint="j"/><motor name="b" joint="j" gear="2"/></actuator></mujoco>"""
    model, sim = compiled(text), luff.compile(luff.loads(read_model(written(tmp_path, text)).text))
    data = mujoco.MjData(model)
    for a, b in ((1.5, 1.0), (5.0, -2.0), (-4.0, 0.2), (-1.0, 1.2)):
        data.ctrl[:] = a, b
        mujoco.mj_forward(model, data)
        result = sim.run(stop=1e-3, step=1e-3, inputs={"a": a, "b": b}, output_step=1e-3)
        # constant: the rate after a step is exact
        assert result["j.velocity"][-1] == pytest.approx(1e-3 * data.qacc[0], rel=1e-12)


def test_two_equal_drives_of_a_tendon_have_an_input_each(tmp_path: Path) -> None:
    """Unnamed, and on one line: nothing tells them apart but that they are two."""
    motor = '<motor tendon="split"/>'
    text = f"{TENDON.partition('<actuator>')[0]}<actuator>{motor}{motor}</actuator></mujoco>"
    netlist = luff.loads(read_model(written(tmp_path, text)).text)
    assert len(netlist.data["inputs"]) == compiled(text).nu == 2


@pytest.mark.parametrize(
    ("tendon", "why"),
    [
        ('<fixed name="t" stiffness="3"><joint joint="a" coef="1"/></fixed>', "springs, dampers"),
        ('<spatial name="t"><site site="p"/><site site="q"/></spatial>', "fixed tendons alone"),
    ],
)
def test_what_tendons_lack_is_named(tmp_path: Path, tendon: str, why: str) -> None:
    text = f"""<mujoco><worldbody><site name="p"/><body><joint name="a"/><geom size="0.1"/><site name="q" pos="1 0 0"/>
      </body></worldbody><tendon>{tendon}</tendon></mujoco>"""
    assert any(
        line.startswith("tendon (t)") and why in line
        for line in read_model(written(tmp_path, text)).note_lines
    )


def test_rounding_of_a_rotation_is_none() -> None:
    """Turns back and forth of a frame, as a mesh's about its principal axes, leave rounding."""
    R = np.eye(3)
    R[0, 1], R[1, 0] = 1e-17, -1e-17
    assert placement(Pose(np.zeros(3), R)) == {}


def test_drives_that_are_none_of_a_joint_are_named(tmp_path: Path) -> None:
    text = """<mujoco><worldbody><body name="b"><joint name="j"/><geom size="0.1"/><site name="s"/></body></worldbody>
      <actuator><general name="slow" joint="j" dyntype="integrator" actrange="-1 1"/>
      <motor name="jet" site="s"/></actuator></mujoco>"""
    found = read_model(written(tmp_path, text))
    assert (
        "actuator (2: slow, jet): motors and servos of hinges, slides and fixed tendons become blocks, "
        "others do not" in found.note_lines
    )
    assert "inputs" not in luff.loads(found.text).data


def test_textures_are_not_needed(tmp_path: Path) -> None:
    """Nor are skins: luff draws neither, and no robot is refused for what is not drawn."""
    text = """<mujoco><asset><texture name="t" type="2d" file="gone.png"/>
      <material name="m" texture="t" rgba="1 0 0 1"/></asset>
      <worldbody><body name="b"><joint/><geom size="0.1" material="m"/></body></worldbody></mujoco>"""
    assert luff.import_model(written(tmp_path, text)).blocks["b"]["shape"]["color"] == "#ff0000"


def test_without_mujoco_the_import_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(LuffError, match=r"is not installed \(pip install 'luff\[robots\]'\)"):
        luff.import_model(written(tmp_path, ROBOT))


def test_an_import_leaves_mujoco_out_of_its_own_process(tmp_path: Path) -> None:
    path = written(tmp_path, ROBOT)
    code = f"import sys, luff; luff.import_model({str(path)!r}); print('mujoco' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_reader_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mjcf_files, "LONGEST", 1e-3)
    with pytest.raises(LuffError, match=r"MuJoCo has not read it within 0\.001 s"):
        luff.import_model(written(tmp_path, ROBOT))


def test_names_cannot_leave_their_comments(tmp_path: Path) -> None:
    """A line break in a name would end a comment, and what follows would be netlist."""
    evil = "a&#10;blocks: {x: {type: fixed}}&#x2028;#"
    text = f"""<mujoco><worldbody><body name="{evil}"><joint name="j" armature="1"/><geom size="1"/></body>
        </worldbody><actuator><general name="{evil}" joint="j" dyntype="integrator" actrange="-1 1"/>
        </actuator></mujoco>"""
    found = read_model(written(tmp_path, text))
    assert set(luff.loads(found.text).blocks) == {"j", "a_blocks_x_type_fixed_"}
    assert all(line.isprintable() for line in [*found.note_lines, *found.text.split("\n")])


def test_body_may_be_named_ground(tmp_path: Path) -> None:
    text = """<mujoco><worldbody><body name="ground" pos="1 0 0"><joint name="a"/><geom size="1"/>
        <body pos="2 0 0" name="b"><joint name="c"/><geom size="1"/></body></body></worldbody></mujoco>"""
    diagram = luff.import_model(written(tmp_path, text))
    assert diagram.blocks["ground"]["frame_b"] == {"at": [2, 0, 0]}
    assert diagram.blocks["ground_2"]["frame_b"] == {"at": [1, 0, 0]}
    assert diagram.connections == [
        "world.frame -- ground_2.frame_a",
        "ground_2.frame_b -- a.frame_a",
        "a.frame_b -- ground.frame_a",
        "ground.frame_b -- c.frame_a",
        "c.frame_b -- b.frame_a",
    ]


def test_includes_are_put_in_their_place_once(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    written(tmp_path / "parts", '<x><body name="b"><geom size="0.1"/></body></x>', "body.xml")
    line = '<include file="parts/body.xml"/>'
    path = written(tmp_path, f"<mujoco><worldbody>{line}</worldbody></mujoco>")
    assert "b" in luff.import_model(path).blocks
    written(tmp_path, f"<mujoco><worldbody>{line}{line}</worldbody></mujoco>")
    with pytest.raises(LuffError, match=r"MuJoCo: .*(include|body\.xml)"):
        luff.import_model(path)
