"""Whole sessions in `luff gui` as a process with a display: what the hand does there, and what it sees."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from luff.tests.shared.netlists import TWO_LINKS

FAULTS = """\
luff: 1
blocks:
  joint: {type: revolute, axs: y}
  load: {type: rigid_link, mass: =payload, com: [0.5 kg, 0, 0]}
  other: {type: constant, value: 1}
  reference: {type: sine, unit: rad}
  drive: {type: pd, kp: 100, kd: 10}
connect:
  - world.frame -- joint.frame_a
  - joint.frame_b -- load.frame_a
  - joint.total_torque -> joint.effort
  - joint.trajectory -> drive.measured
"""
ARM = """\
luff: 1
name: arm
parameters: {payload: 1 kg}
blocks:
  shoulder: {type: revolute, axis: y, initial: {position: 60 deg}}
  upper: {type: rigid_link, mass: 2 kg, com: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2], frame_b: {at: [1 m, 0, 0]}}
  elbow: {type: revolute, axis: y, damping: 0.5}
  fore: {type: rigid_link, mass: =payload, com: [0.4, 0, 0], inertia: [0.01, 0.1, 0.1]}
  reference: {type: constant, value: 1, unit: rad}
  controller: {type: pd, kp: 100, kd: 20}
  half: {type: gain, k: 0.5}
connect:
  - world.frame -- shoulder.frame_a
  - shoulder.frame_b -- upper.frame_a
  - upper.frame_b -- elbow.frame_a
  - elbow.frame_b -- fore.frame_a
  - reference.trajectory -> controller.target
  - shoulder.trajectory -> controller.measured
  - controller.effort -> shoulder.effort
  - shoulder.total_torque[1] -> half.u
"""
MAST = """\
  slide: {type: prismatic, axis: x, stiffness: 2 N/m, initial: {position: 5 m}}
  mast:
    type: rfem_link
    length: 2 m
    section: {shape: box, width: 60 mm, height: 60 mm, thickness: 4 mm}
    rho: 7850 kg/m^3
    E: 210 GPa
    divisions: 2
connect:
  - world.frame -- slide.frame_a
  - slide.frame_b -- mast.frame_a
"""
BEST = """\
model: arm.yaml
optimise:
  parameters: {controller.kd: {lower: 5, upper: 60}}
  minimise: {metric: rms, of: shoulder.position}
"""
ROBOT = """\
<robot name="robot">
  <link name="base"/>
  <link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
    <inertia ixx="0.01" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="pin" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>
