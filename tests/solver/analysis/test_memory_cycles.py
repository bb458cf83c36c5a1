"""Linear models of sampled and delayed loops: closed forms, SciPy, and runs that just do and just do not diverge."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
import scipy.signal
from scipy.optimize import brentq

import luff
from luff.solver.analysis.eigenvalues import multipliers
from luff.solver.analysis.linearise import Linear, linearise
from luff.solver.analysis.natural_modes import modes
from luff.solver.analysis.steady_state import equilibrium
from luff.tests.process import call

LATE = """
luff: 1
blocks:
  one: {{type: constant, value: {value}}}
  sum: {{type: sum, signs: "+-"}}
  k: {{type: gain, k: {k!r}}}
  plant: {{type: transfer_function, num: [1], den: [1, 1]}}
  late: {{type: delay, delay: {delay}}}
connect: [one.y -> sum.u1, late.y -> sum.u2, sum.y -> k.u, k.y -> plant.u, plant.y -> late.u]
simulation: {{stop: 60 s, step: {step}, output_step: 0.1 s}}
"""
HELD = """
luff: 1
blocks:
  one: {{type: constant, value: 1}}
  sum: {{type: sum, signs: "+-"}}
  k: {{type: gain, k: {k!r}}}
  plant: {{type: integrator}}
  hold: {{type: zero_order_hold, sample_time: 0.1 s}}
connect: [one.y -> sum.u1, plant.y -> sum.u2, sum.y -> k.u, k.y -> hold.u, hold.y -> plant.u]
simulation: {{stop: 30 s, step: 10 ms, output_step: 0.1 s}}
"""


def late(k: float, delay: str = "0.5 s", step: str = "10 ms", value: float = 1.0) -> luff.Simulation:
    return luff.compile(luff.loads(LATE.format(k=k, delay=delay, step=step, value=value)))


def held(k: float) -> luff.Simulation:
    return luff.compile(luff.loads(HELD.format(k=k)))


def about(sim: luff.Simulation, source: str = "one.y", sink: str = "plant.y") -> Linear:
    return linearise(sim, x="equilibrium", inputs=[source], outputs=[sink])


# --- delays --------------------------------------------------------------------------------------------------------


def greatest_gain(delay: float) -> float:
    """k / (s + 1) around a delay: k = sqrt(1 + w^2) where w delay + atan(w) = pi."""
    w = brentq(lambda w: w * delay + math.atan(w) - math.pi, 0.1, math.pi / delay)
    return math.sqrt(1.0 + w * w)


def test_equilibrium_is_where_a_run_with_a_delay_rests() -> None:
    sim = late(3.0)
    assert equilibrium(sim)[0] == pytest.approx(0.75, rel=1e-9)  # 3 / (1 + 3), and 3 with the loop open
    assert sim.run()["plant.y"][-1] == pytest.approx(0.75, rel=1e-6)  # the run decays by exp(-0.35 t)
    assert list(equilibrium(sim)) == [equilibrium(sim)[0]]  # its own states alone


@pytest.mark.parametrize("delay", ["0.5 s", "37 ms", "0.123456 s"])
def test_frequency_response_of_a_delay_is_exact(delay: str) -> None:
    tau = {"0.5 s": 0.5, "37 ms": 0.037, "0.123456 s": 0.123456}[delay]
    w = np.geomspace(0.01, 300.0, 50)
    found = about(late(3.0, delay)).bode(w).values[:, 0, 0]
    plant = 3.0 / (1j * w + 1.0)
    np.testing.assert_allclose(found, plant / (1.0 + plant * np.exp(-1j * w * tau)), rtol=1e-9)


@pytest.mark.parametrize("tau", [0.5, 0.05])
def test_delay_is_stable_up_to_its_gain_margin(tau: float) -> None:
    k = greatest_gain(tau)
    for share, verdict in ((0.999, "stable"), (1.001, "unstable")):
        sim = late(share * k, f"{tau} s")
        assert about(sim).stability == verdict
        found = modes(sim)
        assert (found.damping[0] < 0.0) == (verdict == "unstable")
        # of lines between two-hundredths of the delay: (w h)^2 / 12
        assert found.frequencies[0] == pytest.approx(math.sqrt(k * k - 1.0), rel=2e-3)  # at 0.999 k


def test_runs_just_diverge_and_just_do_not() -> None:
    k = greatest_gain(0.5)
    for share, grows in ((0.98, False), (1.02, True)):
        y = late(share * k).run()["plant.y"] - share * k / (1.0 + share * k)
        assert (np.ptp(y[-50:]) > np.ptp(y[50:100])) == grows


def test_poles_of_a_delay_are_roots_of_its_equation() -> None:
    """s + 1 + k exp(-s tau) = 0; parts of two-hundredths of the delay are off by (w h)^2 / 12."""
    found = modes(late(3.0, step="1 ms"))
    s = found.eigenvalues[:3]
    assert abs(s + 1.0 + 3.0 * np.exp(-0.5 * s)) / abs(s) == pytest.approx(np.zeros(3), abs=2e-3)
    assert abs(s[0] + 1.0 + 3.0 * np.exp(-0.5 * s[0])) < 1e-4


def test_step_response_of_a_delay_is_that_of_a_run() -> None:
    run = late(3.0, step="2.5 ms").run(stop=5.0, output_step=2.5e-3)
    step = about(late(3.0, value=0.0)).step(5.0)
    # the run's delay gives `initial` (0) until the input arrives, as this rest does; Runge-Kutta leaves 1e-9
    np.testing.assert_allclose(step.values[:, 0, 0], run["plant.y"], atol=1e-8)


def test_delay_on_the_way_is_in_the_response_and_leaves_the_matrices_alone() -> None:
    text = """
