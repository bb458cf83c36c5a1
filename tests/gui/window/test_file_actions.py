"""Files under the window's feet: dialogs that are cancelled, other programs, copies of other processes, full disks."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox

from luff.gui.recovery import autosave as session
from luff.gui.run import run_files
from luff.solver.netlist.library_paths import LIBRARY
from luff.solver.realtime import bounded_result_file as engine_file
from luff.solver.realtime.bounded_result_file import BoundedResultFile
from luff.solver.results.result import read_result
from luff.tests.gui.fake_run import FakeSim
from luff.tests.shared.netlists import TWO_LINKS

COLUMNS = ["shoulder.position", "elbow.position"]
ROW = 8 * 3


# --- saving ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("named", [True, False])
def test_a_file_dialog_that_is_cancelled_saves_nothing_and_stays_unsaved(
    named: bool, make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window(TWO_LINKS, tmp_path / "arm.yaml" if named else None)
    window.document.add_block("gain", 0, 600)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    asked = []
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: asked.append(1) or ("", ""))
    if named:
        window.actions_["save_as"].trigger()
    else:
        window.actions_["save"].trigger()
    assert asked == [1]
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert window.isWindowModified()
    assert window.document.path == (tmp_path / "arm.yaml" if named else None)
    # the answer Save to the question on closing, and then no name: the window stays
    if not named:
        monkeypatch.setattr(QMessageBox, "exec", lambda _: QMessageBox.StandardButton.Save)
        assert not window.close()
        assert window.isVisible()
        assert asked == [1, 1]


@pytest.mark.parametrize(("mass", "ticks"), [("3 kg", 1), ("12 kg", 0)], ids=["size kept", "time kept"])
@pytest.mark.parametrize("answer", ["Replace", "Cancel"])
def test_a_change_from_outside_that_keeps_the_size_or_the_time_is_seen(
    answer: str, mass: str, ticks: int, make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "arm.yaml"
    window = make_window(TWO_LINKS, path)
    window.document.add_block("gain", 0, 600)
    assert not window.document.changed_on_disk
    written = path.stat()
    other = TWO_LINKS.replace("mass: 2 kg", f"mass: {mass}")
    path.write_text(other)
    assert (path.stat().st_size == written.st_size) == (ticks > 0)
    os.utime(path, ns=(written.st_atime_ns, written.st_mtime_ns + ticks))  # ticks of the clock of files
    asked: list[str] = []

    def press(box: QMessageBox) -> None:
        asked.append(box.text())
        next(button for button in box.buttons() if button.text().strip("&") == answer).click()

    monkeypatch.setattr(QMessageBox, "exec", press)
    window.actions_["save"].trigger()
    assert asked == ["Another program has changed arm.yaml."]
    assert (path.read_text() == other) == (answer == "Cancel")
    # what was just saved is nobody else's
    window.document.add_block("gain", 200, 600)
    window.actions_["save"].trigger()
    assert len(asked) == (1 if answer == "Replace" else 2)


# --- copies of processes that live ----------------------------------------------------------------------------------

ALIVE = """\
import sys
from pathlib import Path
import numpy as np
from luff.gui.app import application
from luff.gui.run import run_files as run_file
from luff.gui.window.main_window import Window
from luff.solver.realtime.bounded_result_file import BoundedResultFile
from luff.tests.gui.fake_run import FakeSim

