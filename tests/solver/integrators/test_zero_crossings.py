"""What changes its piece with the state: counted in every run, and told once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.integrators.run_data import CHANGED, CHANGES, MOST
from luff.solver.program.switching_functions import switching_counts
from luff.tests.process import call

SWITCHED = """
luff: 1
blocks:
  up: {type: constant, value: 1}
  down: {type: constant, value: -1}
  pick: {type: switch, threshold: 0.3}
  x: {type: integrator, initial: %s}
%s
simulation: {stop: 1, step: 10 ms}
"""
RELAY = "connect: [down.y -> pick.u1, up.y -> pick.u2, pick.y -> x.u, x.y -> pick.control]"
ONCE = "connect: [up.y -> pick.u1, up.y -> pick.u2, pick.y -> x.u, x.y -> pick.control]"
BOUNCE = """
luff: 1
blocks:
  slide: {type: prismatic, axis: z, initial: {position: 0.5}}
  load: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}
  floor: {type: contact, law: {stiffness: 1e5, dissipation: 0}}
connect: [world.frame -- slide.frame_a, slide.frame_b -- load.frame_a, world.frame -- floor.plane,
          load.frame_a -- floor.of]
simulation: {stop: 2, step: 1e-3}
"""


def run(text: str) -> luff.Session:
    session = luff.compile(luff.loads(text)).start()
    while session.advance() == "running":
        pass
    return session


def counted(session: luff.Session) -> np.ndarray:
    return switching_counts(session.instance.w, session.instance.sections, session.sim.program.switches)


def said(session: luff.Session) -> list[str]:
    return [f"{remark.path}: {remark.message}" for remark in session.remarks]


def test_relay_that_follows_the_step_is_told_once_by_name_and_rate(tmp_path: Path) -> None:
    path = tmp_path / "relay.yaml"
    path.write_text(SWITCHED % (0.3, RELAY))
    done = call("run", path, cwd=tmp_path)
    (line,) = [line for line in done.stderr.splitlines() if "pick" in line]
    assert "relay.yaml:6:" in line
    assert "switches (threshold) 50 times in 50 steps at t = 0.5 s" in line
    assert "take a shorter step" in line


def test_jump_at_a_state_between_steps_is_told_and_one_at_a_step_is_not() -> None:
    (late,) = said(run(SWITCHED % (-0.205, ONCE)))
    # the control passes the threshold at 0.505 s
    assert late.startswith("pick: jumped once within a step, first before t = 0.51 s")
    pulse = (
        "  clock: {type: pulse, start: 0.2, duration: 0.1, period: 0.2}\n"
        "connect: [down.y -> pick.u1, up.y -> pick.u2, pick.y -> x.u, clock.y -> pick.control]"
    )
    assert said(run(SWITCHED % (0, pulse))) == []


def test_what_switches_seldom_and_for_long_does_not_chatter() -> None:
    """Forty changes of side in 1000 steps, two in a stretch of 50."""
    session = run("""
luff: 1
blocks:
  wave: {type: sine, frequency: 125.663706143592}
  cut: {type: saturation, lower: -2, upper: 0.5}
connect: [wave.y -> cut.u]
simulation: {stop: 1, step: 1 ms}
""")
    assert said(session) == []
    assert counted(session)[CHANGES].max() == 40


def test_ball_that_bounces_is_counted_and_nothing_to_tell() -> None:
    session = run(BOUNCE)
    assert said(session) == []
    (changes,) = counted(session)[CHANGES]
    # up and down again twice, at sqrt(2 h / g) = 0.319 s and every 0.64 s after; the last flight is under way
    assert changes == 6.0
    assert counted(session)[CHANGED, 0] == pytest.approx(np.sqrt(2.0 * 0.5 / 9.81), abs=1e-3)


def test_limits_that_are_met_now_and_then_are_no_chatter() -> None:
    session = run("""
luff: 1
blocks:
  u: {type: sine, amplitude: 2, frequency: 9}
  y: {type: saturation, lower: null, upper: 1}
  x: {type: integrator}
