"""Analyse > Load Chart: the numbers are those of the closed form, its table and files those of the command."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from luff.gui.window.dialogs.assess_table import FindingsTable
from luff.gui.window.dialogs.load_chart_dialog import LoadChartDialog
from luff.tests.gui.driver import answered, dialog_of
from luff.tests.solver.assessment.test_load_capacity import stand, tipping_load


@pytest.fixture
def dialog(make_window, tmp_path: Path) -> LoadChartDialog:
    path = stand(tmp_path)
    dialog = dialog_of(make_window(path.read_text(), path), "load_chart")
    assert isinstance(dialog, LoadChartDialog)
    return dialog


def test_loads_of_a_stand(dialog: LoadChartDialog, qtbot, tmp_path: Path, monkeypatch) -> None:
    dialog.load.setText("load")
    dialog.along.setText("reach")
    dialog.places.setText("6m,8m")
    dialog.each.setText("azimuth")
    dialog.curves.setText("0deg,90deg")
    dialog.margin.setValue(1.25)
    assert answered(dialog, qtbot) == "4 places."
    table = dialog.tabs.widget(1)
    assert isinstance(table, FindingsTable)
    rows = [table.topLevelItem(k) for k in range(table.topLevelItemCount())]
    places = [(azimuth, reach) for azimuth in (0.0, math.pi / 2) for reach in (6.0, 8.0)]
    for row, (azimuth, reach) in zip(rows, places, strict=True):
        wanted = tipping_load(reach, azimuth) / 1.25 / 1e3
        assert float(row.text(2)) == pytest.approx(wanted, rel=5e-3)  # as the chart itself promises
    assert dialog.view.figure is not None
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "chart.csv"), ""))
    QTest.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    lines = (tmp_path / "chart.csv").read_text().splitlines()
    assert lines == [",".join(words) for words in dialog.chart.rows()]


def test_a_further_limit_governs(dialog: LoadChartDialog, qtbot) -> None:
    dialog.load.setText("load")
    dialog.along.setText("reach")
    dialog.places.setText("6m")
    dialog.limits.setText("slew.position")
    assert "expected signal<value" in answered(dialog, qtbot)
    dialog.limits.setText("root.M_y<100kN*m, root.M_y>-100kN*m")
    answered(dialog, qtbot)
    assert dialog.chart is not None
    assert "root.M_y" in dialog.chart.limits[0]
    assert dialog.chart.rated[0] == pytest.approx(100e3 / (9.80665 * 6.0), rel=5e-3)  # it tips at 10 t


@pytest.mark.parametrize(
    ("load", "along", "values", "words"),
    [
        ("", "reach", "6m", "found no load"),
        ("load", "", "6m", "found no parameter"),
        ("load", "reach", "", "found no values of reach"),
        ("load", "reach", "6m:8m", "expected FROM:TO:STEP"),
        ("load", "rich", "6m", "rich"),
        ("lead", "reach", "6m", "lead"),
    ],
)
def test_what_cannot_be_charted_is_told(
    dialog: LoadChartDialog, qtbot, load: str, along: str, values: str, words: str
) -> None:
    for field, text in ((dialog.load, load), (dialog.along, along), (dialog.places, values)):
        field.setText(text)
    assert words in answered(dialog, qtbot)
    assert dialog.said.property("role") == "error"
