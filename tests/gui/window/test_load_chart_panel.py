"""Analyse > Load Chart: the numbers are those of the closed form, its table and files those of the command."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from luff.gui.theme.completion_list import CompletionList
from luff.gui.window.analyses.findings_table import FindingsTable
from luff.gui.window.analyses.load_chart_panel import LoadChartPanel
from luff.tests.gui.driver import answered, panel_of
from luff.tests.solver.assessment.outrigger_crane import stand, tipping_load


@pytest.fixture
def panel(make_window, tmp_path: Path) -> LoadChartPanel:
    path = stand(tmp_path)
    panel = panel_of(make_window(path.read_text(), path), "load_chart")
    assert isinstance(panel, LoadChartPanel)
    return panel


def test_loads_of_a_stand(panel: LoadChartPanel, qtbot, tmp_path: Path, monkeypatch) -> None:
    panel.load.setText("load")
    panel.along.setText("reach")
    panel.places.setText("6m,8m")
    panel.each.setText("azimuth")
    panel.curves.setText("0deg,90deg")
    panel.margin.setValue(1.25)
    assert answered(panel, qtbot) == "4 places"
    table = panel.pages.widget(1)
    assert isinstance(table, FindingsTable)
    rows = [table.topLevelItem(k) for k in range(table.topLevelItemCount())]
    places = [(azimuth, reach) for azimuth in (0.0, math.pi / 2) for reach in (6.0, 8.0)]
    for row, (azimuth, reach) in zip(rows, places, strict=True):
        wanted = tipping_load(reach, azimuth) / 1.25 / 1e3
        assert float(row.text(2)) == pytest.approx(wanted, rel=5e-3)  # as the chart itself promises
    graph = panel.view.graphs[0]
    graph.put_cursor(6.0)
    assert graph.caption.moment == "reach = 6 m"
    assert [entry.value.partition(" ")[0] for entry in graph.caption.entries[:2]] == [
        f"{panel.chart.rated[k, 0] / 1e3:.5g}" for k in range(2)
    ]
    # between two places no more is told or drawn than what both bear: a chord would lie above the tipping load
    graph.put_cursor(7.0)
    told = [entry.value.partition(" ")[0] for entry in graph.caption.entries[:2]]
    assert told == [f"{min(panel.chart.rated[k]) / 1e3:.5g}" for k in range(2)]
    for curve, azimuth in zip(graph.picture.curves, (0.0, math.pi / 2), strict=False):
        assert float(curve.y[0]) < tipping_load(7.0, azimuth) / 1.25 / 1e3
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "chart.csv"), ""))
    QTest.mouseClick(panel.save, Qt.MouseButton.LeftButton)
    lines = (tmp_path / "chart.csv").read_text().splitlines()
    assert lines == [",".join(words) for words in panel.chart.rows()]


def test_a_model_without_a_file_is_charted_as_it_stands(make_window, qtbot, tmp_path: Path) -> None:
    panel = panel_of(make_window(stand(tmp_path).read_text()), "load_chart")
    assert isinstance(panel, LoadChartPanel)
    panel.load.setText("load")
    panel.along.setText("reach")
    panel.places.setText("6m")
    assert answered(panel, qtbot) == "1 place"
    assert panel.chart is not None
    assert panel.chart.rated[0] == pytest.approx(tipping_load(6.0, math.pi / 2), rel=5e-3)
    panel.window_.top.set_parameter("load", "2 t")
    assert panel.ages
    assert not panel.is_current()  # it is of this model, and old now


def test_a_further_limit_governs(panel: LoadChartPanel, qtbot) -> None:
    panel.load.setText("load")
    panel.along.setText("reach")
    panel.places.setText("6m")
    panel.limits.setText("slew.position")
    assert "expected signal<value" in answered(panel, qtbot)
    panel.limits.setText("root.M_y<100kN*m, root.M_y>-100kN*m")
    answered(panel, qtbot)
    assert panel.chart is not None
    assert "root.M_y" in panel.chart.limits[0]
    assert panel.chart.rated[0] == pytest.approx(100e3 / (9.80665 * 6.0), rel=5e-3)  # it tips at 10 t
    graph = panel.view.graphs[0]
    panel.along.setText("azimuth")
    panel.places.setText("0deg")
    answered(panel, qtbot)
    graph.put_cursor(0.0)
    assert graph.caption.moment == "azimuth = 0 deg"  # of the chart that is shown


@pytest.mark.parametrize(
    ("load", "along", "values", "words"),
    [
        ("", "reach", "6m", "found no load"),
        ("load", "", "6m", "found no parameter"),
        ("load", "reach", "", "X values: found no values of reach"),
        ("load", "reach", "6m:8m", "X values: found 6m:8m, expected values as"),
        ("load", "reach", "6 to 12 m", "X values: found 6 to 12 m, expected values as"),
        ("load", "reach", "6 kg to 12 kg in 2", "X values: found"),
        ("load", "rich", "6m", "rich"),
        ("lead", "reach", "6m", "lead"),
    ],
)
def test_what_cannot_be_charted_is_told(
    panel: LoadChartPanel, qtbot, load: str, along: str, values: str, words: str
) -> None:
    for field, text in ((panel.load, load), (panel.along, along), (panel.places, values)):
        field.setText(text)
    said = answered(panel, qtbot)
    assert words in said
    assert ".yaml" not in said  # no line of a file that nobody touched
    assert bool(panel.places.property("wrong")) == said.startswith("X values")
    assert panel.said.property("role") == "error"


def test_names_are_read_whole_in_the_list_below_a_narrow_field(make_window, tmp_path: Path) -> None:
    text = stand(tmp_path).read_text().replace("azimuth", "azimuth_of_the_slewing_column")
    panel = panel_of(make_window(text), "load_chart")
    assert isinstance(panel, LoadChartPanel)
    panel.load.setFixedWidth(90)
    below = panel.load.findChild(CompletionList)
    assert below is not None
    below.show_all()
    names = below.model.stringList()
    assert "." not in names[0]  # those of the diagram first
    longest = max(panel.load.fontMetrics().horizontalAdvance(name) for name in names)
    assert below._popup().viewport().width() >= longest > 90
    below._popup().hide()
