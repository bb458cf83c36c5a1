"""Small ways in which a window could mislead or lose work."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox

from luff.blocks import LuffError
from luff.gui.document.clipboard import fragment, paste
from luff.gui.study.study_draft import Draft
from luff.gui.window.help_dialogs import Reference
from luff.gui.window.main_window import Window
from luff.tests.gui.driver import LONG
from luff.tests.gui.fake_run import FakeSim
from luff.tests.gui.user import TEXT, User
from luff.tests.shared.netlists import TWO_LINKS


def test_the_diagram_fits_the_size_that_the_window_takes_at_last(make_window) -> None:
    window: Window = make_window(TEXT)
    view = window.view
    for width, height in ((900, 600), (1600, 1000)):
        window.tabs.resize(width, height)
        QApplication.processEvents()
        QApplication.processEvents()
    seen = view.mapToScene(view.viewport().rect()).boundingRect()
    content = view.canvas.content_rect()
    assert seen.contains(content)
    opened = view.zoom()
    view.fit()
    assert view.zoom() == pytest.approx(opened)  # what "fit" gives in this size
    # from the first touch on the view is the user's
    view.zoom_by(2.0)
    mine = view.zoom()
    window.tabs.resize(1200, 800)
    QApplication.processEvents()
    assert view.zoom() == mine


def test_a_right_click_on_a_legend_hides_nothing(user: User, qtbot) -> None:
    window = user.window
    window.runner.compiler = lambda diagram: FakeSim(["shoulder.position", "elbow.position", "fore.x"])
    user.menu("run")
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)
    window.panels.show("Plots")
    QApplication.processEvents()
    pane = window.deck.panes[0]
    box = next(box for box, k, _ in pane.caption._boxes() if k == 0)
    at = pane.mapFromScene(pane.caption.mapToScene(QPointF(box.center())))
    QTest.mouseClick(pane.viewport(), Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier, at)
    popup = QApplication.activePopupWidget()
    if popup:
        popup.close()
    assert not pane.caption.entries[0].hidden
    QTest.mouseClick(pane.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    assert pane.caption.entries[0].hidden


def test_a_pasted_group_stands_apart_from_the_original(make_canvas) -> None:
    blocks = "\n".join(f"  g{k}: {{type: gain, k: 1}}" for k in range(6))
    places = "\n".join(f"  g{k}: [{200 * (k % 3)}, {200 * (k // 3)}]" for k in range(6))
    document = make_canvas(f"luff: 1\nblocks:\n{blocks}\nlayout:\n{places}\n").document
    names = list(document.diagram.blocks)
    text = fragment(document, names, [])
    copies, *_ = paste(document, text, middle=(340.0, 240.0))  # over the original

    def around(group: list[str]) -> tuple[float, float, float, float]:
        cards = [document.card(name) for name in group]
        lefts, tops, rights, bottoms = zip(*cards, strict=True)
        return min(lefts), min(tops), max(rights), max(bottoms)

    first = around(copies)
    for name in names:
        left, top, right, bottom = document.card(name)
        assert right <= first[0] or left >= first[2] or bottom <= first[1] or top >= first[3], name


def test_a_study_without_its_version_is_refused_when_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "sweep.yaml"
    text = "model: arm.yaml\nvariants: {grid: {fore.mass: [1, 2]}}\n"
    path.write_text(text)
    with pytest.raises(LuffError) as refused:
        Draft.open(path)
    assert "sweep.yaml" in str(refused.value)
    assert "luff: 1" in str(refused.value)
    path.write_text("luff: 1\n" + text)
    assert Draft.open(path).path == path


def test_help_has_one_window_however_often_it_is_asked_for(user: User) -> None:
    user.select("fore")
    user.menu("reference")
    (dialog,) = user.window.findChildren(Reference)
    dialog.field.setText("pd")
    user.select("shoulder")
    user.menu("reference")
    user.menu("shortcuts")
    user.menu("shortcuts")
    assert user.window.findChildren(Reference) == [dialog]
    assert dialog.list.currentItem().text() == "revolute"
    assert len([w for w in QApplication.topLevelWidgets() if w.windowTitle() == "Keys and Gestures"]) == 1


def test_a_film_that_could_not_be_written_is_told_in_a_box(user: User, monkeypatch) -> None:
    from luff.gui.window.dialogs.animation_dialog import Exporting

    exporting = Exporting(user.window)
    path = user.folder / "film.mp4"
    monkeypatch.setattr(exporting, "film", lambda: type("Film", (), {"name": "arm"})())
    monkeypatch.setattr(exporting, "_pictures", lambda film, path: _refuse())
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    way = next(name for name in dir(exporting) if name.startswith("on_") and "anim" in name)
    getattr(exporting, way)()
    (box,) = user.window.findChildren(QMessageBox)
    assert "needs imageio-ffmpeg" in box.text()
    box.close()


def _refuse() -> bool:
    raise LuffError("MP4 needs imageio-ffmpeg")


def test_grouping_leaves_no_problem_of_what_is_inside_now(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.document.set_value("elbow.damping", "-2 kg")
    window.document.check()
    assert [problem.path for problem in window.document.problems] == ["blocks.elbow.damping"]
    window.view.canvas.select(["elbow", "fore"])
    window.actions_["group"].trigger()
    assert window.document.problems == []  # the next check finds it anew
    window.document.check()
    assert [problem.path for problem in window.document.problems] == ["blocks.subsystem.elbow.damping"]
    window.actions_["ungroup"].trigger()
    assert window.document.problems == []


def test_a_subsystem_shows_no_problem_of_its_own_block(make_window) -> None:
    """`subsystem.elbow.damping` is of a block inside, `subsystem.mass` of the block itself."""
    window = make_window(TWO_LINKS)
    window.view.canvas.select(["elbow", "fore"])
    window.actions_["group"].trigger()
    window.document.set_value("subsystem.mass", 3)
    window.editing.open_block("subsystem")
    window.document.set_value("elbow.damping", "-2 kg")
    window.document.check()
    assert [problem.path for problem in window.document.problems] == ["blocks.elbow.damping"]
    assert {p.path for p in window.top.problems} == {
        "blocks.subsystem.mass",
        "blocks.subsystem.elbow.damping",
    }


def test_a_chain_that_is_being_built_is_incomplete_and_wrong_once_it_is_to_run(make_window, qtbot) -> None:
    """A joint that carries nothing yet is neutral; Run refuses it in red."""
    text = "luff: 1\nblocks: {pin: {type: revolute}}\nconnect: [world.frame -- pin.frame_a]\n"
    window: Window = make_window(text)
    badge = window.running.badge
    qtbot.waitUntil(lambda: badge.text() == "Incomplete: 1 to do", timeout=LONG)
    window.running.on_run()
    qtbot.waitUntil(lambda: badge.text() == "1 error", timeout=LONG)
    qtbot.waitUntil(lambda: "pin" in window.log.toPlainText(), timeout=LONG)
    window.document.add_block("pd", 300, 0)  # what is placed after a Run is a draft
    blocks = window.view.canvas.blocks
    qtbot.waitUntil(lambda: "pd" in blocks and blocks["pd"].problem == "incomplete", timeout=LONG)
    assert badge.text().startswith("Incomplete: ")


def test_mass_given_to_the_last_link_first_leaves_the_chain_incomplete(make_window, qtbot) -> None:
    """Two joints about one axis with a link without mass between them are what one builds, not a mistake."""
    text = """luff: 1
blocks:
  pin: {type: revolute}
  link: {type: rigid_link}
  hinge: {type: revolute}
  fore: {type: rigid_link, mass: 10 kg, com: [1 m, 0, 0], inertia: [1, 1, 1]}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- link.frame_a
  - link.frame_b -- hinge.frame_a
  - hinge.frame_b -- fore.frame_a
"""
    window: Window = make_window(text)
    qtbot.waitUntil(lambda: window.running.badge.text() == "Incomplete: 1 to do", timeout=LONG)
    assert window.view.canvas.blocks["hinge"].problem == "incomplete"