connect: [u.y -> y.u, y.y -> x.u]
simulation: {stop: 1, step: 10 ms}
""")
    assert said(session) == []
    # a limit that is not there is never met; 2 sin(9 t) passes 1 at 0.058, 0.291 and 0.756 s and falls below it later
    np.testing.assert_array_equal(counted(session)[CHANGES], [0.0, 4.0])
    assert [switch.what for switch in session.sim.program.switches] == ["lower", "upper"]
    assert counted(session)[MOST].max() == 2.0


@pytest.mark.parametrize("kind", ["pd", "pid"])
def test_limit_of_a_controller_that_follows_the_step_is_told(kind: str) -> None:
    lines = said(
        run(f"""
luff: 1
blocks:
  u: {{type: sine, amplitude: 2, frequency: 310}}
  zero: {{type: constant, value: 0}}
  drive: {{type: {kind}, upper: 1}}
connect: [u.trajectory -> drive.target, zero.trajectory -> drive.measured]
simulation: {{stop: 1, step: 10 ms, method: euler}}
""")
    )
    assert any(line.startswith("drive: switches (upper) ") for line in lines)


def test_friction_that_turns_round_with_every_step_is_told() -> None:
    session = run("""
luff: 1
blocks:
  slide: {type: prismatic, axis: x, initial: {velocity: 0.1}, friction: {model: coulomb, mu_s: 0.5, mu_k: 0.5,
          stribeck: 1e-4}}
  load: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}
connect: [world.frame -- slide.frame_a, slide.frame_b -- load.frame_a]
simulation: {stop: 1, step: 10 ms, method: euler}
""")
    assert any(
        line.startswith("slide: switches (friction) ") and "bristles" in line for line in said(session)
    )


def test_contact_that_carried_and_lifts_is_told() -> None:
    lines = said(run(BOUNCE.replace("position: 0.5", "position: -5e-3")))
    assert any(
        line.startswith("floor: the contact carried at the start, and lifts at t = ")
        and line.endswith("so begins the hoisting of a load, or the tipping of a body that stands")
        for line in lines
    )


def test_counts_go_with_a_snapshot_and_begin_anew_with_a_run() -> None:
    sim = luff.compile(luff.loads(BOUNCE))
    session = sim.start()
    session.step(steps=400)
    mark = session.snapshot()
    before = counted(session).copy()
    session.step(steps=900)
    assert (counted(session)[CHANGES] > before[CHANGES]).all()
    session.restore(mark)
    np.testing.assert_array_equal(counted(session), before)
    session.reset()
    assert (counted(session)[CHANGES] == 0.0).all()


def test_plain_python_counts_the_same(tmp_path: Path) -> None:
    (tmp_path / "relay.yaml").write_text(SWITCHED % (-0.205, RELAY))
    code = "import luff; s = luff.compile('relay.yaml').start(); s.step(steps=90); print(s.remarks, s.x.tolist())"
    found = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={**os.environ, "NUMBA_DISABLE_JIT": flag},
            check=True,
            text=True,
            capture_output=True,
        ).stdout
        for flag in ("0", "1")
    ]
    assert found[0] == found[1]
    assert "threshold" in found[0]


@pytest.mark.parametrize("method", ["rk4", "implicit", "dop853"])
def test_relay_is_decided_in_the_first_row_and_with_methods_that_choose_their_steps(method: str) -> None:
    """Before, y was `low` in the first row, and all the time with dop853."""
    netlist = f"""
luff: 1
blocks:
  u: {{type: sine, amplitude: 2, frequency: 2 rad/s, phase: 1.2 rad}}
  it: {{type: relay, lower: -0.5, upper: 0.5}}
connect: [u.y -> it.u]
simulation: {{stop: 4, step: 0.01, method: {method}}}
"""
    result = luff.compile(luff.loads(netlist)).run()
    u, high = result["u.y"], True  # above the upper threshold at first
    for k, y in enumerate(result["it.y"]):
        high = u[k] > (-0.5 if high else 0.5)
        near = min(abs(u[k] + 0.5), abs(u[k] - 0.5)) < 0.05  # a step of a rate of 4/s and its half
        assert near or y == high
