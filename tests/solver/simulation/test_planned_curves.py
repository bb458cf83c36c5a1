"""Planned curves in plots: a path and a relation in the axes of the sensor that a plot shows, in files and pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff
from luff.gui.html_page.page import Page
from luff.solver.results.matplotlib_plots import draw
from luff.solver.simulation.planned_curves import plots_with_plans
from luff.tests.process import call

# the sensor's axes are turned by 90 degrees about z, and 1 m off, of the plane's
NETLIST = """
luff: 1
blocks:
  x: {type: prismatic, axis: x, guess: {position: 0.3}}
  z: {type: prismatic, axis: z, guess: {position: 0.1}}
  ball: {type: rigid_link, mass: 1}
  way: {type: path, shape: rectangle, size: [0.4, 0.2], duration: 1 s}
  it: {type: programmed_constraint, components: [x, z]}
  aside: {type: fixed, at: [0, 1, 0], rotate: [[z, 90 deg]]}
  place: {type: frame_sensor, resolve: a}
connect:
  - world.frame -- x.frame_a
  - x.frame_b -- z.frame_a
  - z.frame_b -- ball.frame_a
  - ball.frame_a -- it.frame
  - way.y -> it.target
  - world.frame -- aside.frame_a
  - aside.frame_b -- place.frame_a
  - ball.frame_a -- place.frame_b
simulation: {stop: 1 s, step: 10 ms, constraints: {dependent: [x, z]}}
plots: [{x: "place.position[1]", y: ["place.position[2]"], unit: cm, plan: it}]
"""


def test_the_plan_lies_under_what_the_point_does(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(NETLIST)
    call("run", "plan.yaml", "-o", "plan.h5", "--plot", "plan.svg", cwd=tmp_path)
    result = luff.read(tmp_path / "plan.h5")
    [(x, z)] = result.plots[0]["planned"]
    moved = result["place.position"]
    # R_z(-90 deg): y of the sensor is -x of the world
    assert sorted({*np.round(x, 9).tolist()}) == [-0.2, 0.2]
    for at, values in ((x, moved[:, 1]), (z, moved[:, 2])):
        assert min(at) == pytest.approx(values.min(), abs=1e-9)
        assert max(at) == pytest.approx(values.max(), abs=1e-9)
    (axes,) = draw(result).axes
    plan = axes.lines[1]
    np.testing.assert_allclose(plan.get_ydata(), 100 * np.array(z))  # in the plot's unit
    assert plan.get_linestyle() == "--"
    page = Page(luff.loads(NETLIST), {}, [], [])
    assert page.plots()[0]["planned"][0][1] == pytest.approx(100 * np.array(z), abs=1e-4)


def test_an_ellipse_is_where_its_equation_says() -> None:
    [(x, y)] = plots_with_plans(luff.compile("library/crane_gpme.yaml"))[0]["planned"]
    x, y = np.array(x), np.array(y)
    # by straight lines in cells: off by their square times the second derivative
    assert abs((x / 3) ** 2 + (y / 2) ** 2 - 1).max() < 1e-3
    assert np.ptp(x) == pytest.approx(6.0, abs=1e-2)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("plan: it", "plan: is", '"is" is no programmed constraint'),
        ('x: "place.position[1]"', "x: time", "two components of one sensor's position"),
        ("world.frame -- aside", "x.frame_b -- aside", "moves in the axes of the sensor"),
        ("- ball.frame_a -- place", "- x.frame_b -- place", "of another point"),
    ],
)
def test_a_plan_that_a_plot_cannot_show_is_told(old: str, new: str, told: str) -> None:
    assert old in NETLIST
    with pytest.raises(luff.LuffError, match=told):
        plots_with_plans(luff.compile(luff.loads(NETLIST.replace(old, new))))
