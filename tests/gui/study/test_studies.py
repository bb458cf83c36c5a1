"""Studies in the window: from the menu of a parameter to variants that are opened as runs."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QGraphicsView, QPushButton

import luff
from luff.blocks.errors import LuffError
from luff.gui.plots.plot_caption import MORE
from luff.gui.study.study_draft import Draft, named
from luff.gui.study.study_panel import BANDS, EACH_A_BAR, INDICES
from luff.gui.study.study_plots import VariantBars, VariantCurves, VariantSpread
from luff.gui.study.study_questions import PARAMETER, SIGNAL, VALUES, MeasureDialog, VaryDialog
from luff.gui.study.typed_values import parsed_values
from luff.gui.study.variant_table import VariantTable
from luff.gui.window.main_window import Window
from luff.solver.studies import load
from luff.solver.studies.study_settings import Measure
from luff.tests.gui.driver import LONG
from luff.tests.gui.user import User

# x'' = -k/m x from 0.1 m: by hand the peak speed is 0.1 sqrt(k/m)
SLIDER = """\
luff: 1
name: oscillator
blocks:
  # what is varied
  slide: {type: prismatic, axis: x, stiffness: 4 N/m, initial: {position: 0.1}}
  mass: {type: rigid_link, mass: 1 kg}
connect:
  - world.frame -- slide.frame_a
  - slide.frame_b -- mass.frame_a
