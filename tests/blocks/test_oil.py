"""Oil that cannot be pulled: the law of liquid and gas against closed forms, suction in cylinders and pumps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import luff
from luff.blocks.hydraulics.oil_properties import content_of, filling_ratio, pressure_of, stored_energy

P0 = 101325.0
AREA = math.pi / 4 * 0.1**2


# --- the law -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [1.0, 1.2, 1.4])
@pytest.mark.parametrize("air", [1e-8, 1e-3, 0.05, 0.5])
@pytest.mark.parametrize("bulk_modulus", [1e6, 1.2e9, 4e11])
def test_pressure_and_content_are_inverse(bulk_modulus: float, air: float, exponent: float) -> None:
    for absolute in np.geomspace(1e-3, 1e9, 60):
        content = content_of(absolute - P0, bulk_modulus, air, exponent)
        back = content_of(pressure_of(content, bulk_modulus, air, exponent), bulk_modulus, air, exponent)
        # of the share 1 + content / K, which is what is held
        assert abs(back - content) <= 1e-11 * (bulk_modulus + content)


def test_stiffness_is_that_of_liquid_and_gas_side_by_side() -> None:
    """-V dp/dV of e = air / (1 - air) of gas beside the liquid: K at high pressure, n P near none."""
    K, air, n = 1.2e9, 0.01, 1.4
    e = air / (1 - air)
    for absolute in (1e2, 1e4, P0, 1e6, 1e7, 3e7):
        p, h = absolute - P0, 1e-4 * absolute
        volume = [1 / (1 + content_of(p + d, K, air, n) / K) for d in (-h, 0.0, h)]
        stiffness = -volume[1] * 2 * h / (volume[2] - volume[0])
        gas = e * (P0 / absolute) ** (1 / n)
        liquid = K / (K + p)
        wanted = (liquid + gas) / (liquid**2 / K + gas / (n * absolute))
        assert stiffness == pytest.approx(wanted, rel=1e-6), absolute  # difference of 1e-4
    assert wanted == pytest.approx(K + p, rel=6e-3)  # the gas hardly counts at 300 bar


@pytest.mark.parametrize("exponent", [1.0, 1.4])
def test_gas_alone_is_compressed_by_its_own_law(exponent: float) -> None:
    """Hardly any liquid: P V^n stays, by hand."""
    for volume in (100.0, 3.0, 1.0, 0.2):  # over that at no pressure, where the liquid takes 1e-9 of it
        air = 1 - 1e-9
        content = content_of(0.0, 1e12, air, exponent)
        found = pressure_of((1e12 + content) / volume - 1e12, 1e12, air, exponent) + P0
        assert found == pytest.approx(P0 * volume**-exponent, rel=1e-6)


def test_without_gas_oil_is_a_liquid_that_tears() -> None:
    for content, p in ((3e6, 3e6), (-5e4, -5e4), (-2e5, -P0), (-1e9, -P0)):
        assert pressure_of(content, 1.2e9, 0.0, 1.4) == p
    assert pressure_of(-1.3e9, 1.2e9, 0.001, 1.4) == -P0  # less than nothing


@pytest.mark.parametrize("exponent", [1.0, 1.4])
def test_stored_energy_is_the_work_of_expansion(exponent: float) -> None:
    K, air = 1.2e9, 0.02
    oil = 1.0 + content_of(2e7, K, air, exponent) / K
    for volume in (1.0, 1.01, 1.5, 40.0):
        content = K * (oil / volume - 1.0)
        p = pressure_of(content, K, air, exponent)
        work, _ = quad(
            lambda v: pressure_of(K * (oil / v - 1.0), K, air, exponent),
            1.0,
            volume,
            limit=400,
            points=[1.03],
        )
        change = stored_energy(volume, p, content, K, air, exponent)
        change -= stored_energy(1.0, 2e7, K * (oil - 1.0), K, air, exponent)
        assert change == pytest.approx(-work, rel=1e-6, abs=1.0)


def test_pump_fills_less_the_less_its_inlet_has() -> None:
    assert filling_ratio(0.0, 0.01) == filling_ratio(5e6, 0.01) == 1.0
    assert filling_ratio(-P0, 0.01) == filling_ratio(-1e7, 0.01) == 0.0
    # isothermal gas beside oil: at a hundredth of the pressure gas and oil take the same room
    assert filling_ratio(-P0 + 0.01 * P0, 0.01) == pytest.approx(1 / (1 + 0.99), rel=1e-12)


# --- cylinders -----------------------------------------------------------------------------------------------------


def hung(pull: str, fluid: str = "") -> luff.Simulation:
    """520 kg on a cylinder with a shut cap and hardly any rod side, weightless, and pulled."""
    return luff.compile(
        luff.loads(f"""
