"""Where ropes and drums end: hook against sheave, least turns, an empty drum, a rope that is wound to nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import luff
from luff.blocks import RunError

G, MASS, EA, LENGTH, RADIUS = 9.81, 1000.0, 5e6, 10.0, 0.25
HOIST = f"""
luff: 1
blocks:
  world: {{gravity: [0, 0, GRAVITY]}}
  slide: {{type: prismatic, axis: z, initial: {{position: START}}}}
  load: {{type: rigid_link, mass: {MASS}, inertia: [10, 10, 10]}}
  rope: {{type: rope, EA: {EA}, length: {LENGTH}, damping: 0.002ROPE}}
  DRIVE
connect: [world.frame -- slide.frame_a, slide.frame_b -- load.frame_a, world.frame -- rope.frame_a,
          load.frame_a -- rope.frame_b WIRES]
simulation: {{stop: STOP, step: 1 ms, output_step: 10 ms}}
"""
# a drum with a given speed, and one that a torque turns against its inertia
SPEED = "speed: {{type: constant, value: {}}}\n  winch: {{type: winch, radius: 0.25{}}}"
SPEED_WIRES = ", speed.y -> winch.velocity, rope.tension -> winch.tension, winch.take_up -> rope.take_up"
TORQUE = """torque: {{type: constant, value: {}}}
  source: {{type: torque_source}}
  drum: {{type: shaft_inertia, inertia: 5, bearing: 100}}
  winch: {{type: shaft_winch, radius: 0.25{}}}"""
TORQUE_WIRES = """, torque.y -> source.torque, source.shaft -- drum.shaft, winch.shaft -- drum.shaft,
          rope.tension -> winch.tension, winch.take_up -> rope.take_up"""


def session(drive: str = "", wires: str = "", rope: str = "", gravity: float = -G, stop: float = 5.0,
            start: str = "-10"):  # fmt: skip
    text = HOIST.replace("DRIVE", drive).replace("WIRES", wires).replace("ROPE", rope)
    text = text.replace("GRAVITY", str(gravity)).replace("STOP", str(stop)).replace("START", start)
    run = luff.compile(luff.loads(text)).start()
    while run.advance() == "running":
        pass
    times, rows = run.take()
    return run, times, dict(zip(run.columns, rows.T, strict=True))


def said(run: luff.Session, word: str) -> list[str]:
    return [each.message for each in run.remarks if word in each.message]


@pytest.mark.parametrize("dissipation", [0.0, 0.5])
def test_a_hook_that_flies_against_its_sheave_comes_back(dissipation: float) -> None:
    """With no weight and a slack rope the energy says how near it comes: m v^2 / 2 = k s^2 (-u - log(1 - u))."""
    speed, s, k = 3.0, 0.2, 5e5
    rope = f", shortest: {s}, stop_stiffness: {k}, stop_dissipation: {dissipation}"
    run, _, found = session(rope=rope, gravity=0.0, stop=1.0, start="-1, velocity: 3")
    assert found["rope.tension"].max() == 0.0
    u = brentq(lambda u: k * s * s * (-u - math.log(1.0 - u)) - 0.5 * MASS * speed**2, 0.0, 1.0 - 1e-9)
    nearest = -found["slide.position"].max()
    # a force with a bend where they touch, in steps of 1 ms and 3 mm
    assert run.quality()["energy"]["relative_residual"] < 1e-5
    if dissipation == 0.0:
        # between two rows: less than what 10 ms before it gives
        assert s * (1.0 - u) <= nearest < s * (1.0 - u) + 2e-2
        assert found["slide.velocity"][-1] == pytest.approx(-speed, rel=1e-5)
    else:
        assert -speed < found["slide.velocity"][-1] < -0.3
    (note,) = said(run, "two-blocked")
    # it touches after 0.8 m at 3 m/s
    assert float(note.split("t = ")[1].split(" s")[0]) == pytest.approx(0.8 / speed, abs=2e-3)


def test_a_drum_stalls_when_the_hook_meets_the_sheave() -> None:
    """T r = M, the blocks press with T - m g, and u / (1 - u) says how near."""
    torque = 5000.0
    run, _, found = session(TORQUE.format(torque, ", wound: 12"), TORQUE_WIRES, ", shortest: 0.2", stop=15.0)
    tension = torque / RADIUS
    assert found["rope.tension"][-1] == pytest.approx(tension, rel=1e-4)
    assert found["rope.stop_force"][-1] == pytest.approx(tension - MASS * G, rel=1e-4)
    ratio = (tension - MASS * G) / (EA / LENGTH * 0.2)
    assert -found["slide.position"][-1] == pytest.approx(0.2 / (1.0 + ratio), rel=1e-4)
    assert said(run, "two-blocked")
    assert found["rope.natural_length"].min() > 0.05


def test_without_a_stop_a_rope_that_is_wound_to_nothing_says_what_happened() -> None:
    text = HOIST.replace("DRIVE", SPEED.format(4.0, "")).replace("WIRES", SPEED_WIRES).replace("STOP", "15")
    text = text.replace("ROPE", ", shortest: 0").replace("GRAVITY", str(-G)).replace("START", "-10")
    with pytest.raises(RunError, match=r"rope: all of it is wound up at t = 10\.\d+ s") as told:
        luff.compile(luff.loads(text)).run()
    # 10 m at 1 m/s, and nothing of it has fallen
    kept = told.value.result  # type: ignore[attr-defined]
    assert kept["slide.position"][-1] == pytest.approx(-(LENGTH - kept.time[-1]), abs=0.02)


def test_the_stop_at_the_least_turns_holds_a_load_that_runs_away() -> None:
    run, _, found = session(TORQUE.format(0.0, ", wound: 12"), TORQUE_WIRES, stop=40.0, start="-2, velocity: 0",
                            rope=", shortest: 0")  # fmt: skip
    least = 3 * 2 * math.pi * RADIUS
    assert found["winch.length"][-1] == pytest.approx(least - MASS * G / 1e6, abs=1e-4)
    assert found["winch.stop_force"][-1] == pytest.approx(MASS * G, rel=1e-3)
    assert found["winch.turns_left"][-1] == pytest.approx(3.0, abs=0.01)
    assert said(run, "fewer than the least turns (3)")
    assert not said(run, "empty")


def test_a_drum_that_is_driven_on_when_empty_winds_the_other_way_round() -> None:
    """Its rope's end is fixed to it: 12 m go out, and come in again, with the work of the drum in both directions."""
    run, times, found = session(SPEED.format(-4.0, ", wound: 12, least_turns: 0"), SPEED_WIRES, stop=20.0)
    rest = MASS * G / EA
    wanted = np.where(times < 12.0, LENGTH + times, LENGTH + 24.0 - times)
    # it stretches, and swings behind jumps of its speed by up to 2 m/s: v sqrt(m l / EA) = 0.13 m of 22 m, and again
    # where it falls back into the rope
    np.testing.assert_allclose(-found["slide.position"] / wanted, 1.0 + rest, atol=12e-3)
    np.testing.assert_allclose(found["winch.length"], abs(12.0 - times), atol=1e-9)
    before, after = times < 11.995, times > 12.005
    pull = found["rope.tension"] * RADIUS
    np.testing.assert_allclose(found["winch.torque"][before], -pull[before], rtol=1e-12)
    # and the stop, now past its turns, pushes on: 1 MN/m
    behind = found["winch.torque"][after] - found["winch.stop_force"][after] * RADIUS
    np.testing.assert_allclose(behind, pull[after], rtol=1e-6, atol=1e-3)
    (note,) = said(run, "its drum is empty")
    assert float(note.split("t = ")[1].split(" s")[0]) == pytest.approx(12.0, abs=2e-3)


