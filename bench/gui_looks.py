"""Pictures of the true window, to be looked at: models of the library after a run, on screens of several sizes,
light and dark, each with a list of the words that do not fit where they stand.

    python -m luff.bench.gui_looks FOLDER [--screens 1280x720 2560x1440@2] [--models tower_crane] [--states run view]

Each screen is an X server of its own (xvfb-run), and each window one of `luff gui`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

SCREENS = ("1280x720", "1440x900", "1600x1000", "2560x1440@2")
MODELS = (
    "crane_demo",
    "crane_knuckle_boom",
    "crane_offshore",
    "mechanism_rpsup",
    "mobile_crane",
    "tower_crane",
)
STATES = ("run", "view", "study", "signals", "problems")
LIBRARY = Path(__file__).parents[1] / "library"
LONGEST = 600  # s that a run may take


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--screens", nargs="*", default=SCREENS, help="width x height, @ its scale")
    parser.add_argument("--models", nargs="*", default=MODELS)
    parser.add_argument("--states", nargs="*", default=STATES)
    parser.add_argument("--inside", default="", help=argparse.SUPPRESS)  # of an X server: its screen
    options = parser.parse_args()
    if options.inside:
        take(options.folder, options.inside, options.models, options.states)
        return 0
    options.folder.mkdir(parents=True, exist_ok=True)
    worst = 0
    for screen in options.screens:
        size, _, scale = screen.partition("@")
        more = [
            str(options.folder),
            "--inside",
            screen,
            "--models",
            *options.models,
            "--states",
            *options.states,
        ]
        command = [
            "xvfb-run",
            "-a",
            "-s",
            f"-screen 0 {size}x24",
            sys.executable,
            "-m",
            "luff.bench.gui_looks",
        ]
        kept = {key: value for key, value in os.environ.items() if key != "QT_QPA_PLATFORM"}
        # what the window compiles ahead may still write there
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as settings:
            places = {f"XDG_{name}_HOME": settings for name in ("DATA", "CONFIG", "CACHE")}
            environment = {**kept, **places, "QT_SCALE_FACTOR": scale or "1"}
            worst = max(worst, subprocess.run([*command, *more], env=environment, check=False).returncode)
    return worst


def take(folder: Path, screen: str, models: list[str], states: list[str]) -> None:
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from luff.cli import main as command_line
    from luff.gui.app import application
    from luff.gui.theme import active_theme
    from luff.gui.window.file_actions import Files
    from luff.gui.window.main_window import Window
    from luff.tests.gui.cut_text import cut_texts

    application()
    active_theme.holder.use("light")
    Files.may_close = lambda self, level: True  # type: ignore[method-assign]

    def drive() -> None:
        try:
            for name in models:
                Window.open_windows[0].files.open_path(path_of(name))
                window = Window.open_windows[-1]
                for other in [other for other in Window.open_windows if other is not window]:
                    other.close()
                for state in shown(window, name, states):
                    for look in ("light", "dark"):
                        active_theme.holder.use(look)
                        rest(200)
                        stem = f"{name}-{state}-{screen}-{look}"
                        QApplication.primaryScreen().grabWindow(0).save(str(folder / f"{stem}.png"))
                    active_theme.holder.use("light")
                    for line in cut_texts(window):
                        print(f"{name} {state} {screen}: {line}", flush=True)
        finally:
            QApplication.exit()

    QTimer.singleShot(500, drive)
    sys.argv = ["luff", "gui", str(path_of(models[0]))]
    command_line()


def path_of(name: str) -> Path:
    return next(LIBRARY.rglob(f"{name}.yaml"))


def shown(window, name: str, states: list[str]) -> Iterator[str]:
    """The states of one model, one after the other."""
    window.actions_["reset_panels"].trigger()
    rest(300)
    window.view.fit()
    until(lambda: window.running.badge.text() not in ("Checking...", "Empty"))
    window.running.on_run()
    until(lambda: not window.runner.active)
    window.panels.show("Plots")
    rest(300)
    if "run" in states:
        yield "run"
    dock = window.panels.docks["3-D View"]
    if "view" in states:
        dock.setFloating(True)
        room = window.screen().availableGeometry()
        dock.setGeometry(room.adjusted(*(round(k * room.width()) for k in (0.05, 0.05, -0.05, -0.05))))
        rest(300)
        yield "view"
        dock.setFloating(False)
    study = LIBRARY / "studies" / f"{name}.yaml"
    if "study" in states and study.exists():
        window.studies.open_study(study)
        window.panels.show("Studies")
        yield "study"
    if "signals" in states:
        window.panels.show("Signals")
        names = [block for block in window.document.block_names() if block != "world"]
        window.view.canvas.select(names[1:2])
        yield "signals"
    if "problems" in states:
        for block in window.document.block_names()[1:4]:
            window.document.set_value(f"{block}.axis", "q")
        window.document.check()
        window.panels.show("Problems")
        yield "problems"
        while window.document.undo.canUndo():
            window.document.undo.undo()


def rest(milliseconds: int) -> None:
    from luff.docs.screenshots import wait

    wait(milliseconds)


def until(done: Callable[[], bool]) -> None:
    from luff.docs.screenshots import wait_until

    if not wait_until(done, LONGEST):
        raise TimeoutError("the window is not ready")


if __name__ == "__main__":
    sys.exit(main())
