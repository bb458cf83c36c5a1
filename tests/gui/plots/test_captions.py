"""Captions of plots: names that fit, in lines that leave the curves their height."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QFontMetricsF, QPen
from PySide6.QtWidgets import QApplication

from luff.gui.plots.plot_caption import CURVES, Caption, Entry, shortest_names
from luff.gui.plots.plot_pane import PlotPane
from luff.gui.plots.plot_spec import PlotSpec
from luff.gui.run.run_history import History


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["outer.x", "inner.x"], ["outer", "inner"]),
        (
            ["motion.y[0]", "inner.rod.position", "motion.y[1]", "outer.rod.position"],
            ["motion.y[0]", "inner.rod.position", "motion.y[1]", "outer.rod.position"],
        ),
        (["inner.rod.cap", "inner.rod.end"], ["cap", "end"]),
        (["hook.force[0]", "hook.force[1]", "rope.force[0]"], ["hook[0]", "[1]", "rope[0]"]),
        (["a.x [rad]", "b.x [m]"], ["a [rad]", "b [m]"]),
        # a name beside longer ones would be that of a block
        (["drive.effort", "slew.rate", "luff.rate"], ["drive.effort", "slew.rate", "luff.rate"]),
        (["slew.rate", "luff.rate", "Run 1"], ["slew", "luff", "Run 1"]),
        (["a.b", "a", "x", "x"], ["a.b", "a", "x", "x"]),
        (["a.x", "b.x", "a"], ["a.x", "b.x", "a"]),
    ],
)
def test_names_leave_out_what_they_share(names: list[str], short: list[str]) -> None:
    assert shortest_names(names) == short


def test_a_caption_counts_names_only_where_short_ones_do_not_fit(qtbot) -> None:
    pane = PlotPane(PlotSpec("Extensions"))
    qtbot.addWidget(pane)
    names = [f"{way}.cylinder.position" for way in ("inner", "middle", "outer", "upper")]
    caption = Caption(lambda k: None)
    caption.show_text("Extensions", [Entry(name, QPen()) for name in names])
    caption.width = 400.0
    words = lambda: [text for _, _, text in caption._boxes()][1:]  # noqa: E731
    caption.lines = 2
    assert words() == ["inner", "middle", "outer", "upper"]
    caption.lines = 4
    assert words() == names
    caption.width, caption.lines = 260.0, 1
    assert words()[-1].startswith("and ")
    # two lines where the curves keep their height, and the whole names in a tip
    high = 3 * QFontMetricsF(caption.font).height() + CURVES + pane.item.getAxis("bottom").minimumHeight()
    pane.caption.entries = caption.entries
    pane.resize(400, round(high))
    pane.show()
    QApplication.processEvents()
    assert pane.caption.lines == 2
    assert pane.caption.toolTip().split("\n") == names
    pane.resize(400, round(high) - 20)
    QApplication.processEvents()
    assert pane.caption.lines == 1


def test_names_that_share_nothing_lose_their_middles_last() -> None:
    caption = Caption(lambda k: None)
    names = ["luff_drive.effort [kN·m]", "slew_joint.velocity [rad/s]", "telescope_joint.velocity [m/s]"]
    caption.show_text("", [Entry(name, QPen()) for name in names])
    words = lambda: [text for _, _, text in caption._boxes()]  # noqa: E731
    caption.lines = 1
    caption.width = 2000.0
    assert words() == names
    caption.width = 420.0
    assert len(set(words())) == 3
    assert all("…" in word and word[:3] == name[:3] for word, name in zip(words(), names, strict=True))
    caption.width = 200.0
    assert words()[-1].startswith("and ")


def test_a_reading_has_short_names_and_each_unit_once() -> None:
    caption = Caption(lambda k: None)
    caption.show_text("", [Entry(f"{name}.position [rad]", QPen()) for name in ("slew", "luff", "swing")])
    caption.show_values("t = 3 s", ["1.5 rad", "-2 rad", ""])
    words = lambda: [text for _, _, text in caption._boxes()][1:]  # noqa: E731
    caption.width, caption.lines = 2000.0, 1
    assert words() == ["slew.position  1.5 rad", "luff.position  -2 rad", "swing.position [rad]"]
    caption.width = 200.0
    assert words() == ["slew  1.5 rad", "luff  -2 rad", "swing [rad]"]


def test_values_of_two_cursors_that_do_not_fit_are_short_with_their_unit_once(qtbot) -> None:
    """Ramps from 0 with slopes 1, 2, 3 from 0 to 1 s: their values at 0.25 s, and the changes up to 0.5 s."""
    names, time = ["slew.position", "luff.effort", "swing.angle"], np.linspace(0.0, 1.0, 101)
    history = History(names, dict.fromkeys(names, "rad"))
    history.append(time, time[:, None] * [1.0, 2.0, 3.0])
    pane = PlotPane(PlotSpec("", names))
    qtbot.addWidget(pane)
    pane.refresh(history, (0.0, 1.0), live=False)
    pane.cursors.show(True)
    pane.cursors.show_second(True)
    pane.cursors.place(0.25)
    pane.cursors.place_second(0.5)

    def words(width: float) -> list[str]:
        pane.caption.width, pane.caption.lines = width, 1
        return [text for _, _, text in pane.caption._boxes()]

    assert words(2000.0) == [
        "t = 0.25 s, dt = 0.25 s",
        "slew.position  0.25, change +0.25 rad",
        "luff.effort  0.5, change +0.5 rad",
        "swing.angle  0.75, change +0.75 rad",
    ]
    assert words(400.0) == [
        "t = 0.25 s, dt = 0.25 s [rad]",
        "slew.position  0.25 +0.25",
        "luff.effort  0.5 +0.5",
        "swing.angle  0.75 +0.75",
    ]
    pane.cursors.place_second(1.5)  # behind the end of the run
    assert words(400.0)[1] == "slew.position  0.25 –"
    history.units["swing.angle"] = "m"  # of several units each value has its own
    pane.cursors.place_second(0.5)
    assert words(400.0)[0] == "t = 0.25 s, dt = 0.25 s"
    assert words(400.0)[1:3] == ["slew.position  0.25 +0.25 rad", "luff.effort  0.5 +0.5 rad"]
