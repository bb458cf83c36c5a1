"""A window whose run a pipe drives: `bench/stand.py` starts it, and reads what it says.

Each event of the pipe's second axis is a mark that no other event repeats. What the run was given before which step
tells when a mark acted; a picture of the 3-D view shows it where the picture is of a later time.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QSettings, QTimer
from PySide6.QtGui import QPaintEvent

from luff.gui.app import application
from luff.gui.run.run_control import RunControl
from luff.gui.view3d.canvas3d import Canvas3D
from luff.gui.window.main_window import Window


class Pictures:
    """When the 3-D view was painted, and of what time."""

    def __init__(self, window: Window):
        self.seen: list[tuple[float, float]] = []
        self.spent = 0.0
        usual, pictures = Canvas3D.paintEvent, self

        def paint(self: Canvas3D, event: QPaintEvent) -> None:
            began = time.perf_counter()
            usual(self, event)
            now = time.perf_counter()
            pictures.spent += now - began
            moment = window.view3d.moment
            if moment is not None:
                pictures.seen.append((now, moment))

        Canvas3D.paintEvent = paint


def waited_of(pid: int) -> float:
    """Seconds for which the thread of a process that works most, the one that takes steps, had no processor."""
    accounts = [(task / "schedstat").read_text().split() for task in Path(f"/proc/{pid}/task").iterdir()]
    return max((int(ran), int(waited)) for ran, waited, _ in accounts)[1] / 1e9


def measure(model: Path, pipe: str, seconds: float) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        QSettings.setDefaultFormat(QSettings.Format.IniFormat)
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, folder)
        app = application()
        RunControl.devices = {"": pipe}
        window = Window()
        window.tabs.resize(1440, 900)
        window.tabs.show()
        window.files.open_path(model)
        window.panels.show("Dashboard")
        window.panels.show("3-D View")
        window.runner.set_speed(1.0)
        pictures = Pictures(window)
        window.runner.failed.connect(lambda problems: print(*problems, sep="\n", file=sys.stderr))
        window.running.on_run()
        while window.runner.state != "running":
            app.processEvents()
        loop = QEventLoop()
        QTimer.singleShot(round(1000 * seconds), loop.quit)
        loop.exec()
        run = window.runner.run
        assert run is not None
        assert run.engine is not None
        waited = waited_of(run.engine.pid)
        window.running.on_stop()
        run.thread.join()
        run.saved = True  # nobody is asked whether it may go
        assert run.course is not None
        assert run.done is not None
        drive = run.done.drive
        mark = drive.values[:, drive.names.index("levers_u[1]")]
        told = {
            "report": run.course.lateness,
            "priority": run.course.priority,
            "waited": waited,
            "pictures": pictures.seen,
            "painting": pictures.spent / max(1, len(pictures.seen)),
            "marks": [*zip(mark.tolist(), drive.times.tolist(), strict=True)],
        }
        window.close()
        return told


def main() -> None:
    print(json.dumps(measure(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]))))


if __name__ == "__main__":
    main()