luff: 1
blocks:
  world: {{gravity: [0, 0, 0]}}
  slide: {{type: prismatic, axis: z}}
  mass: {{type: rigid_link, mass: 500, inertia: [5, 5, 5]}}
  lift:
    type: hydraulic_cylinder
    barrel: {{length: 1 m, mass: 30 kg, com: [0, 0, 0.5], inertia: [3, 3, 0.1]}}
    piston: {{mass: 20 kg, com: [0, 0, -0.5], inertia: [2, 2, 0.1]}}
    initial: {{position: 0.3}}
    fluid: {{bore: 100 mm, rod: 99.9999 mm, stroke: 9 m, dead_cap: 0.5 l, dead_rod: 1 l, initial: {{cap: 0}}{fluid}}}
  pull: {pull}
connect:
  - world.frame -- slide.frame_a
  - slide.frame_b -- mass.frame_a
  - world.frame -- lift.frame_a
  - mass.frame_b -- lift.frame_b
  - pull.y -> slide.effort
simulation: {{stop: 1 s, step: 1 ms, output_step: 1 ms}}
""")
    )


METHODS = [(method, step) for method in ("rk4", "implicit") for step in (5e-3, 1e-3, 2e-4)]


def remarks(sim: luff.Simulation, method: str, step: float) -> list[str]:
    session = sim.start(method=method, step=step)
    while session.advance() == "running":
        pass
    return [note.message for note in session.remarks if "cavitation" in note.message]


@pytest.mark.parametrize(("method", "step"), METHODS)
def test_suction_holds_no_more_than_the_surroundings_push(method: str, step: float) -> None:
    """Pulled by 100 N more than p_0 A it goes, pushed by no more than its gas, which has the room of 2.9 ml."""
    sim = hung(f"{{type: constant, value: {P0 * AREA + 100.0}}}")
    result = sim.run(method=method, step=step, output_step=step)
    assert (result["lift.cap_pressure"] > -P0).all()
    assert result["lift.force"].min() > -P0 * AREA
    room = 0.001 * (0.5e-3 + AREA * 0.3)  # of the gas at the start

    def falls(t: float, z: np.ndarray) -> tuple[float, float]:
        push = P0 * AREA * (room / (room + AREA * max(z[0], 0.0))) ** 1.4
        return z[1], (100.0 + push) / 520.0

    wanted = solve_ivp(falls, (0.0, 1.0), (0.0, 0.0), rtol=1e-9, atol=1e-12).y[0, -1]
    # the liquid, which gives way by p_0 V / K, adds a twelfth to the room of the gas
    assert result["lift.position"][-1] - 0.3 == pytest.approx(wanted, rel=5e-3)
    kinetic = 0.5 * 520.0 * result["lift.velocity"] ** 2
    total = kinetic + result["lift.stored_energy"] - (P0 * AREA + 100.0) * (result["lift.position"] - 0.3)
    swing = np.ptp(kinetic)
    # a rest of the first swings on the liquid, at 20 Hz, where the step is long: RK4 (w h)^5, implicit (w h)^3
    assert np.ptp(total) < {5e-3: 0.06, 1e-3: 1e-3, 2e-4: 1e-5}[step] * swing
    assert len(remarks(sim, method, step)) == 1
    assert "cap side" in remarks(sim, method, step)[0]


@pytest.mark.parametrize(("method", "step"), METHODS)
def test_suction_holds_what_is_less(method: str, step: float) -> None:
    """Half of p_0 A hangs on it: it swings about where the gas holds it, and nothing is told."""
    sim = hung(f"{{type: constant, value: {0.45 * P0 * AREA}}}")
    result = sim.run(method=method, step=step, output_step=step)
    assert abs(result["lift.position"] - 0.3).max() < 0.01
    assert result["lift.cap_pressure"].mean() == pytest.approx(-0.45 * P0, rel=0.1)
    assert remarks(sim, method, step) == []


@pytest.mark.parametrize(("method", "step"), METHODS)
def test_a_chamber_refills_before_it_pushes(method: str, step: float) -> None:
    """Pulled out, then pushed back by the same: no force before the oil is met again, and no oil is lost."""
    force = P0 * AREA + 200.0
    sim = hung(
        f"{{type: pulse, height: {2 * force}, offset: {-force}, start: 0, duration: 0.5 s, period: 9 s}}"
    )
    result = sim.run(method=method, step=step, output_step=step, stop=1.2)
    out = result["lift.position"] > 0.31
    assert out.sum() > 20
    # 10 mm past the oil the gas has the room of 80 ml over 2.9 l x 0.001: no more than 0.1 of its pressure
    assert (result["lift.cap_pressure"][out] < -0.95 * P0).all()
    assert result["lift.cap_pressure"].max() > 5e5  # it pushes in the end
    oil = result["lift.oil"]
    assert np.ptp(oil) < {5e-3: 1e-4, 1e-3: 1e-6, 2e-4: 1e-8}[step] * oil[0]


def test_what_has_pressure_hardly_feels_the_gas() -> None:
    """The default share lets oil give way by 14 % more at 10 bar, 0.3 % at 100 bar, 0.1 % at 200 bar."""
    for p, share in ((1e6, 0.142), (1e7, 3.2e-3), (2e7, 9.7e-4)):
        slopes = [
            (content_of(p + 1e3, 1.2e9, air, 1.4) - content_of(p - 1e3, 1.2e9, air, 1.4)) / 2e3
            for air in (0.001, 0.0)
        ]
        assert slopes[1] == pytest.approx(1.0)
        assert 0.98 * share < slopes[0] - 1.0 < share


# --- pumps ---------------------------------------------------------------------------------------------------------

INLET = """
luff: 1
blocks:
  pump: {pump}
  tank: {{type: tank}}
  throttle: {{type: orifice, area: {area}}}
  inlet: {{type: volume, size: 0.2 l}}
  out: {{type: tank}}
  {flow}
