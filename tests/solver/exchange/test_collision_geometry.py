"""Collision geometry of MJCF and URDF as `touch`: what meets, how deep it rests, and how it moves, beside MuJoCo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import luff
from luff.bench.robots import mujoco
from luff.solver.exchange import read_model
from luff.tests.conftest import PLAIN
from luff.tests.solver.exchange.mjcf_models import written

pytestmark = pytest.mark.usefixtures("own_folder")
# a slide pushes a crate along the floor; a ball rolls; one body passes through all
SCENE = """<mujoco model="push"><option timestep="0.001"/>
<default><geom friction="0.6 0.005 0.0001"/></default>
<worldbody>
  <geom name="floor" type="plane" size="5 5 1"/>
  <body name="crate" pos="0.5 0 0.15"><freejoint/><geom type="box" size="0.2 0.15 0.15" mass="2"/></body>
  <body name="ball" pos="0.5 1 0.1"><freejoint/><geom type="sphere" size="0.1" mass="1" group="3"/></body>
  <body name="ghost" pos="0 -1 0.5"><freejoint/><geom type="box" size="0.1 0.1 0.1" contype="0" conaffinity="0"/></body>
  <body name="base" pos="0 0 0.2"><geom type="box" size="0.05 0.05 0.1" mass="1"/>
    <body name="slide"><joint name="reach" type="slide" axis="1 0 0" damping="20"/>
      <geom type="capsule" fromto="0.1 -0.1 0 0.1 0.1 0" size="0.05" mass="3"/></body></body>
