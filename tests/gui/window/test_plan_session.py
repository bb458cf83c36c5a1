"""A motion is planned, played and run in `luff gui`, as a process with a display."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from luff.tests.gui.window.test_plan_panel import MASS, PLAN


def test_a_motion_is_planned_and_run_in_the_window(display: str, tmp_path: Path) -> None:
    (tmp_path / "mass.yaml").write_text(MASS)
    (tmp_path / "move.yaml").write_text(PLAN)
    homes = {f"XDG_{name}_HOME": str(tmp_path / "home") for name in ("DATA", "CONFIG")}
    environment = {
        **os.environ,
        **homes,
        "DISPLAY": display,
        "QT_QPA_PLATFORM": "xcb",
        "QT_SCALE_FACTOR": "1",
    }
    script = Path(__file__).with_name("plan_script.py")
    command = [sys.executable, str(script), str(tmp_path / "mass.yaml")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1800)
    lines = [line for line in done.stdout.splitlines() if line.startswith("REPORT ")]
    assert lines, done.stderr[-4000:]
    report = json.loads(lines[0][7:])
    assert report["platform"] == "xcb"
    assert report["pages"] == ["Motion", "Limits", "Simulation"]
    assert report["said"] == "Finished"
    assert report["figures"]["duration"].startswith("2.00000")
    # 2 sqrt(m d / F), to the search's tolerance; the run ends at the next of its rows
    assert report["duration"] == pytest.approx(2.0, rel=1e-6)
    assert report["end"] == [pytest.approx(2.0, abs=0.01), pytest.approx(1.0, abs=1e-5)]