luff: 1
blocks:
  e: {type: constant, value: 2}
  late: {type: delay, delay: 0.3 s}
  plant: {type: transfer_function, num: [1], den: [0.5, 1]}
connect: [e.y -> late.u, late.y -> plant.u]
simulation: {stop: 5 s, step: 10 ms}
"""
    sim = luff.compile(luff.loads(text))
    lin = about(sim, "e.y")
    assert lin.period == 0.0
    assert lin.A[0, 0] == pytest.approx(-2.0)
    assert lin.x == pytest.approx(lin.y)  # at rest behind the delay: plant.y is twice
    w = np.array([0.3, 2.0, 20.0])
    wanted = np.exp(-0.3j * w) / (0.5j * w + 1.0)
    np.testing.assert_allclose(lin.bode(w).values[:, 0, 0], wanted, rtol=1e-9)
    assert any("late: in responses" in note for note in lin.notes)


# --- samplers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [5.0, 19.9, 20.1])
def test_integrator_under_a_held_gain(k: float) -> None:
    """z = 1 - k T, stable below k = 2 / T."""
    sim = held(k)
    lin = about(sim)
    assert lin.period == pytest.approx(0.1)
    z = multipliers(lin.A)
    assert sorted(abs(z)) == pytest.approx([0.0, abs(1.0 - 0.1 * k)], abs=1e-12)
    assert lin.stability == ("stable" if k < 20.0 else "unstable")
    y = sim.run(stop=60.0)["plant.y"] - 1.0
    assert (abs(y[-1]) > abs(y[50])) == (k > 20.0)
    w = np.array([0.01, 1.0, 30.0])
    wanted = 0.1 * k / (np.exp(0.1j * w) - 1.0 + 0.1 * k)
    np.testing.assert_allclose(lin.bode(w).values[:, 0, 0], wanted, rtol=1e-9)
    s = modes(sim).eigenvalues[0]
    assert np.exp(0.1 * s) == pytest.approx(1.0 - 0.1 * k)  # half of the sampling frequency, from z < 0 on
    with pytest.raises(luff.LuffError, match="half of the sampling frequency"):
        lin.bode([40.0])


MOTOR = """
luff: 1
blocks:
  axis: {type: revolute, axis: z, initial: {position: 0.3}}
  wheel: {type: rigid_link, mass: 1, inertia: [0.1, 0.1, 0.1]}
  hold: {type: zero_order_hold, sample_time: 20 ms, kind: trajectory}
  wish: {type: motion_law, end_value: 0, duration: 1}
  drive: {type: pd, kp: 40, kd: %s}
connect:
  - world.frame -- axis.frame_a
  - axis.frame_b -- wheel.frame_a
  - wish.y -> drive.target
  - axis.trajectory -> hold.u
  - hold.y -> drive.measured
  - drive.effort -> axis.effort
