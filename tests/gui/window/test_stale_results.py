"""What was true of an older model: problems that are gone, and results of before the last edits."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication

from luff.gui.window.main_window import Window
from luff.tests.gui.driver import LONG
from luff.tests.gui.fake_run import FakeSim
from luff.tests.gui.user import User

# `loop` is found by compiling alone, `missing` by the check of the text
TEXT = """luff: 1
blocks:
  a: {type: gain, k: 0.5}
  b: {type: gain, k: 0.5}
  missing: {type: gain, k: 2}
connect: [a.y -> b.u, b.y -> a.u]
"""
PENDULUM = """luff: 1
blocks:
  pin: {type: revolute, axis: y}
  rod: {type: rigid_link, mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a]
simulation: {stop: 0.1 s, step: 1 ms}
"""


def listed(window: Window) -> list[str]:
    tree = window.problems.tree
    items = [tree.topLevelItem(k) for k in range(tree.topLevelItemCount())]
    return [f"{item.text(0)}: {item.text(1)}" for item in items if item is not None]


@pytest.fixture
def broken(make_window, qtbot) -> Window:
    """A window that shows what compiling has found, and then an error of the text beside it."""
    window = make_window(TEXT.replace("  missing: {type: gain, k: 2}\n", ""))
    qtbot.waitUntil(lambda: any("algebraic loop" in line for line in listed(window)), timeout=LONG)
    return window


def test_what_compiling_had_found_goes_while_other_errors_stay(broken: Window, qtbot) -> None:
    window = broken
    window.document.add_block("gain", 0, 400, name="missing")  # nothing is connected: an error of its own
    window.document.remove([], ["b.y -> a.u"])
    qtbot.waitUntil(lambda: not any("algebraic loop" in line for line in listed(window)), timeout=LONG)
    assert any("missing.u" in line for line in listed(window))
    assert len(listed(window)) == len(set(listed(window)))  # both stages say it, the list once


@pytest.mark.parametrize("way", ["rename", "remove"])
def test_lines_of_a_block_that_is_no_more_go_at_once(make_window, qtbot, way: str) -> None:
    window = make_window(TEXT)
    qtbot.waitUntil(lambda: any(line.startswith("missing") for line in listed(window)), timeout=LONG)
    if way == "rename":
        window.document.rename("missing", "here")
    else:
        window.document.remove(["missing"])
    assert not any(line.startswith("missing") for line in listed(window))
    window.document.check()
    assert any(line.startswith("here.u") for line in listed(window)) == (way == "rename")


def run(user: User, qtbot) -> None:
    window = user.window
    window.runner.compiler = lambda diagram: FakeSim(["shoulder.position", "controller.effort"])
    user.menu("run")
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)


def test_all_that_a_deleted_joint_leaves_behind_is_told(user: User) -> None:
    user.select("shoulder")
    user.menu("delete")
    user.window.document.check()
    paths = {problem.path.removeprefix("blocks.") for problem in user.window.document.problems}
    assert {"controller.measured", "upper"} <= paths  # the wire that is gone with it, and the arm in the air


def test_results_of_an_older_model_say_so_until_the_next_run(user: User, qtbot) -> None:
    window = user.window
    run(user, qtbot)
    window.running.show_moment(1.0)
    assert window.view.values
    labels = {"plots": window.deck.age, "wires": window.view.age}
    assert not any(label.isVisible() for label in labels.values())
    assert window.message_label.text().startswith("The run ended")
    fresh = window.view.viewport().grab().toImage()
    window.document.set_value("fore.mass", 77)
    for where, label in labels.items():
        assert label.isVisible(), where
        assert "older model" in label.text()
    assert "older model" in window.running.note.text()
    corner = window.view.age.mapTo(window.view, QPoint(0, 0))
    window.view.scroll_by(120, 90)
    assert window.view.age.mapTo(window.view, QPoint(0, 0)) == corner  # not carried off with the diagram
    assert not window.message_label.text().startswith("The run ended")
    assert window.view.viewport().grab().toImage() != fresh
    user.menu("undo")  # they are of this model again
    assert not any(label.isVisible() for label in labels.values())
    assert window.running.note.text() == ""
    user.menu("redo")
    assert window.deck.age.isVisible()
    run(user, qtbot)
    assert not any(label.isVisible() for label in labels.values())
    window.document.move({"fore": (10, 0)})  # no model
    QApplication.processEvents()
    assert not window.deck.age.isVisible()


def test_an_undo_shows_the_run_of_the_model_that_it_leads_to(user: User, qtbot) -> None:
    window = user.window
    histories = []
    for mass in (2, 3):
        window.document.set_value("fore.mass", mass)
        run(user, qtbot)
        histories.append(window.runner.history)
    files = [window.runner.run.folder, *(each.folder for each in window.runner._put_by)]
    for step, k in (("undo", 0), ("redo", 1), ("undo", 0)):
        user.menu(step)
        assert window.runner.history is histories[k]
        assert window.deck.kept.current.name == f"Run {k + 1}"
        assert [each.name for each in window.deck.kept.earlier] == [f"Run {2 - k}"]
        assert window.running.note.text() == ""
        assert not window.deck.age.isVisible()
        assert window.view.values
        assert window.runner.result_path.is_file()  # it can be saved
    user.menu("undo")  # the first edit: there is no run of that model
    assert window.running.note.text() == "Results are of an older model"
    user.menu("redo")
    window.deck.kept.forget()  # thrown away: it cannot come back
    user.menu("redo")
    assert window.runner.history is histories[0]
    assert window.running.note.text() == "Results are of an older model"
    qtbot.waitUntil(lambda: [file.exists() for file in files] == [False, True], timeout=LONG)


@pytest.mark.parametrize("way", ["delete", "group"])
def test_wires_that_an_undone_edit_brings_back_say_their_values(user: User, qtbot, way: str) -> None:
    window = user.window
    run(user, qtbot)
    window.running.show_moment(1.0)
    values = dict(window.view.values)
    assert any("controller" in wire for wire in values)
    user.select("controller", "reference")
    user.menu(way)
    window.view.canvas.sync()
    window.running.show_moment(0.5)  # only wires that are there have values by now
    assert not values.keys() <= window.view.values.keys()
    window.running.show_moment(1.0)
    user.menu("undo")
    assert window.view.values == values


def test_what_says_so_on_the_canvas_covers_no_block(user: User, qtbot) -> None:
    window, view = user.window, user.window.view
    run(user, qtbot)
    window.running.show_moment(1.0)
    for corner in ("topLeft", "topRight", "bottomLeft", "bottomRight"):
        window.document.set_value("fore.mass", 2)
        place = view.mapFromScene(view.canvas.blocks["upper"].sceneBoundingRect().center())
        away = getattr(view.viewport().rect().adjusted(70, 30, -70, -30), corner)() - place
        view.scroll_by(away.x(), away.y())
        window.document.set_value("fore.mass", 77)
        assert view.age.isVisible()
        assert view.viewport().rect().contains(view.age.geometry())
        assert not any(item in view.canvas.blocks.values() for item in view.items(view.age.geometry()))


def test_the_film_of_an_older_model_says_so(make_window, qtbot) -> None:
    window = make_window(PENDULUM)
    window.panels.show("3-D View")
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)
    view = window.view3d
    assert not view.age.isVisible()
    window.document.set_value("rod.mass", 3)
    assert view.age.isVisible()
    QApplication.processEvents()
    assert view.age.width() >= view.age.sizeHint().width()  # no word is cut
    qtbot.waitUntil(lambda: view.moment is None, timeout=LONG)  # the start of the model as it is now
    assert not view.age.isVisible()
    view.slider.setValue(3)  # a moment of the run
    assert view.age.isVisible()
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)
    assert not view.age.isVisible()


def test_an_undone_edit_shows_the_run_at_its_end_everywhere(make_window, qtbot) -> None:
    window = make_window(PENDULUM + "plots: [{y: [pin.position]}]\n")
    window.panels.show("3-D View")
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)
    view, running = window.view3d, window.running
    end = running.time.text(), view.slider.value(), view.label.text(), view.canvas.pose.copy()
    assert "0.100" in end[0]
    window.document.set_value("rod.com", [0.4, 0, 0])
    qtbot.waitUntil(lambda: view.moment is None, timeout=LONG)
    assert running.time.text() != end[0]
    window.actions_["undo"].trigger()
    answers = window.running.analyser.ticket
    qtbot.waitUntil(lambda: window.running.analyser.ticket > answers, timeout=LONG)
    qtbot.waitUntil(lambda: running.badge.text() != "Checking...", timeout=LONG)
    for _ in range(2):
        assert (running.time.text(), view.slider.value(), view.label.text()) == end[:3]
        assert (view.canvas.pose == end[3]).all()
        assert window.deck.panes[0].moment.value() == pytest.approx(0.1, abs=1e-9)
        assert not view.age.isVisible()
        view.hide()  # behind another tab
        window.document.set_value("rod.com", [0.4, 0, 0])
        qtbot.waitUntil(lambda: view.moment is None, timeout=LONG)
        window.actions_["undo"].trigger()
        view.show()


def test_edits_that_reach_a_run_are_a_part_of_it(user: User, qtbot) -> None:
    window = user.window
    window.runner.compiler = lambda diagram: FakeSim(["shoulder.position"], stop=1e6)
    user.menu("run")
    qtbot.waitUntil(lambda: window.runner.time > 0.0, timeout=LONG)
    window.document.set_value("shoulder.damping", 4.0)  # live
    user.menu("stop")
    assert not window.deck.age.isVisible()
    window.document.set_value("shoulder.damping", 5.0)
    assert window.deck.age.isVisible()
