"""Valves, pumps, volumes, accumulators and cylinders at the edges of their laws."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

import luff

from .edge import Compared, edge

R = luff.Result
Answers = Iterable[Compared]
BAR, P0, RHO = 1e5, 101325.0, 870.0


def turbulent(area: float, drop: float) -> float:
    return 0.65 * area * np.sqrt(2 * drop / RHO)


@edge(
    "orifice supply tank",
    """
  high: {type: supply, pressure: 200 bar}
  low: {type: tank, pressure: 5 bar}
  it: {type: orifice, area: 4 mm^2}
  back: {type: orifice, area: 4 mm^2}
  shut: {type: orifice, area: 0}
  none: {type: constant, value: 0}
  part: {type: constant, value: 0.25}
  closed: {type: orifice, area: 4 mm^2}
  quarter: {type: orifice, area: 4 mm^2}
  even: {type: orifice, area: 4 mm^2}
""",
    "high.port -- it.a, it.b -- low.port, low.port -- back.a, back.b -- high.port, high.port -- shut.a,"
    " shut.b -- low.port, none.y -> closed.opening, part.y -> quarter.opening, high.port -- closed.a,"
    " closed.b -- low.port, high.port -- quarter.a, quarter.b -- low.port, high.port -- even.a, even.b -- high.port",
)
def orifices_both_ways_and_shut(r: R) -> Answers:
    q = turbulent(4e-6, 195 * BAR)
    yield "there", r["it.flow"], q, 1e-4 * q  # laminar below 0.1 bar: 6e-7 at 195 bar
    yield "back", r["back.flow"], -q, 1e-4 * q
    yield "without area", r["shut.flow"], 0.0, 0.0
    yield "closed", r["closed.flow"], 0.0, 0.0
    yield "a quarter", r["quarter.flow"], q / 4, 1e-4 * q
    yield "no drop", r["even.flow"], 0.0, 0.0


@edge(
    "relief_valve",
    """
  p: {type: supply, pressure: 101 bar}
  q: {type: supply, pressure: 110 bar}
  s: {type: supply, pressure: 100 bar}
  tank: {type: tank}
  half: {type: relief_valve, pressure: 100 bar, gain: 1e-9 m^3/s/Pa, band: 2 bar}
  full: {type: relief_valve, pressure: 100 bar, gain: 1e-9 m^3/s/Pa, band: 2 bar}
  edge: {type: relief_valve, pressure: 100 bar, gain: 1e-9 m^3/s/Pa, band: 2 bar}
  back: {type: relief_valve, pressure: 100 bar, gain: 1e-9 m^3/s/Pa, band: 2 bar}
""",
    "p.port -- half.a, half.b -- tank.port, q.port -- full.a, full.b -- tank.port, s.port -- edge.a,"
    " edge.b -- tank.port, tank.port -- back.a, back.b -- q.port",
)
def relief_valves_in_their_band_and_backwards(r: R) -> Answers:
    yield "in the band", r["half.flow"], 1e-9 * 1e5**2 / 4e5, 1e-12
    yield "above", r["full.flow"], 1e-9 * (10e5 - 1e5), 1e-12
    yield "at its pressure", r["edge.flow"], 0.0, 0.0
    yield "backwards", r["back.flow"], 0.0, 0.0


@edge(
    "proportional_valve",
    "\n".join(
        f"""
  u_{n}: {{type: constant, value: {u}}}
  {n}: {{type: proportional_valve, nominal_flow: 60 l/min, nominal_drop: 35 bar}}
"""
        for n, u in {"plus": 1, "minus": -1, "over": 3, "half": 0.5, "zero": 0}.items()
    )
    + """
  high: {type: supply, pressure: 40 bar}
  mid: {type: supply, pressure: 5 bar}
  tank: {type: tank}
