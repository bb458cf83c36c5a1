"""Accumulators, valves and hoses of mobile machines: static curves, gas law, oil that is kept."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest

import luff
from luff.blocks.hydraulics.mobile_hydraulics import accumulator_content, accumulator_pressure, line_flow
from luff.solver.analysis.step_advice import advise
from luff.tests.shared.compile_text import plain, rates
from luff.tests.shared.oil_equations import between

HEAD = "luff: 1\nblocks:\n"
END = "simulation: {stop: 1 s, step: 0.1 ms, output_step: 10 ms}\n"


# --- accumulator -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1.0, 1.4])
def test_accumulator_follows_the_gas_law_and_keeps_its_oil(n: float) -> None:
    """Filled by a steady flow Q: (p + p_amb) (V0 - x)^n stays, x = Q t less what the oil in it is compressed by."""
    text = (
        f"{HEAD}  it: {{type: accumulator, size: 2e-3, precharge: 8e6, exponent: {n}, air: 0, initial: 8e6}}\n"
        "  feed: {type: flow_source}\n  flow: {type: constant, value: 1e-3}\n"
        "connect:\n  - feed.b -- it.port\n  - flow.y -> feed.flow\n" + END
    )
    result = luff.compile(luff.loads(text)).run()
    p, gas = result["it.pressure"], result["it.gas"]
    assert p[-1] > (1.5e7 if n == 1.0 else 2e7)
    law = (p + 101325.0) * gas**n
    np.testing.assert_allclose(law, law[0], rtol=1e-12)  # by its definition, exact at any time
    # content and pressure agree, with the oil's own compression: Newton's last digits
    content = (5e-5 + 2e-3 - gas) * (1 + p / 1.2e9)
    np.testing.assert_allclose(result["it.oil"], content, rtol=1e-11)
    # and it counts what came in
    np.testing.assert_allclose(
        result["it.oil"] - result["it.oil"][0], 1e-3 * result.time, rtol=1e-11, atol=1e-15
    )
    # work on the gas by the closed form of the polytrope is the integral of p dV
    work = float(np.trapezoid(p + 101325.0, -gas))
    ratio = gas[0] / gas[-1]
    first = (8e6 + 101325.0) * gas[0]
    exact = first * math.log(ratio) if n == 1.0 else first * (ratio ** (n - 1.0) - 1.0) / (n - 1.0)
    assert work == pytest.approx(exact, rel=1e-4)  # trapezia of 100 rows


@pytest.mark.parametrize("air", [0.0, 0.02])
def test_slope_of_an_accumulator_is_that_of_its_content(air: float) -> None:
    """dp/doil is the inverse of doil/dp in 40 digits: it follows the rounds that find p, and has to arrive as well."""
    size, precharge, n, neck, K, ambient = 0.05, 1e5, 1.4, 2.5e-3, 1.6e9, 101325.0
    text = (
        f"{HEAD}  it: {{type: accumulator, size: {size}, precharge: {precharge}, exponent: {n}, neck: {neck},"
        f" bulk_modulus: {K}, air: {air}, initial: 1.5e5}}\n"
        "  sum: {type: integrator}\nconnect: [it.pressure -> sum.u]\n" + END
    )
    sim = luff.compile(luff.loads(text))
    assert sim.program.state_names == ["it.taken", "sum.x"]

    def taken(p: Any) -> Any:
        """The state: oil since the start, over neck / K."""
        power = 1 / mpmath.mpf(n)
        oil = neck + size * (1 - ((precharge + ambient) / (p + ambient)) ** power)
        bubbles = air / (1 - mpmath.mpf(air)) * (ambient / (p + ambient)) ** power
        return oil / (1 / (1 + p / K) + bubbles) * K / neck - start

    with mpmath.workdps(40):
        start = 0
        start = taken(mpmath.mpf(1.5e5))
        # near the precharge the first guess is nearly right already, and its slope is not
        for p in precharge * (1.0 + np.geomspace(1e-6, 50.0, 30)):
            x = float(taken(mpmath.mpf(p)))
            there = mpmath.findroot(lambda q, x=x: taken(q) - x, p)
            slope = sim.jacobian(0.0, [x, 0.0])[1, 0]
            assert slope == pytest.approx(float(1 / mpmath.diff(taken, there)), rel=3e-14, abs=0), p


def test_pressures_of_accumulators_of_all_sizes_are_found() -> None:
    """From the content at a pressure back to it: drawn sizes, laws and oils, from a drop of gas to a large bottle."""
    rng = np.random.default_rng(1)
    for _ in range(3000):
        precharge = 10.0 ** rng.uniform(4.0, 7.7)
        p = precharge * 10.0 ** rng.uniform(0.0, 1.0)
        sizes = 10.0 ** rng.uniform((-4.0, -6.0, 8.7, -5.0), (0.5, -3.0, 9.5, -1.0))
        size, neck, bulk_modulus, air = map(float, sizes)
        law = size, precharge, float(rng.choice((1.0, 1.1, 1.4))), neck, bulk_modulus, 101325.0, air
        # found to 5e-14 in 200,000 draws over a wider range
        assert accumulator_pressure(accumulator_content(p, *law), *law) == pytest.approx(p, rel=1e-12), law


def test_accumulator_below_its_precharge_is_a_neck_of_oil() -> None:
    text = (
        f"{HEAD}  it: {{type: accumulator, precharge: 8e6, neck: 1e-4, bulk_modulus: 1e9, air: 0, initial: 1e6}}\n"
        "  feed: {type: flow_source}\n  flow: {type: constant, value: 1e-5}\n"
        "connect:\n  - feed.b -- it.port\n  - flow.y -> feed.flow\n" + END
    )
    result = luff.compile(luff.loads(text)).run(stop=0.05)
    np.testing.assert_allclose(result["it.pressure"], 1e6 + 1e9 * 1e-5 / 1e-4 * result.time, rtol=1e-9)


# --- valves and hoses --------------------------------------------------------------------------------------------


def test_check_valve_lets_oil_one_way() -> None:
    def flow(a: float, b: float, more: str = "") -> float:
        values = plain(between(f"{{type: check_valve{more}}}", a, b)).evaluate()
        assert values["one.flow"] == pytest.approx(values["it.flow"], abs=1e-18)
        assert values["two.flow"] == pytest.approx(-values["it.flow"], abs=1e-18)
        return values["it.flow"]

    # the laminar zone of 0.1 bar takes (laminar / drop)^2 / 4 from the root
    assert flow(6e5, 1e5) == pytest.approx(1e-3, rel=2e-4)
    assert flow(21e5, 1e5) == pytest.approx(2e-3, rel=2e-4)
    assert flow(1e5, 2e7) == flow(1.4e5, 1e5) == 0.0
    assert flow(1e5, 5e6 + 1e5, ", leakage: 0.01") == pytest.approx(-0.01e-3 * math.sqrt(10), rel=2e-4)


def holding(a: float, b: float, pilot: float, more: str = "") -> dict[str, float]:
    text = between(
        f"{{type: counterbalance_valve, pressure: 1.5e7, pilot_ratio: 4, band: 4e6, lag: 0.01{more}}}",
        a, b, f"  third: {{type: supply, pressure: {pilot!r}}}\n", "  - third.port -- it.pilot\n",
    )  # fmt: skip
    sim = plain(text)
    return sim.evaluate() | {"wanted": 0.01 * rates(sim)["it.s"]}


def test_counterbalance_valve_opens_by_load_and_pilot() -> None:
    # 100 bar of load are held; the pilot needs (150 - 100) / 4 bar to begin and 40 / 4 more to open it fully
    assert holding(1e7, 0.0, 1.25e6)["wanted"] == 0.0
    assert holding(1e7, 0.0, 1.75e6)["wanted"] == pytest.approx(0.5, abs=1e-12)
    assert holding(1e7, 0.0, 2.25e6)["wanted"] == pytest.approx(1.0, abs=1e-12)
    # pressure behind it counts 1 + ratio times against it
    assert holding(1e7, 2e5, 1.75e6)["wanted"] == pytest.approx(
        holding(9e6, 0.0, 1.75e6)["wanted"], abs=1e-12
    )
    # without a pilot it is a relief valve at its setting
    assert holding(1.7e7, 0.0, 0.0)["wanted"] == pytest.approx(0.5, abs=1e-12)
    closed = holding(1e7, 0.0, 0.0)
    assert closed["it.flow"] == closed["third.flow"] == 0.0


def test_counterbalance_valve_is_free_towards_the_load() -> None:
    values = holding(1e7, 1e7 + 1e6, 0.0)
    assert values["it.flow"] == pytest.approx(-1e-3, rel=1e-4)  # nominal_flow at nominal_drop
    assert values["one.flow"] == pytest.approx(-1e-3, rel=1e-4)


def test_hose_loses_by_hagen_poiseuille_and_by_darcy() -> None:
    L, d, nu, rho, f = 3.0, 0.012, 4.6e-5, 870.0, 0.03
    laminar = math.pi * d**4 / (128 * nu * rho * L)  # flow over drop
    # at 1 Pa the turbulent part is 1e-6 of the laminar one
    assert line_flow(1.0, L, d, nu, rho, f) == pytest.approx(laminar, rel=1e-5)
    assert line_flow(-1.0, L, d, nu, rho, f) == -line_flow(1.0, L, d, nu, rho, f)
    area = math.pi / 4 * d * d
    turbulent = area * math.sqrt(2 * d * 1e6 / (f * rho * L))
    assert line_flow(1e6, L, d, 1e-12, rho, f) == pytest.approx(turbulent, rel=1e-6)
    Q = line_flow(3e5, L, d, nu, rho, f)  # both: the drops add up
    assert Q / laminar + 1e6 * (Q / turbulent) ** 2 == pytest.approx(3e5, rel=1e-12)


def test_hose_gives_way_by_oil_and_wall_and_keeps_its_oil() -> None:
    text = (
        f"{HEAD}  it: {{type: hose, length: 4, diameter: 0.02, bulk_modulus: 1.5e9, wall: 5e8}}\n"
        "  end: {type: volume, size: 1e-3, initial: 2e6}\n  feed: {type: flow_source}\n"
        "  flow: {type: sine, amplitude: 3e-4, frequency: 30}\n"
        "connect:\n  - feed.b -- it.a\n  - it.b -- end.port\n  - flow.y -> feed.flow\n" + END
    )
    sim = plain(text)
    volume = math.pi / 4 * 0.02**2 * 4
    flow = sim.evaluate()["it.flow"]
    assert flow < 0.0  # towards the empty end
    assert rates(sim)["it.p"] == pytest.approx(-flow / volume / (1 / 1.5e9 + 1 / 5e8), rel=1e-12)
    result = luff.compile(luff.loads(text)).run(step=1e-5)
    total = result["it.oil"] + result["end.oil"]
    came = 3e-4 / 30 * (1 - np.cos(30 * result.time))
    # what comes in stays: RK4 at a tenth of the hose's own rate
    np.testing.assert_allclose(total - total[0], came, atol=1e-8 * total[0])


def test_advice_knows_how_fast_a_hose_fills() -> None:
    """Little oil behind a laminar line: rate K / (V R); RK4 is stable up to 2.785 over it."""
    text = between("{type: hose, length: 1, diameter: 0.01, bulk_modulus: 1e9, wall: 1e30, air: 0}", 0, 1e5)
    text = text.replace("  - one.port -- it.a\n", "").replace("  one: {type: supply, pressure: 0}\n", "")
    text = text.replace("wall: 1e30", "wall: 1e30, initial: 1e5")
    area = math.pi / 4 * 0.01**2
    R = 128 * 4.6e-5 * 870 / (math.pi * 0.01**4)
    advice = advise(luff.compile(luff.loads(text)))
    assert advice.fastest == "it.p"
    # differences of 0.1 Pa to either side see the turbulent part by 1e-6
    assert advice.largest_step == pytest.approx(2.785293563 * R * area / 1e9, rel=1e-4)


# --- valves that open within a step ------------------------------------------------------------------------------


def stroked(inlet: str, outlet: str, source: str, size: float = 5e-5, bulk: float = 1.2e9) -> luff.Diagram:
    """A piston that pushes and draws oil between two valves, with little oil beside it."""
    return luff.loads(f"""{HEAD}
  flow: {source}
  piston: {{type: flow_source}}
  head: {{type: volume, size: {size}, bulk_modulus: {bulk}, initial: 1 bar}}
  tank: {{type: tank, pressure: 1 bar}}
  inlet: {inlet}
  outlet: {outlet}
  bottle: {{type: accumulator, size: 2 l, precharge: 20 bar, initial: 20 bar}}
  {"high: {type: supply, pressure: 1 bar}" if "pilot" in outlet else ""}
