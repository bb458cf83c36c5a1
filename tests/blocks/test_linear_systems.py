"""Systems with states against scipy.signal and closed forms."""

import numpy as np
import pytest
from scipy import signal

import luff
from luff.blocks.signals.continuous_systems import Derivative, Integrator, StateSpace, TransferFunction
from luff.tests.blocks.bench import Bench, make, mistakes


@pytest.mark.parametrize(
    ("num", "den"),
    [
        ([3.0], [0.5, 1.0]),
        ([1.0, 2.0], [1.0, 1.0, 9.0]),
        ([2.0, 1.0, 5.0], [1.0, 0.6, 4.0]),
        ([1.0, 0.0, 1.0, 7.0], [2.0, 3.0, 4.0, 5.0]),
        ([1e6], [1.0, 2e2, 1e4, 1e6]),
        ([0.0, 0.0, 1.0], [1.0, 2.0, 0.0]),
    ],
)
def test_transfer_function_steps_like_scipy(num: list[float], den: list[float]) -> None:
    bench = Bench(make(TransferFunction, num=num, den=den), step=1e-3)
    t, y = bench.run(1.0, lambda t: {"u": 1.0})
    _, expected = signal.step((np.trim_zeros(num, "f"), den), T=t)
    # RK4: (rate of the fastest pole, 100/s, times 1 ms)^4 / 120 is below 1e-6
    np.testing.assert_allclose(y[:, 0], expected, rtol=0, atol=1e-6 * np.abs(expected).max())


def test_transfer_function_feeds_through_only_where_it_must() -> None:
    words = lambda **values: make(TransferFunction, **values).instance_functions()["out"].__code__.co_varnames  # noqa: E731
    assert "u" not in words(num=[0.0, 1.0], den=[1.0, 2.0])
    assert "u" in words(num=[1.0, 1.0], den=[1.0, 2.0])


def test_transfer_function_states_stay_of_one_size() -> None:
    # unscaled, the states of this filter at 1e4 rad/s would differ by 1e12
    w = 1e4
    bench = Bench(make(TransferFunction, num=[w**3], den=[1, 2 * w, 2 * w**2, w**3]), step=1e-6)
    bench.run(3e-3, lambda t: {"u": np.sin(w * t)})
    assert 0.05 < np.abs(bench.states["x"]).max() < 2


def test_transfer_function_finds_mistakes() -> None:
    assert mistakes(TransferFunction, num=[1, 0, 0], den=[1, 1]) == [".num"]
    assert mistakes(TransferFunction, num=[1], den=[0, 1]) == [".den"]


def test_state_space_follows_scipy() -> None:
    A = [[-1.0, 2.0, 0.0], [-2.0, -1.0, 1.0], [0.0, 0.0, -3.0]]
    B, C = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[1.0, 0.0, 1.0], [0.0, 2.0, 0.0]]
    D, start = [[0.0, 3.0], [0.0, 0.0]], [1.0, -1.0, 0.5]
    bench = Bench(make(StateSpace, A=A, B=B, C=C, D=D, initial=start), step=1e-3)
    t, y = bench.run(2.0, lambda t: {"u": (1.0, -0.5)})
    # scipy's lsim is exact for constant inputs
    _, expected, _ = signal.lsim((A, B, C, D), np.tile([1.0, -0.5], (len(t), 1)), t, X0=start)
    np.testing.assert_allclose(y, expected, atol=1e-11)  # (3/s * 1 ms)^4 / 120


def test_state_space_feeds_through_scalar_by_scalar() -> None:
    block = make(StateSpace, A=[[-1]], B=[[1, 1]], C=[[1], [1]], D=[[0, 2], [0, 0]])
    found = [[block.feedthrough("y", row, "u", column) for column in range(2)] for row in range(2)]
    assert found == [[False, True], [False, False]]


def test_state_space_finds_mistakes() -> None:
    assert mistakes(StateSpace, A=[[1, 2]]) == [".A"]
    assert mistakes(StateSpace, B=[[1], [2]], initial=[1, 2]) == [".B", ".initial"]
    assert mistakes(StateSpace, C=[[1, 2]], D=[[1, 2]]) == [".C", ".D"]


def test_integrator_stops_at_its_limit_and_leaves_at_once() -> None:
    bench = Bench(make(Integrator, initial=[0.0, 0.2], upper=0.5), step=1e-3, width=2)
    t, y = bench.run(3.0, lambda t: {"u": 1.0 if t < 2 else -1.0})
    # a limit met within a step is overshot inside, and shown at the limit
    assert y.max() == 0.5
    # the way back begins at the turn: no windup but for what one step may overshoot
    np.testing.assert_allclose(y[t >= 2.01][:, 0], 0.5 - (t[t >= 2.01] - 2), atol=2e-3)


def test_derivative_is_a_filtered_derivative() -> None:
    bench = Bench(make(Derivative, T=0.01), step=1e-3)
    t, y = bench.run(1.0, lambda t: {"u": 3 * t})
    np.testing.assert_allclose(y[:, 0], 3 * (1 - np.exp(-t / 0.01)), atol=1e-5)  # RK4: 0.1^4/120 of 3


def test_coefficients_may_have_units() -> None:
    """A notch by its frequency: 1/w^2 is in s^2."""
    text = """luff: 1
parameters: {w: 40 rad/s}
blocks:
  u: {type: step, height: 1}
  it: {type: transfer_function, num: [=1/w^2, =0.04/w, 1], den: [=1/w^2, =1.4/w, 1]}
connect: [u.y -> it.u]
simulation: {stop: 1 s, step: 1 ms}
"""
    plain = text.replace("=1/w^2", "0.000625").replace("=0.04/w", "0.001").replace("=1.4/w", "0.035")
    one, other = (luff.compile(luff.loads(each)).run()["it.y"] for each in (text, plain))
    np.testing.assert_allclose(one, other, rtol=1e-13)
