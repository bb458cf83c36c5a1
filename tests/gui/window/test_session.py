"""A whole session in a real window: build, run, read the plot, save, open again; headless it gives the same."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import luff

TUTORIAL = 720.0  # s
CLICKS, SECONDS = (
    25,
    180.0,
)  # what a first model may cost the hand: no more than in the tools that people come from


def reported(display: str, script: str, *words: str) -> dict[str, Any]:
    """What a script saw in a window of a display."""
    environment = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "QT_SCALE_FACTOR": "1"}
    command = [sys.executable, str(Path(__file__).with_name(script)), *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("REPORT "))[7:])


def test_two_links_with_pd_planner_and_live_plots_take_few_clicks(display: str) -> None:
    report = reported(display, "clicks_script.py")
    assert report["live"]
    assert list(report["curves"].values()) == [True, True]
    assert report["connections"] == [
        "world.frame -- revolute.frame_a",
        "revolute.frame_b -- rigid_link.frame_a",
        "rigid_link.frame_b -- revolute2.frame_a",
        "revolute2.frame_b -- rigid_link2.frame_a",
        "revolute.trajectory -> pd.measured[0]",
        "pd.effort[0] -> revolute.effort",
        "revolute2.trajectory -> pd.measured[1]",
        "pd.effort[1] -> revolute2.effort",
        "motion_law.y -> pd.target",
    ]
    assert report["clicks"] <= CLICKS
    assert report["seconds"] <= SECONDS  # of the keystroke-level model, not of this machine


def test_the_canvas_half_of_the_tutorial_takes_minutes(display: str, tmp_path: Path) -> None:
    page = (Path(luff.__file__).parent / "docs" / "tutorial.md").read_text("utf-8")
    text = re.search(r"`boom\.yaml`:\n\n```yaml\n(.*?)```", page, re.DOTALL)
    assert text
    (tmp_path / "boom.yaml").write_text(text[1])
    report = reported(display, "clicks_script.py", str(tmp_path / "boom.yaml"))
    assert report["blocks"]["universal"] == {"type": "universal", "axis_a": "y", "axis_b": "x"}
    assert report["blocks"]["load"] == {"type": "rigid_link", "mass": "500 kg", "com": [0, 0, -4]}
    assert report["clicks"] <= CLICKS
    assert report["seconds"] <= TUTORIAL  # with the time to read each sentence
    assert "load.frame_a" in (tmp_path / "boom.yaml").read_text()


def test_arm_built_by_hand_runs_saves_and_gives_the_same_headless(display: str, tmp_path: Path) -> None:
    report = reported(display, "session_script.py", str(tmp_path))
    assert report["platform"] == "xcb"
    assert report["same_text"]
    assert report["restored"]
    assert report["blocks"] == ["shoulder", "upper", "elbow", "fore", "reference", "controller"]
    assert len(report["connections"]) == 7
    result = luff.compile(luff.load(tmp_path / "arm.yaml")).run()
    # the same code on the same numbers: not a bit may differ
    assert result.time[-1] == report["time"] == pytest.approx(2.0)
    assert result["shoulder.position"][-1] == report["position"]
    assert report["range"][1] - report["range"][0] > 0.3  # it follows a sine of amplitude 0.5
