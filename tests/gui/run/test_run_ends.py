"""How runs and windows end: no thread, no file and no row stays, and nobody waits for a long step."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import textwrap
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from luff.gui.run.run_control import RunControl
from luff.solver.flatten.diagram import Diagram
from luff.solver.results.result import read_result
from luff.tests.gui.driver import LONG
from luff.tests.gui.fake_run import Breaking, Dying, FakeSim, Faulty, Stuck
from luff.tests.shared.netlists import TWO_LINKS
from luff.tests.solver.realtime.test_run_process import SLIDE

COLUMNS = ["shoulder.position", "elbow.position"]


@pytest.fixture
def runs() -> Callable[[], int]:
    """How many runs have threads, not counting what other tests have left behind."""
    before = set(threading.enumerate())
    return lambda: sum(thread.name == "luff run" for thread in set(threading.enumerate()) - before)


def endless(diagram: Diagram) -> FakeSim:
    return FakeSim(COLUMNS, stop=1e6)


SCRIPT = """\
import sys
from luff.gui.app import application
from luff.gui.document.document import Document
from luff.gui.window.main_window import Window
from luff.solver.flatten.diagram import Diagram
from luff.solver.results.result import read_result
from luff.tests.gui.fake_run import FakeSim
from luff.tests.shared.netlists import TWO_LINKS

app = application()
window = Window(Document(Diagram.from_yaml(TWO_LINKS)))
window.tabs.show()
window.document.set_value("upper.mass", "3 kg")
for block in window.view.canvas.blocks.values():
    block.setSelected(True)
window.runner.compiler = lambda diagram: FakeSim(["shoulder.position"], stop=1e6)
window.running.on_run()
while window.runner.time < 1:
    app.processEvents()
