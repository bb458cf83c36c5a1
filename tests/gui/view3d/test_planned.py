"""The curve that a programmed constraint asks for stands in the 3-D view, where its equation says."""

from __future__ import annotations

import numpy as np
import pytest

import luff
from luff.gui.view3d.scene_model import scene_of
from luff.gui.view3d.scene_shapes import Line, place

NETLIST = """
luff: 1
blocks:
  out: {{type: prismatic, axis: x, initial: {{position: 0.4}}}}
  up: {{type: prismatic, axis: z, initial: {{position: 0.3}}}}
  load: {{type: rigid_link, mass: 1, inertia: [1, 1, 1]}}
  deck: {{type: fixed, at: [1, 2, 3], rotate: [[z, 90 deg]]}}
  plan: {{type: path, shape: circle, radius: 0.5, duration: 2 s, start: 1 s}}
  it: {{type: programmed_constraint, {it}}}
connect: [world.frame -- out.frame_a, out.frame_b -- up.frame_a, up.frame_b -- load.frame_a, load.frame_a -- it.frame,
  world.frame -- deck.frame_a{wires}]
simulation: {{constraints: {{method: baumgarte}}}}   # which may begin off its constraints
"""


def curves(it: str, wires: str = "") -> list[Line]:
    scene = scene_of(luff.compile(luff.loads(NETLIST.format(it=it, wires=wires))))
    return [line for line in scene.lines if line.block == "it" and len(line.points) > 2]  # a tie has two


def test_the_ellipse_of_the_crane_is_an_ellipse_at_the_height_of_its_tip() -> None:
    scene = scene_of(luff.compile("library/crane_gpme.yaml"))
    [line] = [line for line in scene.lines if line.block == "ellipse" and not line.quiet]
    x, y, z = line.points.T
    # by straight lines in cells of some 40 mm: off by their square times the second derivative
    assert np.abs((x / 3) ** 2 + (y / 2) ** 2 - 1).max() < 1e-3
    assert np.ptp(x) == pytest.approx(6.0, abs=1e-2)
    np.testing.assert_allclose(z, scene.frames_at(scene.start)[[*scene.frames].index("ellipse.frame"), 2])
    np.testing.assert_array_equal(line.points[0], line.points[-1])


@pytest.mark.parametrize(
    ("model", "corners"),
    [
        (
            "manipulator_olkc",
            [[0.9, y, z] for y, z in ((0.25, -0.1), (0.45, -0.1), (0.45, 0.1), (0.25, 0.1))],
        ),
        (
            "mechanism_rpsup",
            [
                [0.0384 - y * 0.5**0.5, 0.2335 + y * 0.5**0.5, z]
                for y, z in ((-0.04, 0.05), (0.04, 0.05), (0.04, 0.07), (-0.04, 0.07))
            ],
        ),
    ],
)
def test_rectangles_of_the_papers_have_their_corners(model: str, corners: list[list[float]]) -> None:
    scene = scene_of(luff.compile(f"library/{model}.yaml"))
    [line] = [line for line in scene.lines if line.block == "program" and not line.quiet]
    np.testing.assert_allclose(line.points, [*corners, corners[0]], atol=1e-12)


def test_a_circle_on_a_deck_is_turned_with_it_and_stays_at_the_height_of_its_point() -> None:
    scene = scene_of(
        luff.compile(
            luff.loads(
                NETLIST.format(
                    it="components: [x, y]", wires=", deck.frame_b -- it.base, plan.y -> it.target"
                )
            )
        )
    )
    [line] = [line for line in scene.lines if line.block == "it" and len(line.points) > 2]
    x, y, z = np.array([place(scene.start, line.rows[0], point) for point in line.points]).T
    np.testing.assert_allclose(np.hypot(x - 1, y - 2), 0.5, rtol=1e-12)
    np.testing.assert_allclose(z, 0.3, atol=1e-12)
    # it begins along the deck's x, which is the world's y
    np.testing.assert_allclose([x[0], y[0]], [1, 2.5], atol=1e-12)
    # counted from the start
    [line] = curves("components: [x, y], relative: true", ", plan.y -> it.target")
    np.testing.assert_allclose(np.hypot(*(line.points[:, :2] - [0.4, 0]).T), 0.5, rtol=1e-12)


NONE = (
    "relation: x + y + z - 1",
    "relation: x - t",
    "relation: x*vz - z*vx",
    "'joints': [out, up], relation: x - 2*y",
    "rotations: [y]",
    "relation: r*x - z, inputs: [r]",
    "relation: x - z",  # of a target
)


@pytest.mark.parametrize("it", NONE)
def test_what_is_no_curve_in_a_plane_is_not_drawn(it: str) -> None:
    ends = {"r*x": "rise.trajectory -> it.r", "x - z": "rise.trajectory -> it.target"}
    wires = "".join(f", {wire}" for word, wire in ends.items() if f"relation: {word}" in it)
    netlist = NETLIST.format(it=it, wires=wires).replace(
        "blocks:", "blocks:\n  rise: {type: sine, offset: 0.1}"
    )
    if "joints" in it:
        netlist = netlist.replace(", load.frame_a -- it.frame", "")
    scene = scene_of(luff.compile(luff.loads(netlist)))
    assert not [line for line in scene.lines if line.block == "it" and not line.quiet]


def test_a_relation_is_drawn_where_it_is_a_number_alone() -> None:
    lines = curves("relation: log(x) + z - 0.3 - log(0.4)")
    points = np.concatenate([line.points for line in lines])
    assert points[:, 0].min() > 0.0
    assert np.abs(points[:, 1]).max() == 0.0
    # the curve goes through the point that is on it; straight in a cell
    assert np.abs(points[:, 2] - 0.3 + np.log(points[:, 0] / 0.4))[points[:, 0] > 0.3].max() < 0.02


def test_a_relation_of_two_pieces_is_drawn_with_both() -> None:
    [line] = curves("relation: 'z - 0.3 - max(x - 0.4, 0)^2'")
    x, _, z = line.points.T
    assert x.min() < 0.0 < 0.8 < x.max()
    # straight in cells: off by an eighth of their square times the second derivative
    cell = np.diff(x[x < 0.0]).max()
    assert np.abs(z - 0.3 - np.maximum(x - 0.4, 0.0) ** 2).max() < 2.0 / 8.0 * cell**2
