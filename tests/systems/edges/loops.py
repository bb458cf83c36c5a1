"""Loops, relations, sensors and what switches, at the edges of their laws."""

from __future__ import annotations

import numpy as np

from .edge import edge
from .joints import Answers, G, R

HALF = "{type: rigid_link, mass: 2, com: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2], frame_b: {at: [1, 0, 0]}}"


@edge(
    "revolute",
    f"""
  foot: {{type: fixed, at: [1, 0, 0]}}
  a: {{type: revolute, axis: y, initial: {{position: -90 deg, velocity: 1}}}}
  left: {HALF}
  b: {{type: revolute, axis: y}}
  bar: {HALF}
  c: {{type: revolute, axis: y}}
  right: {HALF}
  d: {{type: revolute, axis: y}}
  all: {{type: energy_sensor}}
""",
    "world.frame -- a.frame_a, a.frame_b -- left.frame_a, left.frame_b -- b.frame_a, b.frame_b -- bar.frame_a,"
    " bar.frame_b -- c.frame_a, c.frame_b -- right.frame_b, world.frame -- foot.frame_a, foot.frame_b -- d.frame_a,"
    " d.frame_b -- right.frame_a",
    step=2e-3,
    stop=0.5,
    more="record: ['*', d.position]",
    coarse=False,
)
def parallelogram_that_begins_upright(r: R) -> Answers:
    # 0.7 of both cranks about their pins, the bar's 2 at a metre; heights: halves of two and the whole of one
    inertia = 2 * (0.2 + 2 * 0.25) + 2
    height = -np.sin(r["a.position"])
    kinetic = 0.5 * inertia * r["a.velocity"] ** 2
    yield "energy", kinetic + 4 * G * height, 0.5 * inertia + 4 * G, 1e-6
    yield "stays parallel", r["a.position"] - r["d.position"], 0.0, 1e-9


@edge(
    "programmed_constraint revolute",
    """
  a: {type: revolute, axis: z}
  big: {type: rigid_link, mass: 1, inertia: [1, 1, 2]}
  b: {type: revolute, axis: z, initial: {position: 0}}
  small: {type: rigid_link, mass: 1, inertia: [1, 1, 0.5]}
  mesh: {type: programmed_constraint, joints: [a, b], relation: "y + 3*x"}
  push: {type: constant, value: 6.5, unit: N*m}
""",
    "world.frame -- a.frame_a, a.frame_b -- big.frame_a, world.frame -- b.frame_a, b.frame_b -- small.frame_a,"
    " push.y -> a.effort",
)
def joints_that_turn_against_each_other(r: R) -> Answers:
    yield "one", r["a.position"], 0.5 * r.time**2, 1e-9
    yield "three times the other way", r["b.position"], -1.5 * r.time**2, 1e-9


@edge(
    "latch counter timer edge",
    """
  u: {type: pulse, start: 0.1, duration: 0.05, period: 0.1}
  late: {type: step, start: 0.45}
  count: {type: counter, upper: 4}
  down: {type: counter, initial: 3, lower: 1}
  hold: {type: latch}
  short: {type: timer, kind: pulse, duration: 0.02}
  long: {type: timer, kind: on_delay, duration: 0.2}
  never: {type: constant, value: 0.5}
  none: {type: edge}
""",
    "u.y -> count.u, u.y -> down.down, never.y -> down.u, u.y -> hold.set, late.y -> hold.reset, u.y -> short.u,"
    " late.y -> long.u, never.y -> none.u",
    coarse=False,
)
def sequences_at_their_limits(r: R) -> Answers:
    n = np.round(r.time / 0.01).astype(int)
    pulses = n // 10
    yield "up to its limit", r["count.y"], np.minimum(pulses, 4), 0.0
    yield "down to its limit", r["down.y"], np.maximum(3 - pulses, 1), 0.0
    yield "held, and reset for good", r["hold.y"], (n >= 10) & (n < 45), 0.0
    yield "two steps of each", r["short.y"], (n >= 10) & (n % 10 < 2), 0.0
    yield "after a delay", r["long.y"], n >= 65, 0.0
    yield "one half is not true", r["none.y"], 0.0, 0.0


@edge(
    "frame_sensor energy_sensor",
    """
  pin: {type: revolute, axis: z, initial: {velocity: -3}}
  arm: {type: rigid_link, mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], frame_b: {at: [2, 0, 0]}}
  own: {type: frame_sensor}
  far: {type: frame_sensor, resolve: a}
  all: {type: energy_sensor}
""",
    "world.frame -- pin.frame_a, pin.frame_b -- arm.frame_a, arm.frame_b -- own.frame_b, arm.frame_a -- far.frame_a,"
    " arm.frame_b -- far.frame_b",
)
def sensors_of_what_turns(r: R) -> Answers:
    q = -3 * r.time
    yield "place", [r["own.position[0]"], r["own.position[1]"]], [2 * np.cos(q), 2 * np.sin(q)], 1e-8
    yield (
        "acceleration",
        [r["own.acceleration[0]"], r["own.acceleration[1]"]],
        [
            -18 * np.cos(q),
            -18 * np.sin(q),
        ],
        1e-7,
    )
    yield "within the body nothing moves", [r["far.velocity[0]"], r["far.velocity[1]"]], 0.0, 1e-12
    yield "kinetic energy", r["all.kinetic"], 0.5 * 0.6 * 9, 1e-9


