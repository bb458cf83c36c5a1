"""Linear models of sampled systems and controllers in loops: python-control, and runs that just do not diverge."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import control
import numpy as np
import pytest
from scipy.optimize import brentq

import luff
from luff.solver.analysis.eigenvalues import multipliers
from luff.solver.analysis.linearise import linearise
from luff.tests.process import call

T = 0.05
CLOSE = 1e-9  # as asked: derivatives of linear blocks are exact to 1e-12 or so
SERVO = """luff: 1
name: servo
blocks:
  goal: {{type: step, height: 1, start: 0.1 s}}
  e: {{type: sum}}
  lead: {{{lead}}}
  k: {{type: gain, k: {k!r}}}
  plant: {{type: transfer_function, num: [1], den: [1, 1, 0]}}
connect: [goal.y -> e.u1, plant.y -> e.u2, e.y -> lead.u, lead.y -> k.u, k.y -> plant.u]
simulation: {{stop: 20 s, step: 10 ms}}
"""
FILTERS = {
    "zoh": "type: transfer_function, num: [0.3, 1], den: [0.02, 0.3, 1], sample_time: 50 ms, discretised: zoh",
    "tustin": "type: transfer_function, num: [0.3, 1], den: [0.05, 1], sample_time: 50 ms, discretised: tustin",
    "none": "type: transfer_function, num: [1.8, -1.5], den: [1, -0.7], sample_time: 50 ms, discretised: none",
    "state_space": "type: state_space, A: [[-20]], B: [[20]], C: [[-5]], D: [[6]], sample_time: 50 ms",
}


def servo(kind: str, k: float = 3.0) -> luff.Simulation:
    return luff.compile(luff.loads(SERVO.format(lead=FILTERS[kind], k=k)))


def open_loop(kind: str, k: float = 3.0) -> Any:
    """The same by python-control."""
    plant = control.c2d(control.ss(control.tf([k], [1, 1, 0])), T, "zoh")
    if kind == "none":
        return plant * control.ss(control.tf([1.8, -1.5], [1, -0.7], T))
    if kind == "state_space":
        return plant * control.c2d(control.ss([[-20]], [[20]], [[-5]], [[6]]), T, "zoh")
    den = [0.02, 0.3, 1] if kind == "zoh" else [0.05, 1]
    return plant * control.c2d(
        control.ss(control.tf([0.3, 1], den)), T, {"zoh": "zoh", "tustin": "bilinear"}[kind]
    )


def moving(z: np.ndarray) -> np.ndarray:
    """Multipliers without those of memories that follow at once, in one order."""
    return np.sort_complex(np.round(z[abs(z) > 1e-7], 12))


@pytest.mark.parametrize("kind", FILTERS)
def test_multipliers_are_those_of_python_control(kind: str) -> None:
    lin = linearise(servo(kind), x="equilibrium", inputs=["goal.y"], outputs=["plant.y"])
    closed = control.feedback(open_loop(kind))
    assert lin.period == pytest.approx(T)
    np.testing.assert_allclose(moving(multipliers(lin.A)), moving(closed.poles()), rtol=0, atol=1e-9)
    w = np.geomspace(0.1, 60, 20)
    np.testing.assert_allclose(lin.bode(w).values[:, 0, 0], closed(np.exp(1j * w * T)), rtol=1e-8)


@pytest.mark.parametrize("cut", ["k.u", "plant.u", "plant.y"])
@pytest.mark.parametrize("kind", FILTERS)
def test_margins_are_those_of_python_control(kind: str, cut: str) -> None:
    agrees(luff.margins(servo(kind), cut), open_loop(kind), CLOSE)


def agrees(told: luff.Margins, loop: Any, close: float) -> None:
    """Where python-control's response of the loop is negative, and where it is of magnitude one; its own margins come
    from polynomials, of which it says itself that they have lost their digits."""

    def L(w: float) -> complex:
        return complex(loop(np.exp(1j * w * T)))

    def zeros(f: Any) -> list[float]:
        w = np.geomspace(0.5, math.pi / T * (1 - 1e-12), 2000)
        changes = np.flatnonzero(np.diff(np.sign([f(one) for one in w])))
        return [float(brentq(f, w[k], w[k + 1], xtol=1e-14)) for k in changes]  # type: ignore[arg-type]

    assert told.period == pytest.approx(T)
    # at half of the sampling frequency it is real too
    axis = [(-1.0 / L(w).real, w) for w in [*zeros(lambda w: L(w).imag), math.pi / T]]
    assert (told.gain, told.gain_frequency) == pytest.approx(
        min(one for one in axis if one[0] > 1), rel=close
    )
    circle = [(float(np.angle(-L(w))), w) for w in zeros(lambda w: abs(L(w)) - 1.0)]
    assert (told.phase, told.phase_frequency) == pytest.approx(min(circle), rel=close)
    assert told.delay == pytest.approx(min(phase / w for phase, w in circle), rel=close)


@pytest.mark.parametrize("kind", FILTERS)
def test_the_gain_margin_is_where_a_multiplier_leaves_the_circle(kind: str) -> None:
    def beyond(k: float) -> float:
        return float(abs(control.feedback(open_loop(kind, k)).poles()).max()) - 1.0

    limit = brentq(beyond, 3.0, 300.0, xtol=1e-13)
    assert 3.0 * luff.margins(servo(kind), "k.u").gain == pytest.approx(limit, rel=CLOSE)
    (one,) = luff.locus(servo(kind), "k.k", [1.0, 3.0, 300.0]).limits
    assert one.value == pytest.approx(limit, rel=1e-8)


@pytest.mark.parametrize("kind", ["zoh", "tustin", "state_space"])
@pytest.mark.parametrize(("factor", "grows"), [(0.97, False), (1.03, True)])
def test_runs_just_do_not_and_just_do_diverge(kind: str, factor: float, grows: bool) -> None:
    k = 3.0 * luff.margins(servo(kind), "k.u").gain * factor
    sim = servo(kind, k)
    assert linearise(sim, x="equilibrium").stability == ("unstable" if grows else "stable")
    y = sim.run()["plant.y"] - 1.0
    first, last = (np.ptp(part) for part in (y[300:600], y[-300:]))
    assert (last > first) == grows


PID = """luff: 1
name: sampled pid
blocks:
  axis: {{type: revolute, axis: z, damping: 0.3, initial: {{position: 0.2}}}}
  wheel: {{type: rigid_link, mass: 1, inertia: [0.1, 0.1, 0.1]}}
  wish: {{type: motion_law, end_value: 0, duration: 1}}
  it: {{type: pid, kp: {kp!r}, ki: 8, kd: 1.5, filter_time: {filter_time}, sample_time: 50 ms{more}}}
