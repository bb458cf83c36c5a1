"""What is recorded of a run: never beyond its limit, never lost unasked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QFileDialog, QMessageBox

from luff.gui.run import run_files
from luff.gui.window import recording_limits
from luff.gui.window.main_window import Window
from luff.gui.window.recording_limits import RecordingDialog
from luff.solver.realtime import bounded_result_file as engine_file
from luff.solver.realtime.bounded_result_file import BoundedResultFile
from luff.solver.realtime.messages import LiveRules
from luff.solver.results.result import read_result
from luff.tests.gui.driver import LONG
from luff.tests.gui.fake_run import FakeSim
from luff.tests.shared.netlists import TWO_LINKS

COLUMNS = ["shoulder.position", "elbow.position"]
ROW = 8 * 3


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A place for files of their own."""
    monkeypatch.setattr(engine_file, "BLOCK", 50 * ROW)
    monkeypatch.setattr(run_files, "folder", lambda: tmp_path / "runs")
    return tmp_path


def file_of(folder: Path) -> BoundedResultFile:
    """Without the room that a chunk of a real run needs."""
    sim = FakeSim(COLUMNS)
    return BoundedResultFile(folder, sim, sim.start(), room=0)


def limited(window: Window, limit: float) -> None:
    """Chunks of twenty rows, so that a limit is met wherever it lies."""
    rule = window.runner.rule
    rule.limit, rule.room, rule.chunk = limit, 20.0 * ROW, 1.0


def fill(file: BoundedResultFile, rows: int, block: int) -> np.ndarray:
    times = np.arange(file.seen, file.seen + rows) * 0.5
    for k in range(0, rows, block):
        piece = times[k : k + block]
        file.write(piece, np.column_stack((2 * piece, -piece)))
    return times


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_thinned_file_holds_every_so_many_rows_of_the_whole_run(small: Path, block: int) -> None:
    file = file_of(small)
    seen = []
    for rows in (333, 334, 501):  # odd ones: the next row to keep is not the first that comes
        seen.append(fill(file, rows, block))
        file.thin(lambda: False)
    seen.append(fill(file, 100, block))
    file.close()
    times = np.concatenate(seen)[::8]
    result = read_result(file.path)
    np.testing.assert_array_equal(result.time, times)
    np.testing.assert_array_equal(result["elbow.position"], -times)
    assert [path.name for path in file.folder.glob("*.h5*")] == [file.path.name]


def test_thinning_that_is_given_up_leaves_every_row(small: Path) -> None:
    file = file_of(small)
    times = fill(file, 400, 400)
    asked = iter([False, False, True])
    file.thin(lambda: next(asked))
    fill(file, 3, 3)
    assert (file.every, len(read_result(file.path).time)) == (1, len(times) + 3)
    assert len(list(file.folder.glob("*.h5*"))) == 1
    file.release()


def test_file_is_full_at_its_limit_and_before_the_disk_is(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = file_of(small)
    fill(file, 1000, 1000)
    size = file.path.stat().st_size
    assert not file.full(size)
    assert "reached" in file.full(size - 1)
    assert file.extent.rows_within(1000 * ROW, room=0) == 1000
    monkeypatch.setattr(engine_file, "RESERVE", 1e30)
    assert "disk" in file.full(1e12)
    file.release()


def start(window: Window, sim: FakeSim) -> None:
    window.runner.compiler = lambda diagram: sim
    window.running.on_run()


@pytest.mark.usefixtures("small")
def test_full_recording_pauses_and_asks_and_goes_on_thinned(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS + "plots: [{y: [shoulder.position]}]\n")
    limited(window, 130e3)
    sim = FakeSim(COLUMNS, stop=10.0)  # 10,001 rows of 24 bytes
    start(window, sim)
    qtbot.waitUntil(lambda: window.findChild(QMessageBox) is not None, timeout=LONG)
    assert window.runner.state == "paused"
    assert 0.5 < window.runner.time < 10
    assert "reached" in window.findChild(QMessageBox).text()
    qtbot.waitUntil(lambda: "recording is full" in window.running.note.text(), timeout=LONG)
    box = window.findChild(QMessageBox)
    next(b for b in box.buttons() if "Second" in b.text()).click()
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)
    result = read_result(window.runner.result_path)
    every = window.runner.run.extent.every
    assert window.runner.result_path.stat().st_size <= 130e3 + ROW
    assert every > 1
    np.testing.assert_allclose(result.time, np.arange(0, 10001, every) * 1e-3, atol=1e-9)
    np.testing.assert_allclose(result["shoulder.position"], np.sin(result.time), atol=1e-9)
    # the setting is for this run alone
    assert not window.runner.rule.thins


