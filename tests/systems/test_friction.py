"""Friction against the tests of its literature, closed forms, and the same equations integrated elsewhere."""

from __future__ import annotations

import math

import numpy as np
import pytest

import luff
from luff.tests.shared.compile_text import plain
from luff.tests.shared.friction_cases import PAPER, dahl_rate, lugre_rate, reference, run, slider

LUGRE = {"model": "lugre", "load": "1 N", **PAPER}


# --- a bristle and a mass ------------------------------------------------------------------------------------------


def test_presliding_motion_is_a_closed_hysteresis_loop() -> None:
    """Below break-away the mass follows the force like a spring of stiffness sigma_0, and loses a little each turn."""
    result = run(slider(LUGRE, "{type: sine, amplitude: 0.6, frequency: 1 Hz}"), 3.0, 1e-3, "implicit")
    t, x, force = result.time, result["slide.position"], result["f.y"]
    expected = reference(lugre_rate, PAPER, lambda t: 0.6 * math.sin(2 * math.pi * t), t)
    # third order in the step at a frequency of 316 rad/s of the bristle, which only the start excites
    np.testing.assert_allclose(x, expected[0], atol=2e-3 * abs(x).max())
    turn = (t >= 2.0 - 1e-9) & (t <= 3.0 + 1e-9)
    loop = float(np.trapezoid(force[turn], x[turn]))
    width = x[turn].max() - x[turn].min()
    assert 0.0 < loop < 0.5 * 0.6 * width  # of a parallelogram around the loop
    # bristles deflect by F/sigma_0 and creep a little more as they near break-away
    assert 0.6 / PAPER["sigma_0"] < x.max() < 3 * 0.6 / PAPER["sigma_0"]
    assert abs(x[-1] - x[turn][0]) < 0.05 * width  # the loop closes


def test_dragged_spring_mass_sticks_and_slips() -> None:
    """The spring is pulled at 0.1 m/s: the mass waits until the spring has the static force, then jumps."""
    spring, pull = 2.0, 0.1
    text = slider(LUGRE, f"{{type: ramp, slope: {spring * pull}}}", stiffness=spring)
    result = run(text, 20.0, 2e-4, "implicit", every=50)
    t, x, v = result.time, result["slide.position"], result["slide.velocity"]
    expected = reference(lugre_rate, PAPER, lambda t: spring * pull * t, t, stiffness=spring)
    # third order at bristle frequencies of 316 rad/s: (316 h)^3 of a pre-sliding deflection of 1.5e-5 m
    np.testing.assert_allclose(x, expected[0], atol=1e-6)
    stuck = abs(v) < 1e-4
    assert 0.5 < stuck.mean() < 0.95
    first = t[np.flatnonzero(~stuck & (t > 0.1))[0]]
    # the spring reaches the static force of 1.5 N at 7.5 s; break-away comes a little sooner at a finite rate
    assert 6.8 < first < 7.5
    # Coulomb's jump without damping: the stretch swings from +s to -s about F_k/k while the spring is pulled on
    s, omega = (1.5 - 1.0) / spring, math.sqrt(spring)
    jump = 2 * s + pull * (math.pi + 2 * math.atan(pull / (omega * s))) / omega
    assert 0.7 * jump < x[(t > first) & stuck][0] < jump


def test_steady_friction_follows_the_stribeck_curve() -> None:
    f = {"mu_s": 0.2, "mu_k": 0.15, "stribeck": 0.01, "sigma_0": 2e4, "sigma_1": 50.0, "sigma_2": 0.5}
    sim = plain(slider({"model": "lugre", "load": "500 N", **f}, mass=2))
    for v in (-0.3, -0.01, 1e-4, 0.005, 0.02, 1.0):
        g = 0.15 + 0.05 * math.exp(-((v / 0.01) ** 2))
        values = sim.evaluate(0.0, [0.0, v, math.copysign(g / 2e4, v)])
        expected = -500 * (math.copysign(g, v) + 0.5 * v)
        assert values["slide.friction"] == pytest.approx(expected, rel=1e-12)
        assert values["slide.friction_power"] == pytest.approx(expected * v, rel=1e-12)
        rate = sim.derivative(0.0, [0.0, v, math.copysign(g / 2e4, v)])[2]
        assert abs(rate) < 1e-12 * abs(v)


