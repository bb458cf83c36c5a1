"""Units of plots: that of the port that a signal is wired to, prefixes and powers in the titles of the axes."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QFontMetricsF, QPen

import luff
from luff.gui.plots.name_cuts import short_names
from luff.gui.plots.plot_caption import Caption, Entry
from luff.gui.plots.plot_pane import PlotPane
from luff.gui.plots.plot_spec import PlotSpec
from luff.gui.run.run_history import History
from luff.gui.run.wired_units import units_of_names, wired_units
from luff.gui.window.docks.signals_dock import SignalTree
from luff.solver.flatten.diagram import Diagram


def shown(pane: PlotPane, largest: float, unit: str) -> list[str]:
    """Numbers at the left axis of a pane whose signals y and z grow to `largest` and half of it."""
    history = History(["y", "z"], {"y": unit, "z": unit})
    history.append(np.linspace(0.0, 1.0, 11), np.linspace((0.0, 0.0), (largest, largest / 2), 11))
    pane.refresh(history, (0.0, 1.0), live=False)
    axis = pane.axes["left"]
    return axis.tickStrings([0.0, largest / 2, largest], 1.0, largest / 2)


@pytest.mark.parametrize(
    ("largest", "unit", "title", "last"),
    [
        (2e5, "N*m", "[kN·m]", "200"),
        (2e-3, "rad", "[mrad]", "2"),
        (20.0, "rad", "[rad]", "20"),
        (2e-3, "", "[-] ×10⁻³", "2"),
        (2e6, "1/s", "[1/s] ×10⁶", "2"),
    ],
)
def test_an_axis_has_a_prefix_or_one_power(qtbot, largest: float, unit: str, title: str, last: str) -> None:
    pane = PlotPane(PlotSpec(y=["y", "z"]))
    qtbot.addWidget(pane)
    numbers = shown(pane, largest, unit)
    assert pane.side.text == title
    assert float(numbers[-1]) == float(last)
    assert not any("e" in number for number in numbers)
    # back to numbers that need neither
    shown(pane, 1.0, unit)
    assert pane.side.text == f"[{pane.axes['left'].units[0].replace('*', '·') or '-'}]"


def test_a_plot_keeps_the_unit_that_was_chosen_for_it(qtbot) -> None:
    pane = PlotPane(PlotSpec(y=["y", "z"], unit="kN"))
    qtbot.addWidget(pane)
    shown(pane, 5.0, "N")
    assert pane.side.text == "[kN] ×10⁻³"
    assert pane.spec.shown("N") == ("kN", 1e-3)
    assert pane.spec.shown("m") == ("m", 1.0)  # which the unit of the plot does not measure


@pytest.mark.parametrize(
    ("units", "title", "written", "reading"),
    [
        (("N*m", "N"), "[kN·m, kN]", ["kN·m", "kN"], "200"),
        (("N*m", "m/s"), "[N·m, m/s] ×10³", ["N·m", "m/s"], "2e5"),  # nobody writes kilometres a second
    ],
)
def test_names_axes_and_readings_have_one_unit_each(
    qtbot, units: tuple[str, str], title: str, written: list[str], reading: str
) -> None:
    pane = PlotPane(PlotSpec(y=["angle", "a.x", "b.x"]))
    qtbot.addWidget(pane)
    history = History(pane.spec.y, dict(zip(pane.spec.y, ("rad", *units), strict=True)))
    history.append(np.linspace(0.0, 1.0, 11), np.linspace((0.0, 0.0, 0.0), (2e-3, 2e5, 50.0), 11))
    pane.refresh(history, (0.0, 1.0), live=False)
    assert (pane.side.text, pane.right.label.text) == ("[mrad]", title)
    assert [entry.name for entry in pane.caption.entries] == [
        f"{name} [{unit}]" for name, unit in zip(pane.spec.y, ["mrad", *written], strict=True)
    ]
    pane.cursors.show(True)
    pane.cursors.place(1.0)
    rows = pane.cursors.rows()
    assert [row.unit for row in rows] == ["mrad", *written]
    assert rows[0].numbers == ["2"]
    assert rows[1].numbers == [reading]


def test_both_axes_of_a_path_have_names_and_units(qtbot) -> None:
    pane = PlotPane(PlotSpec(x="z", y=["y"]))
    qtbot.addWidget(pane)
    shown(pane, 8.0, "m")
    assert (pane.side.text, pane.below.text) == ("y [m]", "z [m]")
    pane.show_spec(PlotSpec(x="hook.position[0]", y=["hook.position[1]"]))
    history = History(["hook.position[0]", "hook.position[1]"], dict.fromkeys(pane.spec.y, "m"))
    history.append(np.linspace(0.0, 1.0, 11), np.linspace((0.0, 0.0), (1.0, 2.0), 11))
    pane.refresh(history, (0.0, 1.0), live=False)
    assert (pane.side.text, pane.below.text) == (
        "hook.position[1] [m]",
        "hook.position[0]",
    )  # as in the caption
    written = lambda: pane.axes["left"].labelText  # noqa: E731
    for height, words in ((400, "hook.position[1] [m]"), (140, "position[1] [m]"), (90, "[m]")):
        pane.resize(400, height)
        pane.grab()
        assert written() == words


def test_a_short_axis_of_several_units_keeps_the_power_of_its_numbers(qtbot) -> None:
    pane = PlotPane(PlotSpec(y=["y"]))
    qtbot.addWidget(pane)
    pane.right.show({"a": "rad", "b": "N*m", "c": "N"}, True, "#000000")
    for height, words in ((400, "[N·m, N] ×10³"), (100, "×10³")):
        pane.resize(400, height)
        pane.grab()
        pane.right.label.show_text("[N*m, N] ×10³", "#000000")
        assert pane.right.axis.labelText == words


def test_a_flag_is_not_drawn_on_the_border(qtbot) -> None:
    pane = PlotPane(PlotSpec(y=["y"]))
    qtbot.addWidget(pane)
    shown(pane, 1.0, "")
    low, high = pane.box.viewRange()[1]
    assert low < -0.01
    assert high > 1.01


def test_units_that_wires_tell_reach_a_result_without_them() -> None:
    history = History(["pd.effort", "flag.y"], {"pd.effort": "", "flag.y": "rad"})
    history.complete_units({"pd.effort": "N", "flag.y": "m", "other.y": "m"})
    assert history.units == {"pd.effort": "N", "flag.y": "rad"}


DRIVEN = """\
luff: 1
blocks:
  goal: {type: step}
  scale: {type: gain, k: [1, 2]}
  pd: {type: pd, kp: 2000, kd: 100}
  turn: {type: revolute, axis: z}
  arm: {type: rigid_link, mass: 1 kg, inertia: [1, 1, 1]}
  slide: {type: prismatic, axis: x}
  load: {type: rigid_link, mass: 1 kg, inertia: [1, 1, 1]}
  deaf: {type: gain}