""",
    ", ".join(
        f"u_{n}.y -> {n}.u, high.port -- {n}.supply, tank.port -- {n}.tank, mid.port -- {n}.a, mid.port -- {n}.b"
        for n in ("plus", "minus", "over", "half", "zero")
    ),
    step=1e-3,
)
def valves_at_their_ends_and_in_the_middle(r: R) -> Answers:
    end, down = 1e-3, 1e-3 * np.sqrt(5 / 35)
    yield "to a", r["plus.flow_a"][-1], end, 1e-7
    yield "from b", r["plus.flow_b"][-1], -down, 1e-7
    yield "from a", r["minus.flow_a"][-1], -down, 1e-7
    yield "to b", r["minus.flow_b"][-1], end, 1e-7
    yield "beyond its end", r["over.flow_a"][-1], end, 1e-7
    yield "half", r["half.flow_a"][-1], end / 2, 1e-7
    yield "shut", [r["zero.flow_a"][-1], r["zero.flow_b"][-1]], 0.0, 0.0
    yield (
        "spool, at most",
        [r[f"{n}.spool"].max() for n in ("plus", "over")],
        [np.exp(-0.8 * np.pi / 0.6) + 1] * 2,
        1e-4,
    )


@edge(
    "volume flow_source",
    """
  q: {type: constant, value: 1e-6, unit: m^3/s}
  out: {type: constant, value: -1e-6, unit: m^3/s}
  in: {type: flow_source}
  off: {type: flow_source}
  it: {type: volume, size: 1 l, air: 0, initial: 10 bar}
  less: {type: volume, size: 1 l, air: 0, initial: 20 bar}
""",
    "q.y -> in.flow, in.b -- it.port, out.y -> off.flow, off.b -- less.port",
)
def volumes_of_pure_liquid(r: R) -> Answers:
    yield "filled", r["it.pressure"], 10 * BAR + 1.2e9 * 1e-3 * r.time, 1e-2
    yield "emptied", r["less.pressure"], 20 * BAR - 1.2e9 * 1e-3 * r.time, 1e-2
    yield "oil", r["it.oil"] - r["it.oil"][0], 1e-6 * r.time, 1e-15


@edge(
    "volume flow_source",
    """
  out: {type: constant, value: -1e-5, unit: m^3/s}
  off: {type: flow_source}
  it: {type: volume, size: 1 l}
""",
    "out.y -> off.flow, off.b -- it.port",
    stop=20.0,
    step=1e-2,
    rows=1e-1,
)
def volume_that_is_drawn_empty(r: R) -> Answers:
    p = r["it.pressure"]
    yield "never below no absolute pressure", min(p.min(), -P0) + P0, 0.0, 0.0
    yield "near it", p[-1], -P0, 3e3  # a tenth of the gas's volume at no pressure, or less
    yield "oil that is left is not negative", min(r["it.oil"].min(), 0.0), 0.0, 0.0


@edge(
    "pump",
    """
  fast: {type: constant, value: 100, unit: rad/s}
  back: {type: constant, value: -100, unit: rad/s}
  none: {type: constant, value: 0}
  low: {type: tank}
  high: {type: supply, pressure: 50 bar}
  it: {type: pump, displacement: 63 cm^3, initial: 1}
  rev: {type: pump, displacement: 63 cm^3, initial: 1}
  off: {type: pump, displacement: 63 cm^3, initial: 0}
  still: {type: pump, displacement: 63 cm^3, initial: 1}
  power: {type: pump, displacement: 63 cm^3, power_limit: 2 kW}
  few: {type: pump, displacement: 63 cm^3, flow_limit: 20 l/min, leakage: 1e-12, efficiency: 0.9}
  stall: {type: pump, displacement: 63 cm^3, pressure: 50 bar}
