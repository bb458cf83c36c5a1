"""Mistakes in MJCF are told with their place."""

from __future__ import annotations

from pathlib import Path

import pytest

import luff
from luff.blocks import LuffError
from luff.tests.solver.exchange.mjcf_models import written

pytestmark = pytest.mark.usefixtures("own_folder")


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


def test_wrong_time_step_is_told(tmp_path: Path) -> None:
    text = '<mujoco><option timestep="-1"/><worldbody><body/></worldbody></mujoco>'
    with pytest.raises(LuffError, match="timestep: found -1, expected a number above zero"):
        luff.import_model(written(tmp_path, text))
