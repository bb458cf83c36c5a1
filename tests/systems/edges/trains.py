"""Trains of blocks at the edges: what stalls, what breaks away, what is moved from outside."""

from __future__ import annotations

import numpy as np

from .edge import edge
from .joints import Answers, G, R


@edge(
    "shaft_motor shaft_brake",
    """
  u: {type: step, start: 0.1, height: -24}
  it: {type: shaft_motor, resistance: 2, inductance: 0.05, constant: 0.5}
  rotor: {type: shaft_inertia, inertia: 0.01}
  shut: {type: constant, value: 1}
  held: {type: shaft_brake, torque: 20, stiffness: 1e4, damping: 5}
""",
    "u.y -> it.voltage, it.shaft -- rotor.shaft, shut.y -> held.closed, held.shaft -- rotor.shaft",
    step=2e-4,
    rows=1e-2,
)
def motor_that_stalls_against_its_brake(r: R) -> Answers:
    t = np.maximum(r.time - 0.1, 0)
    yield "current", r["it.current"], -12 * (1 - np.exp(-40 * t)), 2e-2  # it turns by 0.6 mrad
    late = r.time > 0.6
    yield "stands", r["rotor.speed"][late], 0.0, 1e-6
    yield "the brake carries it", r["held.effort"][late], 6.0, 1e-3


@edge(
    "clutch",
    """
  m: {type: ramp, slope: 10, unit: N*m}
  s: {type: torque_source}
  a: {type: shaft_inertia, inertia: 1}
  shut: {type: constant, value: 1}
  it: {type: clutch, torque: 6, stiffness: 1e5, damping: 300}
  b: {type: shaft_inertia, inertia: 2}
""",
    "m.y -> s.torque, s.shaft -- a.shaft, a.shaft -- it.a, it.b -- b.shaft, shut.y -> it.closed",
    step=1e-3,
    stop=2.0,
)
def clutch_that_breaks_away_under_a_growing_torque(r: R) -> Answers:
    # 2/3 of the torque pass: 6 N m are reached at 0.9 s
    t = r.time
    yield "together", r["b.speed"][t < 0.85], (10 / 3 * t**2 / 2)[t < 0.85], 2e-3
    after = t > 0.95
    at = 10 / 3 * 0.9**2 / 2
    yield "slips on", r["b.speed"][after], (at + 3 * (t - 0.9))[after], 5e-3
    yield "ahead", r["a.speed"][after], (at + 5 * (t**2 - 0.81) - 6 * (t - 0.9))[after], 2e-2


@edge(
    "contact platform",
    """
  shake: {type: sine, amplitude: 0.2, frequency: 5 rad/s, phase: 90 deg}
  deck: {type: platform}
  floor: {type: rigid_link, mass: 10}
  x: {type: prismatic, axis: x, initial: {position: 0.2}}
  z: {type: prismatic, axis: z}
  block: {type: rigid_link, mass: 3}
  it: {type: contact, law: {stiffness: 1e6, dissipation: 1}, friction: {mu: 0.7}}
  y: {type: prismatic, axis: x, initial: {position: 0.2}}
  w: {type: prismatic, axis: z}
  ice: {type: rigid_link, mass: 3}
  off: {type: contact, law: {stiffness: 1e6, dissipation: 1}}
""",
    "shake.trajectory -> deck.surge, world.frame -- deck.frame_a, deck.frame_b -- floor.frame_a,"
    " world.frame -- x.frame_a,"
    " x.frame_b -- z.frame_a, z.frame_b -- block.frame_a, floor.frame_a -- it.plane, block.frame_a -- it.of,"
    " world.frame -- y.frame_a, y.frame_b -- w.frame_a, w.frame_b -- ice.frame_a, floor.frame_a -- off.plane,"
    " ice.frame_a -- off.of",
    step=5e-4,
    rows=1e-2,
    stop=3.0,
)
def block_on_a_deck_that_surges(r: R) -> Answers:
    # 5 m/s^2 at most, of 0.7 g that friction gives
    yield "goes with it", r["x.position"], 0.2 * np.cos(5 * r.time), 2e-4
    yield "and stays without friction", r["y.position"], 0.2, 1e-9


