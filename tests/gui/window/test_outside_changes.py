"""Files of open diagrams that other programs write: followed, or a question that loses nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox

from luff.gui.window.dialogs.compare_view import SideBySide
from luff.tests.shared.netlists import TWO_LINKS

OTHER = TWO_LINKS.replace("mass: 2 kg", "mass: 7 kg") + "# by another program\n"
LONG = 10_000  # ms of patience with the system's word of a file


def replaced(path: Path, text: str, renamed: bool) -> None:
    """Write as programs do: into the file, or into another one that takes its name."""
    if renamed:
        other = path.with_name("other.tmp")
        other.write_text(text)
        os.replace(other, path)
    else:
        path.write_text(text)


def masses(window) -> list[object]:
    blocks = window.document.diagram.blocks
    return [block["mass"] for block in blocks.values() if "mass" in block]


@pytest.mark.parametrize("renamed", [False, True])
def test_an_unmodified_diagram_follows_its_file(renamed: bool, make_window, qtbot, tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    window = make_window(TWO_LINKS, path)
    before = masses(window)
    assert "7 kg" not in before
    replaced(path, OTHER, renamed)
    qtbot.waitUntil(lambda: "7 kg" in masses(window), timeout=LONG)
    assert not window.isWindowModified()
    assert not window.outside.bar.isVisible()
    # a second time, since a file that was renamed is another one
    replaced(path, OTHER.replace("7 kg", "8 kg"), renamed)
    qtbot.waitUntil(lambda: "8 kg" in masses(window), timeout=LONG)
    # edits go into the text as it is now
    window.document.set_value(
        next(name for name, b in window.document.diagram.blocks.items() if "mass" in b) + ".mass", "9 kg"
    )
    window.actions_["save"].trigger()
    assert path.read_text() == OTHER.replace("7 kg", "9 kg")
    window.document.undo.undo()
    window.document.undo.undo()
    window.document.undo.undo()
    assert masses(window) == before
    assert window.isWindowModified()


def test_a_modified_diagram_asks(make_window, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "arm.yaml"
    window = make_window(TWO_LINKS, path)
    bar = window.outside.bar
    window.document.add_block("gain", 0, 600)
    path.write_text(OTHER)
    qtbot.waitUntil(bar.isVisible, timeout=LONG)
    assert bar.label.text() == "arm.yaml was changed by another program"
    assert "gain" in window.document.diagram.blocks
    assert "7 kg" not in masses(window)
    qtbot.mouseClick(bar.compare, Qt.MouseButton.LeftButton)
    (shown,) = window.findChildren(SideBySide)
    saved, own = shown.diagrams
    assert saved.blocks.keys() == own.blocks.keys() - {"gain"}
    shown.close()
    assert bar.isVisible()
    qtbot.mouseClick(bar.reload, Qt.MouseButton.LeftButton)
    assert not bar.isVisible()
    assert "7 kg" in masses(window)
    assert "gain" not in window.document.diagram.blocks
    assert not window.isWindowModified()
    window.document.undo.undo()
    assert "gain" in window.document.diagram.blocks
    assert "7 kg" not in masses(window)


def test_keep_mine_saves_without_another_question(
    make_window, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "arm.yaml"
    window = make_window(TWO_LINKS, path)
    window.document.add_block("gain", 0, 600)
    path.write_text(OTHER)
    bar = window.outside.bar
    qtbot.waitUntil(bar.isVisible, timeout=LONG)
    qtbot.mouseClick(bar.keep, Qt.MouseButton.LeftButton)
    assert not bar.isVisible()
    monkeypatch.setattr(QMessageBox, "exec", lambda _: pytest.fail("asked again"))
    window.actions_["save"].trigger()
    assert "gain" in path.read_text()
    assert "7 kg" not in path.read_text()


def test_a_file_that_does_not_open_is_told_and_the_diagram_stays(make_window, qtbot, tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    window = make_window(TWO_LINKS, path)
    before = masses(window)
    path.write_text("luff: 1\nblocks: {a: [}\n")
    bar = window.outside.bar
    qtbot.waitUntil(bar.isVisible, timeout=LONG)
    assert bar.label.text().startswith("arm.yaml was changed by another program and does not open now: ")
    assert masses(window) == before
    path.write_text(OTHER)
    qtbot.waitUntil(lambda: "7 kg" in masses(window), timeout=LONG)
    assert not bar.isVisible()


def test_a_file_that_was_only_touched_is_no_change(make_window, qtbot, tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    window = make_window(TWO_LINKS, path)
    os.utime(path, ns=(0, 0))
    assert not window.document.changed_on_disk