connect:
  - world.frame -- axis.frame_a
  - axis.frame_b -- wheel.frame_a
  - wish.y -> it.target
  - axis.trajectory -> it.measured
  - it.effort -> axis.effort
simulation: {{stop: 20 s, step: 5 ms}}
"""


def pid(kp: float = 6.0, filter_time: str = "30 ms", more: str = "") -> luff.Simulation:
    return luff.compile(luff.loads(PID.format(kp=kp, filter_time=filter_time, more=more)))


def pid_loop(kp: float = 6.0, filter_time: float = 0.03) -> Any:
    plant = control.c2d(control.ss([[0, 1], [0, -3]], [[0], [10]], np.eye(2), np.zeros((2, 1))), T, "zoh")
    integral = control.ss(control.tf([8 * T], [1, -1], T))
    share = 1.0 - math.exp(-T / filter_time) if filter_time else 1.0
    rate = (
        control.ss(control.tf([1.5 * share], [1, share - 1], T))
        if filter_time
        else control.ss([], [], [], [[1.5]], T)
    )
    both = control.append(integral + kp, rate)
    return control.ss([], [], [], [[1, 1]], T) * both * plant


@pytest.mark.parametrize("filter_time", [0.03, 0.0])
def test_a_sampled_pid_has_the_margins_of_python_control(filter_time: float) -> None:
    words = f"{filter_time} s"
    loop = pid_loop(filter_time=filter_time)
    lin = linearise(pid(filter_time=words), x="equilibrium")
    closed = control.feedback(loop)
    # mechanics are differentiated by differences of ten digits
    np.testing.assert_allclose(moving(multipliers(lin.A)), moving(closed.poles()), rtol=0, atol=1e-7)
    told = luff.margins(pid(filter_time=words), "axis.effort")
    agrees(told, loop, 1e-6)


@pytest.mark.parametrize(("factor", "grows"), [(0.95, False), (1.05, True)])
def test_runs_of_a_sampled_pid_just_do_not_and_just_do_diverge(factor: float, grows: bool) -> None:
    def beyond(kp: float) -> float:
        return float(abs(control.feedback(pid_loop(kp)).poles()).max()) - 1.0

    sim = pid(brentq(beyond, 6.0, 60.0) * factor)
    assert linearise(sim, x="equilibrium").stability == ("unstable" if grows else "stable")
    y = abs(sim.run()["axis.position"])
    assert (y[-600:].max() > y[200:800].max()) == grows


def test_an_effort_at_its_limit_is_an_open_loop() -> None:
    # beyond the limit nothing but the call back of the integral moves: e^(-T / tracking_time)
    sim = pid(more=", upper: 0.1, tracking_time: 0.2 s")
    lin = linearise(sim, x=[-0.5, 0.0])
    z = moving(multipliers(lin.A)).real
    assert z == pytest.approx(
        sorted([math.exp(-T / 0.03), math.exp(-T / 0.2), math.exp(-3 * T), 1.0]), abs=1e-8
    )


def as_run(text: str, period: float, rows: int, **start: float) -> None:
    """The map moves x as a run does; memories start at zero, or as given."""
    sim = luff.compile(luff.loads(text))
    lin = linearise(sim, x="initial")
    assert lin.period == pytest.approx(period)
    known = {"x.x": 1.0} | {f"a.{name}": value for name, value in start.items()}
    moved = [np.array([known.get(name, 0.0) for name in lin.state_names])]
    for _ in range(rows):
        moved.append(lin.A @ moved[-1])
    run = sim.run(stop=rows * period, output_step=period)
    row = np.array(moved)[:, lin.state_names.index("x.x")]
    np.testing.assert_allclose(row, run["x.y"], rtol=0, atol=1e-8)  # RK4 at 2 ms


@pytest.mark.parametrize("behind", ["a, hold", "hold, a"])
def test_a_unit_delay_behind_a_hold_adds_one_sample_alone(behind: str) -> None:
    """x' = -k w(t), w the value of the sample before: z^2 - z + k T = 0."""
    first, last = behind.split(", ")
    text = f"""luff: 1
blocks:
  x: {{type: integrator, initial: 1}}
  k: {{type: gain, k: -2}}
  a: {{type: unit_delay, sample_time: 50 ms, initial: 1}}
  hold: {{type: zero_order_hold, sample_time: 50 ms}}
connect: [x.y -> {first}.u, {first}.y -> {last}.u, {last}.y -> k.u, k.y -> x.u]
simulation: {{stop: 2 s, step: 2 ms}}
"""
    lin = linearise(luff.compile(luff.loads(text)), x="initial")
    np.testing.assert_allclose(moving(multipliers(lin.A)), np.sort_complex(np.roots([1, -1, 0.1])), atol=1e-9)
    as_run(text, 0.05, 30, held_now=1.0, held_next=1.0)


