"""Cursors of a plot of one signal over another: dots at the cursors' times, with both coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from luff.gui.plots.pane_menu import PaneMenu
from luff.gui.plots.plot_pane import PlotPane
from luff.gui.window.main_window import Window
from luff.tests.gui.driver import LONG
from luff.tests.gui.fake_run import FakeSim
from luff.tests.shared.netlists import TWO_LINKS

TIME = {"y": ["shoulder.position"]}
PATH = {"x": "shoulder.position", "y": ["elbow.position"], "unit": "deg"}


def run(window: Window, qtbot, gain: float) -> None:
    sim = FakeSim(["shoulder.position", "elbow.position"], stop=0.5)
    sim.gain = gain
    window.runner.compiler = lambda diagram: sim
    window.running.on_run()
    qtbot.waitUntil(
        lambda: window.runner.state == "finished" and not window.running._clock.isActive(), timeout=LONG
    )
    window.deck.tick(force=True)


def dots(pane: PlotPane) -> list[tuple[float, float]]:
    return [(spot.pos().x(), spot.pos().y()) for spot in pane.cursors.dots.points()]


def place(time: float, gain: float) -> tuple[float, float]:
    return gain * np.sin(time), np.degrees(gain * np.sin(time + 1.0))


def test_a_path_has_dots_and_coordinates_at_the_times_of_the_cursors(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS + f"plots: {[TIME, PATH]}\n")
    run(window, qtbot, 1.0)
    run(window, qtbot, 2.0)
    deck, (over_time, pane) = window.deck, window.deck.panes
    assert dots(pane) == []
    deck.cursor_action.setChecked(True)
    over_time.line.setValue(0.3)  # a stored row
    assert not pane.line.isVisible()
    np.testing.assert_allclose(dots(pane), [place(0.3, 2.0), place(0.3, 1.0)], rtol=1e-12)
    assert dots(over_time) == []
    across, up = zip(place(0.3, 2.0), place(0.3, 1.0), strict=True)
    told = [("Run 2", "rad"), ("Run 1", "rad"), ("Run 2", "deg"), ("Run 1", "deg")]
    rows = pane.cursors.rows()
    assert [(row.source.run, row.unit) for row in rows] == told
    assert [row.numbers for row in rows] == [[f"{value:.5g}"] for value in (*across, *up)]
    pane.toggle(1)  # a run that is hidden has no dot
    np.testing.assert_allclose(dots(pane), [place(0.3, 2.0)], rtol=1e-12)
    deck.second_action.setChecked(True)
    over_time.second.setValue(0.4)
    np.testing.assert_allclose(dots(pane), [place(0.3, 2.0), place(0.4, 2.0)], rtol=1e-12)
    over_time.second.setValue(0.7)  # behind the end of the run, at 0.5 s
    np.testing.assert_allclose(dots(pane), [place(0.3, 2.0)], rtol=1e-12)
    deck.toggle_logarithmic(pane)
    np.testing.assert_allclose(dots(pane), [(place(0.3, 2.0)[0], np.log10(place(0.3, 2.0)[1]))], rtol=1e-12)
    deck.cursor_action.setChecked(False)
    assert dots(pane) == []


def test_arrow_keys_move_the_dot_of_a_path_and_the_cursors_beside_it(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS + f"plots: {[PATH, TIME]}\n")
    run(window, qtbot, 1.0)
    pane, over_time = window.deck.panes
    for _ in range(2):  # the first press shows the cursor, in the middle of the run
        QTest.keyClick(pane, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert over_time.line.value() == pytest.approx(0.3)
    np.testing.assert_allclose(dots(pane), [place(0.3, 1.0)], rtol=1e-9)
    # a path that gets the time as its axis has a line in place of the dot
    PaneMenu(window.deck, window.deck, 0).set_x("time")
    assert pane.line.isVisible()
    assert dots(pane) == []
