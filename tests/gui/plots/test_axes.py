"""Axes of plots: numbers that leave room for the title, units and ranges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QAction, QFontMetricsF, QImage, QPainter, QPicture
from PySide6.QtWidgets import QApplication, QInputDialog, QMenu

from luff.gui.plots.graph import Curve, Graph, Picture
from luff.gui.plots.pane_menu import PaneMenu
from luff.gui.plots.plot_base import LONGEST, short_number
from luff.gui.plots.plot_pane import PlotPane
from luff.gui.plots.plot_spec import PlotSpec
from luff.gui.run import run_history
from luff.gui.run.run_history import History
from luff.gui.window.main_window import Window
from luff.tests.gui.driver import run_to_end
from luff.tests.gui.fake_run import FakeSim
from luff.tests.gui.user import User
from luff.tests.shared.netlists import TWO_LINKS


def numbers_of(axis: pg.AxisItem) -> list[tuple[QRectF, int, str]]:
    """Places and texts of an axis's numbers."""
    picture = QPicture()
    painter = QPainter(picture)
    _, _, texts = axis.generateDrawSpecs(painter)
    painter.end()
    return texts


@pytest.mark.parametrize(
    ("value", "spacing", "words"),
    [
        (450000.0, 50000.0, "4.5e5"), (400000.0, 100000.0, "4e5"), (-1250000.0, 250000.0, "-1.25e6"), (0.0, 1e5, "0"),
        (5000.0, 5000.0, "5000"), (2.5e-5, 5e-6, "2.5e-5"), (1e-9 * 1e5, 1e5, "0"), (300000.2, 0.1, "3.000002e5"),
    ],
)  # fmt: skip
def test_a_long_number_is_written_with_its_power(value: float, spacing: float, words: str) -> None:
    assert short_number(value, spacing) == words
    assert float(words) == pytest.approx(value, abs=1e-3 * spacing)


@pytest.mark.parametrize(("last", "wide"), [(1.0, 600.0), (3.0, 600.0), (7.0, 200.0), (300.0, 600.0)])
def test_an_axis_of_counts_has_whole_numbers(qtbot, last: float, wide: float) -> None:
    graph = Graph("Best value")
    qtbot.addWidget(graph)
    curve = Curve("best", np.array([0.0, last]), np.array([1.0, 1.2]))
    for counts in (True, False):
        graph.show_picture(Picture([curve], "runs", counts=counts))
        axis = graph.axes["bottom"]
        steps = [step for step, _ in axis.tickSpacing(0.0, last, wide)]
        assert (min(steps) >= 1.0) is (counts or last > 100.0)
    assert len(axis.tickValues(0.0, last, wide)[0][1]) >= 2  # type: ignore[attr-defined]


@pytest.mark.parametrize("size", [1.0, 480000.0, -3.2e7, 2e-6])
def test_no_number_lies_on_the_title(qapp: QApplication, size: float) -> None:
    pane = PlotPane(PlotSpec())
    pane.resize(400, 260)
    pane.show()
    axis = pane.item.getAxis("left")
    pane.side.show_text("luff_drive.effort [N*m]", "#000000")
    pane.item.plot(np.array([0.0, 1.0]), np.array([0.7 * size, size]))
    pane.autoRange()
    qapp.processEvents()
    levels = axis.tickValues(*sorted(pane.box.viewRange()[1]), axis.boundingRect().height())  # type: ignore[attr-defined]
    texts = [text for spacing, values in levels[:2] for text in axis.tickStrings(list(values), 1.0, spacing)]
    assert texts
    title = axis.label.boundingRect().height()  # it stands upright
    metrics = QFontMetricsF(qapp.font())
    wide = max(metrics.horizontalAdvance(text) for text in texts)
    assert wide + title <= axis.width() + 10  # tick and margins of the label
    assert max(map(len, texts)) <= LONGEST + 3
    pane.close()


CAPTION = "crane.superstructure.luffing_cylinder.position"


def filled() -> History:
    history = History([CAPTION, "b"], {CAPTION: "m", "b": "N"})
    time = np.linspace(0.0, 10.0, 101)
    history.append(time, np.column_stack([time, 1e4 * time]))
    return history