def test_two_rates_and_a_ring_at_once_move_as_a_run_does() -> None:
    """A system of two inputs that reads its own outputs, through a gain and at once, and a slower filter behind it."""
    text = """luff: 1
blocks:
  x: {type: integrator, initial: 1}
  own: {type: gain, k: 0.4}
  both: {type: mux}
  it: {type: state_space, A: [[0.5, 0.2], [-0.1, 0.7]], B: [[1, 0.5], [0.2, -1]], C: [[1, 0]], D: [[0.3, 0.2]],
    discretised: none, sample_time: 20 ms}
  slow: {type: transfer_function, num: [1], den: [0.1, 1], sample_time: 60 ms}
  back: {type: gain, k: -1.5}
connect: [x.y -> both.u1, own.y -> both.u2, both.y -> it.u, it.y -> own.u, it.y -> slow.u, slow.y -> back.u,
  back.y -> x.u]
simulation: {stop: 2 s, step: 2 ms}
"""
    as_run(text, 0.06, 40)


def test_commands_judge_sampled_loops(tmp_path: Path) -> None:
    limit = 3.0 * luff.margins(servo("tustin"), "k.u").gain
    (tmp_path / "servo.yaml").write_text(SERVO.format(lead=FILTERS["tustin"], k=1.01 * limit))
    told = json.loads(call("margins", "servo.yaml", "--cut", "k.u", "--json", cwd=tmp_path).stdout)
    assert told["stability"] == "unstable"
    assert told["gain_low"] == pytest.approx(1 / 1.01, rel=CLOSE)
    assert "unstable: mode" in call("modes", "servo.yaml", cwd=tmp_path).stdout
    made = json.loads(call("linearize", "servo.yaml", "--json", cwd=tmp_path).stdout)
    assert made["period"] == pytest.approx(T)


def test_a_sampled_filter_in_no_loop_has_modes_of_its_own() -> None:
    text = SERVO.format(lead=FILTERS["none"], k=3.0).replace("plant.y -> e.u2, ", "goal.y -> e.u2, ")
    lin = linearise(luff.compile(luff.loads(text)), x="initial")
    assert moving(multipliers(lin.A)).real == pytest.approx([0.7, math.exp(-T), 1.0], abs=1e-9)


def test_a_quantizer_passes_what_is_large() -> None:
    text = SERVO.format(lead=FILTERS["tustin"], k=3.0)
    coarse = text.replace("  k: {", "  adc: {type: quantizer, interval: 0.1}\n  k: {")
    coarse = coarse.replace("plant.y -> e.u2", "plant.y -> adc.u, adc.y -> e.u2")
    told, smooth = (luff.margins(luff.compile(luff.loads(each)), "k.u") for each in (coarse, text))
    assert (told.gain, told.phase) == pytest.approx((smooth.gain, smooth.phase), rel=CLOSE)
