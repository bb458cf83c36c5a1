"""What a model and its last run have to say of themselves, in the window's Problems, with block and place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from luff.gui.window.main_window import Window
from luff.tests.gui.driver import LONG
from luff.tests.process import call
from luff.tests.shared.netlists import TWO_LINKS
from luff.tests.systems.step_cases import CASES

# both are below the sum of the others by themselves; nothing turns that has 1, 1 and 3
LONELY = """luff: 1
blocks:
  pin: {type: revolute, axis: y}
  rod: {type: rigid_link, mass: 2 kg, com: [0, 0, -0.5], inertia: [1, 1, 1]}
connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a]
simulation: {stop: 0.01 s, step: 1 ms}
"""
CYLINDER = """luff: 1
blocks:
  pin: {type: revolute, axis: x, initial: {position: 30 deg}}
  boom: {type: rigid_link, mass: 2 kg, com: [0, 1, 0], inertia: [1, 1, 1], frames: {eye: {at: [0, 1, 0]}}}
  foot: {type: fixed, at: [0, 1, -1]}
  ram:
    type: hydraulic_cylinder
    barrel: {length: 1 m, mass: 1 kg, inertia: [1, 1, 0.1]}
    piston: {mass: 1 kg, inertia: [1, 1, 1]}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- boom.frame_a
  - world.frame -- foot.frame_a
  - foot.frame_b -- ram.frame_a
  - boom.eye -- ram.frame_b
"""


def listed(window: Window) -> list[tuple[str, str, str]]:
    """Place, sentence and fix of every line of Problems."""
    tree = window.problems.tree
    items = [tree.topLevelItem(k) for k in range(tree.topLevelItemCount())]
    return [(item.text(0), item.text(1), item.text(2)) for item in items if item is not None]


def test_remarks_of_a_run_are_those_of_the_command_line(make_window, qtbot, tmp_path: Path) -> None:
    path = tmp_path / "stiff.yaml"
    window = make_window("luff: 1" + CASES["line spring"].text, path)
    window.running.on_run()
    qtbot.waitUntil(lambda: bool(window.running._remarks), timeout=LONG)
    assert window.runner.state == "finished"
    told = json.loads(call("run", path, "--json", cwd=tmp_path).stdout)["warnings"]
    assert told
    found = {(place.partition(" (")[0], sentence) for place, sentence, _ in listed(window)}
    assert found == {(each["path"], each["message"]) for each in told}
    assert any("is too long for this run" in sentence for _, sentence in found)
    # each stands at its line, and a click leads to its block
    tree = window.problems.tree
    item = tree.topLevelItem(0)
    assert f"stiff.yaml:{told[0]['line']}:{told[0]['column']}" in item.text(0)
    window.problems._click(item)
    assert window.view.canvas.selected_blocks() == ["slide"]
    assert window.view.canvas.blocks["slide"].problem == "warning"
    assert "1 warning: see Problems" in window.running.note.text()
    assert "is too long for this run" in window.log.toPlainText()


def test_remarks_go_with_the_next_run(make_window, qtbot, tmp_path: Path) -> None:
    window = make_window("luff: 1" + CASES["line spring"].text, tmp_path / "stiff.yaml")
    window.running.on_run()
    qtbot.waitUntil(lambda: bool(window.running._remarks), timeout=LONG)
    window.document.set_value("stiff.stiffness", 10.0)
    window.running.on_run()
    assert not window.running._remarks
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)
    qtbot.waitUntil(lambda: not window.runner.run.thread.is_alive(), timeout=LONG)
    QApplication.processEvents()
    assert listed(window) == []
    assert window.running.note.text() == ""


def test_what_turns_out_during_a_run_is_told_before_its_end(make_window, qtbot) -> None:
    text = """luff: 1
blocks:
  up: {type: ramp, slope: 1}
  root: {type: expression, expr: sqrt(0.5 - u), inputs: [u]}
connect: [up.y -> root.u]
simulation: {stop: 1e6 s, step: 1 ms}
"""
    window = make_window(text)
    window.running.on_run()
    qtbot.waitUntil(lambda: bool(window.running._remarks), timeout=LONG)
    assert window.runner.active
    (line,) = listed(window)
    assert line[0].startswith("root")
    assert "is not a finite number at t = 0.5" in line[1]
    window.running.on_stop()
    assert window.running._remarks  # what was computed stays, and so does what is to be said of it


@pytest.mark.parametrize(("text", "path"), [(LONELY, "rod.inertia"), (CYLINDER, "ram.piston.inertia")])
def test_inertia_that_no_body_can_have_is_told_as_soon_as_it_is_there(
    make_window, qtbot, text: str, path: str
) -> None:
    window = make_window(text)

    def doubted() -> list[str]:
        return [place for place, sentence, _ in listed(window) if "no rigid body has one above" in sentence]

    window.document.set_value(path, [1.0, 1.0, 3.0])
    qtbot.waitUntil(lambda: bool(doubted()), timeout=LONG)
    assert doubted()[0].startswith(path)
    assert window.view.canvas.blocks[path.partition(".")[0]].problem == "warning"
    window.document.undo.undo()
    qtbot.waitUntil(lambda: not doubted(), timeout=LONG)


def test_the_badge_tells_warnings_of_the_netlist_too(make_window, qtbot) -> None:
    window = make_window(
        TWO_LINKS.replace("mass: 1 kg", "mass: 1 kg, com: [0.5, 0, 0]").replace("kp: 100", "kp: 10 m")
    )
    badge = window.running.bar.badge
    qtbot.waitUntil(lambda: "DOF" in badge.text(), timeout=LONG)
    assert badge.property("state") == "warning"
    window.document.set_value("controller.kp", 100)
    qtbot.waitUntil(lambda: badge.property("state") == "" and "DOF" in badge.text(), timeout=LONG)
