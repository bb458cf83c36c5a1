"""Relations that follow signals, that are not linear in velocities, or on accelerations: against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

import luff
from luff.tests.shared.compile_text import plain

POINT = """
luff: 1
blocks:
  world: {gravity: [0, -9.81, 0]}
  x: {type: prismatic, axis: x, initial: {position: 0, velocity: 2}}
  y: {type: prismatic, axis: y, initial: {position: 0}}
  z: {type: prismatic, axis: z, initial: {position: 0}}
  point: {type: rigid_link, mass: 2, inertia: [1, 1, 1]}
  it: {type: programmed_constraint, relation: "RELATION"}
  MORE
connect:
  - world.frame -- x.frame_a
  - x.frame_b -- y.frame_a
  - y.frame_b -- z.frame_a
  - z.frame_b -- point.frame_a
  - point.frame_a -- it.frame
  WIRES
simulation: {stop: 1 s, step: STEP, output_step: 50 ms, constraints: {method: METHOD, alpha: 20, beta: 20}}
"""
METHODS = ["reduced", "projected", "baumgarte"]


def point(relation: str, method: str = "reduced", more: str = "", wires: str = "", step: str = "1 ms") -> str:
    text = POINT.replace("RELATION", relation).replace("METHOD", method).replace("STEP", step)
    return text.replace("MORE", more).replace("WIRES", wires)


def test_a_relation_follows_its_target_and_names_inputs_with_both_their_rates() -> None:
    more = """
  ratio: {type: sine, amplitude: 0.4, frequency: 3 rad/s, offset: 0.5}
  height: {type: sine, amplitude: 0.2, frequency: 5 rad/s}
"""
    wires = "- ratio.trajectory -> it.r\n  - height.trajectory -> it.target"
    text = point("y - r*x", more=more.strip(), wires=wires).replace('r*x"', 'r*x", inputs: [r]')
    t, at = sympy.Symbol("t"), 0.3
    r, h = sympy.Rational(1, 2) + sympy.sin(3 * t) * sympy.Rational(2, 5), sympy.sin(5 * t) / 5
    r0, r1, r2, _h0, h1, h2 = (float(sympy.diff(one, t, k).subs(t, at)) for one in (r, h) for k in range(3))
    h0 = float(h.subs(t, at))
    sim = plain(text)
    state = {"x.position": 0.7, "x.velocity": -1.3, "y.position": 0.7, "y.velocity": -1.3}
    values = sim.evaluate(at, [state.get(name, 0.0) for name in sim.state_names])
    x, vx = values["x.position"], values["x.velocity"]
    assert values["y.position"] == pytest.approx(r0 * x + h0, rel=1e-12)
    assert values["y.velocity"] == pytest.approx(r0 * vx + r1 * x + h1, rel=1e-12)
    # m ax = -r l, m ay = -m g + l, ay - r ax = r'' x + 2 r' vx + h''
    A = np.array([[2, 0, r0], [0, 2, -1], [-r0, 1, 0]])
    ax, ay, push = np.linalg.solve(A, [0.0, -2 * 9.81, r2 * x + 2 * r1 * vx + h2])
    found = [values[name] for name in ("x.acceleration", "y.acceleration", "it.multiplier")]
    assert found == pytest.approx([ax, ay, push], rel=1e-11)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "relation",
    ["vx^2 + vy^2 - 4", "sqrt(vx^2 + vy^2) - 2", "vx*ax + vy*ay"],
    ids=["square", "root", "order2"],
)
def test_a_point_of_constant_speed_falls_on_a_curve_of_equal_resistance(relation: str, method: str) -> None:
    """Across its path it falls freely: v phi' = -g cos(phi), so that sin(phi) = -tanh(g t/v)."""
    result = luff.compile(luff.loads(point(relation, method))).run()
    t, v, g = result.time, 2.0, 9.81
    assert result["x.position"] == pytest.approx(v * v / g * np.arctan(np.sinh(g * t / v)), abs=1e-9)
    assert result["y.position"] == pytest.approx(-v * v / g * np.log(np.cosh(g * t / v)), abs=1e-9)
    assert np.hypot(result["x.velocity"], result["y.velocity"]) == pytest.approx(v, abs=1e-9)
    # the speed stays, so that the constraint takes all that weight gives
    energy = result.quality["energy"]
    assert energy["constraints"] == pytest.approx(2 * g * result["y.position"][-1], rel=1e-9)
    assert energy["relative_residual"] < 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_appell_s_example_accelerates_as_its_gradient_says(method: str) -> None:
    """Appell (1911): vy^2 = k^2 (vx^2 + vz^2), where the force along the slope leaves g k/(1 + k^2) across."""
    k = 0.75
    text = point("vy^2 - 0.75^2*(vx^2 + vz^2)", method).replace(
        "axis: z, initial: {position: 0}", "axis: z, initial: {position: 0, velocity: 1.5}"
    )
    text = text.replace(
        "axis: y, initial: {position: 0}", "axis: y, initial: {position: 0, velocity: -1.875}"
    )
    result = luff.compile(luff.loads(text)).run()
    way = 2.5 * result.time + 9.81 * k / (1 + k * k) * result.time**2 / 2
    assert result["x.position"] == pytest.approx(0.8 * way, abs=1e-9)
    assert result["z.position"] == pytest.approx(0.6 * way, abs=1e-9)
    assert result["y.position"] == pytest.approx(-k * way, abs=1e-9)