</worldbody>
<contact><exclude body1="ball" body2="slide"/></contact>
<actuator><motor name="push" joint="reach"/></actuator></mujoco>"""


def test_geoms_meet_as_their_groups_and_exclusions_say(tmp_path: Path) -> None:
    path = written(tmp_path, SCENE)
    found = read_model(path, touch=True)
    diagram = luff.loads(found.text)
    touch: Any = diagram.blocks["touch"]
    assert touch["among"] == ["crate", "ball", "base", "slide", "ground"]
    # neither what the source excludes nor what is welded together; a child meets its parent where that stands still
    apart = {(one, other) for pair in touch["without"] for one in pair["of"] for other in pair["against"]}
    assert apart == {("ball", "slide"), ("base", "ground")}
    assert diagram.blocks["ball"]["shape"]["hidden"] is True
    assert not [line for line in found.note_lines if "pass through" in line]
    assert [line for line in read_model(path).note_lines if "pass through" in line and "--touch" in line]


def test_pushed_crate_moves_and_rests_as_in_mujoco(tmp_path: Path) -> None:
    path = written(tmp_path, SCENE)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    seconds = 0.02 if PLAIN else 1.5
    data.ctrl[0] = 30.0
    for _ in range(round(seconds / 0.001)):
        mujoco.mj_step(model, data)
    sim = luff.compile(luff.import_model(path, touch=True))
    found = sim.run(stop=seconds, inputs={"push": 30.0})
    ours = {body: found[f"{body}_joint.position"][-1] for body in ("crate", "ball")}
    for body, place in ours.items():
        theirs = data.body(body).xpos
        # along the floor by 5 % of a metre: MuJoCo's friction creeps, and impacts are others; in height by its softness
        assert place[:2] == pytest.approx(theirs[:2], abs=0.05)
        assert place[2] == pytest.approx(theirs[2], abs=1e-3)
    if not PLAIN:
        assert ours["crate"][0] > 0.7  # it was pushed
        assert found["ghost_joint.position"][-1, 2] < -5.0  # and what touches nothing fell


@pytest.mark.skipif(PLAIN, reason="two seconds of steps take minutes as plain Python")
@pytest.mark.parametrize("shape", ['type="box" size="0.2 0.15 0.1"', 'type="sphere" size="0.1"'])
def test_body_rests_as_deep_as_in_mujoco(shape: str, tmp_path: Path) -> None:
    text = (
        '<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="5 5 1"/>'
        f'<body name="one" pos="0 0 0.1"><freejoint/><geom {shape} mass="4"/></body></worldbody></mujoco>'
    )
    path = written(tmp_path, text)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    for _ in range(2000):
        mujoco.mj_step(model, data)
    found = luff.compile(luff.import_model(path, touch=True)).run(stop=2.0)
    sink = 0.1 - found["one_joint.position"][-1, 2]
    # the impedance of MuJoCo grows with the depth, here it is that at no depth
    assert 0.8 * (0.1 - data.qpos[2]) < sink < 1.5 * (0.1 - data.qpos[2])


@pytest.mark.parametrize(
    ("floor", "ball"),
    [
        ('0.02 1"', '0.06 1"'),
        ('0.02 1"', '-1000 -60"'),
        ('0.02 0"', '0.02 0"'),
        ('0.03 0.5"', '0.03 0.9"'),
        ('0.02 1" solmix="3"', '0.06 1" solmix="1"'),
        ('0.02 1" solmix="0"', '0.06 1"'),
        ('0.02 1" solmix="0"', '0.06 1" solmix="0"'),
        ('0.02 1" priority="2"', '0.06 1" priority="1"'),
        ('0.02 1" priority="-1"', '0.06 1"'),
    ],
)
def test_softness_of_two_geoms_mixes_as_in_mujoco(floor: str, ball: str, tmp_path: Path) -> None:
    same = 'solimp="0.9 0.9 0.001"'  # an impedance that does not grow, so that the balance is a closed form
    text = (
        '<mujoco><option timestep="0.001"/><worldbody>'
        f'<geom type="plane" size="5 5 1" solref="{floor} {same}/><body name="one" pos="0 0 0.1"><freejoint/>'
        f'<geom type="sphere" size="0.1" mass="4" solref="{ball} {same}/></body></worldbody></mujoco>'
    )
    path = written(tmp_path, text)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    for _ in range(3000):
        mujoco.mj_step(model, data)
    touch: Any = luff.loads(read_model(path, touch=True).text).blocks["touch"]
    sink = 4.0 * 9.81 / float(touch["law"]["stiffness"].split()[0])
    assert sink == pytest.approx(0.1 - data.qpos[2], rel=0.01)  # the stiffness is written with three digits


@pytest.mark.parametrize(
    ("floor", "ball"),
    [("", ""), ('priority="1"', ""), ("", 'priority="3"'), ('priority="2"', 'priority="2"')],
)
def test_friction_of_a_pair_is_mujoco_s(floor: str, ball: str, tmp_path: Path) -> None:
    text = (
        f'<mujoco><worldbody><geom type="plane" size="5 5 1" friction="0.9 0.005 0.03" {floor}/><body><freejoint/>'
        f'<geom type="sphere" size="0.1" condim="6" friction="0.7 0.005 0.02" {ball}/></body></worldbody></mujoco>'
    )
    path = written(tmp_path, text)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    touch: Any = luff.loads(read_model(path, touch=True).text).blocks["touch"]
    mu, _, _, rolling, _ = data.contact.friction[0]
    assert touch["friction"]["mu"] == pytest.approx(mu)
    assert touch["friction"].get("rolling") == (f"{rolling:g} m" if data.contact.dim[0] == 6 else None)


def test_friction_is_that_of_the_larger_condim(tmp_path: Path) -> None:
    text = (
        '<mujoco><worldbody><geom type="plane" size="5 5 1" friction="0.4 0.005 0.003"/><body name="one"><freejoint/>'
        '<geom type="sphere" size="0.1" condim="1" friction="0.7 0.005 0.002"/></body></worldbody></mujoco>'
    )
    path = written(tmp_path, text)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    touch: Any = luff.loads(read_model(path, touch=True).text).blocks["touch"]
    assert data.contact.dim.tolist() == [3]
    assert touch["friction"] == {"mu": pytest.approx(data.contact.friction[0, 0])}


@pytest.mark.parametrize(
    "soft", ['solimp="1 1 0.001"', 'solimp="0 0.9 0.001"', 'solref="0 0"', 'solref="1e-9 1"']
)
def test_softness_at_its_bounds_is_imported_or_told(soft: str, tmp_path: Path) -> None:
    text = (
        f'<mujoco><worldbody><geom type="plane" size="5 5 1" {soft}/><body name="one" pos="0 0 0.1"><freejoint/>'
        f'<geom type="sphere" size="0.1" mass="4" {soft}/></body></worldbody></mujoco>'
    )
    found = read_model(written(tmp_path, text), touch=True)
    blocks = luff.loads(found.text).blocks
    if soft == 'solref="0 0"':
        assert "touch" not in blocks
        assert any("no stiffness" in line for line in found.note_lines)
        return
    law: Any = blocks["touch"]
    stiffness = float(law["law"]["stiffness"].split()[0])
    # with MuJoCo's bounds: impedances of 1e-4 to 1 - 1e-4, a time constant of two steps of 2 ms
    d0 = {'solimp="1': 0.9999, 'solimp="0': 1e-4}.get(soft[:9], 0.9)
    d_max = {'solimp="1': 0.9999, 'solimp="0': 0.9}.get(soft[:9], 0.95)
    k = d0 / (d_max * (4e-3 if "1e-9" in soft else 0.02)) ** 2
    assert stiffness == pytest.approx(4.0 * d0 * k / (1.0 - d0), rel=0.01)


URDF = """<robot name="arm">
  <link name="base"><inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="0.2 0.2 0.1"/></geometry></visual>
    <collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="upper"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><cylinder radius="0.05" length="0.5"/></geometry></visual>
    <collision><geometry><capsule radius="0.06" length="0.5"/></geometry></collision></link>
  <link name="fore"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.1"/><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <origin xyz="0 0 0.3"/><limit lower="-2" upper="2" effort="0" velocity="0"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><axis xyz="0 1 0"/>
    <origin xyz="0 0 0.3"/><limit lower="-3" upper="3" effort="0" velocity="0"/></joint>
