"""Paths against geometry and numerical differentiation."""

import math
from typing import Any

import numpy as np
import pytest

from luff.blocks.planning.path_motion import Path
from luff.tests.blocks.bench import Bench, make, mistakes

POINTS = [[0, 0], [1, 0.2], [1.3, 1], [0.4, 1.5], [-0.5, 0.9], [-0.4, 0.1], [0.0, 0.0]]
SHAPES: list[dict[str, Any]] = [
    {"shape": "circle", "radius": 0.2, "duration": 8, "law": "poly7"},
    {"shape": "ellipse", "radius": [3, 2], "turns": 2.5, "duration": 3, "direction": "cw", "start_angle": 1},
    {"shape": "spiral", "radius": 0.2, "turns": 2, "duration": 6, "center": [1, 2, 3]},
    {"shape": "rectangle", "size": [0.2, 0.4], "duration": 4, "dwell": 0.5},
    {"shape": "rhombus", "size": [0.4, 0.6], "turns": 2, "duration": 4, "rotate": [["y", 0.7], ["z", 0.2]]},
    {"shape": "line", "points": [[0, 0, 0], [1, 2, 3]], "duration": 2, "law": "cycloidal"},
    {"shape": "polyline", "points": [[0, 0], [1, 0], [1, 3]], "leg_durations": [1, 2]},
    {"shape": "table", "points": POINTS, "duration": 4},
    {"shape": "table", "points": POINTS[:5], "duration": 4, "spline": "cubic", "rotate": [["x", 1.0]]},
]


def bench(**values: Any) -> Bench:
    return Bench(make(Path, **values))


