"""Pumps: static curves of the regulator, power of shaft and oil, runs against own equations by SciPy's Radau."""

from __future__ import annotations

import math

import numpy as np
import pytest

import luff
from luff.tests.shared.compile_text import plain, rates
from luff.tests.shared.oil_equations import (
    P0,
    assert_equal,
    between,
    filled,
    netlist,
    smooth,
    solution,
    through,
    yields,
)  # fmt: skip

END = "simulation: {stop: 2 s, step: 20 us, output_step: 5 ms}\n"


def wanted(drop: float, more: str = "", wires: str = "", blocks: str = "") -> float:
    """Displacement that the regulator asks for: s + T ds/dt."""
    text = between(f"{{type: pump, lag: 0.1, initial: 0.5{more}}}", 1e5, 1e5 + drop, blocks, wires)
    return 0.5 + 0.1 * rates(plain(text))["it.s"]


LARGEST = 6.3e-5 * 25.0  # m^3/s: 63 cm^3 at 1500 rpm


def test_pump_swivels_back_at_its_pressure() -> None:
    for drop, part in ((5e6, 1.0), (23e6, 1.0), (24e6, 0.5), (25e6, 0.0), (30e6, 0.0)):
        # fades from 230 to 250 bar, half way at half the displacement
        assert wanted(drop) == pytest.approx(part, abs=1e-12), drop


def test_pump_keeps_flow_and_power() -> None:
    assert wanted(5e6, ", flow_limit: 1e-3") == pytest.approx(1e-3 / LARGEST, rel=1e-12)
    for drop in (12e6, 20e6):
        part = wanted(drop, ", power_limit: 15e3")
        assert part * LARGEST * drop == pytest.approx(15e3, rel=1e-12)  # a hyperbola
    assert wanted(5e6, ", power_limit: 15e3") == 1.0  # below it the whole displacement


def test_pump_takes_the_lowest_demand() -> None:
    """No demand makes another one less: half the stroke at half the band, the power at any drop within the band."""
    half, wire = "  half: {type: constant, value: 0.5}\n", "  - half.y -> it.setting\n"
    for drop, part in ((23.5e6, 0.5), (24e6, 0.5), (24.5e6, 0.15625), (25e6, 0.0)):
        # 3 u^2 - 2 u^3 at u = 3/4, 1/2, 1/4 and 0 of the band
        assert wanted(drop, "", wire, half) == pytest.approx(part, abs=1e-12), drop
    for drop in (23.5e6, 23.9e6):
        assert wanted(drop, ", power_limit: 15e3") * LARGEST * drop == pytest.approx(15e3, rel=1e-12)
    assert wanted(24.5e6, ", power_limit: 15e3") == pytest.approx(0.15625, abs=1e-12)
    # a setting beyond its ends
    for value, part in ((-0.2, 0.0), (3, 1.0)):
        assert wanted(5e6, "", wire, half.replace("0.5", str(value))) == part


@pytest.mark.parametrize(
    ("drop", "more", "slope"),
    [
        (10e6, ", flow_limit: 1e-3", 0.0),
        (20e6, ", power_limit: 15e3", -15e3 / LARGEST / 20e6**2),
        (24.5e6, ", power_limit: 15e3", -6 * 0.25 * 0.75 / 2e6),
        (26e6, "", 0.0),
    ],
    ids=["flow", "power", "pressure", "shut"],
)
def test_slope_of_the_regulator_is_that_of_the_lowest_demand(drop: float, more: str, slope: float) -> None:
    blocks = f"""
  it: {{type: pump, lag: 0.1{more}}}
  sump: {{type: tank}}
  line: {{type: volume, size: 1 l, air: 0, initial: {drop!r}}}
"""
    sim = luff.compile(luff.loads(netlist(blocks.lstrip("\n"), "sump.port -- it.a, it.b -- line.port", END)))
    s, p = (sim.program.state_names.index(name) for name in ("it.s", "line.p"))
    # the state of a volume without gas is its pressure; both come from exact derivatives
    assert sim.jacobian(0.0, sim.x0)[s, p] == pytest.approx(slope / 0.1, rel=1e-12, abs=0)


def test_pump_senses_the_load() -> None:
    load, wire = "  load: {type: constant, value: 8e6, unit: Pa}\n", "  - load.y -> it.load\n"
    # limit at 80 + 20 bar; half the displacement one bar below it
    for drop, part in ((7.9e6, 1.0), (9e6, 0.5), (10e6, 0.0)):
        assert wanted(drop, "", wire, load) == pytest.approx(part, abs=1e-12), drop
    # without load it stands by; far above it `pressure` limits
    assert wanted(1.5e6, "", wire, load.replace("8e6", "0")) == pytest.approx(0.5, abs=1e-12)
    assert wanted(24e6, "", wire, load.replace("8e6", "4e7")) == pytest.approx(0.5, abs=1e-12)


