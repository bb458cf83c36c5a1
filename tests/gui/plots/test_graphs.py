"""Plots of answers in a low panel: whole plots, with one lower axis."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication

import luff
from luff.gui.plots.analysis_pictures import margin_pictures, nyquist_picture
from luff.gui.plots.graph import Curve, Graph, GraphStack, Picture
from luff.gui.plots.plot_caption import CURVES
from luff.solver.analysis.frequency_response import FrequencyResponse

X = np.geomspace(0.01, 100.0, 50)


def stack_of(qtbot, count: int, size: tuple[int, int]) -> GraphStack:
    stack = GraphStack("Bode diagram", "w", "rad/s")
    qtbot.addWidget(stack)
    stack.resize(*size)
    stack.show()
    pictures = [Picture([Curve("gain", X, X)], side="magnitude [dB]", log=True) for _ in range(count)]
    pictures[-1].below = "frequency [rad/s]"
    stack.show_pictures(pictures)
    QApplication.processEvents()
    return stack


@pytest.mark.parametrize("size", [(800, 210), (460, 185), (800, 600)])
def test_two_graphs_share_the_height_of_a_low_panel(qtbot, size: tuple[int, int]) -> None:
    stack = stack_of(qtbot, 2, size)
    assert not stack.verticalScrollBar().maximum()
    upper, lower = stack.graphs
    assert lower.mapTo(stack, QPoint(0, lower.height())).y() <= stack.height()
    assert upper.box.height() == pytest.approx(lower.box.height(), abs=3)  # of rounding
    assert upper.box.height() >= CURVES
    assert [graph.numbered for graph in stack.graphs] == [False, True]
    label = lower.item.getAxis("bottom").label
    assert label.isVisible()
    assert label.mapRectToScene(label.boundingRect()).center().y() < lower.height()


def test_a_title_without_room_is_its_unit(qtbot) -> None:
    graph = stack_of(qtbot, 1, (460, 110)).graphs[0]
    title = lambda: graph.item.getAxis("left").label.toPlainText().strip()  # noqa: E731
    assert title() == "[dB]"
    graph.setMinimumHeight(300)
    graph.resize(460, 300)
    QApplication.processEvents()
    assert title() == "magnitude [dB]"


def test_a_constant_stands_in_the_middle_of_a_graph(qtbot) -> None:
    graph = Graph("Gain")
    qtbot.addWidget(graph)
    graph.show_picture(Picture([Curve("gain", np.arange(3.0), np.full(3, -250.0))]))
    low, high = graph.box.viewRange()[1]
    assert (low + high) / 2.0 == pytest.approx(-250.0)
    assert high - low > 25.0
    graph.show_picture(Picture([Curve("gain", np.arange(3.0), np.array([0.0, 1.0, np.nan]))]))
    graph.box.updateAutoRange()
    assert graph.box.viewRange()[1] == pytest.approx([0.0, 1.0], abs=0.2)


def test_numbers_of_an_answer_have_the_prefixes_of_wires(qtbot) -> None:
    graph = Graph("Effort")
    qtbot.addWidget(graph)
    effort = Curve("effort", np.arange(3.0), np.array([0.0, 2e5, 4e5]), unit="N*m")

    def show(curve: Curve, side: str, unit: str) -> str:
        graph.show_picture(Picture([curve], side=side, unit=unit))
        graph.box.updateAutoRange()
        return graph.side.text

    def rising(most: float) -> Curve:
        return Curve("rising", np.arange(3.0), np.linspace(0.0, most, 3))

    assert show(effort, "effort", "N*m") == "effort [kN·m]"
    assert graph.axes["left"].tickStrings([2e5], 1.0, 1e5) == ["200"]
    assert effort.reading(1.0) == "200 kN·m"
    assert show(rising(0.04), "", "rad") == "[mrad]"
    assert show(rising(2.0), "", "") == ""
    assert show(rising(90.0), "phase", "deg") == "phase [deg]"
    assert graph.axes["left"].degrees


def test_margins_are_drawn_where_something_is_to_be_seen() -> None:
    """2 / s, which is followed to a gain of 1e-9, has its mode and its crossing at 2 rad/s."""
    text = """luff: 1
blocks:
  gain: {type: gain, k: -2}
  lag: {type: integrator}
connect: [gain.y -> lag.u, lag.y -> gain.u]
"""
    told = luff.margins(luff.compile(luff.loads(text)), "lag.u")
    x = margin_pictures(told)[0].curves[0].x
    assert (x[0], x[-1]) == pytest.approx((0.2, 20.0), rel=0.1)  # neighbours of the ends
    assert margin_pictures(told, "rad/s", (None, 1e4))[0].curves[0].x[-1] > 1e3


@pytest.mark.parametrize(("unit", "marked"), [("rad", True), ("N*m", False)])
def test_minus_one_is_marked_where_a_response_is_a_number(unit: str, marked: bool) -> None:
    response = FrequencyResponse(
        np.array([1.0, 2.0]), np.array([[[2e-7 - 1e-7j]], [[1e-7j]]]), ["a.u"], ["b.y"]
    )
    picture, _ = nyquist_picture(response, {"a.u": unit, "b.y": "rad"})
    assert bool(picture.marks.points) == marked
