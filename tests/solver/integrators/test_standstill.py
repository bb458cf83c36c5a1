"""Laws with a kink at v = 0, near standstill: a closed brake under a load that swings below what it carries.

`implicit` solves with slopes of one side of v = 0. Stages on the other side once followed a branch that does not exist:
the wrong sign of v for hundreds of steps, or speeds of 1e9 rad/s. Steps from 10 us to 10 ms, laws by expressions, so
that the method alone is in question.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import luff
from luff.solver.integrators.method_table import METHODS, method_of
from luff.tests.process import call

K, MOST = 1e5, 100.0  # bristles [N m/rad], and what they carry [N m]
STEPS = (1e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2)
ROTORS = ((0.001, 100.0), (0.01, 0.0), (0.01, 5.0), (0.1, 20.0))  # J [kg m^2], c [N m s/rad]

# z' of LuGre; of the elasto-plastic bristle of Dupont, Hayward, Armstrong and Altpeter (2002), z_ba = 0.9 z_ss
LUGRE = "v - 1e5*abs(v)*z/100"
SHARE = "(0.5 + 0.5*sin(pi*min(max((abs(z) - 0.95e-3)/0.1e-3, -0.5), 0.5)))"
SIGN = "(z/max(abs(z), 1e-30))"
PLASTIC = f"v - {SHARE}*abs(z)/1e-3*max(v*{SIGN}, 0)*{SIGN}"


def held_rotor(law: str, inertia: float, damping: float, step: float, method: str = "implicit") -> str:
    """A rotor held by bristles, under 50 + 30 sin(2 pi 5 t) of the 100 N m that they carry."""
    return f"""
luff: 1
blocks:
  rate: {{type: expression, inputs: [v, z], expr: "{law}"}}
  z: {{type: integrator, initial: 5e-4}}
  push: {{type: expression, inputs: [z, rate], expr: "(50 + 30*sin(10*pi*t) - {K}*z - {damping}*rate)/{inertia}"}}
  v: {{type: integrator}}
  angle: {{type: integrator}}
connect: [v.y -> rate.v, z.y -> rate.z, rate.y -> z.u, z.y -> push.z, rate.y -> push.rate, push.y -> v.u,
  v.y -> angle.u]
simulation: {{stop: 0.6 s, step: {step!r} s, method: {method}}}
"""


def drift(law: str, inertia: float, damping: float, step: float, method: str = "implicit") -> float:
    """Angle of the last of three cycles [rad]."""
    angle = luff.compile(luff.loads(held_rotor(law, inertia, damping, step, method))).run()["angle.y"]
    return float(angle[-1] - angle[-1 - round(0.2 / step)])


# of slow cycles between a and b of what the bristles carry: (M/k) ln((1 - a^2)/(1 - b^2))
KNOWN = MOST / K * math.log((1 - 0.2**2) / (1 - 0.8**2))


@pytest.mark.parametrize(("inertia", "damping"), ROTORS)
def test_lugre_creeps_by_its_own_drift_at_all_steps(inertia: float, damping: float) -> None:
    for step in STEPS:
        found = drift(LUGRE, inertia, damping, step)
        # inertia adds 1 % at J = 0.1 (0.988 mrad at all short steps); twenty steps a cycle are good for 1 % more
        assert found == pytest.approx(KNOWN, rel=0.015), step


@pytest.mark.parametrize(("inertia", "damping"), ROTORS)
def test_elasto_plastic_bristles_hold_without_drift_at_all_steps(inertia: float, damping: float) -> None:
    for step in STEPS[1:]:
        # what swings undamped, J = 0.01 and c = 0, is at another phase of its vibration of 2e-5 rad after a cycle
        assert abs(drift(PLASTIC, inertia, damping, step)) < (1e-9 if damping else 5e-5), step


def test_slipping_wheel_comes_to_rest_at_all_steps() -> None:
    """A wheel that slips, then sticks: w0 J / M seconds, w0^2 J / (2 M) rad, and the step ends anywhere within."""
    for step in (1e-4, 1e-3, 5e-3, 1e-2):
        text = held_rotor(LUGRE, 2.0, 50.0, step).replace("50 + 30*sin(10*pi*t)", "0").replace("5e-4", "1e-3")
        text = text.replace("v: {type: integrator}", "v: {type: integrator, initial: 10}")
        result = luff.compile(luff.loads(text)).run()
        # bristles spring back by up to M/k = 1e-3 rad, and c z' takes as much off the way of 1 rad while they do
        assert result["angle.y"][-1] == pytest.approx(1.0, abs=4e-3), step
        assert max(abs(result["z.y"])) < 1.05e-3
        assert abs(result["v.y"][-1]) < 0.05


@pytest.mark.parametrize("step", [2e-3, 1e-2])
def test_friction_of_joints_slides_as_an_adaptive_method_finds_it(step: float) -> None:
    """LuGre in a joint, whose speed turns round 4 times: SciPy's Radau with the law written again."""
    import numpy as np
    from scipy.integrate import solve_ivp

    text = f"""
luff: 1
blocks:
  slide:
    {{type: prismatic, axis: x, initial: {{velocity: 0}}, friction: {{model: lugre, mu_s: 0.3, mu_k: 0.2,
      stribeck: 0.01, sigma_0: 1e4, sigma_1: 30, sigma_2: 0, load: 100 N}}}}
  body: {{type: rigid_link, mass: 10 kg}}
  push: {{type: expression, expr: "40*sin(2*pi*t)"}}
connect: [world.frame -- slide.frame_a, slide.frame_b -- body.frame_a, push.y -> slide.effort]
simulation: {{stop: 2 s, step: {step} s, method: implicit}}
"""

    def rates(t: float, x: np.ndarray) -> list[float]:
        _, v, z = x
        dz = v - 1e4 * abs(v) * z / (0.2 + 0.1 * math.exp(-((v / 0.01) ** 2)))
        return [v, (40 * math.sin(2 * math.pi * t) - 100 * (1e4 * z + 30 * dz)) / 10, dz]

    known = solve_ivp(rates, (0, 2), [0, 0, 0], method="Radau", rtol=1e-6, atol=1e-10, dense_output=True)
    result = luff.compile(luff.loads(text)).run()
    wanted = known.sol(result.time)[0]
    # break-away within a step moves what follows by a part of it: 40 N on 10 kg for 1 s is 0.1 m; 1 % each 5 ms
    assert abs(result["slide.position"] - wanted).max() < 0.02 * 0.111 * max(1.0, step / 5e-3)


