"""File > Compare: both models side by side, the list in words, and versions that git keeps."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

import luff
from luff.gui.document.git_revisions import revisions, text_of
from luff.gui.theme import active_theme
from luff.gui.window.dialogs.compare_dialog import CompareTarget
from luff.gui.window.dialogs.compare_view import SideBySide
from luff.solver.diagram.netlist_diff import compare_netlists
from luff.tests.gui.driver import LEFT, LONG, NONE
from luff.tests.gui.user import User

BEFORE = """luff: 1
blocks:
  trolley: {type: prismatic, axis: x}
  carriage: {type: rigid_link, mass: 6 t}
  sway: {type: revolute, axis: y}
  old: {type: constant, value: 1}
connect:
  - world.frame -- trolley.frame_a
  - trolley.frame_b -- carriage.frame_a
  - carriage.frame_a -- sway.frame_a
  - old.y -> trolley.effort
layout: {trolley: [200, 0], carriage: [400, 0], sway: [600, 0], old: [0, 200], world: [0, 0]}
"""
AFTER = (
    BEFORE.replace("trolley", "slider")
    .replace("6 t", "7 t")
    .replace("  old: {type: constant, value: 1}\n", "  push: {type: sine}\n")
    .replace("old.y", "push.y")
    .replace("old: [0, 200]", "push: [0, 200]")
    .replace("sway: [600, 0]", "sway: [600, 100]")
)
WORDS = [
    "trolley is now slider",
    "carriage.mass: 6 t -> 7 t",
    "- old: {type: constant, value: 1}",
    "+ push: {type: sine}",
    "- old.y -> slider.effort",
    "+ push.y -> slider.effort",
]


def said(shown: SideBySide) -> list[str]:
    return [item.text(0) for item in shown.lines]


def compared(user: User) -> SideBySide:
    """The window that came; the others have been closed."""
    shown = [one for one in user.window.findChildren(SideBySide) if one.isVisible()]
    assert len(shown) == 1
    QApplication.processEvents()
    return shown[0]


@pytest.fixture
def user(make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> User:
    (tmp_path / "before.yaml").write_text(BEFORE)
    user = User(make_window(AFTER, tmp_path / "crane.yaml"), monkeypatch, tmp_path)
    answer = (str(tmp_path / "before.yaml"), "")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_, **__: answer)
    return user


def test_a_file_is_compared_in_words_and_colours(user: User) -> None:
    user.menu("compare")
    shown = compared(user)
    lines = said(shown)
    assert lines[:6] == WORDS
    assert "sway moved" in lines
    left, right = (view.canvas for view in shown.views)
    assert {n: i.fate for n, i in left.blocks.items() if i.fate} == {
        "trolley": "renamed",
        "carriage": "changed",
        "old": "removed",
        "sway": "moved",
    }
    assert {n: i.fate for n, i in right.blocks.items() if i.fate} == {
        "slider": "renamed",
        "carriage": "changed",
        "push": "added",
        "sway": "moved",
    }
    # the wire bears the name that its block had then
    assert [t for t, i in left.wires.items() if i.fate == "removed"] == ["old.y -> trolley.effort"]
    assert [t for t, i in right.wires.items() if i.fate == "added"] == ["push.y -> slider.effort"]


def test_both_canvases_pan_zoom_and_go_together(user: User) -> None:
    user.menu("compare")
    shown = compared(user)
    left, right = shown.views
    before = left.middle()
    QTest.mousePress(left.viewport(), LEFT, NONE, QPoint(100, 100))
    QTest.mouseMove(left.viewport(), QPoint(160, 130))
    QTest.mouseRelease(left.viewport(), LEFT, NONE, QPoint(160, 130))
    assert (left.middle() - before).manhattanLength() > 30
    assert (left.middle() - right.middle()).manhattanLength() <= 2 / left.zoom()  # a pixel each way
    right.zoom_by(1.5)
    assert left.zoom() == pytest.approx(right.zoom(), rel=1e-12)
    assert (left.middle() - right.middle()).manhattanLength() <= 2 / left.zoom()
    # a line of the list brings what it is of into the middle of both, wherever each has it
    item = next(item for item in shown.lines if item.text(0) == "sway moved")
    shown.list.setCurrentItem(item)
    for view in shown.views:
        place = view.place("sway")
        assert place is not None
        assert (view.middle() - place).manhattanLength() <= 2 / view.zoom()
        assert view.canvas.selected_blocks() == ["sway"]
    # and a block that is clicked chooses its line
    trolley = left.place("trolley")
    assert trolley is not None
    QTest.mouseClick(left.viewport(), LEFT, NONE, left.mapFromScene(trolley))
    assert shown.list.currentItem().text(0) == "trolley is now slider"
    assert right.canvas.selected_blocks() == ["slider"]
    QTest.keyClick(shown.views[0], Qt.Key.Key_Space)
    for view in shown.views:
        seen = view.mapToScene(view.viewport().rect()).boundingRect()
        assert seen.contains(view.canvas.content_rect())
    # nothing moves for what is in sight
    before = left.middle(), right.middle()
    shown.list.setCurrentItem(next(item for item in shown.lines if "carriage.mass" in item.text(0)))
    assert right.canvas.selected_blocks() == ["carriage"]
    assert (left.middle(), right.middle()) == before


def test_nothing_is_edited_there(user: User) -> None:
    user.menu("compare")
    shown = compared(user)
    view = shown.views[1]
    place = view.place("slider")
    assert place is not None
    QTest.mousePress(view.viewport(), LEFT, NONE, view.mapFromScene(place))
    QTest.mouseMove(view.viewport(), view.mapFromScene(place) + QPoint(60, 40))
    QTest.mouseRelease(view.viewport(), LEFT, NONE, view.mapFromScene(place) + QPoint(60, 40))
    QTest.keyClick(view, Qt.Key.Key_Delete)
    QTest.keyClicks(view, "gain")
    assert all(not document.modified for document in shown.documents)
    assert user.window.document.diagram.to_yaml() == AFTER


def take(shown: SideBySide, *words: str) -> None:
    shown.list.clearSelection()
    for item in shown.lines:
        if item.text(0) in words:
            item.setSelected(True)
    QTest.mouseClick(shown.take, LEFT)


def test_differences_are_taken_from_the_other_side(user: User, qtbot) -> None:
    user.menu("compare")
    shown, document = compared(user), user.window.document
    shown.list.clearSelection()
    assert not shown.take.isEnabled()
    take(shown, "carriage.mass: 6 t -> 7 t")
    assert document.diagram.to_yaml() == AFTER.replace("7 t", "6 t")
    assert WORDS[1] not in said(shown)
    assert shown.views[1].canvas.blocks["carriage"].fate == ""
    assert document.undo.count() == 1
    # undo in the window of the diagram brings it back, here too
    user.menu("undo")
    qtbot.waitUntil(lambda: WORDS[1] in said(shown), timeout=LONG)
    assert document.diagram.to_yaml() == AFTER
    # several at once: a block with its wire, in place of those that came; a name; a place
    take(shown, *WORDS[2:], "trolley is now slider")
    assert document.undo.count() == 1
    now = luff.loads(document.diagram.to_yaml())
    assert now.blocks == luff.loads(BEFORE).blocks | {"carriage": {"type": "rigid_link", "mass": "7 t"}}
    assert sorted(now.connections) == sorted(luff.loads(BEFORE).connections)
    assert now.layout is not None
    assert now.layout["old"] == [0, 200]  # it stands where it stood
    take(shown, *said(shown))
    assert said(shown) == []
    assert compare_netlists(luff.loads(BEFORE), luff.loads(document.diagram.to_yaml())).changes == []
    user.menu("undo")
    user.menu("undo")
    assert document.diagram.to_yaml() == AFTER


def test_it_goes_with_its_window(user: User) -> None:
    user.menu("compare")
    shown = compared(user)
    user.window.close()
    assert not shown.isVisible()


def test_save_as_page_writes_the_page_of_luff_diff(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    user.menu("compare")
    shown = compared(user)
    target = str(user.folder / "review")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (target, ""))
    shown.save_page()
    page = (user.folder / "review.html").read_text()
    assert "carriage.mass: 6 t -&gt; 7 t" in page
    assert "before.yaml and crane.yaml" in page


@pytest.mark.parametrize("name", ["light", "dark"])
def test_each_fate_has_its_colour_in_both_themes(user: User, name: str) -> None:
    active_theme.holder.use(name)
    user.menu("compare")
    shown = compared(user)
    view = shown.views[1]
    view.zoom_by(1.0 / view.zoom())
    for subject, fate in (("push", "added"), ("carriage", "changed")):
        shown.together.show(subject, subject)
        view.canvas.clearSelection()
        item = view.canvas.blocks[subject]
        edge = view.mapFromScene(item.mapToScene(0, item.block_shape.height * 0.85))
        image = view.viewport().grab().toImage()
        colours = {image.pixelColor(edge + QPoint(k, 0)).name() for k in range(-2, 3)}
        assert active_theme.theme().fates[fate] in colours


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=Ann", "-c", "user.email=a@b.c"]
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


def test_a_model_is_compared_with_a_commit_of_its_file(user: User) -> None:
    """Through a renaming of the file, and with settings of a repository that would run a program."""
    folder = user.folder
    git(folder, "init", "-q", ".")
    (folder / "older.yaml").write_text(BEFORE)
    git(folder, "add", "older.yaml")
    git(folder, "commit", "-qm", "A first crane; größer")
    ran, signer = folder / "ran", folder / "signer"
    signer.write_text(
        f"#!/bin/sh\ntouch {ran}\nprintf '\\n[GNUPG:] SIG_CREATED \\n' >&2\n"
        "printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n'\n"
    )
    signer.chmod(0o755)
    git(folder, "config", "gpg.program", str(signer))
    git(folder, "mv", "-f", "older.yaml", "crane.yaml")
    git(folder, "commit", "-qm", "Another file", "-S")
    ran.unlink()
    (folder / "crane.yaml").write_text(AFTER)
    (folder / ".gitattributes").write_text("*.yaml diff=own\n")
    for name in ("core.pager", "diff.external", "diff.own.textconv", "diff.own.command"):
        git(folder, "config", name, f"touch {ran}; cat")
    git(folder, "config", "log.showSignature", "true")
    user.menu("compare")
    dialog = user.window.findChild(CompareTarget)
    assert isinstance(dialog, CompareTarget)
    listed = [dialog.list.topLevelItem(k) for k in range(dialog.list.topLevelItemCount())]
    assert [item.text(3) for item in listed] == ["Another file", "A first crane; größer"]
    assert [item.text(2) for item in listed] == ["Ann", "Ann"]
    dialog.list.setCurrentItem(listed[1])
    dialog.accept()
    assert said(compared(user))[:6] == WORDS
    assert not ran.exists()


SUBJECTS = ["plain", "a\x1eb\x1fc", "\x1e", "tab\tand \x01 more", "größer"]


def test_no_subject_of_a_commit_breaks_the_list(tmp_path: Path) -> None:
    """Authors and subjects hold whatever somebody typed; a merge changes the file, too."""
    git(tmp_path, "init", "-q", "-b", "main", ".")
    path = tmp_path / "crane.yaml"
    for k, subject in enumerate(SUBJECTS):
        path.write_text(f"luff: 1\nname: crane {k}\n")
        git(tmp_path, "add", "crane.yaml")
        git(tmp_path, "commit", "-qm", subject, "--author", "A \x1e B <a@b.c>")
    found = revisions(path)
    assert [each.subject for each in found] == SUBJECTS[::-1]
    assert {each.path for each in found} == {"crane.yaml"}
    assert [text_of(each, path) for each in found[:2]] == [
        "luff: 1\nname: crane 4\n", "luff: 1\nname: crane 3\n",
    ]  # fmt: skip
    git(tmp_path, "checkout", "-qb", "side", "HEAD~1")
    path.write_text("luff: 1\nname: side\n")
    git(tmp_path, "commit", "-qam", "Side")
    git(tmp_path, "checkout", "-q", "main")
    git(tmp_path, "merge", "-q", "-s", "ours", "side", "-m", "Merge")
    found = revisions(path)
    assert [each.subject for each in found if each.subject in SUBJECTS] == SUBJECTS[::-1]
    assert {each.path for each in found} == {"crane.yaml"}


def test_what_is_not_saved_is_compared_with_the_file(user: User) -> None:
    user.window.document.set_value("carriage.mass", "8 t")
    user.menu("compare")
    dialog = user.window.findChild(CompareTarget)
    assert isinstance(dialog, CompareTarget)
    dialog.accept()
    assert said(compared(user)) == ["carriage.mass: 7 t -> 8 t"]


def test_diff_opens_the_window(tmp_path: Path) -> None:
    """As a process, until the window is closed."""
    (tmp_path / "a.yaml").write_text(BEFORE)
    (tmp_path / "b.yaml").write_text(AFTER)
    close = (
        "from PySide6.QtCore import QTimer; import luff.gui.app as app; own = app.application\n"
        "def application():\n"
        "    made = own(); QTimer.singleShot(0, lambda: [w.close() for w in made.topLevelWidgets()]); return made\n"
        "app.application = application\n"
        "import sys; sys.argv = ['luff', 'diff', 'a.yaml', 'b.yaml', '--window', '--exit-code']\n"
        "import runpy; runpy.run_module('luff', run_name='__main__')"
    )
    made = subprocess.run(
        [sys.executable, "-c", close], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert made.returncode == 1, made.stderr
    assert "trolley is now slider" in made.stdout


def test_marks_are_of_blocks_and_wires_by_their_names_in_each() -> None:
    before, after = compare_netlists(luff.loads(BEFORE), luff.loads(AFTER)).marks()
    assert before["old.y -> trolley.effort"] == "removed"
    assert "push" not in before
    assert "old" not in after
    assert after["slider"] == "renamed"
