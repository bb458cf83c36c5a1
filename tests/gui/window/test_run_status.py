"""What the window says of runs, results and parts: all of it speaks of the same thing."""

from __future__ import annotations

import math
import threading
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMenu

import luff
from luff.gui.document.document import Document
from luff.gui.document.part_stand import part_on_stand
from luff.gui.document.starter_models import templates
from luff.gui.view3d.scene_shapes import place
from luff.gui.window.main_window import Window
from luff.solver.results.result import Result
from luff.tests.gui.driver import LONG
from luff.tests.gui.fake_run import FakeSim
from luff.tests.shared.netlists import TWO_LINKS

LIBRARY = Path(__file__).parents[3] / "library"


def finish(window: Window, qtbot) -> None:
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)
    QApplication.processEvents()


def test_bar_of_a_new_run_does_not_show_the_last_one(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS)
    window.runner.compiler = lambda diagram: FakeSim(["shoulder.position"], stop=0.5)
    finish(window, qtbot)
    assert window.running.progress.value() == 1000
    gate = threading.Event()

    def slow(diagram):
        gate.wait()
        return FakeSim(["shoulder.position"], stop=0.5)

    window.runner.compiler = slow
    window.running.on_run()
    assert window.runner.state == "compiling"
    assert window.running.progress.value() == 0
    assert "0.500" not in window.running.time.text()
    gate.set()
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)


def test_clock_bar_and_signals_follow_the_slider_of_the_3d_view(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS)
    window.runner.compiler = lambda diagram: FakeSim(["shoulder.position"], stop=0.5)
    finish(window, qtbot)
    for moment in (0.0, 0.25, 0.5):  # a film without bodies: its times are enough
        window.runner.poses.add(moment, np.zeros((0, 12)))
    window.view3d.follow()
    assert "t = 0.500 s" in window.running.time.text()
    item = window.signal_tree._items["shoulder.position"]
    item.parent().setExpanded(True)
    window.panels.show("Signals")
    QApplication.processEvents()
    assert float(item.text(1)) == pytest.approx(math.sin(0.5), rel=1e-5)  # the list shows six digits
    for frame, moment in ((1, 0.25), (0, 0.0)):
        window.view3d.slider.setValue(frame)
        assert window.view3d.label.text() == f"t = {moment:.3f} s"
        assert f"t = {moment:.3f} s" in window.running.time.text()
        assert window.running.progress.value() == round(1000 * moment / 0.5)
        assert float(item.text(1)) == pytest.approx(math.sin(moment), rel=1e-5, abs=1e-12)


def test_all_clocks_tell_the_time_of_the_run(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS)
    window.runner.compiler = lambda diagram: FakeSim(["shoulder.position"], stop=0.5)
    clock, label, runner = window.running.time, window.view3d.label, window.runner
    window.running.on_step()
    qtbot.waitUntil(lambda: runner.state == "paused", timeout=LONG)
    window.running.on_step()
    qtbot.waitUntil(lambda: "t = 0.001 s" in clock.text(), timeout=LONG)
    assert label.text() == "t = 0.001 s"
    runner.resume()
    qtbot.waitUntil(lambda: runner.state == "finished", timeout=LONG)
    # its end lies behind the last frame of the film
    runner.poses.extend(np.array([0.0, 0.25]), np.zeros((2, 0, 12)))
    runner.poses.now = 0.5, np.zeros((0, 12))
    window.view3d.follow()
    QApplication.processEvents()
    assert (label.text(), clock.text()) == ("t = 0.500 s", "t = 0.500 s")
    assert window.view3d.slider.value() == 2
    window.view3d.slider.setValue(1)
    assert (label.text(), clock.text()) == ("t = 0.250 s", "t = 0.250 s")


def test_a_line_in_the_plots_follows_the_film_and_goes_with_its_run(make_window, qtbot) -> None:
    window = make_window(
        TWO_LINKS + "plots: [{y: [shoulder.position]}, {x: shoulder.position, y: [elbow.position]}]\n"
    )
    window.runner.compiler = lambda diagram: FakeSim(["shoulder.position", "elbow.position"], stop=0.5)
    over_time, phase = window.deck.panes
    assert not over_time.moment.isVisible()
    finish(window, qtbot)
    for moment in (0.0, 0.25, 0.5):
        window.runner.poses.add(moment, np.zeros((0, 12)))
    window.view3d.follow()
    window.panels.show("3-D View")
    QApplication.processEvents()
    window.view3d.slider.setValue(1)
    assert over_time.moment.isVisible()
    assert float(over_time.moment.value()) == 0.25
    assert not phase.moment.isVisible()
    window.running.on_run()
    assert not over_time.moment.isVisible()
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)