@pytest.mark.usefixtures("small")
def test_full_recording_may_grow_or_end_the_run(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS)
    limited(window, 130e3)
    start(window, FakeSim(COLUMNS, stop=10.0))
    for words in ("Record up to", "End the Run"):
        qtbot.waitUntil(lambda: any(b.isVisible() for b in window.findChildren(QMessageBox)), timeout=LONG)
        assert window.runner.state == "paused"
        box = next(b for b in window.findChildren(QMessageBox) if b.isVisible())
        next(b for b in box.buttons() if words in b.text()).click()
    assert window.runner.state == "finished"
    window.runner.run.thread.join()  # a busy machine may be slower than the window's patience
    result = read_result(window.runner.result_path)
    assert result.status == "cancelled"
    np.testing.assert_allclose(np.diff(result.time), 1e-3, atol=1e-9)
    assert 130e3 < window.runner.result_path.stat().st_size <= 260e3 + ROW


def test_run_that_took_long_is_not_thrown_away_unasked(
    make_window, qtbot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(recording_limits, "ASK_ABOVE_SECONDS", 0.0)
    window = make_window(TWO_LINKS)
    start(window, FakeSim(COLUMNS))
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)
    asked = []

    def answer(box: QMessageBox):
        asked.append(box.text())
        return QMessageBox.StandardButton.Cancel

    monkeypatch.setattr(QMessageBox, "exec", answer)
    path = window.runner.result_path
    window.running.on_run()
    assert not window.close()
    assert len(asked) == 2
    assert len(read_result(path).time) == 2001
    window.files.save_result(path, tmp_path / "kept.h5")
    assert window.close()
    assert len(asked) == 2
    qtbot.waitUntil(lambda: not path.exists(), timeout=LONG)
    assert len(read_result(tmp_path / "kept.h5").time) == 2001


def test_limit_is_kept_for_the_next_window(make_window) -> None:
    window = make_window(TWO_LINKS)
    dialog = RecordingDialog(window)
    dialog.limit.setValue(7.5)
    dialog.thin.setChecked(True)
    dialog.accept()
    other = make_window(TWO_LINKS)
    assert (other.runner.rule.limit, other.runner.rule.thins) == (7.5e9, True)
    QSettings().remove("recording")
    assert LiveRules() == make_window(TWO_LINKS).runner.rule


KILLED = """\
import os, signal, sys
from pathlib import Path
import numpy as np
from luff.gui.run import run_files as run_file
from luff.solver.realtime.bounded_result_file import BoundedResultFile
from luff.tests.gui.fake_run import FakeSim

run_file.folder = lambda: Path(sys.argv[1])
sim = FakeSim(["shoulder.position"])
file = BoundedResultFile(run_file.new_folder(), sim, sim.start())
times = np.arange(500) * 0.01
file.write(times, np.sin(times)[:, None])
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("dear", [True, False])
def test_result_of_a_killed_process_is_offered(
    make_window, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, dear: bool
) -> None:
    runs = tmp_path / "runs"
    monkeypatch.setattr(run_files, "folder", lambda: runs)
    places = {name: str(tmp_path) for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME")}
    subprocess.run([sys.executable, "-c", KILLED, str(runs)], env={**os.environ, **places}, check=False)
    (left,) = runs.glob("*/")
    if dear:
        created = left / "created"
        created.write_text(f"{float(created.read_text()) - 600}")
    # what was done by hand, last written before the result was
    (left / "by_hand.partial.h5").write_bytes(b"a drive")
    os.utime(left / "by_hand.partial.h5", (0.0, 0.0))
    asked = []

    def answer(box: QMessageBox) -> None:
        asked.append(box.text())
        next(button for button in box.buttons() if "Save" in button.text()).click()

    monkeypatch.setattr(QMessageBox, "exec", answer)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "kept.h5"), ""))
    window = make_window(TWO_LINKS)
    own = run_files.new_folder()  # of a process that lives
    window.recording.offer_recovery()
    assert list(runs.glob("*/")) == [own]
    assert asked == (["luff ended without saving a run of 10 min."] if dear else [])
    assert (tmp_path / "kept.h5").exists() == dear
    if dear:
        result = read_result(tmp_path / "kept.h5")
        np.testing.assert_allclose(result["shoulder.position"], np.sin(result.time))
        assert (len(result.time), result.status) == (500, "interrupted")
        assert window.deck.history.rows == 500
        assert (tmp_path / "kept.drive.h5").read_bytes() == b"a drive"
