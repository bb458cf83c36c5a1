"""What is shown of runs after a block has another name: the same curves, values and bodies."""

from __future__ import annotations

from textwrap import dedent

import pytest

from luff.gui.plots.plot_export import export_pane
from luff.gui.window.main_window import Window
from luff.solver.results.result import read_result
from luff.tests.gui.driver import LONG, run_to_end
from luff.tests.gui.fake_run import FakeSim
from luff.tests.gui.user import User

COLUMNS = ["shoulder.position", "elbow.position", "fore.x", "controller.effort"]
ARM = """luff: 1
blocks:
  arm:
    type:
      blocks:
        pin: {type: revolute, axis: y}
        rod: {type: rigid_link, mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
      connect: [pin.frame_b -- rod.frame_a]
      ports: {frame: pin.frame_a}
connect: [world.frame -- arm.frame]
plots: [{y: [arm.pin.position, arm.pin.velocity]}]
simulation: {stop: 0.1 s, step: 1 ms}
"""


def colours(window: Window) -> dict[str, str]:
    return {name: curve.opts["pen"].color().name() for name, curve in window.deck.panes[0].curves.items()}


def test_curves_values_and_signals_follow_a_new_name_and_the_way_back(user: User, qtbot) -> None:
    window = user.window
    run_to_end(window, qtbot, FakeSim(COLUMNS))
    run_to_end(window, qtbot, FakeSim(COLUMNS))  # the first one is parked
    window.running.show_moment(1.0)
    drive = window.deck.panes[0]
    before, values = colours(window), dict(window.view.values)
    curves, words = [*drive.curves.values()], drive.caption.entries
    window.document.rename("shoulder", "hip")
    shown = {wire.replace("shoulder", "hip"): value for wire, value in values.items()}
    qtbot.waitUntil(lambda: window.view.values == shown, timeout=LONG)
    new = {name.replace("shoulder", "hip"): colour for name, colour in before.items()}
    assert colours(window) == new != before
    assert [*drive.curves.values()] == curves
    assert [*drive.behind.curves] == [*new]
    assert [entry.name for entry in drive.caption.entries[:2]] == [*new]
    assert not window.deck.age.isVisible()  # they are of this model
    assert window.running.note.text() == ""
    tree = window.signal_tree.tree
    heads = [tree.topLevelItem(k).text(0) for k in range(tree.topLevelItemCount())]
    assert "hip" in heads
    assert "shoulder" not in heads
    user.menu("undo")
    qtbot.waitUntil(lambda: window.view.values == values, timeout=LONG)
    assert colours(window) == before
    assert [*drive.behind.curves] == [*before]
    assert drive.caption.entries == words
    assert not window.deck.age.isVisible()


def test_a_name_that_another_block_had_comes_back_with_its_signals(user: User, qtbot) -> None:
    window = user.window
    run_to_end(window, qtbot, FakeSim(COLUMNS))
    history = window.deck.history
    assert history is not None
    window.document.remove(["elbow"])
    window.document.rename("shoulder", "elbow")
    assert history.columns == ["elbow.position", "shoulder.position", *COLUMNS[2:]]
    assert history.at("elbow.position", 1.0) == pytest.approx(0.8414709848)  # sin(1): of the first column
    user.menu("undo")
    assert history.columns == COLUMNS
    assert window.deck.age.isVisible()  # the block is still gone


def test_edits_reach_a_run_under_the_names_that_it_began_with(user: User, qtbot, monkeypatch) -> None:
    window = user.window
    window.runner.compiler = lambda diagram: FakeSim(COLUMNS, stop=1e6)
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.time > 0.0, timeout=LONG)
    run, sent = window.runner.run, []
    monkeypatch.setattr(run, "send", lambda what, detail=None: sent.append((what, detail)))
    window.document.rename("shoulder", "hip")
    window.document.set_value("hip.damping", 4.0)
    monkeypatch.undo()
    assert [(what, detail.path) for what, detail in sent] == [("set", "shoulder.damping")]
    user.menu("stop")
    assert not window.deck.age.isVisible()