def test_growth_that_is_faster_than_the_step_is_followed() -> None:
    """x' = 50 x with steps of 0.1 s: slopes beyond 1/(h gamma) turned it round; taken in parts it grows."""
    text = """
luff: 1
blocks:
  x: {type: integrator, initial: 1}
  f: {type: gain, k: 50}
connect: [x.y -> f.u, f.y -> x.u]
simulation: {stop: 0.5 s, step: 0.1 s, method: implicit}
"""
    end = luff.compile(luff.loads(text)).run()["x.y"][-1]
    # parts of 1/4: R(1.25) = 2.6 where the exponential is 3.5, twenty times over
    assert math.log(end) == pytest.approx(25.0, rel=0.25)


def test_what_jumps_at_a_state_ends_and_is_told() -> None:
    """x' = -sign(x): no part of a step has slopes that hold. The run ends, x stays near zero, and the run says so."""
    text = """
luff: 1
blocks:
  x: {type: integrator, initial: 0.0105}
  f: {type: expression, inputs: [x], expr: "-min(max(1e15*x, -1), 1)"}
connect: [x.y -> f.x, f.y -> x.u]
simulation: {stop: 0.03 s, step: 1 ms, method: implicit}
"""
    session = luff.compile(luff.loads(text)).start()
    session.advance(steps=30)
    assert session.status == "finished"
    assert abs(session.x[0]) < 1e-3
    assert any("slopes" in str(remark) for remark in session.remarks)


AWAY = """
luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  slide: {type: prismatic, axis: x, stiffness: 8.5e6, initial: {position: 10 mm}}
  body: {type: rigid_link, mass: 1 kg}
connect: [world.frame -- slide.frame_a, slide.frame_b -- body.frame_a]
simulation: {stop: 0.3 s, step: 1 ms}
"""


def test_run_away_that_stays_finite_fails(tmp_path: Path) -> None:
    """RK4 beyond its region of stability, h w = 2.92: 1e27 m at the end of 300 steps, and every one of them finite."""
    (tmp_path / "away.yaml").write_text(AWAY)
    told = json.loads(call("run", "away.yaml", "--json", cwd=tmp_path, code=3).stdout)
    assert told["status"] == "failed"
    (problem,) = told["problems"]
    assert "run away" in problem["message"]
    assert problem["path"].startswith("slide.")
    # what it advises is right: the step follows the motion
    words = problem["fix"].split()
    step = float(words[words.index("of") + 1])
    result = luff.compile(luff.loads(AWAY)).run(step=step)
    assert max(abs(result["slide.position"])) == pytest.approx(0.01, rel=0.01)


def test_methods_are_known_by_their_lines() -> None:
    """Limits of stability: Hairer and Wanner II, IV.2; of Euler and Heun by hand."""
    assert METHODS["euler"].real_limit == pytest.approx(2.0)
    assert METHODS["heun"].real_limit == pytest.approx(2.0)
    assert METHODS["rk4"].real_limit == pytest.approx(2.785293563405282)
    assert METHODS["rk4"].imaginary_limit == pytest.approx(math.sqrt(8.0))
    assert METHODS["euler"].imaginary_limit < 1e-5  # none, but for rounding
    assert METHODS["implicit"].real_limit == math.inf
    with pytest.raises(
        luff.LuffError, match=r'found method "rk5", expected one of euler, .*did you mean "rk4"'
    ):
        method_of("rk5")
    with pytest.raises(luff.LuffError, match="has no step of its own"):
        _ = METHODS["radau"].step


def test_page_has_the_table_of_methods() -> None:
    page = (Path(luff.__file__).parent / "docs" / "method_and_step.md").read_text()
    for method in METHODS.values():
        assert f"`{method.name}`" in page
    assert "| `implicit` | 3" in page
    assert "| `rk4` | 4" in page
