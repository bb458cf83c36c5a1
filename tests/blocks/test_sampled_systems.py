"""Sampled linear systems and controllers: against SciPy, python-control, and recursions by hand bit for bit."""

from __future__ import annotations

from pathlib import Path

import control
import numpy as np
import pytest
from scipy.signal import cont2discrete, dlsim

import luff

STEP = 0.01
TEXT = """luff: 1
blocks:
  u: {{type: sine, amplitude: 1, frequency: 0.8 Hz, phase: 0.4}}
  v: {{type: sine, amplitude: 2, frequency: 0.3 Hz}}
  w: {{type: mux}}
  it: {{{block}}}
connect: [u.y -> w.u1, v.y -> w.u2, {wire} -> it.u]
simulation: {{stop: 4 s, step: 10 ms, output_step: 10 ms}}
"""


def run(block: str, wire: str = "u.y") -> luff.Result:
    return luff.compile(luff.loads(TEXT.format(block=block, wire=wire))).run()


@pytest.mark.parametrize("method", ["zoh", "tustin"])
@pytest.mark.parametrize(
    ("num", "den"), [([3], [1, 1]), ([2, 1], [0.1, 1, 4]), ([1, 0.5, 2], [0.02, 0.3, 1]), ([1], [1, 0, 0, 0])]
)
def test_a_sampled_transfer_function_is_scipys(method: str, num: list[float], den: list[float]) -> None:
    period = 0.05
    result = run(
        f"type: transfer_function, num: {num}, den: {den}, sample_time: {period}, discretised: {method}"
    )
    u = result["u.y"][::5]
    names = {"zoh": "zoh", "tustin": "bilinear"}
    A, B, C, D, dt = cont2discrete(
        (lambda s: (s.A, s.B, s.C, s.D))(control.tf2ss(num, den)), period, names[method]
    )
    _, y, _ = dlsim((A, B, C, D, dt), u)
    size = abs(y).max()
    np.testing.assert_allclose(result["it.y"][::5], y[:, 0], rtol=0, atol=1e-12 * max(size, 1))
    # held between samples
    assert not np.ptp(result["it.y"][:-1].reshape(-1, 5), axis=1).any()


def test_coefficients_of_z_are_their_recursion_bit_for_bit() -> None:
    # y[k] = (0.25 z + 0.5) / (z^2 - 1.5 z + 0.625): x1' = x2, x2' = u + 1.5 x2 - 0.625 x1, y = 0.5 x1 + 0.25 x2
    block = "type: transfer_function, num: [0.25, 0.5], den: [1, -1.5, 0.625], sample_time: 0.04, discretised: none"
    result = run(block)
    one = two = 0.0
    for k in range(100):
        assert result["it.y"][4 * k] == 0.5 * one + 0.25 * two
        one, two = two, (-0.625 * one + 1.5 * two) + float(result["u.y"][4 * k])


def test_a_sampled_state_space_of_two_inputs_and_outputs_is_its_recursion() -> None:
    A, B = np.array([[0.5, 0.25], [-0.125, 0.75]]), np.array([[1.0, 0.5], [0.25, -1.0]])
    C, D = np.array([[1.0, 0.0], [0.5, 2.0], [0.0, 1.0]]), np.array([[0.0, 0.5], [0.0, 0.0], [0.25, 0.0]])
    words = ", ".join(f"{name}: {matrix.tolist()}" for name, matrix in zip("ABCD", (A, B, C, D), strict=True))
    block = f"type: state_space, {words}, initial: [1, -2], sample_time: 0.02, discretised: none"
    result = run(block, "w.y")
    x = np.array([1.0, -2.0])
    for k in range(200):
        u = np.array([result["u.y"][2 * k], result["v.y"][2 * k]])
        np.testing.assert_allclose(result["it.y"][2 * k], C @ x + D @ u, rtol=0, atol=1e-13)
        x = A @ x + B @ u


def test_a_sampled_loop_without_feedthrough_needs_no_other_delay() -> None:
    """A plant by zero-order hold under a sampled proportional gain: z = 1 - (1 - e^(-T)) (1 + k)."""
    text = """luff: 1
blocks:
  one: {type: constant, value: 1}
  e: {type: sum}
  k: {type: gain, k: 3}
  plant: {type: transfer_function, sample_time: 0.1}
connect: [one.y -> e.u1, plant.y -> e.u2, e.y -> k.u, k.y -> plant.u]
simulation: {stop: 2 s, step: 10 ms, output_step: 10 ms}
"""
    y = luff.compile(luff.loads(text)).run()["plant.y"][::10]
    z = 1 - (1 - np.exp(-0.1)) * 4
    np.testing.assert_allclose(y, 0.75 * (1 - z ** np.arange(len(y))), rtol=0, atol=1e-14)


PID = """luff: 1
blocks:
  goal: {type: sine, amplitude: 1, frequency: 0.7 Hz}
  is: {type: sine, amplitude: 0.4, frequency: 0.9 Hz, phase: 1}
  it: {type: pid, kp: 3, ki: 5, kd: 0.2, filter_time: 30 ms, upper: 2, lower: -1, initial: 0.25, sample_time: 20 ms}
connect: [goal.trajectory -> it.target, is.trajectory -> it.measured]
outputs: {effort: it.effort}
record: ["*"]
simulation: {stop: 3 s, step: 5 ms, output_step: 5 ms}
"""


def test_a_sampled_pid_is_its_recursion() -> None:
    result = luff.compile(luff.loads(PID)).run()
    error = result["goal.y"] - result["is.y"]
    rates = result["goal.trajectory.rate"] - result["is.trajectory.rate"]
    x, f = 0.25, 0.0
    smooth, back = 1 - np.exp(-0.02 / 0.03), 1 - np.exp(-0.02 / 0.1)
    limited = 0
    for k in range(150):
        e, rate = error[4 * k], rates[4 * k]
        wanted = 3 * e + x + 0.2 * f
        effort = min(max(wanted, -1.0), 2.0)
        assert result["it.effort"][4 * k] == pytest.approx(effort, abs=1e-14)  # fused or not: a rounding
        x += 0.02 * 5 * e + back * (effort - wanted)
        f += smooth * (rate - f)
        limited += effort != wanted
    assert 10 < limited < 140


def test_sampled_blocks_have_no_states_and_go_into_fmus_and_snapshots(tmp_path: Path) -> None:
    import fmpy

    sim = luff.compile(luff.loads(PID))
    assert sim.state_names == []
    session = sim.start()
    for _ in range(101):
        session.step()
    mark = session.snapshot()
    first = [np.array(session.step()) for _ in range(80)]
    session.restore(mark)
    np.testing.assert_array_equal([np.array(session.step()) for _ in range(80)], first)
    luff.export_fmu(luff.loads(PID), tmp_path / "p.fmu")
    rows = fmpy.simulate_fmu(str(tmp_path / "p.fmu"), stop_time=3, output_interval=0.005, output=["effort"])
    np.testing.assert_array_equal(rows["effort"], sim.run()["it.effort"])
