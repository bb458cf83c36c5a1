"""Shapes that touch: rest, tipping, sliding, sticking, rolling and impacts, against closed forms and energy."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import luff
from luff.tests.conftest import hours_as_plain_python

G = 9.81


def body(name: str, mass: float, shape: str, six: list[float], start: str) -> tuple[str, str]:
    """Entry and wires of a free body with a shape."""
    return (
        (
            f"  {name}_free: {{type: free, initial: {{{start}}}}}\n"
            f"  {name}: {{type: rigid_link, mass: {mass}, inertia: {six}, shape: {shape}}}\n"
        ),
        f"world.frame -- {name}_free.frame_a, {name}_free.frame_b -- {name}.frame_a",
    )


def box(
    name: str, mass: float, size: tuple[float, float, float], start: str, rounding: float
) -> tuple[str, str]:
    """Homogeneous box that is free."""
    x, y, z = size
    six = [mass / 12 * (y * y + z * z), mass / 12 * (x * x + z * z), mass / 12 * (x * x + y * y)]
    return body(name, mass, f"{{kind: box, size: {[*size]}, round: {rounding}}}", six, start)


def compiled(blocks: str, wires: str, **settings: object) -> luff.Simulation:
    shown = ", ".join(f"{key}: {value}" for key, value in settings.items())
    text = f"luff: 1\nblocks:\n{blocks}\nconnect: [{wires}]\nsimulation: {{{shown}}}\n"
    return luff.compile(luff.loads(text))


GROUND = "  ground: {type: fixture, shape: {kind: plane}}\n"
ENERGY = "  energy: {type: energy_sensor}\n"


@pytest.mark.parametrize(
    ("ground", "corners"),
    [("{kind: plane}", 4), ("{kind: box, size: [6, 6, 1], at: [0, 0, -0.5], round: 0.02}", 4)],
    ids=["plane", "box"],
)
def test_box_at_rest_sinks_in_by_its_weight_over_four_corners(ground: str, corners: int) -> None:
    stiffness, mass = 1e6, 1000.0
    own, wires = box("box", mass, (2.0, 1.5, 1.0), "position: [0, 0, 0.51]", 0.02)
    law = f"law: {{stiffness: {stiffness}, dissipation: 1}}, friction: {{mu: 0.5}}"
    blocks = (
        f"{own}  ground: {{type: fixture, shape: {ground}}}\n{ENERGY}"
        f"  stand: {{type: touch, of: [box], against: [ground], {law}}}"
    )
    found = compiled(blocks, wires, stop=4, step=1e-3, output_step=1e-3).run()
    sinks = mass * G / corners / stiffness
    # what is left of the fall after 4 s
    assert 0.5 - found["box_free.position"][-1, 2] == pytest.approx(sinks, rel=1e-6)
    assert found["stand.depth"][-1] == pytest.approx(sinks, rel=1e-6)
    assert found["stand.normal_force"][-1] == pytest.approx(mass * G, rel=1e-6)
    assert found["stand.force"][-1] == pytest.approx([0.0, 0.0, mass * G], rel=1e-6, abs=1e-3)
    assert found["stand.count"][-1] == 1.0
    # at half its depth
    assert found["stand.centre"][-1] == pytest.approx([0.0, 0.0, -sinks / 2.0], abs=1e-9)
    assert np.abs(found["box_free.velocity"][-1]).max() < 1e-7
    energy = found["energy.total"]
    assert np.diff(energy).max() < 1e-9 * (energy[0] - energy[-1])  # rounding of 5 kJ
    # 17 J of the impact are lost within steps that are taken in eight parts
    assert found.quality["energy"]["relative_residual"] < 5e-6


def on_slope(degrees: float, mu: float, stop: float, step: float) -> tuple[luff.Result, np.ndarray]:
    """A box that rests across a slope when it is let go, and its path along it."""
    angle = math.radians(degrees)
    along, n = (
        np.array([math.cos(angle), 0, -math.sin(angle)]),
        np.array([math.sin(angle), 0, math.cos(angle)]),
    )
    at = (n * (0.25 - 1000.0 * G * math.cos(angle) / 4e6)).tolist()
    own, wires = box("box", 1000.0, (1.0, 1.0, 0.5), f"position: {at}, rotate: [[y, {degrees} deg]]", 0.01)
    blocks = (
        f"{own}  ground: {{type: fixture, shape: {{kind: plane, rotate: [[y, {degrees} deg]]}}}}\n"
        "  stand: {type: touch, of: [box], against: [ground], law: {stiffness: 1e6, dissipation: 3},"
        f" friction: {{mu: {mu}}}}}"
    )
    found = compiled(blocks, wires, stop=stop, step=step, output_step=0.05).run()
    return found, found["box_free.position"] @ along


@pytest.mark.parametrize("step", [2e-3, 1e-3])
def test_box_slides_down_a_slope_as_coulomb_says(step: float) -> None:
    found, path = on_slope(25.0, 0.3, 3.0, step)
    angle = math.radians(25.0)
    late = found.time > 0.5  # the bristle is bent
    rate = np.polyfit(found.time[late], path[late], 2)[0] * 2.0
    assert rate == pytest.approx(G * (math.sin(angle) - 0.3 * math.cos(angle)), rel=1e-9)


def test_box_holds_on_a_slope_below_its_angle_of_friction() -> None:
    found, path = on_slope(15.0, 0.3, 120.0, 1e-3)
    late = found.time > 20.0
    assert np.ptp(path[late]) < 1e-8  # 100 s: what is left of the start, and no creep
    assert found["stand.friction_force"][-1] == pytest.approx(
        1000.0 * G * math.sin(math.radians(15.0)), rel=1e-9
    )


@pytest.mark.parametrize("floor", ["plane", "box"])
def test_box_tips_over_an_edge_where_its_weight_passes_it(floor: str) -> None:
    """The deck turns by 0.1 deg/s from 3 deg below; the edge is that of the core, `round` inside the box."""
    rounding, mass, stiffness, size = 0.01, 500.0, 1e7, (1.0, 1.0, 2.0)
    limit = math.degrees(math.atan((size[1] - 2.0 * rounding) / size[2]))
    first = limit - 3.0
    lift = size[2] / 2.0 - mass * G / 4.0 / stiffness
    up = [0.0, -lift * math.sin(math.radians(first)), lift * math.cos(math.radians(first))]
    own, wires = box("box", mass, size, f"position: {up}, rotate: [[x, {first} deg]]", rounding)
    shape = (
        "{kind: plane}" if floor == "plane" else "{kind: box, size: [8, 8, 1], at: [0, 0, -0.5], round: 0.02}"
    )
    blocks = (
        f"{own}  deck: {{type: platform}}\n  floor: {{type: fixture, shape: {shape}}}\n"
        f"  tilt: {{type: ramp, offset: {first} deg, slope: 0.1 deg/s, unit: rad}}\n"
        "  stand: {type: touch, of: [box], against: [floor], friction: {mu: 2},"
        f" law: {{stiffness: {stiffness}, dissipation: 3}}}}"
    )
    wires += ", world.frame -- deck.frame_a, deck.frame_b -- floor.frame, tilt.trajectory -> deck.roll"
    found = compiled(blocks, wires, stop=40, step=1e-3, output_step=0.02).run()
    deck = first + 0.1 * found.time
    q = found["box_free.orientation"]
    leans = np.degrees(2.0 * np.arctan2(q[:, 1], q[:, 0])) - deck
    # it leaves as exp(2 t): within half a second it leans by ten times as much
    assert deck[np.argmax(leans > 0.1)] == pytest.approx(limit, rel=0.01)
    assert leans[-1] > 10.0


@pytest.mark.parametrize(("dissipation", "mu"), [(0.0, 0.0), (0.3, 0.4)])
def test_box_dropped_on_a_corner_never_has_more_energy_than_at_its_start(
    dissipation: float, mu: float
) -> None:
    start = "position: [0, 0, 1.5], rotate: [[[1, 1, 0], 54.7 deg], [z, 17 deg]]"
    own, wires = box("box", 1000.0, (1.2, 1.0, 0.8), start, 0.05)
    blocks = (
        f"{own}{GROUND}{ENERGY}  stand: {{type: touch, of: [box], against: [ground],"
        f" law: {{stiffness: 5e6, dissipation: {dissipation}}}, friction: {{mu: {mu}}}}}"
    )
    found = compiled(blocks, wires, stop=5, step=5e-4, output_step=5e-4).run()
    energy, drop = found["energy.total"], 1000.0 * G
    # rounding
    assert (energy - energy[0]).max() < 1e-12 * drop
    # what rk4 errs in a step in which a corner lands or leaves, taken in eight parts: 4e-4 of it at 1 ms, 2e-6 here
    assert np.diff(energy).max() < 5e-6 * drop
    lost = energy[0] - energy[-1]
    assert lost == pytest.approx(0.0, abs=1e-5 * drop) if mu == 0.0 else lost > 0.9 * drop


def test_steps_while_touching_converge_with_the_order_of_the_method() -> None:
    """All four corners stay down, and the bristle holds."""

    def last(step: float) -> np.ndarray:
        own, wires = box(
            "box", 1000.0, (2.0, 1.5, 1.0), "position: [0, 0, 0.49], rotate: [[x, 2e-3 rad]]", 0.02
        )
        blocks = (
            f"{own}{GROUND}  stand: {{type: touch, of: [box], against: [ground],"
            " law: {stiffness: 2e5, dissipation: 0.2}, friction: {mu: 0.5}}"
        )
        session = compiled(blocks, wires, stop=0.2, step=step).start()
        while session.advance() == "running":
            pass
        return np.array(session.x[:13])

    reference = last(2.5e-4)
    errors = [float(np.abs(last(step) - reference).max()) for step in (4e-3, 2e-3, 1e-3)]
    orders = [math.log2(a / b) for a, b in itertools.pairwise(errors)]
    assert min(orders) > 3.5


PAIR = """
luff: 1
blocks:
  a_free: {type: free, initial: {position: [0, 0, 0.2]}}
  a: {type: rigid_link, mass: 100, inertia: [10, 10, 10], shape: {kind: box, size: [1, 1, 0.4], round: 0.05}}
  b_free: {type: free, initial: {position: [0.1, 0.05, 0.62], rotate: [[[1, 2, 3], 20 deg]],
           velocity: [0.1, 0, -0.05], angular_velocity: [0.1, 0.2, 0.3]}}
  b: {type: rigid_link, mass: 50, inertia: [5, 5, 5], shape: {kind: box, size: [0.7, 0.5, 0.3], round: 0.04}}
  ground: {type: fixture, shape: {kind: plane}}
  floor: {type: touch, of: [a], against: [ground], law: {stiffness: 1e6, dissipation: 1}, friction: {mu: 0.3}}
  pair: {type: touch, of: [b], against: [a], law: {stiffness: 1e6, dissipation: 1, exponent: 1.5},
         friction: {mu: 0.3, rolling: 5 mm}}
