"""Spool valves, compensators, shuttles and cushions: flows by hand, runs against own equations by SciPy's Radau."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import pytest

import luff
from luff.tests.shared.oil_equations import RHO, C, K, assert_equal, netlist, smooth, solution, through, valve

# --- edges -----------------------------------------------------------------------------------------------------------

EDGES = """
  it:
    type: spool_valve
    frequency: 20
    edges:
      supply_a: [[0.1, 0], [0.4, 4 mm^2], [1, 30 mm^2]]
      b_tank: [[0.05, 0], [1, 20 mm^2]]
      bypass: [[-0.6, 0], [-0.1, 25 mm^2], [0.1, 25 mm^2], [0.6, 0]]
"""
AROUND = """  p: {type: supply, pressure: 120 bar}
  r: {type: tank, pressure: 4 bar}
  va: {type: supply, pressure: 70 bar}
  vb: {type: supply, pressure: 30 bar}
  u: {type: constant, value: AT}
"""
WIRED = "p.port -- it.supply, r.port -- it.tank, va.port -- it.a, vb.port -- it.b, u.y -> it.u"


@pytest.mark.parametrize(
    ("at", "a", "b", "centre"),
    [
        # areas in mm^2 by hand: from supply to the port, less from the port to tank; straight lines between rows
        (0.7, (17.0, 0.0), (0.0, 20 * 0.65 / 0.95), 0.0),
        (0.25, (2.0, 0.0), (0.0, 20 * 0.2 / 0.95), 25 * 0.35 / 0.5),
        (0.0, (0.0, 0.0), (0.0, 0.0), 25.0),
        (-0.4, (0.0, 20 * 0.35 / 0.95), (4.0, 0.0), 10.0),
        (-1.0, (0.0, 20.0), (30.0, 0.0), 0.0),
        (3.0, (30.0, 0.0), (0.0, 20.0), 0.0),  # the command ends at 1
    ],
)
def test_edges_pass_what_their_areas_say(
    at: float, a: tuple[float, float], b: tuple[float, float], centre: float
) -> None:
    result = luff.compile(
        luff.loads(netlist(EDGES.strip("\n") + "\n" + AROUND.replace("AT", str(at)), WIRED))
    )
    run = result.run(stop=2.0)  # 40 time constants of the spool
    mm2, bar = 1e-6, 1e5
    flow_a = through(50 * bar, a[0] * mm2) - through(66 * bar, a[1] * mm2)
    flow_b = through(90 * bar, b[0] * mm2) - through(26 * bar, b[1] * mm2)
    for signal, expected in (
        ("it.flow_a", flow_a),
        ("it.flow_b", flow_b),
        ("it.flow_bypass", through(120 * bar, centre * mm2)),
        (
            "p.flow",
            through(50 * bar, a[0] * mm2) + through(90 * bar, b[0] * mm2) + through(120 * bar, centre * mm2),
        ),
        ("r.flow", -through(66 * bar, a[1] * mm2) - through(26 * bar, b[1] * mm2)),
    ):
        assert run[signal][-1] == pytest.approx(expected, rel=1e-9, abs=1e-15), signal
    fed = {True: 70 * bar, False: 4 * bar}[a[0] > 0] if b[0] == 0 else 30 * bar
    assert run["it.load"][-1] == pytest.approx(fed, rel=1e-12)


def test_oil_runs_both_ways_over_an_edge() -> None:
    blocks = EDGES.strip("\n") + "\n" + AROUND.replace("AT", "1").replace("120 bar", "20 bar")
    run = luff.compile(luff.loads(netlist(blocks, WIRED))).run(stop=2.0)
    # the load pushes oil back into a supply that is too weak: a check valve before it is a block of its own
    assert run["it.flow_a"][-1] == pytest.approx(through(-50e5, 30e-6), rel=1e-9)


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        ({"supply_a": [[0.1, 0], [1, 60]]}, "found an area of 60 m^2"),
        ({"supply_a": [[0.5, 0], [0.5, 1e-5]]}, "found 0.5 after 0.5, expected positions"),
        ({"supply_a": [[0.1, 0], [100, 1e-5]]}, "found a position of 100, expected -1 to 1"),
        ({"supply_a": [[0.1, 0, 1], [1, 1e-5, 2]]}, "found 3 numbers, expected [position, area]"),
        ({"bypass": [[0, 1e-5]]}, "found no area of supply_a"),
        ({"supply_a": [[0.1, 0], [1, -1e-5]]}, "found an area of -1e-05 m^2"),
    ],
)
def test_areas_that_cannot_be(edges: dict[str, Any], words: str) -> None:
    text = netlist(
        f"  it: {{type: spool_valve, edges: {json.dumps(edges)}}}\n" + AROUND.replace("AT", "0"), WIRED
    )
    with pytest.raises(luff.NetlistError, match=re.escape(words)):
        luff.compile(luff.loads(text))


# --- own equations ---------------------------------------------------------------------------------------------------


def test_two_users_share_a_pump_by_load_sensing_as_own_equations_say() -> None:
    """Pump, two sections with compensators before their spools and a shuttle: 1e-6 of each range by Radau."""
    blocks = """
  pump: {type: pump, displacement: 45 cm^3, pressure: 250 bar, margin: 20 bar, lag: 20 ms, initial: 0.2}
  sump: {type: tank}
  gallery: {type: volume, size: 1 l, air: 0, initial: 60 bar}
  line: {type: volume, size: 0.05 l, air: 0, initial: 40 bar}
  shuttle: {type: shuttle, nominal_flow: 2 l/min, band: 2 bar}
  drain: {type: orifice, area: 0.1 mm^2}
