"""Motors, gears, shafts, brakes and clutches at the edges of their laws."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

import luff

from .edge import Compared, edge

R = luff.Result
Answers = Iterable[Compared]


@edge(
    "shaft_motor speed_source",
    """
  none: {type: constant, value: 0}
  w: {type: constant, value: -20, unit: rad/s}
  drive: {type: speed_source}
  it: {type: shaft_motor, resistance: 2, inductance: 0.1, constant: 0.5}
""",
    "none.y -> it.voltage, w.y -> drive.speed, drive.shaft -- it.shaft",
    stop=0.5,
    step=2e-3,
)
def motor_that_is_driven(r: R) -> Answers:
    i = -0.5 * -20 / 2 * (1 - np.exp(-r.time * 20))
    yield "current of a generator", r["it.current"], i, 1e-5
    yield "torque of the source", r["drive.torque"], -0.5 * i, 1e-5
    yield "its power", r["drive.power"], -0.5 * i * -20, 1e-3


@edge(
    "shaft_motor shaft_inertia",
    """
  u: {type: constant, value: -1}
  it: {type: shaft_motor, model: curve, curve: [[0, 10], [50, 10], [100, 0]], lag: 0.01}
  mass: {type: shaft_inertia, inertia: 1, initial_speed: 0}
  fast: {type: shaft_motor, model: curve, curve: [[0, 10], [50, 10], [100, 2]], lag: 0.01}
  away: {type: shaft_inertia, inertia: 1, initial_speed: -150}
""",
    "u.y -> it.command, it.shaft -- mass.shaft, u.y -> fast.command, fast.shaft -- away.shaft",
    stop=20.0,
    step=5e-3,
    rows=0.05,
)
def curve_of_a_motor_and_beyond_its_end(r: R) -> Answers:
    # backwards: constant torque to 50 rad/s, then 10 (100 - w)/50; reached at 5.01 s
    t = r.time - 0.01 * (1 - np.exp(-r.time / 0.01))
    w = np.where(t < 5, 10 * t, 100 - 50 * np.exp(-0.2 * (t - 5)))
    yield (
        "backwards",
        r["mass.speed"],
        -w,
        0.04,
    )  # the lag: 0.02 N m too much from 5 s on, for 5 s, e times decayed
    yield "held beyond its end", r["away.speed"], -150 - 2 * t, 1e-3


@edge(
    "shaft_inertia torque_source",
    """
  none: {type: constant, value: 0, unit: N*m}
  off: {type: torque_source}
  it: {type: shaft_inertia, inertia: 0.5, bearing: 2, initial_speed: -10}
  push: {type: constant, value: -3, unit: N*m}
  on: {type: torque_source}
  free: {type: shaft_inertia, inertia: 0.5, initial_speed: 10}
""",
    "none.y -> off.torque, off.shaft -- it.shaft, push.y -> on.torque, on.shaft -- free.shaft",
    step=5e-3,
    stop=4.0,
)
def flywheels_that_run_down_and_turn_round(r: R) -> Answers:
    t = r.time
    yield "run down", r["it.speed"], -10 * np.exp(-4 * t), 1e-5
    yield "turned round", r["free.speed"], 10 - 6 * t, 1e-9
    yield "power taken and given", r["on.power"], -3 * (10 - 6 * t), 1e-8


@edge(
    "shaft_spring",
    """
  a: {type: shaft_inertia, inertia: 2, initial_speed: 1}
  b: {type: shaft_inertia, inertia: 3}
  it: {type: shaft_spring, stiffness: 120, damping: 0}
  c: {type: shaft_inertia, inertia: 2, initial_speed: 1}
  d: {type: shaft_inertia, inertia: 3}
  loose: {type: shaft_spring, stiffness: 120, damping: 0, backlash: 0.4, initial_twist: -0.2}
