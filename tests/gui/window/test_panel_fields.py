"""Missing fields of an analysis are marked; the 3-D view names what it shows, which is of the panel in front."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLineEdit

from luff.blocks import LuffError
from luff.gui.plots.analysis_pictures import bode_pictures
from luff.gui.theme.completion_list import CompletionList
from luff.gui.window.analyses.frequency_range import FrequencyRange
from luff.gui.window.analyses.linear_panels import LocusPanel, MarginsPanel, ResponsePanel
from luff.gui.window.analyses.modes_panel import ModesPanel
from luff.gui.window.analyses.panel_table import PANELS
from luff.gui.window.analyses.search_panels import OptimisePanel
from luff.gui.window.dialogs.work_dialog import WorkDialog
from luff.gui.window.main_window import Window
from luff.gui.window.model_names import example_of
from luff.gui.window.work_form import ESCAPE
from luff.solver.analysis.frequency_response import FREQUENCY_UNITS, FrequencyResponse
from luff.tests.gui.driver import LONG, answered, panel_of

MASS, STIFFNESS = 2.0, 50.0
CART = f"""luff: 1
blocks:
  push: {{type: constant, value: 0, unit: N}}
  slide: {{type: prismatic, axis: x, stiffness: {STIFFNESS}, damping: 1}}
  cart: {{type: rigid_link, mass: {MASS}}}
  other: {{type: prismatic, axis: y, stiffness: 1e4, damping: 1}}
  block: {{type: rigid_link, mass: 1}}
connect:
  - world.frame -- slide.frame_a
  - slide.frame_b -- cart.frame_a
  - world.frame -- other.frame_a
  - other.frame_b -- block.frame_a
  - push.y -> slide.effort