connect:
  - tank.port -- throttle.a
  - throttle.b -- inlet.port
  - {inlet}
  - {outlet}
  {wire}
simulation: {{stop: 6 s, step: 1 ms, output_step: 10 ms}}
"""
KINDS = {
    "pump": {
        "pump": "{type: pump, initial: 1}", "flow": "", "wire": "",
        "inlet": "inlet.port -- pump.a", "outlet": "pump.b -- out.port",
    },
    "flow source": {
        "pump": "{type: flow_source}",
        "flow": "flow: {type: constant, value: 1.575e-3}",
        "wire": "- flow.y -> pump.flow",
        "inlet": "inlet.port -- pump.a", "outlet": "pump.b -- out.port",
    },
    "flow source backwards": {
        "pump": "{type: flow_source}",
        "flow": "flow: {type: constant, value: -1.575e-3}",
        "wire": "- flow.y -> pump.flow",
        "inlet": "inlet.port -- pump.b", "outlet": "pump.a -- out.port",
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("method", "step"), METHODS)
def test_pump_draws_no_more_than_its_inlet_lets_through(kind: str, method: str, step: float) -> None:
    """A throttled inlet: the flow is that of an orifice with nothing behind it, C A sqrt(2 p_0 / rho)."""
    sim = luff.compile(luff.loads(INLET.format(area="10 mm^2", **KINDS[kind])))
    result = sim.run(method=method, step=step)
    assert result["inlet.pressure"].min() > -P0
    most = 0.65 * 1e-5 * math.sqrt(2 * P0 / 870.0)  # a fifteenth of what the pump displaces
    # the rest of its pressure, and the laminar range of the orifice
    assert -result["out.flow"][-1] == pytest.approx(most, rel=0.01)
    assert len(remarks(sim, method, step)) == 1
    wide = luff.compile(luff.loads(INLET.format(area="10 cm^2", **KINDS[kind])))
    full = wide.run(method="implicit", step=step)
    assert -full["out.flow"][-1] == pytest.approx(1.575e-3, rel=1e-3)


@pytest.mark.parametrize("air", [0.0, 1e-3, 0.05])
def test_vacuum_holds_as_much_as_it_gives(air: float) -> None:
    """Without air what is held at no pressure is the stretched liquid; with air all of its room is gas."""
    assert content_of(-P0, 1.2e9, air, 1.2) == (-1.2e9 if air else -P0)
    assert pressure_of(content_of(-P0, 1.2e9, air, 1.2), 1.2e9, air, 1.2) == -P0
