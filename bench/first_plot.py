"""From the click on Run to the first plot that has moved, after a change of structure.

    python -m luff.bench.first_plot [MODEL ...] [--times 5] [--json] [--write]

On a display of its own (Xvfb) the window of `luff gui` opens a model; a link and its wire are added, as by hand, and
Run is clicked. The clock stops with the paint of a plot that shows rows after t = 0. Every time another link is added,
so that the structure is new. Where others share the machine the wall time says little; the processor time of all
threads until then is what an idle machine would need at most.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from luff.gui.window.window import Window

LIBRARY = Path(__file__).resolve().parents[1] / "library"
TIPS = {"crane_knuckle_boom": "outer.tip", "crane_gpme": "jib.frame_b"}  # where links are added
PATIENCE = 120.0  # s


@contextmanager
def display() -> Iterator[None]:
    """A screen that nobody looks at."""
    server = shutil.which("Xvfb")
    if server is None:
        sys.exit("Xvfb is not installed (Debian: apt-get install xvfb)")
    read, write = os.pipe()
    process = subprocess.Popen(
        [server, "-displayfd", str(write), "-screen", "0", "1600x1000x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    os.environ |= {"DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def wait(app: QApplication, until: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE
    while not until():
        app.processEvents()
        time.sleep(0.002)  # leaves the interpreter to the thread of the run
        if time.monotonic() > limit:
            sys.exit("nothing moves")


def measure(model: str, times: int) -> dict[str, float]:
    """In seconds, medians of some clicks."""
    from PySide6.QtCore import QEvent, QObject, Qt
    from PySide6.QtTest import QTest

    from luff.gui.app import application
    from luff.gui.run.worker import Run
    from luff.gui.window.window import Window

    app = application()
    window = Window()
    window.resize(1440, 900)
    window.show()
    window.files.open_path(LIBRARY / f"{model}.yaml")
    settle(app, window)
    marks: list[tuple[str, float]] = []
    begin = Run._begin

    def noted(run: Run, what: str) -> None:
        marks.append((what, time.perf_counter()))
        begin(run, what)

    Run._begin = noted  # type: ignore[method-assign]

    class Watch(QObject):
        """Notes the first paint of a plot that shows rows of the run."""

        moved = 0.0

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint and not self.moved:
                ends = [
                    curve.getData()[0]
                    for pane in window.deck.panes
                    for curve in pane.curves.values()
                    if window.runner.state == "running"
                ]
                if any(x is not None and len(x) > 1 and x[-1] > 0.0 for x in ends):
                    self.moved = time.perf_counter()
            return False

    rows: list[dict[str, float]] = []
    for k in range(times):
        change(window, TIPS[model], k)
        settle(app, window)
        marks.clear()
        watch = Watch()
        for pane in window.deck.panes:
            pane.viewport().installEventFilter(watch)
        button = window.views.bar.widgetForAction(window.actions_["run"])
        work, began = time.process_time(), time.perf_counter()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        clicked = time.perf_counter()
        wait(app, lambda watch=watch: watch.moved > 0.0)
        parts = {
            "click": clicked - began,
            "first plot": watch.moved - began,
            "processor": time.process_time() - work,
        }
        stages = [*marks, ("", watch.moved)]
        for (what, at), (_, end) in pairwise(stages):
            parts[what.lower() or "first rows and paint"] = end - at
        rows.append(parts)
        window.runner.stop()
        settle(app, window)
    window.document.undo.setClean()  # nobody is asked whether to save
    window.close()
    app.processEvents()
    return {name: median(each[name] for each in rows) for name in rows[0]}


def settle(app: QApplication, window: Window) -> None:
    """Until what follows an edit is done: the check, and the look at the model behind it."""
    end = time.monotonic() + 1.0
    wait(app, lambda: time.monotonic() > end)
    busy = window.running.analyser
    wait(app, lambda: busy._busy is None or not busy._busy.is_alive())


def change(window: Window, tip: str, k: int) -> None:
    """One more link at the tip."""
    document = window.document
    name = document.add_block("rigid_link", 900.0, 600.0 + 120.0 * k, {"mass": "1 kg"}, f"extra{k}")
    document.connect_ports(tip, f"{name}.frame_a")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="*", default=[*TIPS])
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    with display(), tempfile.TemporaryDirectory() as folder:
        for home in ("DATA", "CONFIG", "CACHE"):
            os.environ[f"XDG_{home}_HOME"] = folder
        os.environ["LUFF_WARMUP"] = "0"
        load = os.getloadavg()[0]
        results = {model: measure(model, asked.times) for model in asked.models}
    if asked.json:
        print(json.dumps(results))
        return
    rows = list(dict.fromkeys(name for each in results.values() for name in each))
    lines = ["| [ms] | " + " | ".join(results) + " |", "|---" * (len(results) + 1) + "|"]
    lines += [
        f"| {name} | " + " | ".join(f"{1000 * each.get(name, 0.0):.0f}" for each in results.values()) + " |"
        for name in rows
    ]
    text = "\n".join(lines)
    print(text)
    if asked.write:
        head = "# From Run to the first plot\n\n`python -m luff.bench.first_plot --write`: after a change of structure"
        note = (
            f"{head}, medians of {asked.times}; load of the machine {load:.1f} on {os.cpu_count()} cores.\n\n"
        )
        (Path(__file__).parent / "results" / "first_plot.md").write_text(f"{note}{text}\n")


if __name__ == "__main__":
    main()
