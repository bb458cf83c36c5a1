"""Friction where a loop is cut, and in joints that drives, servo constraints and trajectories move."""

from __future__ import annotations

import math

import numpy as np
import pytest

import luff
from luff.tests.shared.compile_text import outputs, plain
from luff.tests.shared.loop_cases import LED_TIP

LUGRE = "model: lugre, mu_s: 0.3, mu_k: 0.2, stribeck: 0.1, sigma_0: 100, sigma_1: 0.3, sigma_2: 0.02"
DAHL = "model: dahl, mu_s: 0.25, sigma_0: 80, gamma: 1"

# a crank, a rod with a universal and a ball joint, and a slide: nothing is held twice
LOOP = """
luff: 1
name: spatial slider crank
blocks:
  world: {gravity: [0, -9.81, -1]}
  crank: {type: revolute, axis: z, CRANK, friction: {LAW, diameter: 0.1}}
  wheel: {type: rigid_link, mass: 2, com: [0.1, 0, 0.02], inertia: [0.01, 0.02, 0.02], frame_b: {at: [0.2, 0, 0]}}
  hook: {type: universal, axis_a: z, axis_b: y}
  rod: {type: rigid_link, mass: 1, com: [0.3, 0.01, 0], inertia: [0.01, 0.03, 0.03], frame_b: {at: [0.6, 0, 0]}}
  ball: {type: spherical}
  slide: {type: prismatic, axis: x, guess: {position: 0.7}, friction: {LAW}}
  block: {type: rigid_link, mass: 3, com: [0, 0.02, 0], inertia: [0.01, 0.01, 0.01]}
connect:
  - world.frame -- crank.frame_a
  - crank.frame_b -- wheel.frame_a
  - wheel.frame_b -- hook.frame_a
  - hook.frame_b -- rod.frame_a
  - rod.frame_b -- ball.frame_a
  - ball.frame_b -- block.frame_a
  - world.frame -- slide.frame_a
  - slide.frame_b -- block.frame_a
simulation: {constraints: {method: METHOD}}
"""
SAME = ("position", "velocity", "acceleration", "friction", "normal_force", "friction_power", "bristle")


def loop(
    cut: str, law: str = LUGRE, method: str = "reduced", crank: str = "initial: {position: 0.6, velocity: 3}"
) -> str:
    text = LOOP.replace("LAW", law).replace("METHOD", method).replace("CRANK", crank)
    return text.replace(f"  {cut}: {{", f"  {cut}: {{cut: true, ")


def bent(sim: luff.Simulation) -> np.ndarray:
    """The initial state with bent bristles, the same by name wherever they stand."""
    x = sim.x0.copy()
    for name, deflection in (("crank.bristle", 1.5e-3), ("slide.bristle", -0.8e-3)):
        x[sim.state_names.index(name)] = deflection
    return x


@pytest.mark.parametrize("method", ["reduced", "baumgarte", "projected"])
@pytest.mark.parametrize("law", [LUGRE, DAHL], ids=["lugre", "dahl"])
@pytest.mark.parametrize("cut", ["slide", "crank"])
def test_a_joint_rubs_alike_where_its_loop_is_cut(cut: str, law: str, method: str) -> None:
    """Its own rows and a weld close the loop then: the load comes from the weld, and is the joint's reaction still."""
    here, elsewhere = plain(loop(cut, law, method)), plain(loop("ball", law))
    assert [found.block for found in here.program.mechanism.cuts] == [cut]
    values, wanted = here.evaluate(0.0, bent(here)), elsewhere.evaluate(0.0, bent(elsewhere))
    for joint in ("crank", "slide"):
        assert abs(wanted[f"{joint}.friction"]) > 0.1
        for name in SAME:
            assert values[f"{joint}.{name}"] == pytest.approx(
                wanted[f"{joint}.{name}"], rel=1e-9, abs=1e-10
            ), name
        for what in ("total_force", "total_torque", "constraint_force", "constraint_torque"):
            np.testing.assert_allclose(
                outputs(values, f"{joint}.{what}"), outputs(wanted, f"{joint}.{what}"), rtol=1e-9, atol=1e-8
            )
    rates = [
        dict(zip(sim.state_names, sim.derivative(0.0, bent(sim)), strict=True)) for sim in (here, elsewhere)
    ]
    for joint in ("crank", "slide"):
        assert rates[0][f"{joint}.bristle"] == pytest.approx(rates[1][f"{joint}.bristle"], rel=1e-9)