""",
    "a.shaft -- it.a, it.b -- b.shaft, c.shaft -- loose.a, loose.b -- d.shaft",
    step=2e-3,
    stop=0.39,
)
def springs_of_shafts_without_damping_and_with_play(r: R) -> Answers:
    w = np.sqrt(120 * (1 / 2 + 1 / 3))
    t = r.time
    yield "relative motion", r["a.speed"] - r["b.speed"], np.cos(w * t), 1e-5
    yield "momentum", 2 * r["a.speed"] + 3 * r["b.speed"], 2.0, 1e-9
    yield "through the play", r["c.speed"][t < 0.39], 1.0, 1e-12


@edge(
    "shaft_spring",
    """
  a: {type: shaft_inertia, inertia: 2, initial_speed: 1}
  b: {type: shaft_inertia, inertia: 3}
  it: {type: shaft_spring, stiffness: 120, damping: 0, backlash: 0.4}
""",
    "a.shaft -- it.a, it.b -- b.shaft",
    step=5e-4,
    rows=1e-2,
    stop=3.0,
)
def play_that_is_met_from_both_sides(r: R) -> Answers:
    w = np.sqrt(120 * (1 / 2 + 1 / 3))
    t = r.time
    # from the middle of the play: 0.2 s to its edge, half a period on the spring, 0.4 s through the play, and so on
    period = np.pi / w + 0.4
    s = np.mod(t - 0.2, period)
    side = np.where(np.floor((t - 0.2) / period) % 2 == 0, 1.0, -1.0)
    relative = np.where(t < 0.2, 1.0, side * np.where(s < np.pi / w, np.cos(w * s), -1.0))
    yield "relative motion", r["a.speed"] - r["b.speed"], relative, 5e-3  # kinks within steps, twelve of them
    yield "energy", r["a.energy"] + r["b.energy"] + r["it.energy"], 1.0, 2e-3


RATIOS = {"fast": 0.1, "back": -4.0, "one": 1.0}


@edge(
    "gearbox",
    "\n".join(
        f"""
  {n}_s: {{type: torque_source}}
  {n}_a: {{type: shaft_inertia, inertia: 0.3}}
  {n}: {{type: gearbox, ratio: {ratio}, stiffness: 1e5, damping: 20}}
  {n}_b: {{type: shaft_inertia, inertia: 2}}
"""
        for n, ratio in RATIOS.items()
    )
    + "  m: {type: constant, value: 5, unit: N*m}",
    ", ".join(
        f"m.y -> {n}_s.torque, {n}_s.shaft -- {n}_a.shaft, {n}_a.shaft -- {n}.a, {n}.b -- {n}_b.shaft"
        for n in RATIOS
    ),
    step=2e-4,
    rows=1e-2,
)
def gearboxes_that_speed_up_and_turn_back(r: R) -> Answers:
    for n, ratio in RATIOS.items():
        rate = 5 / (0.3 + 2 / ratio**2)
        late = r.time > 0.5
        yield (
            n,
            r[f"{n}_a.speed"][late],
            (rate * r.time)[late],
            2e-3 * rate,
        )  # its teeth give way at the start
        yield (
            f"{n}: the other side",
            r[f"{n}_b.speed"][late],
            (rate / ratio * r.time)[late],
            2e-3 * abs(rate / ratio),
        )


@edge(
    "gearbox torque_source",
    """
  m: {type: constant, value: 10, unit: N*m}
  s: {type: torque_source}
  a: {type: shaft_inertia, inertia: 0.1}
  it: {type: gearbox, ratio: 5, stiffness: 1e5, damping: 200, efficiency: 0.8}
  b: {type: shaft_inertia, inertia: 2}
  n: {type: constant, value: 100, unit: N*m}
  p: {type: torque_source}
  c: {type: shaft_inertia, inertia: 0.1}
  back: {type: gearbox, ratio: 5, stiffness: 1e5, damping: 200, efficiency: 0.8, back_efficiency: 0.7}
  d: {type: shaft_inertia, inertia: 2}
""",
    "m.y -> s.torque, s.shaft -- a.shaft, a.shaft -- it.a, it.b -- b.shaft,"
    " n.y -> p.torque, c.shaft -- back.a, back.b -- d.shaft, p.shaft -- d.shaft",
    step=1e-3,
)
def losses_of_gears_both_ways(r: R) -> Answers:
    late = r.time > 0.5
    ahead = 10 / (0.1 + 2 / (25 * 0.8))
    yield "driven by the motor", np.gradient(r["a.speed"], r.time)[late], ahead, 2e-3 * ahead
    behind = 100 / (2 + 0.1 * 25 / 0.7)
    yield "driven by the load", np.gradient(r["d.speed"], r.time)[late], behind, 2e-3 * behind


@edge(
    "gearbox",
    """
  n: {type: constant, value: 100, unit: N*m}
  p: {type: torque_source}
  c: {type: shaft_inertia, inertia: 0.1}
  it: {type: gearbox, ratio: 5, stiffness: 1e5, damping: 200, efficiency: 0.45}
  d: {type: shaft_inertia, inertia: 2}
