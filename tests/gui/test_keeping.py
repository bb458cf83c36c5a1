"""Nothing is lost: unsaved changes, files that others change, copies for a crash."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox

from luff.gui import session
from luff.gui.window import Window
from luff.tests.gui.driver import ARM


def test_unsaved_changes_are_asked_about(
    make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window(ARM, tmp_path / "arm.yaml")
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
    window = make_window(ARM, tmp_path / "arm.yaml")
    window.document.move({"fore": (50, 0)})
    assert window.isWindowModified()
    window.editing.on_undo()
    assert not window.isWindowModified()


def test_file_changed_by_another_program_is_not_overwritten_unasked(
    make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "arm.yaml"
    window = make_window(ARM, path)
    window.document.add_block("gain", 0, 600)
    path.write_text(ARM + "# from another program\n")
    asked: list[str] = []
    monkeypatch.setattr(QMessageBox, "exec", lambda box: asked.append(box.text()))
    window.files.on_save()
    assert asked == ["Another program has changed arm.yaml."]
    assert path.read_text().endswith("# from another program\n")
    assert window.isWindowModified()


def test_crash_leaves_a_copy_that_is_recovered(make_window, tmp_path: Path) -> None:
    window = make_window(ARM, tmp_path / "arm.yaml")
    window.document.add_block("gain", 0, 600)
    autosave = window.level.autosave
    autosave.write()
    # a copy as a dead process would have left it; pid numbers end below this one
    orphan = autosave.file.with_name("99999999-dead.yaml")
    autosave.file.rename(orphan)
    autosave.file.with_suffix(".json").rename(orphan.with_suffix(".json"))
    left = session.left_behind()
    assert [entry.origin for entry in left] == [tmp_path / "arm.yaml"]
    window.document.undo.undo()
    window.files.recover(left[0])
    recovered = next(w for w in Window.open_windows if w is not window)
    assert "gain" in recovered.document.diagram.blocks
    assert recovered.document.modified
    assert recovered.document.path == tmp_path / "arm.yaml"
    assert session.left_behind() == []
    assert (tmp_path / "arm.yaml").read_text() == ARM
    recovered.document.save()
    assert "gain" in (tmp_path / "arm.yaml").read_text()