""",
    "fast.y -> it.speed, back.y -> rev.speed, none.y -> off.setting, fast.y -> off.speed, none.y -> still.speed,"
    " fast.y -> power.speed, fast.y -> few.speed, fast.y -> stall.speed, "
    + ", ".join(
        f"low.port -- {n}.a, {n}.b -- high.port"
        for n in ("it", "rev", "off", "still", "power", "few", "stall")
    ),
    step=2e-3,
)
def pumps_at_their_limits(r: R) -> Answers:
    q, p = 63e-6 / (2 * np.pi) * 100, 50 * BAR
    yield "all of it", r["it.flow"][-1], q, 1e-9
    yield "torque", r["it.torque"][-1], 63e-6 / (2 * np.pi) * p, 1e-6
    yield "turned back", r["rev.flow"][-1], -q, 1e-9
    yield "no setting", r["off.flow"], 0.0, 0.0
    yield "no speed", r["still.flow"], 0.0, 0.0
    yield "power", r["power.flow"][-1] * p, 2000.0, 1.0
    yield "flow limit, less what leaks", r["few.flow"][-1], 20e-3 / 60 - 1e-12 * p, 1e-8
    yield "at its pressure", r["stall.flow"][-1], 0.0, 1e-9


@edge(
    "accumulator",
    """
  q: {type: constant, value: 1e-4, unit: m^3/s}
  in: {type: flow_source}
  it: {type: accumulator, size: 1 l, precharge: 100 bar, initial: 100 bar, exponent: 1, bulk_modulus: 1e14, air: 0}
  fast: {type: accumulator, size: 1 l, precharge: 100 bar, initial: 100 bar, exponent: 1.4, bulk_modulus: 1e14, air: 0}
  on: {type: flow_source}
""",
    "q.y -> in.flow, in.b -- it.port, q.y -> on.flow, on.b -- fast.port",
    stop=5.0,
)
def accumulators_of_one_temperature_and_without_heat(r: R) -> Answers:
    share = 1 - 1e-4 * r.time / 1e-3
    yield "one temperature", r["it.pressure"] + P0, (1e7 + P0) / share, 100.0  # oil of 1e14 Pa
    yield "no heat", r["fast.pressure"] + P0, (1e7 + P0) / share**1.4, 100.0


@edge(
    "accumulator orifice tank",
    """
  it: {type: accumulator, size: 1 l, precharge: 20 bar, initial: 60 bar}
  out: {type: orifice, area: 10 mm^2}
  tank: {type: tank, pressure: 19.5 bar}
""",
    "it.port -- out.a, out.b -- tank.port",
    stop=20.0,
    step=1e-2,
    rows=1e-1,
)
def accumulator_that_empties_to_just_below_its_precharge(r: R) -> Answers:
    yield "ends at the tank's pressure", r["it.pressure"][-1], 19.5 * BAR, 1e3
    yield "without falling below it", min(r["it.pressure"].min() - 19.5 * BAR, 0.0), 0.0, 1e3


@edge(
    "accumulator orifice tank",
    """
  it: {type: accumulator, size: 1 l, precharge: 20 bar, initial: 60 bar}
  out: {type: orifice, area: 10 mm^2}
  tank: {type: tank}
""",
    "it.port -- out.a, out.b -- tank.port",
    stop=20.0,
    step=1e-2,
    rows=1e-1,
)
def accumulator_that_empties(r: R) -> Answers:
    yield "ends empty", r["it.pressure"][-1], 0.0, 1e3
    yield "without a pull", min(r["it.pressure"].min(), 0.0), 0.0, 1e3


@edge(
    "check_valve",
    """
  p: {type: supply, pressure: 0.5 bar}
  q: {type: supply, pressure: 5.0 bar}
  s: {type: supply, pressure: 0.55 bar}
  tank: {type: tank}
  at: {type: check_valve, cracking: 0.5 bar, band: 0.1 bar, nominal_flow: 60 l/min, nominal_drop: 5 bar}
  on: {type: check_valve, cracking: 0.5 bar, band: 0.1 bar, nominal_flow: 60 l/min, nominal_drop: 5 bar}
  mid: {type: check_valve, cracking: 0.5 bar, band: 0.1 bar, nominal_flow: 60 l/min, nominal_drop: 5 bar}
  off: {type: check_valve, cracking: 0.5 bar, band: 0.1 bar, nominal_flow: 60 l/min, nominal_drop: 5 bar}
  leak: {type: check_valve, leakage: 0.01, nominal_flow: 60 l/min, nominal_drop: 5 bar}
