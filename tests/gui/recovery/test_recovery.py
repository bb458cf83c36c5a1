"""Nothing is lost: unsaved changes, files that others change, copies for a crash."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, QTimer
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMessageBox

from luff.gui.recovery import autosave as session
from luff.gui.run import run_files
from luff.gui.window.main_window import Window
from luff.tests.gui.driver import LONG
from luff.tests.shared.netlists import TWO_LINKS


def test_unsaved_changes_are_asked_about(
    make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window(TWO_LINKS, tmp_path / "arm.yaml")
    window.document.add_block("gain", 0, 600)
    assert window.isWindowModified()
    asked: list[str] = []

    def answer(button: QMessageBox.StandardButton):
        def run(box: QMessageBox) -> QMessageBox.StandardButton:
            asked.append(box.text())
            return button

        return run

    buttons = QMessageBox.StandardButton
    monkeypatch.setattr(QMessageBox, "exec", answer(buttons.Cancel))
    assert not window.close()
    assert window.isVisible()
    monkeypatch.setattr(QMessageBox, "exec", answer(buttons.Save))
    assert window.close()
    assert asked == ["Save the changes to arm.yaml?"] * 2
    assert "gain" in (tmp_path / "arm.yaml").read_text()


def test_undo_back_to_the_saved_state_is_unmodified(make_window, tmp_path: Path) -> None:
    window = make_window(TWO_LINKS, tmp_path / "arm.yaml")
    window.document.move({"fore": (50, 0)})
    assert window.isWindowModified()
    window.editing.on_undo()
    assert not window.isWindowModified()


def test_file_changed_by_another_program_is_not_overwritten_unasked(
    make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "arm.yaml"
    window = make_window(TWO_LINKS, path)
    window.document.add_block("gain", 0, 600)
    path.write_text(TWO_LINKS + "# from another program\n")
    asked: list[str] = []
    monkeypatch.setattr(QMessageBox, "exec", lambda box: asked.append(box.text()))
    window.files.on_save()
    assert asked == ["Another program has changed arm.yaml."]
    assert path.read_text().endswith("# from another program\n")
    assert window.isWindowModified()


def test_crash_leaves_a_copy_that_is_recovered(make_window, tmp_path: Path) -> None:
    window = make_window(TWO_LINKS, tmp_path / "arm.yaml")
    window.document.add_block("gain", 0, 600)
    autosave = window.level.autosave
    autosave.write()
    # a copy as a dead process would have left it; pid numbers end below this one
    orphan = autosave.file.with_name("99999999-dead.yaml")
    autosave.file.rename(orphan)
    autosave.file.with_suffix(".json").rename(orphan.with_suffix(".json"))
    left = session.orphaned_autosaves()
    assert [entry.origin for entry in left] == [tmp_path / "arm.yaml"]
    window.document.undo.undo()
    window.files.recover(left[0])
    recovered = next(w for w in Window.open_windows if w is not window)
    assert "gain" in recovered.document.diagram.blocks
    assert recovered.document.modified
    assert recovered.document.path == tmp_path / "arm.yaml"
    assert session.orphaned_autosaves() == []
    assert (tmp_path / "arm.yaml").read_text() == TWO_LINKS
    recovered.document.save()
    assert not recovered.document.modified
    assert "gain" in (tmp_path / "arm.yaml").read_text()


# edits a file as a user would, and is gone without a word
KILLED = """
import os, signal, sys
from pathlib import Path
from luff.gui.app import application
from luff.gui.window.main_window import Window
app = application()
app.setOrganizationName(sys.argv[2])
app.setApplicationName(sys.argv[3])
window = Window()
window.files.open_path(Path(sys.argv[1]))
window.document.add_block("gain", 0, 600)
window.level.autosave._timer.setInterval(0)
window.level.autosave._timer.start()
while not window.level.autosave.file.exists():
    app.processEvents()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("answer", ["Recover", "Discard", "Ask Again Later"])
