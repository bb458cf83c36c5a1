"""Controllers: their equations, and what the integral does against a limit."""

import numpy as np
import pytest

from luff.blocks.signals.controllers import Pd, Pid
from luff.tests.blocks.bench import Bench, make, mistakes


def test_pd_is_its_equation_element_by_element() -> None:
    bench = Bench(make(Pd, kp=[2, 3], kd="4 N*s/m", upper=[None, 5][1]), width=2)
    inputs = {"target": [(1, 0.5, 0), (2, 0, 0)], "measured": [(0, 0, 0), (0, 1, 0)], "feedforward": 0.5}
    effort = bench.out(0.0, **inputs)["effort"]
    assert effort.tolist() == [2 * 1 + 4 * 0.5 + 0.5, 3 * 2 - 4 + 0.5]
    inputs["target"][1] = (9, 0, 0)
    assert bench.out(0.0, **inputs)["effort"][1] == 5
    assert mistakes(Pd, lower=2, upper=1) == [".lower"]


def closed_loop(stop: float, **values) -> tuple[np.ndarray, np.ndarray]:
    """A unit mass that a pid moves from 0 to 1; times, and rows of position and effort."""
    bench, h = Bench(make(Pid, **values)), 5e-3
    position, velocity, rows = 0.0, 0.0, []
    for k in range(round(stop / h)):
        inputs = {"target": [(1.0, 0.0, 0.0)], "measured": [(position, velocity, 0.0)]}
        effort = float(bench.out(k * h, **inputs)["effort"][0])
        rates = bench.der(k * h, **inputs)
        bench.states = {name: value + h * rates[name] for name, value in bench.states.items()}
        rows.append((position, effort))
        # a load that only the integral can carry
        velocity += h * (effort - 0.5)
        position += h * velocity
    return np.arange(len(rows)) * h, np.array(rows)


def test_pid_removes_the_steady_error_and_anti_windup_the_overshoot() -> None:
    gains = {"kp": 8.0, "ki": 4.0, "kd": 4.0}
    _, free = closed_loop(20.0, **gains)
    _, tracked = closed_loop(20.0, **gains, upper=0.8, lower=-0.8, tracking_time=0.2)
    _, windup = closed_loop(20.0, **gains, upper=0.8, lower=-0.8, tracking_time=1e9)
    assert free[-1, 0] == pytest.approx(1.0, abs=1e-6)
    assert tracked[-1, 0] == pytest.approx(1.0, abs=1e-3)
    assert np.abs(tracked[:, 1]).max() <= 0.8
    # what the integral gathers while the effort is at its limit shows as overshoot, unless it is called back
    assert windup[:, 0].max() - 1 > 3 * max(tracked[:, 0].max() - 1, 0.02)


def test_pid_integral_settles_against_a_limit() -> None:
    # a constant error e: dx/dt = 0 where kp e + x = upper + tracking_time ki e
    bench = Bench(make(Pid, kp=2, ki=3, upper=1, tracking_time=0.05), step=1e-3)
    bench.run(1.0, lambda t: {"target": [(4, 0, 0)], "measured": [(0, 0, 0)]})
    assert bench.states["x"][0] == pytest.approx(1 + 0.05 * 3 * 4 - 2 * 4, abs=1e-7)  # exp(-1/0.05) is gone


def test_pid_filters_the_rate_of_the_error() -> None:
    bench = Bench(make(Pid, kp=0, kd=2, filter_time=0.1), step=1e-3)
    t, effort = bench.run(1.0, lambda t: {"target": [(0, 3, 0)], "measured": [(0, 0, 0)]})
    np.testing.assert_allclose(effort[:, 0], 6 * (1 - np.exp(-t / 0.1)), atol=1e-8)


def test_pid_starts_from_its_initial_effort() -> None:
    bench = Bench(make(Pid, kp=5, ki=1, initial=[2, 3]))
    assert bench.out(0.0, target=[(1, 0, 0)], measured=[(1, 0, 0)])["effort"].tolist() == [2, 3]