""",
    "p.port -- at.a, at.b -- tank.port, q.port -- on.a, on.b -- tank.port, s.port -- mid.a, mid.b -- tank.port,"
    " tank.port -- off.a, off.b -- q.port, tank.port -- leak.a, leak.b -- q.port",
)
def check_valves_at_their_pressure_and_backwards(r: R) -> Answers:
    yield "at its pressure", r["at.flow"], 0.0, 0.0
    yield "open", r["on.flow"], 1e-3, 1e-6
    yield "half open", r["mid.flow"], 0.5e-3 * np.sqrt(0.55 / 5), 5e-6  # laminar part below 0.1 bar
    yield "backwards", r["off.flow"], 0.0, 0.0
    yield "its leakage", r["leak.flow"], -1e-5, 1e-8


@edge(
    "counterbalance_valve",
    """
  load: {type: supply, pressure: 150 bar}
  over: {type: supply, pressure: 210 bar}
  pilot: {type: supply, pressure: 25 bar}
  feed: {type: supply, pressure: 170 bar}
  tank: {type: tank}
  hold: {type: counterbalance_valve, pressure: 200 bar, pilot_ratio: 4, band: 50 bar}
  part: {type: counterbalance_valve, pressure: 200 bar, pilot_ratio: 4, band: 50 bar}
  self: {type: counterbalance_valve, pressure: 200 bar, pilot_ratio: 0, band: 5 bar}
  free: {type: counterbalance_valve, pressure: 200 bar}
""",
    "load.port -- hold.a, hold.b -- tank.port, tank.port -- hold.pilot, load.port -- part.a, part.b -- tank.port,"
    " pilot.port -- part.pilot, over.port -- self.a, self.b -- tank.port, pilot.port -- self.pilot,"
    " load.port -- free.a, free.b -- feed.port, tank.port -- free.pilot",
    step=1e-3,
)
def counterbalance_valves_by_pilot_and_by_load(r: R) -> Answers:
    yield "it holds", r["hold.flow"], 0.0, 0.0
    yield "by its pilot", r["part.opening"][-1], 1.0, 1e-9
    yield "half of the band would be", r["part.flow"][-1], 1e-3 * np.sqrt(150 / 10), 1e-5
    yield "by its load", r["self.flow"][-1], 1e-3 * np.sqrt(210 / 10), 1e-5
    yield "freely in", r["free.flow"], -1e-3 * np.sqrt(20 / 10), 1e-5


@edge(
    "hose_rupture_valve",
    """
  load: {type: supply, pressure: 100 bar}
  gentle: {type: supply, pressure: 99.5 bar}
  tank: {type: tank}
  bursts: {type: hose_rupture_valve}
  holds: {type: hose_rupture_valve}
  feeds: {type: hose_rupture_valve}
""",
    "load.port -- bursts.a, bursts.b -- tank.port, load.port -- holds.a, holds.b -- gentle.port,"
    " gentle.port -- feeds.a,"
    " feeds.b -- load.port",
    step=5e-4,
)
def rupture_valves_both_ways(r: R) -> Answers:
    yield "a burst shuts it", r["bursts.flow"][-1], 0.0, 1e-12
    yield "a slow flow does not", r["holds.flow"][-1], 1e-3 * np.sqrt(0.5 / 3), 5e-6
    yield "towards the cylinder it is open", r["feeds.flow"][-1], -1e-3 * np.sqrt(0.5 / 3), 5e-6


@edge(
    "hose",
    """
  q: {type: constant, value: 2e-4, unit: m^3/s}
  back: {type: constant, value: -2e-4, unit: m^3/s}
  in: {type: flow_source}
  out: {type: flow_source}
  low: {type: tank}
  high: {type: supply, pressure: 50 bar}
  it: {type: hose, length: 5 m, diameter: 12 mm, friction: 1e-9}
  rev: {type: hose, length: 5 m, diameter: 12 mm, friction: 0.03,  initial: 50 bar}
