"""Study > Plan: the plan that the command finds, set up, shown and played in the window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

import luff
from luff.gui.run.background_job import BackgroundJob, JobCancelled
from luff.gui.study.plan_draft import PlanDraft
from luff.gui.window.analyses import plan_panel
from luff.gui.window.analyses.plan_panel import CHANGED, NO_INPUTS, PlanPanel
from luff.gui.window.main_window import Window
from luff.tests.gui.driver import LONG, answered, panel_of

pytest.importorskip("ipyopt")
# from rest to rest over d under +-F in T = 2 sqrt(m d / F)
MASS = """luff: 1
name: mass
inputs: {force: {unit: N}}
blocks:
  slide: {type: prismatic, axis: x}
  mass: {type: rigid_link, mass: 1 kg, com: [0, 0, 0], inertia: [1, 1, 1]}
connect: [world.frame -- slide.frame_a, slide.frame_b -- mass.frame_a, inputs.force -> slide.effort]
simulation: {stop: 1 s, step: 1 ms}
"""
PLAN = """luff: 1
model: ./mass.yaml
plan:
  controls: {force: {lower: -1 N, upper: 1 N}}  # of the drive
  end: {slide.position: 1 m, at_rest: true}
  intervals: 10
"""


@pytest.fixture
def window(make_window, qtbot, tmp_path: Path) -> Window:
    (tmp_path / "move.yaml").write_text(PLAN)
    window = make_window(MASS, tmp_path / "mass.yaml")
    qtbot.waitUntil(lambda: window.view3d.model is not None, timeout=LONG)
    return window


@pytest.fixture
def panel(window: Window) -> PlanPanel:
    panel = panel_of(window, "plan")
    assert isinstance(panel, PlanPanel)
    return panel


def page(panel: PlanPanel, number: int) -> list[list[str]]:
    """Rows of a table of the answer."""
    table = panel.pages.widget(number)
    return [
        [table.topLevelItem(k).text(c) for c in range(table.columnCount())]
        for k in range(table.topLevelItemCount())
    ]


def test_a_plan_without_controls_speaks_of_the_form(panel: PlanPanel, make_window, qtbot) -> None:
    panel.file.clear()
    panel.controls.show_rows([])
    assert answered(panel, qtbot) == "Controls: found none, expected inputs of the diagram, such as force"
    assert panel.controls.property("wrong")
    panel.controls.item(0, 0).setText("force")
    assert not panel.controls.property("wrong")
    text = MASS.replace(", inputs.force -> slide.effort", "").replace("inputs: {force: {unit: N}}\n", "")
    text = MASS.replace(", inputs.force -> slide.effort", "").replace("inputs: {force: {unit: N}}\n", "")
    bare = panel_of(make_window(text), "plan")
    assert answered(bare, qtbot) == NO_INPUTS


def test_a_plan_is_found_shown_and_played(panel: PlanPanel, qtbot, tmp_path: Path) -> None:
    assert panel.file.text() == str(tmp_path / "move.yaml")  # the file beside the model that names it
    assert panel.controls.rows() == [["force", "-1 N", "1 N"]]
    assert not panel.show_run.isVisible()
    said = answered(panel, qtbot)
    assert panel.show_run.isVisible()
    assert [panel.pages.tabText(k) for k in range(panel.pages.count())] == ["Motion", "Limits", "Simulation"]
    assert [name for name, *_ in panel.figures.rows()][1:3] == ["limited by", "simulated"]
    made = panel.made
    assert made is not None, said
    assert made.duration == pytest.approx(2.0, rel=1e-6)  # the search's tolerance
    assert said == "Finished"
    assert panel.figures.rows()[0][0] == "duration"
    assert panel.figures.rows()[0][1].startswith("2.0000")
    control, position, *_ = (graph.picture for graph in panel.view.graphs)
    assert list(control.marks.bounds) == [-1.0, 1.0]
    assert position.title == "slide.position"
    planned, flown = position.curves
    assert (planned.name, flown.name) == ("planned", "simulated")
    assert float(np.interp(1.0, flown.x, flown.y)) == pytest.approx(0.5, abs=1e-4)  # half-way at half time
    sides = {row[1] for row in page(panel, 1) if row[0] == "force"}
    assert sides == {"lower", "upper"}
    end = next(row for row in page(panel, 2) if row[0] == "slide.position at the end")
    assert end[1:3] == ["1 m", "1 m"]
    for problem, words in (("", "misses the plan"), ("it fell over", "could not be made")):
        flights = [replace(one, problem=problem) for one in made.flown]
        told = plan_panel.plan_verdict(replace(made, status="unconfirmed", flown=flights))
        assert told == ("unstable", f"Unconfirmed: its simulation {words}")

    window = panel.window_
    before = window.document.diagram.to_yaml()
    QTest.mouseClick(panel.play, Qt.MouseButton.LeftButton)
    played = window.document.diagram
    assert "force_plan" in played.blocks
    assert not played.all_inputs
    assert window.document.undo.count() == 1
    assert not panel.age.isVisible()
    assert luff.compile(luff.loads(played.to_yaml())).run()["slide.position"][-1] == pytest.approx(
        1.0, abs=1e-5
    )
    window.document.undo.undo()
    assert window.document.diagram.to_yaml() == before
    assert not panel.age.isVisible()  # it is the model that was planned

    QTest.mouseClick(panel.show_run, Qt.MouseButton.LeftButton)
    assert window.results.history is not None
    assert window.results.history.span()[1] == pytest.approx(2.0, rel=1e-6)


def test_a_plan_of_an_older_model_is_not_played(panel: PlanPanel, qtbot) -> None:
    answered(panel, qtbot)
    panel.window_.document.set_value("mass.mass", "4 kg")
    assert panel.age.isVisible()
    QTest.mouseClick(panel.play, Qt.MouseButton.LeftButton)
    assert panel.said.text() == CHANGED
    assert "force_plan" not in panel.window_.document.diagram.blocks
    answered(panel, qtbot)
    assert panel.made.duration == pytest.approx(
        4.0, rel=1e-6
    )  # of the model in the window, which is not saved


def test_a_new_plan_is_set_up_and_saved(panel: PlanPanel, qtbot, tmp_path: Path, monkeypatch) -> None:
    panel.file.clear()
    assert panel.controls.rows() == [["force", "", ""]]  # the inputs of the netlist
    assert panel.rest.isChecked()
    assert "give the controls bounds" in answered(panel, qtbot)
    panel.controls.item(0, 1).setText("-4 N")
    panel.controls.item(0, 2).setText("4 N")
    panel.end.item(0, 0).setText("slide.position")
    panel.end.item(0, 1).setText("1 m")
    assert panel.end.rowCount() == 2  # a row for another one
    panel.intervals.setValue(12)
    answered(panel, qtbot)
    assert panel.made.duration == pytest.approx(1.0, rel=1e-6)
    path = tmp_path / "own.yaml"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    QTest.mouseClick(panel.save, Qt.MouseButton.LeftButton)
    assert luff.plan(path).duration == pytest.approx(1.0, rel=1e-6)
    assert panel.file.text() == str(path)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "own.csv"), ""))
    QTest.mouseClick(panel.save, Qt.MouseButton.LeftButton)
    assert (tmp_path / "own.csv").read_text().startswith("time [s],force [N]")


def test_an_edit_of_a_plan_keeps_its_other_lines(tmp_path: Path) -> None:
    path = tmp_path / "move.yaml"
    path.write_text(PLAN)
    draft = PlanDraft.open(path)
    draft.set_bounds("controls", draft.bounds("controls"))
    draft.set_end(*draft.end())
    draft.set_entry("duration", "")
    assert draft.text() == PLAN
    draft.set_end([["slide.position", "2 m"]], True)
    assert draft.text() == PLAN.replace("1 m,", "2 m,")


def test_a_search_that_is_stopped_shows_the_best_so_far(panel: PlanPanel, qtbot, monkeypatch) -> None:
    real = plan_panel.plan

    def endless(task, progress):
        made, k = real(task), 0
        while progress(k, "search: cost 2"):
            k += 1
        made.status = "interrupted"
        return made

    monkeypatch.setattr(plan_panel, "plan", endless)
    QTest.mouseClick(panel.begin, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "search: cost 2" in panel.said.text(), timeout=LONG)
    QTest.mouseClick(panel.cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(panel.begin.isEnabled, timeout=LONG)
    assert panel.said.text().startswith("Interrupted")
    assert panel.play.isEnabled()


def test_work_that_is_finished_early_gives_its_answer_or_says_that_it_has_none(qtbot) -> None:
    job, heard = BackgroundJob(), []
    job.done.connect(heard.append)
    job.ended.connect(heard.append)

    def keeps(tell):
        try:
            while True:
                tell("on the way")
        except JobCancelled:
            return "best so far"

    def drops(tell):
        while True:
            tell("on the way")

    for work in (keeps, drops):
        job.start(work)
        job.finish()
        qtbot.waitUntil(lambda: not job.active, timeout=LONG)
    assert heard == ["best so far", None]


@pytest.mark.parametrize(
    ("table", "row", "words"),
    [
        (
            "controls",
            ["forse", "", ""],
            'found input forse, expected one of the model (did you mean "force"?)',
        ),
        ("end", ["slide.positon", "1 m"], 'did you mean "slide.position"?'),
        ("end", ["slide.position", "1 s"], "slide.position: found s, expected a unit of the kind of m"),
        ("limits", ["slide.velocity", "-1 m/s", "1 kg"], "expected a unit of the kind of m/s"),
    ],
)
def test_a_mistake_stands_below_its_table(panel: PlanPanel, table: str, row: list[str], words: str) -> None:
    shown = getattr(panel, table)
    assert not shown.mistake.isVisible()
    for k, text in enumerate(row):
        shown.item(shown.rowCount() - 1 if k == 0 else shown.rowCount() - 2, k).setText(text)
    assert words in shown.mistake.words
    assert shown.mistake.isVisible()
    assert shown.property("wrong")
    rows = shown.rowCount()
    shown.item(rows - 2, 0).setText("")  # a row without a name goes
    assert shown.rowCount() == rows - 1
    assert not shown.mistake.isVisible()


def test_controls_and_states_are_no_mistakes(panel: PlanPanel) -> None:
    panel.limits.show_rows(
        [["force", "-1 N", "1 N"], ["inputs.force", "", "2 N"], ["slide.velocity", "", "1"]]
    )
    panel.duration.setText("12 kg")
    assert not panel.duration.property("wrong")  # while it is typed
    panel.duration.editingFinished.emit()
    assert panel.duration.property("wrong")
    panel.duration.setText("12 s")
    panel.duration.editingFinished.emit()
    assert not panel.duration.property("wrong")
    assert not panel.limits.mistake.words


def test_a_plan_of_another_model_is_refused(make_window, qtbot, tmp_path: Path, window: Window) -> None:
    other = make_window(MASS, tmp_path / "other.yaml")
    panel = panel_of(other, "plan")
    panel.file.setText(str(tmp_path / "move.yaml"))
    assert not panel.opener.isVisible()
    assert not panel.play.isVisible()  # there is no plan to apply
    assert "The plan is of another model, mass.yaml" in answered(panel, qtbot)
    window.close()
    assert panel.opener.isVisible()
    QTest.mouseClick(panel.opener, Qt.MouseButton.LeftButton)
    opened = [one for one in Window.open_windows if one.top.path == tmp_path / "mass.yaml"]
    assert len(opened) == 1
    shown = opened[0].analyses.panels[PlanPanel]
    QApplication.processEvents()
    assert opened[0].panels.is_visible(shown.title)  # in front
    assert isinstance(shown, PlanPanel)
    assert shown.file.text() == panel.file.text()
    assert shown.controls.rows() == [["force", "-1 N", "1 N"]]
    panel.file.clear()
    assert answered(panel, qtbot)
    assert not panel.opener.isVisible()  # it is about this model now
