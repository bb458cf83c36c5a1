"""Best motions beside closed forms, published optima, and optima by other means."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_bvp, solve_ivp
from scipy.optimize import brentq, fsolve

import luff

from .models import CONTAINER, CONTAINER_MOVE, TROLLEY, chain

pytest.importorskip("ipyopt")


def test_double_integrator_has_two_arcs() -> None:
    """T = 2 sqrt(d / a), one switch in the middle; both bounds together give dT = -T / 2 da / a."""
    made = luff.plan(
        {
            "model": chain(2),
            "plan": {"controls": {"u": {"lower": -0.5, "upper": 0.5}}, "end": {"i2.x": 3, "at_rest": True}},
        }
    )
    T = 2.0 * np.sqrt(3.0 / 0.5)
    assert made.status == "finished"
    assert made.duration == pytest.approx(T, rel=1e-6)  # the bar of this closed form; 1e-9 is reached
    assert made.switches == pytest.approx([T / 2], rel=1e-6)
    assert set(made.controls["u"].tolist()) == {-0.5, 0.5}  # on the bounds, not within a barrier of them
    # the multipliers are those of a barrier of 1e-9
    assert sum(made.multipliers.values()) == pytest.approx(0.5 * T / 0.5, rel=1e-4)
    assert made.multipliers["u.upper"] == pytest.approx(made.multipliers["u.lower"], rel=1e-3)
    assert next(one.spans for one in made.limits if one.side == "upper") == [
        (0.0, pytest.approx(T / 2, rel=1e-4))
    ]


def test_rate_limit_holds_in_the_middle() -> None:
    """With |v| <= v_m, T = d / v_m + v_m / a: dT/dv_m = -d / v_m^2 + 1 / a."""
    made = luff.plan(
        {
            "model": chain(2),
            "plan": {
                "controls": {"u": {"lower": -0.5, "upper": 0.5}},
                "end": {"i2.x": 3, "at_rest": True},
                "limits": {"i1.x": {"upper": 0.8}},
            },
        }
    )
    assert made.duration == pytest.approx(3 / 0.8 + 0.8 / 0.5, rel=1e-6)
    assert made.multipliers["i1.x.upper"] == pytest.approx(3 / 0.8**2 - 1 / 0.5, rel=1e-3)
    (span,) = next(one.spans for one in made.limits if one.name == "i1.x")
    # to an interval's length, of 40
    assert span == (pytest.approx(1.6, abs=made.duration / 40), pytest.approx(3.75, abs=made.duration / 40))


def test_minimum_jerk_is_the_polynomial_of_fifth_order() -> None:
    """x = d (10 s^3 - 15 s^4 + 6 s^5), integral of squared jerk 720 d^2 / T^5 (Flash and Hogan 1985)."""
    made = luff.plan(
        {
            "model": chain(3),
            "plan": {
                "controls": {"u": {}},
                "duration": 2,
                "end": {"i3.x": 1, "at_rest": True},
                "least": {"squares": {"u": 1}},
                "interpolation": "linear",
            },
        }
    )
    assert made.cost == pytest.approx(
        720 / 2**5, rel=1e-5
    )  # jerk in lines of 0.05 s: the square of their error
    s = made.points / 2.0
    path = 10 * s**3 - 15 * s**4 + 6 * s**5
    assert made.states[""]["i3.x"] == pytest.approx(path, abs=1e-5)


PENDULUM = """
luff: 1
inputs: {u: {}}
blocks:
  rate: {type: integrator}
  angle: {type: integrator}
  fall: {type: expression, inputs: [a, u], expr: u - sin(a)}
