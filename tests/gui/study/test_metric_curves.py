"""A metric over a parameter is a curve through its variants; bars that look alike become points."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pyqtgraph as pg

from luff.gui.plots.graph import Graph
from luff.gui.plots.plot_caption import CURVES
from luff.gui.study.metric_curves import curve_inputs, metric_picture
from luff.gui.study.study_panel import LOW, StudyPanel
from luff.gui.study.study_plots import VariantBars
from luff.gui.study.variant_table import Input

CHANGES = {
    f"load = {mass} t, reach = {reach} m": {"load": f"{mass} t", "reach": f"{reach} m"}
    for mass in (4, 1, 2)
    for reach in (8, 6)
}
NAMES = list(CHANGES)
LOAD = Input("load", "load [t]", dict(zip(NAMES, [4.0, 4.0, 1.0, 1.0, 2.0, 2.0], strict=True)))
REACH = Input("reach", "reach [m]", dict(zip(NAMES, [8.0, 6.0] * 3, strict=True)))


def test_a_second_parameter_makes_a_family_of_curves_in_their_order() -> None:
    values = dict(zip(NAMES, [2.108, 2.2, 2.098, 2.0, np.nan, 2.1], strict=True))
    picture = metric_picture(values, "peak of slew", "rad", LOAD, CHANGES)
    assert (picture.below, picture.side, picture.unit) == ("load [t]", "peak of slew", "rad")
    lines = [curve for curve in picture.curves if not curve.symbol]
    assert [line.name for line in lines] == ["reach = 8 m", "reach = 6 m"]
    for line, heights in zip(lines, ([2.098, np.nan, 2.108], [2.0, 2.1, 2.2]), strict=True):
        assert list(line.x) == [1.0, 2.0, 4.0]
        assert np.array_equal(line.y, heights, equal_nan=True)
    assert lines[1].reading(1.4) == "2 rad at 1 t"  # that of the next variant: none is between them
    assert lines[0].reading(2.0) == "no number at 2 t"


def test_curves_are_over_numbers_that_all_variants_have() -> None:
    study = SimpleNamespace(changes=CHANGES)
    assert curve_inputs(study, [REACH, LOAD], []) == [LOAD, REACH]  # more values first
    nominal = SimpleNamespace(changes={**CHANGES, "nominal": {}})
    assert curve_inputs(nominal, [REACH, LOAD], []) == []
    assert curve_inputs(study, [REACH, LOAD], ["load", "reach"]) == []  # drawn: points of a cloud
    equal = LOAD._replace(numbers=dict.fromkeys(NAMES, 1.0))
    assert curve_inputs(study, [equal], []) == []


def test_bars_that_look_alike_are_points_on_their_own_axis(qtbot) -> None:
    bars = VariantBars()
    qtbot.addWidget(bars)
    for values, drawn in (
        ((2.098, 2.1, 2.108), pg.ScatterPlotItem),
        ((1.0, 2.0, 2.1), pg.BarGraphItem),
        ((2.0, 2.0, 2.0), pg.BarGraphItem),
        ((2.0, 2.0 + 1e-12, 2.0), pg.BarGraphItem),  # rounding is no difference
    ):
        bars.show_bars(dict(zip("abc", values, strict=True)), "peak")
        assert {type(item) for item in bars.item.items} == {drawn}
    bars.show_bars({"a": 2.098, "b": 2.108}, "peak")
    bars.box.updateAutoRange()
    low, high = bars.box.viewRange()[1]
    assert 2.0 < low < 2.098
    assert 2.108 < high < 2.2


def test_the_curve_of_a_metric_gives_up_height_where_a_window_is_low(qtbot) -> None:
    values = dict(zip(NAMES[::2], [2.108, 2.098, 2.1], strict=True))
    usual, panel = Graph("usual"), StudyPanel()
    for widget in (usual, panel):
        qtbot.addWidget(widget)
    for graph in (usual, panel.sweep):
        graph.show_picture(metric_picture(values, "peak", "rad", LOAD, CHANGES))
    assert panel.sweep.minimumHeight() == usual.minimumHeight() - (CURVES - LOW)