</robot>"""


def test_collision_elements_of_a_urdf_touch_and_are_not_drawn(tmp_path: Path) -> None:
    diagram = luff.import_model(written(tmp_path, URDF, "arm.urdf"), touch=True)
    blocks = diagram.blocks
    assert blocks["touch"]["among"] == ["base", "upper.touch_1", "fore"]
    assert blocks["base"]["shape"] == {"kind": "box", "size": [0.2, 0.2, 0.1]}  # drawn, and touches
    assert blocks["upper"]["shapes"]["touch_1"]["hidden"] is True
    assert blocks["upper"]["shapes"]["part_2"] == {"kind": "cylinder", "size": [0.1, 0.5]}
    assert blocks["fore"]["shape"]["hidden"] is True
    # the forearm alone meets the base
    sim = luff.compile(diagram)
    pairs = [(p.part.frame_a, p.part.frame_b) for p in sim.program.mechanism.elements]
    assert pairs == [("base", "fore")]
    assert np.isfinite(sim.run(stop=0.02).table).all()


def test_names_that_are_left_out_are_checked() -> None:
    text = """
luff: 1
blocks:
  a: {type: fixture, shape: {kind: plane}}
  f: {type: free}
  b: {type: rigid_link, mass: 1, inertia: [1, 1, 1], shape: {kind: sphere, size: [1]}}
  hit: {type: touch, of: [b], against: [a], without: [{of: [b], against: [c]}]}
connect: [world.frame -- f.frame_a, f.frame_b -- b.frame_a]
"""
    with pytest.raises(luff.LuffError, match=r'without\[0\]\.against\[0\].*"c" is no block with shapes'):
        luff.compile(luff.loads(text))


GROUPS = """<mujoco><worldbody>
  <geom type="plane" size="5 5 1" contype="2" conaffinity="1"/> <geom type="box" size="1 1 1" pos="3 0 0"/>
  <body name="a" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1" friction="0.3"/></body>
  <body name="b" pos="0 0 2"><freejoint/>
    <geom type="cylinder" size="0.1 0.1" mass="1" contype="4" conaffinity="2" condim="6" friction="0.5 0 0.01"/></body>
  <body name="c" pos="0 0 3"><freejoint/><geom type="cylinder" size="0.1 0.1" mass="1"/></body>
  <body name="d" pos="0 0 4"><freejoint/><geom type="cylinder" size="0.1 0.1" mass="1"/>
    <geom type="ellipsoid" size="0.1 0.1 0.2" mass="1"/></body>