@pytest.mark.parametrize(("x", "size"), [("time", (420, 160)), (CAPTION, (420, 160)), (CAPTION, (260, 150))])
def test_title_below_a_plot_is_whole_and_clear_of_the_numbers(
    qapp: QApplication, x: str, size: tuple[int, int]
) -> None:
    pane = PlotPane(PlotSpec("", ["b"], x))
    pane.resize(*size)
    pane.show_lower_axis(True)
    pane.show()
    pane.refresh(filled(), (0.0, 10.0), live=False)
    qapp.processEvents()
    axis = pane.item.getAxis("bottom")
    label = axis.label
    assert label.isVisible()
    metrics = QFontMetricsF(label.font())
    title = label.mapRectToScene(label.boundingRect())
    high = metrics.ascent() + metrics.descent()  # without the margins that a label has
    low = title.center().y() + high / 2
    assert low <= pane.height() - 1
    assert title.left() >= 0
    assert title.right() <= pane.width() + 4  # its margin
    numbers = axis.mapRectToScene(axis.boundingRect()).top() + QFontMetricsF(axis.font()).height()
    assert title.center().y() - high / 2 >= numbers
    assert ("time [s]" if x == "time" else "[m]") in label.toPlainText()
    pane.close()


def test_the_first_and_the_last_number_stand_at_the_ends_of_the_time(qapp: QApplication) -> None:
    pane = PlotPane(PlotSpec("", ["b"]))
    pane.resize(420, 200)
    pane.show()
    pane.refresh(filled(), (0.0, 10.0), live=False)
    qapp.processEvents()
    texts = numbers_of(axis := pane.item.getAxis("bottom"))
    ends = {text: axis.mapRectToScene(box) for box, _, text in texts if text in ("0", "10")}
    assert set(ends) == {"0", "10"}
    assert ends["0"].left() >= 0
    assert ends["10"].right() <= pane.width()
    pane.close()


@pytest.mark.parametrize(
    ("low", "high"),
    [(0.0, 10.0), (12.34560001, 12.34560009), (-1e9, 1e9 + 1), (1e-12, 5e-12), (3e5, 3e5 + 0.4)],
)
@pytest.mark.parametrize("wide", [180, 400, 900])
def test_numbers_along_a_level_axis_lie_apart(qapp: QApplication, low: float, high: float, wide: int) -> None:
    pane = PlotPane(PlotSpec("", ["b"], CAPTION))
    pane.resize(wide, 200)
    pane.show()
    pane.refresh(filled(), (0.0, 10.0), live=False)
    pane.item.setXRange(low, high, padding=0)
    qapp.processEvents()
    texts = numbers_of(pane.item.getAxis("bottom"))
    boxes = sorted((box for box, _, _ in texts), key=lambda box: box.left())
    assert boxes
    assert all(a.right() <= b.left() for a, b in pairwise(boxes))
    pane.close()


def test_the_numbers_at_the_ends_of_an_upright_axis_are_drawn(qapp: QApplication) -> None:
    """In a low plot too, where half a number stands out over its axis."""
    pane = PlotPane(PlotSpec("", ["b"]))
    pane.resize(420, 150)
    pane.show()
    pane.refresh(filled(), (0.0, 10.0), live=False)
    pane.item.setYRange(0.0, 6.0, padding=0)
    qapp.processEvents()
    texts = numbers_of(pane.item.getAxis("left"))
    assert {"0", "6"} <= {text for _, _, text in texts} or {"0", "5"} <= {text for _, _, text in texts}
    pane.close()


def test_numbers_of_a_low_plot_lie_apart(qapp: QApplication) -> None:
    pane = PlotPane(PlotSpec("", ["b"]))
    pane.show_lower_axis(False)
    pane.resize(420, pane.least)
    pane.show()
    pane.refresh(filled(), (0.0, 10.0), live=False)
    pane.item.setYRange(0.7, 1.5, padding=0)
    qapp.processEvents()
    texts = numbers_of(pane.item.getAxis("left"))
    middles = sorted(box.center().y() for box, _, _ in texts)
    assert len(middles) > 1
    assert all(b - a >= QFontMetricsF(qapp.font()).ascent() for a, b in pairwise(middles))
    pane.close()


@pytest.mark.parametrize(
    ("span", "step"), [((-200.0, 20.0), 90.0), ((-100.0, 0.0), 45.0), ((-8.0, 2.0), 2.0)]
)
def test_angles_are_written_in_parts_of_a_turn(
    qapp: QApplication, span: tuple[float, float], step: float
) -> None:
    pane = PlotPane(PlotSpec())
    axis = pane.axes["left"]
    axis.degrees = True
    spacing = axis.tickSpacing(*span, 150.0)[0][0]
    assert spacing == step if step >= 5.0 else spacing <= 5.0
    assert len(axis.tickValues(*span, 150.0)[0][1]) >= 2  # type: ignore[attr-defined]
    pane.close()