""",
    "n.y -> p.torque, c.shaft -- it.a, it.b -- d.shaft, p.shaft -- d.shaft",
    step=1e-3,
)
def gears_below_a_half_lock(r: R) -> Answers:
    late = r.time > 0.5
    yield "the load stands", r["d.speed"][late], 0.0, 1e-4
    yield "so does the motor", r["c.speed"][late], 0.0, 1e-4


@edge(
    "shaft_brake",
    """
  half: {type: constant, value: 0.5}
  open: {type: constant, value: 0}
  over: {type: constant, value: 2}
  a: {type: shaft_inertia, inertia: 2, initial_speed: -10}
  it: {type: shaft_brake, torque: 40, stiffness: 1e6, damping: 1000}
  b: {type: shaft_inertia, inertia: 2, initial_speed: 10}
  off: {type: shaft_brake, torque: 40, stiffness: 1e6, damping: 1000}
  c: {type: shaft_inertia, inertia: 2, initial_speed: 10}
  more: {type: shaft_brake, torque: 40, stiffness: 1e6, damping: 1000}
""",
    "half.y -> it.closed, it.shaft -- a.shaft, open.y -> off.closed, off.shaft -- b.shaft, over.y -> more.closed,"
    " more.shaft -- c.shaft",
    step=1e-3,
    stop=1.5,
)
def brakes_half_closed_and_open(r: R) -> Answers:
    t = r.time
    yield (
        "half, backwards",
        r["a.speed"],
        np.minimum(-10 + 10 * t, 0),
        0.02,
    )  # it rings on its bristle, M/k sqrt(k/I)
    yield "open", r["b.speed"], 10.0, 0.0
    yield "no more than closed", r["c.speed"], np.maximum(10 - 20 * t, 0), 0.04


@edge(
    "clutch",
    """
  shut: {type: step, start: 0.1}
  never: {type: constant, value: 0}
  a: {type: shaft_inertia, inertia: 2, initial_speed: 6}
  b: {type: shaft_inertia, inertia: 4, initial_speed: -6}
  it: {type: clutch, torque: 20, stiffness: 1e4, damping: 50}
  c: {type: shaft_inertia, inertia: 2, initial_speed: 6}
  d: {type: shaft_inertia, inertia: 4, initial_speed: -6}
  off: {type: clutch, torque: 20}
""",
    "shut.y -> it.closed, a.shaft -- it.a, it.b -- b.shaft, never.y -> off.closed, c.shaft -- off.a, off.b -- d.shaft",
    step=1e-3,
    stop=1.5,
)
def clutches_of_shafts_that_turn_against_each_other(r: R) -> Answers:
    t = r.time
    slip = 12 - 20 * (1 / 2 + 1 / 4) * np.maximum(t - 0.1, 0)
    away = np.abs(slip) > 0.3
    yield "slips", r["it.slip"][away & (slip > 0)], slip[away & (slip > 0)], 0.06
    end = t > 1.2
    yield "joined", r["a.speed"][end], (2 * 6 - 4 * 6) / 6, 1e-3
    yield "open", r["off.slip"], 12.0, 0.0


@edge(
    "motor brake gear revolute",
    """
  pin: {type: revolute, axis: z}
  disc: {type: rigid_link, mass: 3, inertia: [1, 1, 2]}
  m: {type: constant, value: 4, unit: N*m}
  it: {type: gear, ratio: -10, inertia: 0.01, stiffness: 1e5, damping: 100}
  wheel: {type: revolute, axis: z, initial: {velocity: 1}}
  ring: {type: rigid_link, mass: 3, inertia: [1, 1, 2]}
  n: {type: constant, value: 0, unit: N*m}
  coast: {type: gear, ratio: 10, inertia: 0.01, stiffness: 1e5, damping: 100, initial_speed: 10, bearing: 0.02}
