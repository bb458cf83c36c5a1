"""MJCF -> netlist, against MuJoCo, which reads the same file with a parser and compiler of its own."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import luff
from luff.bench.robots import against_mujoco, mujoco
from luff.blocks import LuffError
from luff.solver.exchange import mjcf_files, read_model
from luff.solver.exchange.located_xml import read_xml
from luff.solver.exchange.mesh_files import MeshFiles
from luff.solver.exchange.mjcf import read_mjcf
from luff.solver.exchange.robot_tree import Robot

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


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo logs its warnings in the folder that it runs in."""
    monkeypatch.chdir(tmp_path)


def written(folder: Path, text: str, name: str = "robot.xml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def compiled(text: str) -> Any:
    return mujoco.MjModel.from_xml_string(text)


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


FOUR_BAR = """<mujoco><option gravity="2 0 -9.81"/><worldbody>
  <body name="crank"><joint name="a" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.02"/>
    <body name="coupler" pos="0 0 0.3"><joint name="b" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.8 0 0.2" size="0.02"/></body></body>
  <body name="rocker" pos="0.8 0 0"><joint name="c" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 0.5" size="0.02"/></body>
  </worldbody><equality><connect name="pin" body1="coupler" body2="rocker" anchor="0.8 0 0.2"/></equality>
</mujoco>"""


def test_connect_closes_a_loop_as_multipliers_do(tmp_path: Path) -> None:
    """At rest, MuJoCo's tree under its own constraint Jacobian, made hard: M a + J^T l = h, J a = 0."""
    sim = luff.compile(luff.import_model(written(tmp_path, FOUR_BAR)))
    found = sim.evaluate()
    model = compiled(FOUR_BAR)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    M = np.array([_column(model, data, k) for k in range(3)])
    J = np.array(data.efc_J).reshape(-1, 3)[:3]
    K = np.block([[M, J.T], [J, np.zeros((3, 3))]])
    a = np.linalg.lstsq(K, np.concatenate([-data.qfrc_bias, np.zeros(3)]), rcond=1e-12)[0][:3]
    ours = [found[f"{name}.acceleration"] for name in "abc"]
    assert np.abs(a).max() > 1.0
    np.testing.assert_allclose(ours, a, rtol=1e-9, atol=1e-9)


def _column(model: Any, data: Any, k: int) -> np.ndarray:
    column = np.zeros(3)
    mujoco.mj_mulM(model, data, column, np.eye(3)[k])
    return column


def test_weld_and_sites_close_loops(tmp_path: Path) -> None:
    text = """<mujoco><worldbody>
      <body name="a" pos="0 0 1"><joint type="free" damping="1"/>
        <geom size="0.1"/><site name="s" pos="0.1 0 0"/></body>
      <body name="b" pos="0 2 1" euler="0 0 90"><joint type="free" damping="1"/>
        <geom size="0.1"/><site name="t" pos="0 0.3 0"/></body>
      <body name="c" mocap="true"/>
      </worldbody><equality>
      <weld name="w" body1="a" body2="b"/>
      <connect name="p" site1="s" site2="t"/>
      <weld name="m" body1="a" body2="c"/>
      <connect name="off" body1="a" body2="b" anchor="0 0 0" active="false"/>
      </equality></mujoco>"""
    found = read_model(written(tmp_path, text))
    blocks = luff.loads(found.text).blocks
    assert blocks["w"] == {"type": "fixed", "cut": True}
    assert blocks["p"] == {"type": "spherical", "cut": True}
    assert blocks["a"]["frames"]["w_a"] == {"at": [0, 2, 0], "rotate": [["z", "90 deg"]]}
    assert blocks["a"]["frames"]["p_a"] == {"at": [0.1, 0, 0]}
    assert blocks["b"]["frame_b"] == {"at": [0, 0.3, 0]}
    for words in (
        "weld to a mocap body (m)",
        "connect equality (off): it is not active",
    ):
        assert any(line.startswith(words) for line in found.note_lines), words


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


def test_a_free_body_hangs_on_what_holds_it(tmp_path: Path) -> None:
    """A level rod on a pin: its angular acceleration is m g l / (J + m l^2), in three coordinates instead of nine."""
    text = """<mujoco><worldbody><body name="rod" pos="0 0 1"><freejoint name="fly"/>
      <inertial pos="0.5 0 0" mass="2" diaginertia="0.01 0.2 0.2"/></body></worldbody>
      <equality><connect name="pin" body1="rod" body2="world" anchor="0 0 0"/></equality></mujoco>"""
    path = written(tmp_path, text)
    assert read_model(path).note_lines == [
        "free joint (fly): pin carries the body instead, with the same motion"
    ]
    sim = luff.compile(luff.import_model(path))
    assert len(sim.state_names) == 6
    assert sim.evaluate()["pin.theta_rate"] == 0.0
    rates = dict(zip(sim.state_names, sim.derivative(0.0, sim.x0), strict=True))
    assert rates["pin.theta_rate"] == pytest.approx(2 * 9.81 * 0.5 / (0.2 + 2 * 0.5**2), rel=1e-12)


def test_a_platform_on_loops_has_the_freedoms_that_remain(tmp_path: Path) -> None:
    """A delta robot as MJCF has it, its platform with a free joint and six connects: three freedoms, and arms that fall
    alike.
    """

    def rod(k: int, j: int) -> str:
        return f"""<body name="rod{k}{j}" pos="0.3 {(-0.04, 0.04)[j]} 0"><joint name="u{k}{j}" axis="0 1 0"/>
          <joint name="w{k}{j}" axis="1 0 0"/><geom type="capsule" size="0.008" fromto="0 0 0 -0.2435 0 -0.6563"/>
          </body>"""

    corners = ((0.2, 0, 0), (-0.1, 0.17320508075688776, 120), (-0.1, -0.17320508075688767, 240))
    arms = "".join(
        f'''<body pos="{x} {y} 0" euler="0 0 {turn}"><body name="arm{k}" euler="0 17 0">
        <joint name="q{k}" axis="0 1 0" armature="0.02"/><geom type="capsule" size="0.015" fromto="0 0 0 0.3 0 0"/>
        {rod(k, 0)}{rod(k, 1)}</body></body>'''
        for k, (x, y, turn) in enumerate(corners)
    )
    pins = "".join(
        f'<connect body1="rod{k}{j}" body2="platform" anchor="-0.2435 0 -0.6563"/>'
        for k in range(3)
        for j in (0, 1)
    )
    motors = "".join(f'<motor joint="q{k}" ctrlrange="-20 20"/>' for k in range(3))
    text = f"""<mujoco><default><geom contype="0" conaffinity="0"/></default><worldbody>
      <body name="platform" pos="0 0 -0.644"><freejoint name="fly"/><geom type="cylinder" size="0.06 0.01"/></body>
      {arms}</worldbody><equality>{pins}</equality><actuator>{motors}</actuator></mujoco>"""
    sim = luff.compile(luff.import_model(written(tmp_path, text)))
    assert len(sim.state_names) == 6
    values = sim.evaluate()
    falls = [float(values[f"q{k}.acceleration"]) for k in range(3)]
    assert falls == pytest.approx([falls[0]] * 3, rel=1e-9)  # three arms alike
    assert falls[0] > 1.0
    assert {"q0_motor", "q1_motor", "q2_motor"} == set(sim.diagram.data["inputs"])


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


def test_drives_that_are_none_of_a_joint_are_named(tmp_path: Path) -> None:
    text = """<mujoco><worldbody><body name="b"><joint name="j"/><geom size="0.1"/><site name="s"/></body></worldbody>
      <actuator><general name="slow" joint="j" dyntype="integrator" actrange="-1 1"/>
      <motor name="jet" site="s"/></actuator></mujoco>"""
    found = read_model(written(tmp_path, text))
    assert (
        "actuator (2: slow, jet): motors and servos of hinges and slides become blocks, others do not"
        in found.note_lines
    )
    assert "inputs" not in luff.loads(found.text).data


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('<body><joint type="hing"/></body>', "<joint>: MuJoCo: invalid keyword: 'hing'"),
        ('<body><joint class="arn"/></body>', "unknown default class name 'arn'"),
        ('<body name="a"/><body name="a"/>', "repeated name 'a' in body"),
        ('<body><geom type="box" size="1 0 1"/></body>', "size 1 must be positive in geom"),
        ('<body><geom type="mesh" mesh="m"/></body>', "mesh 'm' not found"),
        ('<body><body><freejoint/><geom size="1"/></body></body>', "free joint can only be used on top level"),
        ('<joint/>', "World body cannot have joints"),
        ('<body/><attach model="m" body="b" prefix="p"/>', "<attach>: MuJoCo: could not find model 'm'"),
        ('<include file="none.xml"/>', "Error opening file 'none.xml'"),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_their_place(tmp_path: Path, text: str, told: str) -> None:
    path = written(tmp_path, f"<mujoco>\n  <worldbody>{text}</worldbody></mujoco>")
    with pytest.raises(LuffError) as raised:
        luff.import_model(path)
    assert told in str(raised.value)
    assert f"{path}:2:" in str(raised.value)


def test_a_model_without_bodies_is_none(tmp_path: Path) -> None:
    with pytest.raises(LuffError, match=r"robot\.xml:1:1: mujoco: has no body"):
        luff.import_model(written(tmp_path, "<mujoco><worldbody/></mujoco>"))


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ('eulerseq="xya"', "euler sequence"),
        ('angle="grad"', "invalid keyword: 'grad'"),
        ('autolimits="yes"', "invalid keyword: 'yes'"),
    ],
)
def test_wrong_settings_are_told(tmp_path: Path, settings: str, told: str) -> None:
    body = '<worldbody><body euler="1 2 3"><geom size="1"/></body></worldbody>'
    with pytest.raises(LuffError) as raised:
        luff.import_model(written(tmp_path, f"<mujoco><compiler {settings}/>{body}</mujoco>"))
    assert told in str(raised.value)


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
    path = written(tmp_path, FOUR_BAR)
    code = f"import sys, luff; luff.import_model({str(path)!r}); print('mujoco' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_reader_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mjcf_files, "LONGEST", 1e-3)
    with pytest.raises(LuffError, match=r"MuJoCo has not read it within 0\.001 s"):
        luff.import_model(written(tmp_path, ROBOT))


