"""Plots of a run: curves, exports, zoom, cursor, and what of them the file keeps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from luff.gui import history
from luff.gui.plots.export import export_pane
from luff.gui.window import Window
from luff.tests.gui.driver import ARM, LONG
from luff.tests.gui.fake_run import FakeSim


def run_to_end(window: Window, qtbot, sim: FakeSim) -> None:
    window.runner.compiler = lambda diagram: sim
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)
    window.deck.tick(force=True)  # what the next tick of the window would draw


def test_run_fills_plots_signals_and_result(make_window, qtbot, tmp_path: Path) -> None:
    window = make_window(ARM + "plots: [{y: [shoulder.position]}]\n")
    run_to_end(window, qtbot, FakeSim(["shoulder.position", "elbow.position"]))
    window.deck.tick(force=True)
    pane = window.deck.panes[0]
    x, y = pane.curves["shoulder.position"].getData()
    assert x[-1] == pytest.approx(2.0)
    np.testing.assert_allclose(
        y, np.sin(x), atol=5e-3
    )  # min-max thinning shifts a sample by less than its group
    assert window.signal_tree.names == ["shoulder.position", "elbow.position"]
    export_pane(pane, window.deck.history, tmp_path / "plot.csv")
    lines = (tmp_path / "plot.csv").read_text().splitlines()
    assert lines[0] == "time [s],shoulder.position [rad]"
    assert len(lines) == 2002
    for suffix in ("png", "svg"):
        export_pane(pane, window.deck.history, tmp_path / f"plot.{suffix}")
        assert (tmp_path / f"plot.{suffix}").stat().st_size > 500
    said = window.files.save_result(window.runner.result_path, tmp_path / "run.csv")
    assert "Saved" in said
    run_to_end(window, qtbot, FakeSim(["shoulder.position", "elbow.position"]))
    assert len(pane.earlier) == 1


def test_csv_of_a_long_run_has_every_row(
    make_window, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "MOST_ROWS", 400)
    window = make_window(ARM + "plots: [{y: [shoulder.position]}]\n")
    run_to_end(window, qtbot, FakeSim(["shoulder.position"]))
    deck = window.deck
    assert deck.history is not None
    assert not deck.history.complete
    export_pane(deck.panes[0], deck.history, tmp_path / "plot.csv", deck.complete_rows())
    table = np.loadtxt(tmp_path / "plot.csv", delimiter=",", skiprows=1)
    assert len(table) == 2001
    np.testing.assert_allclose(table[:, 1], np.sin(table[:, 0]), atol=1e-9)


def test_zoom_into_a_plot_shows_all_rows_there_and_fit_follows_again(make_window, qtbot) -> None:
    window = make_window(ARM + "plots: [{y: [shoulder.position]}, {y: [elbow.position]}]\n")
    run_to_end(window, qtbot, FakeSim(["shoulder.position", "elbow.position"]))
    first, second = window.deck.panes
    first.box.setXRange(0.5, 0.6, padding=0)
    first.box.sigRangeChangedManually.emit([True, True])
    time, values = first.curves["shoulder.position"].getData()
    inside = (time > 0.5) & (time < 0.6)
    assert inside.sum() >= 99  # steps of a millisecond
    np.testing.assert_allclose(values[inside], np.sin(time[inside]), atol=1e-9)
    assert second.box.viewRange()[0] == pytest.approx([0.5, 0.6])
    window.deck.fit()
    assert first.box.viewRange()[0] == pytest.approx([0.0, 2.0])


def test_cursor_says_values_and_a_click_on_a_name_hides_its_curve(make_window, qtbot) -> None:
    window = make_window(ARM + "plots: [{title: Joints, y: [shoulder.position, elbow.position]}]\n")
    run_to_end(window, qtbot, FakeSim(["shoulder.position", "elbow.position"]))
    pane = window.deck.panes[0]
    window.deck.cursor_action.setChecked(True)
    pane.line.setValue(1.25)
    assert pane.caption.moment == "t = 1.25 s"
    said = [float(entry.value) for entry in pane.caption.entries]
    np.testing.assert_allclose(said, [np.sin(1.25), np.sin(2.25)], rtol=1e-4)
    window.deck.cursor_action.setChecked(False)
    assert [entry.value for entry in pane.caption.entries] == ["", ""]
    box = next(box for box, k, _ in pane.caption._boxes() if k == 1)
    place = pane.mapFromScene(pane.caption.mapToScene(box.center()))
    QTest.mouseClick(pane.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert not pane.curves["elbow.position"].isVisible()
    assert pane.curves["shoulder.position"].isVisible()


def test_signals_dropped_on_a_plot_are_kept_in_the_file(make_window) -> None:
    window = make_window(ARM)
    window.deck.add_signals(["shoulder.position", "elbow.position"])
    window.deck.add_pane(["elbow.velocity"])
    window.deck._set_x(0, "shoulder.position")
    assert window.document.diagram.plots == [
        {"x": "shoulder.position", "y": ["elbow.position"]},
        {"y": ["elbow.velocity"]},
    ]
    assert window.deck.panes[0].xy
    while window.document.undo.canUndo():
        window.document.undo.undo()
    assert window.document.diagram.to_yaml() == ARM
