"""A load chart draws no load where none is known: it hatches the interval and says why at the cursor."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
import pytest

from luff.gui.plots.analysis_pictures import chart_picture, unknown_spans
from luff.gui.plots.graph import Graph
from luff.solver.assessment.chart_table import Chart

NAN = np.nan


def made(rated: list[float], kinds: list[str]) -> Chart:
    limits = ["tips", "no equilibrium found", "falls", "tips"]
    return Chart(
        "load", {"radius": ["15 m", "25 m", "40 m", "50 m"]}, np.array(rated), np.array(limits), np.array(kinds),
        1.0, False, 9, unit="t", reasons={(1,): "no equilibrium found"},
    )  # fmt: skip


def test_an_unknown_load_is_a_hatched_gap_with_its_reason(qtbot) -> None:
    picture = chart_picture(made([2000.0, NAN, 0.0, 0.0], ["rated", "unknown", "none", "none"]))
    assert list(picture.marks.unknown) == [(15.0, 40.0, "unknown")]
    assert picture.title == "largest load over radius"
    line, *points = picture.curves
    assert np.array_equal(
        line.y, [NAN, NAN, 0.0], equal_nan=True
    )  # t: 0 where even the least load is too much
    assert line.reading(25.0) == "unknown: no equilibrium found"
    assert "0 t" in line.reading(40.0)
    drawn = {x: y for curve in points for x, y in zip(curve.x, curve.y, strict=True)}
    assert drawn == {15.0: 2.0, 40.0: 0.0, 50.0: 0.0}
    graph = Graph("Rated loads")
    qtbot.addWidget(graph)
    graph.show_picture(picture)
    hatched = [item for item in graph.item.items if isinstance(item, pg.LinearRegionItem)]
    assert [item.getRegion() for item in hatched] == [(15.0, 40.0)]


@pytest.mark.parametrize(
    ("loads", "spans"),
    [
        ([1.0, 2.0, 3.0, 4.0], []),
        ([NAN, 2.0, 3.0, 4.0], [(0.0, 1.0)]),
        ([1.0, NAN, NAN, 4.0], [(0.0, 3.0)]),
        ([NAN, 2.0, NAN, 4.0], [(0.0, 1.0), (1.0, 3.0)]),
    ],
)
def test_gaps_reach_to_the_next_known_loads(loads: list[float], spans: list[tuple[float, float]]) -> None:
    order = [2, 0, 3, 1]  # of places as they were typed
    places = np.arange(4.0)[order]
    assert unknown_spans(places, np.array(loads)[order]) == spans
