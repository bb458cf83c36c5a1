"""Errors of runs along paths whose distances are known."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import luff
from luff.solver.results.run_metrics import contour_error, distance_to_path, tracking_error


def result(target: np.ndarray, actual: np.ndarray) -> luff.Result:
    time = np.linspace(0.0, 1.0, len(target))
    names = [f"path.y[{k}]" for k in range(target.shape[1])] + [
        f"load.p[{k}]" for k in range(actual.shape[1])
    ]
    return luff.Result(time, names, np.hstack([target, actual]))


def circle(radius: float, lag: float = 0.0, n: int = 4001) -> np.ndarray:
    phi = 2 * np.pi * np.linspace(0.0, 1.0, n) - lag
    return radius * np.column_stack([np.cos(phi), np.sin(phi)])


def test_late_on_the_path_is_a_tracking_error_alone() -> None:
    made = result(circle(0.2), circle(0.2, lag=0.1))
    tracking, contour = tracking_error(made, "path.y", "load.p"), contour_error(made, "path.y", "load.p")
    chord = 2 * 0.2 * np.sin(0.05)
    # the chord turns once around: its components reach it, and have its RMS over root two
    np.testing.assert_allclose(tracking.maximum, chord, rtol=1e-5)
    np.testing.assert_allclose(
        tracking.rms, chord / np.sqrt(2), rtol=1e-3
    )  # both ends of the time count in full
    # sag of the polygon: ds^2 / 8 r
    assert contour.maximum < 1.1 * (2 * np.pi * 0.2 / 4000) ** 2 / (8 * 0.2)


def test_beside_the_path_is_a_contour_error() -> None:
    contour = contour_error(result(circle(0.2), circle(0.203)), "path.y", "load.p")
    assert contour.rms == pytest.approx(0.003, abs=1e-7)
    assert contour.maximum == pytest.approx(0.003, abs=1e-7)


def test_height_is_left_out_and_times_are_chosen() -> None:
    target = np.column_stack([np.linspace(0, 1, 101), np.zeros(101)])
    actual = np.column_stack([target[:, 0], np.where(target[:, 0] < 0.5, 5.0, 0.1), np.full(101, -9.0)])
    made = result(target, actual)
    tracking = tracking_error(made, "path.y", "load.p", start=0.5)
    np.testing.assert_allclose(tracking.values, [[0.0, -0.1]] * 51, atol=1e-15)
    assert contour_error(made, "path.y", "load.p", 0.6, 0.8).maximum == pytest.approx(0.1)
    with pytest.raises(luff.LuffError, match="no rows from 3 to inf s"):
        tracking_error(made, "path.y", "load.p", start=3.0)
    with pytest.raises(luff.LuffError, match="found 2 components, expected 3"):
        tracking_error(made, "load.p", "path.y")


def test_distance_to_a_polygon_in_space_agrees_with_brute_force() -> None:
    rng = np.random.default_rng(5)
    path = np.cumsum(rng.normal(scale=0.05, size=(60, 3)), axis=0)
    path = np.repeat(path, rng.integers(1, 4, size=60), axis=0)  # with rests
    points = path[rng.integers(0, len(path), 40)] + rng.normal(scale=0.01, size=(40, 3))
    shares = np.linspace(0, 1, 2001)[:, None]
    dense = np.concatenate([(1 - shares) * a + shares * b for a, b in pairwise(path)])
    wanted = [np.linalg.norm(dense - point, axis=1).min() for point in points]
    # the brute force stops within 5e-5 of the pieces' length of the nearest point
    np.testing.assert_allclose(distance_to_path(points, path), wanted, atol=1e-6, rtol=1e-3)


def test_a_path_that_rests_is_a_point() -> None:
    path = np.tile([[1.0, 2.0]], (5, 1))
    np.testing.assert_allclose(distance_to_path(np.array([[4.0, 6.0]]), path), [5.0])


def turning(w: float, axis: str, resolve: str = "b") -> luff.Result:
    """A bob that a drive turns at a steady rate, once round, 2 kg at 0.7 m."""
    text = f"""