def test_friction_lags_behind_the_speed() -> None:
    """With a speed that rises and falls, friction is higher on the way up, the more so the faster it changes."""
    widths = []
    for omega in (1.0, 10.0, 25.0):
        # the force that moves a mass of 1 kg with v = 1.5e-3 + 1e-3 sin(omega t), were there no friction, is no help:
        # the bristle equation itself is driven, through a mass so large that nothing slows it
        amplitude = 1e-3 * omega * 1e9
        drive = f"{{type: sine, amplitude: {amplitude}, frequency: {omega} rad/s, phase: 90 deg}}"
        text = slider(LUGRE, drive, mass=1e9, initial=", initial: {velocity: 1.5e-3}")
        turn = 2 * math.pi / omega
        result = run(text, 2 * turn, turn / 20000, "implicit", every=20)
        late = result.time >= turn
        v, friction = result["slide.velocity"][late], -result["slide.friction"][late]
        rising = np.gradient(v) > 0
        middle = abs(v - 1.5e-3) < 1e-4
        widths.append(friction[rising & middle].mean() - friction[~rising & middle].mean())
    assert 0 < widths[0] < widths[1] < widths[2]


def test_break_away_force_falls_with_the_rate_of_the_force() -> None:
    forces = []
    for rate in (1.0, 5.0, 20.0, 50.0):
        stop = 2.0 / rate
        result = run(slider(LUGRE, f"{{type: ramp, slope: {rate}}}"), stop, stop / 4000, "implicit")
        forces.append(-result["slide.friction"].min())
    # figure 5 of the paper: from near F_s at slow rates towards F_k
    assert forces[0] > forces[1] > forces[2] > forces[3] > 1.0
    assert 1.3 < forces[0] < 1.5


@pytest.mark.parametrize("model", ["viscous", "coulomb", "dahl", "lugre"])
def test_friction_takes_energy_over_closed_cycles(model: str) -> None:
    f = {"mu_s": 0.2, "mu_k": 0.15, "stribeck": 0.05, "sigma_0": 500.0, "sigma_1": 1.0, "sigma_2": 0.1}
    drive = "{type: sine, amplitude: 3, frequency: 0.5 Hz}"
    result = run(slider({"model": model, "load": "10 N", **f}, drive, stiffness=5.0), 20.0, 1e-3)
    power, t = result["slide.friction_power"], result.time
    lost = -np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(t))])
    stored = 0.5 * 10.0 * 0.2**2 / 500.0  # all that the bristles can hold, J
    assert (lost + stored >= np.maximum.accumulate(lost) * (1 - 1e-9)).all()
    cycles = lost[np.round(np.arange(0, 20.01, 2.0) / 1e-3).astype(int)]
    assert (np.diff(cycles[2:]) > 0).all()
    energy = result.quality["energy"]
    assert energy["friction"] == pytest.approx(lost[-1], rel=1e-4)  # trapezoids of 1 ms
    assert energy["relative_residual"] < 1e-6  # RK4 with 1 ms at bristle frequencies of 70 rad/s


def test_dahl_keeps_its_sign_beyond_full_deflection_and_at_rest() -> None:
    f = {"mu_s": 0.3, "sigma_0": 100.0}
    for gamma in (0.5, 1.0, 1.7):
        sim = plain(slider({"model": "dahl", "load": "10 N", "gamma": gamma, **f}))
        for z in (-0.009, -0.003, -0.001, 0.0, 0.002, 0.003, 0.0031, 0.02):
            for v in (-0.7, 0.0, 1e-9, 2.0):
                rate = sim.derivative(0.0, [0.0, v, z])
                mu, expected = dahl_rate({**f, "gamma": gamma}, v, z)
                assert rate[2] == pytest.approx(expected, rel=1e-12, abs=1e-300)
                assert rate[1] == pytest.approx(-10 * mu, rel=1e-12, abs=1e-300)
        # beyond full deflection the bristle comes back, whichever way the joint moves on
        assert sim.derivative(0.0, [0.0, 1.0, 0.004])[2] < 0 < sim.derivative(0.0, [0.0, -1.0, -0.004])[2]


def test_dahl_deflection_follows_its_closed_form() -> None:
    """At gamma = 1 and a steady speed z = (mu_s/sigma_0)(1 - exp(-sigma_0 x/mu_s))."""
    f = {"model": "dahl", "load": "1 N", "mu_s": 0.2, "sigma_0": 50.0}
    result = run(slider(f, mass=1e9, initial=", initial: {velocity: 0.01}"), 1.0, 1e-3)
    x = result["slide.position"]
    np.testing.assert_allclose(
        result["slide.bristle"], 0.004 * (1 - np.exp(-x / 0.004)), rtol=1e-8, atol=1e-15
    )


