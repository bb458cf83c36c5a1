"""Sources against their formulas, and the noise against statistics."""

import math

import numpy as np
import pytest
from scipy import stats

from luff.blocks import LuffError
from luff.blocks.signals.signal_sources import Chirp, Constant, Noise, Pulse, Ramp, Sine, Step
from luff.tests.blocks.bench import Bench, make


def values(bench: Bench, times: list[float]) -> list[float]:
    return [float(bench.y(t)[0]) for t in times]


def test_constant_takes_any_quantity_and_checks_its_unit() -> None:
    assert Bench(make(Constant, value=["5 km", 2.0])).y(0.0).tolist() == [5000.0, 2.0]
    block = make(Constant, value="5 km", unit="m")
    assert block.ports()["y"].unit == "m"
    with pytest.raises(LuffError, match=r"found '5 km'.*expected a quantity in N"):
        make(Constant, value="5 km", unit="N")
    with pytest.raises(LuffError, match="expected an SI unit"):
        make(Constant, unit="km")
    with pytest.raises(LuffError, match="empty list"):
        make(Constant, value=[])


def test_step_ramp_and_pulse() -> None:
    assert values(Bench(make(Step, start=1, offset=2, height=3)), [0.999, 1.0, 9.0]) == [2, 5, 5]
    assert values(Bench(make(Ramp, start=1, slope=2)), [0, 1, 2.5]) == [0, 0, 3]
    assert values(Bench(make(Ramp, start=1, slope=2, duration=1)), [1.5, 2, 7]) == [1, 2, 2]
    assert values(Bench(make(Pulse, start=1, duration=0.5)), [0.9, 1, 1.4, 1.5, 3]) == [0, 1, 1, 0, 0]


def test_pulse_repeats_at_every_period_of_summed_steps() -> None:
    bench, h = Bench(make(Pulse, period=0.1, duration=0.05)), 0.01
    t, seen = 0.0, []
    for _ in range(1000):
        seen.append(float(bench.y(t)[0]))
        t += h  # sums to 9.99 with 1e-12 of rounding
    assert seen == [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0] * 100


@pytest.mark.parametrize(
    "block",
    [
        make(Sine, amplitude=2, frequency="0.5 Hz", phase=0.3, offset=1),
        make(Chirp, first=1, last=8, duration=3, amplitude=2),
        make(Ramp, slope=3, start=-1),
    ],
    ids=lambda block: block.type_name,
)
def test_trajectory_of_a_source_is_its_derivative(block) -> None:
    bench, h = Bench(block), 1e-3
    for t in np.linspace(0.1, 2.8, 20):
        y = [bench.y(t + k * h)[0] for k in (-2, -1, 0, 1, 2)]
        value, rate, acceleration = bench.out(t)["trajectory"][0]
        assert value == y[2]
        # five points: h^4/30 and h^4/90 times 2 * 8^6, and rounding of 1e-16/h^2
        assert (y[0] - 8 * y[1] + 8 * y[3] - y[4]) / (12 * h) == pytest.approx(rate, abs=1e-7)
        second = (-y[0] + 16 * y[1] - 30 * y[2] + 16 * y[3] - y[4]) / (12 * h * h)
        assert second == pytest.approx(acceleration, abs=1e-6)


def test_sine_in_hertz() -> None:
    assert Bench(make(Sine, frequency="2 Hz")).y(0.125)[0] == pytest.approx(1.0, abs=1e-15)
    assert Bench(make(Sine, frequency=math.pi)).y(0.5)[0] == pytest.approx(1.0, abs=1e-15)


def test_chirp_keeps_its_last_frequency() -> None:
    bench = Bench(make(Chirp, first=1, last=2, duration=10))
    # 15 rad in the sweep, then 2 rad/s
    assert bench.y(10.0)[0] == pytest.approx(math.sin(15), abs=1e-14)
    assert bench.y(13.0)[0] == pytest.approx(math.sin(21), abs=1e-13)


def noise(count: int, width: int = 1, **options) -> np.ndarray:
    bench = Bench(make(Noise, sample_time=0.1, **options), width=width)
    return np.array([bench.y(0.1 * k + 0.05) for k in range(count)])


def test_noise_is_normal_and_white() -> None:
    count = 4000
    x = noise(count, 2, seed=7, mean=1.0, deviation=2.0)
    z = (x - 1) / 2
    # the seed is fixed, so these either hold or do not; 4 sigma bounds of the estimators
    assert np.abs(z.mean(axis=0)).max() < 4 / math.sqrt(count)
    assert np.abs(z.var(axis=0) - 1).max() < 4 * math.sqrt(2 / count)
    for column in z.T:
        assert stats.kstest(column, "norm").pvalue > 1e-3
        for lag in (1, 2, 3):
            assert abs(np.mean(column[:-lag] * column[lag:])) < 4 / math.sqrt(count)
    assert abs(np.mean(z[:, 0] * z[:, 1])) < 4 / math.sqrt(count)


def test_noise_depends_on_time_and_seed_alone() -> None:
    bench = Bench(make(Noise, sample_time=0.1, seed=3))
    assert bench.y(0.2999)[0] == bench.y(0.2)[0] != bench.y(0.1999)[0]
    assert bench.y(0.1 * 3)[0] == bench.y(0.35)[0]  # 0.1 * 3 is one rounding above 0.3, 0.3 / 0.1 below 3
    assert bench.y(0.3)[0] == bench.y(0.35)[0]
    np.testing.assert_array_equal(noise(5, seed=3), noise(5, seed=3))
    assert not np.any(noise(5, seed=3) == noise(5, seed=4))
