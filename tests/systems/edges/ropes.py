"""Ropes, drums and sheaves at the edges of their laws."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

import luff

from .edge import Compared, edge

R = luff.Result
Answers = Iterable[Compared]
G = 9.81


def loads(**starts: str) -> tuple[str, str]:
    """Loads of 50 kg on vertical rails."""
    blocks = "".join(
        f"\n  {n}: {{type: prismatic, axis: z, {text}}}\n  {n}_load: {{type: rigid_link, mass: 50}}"
        for n, text in starts.items()
    )
    return blocks, ", ".join(f"world.frame -- {n}.frame_a, {n}.frame_b -- {n}_load.frame_a" for n in starts)


STARTS = {
    "still": f"initial: {{position: {-1 - 50 * G / 1e5}}}",
    "catch": "initial: {position: -0.5}",
    "falls": "initial: {position: -1}",
}
BLOCKS, WIRES = loads(**STARTS)


@edge(
    "rope",
    BLOCKS + "\n  a: {type: rope, length: 1, EA: 1e5}\n  b: {type: rope, length: 1, EA: 1e5, shortest: 0}"
    "\n  c: {type: rope, length: 100, EA: 1e5, shortest: 0}",
    WIRES + ", world.frame -- a.frame_a, still_load.frame_a -- a.frame_b, world.frame -- b.frame_a,"
    " catch_load.frame_a -- b.frame_b,"
    " world.frame -- c.frame_a, falls_load.frame_a -- c.frame_b",
    step=5e-4,
    rows=1e-2,
    stop=1.2,
)
def ropes_that_hang_snatch_and_stay_slack(r: R) -> Answers:
    yield "hangs", r["a.tension"], 50 * G, 1e-5
    yield "slack", r["c.tension"], 0.0, 0.0
    yield "falls", r["falls.velocity"], -G * r.time, 1e-10
    fall = r.time < np.sqrt(2 * 0.5 / G)
    yield "falls until it is taut", r["catch.velocity"][fall], -G * r.time[fall], 1e-10
    energy = (
        25 * r["catch.velocity"] ** 2
        + 50 * G * r["catch.position"]
        + 5e4 * np.maximum(-r["catch.position"] - 1, 0) ** 2
    )
    yield "keeps its energy", energy, -50 * G * 0.5, 0.02
    static = 50 * G / 1e5
    deepest = 1 + static + np.sqrt(static**2 + 2 * static * 0.5)
    yield "deepest", -r["catch.position"].min(), deepest, 2e-3  # between rows of 10 ms


@edge(
    "rope",
    loads(one="initial: {position: -2}", four="initial: {position: -2}")[0]
    + """
  a: {type: rope, length: 2, EA: 1e5, damping: 0.05}
  b: {type: rope, length: 8, EA: 1e5, damping: 0.05, reeving: 4}
""",
    loads(one="", four="")[1]
    + ", world.frame -- a.frame_a, one_load.frame_a -- a.frame_b, world.frame -- b.frame_a,"
    " four_load.frame_a -- b.frame_b",
    step=1e-3,
    stop=4.0,
)
def ropes_of_one_and_of_four_falls(r: R) -> Answers:
    yield "one", r["one.position"][-1], -2 - 2 * 50 * G / 1e5, 1e-6
    yield "four", r["four.position"][-1], -2 - 2 * 50 * G / 4e5, 1e-6
    yield "pull", [r["a.pull"][-1], r["b.pull"][-1]], 50 * G, 0.05
    yield "tension", r["b.tension"][-1], 50 * G / 4, 0.02


@edge(
    "rope",
    """
  arm: {type: fixed, at: [0, 0, 5]}
  side: {type: fixed, at: [3, 0, 5]}
  rail: {type: prismatic, axis: z, initial: {position: 1}}
  load: {type: rigid_link, mass: 50}
  beam: {type: fixed, at: [3, 0, 0]}
  it: {type: rope, length: 11.99, EA: 1e6, damping: 0.02, through: 2, efficiency: 0.9}
  drive: {type: table, data: [[0, 0], [1, 0], [1.01, 0.5], [3, 0.5], [3.01, -0.5], [5, -0.5]]}
""",
    "world.frame -- arm.frame_a, world.frame -- side.frame_a, world.frame -- beam.frame_a,"
    " beam.frame_b -- rail.frame_a,"
    " rail.frame_b -- load.frame_a, world.frame -- it.frame_a, arm.frame_b -- it.sheave_1, side.frame_b -- it.sheave_2,"
    " load.frame_a -- it.frame_b, drive.y -> it.take_up",
    step=1e-3,
    rows=1e-2,
    stop=5.0,
)
def sheaves_with_friction_up_down_and_at_rest(r: R) -> Answers:
    t = r.time
    up, down, still = (t > 2.5) & (t < 2.9), t > 4.5, (t > 0.9) & (t < 0.99)
    yield "hoists", r["it.tension"][up], 50 * G / 0.81, 0.5
    yield "lowers", r["it.tension"][down], 50 * G * 0.81, 0.5
    yield "the load's end", r["it.end_tension"][up], 50 * G, 0.5
    yield "speed", r["rail.velocity"][up], 0.5, 2e-3
    yield "at rest, one tension", (r["it.tension"] - r["it.end_tension"])[still], 0.0, 0.5


@edge(
    "winch rope",
    """
  rail: {type: prismatic, axis: z, initial: {position: -10}}
  load: {type: rigid_link, mass: 50}
  speed: {type: constant, value: 2, unit: rad/s}
  it: {type: winch, radius: 0.2, rope_diameter: 0.02, turns: 2, wound: 5}
  rope: {type: rope, length: 10, EA: 1e6, damping: 0.05}