app = application()
app.setOrganizationName(sys.argv[1])
app.setApplicationName(sys.argv[2])
window = Window()
window.document.add_block("gain", 0, 600)
assert window.level.autosave.write()
sim = FakeSim(["shoulder.position"])
file = BoundedResultFile(run_file.new_folder(), sim, sim.start())
file.write(np.arange(5.0), np.zeros((5, 1)))
print(window.level.autosave.file, file.path, sep="\\n", flush=True)
sys.stdin.read()
"""


@contextmanager
def other_process(qapp: QApplication) -> Iterator[tuple[SimpleNamespace, subprocess.Popen]]:
    names = [qapp.organizationName(), qapp.applicationName()]
    process = subprocess.Popen(
        [sys.executable, "-c", ALIVE, *names],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        copy, rows = (Path(process.stdout.readline().strip()) for _ in range(2))
        yield SimpleNamespace(copy=copy, rows=rows), process
    finally:
        process.kill()
        process.communicate()


def test_copies_belong_to_their_process_until_it_is_gone(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert QStandardPaths.writableLocation(QStandardPaths.StandardLocation.CacheLocation).startswith(
        str(tmp_path)
    )
    with other_process(qapp) as (left, process):
        assert left.copy.is_file()
        assert left.rows.is_file()
        key = left.copy.stem.rpartition("-")[0]
        for _ in range(2):  # to ask does not take the lock away
            assert session.alive.is_alive(key)
            assert session.orphaned_autosaves() == []
            assert run_files.left_behind() == []
        with monkeypatch.context() as elsewhere:  # its documents are not seen from here, its runs are
            elsewhere.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
            assert run_files.left_behind() == []
        assert left.copy.is_file()
        assert left.rows.is_file()
        process.kill()
        process.wait()
        assert [found.file for found in session.orphaned_autosaves()] == [left.copy]
        assert [path for path, _ in run_files.left_behind()] == [left.rows]
        assert len(read_result(left.rows).time) == 5
        # and the lock went with it
        assert not left.copy.with_name(f"{key}.lock").exists()


def test_the_copy_goes_once_the_document_is_saved(make_window, tmp_path: Path) -> None:
    window = make_window(TWO_LINKS, tmp_path / "arm.yaml")
    window.document.add_block("gain", 0, 600)
    autosave = window.level.autosave
    assert autosave.write()
    assert autosave.file.is_file()
    window.actions_["save"].trigger()
    assert not autosave.file.exists()
    assert not autosave.file.with_suffix(".json").exists()


@pytest.mark.parametrize("waiting", [True, False])
def test_a_further_edit_does_not_put_off_the_copy(waiting: bool, make_window) -> None:
    window = make_window(TWO_LINKS)
    autosave, started = window.level.autosave, []
    kept = autosave._timer
    autosave._timer = SimpleNamespace(isActive=lambda: waiting, start=lambda: started.append(1))
    window.document.diagram.set_value("fore.mass", "3 kg")
    assert bool(started) != waiting
    autosave._timer = kept


# --- recordings -----------------------------------------------------------------------------------------------------


@pytest.fixture
def recording(tmp_path: Path) -> Iterator[BoundedResultFile]:
    sim = FakeSim(COLUMNS)
    file = BoundedResultFile(tmp_path, sim, sim.start(), room=0)
    yield file
    file.release()


def fill(file: BoundedResultFile, rows: int, block: int) -> None:
    times = np.arange(file.seen, file.seen + rows) * 0.5
    for k in range(0, rows, block):
        piece = times[k : k + block]
        file.write(piece, np.column_stack((2 * piece, -piece)))


@pytest.mark.parametrize("rows_in_block", [3, 5, 51, 2])
def test_thinning_in_blocks_of_odd_length_keeps_every_second_row(
    rows_in_block: int, recording: BoundedResultFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_file, "BLOCK", rows_in_block * ROW)
    fill(recording, 101, 7)
    for every in (2, 4, 8):
        recording.thin(lambda: False)
        times = read_result(recording.path).time
        np.testing.assert_array_equal(times, 0.5 * np.arange(0, recording.seen, every))
        fill(recording, 53, 5)
        times = read_result(recording.path).time
        np.testing.assert_array_equal(times, 0.5 * np.arange(0, recording.seen, every))
    recording.close()


def test_a_recording_leaves_room_for_its_thinned_copy_and_for_others(
    recording: BoundedResultFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(recording, 1000, 1000)
    size = recording.path.stat().st_size
    asked = []

    def usage(free: float):
        return lambda place: asked.append(Path(place)) or SimpleNamespace(free=free)

    # a gigabyte stays free for others, beside a copy of half of the rows
    least = 1e9 + size / 2
    monkeypatch.setattr(engine_file.shutil, "disk_usage", usage(least))
    assert recording.full(1e12) == ""
    monkeypatch.setattr(engine_file.shutil, "disk_usage", usage(least - 1))
    assert "disk is nearly full" in recording.full(1e12)
    assert asked == [recording.folder, recording.folder]  # where the rows are, not elsewhere


def test_a_copy_of_an_example_is_saved_beside_the_users_files(make_window, tmp_path, monkeypatch) -> None:
    offered: list[Path] = []
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda _, __, start, *___: offered.append(Path(start)) or ("", "")
    )
    window = make_window()
    window.files.open_example(LIBRARY / "slewing_crane.yaml")
    window.actions_["save"].trigger()
    assert not offered[-1].is_relative_to(LIBRARY)
    used = tmp_path / "used.yaml"
    used.write_text(TWO_LINKS)
    session.remember(used)
    window.actions_["save"].trigger()
    assert offered[-1] == tmp_path / "slewing_crane_with_three_drives.yaml"
