"""Shapes that touch or pass each other, and bodies reduced to modes, at the edges of their laws."""

from __future__ import annotations

import numpy as np

from .edge import edge
from .joints import POINT, Answers, G, R

BALL = "{type: rigid_link, mass: 2, inertia: [0.01, 0.01, 0.01], shape: {kind: sphere, size: 0.4}}"
# on 2 kg the bristle's swing decays with 100 1/s
GRIP = "law: {stiffness: 1e3}, friction: {mu: 0.8, stiffness: 1e5, damping: 400}"
# cantilever of docs/examples/flexible_body.npz: Euler and Bernoulli
LENGTH, EI, MASS = 1.0, 2.1e11 * 1.3e-8, 7850 * 4e-4  # m, N m^2, kg/m
FIRST = 1.87510407**2 * np.sqrt(EI / MASS)
SHARE = 2 * 0.78299  # of the tip in the first mode under a uniform load
# tube of docs/examples/straight_tube.npz, two members of half a metre: area [m^2], second moment [m^4], strength
AREA, SECOND = np.pi * (0.03**2 - 0.026**2), 0.25 * np.pi * (0.03**4 - 0.026**4)
YIELD, PULL = 355e6, 1e4  # Pa, N


@edge(
    "touch fixture",
    f"""
  floor: {{type: fixture, shape: {{kind: plane}}}}
  just: {{type: prismatic, axis: z, initial: {{position: 0.2}}}}
  just_ball: {BALL}
  just_touch: {{type: touch, of: [just_ball], against: [floor], law: {{stiffness: 800, dissipation: 0}}}}
  off: {{type: prismatic, axis: z, initial: {{position: 9, velocity: 1}}}}
  off_ball: {BALL}
  off_touch: {{type: touch, of: [off_ball], against: [floor], {GRIP}}}
  rest: {{type: prismatic, axis: z, initial: {{position: {0.2 - (2 * G / 5e4) ** (2 / 3)}}}}}
  rest_ball: {BALL}
  rest_touch: {{type: touch, of: [rest_ball], against: [floor], law: {{stiffness: 5e4, exponent: 1.5}}}}
""",
    "world.frame -- just.frame_a, just.frame_b -- just_ball.frame_a, world.frame -- off.frame_a,"
    " off.frame_b -- off_ball.frame_a, world.frame -- rest.frame_a, rest.frame_b -- rest_ball.frame_a",
    step=1e-3,
)
def balls_that_just_touch_a_floor(r: R) -> Answers:
    t = r.time
    # let go where it begins to touch, it comes back to there: m g / k (1 - cos)
    sinks = 2 * G / 800 * (1 - np.cos(20 * t))
    yield "from the surface back to it", r["just_touch.depth"], sinks, 1e-6
    yield "and no pull", r["just_touch.normal_force"], 800 * sinks, 1e-3
    yield "beside it", r["off.position"], 9 + t - 0.5 * G * t**2, 1e-9
    yield "no force", r["off_touch.force"], 0.0, 0.0
    yield "none touches", r["off_touch.count"], 0.0, 0.0
    yield "at rest", r["rest.position"], r["rest.position"][0], 1e-9
    yield "with its weight", r["rest_touch.normal_force"], 2 * G, 1e-6


@edge(
    "touch fixture",
    f"""
  world: {{gravity: [0, 0, 0]}}
  floor: {{type: fixture, shape: {{kind: plane, at: [0, 0, -0.19]}}}}
  ahead: {{type: prismatic, axis: x, initial: {{velocity: 1}}}}
  ahead_ball: {BALL}
  ahead_touch: {{type: touch, of: [ahead_ball], against: [floor], {GRIP}}}
  back: {{type: prismatic, axis: x, initial: {{velocity: -1}}}}
  back_ball: {BALL}
  back_touch: {{type: touch, of: [back_ball], against: [floor], {GRIP}}}
  ice: {{type: prismatic, axis: x, initial: {{velocity: 1}}}}
  ice_ball: {BALL}
  ice_touch: {{type: touch, of: [ice_ball], against: [floor], law: {{stiffness: 1e3}}}}
""",
    "world.frame -- ahead.frame_a, ahead.frame_b -- ahead_ball.frame_a, world.frame -- back.frame_a,"
    " back.frame_b -- back_ball.frame_a, world.frame -- ice.frame_a, ice.frame_b -- ice_ball.frame_a",
    step=5e-4,
)
def balls_that_slide_to_a_stop(r: R) -> Answers:
    # 10 mm deep: 8 N on 2 kg stop 1 m/s in 0.25 s; the bristle bends by 8 N over 1e5 N/m
    t = np.minimum(r.time, 0.25)
    yield "ahead", r["ahead.position"], t - 2 * t**2, 2e-4
    yield "backwards", r["back.position"], -r["ahead.position"], 1e-12
    yield "stands", r["ahead.velocity"][r.time > 0.5], 0.0, 1e-6
    yield "without friction", r["ice.position"], r.time, 1e-12


