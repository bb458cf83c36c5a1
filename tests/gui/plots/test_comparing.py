"""Runs side by side: names, colours, which are shown, what differs, and results of files beside them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from luff.gui.plots.compared_runs import MOST, ComparedRuns, written_settings
from luff.gui.plots.readings import NO_VALUE
from luff.gui.plots.run_list import RunList
from luff.gui.run.run_history import History
from luff.gui.theme.active_theme import paper
from luff.gui.window.main_window import Window
from luff.solver.results.result import Result
from luff.tests.gui.driver import LONG
from luff.tests.gui.fake_run import FakeSim
from luff.tests.shared.netlists import TWO_LINKS

PLOTTED = TWO_LINKS + "plots: [{y: [shoulder.position]}]\n"


def run(window: Window, qtbot, gain: float = 1.0) -> None:
    sim = FakeSim(["shoulder.position", "elbow.position"], stop=0.5)
    sim.gain = gain
    sim.program.param_names, sim.program.params = ["drive.k", "drive.t"], np.array([gain, 0.1])
    window.runner.compiler = lambda diagram: sim
    window.running.on_run()
    qtbot.waitUntil(
        lambda: window.runner.state == "finished" and not window.running._clock.isActive(), timeout=LONG
    )
    window.deck.tick(force=True)


def rows(window: Window) -> list[tuple[str, str, str]]:
    tree = window.run_list.tree
    items = [tree.topLevelItem(k) for k in range(tree.topLevelItemCount())]
    return [(item.text(0), item.text(1), item.text(2)) for item in items if item is not None]


def behind(window: Window) -> list[float]:
    """The greatest value of each curve behind, the oldest first."""
    return [
        float(np.max(curve.getData()[1]))
        for curve in window.deck.panes[0].behind.curves.get("shoulder.position", [])
    ]


def test_each_run_says_in_which_parameters_it_differs(make_window, qtbot) -> None:
    window = make_window(PLOTTED)
    for gain in (1.0, 2.0, 2.0):
        run(window, qtbot, gain)
    told = [
        ("Run 3", "0.5 s", "this is the current run"),
        ("Run 2", "0.5 s", "nothing"),
        ("Run 1", "0.5 s", "drive.k = 1"),
    ]
    qtbot.waitUntil(lambda: rows(window) == told, timeout=LONG)
    np.testing.assert_allclose(behind(window), [np.sin(0.5), 2.0 * np.sin(0.5)], rtol=1e-3)


def test_runs_are_hidden_coloured_named_and_thrown_away(make_window, qtbot) -> None:
    window = make_window(PLOTTED)
    for gain in (1.0, 2.0, 3.0):
        run(window, qtbot, gain)
    tree, kept = window.run_list.tree, window.deck.kept
    item = tree.topLevelItem(2)
    item.setCheckState(0, Qt.CheckState.Unchecked)
    assert tree.topLevelItem(2) is item  # it was ticked within its own signal, and must outlive it
    np.testing.assert_allclose(behind(window), [2.0 * np.sin(0.5)], rtol=1e-3)
    tree.topLevelItem(2).setCheckState(0, Qt.CheckState.Checked)
    assert len(behind(window)) == 2
    tree.topLevelItem(2).setText(0, "soft drive")
    assert rows(window)[2][0] == "soft drive"
    window.run_list.colour(kept.earlier[0], "#d62728")
    curve = window.deck.panes[0].behind.curves["shoulder.position"][0]
    assert curve.opts["pen"].color().name() == "#d62728"
    # the theme changes, its colour stays
    window.views.on_dark(True)
    assert curve.opts["pen"].color().name() == "#d62728"
    window.views.on_dark(False)
    window.panels.show("Runs")
    window.view.canvas.select(["controller"])  # which Del in the list leaves alone
    tree.setCurrentItem(tree.topLevelItem(2))
    tree.setFocus()
    QTest.keyClick(tree, Qt.Key.Key_Delete)
    assert [name for name, _, _ in rows(window)] == ["Run 3", "Run 2"]
    assert "controller" in window.document.diagram.blocks
    # the run that is shown itself is not thrown away
    tree.setCurrentItem(tree.topLevelItem(0))
    window.run_list.remove_selected()
    assert [name for name, _, _ in rows(window)] == ["Run 3", "Run 2"]


def test_a_plot_names_the_runs_behind_it_in_their_tints_and_a_click_hides_one(make_window, qtbot) -> None:
    window = make_window(PLOTTED)
    for gain in (1.0, 2.0, 3.0):
        run(window, qtbot, gain)
    pane = window.deck.panes[0]
    told = [(entry.name, entry.pen.color().name()) for entry in pane.caption.entries]
    assert told[1:] == [("Run 2", paper().earlier[1]), ("Run 1", paper().earlier[0])]
    drawn = [curve.opts["pen"].color().name() for curve in pane.behind.curves["shoulder.position"]]
    assert drawn == [ink for _, ink in reversed(told[1:])]
    box = next(box for box, k, _ in pane.caption._boxes() if k == 1)
    place = pane.mapFromScene(pane.caption.mapToScene(box.center()))
    QTest.mouseClick(pane.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    shown = lambda: [curve.isVisible() for curve in pane.behind.curves["shoulder.position"]]  # noqa: E731
    assert shown() == [True, False]
    assert [entry.hidden for entry in pane.caption.entries] == [False, True, False]
    window.deck.tick(force=True)  # drawn anew
    assert shown() == [True, False]
    window.deck.cursor_action.setChecked(True)
    pane.line.setValue(0.3)  # a stored row; five digits are shown
    told = lambda: [(row.source.run, row.numbers) for row in pane.cursors.rows()]  # noqa: E731
    assert told() == [(f"Run {k}", [f"{k * np.sin(0.3):.5g}"]) for k in (3, 2, 1)]
    assert [row.source.hidden for row in pane.cursors.rows()] == [False, True, False]
    pane.line.setValue(7.0)  # behind the end of the runs, at 0.5 s
    assert told() == [(f"Run {k}", [NO_VALUE]) for k in (3, 2, 1)]
    window.run_list.tree.topLevelItem(2).setText(0, "soft drive")
    assert [entry.name for entry in pane.caption.entries][1:] == ["Run 2", "soft drive"]


def test_earlier_runs_of_several_signals_have_the_hues_of_these(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS + "plots: [{y: [shoulder.position, elbow.position]}]\n")
    for gain in (1.0, 2.0, 3.0):
        run(window, qtbot, gain)
    pane = window.deck.panes[0]
    for name, curve in pane.curves.items():
        own = curve.opts["pen"].color()
        weak = [behind.opts["pen"].color() for behind in pane.behind.curves[name]]
        assert all(abs(one.hue() - own.hue()) <= 3 for one in weak)  # colours are rounded to 8 bits
        assert all(one.saturation() < own.saturation() for one in weak)
    assert [entry.name for entry in pane.caption.entries[2:]] == ["Run 2", "Run 1"]
    # a run has a kind of line of its own, the last one solid lines; its sample has no signal's colour
    kinds = [pane.behind.curves[name][k].opts["pen"].dashPattern() for k in (1, 0) for name in pane.curves]
    samples = [entry.pen for entry in pane.caption.entries[2:]]
    assert kinds == [samples[0].dashPattern()] * 2 + [samples[1].dashPattern()] * 2
    assert [min(kind) >= 4 for kind in kinds] == [True] * 4  # no dots
    assert kinds[0] != kinds[2]
    assert {pen.color().name() for pen in samples} == {paper().muted}
    # a signal is hidden in all runs, whichever of them are drawn anew
    pane.toggle(0)
    window.deck.tick(force=True)
    shown = {name: {curve.isVisible() for curve in pane.behind.curves[name]} for name in pane.curves}
    assert shown == {"shoulder.position": {False}, "elbow.position": {True}}
    pane.toggle(0)
    assert all(curve.isVisible() for curve in pane.behind.all())
    window.deck.cursor_action.setChecked(True)  # a signal has its values in the order of the runs
    pane.line.setValue(0.3)
    told = [[f"{k * np.sin(t):.5g}"] for t in (0.3, 1.3) for k in (3, 2, 1)]
    assert [row.numbers for row in pane.cursors.rows()] == told


def test_runs_differ_in_what_was_written_and_not_in_what_follows_from_it() -> None:
    runs = ComparedRuns()
    for mass in ("2 t", "3 t"):
        netlist = {
            "parameters": {"load": mass, "half": "=load/2"},
            "blocks": {"box": {"type": "rigid_link", "mass": "=load"}, "plan": {"stops": [0, "=half"]}},
        }
        value = 1e3 * float(mass[0])
        values = {"box.mass": value, "plan.stops[0]": value, "plan.stops[1]": value / 2, "lid.mass": value}
        values |= {"box.weight": value, "plan.first": value}
        runs.begin(recorded(), values, written_settings(netlist))
    assert runs.differences(runs.earlier[0]) == {
        "load": ("2 t", "3 t"),
        "lid.mass": (2000.0, 3000.0),  # written elsewhere: what it follows from is not known
        "plan.stops[0]": (2000.0, 3000.0),  # a number that is no expression
    }


def test_values_inside_blocks_are_counted_behind_what_was_set(qapp) -> None:
    runs = ComparedRuns()
    for mass in ("2 t", "3 t"):
        netlist = {"parameters": {"load": mass}, "blocks": {"arm": {"type": "./arm.yaml", "load": "=load"}}}
        value = 1e3 * float(mass[0])
        values = {"arm.load": value, "arm.box.mass": value, "arm.lid.mass": value / 2}
        runs.begin(recorded(), values, written_settings(netlist))
    panel = RunList(runs)
    shown = panel.tree.topLevelItem(1)
    assert shown.text(2) == "load = 2 t; 2 more inside blocks"
    assert "arm.lid.mass" in shown.toolTip(2)


def test_a_list_without_runs_says_how_one_comes_and_throws_none_away(make_window, qtbot) -> None:
    window = make_window(PLOTTED)
    panel, tree = window.run_list, window.run_list.tree
    window.panels.show("Runs")
    assert panel.empty.isVisible()
    assert not panel.forget_button.isEnabled()
    run(window, qtbot)
    run(window, qtbot, 2.0)
    assert not panel.empty.isVisible()
    for row, goes in ((0, False), (1, True)):
        tree.setCurrentItem(tree.topLevelItem(row))
        assert panel.forget_button.isEnabled() == goes
    QTest.mouseClick(panel.forget_button, Qt.MouseButton.LeftButton)
    assert len(rows(window)) == 1
    assert not panel.forget_button.isEnabled()


def test_five_earlier_runs_stay_and_those_that_are_kept(make_window, qtbot) -> None:
    window = make_window(PLOTTED)
    run(window, qtbot, 9.0)
    run(window, qtbot, 1.0)
    window.run_list.pin(window.deck.kept.earlier[0])
    for _ in range(7):
        run(window, qtbot)
    names = [name for name, _, _ in rows(window)]
    assert names == ["Run 9", "Run 8", "Run 7", "Run 6", "Run 5", "Run 4", "Run 1"]
    assert max(behind(window)) == pytest.approx(9.0 * np.sin(0.5), rel=1e-3)
    window.deck.forget_earlier()
    assert [name for name, _, _ in rows(window)] == ["Run 9"]
    assert behind(window) == []


def test_a_saved_result_is_drawn_beside_a_live_run(
    make_window, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = np.linspace(0.0, 0.5, 101)
    saved = Result(
        time, ["shoulder.position"], 4.0 * np.cos(time)[:, None], {"shoulder.position": "rad"},
        parameters={"drive.k": 7.0, "drive.t": 0.1},
    )  # fmt: skip
    saved.save(tmp_path / "measured.h5")
    window = make_window(PLOTTED)
    window.run_list.add_result(tmp_path / "measured.h5")
    assert rows(window) == [("measured.h5", "0.5 s", "there is no run to compare with")]
    window.deck.kept.clear()
    run(window, qtbot)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(tmp_path / "measured.h5"), ""))
    window.panels.show("Runs")
    QTest.mouseClick(window.run_list.add_button, Qt.MouseButton.LeftButton)
    assert rows(window)[1] == ("measured.h5", "0.5 s", "drive.k = 7")
    assert behind(window) == [4.0]
    # it is still there with the next run, in a colour of its own
    run(window, qtbot, 2.0)
    assert "measured.h5" in [name for name, _, _ in rows(window)]
    assert window.deck.loaded is None
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(tmp_path / "nothing.h5"), ""))
    window.run_list.ask_for_result()
    assert "nothing.h5" in window.log.toPlainText()
    # another model in the window: nothing of these stays
    from luff.gui.document.document import Document

    window.replace(Document())
    assert rows(window) == []


def test_two_cursors_show_what_changes_between_them(make_window, qtbot) -> None:
    window = make_window(PLOTTED)
    run(window, qtbot)
    deck, pane = window.deck, window.deck.panes[0]
    deck.second_action.trigger()
    assert deck.cursor_action.isChecked()
    pane.line.setValue(0.1)
    pane.second.setValue(0.4)
    table = deck.split.table
    assert table.titles[2:] == ["at 0.1 s", "at 0.4 s", "Δ in 0.3 s", "Δ per s"]
    change = np.sin(0.4) - np.sin(0.1)
    # rows stand every millisecond; five digits are shown
    told = [f"{np.sin(0.1):.5g}", f"{np.sin(0.4):.5g}", f"{change:+.5g}", f"{change / 0.3:+.4g}"]
    assert [row.numbers for row in table.rows] == [told]
    deck.second_action.trigger()
    assert [row.numbers for row in table.rows] == [told[:1]]
    # by keys
    KEY, KEYS = Qt.Key, Qt.KeyboardModifier
    deck.second_action.trigger()
    before = pane.line.value(), pane.second.value()
    QTest.keyClick(pane, KEY.Key_Right)
    QTest.keyClick(pane, KEY.Key_Right, KEYS.ShiftModifier)
    QTest.keyClick(pane, KEY.Key_Left, KEYS.ControlModifier)
    assert pane.line.value() == pytest.approx(before[0] + 0.11 * 0.5)
    assert pane.second.value() == pytest.approx(before[1] - 0.01 * 0.5)
    ends = pane.line.value(), pane.second.value()
    assert table.titles[2:5] == [*(f"at {end:.4g} s" for end in ends), f"Δ in {ends[1] - ends[0]:.4g} s"]
    deck.second_action.trigger()
    # the second one goes with the first, and what is measured stays
    deck.second_action.trigger()
    deck.measures_action.trigger()
    deck.cursor_action.trigger()
    assert not deck.second_action.isChecked()
    assert not pane.second.isVisible()
    assert table.titles[2:] == ["min", "max", "mean", "RMS"]
    pane.toggle(0)
    assert [len(row.numbers) for row in table.rows] == [4]  # of a hidden curve too


def test_parameters_that_differ_say_their_units(make_window, qtbot) -> None:
    window = make_window(PLOTTED)
    for mass in (1.0, 2.0):
        sim = FakeSim(["shoulder.position"], stop=0.5)
        sim.program.param_names, sim.program.params = ["upper.mass"], np.array([mass])
        window.runner.compiler = lambda diagram, sim=sim: sim
        window.running.on_run()
        qtbot.waitUntil(
            lambda: window.runner.state == "finished" and not window.running._clock.isActive(), timeout=LONG
        )
    assert rows(window)[1][2] == "upper.mass = 1 kg"


def test_a_logarithmic_axis_leaves_out_what_is_not_above_zero(make_window, qtbot) -> None:
    window = make_window(PLOTTED)
    run(window, qtbot, -1.0)
    run(window, qtbot)
    pane = window.deck.panes[0]
    window.deck.toggle_logarithmic(pane)
    x, y = pane.curves["shoulder.position"].getData()
    known = x > 0.0
    np.testing.assert_allclose(y[known], np.log10(np.sin(x[known])), rtol=1e-9)
    assert np.all(np.isnan(pane.behind.curves["shoulder.position"][0].getData()[1]))
    QApplication.processEvents()
    pane.viewport().grab()  # axes that follow their curves do so when they are painted
    assert pane.box.viewRange()[0] == [0.0, 0.5]  # the time axis is that of all plots
    axis = pane.item.getAxis("left")
    assert axis.logTickStrings([-6.0, -4.0, -2.0, 0.0, 3.0, 5.0], 1.0, 1.0) == [
        "1e-6", "1e-4", "0.01", "1", "1000", "1e5"
    ]  # fmt: skip
    bottom, top = pane.box.viewRange()[1]
    assert bottom < np.log10(np.sin(0.002)) < np.log10(np.sin(0.5)) < top
    window.deck.toggle_logarithmic(pane)
    x, y = pane.curves["shoulder.position"].getData()
    np.testing.assert_allclose(y, np.sin(x), atol=1e-12)


def test_kept_runs_are_within_the_axis(make_window, qtbot) -> None:
    window = make_window(PLOTTED)
    run(window, qtbot, 50.0)
    run(window, qtbot, 1.0)
    assert window.deck.panes[0].box.viewRange()[1][1] > 50.0 * np.sin(0.5)


def test_spectrum_of_the_stretch_in_view(make_window, qtbot) -> None:
    from luff.gui.plots.spectrum import Spectrum, amplitudes

    # 3 Hz and 7 Hz over two seconds: whole periods, so that each is a line
    time = np.linspace(0.0, 2.0, 2001)[:-1]
    values = 5.0 + 2.0 * np.sin(2 * np.pi * 3.0 * time) + 0.5 * np.cos(2 * np.pi * 7.0 * time)
    frequency, amplitude = amplitudes(time, values)
    assert frequency[np.argmax(amplitude)] == pytest.approx(3.0, rel=1e-9)
    assert amplitude[np.argmin(abs(frequency - 3.0))] == pytest.approx(2.0, rel=1e-6)
    assert amplitude[np.argmin(abs(frequency - 7.0))] == pytest.approx(0.5, rel=1e-6)
    assert amplitude[0] == pytest.approx(0.0, abs=1e-9)
    window = make_window(PLOTTED)
    said: list[str] = []
    window.deck.message.connect(said.append)
    window.deck.show_spectrum(window.deck.panes[0])
    assert "run the model first" in said[0]
    run(window, qtbot)
    window.deck.show_spectrum(window.deck.panes[0])
    (dialog,) = window.deck.findChildren(Spectrum)
    x, y = dialog.curves["shoulder.position"].getData()
    assert x[-1] == pytest.approx(500.0, rel=0.01)  # half of 1 kHz
    assert len(x) == len(y) > 100
    dialog.close()


def test_a_plot_that_stays_keeps_its_own_axis(make_window, qtbot) -> None:
    both = "plots: [{y: [shoulder.position]}, {y: [elbow.position]}]\n"
    window = make_window(TWO_LINKS + both)
    first, second = window.deck.panes
    window.deck.toggle_logarithmic(first)
    window.deck.remove_pane(0)
    assert window.deck.panes == [second]
    assert not second.logarithmic
    window.deck.toggle_logarithmic(second)
    window.document.undo.undo()
    assert [pane.spec.y for pane in window.deck.panes] == [["shoulder.position"], ["elbow.position"]]
    assert [pane.logarithmic for pane in window.deck.panes] == [False, True]


def test_what_was_set_under_way_is_a_difference(make_window, qtbot) -> None:
    """Both runs began alike; in the first a slider was moved."""
    window = make_window(PLOTTED)
    run(window, qtbot, 1.0)
    window.runner.was_set.emit("drive.k", "300 cm")  # at its last row, 0.5 s
    run(window, qtbot, 1.0)
    qtbot.waitUntil(lambda: len(rows(window)) == 2, timeout=LONG)
    first = rows(window)[1]
    assert first[0] == "Run 1"
    assert first[2].startswith("drive.k = 1, from 0.5 s on 3"), first


def recorded() -> History:
    """A history of one row, at 0.5 s."""
    history = History(["a"])
    history.append(np.array([0.5]), np.array([[1.0]]))
    return history


def test_a_pinned_run_stays_when_the_oldest_go(qtbot) -> None:
    runs = ComparedRuns()
    for k in range(MOST + 4):
        runs.begin(recorded(), {})
        if k == 0:
            assert runs.current is not None
            runs.current.pinned = True
    names = [run.name for run in runs.earlier]
    assert names == ["Run 1", *(f"Run {k}" for k in range(4, MOST + 4))]


@pytest.mark.parametrize("late", [False, True])
def test_a_parameter_that_was_changed_during_a_run_differs_though_both_end_with_the_same(
    late: bool, qtbot
) -> None:
    """Changed in the earlier run, or in the current one, to what the other had from its start on."""
    runs = ComparedRuns()
    for changed in (not late, late):
        runs.begin(recorded(), {"k": 1.0 if changed else 2.0, "open": math.nan})
        if changed:
            runs.note_set("k", 2.0)
    # what neither was given is NaN in both, and no difference
    assert runs.differences(runs.earlier[0]) == {"k": (2.0, 2.0)}
