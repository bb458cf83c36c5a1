"""Oil: pressures and flows against closed forms, nothing lost in closed circuits, and circuits that cannot be."""

from __future__ import annotations

import math

import numpy as np
import pytest

import luff
from luff.blocks import registered
from luff.blocks.errors import NetlistError
from luff.blocks.hydraulics.circuit_elements import orifice_flow
from luff.tests.blocks.bench import make, mistakes
from luff.tests.shared.compile_text import plain, rates


def circuit(blocks: str, connect: str, step: str = "0.2 ms") -> str:
    head = f"luff: 1\nname: circuit\nblocks:\n{blocks}connect:\n{connect}"
    return f"{head}simulation: {{stop: 1 s, step: {step}, output_step: 10 ms}}\n"


CYLINDER = """  lift:
    type: hydraulic_cylinder
    barrel: {length: 1 m, mass: 30 kg, com: [0, 0, 0.5], inertia: [3, 3, 0.1]}
    piston: {mass: 20 kg, com: [0, 0, -0.5], inertia: [2, 2, 0.1]}
    MORE
    fluid: {bore: 100 mm, rod: 60 mm, stroke: 0.8 m, dead_cap: 0.5 l, dead_rod: 0.4 l, bulk_modulus: 1 GPaFLUID}
"""
CAP, ROD = math.pi / 4 * 0.1**2, math.pi / 4 * (0.1**2 - 0.06**2)


def load(more: str = "initial: {position: 0.3}", fluid: str = "") -> tuple[str, str]:
    """A mass of 500 kg on a vertical slide, carried by the cylinder."""
    blocks = """  slide: {type: prismatic, axis: z}
  mass: {type: rigid_link, mass: 500, inertia: [5, 5, 5]}
"""
    connect = """  - world.frame -- slide.frame_a
  - slide.frame_b -- mass.frame_a
  - world.frame -- lift.frame_a
  - mass.frame_b -- lift.frame_b
"""
    return blocks + CYLINDER.replace("MORE", more).replace("FLUID", fluid), connect


def test_locked_load_pressure_rises_by_bulk_modulus_times_flow_over_volume() -> None:
    blocks, connect = load(fluid=", air: 0, initial: {cap: 10 bar, rod: 3 bar}")
    blocks = blocks.replace("slide: {type: prismatic, axis: z}", "slide: {type: fixed, at: [0, 0, 1.3]}")
    blocks = blocks.replace("initial: {position: 0.3}", "stiffness: 0")
    blocks += "  pump: {type: flow_source}\n  flow: {type: constant, value: 2e-5}\n"
    connect += "  - flow.y -> pump.flow\n  - pump.b -- lift.cap\n"
    result = luff.compile(luff.loads(circuit(blocks, connect))).run()
    slope = 1e9 * 2e-5 / (0.5e-3 + CAP * 0.3)
    # a straight line: RK4 leaves rounding alone
    np.testing.assert_allclose(result["lift.cap_pressure"], 1e6 + slope * result.time, rtol=1e-10)
    np.testing.assert_allclose(result["lift.rod_pressure"], 3e5, rtol=1e-12)
    assert result["lift.force"][-1] == pytest.approx((1e6 + slope) * CAP - 3e5 * ROD, rel=1e-10)


def test_spool_follows_the_textbook_step_response() -> None:
    w, d = 150.0, 0.4
    blocks = f"""  valve: {{type: proportional_valve, frequency: {w}, damping: {d}}}
  supply: {{type: supply}}
  tank: {{type: tank}}
  one: {{type: volume, initial: 5e6}}
  other: {{type: volume}}
  step: {{type: constant, value: 0.7}}
"""
    connect = """  - supply.port -- valve.supply
  - valve.tank -- tank.port
  - valve.a -- one.port
  - valve.b -- other.port
  - step.y -> valve.u
"""
    result = luff.compile(luff.loads(circuit(blocks, connect, "0.1 ms"))).run(stop=0.1, output_step=1e-3)
    t, wd = result.time, w * math.sqrt(1 - d * d)
    expected = 0.7 * (1 - np.exp(-d * w * t) * (np.cos(wd * t) + d * w / wd * np.sin(wd * t)))
    # RK4 with w h = 0.015: (w h)^4 / 120 a radian
    np.testing.assert_allclose(result["valve.spool"], expected, atol=1e-8)


