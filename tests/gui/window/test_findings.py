"""Parts of answers in panels: folded notes, lists of figures, tables."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QApplication, QLabel, QTreeWidget

from luff.gui.window.analyses.figures_list import FiguresList
from luff.gui.window.analyses.findings_table import FindingsTable
from luff.gui.window.analyses.folded_notes import FoldedNotes, folded, split_place
from luff.solver.analysis.linearise import KINK
from luff.solver.results.verdict import Verdict


def test_kinks_are_one_line() -> None:
    kinks = [f"joint_{k}.force: {KINK}" for k in range(12)]
    shown, line, rest = folded(["sampled", *kinks])
    assert (shown, line, rest) == (["sampled"], "12 kinks", kinks)
    assert folded(["a", "b", "c", *kinks])[:2] == (["a"], "12 kinks, 2 more notes")
    assert folded(kinks[:1]) == (kinks[:1], "", [])
    assert split_place("the equilibrium at a.x = 1, a.y = 2 is stable: everything decays") == (
        ["The equilibrium is stable: everything decays"],
        "a.x = 1, a.y = 2",
    )
    assert split_place("the equilibrium is not judged: why") == (["the equilibrium is not judged: why"], "")
    assert split_place("") == ([], "")
    notes = FoldedNotes()
    notes.show_notes(kinks)
    assert not notes.rest.isVisibleTo(notes)
    notes.more.click()
    assert notes.rest.isVisibleTo(notes)
    assert notes.text().count(KINK) == 12


@pytest.mark.parametrize("width", [170, 200, 280])
def test_figures_wrap_and_are_never_cut(qtbot, width: int) -> None:
    figures = FiguresList()
    qtbot.addWidget(figures)
    long = "a_spherical_jointofgreatlength.position / a_hydraulic_cylinder.effort"
    figures.show_rows(
        [
            (long, "greatest gain 4.995e-07 rad/(N*m)", "at 0.0605 rad/s"),
            ("x", "unstable above 3", ""),
            ("range of y below 4", "5", Verdict.FAILS.shown),
        ]
    )
    figures.setFixedWidth(width)
    figures.show()
    QApplication.processEvents()
    labels = figures.findChildren(QLabel)
    assert {label.toolTip().partition("\n")[0] for label in labels} >= {long, "unstable above 3"}
    assert any("4.995e-07" in label.text() for label in labels)  # a number is not parted
    for label in labels:
        room = label.fontMetrics().boundingRect(
            QRect(0, 0, label.width(), 10_000), Qt.TextFlag.TextWordWrap, label.text()
        )
        assert room.width() <= label.width(), label.text()
        assert room.height() <= label.height(), label.text()
    told = {label.toolTip(): label.property("role") for label in labels}
    assert told["unstable above 3"] == told[f"5\n{Verdict.FAILS.shown}"] == "error"
    assert told["x"] == "muted"
    figures.show_rows([])
    assert not figures.isVisible()


def test_a_number_and_its_unit_stay_in_one_line(qtbot) -> None:
    words = "a sentence of a good many words that wraps where the panel is narrow"
    table = FindingsTable("t", [["what", "when"], *[[words, "28.426 s"]] * 3])
    qtbot.addWidget(table)
    width = table.fontMetrics().horizontalAdvance
    table.resize(width(words), 300)
    table.show()
    QApplication.processEvents()
    assert not table.uniformRowHeights()  # words do wrap
    assert table.columnWidth(0) < width(words)
    assert table.columnWidth(1) >= width("28.426 s")
    first = table.model().index(0, 1)
    assert " " not in table.itemDelegate().displayText(first.data(), table.locale())


def test_numbers_are_aligned_at_the_right_and_words_at_the_left(qtbot) -> None:
    table = FindingsTable("t", [["of", "value", "unit"], ["a", "1.5e-3", "m"], ["b", "-2", ""]])
    qtbot.addWidget(table)
    ways = [table.topLevelItem(0).textAlignment(k) & Qt.AlignmentFlag.AlignRight.value for k in range(3)]
    assert [bool(way) for way in ways] == [False, True, False]


def test_a_table_measures_its_cells_once_for_all_widths_of_the_panel(
    qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table of hundreds of rows follows the splitter; other rows and letters are measured anew."""
    plain, asked = QTreeWidget.sizeHintForColumn, []

    def counted(table: FindingsTable, column: int) -> int:
        asked.append(column)
        return plain(table, column)

    monkeypatch.setattr(FindingsTable, "sizeHintForColumn", counted, raising=False)
    table = FindingsTable("t", [["of", "value"], ["a long name of a joint", "1.5e-3"]])
    qtbot.addWidget(table)
    table.resize(600, 200)
    table.show()
    QApplication.processEvents()
    wide, asked[:] = table.columnWidth(0), []
    for width in range(60, 600, 30):
        table.resize(width, 200)
    assert not asked
    assert table.columnWidth(0) == wide
    font = table.font()
    font.setPointSizeF(2.0 * font.pointSizeF())
    table.setFont(font)
    assert asked == [0, 1]
    assert table.columnWidth(0) > 1.5 * wide
    asked.clear()
    table.show_rows([["of", "value"], ["b", "2"]])
    assert asked == [0, 1]
    assert table.columnWidth(0) < wide