"""
    wires = (
        "sump.port -- pump.a, pump.b -- gallery.port, line.pressure -> pump.load, shuttle.outlet -- line.port"
    )
    wires += ", line.port -- drain.a, drain.b -- sump.port"
    for n, (area, start, amplitude) in {"1": (25, 80, 1.0), "2": (12, 30, 0.8)}.items():
        blocks += f"""
  comp{n}: {{type: pressure_compensator, setting: 10 bar, band: 3 bar, lag: 5 ms, nominal_flow: 60 l/min}}
  mid{n}: {{type: volume, size: 0.2 l, air: 0, initial: 50 bar}}
  spool{n}:
    type: spool_valve
    frequency: 40
    edges: {{supply_a: [[0.1, 0], [1, {area} mm^2]]}}
  a{n}: {{type: volume, size: 2 l, air: 0, initial: {start} bar}}
  b{n}: {{type: volume, size: 1 l, air: 0, initial: 5 bar}}
  load{n}: {{type: orifice, area: {area / 3} mm^2}}
  u{n}: {{type: sine, amplitude: {amplitude}, frequency: {3 + 2 * int(n)}}}
"""
        wires += f", gallery.port -- comp{n}.a, comp{n}.b -- mid{n}.port, mid{n}.port -- spool{n}.supply"
        wires += f", spool{n}.tank -- sump.port, spool{n}.a -- a{n}.port, spool{n}.b -- b{n}.port"
        wires += f", a{n}.port -- load{n}.a, load{n}.b -- b{n}.port, u{n}.y -> spool{n}.u"
        wires += f", spool{n}.load -> comp{n}.load, a{n}.port -- shuttle.{'ab'[int(n) - 1]}"
    result = luff.compile(luff.loads(netlist(blocks.replace("\n\n", "\n").lstrip("\n"), wires))).run(stop=0.5)

    def equations(t: float, x: np.ndarray) -> list[float]:
        swash, gallery, line = x[:3]
        largest = 45e-6 / (2 * math.pi) * 157.0796326794897
        wanted = smooth(min(250e5, max(line + 20e5, 25e5)) - gallery, 20e5)
        out = [(wanted - swash) / 0.02]
        into_gallery = swash * largest
        a1, a2 = x[6], x[12]
        feeds = [smooth(p - q + 1e5, 2e5) * valve(p - line, 2 / 60000, 5e5) for p, q in ((a1, a2), (a2, a1))]
        rates_of = []
        for k, (area, feed, amplitude, w) in enumerate(
            ((25e-6, feeds[0], 1.0, 5), (12e-6, feeds[1], 0.8, 7))
        ):
            comp, mid, s, a, b, v = (
                x[3 + 6 * k],
                x[4 + 6 * k],
                x[5 + 6 * k],
                x[6 + 6 * k],
                x[7 + 6 * k],
                x[8 + 6 * k],
            )
            plus, minus = (area * np.clip((one - 0.1) / 0.9, 0, 1) for one in (s, -s))
            sensed = max(smooth(plus, 0.05 * area) * a, smooth(minus, 0.05 * area) * b)
            through_comp = valve(gallery - mid, 1e-3, 5e5) * max(comp, 0.0) if gallery >= mid else 0.0
            into_gallery -= through_comp
            to_a, to_b = through(mid - a, plus), through(mid - b, minus)
            from_a, from_b = through(a, minus), through(b, plus)
            loaded = through(a - b, area / 3)
            rates_of += [
                (1 - smooth(mid - sensed - 10e5 + 1.5e5, 3e5) - comp) / 5e-3,
                K / 0.2e-3 * (through_comp - to_a - to_b),
                v,
                K / 2e-3 * (to_a - from_a - loaded - feed),
                K / 1e-3 * (to_b - from_b + loaded),
                40**2 * (np.clip(amplitude * math.sin(w * t), -1, 1) - s) - 2 * 0.8 * 40 * v,
            ]
        out += [K / 1e-3 * into_gallery, K / 0.05e-3 * (sum(feeds) - through(line, 0.1e-6))]
        return out + rates_of

    start = [0.2, 60e5, 40e5, 1.0, 50e5, 0, 80e5, 5e5, 0, 1.0, 50e5, 0, 30e5, 5e5, 0]
    own = solution(
        equations, start, [1, 1e7, 1e7, 1, 1e7, 1, 1e7, 1e7, 10, 1, 1e7, 1, 1e7, 1e7, 10], result.time
    )
    signals = {
        "pump.swivelled": 0, "gallery.pressure": 1, "line.pressure": 2, "comp1.opening": 3, "mid1.pressure": 4,
        "spool1.spool": 5, "a1.pressure": 6, "b1.pressure": 7, "comp2.opening": 9, "mid2.pressure": 10,
        "a2.pressure": 12, "b2.pressure": 13,
    }  # fmt: skip
    # kinks of valves that open inside a step: what is left of 1e-6 is theirs
    assert_equal(result, {signal: own[row] for signal, row in signals.items()})


def run(blocks: str, wires: str, stop: float) -> luff.Result:
    return luff.compile(luff.loads(netlist(blocks.lstrip("\n"), wires))).run(stop=stop)


def test_a_compensator_makes_the_flow_independent_of_supply_and_load() -> None:
    flows = []
    for supply, load in ((60, 10), (150, 10), (250, 10), (250, 200)):
        result = run(
            f"""
  p: {{type: supply, pressure: {supply} bar}}
  comp: {{type: pressure_compensator, setting: 8 bar, band: 0.1 bar, nominal_flow: 100 l/min}}
  mid: {{type: volume, size: 1 l, initial: {load} bar}}
  edge: {{type: orifice, area: 10 mm^2}}
  work: {{type: supply, pressure: {load} bar}}
  sensed: {{type: constant, value: {load} bar}}
