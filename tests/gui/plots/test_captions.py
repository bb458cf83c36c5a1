"""Captions of plots: names that fit, in lines that leave the curves their height."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetricsF, QPen
from PySide6.QtWidgets import QApplication

from luff.gui.plots.name_cuts import cut_names, shortest_names
from luff.gui.plots.plot_caption import CURVES, Caption, Entry
from luff.gui.plots.plot_pane import PlotPane
from luff.gui.plots.plot_spec import PlotSpec


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
    assert words()[-1] == "+3"
    # two lines where the curves keep their height, and the whole names in a tip
    high = 3 * QFontMetricsF(caption.font).height() + CURVES + pane.item.getAxis("bottom").minimumHeight()
    pane.caption.entries = caption.entries
    pane.resize(400, round(high))
    pane.show()
    QApplication.processEvents()
    assert pane.caption.lines == 2
    for on in (True, False):  # the names are in the table of readings, too
        pane.cursors.show(on)
        assert pane.caption.lines == 2 - on
    assert pane.caption.toolTip().split("\n") == names
    pane.resize(400, round(high) - 20)
    QApplication.processEvents()
    assert pane.caption.lines == 1


@pytest.mark.parametrize(
    ("names", "letters", "short"),
    [
        # the front goes, by blocks and words
        (
            ["crane.jib_plan.y [m]", "crane.jib.rate", "mast.x"],
            16,
            ["…jib_plan.y [m]", "crane.jib.rate", "mast.x"],
        ),
        (["crane.jib_plan.y [m]", "crane.jib.rate", "mast.x"], 11, ["…plan.y [m]", "…jib.rate", "mast.x"]),
        # but not what tells a signal from another, of whatever unit or element
        (["luff_drive.effort [N]", "slew_drive.effort [N*m]"], 18, ["luff…effort [N]", "slew…effort [N*m]"]),
        (
            ["luff_drive.y[0]", "[1]", "slew_drive.y[0]", "hook.x"],
            10,
            ["luff…y[0]", "[1]", "slew…y[0]", "hook.x"],
        ),
        # within a word where it is all there is
        (["telescopic.y", "teleoperated.y", "x.z"], 8, ["telesc…y", "teleop…y", "x.z"]),
        (["luff_drive.effort", "slew_drive.effort"], 9, []),
    ],
)
def test_names_are_cut_where_they_can_be_told_apart(names: list[str], letters: int, short: list[str]) -> None:
    assert cut_names(names, lambda text: len(text) <= letters) == short


def test_names_that_share_nothing_lose_their_fronts_last() -> None:
    caption = Caption(lambda k: None)
    names = ["luff_drive.effort [kN·m]", "slew_joint.velocity [rad/s]", "telescope_joint.velocity [m/s]"]
    caption.show_text("", [Entry(name, QPen()) for name in names])
    words = lambda: [text for _, _, text in caption._boxes()]  # noqa: E731
    caption.lines = 1
    caption.width = 2000.0
    assert words() == names
    caption.width = 520.0
    assert words()[0].endswith("drive.effort [kN·m]")
    assert words()[1] == "slew…velocity [rad/s]"
    assert words()[2][:3] == "tel"
    assert words()[2].endswith("…velocity [m/s]")
    caption.width = 200.0
    assert words()[-1] == "+2"


def test_names_stand_in_columns_where_one_line_does_not_hold_them() -> None:
    caption = Caption(lambda k: None)
    names = ["slew.position", "luff.effort", "swing.angle", "rope.force"]
    caption.show_text("Angles", [Entry(name, QPen()) for name in names])
    caption.lines = 9
    boxes = lambda: [box for box, *_ in caption._boxes()]  # noqa: E731
    caption.width = 2000.0
    assert len({box.top() for box in boxes()}) == 1
    caption.width = 270.0
    title, *entries = boxes()
    assert {title.left()} < {box.left() for box in entries}
    assert len({box.left() for box in entries}) == 2
    assert [box.top() - title.top() for box in entries] == [0.0, *[title.height()] * 2, 2 * title.height()]


def test_a_title_leaves_room_for_a_name(qtbot) -> None:
    caption = Caption(lambda k: None)
    caption.show_text("Swing of the load to the side of its boom", [Entry("swing.beta", QPen())])
    caption.width, caption.lines = 240.0, 1
    (title, _, _), (name, _, text) = caption._boxes()
    assert (title.width(), text, name.top()) == (120.0, "swing.beta", title.top())


def test_a_long_title_leaves_its_line_to_as_many_names_as_fit(qtbot) -> None:
    caption = Caption(lambda k: None)
    names = ["swing.beta", *(f"{name}_drive.effort" for name in ("luff", "slew", "telescopic_boom"))]
    caption.show_text("Swing of the load to the side", [Entry(name, QPen()) for name in names])
    caption.width, caption.lines = 420.0, 1
    assert [text for _, _, text in caption._boxes()][1:] == ["swing.beta", "+3"]


def test_a_reading_of_a_graph_has_short_names_where_whole_ones_do_not_fit() -> None:
    caption = Caption(lambda k: None)
    caption.show_text("", [Entry(f"{name}.position", QPen()) for name in ("slew", "luff", "swing")])
    caption.show_values("t = 3 s", ["1.5 rad", "-2 rad", ""])
    words = lambda: [text for _, _, text in caption._boxes()][1:]  # noqa: E731
    caption.width, caption.lines = 2000.0, 1
    assert words() == ["slew.position  1.5 rad", "luff.position  -2 rad", "swing.position"]
    caption.width = 200.0
    assert words() == ["slew  1.5 rad", "luff  -2 rad", "swing"]