luff: 1
blocks:
  world: {{gravity: [0, -9.81, 0]}}
  pin: {{type: revolute, axis: {axis}, driven: true, resolve: {resolve}}}
  bob: {{type: rigid_link, mass: 2, com: [0.7, 0, 0], inertia: [0.1, 0.1, 0.1]}}
  law: {{type: ramp, slope: {w}, unit: rad}}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- bob.frame_a
  - law.trajectory -> pin.follow
"""
    period = 2 * np.pi / w
    return luff.compile(luff.loads(text)).run(stop=period, step=period / 2000)


@pytest.mark.parametrize("resolve", ["world", "b"])
def test_reactions_of_a_pendulum_that_turns_steadily(resolve: str) -> None:
    """Upright |F|^2 = (m r w^2)^2 + (m g)^2 + 2 m^2 r w^2 g sin(angle): the last goes with the mean."""
    w, m, r, g = 3.0, 2.0, 0.7, 9.81
    result = turning(w, "z", resolve)
    found = luff.reactions(result)["pin"]
    # the trapezoidal rule is exact to rounding over a whole turn; the peak stands at a quarter, which is a row
    assert found.rms_force == pytest.approx(np.hypot(m * r * w * w, m * g), rel=1e-9)
    assert found.peak_force == pytest.approx(m * r * w * w + m * g, rel=1e-9)
    # the drive holds the weight at the arm of cos(angle)
    assert found.rms_torque == pytest.approx(m * g * r / np.sqrt(2), rel=1e-9)
    assert found.peak_torque == pytest.approx(m * g * r, rel=1e-9)
    held = luff.reactions(result, "constraint")["pin"]
    assert held.rms_force == pytest.approx(found.rms_force, rel=1e-12)
    assert held.peak_torque == pytest.approx(0.0, abs=1e-10)
    if resolve == "world":
        pull = m * r * w * w / np.sqrt(2)
        np.testing.assert_allclose(result.rms("pin.total_force"), [pull, np.hypot(pull, m * g), 0], atol=1e-9)


def test_reactions_of_a_pendulum_about_the_vertical_stand_still() -> None:
    w, m, r, g = 4.0, 2.0, 0.7, 9.81
    result = turning(w, "y")
    found = luff.reactions(result, start=0.2, stop=0.9)["pin"]
    assert [found.rms_force, found.peak_force] == pytest.approx(
        [np.hypot(m * r * w * w, m * g)] * 2, rel=1e-9
    )
    assert [found.rms_torque, found.peak_torque] == pytest.approx([m * g * r] * 2, rel=1e-9)
    with pytest.raises(luff.LuffError, match="no rows from 50 to inf s"):
        luff.reactions(result, start=50.0)


def test_reactions_that_were_not_recorded_are_asked_for_in_words() -> None:
    with pytest.raises(luff.LuffError, match="has no total_force with its total_torque"):
        luff.reactions(result(circle(0.2), circle(0.2)))


def test_rows_at_times_that_rounding_has_moved_belong_to_their_stretch() -> None:
    """1000 steps of 0.1 s: row 3 stands at 0.30000000000000004, and late ones are off by more than 1e-9 of a step."""
    import luff
    from luff.solver.results.run_metrics import rows_between

    text = "luff: 1\nblocks: {x: {type: integrator}, one: {type: constant}}\nconnect: [one.y -> x.u]\n"
    result = luff.compile(luff.loads(text + "simulation: {stop: 100 s, step: 0.1 s}\n")).run()
    assert rows_between(result, 0.1, 0.3).sum() == 3
    # a row that is off by less than 1e-9 of the end of the run is at that time; one by more is not
    assert rows_between(result, 50.0 + 5e-8, 50.15).sum() == 2
    assert rows_between(result, 50.0 + 5e-7, 50.15).sum() == 1