connect: [world.frame -- a_free.frame_a, a_free.frame_b -- a.frame_a, world.frame -- b_free.frame_a,
          b_free.frame_b -- b.frame_a]
simulation: {stop: 0.05, step: 1e-3}
"""


@hours_as_plain_python
def test_derivatives_of_two_boxes_are_exact() -> None:
    sim = luff.compile(luff.loads(PAIR))
    session = sim.start()
    session.advance(steps=30)
    x = np.array(session.x[: len(sim.state_names)])
    exact = sim.jacobian(0.03, x)
    # steps of a ten-millionth stay on this side of the bristles' limits
    for k in range(len(x)):
        way = np.zeros(len(x))
        way[k] = 1e-7
        there = (np.array(sim.derivative(0.03, x + way)) - np.array(sim.derivative(0.03, x - way))) / 2e-7
        # rounding of forces of 1 kN over the step
        np.testing.assert_allclose(exact[:, k], there, rtol=1e-6, atol=1e-4)


def test_derivatives_of_a_pair_that_has_left_are_zero() -> None:
    blocks = """
  ground: {type: fixture, shape: {kind: plane}}
  up: {type: prismatic, axis: z, initial: {position: 95 mm}}
  ball: {type: rigid_link, mass: 3, shape: {kind: sphere, size: [0.2]}}
  hit: {type: touch, of: [ball], against: [ground], law: {stiffness: 1e5}}
  impulse: {type: integrator}"""
    sim = compiled(
        blocks, "world.frame -- up.frame_a, up.frame_b -- ball.frame_a, hit.normal_force -> impulse.u"
    )
    assert sim.state_names == ["up.position", "up.velocity", "impulse.x"]
    assert sim.jacobian(0.0, [0.095, 0.0, 0.0])[2, 0] == pytest.approx(-1e5)  # the stiffness
    sim.derivative(0.0, [5.0, 0.0, 0.0])
    np.testing.assert_array_equal(sim.jacobian(0.0, [5.0, 0.0, 0.0]), [[0, 1, 0], [0, 0, 0], [0, 0, 0]])
