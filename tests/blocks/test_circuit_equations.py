"""Circuits of mobile machines against own equations by SciPy's Radau: flows of both signs, suction, return lines."""

from __future__ import annotations

import math

import numpy as np

import luff
from luff.tests.shared.oil_equations import (
    RHO,
    C,
    assert_equal,
    content,
    filled,
    netlist,
    smooth,
    solution,
    through,
    valve,
    yields,
)

AIR = 0.001
END = "simulation: {stop: 1.2 s, step: 20 us, output_step: 5 ms}\n"

OPEN_CENTRE = """
  sump: {type: tank}
  feed: {type: flow_source}
  pumped: {type: constant, value: 8e-4, unit: m^3/s}
  gallery: {type: volume, size: 1 l, initial: 20 bar}
  relief: {type: relief_valve, pressure: 120 bar, gain: 2e-10, band: 8 bar}
  it:
    type: spool_valve
    frequency: 40
    edges:
      supply_a: [[0.1, 0], [0.4, 4 mm^2], [1, 30 mm^2]]
      b_tank: [[0.05, 0], [1, 20 mm^2]]
      bypass: [[-0.6, 0], [-0.1, 25 mm^2], [0.1, 25 mm^2], [0.6, 0]]
  u: {type: sine, amplitude: 1.2, frequency: 6}
  a: {type: volume, size: 1 l, initial: 30 bar}
  b: {type: volume, size: 0.5 l, initial: 10 bar}
  slip: {type: orifice, area: 6 mm^2}
  load: {type: flow_source}
  turned: {type: sine, amplitude: 5e-4, frequency: 4.1, unit: m^3/s}
  back: {type: volume, size: 0.3 l, initial: 2 bar}
  out: {type: check_valve, cracking: 1 bar, band: 2 bar, nominal_flow: 120 l/min}
  feed_a: {type: check_valve, cracking: 0.1 bar, band: 0.5 bar, nominal_flow: 60 l/min}
  feed_b: {type: check_valve, cracking: 0.1 bar, band: 0.5 bar, nominal_flow: 60 l/min}
  given: {type: integrator}
"""
OPEN_WIRES = """
sump.port -- feed.a, pumped.y -> feed.flow, feed.b -- gallery.port, gallery.port -- relief.a, relief.b -- back.port,
gallery.port -- it.supply, it.tank -- back.port, it.bypass -- back.port, it.a -- a.port, it.b -- b.port, u.y -> it.u,
a.port -- slip.a, slip.b -- b.port, a.port -- load.a, load.b -- b.port, turned.y -> load.flow,
back.port -- out.a, out.b -- sump.port, back.port -- feed_a.a, feed_a.b -- a.port, back.port -- feed_b.a,
feed_b.b -- b.port, sump.flow -> given.u
"""


def check(drop: float, cracking: float, band: float, flow: float) -> float:
    """A check valve whose flow is given at 5 bar."""
    return smooth(drop - cracking, band) * valve(drop, flow, 5e5)