connect: [flow.y -> piston.flow, piston.b -- head.port, {"high.port -- outlet.pilot, " if "pilot" in outlet else ""}
          tank.port -- inlet.a, inlet.b -- head.port, {TURNED if "counterbalance" in outlet else STRAIGHT}]
simulation: {{stop: 0.6 s, step: 0.1 ms, method: implicit, output_step: 10 ms}}
""")


STRAIGHT = "head.port -- outlet.a, outlet.b -- bottle.port"
TURNED = "head.port -- outlet.b, outlet.a -- bottle.port"
CHECK = "{type: check_valve, cracking: 0.1 bar, band: 0.2 bar, nominal_flow: 60 l/min}"
HOLDS = "{type: counterbalance_valve, cracking: 0.1 bar, check_band: 0.2 bar, nominal_flow: 60 l/min, pilot_ratio: 0}"
SINE = "{type: sine, amplitude: 2e-4, frequency: 10, unit: m^3/s}"
PULSES = "{type: pulse, height: 2e-4, start: 0.1 s, period: 0.2 s, duration: 50 ms, unit: m^3/s}"


@pytest.mark.parametrize(
    ("outlet", "source", "method"),
    [
        (CHECK, SINE, "implicit"),
        (CHECK, SINE, "rk4"),
        (CHECK, PULSES, "euler"),
        (CHECK, PULSES, "implicit"),
        (HOLDS, SINE, "implicit"),
    ],
    ids=["sine-implicit", "sine-rk4", "pulses-euler", "pulses-implicit", "counterbalance"],
)
def test_valves_that_open_within_a_step_pass_what_is_swept(outlet: str, source: str, method: str) -> None:
    """Steps of up to a hundred times the time in which the head empties pass no oil but the piston's.

    Thrown pressures drew 69 times as much at 5 ms, and 6 % more at 0.1 ms without a word.
    """
    sim = luff.compile(stroked(CHECK, outlet, source))
    for step in (5e-3, 1e-3, 1e-4):
        session = sim.start(step=step, method=method)
        while session.advance() == "running":
            pass
        assert not any("switches" in note.message for note in session.remarks)
        taken = sim.run(step=step, method=method)["bottle.oil"]
        # strokes of 2 Q / w, or Q t, less what it takes to bring the head to 20 bar and more: V dp / K
        swept = 4e-5 - 5e-5 * 20.0e5 / 1.2e9 if source == SINE else 3e-5 - 5e-5 * 19.4e5 / 1.2e9
        assert taken[-1] - taken[0] == pytest.approx(swept, rel=1e-3)


def test_relief_valve_that_opens_within_a_step_is_met_by_its_flow() -> None:
    """Little oil before a relief valve: at once at p + Q / gain + band / 2, and never far from there."""
    text = f"""{HEAD}
  flow: {{type: step, height: 2e-4, start: 0.1 s, unit: m^3/s}}
  piston: {{type: flow_source}}
  head: {{type: volume, size: 0.01 l, initial: 1 bar}}
  relief: {{type: relief_valve, pressure: 20 bar, band: 1 bar, gain: 1e-9}}
  tank: {{type: tank}}
