"""Blocks that move between windows, become a block with a file, or give it a port."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QMessageBox

from luff.tests.shared.netlists import TWO_LINKS


def test_copy_paste_between_windows(make_window) -> None:
    first, second = make_window(TWO_LINKS), make_window()
    first.view.canvas.select(["shoulder", "upper"])
    first.editing.on_copy()
    second.editing.on_paste()
    assert list(second.document.diagram.blocks) == ["shoulder", "upper"]
    assert second.document.diagram.connections == ["shoulder.frame_b -- upper.frame_a"]
    second.editing.on_paste()
    assert "shoulder2.frame_b -- upper2.frame_a" in second.document.diagram.connections
    second.document.undo.undo()
    second.document.undo.undo()
    assert second.document.diagram.blocks == {}


def test_paste_of_other_text_says_so(make_window) -> None:
    window = make_window(TWO_LINKS)
    QApplication.clipboard().setText("hello: [")
    window.editing.on_paste()
    assert "no blocks" in window.message_label.text()
    assert not window.document.undo.canUndo()


def make_limb(window, path: Path) -> None:
    """Make a composite in a file of two blocks."""
    window.view.canvas.select(["upper", "elbow"])
    window.editing.on_group()
    window.document.rename("subsystem", "limb")
    window.editing.save_as_block("limb", path)


def test_save_as_block_makes_a_file_that_opens_and_undoes(make_window, tmp_path: Path) -> None:
    window = make_window(
        TWO_LINKS + "plots: [{y: [elbow.position, shoulder.position]}]\n", tmp_path / "arm.yaml"
    )
    before = window.document.diagram.to_yaml()
    window.palette_.field.setFocus()
    make_limb(window, tmp_path / "limb.yaml")
    assert window.tabs.focusWidget() is window.view
    assert window.message_label.text() == "Saved limb.yaml; limb is read from it"
    diagram = window.document.diagram
    assert diagram.blocks["limb"] == {"type": "./limb.yaml", "l1": "=l1"}
    assert "shoulder.frame_b -- limb.frame_a" in diagram.connections
    assert "limb.frame_b -- fore.frame_a" in diagram.connections
    assert diagram.plots == [{"y": ["limb.elbow.position", "shoulder.position"]}]
    assert [p for p in diagram.check() if p.severity == "error"] == []
    window.view.canvas.sync()
    assert set(window.view.canvas.blocks["limb"].block_ports) == {"frame_a", "frame_b"}
    window.editing.open_block("limb")
    assert len(window.levels) == 2
    assert set(window.view.canvas.blocks) >= {"upper", "elbow"}
    assert window.crumbs.isVisible()
    QTest.keyClick(window.view, Qt.Key.Key_Escape)
    assert len(window.levels) == 1
    while window.document.undo.canUndo():
        window.document.undo.undo()
    assert window.document.diagram.to_yaml() == before


@pytest.mark.parametrize("chosen", [0, 1])
def test_a_diagram_without_a_file_is_saved_first_if_one_says_so(
    make_window, monkeypatch: pytest.MonkeyPatch, chosen: int
) -> None:
    window = make_window(TWO_LINKS)
    window.view.canvas.select(["upper", "elbow"])
    window.editing.on_group()
    offered, saved = [], []

    def press(box: QMessageBox) -> None:
        buttons = sorted(box.buttons(), key=lambda each: each is not box.defaultButton())
        offered.extend(each.text().replace("&", "") for each in buttons)
        buttons[chosen].click()

    monkeypatch.setattr(QMessageBox, "exec", press)
    monkeypatch.setattr(window.files, "save", lambda level: saved.append(level) is not None)
    window.editing.on_save_as_block()
    assert offered == ["Save...", "Cancel"]
    assert len(saved) == 1 - chosen


def test_block_cannot_take_the_file_of_its_own_diagram(make_window, tmp_path: Path) -> None:
    window = make_window(TWO_LINKS, tmp_path / "arm.yaml")
    make_limb(window, tmp_path / "arm.yaml")
    assert "holds the diagram itself" in window.message_label.text()
    assert (tmp_path / "arm.yaml").read_text() == TWO_LINKS


def test_port_becomes_a_port_of_the_diagram_by_its_menu(
    make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = TWO_LINKS.replace("connect:", "ports:\n  hand: fore.frame_b    # where tools go\nconnect:", 1)
    window = make_window(text, tmp_path / "arm.yaml")

    def choose(reference: str, action: str) -> None:
        menu = window.editing.port_menu(reference)
        next(found for found in menu.actions() if found.text() == action).trigger()
        menu.close()

    monkeypatch.setattr(QInputDialog, "getText", lambda *_, text: (f"{text}_in", True))
    choose("elbow.effort", "Make It a Port of the Diagram...")
    edited = window.document.diagram.to_yaml()
    assert window.document.diagram.ports == {"hand": "fore.frame_b", "effort_in": "elbow.effort"}
    assert "# where tools go" in edited
    choose("elbow.effort", "Rename the Diagram's Port...")
    assert window.document.diagram.ports == {"hand": "fore.frame_b", "effort_in_in": "elbow.effort"}
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, text: ("hand", True))
    choose("elbow.effort", "Rename the Diagram's Port...")
    assert "taken" in window.message_label.text()
    choose("elbow.effort", "No Port of the Diagram")
    assert window.document.diagram.ports == {"hand": "fore.frame_b"}
    choose("shoulder.position", "Plot")
    assert window.document.diagram.plots == [{"y": ["shoulder.position"]}]
    while window.document.undo.canUndo():
        window.document.undo.undo()
    assert window.document.diagram.to_yaml() == text


@pytest.mark.parametrize("order", ["on_run", "on_step", "on_reset"])
def test_no_run_begins_from_an_old_file_of_an_edited_composite(
    order: str, make_window, tmp_path: Path
) -> None:
    window = make_window(TWO_LINKS, tmp_path / "arm.yaml")
    make_limb(window, tmp_path / "limb.yaml")
    window.editing.open_block("limb")
    window.document.set_value("upper.mass", "3 kg")
    getattr(window.running, order)()
    assert "Save limb.yaml first" in window.message_label.text()
    assert not window.runner.active
