"""Pictures of the main states of the window: `python -m luff.docs.screenshots docs/images`.

`--only` takes some of them, `--scale 2` all as a screen of 200 % shows them; without either a few of those come too.
Without a display they are taken on the offscreen platform. The user's settings are neither read nor changed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

if not os.environ.get("DISPLAY") and sys.platform.startswith("linux"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QEventLoop, QPoint, QPointF, QRect, QSettings, QSize, QStandardPaths, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget

from luff.docs.filming import Filming
from luff.gui.app import application
from luff.gui.run.run_control import RunControl
from luff.gui.run.run_thread import PAUSED
from luff.gui.theme import active_theme
from luff.gui.theme.block_catalog import examples
from luff.gui.window.dialogs.compare_view import SideBySide
from luff.gui.window.dialogs.open_failed_dialog import OpenFailed
from luff.gui.window.dialogs.statechart_editor import ChartEditor
from luff.gui.window.file_actions import Files
from luff.gui.window.help_dialogs import Reference
from luff.gui.window.main_window import Window
from luff.solver.flatten.diagram import Diagram
from luff.solver.realtime.evdev import ABS, EVENT
from luff.solver.simulation.operator_log import OperatorLog

SIZE, WIDE = QSize(1440, 900), QSize(1920, 1080)
LARGE = ("empty", "problems")  # these at 200 % too
# s of the drive at the stand: the load on its way down, at 72 % of its moment; at rest
HANGING, LANDED = 48.5, 82.0
FLAT = 96  # colours of areas, which must not shift
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

    def wants(self, *names: str) -> bool:
        return not self.keep or any(name in self.keep for name in names)

    def take(self, name: str, widget: QWidget) -> None:
        wait(150)
        if self.wants(name):
            path = self.folder / f"{name}{self.suffix}.png"
            (widget.tabs if isinstance(widget, Window) else widget).grab().save(str(path))
            squeeze(path)
            print(path)


def squeeze(path: Path) -> None:
    """256 colours: the most frequent as they are, of the others those that differ most. A third of the size."""
    from PIL import Image

    with Image.open(path) as image:
        pixels = np.asarray(image.convert("RGB"))
    flat, count = np.unique(pixels.reshape(-1, 3), axis=0, return_counts=True)
    colours = flat[np.argsort(-count)].astype(np.int16)
    chosen, far = list(range(min(FLAT, len(colours)))), np.full(len(colours), np.inf)
    for k in range(256):
        if k >= len(chosen):
            chosen.append(int(far.argmax()))
        far = np.minimum(far, np.abs(colours - colours[chosen[k]]).max(axis=1))
    palette = colours[chosen]
    nearest = np.array([np.abs(palette - colour).sum(axis=1).argmin() for colour in flat.astype(np.int16)])
    key = lambda c: (c[..., 0].astype(int) << 16) | (c[..., 1].astype(int) << 8) | c[..., 2]  # noqa: E731
    small = Image.fromarray(nearest.astype(np.uint8)[np.searchsorted(key(flat), key(pixels))], "P")
    small.putpalette(palette.astype(np.uint8).tobytes())
    small.save(path, optimize=True)


def wait(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def wait_until(done: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not done() and time.monotonic() < end:
        wait(50)
    return done()


def fresh(size: QSize = SIZE) -> Window:
    window = Window()
    window.panels.arrange(
        QRect(QPoint(0, 0), size)
    )  # as if the screen were so large: one without a display is not
    window.tabs.resize(size)
    window.tabs.show()
    wait(100)
    return window


def checked(window: Window) -> None:
    """Until the badge says what kind of model it is, or that it is none."""
    wait_until(lambda: window.running.badge.text() not in ("Checking...", "Empty"), 600)


def _arm(camera: Photographer) -> None:
    window = fresh()
    camera.take("empty", window)
    window.files.open_template("two_link_arm")
    checked(window)
    window.view.fit()
    window.view.canvas.select(["controller"])
    _drawing(window, camera)
    window.view.quick_insert.open(window.view.mapToScene(QPoint(420, 330)), "sp")
    camera.take("quick_insert", window)
    window.view.quick_insert.dismiss()
    if camera.wants("results"):
        window.panels.show("Plots")
        window.running.on_run()
        wait_until(lambda: not window.runner.active, 600)
        window.view3d.trace(["forearm.frame_b"])
        window.deck.cursor_action.setChecked(True)
        camera.take("results", window)
    _errors(window, camera)
    window.view.canvas.select([])
    _broken(window, camera)
    help_pages = Reference(window, "revolute")
    help_pages.show()
    camera.take("reference", help_pages)
    help_pages.close()
    window.close()


def _crane(camera: Photographer) -> None:
    """The crane of the library while it runs, its second run with the first one behind."""
    window = fresh(WIDE)
    window.files.open_example(next(path for path in examples() if path.stem == "crane_demo"))
    window.resizeDocks(
        [window.panels.docks["Palette"], window.panels.docks["Properties"]],
        [230, 310],
        Qt.Orientation.Horizontal,
    )
    window.resizeDocks([window.panels.docks["Plots"]], [430], Qt.Orientation.Vertical)
    window.resizeDocks(
        [window.panels.docks["Plots"], window.panels.docks["3-D View"]], [860, 500], Qt.Orientation.Horizontal
    )
    wait(300)
    window.view.fit()
    window.view.canvas.select(["luff_drive"])
    window.document.set_value("sling.damping", "2 kN*m*s/rad")
    window.running.on_run()
    wait_until(lambda: not window.runner.active, 900)
    window.document.undo.undo()
    window.runner.set_speed(40.0)
    window.running.on_run()
    window.panels.show("Plots")
    window.view3d.trace(["load.frame_b"])
    wait_until(lambda: window.runner.time > 38 or not window.runner.active, 900)
    window.runner.set_speed(1.0)
    window.message_label.clear()
    window.deck.tick(force=True)
    camera.take("canvas", window)
    active_theme.holder.use("dark")
    camera.take("dark", window)
    active_theme.holder.use("light")
    window.running.on_stop()
    window.close()


def _composite(camera: Photographer) -> None:
    """Inside a block of another diagram."""
    window = fresh()
    window.files.open_example(
        next(path for path in examples() if path.stem == "crane_knuckle_boom_hydraulic")
    )
    checked(window)
    window.editing.open_block("inner")
    wait(300)
    window.view.fit()
    window.view.canvas.select(["valve"])
    camera.take("composite", window)
    window.close()


def _stand(camera: Photographer) -> None:
    """The offshore crane under the hand of a virtual joystick, from the deck to the sea bed: step by step, so that a
    slow machine takes the same pictures."""
    models = Path(__file__).with_name("models")
    with tempfile.TemporaryDirectory() as folder:
        pipe = Path(folder) / "event0"
        os.mkfifo(pipe)
        hand = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        RunControl.devices = {"": str(pipe)}
        window = fresh(WIDE)
        window.files.open_path(models / "crane_stand.yaml")
        checked(window)
        window.resizeDocks([window.panels.docks["Plots"]], [560], Qt.Orientation.Vertical)
        window.resizeDocks(
            [window.panels.docks["Plots"], window.panels.docks["3-D View"]],
            [1000, 620],
            Qt.Orientation.Horizontal,
        )
        window.panels.show("Dashboard")
        window.view.fit()
        window.running.on_step()
        film, drive = Filming(window.tabs), OperatorLog.read(models / "crane_stand_drive.csv")
        compensate = drive.names.index("compensate")
        lines = dict(zip(drive.times, drive.values, strict=True))
        frames = np.arange(0.0, LANDED + 1.0, 2.0)
        for moment in sorted({HANGING, *frames, *(time_ for time_ in lines if time_ < LANDED)}):
            _step_to(window, moment)
            for code, share in zip((0, 1, 4), lines.get(moment, ()), strict=False):
                os.write(hand, EVENT.pack(0, 0, ABS, code, round(32767 * share)))
            if moment in lines and lines[moment][compensate] != window.board.position(3):
                window.board.toggle(3)
            if moment in frames:
                film.take()
            if moment == HANGING:
                _take_twice(window, camera)
        height = next(k for k, dial in enumerate(window.board.dials) if dial.kind == "trend")
        assert window.board.shown(height).value < -38.0, "the load has not landed"
        film.save(camera.folder / "stand.gif")
        window.running.on_stop()
        if window.runner.run is not None:
            window.runner.run.saved = True  # nobody is asked whether it may go
        os.close(hand)
        RunControl.devices = {}
        window.close()


def _step_to(window: Window, moment: float) -> None:
    """Of a run that is paused, to this time of the model, and its picture."""
    runner = window.runner
    assert wait_until(lambda: runner.state == PAUSED and runner.course is not None, 600), runner.state
    course = runner.course
    assert course is not None
    for _ in range(round((moment - course.time) / (course.step_size * course.every))):
        runner.step()
    assert wait_until(lambda: runner.time > moment - 1e-6, 600), f"t = {runner.time:g} s"
    wait(150)


def _take_twice(window: Window, camera: Photographer) -> None:
    window.message_label.clear()
    camera.take("stand", window)
    active_theme.holder.use("dark")
    camera.take("stand_dark", window)
    active_theme.holder.use("light")


def _compare(camera: Photographer) -> None:
    """Two models of the library, and a difference that was clicked."""
    paths = [next(p for p in examples() if p.stem == f"crane_offshore{end}") for end in ("", "_cycle")]
    shown = SideBySide(Diagram.load(paths[0]), Diagram.load(paths[1]), (paths[0].name, paths[1].name))
    shown.resize(1280, 720)
    shown.show()
    wait(200)
    shown.go_to("turn")
    camera.take("compare", shown)
    shown.close()


def _chart(camera: Photographer) -> None:
    """The sequence of a crane, at a moment of its run."""
    window = fresh()
    window.files.open_example(next(path for path in examples() if path.stem == "crane_offshore_cycle"))
    checked(window)
    window.running.on_run()
    wait_until(lambda: not window.runner.active, 900)
    window.editing.open_block("cycle")
    editor = window.findChild(ChartEditor)
    window.running.show_moment(100.0)
    if editor:
        editor.resize(1080, 720)
        camera.take("chart", editor)
        editor.close()
    window.close()


def _broken(window: Window, camera: Photographer) -> None:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "crane.yaml"
        path.write_text(BROKEN, encoding="utf-8")
        window.files.open_path(path)
        dialog = window.findChild(OpenFailed)
        if dialog:
            for label in dialog.findChildren(QLabel):
                label.setText(label.text().replace(str(path.resolve()), "models/crane.yaml"))
            camera.take("cannot_open", dialog)
            dialog.close()


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
    window.panels.show("Problems")
    camera.take("problems", window)
    while window.document.undo.canUndo():
        window.document.undo.undo()


# who takes which pictures
STATES = {
    _arm: ("empty", "wire", "quick_insert", "results", "problems", "cannot_open", "reference"),
    _crane: ("canvas", "dark"),
    _composite: ("composite",),
    _stand: ("stand", "stand_dark"),
    _chart: ("chart",),
    _compare: ("compare",),
}
FILMS = ("stand.gif",)  # that come with them


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
        active_theme.holder.use("light")
        Files.may_close = lambda self, level: True  # type: ignore[method-assign]
        suffix = "" if options.scale == 1.0 else f"@{options.scale:g}x"
        camera = Photographer(options.folder, suffix, options.only)
        for take, names in STATES.items():
            if camera.wants(*names):
                take(camera)
    if options.scale == 1.0 and not options.only:
        # the scale of a screen is set before Qt begins
        command = [
            sys.executable,
            "-m",
            "luff.docs.screenshots",
            str(options.folder),
            "--scale",
            "2",
            "--only",
        ]
        subprocess.run([*command, *LARGE], check=True)


if __name__ == "__main__":
    main()