connect: [flow.y -> piston.flow, piston.b -- head.port, head.port -- relief.a, relief.b -- tank.port]
simulation: {{stop: 0.2 s, step: 5 ms, method: implicit, output_step: 5 ms}}
"""
    found = luff.compile(luff.loads(text)).run()["head.pressure"]
    assert found[:21] == pytest.approx(1e5)
    assert found[21:] == pytest.approx(20e5 + 2e-4 / 1e-9 + 0.5e5, rel=1e-3)


def test_valve_too_quick_for_any_part_of_a_step_is_told() -> None:
    """A head of 1 mm^3 as hard as diamond."""
    sim = luff.compile(stroked(CHECK, CHECK, PULSES, 1e-9, 4e11))
    session = sim.start(step=5e-3, stop=0.12)
    while session.advance() == "running":
        pass
    assert any("opens and shuts within 2e-05 of a step" in note.message for note in session.remarks)


@pytest.mark.parametrize("method", ["rk4", "implicit"])
def test_accumulator_that_runs_empty_within_a_step_ends_without_pressure(method: str) -> None:
    """Behind its gas the neck is a thousand times stiffer: steps of 5 ms stood still at 21 bar, for ever."""
    text = f"""{HEAD}
  bottle: {{type: accumulator, size: 2 l, precharge: 20 bar, initial: 30 bar, air: 0}}
  out: {{type: orifice, area: 0.5 cm^2, laminar: 100}}
  tank: {{type: tank}}
