"""What the window compiles shows in it: what, how many of how many, and since when."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from luff.gui.window import compile_status
from luff.solver.codegen import object_loader
from luff.tests.conftest import about_compiling
from luff.tests.gui.driver import LONG
from luff.tests.gui.fake_run import FakeSim
from luff.tests.process import luff_command
from luff.tests.shared.netlists import TWO_LINKS


class Gate:
    """A compiler that compiles two functions for the run, one at a time, when it is told."""

    def __init__(self) -> None:
        self.steps = [threading.Event() for _ in range(3)]

    def __call__(self, diagram) -> FakeSim:
        for done, what in enumerate(("articulate", "passive")):
            assert object_loader.listener is not None
            object_loader.listener(done, 2, what)
            self.steps[done].wait()
        assert object_loader.listener is not None
        object_loader.listener(2, 2, "passive")
        self.steps[2].wait()
        return FakeSim(["shoulder.position"], stop=0.5)


def seconds(text: str) -> int:
    """How long something takes by now, as `..., 70 s` says; 0 where nothing is said."""
    found = re.search(r", (\d+) s\b", text)
    return int(found[1]) if found else 0


def test_functions_that_a_run_compiles_show_in_the_status_bar(make_window, qtbot, monkeypatch) -> None:
    window = make_window(TWO_LINKS)
    bar = window.compile_bar
    assert not bar.isVisible()
    window.runner.compiler = gate = Gate()
    window.running.on_run()
    qtbot.waitUntil(lambda: "articulate" in bar.label.text(), timeout=LONG)
    assert bar.isVisible()
    assert "for the run, 0 of 2" in bar.label.text()
    assert (bar.bar.value(), bar.bar.maximum()) == (0, 2)
    gate.steps[0].set()
    qtbot.waitUntil(lambda: "passive for the run, 1 of 2" in bar.label.text(), timeout=LONG)
    assert bar.bar.value() == 1
    # how long it takes is counted on while nothing new is heard
    (work,) = compile_status.compiling._works.values()
    work.since -= 70.0
    qtbot.waitUntil(lambda: seconds(bar.label.text()) >= 70, timeout=LONG)
    # the tool bar says what the run does, never the last run's share
    assert window.running.progress.value() == 0
    assert "Making its equations" in window.running.time.text()
    gate.steps[1].set()
    qtbot.waitUntil(lambda: not bar.isVisible(), timeout=LONG)
    gate.steps[2].set()
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)


def test_what_takes_over_a_second_says_for_how_long(make_window, qtbot) -> None:
    gate = threading.Event()

    def slow(diagram):
        gate.wait()
        return FakeSim(["shoulder.position"], stop=0.5)

    window = make_window(TWO_LINKS)
    window.runner.compiler = slow
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.doing == "Making its equations", timeout=LONG)
    what, since = window.runner.run.doing
    window.runner.run.doing = what, since - 33.0
    qtbot.waitUntil(lambda: seconds(window.running.time.text()) >= 33, timeout=LONG)
    assert window.running.time.text().startswith("Making its equations, ")
    gate.set()
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)
    assert "Making" not in window.running.time.text()


def test_a_compiler_that_dies_leaves_nothing_in_the_status_bar(make_window, qtbot) -> None:
    def die(diagram):
        assert object_loader.listener is not None
        object_loader.listener(0, 5, "articulate")
        raise RuntimeError("the process that compiles has ended")

    window = make_window(TWO_LINKS)
    window.runner.compiler = die
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.state == "failed", timeout=LONG)
    qtbot.waitUntil(lambda: not window.compile_bar.isVisible(), timeout=LONG)


@about_compiling
def test_warming_up_is_told_function_by_function(tmp_path: Path) -> None:
    """The command that the window starts, until its first function is there; its lines are what the window reads."""
    environment = {**os.environ, "LUFF_CACHE_DIR": str(tmp_path)}
    process = subprocess.Popen(
        luff_command("warmup", "--json"), env=environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        first = json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()
    assert first["done"] == 0
    assert first["total"] > 10
    assert first["what"]


def test_lines_of_the_warming_process_reach_the_status_bar(make_window, qtbot, monkeypatch) -> None:
    window = make_window(TWO_LINKS)
    monkeypatch.setenv("LUFF_WARMUP", "1")
    monkeypatch.setattr("luff.solver.simulation.warmup.is_warm", lambda: False)
    begin = subprocess.Popen
    script = (
        'import sys; print(\'no json\'); print(\'{"done": 3, "total": 9, "what": "closure"}\', flush=True); '
        "sys.stdin.readline()"
    )
    started = []

    def stand_in(command: list[str], **options):
        assert command[-2:] == ["warmup", "--json"]
        started.append(begin([sys.executable, "-c", script], **{**options, "stdin": subprocess.PIPE}))
        return started[0]

    monkeypatch.setattr(compile_status.subprocess, "Popen", stand_in)
    compile_status.compiling.warm_up()
    qtbot.waitUntil(lambda: window.compile_bar.label.text() == "Preparing faster starts, 33 %", timeout=LONG)
    assert window.compile_bar.isVisible()
    assert not window.compile_bar.bar.isVisible()  # nobody waits for it
    try:
        QTest.mouseClick(window.compile_bar.close_button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: not window.compile_bar.isVisible(), timeout=LONG)
        compile_status.compiling.on_compiled(5, 17, "what a run waits for")  # is shown all the same
        qtbot.waitUntil(lambda: window.compile_bar.isVisible(), timeout=LONG)
        assert not window.compile_bar.close_button.isVisible()
        compile_status.compiling.on_compiled(17, 17, "")
    finally:
        compile_status.compiling.dismissed = False
    started[0].stdin.close()
    qtbot.waitUntil(lambda: not window.compile_bar.isVisible(), timeout=LONG)
    QApplication.processEvents()


def test_what_nobody_is_named_for_is_told_without_a_gap(make_window) -> None:
    bar = make_window(TWO_LINKS).compile_bar
    # in a thread without a name of its own
    compile_status.compiling.on_compiled(5, 17, "closed with derivatives")
    QApplication.processEvents()
    try:
        assert bar.label.text() == "Compiling closed with derivatives, 5 of 17, 0 s"
    finally:
        compile_status.compiling.on_compiled(17, 17, "")