"""


@pytest.fixture
def window(make_window, qtbot) -> Window:
    window = make_window(CART)
    qtbot.waitUntil(
        lambda: window.actions_["modes"].isEnabled() and window.view3d.model is not None, timeout=LONG
    )
    return window


def test_a_field_that_is_missing_is_marked_until_it_is_filled(window: Window, qtbot) -> None:
    panel = panel_of(window, "response")
    assert isinstance(panel, ResponsePanel)
    assert panel.inputs.placeholderText().startswith("e.g. ")  # which is no input that was chosen
    QTest.mouseClick(panel.begin, Qt.MouseButton.LeftButton)
    assert panel.said.text() == "Inputs: found no input, expected one such as slide.effort"
    assert panel.inputs.property("wrong")
    assert not panel.outputs.property("wrong")
    panel.inputs.setText("slide.effort")
    assert not panel.inputs.property("wrong")


def test_examples_are_names_of_the_model(window: Window) -> None:
    names = set(window.signal_tree.names)
    for key, label in (
        ("response", "Inputs"),
        ("response", "Outputs"),
        ("margins", "Loop opening"),
        ("sensitivity", "Signals"),
    ):
        text = panel_of(window, key).fields[label].placeholderText()
        assert text.startswith("e.g. ")
        for word in text.removeprefix("e.g. ").split(", "):
            assert word in names or word.endswith(".effort"), text
    assert example_of("a.mass, reach", ["b.mass", "far", "outreach"]) == "b.mass, outreach"
    assert example_of("a.speed, a.mass", ["b.mass"]) == "b.mass"
    assert example_of("a.mass", ["x", "a.mass", "b.mass"]) == "a.mass"


def test_a_range_that_is_missing_is_marked(window: Window, qtbot) -> None:
    panel = panel_of(window, "locus")
    assert isinstance(panel, LocusPanel)
    panel.parameter.setText("slide.stiffness")
    panel.low.setText("1")
    QTest.mouseClick(panel.begin, Qt.MouseButton.LeftButton)
    assert panel.high.property("wrong")
    assert panel.said.text() == "To: found no last value, expected one such as 100 N/m"


def test_a_range_is_not_cut_at_a_comma(window: Window, qtbot) -> None:
    panel = panel_of(window, "locus")
    assert isinstance(panel, LocusPanel)
    panel.low.setText("1,5")
    panel.high.setText("9")
    with pytest.raises(LuffError, match="1,5"):
        panel.values()


def test_inputs_are_listed_before_what_blocks_give(window: Window) -> None:
    for key in ("response", "linearise"):
        field = panel_of(window, key).fields["Inputs"]
        offered = field.findChild(CompletionList)
        offered.show_all()
        names = offered.model.stringList()
        first = [name for name in names if name.startswith("push.") or name.endswith(".effort")]
        assert {"slide.effort", "other.effort", "push.y"} <= set(first)
        assert names == [*sorted(first), *sorted(set(names) - set(first))]
        assert "other.position" in names[len(first) :]
        field.findChild(CompletionList).list.popup().hide()


class Slow(WorkDialog):
    title = "Slow"

    def build(self) -> None:
        self.line("Name", QLineEdit())


def test_escape_stops_the_work_of_a_dialog_after_a_word_and_closes_it_last(window: Window, qtbot) -> None:
    dialog, go_on = window.dialogs.open(Slow), Event()
    dialog.activateWindow()

    def work(tell: Callable[[object], None]) -> None:
        tell("begun")
        go_on.wait()

    dialog.work = lambda snapshot: work  # type: ignore[method-assign]
    field = dialog.fields["Name"]
    try:
        field.setFocus()
        dialog.start()
        qtbot.waitUntil(lambda: dialog.said.text() == "begun", timeout=LONG)
        QTest.keyClick(field, Qt.Key.Key_Escape)
        assert not field.hasFocus()
        assert dialog.said.text() == "begun"
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        assert dialog.said.text().endswith(ESCAPE)
        assert dialog.job.active
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        assert not dialog.job.active
        assert dialog.isVisible()
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        assert not dialog.isVisible()
    finally:
        go_on.set()


def test_an_output_that_does_not_respond_says_so(window: Window, qtbot) -> None:
    panel = panel_of(window, "response")
    assert isinstance(panel, ResponsePanel)
    panel.inputs.setText("slide.effort")
    panel.outputs.setText("slide.position, other.position")
    answered(panel, qtbot)
    assert "other.position does not respond to slide.effort" in panel.notes.text()
    assert "slide.position does not" not in panel.notes.text()
    assert panel.response is not None
    words = [curve.words for curve in bode_pictures(panel.response, {})[0].curves]
    assert [one is not None and one(0) == "no response" for one in words] == [False, True]
    units = {"slide.position": "rad", "slide.effort": "N*m"}
    words = [curve.words for curve in bode_pictures(panel.response, units)[0].curves]
    assert words[0] is not None
    assert words[0](0).endswith(" rad/(N·m))")


def test_the_3d_view_names_what_a_panel_shows(window: Window, qtbot) -> None:
    panel = panel_of(window, "modes")
    assert isinstance(panel, ModesPanel)
    answered(panel, qtbot)
    label, hertz = window.view3d.label, np.sqrt(STIFFNESS / MASS) / (2 * np.pi)
    assert label.text().startswith("Mode 1, ")
    assert float(label.text().split()[2]) == pytest.approx(hertz, rel=1e-3)  # four digits
    frames = window.view3d.swing.frames
    panel_of(window, "linearise")  # has no poses
    assert not window.view3d.swing.on
    assert label.text() == "t = 0.000 s"
    panel_of(window, "modes")
    QApplication.processEvents()
    assert window.view3d.swing.on
    assert np.array_equal(window.view3d.swing.frames, frames)


def test_escape_leaves_a_field_before_it_stops_the_work(window: Window, qtbot) -> None:
    panel, go_on = panel_of(window, "response"), Event()
    assert isinstance(panel, ResponsePanel)
    window.activateWindow()

    def work(tell: Callable[[object], None]) -> None:
        tell("begun")
        go_on.wait()

    panel.work = lambda snapshot: work  # type: ignore[method-assign]
    try:
        panel.inputs.setFocus()
        panel.start()
        qtbot.waitUntil(lambda: panel.said.text() == "begun", timeout=LONG)
        QTest.keyClick(panel.inputs, Qt.Key.Key_Escape)
        assert panel.job.active
        assert panel.cancel.hasFocus()
        QTest.keyClick(panel.cancel, Qt.Key.Key_Escape)  # is told first
        assert panel.said.text() == f"begun\n{ESCAPE}"
        assert panel.job.active
        panel._told("going on")
        assert panel.said.text() == f"going on\n{ESCAPE}"
        QTest.keyClick(panel.cancel, Qt.Key.Key_Escape)
        qtbot.waitUntil(lambda: panel.said.text() == panel.cancelled, timeout=LONG)
        assert panel.begin.hasFocus()  # not a field
    finally:
        go_on.set()


def test_a_state_that_makes_the_equilibrium_indifferent_is_shown_by_a_click(make_window, qtbot) -> None:
    window = make_window(CART.replace(f"stiffness: {STIFFNESS}, damping: 1", "damping: 0"))
    qtbot.waitUntil(lambda: window.actions_["modes"].isEnabled(), timeout=LONG)
    panel = panel_of(window, "linearise")
    assert "indifferent: slide.position neither decays nor grows" in answered(panel, qtbot)
    assert panel.states.names == ["slide.position"]
    window.view.canvas.clearSelection()
    panel.states.linkActivated.emit("slide.position")
    assert window.view.canvas.selected_blocks() == ["slide"]
    panel.clear()
    assert not panel.states.names


@pytest.mark.parametrize("size", [(600, 200), (1200, 200), (400, 700)])
def test_words_and_answers_move_no_field(window: Window, size: tuple[int, int], qtbot) -> None:
    panel = panel_of(window, "response")
    panel.setParent(None)
    panel.resize(*size)
    panel.show()
    QApplication.processEvents()
    places = lambda: {key: field.mapTo(panel, QPoint()) for key, field in panel.fields.items()}  # noqa: E731
    bar, before = panel.side.verticalScrollBar(), places()
    QTest.mouseClick(panel.begin, Qt.MouseButton.LeftButton)
    QApplication.processEvents()
    assert panel.said.isVisible()
    assert places() == before  # of a refusal
    panel.inputs.setText("slide.effort")
    panel.outputs.setText("slide.position")
    bar.setValue(bar.maximum() // 2)
    before = places()
    answered(panel, qtbot)
    QApplication.processEvents()
    assert panel.figures.isVisible()
    assert places() == before
    assert panel.told.height() <= panel.height() / 2 or size[0] > 1000


def test_frequencies_have_a_range_and_a_unit_that_panels_share(window: Window, qtbot) -> None:
    panel = panel_of(window, "response")
    assert isinstance(panel, ResponsePanel)
    panel.inputs.setText("slide.effort")
    panel.outputs.setText("slide.position")
    panel.frequencies.low.setText("1")
    panel.frequencies.high.setText("20")
    answered(panel, qtbot)
    assert isinstance(panel.response, FrequencyResponse)
    w = panel.response.frequencies
    assert (w[0], w[-1]) == pytest.approx((1.0, 20.0), rel=1e-12)  # rounding of a logarithmic scale
    panel.frequencies.units.setCurrentText("Hz")  # drawn anew, in place
    curve = panel.bode.graphs[-1].picture.curves[0]
    np.testing.assert_allclose(curve.x, w / (2 * np.pi), rtol=1e-12)
    assert panel.bode.graphs[-1].picture.below == "frequency [Hz]"
    panel.bode.put_cursor(1.0)
    assert panel.bode.graphs[0].unit == "Hz"
    assert float(panel.frequencies.low.text()) == pytest.approx(1 / (2 * np.pi), rel=1e-5)  # six digits
    resonance = np.sqrt(STIFFNESS / MASS) / (2 * np.pi)
    (peak,) = panel.figures.rows()
    assert float(peak[-1].split()[1]) == pytest.approx(resonance, rel=1e-2)  # damping of 0.05
    assert peak[-1].endswith(" Hz")
    other = panel_of(window, "margins")
    assert isinstance(other, MarginsPanel)
    assert other.frequencies.unit == "Hz"
    assert other.frequencies.low.text() == panel.frequencies.low.text()


def test_ranges_that_stand_side_by_side_are_one(qtbot) -> None:
    here, beside = FrequencyRange(), FrequencyRange()
    heard: list[str] = []
    for fields in (here, beside):
        qtbot.addWidget(fields)
    beside.unit_changed.connect(heard.append)
    here.low.setText("2")
    here.low.editingFinished.emit()
    assert beside.span() == here.span() == (2.0 * FREQUENCY_UNITS[here.unit], None)
    here.units.setCurrentText(other := next(unit for unit in FREQUENCY_UNITS if unit != here.unit))
    assert (beside.unit, heard) == (other, [other])
    assert beside.low.text() == here.low.text()


@pytest.mark.parametrize(("low", "high"), [("0", ""), ("-1", ""), ("a", ""), ("2", "1"), ("", "nan")])
def test_a_range_that_is_none_is_marked(low: str, high: str, qtbot) -> None:
    fields = FrequencyRange()
    qtbot.addWidget(fields)
    fields.low.setText(low)
    fields.high.setText(high)
    with pytest.raises(LuffError, match="expected"):
        fields.span()
    assert [field.property("wrong") or False for field in (fields.low, fields.high)] == [not high, bool(high)]


def test_the_wheel_over_a_form_changes_no_setting(window: Window) -> None:
    """It scrolls the form; a goal, a margin or a gust factor that it passes stays."""
    boxes = 0
    for key in PANELS:
        panel = panel_of(window, key)
        panel.show()
        for box in (*panel.findChildren(QComboBox), *panel.findChildren(QAbstractSpinBox)):
            kept = box.currentText() if isinstance(box, QComboBox) else box.text()
            turn = QPoint(0, -120)
            centre = QPointF(box.rect().center())
            event = QWheelEvent(
                centre, QPointF(box.mapToGlobal(centre)), QPoint(), turn, Qt.MouseButton.NoButton,
                Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
            )  # fmt: skip
            box.setFocus()
            QApplication.sendEvent(box, event)
            assert (box.currentText() if isinstance(box, QComboBox) else box.text()) == kept, (key, kept)
            boxes += 1
    assert boxes > 20


def test_an_optimisation_without_a_signal_marks_its_field(window: Window) -> None:
    panel = panel_of(window, "optimise")
    assert isinstance(panel, OptimisePanel)
    panel.take_in("cart.mass", "2")
    QTest.mouseClick(panel.begin, Qt.MouseButton.LeftButton)
    assert panel.said.text().startswith("Signal: found no signal, expected the one")
    assert panel.of.property("wrong")


def test_a_range_of_a_root_locus_is_about_the_value_of_its_parameter(window: Window) -> None:
    panel = panel_of(window, "locus")
    assert isinstance(panel, LocusPanel)
    window.top.set_value("other.stiffness", "4 kN/m")
    panel.parameter.setText("other.stiffness")
    ends = [panel.low.placeholderText(), panel.high.placeholderText()]
    assert ends == ["e.g. 2 kN/m", "e.g. 8 kN/m"]
    panel.parameter.setText("other.stiffnes")  # of no parameter nothing is known
    assert panel.low.placeholderText() == "e.g. 1"
