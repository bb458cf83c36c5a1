"""A whole session in a real window: build, run, read the plot, save, open again; headless it gives the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import luff


def test_arm_built_by_hand_runs_saves_and_gives_the_same_headless(display: str, tmp_path: Path) -> None:
    environment = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "QT_SCALE_FACTOR": "1"}
    script = Path(__file__).with_name("session_script.py")
    command = [sys.executable, str(script), str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-4000:]
    report = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("REPORT "))[7:])
    assert report["platform"] == "xcb"
    assert report["same_text"]
    assert report["blocks"] == ["shoulder", "upper", "elbow", "fore", "reference", "controller"]
    assert len(report["connections"]) == 7
    result = luff.compile(luff.load(tmp_path / "arm.yaml")).run()
    # the same code on the same numbers: not a bit may differ
    assert result.time[-1] == report["time"] == pytest.approx(2.0)
    assert result["shoulder.position"][-1] == report["position"]
    assert report["range"][1] - report["range"][0] > 0.3  # it follows a sine of amplitude 0.5