SLEIGH = """
luff: 1
blocks:
  px: {type: prismatic, axis: x, initial: {position: 0, velocity: 0.3}}
  py: {type: prismatic, axis: y, initial: {position: 0}}
  yaw: {type: revolute, axis: z, initial: {position: 0.2, velocity: 1.5}}
  body: {type: rigid_link, mass: 2, com: [0.4, 0, 0], inertia: [0.1, 0.1, 0.15]}
  pace: {type: programmed_constraint, WHERE}
connect:
  - world.frame -- px.frame_a
  - px.frame_b -- py.frame_a
  - py.frame_b -- yaw.frame_a
  - yaw.frame_b -- body.frame_a
simulation: {stop: 4 s, step: 1 ms, output_step: 100 ms, constraints: {method: METHOD}}
"""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("joints", [True, False], ids=["joints", "frame"])
def test_a_sleigh_of_constant_speed_turns_as_by_hand(joints: bool, method: str) -> None:
    """The force is along the velocity, at phi: nothing pushes across it, and its lever turns the body."""
    relation = 'relation: "vx^2 + vy^2 - 0.09"'
    text = SLEIGH.replace("METHOD", method).replace("WHERE", "joints: [px, py, yaw], " * joints + relation)
    text = text if joints else text.replace("connect:", "connect:\n  - body.frame_a -- pace.frame")
    result = luff.compile(luff.loads(text)).run()
    m, a, inertia, v = 2.0, 0.4, 0.15, 0.3

    def rates(_t: float, s: np.ndarray) -> list[float]:
        _x, _y, phi, theta, w = s
        delta = theta - phi
        turn = (
            -m
            * a
            * a
            * w
            * w
            * math.sin(delta)
            * math.cos(delta)
            / (inertia + m * a * a * math.sin(delta) ** 2)
        )
        bend = -a / v * (turn * math.cos(delta) - w * w * math.sin(delta))
        return [v * math.cos(phi), v * math.sin(phi), bend, w, turn]

    known = solve_ivp(rates, (0, 4), [0, 0, 0, 0.2, 1.5], "DOP853", result.time, rtol=1e-12, atol=1e-12).y
    for name, one in (("px", known[0]), ("py", known[1]), ("yaw", known[3])):
        # Baumgarte's poles of 100 1/s make no error here, where the start is on the relation
        assert result[f"{name}.position"] == pytest.approx(one, abs=1e-8)
    assert np.hypot(result["px.velocity"], result["py.velocity"]) == pytest.approx(0.3, abs=1e-9)


def test_a_condition_on_jerk_is_one_on_accelerations_that_follows_an_integrator() -> None:
    more = "jerk: {type: constant, value: 3}\n  sum: {type: integrator}"
    wires = "- jerk.y -> sum.u\n  - sum.y -> it.target"
    sim = luff.compile(luff.loads(point("ax", more=more, wires=wires)))
    # the acceleration is a state of its own, and no velocity is given
    assert any(name.startswith("sum.") for name in sim.state_names)
    assert sum(name.endswith("velocity") for name in sim.state_names) == 3
    assert sim.summary["degrees_of_freedom"] == 2
    result = sim.run()
    t = result.time
    assert result["x.position"] == pytest.approx(2 * t + 3 * t**3 / 6, abs=1e-11)
    assert result["it.multiplier"] == pytest.approx(2 * 3 * t, abs=1e-11)


@pytest.mark.parametrize(
    ("relation", "told"),
    [
        ("ax^2 - 1", "not linear in the accelerations"),
        ("vx*vy - q", '"q"'),
        ("x^y", "an exponent that varies"),
    ],
)
def test_a_relation_that_cannot_be_is_told(relation: str, told: str) -> None:
    with pytest.raises(luff.LuffError, match=told):
        plain(point(relation))


def test_a_speed_without_any_velocity_at_the_start_is_told() -> None:
    text = point("vx^2 + vy^2 + vz^2 - 4").replace("velocity: 2", "velocity: 0")
    with pytest.raises(luff.LuffError, match="slope is zero"):
        plain(text)


