"""Study > Fit and Optimise: what is found is what the command finds, and goes into the diagram as one edit."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMenu

import luff
from luff.gui.study.tuning_draft import GOALS
from luff.gui.theme.completion_list import CompletionList
from luff.gui.window.analyses import search_panels
from luff.gui.window.analyses.analysis_panel import OTHER, UNSAVED
from luff.gui.window.analyses.findings_table import FindingsTable
from luff.gui.window.analyses.search_panels import (
    GOES_ON,
    FitPanel,
    OptimisePanel,
    Progress,
    SearchPanel,
    like,
)
from luff.gui.window.analyses.settings_table import SettingsTable
from luff.gui.window.analyses.task_panel import ENDING
from luff.gui.window.main_window import Window
from luff.solver.netlist import read_whole
from luff.solver.tuning.parallel_runs import BestSoFar
from luff.tests.gui.driver import LONG, answered, panel_of
from luff.tests.gui.user import User
from luff.tests.solver.tuning.cases import HIDDEN, write

HUNG = """luff: 1
blocks:
  rail: {type: prismatic, axis: z, stiffness: 0.4 kN/m, damping: 40}
  body: {type: rigid_link, mass: 2}
connect: [world.frame -- rail.frame_a, rail.frame_b -- body.frame_a]
simulation: {stop: 2 s, step: 5 ms}
"""


@pytest.fixture
def panel(make_window, tmp_path: Path) -> SearchPanel:
    task = write(tmp_path, seed=1)
    window = make_window()
    window.files.open_path(tmp_path / "oscillator.yaml")
    return opened(window, "fit_parameters", task)


def values_shown(panel: SearchPanel) -> dict[str, str]:
    """Values in the table of a panel, by name."""
    table = panel.pages.widget(0)
    assert isinstance(table, FindingsTable)
    items = [table.topLevelItem(k) for k in range(table.topLevelItemCount())]
    return {item.text(0): item.text(1) for item in items}


def shown_rows(panel: SearchPanel, page: int) -> list[list[str]]:
    table = panel.pages.widget(page)
    assert isinstance(table, FindingsTable)
    return table.rows()


def opened(window: Window, key: str, task: Path) -> SearchPanel:
    panel = panel_of(window, key)
    assert isinstance(panel, SearchPanel)
    panel.file.setText(str(task))
    return panel


def test_a_fit_is_told_drawn_and_taken_over(panel: SearchPanel, qtbot, tmp_path: Path, monkeypatch) -> None:
    said = answered(panel, qtbot)
    wanted = luff.fit(tmp_path / "task.yaml")
    assert said == f"{wanted.runs} runs"
    (name, value, told), *_ = panel.figures.rows()
    assert name == "experiment 1, rms of rail.position"
    assert value.endswith(" m")
    assert told.startswith("before ")
    for name, estimate in wanted.parameters.items():
        assert f"{estimate.value:.8g}" in values_shown(panel).values()
        assert estimate.value == pytest.approx(HIDDEN[name], rel=0.03)  # of noise: theirs are 1 to 2 %
    table = panel.pages.widget(0)
    assert isinstance(table, FindingsTable)
    assert table.heads[:4] == ["parameter", "value", "before", "change"]
    assert [row[2] for row in table.rows()] == ["90", "1.5"]  # of the model, not the starts of the search
    assert panel.pages.indexOf(panel.curve) > 0
    measured, computed = panel.view.graphs[0].picture.curves
    assert (measured.name, computed.name) == ("measured", "computed")
    assert (tmp_path / "task.json").is_file()
    document = panel.window_.top
    before = document.diagram.to_yaml()
    QTest.mouseClick(panel.take, Qt.MouseButton.LeftButton)
    assert document.diagram.parameters["k"] == f"{wanted.parameters['k'].value:.8g} N/m"
    assert float(str(document.diagram.value("rail.damping")).split()[0]) == pytest.approx(
        wanted.parameters["rail.damping"].value, rel=1e-7
    )
    assert document.undo.count() == 1
    assert not panel.age.isVisible()  # it holds what was found
    document.undo.undo()
    assert document.diagram.to_yaml() == before
    assert not panel.age.isVisible()
    folder = tmp_path / "told"
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))
    QTest.mouseClick(panel.report, Qt.MouseButton.LeftButton)
    assert (folder / "report.md").is_file()
    assert (folder / "residuals_1.png").is_file()
    document.set_value("rail.damping", 3)
    assert answered(panel, qtbot).endswith(UNSAVED)


def test_values_of_another_model_are_not_taken_over(make_window, qtbot, tmp_path: Path) -> None:
    panel = opened(make_window(), "fit_parameters", write(tmp_path, seed=1))
    assert "another model" in answered(panel, qtbot)
    assert not panel.take.isEnabled()


def test_a_search_that_is_stopped_keeps_its_best_and_goes_on(panel: SearchPanel, qtbot, monkeypatch) -> None:
    stopped, real = Event(), search_panels.run_searches

    def waiting(task, objective, journal, look, *rest):
        """Searches that wait at their first step until they are stopped."""

        def look_and_wait(runs: int, words: str) -> bool:
            on = look(runs, words)
            stopped.wait(0 if not words else None)
            return on and look(runs, words)

        return real(task, objective, journal, look_and_wait, *rest)

    monkeypatch.setattr(search_panels, "run_searches", waiting)
    QTest.mouseClick(panel.begin, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "sum of squares" in panel.said.text(), timeout=LONG)
    QTest.mouseClick(panel.cancel, Qt.MouseButton.LeftButton)
    assert panel.said.text() == ENDING
    stopped.set()
    qtbot.waitUntil(panel.begin.isVisible, timeout=LONG)
    assert panel.answer.status == "interrupted"
    assert panel.said.text().startswith("Stopped after ")
    assert ", step " in panel.said.text()
    assert panel.said.text().splitlines()[0].endswith(GOES_ON)
    assert panel.take.isEnabled()
    assert panel.report.isEnabled()
    assert panel.pages.indexOf(panel.curve) > 0
    assert shown_rows(panel, 0)[0][0] == "k [N/m]"
    assert answered(panel, qtbot).endswith(" runs")


def test_a_search_that_is_stopped_twice_has_no_answer(panel: SearchPanel, qtbot) -> None:
    QTest.mouseClick(panel.begin, Qt.MouseButton.LeftButton)
    QTest.mouseClick(panel.cancel, Qt.MouseButton.LeftButton)
    QTest.mouseClick(panel.cancel, Qt.MouseButton.LeftButton)
    assert panel.said.text() == panel.cancelled
    assert panel.answer is None
    assert panel.begin.isVisible()
    qtbot.waitUntil(lambda: not panel.job.running, timeout=LONG)


def test_an_optimum_is_found_and_keeps_its_unit(make_window, qtbot, tmp_path: Path) -> None:
    (tmp_path / "hung.yaml").write_text(HUNG)
    task = tmp_path / "task.yaml"
    task.write_text(
        "luff: 1\nmodel: ./hung.yaml\noptimise:\n  parameters: {rail.stiffness: {lower: 100, upper: 900}}\n"
        "  minimise: {metric: range, of: rail.position}\n  method: local\n"
    )
    window = make_window()
    window.files.open_path(tmp_path / "hung.yaml")
    panel = opened(window, "optimise", task)
    assert isinstance(panel, OptimisePanel)
    answered(panel, qtbot)
    title, value, before = panel.figures.rows()[0]
    assert "range of rail.position" in title
    numbers = [float(words.split()[k]) for words, k in ((before, 1), (value, 0))]
    change = 100.0 * (numbers[1] - numbers[0]) / numbers[0]
    assert change < 0.0  # the model has 0.4 kN/m, and sinks farther
    assert float(before.split("(")[1].split()[0]) == pytest.approx(change, abs=0.1)  # told in three digits
    assert shown_rows(panel, 0)[0][2:] == ["0.4", "+125 %"]
    assert shown_rows(panel, 0)[0][0] == "rail.stiffness [kN/m]"
    (curve,) = panel.curve.graphs[0].picture.curves
    assert panel.pages.indexOf(panel.curve) > 0
    assert (np.diff(curve.y) <= 0.0).all()  # never a worse value
    assert curve.y[-1] == pytest.approx(numbers[1], rel=5e-3)  # told in three digits
    assert curve.x[-1] == panel.answer.runs
    graph = panel.curve.graphs[0]
    assert graph.box.viewRange()[0][0] <= 0.0  # the axis begins before the first run
    assert graph.picture.title == "range of rail.position"
    assert graph.side.text == "[mm]"  # of numbers below 0.1 m
    panel.way.setCurrentText(GOALS[1])
    panel.show_curve(0)
    assert (panel.curve.graphs[0].picture.curves[0].y == curve.y).all()  # of the search, not of a later form
    assert float(values_shown(panel)["rail.stiffness [kN/m]"]) == pytest.approx(0.9, rel=1e-3)
    assert (
        values_shown(panel)["rail.stiffness [kN/m]"] == f"{panel.answer.values['rail.stiffness'] / 1e3:.4g}"
    )
    QTest.mouseClick(panel.take, Qt.MouseButton.LeftButton)
    raw = str(window.top.diagram.value("rail.stiffness"))
    assert raw.endswith(" kN/m")
    assert float(raw.split()[0]) == pytest.approx(0.9, rel=1e-3)  # the stiffest sinks least


def test_the_axes_of_a_search_are_those_of_its_first_value(panel: SearchPanel) -> None:
    panel._told(BestSoFar(40, 13932.0))
    panel._told(Progress(90, "generation 2"))
    graph = panel.curve.graphs[0]
    (curve,) = graph.picture.curves
    assert (list(curve.x), list(curve.y)) == ([40.0, 90.0], [13932.0, 13932.0])
    (left, right), (low, high) = graph.box.viewRange()
    assert left <= 0.0
    assert 90.0 <= right <= 100.0
    assert (low + high) / 2.0 == pytest.approx(13932.0)  # a constant stands in the middle
    assert high - low > 0.1 * 13932.0
    assert panel.said.text() == "90 runs, generation 2"


def test_an_optimisation_is_set_up_from_the_menu_of_a_parameter(
    user: User, qtbot, tmp_path, monkeypatch
) -> None:
    (tmp_path / "hung.yaml").write_text(HUNG)
    window = user.window
    window.files.open_path(tmp_path / "hung.yaml")
    window = next(one for one in Window.open_windows if one.top.path and one.top.path.name == "hung.yaml")
    user = User(window, monkeypatch, tmp_path)
    user.select("rail")
    menu = QMenu()
    user.row("stiffness").fill_menu(menu)
    next(action for action in menu.actions() if action.text() == "Optimise...").trigger()
    panel = window.analyses.panels[OptimisePanel]
    assert isinstance(panel, OptimisePanel)
    assert panel.parameters.rows() == [["rail.stiffness", "0.2 kN/m", "0.8 kN/m", "0.4 kN/m"]]
    assert panel.of.hasFocus()  # what is left to fill in
    panel.number.setCurrentText("range")
    panel.of.setText("rail.position")
    document = window.top
    document.set_value("rail.damping", 30)  # not saved: the search is of what the window shows
    said = answered(panel, qtbot)
    assert said.endswith(" runs")  # no file asked for
    assert OTHER not in said
    assert panel.answer.values["rail.stiffness"] == pytest.approx(800.0, rel=1e-3)  # the stiffest sinks least
    assert panel.take.isEnabled()
    assert not [*tmp_path.glob("hung_*")]
    document.undo.undo()
    saved = tmp_path / "hung_optimise.yaml"
    proposed: list[str] = []

    def name(*asked: object) -> tuple[str, str]:
        proposed.append(str(asked[2]))
        return str(saved), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", name)
    QTest.mouseClick(panel.save, Qt.MouseButton.LeftButton)
    assert proposed == [str(saved)]  # beside the model
    raw = read_whole(saved).data
    assert raw["model"] == "hung.yaml"
    assert raw["optimise"]["minimise"] == {"metric": "range", "of": "rail.position"}
    answered(panel, qtbot)
    assert saved.with_suffix(".json").is_file()  # of the file now


def test_a_fit_is_set_up_in_its_form(panel: SearchPanel, qtbot, tmp_path: Path, monkeypatch) -> None:
    text = (tmp_path / "task.yaml").read_text()
    assert isinstance(panel, FitPanel)
    assert panel.signals.rows() == [["rail.position", "place", "mm"]]
    assert panel.collect().text() == text
    panel.file.clear()
    panel.take_in("k", "90 N/m")
    panel.data.setText("measured.csv")
    panel.signals.show_rows([["rail.position", "place", "mm"]])
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    QTest.mouseClick(panel.save, Qt.MouseButton.LeftButton)
    assert not panel.file.text()  # no name, no file
    answered(panel, qtbot)
    assert panel.answer.parameters.keys() == {"k"}
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "own"), ""))
    QTest.mouseClick(panel.save, Qt.MouseButton.LeftButton)
    assert panel.file.text() == str(tmp_path / "own.yaml")
    assert (tmp_path / "task.yaml").read_text() == text


@pytest.mark.parametrize(
    ("text", "words"), [("", "Found no parameters, expected some with bounds"), ("no.yaml", "no.yaml")]
)
def test_what_is_no_task_is_told(panel: SearchPanel, qtbot, text: str, words: str) -> None:
    panel.file.setText(text)
    assert words in answered(panel, qtbot)
    assert panel.said.property("role") == "error"


MEANT = 'expected one of the model (did you mean "rail.{}"?)'


def typed(table: SettingsTable, row: list[str]) -> None:
    """Row in place of all others, as if it were typed."""
    table.show_rows([[""] * len(row)])
    for k, text in enumerate(row):
        table.item(0, k).setText(text)


def test_mistakes_stand_below_their_tables(panel: SearchPanel, qtbot, tmp_path: Path) -> None:
    assert isinstance(panel, FitPanel)
    qtbot.waitUntil(lambda: bool(panel.window_.signal_tree.names), timeout=LONG)
    names, rows = panel.parameters, panel.signals
    panel.look_at_fields()
    assert not names.mistake.words
    assert not rows.mistake.words
    for row, words in (
        (
            ["rail.dampin", "", "", ""],
            'found parameter rail.dampin, expected one of the model (did you mean "rail.damping"?)',
        ),
        (["rail.damping", "1 kg", "", ""], "rail.damping, lower:"),
        (["rail.damping", "1", "1 N*s/m", "2 zz"], "rail.damping, start: unknown unit"),
        (["rail.damping", "1", "1 N*s/m", ""], ""),
    ):
        typed(names, row)
        assert names.mistake.words.startswith(words) if words else not names.mistake.words
        assert names.property("wrong") == bool(words)
    for row, words in (
        (
            ["rail.positon", "place", "mm"],
            'found signal rail.positon, expected one of the model (did you mean "rail.position"?)',
        ),
        (
            ["rail.position", "plaec", "mm"],
            'rail.position: found no column plaec in the file (did you mean "place"?)',
        ),
        (["rail.position", "place", "kg"], "rail.position: found kg, expected a unit of the kind of m"),
        (["rail.position", "place", "cm"], ""),
    ):
        typed(rows, row)
        assert rows.mistake.words == words
    assert {"time", "place"} <= set(panel.columns())
    panel.data.setText("measurd.csv")
    panel.data.editingFinished.emit()
    assert panel.data.property("wrong")
    panel.data.setText("measured.csv")
    assert not panel.data.property("wrong")


def test_a_task_of_another_model_is_not_judged_by_this_one(make_window, qtbot, tmp_path: Path) -> None:
    task = write(tmp_path, seed=1)
    panel = opened(make_window(HUNG), "fit_parameters", task)
    qtbot.waitUntil(lambda: bool(panel.window_.signal_tree.names), timeout=LONG)
    panel.look_at_fields()
    assert panel.parameters.rows()[0][0] == "k"  # which this model has not
    assert not panel.parameters.mistake.words


def test_a_signal_of_an_optimisation_is_one_of_the_model(make_window, qtbot) -> None:
    panel = panel_of(make_window(HUNG), "optimise")
    assert isinstance(panel, OptimisePanel)
    qtbot.waitUntil(lambda: bool(panel.window_.signal_tree.names), timeout=LONG)
    assert "." not in panel.of.placeholderText()  # no name that is not of the model
    offered = panel.of.findChild(CompletionList)
    offered.show_all()
    assert "rail.position" in offered.model.stringList()
    offered.list.popup().hide()
    panel.of.setText("rail.positio")
    assert not panel.of.property("wrong")
    panel.of.editingFinished.emit()
    assert panel.of.property("wrong")
    panel.of.setText("rail.position")
    assert not panel.of.property("wrong")


SERVO = """luff: 1
parameters: {kp: 20, kd: 5}
blocks:
  plan: {type: motion_law, unit: m, end_value: 0.5, start: 0.1 s, duration: 0.5 s}
  servo: {type: pd, kp: =kp, kd: =kd}
  rail: {type: prismatic, axis: x, damping: 3 N*s/m}
  body: {type: rigid_link, mass: 2 kg}