def test_an_answer_on_the_model_that_has_run_by_now_leaves_its_end_shown(make_window, qtbot) -> None:
    window = make_window(templates()["pendulum"])
    sim = luff.compile(luff.loads(templates()["pendulum"]))
    window.runner.compiler = lambda diagram: FakeSim(["pin.position"], stop=0.5)
    window.document.set_value("rod.mass", "3 kg")  # which asks for an answer
    finish(window, qtbot)
    for moment in (0.0, 0.5):
        window.runner.poses.add(moment, np.zeros((0, 12)))
    window.view3d.follow()
    window.running._analysed(window.running.analyser.ticket, sim)
    assert "t = 0.500 s" in window.running.time.text()
    assert window.view3d.label.text() == "t = 0.500 s"
    assert window.running.progress.value() == 1000
    # the start of what was edited since is another one
    window.document.set_value("rod.mass", "4 kg")
    window.running._analysed(window.running.analyser.ticket, sim)
    assert "t = 0.000 s" in window.running.time.text()
    assert window.view3d.label.text() == "t = 0.000 s"


def test_another_diagram_in_the_window_ends_the_story_of_the_last_run(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS)
    window.runner.compiler = lambda diagram: FakeSim(["shoulder.position"], stop=0.5)
    finish(window, qtbot)
    window.replace(Document())
    assert "t = 0.000 s" in window.running.time.text()
    assert window.running.progress.value() == 0
    assert window.runner.history is None


def test_result_of_another_model_opens_a_window_of_its_own(make_window, tmp_path: Path) -> None:
    text = "luff: 1\nblocks: {wave: {type: sine, unit: rad}}\nsimulation: {stop: 0.1 s}\n"
    time = np.linspace(0, 0.1, 11)
    Result(time, ["wave.y"], np.sin(time)[:, None], netlist=text).save(tmp_path / "wave.h5")
    window = make_window(TWO_LINKS)
    before = list(Window.open_windows)
    window.results.show(tmp_path / "wave.h5")
    (other,) = [w for w in Window.open_windows if w not in before]
    assert list(other.document.diagram.blocks) == ["wave"]
    assert other.deck.loaded is not None
    assert window.deck.loaded is None
    assert "wave.h5" in other.running.time.text()
    # the same model's result stays in its window
    other.results.show(tmp_path / "wave.h5")
    assert len(Window.open_windows) == len(before) + 1


# a stand has no oil that gives a valve's ports their pressure, and no body on which a force acts
HELD = {"load_sensing_section", "digging_resistance"}
PARTS = sorted(
    path.stem for path in LIBRARY.glob("*.yaml") if "\nports:" in path.read_text() and path.stem not in HELD
)