def test_oil_is_kept_in_a_closed_circuit() -> None:
    blocks, connect = load(fluid=", leakage: 1e-12, initial: {rod: 10 bar}")
    blocks += """  pump: {type: flow_source}
  flow: {type: sine, amplitude: 4e-4, frequency: 6}
  tube: {type: volume, size: 0.3 l, bulk_modulus: 0.8 GPa, initial: 10 bar}
  throttle: {type: orifice, area: 30 mm^2}
  relief: {type: relief_valve, pressure: 5 MPa, gain: 1e-9}
"""
    connect += """  - flow.y -> pump.flow
  - tube.port -- pump.a
  - pump.b -- lift.cap
  - lift.rod -- throttle.a
  - throttle.b -- tube.port
  - lift.cap -- relief.a
  - relief.b -- tube.port
"""
    result = luff.compile(luff.loads(circuit(blocks, connect))).run()
    total = result["lift.oil"] + result["tube.oil"]
    assert np.ptp(result["lift.cap_pressure"]) > 1e6
    assert np.ptp(result["lift.position"]) > 0.01
    assert np.ptp(total) / total[0] < 1e-9
    assert result.quality["energy"]["relative_residual"] < 1e-7


def test_power_of_the_supply_is_lift_and_throttling() -> None:
    """What the oil brings in goes into the load and into heat; oil is weighed at no pressure: p / K is left."""
    blocks, connect = load(fluid=", initial: {rod: 0}")
    blocks += """  supply: {type: supply, pressure: 120 bar}
  throttle: {type: orifice, area: 10 mm^2}
  drain: {type: orifice, area: 50 mm^2}
  tank: {type: tank}
"""
    connect += """  - supply.port -- throttle.a
  - throttle.b -- lift.cap
  - lift.rod -- drain.a
  - drain.b -- tank.port
"""
    result = luff.compile(luff.loads(circuit(blocks, connect))).run(output_step=1e-3)
    power = 12e6 * result["supply.flow"]
    heat = (12e6 - result["lift.cap_pressure"]) * result["throttle.flow"] + result[
        "lift.rod_pressure"
    ] * result["drain.flow"]
    lift = result["lift.force"] * result["lift.velocity"]
    given, lost, done = (float(np.trapezoid(y, result.time)) for y in (power, heat, lift))
    gravity = 9.81 * (520.0) * (result["lift.position"][-1] - result["lift.position"][0])
    assert done == pytest.approx(gravity, rel=0.01)  # some is still kinetic
    assert gravity > 500
    stored = (
        0.5 * result["lift.cap_pressure"][-1] ** 2 / 1e9 * 4e-3
    )  # no more than that in the compressed oil
    assert abs(given - lost - done) < 12e6 / 1e9 * given + stored


def test_orifice_is_a_root_that_is_smooth_through_zero() -> None:
    drop = np.array([-1e6, -1e5, 1e5, 1e6])
    flow = np.array([orifice_flow(x, 2e-8, 1e4) for x in drop])
    np.testing.assert_allclose(flow, 2e-8 * np.sign(drop) * np.sqrt(abs(drop)), rtol=2.6e-3)
    assert orifice_flow(1e4, 2e-8, 1e4) == pytest.approx(2e-6 * 2**-0.25)
    # linear at nought, with slope gain / sqrt(laminar)
    assert orifice_flow(1.0, 2e-8, 1e4) == pytest.approx(2e-10, rel=1e-8)
    block = make(registered()["orifice"], area=1e-5, discharge=0.6, density=850.0)
    flow = block.instance_functions()["out_flow"](5e6, 1e6, 1.0, 1e-5, 0.6, 850.0, 1e4)
    assert flow == pytest.approx(0.6e-5 * math.sqrt(2 * 4e6 / 850), rel=1e-5)