def test_decades_are_written_alike(qapp: QApplication) -> None:
    pane = PlotPane(PlotSpec())
    axis = pane.item.getAxis("left")
    assert axis.logTickStrings([-4.0, 2.0, 5.0, 10.0], 1.0, 1.0) == ["1e-4", "100", "1e5", "1e10"]
    pane.close()


def test_an_axis_writes_all_its_numbers_alike(qapp: QApplication) -> None:
    pane = PlotPane(PlotSpec())
    axis = pane.item.getAxis("left")
    pane.item.setYRange(0.0, 1e5)
    coarse = axis.tickStrings([0.0, 5e4, 1e5], 1.0, 5e4)
    fine = axis.tickStrings([1e4, 2e4], 1.0, 1e4)
    assert (coarse, fine) == (["0", "5e4", "1e5"], ["1e4", "2e4"])
    pane.close()


def test_a_plot_without_curves_has_no_numbers(qapp: QApplication) -> None:
    pane = PlotPane(PlotSpec("", ["b"]))
    pane.resize(420, 200)
    pane.show()
    qapp.processEvents()
    axes = [pane.item.getAxis(side) for side in ("left", "bottom")]
    assert not any(axis.style["showValues"] for axis in axes)
    assert "Run" in pane.empty.text  # type: ignore[attr-defined]
    painter = QPainter(picture := QPicture())
    assert axes[0].generateDrawSpecs(painter)[1:] == ([], [])
    painter.end()
    assert picture
    pane.refresh(filled(), (0.0, 10.0), live=False)
    assert all(axis.style["showValues"] for axis in axes)
    assert pane.empty.text == ""  # type: ignore[attr-defined]
    pane.show_spec(PlotSpec())
    assert "Drop" in pane.empty.text  # type: ignore[attr-defined]
    assert not any(axis.style["showValues"] for axis in axes)
    pane.close()


def test_a_plot_is_shown_in_another_unit_and_range_which_the_file_keeps(make_window, qtbot, tmp_path) -> None:
    text = TWO_LINKS + "plots: [{title: Drive, y: [shoulder.position]}]\n"
    window = make_window(text, tmp_path / "arm.yaml")
    user = User(window, None, tmp_path)
    run_to_end(window, qtbot, FakeSim(["shoulder.position", "elbow.position"]))
    pane = window.deck.panes[0]
    user.chooses("Unit", "deg")
    user.pane_menu(0)
    assert "{title: Drive, y: [shoulder.position], unit: deg}" in window.document.diagram.to_yaml()
    pane.refresh(window.deck.history, (0.0, 2.0), live=False)
    x, y = pane.curves["shoulder.position"].getData()
    np.testing.assert_allclose(y, np.degrees(np.sin(x)), atol=0.3)  # 5e-3 rad by thinning
    assert pane.side.text == "[deg]"
    window.deck.cursor_action.setChecked(True)
    pane.cursors.place(0.5)
    (row,) = pane.cursors.rows()
    assert (row.unit, row.numbers) == ("deg", [f"{np.degrees(np.sin(0.5)):.5g}"])
    window.deck.cursor_action.setChecked(False)
    # least, greatest and RMS of the stretch that is shown: sin from 0 to 1 s has the RMS of the root of 1/2 - sin(2)/4
    window.deck.measures_action.setChecked(True)
    pane.item.setXRange(0.0, 1.0, padding=0)
    pane.cursors.show_measures(True)
    least, greatest, _, rms = map(float, pane.cursors.rows()[0].numbers)
    assert least == 0.0
    assert greatest == pytest.approx(np.degrees(np.sin(1.0)), rel=1e-3)
    assert rms == pytest.approx(np.degrees(np.sqrt(0.5 - np.sin(2.0) / 4)), rel=1e-3)
    window.deck.measures_action.setChecked(False)
    PaneMenu(window.deck, window.deck, 0).set_axis(replace(window.deck.panes[0].spec, range=(-60.0, 60.0)))
    pane.refresh(window.deck.history, (0.0, 2.0), live=False)
    assert tuple(pane.box.viewRange()[1]) == (-60.0, 60.0)
    assert "unit: deg, range: [-60, 60]}" in window.document.diagram.to_yaml()
    assert not [p for p in window.document.diagram.check() if p.severity == "error"]
    window.document.undo.undo()
    window.document.undo.undo()
    assert window.document.diagram.to_yaml() == text