""",
    "q.y -> in.flow, in.b -- it.a, it.b -- low.port, back.y -> out.flow, out.b -- rev.a, rev.b -- high.port",
    step=2e-4,
    rows=2e-3,
)
def hoses_laminar_and_turbulent(r: R) -> Answers:
    d, a = 12e-3, np.pi * 36e-6
    laminar = 128 * 4.6e-5 * RHO * 5 * 2e-4 / (np.pi * d**4)
    yield "laminar", r["it.pressure"][-1], laminar, 1.0
    yield (
        "turbulent, backwards",
        r["rev.pressure"][-1],
        50 * BAR - laminar - 0.03 * RHO * 5 * 4e-8 / (2 * d * a**2),
        1.0,
    )


@edge(
    "hydraulic_cylinder",
    """
  foot: {type: fixed, at: [0, 0, 3]}
  rail: {type: prismatic, axis: z}
  load: {type: rigid_link, mass: 2000}
  it: {type: hydraulic_cylinder, axis: x, barrel: {length: 1, mass: 1e-3}, piston: {mass: 1e-3},
       fluid: {bore: 0.1, rod: 0.06, stroke: 3, initial: {cap: 0, rod: 2 MPa}}, initial: {position: 1.5}}
  shut_a: {type: orifice, area: 0}
  shut_b: {type: orifice, area: 0}
  tank: {type: tank}
""",
    "world.frame -- foot.frame_a, world.frame -- rail.frame_a, rail.frame_b -- load.frame_a,"
    " foot.frame_b -- it.frame_a,"
    " load.frame_a -- it.frame_b, it.cap -- shut_a.a, shut_a.b -- tank.port, it.rod -- shut_b.a, shut_b.b -- tank.port",
    step=1e-3,
    stop=3.0,
)
def cylinder_that_hangs_its_load_on_shut_chambers(r: R) -> Answers:
    cap, ring = np.pi / 4 * 0.01, np.pi / 4 * (0.01 - 0.0036)
    yield (
        "force is that of its pressures",
        r["it.force"],
        r["it.cap_pressure"] * cap - r["it.rod_pressure"] * ring,
        1e-6,
    )
    late = r.time > 1.5
    yield (
        "on the mean it carries the load",
        r["it.force"][late].mean(),
        -2000 * 9.81,
        600.0,
    )  # it still swings
    yield "the cap pulls no more than it can", min(r["it.cap_pressure"].min() + P0, 0.0), 0.0, 0.0


@edge(
    "spool_valve",
    "\n".join(
        f"""
  u_{n}: {{type: constant, value: {u}}}
  {n}: {{type: spool_valve, edges: {{supply_a: [[0.2, 0], [1, 20 mm^2]], bypass: [[-0.2, 0], [0, 10 mm^2], [0.2, 0]]}}}}
"""
        for n, u in {"plus": 1, "minus": -1, "over": 3, "part": 0.6, "lap": 0.1, "zero": 0}.items()
    )
    + """
  p: {type: supply, pressure: 100 bar}
  tank: {type: tank, pressure: 2 bar}
  x: {type: supply, pressure: 40 bar}
  y: {type: supply, pressure: 10 bar}