connect: [inputs.u -> fall.u, angle.y -> fall.a, fall.y -> rate.u, rate.y -> angle.u]
simulation: {stop: 1 s, step: 1 ms}
"""


def test_least_effort_of_a_pendulum_solves_pontryagins_equations() -> None:
    """theta'' = u - sin theta from rest at 0 to rest at 2 in 3 s, least integral of u^2: u = -p2 / 2."""

    def slopes(t: np.ndarray, z: np.ndarray) -> np.ndarray:
        u = -z[3] / 2.0
        return np.array([z[1], u - np.sin(z[0]), z[3] * np.cos(z[0]), -z[2]])

    t = np.linspace(0.0, 3.0, 31)
    ends = lambda a, b: np.array([a[0], a[1], b[0] - 2.0, b[1]])  # noqa: E731
    true = solve_bvp(slopes, ends, t, np.array([2 * t / 3, 0 * t, 0 * t, 0 * t]), tol=1e-9)
    u = -true.sol(np.linspace(0, 3, 3001))[3] / 2.0
    cost = np.trapezoid(u**2, dx=0.001)
    made = luff.plan(
        {
            "model": luff.loads(PENDULUM),
            "plan": {
                "controls": {"u": {"lower": -10, "upper": 10}},
                "duration": 3,
                "end": {"angle.x": 2, "rate.x": 0},
                "least": {"squares": {"u": 1}},
            },
        }
    )
    assert made.cost == pytest.approx(
        cost, rel=1e-5
    )  # controls in lines of 0.075 s; quadrature of the other 1e-7
    assert made.controls["u"] == pytest.approx(-true.sol(made.time)[3] / 2.0, abs=2e-3)


BRIDGE = """
luff: 1
inputs: {u: {}}
blocks:
  v: {type: integrator}
  x: {type: integrator}
  w: {type: integrator}
  q: {type: integrator}
  pull: {type: expression, inputs: [q, u], expr: -0.98*q + 0.1*u}
connect: [inputs.u -> v.u, v.y -> x.u, inputs.u -> pull.u, q.y -> pull.q, pull.y -> w.u, w.y -> q.u]
simulation: {stop: 1 s, step: 1 ms}
"""


def test_bridge_crane_switches_as_published() -> None:
    """x1'' = u, x3'' = -0.98 x3 + 0.1 u, 15 m, |u| <= 1: T = 8.580102637."""
    made = luff.plan(
        {
            "model": luff.loads(BRIDGE),
            "plan": {"controls": {"u": {"lower": -1, "upper": 1}}, "end": {"x.x": 15, "at_rest": True}},
        }
    )
    assert made.duration == pytest.approx(8.580102637, rel=1e-8)
    assert made.switches == pytest.approx([2.985340562, 4.290051319, 5.594762075], abs=1e-6)


def test_container_crane_costs_what_is_published() -> None:
    """Augustin and Maurer (2001), after Sakawa and Shindo: J = 0.0375195 in 9 s."""
    made = luff.plan({"model": luff.loads(CONTAINER), "plan": CONTAINER_MOVE})
    assert made.cost == pytest.approx(0.0375195, abs=1e-5)
    assert made.flown[0].deviation < 1e-5  # of metres, by another integrator


def swing(rows: list[tuple[float, float]], length: float) -> np.ndarray:
    """[x, x', theta, theta'] after accelerations u over durations h, by equations of its own."""
    x = np.zeros(4)
    for u, h in rows:
        law = lambda t, x, u=u: [x[1], u, x[3], (-9.81 * np.sin(x[2]) - u * np.cos(x[2])) / length]  # noqa: E731
        x = solve_ivp(law, (0.0, h), x, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    return x


@pytest.mark.parametrize(
    ("length", "way", "a", "guess"),
    [(5, 10, 1.0, 2.58), (10, 15, 0.8, 3.3), (2, 6, 0.6, 2.9), (15, 25, 1.5, 3.0)],
)
def test_trolley_leaves_its_load_at_rest(length: float, way: float, a: float, guess: float) -> None:
    """Three switches, symmetric in time; exact ones by shooting on equations of this test."""
    made = luff.plan(
        {
            "model": luff.loads(TROLLEY),
            "set": {"rope": length},
            "plan": {
                "controls": {"accel": {"lower": -a, "upper": a}},
                "end": {"trolley.position": way, "at_rest": True},
            },
        }
    )
    arcs = lambda t, T: [(a, t), (-a, T / 2 - t), (a, T / 2 - t), (-a, t)]  # noqa: E731
    shot = fsolve(lambda p: swing(arcs(*p), length)[[0, 2]] - [way, 0.0], [guess, made.duration], xtol=1e-12)
    t, T = np.asarray(shot).tolist()
    assert made.duration == pytest.approx(T, rel=1e-7)
    assert made.switches == pytest.approx([t, T / 2, T - t], abs=1e-4)
    ends = np.concatenate([[0.0], made.switches, [made.duration]])
    u = [float(made.controls["accel"][np.searchsorted(made.time, m) - 1]) for m in (ends[1:] + ends[:-1]) / 2]
    x = swing([*zip(u, np.diff(ends), strict=True)], length)
    # flown by other equations: swing in rad and rad/s, rate in m/s
    assert np.max(abs(x[1:])) < 1e-6
    assert x[0] == pytest.approx(way, abs=1e-6)


CART = """
luff: 1
inputs: {force: {unit: N}}
blocks:
  slide: {type: prismatic, axis: x}
  mass: {type: rigid_link, mass: 2 kg, com: [0, 0, 0], inertia: [1, 1, 1]}