def test_killed_process_leaves_its_work_to_the_next_one(
    answer: str, make_window, tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(TWO_LINKS)
    names = [qapp.organizationName(), qapp.applicationName()]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, path, *names], env=environment, capture_output=True
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    assert path.read_text() == TWO_LINKS
    window = make_window()
    said: list[str] = []

    def press(box: QMessageBox) -> None:
        said.append(box.text())
        button = next(button for button in box.buttons() if button.text() == answer)
        QTimer.singleShot(0, button.click)
        QDialog.exec(box)

    monkeypatch.setattr(QMessageBox, "exec", press)
    window.files.offer_recovery()
    assert said == [f"luff ended without saving {path}."]
    assert len(session.orphaned_autosaves()) == (answer == "Ask Again Later")
    document = window.document
    if answer == "Recover":
        assert document.path == path
        assert "gain" in document.diagram.blocks
        assert document.modified
        document.save()
        assert "gain" in path.read_text()
    else:
        assert document.path is None
        assert not document.diagram.blocks
        assert path.read_text() == TWO_LINKS


def test_copy_of_a_process_that_lives_is_not_offered(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.document.add_block("gain", 0, 600)
    assert window.level.autosave.write()
    assert window.level.autosave.file.exists()
    assert session.orphaned_autosaves() == []


def test_copy_is_kept_while_one_edit_follows_the_other(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS)
    autosave = window.level.autosave
    autosave._timer.setInterval(LONG)
    # a timer that each edit winds up again would never ring while they follow each other fast enough
    window.document.move({"fore": (10, 0)})
    qtbot.waitUntil(lambda: autosave._timer.remainingTime() < LONG, timeout=LONG)
    left = autosave._timer.remainingTime()
    window.document.move({"fore": (10, 0)})
    assert autosave._timer.remainingTime() <= left
    autosave._timer.setInterval(0)
    qtbot.waitUntil(autosave.file.exists, timeout=LONG)


def test_recovered_copy_stays_while_no_other_can_be_written(
    make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    copy = tmp_path / "1_dead-00.yaml"
    copy.write_text(TWO_LINKS)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(session, "write_whole", full)
    window.files.recover(session.Recovered(copy, None, None))
    assert "elbow" in window.document.diagram.blocks
    assert copy.exists()


@pytest.mark.parametrize("replace", [False, True])
def test_usual_end_added_to_a_name_overwrites_nothing_unasked(
    replace: bool, make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window(TWO_LINKS)
    other = tmp_path / "arm.yaml"
    other.write_text("luff: 1\n")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "arm"), ""))
    answer = "Replace" if replace else "Cancel"

    def press(box: QMessageBox) -> None:
        next(button for button in box.buttons() if button.text().strip("&") == answer).click()

    monkeypatch.setattr(QMessageBox, "exec", press)
    window.files.on_save_as()
    assert (other.read_text() == TWO_LINKS) == replace
    assert window.document.path == (other if replace else None)


DAMAGED = [
    "",
    "3",
    "null",
    "[]",
    "{",
    "[1, {}, null]",
    '{"path": 3, "base": [], "name": {}}',
    "[" * 100_000,
    "\udc80",
]
DAMAGED += ['{"path": "a\\u0000b", "base": "\\u0000"}', '["a\\u0000b"]', "nan", "-1", "1e999"]


@pytest.mark.parametrize("text", DAMAGED, ids=range(len(DAMAGED)))
def test_damaged_notes_and_settings_keep_no_window_from_starting(
    text: str, make_window, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another program, or a full disk, has left where luff keeps what outlives a window."""
    copy = session.folder() / "99999999-dead.yaml"
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(TWO_LINKS)
    copy.with_suffix(".json").write_bytes(text.encode(errors="surrogateescape"))
    place = run_files.folder() / "99999999-dead"
    place.mkdir(parents=True, exist_ok=True)
    (place / run_files.CREATED).write_bytes(text.encode(errors="surrogateescape"))
    (place / "run.h5").write_bytes(b"")
    for key in (
        "recent",
        "allowed",
        "theme",
        "recording/limit",
        "recording/thins",
        "geometry",
        "panels",
        "toured",
    ):
        QSettings().setValue(key, text)
    said: list[str] = []
    monkeypatch.setattr(QMessageBox, "exec", lambda box: said.append(box.text()))
    try:
        window = make_window(TWO_LINKS)
        window.files.offer_recovery()
        window.views.offer_tour()
        assert "luff ended without saving" in said[0]
        assert place.exists(), "a note that is damaged costs no results"
        (left,) = session.orphaned_autosaves()
        window.files.recover(left)
    finally:
        QSettings().clear()
        copy.unlink(missing_ok=True)
        copy.with_suffix(".json").unlink(missing_ok=True)
        shutil.rmtree(place, ignore_errors=True)
