"""Notes on the canvas: typed, dragged with what they hold, coloured, taken away, drawn in pictures, ignored by runs."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from luff.gui.canvas.diagram_picture import export
from luff.gui.document import note_edits
from luff.gui.document.document import Document
from luff.gui.document.note_edits import Note
from luff.gui.theme import active_theme
from luff.solver.flatten.diagram import Diagram
from luff.tests.gui.canvas_faults import crossings
from luff.tests.gui.user import TEXT, User
from luff.tests.shared.netlists import TWO_LINKS


def typed(user: User, text: str) -> None:
    QApplication.processEvents()
    editor = user.window.view.note_editor
    assert editor.isVisible()
    QTest.keyClicks(editor, text)
    QTest.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)


def only(user: User) -> Note:
    (found,) = note_edits.notes(user.window.document).values()
    return found


def area(user: User) -> Note:
    """Around two blocks."""
    user.select("upper", "elbow")
    user.menu("note")
    typed(user, "Upper arm")
    return only(user)


def test_an_area_is_put_around_blocks_and_takes_them_along(user: User) -> None:
    document, canvas = user.window.document, user.canvas
    note = area(user)
    assert note.text == "Upper arm"
    assert set(note_edits.held(document, note)) == {"upper", "elbow"}
    before = {name: document.place(name) for name in document.block_names()}
    canvas.drag((note.x + 12, note.y + 8), (note.x + 12, note.y + 8 + 200))
    moved = only(user)
    assert (moved.x - note.x, moved.y - note.y) == (0, 200)
    for name, (x, y, _) in before.items():
        down = 200 if name in ("upper", "elbow") else 0
        assert document.place(name)[:2] == (x, y + down)
    assert not crossings(canvas)
    user.menu("undo")
    QApplication.processEvents()
    assert only(user) == note
    assert document.place("upper") == before["upper"]
    # without its blocks, by its own menu
    index = next(iter(canvas.scene.notes))
    user.chooses("Move Its Blocks Along")
    user.right_click_canvas((note.x + 12, note.y + 8))
    assert not only(user).holds
    canvas.drag((note.x + 12, note.y + 8), (note.x + 112, note.y + 8))
    assert document.place("upper") == before["upper"]
    assert only(user).x == note.x + 100
    user.chooses("Colour", "Green")
    user.right_click_canvas((note.x + 112, note.y + 8))
    assert only(user).colour == "green"
    # its corner makes it larger
    item = canvas.scene.notes[index]
    x, y = item.x() + item.note.width - 4, item.y() + item.note.height - 4
    canvas.drag((x, y), (x + 60, y + 40))
    assert only(user).width == pytest.approx(note.width + 60, abs=10)
    while document.undo.canUndo():
        user.menu("undo")
    assert document.diagram.to_yaml() == TEXT


def test_what_lies_in_an_area_is_still_reached(user: User) -> None:
    user.select("upper", "elbow")
    user.menu("note")
    typed(user, "x")
    note = only(user)
    user.canvas.click(user.canvas.middle("elbow"))
    assert user.canvas.scene.selected_blocks() == ["elbow"]
    # between blocks the rubber band begins, and by double-click a block is inserted
    free = (note.x + note.width / 2, note.y + note.height - 12)
    assert user.canvas.scene.note_at(user.canvas.view.mapToScene(user.canvas.at(*free))) is None
    # a press at its words selects, Del takes away, and blocks stay
    user.canvas.click((note.x + 12, note.y + 8))
    assert user.canvas.scene.selected_notes() == [0]
    user.menu("delete")
    assert note_edits.notes(user.window.document) == {}
    assert "elbow" in user.window.document.diagram.blocks


def test_a_comment_is_typed_edited_and_nudged_by_keys(user: User) -> None:
    user.select()
    user.canvas.move((500, 520), button=Qt.MouseButton.NoButton)
    user.menu("note")
    typed(user, "first words")
    note = only(user)
    assert (note.x, note.y, note.colour) == (500, 520, "")
    view = user.window.view
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_F2)
    QTest.keyClicks(view.note_editor, "other words")
    QTest.keyClick(view.note_editor, Qt.Key.Key_Escape)
    assert only(user).text == "other words"  # Escape ends the typing; what was typed stays
    user.menu("undo")
    assert only(user).text == "first words"
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Return)
    QTest.keyClicks(view.note_editor, "other words, " * 12)
    user.menu("save")  # what stands in the field counts
    assert "other words, other words" in user.window.document.path.read_text()
    assert only(user).height > note.height  # as its words need
    QTest.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert only(user).y == 570
    user.select()
    for _ in range(len(user.canvas.scene.blocks) + 1):
        QTest.keyClick(view, Qt.Key.Key_PageDown)
    assert user.canvas.scene.selected_notes() == [0]


def test_the_first_words_of_a_note_are_one_step_with_it(user: User) -> None:
    window, view = user.window, user.window.view
    window.activateWindow()
    user.select("upper")
    user.menu("note")
    QApplication.processEvents()
    editor = view.note_editor
    x, y = user.canvas.middle("upper")
    assert not editor.geometry().contains(user.canvas.at(x, y))  # over the area's words alone
    QTest.keyClicks(editor, "first")
    QTest.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert not window.runner.active  # the key that runs the model elsewhere
    assert window.runner.state == "idle"
    assert user.canvas.scene.selected_notes() == [0]
    assert window.document.undo.count() == 1
    user.menu("undo")
    assert window.document.diagram.to_yaml() == TEXT
    user.menu("redo")
    assert only(user).text == "first"
    # later words are a step of their own
    user.canvas.scene.select([], notes=[0])
    QTest.keyClick(view, Qt.Key.Key_F2)
    QTest.keyClicks(editor, "second")
    QTest.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    user.menu("undo")
    assert only(user).text == "first"
    user.menu("undo")
    assert window.document.diagram.to_yaml() == TEXT


@pytest.mark.parametrize("key", [Qt.Key.Key_Escape, Qt.Key.Key_Return])
def test_a_comment_that_gets_no_words_is_gone(user: User, key: Qt.Key) -> None:
    user.select()
    user.canvas.move((500, 420), button=Qt.MouseButton.NoButton)
    user.menu("note")
    QApplication.processEvents()
    QTest.keyClick(user.window.view.note_editor, key, Qt.KeyboardModifier.ControlModifier)
    assert note_edits.notes(user.window.document) == {}
    assert user.window.document.diagram.to_yaml() == TEXT


def test_notes_are_copied_with_blocks_and_areas_with_what_they_hold(user: User) -> None:
    document, canvas = user.window.document, user.canvas
    upper_arm = area(user)
    user.menu("duplicate")
    copies = ["upper2", "elbow2"]
    assert canvas.scene.selected_blocks() == copies
    assert canvas.scene.selected_notes() == [1]
    copy = note_edits.notes(document)[1]
    assert set(note_edits.held(document, copy)) == set(copies)
    assert (copy.text, copy.colour) == (upper_arm.text, upper_arm.colour)
    assert copy.y >= upper_arm.y + upper_arm.height  # beside, not over it
    # cut out it goes with what it holds, and comes back at the pointer
    user.menu("cut")
    assert list(note_edits.notes(document)) == [0]
    assert not set(copies) & set(document.diagram.blocks)
    canvas.move((700, 420), button=Qt.MouseButton.NoButton)
    user.menu("paste")
    pasted = note_edits.notes(document)[1]
    assert set(note_edits.held(document, pasted)) == set(copies)
    assert pasted.x + pasted.width / 2 == pytest.approx(700, abs=15)
    assert not crossings(canvas)
    # a comment alone
    canvas.scene.select([])
    canvas.move((250, 420), button=Qt.MouseButton.NoButton)
    user.menu("note")
    typed(user, "alone")
    user.menu("cut")
    assert len(note_edits.notes(document)) == 2
    user.menu("paste")
    assert note_edits.notes(document)[2].text == "alone"
    while document.undo.canUndo():
        user.menu("undo")
    assert document.diagram.to_yaml() == TEXT


def test_notes_stay_in_the_file_and_out_of_the_run(tmp_path: Path) -> None:
    text = TWO_LINKS + "  notes:\n    - {text: a, at: [0, 0], size: [100, 40]}   # mine\n    - not a note\n"
    document = Document(Diagram.from_yaml(text))
    assert [p for p in document.diagram.check() if p.severity == "error"] == []
    assert list(note_edits.notes(document)) == [0]
    note_edits.change(document, 0, text="b")
    edited = document.diagram.to_yaml()
    assert [line for line in edited.splitlines() if line not in text.splitlines()] == [
        "    - {text: b, at: [0, 0], size: [100, 40]}   # mine"
    ]
    with pytest.raises(Exception, match="notes"):
        document.diagram.add_block("notes", {"type": "gain"})
    document.close()


def test_pictures_show_the_diagram_with_its_notes_on_white_paper(user: User, monkeypatch) -> None:
    user.window.views.on_dark(True)
    note_edits.add(user.window.document, Note("What is driven", 180, 100, 300, 60, "orange"))
    user.canvas.scene.sync()
    target = user.folder / "arm"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(target), ""))
    user.menu("export_diagram")
    assert active_theme.theme().name == "dark"
    image = QImage(str(target.with_suffix(".png")))
    assert image.pixelColor(1, 1).name() == "#ffffff"
    area = user.canvas.scene.content_rect()
    assert image.width() == pytest.approx(2 * (area.width() + 40), abs=2)
    tint = image.pixelColor(round(2 * (470 - area.x() + 20)), round(2 * (150 - area.y() + 20)))
    assert tint.red() > tint.green() > tint.blue()  # orange
    export(user.canvas.scene, target.with_suffix(".svg"))
    words = "".join(ElementTree.parse(target.with_suffix(".svg")).getroot().itertext())
    assert "What is driven" in words
    assert "elbow" in words
    export(user.canvas.scene, target.with_suffix(".pdf"))
    assert target.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    user.window.views.on_dark(False)


def test_the_menu_of_the_empty_canvas_adds_a_note(user: User) -> None:
    user.chooses("Add Note")
    user.right_click_canvas((600, 520))
    QApplication.processEvents()
    typed(user, "here")
    assert (only(user).x, only(user).y) == (600, 520)
    assert QPoint(*map(round, (only(user).x, only(user).y))) == QPoint(600, 520)