def test_pump_turns_shaft_power_into_oil_power() -> None:
    text = between("{type: pump, initial: 0.6, efficiency: 0.9, leakage: 1e-11}", 2e5, 15e6)
    values = plain(text).evaluate()
    ideal = 0.6 * LARGEST
    assert values["it.flow"] == pytest.approx(ideal - 1e-11 * 14.8e6, rel=1e-12)
    assert values["it.torque"] * 50 * math.pi * 0.9 == pytest.approx(ideal * 14.8e6, rel=1e-12)
    assert values["two.flow"] == pytest.approx(-values["it.flow"], rel=1e-12)
    assert values["one.flow"] == pytest.approx(values["it.flow"], rel=1e-12)


@pytest.mark.parametrize("speed", [-157.0, -0.3, 0.0, 0.3, 157.0])
@pytest.mark.parametrize("drop", [-8e6, 8e6])
def test_pump_loses_power_whichever_side_drives(speed: float, drop: float) -> None:
    turn = f"  turn: {{type: constant, value: {speed}, unit: rad/s}}\n"
    text = between(
        "{type: pump, initial: 0.6, efficiency: 0.9}", 10e6, 10e6 + drop, turn, "  - turn.y -> it.speed\n"
    )
    values = plain(text).evaluate()
    shaft, oil = values["it.torque"] * speed, values["it.flow"] * drop
    assert shaft >= oil
    if abs(speed) > 100.0:
        assert shaft == pytest.approx(oil / 0.9 if oil > 0.0 else 0.9 * oil, rel=1e-12)


# --- own equations ---------------------------------------------------------------------------------------------------

BLOCKS = """
  it: {type: pump, displacement: 63 cm^3, pressure: 200 bar, margin: 15 bar, standby: 30 bar, band: 12 bar,
       flow_limit: 55 l/min, power_limit: 9 kW, lag: 15 ms, leakage: 2e-12, efficiency: 0.9, initial: 0.3, air: 0.005}
  well: {type: volume, size: 2 l, air: 0.005}
  neck: {type: orifice, area: 170 mm^2}
  sump: {type: tank}
  line: {type: volume, size: 2 l, air: 0.002, initial: 40 bar}
  use: {type: orifice, area: 11 mm^2}
  speed: {type: expression, inputs: [], expr: 110 + 60*sin(5*t), unit: rad/s}
  setting: {type: expression, inputs: [], expr: 0.6 + 0.7*sin(9*t)}
  load: {type: expression, inputs: [], expr: 9e6 + 14e6*sin(3.1*t), unit: Pa}
  opening: {type: expression, inputs: [], expr: 0.55 + 0.45*cos(4*t)}
"""
WIRES = (
    "sump.port -- neck.a, neck.b -- well.port, well.port -- it.a, it.b -- line.port, line.port -- use.a,"
    "use.b -- sump.port, speed.y -> it.speed, setting.y -> it.setting, load.y -> it.load, opening.y -> use.opening"
)
V = 63e-6 / (2 * math.pi)


def demands(t: float, drop: float) -> dict[str, float]:
    """Displacement that each limit leaves."""
    full = V * (110 + 60 * math.sin(5 * t))
    load = 9e6 + 14e6 * math.sin(3.1 * t) + 15e5
    name, limit = min(
        ("pressure", 200e5), ("load", load) if load > 30e5 else ("standby", 30e5), key=lambda one: one[1]
    )
    return {
        "setting": min(max(0.6 + 0.7 * math.sin(9 * t), 0), 1),
        "flow": 55e-3 / 60 / full,
        "power": 9e3 / (full * drop) if drop > 0 else math.inf,
        name: smooth(limit - drop, 12e5),
    }


def test_pump_runs_as_own_equations_say_under_each_of_its_limits() -> None:
    sim = luff.compile(luff.loads(netlist(BLOCKS.lstrip("\n"), WIRES, END)))
    result = sim.run()

    def flow(t: float, s: float, well: float, line: float) -> float:
        return s * V * (110 + 60 * math.sin(5 * t)) * filled(well, 0.005) - 2e-12 * (line - well)

    def equations(t: float, x: np.ndarray) -> list[float]:
        s, well, line = x
        moved = flow(t, s, well, line)
        used = (0.55 + 0.45 * math.cos(4 * t)) * through(line, 11e-6)
        wanted = min(demands(t, line - well).values())
        into_well = (through(-well, 170e-6) - moved) / 2e-3
        return [
            (wanted - s) / 15e-3,
            into_well / yields(well, 0.005),
            (moved - used) / 2e-3 / yields(line, 0.002),
        ]

    s, well, line = solution(equations, [0.3, 0.0, 40e5], [1.0, 1e5, 1e7], result.time)
    own = {"it.swivelled": s, "well.pressure": well, "line.pressure": line}
    own["it.flow"] = np.array(list(map(flow, result.time, s, well, line)))
    # demands that take over bend ds/dt: h^2 / 24 of what the slope jumps by, 2e-7 at 20 us
    assert_equal(result, own)
    each = [demands(t, p) for t, p in zip(result.time, line - well, strict=True)]
    lowest = {min(one, key=one.__getitem__) for one in each}
    assert lowest == {"setting", "flow", "power", "load", "standby", "pressure"}
    assert well.min() < -0.3 * P0