@pytest.mark.parametrize("law", [LUGRE, DAHL], ids=["lugre", "dahl"])
def test_the_motion_is_the_same_wherever_the_loop_is_cut_and_loses_what_friction_takes(law: str) -> None:
    found = {
        cut: luff.compile(luff.loads(loop(cut, law))).run(stop=0.4, step=2e-4, output_step=1e-2)
        for cut in ("ball", "slide")
    }
    for name in ("crank.position", "slide.position", "slide.velocity", "crank.bristle", "slide.bristle"):
        one, other = (result[name] for result in found.values())
        # fourth order at bristle rates of 300 per second, and the same states: rounding is all that may differ
        np.testing.assert_allclose(one, other, atol=1e-9 * abs(one).max(), err_msg=name)
    for result in found.values():
        energy = result.quality["energy"]
        assert energy["friction"] > 0.05 * energy["start"]["kinetic"]
        assert energy["relative_residual"] < 1e-6
        assert result.quality["newton_euler_residual"] < 1e-12


def test_a_pin_that_closes_the_loop_of_a_floating_bar_slows_it_as_its_closed_form() -> None:
    """N = m c sqrt(w^4 + a^2) and I a = -mu N d/2 give w = w_0 / (1 + kappa w_0 t)."""
    m, c, mu, d, w = 2.0, 0.4, 0.2, 0.3, 20.0
    text = f"""
luff: 1
blocks:
  world: {{gravity: [0, 0, -9.81]}}
  float: {{type: free}}
  bar: {{type: rigid_link, mass: {m}, com: [{c}, 0, 0], inertia: [0.01, 0.01, 0.01]}}
  pin: {{type: revolute, axis: z, cut: true, initial: {{velocity: {w}}},
        friction: {{model: coulomb, mu_s: {mu}, mu_k: {mu}, stribeck: 1e-3, diameter: {d}}}}}
connect:
  - world.frame -- float.frame_a
  - float.frame_b -- bar.frame_a
  - world.frame -- pin.frame_a
  - pin.frame_b -- bar.frame_a
simulation: {{constraints: {{method: projected}}}}
"""
    k = mu * d / 2 / (0.01 + m * c * c)
    kappa = k * m * c / math.sqrt(1 - (k * m * c) ** 2)
    sim = luff.compile(luff.loads(text))
    assert sim.summary["degrees_of_freedom"] == 1
    values = sim.evaluate()
    assert values["pin.acceleration"] == pytest.approx(-kappa * w * w, rel=1e-11)
    assert values["pin.normal_force"] == pytest.approx(
        m * c * w * w / math.sqrt(1 - (k * m * c) ** 2), rel=1e-11
    )
    result = sim.run(stop=2.0, step=1e-3)
    # fourth order: w h = 0.02 rad of the quaternion a step
    np.testing.assert_allclose(result["pin.velocity"], w / (1 + kappa * w * result.time), rtol=1e-7)


# --- drives ----------------------------------------------------------------------------------------------------------

ARM = (
    """
luff: 1
name: an arm that rubs
blocks:
  world: {gravity: [0, -9.81, 2]}
  A: {type: revolute, guess: {position: -0.4}, friction: {LAW, diameter: 0.1}}
  upper: {type: rigid_link, mass: 3, com: [0.4, 0, 0.1], inertia: [0.05, 0.2, 0.2], frame_b: {at: [1, 0, 0]}}
  B: {type: revolute, guess: {position: 0.8}, friction: {LAW, diameter: 0.08}}
  lower: {type: rigid_link, mass: 2, com: [0.6, 0.1, -0.1], inertia: [0.05, 0.2, 0.2], frame_b: {at: [1.2, 0, 0]}}
"""
    + LED_TIP
)


def led(realised: str, law: str) -> tuple[luff.Simulation, dict[str, float]]:
    """Half-way along, at its full speed, with bent bristles."""
    sim = plain(ARM.replace("REALISED", realised).replace("LAW", law))
    assert sim.summary["degrees_of_freedom"] == 0
    x = sim.x0.copy()
    assert sim.state_names == ["A.bristle", "B.bristle"]
    x[:] = 8e-4, -5e-4
    values = sim.evaluate(0.4, x)
    assert min(abs(values[f"{joint}.friction"]) for joint in "AB") > 0.01
    return sim, values