""",
    "world.frame -- rail.frame_a, rail.frame_b -- load.frame_a, world.frame -- rope.frame_a,"
    " load.frame_a -- rope.frame_b,"
    " speed.y -> it.velocity, rope.tension -> it.tension, it.take_up -> rope.take_up",
    step=1e-3,
    rows=1e-2,
    stop=5.0,
)
def drums_that_grow_by_their_layers(r: R) -> Answers:
    # dW/dt = w r, r^2 = r0^2 + W d / (pi n): dr/dt = w d / (2 pi n)
    radius = np.sqrt(0.04 + 5 * 0.02 / (2 * np.pi)) + 2 * 0.02 / (4 * np.pi) * r.time
    yield "radius", r["it.layer_radius"], radius, 1e-6
    wound = (radius**2 - 0.04) * 2 * np.pi / 0.02
    yield "rope on it", r["it.length"], wound, 1e-5
    yield "torque", r["it.torque"], -r["rope.tension"] * r["it.layer_radius"], 1e-9


@edge(
    "winch rope",
    """
  rail: {type: prismatic, axis: z, initial: {position: -5}}
  load: {type: rigid_link, mass: 50}
  speed: {type: constant, value: -2, unit: rad/s}
  it: {type: winch, radius: 0.5, wound: 2, least_turns: 0, stop_stiffness: 1}
  rope: {type: rope, length: 5, EA: 1e6, damping: 0.05}
""",
    "world.frame -- rail.frame_a, rail.frame_b -- load.frame_a, world.frame -- rope.frame_a,"
    " load.frame_a -- rope.frame_b,"
    " speed.y -> it.velocity, rope.tension -> it.tension, it.take_up -> rope.take_up",
    step=1e-3,
    rows=1e-2,
    stop=4.0,
)
def drums_that_run_empty_and_wind_up_again(r: R) -> Answers:
    t = r.time
    yield "rope on it", np.abs(r["it.length"]), np.abs(2 - t), 2e-3
    yield (
        "the load sinks and comes back",
        r["rail.position"][t > 0.5],
        (-7 + np.abs(t - 2))[t > 0.5],
        0.03,
    )  # it swings: 0.5 mm by 1 m/s


@edge(
    "shaft_winch rope shaft_inertia",
    """
  rail: {type: prismatic, axis: z, initial: {position: -5}}
  load: {type: rigid_link, mass: 50}
  drum: {type: shaft_inertia, inertia: 8}
  it: {type: shaft_winch, radius: 0.4}
  rope: {type: rope, length: 5, EA: 1e6, damping: 0.01}
""",
    "world.frame -- rail.frame_a, rail.frame_b -- load.frame_a, world.frame -- rope.frame_a,"
    " load.frame_a -- rope.frame_b,"
    " it.shaft -- drum.shaft, rope.tension -> it.tension, it.take_up -> rope.take_up",
    step=1e-3,
    rows=1e-2,
    stop=1.0,
)
def load_that_unwinds_its_drum(r: R) -> Answers:
    a = 50 * G / (50 + 8 / 0.16)
    late = r.time > 0.3
    yield (
        "speed",
        r["rail.velocity"][late],
        (-a * r.time)[late],
        5e-3,
    )  # the rope stretches at first: 0.5 mm in 20 ms
    yield "drum", r["drum.speed"][late], (-a / 0.4 * r.time)[late], 2e-2


@edge(
    "rope winch",
    """
  rail: {type: prismatic, axis: z, initial: {position: -1}}
  load: {type: rigid_link, mass: 50}
  speed: {type: constant, value: 1, unit: m/s}
  it: {type: rope, length: 1, EA: 1e5, damping: 0.05, shortest: 0.2}
""",
    "world.frame -- rail.frame_a, rail.frame_b -- load.frame_a, world.frame -- it.frame_a, load.frame_a -- it.frame_b,"
    " speed.y -> it.take_up",
    step=5e-4,
    rows=1e-2,
    stop=0.95,
)
def hooks_that_meet_their_sheave(r: R) -> Answers:
    yield "it does not go through", max(r["rail.position"].max(), 0.0), 0.0, 0.0
    held = r.time > 0.9
    yield (
        "tension is the load and the stop",
        (r["it.tension"] - r["it.stop_force"])[held],
        50 * G,
        60.0,
    )  # it still rises
