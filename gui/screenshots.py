"""Pictures of the main states of the window: `python -m luff.gui.screenshots docs/images [--scale 2]`.

Without a display they are taken on the offscreen platform. The user's settings are neither read nor changed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

if not os.environ.get("DISPLAY") and sys.platform.startswith("linux"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QPoint, QPointF, QSettings, QSize, QStandardPaths, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from . import theme
from .app import application
from .files import Files
from .help import Reference
from .open_failed import OpenFailed
from .window import Window

SIZE = QSize(1440, 900)
BROKEN = """luff: 1
name: crane
blokcs:
blocks:
  slew: {type: revolut, axis: z}
  king: {type: rigid_link, mass: 10 s}
connect:
  - slew.frame_b - king.frame_a
"""


class Photographer:
    def __init__(self, folder: Path, suffix: str, keep: list[str]):
        self.folder, self.suffix, self.keep = folder, suffix, keep
        folder.mkdir(parents=True, exist_ok=True)

    def take(self, name: str, widget: QWidget) -> None:
        wait(150)
        path = self.folder / f"{name}{self.suffix}.png"
        if not self.keep or name in self.keep:
            widget.grab().save(str(path))
            print(path)


def wait(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def wait_until(done: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not done() and time.monotonic() < end:
        wait(50)
    return done()


def fresh(template: str = "") -> Window:
    window = Window()
    window.resize(SIZE)
    window.show()
    wait(100)
    if template:
        window.files.open_template(template)
        wait(900)
        window.view.fit()
    return window


def take_all(folder: Path, suffix: str, keep: list[str]) -> None:
    camera = Photographer(folder, suffix, keep)
    window = fresh()
    camera.take("empty", window)
    window.files.open_template("two_link_arm")
    wait_until(lambda: "DOF" in window.running.badge.text(), 60)
    window.view.fit()
    window.view.canvas.select(["controller"])
    camera.take("canvas", window)
    _drawing(window, camera)
    window.view.quick_insert.open(window.view.mapToScene(QPoint(420, 330)), "sp")
    camera.take("quick_insert", window)
    window.view.quick_insert.dismiss()
    window.running.on_run()
    wait_until(lambda: not window.runner.active, 600)
    window.view3d.trace_box.setCurrentText("forearm.frame_b")
    window.deck.cursor_action.setChecked(True)
    camera.take("results", window)
    theme.holder.use("dark")
    camera.take("dark", window)
    theme.holder.use("light")
    _errors(window, camera)
    window.view.canvas.select([])
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "crane.yaml"
        path.write_text(BROKEN)
        window.files.open_path(path)
        dialog = window.findChild(OpenFailed)
        if dialog:
            camera.take("cannot_open", dialog)
            dialog.close()
    help_pages = Reference(window, "revolute")
    help_pages.show()
    camera.take("reference", help_pages)
    help_pages.close()
    window.close()


def _drawing(window: Window, camera: Photographer) -> None:
    """A wire half drawn."""
    view = window.view
    start = view.canvas.blocks["controller"].end("effort")
    goal = view.canvas.blocks["elbow"].end("effort")
    if start is None or goal is None:
        return
    viewport = view.viewport()
    QTest.mousePress(
        viewport,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
        view.mapFromScene(start.x, start.y),
    )
    QTest.mouseMove(viewport, view.mapFromScene(QPointF(goal.x - 60, goal.y + 60)))
    QTest.mouseMove(viewport, view.mapFromScene(QPointF(goal.x, goal.y)))
    camera.take("wire", window)
    view.cancel_gesture()


def _errors(window: Window, camera: Photographer) -> None:
    window.document.set_value("upper_arm.mass", "-2 kg")
    window.document.set_value("elbow.axis", "q")
    window.document.check()
    window.view.canvas.select(["upper_arm"])
    window.tabs.setCurrentWidget(window.problems)
    camera.take("problems", window)
    while window.document.undo.canUndo():
        window.document.undo.undo()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scale", type=float, default=1.0, help="2 shows what a 200 %% screen shows")
    parser.add_argument("--only", nargs="*", default=[], help="names of states")
    options = parser.parse_args()
    if options.scale != 1.0:
        os.environ["QT_SCALE_FACTOR"] = str(options.scale)
    QStandardPaths.setTestModeEnabled(True)
    with tempfile.TemporaryDirectory() as settings:
        QSettings.setDefaultFormat(QSettings.Format.IniFormat)
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, settings)
        application()
        theme.holder.use("light")
        Files.may_close = lambda self, level: True  # type: ignore[method-assign]
        suffix = "" if options.scale == 1.0 else f"@{options.scale:g}x"
        take_all(options.folder, suffix, options.only)


if __name__ == "__main__":
    main()
