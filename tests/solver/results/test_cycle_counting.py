"""Counting against the package `rainflow`, which follows ASTM E1049 as well; damage against closed forms."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
import rainflow

import luff
from luff.blocks.expression_scope import Scope
from luff.blocks.params import convert_all
from luff.blocks.signals.rainflow import Woehler
from luff.solver.results.cycle_counting import (
    closed_cycles,
    count_signal,
    equivalent_range,
    stress_history,
    turning_points,
)
from luff.solver.results.run_metrics import first_above, rising_crossings, time_above

ASTM = [-2.0, 1.0, -3.0, 5.0, -1.0, 3.0, -4.0, 4.0, -2.0]  # figure 6 of the standard


def line(**values: object) -> Woehler:
    return Woehler(convert_all(Woehler.params, values, Scope(), "", "fatigue"), frozenset(values))


def histories(number: int) -> list[np.ndarray]:
    rng = np.random.default_rng(7)
    found = []
    for k in range(number):
        n = int(rng.integers(3, 400))  # of two values the package counts nothing
        kinds = (
            rng.standard_normal(n),
            np.cumsum(rng.standard_normal(n)),
            np.round(3 * rng.standard_normal(n)),  # with plateaus and equal ranges
            np.sin(np.arange(n) * rng.uniform(0.1, 2.0)) * np.exp(-np.arange(n) * rng.uniform(-0.01, 0.01)),
        )
        found.append(kinds[k % 4])
    return found


def test_the_standard_example() -> None:
    found = Counter()
    for span, _, count in closed_cycles(np.array(ASTM)).tolist():
        found[span] += count
    assert found == {3.0: 0.5, 4.0: 1.5, 6.0: 0.5, 8.0: 1.0, 9.0: 0.5}  # its table


def test_counts_are_those_of_the_package_on_random_histories() -> None:
    for values in histories(200):
        if np.ptp(values) == 0.0:
            continue
        wanted = sorted((span, mean, count) for span, mean, count, _, _ in rainflow.extract_cycles(values))
        found = sorted(map(tuple, closed_cycles(values).tolist()))
        np.testing.assert_allclose(found, wanted, rtol=0.0, atol=0.0)


def test_damage_is_the_sum_over_the_cycles() -> None:
    fatigue = line(strength=2.0, slope=3.5, reference=1000.0, knee=1e5, beyond=5.0)
    edge = 2.0 * (1000.0 / 1e5) ** (1 / 3.5)
    for values in histories(40):
        wanted = 0.0
        for span, _, count in closed_cycles(values).tolist():
            if span >= edge:
                wanted += count * (span / 2.0) ** 3.5 / 1000.0
            else:
                wanted += count * (span / edge) ** 5.0 / 1e5
        assert count_signal(values, fatigue).damage == pytest.approx(wanted, rel=1e-12)
        assert count_signal(values, fatigue).cycles == pytest.approx(
            closed_cycles(values)[:, 2].sum(), abs=1e-9
        )


def test_two_levels_by_hand() -> None:
    """100 cycles of range 10 and 5 of range 30 within them: n1 (s1/S)^m/N + n2 (s2/S)^m/N."""
    small, large = [0.0, 10.0] * 100, [0.0, 30.0] * 5
    values = np.array([*small, *large, 0.0])
    found = count_signal(values, line(strength=20.0, slope=3.0, reference=1e3))
    assert found.damage == pytest.approx(100 * 0.5**3 / 1e3 + 5 * 1.5**3 / 1e3, rel=1e-12)
    assert equivalent_range(values, line(slope=3.0), 105.0) == pytest.approx(
        ((100 * 1e3 + 5 * 27e3) / 105) ** (1 / 3)
    )


def test_the_knee_is_steady_and_below_it_nothing_counts_without_a_second_slope() -> None:
    edge = 100.0 * (2e6 / 5e6) ** (1 / 3)
    one = line(strength=100.0, slope=3.0, knee=5e6)
    two = line(strength=100.0, slope=3.0, knee=5e6, beyond=5.0)
    at = lambda s, law: count_signal(np.array([0.0, s, 0.0]), law).damage  # noqa: E731
    assert at(edge * (1 - 1e-9), one) == 0.0
    assert at(edge * (1 + 1e-9), one) == pytest.approx(1 / 5e6, rel=1e-7)
    assert at(edge * (1 - 1e-9), two) == pytest.approx(1 / 5e6, rel=1e-7)


@pytest.mark.parametrize(
    ("correction", "mean", "wanted"),
    [
        ("none", 50.0, 40.0),
        ("goodman", 50.0, 40.0 / (1 - 50 / 400)),
        ("goodman", -50.0, 40.0),
        ("goodman", 0.0, 40.0),
        ("gerber", 50.0, 40.0 / (1 - (50 / 400) ** 2)),
        ("swt", 0.0, 40.0),
        ("swt", 50.0, 2 * math.sqrt(70.0 * 20.0)),
        ("swt", -30.0, 0.0),
    ],
)
def test_mean_stress(correction: str, mean: float, wanted: float) -> None:
    fatigue = line(strength=100.0, slope=3.0, reference=1.0, correction=correction, ultimate=400.0)
    values = np.array([mean - 20.0, mean + 20.0, mean - 20.0])
    assert count_signal(values, fatigue).damage == pytest.approx((wanted / 100) ** 3, rel=1e-12)


def test_tension_up_to_the_ultimate_strength_is_failure() -> None:
    fatigue = line(strength=100.0, correction="goodman", ultimate=400.0)
    assert count_signal(np.array([390.0, 420.0, 390.0]), fatigue).damage == math.inf


def test_movements_below_the_smallest_are_no_cycles() -> None:
    rng = np.random.default_rng(3)
    slow = 10 * np.sin(np.linspace(0, 20, 4000))
    noisy = slow + 0.05 * rng.uniform(-1, 1, 4000)
    found = count_signal(noisy, line(strength=20.0, smallest=0.5))
    assert found.cycles == closed_cycles(noisy, 0.5)[:, 2].sum()
    # three periods and the way into and out of them; the noise makes a thousand
    assert abs(found.cycles - count_signal(slow, line(strength=20.0)).cycles) <= 0.5
    assert count_signal(noisy, line(strength=20.0)).cycles > 500


def test_history_parameter() -> None:
    """Constant ranges have k_m = 1; half of them at half the range (1 + 1/8)/2."""
    table = np.array([[10.0, 0.0, 1.0]] * 4)
    assert stress_history(table, 3.0, repeats=5e5).s_m == pytest.approx(1.0)
    assert stress_history(table, 3.0, repeats=5e5).stress_class == "S7"
    assert stress_history(table, 3.0, repeats=5.1e5).stress_class == "S8"
    mixed = np.array([[10.0, 0.0, 2.0], [5.0, 0.0, 2.0]])
    assert stress_history(mixed, 3.0).k_m == pytest.approx((1 + 1 / 8) / 2)
    assert stress_history(np.zeros((0, 3)), 3.0).s_m == 0.0


@pytest.mark.parametrize("values", [[1.0], [2.0, 2.0, 2.0], []])
def test_what_never_moves_has_no_cycles(values: list[float]) -> None:
    assert len(closed_cycles(np.array(values))) == 0
    assert count_signal(np.array(values), line()).cycles == 0.0


def test_turning_points_of_tiny_steps() -> None:
    """Products of the steps underflow, and still they turn."""
    tiny = 1e-200
    assert turning_points(np.array([0.0, tiny, 0.0, tiny])).tolist() == [0.0, tiny, 0.0, tiny]


# --- within a run ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("smallest", [0.0, 4.0])
def test_online_is_offline_to_the_last_bit(smallest: float) -> None:
    """Each step's value counts once, and a row tells what the record up to it comes to."""
    sim = luff.compile(
        luff.loads(f"""
luff: 1
blocks:
  a: {{type: noise, seed: 5, sample_time: 7 ms}}
  b: {{type: sine, amplitude: 3, frequency: 2.1 Hz}}
  u: {{type: sum, signs: "++"}}
  it:
    type: rainflow
    fatigue: {{strength: 2, slope: 3.3, reference: 100, correction: gerber, ultimate: 40, smallest: {smallest}}}
connect: [a.y -> u.u1, b.y -> u.u2, u.y -> it.u]
simulation: {{stop: 2 s, step: 1 ms, output_step: 1 ms}}
""")
    )
    result = sim.run()
    fatigue = line(
        strength=2.0, slope=3.3, reference=100.0, correction="gerber", ultimate=40.0, smallest=smallest
    )
    for rows in (1, 2, 3, 500, 1234, len(result.time)):
        offline = count_signal(result["u.y"][:rows], fatigue)
        assert result["it.damage"][rows - 1] == offline.damage
        assert result["it.cycles"][rows - 1] == offline.cycles
    assert result["it.cycles"][-1] > (3 if smallest else 100)