@edge(
    "clearance fixture",
    f"""
  rail: {{type: prismatic, axis: x, initial: {{position: -1, velocity: 2}}}}
  ball: {BALL}
  one: {{type: fixture, shape: {{kind: sphere, size: 0.4, at: [0, 0.1, 0]}}}}
  past: {{type: clearance, of: [ball], against: [one]}}
  low: {{type: fixture, shape: {{kind: plane, at: [-0.5, 0, 0], rotate: [[y, 90 deg]]}}}}
  high: {{type: fixture, shape: {{kind: plane, at: [1.5, 0, 0], rotate: [[y, -90 deg]]}}}}
  walls: {{type: clearance, of: [ball], against: [low, high]}}
  pin: {{type: revolute, axis: y, initial: {{velocity: 1.5}}}}
  arm: {{type: rigid_link, mass: 1, inertia: [1, 1, 1]}}
  deck: {{type: fixture, shape: {{kind: plane}}}}
  still: {{type: fixture, shape: {{kind: sphere, size: 0.4, at: [0, 0, 2]}}}}
  turned: {{type: clearance, of: [still], against: [deck]}}
""",
    "world.frame -- rail.frame_a, rail.frame_b -- ball.frame_a, world.frame -- pin.frame_a,"
    " pin.frame_b -- arm.frame_a, arm.frame_b -- deck.frame",
)
def shapes_that_pass_each_other(r: R) -> Answers:
    x = 2 * r.time - 1
    far = np.hypot(x, 0.1)
    yield "two balls, overlapping between", r["past.distance"], far - 0.4, 1e-9
    yield "its rate, which changes sign", r["past.rate"], 2 * x / far, 1e-9
    yield "the nearer one of two walls", r["walls.distance"], np.minimum(x + 0.5, 1.5 - x) - 0.2, 1e-9
    yield "a plane that turns", r["turned.distance"], 2 * np.cos(1.5 * r.time) - 0.2, 1e-9
    yield "its rate", r["turned.rate"], -3 * np.sin(1.5 * r.time), 1e-9


def beam(name: str, text: str) -> str:
    settings = "file: flexible_body.npz, stiffening: false"
    return f"\n  {name}: {{type: flexible_body, {settings}, {text}}}\n  {name}_end: {{type: frame_sensor}}"


@edge(
    "flexible_body",
    beam("free", "modes: 2")
    + beam("half", "modes: 2, damping: {ratio: [0.5]}")
    + beam("slow", "damping: {ratio: 0.99}")
    + beam("turned", "damping: {ratio: 0.99}")
    + beam("loaded", "damping: {ratio: 0.99}")
    + f"\n  load: {POINT}",
    "world.frame -- free.frame_a, free.tip -- free_end.frame_b, world.frame -- half.frame_a,"
    " half.tip -- half_end.frame_b, world.frame -- slow.frame_a, slow.tip -- slow_end.frame_b,"
    " world.frame -- turned.tip, turned.frame_a -- turned_end.frame_b, world.frame -- loaded.frame_a,"
    " loaded.tip -- loaded_end.frame_b, loaded.tip -- load.frame_a",
    step=2e-4,
    stop=0.7,
)
def beams_that_are_let_go(r: R) -> Answers:
    t, late = r.time, r.time > 0.6
    # two modes of a pair are 3.4e-4 off in frequency, and 1e-3 in their share
    deep = SHARE * G / FIRST**2
    yield "undamped", r["free_end.position"][:, 2], -deep * (1 - np.cos(FIRST * t)), 4e-5
    turns = np.sqrt(0.75) * FIRST * t
    swings = np.exp(-0.5 * FIRST * t) * (np.cos(turns) + np.sin(turns) / np.sqrt(3))
    yield "half damped", r["half_end.position"][:, 2], -deep * (1 - swings), 5e-6
    # interfaces have their static shapes: exact but for (w / L)^2
    own, more = MASS * G * LENGTH**4 / 8 / EI, 2 * G * LENGTH**3 / 3 / EI
    yield "own weight", r["slow_end.position"][late, 2], -own, 1e-7
    yield "held at the other end", r["turned_end.position"][late, 2], -own, 1e-7
    yield "and a load", r["loaded_end.position"][late, 2], -own - more, 1e-7