def test_coulomb_friction_stops_a_slide_where_it_should() -> None:
    """v^2 / 2 a with a = mu g, and a little further: integrating v / (a tanh(v/e)) adds pi^2 e^2 / 12 a."""
    text = slider(
        {"model": "coulomb", "mu_s": 0.3, "mu_k": 0.3, "stribeck": 1e-3}, initial=", initial: {velocity: 2.0}"
    ).replace("gravity: [0, 0, 0]", "gravity: [0, 0, -10]")
    result = run(text, 1.0, 1e-5, every=1000)
    creep = math.pi**2 / 12 * 1e-4**2 / 3.0
    # fourth order at a rate of 3e4 per second leaves a hundredth of the creep
    assert result["slide.position"][-1] - 2.0**2 / (2 * 3.0) == pytest.approx(creep, rel=0.01)
    before = result.time < 0.6
    np.testing.assert_allclose(result["slide.velocity"][before], 2.0 - 3.0 * result.time[before], atol=1e-9)


def test_bristles_a_hundred_times_stiffer_run_at_the_same_step_with_the_implicit_method() -> None:
    """The bristle's own rate is sigma_0 |v| / mu_k: 1333 per second at first, then 133 thousand."""
    f = {"mu_s": 0.2, "mu_k": 0.15, "stribeck": 0.1, "sigma_1": 0.5, "sigma_2": 0.01, "gamma": 1.0}
    drive = "{type: sine, amplitude: 4, frequency: 1 Hz}"

    def trial(sigma_0: float, method: str) -> luff.Result:
        text = slider({"model": "lugre", "load": "10 N", "sigma_0": sigma_0, **f}, drive, stiffness=1.0)
        return run(text, 2.0, 1e-3, method, every=10)

    soft = trial(200.0, "rk4")
    assert np.isfinite(soft["slide.position"]).all()
    with pytest.raises(luff.RunError) as caught:
        trial(20000.0, "rk4")
    assert "implicit" in str(caught.value)
    stiff = trial(20000.0, "implicit")
    expected = reference(
        lugre_rate, {**f, "sigma_0": 20000.0}, lambda t: 4 * math.sin(2 * math.pi * t), stiff.time, 10.0, 1.0
    )
    # third order, but reversals are corners for a bristle that turns within a step
    np.testing.assert_allclose(stiff["slide.position"], expected[0], atol=1e-3 * abs(expected[0]).max())


# --- the joint's own load ------------------------------------------------------------------------------------------


def bar(diameter: float, mu: float = 0.2, speed: float = 20.0, inertia: float = 0.01) -> str:
    return f"""
luff: 1
name: spinning bar
blocks:
  world: {{type: world, gravity: [0, 0, -9.81]}}
  pin: {{type: revolute, axis: z, initial: {{velocity: {speed}}},
         friction: {{model: coulomb, mu_s: {mu}, mu_k: {mu}, stribeck: 1e-3, diameter: {diameter}}}}}
  bar: {{type: rigid_link, mass: 2, com: [0.4, 0, 0], inertia: [0.01, 0.01, {inertia}]}}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- bar.frame_a
"""


def test_bar_in_a_horizontal_plane_slows_as_its_closed_form() -> None:
    """N = m c sqrt(w^4 + a^2) and I a = -mu N d/2 give a = -kappa w^2, so that w = w_0 / (1 + kappa w_0 t)."""
    m, c, mu, d, w = 2.0, 0.4, 0.2, 0.3, 20.0
    k = mu * d / 2 / (0.01 + m * c * c)
    kappa = k * m * c / math.sqrt(1 - (k * m * c) ** 2)
    sim = luff.compile(luff.loads(bar(d)))
    values = sim.evaluate()
    assert values["pin.acceleration"] == pytest.approx(-kappa * w * w, rel=1e-12)
    normal = (
        m * c * w * w / math.sqrt(1 - (k * m * c) ** 2)
    )  # gravity acts along the axis, and does not count
    assert values["pin.normal_force"] == pytest.approx(normal, rel=1e-12)
    assert values["pin.friction"] == pytest.approx(-mu * d / 2 * normal, rel=1e-12)
    result = sim.run(stop=5.0, step=1e-3)
    # fourth order: kappa w h = 1e-3 per step
    np.testing.assert_allclose(result["pin.velocity"], w / (1 + kappa * w * result.time), rtol=1e-9)