simulation: {stop: 4 s, step: 1 ms, output_step: 20 ms}
"""


@pytest.mark.parametrize("kd", [2.0, 9.0, 12.0])
def test_sampled_servo_is_that_of_scipy(kd: float) -> None:
    """J = 0.1 under a sampled pd: the plant by its hold equivalent, and the run decays as its multipliers say."""
    sim = luff.compile(luff.loads(MOTOR % kd))
    A, B = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [10.0]])
    discrete = scipy.signal.cont2discrete((A, B, np.eye(2), np.zeros((2, 1))), 0.02)
    z = np.linalg.eigvals(discrete[0] - discrete[1] @ [[40.0, kd]])
    found = multipliers(linearise(sim, x="equilibrium").A)
    # but for the memories, which are zero
    assert sorted(abs(found))[-2:] == pytest.approx(sorted(abs(z)), rel=1e-8)
    stable = bool((abs(z) < 1.0).all())
    assert linearise(sim, x="equilibrium").stability == ("stable" if stable else "unstable")
    y = abs(sim.run()["axis.position"])
    assert (y[-20:].max() < y[:20].max()) == stable


RATES = """
luff: 1
blocks:
  plant: {type: transfer_function, num: [1], den: [0.02, 0.2, 1]}
  start: {type: integrator, initial: 1}
  a: {type: zero_order_hold, sample_time: 20 ms}
  k: {type: gain, k: 0.7}
  b: {type: zero_order_hold, sample_time: 30 ms}
  late: {type: delay, delay: %s, initial: 0.7}
  back: {type: gain, k: -1.3}
  leak: {type: gain, k: -0.4}
  sum: {type: sum, signs: "++"}
connect:
  - start.y -> a.u
  - a.y -> k.u
  - k.y -> b.u
  - b.y -> late.u
  - late.y -> plant.u
  - plant.y -> back.u
  - start.y -> leak.u
  - back.y -> sum.u1
  - leak.y -> sum.u2
  - sum.y -> start.u
simulation: {stop: 3 s, step: 1 ms, output_step: 60 ms}
"""


@pytest.mark.parametrize("delay", ["50 ms", "10 ms", "113 ms"])
def test_two_rates_and_a_delay_move_as_a_run_does(delay: str) -> None:
    """One sampler behind another, at two rates, with a staircase through a delay: states at each common period."""
    sim = luff.compile(luff.loads(RATES % delay))
    lin = linearise(sim, x="initial")
    assert lin.period == pytest.approx(0.06)
    state, rows = lin.x.copy(), []
    for _ in range(51):
        rows.append(state)
        state = lin.A @ state
    run = sim.run()
    found = np.array(rows)[:, lin.state_names.index("start.x")]
    # Runge-Kutta at 1 ms; the start of the delay's past is its input's
    np.testing.assert_allclose(found, run["start.y"], atol=1e-8)


def test_sampler_that_closes_no_loop_leaves_the_rates() -> None:
    text = HELD.format(k=5.0).replace("plant.y -> sum.u2", "one.y -> sum.u2")
    lin = linearise(luff.compile(luff.loads(text)), x="initial")
    assert lin.period == 0.0
    assert lin.A[0, 0] == pytest.approx(0.0)


# --- no verdict ----------------------------------------------------------------------------------------------------


def test_no_verdict_where_no_period_is_common() -> None:
    text = RATES % "50 ms"
    text = (
        text.replace("20 ms}", "19.993 s}").replace("30 ms}", "20.011 s}").replace("stop: 3 s", "stop: 60 s")
    )
    lin = linearise(luff.compile(luff.loads(text)), x="initial")
    assert lin.stability == "unjudged"
    assert "no common period" in lin.unjudged


def test_no_verdict_where_a_loop_stays_open() -> None:
    text = MOTOR % 2.0
    text = text.replace(
        "{type: zero_order_hold, sample_time: 20 ms, kind: trajectory}", "{type: sampled_command}"
    )
    lin = linearise(luff.compile(luff.loads(text)), x="equilibrium")
    assert lin.stability == "unjudged"
    assert "the loop is open at hold" in lin.equilibrium


# --- commands ------------------------------------------------------------------------------------------------------


def test_commands_know_that_it_diverges(tmp_path: Path) -> None:
    path = tmp_path / "late.yaml"
    path.write_text(LATE.format(k=6.0, delay="0.5 s", step="10 ms", value=1.0))

    done = call("modes", path, cwd=tmp_path)
    assert "unstable: mode 1" in done.stdout
    assert "is unstable" in done.stderr
    answer = json.loads(
        call("bode", path, "--from", "one.y", "--to", "plant.y", "--json", cwd=tmp_path).stdout
    )
    assert answer["stability"] == "unstable"
    words = ("linearize", path, "--from", "one.y", "--to", "plant.y")
    made = json.loads(call(*words, "--json", cwd=tmp_path).stdout)
    assert made["period"] == pytest.approx(0.5 / 200)
    assert made["x"][0] == pytest.approx(6.0 / 7.0)
    out = tmp_path / "late.mat"
    call(*words, "-o", out, cwd=tmp_path)
    assert out.exists()