TETRAHEDRON = "0 0 0  1 0 0  0 1 0  0 0 1"


@pytest.mark.parametrize(
    ("mesh", "told"),
    [
        ('vertex="0 0 0 1"', "vertex data must be a multiple of 3"),
        (f'vertex="{TETRAHEDRON}" face="0 1 9"', "in face"),
        (f'vertex="{TETRAHEDRON}" inertia="exat"', "invalid keyword: 'exat'"),
        ('builtin="cone" params="8"', "Cone mesh type requires 2 parameters"),
        ('file="none.stl"', "Error opening file"),
        ('file="robot.xml"', "mesh"),
    ],
)
def test_wrong_meshes_are_told(tmp_path: Path, mesh: str, told: str) -> None:
    geom = '<geom type="mesh" mesh="m"/>'
    text = (
        f'<mujoco><asset><mesh name="m" {mesh}/></asset><worldbody><body>{geom}</body></worldbody></mujoco>'
    )
    with pytest.raises(LuffError) as raised:
        luff.import_model(written(tmp_path, text))
    assert told in str(raised.value)
    assert "robot.xml" in str(raised.value)


def test_deep_nesting_ends_with_its_place(tmp_path: Path) -> None:
    """300 bodies inside each other are a chain; more than the reader goes down are told."""

    def chain(count: int) -> str:
        body = '<body><joint/><geom size="0.1"/>'
        return f"<mujoco><worldbody>{count * body}{count * '</body>'}</worldbody></mujoco>"

    assert len(luff.import_model(written(tmp_path, chain(300))).blocks) == 600
    with pytest.raises(LuffError, match="stands inside 400 others"):
        luff.import_model(written(tmp_path, chain(500)))


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


def test_wrong_time_step_is_told(tmp_path: Path) -> None:
    text = '<mujoco><option timestep="-1"/><worldbody><body/></worldbody></mujoco>'
    with pytest.raises(LuffError, match="timestep: found -1, expected a number above zero"):
        luff.import_model(written(tmp_path, text))


def test_includes_are_put_in_their_place_once(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    written(tmp_path / "parts", '<x><body name="b"><geom size="0.1"/></body></x>', "body.xml")
    line = '<include file="parts/body.xml"/>'
    path = written(tmp_path, f"<mujoco><worldbody>{line}</worldbody></mujoco>")
    assert "b" in luff.import_model(path).blocks
    written(tmp_path, f"<mujoco><worldbody>{line}{line}</worldbody></mujoco>")
    with pytest.raises(LuffError, match=r"MuJoCo: .*(include|body\.xml)"):
        luff.import_model(path)