def test_friction_that_feeds_its_own_load_without_limit_names_the_joint() -> None:
    """At k m c >= 1 nothing balances: the journal is as large as the bar."""
    limit = 2 * (0.01 + 2 * 0.16) / (0.2 * 2 * 0.4)
    assert np.isfinite(plain(bar(0.999 * limit)).derivative(0.0, [0.0, 20.0])).all()
    sim = luff.compile(luff.loads(bar(1.001 * limit)))
    with pytest.raises(luff.RunError) as caught:
        sim.run(stop=1.0, step=1e-3)
    for words in ("friction of pin", "feed each other without limit", "mu*d/2 is too large"):
        assert words in str(caught.value)


def two_bars(diameter: float, other: float) -> str:
    """Two bars on a carriage of 1e9 kg, which stands as still as the ground."""
    one, two = (bar(d).partition("connect:")[0].partition("  pin:")[2] for d in (diameter, other))
    return f"""
luff: 1
blocks:
  world: {{type: world, gravity: [0, 0, -9.81]}}
  rail: {{type: prismatic, axis: x}}
  carriage: {{type: rigid_link, mass: 1e9}}
  pin:{one}  pin2:{two.replace("  bar:", "  bar2:")}
connect:
  - world.frame -- rail.frame_a
  - rail.frame_b -- carriage.frame_a
  - carriage.frame_b -- pin.frame_a
  - pin.frame_b -- bar.frame_a
  - carriage.frame_b -- pin2.frame_a
  - pin2.frame_b -- bar2.frame_a
"""


def test_two_joints_that_jam_by_themselves_jam_together() -> None:
    """The determinant of both is the product of two negative numbers; one alone is told, and so are two."""
    limit = 2 * (0.01 + 2 * 0.16) / (0.2 * 2 * 0.4)
    both = plain(two_bars(0.9 * limit, 0.8 * limit)).evaluate()
    for name, share in (("pin", 0.9), ("pin2", 0.8)):
        # as on the ground: N = m c w^2 / sqrt(1 - (k m c)^2) with k m c = share
        normal = 2 * 0.4 * 20.0**2 / math.sqrt(1 - share**2)
        assert both[f"{name}.normal_force"] == pytest.approx(normal, rel=1e-6)  # the carriage yields by 1e-9
    for diameters in ((1.1, 0.5), (0.5, 1.1), (1.1, 1.2)):
        with pytest.raises(luff.RunError, match="feed each other without limit"):
            luff.compile(luff.loads(two_bars(*(limit * d for d in diameters)))).run(stop=1e-3, step=1e-3)


def test_jamming_on_the_way_keeps_what_was_computed() -> None:
    """While it is pushed, friction lessens the load along the bar's path; once it coasts, it feeds on itself."""
    limit = 2 * (0.01 + 2 * 0.16) / (0.2 * 2 * 0.4)
    push = "  push: {type: step, offset: 100, height: -100, start: 0.5}\nconnect:\n  - push.y -> pin.effort"
    text = bar(1.05 * limit, speed=0.0).replace("connect:", push)
    with pytest.raises(luff.RunError) as caught:
        luff.compile(luff.loads(text)).run(stop=10.0, step=1e-3)
    assert "friction of pin" in str(caught.value)
    result = caught.value.result  # type: ignore[attr-defined]
    assert result.time[-1] == pytest.approx(0.5, abs=2e-3)
    assert np.isfinite(result["pin.velocity"]).all()


PENDULUM = """
luff: 1
name: double pendulum
blocks:
  world: {{type: world, gravity: [0, -9.81, 0]}}
  upper: {{type: revolute, axis: z, initial: {{position: 0.4, velocity: 1.5}}, friction: {{{upper}}}}}
  arm: {{type: rigid_link, mass: 3, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.05], frame_b: {{at: [0.7, 0, 0]}}}}
  lower: {{type: revolute, axis: z, initial: {{position: -1.1, velocity: -4.0}}, friction: {{{lower}}}}}
  leg: {{type: rigid_link, mass: 2, com: [0.25, 0, 0], inertia: [0.1, 0.1, 0.03]}}
connect:
  - world.frame -- upper.frame_a
  - upper.frame_b -- arm.frame_a
  - arm.frame_b -- lower.frame_a
  - lower.frame_b -- leg.frame_a
"""
LAW = {"mu_s": 0.3, "mu_k": 0.2, "stribeck": 0.1, "sigma_0": 100.0, "sigma_1": 0.2, "sigma_2": 0.02}
LEVERS = 0.5 * 0.2, 0.5 * 0.12