@edge(
    "base_support",
    """
  stand: {type: base_support, mass: 100, inertia: [5, 5, 5], coordinates: [x, z], one_sided: true, grip: 0.5,
          supports: [{at: [0, 0, 0], stiffness: [1e6, 1e6, 1e6], damping: [3000, 3000, 6000]}]}
  pull: {type: ramp, slope: 100, unit: N}
  none: {type: constant, value: 0}
  both: {type: mux, sizes: [1, 1, 1]}
  it: {type: applied_force}
""",
    "world.frame -- stand.frame_a, pull.y -> both.u1, none.y -> both.u2, none.y -> both.u3, both.y -> it.force,"
    " stand.frame_b -- it.frame_b",
    step=1e-3,
    rows=1e-2,
    stop=8.0,
)
def foot_that_breaks_away_at_its_grip(r: R) -> Answers:
    away = 0.5 * 100 * G / 100
    t = r.time
    yield "sticks", r["stand.x"][t < 0.9 * away], (t * 1e-4)[t < 0.9 * away], 2e-6
    later = t > away + 0.2
    yield "slides", r["stand.x"][later], ((t - away) ** 3 / 6)[later], 2e-2


@edge(
    "accumulator relief_valve flow_source",
    """
  q: {type: constant, value: 1e-4, unit: m^3/s}
  in: {type: flow_source}
  it: {type: accumulator, size: 1 l, precharge: 50 bar, initial: 0}
  full: {type: relief_valve, pressure: 100 bar, gain: 1e-9 m^3/s/Pa, band: 2 bar}
  tank: {type: tank}
""",
    "q.y -> in.flow, in.b -- it.port, it.port -- full.a, full.b -- tank.port",
    stop=20.0,
    step=1e-2,
    rows=0.1,
)
def accumulator_that_is_filled_from_nothing_to_a_relief(r: R) -> Answers:
    # gain (drop - band / 2 - pressure) = 1e-4 above the band: 100 bar + 1 bar + 1 bar = at its very end
    drop = 100e5 + np.sqrt(2 * 2e5 * 1e-4 / 1e-9)
    yield "ends where the valve takes all", r["it.pressure"][-1], min(drop, 102e5), 100.0
    yield "which it does", r["full.flow"][-1], 1e-4, 1e-9


@edge(
    "table switch mux zero_order_hold",
    """
  wave: {type: table, data: [[0, 0], [0.25, 1], [0.5, 0], [0.75, -1], [1, 0]], interpolation: cubic, beyond: periodic}
  u: {type: sine, frequency: 3 rad/s}
  v: {type: ramp, slope: 2}
  late: {type: step, start: 0.5}
  it: {type: switch, kind: trajectory}
  rate: {type: split_trajectory}
""",
    "u.trajectory -> it.u1, v.trajectory -> it.u2, late.y -> it.control, it.y -> rate.u",
    stop=2.0,
    coarse=False,
)
def switches_of_trajectories_and_periodic_splines(r: R) -> Answers:
    t, w = r.time, r["wave.y"]
    yield "periodic", w[100:], w[:101], 1e-11
    yield "through its rows", w[[0, 25, 50, 75]], [0, 1, 0, -1], 1e-12
    yield "one, then the other", r["rate.rate"], np.where(t >= 0.5, 3 * np.cos(3 * t), 2.0), 1e-11


@edge(
    "rope",
    """
  top: {type: fixed, at: [0, 0, 3]}
  a: {type: prismatic, axis: z}
  left: {type: rigid_link, mass: 3}
  side: {type: fixed, at: [0.5, 0, 0]}
  b: {type: prismatic, axis: z}
  right: {type: rigid_link, mass: 2}
  high: {type: fixed, at: [0.5, 0, 3]}
  it: {type: rope, length: 6.5, EA: 1e5, damping: 0.02, through: 2}
""",
    "world.frame -- a.frame_a, a.frame_b -- left.frame_a, world.frame -- side.frame_a, side.frame_b -- b.frame_a,"
    " b.frame_b -- right.frame_a, world.frame -- top.frame_a, world.frame -- high.frame_a, left.frame_a -- it.frame_a,"
    " top.frame_b -- it.sheave_1, high.frame_b -- it.sheave_2, right.frame_a -- it.frame_b",
    step=1e-3,
    rows=1e-2,
    stop=0.8,
)
def two_loads_over_two_sheaves(r: R) -> Answers:
    late = r.time > 0.4
    yield "tension", r["it.tension"][late], 2 * 3 * 2 / 5 * G, 1e-3
    yield "acceleration", np.diff(r["a.velocity"][late]) / 0.01, -G / 5, 1e-3