def test_a_range_that_is_none_is_refused_in_words(make_window, qtbot, monkeypatch) -> None:
    window = make_window(TWO_LINKS + "plots: [{y: [shoulder.position]}]\n")
    said: list[str] = []
    window.deck.message.connect(said.append)
    for text, refused in (("3, 1", True), ("low", True), ("1, 3", False), ("", False)):
        monkeypatch.setattr(QInputDialog, "getText", lambda *_, found=text, **__: (found, True))
        said.clear()
        PaneMenu(window.deck, window.deck, 0).ask_range()
        assert bool(said) is refused
    assert window.deck.panes[0].spec.range is None


def test_a_name_has_the_unit_of_its_axis(make_window) -> None:
    window = make_window(TWO_LINKS + "plots: [{y: [torque, share]}]\n")
    window.deck.loaded = made = run_history.History(["torque", "share"], {"torque": "N*m", "share": ""})
    made.append(np.array([0.0, 1.0]), np.array([[0.0, 0.1], [10.0, 0.2]]))
    window.deck.tick(force=True)
    pane = window.deck.panes[0]
    assert [entry.name for entry in pane.caption.entries] == ["torque [N·m]", "share [-]"]
    made.append(np.array([2.0]), np.array([[2e5, 0.2]]))
    window.deck.tick(force=True)
    assert pane.side.text == "[kN·m]"
    assert [entry.name for entry in pane.caption.entries] == ["torque [kN·m]", "share [-]"]


def test_a_name_keeps_its_unit_when_its_block_is_renamed(make_window) -> None:
    window = make_window(TWO_LINKS + "plots: [{y: [shoulder.position, elbow.rate]}]\n")
    units = {"shoulder.position": "rad", "elbow.rate": ""}
    window.deck.loaded = made = run_history.History([*units], units)
    made.append(np.array([0.0, 1.0]), np.array([[0.0, 0.1], [10.0, 0.2]]))
    window.deck.tick(force=True)
    pane = window.deck.panes[0]
    told = lambda: [entry.name for entry in pane.caption.entries]  # noqa: E731
    window.document.rename("elbow", "wrist")
    assert told() == ["shoulder.position [rad]", "wrist.rate [-]"]
    window.document.undo.undo()
    assert told() == ["shoulder.position [rad]", "elbow.rate [-]"]
    # a unit that is known later
    made.units["elbow.rate"] = "rad/s"
    window.deck.tick(force=True)
    assert told() == ["shoulder.position [rad]", "elbow.rate [rad/s]"]


def test_readings_are_in_the_unit_of_their_axis(qtbot) -> None:
    pane = PlotPane(PlotSpec(y=["angle", "torque"]))
    qtbot.addWidget(pane)
    history = run_history.History(["angle", "torque"], {"angle": "rad", "torque": "N*m"})
    history.append(np.linspace(0.0, 1.0, 11), np.linspace((0.0, 0.0), (0.02, 5e3), 11))
    pane.refresh(history, (0.0, 1.0), live=False)
    pane.cursors.show(True)
    pane.cursors.place(0.5)
    assert (pane.side.text, pane.right.label.text) == ("[mrad]", "[kN·m]")
    told = lambda: [(row.unit, row.numbers) for row in pane.cursors.rows()]  # noqa: E731
    assert told() == [("mrad", ["10"]), ("kN·m", ["2.5"])]
    pane.box.setYRange(0.0, 2.0)
    assert told()[0] == ("rad", ["0.01"])


def of_angle_and_share(make_window: Callable[[str], Window], plots: str) -> Window:
    """Window with plots of a run: an angle from 0 to 10 rad, and a share from 100 to 300."""
    window = make_window(f"{TWO_LINKS}plots: {plots}\n")
    made = run_history.History(["angle", "share"], {"angle": "rad", "share": ""})
    made.append(np.linspace(0.0, 1.0, 11), np.linspace((0.0, 100.0), (10.0, 300.0), 11))
    window.deck.loaded = made
    window.deck.tick(force=True)
    return window