def test_signals_inside_a_subsystem_and_its_bodies_follow(make_window, qtbot, tmp_path) -> None:
    window = make_window(ARM)
    window.panels.show("3-D View")
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)
    window.deck.tick(force=True)
    view, before, end = window.view3d, colours(window), window.running.time.text()
    pose = view.canvas.pose.copy()
    window.editing.open_block("arm")
    window.document.rename("pin", "hinge")
    assert colours(window) == {name.replace("pin", "hinge"): colour for name, colour in before.items()}
    qtbot.waitUntil(lambda: "arm.hinge.frame_b" in view.canvas.scene.frames, timeout=LONG)
    assert (view.canvas.pose == pose).all()
    assert window.running.time.text() == end
    assert not window.deck.age.isVisible()
    table = tmp_path / "rows.csv"  # of all rows, from the file of the run
    export_pane(window.deck.panes[0], window.deck.history, table, window.runner.result_path)
    assert [*read_result(table).columns] == ["arm.hinge.position", "arm.hinge.velocity"]
    window.actions_["undo"].trigger()
    assert colours(window) == before


def test_a_signal_keeps_its_colour_while_others_come_and_go(user: User, qtbot) -> None:
    window = user.window
    run_to_end(window, qtbot, FakeSim(COLUMNS))
    before = colours(window)
    window.deck.write([spec for spec in window.deck.specs() if spec.y.pop(0)])
    assert colours(window) == {"elbow.position": before["elbow.position"]}
    window.deck.add_signals(["fore.x"], 0)
    assert colours(window) == {
        "elbow.position": before["elbow.position"],
        "fore.x": before["shoulder.position"],
    }


def test_results_follow_blocks_into_a_subsystem_and_out_of_it(user: User, qtbot) -> None:
    window = user.window
    run_to_end(window, qtbot, FakeSim(COLUMNS))
    window.running.show_moment(1.0)
    before, time, history = colours(window), window.running.time.text(), window.deck.history
    curves = [*window.deck.panes[0].curves.values()]
    assert history is not None

    def follows(inside: str) -> None:
        assert colours(window) == {
            name.replace("shoulder", f"{inside}shoulder"): ink for name, ink in before.items()
        }
        assert [*window.deck.panes[0].curves.values()] == curves
        assert not window.deck.age.isVisible()
        assert window.running.time.text() == time
        assert any(f"{inside}controller.effort" == name for name in history.columns)

    user.select("shoulder", "controller")  # which are no neighbours: another order of blocks and wires
    user.menu("group")
    follows("subsystem.")
    user.menu("undo")
    follows("")
    user.menu("redo")
    user.select("subsystem")
    user.menu("ungroup")
    follows("")
    window.document.set_value("fore.mass", 77)
    user.select("shoulder", "controller")
    user.menu("group")  # of an older model, under their new names
    assert any(name == "subsystem.shoulder.position" for name in history.columns)
    assert window.deck.age.isVisible()


def test_a_new_name_inside_the_file_of_a_block_leaves_results_as_they_are(
    make_window, qtbot, tmp_path
) -> None:
    part = ARM.split("    type:\n")[1].split("connect: [world")[0]
    (tmp_path / "arm.yaml").write_text("luff: 1\n" + dedent(part))
    whole = "luff: 1\nblocks: {arm: {type: ./arm.yaml}}\nconnect: [world.frame -- arm.frame]\n"
    window = make_window(whole, tmp_path / "whole.yaml")
    run_to_end(window, qtbot, FakeSim(["arm.pin.position"]))
    window.editing.open_block("arm")
    assert not window.in_top
    window.document.rename("pin", "hinge")
    assert not window.deck.age.isVisible()
    window.document.set_value("rod.mass", 3)
    assert window.deck.age.isVisible()