def unled(values: dict[str, float], law: str, block: str, wires: list[str]) -> dict[str, float]:
    """The same arm at the same state without the constraint: what pushes it instead is written into the netlist."""
    lines = [
        line for line in ARM.replace("LAW", law).splitlines() if "lead" not in line and "up.y" not in line
    ]
    lines = [line for line in lines if not line.startswith(("  along", "  up:"))]
    at = lines.index("connect:")
    text = "\n".join([*lines[:at], block, *lines[at:], *(f"  - {wire}" for wire in wires)])
    sim = plain(text)
    state = [values[name] for name in sim.state_names]
    return sim.evaluate(0.0, state)


@pytest.mark.parametrize("law", [LUGRE, DAHL], ids=["lugre", "dahl"])
def test_drives_of_a_servo_constraint_pay_for_the_friction_in_their_joints(law: str) -> None:
    _, values = led("[A, B]", law)
    efforts = [values[f"lead.effort[{k}]"] for k in range(2)]
    block = f"  drive: {{type: constant, value: {efforts}}}"
    found = unled(values, law, block, ["drive.y[0] -> A.effort", "drive.y[1] -> B.effort"])
    for joint in "AB":
        for name in SAME:
            assert found[f"{joint}.{name}"] == pytest.approx(
                values[f"{joint}.{name}"], rel=1e-9, abs=1e-12
            ), name


@pytest.mark.parametrize("law", [LUGRE, DAHL], ids=["lugre", "dahl"])
def test_an_ideal_constraint_loads_the_joints_that_rub(law: str) -> None:
    _, values = led("ideal", law)
    push = [values["lead.multiplier[0]"], values["lead.multiplier[1]"], 0.0]
    block = f"  push: {{type: applied_force}}\n  pull: {{type: constant, value: {push}}}"
    found = unled(values, law, block, ["lower.frame_b -- push.frame_b", "pull.y -> push.force"])
    for joint in "AB":
        for name in SAME:
            assert found[f"{joint}.{name}"] == pytest.approx(
                values[f"{joint}.{name}"], rel=1e-9, abs=1e-12
            ), name
    # and it is not the load that the arm alone has
    alone = unled(values, law, "", [])
    assert abs(alone["A.normal_force"] - values["A.normal_force"]) > 1.0


def with_block(text: str, block: str, wire: str) -> str:
    return text.replace("connect:", f"  {block}\nconnect:\n  - {wire}")


@pytest.mark.parametrize("law", [LUGRE, DAHL], ids=["lugre", "dahl"])
@pytest.mark.parametrize("cut", ["ball", "slide", "crank"])
def test_a_driven_joint_of_a_loop_pays_for_all_friction_in_it(cut: str, law: str) -> None:
    """The effort that the prescribed motion needs, put on the same loop as an effort, gives that motion."""
    driven = plain(
        with_block(
            loop(cut, law, crank="driven: true"),
            "turn: {type: sine, amplitude: 0.7, frequency: 4 rad/s, unit: rad}",
            "turn.trajectory -> crank.follow",
        )
    )
    assert driven.summary["degrees_of_freedom"] == 0
    values = driven.evaluate(0.2, bent(driven))
    assert values["crank.acceleration"] == pytest.approx(-16 * 0.7 * math.sin(0.8), rel=1e-12)
    start = f"initial: {{position: {values['crank.position']!r}, velocity: {values['crank.velocity']!r}}}"
    effort = f"push: {{type: constant, value: {values['crank.required_effort']!r}}}"
    pushed = plain(with_block(loop(cut, law, crank=start), effort, "push.y -> crank.effort"))
    found = pushed.evaluate(0.0, bent(pushed))
    for joint in ("crank", "slide"):
        assert abs(values[f"{joint}.friction"]) > 0.01
        for name in SAME:
            assert found[f"{joint}.{name}"] == pytest.approx(values[f"{joint}.{name}"], rel=1e-8, abs=1e-9), (
                name
            )


def test_a_driven_run_balances_with_friction_in_its_loop() -> None:
    text = with_block(
        loop("slide", crank="driven: true"),
        "turn: {type: sine, amplitude: 0.7, frequency: 4 rad/s, unit: rad}",
        "turn.trajectory -> crank.follow",
    )
    quality = luff.compile(luff.loads(text)).run(stop=0.8, step=2e-4, output_step=1e-2).quality
    assert quality["energy"]["friction"] > 0.1
    assert quality["energy"]["constraints"] > 0.1  # the drive's work
    assert quality["energy"]["relative_residual"] < 1e-6
    assert quality["newton_euler_residual"] < 1e-12
