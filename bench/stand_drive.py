"""The crane of the operator's stand, driven in its window by a virtual joystick and by keys; and its score.

    xvfb-run -a -s "-screen 0 1600x1000x24" python -m luff.bench.stand_drive [--speed 1] [--until 100] [--json]

The window is opened as by `luff gui`, F5 starts the run, the levers follow `docs/models/crane_stand_drive.csv` in
simulated time, and C works the compensation. What was done is saved as *Keep...* does, and done again by the study of
the score, without the window.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from luff.gui.app import application
from luff.gui.run.run_control import RunControl
from luff.gui.window.main_window import Window
from luff.solver.realtime.evdev import ABS, CODES, EVENT
from luff.solver.simulation.operator_log import OperatorLog

MODELS = Path(__file__).resolve().parents[1] / "docs" / "models"
AXES = ("x", "y", "ry")  # of the block that drives the crane
DRIVE, SCORE = "crane_stand_drive.csv", "crane_stand_score.yaml"


class Hands:
    """A joystick's other end and a keyboard, that follow a drive."""

    def __init__(self, pipe: Path, drive: OperatorLog, window: Window):
        os.mkfifo(pipe)
        self._file = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        self._lines = list(zip(drive.times.tolist(), drive.values.tolist(), strict=True))
        self._compensate, self._window = drive.names.index("compensate"), window
        self._on = 0.0

    def follow(self) -> None:
        """All that is due."""
        while self._lines and self._lines[0][0] <= self._window.runner.time:
            _, line = self._lines.pop(0)
            for axis, share in zip(AXES, line, strict=False):
                os.write(self._file, EVENT.pack(0, 0, ABS, CODES[axis], round(32767 * share)))
            if line[self._compensate] != self._on:
                self._on = line[self._compensate]
                QTest.keyClick(focused(self._window), Qt.Key.Key_C)

    def close(self) -> None:
        os.close(self._file)


def focused(window: Window) -> QWidget:
    """What a key goes to."""
    return window.focusWidget() or window


def drive(folder: Path, speed: float, until: float) -> dict[str, object]:
    """In a window; what was done is kept in the folder, beside a copy of the crane."""
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(folder))
    app = application()
    RunControl.devices = {"": str(folder / "event0")}
    window = Window()
    window.tabs.resize(1440, 900)
    window.tabs.show()
    hands = Hands(folder / "event0", OperatorLog.read(MODELS / DRIVE), window)
    window.files.open_path(folder / "crane_stand.yaml")
    window.activateWindow()
    QTest.qWaitForWindowActive(window)
    if speed != 1.0:
        window.runner.set_speed(speed)
    QTest.keyClick(focused(window), Qt.Key.Key_F5)
    while window.runner.active and window.runner.time < until:
        app.processEvents()
        hands.follow()
        QTest.qWait(5)
    keys_to = type(focused(window)).__name__
    window.running.on_stop()
    run = window.runner.run
    assert run is not None
    run.thread.join()
    run.saved = True  # nobody is asked whether it may go
    assert run.course is not None
    window.dashboard.keep(folder / DRIVE)
    window.close()
    hands.close()
    late = run.course.lateness
    return {
        "simulated [s]": round(run.course.time, 1),
        "keys go to": keys_to,
        "at most 2 ms late [%]": round(100 * late["in_time"], 3),
        "stalls over 50 ms": late["stalls"],
        "priority": run.course.priority,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speed", type=float, default=1.0, help="simulated time over that of the clock")
    parser.add_argument("--until", type=float, default=100.0, help="simulated time of the end, in seconds")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in MODELS.glob("crane_stand*.yaml"):
            shutil.copy(file, folder)
        told = drive(folder, options.speed, options.until)
        study = [sys.executable, "-m", "luff", "study", SCORE, *["--json"] * options.json]
        score = subprocess.run(study, cwd=folder, check=True, capture_output=True, text=True).stdout
    if options.json:
        print(json.dumps({**told, "score": json.loads(score)}))
        return
    for key, value in told.items():
        print(f"{key:32} {value!s:>12}")
    print(score)


if __name__ == "__main__":
    main()