def pendulum_text() -> str:
    law = "model: lugre, " + ", ".join(f"{key}: {value}" for key, value in LAW.items())
    return PENDULUM.format(upper=f"{law}, diameter: 0.2", lower=f"{law}, diameter: 0.12")


def pendulum_rate(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """dx/dt and both journal loads, from Newton's and Euler's equations of two bars, solved by iteration."""
    q1, q2, w1, v2, z1, z2 = x
    angle, w2 = q1 + q2, w1 + v2
    mu, rates = zip(lugre_rate(LAW, w1, z1), lugre_rate(LAW, v2, z2), strict=True)
    e1, e2 = np.array([math.cos(q1), math.sin(q1)]), np.array([math.cos(angle), math.sin(angle)])
    n1, n2 = np.array([-e1[1], e1[0]]), np.array([-e2[1], e2[0]])
    g = np.array([0.0, -9.81])
    # unknowns: angular accelerations a1, a2, forces R1 and R2 on the far body; known: friction torques T1, T2
    loads, y = np.zeros(2), np.zeros(6)
    for _ in range(200):
        T1, T2 = (-m * lever * load for m, lever, load in zip(rates and mu, LEVERS, loads, strict=True))
        A, b = np.zeros((6, 6)), np.zeros(6)
        # arm: m a = R1 - R2 + m g with a = 0.3 (a1 n1 - w1^2 e1)
        A[0:2, 0], A[0:2, 2:4], A[0:2, 4:6] = 3 * 0.3 * n1, -np.eye(2), np.eye(2)
        b[0:2] = 3 * g + 3 * 0.3 * w1**2 * e1
        # leg: m a = R2 + m g with a = 0.7 (...) + 0.25 (...)
        A[2:4, 0], A[2:4, 1], A[2:4, 4:6] = 2 * 0.7 * n1, 2 * 0.25 * n2, -np.eye(2)
        b[2:4] = 2 * g + 2 * 0.7 * w1**2 * e1 + 2 * 0.25 * w2**2 * e2
        # moments about the mass centres: r x R with r = -0.3 e1 (R1), and 0.4 e1 for -R2; -0.25 e2 for R2
        A[4, 0], A[4, 2:4], A[4, 4:6] = 0.05, 0.3 * n1, 0.4 * n1
        b[4] = T1 - T2
        A[5, 1], A[5, 4:6] = 0.03, 0.25 * n2
        b[5] = T2
        y = np.linalg.solve(A, b)
        new = np.array([np.hypot(*y[2:4]), np.hypot(*y[4:6])])
        done = abs(new - loads).max() < 1e-14 * new.max()
        loads = new
        if done:
            break
    return np.array([w1, v2, y[0], y[1] - y[0], *rates]), loads


def test_double_pendulum_agrees_with_newton_and_euler_by_hand() -> None:
    sim = plain(pendulum_text())
    rng = np.random.default_rng(5)
    for _ in range(20):
        x = rng.normal(size=6) * [2, 2, 3, 3, 1e-3, 1e-3]
        expected, loads = pendulum_rate(x)
        np.testing.assert_allclose(sim.derivative(0.0, x), expected, rtol=1e-10, atol=1e-10)
        values = sim.evaluate(0.0, x)
        np.testing.assert_allclose(
            [values["upper.normal_force"], values["lower.normal_force"]], loads, rtol=1e-10
        )


def test_double_pendulum_comes_to_rest_as_the_reference_does() -> None:
    from scipy.integrate import solve_ivp

    sim = luff.compile(luff.loads(pendulum_text()))
    result = sim.run(stop=3.0, step=2e-4, output_step=0.1)
    reference = solve_ivp(
        lambda t, x: pendulum_rate(x)[0], (0, 3.0), sim.x0, "LSODA", result.time, rtol=1e-9, atol=1e-12
    )
    # the swing is regular with this much friction: both errors stay near their tolerances
    np.testing.assert_allclose(result["upper.position"], reference.y[0], atol=1e-6)
    np.testing.assert_allclose(result["lower.position"], reference.y[1], atol=1e-6)
    energy = result.quality["energy"]
    assert energy["friction"] > 0
    assert energy["relative_residual"] < 1e-8  # fourth order at bristle rates of 3000 per second