def test_accelerations_and_positions_are_constrained_together() -> None:
    """On a plane of slope 1/2 a point of constant speed falls as in the open, by the share of weight along it."""
    slope = 0.5
    text = point("vx*ax + vy*ay + vz*az").replace(
        "connect:", "  plane: {type: programmed_constraint, RELATION}\nconnect:"
    )
    text = text.replace("RELATION", 'relation: "y - 0.5*z"').replace(
        "connect:", "connect:\n  - point.frame_a -- plane.frame"
    )
    sim = luff.compile(luff.loads(text))
    assert sim.summary["degrees_of_freedom"] == 1
    result = sim.run()
    t, v, g = result.time, 2.0, 9.81 * slope / math.hypot(1, slope)
    down = v * v / g * np.log(np.cosh(g * t / v))
    assert result["x.position"] == pytest.approx(v * v / g * np.arctan(np.sinh(g * t / v)), abs=1e-9)
    assert np.hypot(result["y.position"], result["z.position"]) == pytest.approx(down, abs=1e-9)
    assert abs(result["plane.violation"]).max() < 1e-12


def test_slopes_that_hang_on_velocities_have_exact_derivatives() -> None:
    """Of v phi' = -g cos(phi) at phi = 0, with vy = v sin(phi) as the state: d(ay)/d(vx) = 0, d(ay)/d(vy) = 0, and
    d(ax)/d(vy) = g/v from ax = g sin(phi) cos(phi)."""
    lin = luff.linearise(luff.compile(luff.loads(point("vx*ax + vy*ay"))))
    names = lin.state_names
    slopes = lin.A[names.index("x.velocity")][[names.index("x.velocity"), names.index("y.velocity")]]
    assert slopes == pytest.approx([0.0, 9.81 / 2], abs=1e-12)
    lin = luff.linearise(luff.compile(luff.loads(point("vx^2 + vy^2 - 4"))))
    # vx is solved for: near vy = 0 it does not change, and x' = 2, y' = vy
    k = lin.state_names.index("y.velocity")
    assert lin.A[lin.state_names.index("y.position"), k] == pytest.approx(1.0, abs=1e-12)
    assert lin.A[lin.state_names.index("x.position"), k] == pytest.approx(0.0, abs=1e-12)


FOUR_BAR = """
luff: 1
blocks:
  s: {type: prismatic, axis: x, initial: {position: 0}}
  bed: {type: rigid_link, mass: 3, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1], frame_b: {at: [0.6, 0, 0]}}
  a: {type: revolute, axis: y, initial: {position: -1 rad}}
  ab: {type: rigid_link, mass: 1, com: [0.2, 0, 0], inertia: [0.001, 0.02, 0.02], frame_b: {at: [0.4, 0, 0]}}
  b: {type: revolute, axis: y, guess: {position: 1 rad}}
  bc: {type: rigid_link, mass: 1, com: [0.3, 0, 0], inertia: [0.001, 0.03, 0.03], frame_b: {at: [0.6, 0, 0]}}
  c: {type: revolute, axis: y, guess: {position: 1 rad}}
  cd: {type: rigid_link, mass: 1, com: [0.25, 0, 0], inertia: [0.001, 0.02, 0.02], frame_b: {at: [0.5, 0, 0]}}
  d: {type: revolute, axis: y, cut: true}
  it: {type: programmed_constraint, relation: "RELATION"}
connect:
  - world.frame -- s.frame_a
  - s.frame_b -- bed.frame_a
  - bed.frame_a -- a.frame_a
  - a.frame_b -- ab.frame_a
  - ab.frame_b -- b.frame_a
  - b.frame_b -- bc.frame_a
  - bc.frame_b -- c.frame_a
  - c.frame_b -- cd.frame_a
  - cd.frame_b -- d.frame_a
  - d.frame_b -- bed.frame_b
  - ab.frame_b -- it.frame
simulation: {stop: 0.2 s, step: 1 ms, constraints: {redundant: minimum_norm}}
"""


@pytest.mark.filterwarnings("ignore:.*over-constrains:luff.ModelWarning")
@pytest.mark.parametrize(("relation", "states"), [("x - x0", (1, 1)), ("vx", (2, 1)), ("ax", (2, 2))])
def test_beside_redundant_constraints_a_relation_takes_states_of_its_order_alone(
    relation: str, states: tuple[int, int]
) -> None:
    """Carriage and four-bar have two freedoms; the tip, at rest at the start, stays where it is."""
    x0 = 0.4 * math.cos(1.0)
    text = FOUR_BAR.replace(
        '"RELATION"', f'"{relation}"' + f", constants: {{x0: {x0!r}}}" * ("x0" in relation)
    )
    sim = plain(text)
    ends = ("position", "velocity")
    assert tuple(sum(name.endswith(end) for name in sim.state_names) for end in ends) == states
    result = luff.compile(luff.loads(text)).run()
    tip = result["s.position"] + 0.4 * np.cos(result["a.position"])
    # rk4 of 1 ms where the position is integrated
    assert tip == pytest.approx(x0, abs=1e-12)
    assert result["a.velocity"][-1] != 0.0
