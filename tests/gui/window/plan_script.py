"""Plan a motion in `luff gui FILE` by menu and keyboard, play it in the diagram and run it there.

Run by `test_plan_session.py` in a process of its own with a display; prints what it saw as JSON.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable

from PySide6.QtCore import QSettings, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from luff.cli import main
from luff.gui.app import application
from luff.gui.window.file_actions import Files
from luff.gui.window.main_window import Window
from luff.tests.gui.driver import LONG, panel_of


def until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + LONG / 1000
    while not done():
        assert time.monotonic() < end
        QTest.qWait(20)


def drive() -> None:
    window = Window.open_windows[-1]
    assert isinstance(window, Window)
    until(lambda: window.view3d.model is not None)
    panel = panel_of(window, "plan")
    QTest.keyClick(panel.file, Qt.Key.Key_Return)
    until(lambda: not panel.job.active)
    said, figures = panel.said.text(), panel.figures.rows
    QTest.mouseClick(panel.play, Qt.MouseButton.LeftButton)
    window.actions_["run"].trigger()
    until(lambda: window.runner.state == "finished")
    history = window.runner.history
    assert history is not None
    time_, (position,) = history.read(["slide.position"])
    report = {
        "platform": QApplication.platformName(),
        "said": said,
        "figures": {name: value for name, value, *_ in figures()},
        "duration": panel.made.duration,
        "pages": [panel.pages.tabText(k) for k in range(panel.pages.count())],
        "end": [float(time_[-1]), float(position[-1])],
    }
    Files.may_close = lambda self, level: True  # type: ignore[method-assign]
    print("REPORT " + json.dumps(report), flush=True)
    QApplication.exit()


if __name__ == "__main__":
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    with tempfile.TemporaryDirectory() as settings:
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, settings)
        application()
        QTimer.singleShot(500, drive)
        sys.argv = ["luff", "gui", sys.argv[1]]
        main()