""",
    ", ".join(
        f"u_{n}.y -> {n}.u, p.port -- {n}.supply, tank.port -- {n}.tank, x.port -- {n}.a, y.port -- {n}.b"
        for n in ("plus", "minus", "over", "part", "lap", "zero")
    ),
    step=1e-3,
)
def spool_valves_by_their_edges(r: R) -> Answers:
    whole, a, b = 20e-6, 60 * BAR, 8 * BAR  # drops from supply to a, from b to tank
    for name, flow_a, flow_b, centre in (
        ("plus", turbulent(whole, a), -turbulent(whole, b), 0.0),
        ("minus", -turbulent(whole, 38 * BAR), turbulent(whole, 90 * BAR), 0.0),
        ("over", turbulent(whole, a), -turbulent(whole, b), 0.0),  # the spool ends at 1
        ("part", turbulent(whole / 2, a), -turbulent(whole / 2, b), 0.0),
        ("lap", 0.0, 0.0, turbulent(5e-6, 100 * BAR)),
        ("zero", 0.0, 0.0, turbulent(10e-6, 100 * BAR)),
    ):
        for what, at in (("flow_a", flow_a), ("flow_b", flow_b), ("flow_bypass", centre)):
            yield f"{name} {what}", r[f"{name}.{what}"][-1], at, 2e-4 * abs(at)  # laminar below 0.1 bar
    yield "sensed at a", r["plus.load"][-1], 40 * BAR, 1.0
    yield "sensed at b", r["minus.load"][-1], 10 * BAR, 1.0
    yield "sensed in the middle", r["zero.load"][-1], 2 * BAR, 0.0


@edge(
    "pressure_compensator shuttle",
    """
  p: {type: supply, pressure: 90 bar}
  q: {type: supply, pressure: 89.95 bar}
  tank: {type: tank}
  zero: {type: constant, value: 0, unit: Pa}
  high: {type: constant, value: 1e7, unit: Pa}
  shut: {type: pressure_compensator, setting: 10 bar, band: 2 bar, nominal_flow: 60 l/min, nominal_drop: 5 bar}
  open: {type: pressure_compensator, setting: 10 bar, band: 2 bar, nominal_flow: 60 l/min, nominal_drop: 5 bar}
  back: {type: pressure_compensator, setting: 10 bar, band: 2 bar}
  leaks: {type: pressure_compensator, setting: 10 bar, backwards: 0.1, nominal_flow: 60 l/min, nominal_drop: 5 bar}
  behind: {type: pressure_compensator, keeps: inlet, setting: 10 bar, nominal_flow: 60 l/min, nominal_drop: 5 bar}
  starved: {type: pressure_compensator, keeps: inlet, setting: 10 bar}
  one: {type: shuttle, nominal_flow: 1 l/min, nominal_drop: 5 bar}
  even: {type: shuttle, nominal_flow: 1 l/min, nominal_drop: 5 bar}
""",
    "zero.y -> shut.load, p.port -- shut.a, shut.b -- q.port, high.y -> open.load, p.port -- open.a, open.b -- q.port,"
    " high.y -> back.load, tank.port -- back.a, back.b -- p.port,"
    " high.y -> leaks.load, tank.port -- leaks.a, leaks.b -- p.port,"
    " zero.y -> behind.load, p.port -- behind.a, behind.b -- tank.port,"
    " high.y -> starved.load, p.port -- starved.a, starved.b -- tank.port,"
    " p.port -- one.a, tank.port -- one.b, one.outlet -- q.port, p.port -- even.a, q.port -- even.b,"
    " even.outlet -- tank.port",
    step=5e-4,
)
def compensators_and_shuttles_both_ways(r: R) -> Answers:
    yield "above its setting", r["shut.flow"][-1], 0.0, 1e-12
    small = 5e3 / np.sqrt(np.sqrt(5e3**2 + 1e4**2))  # laminar below 0.1 bar
    yield "below it", r["open.flow"][-1], 1e-3 / np.sqrt(5 * BAR) * small, 1e-8
    yield "a check valve", r["back.flow"][-1], 0.0, 0.0
    yield "not quite one", r["leaks.flow"][-1], -1e-4 * np.sqrt(90 / 5), 1e-7
    yield "behind its edge", r["behind.flow"][-1], 1e-3 * np.sqrt(90 / 5), 1e-6
    yield "behind it, too little", r["starved.flow"][-1], 0.0, 1e-12
    gain = 1 / 60000 / np.sqrt(5 * BAR)
    yield "the higher inlet", r["one.flow_a"], gain * small, 1e-9
    yield "the lower inlet", r["one.flow_b"], 0.0, 0.0
    # both pass in the middle: u = 0.55 and 0.45 of the band of 1 bar, 3 u^2 - 2 u^3
    yield "nearly even", r["even.flow_a"], 0.57475 * gain * np.sqrt(90 * BAR), 1e-7
    yield "nearly even, other", r["even.flow_b"], 0.42525 * gain * np.sqrt(89.95 * BAR), 1e-7