""".replace(f"value: {load} bar", f"value: {load * 1e5}, unit: Pa"),
            "p.port -- comp.a, comp.b -- mid.port, mid.port -- edge.a, edge.b -- work.port, sensed.y -> comp.load",
            2.0,
        )
        flows.append(result["edge.flow"][-1])
    # the setting alone, within half the band of 0.1 bar: 0.05 / 8 / 2 of the flow
    np.testing.assert_allclose(flows, through(8e5, 10e-6), rtol=0.0032)


def test_compensators_behind_the_edges_share_a_flow_that_is_too_small() -> None:
    """Edges of 10 and 5 mm^2, a pump of 6 l/min for loads of 100 and 30 bar: two to one, whatever the loads."""
    result = run(
        """
  sump: {type: tank}
  pump: {type: flow_source}
  six: {type: constant, value: 1e-4, unit: m^3/s}
  gallery: {type: volume, size: 0.5 l, initial: 110 bar}
  e1: {type: orifice, area: 10 mm^2}
  e2: {type: orifice, area: 5 mm^2}
  m1: {type: volume, size: 0.2 l, initial: 100 bar}
  m2: {type: volume, size: 0.2 l, initial: 100 bar}
  c1: {type: pressure_compensator, keeps: inlet, setting: 2 bar, band: 1 bar}
  c2: {type: pressure_compensator, keeps: inlet, setting: 2 bar, band: 1 bar}
  w1: {type: supply, pressure: 100 bar}
  w2: {type: supply, pressure: 30 bar}
  highest: {type: constant, value: 1e7, unit: Pa}