def test_open_edge_passes_nominal_flow_at_nominal_drop() -> None:
    functions = make(registered()["proportional_valve"]).instance_functions()
    given = (0.0, 2e-3, 3.5e6, 1e4)  # leakage, flow, drop, laminar
    # laminar / drop = 0.003, whose square over four is 2e-6
    assert functions["out_flow_a"](9e6, 1e6, 5.5e6, 1.0, *given) == pytest.approx(2e-3, rel=3e-6)
    assert functions["out_flow_b"](9e6, 1e6, 4.5e6, 1.0, *given) == pytest.approx(-2e-3, rel=3e-6)
    assert functions["out_flow_a"](9e6, 1e6, 4.5e6, -1.0, *given) == pytest.approx(-2e-3, rel=3e-6)
    ports = {"supply": 9e6, "tank": 1e6, "a": 6e6, "b": 3e6}
    for spool in (-0.6, 0.0, 0.3):
        total = functions["out_supply"](ports["supply"], ports["a"], ports["b"], spool, 0.01, *given[1:])
        total += functions["out_tank"](ports["tank"], ports["a"], ports["b"], spool, 0.01, *given[1:])
        for port in "ab":
            total += functions[f"out_flow_{port}"](
                ports["supply"], ports["tank"], ports[port], spool, 0.01, *given[1:]
            )
        assert total == pytest.approx(0.0, abs=1e-17)


def test_relief_valve_flows_as_its_words_say() -> None:
    block = make(registered()["relief_valve"], pressure=1e7, gain=1e-9, band=4e5)
    flow = block.instance_functions()["out_flow"]
    for excess, wanted in ((-1e5, 0.0), (0.0, 0.0), (2e5, 1e-9 * 2e5**2 / 8e5), (4e5, 2e-4), (1e6, 8e-4)):
        assert flow(1e7 + excess, 0.0, 1e7, 1e-9, 4e5) == pytest.approx(wanted, abs=1e-18)


@pytest.mark.parametrize("method", ["rk4", "implicit"])
def test_relief_valve_keeps_the_pressure_of_a_pump(method: str) -> None:
    """In a litre it settles within milliseconds; in a thimble too fast for all but implicit steps."""
    size = "1 l" if method == "rk4" else "1 ml, initial: 11 MPa"
    blocks = f"""  pump: {{type: flow_source}}
  flow: {{type: constant, value: 1e-3}}
  node: {{type: volume, size: {size}}}
  relief: {{type: relief_valve, pressure: 10 MPa, gain: 1e-9, band: 2 bar}}
  tank: {{type: tank, pressure: 1 bar}}
"""
    connect = "  - flow.y -> pump.flow\n  - pump.b -- node.port\n  - node.port -- relief.a\n  - relief.b -- tank.port\n"
    result = luff.compile(luff.loads(circuit(blocks, connect, "1 ms"))).run(method=method)
    assert result["node.pressure"][-1] == pytest.approx(1e5 + 1e7 + 1e5 + 1e6, rel=1e-9)
    assert result["relief.flow"][-1] == pytest.approx(1e-3, rel=1e-9)


def test_cylinder_carries_its_load_from_the_start() -> None:
    for rod in ("", ", initial: {rod: 15 bar}"):
        sim = plain(circuit(*load(fluid=rod)))
        motion = rates(sim)
        assert motion["lift.velocity"] == pytest.approx(0.0, abs=1e-11)
        p_rod = 15e5 if rod else 0.0
        assert sim.evaluate()["lift.cap_pressure"] * CAP - p_rod * ROD == pytest.approx(9.81 * 520, rel=1e-12)
    given = plain(circuit(*load(fluid=", initial: {cap: 1 bar}"))).evaluate()
    assert given["lift.cap_pressure"] == pytest.approx(1e5, abs=1e-6)  # rounding of K
    assert given["lift.acceleration"] == pytest.approx((1e5 * CAP - 9.81 * 520) / 520, rel=1e-12)


def test_cylinder_above_a_shelf_says_that_its_pressure_leaves_out_what_the_shelf_carries() -> None:
    blocks, connect = load()
    blocks = blocks.replace(
        "inertia: [5, 5, 5]}", "inertia: [5, 5, 5], shape: {kind: box, size: [0.4, 0.4, 0.4]}}"
    )
    shelf = "  shelf: {type: fixture, shape: {kind: box, size: [1, 1, 0.2], at: [0, 0, HEIGHT]}}\n"
    shelf += "  lies: {type: touch, of: [mass], against: [shelf], law: {stiffness: 1e6}}\n"
    for height, told in (("1.001", True), ("0.99", False)):
        sim = plain(circuit(blocks + shelf.replace("HEIGHT", height), connect))
        assert any("leave out what lies carries" in note for note in sim.program.notes) == told
        assert sim.evaluate()["lift.cap_pressure"] * CAP == pytest.approx(9.81 * 520, rel=1e-12)


