"""A study proposes what can differ, says what equal values are, and its questions begin at their first field."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtWidgets import QApplication

from luff import LuffError
from luff.gui.study.study_panel import MEASURE
from luff.gui.study.study_plots import VariantBars, VariantSpread, parameters_of
from luff.gui.study.study_questions import MeasureDialog, VaryDialog
from luff.gui.study.typed_values import in_short
from luff.gui.theme.active_theme import paper
from luff.gui.window.main_window import Window
from luff.gui.window.study_actions import mistake_of, numbers, value_of
from luff.tests.gui.cut_text import cut_texts
from luff.tests.gui.driver import LONG
from luff.tests.shared.netlists import TWO_LINKS

DRIVEN = """\
luff: 1
blocks:
  goal: {type: sine, amplitude: 1 N, frequency: 1 rad/s}
  slide: {type: prismatic, axis: x, stiffness: 4 N/m}
  mass: {type: rigid_link, mass: 1 kg}
connect:
  - world.frame -- slide.frame_a
  - slide.frame_b -- mass.frame_a
  - goal.y -> slide.effort
plots: [{y: [goal.y, slide.position]}]
"""

GAINS = """
luff: 1
blocks:
  two: {type: sine, amplitude: [1, 2]}
  pd: {type: pd, kp: [2 kN*m/rad, 3 kN*m/rad], kd: 5 N*m*s/rad}