"""


def chain(links: int) -> str:
    """A world and a line of joints and links."""
    blocks, wires, end = [], [], "world.frame"
    for k in range(links):
        blocks += [
            f"  j{k}: {{type: revolute, axis: y}}",
            f"  l{k}: {{type: rigid_link, mass: 1, com: [0.5, 0, 0]}}",
        ]
        wires += [f"  - {end} -- j{k}.frame_a", f"  - j{k}.frame_b -- l{k}.frame_a"]
        end = f"l{k}.frame_b"
    return "\n".join(["luff: 1", "blocks:", *blocks, "connect:", *wires, ""])


@pytest.fixture
def session(display: str, tmp_path: Path):
    """Run a session of a script with a model; return what it reports."""

    def run(script: str, name: str, *files: str, scale: str = "1") -> dict[str, Any]:
        homes = {f"XDG_{word}_HOME": str(tmp_path / "home") for word in ("DATA", "CONFIG")}
        screen = {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "QT_SCALE_FACTOR": scale}
        command = [sys.executable, str(Path(__file__).with_name(script)), name, str(tmp_path)]
        done = subprocess.run(
            [*command, *(str(tmp_path / file) for file in files)],
            env={**os.environ, **homes, **screen},
            capture_output=True,
            text=True,
            timeout=1800,
        )
        assert done.returncode == 0, done.stderr[-4000:]
        report = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("REPORT "))[7:])
        assert report["platform"] == "xcb"
        return report

    return run


def luff_says(*words: str) -> str:
    """What the command line says, which succeeds."""
    done = subprocess.run([sys.executable, "-m", "luff", *words], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_levels_have_no_walls(session, tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(ARM)
    report = session("editing.py", "levels", "arm.yaml")
    assert report["asked"] == 0
    assert report["levels"] == [1, 2, 1]  # after the edit inside, its undo, and that of the group
    assert report["undone"]
    assert report["again"]
    assert report["type"] == "./arm_half.yaml"
    # the command line takes the subsystem in place, and the file of its own
    (tmp_path / "grouped.yaml").write_text(report["edited"])
    luff_says("check", str(path))
    luff_says("check", str(tmp_path / "grouped.yaml"))
    alike = report["edited"].replace("mass: 3 kg", "mass: 2 kg")
    (tmp_path / "alike.yaml").write_text(alike)
    (tmp_path / "plain.yaml").write_text(ARM)
    assert "upper" in luff_says("diff", str(tmp_path / "alike.yaml"), str(tmp_path / "grouped.yaml"))


def test_problems_are_mended_by_clicks(session, tmp_path: Path) -> None:
    (tmp_path / "faults.yaml").write_text(FAULTS)
    report = session("editing.py", "mends", "faults.yaml")
    assert report["clicked"] == [
        'Use "axis"',
        'Use "0.5 m"',
        "Create Parameter payload...",
        'Use "joint.total_torque[0]"',
        "Wire...",
        "Insert a Delay",
    ]
    assert report["field"] == ['Use "2 kg"', "2 kg"]
    assert report["menu"] == "2 kg"
    assert report["undone"]
    (tmp_path / "mended.yaml").write_text(report["mended"])
    luff_says("check", str(tmp_path / "mended.yaml"))
    # on the command line those that are certain
    (tmp_path / "spelt.yaml").write_text(report["mended"].replace("axis:", "axs:"))
    luff_says("check", "--fix", str(tmp_path / "spelt.yaml"))
    assert (tmp_path / "spelt.yaml").read_text() == report["mended"]


def test_files_that_change_outside_are_followed_or_asked_about(session, tmp_path: Path) -> None:
    (tmp_path / "arm.yaml").write_text(TWO_LINKS)
    report = session("editing.py", "outside", "arm.yaml")
    assert report == {
        "followed": ["7 kg", False, False],
        "lines": ["upper.mass: 8 kg -> 7 kg", "fore.mass: 1 kg -> 4 kg"],
        "taken": ["8 kg", "4 kg"],
        "kept": [False, "8 kg", "4 kg", True],
        "reloaded": ["9 kg", "1 kg", False],
        "undone": ["8 kg", "4 kg"],
        "platform": "xcb",
    }


def test_hands_find_tab_menus_values_and_maps(session, tmp_path: Path) -> None:
    (tmp_path / "arm.yaml").write_text(ARM)
    (tmp_path / "chain.yaml").write_text(chain(15))
    report = session("editing.py", "hands", "arm.yaml")
    assert report["behind"] == ["fore.frame_b -- fixed.frame_a"]
    assert report["plotted"] == ["controller.effort"]
    assert report["element"] == ["shoulder.total_torque[2] -> half.u"]
    assert report["inserted"] == ["controller.effort -> gain.u", "gain.y -> shoulder.effort"]
    assert report["live"] == ["Real time", True, True, 4]
    assert report["large"] == [True, False, True]
    assert report["blocks"] == 30  # and the world
    assert report["aspect"] < 4.0  # in one line it would be 15 times as wide as high
    assert report["minimap"] == [False, True]


def test_what_was_amiss_stays_mended(session, tmp_path: Path) -> None:
    for name, text in (("arm.yaml", ARM), ("best.yaml", BEST), ("robot.urdf", ROBOT)):
        (tmp_path / name).write_text(text)
    report = session("editing.py", "corrections", "arm.yaml")
    assert report["film"] == "arm.html"
    assert report["older"] == ["Results are of an older model", ""]
    assert report["said"] == ["Undone: change upper.mass", ""]
    assert report["offered"] == "best.yaml"
    assert report["stays"] == 0
    assert report["question"] == "Save the changes to robot?"
    assert report["first"] == [str(tmp_path), "robot.yaml"]
    assert report["same_routes"]


def test_analyses_stay_and_say_when_they_are_old(session, tmp_path: Path) -> None:
    (tmp_path / "arm.yaml").write_text(ARM)
    report = session("showing.py", "analyses", "arm.yaml")
    assert len(report["opened"]) == 13
    assert (report["asked"], report["windows"]) == (0, 1)
    assert report["answered"]["modes"] == "The equilibrium is stable: everything decays"
    assert report["old"] == [True] * 4
    assert report["again"] == [True, True]
    assert report["undone"]
    assert not report["matplotlib"]


def test_one_window_has_tabs_and_folds(session, tmp_path: Path) -> None:
    for name in ("arm.yaml", "other.yaml"):
        (tmp_path / name).write_text(ARM)
    report = session("showing.py", "tabs", "arm.yaml")
    assert report["titles"] == ["arm.yaml", "other.yaml"]
    assert report["turned"] == [True, True]
    assert report["looks"] == {
        "narrow": [True, True, []],
        "wide": [True, True, []],
        "dialog 0": [],
        "dialog 1": [],
    }
    assert report["left"] == ["arm.yaml"]
    assert report["asked"] == 0


def test_plots_name_units_and_runs(session, tmp_path: Path) -> None:
    (tmp_path / "arm.yaml").write_text(ARM)
    report = session("showing.py", "plots", "arm.yaml")
    assert report["axes"] == ["[rad]", "[N·m]", "[-]"]
    assert report["apart"] == 0.0
    assert report["earlier"] == ["Run 1"]
    assert report["same"]


def test_the_first_minute_leads_to_a_crane_that_runs(session, tmp_path: Path) -> None:
    (tmp_path / "arm.yaml").write_text(ARM)
    report = session("showing.py", "first_minute")
    assert list(report["pictures"].values()).count(True) == 9  # five examples, four templates
    assert report["titles"] == report["stops"]
    assert report["runs"] == [title not in report["stops"][:4] for title in report["titles"]]
    assert report["found"] == {
        entry: ["QLineEdit", *["controller.kp"] * count]
        for entry, count in (("Vary in a Study", 1), ("Fit to Measurements", 1), ("Optimise", 2))
    }
    assert report["recent"] == ["arm.yaml"]


def test_looks_are_of_one_kind_in_both_themes(session, tmp_path: Path) -> None:
    (tmp_path / "arm.yaml").write_text(ARM.replace("connect:\n", MAST))
    report = session("showing.py", "looks", "arm.yaml")
    for name in ("light", "dark"):
        colours = {report["colours"][f"{title} {name}"] for title in ("commands", "find", "file", "window")}
        assert len(colours) == 1
    assert report["colours"]["window light"] != report["colours"]["window dark"]
    assert len(report["heights"]) == 1
    assert report["hops"] > 0
    assert report["drawn"] == [True, False]  # after an undo as before, and not as without the block
    assert [float(tick) for tick in report["ticks"]] == sorted({float(tick) for tick in report["ticks"]})
    assert len(report["ticks"]) == 3
    assert not report["out_of_view"]


def test_sessions_of_a_screen_at_200_percent(session, tmp_path: Path) -> None:
    """Nothing lies off a screen of 800 x 500 logical pixels."""
    for name in ("arm.yaml", "other.yaml"):
        (tmp_path / name).write_text(ARM)
    report = session("showing.py", "tabs", "arm.yaml", scale="2")
    assert report["looks"]["narrow"][2] == report["looks"]["dialog 0"] == report["looks"]["dialog 1"] == []