@edge(
    "zero_order_hold integrator",
    "".join(
        f"""
  x{k}: {{type: integrator, initial: 1}}
  h{k}: {{type: zero_order_hold, sample_time: 0.1}}
  g{k}: {{type: gain, k: {-gain}}}
"""
        for k, gain in enumerate((5.0, 10.0, 20.0, 21.0))
    ),
    ", ".join(f"x{k}.y -> h{k}.u, h{k}.y -> g{k}.u, g{k}.y -> x{k}.u" for k in range(4)),
    stop=2.0,
    coarse=False,
)
def sampled_loops_within_and_beyond_their_limit(r: R) -> Answers:
    at = np.arange(0, 201, 10)
    for k, z in enumerate((0.5, 0.0, -1.0, -1.1)):
        known = z ** np.arange(21) if z else np.eye(21)[0]
        yield f"z = {z}", r[f"x{k}.y"][at], known, 1e-9


@edge(
    "delay",
    """
  x: {type: integrator, initial: 1}
  late: {type: delay, delay: 0.5, initial: 1}
  g: {type: gain, k: -1}
""",
    "x.y -> late.u, late.y -> g.u, g.y -> x.u",
    stop=1.5,
)
def delayed_loop_by_the_method_of_steps(r: R) -> Answers:
    t = r.time
    s, w = np.maximum(t - 0.5, 0), np.maximum(t - 1.0, 0)
    yield "steps", r["x.y"], 1 - t + s**2 / 2 - w**3 / 6, 2e-5  # joined linearly: h^2/8 of the second slope


@edge(
    "relay integrator",
    """
  x: {type: integrator, initial: 0}
  it: {type: relay, lower: -0.1, upper: 0.1, low: 1, high: -1}
""",
    "x.y -> it.u, it.y -> x.u",
    stop=4.0,
    step=1e-3,
    rows=1e-2,
)
def relay_that_swings_for_ever(r: R) -> Answers:
    yield "between its thresholds", [r["x.y"].min(), r["x.y"].max()], [-0.1, 0.1], 2e-3  # a step each
    t = r.time[r.time > 0.2]
    swing = 0.1 - np.abs(np.mod(t - 0.1, 0.4) - 0.2)
    yield "its period", r["x.y"][r.time > 0.2], -swing, 0.03  # twenty changes, a step late each


@edge(
    "prismatic energy_sensor",
    """
  rail: {type: prismatic, axis: z, initial: {position: 1}, limits: {lower: 0, stiffness: 1e6, damping: 0, width: 0.001}}
  ball: {type: rigid_link, mass: 2}
  all: {type: energy_sensor}
""",
    "world.frame -- rail.frame_a, rail.frame_b -- ball.frame_a",
    step=1e-4,
    rows=1e-2,
    stop=5.0,
    coarse=False,
)
def stop_without_damping_gives_all_back(r: R) -> Answers:
    yield (
        "comes back up",
        r["rail.position"][r.time > 4].max(),
        1.0,
        0.02,
    )  # five bounces of 3 ms in steps of 1 ms


@edge(
    "free world",
    """
  world: {gravity: [1, -2, 3]}
  f: {type: free, initial: {velocity: [0, 0, -3], angular_velocity: [0, 0, 2]}}
  body: {type: rigid_link, mass: 2, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.2]}
  eye: {type: frame_sensor}
  middle: {type: fixed, at: [0.3, 0, 0]}
  mark: {type: rigid_link, mass: 0}
""",
    "world.frame -- f.frame_a, f.frame_b -- body.frame_a, body.frame_a -- middle.frame_a,"
    " middle.frame_b -- mark.frame_a,"
    " mark.frame_a -- eye.frame_b",
    stop=2.0,
)
def body_that_is_thrown_where_gravity_points_aside(r: R) -> Answers:
    t = r.time
    # its centre flies a parabola, from 0.3 m beside the origin with 0.6 m/s across
    yield "x", r["eye.position[0]"], 0.3 + 0.5 * t**2, 1e-6
    yield "y", r["eye.position[1]"], 0.6 * t - t**2, 1e-6
    yield "z", r["eye.position[2]"], -3 * t + 1.5 * t**2, 1e-9


@edge(
    "revolute",
    """
  pin: {type: revolute, axis: -y, stiffness: 50, rest: 30 deg, initial: {position: 30 deg}}
  wheel: {type: rigid_link, mass: 4, inertia: [1, 2, 1]}
  spin: {type: revolute, axis: [0.6, 0, 0.8], initial: {velocity: -2}, damping: 1}
  disc: {type: rigid_link, mass: 4, inertia: [1, 1, 1]}
""",
    "world.frame -- pin.frame_a, pin.frame_b -- wheel.frame_a, world.frame -- spin.frame_a,"
    " spin.frame_b -- disc.frame_a",
)
def pins_at_rest_and_about_a_slanting_axis(r: R) -> Answers:
    yield "rests", r["pin.position"], np.pi / 6, 1e-12
    yield "runs down", r["spin.velocity"], -2 * np.exp(-r.time), 1e-7