def test_open_centre_with_a_return_line_under_pressure() -> None:
    """A load that drives and is driven: suction valves feed its ports from the line that a check valve preloads."""
    result = luff.compile(
        luff.loads(netlist(OPEN_CENTRE.lstrip("\n"), OPEN_WIRES.replace("\n", " "), END))
    ).run()
    supply_a, b_tank = ([0.1, 0.4, 1], [0, 4e-6, 30e-6]), ([0.05, 1], [0, 20e-6])
    bypass = [-0.6, -0.1, 0.1, 0.6], [0, 25e-6, 25e-6, 0]

    def flows(s: float, gallery: float, a: float, b: float, back: float) -> tuple[float, ...]:
        pa, bt, pb, at = (through(drop, float(np.interp(at, *edge))) for drop, edge, at in (
            (gallery - a, supply_a, s), (b - back, b_tank, s), (gallery - b, supply_a, -s), (a - back, b_tank, -s),
        ))  # fmt: skip
        return pa - at, pb - bt, through(gallery - back, float(np.interp(s, *bypass))), pa + pb, at + bt

    def equations(t: float, x: np.ndarray) -> list[float]:
        s, v, gallery, a, b, back = x
        to_a, to_b, centre, taken, returned = flows(s, gallery, a, b, back)
        excess = gallery - back - 120e5
        relieved = 2e-10 * (excess**2 / 16e5 if excess < 8e5 else excess - 4e5) if excess > 0 else 0.0
        moved = 5e-4 * math.sin(4.1 * t)
        moved *= filled(a if moved > 0 else b, AIR)
        moved += through(a - b, 6e-6)
        fed_a, fed_b = (check(back - p, 0.1e5, 0.5e5, 1e-3) for p in (a, b))
        away = check(back, 1e5, 2e5, 2e-3)
        wanted = np.clip(1.2 * math.sin(6 * t), -1, 1)
        return [
            v,
            40**2 * (wanted - s) - 2 * 0.8 * 40 * v,
            (8e-4 - taken - centre - relieved) / 1e-3 / yields(gallery, AIR),
            (to_a + fed_a - moved) / 1e-3 / yields(a, AIR),
            (to_b + fed_b + moved) / 0.5e-3 / yields(b, AIR),
            (returned + centre + relieved - away - fed_a - fed_b) / 0.3e-3 / yields(back, AIR),
        ]

    own = solution(equations, [0, 0, 20e5, 30e5, 10e5, 2e5], [1, 10, 1e7, 1e7, 1e7, 1e6], result.time)
    named = {"it.spool": own[0]} | {
        f"{n}.pressure": own[k + 2] for k, n in enumerate(("gallery", "a", "b", "back"))
    }
    own_flows = np.array([flows(*x) for x in np.delete(own, 1, axis=0).T]).T
    named |= dict(zip(("it.flow_a", "it.flow_b", "it.flow_bypass"), own_flows, strict=False))
    assert_equal(result, named)
    # each of the laws was met on both of its sides
    spool, gallery, a, b, back = own[0], *own[2:6]
    assert (gallery < a)[spool > 0.2].any()
    assert (gallery > a)[spool > 0.2].any()
    assert max((a - back).min(), (b - back).min()) < -0.2e5  # both suction valves
    assert gallery.max() > 128e5
    # what the sump gives is in the volumes: a sum of states and their rates
    held = sum(result[f"{name}.oil"] for name in ("gallery", "a", "b", "back"))
    np.testing.assert_allclose(held - held[0], result["given.y"], atol=1e-12 * held[0], rtol=0)


def test_steps_that_are_too_long_for_the_open_centre_are_told_or_right() -> None:
    """The return line answers within 0.1 ms: rk4 at 1 ms says so, the implicit method at 5 ms needs no word."""
    sim = luff.compile(luff.loads(netlist(OPEN_CENTRE.lstrip("\n"), OPEN_WIRES.replace("\n", " "), END)))
    right = sim.run(output_step=10e-3)["back.pressure"]
    implicit = sim.run(step=5e-3, method="implicit", output_step=10e-3)
    np.testing.assert_allclose(implicit["back.pressure"], right, atol=0.01 * np.ptp(right))
    explicit = sim.run(step=1e-3, output_step=10e-3)
    assert np.ptp(explicit["back.pressure"] - right) > 0.1 * np.ptp(right)
    assert any(
        "too long for this run with rk4: back.p" in remark.message.replace("`", "")
        for remark in explicit.remarks
    )


BEHIND = """
  sump: {type: tank}
  feed: {type: flow_source}
  pumped: {type: expression, inputs: [], expr: 4e-4 + 3e-4*sin(3*t), unit: m^3/s}
  gallery: {type: volume, size: 0.5 l, initial: 60 bar}
  relief: {type: relief_valve, pressure: 200 bar, gain: 2e-10, band: 10 bar}
  sensed: {type: shuttle, nominal_flow: 4 l/min, band: 3 bar}
  line: {type: volume, size: 0.1 l, initial: 50 bar}
  drain: {type: orifice, area: 0.2 mm^2}
  given: {type: integrator}
"""
BEHIND_WIRES = (
    "sump.port -- feed.a, pumped.y -> feed.flow, feed.b -- gallery.port, gallery.port -- relief.a,"
    "relief.b -- sump.port,"
    "sensed.outlet -- line.port, line.port -- drain.a, drain.b -- sump.port, sump.flow -> given.u,"
    + ",".join(
        f"gallery.port -- edge{n}.a, edge{n}.b -- mid{n}.port, mid{n}.port -- comp{n}.a, comp{n}.b -- work{n}.port,"
        f"work{n}.port -- use{n}.a, use{n}.b -- sump.port, line.pressure -> comp{n}.load,"
        f"work{n}.port -- sensed.{port}, push{n}.y -> load{n}.flow, load{n}.b -- work{n}.port, sump.port -- load{n}.a"
        for n, port in ((1, "a"), (2, "b"))
    )
)
EDGES = {
    1: (10e-6, 6e-6, 0.1, 5e-4, 9.0),
    2: (5e-6, 4e-6, 0.0, 3e-4, 13.0),
}  # edge, use, backwards, push, its frequency