@edge(
    "rms integrator noise sum",
    """
  one: {type: noise, seed: 3, sample_time: 0.05}
  same: {type: noise, seed: 3, sample_time: 0.05}
  other: {type: noise, seed: 4, sample_time: 0.05}
  less: {type: sum, signs: "+-"}
  apart: {type: sum, signs: "+-"}
  area: {type: integrator}
""",
    "one.y -> less.u1, same.y -> less.u2, one.y -> apart.u1, other.y -> apart.u2, one.y -> area.u",
    stop=5.0,
    coarse=False,
)
def noise_of_the_same_seed(r: R) -> Answers:
    yield "the same", r["less.y"], 0.0, 0.0
    yield "another", np.abs(r["apart.y"]).max() > 1.0, 1.0, 0.0
    held = r["one.y"][:-1].reshape(100, 5)
    yield "held", np.ptp(held, axis=1), 0.0, 0.0
    yield "its integral", r["area.y"][-1], 0.05 * held[:, 0].sum(), 1e-12


@edge(
    "proportional_valve hydraulic_cylinder",
    """
  none: {type: constant, value: 0}
  valve: {type: proportional_valve, nominal_flow: 60 l/min, nominal_drop: 35 bar}
  supply: {type: supply, pressure: 100 bar}
  tank: {type: tank}
  foot: {type: fixed, at: [0, 0, -1]}
  rail: {type: prismatic, axis: z}
  load: {type: rigid_link, mass: 2000}
  it: {type: hydraulic_cylinder, axis: x, barrel: {length: 0.5, mass: 1e-3}, piston: {mass: 1e-3},
       fluid: {bore: 0.1, rod: 0.05, stroke: 1.5, air: 0, initial: {rod: 10 bar}}}
""",
    "none.y -> valve.u, supply.port -- valve.supply, tank.port -- valve.tank, valve.a -- it.cap, valve.b -- it.rod,"
    " world.frame -- foot.frame_a, foot.frame_b -- it.frame_a, world.frame -- rail.frame_a,"
    " rail.frame_b -- load.frame_a,"
    " load.frame_a -- it.frame_b",
    step=1e-3,
)
def shut_valve_holds_a_cylinder_in_balance(r: R) -> Answers:
    yield "stands", r["rail.position"], 0.0, 1e-9
    yield "by its pressures", r["it.force"], 2000.001 * G, 0.05


@edge(
    "section_sensor rigid_link",
    """
  pin: {type: revolute, axis: z, initial: {velocity: 4}}
  world: {gravity: [0, 0, 0]}
  boom: {type: rigid_link, mass: 0, frame_b: {at: [2, 0, 0]}}
  tip: {type: rigid_link, mass: 3}
  it: {type: section_sensor, of: boom, at: 0.5}
""",
    "world.frame -- pin.frame_a, pin.frame_b -- boom.frame_a, boom.frame_b -- tip.frame_a",
)
def section_of_a_boom_that_spins(r: R) -> Answers:
    yield "pull", r["it.N"], 3 * 2 * 16, 1e-9
    yield "nothing else", [r["it.V_y"], r["it.V_z"], r["it.M_y"], r["it.M_z"], r["it.T"]], 0.0, 1e-9


@edge(
    "free contact",
    """
  f: {type: free, initial: {position: [0, 0, 0.1], velocity: [2, 0, 0]}}
  ball: {type: rigid_link, mass: 2, inertia: [0.008, 0.008, 0.008]}
  it: {type: contact, radius: 0.1, law: {stiffness: 1e6, dissipation: 2}, friction: {mu: 0.3}}
""",
    "world.frame -- f.frame_a, f.frame_b -- ball.frame_a, world.frame -- it.plane, ball.frame_a -- it.of",
    step=2e-4,
    rows=1e-2,
)
def ball_that_slides_until_it_rolls(r: R) -> Answers:
    late = r.time > 0.5
    yield "five sevenths", r["f.velocity[0]"][late], 10 / 7, 2e-3  # it rolls on a radius that is 0.02 mm less