def test_what_is_open_is_bounded() -> None:
    """A dying oscillation keeps all ranges open; with four of them remembered it counts half cycles at once."""
    values = np.array([(-0.9) ** k for k in range(50)])
    full, short = (count_signal(values, line(slope=3.0), depth) for depth in (256, 4))
    assert short.cycles == full.cycles == 24.5
    assert short.damage == pytest.approx(full.damage, rel=1e-12)


def test_a_vector_has_a_count_each() -> None:
    sim = luff.compile(
        luff.loads("""
luff: 1
blocks:
  a: {type: sine, amplitude: [1, 2], frequency: 1 Hz}
  it: {type: rainflow}
connect: [a.y -> it.u]
simulation: {stop: 3 s, step: 10 ms}
""")
    )
    result = sim.run()
    assert result["it.damage"][-1, 1] == pytest.approx(8 * result["it.damage"][-1, 0], rel=1e-12)


@pytest.mark.parametrize(
    ("fatigue", "message"),
    [
        ("correction: goodman", "goodman needs the ultimate strength"),
        ("beyond: 5", "and no knee"),
        ("strength: 0", "> 0"),
    ],
)
def test_a_line_that_cannot_be(fatigue: str, message: str) -> None:
    counter = f"{{type: rainflow, fatigue: {{{fatigue}}}}}"
    text = f"luff: 1\nblocks: {{c: {{type: constant}}, it: {counter}}}\nconnect: [c.y -> it.u]\n"
    with pytest.raises(luff.LuffError, match=message):
        luff.compile(luff.loads(text))


# --- levels --------------------------------------------------------------------------------------------------------


def test_rises_times_above_and_first_time() -> None:
    time, values = np.arange(7.0), np.array([2.0, 0.0, 2.0, 2.0, 0.0, 0.0, 4.0])
    assert rising_crossings(values, 1.0) == 2
    assert rising_crossings(values, 1.0, after_fall=True) == 2
    assert rising_crossings(values[1:], 1.0, after_fall=True) == 1  # the first is no return
    assert rising_crossings(values, 5.0, after_fall=True) == 0
    # 0.5 falling, 0.5 rising, 1, 0.5 falling, and 0.75 of the last
    assert time_above(time, values, 1.0) == pytest.approx(0.5 + 0.5 + 1.0 + 0.5 + 0.75)
    assert first_above(time, values, 1.0) == 0.0
    assert first_above(time[1:], values[1:], 1.0) == pytest.approx(1.5)
    assert first_above(time, values, 9.0) == math.inf