</worldbody></mujoco>"""


def test_groups_meet_by_their_bits(tmp_path: Path) -> None:
    """Bits of MuJoCo's pairs of geoms beside the pairs of luff's model."""
    path = written(tmp_path, GROUPS)
    found = read_model(path, touch=True)
    sim = luff.compile(luff.loads(found.text))
    ours = {
        frozenset(name.partition(".")[0] for name in (p.part.frame_a, p.part.frame_b))
        for p in sim.program.mechanism.elements
    }
    model = mujoco.MjModel.from_xml_path(str(path))
    names = [model.body(model.geom_bodyid[k]).name.replace("world", "ground") for k in range(model.ngeom)]
    bits = list(zip(model.geom_contype, model.geom_conaffinity, strict=True))
    theirs = {
        frozenset((names[j], names[k]))
        for j in range(model.ngeom)
        for k in range(j)
        if names[j] != names[k] and (bits[j][0] & bits[k][1] or bits[k][0] & bits[j][1])
    }
    assert theirs == ours
    assert "ellipsoid" in "\n".join(found.note_lines)
    touches: Any = [block for block in luff.loads(found.text).blocks.values() if block.get("type") == "touch"]
    assert any(one["friction"].get("rolling") == "0.01 m" for one in touches)


JAWS = """<mujoco model="two jaws">
  <option timestep="0.001" cone="elliptic" integrator="implicitfast"/>
  <default><geom friction="0.8 0.005 0.0001"/></default>
  <worldbody>
    <body name="left"><joint name="left" type="slide" axis="1 0 0" stiffness="300" springref="0.1" damping="5"/>
      <geom name="left" type="box" size="0.01 0.025 0.05" pos="-0.07 0 0" mass="0.2"/></body>
    <body name="right"><joint name="right" type="slide" axis="1 0 0" stiffness="300" springref="-0.1" damping="5"/>
      <geom name="right" type="box" size="0.01 0.025 0.05" pos="0.07 0 0" mass="0.2"/></body>
    <body name="block"><freejoint name="block"/><geom name="block" type="box" size="0.058 0.05 0.05" mass="1"/></body>
  </worldbody>
</mujoco>"""


@pytest.mark.skipif(PLAIN, reason="seconds of steps take minutes as plain Python")
def test_imported_jaws_hold_a_block_that_creeps_out_of_mujoco_s(tmp_path: Path) -> None:
    """2 mu N of 45 N bears 9.81 N; soft contacts slide under any load across."""
    file = written(tmp_path, JAWS)
    found = luff.compile(luff.import_model(file, touch=True)).run(stop=4.0, output_step=0.1)
    height = found["block_joint.position"][:, 2]
    late = found.time > 2.0
    assert np.ptp(height[late]) < 1e-8  # m: rounding, and what is left of the grip's start
    assert abs(height[-1]) < 1e-3
    model = mujoco.MjModel.from_xml_string(JAWS)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=2000)
    begun = float(data.qpos[4])
    mujoco.mj_step(model, data, nstep=2000)
    assert begun - float(data.qpos[4]) > 1e-3


GRIPPER = """<mujoco model="gripper"><compiler autolimits="true"/>
  <option timestep="0.001" cone="elliptic" integrator="implicitfast"/>
  <default><geom friction="0.6 0.005 0.0001"/>
    <default class="pad"><geom friction="0.9" priority="1" solref="0.004 1"/></default>
    <default class="finger"><joint type="slide" range="0 0.04" armature="0.1" damping="5"/></default></default>
  <worldbody><geom name="floor" type="plane" size="1 1 1"/>
    <body name="block" pos="0 0 0.03"><freejoint/><geom type="box" size="0.02 0.025 0.03" mass="0.2"/></body>
    <body name="hand" pos="0 0 0.2"><joint name="lift" type="slide" axis="0 0 1" damping="50"/>
      <geom type="box" size="0.03 0.1 0.02" mass="0.7"/>
      <body name="left" pos="0 0.05 -0.12"><joint name="left" class="finger" axis="0 -1 0"/>
        <geom class="pad" type="box" size="0.01 0.008 0.04" mass="0.05"/></body>
      <body name="right" pos="0 -0.05 -0.12"><joint name="right" class="finger" axis="0 1 0"/>
        <geom class="pad" type="box" size="0.01 0.008 0.04" mass="0.05"/></body></body>
  </worldbody>
  <tendon><fixed name="both"><joint joint="left" coef="0.5"/><joint joint="right" coef="0.5"/></fixed></tendon>
  <equality><joint joint1="left" joint2="right" solref="0.005 1"/></equality>
  <actuator><position name="lift" joint="lift" kp="5000"/>
    <general name="fingers" tendon="both" ctrlrange="0 255" forcerange="-30 30" gainprm="0.2" biastype="affine"
      biasprm="0 -50 -5"/></actuator>