@pytest.mark.parametrize("values", SHAPES, ids=lambda values: values["shape"])
def test_path_rates_are_derivatives(values: dict[str, Any]) -> None:
    it, h = bench(**values), 1e-3
    for t in np.random.default_rng(1).uniform(0.01, 3.99, 40):
        stencil = [it.y(t + k * h) for k in (-2, -1, 1, 2)]
        slope = (stencil[0] - 8 * stencil[1] + 8 * stencil[2] - stencil[3]) / (12 * h)
        # h^4/30 times fifth derivatives of some 1e4 at most; at corners and knots of splines the jerk jumps, and
        # the difference of accelerations is off by h times that, so these are compared at the mean of its sides
        np.testing.assert_allclose(slope[:, 0], it.y(t)[:, 1], rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(slope[:, 1], it.y(t)[:, 2], rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("values", SHAPES, ids=lambda values: values["shape"])
def test_path_rests_outside_of_its_time(values: dict[str, Any]) -> None:
    early, late = bench(**values, start=2.0).y(1.9), bench(**values, start=2.0).y(30.0)
    np.testing.assert_array_equal(early[:, 1:], 0.0)
    np.testing.assert_array_equal(late[:, 1:], 0.0)
    np.testing.assert_allclose(bench(**values).y(0.0)[:, 0], early[:, 0], atol=1e-15)


def times(values: dict[str, Any]) -> np.ndarray:
    return np.linspace(0, values["duration"], 50)


def test_circle_keeps_its_radius_and_closes() -> None:
    it = bench(**SHAPES[0], center=[1, -1])
    points = np.array([it.y(t)[:, 0] for t in times(SHAPES[0])]) - [1, -1]
    np.testing.assert_allclose(np.hypot(*points.T), 0.2, rtol=1e-14)
    np.testing.assert_allclose(points[-1], points[0], atol=1e-15)
    # poly7 at half time: half round, at 35/16 of the mean speed
    np.testing.assert_allclose(it.y(4.0)[:, 1], [0, -35 / 16 * 2 * math.pi * 0.2 / 8], atol=1e-14)


def test_ellipse_stays_on_its_curve_and_turns_clockwise() -> None:
    it = bench(**SHAPES[1])
    points = np.array([it.y(t)[:, 0] for t in times(SHAPES[1])])
    np.testing.assert_allclose((points[:, 0] / 3) ** 2 + (points[:, 1] / 2) ** 2, 1, rtol=1e-13)
    value, rate, _ = it.y(0.5).T
    assert value[0] * rate[1] - value[1] * rate[0] < 0


def test_spiral_is_archimedean() -> None:
    it = bench(**SHAPES[2])
    points = np.array([it.y(t)[:, 0] for t in times(SHAPES[2])]) - [1, 2, 3]
    radius, angle = np.hypot(*points.T[:2]), np.unwrap(np.arctan2(points[:, 1], points[:, 0]))
    inside = radius > 1e-6  # the angle loses its meaning in the centre
    np.testing.assert_allclose(radius[inside], 0.2 * (1 - angle[inside] / (4 * math.pi)), atol=1e-12)
    np.testing.assert_allclose(points[:, 2], 0.0, atol=1e-15)


def test_rectangle_rests_at_its_corners() -> None:
    it = bench(**SHAPES[3])
    # sides of 0.2 and 0.4 m share 4 s by their lengths; each is followed by 0.5 s of rest
    for t, corner in [(0, (-1, -2)), (2 / 3, (1, -2)), (2.5, (1, 2)), (11 / 3, (-1, 2)), (5.5, (-1, -2))]:
        for moment in (t, t + 0.49):
            np.testing.assert_allclose(it.y(moment if t else 0)[:, 0], np.array(corner) / 10, atol=1e-14)
            np.testing.assert_allclose(it.y(moment if t else 0)[:, 1], 0, atol=1e-14)


def test_rhombus_has_equal_sides_in_space() -> None:
    it = bench(shape="rhombus", size=[0.4, 0.6], duration=4, rotate=[["x", "90 deg"]])
    corners = np.array([it.y(t)[:, 0] for t in range(5)])
    np.testing.assert_allclose(
        np.linalg.norm(np.diff(corners, axis=0), axis=1), math.hypot(0.2, 0.3), rtol=1e-14
    )
    np.testing.assert_allclose(corners[1], [0, 0, 0.3], atol=1e-15)  # its y axis points along the world's z


def test_table_goes_through_its_points_and_closes_smoothly() -> None:
    it = bench(shape="table", points=POINTS, duration=1, law="trapezoidal", ramp=1e-6)
    chords = np.linalg.norm(np.diff(POINTS, axis=0), axis=1)
    shares = np.concatenate([[0], np.cumsum(chords)]) / chords.sum()
    for share, point in zip(shares[1:-1], POINTS[1:-1], strict=True):
        # ramps of 1e-6 shift the constant speed by half of that
        np.testing.assert_allclose(it.y(share)[:, 0], point, atol=1e-5)
    first, last = it.y(1e-5), it.y(1 - 1e-5)
    np.testing.assert_allclose(first[:, 1:], last[:, 1:], atol=5e-2)  # 2e-5 times a jerk of about 1e3


def test_table_of_a_circle_is_a_circle() -> None:
    angles = np.linspace(0, 2 * math.pi, 25)
    points = np.column_stack([np.cos(angles), np.sin(angles)])
    points[-1] = points[0]
    it = bench(shape="table", points=points.tolist(), duration=1)
    radii = [np.hypot(*it.y(t)[:, 0]) for t in np.linspace(0, 1, 101)]
    # quintic interpolation: of the order of (2 pi/24)^6 / 1000
    np.testing.assert_allclose(radii, 1, atol=2e-6)


def test_path_finds_mistakes(tmp_path: Any) -> None:
    assert mistakes(Path, shape="line") == [".points"]
    assert mistakes(Path, shape="line", points=POINTS) == [".points"]
    assert mistakes(Path, shape="polyline", points=[[0, 0], [0, 0]]) == [".points[1]"]
    assert mistakes(Path, shape="polyline", points=[[0, 0], [0]]) == [".points[1]"]
    assert mistakes(Path, shape="table", points=[*POINTS[:3], POINTS[0]]) == [".points"]
    assert mistakes(Path, shape="rectangle", turns=1.5, leg_durations=[1, 2]) == [".turns", ".leg_durations"]
    assert mistakes(Path, shape="circle", radius=[1, 2]) == [".radius"]
    assert mistakes(Path, center=[1]) == [".center"]
    assert mistakes(Path, shape="table", file=str(tmp_path / "none.csv")) == [".file"]


def test_path_reads_its_points_from_a_file(tmp_path: Any) -> None:
    (tmp_path / "corners.csv").write_text("x, y\n0, 0\n1, 0  # first corner\n1; 2\n")
    block = make(Path, shape="polyline", points=[[0, 0], [1, 0], [1, 2]], duration=3)
    vars(block).update(folder=tmp_path, file="corners.csv")
    np.testing.assert_allclose(Bench(block).y(1.0)[:, 0], [1, 0], atol=1e-15)
    np.testing.assert_allclose(Bench(block).y(3.0)[:, 0], [1, 2], atol=1e-15)