""",
        "sump.port -- pump.a, six.y -> pump.flow, pump.b -- gallery.port, gallery.port -- e1.a, gallery.port -- e2.a,"
        "e1.b -- m1.port, e2.b -- m2.port, m1.port -- c1.a, m2.port -- c2.a, c1.b -- w1.port, c2.b -- w2.port,"
        "highest.y -> c1.load, highest.y -> c2.load",
        3.0,
    )
    first, second = result["c1.flow"][-1], result["c2.flow"][-1]
    assert first + second == pytest.approx(1e-4, rel=1e-6)
    # inlets equal but for their bands of 1 bar against a drop over the edges of 1.5 bar and more
    drop = (result["gallery.pressure"] - result["m1.pressure"])[-1]
    assert first / second == pytest.approx(2.0, rel=0.5 * 1e5 / drop)
    assert second / first < 0.6  # without them all of it ran to the lighter load


@pytest.mark.parametrize(("a", "b"), [(80, 20), (20, 80), (50, 50)])
def test_a_shuttle_passes_the_higher_pressure_on(a: float, b: float) -> None:
    blocks = f"""
  a: {{type: supply, pressure: {a} bar}}
  b: {{type: supply, pressure: {b} bar}}
  it: {{type: shuttle}}
  line: {{type: volume, size: 0.1 l}}
"""
    result = run(blocks, "a.port -- it.a, b.port -- it.b, it.outlet -- line.port", 1.0)
    assert result["line.pressure"][-1] == pytest.approx(max(a, b) * 1e5, rel=1e-9)
    # and nothing passes from one inlet to the other
    assert abs(result["b.flow" if a > b else "a.flow"]).max() <= (0.0 if a != b else 1e-3)


def test_a_shuttle_empties_its_outlet_through_the_inlet_that_fed_it() -> None:
    blocks = """
  a: {type: volume, size: 5 l, initial: 80 bar}
  b: {type: tank}
  it: {type: shuttle}
  line: {type: volume, size: 0.1 l, initial: 150 bar}
"""
    result = run(blocks, "a.port -- it.a, b.port -- it.b, it.outlet -- line.port", 1.0)
    assert result["it.flow_a"][1] < 0
    assert result["it.flow_b"][1] == 0
    held_oil = result["a.oil"] + result["line.oil"]
    np.testing.assert_allclose(held_oil, held_oil[0], rtol=1e-13)  # rounding


# --- cushions --------------------------------------------------------------------------------------------------------

LIFT = """
  slide: {{type: prismatic, axis: z}}
  mass: {{type: rigid_link, mass: 500, inertia: [5, 5, 5]}}
  lift:
    type: hydraulic_cylinder
    barrel: {{length: 1 m, mass: 30 kg, com: [0, 0, 0.5], inertia: [3, 3, 0.1]}}
    piston: {{mass: 20 kg, com: [0, 0, -0.5], inertia: [2, 2, 0.1]}}
    initial: {{position: {start}, velocity: 0}}
    fluid:
      bore: 100 mm
      rod: 60 mm
      stroke: 0.8 m
      air: 0
      initial: {{cap: {cap} bar, rod: 5 bar}}
      cap_cushion: {{length: 60 mm, area: 12 mm^2}}
      rod_cushion: {{length: 80 mm, area: 9 mm^2}}
  high: {{type: supply, pressure: 160 bar}}
  low: {{type: tank}}
  fill: {{type: orifice, area: 40 mm^2}}
  drain: {{type: orifice, area: 60 mm^2}}