def tube(name: str, force: str, more: str = "") -> str:
    return (
        f"\n  {name}: {{type: flexible_body, file: straight_tube.npz, damping: {{ratio: 0.99}}}}"
        f"\n  {name}_push: {{type: constant, value: {force}, unit: N}}"
        f"\n  {name}_force: {{type: applied_force}}"
        f"\n  {name}_members: {{type: member_sensor, of: {name}{more}}}"
    )


def tube_wires(name: str) -> str:
    return f"world.frame -- {name}.frame_a, {name}.tip -- {name}_force.frame_b, {name}_push.y -> {name}_force.force"


@edge(
    "member_sensor",
    "\n  world: {gravity: [0, 0, 0]}"
    + tube("pulled", f"[{PULL}, 0, 0]", f", allowable: {YIELD}, buckling: {{yield_stress: {YIELD}}}")
    + tube("pushed", f"[{-PULL}, 0, 0]", f", allowable: {YIELD}, buckling: {{yield_stress: {YIELD}}}")
    + tube("plain", f"[{-PULL}, 0, 0]")
    + tube("bent", "[0, 300, 400]")
    + tube("idle", "[0, 0, 0]"),
    ", ".join(map(tube_wires, ("pulled", "pushed", "plain", "bent", "idle"))),
    step=1e-5,
    stop=0.05,
)
def members_that_are_pulled_pushed_and_bent(r: R) -> Answers:
    late = r.time > 0.04
    slender = 0.5 / np.pi * np.sqrt(AREA * YIELD / 2.1e11 / SECOND)
    f = 0.5 * (1 + 0.21 * (slender - 0.2) + slender**2)
    chi = 1 / (f + np.sqrt(f * f - slender**2))
    yield "tension", r["pulled_members.axial"][late], PULL, 1e-3
    yield "compression", r["pushed_members.axial"][late], -PULL, 1e-3
    yield "no buckling in tension", r["pulled_members.stress"][late], PULL / AREA, 10.0
    yield "buckling in compression", r["pushed_members.utilisation"][late], PULL / AREA / chi / YIELD, 1e-7
    yield "buckling left out", r["plain_members.stress"][late], PULL / AREA, 10.0
    # at the wall 500 N act on an arm of a metre, behind the first member on half of it; (w / L)^2 is 8e-6
    stress = 500 * np.array([1.0, 0.5]) * 0.03 / SECOND
    yield "both bending moments as vectors", r["bent_members.member_stress"][late], stress, 500.0
    yield "the one at the wall governs", r["bent_members.governing"][late], 0.0, 0.0
    yield "no load", r["idle_members.stress"], 0.0, 0.0


def brick(name: str, force: str) -> str:
    points = "[[0.5, 0.03, 0.05], [0.5, 0.03, -0.05]]"
    return (
        f"\n  {name}: {{type: flexible_body, file: stress_sensor.npz, damping: {{ratio: 0.99}}}}"
        f"\n  {name}_push: {{type: constant, value: {force}, unit: N}}"
        f"\n  {name}_force: {{type: applied_force}}"
        f"\n  {name}_stress: {{type: stress_sensor, of: {name}, points: {points}, allowable: 10 MPa}}"
    )


@edge(
    "stress_sensor",
    "\n  world: {gravity: [0, 0, 0]}"
    + brick("pulled", f"[{PULL}, 0, 0]")
    + brick("pushed", f"[{-PULL}, 0, 0]")
    + brick("bent", "[0, 0, -1000]")
    + brick("idle", "[0, 0, 0]"),
    ", ".join(map(tube_wires, ("pulled", "pushed", "bent", "idle"))),
    step=1e-5,
    stop=0.05,
)
def stresses_at_points_that_are_pulled_pushed_and_bent(r: R) -> Answers:
    """Of bricks 60 x 100 mm, a metre long, steel: half-way N / A, and M z / I of 1 kN on half a metre."""
    late = r.time > 0.045
    pull, bend = PULL / (0.06 * 0.1), 1000 * 0.5 * 0.05 / (0.06 * 0.1**3 / 12)
    # of a steel bar that its ends hold from contracting: the middle is free to
    yield "tension", r["pulled_stress.signed"][late], pull, 0.01 * pull
    yield "compression has its sign", r["pushed_stress.signed"][late], -pull, 0.01 * pull
    yield "and its size", r["pushed_stress.utilisation"][late], pull / 10e6, 0.01 * pull / 10e6
    yield "above and below", r["bent_stress.signed"][late], bend * np.array([1.0, -1.0]), 0.03 * bend
    yield "no load", r["idle_stress.stress"], 0.0, 0.0