connect: [bottle.port -- out.a, out.b -- tank.port]
simulation: {{stop: 1 s, output_step: 5 ms}}
"""
    sim = luff.compile(luff.loads(text))
    found = sim.run(step=5e-3, method=method)
    ends, p = found["bottle.oil"], found["bottle.pressure"]
    assert ends[-1] == pytest.approx(5e-5, rel=2e-4)  # the neck's
    assert abs(p[-1]) < 0.1 * 20e5  # what a step may be off by: a quarter of the precharge
    # dt = dV / (C A sqrt(2 p / rho)): until the gas fills the shell, but for what oil gives way (K = 600 p)
    p0, p1, n, ambient = 30e5, 20e5, 1.4, 101325.0
    pressures = np.linspace(p1, p0, 2001)
    volumes = 2e-3 * ((p1 + ambient) / (pressures + ambient)) ** (1 / n)
    wanted = -np.trapezoid(1.0 / (0.65 * 5e-5 * np.sqrt(2.0 * pressures / 870.0)), volumes)
    reached = found.time[int(np.argmax(p < 0.999 * p1))]
    assert wanted - 1e-3 < reached < wanted + 6e-3


@pytest.mark.parametrize("tank", [15, 18, 19.9])
@pytest.mark.parametrize("step", [5e-3, 1e-3, 1e-4])
def test_accumulator_rests_just_below_its_precharge(tank: float, step: float) -> None:
    """Behind its gas the neck is a thousand times stiffer: slopes from both sides at once made it ring by 0.8 bar."""
    text = f"""{HEAD}
  bottle: {{type: accumulator, size: 2 l, precharge: 20 bar, initial: 25 bar}}
  out: {{type: orifice, area: 0.5 cm^2, laminar: 1 bar}}
  tank: {{type: tank, pressure: {tank} bar}}
