"""The wheel and drags in plots: what they move over curves of time, over an axis, and with Ctrl."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from luff.gui.plots.graph import Curve, GraphStack, Picture
from luff.gui.plots.plot_base import Plot
from luff.gui.plots.plot_pane import PlotPane
from luff.tests.gui.driver import run_to_end
from luff.tests.gui.fake_run import FakeSim
from luff.tests.shared.netlists import TWO_LINKS

NONE, CTRL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton
NOTCH = 120  # of the wheel, in Qt's eighths of a degree


def middle(pane: Plot) -> QPoint:
    return pane.mapFromScene(pane.box.sceneBoundingRect().center())


def beside(pane: Plot, pixels: int) -> QPoint:
    """A place on the axis at the left of a plot, or at its right."""
    edge = pane.box.sceneBoundingRect()
    return pane.mapFromScene(
        QPointF((edge.left() if pixels < 0 else edge.right()) + pixels, edge.center().y())
    )


def turn(pane: Plot, place: QPoint, keys: Qt.KeyboardModifier = NONE) -> None:
    at = QPointF(place)
    event = QWheelEvent(
        at,
        QPointF(pane.viewport().mapToGlobal(place)),
        QPoint(),
        QPoint(0, NOTCH),
        Qt.MouseButton.NoButton,
        keys,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(pane.viewport(), event)


def drag(pane: PlotPane, by: QPoint) -> None:
    place = middle(pane)
    QTest.mousePress(pane.viewport(), LEFT, NONE, place)
    for part in (0.5, 1.0):
        QTest.mouseMove(pane.viewport(), place + by * part)
    QTest.mouseRelease(pane.viewport(), LEFT, NONE, place + by)


def ranges(pane: Plot) -> tuple[list[float], list[float]]:
    across, upright = pane.box.viewRange()
    return list(across), list(upright)


@pytest.fixture
def panes(make_window, qtbot) -> list[PlotPane]:
    """A plot of two units, and one beside it, of 2 s."""
    window = make_window(
        TWO_LINKS + "plots: [{y: [shoulder.position, elbow.position]}, {y: [elbow.position]}]\n"
    )
    window.panels.show("Plots")
    sim = FakeSim(["shoulder.position", "elbow.position"])
    sim.units["elbow.position"] = "N"
    run_to_end(window, qtbot, sim)
    QApplication.processEvents()
    return window.deck.panes


def test_the_wheel_stretches_the_time_of_all_plots_which_fit_what_is_seen(panes: list[PlotPane]) -> None:
    first, second = panes
    for _ in range(20):
        turn(first, middle(first))
    (start, end), values = ranges(first)
    assert end - start < 0.2
    assert ranges(second)[0] == pytest.approx([start, end])
    for pane, shift in ((first, 0.0), (second, 1.0)):
        low, high = ranges(pane)[1]
        seen = np.sin(np.linspace(start, end) + shift)
        assert low < seen.min() < seen.max() < high
        assert np.ptp(seen) > 0.5 * (high - low)
    drag(first, QPoint(-first.width() // 3, 30))
    assert ranges(first)[0][0] > start
    assert ranges(first)[1] != values  # followed the curve, not the mouse
    low, high = ranges(first)[1]
    seen = np.sin(np.linspace(*ranges(first)[0]))
    assert low < seen.min() < seen.max() < high
    assert not first.fixed_y


def test_values_stay_as_the_wheel_over_their_axis_left_them(panes: list[PlotPane]) -> None:
    first, second = panes
    (time, values), right = ranges(first), first.right.box.viewRange()[1]
    turn(first, beside(first, -20))
    closer = ranges(first)
    assert closer[0] == time
    assert np.ptp(closer[1]) < np.ptp(values)
    assert np.ptp(first.right.box.viewRange()[1]) < np.ptp(right)  # goes with it
    turn(first, middle(first))
    assert ranges(first)[1] == closer[1]
    assert np.ptp(ranges(first)[0]) < np.ptp(time)
    kept, right = ranges(first)[1], first.right.box.viewRange()[1]
    turn(first, beside(first, 20))
    assert ranges(first)[1] == kept
    assert np.ptp(first.right.box.viewRange()[1]) < np.ptp(right)
    drag(first, QPoint(0, 20))
    assert ranges(first)[1] > kept  # what was moved by hand is dragged by hand
    assert not second.fixed_y


def test_ctrl_and_the_wheel_stretch_both_axes(panes: list[PlotPane]) -> None:
    first, _ = panes
    time, values = ranges(first)
    turn(first, middle(first), CTRL)
    assert np.ptp(ranges(first)[0]) < np.ptp(time)
    assert np.ptp(ranges(first)[1]) < np.ptp(values)
    assert first.fixed_y


@pytest.fixture
def stack(qtbot) -> GraphStack:
    """Two graphs of an analysis, of ramps over 2 s."""
    stack = GraphStack("Answer", "t", "s")
    qtbot.addWidget(stack)
    stack.resize(500, 400)
    stack.show()
    curves = [Curve("a", np.linspace(0.0, 2.0, 50), np.linspace(0.0, size, 50)) for size in (1.0, 3.0)]
    stack.show_pictures([Picture([curve], "time [s]") for curve in curves])
    QApplication.processEvents()
    return stack


def test_the_wheel_leaves_the_curves_of_an_analysis_in_sight(stack: GraphStack) -> None:
    first, second = stack.graphs
    at = middle(first) + QPoint(first.width() // 4, 0)  # where the ramp is high
    for _ in range(12):
        turn(first, at)
    QApplication.processEvents()
    start, end = ranges(first)[0]
    assert end - start < 1.0
    assert ranges(second)[0] == pytest.approx([start, end])
    for graph, slope in ((first, 0.5), (second, 1.5)):
        low, high = ranges(graph)[1]
        assert low < slope * start < slope * min(end, 2.0) < high
        assert slope * (end - start) > 0.5 * (high - low)
    turn(first, at, CTRL)
    kept = ranges(first)[1]
    turn(first, at)
    QApplication.processEvents()
    assert ranges(first)[1] == kept  # as it was left by hand


def test_a_double_click_shows_all_of_the_pictures_of_an_analysis_again(stack: GraphStack) -> None:
    whole = [ranges(graph) for graph in stack.graphs]
    for graph in stack.graphs:
        turn(graph, middle(graph))
    QApplication.processEvents()
    assert all(
        np.ptp(ranges(graph)[1]) < np.ptp(seen[1]) for graph, seen in zip(stack.graphs, whole, strict=True)
    )
    QTest.mouseDClick(stack.graphs[1].viewport(), LEFT, NONE, middle(stack.graphs[1]))
    QApplication.processEvents()
    for graph, (across, upright) in zip(stack.graphs, whole, strict=True):
        assert ranges(graph)[0] == pytest.approx(across)
        assert ranges(graph)[1] == pytest.approx(upright)
