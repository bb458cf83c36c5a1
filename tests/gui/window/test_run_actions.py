"""A run in its window: pause, step, speed, edits that reach it, and what stops it."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from luff.solver.flatten.diagram import Diagram
from luff.tests.gui.driver import LONG
from luff.tests.gui.fake_run import FakeSim
from luff.tests.shared.netlists import TWO_LINKS


def test_pause_step_set_and_stop(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS)
    sim = FakeSim(["shoulder.position"], stop=1e6)
    window.runner.compiler = lambda diagram: sim
    window.running.on_step()
    qtbot.waitUntil(lambda: window.runner.state == "paused", timeout=LONG)
    window.running.on_step()
    qtbot.waitUntil(
        lambda: window.runner.history is not None and window.runner.history.rows >= 2, timeout=LONG
    )
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.time > 1.0, timeout=LONG)
    window.document.set_value("shoulder.damping", 4.0)
    # four times what it was
    qtbot.waitUntil(lambda: abs(window.runner.history.last("shoulder.position")) > 1.5, timeout=LONG)
    assert "next run" not in window.running.note.text()
    window.document.set_value("elbow.axis", "z")
    window.document.add_block("gain", 0, 600)
    assert "next run" in window.running.note.text()
    window.running.on_stop()
    assert window.runner.state == "finished"


def test_speed_factor_keeps_pace_with_the_clock(make_window, qtbot) -> None:
    import time

    window = make_window(TWO_LINKS)
    window.runner.compiler = lambda diagram: FakeSim(["shoulder.position"], stop=1e6)
    window.runner.set_speed(0.5)
    began = time.perf_counter()
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.time > 0.02, timeout=LONG)
    # long enough that twice the speed would show, however long the run took to begin
    enough = time.perf_counter() - began + 0.2
    qtbot.waitUntil(lambda: window.runner.time > enough, timeout=LONG)
    # never ahead of the clock; how far behind it is a matter of the machine, which it catches up with after a stall
    assert window.runner.time <= 0.5 * (time.perf_counter() - began)
    window.running.on_stop()


def test_failed_compile_shows_its_problem(make_window, qtbot) -> None:
    from luff.blocks import CompileError

    def refuse(diagram: Diagram):
        raise CompileError("two worlds collide", path="blocks.elbow")

    window = make_window(TWO_LINKS)
    window.runner.compiler = refuse
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.state == "failed", timeout=LONG)
    qtbot.waitUntil(lambda: window.problems.tree.topLevelItemCount() > 0, timeout=LONG)
    assert "two worlds collide" in window.log.toPlainText()


def test_a_run_brings_plots_before_an_empty_list_of_problems(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS)
    window.runner.compiler = lambda diagram: FakeSim(["shoulder.position"], stop=0.1)
    for left, seen in (("Problems", "Plots"), ("Signals", "Signals")):
        window.panels.show(left)
        QApplication.processEvents()
        window.running.on_run()
        QApplication.processEvents()
        assert window.panels.is_visible(seen)
        qtbot.waitUntil(lambda: not window.runner.active, timeout=LONG)


def test_slider_changes_the_parameter_as_one_step(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.views.add_slider("upper.mass")
    row = window.controls.rows["upper.mass"]
    for position in (100, 300, 700):
        row.slider.setValue(position)
    assert window.document.diagram.value("upper.mass") == "2.8 kg"
    assert window.document.undo.count() == 1
    window.document.undo.undo()
    assert window.document.diagram.to_yaml() == TWO_LINKS