""",
    "world.frame -- pin.frame_a, pin.frame_b -- disc.frame_a, m.y -> it.torque, pin.velocity -> it.velocity,"
    " it.effort -> pin.effort, world.frame -- wheel.frame_a, wheel.frame_b -- ring.frame_a, n.y -> coast.torque,"
    " wheel.velocity -> coast.velocity, coast.effort -> wheel.effort",
    step=1e-3,
    stop=2.0,
)
def gears_of_negative_ratio_and_that_coast(r: R) -> Answers:
    t = r.time
    late = t > 0.5
    yield "turns back", r["pin.velocity"][late], (-40 / 3 * t)[late], 0.02
    yield "runs down", r["wheel.velocity"][late], np.exp(-2 / 3 * t)[late], 1e-3


@edge(
    "rack prismatic",
    """
  rail: {type: prismatic, axis: x}
  cart: {type: rigid_link, mass: 4}
  it: {type: rack, radius: 0.2}
  m: {type: constant, value: -3, unit: N*m}
  s: {type: torque_source}
""",
    "world.frame -- rail.frame_a, rail.frame_b -- cart.frame_a, rail.velocity -> it.velocity, it.effort -> rail.effort,"
    " m.y -> s.torque, s.shaft -- it.shaft",
)
def rack_that_is_driven_back(r: R) -> Answers:
    yield "speed", r["rail.velocity"], -15 / 4 * r.time, 1e-9
    yield "of the pinion", r["it.speed"], -15 / 4 / 0.2 * r.time, 1e-8


@edge(
    "revolute shaft_inertia",
    """
  pin: {type: revolute, axis: y, initial: {position: 0.1}}
  rod: {type: rigid_link, mass: 2, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}
  stop: {type: constant, value: 1}
  it: {type: shaft_brake, torque: 50, stiffness: 1e5, damping: 10}
""",
    "world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a, pin.shaft -- it.shaft, stop.y -> it.closed",
    step=1e-3,
    stop=2.0,
)
def brake_on_a_joint_holds_its_weight(r: R) -> Answers:
    late = r.time > 1.0
    twist = 9.81 * np.sin(0.1) / 1e5
    yield "gives way by its spring", r["pin.position"][late], 0.1 - twist, 2e-3 * twist + 1e-9
    yield "its torque", r["it.effort"][late], 9.81 * np.sin(0.1), 1e-3


@edge(
    "revolute",
    """
  pin: {type: revolute, axis: z, friction: {model: lugre, load: 1000 N, diameter: 0.2, mu_s: 1, mu_k: 1,
        sigma_0: 1000, sigma_1: 0.5, sigma_2: 0}}
  disc: {type: rigid_link, mass: 1, inertia: [1, 1, 0.01]}
  load: {type: sine, amplitude: 30, offset: 50, frequency: 5 Hz, unit: N*m}
  slow: {type: revolute, axis: z, friction: {model: lugre, load: 1000 N, diameter: 0.2, mu_s: 1, mu_k: 1,
         sigma_0: 1000, sigma_1: 300, sigma_2: 0}}
  ring: {type: rigid_link, mass: 1, inertia: [1, 1, 0.01]}
""",
    "world.frame -- pin.frame_a, pin.frame_b -- disc.frame_a, load.y -> pin.effort,"
    " world.frame -- slow.frame_a, slow.frame_b -- ring.frame_a, load.y -> slow.effort",
    step=1e-2,
    stop=0.6,
    methods=("implicit",),
    coarse=False,
)
def lugre_joint_near_standstill_with_a_stiff_damper(r: R) -> Answers:
    x, y = r["pin.position"][::20], r["slow.position"][::20]
    drift = 1e-3 * np.log((1 - 0.2**2) / (1 - 0.8**2))
    yield "drift of a cycle", np.diff(x)[1:], drift, 3e-3 * drift
    # the damper takes 30 times the spring's share of a cycle: with it the answer is that of steps of 0.1 ms
    yield "and damped", np.diff(y)[1:], [1.8213e-4, 1.3763e-4], 2e-6