simulation: {stop: 4 s, step: 5 ms}
plots: [{y: [slide.velocity]}]
layout: {world: [0, 0], slide: [200, 0], mass: [400, 0]}
"""

# with few rows: what a process writes while this one stands still must not fill a disk
NEVER_ENDS = {"stop": "1e7 s", "step": "5 ms", "output_step": "1e3 s"}


@pytest.fixture
def hands(make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> User:
    window = make_window(SLIDER, tmp_path / "oscillator.yaml")
    window.tabs.resize(1500, 950)
    QApplication.processEvents()
    return User(window, monkeypatch, tmp_path)


def dialog(window: Window, kind: type) -> VaryDialog | MeasureDialog:
    QApplication.processEvents()
    return next(child for child in window.findChildren(kind) if child.isVisible())


def varies(user: User, words: str) -> None:
    """By the menu of the field of the stiffness."""
    user.select("slide")
    row = user.row("stiffness")
    user.chooses("Vary in a Study...")
    user.right_click(row.editor.field, QPoint(5, 5))
    asked = dialog(user.window, VaryDialog)
    asked.field.selectAll()
    QTest.keyClicks(asked.field, words)
    QTest.keyClick(asked.field, Qt.Key.Key_Return)


def runs(user: User, qtbot) -> None:
    panel = user.window.study_panel
    panel.run_button.click()
    assert panel.stop_button.isEnabled(), user.window.log.toPlainText()
    qtbot.waitUntil(lambda: panel.run_button.isEnabled(), timeout=LONG)


def test_a_parameter_is_varied_run_drawn_opened_and_saved(hands: User, qtbot, monkeypatch) -> None:
    window, panel = hands.window, hands.window.study_panel
    varies(hands, "1 N/m, 4 N/m, 9 N/m")
    assert panel.draft.axes() == {"slide.stiffness": ["1 N/m", "4 N/m", "9 N/m"]}
    assert [(m.metric, m.of) for _, m in panel.draft.measures()] == [("peak", "slide.velocity")]
    assert panel.state.text() == "3 variants"
    before = window.top.diagram.to_yaml()
    runs(hands, qtbot)
    assert window.top.diagram.to_yaml() == before  # a study edits nothing
    rows = panel.table.rows()
    names = [f"slide.stiffness = {k} N/m" for k in (1, 4, 9)]
    assert list(rows) == names
    assert panel.bar.value() == 1000
    # the exact peaks, but for the coarseness of the rows: 2e-4 of the greatest
    assert panel.table.headerItem().text(2) == "slide.stiffness [N/m]"
    assert [rows[name].text(2) for name in names] == ["1", "4", "9"]  # a column to sort by
    peaks = [float(rows[name].text(3)) for name in names]
    assert np.allclose(peaks, [0.1, 0.2, 0.3], rtol=1e-3)
    panel.tabs.setCurrentIndex(1)
    panel.signal_box.setCurrentText("slide.position")
    for name, omega in zip(names, (1.0, 2.0, 3.0), strict=True):
        t, x = panel.curves.lines[name].T
        assert np.allclose(x, 0.1 * np.cos(omega * t), atol=1e-6)
    panel.tabs.setCurrentIndex(2)
    assert panel.number_box.currentText() == "peak of slide.velocity"
    line, points = panel.sweep.picture.curves
    assert list(line.x) == list(points.x) == [1.0, 4.0, 9.0]  # N/m
    assert line.y == pytest.approx(peaks, rel=1e-4)
    panel.bars_box.setCurrentText(EACH_A_BAR)
    assert list(panel.bars.values.values()) == pytest.approx(peaks, rel=1e-4)
    panel.tabs.setCurrentIndex(0)
    # one variant as the run that plots and signals show
    panel.table.setCurrentItem(rows[names[2]])
    QTest.keyClick(panel.table, Qt.Key.Key_Return)
    shown = window.deck.loaded
    assert shown is not None
    assert shown.at("slide.position", 1.0) == pytest.approx(0.1 * np.cos(3.0), abs=1e-5)
    assert names[2] in window.running.time.text()
    # saved, and read by the command
    target = hands.folder / "stiffness.yaml"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(target), ""))
    hands.menu("save_study")
    assert "model: oscillator.yaml" in target.read_text()
    assert [variant.name for variant in load(target).variants] == names
    # what was run stays: a fourth value runs alone
    panel.vary("slide.stiffness", ["1 N/m", "4 N/m", "9 N/m", "16 N/m"])
    runs(hands, qtbot)
    found = panel.results
    assert [found.seconds[name] > 0 for name in found.statuses] == [True] * 4
    assert float(panel.table.rows()["slide.stiffness = 16 N/m"].text(3)) == pytest.approx(0.4, rel=1e-3)


def test_draws_are_asked_for_run_and_drawn(hands: User, qtbot) -> None:
    panel = hands.window.study_panel
    panel.vary_button.click()
    asked = dialog(hands.window, VaryDialog)
    asked.path.setCurrentText("slide.stiffness")
    asked.taken.setCurrentText("normal")
    assert asked.field.text() == "4 N/m, 0.4 N/m"
    for words, sentence in (("4 N/m", "a mean and a standard deviation"), ("4 kg, 1 kg", "in N/m")):
        asked.field.setText(words)
        QTest.keyClick(asked, Qt.Key.Key_Return)
        assert sentence in asked.mistakes[VALUES].words
    asked.taken.setCurrentText("uniform")
    QTest.keyClick(asked, Qt.Key.Key_Return)
    panel.random.count.setValue(8)
    panel.random.seed.setValue(7)
    panel.random.sampling.activated.emit(2)
    uniform = {"uniform": ["3.2 N/m", "4.8 N/m"]}
    random = {"count": 8, "seed": 7, "draw": {"slide.stiffness": uniform}, "sampling": "sobol"}
    assert panel.draft.data["variants"] == {"random": random}
    assert panel.state.text() == "8 variants"
    runs(hands, qtbot)
    assert panel.table.headerItem().text(2) == "slide.stiffness [N/m]"
    peaks = panel.table.numbers(0)
    drawn = {name: float(item.text(2)) for name, item in panel.table.rows().items()}
    assert len(drawn) == 8
    assert all(3.2 <= value <= 4.8 for value in drawn.values())
    # by hand 0.1 sqrt(k/m); five digits are shown, rows are coarse by 2e-4
    assert [0.1 * np.sqrt(drawn[name]) for name in peaks] == pytest.approx(list(peaks.values()), rel=1e-3)
    panel.tabs.setCurrentIndex(1)
    assert panel.colour_box.currentText() == "slide.stiffness"
    assert len(panel.curves.caption.entries) == 5  # of the scale, not of the curves
    low, high = min(drawn, key=drawn.__getitem__), max(drawn, key=drawn.__getitem__)
    pens = dict(
        zip(panel.curves.lines, [c.opts["pen"].color() for c in panel.curves.item.items], strict=True)
    )
    assert pens[low] == panel.curves.caption.entries[0].pen.color()
    assert pens[high] == panel.curves.caption.entries[-1].pen.color()
    panel.colour_box.setCurrentText(BANDS)
    assert [entry.name for entry in panel.curves.caption.entries] == ["5 % to 95 %", "25 % to 75 %", "median"]
    values = np.array([rows[:, 1] for rows in panel.curves.lines.values()])
    times, median = panel.curves.item.items[-1].getData()
    rows = next(iter(panel.curves.lines.values()))[:, 0]
    assert median == pytest.approx(np.interp(times, rows, np.median(values, axis=0)), abs=1e-3)
    low_edge, high_edge = (panel.curves.item.items[k].getData()[1] for k in (0, 1))
    assert np.all(low_edge <= median)
    assert np.all(median <= high_edge)
    assert INDICES not in [panel.bars_box.itemText(k) for k in range(panel.bars_box.count())]  # not in pairs
    panel.tabs.setCurrentIndex(3)
    assert panel.spread.caption.title.startswith(
        f"8 variants: mean {np.mean(list(peaks.values())):.4g} m/s, dev"
    )
    bars = panel.spread.item.items[0]
    assert sum(bars.opts["height"]) == 8
    panel.over_box.setCurrentText("slide.stiffness")
    points = panel.spread.item.items[0]
    x, y = points.getData()
    assert 0.1 * np.sqrt(x) == pytest.approx(y, rel=1e-3)
    points.sigClicked.emit(points, points.points()[:1], None)
    assert panel.table.chosen() == [panel.table.currentItem().text(0)]
    panel.tree.setCurrentItem(panel.tree.topLevelItem(0).child(0))
    panel.remove_selected()
    assert "variants" not in panel.draft.data


def test_indices_of_paired_draws_are_bars(hands: User, qtbot) -> None:
    """Peak speed 0.1 sqrt(k/m) of the oscillator, with k spread widely and m hardly."""
    panel = hands.window.study_panel
    panel.asking.emit()
    panel.vary("slide.stiffness", ["2 N/m", "6 N/m"], "uniform")
    panel.vary("mass.mass", ["0.99 kg", "1.01 kg"], "uniform")
    panel.random.count.setValue(8)
    panel.random.sampling.setCurrentText("saltelli")
    panel.random.sampling.activated.emit(panel.random.sampling.currentIndex())
    runs(hands, qtbot)
    panel.tabs.setCurrentIndex(2)
    assert panel.bars_box.currentText() == INDICES
    bars = [item for item in panel.bars.item.items if "height" in getattr(item, "opts", {})]
    assert [entry.name for entry in panel.bars.caption.entries] == ["first order", "total"]
    (stiff, mass), (stiff_total, mass_total) = (bar.opts["height"] for bar in bars)
    assert stiff_total > 100 * abs(mass_total)  # variances as 1/3 to 1/30000 by hand
    assert abs(mass) < 0.1
    assert stiff > 0.3  # of eight points, an estimate
    panel.bars_box.setCurrentText(EACH_A_BAR)
    assert len(panel.bars.caption.entries) == 8 * 4


def test_a_study_is_cancelled_with_what_is_done_and_ends_with_its_window(hands: User, qtbot) -> None:
    window, panel = hands.window, hands.window.study_panel
    window.top.set_section("simulation", NEVER_ENDS)
    varies(hands, "1 N/m, 4 N/m")
    panel.run_button.click()
    qtbot.waitUntil(lambda: panel.table.topLevelItemCount() == 2, timeout=LONG)
    panel.add_measure("final", "slide.position")  # what is asked may change meanwhile
    assert panel.stop_button.isEnabled()
    assert not panel.run_button.isEnabled()
    panel.stop_button.click()
    qtbot.waitUntil(lambda: panel.run_button.isEnabled(), timeout=LONG)
    assert panel.state.text() == "0 of 2 variants are done"
    panel.run_button.click()
    assert window.studies.run.active
    process = window.studies.run._process
    qtbot.waitUntil(lambda: process.processId() > 0, timeout=LONG)
    window.studies.close()
    assert not window.studies.run.active
    assert not window.studies.run.output.parent.exists()


def test_a_study_that_is_no_longer_shown_ends_unheard(hands: User, qtbot) -> None:
    window, panel = hands.window, hands.window.study_panel
    window.top.set_section("simulation", NEVER_ENDS)
    varies(hands, "1 N/m, 4 N/m")
    panel.run_button.click()
    qtbot.waitUntil(lambda: panel.table.topLevelItemCount() == 2, timeout=LONG)
    window.studies.show(Draft())
    assert window.studies.run.active
    assert not panel.run_button.isEnabled()
    qtbot.waitUntil(lambda: not window.studies.run.active, timeout=LONG)
    assert panel.run_button.isEnabled()
    assert not panel.stop_button.isEnabled()
    assert panel.results is None
    assert panel.table.topLevelItemCount() == 0


def test_a_table_in_the_order_of_the_user_keeps_its_rows_while_variants_run(qtbot) -> None:
    table = VariantTable()
    qtbot.addWidget(table)
    table.show_states([(name, "running", 0.0) for name in "abc"], {})
    table.sortItems(0, Qt.SortOrder.DescendingOrder)
    table.rows()["b"].setSelected(True)
    table.show_states([(name, "running", 0.5) for name in "abc"], {})
    assert list(table.rows()) == ["c", "b", "a"]
    assert table.chosen() == ["b"]


class Found(dict[str, object]):
    """Results whose numbers are all alike."""

    messages: ClassVar[dict[str, str]] = {}

    def measured(self, name: str, measure: Measure) -> float:
        return -1234.5

    def shown_unit(self, measure: Measure) -> str:
        return "N*m"


def test_all_columns_are_in_sight_until_drawn_by_hand(qtbot) -> None:
    table, draft = VariantTable(), Draft()
    qtbot.addWidget(table)
    for signal in ("crane.luffing.total_torque", "crane.slewing.total_torque", "load.position"):
        draft.add_measure("peak", signal)
    measures = [measure for _, measure in draft.measures()]
    names = [f"crane.luffing.stiffness_{k}" for k in range(4)]
    for width in (320, 1600):
        table.resize(width, 240)
        table.show()
        table.clear_all()
        table.show_states([(name, "finished", 1.0) for name in names], {})
        table.show_numbers(Found.fromkeys(names), measures)  # type: ignore[arg-type]
        QApplication.processEvents()
        assert table.horizontalScrollBar().maximum() == 0
        heads = [table.headerItem().text(k) for k in range(5)]
        assert heads[2].endswith("[N·m]")
        assert [table.headerItem().toolTip(k) for k in range(5)] == heads
        shown = [table.columnWidth(k) >= table.header().sectionSizeHint(k) for k in range(5)]
        assert all(shown) == (width == 1600)  # heads give way, and where there is room they need not
        assert all(table.columnWidth(k) >= table.sizeHintForColumn(k) for k in range(1, 5))  # numbers do not
        assert table.rows()[names[0]].toolTip(0) == names[0]
    table.header().resizeSection(2, 333)
    table.resize(320, 240)
    assert table.columnWidth(2) == 333


def test_the_panel_has_room_on_a_small_screen(hands: User) -> None:
    window, panel = hands.window, hands.window.study_panel
    window.tabs.resize(1280, 720)
    window.panels.show("Studies")
    dock = window.panels.docks["Studies"]
    dock.setFloating(True)
    dock.resize(500, 300)
    panel.state.setText("9 of 9 variants are done")
    QApplication.processEvents()
    assert panel.width() <= 510
    for button in panel.findChildren(QPushButton):
        assert button.width() >= button.minimumSizeHint().width(), button.text()
    tabs = panel.tabs.tabBar()
    assert tabs.tabRect(tabs.count() - 1).right() <= tabs.width()  # all of them, without arrows
    panel.tabs.setCurrentIndex(2)
    for count in (2, 30):
        panel.bars.show_bars(
            {f"mass = {k} kg": float(k) for k in range(count)}, "the peak of something [m/s]"
        )
        QApplication.processEvents()
        more = [text for _, k, text in panel.bars.caption._boxes() if k == MORE]
        assert len(more) == (count == 30)  # thirty names would leave no picture
        assert panel.bars.item.getViewBox().height() > 0.5 * panel.bars.height()
    axis = panel.bars.item.getAxis("left")
    for text in ("m", "the peak of something that has a long name [m/s]"):
        panel.bars.side.show_text(text, "#000000")
        words = axis.label.mapRectToParent(axis.label.boundingRect())
        assert words.center().y() == pytest.approx(axis.size().height() / 2, abs=2)
        assert words.height() <= axis.size().height() + 8  # the text's own margin


def test_pictures_are_made_once_they_are_looked_at(hands: User) -> None:
    """A window opens sooner without them."""
    panel = hands.window.study_panel
    assert panel.findChildren(QGraphicsView) == []
    panel.tabs.setCurrentIndex(2)
    assert {type(made) for made in panel.findChildren(QGraphicsView)} == {
        VariantCurves,
        VariantBars,
        VariantSpread,
    }
    assert panel.bars.parentWidget() is panel.tabs.currentWidget()


def test_numbers_and_axes_come_and_go(hands: User) -> None:
    panel = hands.window.study_panel
    varies(hands, "1 N/m to 3 N/m in 3")
    assert panel.draft.axes()["slide.stiffness"] == ["1 N/m", "2 N/m", "3 N/m"]
    panel.metric_button.click()
    asked = dialog(hands.window, MeasureDialog)
    asked.number.setCurrentText("final")
    QTest.keyClick(asked, Qt.Key.Key_Return)
    assert "no signal" in asked.mistakes[SIGNAL].words
    asked.of.setCurrentText("slide.position")
    asked.unit.setText("mm")
    QTest.keyClick(asked, Qt.Key.Key_Return)
    assert [m.metric for _, m in panel.draft.measures()] == ["peak", "final"]
    numbers = panel.tree.topLevelItem(1)
    hands.window.activateWindow()
    panel.tree.setFocus()
    panel.tree.setCurrentItem(numbers.child(0))
    QTest.keyClick(panel.tree, Qt.Key.Key_Delete)
    assert [m.metric for _, m in panel.draft.measures()] == ["final"]
    panel.tree.setCurrentItem(panel.tree.topLevelItem(0).child(0))
    QTest.keyClick(panel.tree, Qt.Key.Key_Delete)
    assert panel.draft.axes() == {}
    assert "variants" not in panel.draft.data
    panel.vary_button.click()
    asked = dialog(hands.window, VaryDialog)
    assert "mass.mass" in panel.paths
    asked.path.setCurrentText("mass.mass")
    assert asked.field.text() == "0.5 kg, 1 kg, 2 kg"
    asked.field.setText("1 kg to 0 kg in 3 log")
    QTest.keyClick(asked, Qt.Key.Key_Return)
    assert "over zero" in asked.mistakes[VALUES].words
    for words, sentence in (
        ("nonsense,", "nonsense"),
        ("1 kg, 3 N", "expected a quantity in kg"),
        ("-1 kg", "-1"),
    ):
        asked.field.setText(words)
        QTest.keyClick(asked, Qt.Key.Key_Return)
        assert asked.isVisible()
        assert sentence in asked.mistakes[VALUES].words
    asked.reject()


def test_examples_of_values_follow_the_parameter(hands: User) -> None:
    hands.window.actions_["vary"].trigger()
    asked = dialog(hands.window, VaryDialog)
    assert isinstance(asked, VaryDialog)
    for path, words in (
        (
            "slide.stiffness",
            "2 N/m, 4 N/m, 8 N/m\n2 N/m to 8 N/m in 9\n4 N/m to 400 N/m in 5 log",
        ),
        (
            "slide.initial.position",
            "0.05 m, 0.1 m, 0.2 m\n0.05 m to 0.2 m in 9\n0.1 m to 10 m in 5 log",
        ),
        ("slide.damping", "0.5 N·s/m, 1 N·s/m, 2 N·s/m"),  # it is zero: examples are of one
        ("", "0.5, 1, 2\n"),
    ):
        asked.path.setCurrentText(path)
        assert asked.hint.text().startswith(words)
        assert "kg" not in asked.field.toolTip()
        if path:  # what is told is accepted
            for example in asked.hint.text().splitlines():
                asked.field.setText(example)
                asked.take()
    asked.reject()


def test_a_mistake_stands_at_its_field_until_that_is_typed_in(hands: User) -> None:
    hands.window.study_panel.vary_button.click()
    asked = dialog(hands.window, VaryDialog)
    at_path, at_values = asked.mistakes[PARAMETER], asked.mistakes[VALUES]
    QTest.keyClick(asked, Qt.Key.Key_Return)
    assert "found no parameter" in at_path.words
    assert at_path.isVisible()
    assert asked.path.property("wrong")
    QTest.keyClicks(asked.path.lineEdit(), "slide.stifness")
    assert not at_path.isVisible()  # nothing is judged while it is typed
    asked.field.setFocus()
    QApplication.processEvents()
    wanted = 'found parameter slide.stifness, expected one of the model (did you mean "slide.stiffness"?)'
    assert at_path.words == wanted
    asked.path.setCurrentText("slide.stiffness")
    assert not at_path.isVisible()
    assert not asked.path.property("wrong")
    asked.field.setText("3 kg")
    QTest.keyClick(asked, Qt.Key.Key_Return)
    assert at_values.isVisible()
    assert not at_path.isVisible()
    asked.path.setCurrentText("mass.mass")  # its own values are proposed
    assert not at_values.isVisible()
    asked.reject()


def test_a_metric_of_no_signal_is_told_at_its_field(hands: User, qtbot) -> None:
    panel = hands.window.study_panel
    qtbot.waitUntil(lambda: bool(hands.window.signal_tree.names), timeout=LONG)
    panel.metric_button.click()
    asked = dialog(hands.window, MeasureDialog)
    asked.of.setCurrentText("slide.positon")
    with pytest.raises(LuffError, match=r'did you mean "slide.position"'):
        asked.take()
    asked.of.setCurrentText("slide.position")
    asked.take()
    asked.reject()


def test_a_study_of_the_library_opens_with_its_model_and_keeps_its_words(make_window, tmp_path) -> None:
    window = make_window()
    window.running._ask_timer.blockSignals(True)  # what the model computes is not looked at
    library = Path(luff.__file__).parent / "library"
    source = library / "studies" / "crane_gpme_supports.yaml"
    window.studies.open_study(source)
    assert window.top.path.stem == "crane_gpme"
    panel = window.study_panel
    assert list(panel.draft.axes()) == ["s_z"]
    assert panel.table.topLevelItemCount() == 0
    assert len(panel.draft.measures()) == 8
    panel.vary("s_z", ["1e5 N/m", "2e5 N/m"])
    panel.draft.save(tmp_path / "mine.yaml", window.top.path)
    lines = (tmp_path / "mine.yaml").read_text().splitlines()
    old = source.read_text().splitlines()
    changed = [line for line in lines if line not in old]
    assert changed == ["    s_z: [1e5 N/m, 2e5 N/m]"]


def test_values_are_read_as_lists_and_ranges() -> None:
    assert parsed_values("1, 2.5, 4", "") == [1, 2.5, 4]
    assert parsed_values("[0, 1], [1, 0]", "") == [[0, 1], [1, 0]]
    assert parsed_values("1 kg to 2 t in 2", "kg") == ["0.001 t", "2 t"]
    assert parsed_values("1 to 100 in 3 log", "") == [1.0, 10.0, 100.0]
    assert parsed_values("0:90:45", "deg") == ["0 deg", "45 deg", "90 deg"]  # as in files
    for text, words in (
        ("", "no value"),
        ("1, 1", "twice"),
        ("1 to x in 3", "expected values"),
        ("1 to 2 in 1", "2 to"),
    ):
        with pytest.raises(LuffError, match=words):
            parsed_values(text, "")


def test_a_model_is_named_from_where_the_study_lies(tmp_path: Path) -> None:
    assert named(tmp_path / "a.yaml", tmp_path / "s.yaml") == "a.yaml"
    assert named(tmp_path / "a.yaml", tmp_path / "in" / "s.yaml") == "../a.yaml"
    (tmp_path / "a.yaml").write_text(SLIDER)
    with pytest.raises(LuffError, match="not a study"):
        Draft.open(tmp_path / "a.yaml")