def test_a_drum_that_is_not_told_what_it_holds_has_rope_without_end() -> None:
    run, times, found = session(SPEED.format(-4.0, ""), SPEED_WIRES, stop=15.0)
    np.testing.assert_allclose(found["winch.length"], -times, atol=1e-9)
    assert found["winch.stop_force"].max() == 0.0
    assert not run.remarks


def test_hooks_between_frames_of_one_body_do_not_meet() -> None:
    """Sheaves that stand close together on a boom have no stop between them."""
    text = """
luff: 1
blocks:
  left: {type: fixed, at: [0, 0, 5]}
  right: {type: fixed, at: [0.05, 0, 5]}
  slide: {type: prismatic, axis: z, initial: {position: 0}}
  load: {type: rigid_link, mass: 10, inertia: [1, 1, 1]}
  rope: {type: rope, EA: 1e5, through: 2, length: 10.05}
connect:
  - world.frame -- left.frame_a
  - world.frame -- right.frame_a
  - world.frame -- slide.frame_a
  - slide.frame_b -- load.frame_a
  - world.frame -- rope.frame_a
  - left.frame_b -- rope.sheave_1
  - right.frame_b -- rope.sheave_2
  - load.frame_a -- rope.frame_b
"""
    assert luff.compile(luff.loads(text)).evaluate()["rope.stop_force"] == 0.0