def test_an_axis_has_curves_of_one_unit(make_window) -> None:
    """Beside radians a plain number has an axis of its own, at the right, with its own range."""
    window = of_angle_and_share(make_window, "[{y: [angle, share]}, {y: [share]}, {y: [angle], unit: deg}]")
    both, *others = window.deck.panes
    assert [pane.side.text for pane in window.deck.panes] == ["[rad]", "[-]", "[deg]"]
    assert [pane.right.label.text for pane in window.deck.panes] == ["[-]", "", ""]
    assert [entry.name for entry in both.caption.entries] == ["angle [rad]", "share [-]"]
    assert both.curves["share"] in both.right.box.addedItems
    assert both.curves["angle"] in both.box.addedItems
    assert both.box.viewRange()[1] == pytest.approx([-0.8, 10.8])
    assert both.right.box.viewRange() == [pytest.approx([0.0, 1.0]), pytest.approx([84.0, 316.0])]
    assert not any(pane.item.getAxis("right").isVisible() for pane in others)
    both.set_logarithmic(True)
    window.deck.tick(force=True)
    low, high = np.log10([100.0, 300.0])
    assert both.right.box.viewRange()[1] == pytest.approx(
        [low - 0.08 * (high - low), high + 0.08 * (high - low)]
    )
    # a plot that is given one unit again has one axis
    both.show_spec(replace(both.spec, y=["share"]))
    window.deck.tick(force=True)
    assert not both.item.getAxis("right").isVisible()
    assert both.curves["share"] in both.box.addedItems


def test_both_axes_move_and_stretch_together_by_hand(make_window) -> None:
    window = of_angle_and_share(make_window, "[{y: [angle, share]}, {x: angle, y: [share]}]")
    window.deck.fit()
    both, path = window.deck.panes
    whole, fitted = path.box.viewRange(), both.right.box.viewRange()
    assert fitted[1] == pytest.approx([84.0, 316.0])
    both.box.scaleBy(x=0.5, y=0.5, center=(0.25, 2.0))  # 2 rad stands where 140 does
    both.box.moved.emit(True)
    assert both.right.box.viewRange()[1] == pytest.approx([112.0, 228.0])
    both.box.translateBy(x=0.4, y=1.0)  # 20 of the right axis
    both.box.moved.emit(True)
    assert both.right.box.viewRange()[1] == pytest.approx([132.0, 248.0])
    assert both.right.label.text == "[-]"
    window.deck.fit()
    assert both.right.box.viewRange() == [pytest.approx(numbers) for numbers in fitted]
    # the path has shown the stretch of time that was chosen; now it is all there
    assert path.box.viewRange() == [pytest.approx(numbers) for numbers in whole]


def test_units_of_two_axes_stand_apart_and_each_has_its_own(make_window, qtbot) -> None:
    text = TWO_LINKS + "plots: [{y: [shoulder.position, shoulder.velocity]}]\n"
    window = make_window(text)
    run_to_end(window, qtbot, FakeSim(["shoulder.position", "shoulder.velocity"]))
    assert window.deck.history is not None
    window.deck.history.units["shoulder.velocity"] = "rad/s"  # the run that stands in for one has one unit
    own = [window.deck.history.units[name] for name in ("shoulder.position", "shoulder.velocity")]
    assert own[0] != own[1]

    def units() -> dict[str, QAction]:
        return {action.text(): action for action in unit_menu().actions() if not action.isSeparator()}

    def unit_menu() -> QMenu:
        menu = next(a.menu() for a in PaneMenu(window.deck, window.deck, 0).actions() if a.text() == "Unit")
        assert isinstance(menu, QMenu)
        return menu

    actions = unit_menu().actions()
    between = [k for k, action in enumerate(actions) if action.isSeparator() and k > 0]
    names = [action.text() for action in actions]
    assert any(names.index(own[0]) < k < names.index(own[1]) for k in between)
    assert [name for name, action in units().items() if action.isChecked()] == own
    units()["deg"].trigger()
    assert window.deck.panes[0].spec.unit == "deg"
    assert [name for name, action in units().items() if action.isChecked()] == ["deg", own[1]]
    units()[own[1]].trigger()  # it is shown already
    assert window.deck.panes[0].spec.unit == "deg"
    units()[own[0]].trigger()
    assert window.deck.panes[0].spec.unit == ""


def test_numbers_of_a_logarithmic_axis_do_not_overlap(qtbot) -> None:
    graph = Graph("Bode diagram 1", "f", "Hz")
    qtbot.addWidget(graph)
    graph.resize(800, 200)
    x = np.geomspace(0.05, 73.0, 50)
    graph.show_picture(Picture([Curve("gain", x, x, 0)], "frequency [Hz]", log=True))
    graph.show()
    graph.box.updateAutoRange()
    axis = graph.item.getAxis("bottom")
    image = QImage(800, 200, QImage.Format.Format_ARGB32)
    painter = QPainter(image)
    _, _, texts = axis.generateDrawSpecs(painter)
    painter.end()
    words = [text for _, _, text in texts]
    assert {"0.1", "1", "10"} <= set(words)  # decades are kept
    boxes = sorted((rect for rect, _, _ in texts), key=lambda rect: rect.left())
    assert len(boxes) > 6
    assert all(a.right() < b.left() for a, b in pairwise(boxes))