connect: [world.frame -- slide.frame_a, slide.frame_b -- mass.frame_a, inputs.force -> slide.effort]
simulation: {stop: 1 s, step: 1 ms}
"""


def test_least_energy_pushes_coasts_and_brakes() -> None:
    """A mass without friction that need not give back what it brakes: E = m v^2 / 2, d = v T - v^2 / a."""
    m, F, T, d = 2.0, 4.0, 3.0, 1.5
    made = luff.plan(
        {
            "model": luff.loads(CART),
            "plan": {
                "controls": {"force": {"lower": -F, "upper": F}},
                "duration": T,
                "interpolation": "constant",
                "end": {"slide.position": d, "at_rest": True},
                "least": "energy",
            },
        }
    )
    a = F / m
    v = 0.5 * a * (T - np.sqrt(T**2 - 4 * d / a))
    assert made.cost_unit == "J"
    # the corner of the power is rounded within 1e-3 of F times 1 m/s, over 3 s
    assert made.cost == pytest.approx(0.5 * m * v**2, abs=0.5 * 1e-3 * F * T)
    assert made.cost >= 0.5 * m * v**2 - 1e-6
    assert any("rounded at zero" in remark for remark in made.remarks)


FLOWS = """
luff: 1
inputs: {{{inputs}}}
blocks: {{{blocks}}}
connect: [{wires}]
simulation: {{stop: 1 s, step: 1 ms}}
"""


def test_oscillator_is_brought_to_rest_along_two_circles() -> None:
    """x'' + x = u from x = 1: round (-1, 0) by atan2(sqrt(15) / 4, 7 / 4), then round (1, 0) by acos(1 / 4)."""
    model = FLOWS.format(
        inputs="u: {}",
        blocks="v: {type: integrator}, x: {type: integrator, initial: 1}, "
        "a: {type: expression, inputs: [u, x], expr: u - x}",
        wires="inputs.u -> a.u, x.y -> a.x, a.y -> v.u, v.y -> x.u",
    )
    made = luff.plan(
        {
            "model": luff.loads(model),
            "plan": {"controls": {"u": {"lower": -1, "upper": 1}}, "end": {"x.x": 0, "v.x": 0}},
        }
    )
    first, second = np.arctan2(np.sqrt(15.0) / 4.0, 1.75), np.arccos(0.25)
    assert made.switches == pytest.approx([first], abs=1e-6)
    assert made.duration == pytest.approx(first + second, abs=1e-9)


def test_power_limit_bends_the_arc_between_switches() -> None:
    """A mass of 1 kg, |F| <= 1 N, F v <= P: v = P at P s, then v^2 grows by 2 P a second, then F = -1 N."""
    model = FLOWS.format(
        inputs="u: {}",
        blocks="v: {type: integrator}, x: {type: integrator}, "
        "p: {type: expression, inputs: [u, v], expr: u*v}",
        wires="inputs.u -> v.u, v.y -> x.u, inputs.u -> p.u, v.y -> p.v",
    )
    P, way = 0.5, 2.0
    plan = {
        "controls": {"u": {"lower": -1, "upper": 1}},
        "end": {"x.x": way, "v.x": 0},
        "limits": {"p.y": {"upper": P}},
        "interpolation": "linear",
    }
    top = brentq(lambda v: P**2 / 2 + (v**3 - P**3) / (3 * P) + v**2 / 2 - way, P, 5.0)
    exact = P + (top**2 - P**2) / (2 * P) + top
    off = []
    for intervals in (40, 80):
        made = luff.plan({"model": luff.loads(model), "plan": {**plan, "intervals": intervals}})
        off.append(made.duration - exact)
    # lines from +F to -F take an interval: a shortfall of the way of h v / 2 at most costs h / 2
    assert all(0.0 < one < 0.5 * exact / N for one, N in zip(off, (40, 80), strict=True))
    assert off[1] < 0.6 * off[0]  # of first order in the interval


def test_way_round_a_circle_is_a_taut_string() -> None:
    """Speed 1 from (-2, 0) to (2, 0) outside the unit circle: two tangents and an arc between them."""
    model = FLOWS.format(
        inputs="a: {}, b: {}",
        blocks="x: {type: integrator, initial: -2}, y: {type: integrator}, "
        'r: {type: expression, inputs: [p, q], expr: "sqrt(p^2 + q^2)"}, '
        's: {type: expression, inputs: [p, q], expr: "p^2 + q^2"}',
        wires="inputs.a -> x.u, inputs.b -> y.u, x.y -> r.p, y.y -> r.q, inputs.a -> s.p, inputs.b -> s.q",
    )
    made = luff.plan(
        {
            "model": luff.loads(model),
            "plan": {
                "controls": {name: {"lower": -1, "upper": 1} for name in "ab"},
                "end": {"x.x": 2, "y.x": 0},
                "limits": {"r.y": {"lower": 1}, "s.y": {"upper": 1}},
                "guess": {"y.x": 1.2},
                "interpolation": "linear",
                "intervals": 80,
            },
        }
    )
    exact = 2.0 * np.sqrt(3.0) + np.pi - 2.0 * np.arccos(0.5)
    # a direction that turns at a point turns within an interval: 1e-4 of the way on 80
    assert made.duration == pytest.approx(exact, rel=2e-4)


def test_squares_cost_what_the_riccati_equation_says() -> None:
    """x' = u from 1 to 0 in 1 s, least integral of x^2 + u^2: coth(1)."""
    model = FLOWS.format(inputs="u: {}", blocks="x: {type: integrator, initial: 1}", wires="inputs.u -> x.u")
    made = luff.plan(
        {
            "model": luff.loads(model),
            "plan": {
                "controls": {"u": {"lower": -10, "upper": 10}},
                "end": {"x.x": 0},
                "duration": 1,
                "least": {"squares": {"x.x": 1, "u": 1}},
            },
        }
    )
    assert made.cost == pytest.approx(1.0 / np.tanh(1.0), rel=1e-8)


