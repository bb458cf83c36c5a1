"""Analyse > Assess: its tables are those of `luff assess`, what was stopped goes on, and a run opens in the plots."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

import luff
from luff.gui.document.document import Document
from luff.gui.window.analyses.analysis_panel import OTHER, UNSAVED
from luff.gui.window.analyses.assess_panel import OFFERED, AssessPanel
from luff.gui.window.analyses.findings_table import BAR, FindingsTable, filled
from luff.gui.window.analyses.offered_files import files_about, files_near, output_beside
from luff.gui.window.main_window import Window
from luff.solver.assessment import findings_tables
from luff.solver.flatten.diagram import Diagram
from luff.solver.netlist.library_paths import LIBRARY
from luff.tests.gui.driver import LONG, answered, panel_of

# two links fall from the level: both joints bear more in a case with more load
CRANE = """luff: 1
name: two links
parameters: {load: 1 t}
blocks:
  pin: {type: revolute, axis: y}
  boom: {type: rfem_link, rigid: true, length: 2, section: {shape: box, width: 0.2, height: 0.2, thickness: 8 mm}}
  root: {type: section_sensor, of: boom, allowable: 10 MPa}
  knee: {type: revolute, axis: y}
  bob: {type: rigid_link, mass: =load, com: [1, 0, 0], inertia: [0, 0, 0]}
connect: [world.frame -- pin.frame_a, pin.frame_b -- boom.frame_a, boom.frame_b -- knee.frame_a,
  knee.frame_b -- bob.frame_a]
simulation: {stop: 1.5 s, step: 2 ms}
"""
DESK = """luff: 1
model: ./crane.yaml
cases:
  light: {repeats: 1e4}
  heavy: {set: {load: 2 t}, repeats: 100}
sections:
  boom's root: {sensor: root, fatigue: {strength: 71 MPa, slope: 3}}