connect:
  - world.frame -- turn.frame_a
  - turn.frame_b -- arm.frame_a
  - world.frame -- slide.frame_a
  - slide.frame_b -- load.frame_a
  - goal.y -> scale.u
  - goal.y -> deaf.u
  - scale.y -> pd.feedforward
  - turn.trajectory -> pd.measured[0]
  - slide.trajectory -> pd.measured[1]
  - turn.trajectory -> pd.target[0]
  - slide.trajectory -> pd.target[1]
  - pd.effort[0] -> turn.effort
  - pd.effort[1] -> slide.effort
"""


def test_a_signal_without_a_unit_has_that_of_its_wires_element_by_element() -> None:
    sim = luff.compile(Diagram.from_yaml(DRIVEN))
    units = wired_units(sim)
    assert [units[f"pd.effort[{k}]"] for k in (0, 1)] == ["N*m", "N"]
    assert [units[f"scale.y[{k}]"] for k in (0, 1)] == ["N*m", "N"]  # through the feedforward
    assert (units["turn.position"], units["deaf.y[0]"]) == ("rad", "")
    assert sim.units["pd.effort[0]"] == ""  # files and scripts have what blocks declare
    unit = units_of_names(sim)
    names = ("pd.effort[1]", "turn.velocity", "slide.position.velocity", "scale.k", "deaf.y[0]")
    assert [unit(name) for name in names] == ["N", "rad/s", "", "", ""]


def test_work_has_its_unit_through_a_chain_of_blocks() -> None:
    text = """luff: 1
blocks:
  power: {type: expression, inputs: [a], expr: 2*a, unit: W}
  wave: {type: sine}
  idle: {type: constant}
  all: {type: sum, signs: ++}
  work: {type: integrator}
connect: [wave.y -> power.a, power.y -> all.u1, idle.y -> all.u2, all.y -> work.u]
"""
    sim = luff.compile(Diagram.from_yaml(text))
    units = wired_units(sim)
    assert [units[name] for name in ("all.y", "work.y")] == ["W", "J"]


def test_names_of_a_vector_are_short_where_long_ones_do_not_fit() -> None:
    names = ["hook.force[0]", "hook.force[1]", "hook.force[2]", "rope.force", "hook.force[0]"]
    assert short_names(names) == ["hook.force[0]", "[1]", "[2]", "rope.force", "hook.force[0]"]
    caption = Caption(lambda k: None)
    caption.show_text("Force", [Entry(name, QPen()) for name in names[:3]])

    def words() -> list[str]:
        return [text for _, _, text in caption._boxes()]

    caption.width, caption.lines = 2000.0, 1
    assert words() == ["Force", *names[:3]]
    caption.width = QFontMetricsF(caption.font).horizontalAdvance("Force   hook.force[0]") + 200.0
    assert words() == ["Force", "hook.force[0]", "[1]", "[2]"]
    caption.width /= 2.0
    assert words()[-1].startswith("+")


def test_the_list_of_signals_follows_units_that_change(qtbot) -> None:
    tree = SignalTree()
    qtbot.addWidget(tree)
    tree.show_signals(["drive.effort"], {"drive.effort": "N"})
    item = tree._items["drive.effort"]
    tree.show_signals(["drive.effort"], {"drive.effort": "N*m"})
    assert item.text(2) == "N·m"
    tree.show()
    item.parent().setExpanded(True)
    history = History(["drive.effort"], {"drive.effort": "N*m"})
    history.append(np.array([0.0]), np.array([[2e5]]))
    tree.follow(history, running=False)
    assert (item.text(1), item.text(2)) == ("200", "kN·m")
    tree.show_signals(["drive.effort"], {"drive.effort": "N"})  # of the values that are there, too
    assert (item.text(1), item.text(2)) == ("200", "kN")


def test_the_list_of_signals_has_one_unit_a_vector_and_no_rounding(qtbot) -> None:
    tree = SignalTree()
    qtbot.addWidget(tree)
    names = [f"base.torque[{k}]" for k in range(3)]
    history = History(names, dict.fromkeys(names, "N*m"))
    history.append(np.array([0.0]), np.array([[-3.5e-15, 0.04, -49.05]]))
    tree.show()
    tree.follow(history, running=False)
    item = tree._items[names[0]]
    item.parent().setExpanded(True)
    told = [(tree._items[name].text(1), tree._items[name].text(2)) for name in names]
    assert told == [("0", "N·m"), ("0.04", "N·m"), ("-49.05", "N·m")]