def test_compensators_behind_their_edges_with_loads_that_push_back() -> None:
    """Flow runs back through one compensator and is shut off by the other; the shuttle changes sides."""
    blocks = BEHIND
    for n, (edge, use, backwards, push, w) in EDGES.items():
        blocks += f"""
  edge{n}: {{type: orifice, area: {edge}}}
  mid{n}: {{type: volume, size: 0.5 l, initial: 50 bar}}
  comp{n}: {{type: pressure_compensator, keeps: inlet, setting: 3 bar, band: 4 bar, lag: 8 ms, backwards: {backwards}}}
  work{n}: {{type: volume, size: 0.5 l, initial: {40 + 20 * n} bar}}
  use{n}: {{type: orifice, area: {use}}}
  load{n}: {{type: flow_source}}
  push{n}: {{type: sine, amplitude: {push}, frequency: {w}, unit: m^3/s}}
"""
    text = netlist(blocks.replace("\n\n", "\n").lstrip("\n"), BEHIND_WIRES, END)
    # near no drop the compensators are linear: rates of 34,000 1/s, which steps of 5 us follow
    result = luff.compile(luff.loads(text)).run(step=5e-6, stop=1.0)

    def through_compensator(k: int, opening: float, drop: float) -> float:
        return valve(drop, 1e-3, 5e5) * (max(opening, 0.0) if drop >= 0 else EDGES[k][2])

    def equations(t: float, x: np.ndarray) -> list[float]:
        gallery, line, *users = x
        works = users[2], users[5]
        excess = gallery - 200e5
        into = 4e-4 + 3e-4 * math.sin(3 * t)
        into -= 2e-10 * (excess**2 / 20e5 if excess < 10e5 else excess - 5e5) if excess > 0 else 0.0
        rates, sensed = [], -through(line, 0.2e-6)
        for k, (edge, use, _, push, w) in EDGES.items():
            comp, mid, work = users[3 * k - 3 : 3 * k]
            metered, compensated = through(gallery - mid, edge), through_compensator(k, comp, mid - work)
            tapped = smooth(work - works[2 - k] + 1.5e5, 3e5) * valve(work - line, 4 / 60000, 5e5)
            pushed = push * math.sin(w * t)
            pushed *= filled(work, AIR) if pushed < 0 else 1.0
            into -= metered
            sensed += tapped
            rates += [
                (smooth(mid - line - 3e5 + 2e5, 4e5) - comp) / 8e-3,
                (metered - compensated) / 0.5e-3 / yields(mid, AIR),
                (compensated + pushed - tapped - through(work, use)) / 0.5e-3 / yields(work, AIR),
            ]
        return [into / 0.5e-3 / yields(gallery, AIR), sensed / 0.1e-3 / yields(line, AIR), *rates]

    start = [60e5, 50e5, 1.0, 50e5, 60e5, 1.0, 50e5, 80e5]
    own = solution(equations, start, [1e7, 1e7, 1, 1e7, 1e7, 1, 1e7, 1e7], result.time)
    named = {"gallery.pressure": own[0], "line.pressure": own[1]}
    for k in EDGES:
        comp, mid, work = own[3 * k - 1 : 3 * k + 2]
        named |= {f"comp{k}.opening": comp, f"mid{k}.pressure": mid, f"work{k}.pressure": work}
        named[f"comp{k}.flow"] = np.array(
            [through_compensator(k, s, drop) for s, drop in zip(comp, mid - work, strict=True)]
        )
    assert_equal(result, named)
    assert named["comp1.flow"].min() < -1e-5
    assert (named["mid2.pressure"] < named["work2.pressure"]).any()
    assert np.ptp(np.sign(named["work1.pressure"] - named["work2.pressure"])) == 2
    held = sum(result[f"{name}.oil"] for name in ("gallery", "line", "mid1", "mid2", "work1", "work2"))
    np.testing.assert_allclose(held - held[0], result["given.y"], atol=1e-12 * held[0], rtol=0)


