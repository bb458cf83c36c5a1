"""Laws of motion against calculus, and the sequencer against its own promises."""

import math

import numpy as np
import pytest

from luff.blocks.planning import time_scaling as kernels
from luff.blocks.planning.motion_law import MotionLaw
from luff.tests.blocks.bench import Bench, make, mistakes

NAMES = kernels.LAWS
RAMP, ROUNDING = 0.3, 0.25
# where the acceleration of the piecewise laws has a corner or a jump
CORNERS = np.array([RAMP * ROUNDING, RAMP * (1 - ROUNDING), RAMP])
CORNERS = np.concatenate([CORNERS, 1 - CORNERS])


def law(name: str, tau: float) -> tuple[float, float, float]:
    return kernels.law(float(NAMES.index(name)), tau, tau, RAMP, ROUNDING)


def slope(function, x: float, h: float = 1e-3) -> float:
    """Derivative by five points; the error is h^4 / 30 times the fifth derivative."""
    return (8 * (function(x + h) - function(x - h)) - function(x + 2 * h) + function(x - 2 * h)) / (12 * h)


@pytest.mark.parametrize("name", NAMES)
def test_law_rates_are_derivatives(name: str) -> None:
    for tau in np.linspace(0.01, 0.99, 41):
        if np.abs(CORNERS - tau).min() < 3e-3:
            continue
        # h^4/30 times derivatives below 1e5 (20 * 7!/2 of poly7) leaves 4e-9
        assert slope(lambda x: law(name, x)[0], tau) == pytest.approx(law(name, tau)[1], abs=1e-8)
        assert slope(lambda x: law(name, x)[1], tau) == pytest.approx(law(name, tau)[2], abs=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_law_is_symmetric_and_goes_from_0_to_1(name: str) -> None:
    assert law(name, 0.0)[:2] == pytest.approx((0.0, 0.0), abs=1e-15)
    assert law(name, 1 - 1e-12)[:2] == pytest.approx((1.0, 0.0), abs=1e-10)
    assert law(name, -0.1) == (0.0, 0.0, 0.0)
    assert law(name, 1.0) == (1.0, 0.0, 0.0)
    for tau in (0.05, 0.2, 0.3, 0.45):
        s, rate, acceleration = law(name, tau)
        assert law(name, 1 - tau) == pytest.approx((1 - s, rate, -acceleration), abs=1e-13)


@pytest.mark.parametrize(
    ("name", "speed", "acceleration"),
    [
        ("poly3", 3 / 2, 6.0),
        ("poly5", 15 / 8, 10 / math.sqrt(3)),
        ("poly7", 35 / 16, 84 * math.sqrt(5) / 25),
        ("cycloidal", 2.0, 2 * math.pi),
        ("trapezoidal", 1 / (1 - RAMP), 1 / (1 - RAMP) / RAMP),
        ("s_curve", 1 / (1 - RAMP), 1 / (1 - RAMP) / (RAMP * (1 - ROUNDING))),
    ],
)
def test_law_peaks_are_those_of_the_textbook(name: str, speed: float, acceleration: float) -> None:
    grid = np.array([law(name, tau) for tau in np.linspace(0, 1, 4001)[:-1]])
    # a maximum sampled 1/8000 beside its place is low by curvature * 1e-8, at most 1e-6 here
    assert grid[:, 1].max() == pytest.approx(speed, rel=2e-6)
    assert np.abs(grid[:, 2]).max() == pytest.approx(acceleration, rel=2e-6)


@pytest.mark.parametrize(
    ("name", "acceleration", "jerk"),
    [
        ("poly3", 6.0, -12.0),
        ("poly5", 0.0, 60.0),
        ("poly7", 0.0, 0.0),
        ("cycloidal", 0.0, 4 * math.pi**2),
        ("trapezoidal", 1 / (1 - RAMP) / RAMP, 0.0),
        ("s_curve", 0.0, 1 / (1 - RAMP) / (RAMP * (1 - ROUNDING)) / (RAMP * ROUNDING)),
    ],
)
def test_law_starts_with_the_documented_derivatives(name: str, acceleration: float, jerk: float) -> None:
    h = 1e-6
    assert law(name, 0.0)[2] == pytest.approx(acceleration, abs=1e-12)
    # a one-sided difference is off by h times the next derivative, below 1e3
    assert (law(name, h)[2] - law(name, 0.0)[2]) / h == pytest.approx(jerk, abs=1e-3)


def test_motion_rests_before_and_after() -> None:
    bench = Bench(make(MotionLaw, start_value=[1, -2], end_value=[3, 4], start=2, duration=5, law="poly7"))
    np.testing.assert_array_equal(bench.y(1.999), [[1, 0, 0], [-2, 0, 0]])
    np.testing.assert_array_equal(bench.y(7.0), [[3, 0, 0], [4, 0, 0]])
    np.testing.assert_allclose(bench.y(4.5)[:, 0], [2, 1], rtol=1e-15)
    # the greatest speed of poly7 is 35/16 of the mean
    np.testing.assert_allclose(bench.y(4.5)[:, 1], np.array([2, 6]) / 5 * 35 / 16, rtol=1e-14)


def test_sequence_visits_its_set_points_and_dwells() -> None:
    legs = [{"to": 1.0, "dwell": 0.5}, {"to": [4.0, 2.0], "duration": 2.0, "law": "poly3"}, {"to": 0.0}]
    bench = Bench(make(MotionLaw, legs=legs, start=1.0, duration=1.0))
    stops = [(1.0, 0, 0), (2.0, 1, 1), (2.3, 1, 1), (2.5, 1, 1), (4.5, 4, 2), (5.5, 0, 0), (9.0, 0, 0)]
    for t, first, second in stops:
        np.testing.assert_allclose(bench.y(t)[:, 0], [first, second], atol=1e-12)
        np.testing.assert_allclose(bench.y(t)[:, 1], 0.0, atol=1e-12)
    # poly3 is 3/2 of the mean speed at half time
    np.testing.assert_allclose(bench.y(3.5)[:, 1], np.array([3, 1]) / 2 * 1.5, rtol=1e-14)


def test_sequence_repeats() -> None:
    legs = [{"to": 2.0}, {"to": 0.0, "dwell": 1.0}]
    twice, ever = (Bench(make(MotionLaw, legs=legs, repeat=count)) for count in (2, 0))
    for t in (0.3, 1.0, 1.7, 2.5):
        np.testing.assert_allclose(ever.y(t + 300), ever.y(t), atol=1e-11)  # 300 carries 6e-14 of rounding
        np.testing.assert_allclose(twice.y(t + 3), twice.y(t), atol=1e-13)
        np.testing.assert_array_equal(twice.y(t + 6), [[0, 0, 0]])


def test_motion_law_finds_mistakes() -> None:
    assert mistakes(MotionLaw, repeat=2) == [".repeat"]
    assert mistakes(MotionLaw, start_value=[1, 2], end_value=[1, 2, 3]) == [".start_value"]
    assert mistakes(MotionLaw, legs=[{"to": 3}, {"to": [1, 2]}, {"to": [1, 2, 3]}]) == [".legs[1].to"]