"""
LIFTED = (
    "world.frame -- slide.frame_a, slide.frame_b -- mass.frame_a, world.frame -- lift.frame_a,"
    "mass.frame_b -- lift.frame_b, high.port -- fill.a, low.port -- drain.b,"
)
CAP, ROD = math.pi / 4 * 0.1**2, math.pi / 4 * (0.1**2 - 0.06**2)


@pytest.mark.parametrize("upwards", [True, False])
def test_a_cushion_brakes_the_piston_as_own_equations_say(upwards: bool) -> None:
    """Either end of the stroke: position, speed and pressures within 1e-6 of their ranges of Radau's."""
    start, cap0 = (0.55, 70e5) if upwards else (0.25, 70e5)
    fed = "fill.b -- lift.cap, drain.a -- lift.rod" if upwards else "fill.b -- lift.rod, drain.a -- lift.cap"
    sim = luff.compile(luff.loads(netlist(LIFT.format(start=start, cap=70).lstrip("\n"), LIFTED + fed)))
    stop = 0.8
    result = sim.run(stop=stop)

    def cushions(x: float, v: float) -> tuple[float, float]:
        cap = RHO / 2 * (CAP * min(v, 0) * smooth(0.06 - x, 0.06) / (C * 12e-6)) ** 2
        return cap, RHO / 2 * (ROD * max(v, 0) * smooth(x - 0.72, 0.08) / (C * 9e-6)) ** 2

    def equations(t: float, y: np.ndarray) -> list[float]:
        x, v, cap, rod = y
        into_cap = through(160e5 - cap, 40e-6) if upwards else through(-cap, 60e-6)
        into_rod = through(-rod, 60e-6) if upwards else through(160e5 - rod, 40e-6)
        more = cushions(x, v)
        force = (cap + more[0]) * CAP - (rod + more[1]) * ROD - 520 * 9.81
        cap_rate = (K * into_cap - (K + cap) * CAP * v) / (1e-3 + CAP * x)
        rod_rate = (K * into_rod + (K + rod) * ROD * v) / (1e-3 + ROD * (0.8 - x))
        return [v, force / 520, cap_rate, rod_rate]

    own = solution(equations, [start, 0, cap0, 5e5], [1, 1, 1e7, 1e7], result.time, 1e-11)
    names = ("lift.position", "lift.velocity", "lift.cap_pressure", "lift.rod_pressure")
    assert_equal(result, dict(zip(names, own, strict=True)))
    added = np.array([cushions(x, v) for x, v in own[:2].T])
    np.testing.assert_allclose(result["lift.cushion_pressure"], added, atol=1e-6 * added.max(), rtol=0)
    # fast before, slow at the end
    speed = abs(result["lift.velocity"])
    assert speed.max() > 3 * speed[-1]
    assert added.max() > 50e5


def test_a_cushion_does_nothing_on_the_way_back_and_without_one_nothing_changes() -> None:
    away = LIFT.format(start=0.78, cap=5)
    wires = LIFTED + "fill.b -- lift.rod, drain.a -- lift.cap"
    plain_lift = re.sub(r"      (cap|rod)_cushion.*\n", "", away)
    with_them, without = (
        luff.compile(luff.loads(netlist(one.lstrip("\n"), wires))) for one in (away, plain_lift)
    )
    assert "lift.cushion_pressure" not in without.signal_names
    a, b = with_them.run(stop=0.2), without.run(stop=0.2)
    np.testing.assert_allclose(a["lift.position"], b["lift.position"], rtol=1e-14)
    assert not a["lift.cushion_pressure"].any()


def test_a_cushion_longer_than_the_stroke_is_refused() -> None:
    text = netlist(
        LIFT.format(start=0.5, cap=70).lstrip("\n").replace("80 mm, area", "0.9 m, area"), LIFTED[:-1]
    )
    with pytest.raises(luff.NetlistError, match=re.escape("found a cushion of 0.9 m in a stroke of 0.8 m")):
        luff.compile(luff.loads(text))