limits:
  - {title: boom's fall, metric: peak, of: pin.velocity, below: 50 rad/s}
"""


@pytest.fixture
def window(make_window, tmp_path: Path) -> Window:
    (tmp_path / "desk.yaml").write_text(DESK)
    return make_window(CRANE, tmp_path / "crane.yaml")


def asked(window: Window) -> AssessPanel:
    panel = panel_of(window, "assess")
    assert isinstance(panel, AssessPanel)
    return panel


def shown(panel: AssessPanel) -> dict[str, list[list[str]]]:
    """The tables in the tabs."""
    pages = [panel.pages.widget(k) for k in range(panel.pages.count())]
    made = [page for page in pages if isinstance(page, FindingsTable)]
    return {
        table.accessibleName(): [
            table.heads,
            *(
                [table.topLevelItem(k).text(c) for c in range(len(table.heads))]
                for k in range(table.topLevelItemCount())
            ),
        ]
        for table in made
    }


def test_its_tables_are_those_of_the_command(window: Window, qtbot, tmp_path: Path, monkeypatch) -> None:
    panel = asked(window)
    assert panel.file.text() == str(tmp_path / "desk.yaml")  # the file beside the model that names it
    said = answered(panel, qtbot)
    wanted = luff.assess(tmp_path / "desk.yaml", tmp_path / "desk.h5")
    assert [one.status for one in wanted.outcomes] == ["kept"] * 2  # the command goes on with the same file
    assert shown(panel) == findings_tables.summary(wanted)
    assert {"Checks", "Damage over the life"} <= shown(panel).keys()
    failing = {one.title for one in (*wanted.checks, *wanted.lives) if not one.holds}
    assert failing == {"boom's root"}
    assert "Fails: boom's root." in said
    assert panel.runs.rows()["heavy"].text(1) == "done"

    # the governing run of the first check, in the plots
    checks = panel.pages.widget(0)
    assert isinstance(checks, FindingsTable)
    item = checks.topLevelItem(0)
    assert checks.run_of(item) == "heavy"
    checks.itemActivated.emit(item, 0)
    assert window.results.name == "heavy"
    assert window.results.history.rows == len(wanted.results["heavy"].time)

    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "told"), ""))
    QTest.mouseClick(panel.report, Qt.MouseButton.LeftButton)
    assert not panel.cancel.isEnabled()
    QTest.keyClick(panel, Qt.Key.Key_Escape)  # nor is it stopped by its key
    qtbot.waitUntil(panel.begin.isEnabled, timeout=LONG)
    assert opened == [str(tmp_path / "told.html")]
    page = (tmp_path / "told.html").read_text()
    assert f"-o {tmp_path / 'desk.h5'} --report {tmp_path / 'told.html'}" in page

    window.document.set_value("bob.com", [2, 0, 0])
    assert UNSAVED in answered(panel, qtbot)  # nothing ran again, and the file is as it was


def test_what_was_stopped_goes_on(window: Window, qtbot, tmp_path: Path) -> None:
    (tmp_path / "desk.yaml").write_text(
        DESK.replace(
            "sections:", "  long: {set: {simulation.stop: 1e5 s, simulation.output_step: 100 s}}\nsections:"
        )
    )
    panel = asked(window)
    QTest.mouseClick(panel.begin, Qt.MouseButton.LeftButton)
    QTest.mouseClick(panel.cancel, Qt.MouseButton.LeftButton)  # in the midst of reading
    QTest.mouseClick(panel.begin, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.runs.rows().get("heavy") is not None, timeout=LONG)
    qtbot.waitUntil(lambda: panel.runs.rows()["heavy"].text(1) == "done", timeout=LONG)
    QTest.mouseClick(panel.cancel, Qt.MouseButton.LeftButton)
    assert panel.said.text() == AssessPanel.cancelled
    assert panel.runs.rows()["long"].text(1) == "queued"
    (tmp_path / "desk.yaml").write_text(DESK)
    assert "2 runs, 2 checks." in answered(panel, qtbot)
    assert [one.status for one in panel.made.outcomes] == ["kept"] * 2


def test_of_another_model_opens_beside(window: Window, make_window, qtbot, tmp_path: Path) -> None:
    other = make_window(CRANE.replace("boom", "jib"), tmp_path / "jib.yaml")
    panel = asked(other)
    panel.file.setText(str(tmp_path / "desk.yaml"))
    assert f"{OTHER}: crane.yaml." in answered(panel, qtbot)
    panel.open_run("light")
    assert other.results.name == ""
    assert [one.results.name for one in Window.open_windows if one not in (window, other)] == ["light"]


@pytest.mark.parametrize(
    ("file", "kept", "words"),
    [
        ("", "", "File: found no file, expected one of load cases and checks"),
        ("no.yaml", "", "no.yaml"),
        ("crane.yaml", "", "found no cases"),
        ("desk.yaml", "desk.csv", 'found ".csv", expected .h5'),
        ("desk.yaml", "no/desk.h5", "cannot write results"),
    ],
)
def test_what_cannot_be_assessed_is_told(
    window: Window, qtbot, tmp_path: Path, file: str, kept: str, words: str
) -> None:
    panel = asked(window)
    panel.file.setText(str(tmp_path / file) if file else "")
    panel.kept.setText(str(tmp_path / kept) if kept else "")
    assert words in answered(panel, qtbot)
    assert panel.said.property("role") == "error"


def test_files_that_assess_a_model_are_offered(tmp_path: Path, monkeypatch) -> None:
    """Beside it, in the library, and for a copy of a library's model by its name."""
    shipped = LIBRARY / "assessments" / "tower_crane.yaml"
    assert list(files_about(LIBRARY / "tower_crane.yaml", "", *OFFERED)) == [shipped]
    assert list(files_about(None, "tower crane", *OFFERED)) == [shipped]
    assert list(files_about(None, "", *OFFERED)) == []
    (tmp_path / "crane.yaml").write_text(CRANE)
    for name, text in (
        ("desk", DESK),
        ("other", DESK.replace("crane", "jib")),
        ("study", "model: ./crane.yaml"),
    ):
        (tmp_path / f"{name}.yaml").write_text(text)
    assert list(files_about(tmp_path / "crane.yaml", "", *OFFERED)) == [tmp_path / "desk.yaml"]
    above = tmp_path / "assessments"
    above.mkdir()
    (above / "more.yaml").write_text(DESK.replace("./crane", "../crane"))
    (above / "jib.yaml").write_text(DESK.replace("./crane", "../jib"))
    own = [tmp_path / "desk.yaml", above / "more.yaml"]
    assert list(files_about(tmp_path / "crane.yaml", "", *OFFERED)) == own
    top = Document(Diagram.load(tmp_path / "crane.yaml"))
    others = [tmp_path / "other.yaml", above / "jib.yaml"]  # of another model, which the panel then names
    assert list(files_near(top, *OFFERED)) == [*own, *others]
    # nothing is written into the library
    monkeypatch.chdir(tmp_path)
    assert output_beside(shipped, ".h5") == tmp_path / "tower_crane.h5"
    assert output_beside(Path("/cranes/desk.yaml"), ".h5") == Path("/cranes/desk.h5")


def test_a_bar_is_full_at_the_limit() -> None:
    assert [filled(use) for use in (0.0, 0.5, 1.0, 1.8, float("inf"))] == [0, BAR // 2, BAR, BAR, BAR]
