"""`luff import`: what it writes and prints, and its exit codes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import luff
from luff.tests.cli.test_commands import call

ARM = """<robot name="arm"><link name="base"/>
  <joint name="pin" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="5" velocity="1"/></joint>
  <link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.2" iyy="0.2" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>
"""
BALL = '<mujoco><worldbody><body name="b"><freejoint name="f"/><geom size="0.1"/></body></worldbody></mujoco>'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "arm.urdf").write_text(ARM)
    (tmp_path / "ball.xml").write_text(BALL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_import_writes_a_netlist_and_tells_what_is_missing(here: Path) -> None:
    """As a process: the netlist in a file, the result on stdout, what is missing on stderr."""
    command = [sys.executable, "-m", "luff", "import", "arm.urdf", "-o", "made.yaml"]
    done = subprocess.run(command, cwd=here, text=True, capture_output=True, check=True)
    assert done.stdout == "wrote made.yaml; next: luff check made.yaml\n"
    assert done.stderr == "not taken over: effort and velocity limit (pin): limit the drive that you wire\n"
    assert luff.load("made.yaml").blocks["rod"]["com"] == [0, 0, -0.5]
    assert call("check", "made.yaml").stdout == "made.yaml: fine\n"


def test_import_runs_like_a_pendulum(here: Path) -> None:
    """qdd = -m g l sin(q) / (I + m l^2), by hand, at the start of a run from 0.5 rad."""
    call("import", "arm.urdf", "--quiet")
    call("run", "arm.yaml", "--stop", "0.01", "--set", "pin.initial.position=0.5", "-o", "a.h5")
    expected = -2 * 9.81 * 0.5 * 0.479425538604203 / (0.2 + 2 * 0.5**2)
    assert luff.read("a.h5")["pin.acceleration"][0] == pytest.approx(expected, rel=1e-12)


def test_page_shows_what_is_written(here: Path) -> None:
    page = (Path(luff.__file__).parent / "docs" / "import.md").read_text()
    source, shown = (
        re.search(rf'```{kind} title="arm.*?\n(.*?)```', page, re.DOTALL) for kind in ("xml", "yaml")
    )
    assert source is not None
    assert shown is not None
    (here / "arm.urdf").write_text(source.group(1))
    call("import", "arm.urdf")
    assert (here / "arm.yaml").read_text() == shown.group(1)


def test_import_json_is_one_object(here: Path) -> None:
    found = json.loads(call("import", "ball.xml", "--json").stdout)
    assert found["status"] == "fine"
    assert found["file"] == "ball.yaml"
    assert [line.partition(" (")[0] for line in found["not_taken_over"]] == ["geoms"]
    assert luff.load("ball.yaml").blocks["f"] == {"type": "free"}


def test_floating_adds_a_free_joint(here: Path) -> None:
    call("import", "arm.urdf", "--floating")
    assert luff.load("arm.yaml").blocks["floating_base"]["type"] == "free"
    assert "world.frame -- floating_base.frame_a" in luff.load("arm.yaml").connections


def test_floating_is_refused_for_mjcf(here: Path) -> None:
    told = call("import", "ball.xml", "--floating", code=1).stderr
    assert told.startswith("ball.xml:1:1: mujoco: has its own floating bodies")
    assert not (here / "ball.yaml").exists()


def test_netlist_names_all_and_the_terminal_the_first(here: Path) -> None:
    sensors = "".join(f'<framepos name="m{k}" objtype="body" objname="b"/>' for k in range(30))
    (here / "ball.xml").write_text(BALL.replace("</mujoco>", f"<sensor>{sensors}</sensor></mujoco>"))
    told = call("import", "ball.xml").stderr
    assert "sensor (30: m0, m1" in told
    assert "m11, and 18 more): " in told
    assert "m29" not in told
    assert "m29" in (here / "ball.yaml").read_text()


def test_nothing_is_written_over(here: Path) -> None:
    (here / "arm.yaml").write_text("mine")
    told = call("import", "arm.urdf", code=2).stderr
    assert told == "arm.yaml: there is such a file already (choose another name, or --force)\n"
    assert (here / "arm.yaml").read_text() == "mine"
    call("import", "arm.urdf", "--force")
    assert luff.load("arm.yaml").name == "arm"


def test_wrong_files_end_with_the_place_and_code(here: Path) -> None:
    (here / "bad.urdf").write_text(ARM.replace('"revolute"', '"revolut"'))
    told = call("import", "bad.urdf", code=1).stderr
    assert told.startswith('bad.urdf:2:3: joint "pin": type: found "revolut", expected one of')
    assert told.endswith('(did you mean "revolute"?)\n')
    assert not (here / "bad.yaml").exists()
    found = json.loads(call("import", "bad.urdf", "--json", code=1).stdout)
    assert (found["problems"][0]["file"], found["problems"][0]["line"]) == ("bad.urdf", 2)
    assert call("import", "none.urdf", code=2).stderr == "none.urdf: there is no such file\n"
    assert 'found ".txt", expected .yaml' in call("import", "arm.urdf", "-o", "a.txt", code=2).stderr