def test_free_parameter_takes_what_the_control_need_not() -> None:
    """x'' = u + p from rate 1 to rest in 2 s: u + p = -1/2, and p = -0.2 at its bound leaves u = -0.3."""
    model = FLOWS.format(
        inputs="u: {}, p: {}",
        blocks="v: {type: integrator, initial: 1}, x: {type: integrator}, "
        "a: {type: expression, inputs: [u, p], expr: u + p}",
        wires="inputs.u -> a.u, inputs.p -> a.p, a.y -> v.u, v.y -> x.u",
    )
    plan: dict[str, Any] = {
        "controls": {"u": {"lower": -1, "upper": 1}},
        "parameters": {"p": {"lower": -0.2, "upper": 0.2}},
        "end": {"x.x": 1, "v.x": 0},
        "duration": 2,
        "least": "effort",
    }
    made = luff.plan({"model": luff.loads(model), "plan": plan})
    assert made.parameters["p"] == pytest.approx(-0.2, abs=1e-9)

    # and flown on its own model, at rest
    plan |= {"end": {"x.x": 1, "at_rest": True}, "flights": {"same": {}}}
    flown = luff.plan({"model": luff.loads(model), "plan": plan}).flights[0]
    assert flown.share < 1e-6  # of an independent integrator at 1e-10
    assert made.cost == pytest.approx(0.3**2 * 2, rel=1e-9)
