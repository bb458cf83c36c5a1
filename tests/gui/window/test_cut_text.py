"""No text of an analysis, a dialog or a study is cut at the sizes of usual screens, before and after an answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit

from luff.gui.window.analyses.figures_list import FiguresList
from luff.gui.window.analyses.findings_table import FindingsTable, broken
from luff.gui.window.analyses.modes_panel import DAMPING
from luff.gui.window.analyses.panel_table import PANELS
from luff.gui.window.dialogs.dialog_table import DIALOGS
from luff.gui.window.docks import dock_layout
from luff.gui.window.main_window import Window
from luff.tests.gui.cut_text import cut_texts
from luff.tests.gui.driver import LONG, answered, dialog_of, panel_of
from luff.tests.shared.netlists import SWINGING_ROD

# logical pixels: 1920x1080 and 3840x2160 at 200 % take the first, 1920x1080 at 200 % the last
SIZES = ((1600, 1000), (1280, 720), (960, 540))


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def window(request: pytest.FixtureRequest, make_window, monkeypatch, tmp_path: Path, qtbot) -> Window:
    wide, high = request.param
    monkeypatch.setattr(dock_layout, "_room", lambda window: QRect(0, 0, wide, high))
    window = make_window(SWINGING_ROD, tmp_path / "arm.yaml")
    window.tabs.resize(wide, high)
    window.panels.arrange(QRect(0, 0, wide, high))
    qtbot.waitUntil(
        lambda: window.actions_["modes"].isEnabled() and window.view3d.model is not None, timeout=LONG
    )
    return window


def test_no_text_of_a_panel_is_cut(window: Window) -> None:
    cut = []
    for key in PANELS:
        panel = panel_of(window, key)
        cut += [f"{key}: {line}" for line in cut_texts(panel)]
        panel.close_button.click()
        QApplication.processEvents()
    assert not cut


@pytest.mark.parametrize("key", [key for key in DIALOGS if key != "export_ssp"])
def test_no_text_of_a_dialog_is_cut(window: Window, key: str) -> None:
    dialog = dialog_of(window, key)
    QApplication.processEvents()
    assert not [*cut_texts(dialog)]
    room = window.tabs.size()
    assert dialog.width() <= room.width()
    assert dialog.height() <= room.height()
    dialog.close()


def test_no_text_of_an_answer_is_cut(window: Window, qtbot) -> None:
    for key in ("modes", "static"):
        panel = panel_of(window, key)
        answered(panel, qtbot)
        QApplication.processEvents()  # words have their places then
        cut = [*cut_texts(panel)]
        if window.tabs.width() < 1000 and key == "modes":  # beside the mode's picture the last columns scroll
            table = panel.findChild(FindingsTable)
            assert table.label_of(DAMPING) == "Damping ratio"
            right = table.columnViewportPosition(DAMPING) + table.columnWidth(DAMPING)
            assert right <= table.viewport().width()
            cut = [line for line in cut if not line.startswith(("FindingsTable", "QHeaderView"))]
        assert not cut, key


def test_cut_text_is_seen(qtbot) -> None:
    """Each kind of widget that is measured is found where it has too little room."""
    field = QLineEdit(placeholderText="a placeholder that is long")
    table = FindingsTable("t", [["name of a column", "value"], ["words " * 9, "1.25"], ["b", "2"]])
    for widget in (field, table):
        qtbot.addWidget(widget)
        widget.resize(60, 60)
        widget.show()
        assert [*cut_texts(widget)]
        widget.resize(400, 90)
        QApplication.processEvents()
        assert not [*cut_texts(widget)]


def test_words_wrap_before_a_column_lies_beside_the_view(qtbot) -> None:
    rows = [["check", "value", "governing run"], ["a b c " * 12, "1.25", "d"], ["e", "2", "f"]]
    table = FindingsTable("t", rows)
    qtbot.addWidget(table)
    table.resize(320, 200)
    table.show()
    QApplication.processEvents()
    assert not [*cut_texts(table)]
    heights = [table.visualItemRect(table.topLevelItem(k)).height() for k in range(2)]
    assert heights[0] > 2 * heights[1]
    table.resize(1200, 200)
    QApplication.processEvents()
    assert table.visualItemRect(table.topLevelItem(0)).height() == heights[1]


def test_a_head_breaks_where_it_is_narrowest() -> None:
    assert broken("Rated load [t]", 20, len) == "Rated load [t]"
    assert broken("Rated load [t]", 5, len) == "Rated\nload [t]"
    assert broken("time", 1, len) == "time"


def test_answers_write_units_as_the_rest_of_the_window_does(qtbot) -> None:
    """In cells, heads and figures, but not in names of runs, which open them."""
    table = FindingsTable("t", [["stiffness [N*m/rad]", "unit", "run"], ["1.25", "kg*m^2", "pull=2 N*m"]])
    figures = FiguresList()
    qtbot.addWidget(table)
    qtbot.addWidget(figures)
    assert table.label_of(0) == "Stiffness [N·m/rad]"
    assert table.rows() == [["1.25", "kg·m²", "pull=2 N*m"]]
    assert table.run_of(table.topLevelItem(0)) == "pull=2 N*m"
    figures.show_rows([("cost", "3 N*m*s")])
    assert "3 N·m·s" in [label.text() for label in figures.findChildren(QLabel)]