connect: [bottle.port -- out.a, out.b -- tank.port]
simulation: {{stop: 3 s, step: 1 ms, method: implicit, output_step: 5 ms}}
"""
    p = luff.compile(luff.loads(text)).run(step=step)["bottle.pressure"]
    assert p[-50:] == pytest.approx(tank * 1e5, abs=10.0)


# --- hose rupture valve ------------------------------------------------------------------------------------------

RUPTURE = (
    "{type: hose_rupture_valve, closing_flow: 1.5e-3, nominal_flow: 1e-3, nominal_drop: 3e5, band: 1e5MORE}"
)


def rupture(a: float, b: float, more: str = "") -> tuple[float, float]:
    """The rate of the poppet and the flow between two pressures."""
    sim = plain(between(RUPTURE.replace("MORE", more), a, b))
    return rates(sim)["it.s"], sim.evaluate()["it.flow"]


def test_hose_rupture_valve_shuts_above_its_flow() -> None:
    """1.5 times the nominal flow makes 2.25 times the nominal drop; from there it shuts over its band."""
    closing = 3e5 * 1.5**2
    for drop, wanted in (
        (-5e6, 1.0),
        (0.0, 1.0),
        (closing, 1.0),
        (closing + 5e4, 0.5),
        (closing + 1e5, 0.0),
        (2e7, 0.0),
    ):
        rate, flow = rupture(max(drop, 0.0), max(-drop, 0.0))
        assert rate == pytest.approx((wanted - 1.0) / 0.01, abs=1e-6)
        # linear only below 0.1 bar
        assert flow == pytest.approx(
            math.copysign(1e-3 * math.sqrt(abs(drop) / 3e5), drop), rel=2e-3, abs=1e-12
        )
    # shut it passes its leakage alone, and opens again once the drop is gone
    assert rupture(2e7, 0.0, ", start: 0")[1] == 0.0
    assert rupture(2e7, 0.0, ", start: 0, leakage: 0.1")[1] == pytest.approx(
        1e-4 * math.sqrt(2e7 / 3e5), rel=1e-4
    )
    assert rupture(1e5, 1e5, ", start: 0")[0] == pytest.approx(1.0 / 0.01)


def test_a_load_stays_up_when_its_hose_bursts() -> None:
    """The valve shuts within some of its time constants; without it the load's pressure is gone."""
    text = f"""
luff: 1
blocks:
  load: {{type: volume, size: 50 l, initial: 150 bar}}
  it: {RUPTURE.replace("MORE", "")}
  hose: {{type: volume, size: 0.5 l, initial: 150 bar}}
  burst: {{type: step, start: 0.1 s, height: 1}}
  hole: {{type: orifice, area: 150 mm^2}}
  outside: {{type: tank}}
connect:
  - load.port -- it.a
  - it.b -- hose.port
  - hose.port -- hole.a
  - burst.y -> hole.opening
  - hole.b -- outside.port
simulation: {{stop: 1 s, step: 20 us, output_step: 1 ms}}
"""
    kept = luff.compile(luff.loads(text)).run()
    before = kept.time < 0.0995
    assert np.abs(kept["it.flow"][before]).max() < 1e-9
    assert kept["hose.pressure"][-1] < 1e4
    # what left it: pressure over bulk modulus, times the volume, at most its flow at 150 bar for five time constants
    assert kept["load.pressure"][-1] > 0.6 * 150e5
    assert kept["load.pressure"][-1] == pytest.approx(kept["load.pressure"][kept.time > 0.3][0], rel=1e-6)
    lost = luff.compile(luff.loads(text.replace("closing_flow: 1.5e-3", "closing_flow: 1"))).run()
    assert lost["load.pressure"][-1] < 1e5