PULLED = """
  slide: {type: prismatic, axis: z}
  mass: {type: rigid_link, mass: 500, inertia: [5, 5, 5]}
  lift:
    type: hydraulic_cylinder
    barrel: {length: 1 m, mass: 30 kg, com: [0, 0, 0.5], inertia: [3, 3, 0.1]}
    piston: {mass: 20 kg, com: [0, 0, -0.5], inertia: [2, 2, 0.1]}
    initial: {position: 0.4}
    fluid: {bore: 100 mm, rod: 60 mm, stroke: 0.8 m, leakage: 2e-12, initial: {cap: 8 bar, rod: 2 bar},
            cap_cushion: {length: 0.3 m, area: 20 mm^2}, rod_cushion: {length: 0.35 m, area: 15 mm^2}}
  force: {type: expression, inputs: [], expr: 5101.2 - 28e3*sin(2.4*t), unit: N}
  tank: {type: tank, pressure: 0.2 bar}
  out_cap: {type: orifice, area: 30 mm^2}
  out_rod: {type: orifice, area: 25 mm^2}
  feed_cap: {type: check_valve, cracking: 0.05 bar, band: 0.2 bar, nominal_flow: 60 l/min}
  feed_rod: {type: check_valve, cracking: 0.05 bar, band: 0.2 bar, nominal_flow: 40 l/min}
  given: {type: integrator}
"""
PULLED_WIRES = (
    "world.frame -- slide.frame_a, slide.frame_b -- mass.frame_a, world.frame -- lift.frame_a,"
    "mass.frame_b -- lift.frame_b, force.y -> slide.effort, tank.flow -> given.u,"
    + ",".join(
        f"lift.{side} -- out_{side}.a, out_{side}.b -- tank.port, tank.port -- feed_{side}.a,"
        f"feed_{side}.b -- lift.{side}"
        for side in ("cap", "rod")
    )
)


def test_a_cylinder_that_is_pulled_and_pushed_between_suction_valves_and_cushions() -> None:
    """A force of both signs: outlets meter, suction valves fill what is drawn, gas included, cushions at both ends."""
    text = netlist(PULLED.lstrip("\n"), PULLED_WIRES, END)
    result = luff.compile(luff.loads(text)).run(stop=2.6, output_step=1e-2)
    cap_area, rod_area = math.pi / 4 * 0.1**2, math.pi / 4 * (0.1**2 - 0.06**2)

    def cushions(x: float, v: float) -> tuple[float, float]:
        cap = RHO / 2 * (cap_area * min(v, 0) * smooth(0.3 - x, 0.3) / (C * 20e-6)) ** 2
        return cap, RHO / 2 * (rod_area * max(v, 0) * smooth(x - 0.45, 0.35) / (C * 15e-6)) ** 2

    def equations(t: float, y: np.ndarray) -> list[float]:
        x, v, cap, rod = y
        into_cap = check(0.2e5 - cap, 0.05e5, 0.2e5, 1e-3) - through(cap - 0.2e5, 30e-6)
        into_rod = check(0.2e5 - rod, 0.05e5, 0.2e5, 40 / 60000) - through(rod - 0.2e5, 25e-6)
        leak = 2e-12 * (cap - rod)
        more = cushions(x, v)
        force = (cap + more[0]) * cap_area - (rod + more[1]) * rod_area - 520 * 9.81
        force += 5101.2 - 28e3 * math.sin(2.4 * t)
        cap_volume, rod_volume = 1e-3 + cap_area * x, 1e-3 + rod_area * (0.8 - x)
        return [
            v,
            force / 520,
            (into_cap - leak - content(cap, AIR) * cap_area * v) / cap_volume / yields(cap, AIR),
            (into_rod + leak + content(rod, AIR) * rod_area * v) / rod_volume / yields(rod, AIR),
        ]

    own = solution(equations, [0.4, 0, 8e5, 2e5], [1, 1, 1e6, 1e6], result.time)
    names = ("lift.position", "lift.velocity", "lift.cap_pressure", "lift.rod_pressure")
    assert_equal(result, dict(zip(names, own, strict=True)))
    added = np.array([cushions(x, v) for x, v in own[:2].T])
    assert_equal(result, {"lift.cushion_pressure": added})
    assert (added.max(axis=0) > 1e5).all()
    assert (own[2:].min(axis=1) < -0.2e5).all()
    np.testing.assert_allclose(
        result["lift.oil"] - result["lift.oil"][0], result["given.y"], atol=1e-12, rtol=0
    )