"""


@pytest.mark.parametrize(("last", "code"), [("", 0), ("sys.exit(3)", 3), ("app.quit()", 0)])
def test_script_may_end_with_a_window_open(tmp_path: Path, last: str, code: int) -> None:
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT) + last + "\n")
    places = {name: str(tmp_path) for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
    done = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        env={**os.environ, **places, "QT_QPA_PLATFORM": "offscreen"},
    )
    said = [line for line in done.stderr.splitlines() if "propagateSizeHints" not in line]
    assert (said, done.returncode) == ([], code)
    # the edit that was not saved waits for the next start; the rows of the run do not
    (kept,) = tmp_path.rglob("autosave/*.yaml")
    assert "mass: 3 kg" in kept.read_text()
    assert not [*tmp_path.rglob("*.h5")]


def test_runs_leave_no_thread_no_rows_and_no_file(qapp, qtbot, runs) -> None:
    runner, seen, folders = RunControl(compiler=endless), [], []
    for _ in range(12):
        runner.start(Diagram.from_yaml(TWO_LINKS))
        runner.keep_only([])  # none is listed beside it
        qtbot.waitUntil(lambda: runner.history is not None and runner.history.rows > 100, timeout=LONG)
        seen += [weakref.ref(runner.run), weakref.ref(runner.history), weakref.ref(runner.run.sim)]
        folders.append(runner.result_path.parent)
        runner.stop()
        runner.run.thread.join()  # a busy machine may be slower than the window's patience
    assert (runs(), runner.state) == (0, "finished")
    assert folders[-1].exists()
    qtbot.waitUntil(lambda: not any(folder.exists() for folder in folders[:-1]), timeout=LONG)
    runner.close()
    qtbot.waitUntil(lambda: not folders[-1].exists(), timeout=LONG)

    def gone() -> bool:
        """Signals on their way hold what they tell, and threads that take files away what they are about to leave."""
        gc.collect()
        return [each() for each in seen] == [None] * len(seen)

    qtbot.waitUntil(gone, timeout=LONG)
    # what the collector did not see during a run, it sees again
    qtbot.waitUntil(lambda: gc.get_freeze_count() == 0, timeout=LONG)


@pytest.mark.parametrize("room", [0.5, 1e9])
def test_runs_before_the_last_one_stay_within_the_size_of_a_recording(qapp, qtbot, room: float) -> None:
    runner = RunControl(compiler=lambda diagram: FakeSim(COLUMNS, stop=0.1))
    diagram = Diagram.from_yaml(TWO_LINKS)
    runner.start(diagram)
    qtbot.waitUntil(lambda: runner.state == "finished", timeout=LONG)
    first, runner.rule.limit = runner.run, room * runner.run.size
    runner.start(Diagram.from_yaml(TWO_LINKS.replace("mass: 1 kg", "mass: 2 kg")))
    runner.stop()
    assert runner.take_up(diagram) is (first if room > 1 else None)
    assert first.forgotten == (room < 1)
    runner.close()


def test_compilation_that_is_stopped_is_left_behind_and_not_heard(qapp, qtbot) -> None:
    wait, began = threading.Event(), threading.Event()

    def slow(diagram: Diagram) -> FakeSim:
        began.set()
        wait.wait()
        return FakeSim(["late"])

    runner, compiled = RunControl(compiler=slow), []
    runner.compiled.connect(lambda sim: compiled.append(sim.signal_names))
    runner.start(Diagram.from_yaml(TWO_LINKS))
    left = runner.run
    assert began.wait(LONG)
    runner.stop()
    assert (runner.state, left.thread.is_alive()) == ("idle", True)
    runner.compiler = lambda diagram: FakeSim(COLUMNS)
    runner.start(Diagram.from_yaml(TWO_LINKS))
    qtbot.waitUntil(lambda: runner.state == "finished", timeout=LONG)
    wait.set()
    left.thread.join()
    qapp.processEvents()
    assert compiled == [COLUMNS]
    assert runner.history.columns == COLUMNS
    runner.close()


def test_long_step_does_not_hold_the_window(qtbot, tmp_path: Path) -> None:
    sim = FakeSim(COLUMNS, stop=1e6, session=Stuck)
    sim.until = str(tmp_path / "enough")
    runner = RunControl(compiler=lambda diagram: sim)
    runner.start(Diagram.from_yaml(TWO_LINKS))
    qtbot.waitUntil(lambda: runner.history is not None and runner.history.rows > 1, timeout=LONG)
    run, rows = runner.run, runner.history.rows
    runner.stop()
    assert (runner.state, run.thread.is_alive()) == ("finished", True)
    assert runner.history.rows == rows
    Path(sim.until).touch()
    run.thread.join()
    runner.close()
    qtbot.waitUntil(lambda: not run.folder.exists(), timeout=LONG)


def test_two_windows_run_at_once_and_closing_one_leaves_the_other(make_window, qtbot, runs) -> None:
    first, second = make_window(TWO_LINKS), make_window(TWO_LINKS)
    for window, gain in ((first, 1.0), (second, 5.0)):

        def compiler(diagram: Diagram, gain: float = gain) -> FakeSim:
            sim = endless(diagram)
            sim.gain = gain
            return sim

        window.runner.compiler = compiler
        window.running.on_run()
    qtbot.waitUntil(lambda: min(first.runner.time, second.runner.time) > 10, timeout=LONG)
    assert runs() == 2
    run, folder = first.runner.run, first.runner.result_path.parent
    assert first.close()
    run.thread.join()
    assert runs() == 1
    qtbot.waitUntil(lambda: not folder.exists(), timeout=LONG)
    at = second.runner.time
    qtbot.waitUntil(lambda: second.runner.time > at, timeout=LONG)
    _, (values,) = second.runner.history.read(["shoulder.position"])
    assert abs(values).max() == pytest.approx(5.0, rel=1e-4)
    second.running.on_stop()
    second.runner.run.thread.join()
    assert runs() == 0


def test_run_that_fails_again_and_again_keeps_its_rows_and_leaves_no_thread(make_window, qtbot, runs) -> None:
    window = make_window(TWO_LINKS)
    window.runner.compiler = lambda diagram: FakeSim(COLUMNS, session=Breaking)
    for _ in range(5):
        window.running.on_run()
        qtbot.waitUntil(lambda: window.runner.state == "failed", timeout=LONG)
        assert window.runner.history.span()[1] >= 0.1
        window.runner.run.thread.join()
    assert runs() == 0
    assert "not finite" in window.log.toPlainText()
    assert window.runner.result_path.is_file()


@pytest.mark.parametrize(
    ("session", "words", "rows"),
    [
        (Faulty, "ZeroDivisionError: of all things", 0),
        (Dying, "the process that computes the run has ended by SIGKILL", 100),
    ],
)
def test_fault_of_the_program_is_told_and_what_came_is_kept(
    qtbot, session: type, words: str, rows: int
) -> None:
    told: list[Any] = []
    runner = RunControl(compiler=lambda diagram: FakeSim(COLUMNS, session=session))
    runner.failed.connect(told.extend)
    runner.start(Diagram.from_yaml(TWO_LINKS))
    qtbot.waitUntil(lambda: bool(told), timeout=LONG)
    assert words in str(told[0])
    assert runner.state == "failed"
    runner.run.thread.join()
    assert runner.history.rows >= rows
    if rows:
        assert "rows that came can be saved" in str(told[0])
        assert len(read_result(runner.result_path).time) >= rows
    # the next one has a process again
    told.clear()
    runner.compiler = lambda diagram: FakeSim(COLUMNS)
    runner.start(Diagram.from_yaml(TWO_LINKS))
    qtbot.waitUntil(lambda: runner.state == "finished", timeout=LONG)
    runner.close()


def test_what_was_done_by_hand_outlives_the_process_of_its_run(qtbot) -> None:
    runner = RunControl()
    runner.by_screen, runner.rule.speed = frozenset({"push"}), 1.0
    runner.start(Diagram.from_yaml(SLIDE.replace("stop: 0.5", "stop: 600")))
    qtbot.waitUntil(lambda: runner.state == "running", timeout=LONG)
    runner.give("push", 4.0)
    qtbot.waitUntil(lambda: runner.history.rows > 0 and runner.history.last("push") == 4.0, timeout=LONG)
    runner.run.engine.kill()
    qtbot.waitUntil(lambda: runner.state == "failed", timeout=LONG)
    assert runner.done.drive.names == ["push"]
    assert runner.done.drive.values[-1] == 4.0
    runner.close()


def test_stop_in_mid_chunk_cancels_the_session_and_keeps_its_rows(qtbot) -> None:
    runner = RunControl(compiler=endless)
    for _ in range(10):
        runner.start(Diagram.from_yaml(TWO_LINKS))
        qtbot.waitUntil(lambda: runner.time > 0.1, timeout=LONG)
        runner.stop()
        runner.run.thread.join()
        assert runner.course.status == "cancelled"
        assert runner.history.span()[1] == pytest.approx(runner.time)
        assert len(read_result(runner.result_path).time) == runner.history.rows
    runner.close()