@pytest.mark.parametrize("name", PARTS)
def test_part_of_the_library_opens_without_errors_and_runs_on_a_stand(
    make_window, qtbot, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    window.files.open_path(LIBRARY / f"{name}.yaml")
    asked = window.running.analyser
    qtbot.waitUntil(lambda: asked.ticket > 0 and not asked._busy.is_alive(), timeout=LONG)
    QApplication.processEvents()
    assert window.problems.tree.topLevelItemCount() == 0
    assert not any(item.problem for item in window.view.canvas.blocks.values())
    assert window.running.badge.text().startswith("Part")
    assert "stand" in window.running.note.text()
    # no wire is missing; a boom with a cylinder needs its pin elsewhere than the stand has it, and says so
    if name.startswith("boom_with_"):
        with pytest.raises(luff.LuffError, match="pin distance"):
            luff.compile(part_on_stand(LIBRARY / f"{name}.yaml"))
    else:
        luff.compile(part_on_stand(LIBRARY / f"{name}.yaml"))
    begun: list[object] = []
    monkeypatch.setattr(
        "luff.gui.run.run_control.RunControl.start", lambda runner, diagram, paused: begun.append(diagram)
    )
    window.running.on_run()
    assert len(begun) == 1
    assert name in begun[0].blocks


def test_right_click_on_empty_canvas_offers_the_menu_of_the_canvas(user) -> None:
    def offered(place: tuple[float, float]) -> list[str]:
        found: list[str] = []

        def look() -> None:
            menu = QApplication.activePopupWidget()
            assert isinstance(menu, QMenu)
            found.extend(action.text().replace("&", "") for action in menu.actions())
            menu.close()

        QTimer.singleShot(0, user.window, look)
        user.right_click_canvas(place)
        return found

    user.select("upper")
    on_paper = offered((430, 560))
    assert any("Insert Block" in text for text in on_paper)
    assert not any("Rotate" in text for text in on_paper)
    assert any("Rotate" in text for text in offered(user.canvas.middle("upper")))


SWING = """luff: 1
parameters: {length: 1 m}
blocks:
  pin: {type: revolute, axis: y, initial: {position: 30 deg}}
  rod: {type: rigid_link, mass: 1 kg, com: [=length/2, 0, 0], inertia: [0.1, 0.1, 0.1], frame_b: {at: [=length, 0, 0]}}
connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a]
simulation: {stop: 0.5 s}
"""


def test_a_result_plays_in_the_3d_view_as_its_own_model_moved(make_window, qtbot, tmp_path: Path) -> None:
    long = luff.compile(luff.loads(SWING.replace("length: 1 m", "length: 2 m"))).run(stop=0.5)
    long.save(tmp_path / "long.h5")
    window = make_window(SWING)
    view, canvas = window.view3d, window.view3d.canvas
    window.panels.show("3-D View")
    qtbot.waitUntil(lambda: view.model is not None, timeout=LONG)
    window.results.show(tmp_path / "long.h5")
    qtbot.waitUntil(lambda: view.film is not None, timeout=LONG)

    def tip() -> float:
        x, _, z = place(canvas.pose, *canvas.scene.frames["rod.frame_b"])
        assert math.hypot(x, z) == pytest.approx(2.0)  # of the model that ran, not of the one on the canvas
        return math.atan2(-z, x)

    assert tip() == pytest.approx(long["pin.position"][-1], abs=1e-6)
    window.panels.show("Signals")
    item = window.signal_tree._items["pin.position"]
    item.parent().setExpanded(True)
    view.slider.setValue(view.slider.maximum() // 2)
    moment = view.poses.times[view.slider.value()]
    assert tip() == pytest.approx(np.interp(moment, long.time, long["pin.position"]), abs=1e-6)
    assert float(item.text(1)) == pytest.approx(tip(), rel=1e-5)
    assert f"long.h5, t = {moment:.3f} s" in window.running.time.text()
    assert window.running.progress.value() == round(1000 * moment / 0.5)
    view.speed.setCurrentText("10 x")
    view.play.click()
    qtbot.waitUntil(lambda: not view.play.isChecked(), timeout=LONG)
    assert view.slider.value() == view.slider.maximum()
    # an edit shows the model of the canvas again
    window.document.set_parameter("length", "1.5 m")
    model = view.model
    qtbot.waitUntil(lambda: view.model is not model, timeout=LONG)
    assert view.film is None
    assert not view.play.isEnabled()
    assert place(canvas.pose, *canvas.scene.frames["rod.frame_b"])[0] == pytest.approx(
        1.5 * math.cos(math.pi / 6)
    )


def test_a_result_without_positions_says_why_it_does_not_play(make_window, qtbot, tmp_path: Path) -> None:
    text = SWING + "record: [pin.velocity]\n"
    luff.compile(luff.loads(text)).run(stop=0.1).save(tmp_path / "poor.h5")
    window = make_window(text)
    window.results.show(tmp_path / "poor.h5")
    qtbot.waitUntil(lambda: "has no film" in window.log.toPlainText(), timeout=LONG)
    assert "pin.position" in window.log.toPlainText()
    assert window.view3d.film is None


def test_why_a_run_failed_stays_until_the_model_changes(make_window, qtbot) -> None:
    # which compiles, and has no rates at its start: the mass of upper lies on the axis of shoulder
    window = make_window(TWO_LINKS.replace("mass: 1 kg", "mass: 1 kg, com: [0.5, 0, 0]"))
    running = window.running
    running.on_run()
    qtbot.waitUntil(lambda: window.runner.state == "failed", timeout=LONG)
    told = lambda: any("not finite" in problem.message for _, problem in window.problems._rows)  # noqa: E731
    qtbot.waitUntil(told, timeout=LONG)
    ticket = running.analyser.ticket
    running._check_diagram()  # as one that was asked for before
    with qtbot.waitSignal(running.analyser.done, timeout=LONG):
        pass
    QApplication.processEvents()
    assert running.analyser.ticket > ticket
    assert told()
    window.document.set_value("upper.com", [0.5, 0, 0])
    assert not told()