connect: [two.trajectory -> pd.target, two.trajectory -> pd.measured]
"""


def asked(window: Window, kind: type) -> VaryDialog | MeasureDialog:
    QApplication.processEvents()
    return next(child for child in window.findChildren(kind) if child.isVisible())


def test_the_first_metric_is_of_a_signal_that_can_differ(make_window, tmp_path: Path) -> None:
    window = make_window(DRIVEN, tmp_path / "driven.yaml")
    window.study_panel.asking.emit()
    window.study_panel.vary("slide.stiffness", ["1 N/m", "4 N/m"])
    measured = [measure.of for _, measure in window.study_panel.draft.measures()]
    assert measured == ["slide.position"]  # the sine is the same in all variants


def test_curves_begin_with_a_signal_that_can_differ(make_window, qtbot, tmp_path: Path) -> None:
    short = "simulation: {stop: 0.1 s, step: 5 ms}\n"
    window = make_window(DRIVEN.partition("plots:")[0] + short, tmp_path / "driven.yaml")
    panel = window.study_panel
    qtbot.waitUntil(lambda: bool(window.signal_tree.names), timeout=LONG)
    panel.asking.emit()
    assert sorted(panel.signals) == sorted(window.signal_tree.names)
    assert panel.signals[-1].startswith("goal.")  # the source is offered last
    assert not panel.signals[0].startswith("goal.")
    panel.vary("slide.stiffness", ["1 N/m", "4 N/m"])
    numbers = panel.tree.topLevelItem(1)
    assert [numbers.child(k).text(0) for k in range(numbers.childCount())] == [MEASURE]
    panel.run_button.click()
    qtbot.waitUntil(lambda: panel.results is not None, timeout=LONG)
    assert panel.signal_box.currentText() == panel.signals[0]
    panel.add_measure("peak", "slide.position")
    assert panel.tree.topLevelItem(1).child(0).text(0) == "peak of slide.position"


def test_questions_begin_at_their_first_field_and_no_text_is_cut(make_window, tmp_path: Path) -> None:
    window = make_window(DRIVEN, tmp_path / "driven.yaml")
    for width in (1500, 960):
        window.tabs.resize(width, 540)
        window.panels.show("Studies")
        QApplication.processEvents()
        assert not [*cut_texts(window.study_panel)]
    window.study_panel.vary_button.click()
    vary = asked(window, VaryDialog)
    assert vary.focusWidget() in (vary.path, vary.path.lineEdit())
    assert not [*cut_texts(vary)]
    vary.reject()
    window.study_panel.metric_button.click()
    assert not [*cut_texts(asked(window, MeasureDialog))]


def test_equal_values_are_a_line_and_different_ones_bins(qtbot) -> None:
    shown = VariantSpread()
    qtbot.addWidget(shown)
    for values, words in (
        ((2.0, 2.0, 2.0), "3 variants: all 2"),
        ((2.0, 2.0 + 1e-12, 2.0), "3 variants: mean 2, deviation 5.774e-13"),
        ((2.0, 4.0), "2 variants: mean 3 kN, deviation 1.414 kN"),
        ((4.0, 4.0), "2 variants: all 4 kN"),
    ):
        unit = " [kN]" if len(values) == 2 else ""
        shown.show_spread(dict(zip("abc"[: len(values)], values, strict=True)), f"peak{unit}", None)
        bins = [item for item in shown.item.items if isinstance(item, pg.BarGraphItem)]
        assert bool(bins) == (np.ptp(values) > 0.0)
        assert shown._summary() == words


def test_bars_name_the_parameters_that_their_legend_leaves_out() -> None:
    assert parameters_of(["load = 1 t, reach = 6 m", "load = 2 t, reach = 6 m"]) == "load, reach"
    assert parameters_of(["nominal"]) == ""
    assert parameters_of([]) == ""


def test_bars_of_one_colour_differ_in_pattern(qtbot) -> None:
    shown = VariantBars()
    qtbot.addWidget(shown)
    count = 2 * len(paper().curves) + 1
    shown.show_bars({f"variant {k}": 1.0 for k in range(count)}, "peak")
    brushes = [item.opts["brush"] for item in shown.item.items if isinstance(item, pg.BarGraphItem)]
    assert len({(brush.color().name(), brush.style()) for brush in brushes}) == count
    pens = [entry.pen for entry in shown.caption.entries]
    assert len({(pen.color().name(), pen.style()) for pen in pens}) == count


def test_a_parameter_takes_values_of_its_unit_where_a_block_has_its_name_too(make_window, tmp_path) -> None:
    model = DRIVEN.replace("blocks:", "parameters: {slide: 8 m, half: =slide/2, heavy: 2 t}\nblocks:", 1)
    window = make_window(model, tmp_path / "driven.yaml")
    panel = window.study_panel
    panel.vary_button.click()
    vary = asked(window, VaryDialog)
    for path, text, values in (
        ("slide", "6 m, 800 cm", ["6 m", "800 cm"]),
        ("slide", "6, 8", ["6 m", "8 m"]),
        ("slide", "6 m to 10 m in 3", ["6 m", "8 m", "10 m"]),
        ("half", "3, 4", ["3 m", "4 m"]),
        ("heavy", "1 to 2 in 2", ["1 t", "2 t"]),
        ("mass.mass", "2, 3 t", ["2 kg", "3 t"]),
    ):
        vary.path.setCurrentText(path)
        vary.field.setText(text)
        vary.take()
        assert vary.values == values
    vary.path.setCurrentText("slide")
    vary.field.setText("6 kg")
    with pytest.raises(LuffError, match="expected a quantity in m"):
        vary.take()
    vary.reject()


def test_elements_of_gains_are_offered_with_their_values(make_window) -> None:
    top = make_window(GAINS).top
    assert [name for name in numbers(top) if name.startswith("pd.k")] == ["pd.kp[0]", "pd.kp[1]", "pd.kd"]
    assert value_of(top, "pd.kp[1]") == ("3 kN*m/rad", "kN*m/rad")
    assert value_of(top, "pd.kp[2]")[0] is None
    assert mistake_of(top, "pd.kp[1]", "4 N*m/rad") == ""
    assert "expected a unit of the kind of N·m·s/rad" in mistake_of(top, "pd.kd", "4 N*m/rad")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([f"{k} MN*m/rad" for k in range(1, 5)], "1 to 4 MN·m/rad in 4"),
        (["1 N", "10 N", "100 N"], "1 to 100 N in 3 log"),
        (["1 t", "2 t", "5 t"], "1, 2, 5 t"),
        ([1, 2], "1, 2"),
        (["1 t", "2 kg*m^2"], "1 t, 2 kg·m²"),
        (["poly5", "jerk"], "poly5, jerk"),
    ],
)
def test_values_of_a_study_say_their_unit_once(values: list, words: str) -> None:
    assert in_short(values) == words


def test_what_varies_is_read_whole(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.panels.show("Studies")
    QApplication.processEvents()
    panel = window.study_panel
    panel.vary("telescope_drive.kp", [f"{k} MN*m/rad" for k in range(1, 5)])
    QApplication.processEvents()
    item = panel.tree.topLevelItem(0).child(0)
    assert item.text(1) == "1 to 4 MN·m/rad in 4"
    assert panel.tree.columnWidth(1) >= panel.tree.sizeHintForColumn(1)
    assert panel.tree.columnWidth(0) + panel.tree.columnWidth(1) <= panel.tree.width()