connect:
  - plan.y -> servo.target
  - rail.trajectory -> servo.measured
  - servo.effort -> rail.effort
  - world.frame -- rail.frame_a
  - rail.frame_b -- body.frame_a
simulation: {stop: 1 s, step: 5 ms}
"""


def test_a_controller_is_optimised_for_what_it_follows(make_window, qtbot) -> None:
    panel = panel_of(make_window(SERVO), "optimise")
    assert isinstance(panel, OptimisePanel)
    qtbot.waitUntil(lambda: bool(panel.window_.signal_tree.names), timeout=LONG)
    typed(panel.parameters, ["kpp", "20", "200", ""])
    panel.of.setText("rail.position")
    told = answered(panel, qtbot)
    assert "kpp" in told
    assert "<optimise>" not in told  # a form has no lines
    typed(panel.parameters, ["kp", "20", "200", ""])
    assert not panel.target.isVisible()
    panel.number.setCurrentText("tracking_rms")
    assert panel.target.isVisible()
    assert answered(panel, qtbot) == "Target: found no target, expected the signal to be followed"
    assert panel.target.property("wrong")
    panel.target.setText("plan.y")
    assert answered(panel, qtbot).endswith(" runs")
    assert panel.collect().target() == "plan.y"
    assert values_shown(panel)["kp"] == "200"  # the stiffest follows best
    panel.number.setCurrentText("rms")
    assert panel.collect().target() == ""


def test_an_empty_row_is_not_left_in_colour(panel: SearchPanel, qtbot) -> None:
    panel.window_.activateWindow()
    table = panel.parameters
    table.setFocus()
    table.setCurrentCell(table.rowCount() - 1, 0)
    assert table.selectedIndexes()
    panel.file.setFocus()
    assert not table.selectedIndexes()


def test_numbers_keep_the_unit_that_stood_there() -> None:
    assert like("30 deg", 1.0) == "57.29578 deg"
    assert like(3, 2.5) == 2.5
    assert like("=k", 2.5) == 2.5
    assert like(None, 2.5) == 2.5