</mujoco>"""


@pytest.mark.skipif(PLAIN, reason="seconds of steps take minutes as plain Python")
def test_imported_gripper_lifts_a_block_with_its_tendon(tmp_path: Path) -> None:
    """Fingers of one drive close, the hand goes up by 0.1 m: the block keeps its height, and sinks in MuJoCo."""
    file = written(tmp_path, GRIPPER)
    told = ["step: 0.2 ms in place of 1 ms, with which rk4 is not stable in contact"]
    assert read_model(file, touch=True).note_lines == told
    sim = luff.compile(luff.import_model(file, touch=True))
    t = np.linspace(0.0, 4.0, 401)
    up = np.clip(0.1 * (t - 0.5), 0.0, 0.1)
    found = sim.run(stop=4.0, output_step=0.01, inputs={"fingers": 255.0, "lift_u": (t, up)})
    height = found["block_joint.position"][:, 2]
    hung = found.time > 2.0
    assert np.ptp(height[hung]) < 1e-8  # m: rounding, and what is left of the swing
    model = mujoco.MjModel.from_xml_string(GRIPPER)
    data = mujoco.MjData(model)
    theirs = []
    for k in range(4000):
        data.ctrl[:] = np.interp(1e-3 * k, t, up), 255.0
        mujoco.mj_step(model, data)
        theirs.append(float(data.body("block").xpos[2]))
    assert height[-1] == pytest.approx(theirs[1999], abs=2e-3)
    assert theirs[1999] - theirs[-1] > 1e-5


HOLLOW = """<mujoco><option timestep="0.001"/><asset><hfield name="bowl" {heights} size="2 1.5 0.5 0.1"/></asset>
  <default><geom solref="-100000 -600" solimp="0.9 0.9 0.001" friction="0.5"/></default>
  <worldbody><geom type="hfield" hfield="bowl" pos="0.3 -0.2 0.1"/>
    <body name="ball" pos="-0.1 -0.6 0.251"><freejoint name="ball"/><geom type="sphere" size="0.15" mass="2"/></body>
    <body name="arm" pos="0 0 2"><joint name="arm" axis="0 1 0"/><geom type="capsule" size="0.1 0.3" mass="1"/></body>
  </worldbody></mujoco>"""


def bowl(folder: Path, inline: bool) -> Path:
    """A bowl of heights that MuJoCo spreads from 0 to its third size, lowest at a node, (-0.4, -0.4)."""
    x, y = np.meshgrid(np.linspace(-2, 2, 41), np.linspace(-1.5, 1.5, 31))
    heights = ((x + 0.4) ** 2 + 1.5 * (y + 0.4) ** 2) * 7.0 + 3.0
    if inline:  # the first row is that of the highest y
        numbers = " ".join(f"{one:.9g}" for one in heights[::-1].ravel())
        return written(folder, HOLLOW.format(heights=f'nrow="31" ncol="41" elevation="{numbers}"'))
    content = np.array([31, 41], np.int32).tobytes() + heights.astype(np.float32).tobytes()
    (folder / "bowl.bin").write_bytes(content)
    return written(folder, HOLLOW.format(heights='file="bowl.bin"'))


@pytest.mark.skipif(PLAIN, reason="seconds of steps take minutes as plain Python")
@pytest.mark.parametrize("inline", [True, False])
def test_ball_rests_in_a_height_field_as_high_as_in_mujoco(inline: bool, tmp_path: Path) -> None:
    path = bowl(tmp_path, inline)
    blocks = luff.loads(read_model(path, touch=True).text).blocks
    touch: Any = blocks["touch"]
    assert touch["among"] == ["ball", "arm", "ground"]
    rest = luff.compile(luff.import_model(path, touch=True)).run(stop=2.0)["ball_joint.position"][-1]
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=2000)
    # a fall of 1 mm, and a sink of (1 - d) g / (d k) = 11 um on one point
    assert rest == pytest.approx(data.body("ball").xpos, abs=2e-5)
    assert rest == pytest.approx([-0.1, -0.6, 0.25], abs=2e-5)
