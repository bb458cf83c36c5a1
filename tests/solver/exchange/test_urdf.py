"""URDF -> netlist, against Pinocchio, which reads the same file with a parser of its own."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.bench.robots import against_pinocchio
from luff.blocks import LuffError
from luff.solver.exchange import read_model
from luff.tests.shared.netlists import URDF_ARM

# Every kind of joint that Pinocchio reads in the same way, turned frames, oblique axes, a tensor of inertia in turned
# axes, links without mass inside and at the ends, and names that a netlist cannot have.


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(URDF_ARM)
    return path


@pytest.mark.parametrize("floating", [False, True])
def test_robot_moves_as_pinocchio_says(arm: Path, floating: bool) -> None:
    freedoms, worst = against_pinocchio(arm, floating, seed=3)
    assert freedoms == (10 if floating else 4)
    # two recursions over the same numbers; masses and lengths are of order one
    assert worst < 1e-12


def test_netlist_reads_as_one_that_a_person_wrote(arm: Path) -> None:
    diagram = luff.import_model(arm)
    assert [problem for problem in diagram.check() if problem.severity == "error"] == []
    blocks = diagram.blocks
    assert list(blocks) == [
        "base", "shoulder", "upper_arm", "slide_joint", "slide", "camera_fix", "camera", "wrist", "hollow",
        "roll", "hand", "wrist_mimic",
    ]  # fmt: skip
    assert blocks["shoulder"]["axis"] == [1, 2, -0.5]
    assert blocks["slide_joint"]["axis"] == "-z"
    assert blocks["roll"]["axis"] == "x"  # URDF's default
    # where it stands on the base, in the source's own numbers; the angle of 90 degrees is exact
    place = {"at": [0, 0.1, 0.5], "rotate": [["z", "90 deg"], ["y", "-0.4 rad"], ["x", "0.3 rad"]]}
    assert blocks["base"]["frame_b"] == place
    assert blocks["slide"]["mass"] == "1.5 kg"
    assert blocks["slide"]["inertia"] == [0.01, 0.02, 0.02]
    # a link without mass is a frame of the link that it is fixed to
    assert set(blocks["upper_arm"]["frames"]) == {"bracket", "slide"}
    assert "limits" not in blocks["roll"]  # a limit of effort alone
    text = diagram.to_yaml()
    assert '# link "upper-arm", line ' in text
    assert "layout:" not in text


def test_visuals_become_shapes_where_they_are_plain_solids(arm: Path) -> None:
    blocks = luff.import_model(arm).blocks
    assert blocks["base"]["shape"] == {"kind": "box", "size": [1, 1, 1]}
    # a link without mass is a frame of the one that carries it: here 0.6 m out, turned by 1 rad
    bracket = blocks["upper_arm"]["shape"]
    assert (bracket["kind"], bracket["size"], bracket["color"]) == ("cylinder", [0.2, 2], "#808080")
    np.testing.assert_allclose(bracket["at"], [math.sin(1), 0, 0.6 + math.cos(1)], atol=1e-12)
    assert bracket["rotate"] == [["y", "1 rad"]]


def test_joint_outside_its_limits_starts_between_them(arm: Path) -> None:
    blocks = luff.import_model(arm).blocks
    assert blocks["slide_joint"]["initial"] == {"position": "0.3 m"}
    assert "initial" not in blocks["shoulder"]


def test_what_is_not_taken_over_is_named(arm: Path) -> None:
    told = read_model(arm).note_lines
    for words in (
        "motion (tool_turn): the joint carries no mass",
        "transmission (drive)",
        "effort and velocity limit (4: shoulder, slide, roll, tool_turn)",
        "collision geometry (upper-arm)",
        "visual geometry (bracket)",
    ):
        assert any(line.startswith(words) for line in told), words
    assert not any("material" in line for line in told)
    assert not any(line.startswith("limits (") for line in told)  # roll has one of effort alone
    head = read_model(arm).text.partition("blocks:")[0]
    assert "transmission (drive)" in head.replace("\n#  ", "")


def test_planar_and_floating_joints_become_chains_and_free(tmp_path: Path) -> None:
    text = """<robot name="r">
      <link name="world"/>
      <joint name="deck" type="planar"><parent link="world"/><child link="slab"/><axis xyz="0 3 4"/></joint>
      <link name="slab"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
      <joint name="loose" type="floating"><parent link="slab"/><child link="ball"/><origin xyz="1 0 0"/></joint>
      <link name="ball"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
      </robot>"""
    (tmp_path / "r.urdf").write_text(text)
    diagram = luff.import_model(tmp_path / "r.urdf")
    blocks = diagram.blocks
    assert "world" not in blocks  # a root link of that name is luff's own world
    assert blocks["deck_x"]["axis"] == "x"
    axes = np.array([[1, 0, 0], blocks["deck_y"]["axis"], blocks["deck_turn"]["axis"]], float)
    # slides across the axis, then a turn about it, in a right-handed frame: to the 15 digits that are written
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(np.cross(axes[0], axes[1]), [0.0, 0.6, 0.8], atol=1e-14)
    assert [blocks[f"deck_{name}"]["type"] for name in ("x", "y", "turn")] == ["prismatic"] * 2 + ["revolute"]
    assert blocks["loose"] == {"type": "free"}
    assert "slab.frame_b -- loose.frame_a" in diagram.connections
    assert blocks["slab"]["frame_b"] == {"at": [1, 0, 0]}


def test_inertia_that_no_body_has_is_mended_and_named(tmp_path: Path) -> None:
    text = """<robot name="r"><link name="a"><inertial><mass value="2"/>
      <inertia ixx="1" iyy="1" izz="-0.5" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
    (tmp_path / "r.urdf").write_text(text)
    found = read_model(tmp_path / "r.urdf")
    assert luff.loads(found.text).blocks["a"]["inertia"] == [1, 1, 0]
    assert any(line.startswith("inertia (a): a principal moment of -0.5 kg*m^2") for line in found.note_lines)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('type="prismatic"', 'type="prismatik"', ':29:3: joint "slide": type: found "prismatik"'),
        ('<child link="hand"/>', '<child link="hnd"/>', 'there is no link "hnd" (did you mean "hand"?)'),
        ('<mass value="4"/>', '<mass value="four"/>', ':5:40: mass: value: found "four", expected a number'),
        ('<mass value="4"/>', '<mass value="-4"/>', "found a mass of -4, expected >= 0"),
        ('xyz="1 2 -0.5"', 'xyz="1 2"', 'xyz: found "1 2", expected 3 numbers'),
        ('xyz="1 2 -0.5"', 'xyz="0 0 0"', "found an axis of no length"),
        ('<child link="tool"/>', '<child link="hand"/>', 'carries "hand", which joint "roll" carries already'),
        ('<link name="tool"/>', '<link name="tool"/><link name="loose"/>', "2 links without a parent: base, loose"),
        ('<link name="hollow"/>', '<link name="hand"/>', "is there twice, first in line"),
        ("</robot>", "", "not well-formed XML: no element found"),
        ('<?xml version="1.0"?>', '<!DOCTYPE r [<!ENTITY x "y">]>', ":1:25: found a document type with entities"),
        ('<robot name="test arm">', '<robot name="test arm"><joint>', "not well-formed XML: mismatched tag"),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_their_place(arm: Path, old: str, new: str, told: str) -> None:
    assert old in URDF_ARM
    arm.write_text(URDF_ARM.replace(old, new))
    with pytest.raises(LuffError) as raised:
        luff.import_model(arm)
    assert told in str(raised.value)
    assert str(raised.value).startswith(str(arm))


def test_file_of_another_kind_is_told(tmp_path: Path) -> None:
    (tmp_path / "r.sdf").write_text('<sdf version="1.7"/>')
    with pytest.raises(LuffError, match=r"r\.sdf:1:1: sdf: is not a model that luff reads"):
        luff.import_model(tmp_path / "r.sdf")


def test_external_entity_is_not_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("7")
    head = f'<!DOCTYPE robot [<!ENTITY mass SYSTEM "{secret.as_uri()}">]>'
    (tmp_path / "r.urdf").write_text(f'{head}<robot name="r"><link name="a"/>&mass;</robot>')
    with pytest.raises(LuffError, match="entities"):
        luff.import_model(tmp_path / "r.urdf")