def test_cylinder_on_a_contact_holds_what_the_contact_leaves() -> None:
    blocks, connect = load()
    blocks += "  floor: {type: fixed, at: [0, 0, 1.299]}\n"
    blocks += "  foot: {type: contact, radius: 2 mm, law: {stiffness: 1e6}}\n"
    connect += (
        "  - world.frame -- floor.frame_a\n  - floor.frame_b -- foot.plane\n  - mass.frame_a -- foot.of\n"
    )
    sim = plain(circuit(blocks, connect))
    values = sim.evaluate()
    assert values["foot.normal_force"] == pytest.approx(1000.0, rel=1e-9)  # 1 mm deep
    assert values["lift.cap_pressure"] * CAP == pytest.approx(9.81 * 520 - 1000.0, rel=1e-9)
    assert not any("leave out" in note for note in sim.program.notes)


def test_oil_spring_has_the_stiffness_of_both_chambers() -> None:
    """Closed ports: k = K (A^2 / V + a^2 / v), and the load swings at sqrt(k / m)."""
    sim = plain(
        circuit(*load(more="initial: {position: 0.3, velocity: 1e-6}", fluid=", air: 0, initial: {rod: 0}"))
    )
    x = dict(zip(sim.state_names, sim.x0.tolist(), strict=True))
    rate = rates(sim)
    force_rate = rate["lift.p_cap"] * CAP - rate["lift.p_rod"] * ROD
    stiffness = 1e9 * (CAP**2 / (0.5e-3 + CAP * 0.3) + ROD**2 / (0.4e-3 + ROD * 0.5))
    # oil under pressure is stiffer by p / K, here 0.0007
    assert -force_rate / x["lift.velocity"] == pytest.approx(stiffness, rel=1e-3)


def test_seals_rub() -> None:
    friction = "friction: {model: viscous, sigma_2: 0.3, load: 2 kN}"
    more = f"{friction}\n    damping: 100\n    initial: {{position: 0.3, velocity: 0.5}}"
    values = plain(circuit(*load(more=more))).evaluate()
    assert values["lift.friction"] == pytest.approx(-0.3 * 2000 * 0.5, rel=1e-12)
    held = 9.81 * 520 - 0.3 * 2000 * 0.5 - 100 * 0.5
    assert values["lift.acceleration"] == pytest.approx((held - 9.81 * 520) / 520, rel=1e-9)


@pytest.mark.parametrize(
    ("blocks", "connect", "where", "words"),
    [
        (
            "  a: {type: volume}\n  b: {type: tank}\n",
            "  - a.port -- b.port\n",
            "b.port",
            "both give the pressure",
        ),
        (
            "  v: {type: volume}\n  a: {type: orifice}\n  b: {type: orifice}\n",
            "  - v.port -- a.a\n  - a.b -- b.a\n  - b.b -- v.port\n",
            "a.b",
            "nothing gives the pressure where it meets b.a",
        ),
        ("  v: {type: volume}\n  a: {type: orifice}\n", "  - v.port -- a.a\n", "a.b", "nothing is wired"),
    ],
)
def test_circuits_that_cannot_be(blocks: str, connect: str, where: str, words: str) -> None:
    with pytest.raises(NetlistError, match=words) as error:
        plain(circuit(blocks, connect))
    assert error.value.problems[0].path == where
    assert error.value.problems[0].fix


def test_cylinders_that_cannot_be() -> None:
    halves = {"barrel": {"length": 1.0, "mass": 1.0}, "piston": {"mass": 1.0}}
    fluid = {"bore": 0.05, "rod": 0.06, "stroke": 1.0}
    found = mistakes(registered()["hydraulic_cylinder"], **halves, fluid=fluid, driven=True)
    assert found == [".driven", ".fluid.rod"]
