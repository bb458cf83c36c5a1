"""Ropes over sheaves and drums, against closed forms, and their ledger of energy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import luff

G = 9.81
MASS, EA, LENGTH = 200.0, 2e6, 10.0


def hoist(
    rope: str, extra: str = "", wires: str = "", start: str = "position: -10", stop: float = 2.0
) -> luff.Result:
    """A load on a vertical slide, hung from the origin by a rope."""
    text = f"""
luff: 1
blocks:
  slide: {{type: prismatic, axis: z, initial: {{{start}}}}}
  load: {{type: rigid_link, mass: {MASS}, inertia: [10, 10, 10]}}
  rope: {{type: rope, EA: {EA}, {rope}}}
  {extra}
connect: [world.frame -- slide.frame_a, slide.frame_b -- load.frame_a, world.frame -- rope.frame_a,
          load.frame_a -- rope.frame_b{wires}]
simulation: {{stop: {stop}, step: 5e-4, output_step: 5e-3}}
"""
    return luff.compile(luff.loads(text)).run()


@pytest.mark.parametrize("falls", [1, 4])
def test_load_swings_on_its_rope_as_on_a_spring(falls: int) -> None:
    """n falls of together n l: the stiffness is n EA / l."""
    found = hoist(f"length: {falls * LENGTH}, reeving: {falls}")
    k = falls * EA / LENGTH
    w, sag = math.sqrt(k / MASS), MASS * G / k
    # z runs from -10 about -10 - sag; the rope is taut all the time. RK4: (w h)^5 / 120 a step, 4000 of them
    np.testing.assert_allclose(
        found["slide.position"], -LENGTH - sag * (1.0 - np.cos(w * found.time)), atol=2e-7
    )
    assert found["rope.tension"].max() == pytest.approx(2.0 * MASS * G / falls, rel=1e-3)
    assert found.quality["newton_euler_residual"] < 1e-9


def test_drum_lifts_and_the_ledger_closes_with_what_it_stores() -> None:
    """Work of the drum = change of the load's energies + of the rope's + what is wound on, stretched."""
    extra = """drum: {type: ramp, slope: 3, duration: 1.0}
  winch: {type: winch, radius: 0.25, rope_diameter: 0.02, turns: 10, wound: 5}
  work: {type: product, operations: "**"}
  spent: {type: integrator}
  on: {type: expression, inputs: [T, v], constants: {EA: 2e6}, expr: T*T/(2*EA)*v/(1 + T/EA)}
  stored: {type: integrator}"""
    wires = (
        ", drum.y -> winch.velocity, rope.tension -> winch.tension, winch.take_up -> rope.take_up, "
        "winch.torque -> work.u1, drum.y -> work.u2, work.y -> spent.u, rope.tension -> on.T, "
        "winch.take_up -> on.v, on.y -> stored.u"
    )
    found = hoist(f"length: {LENGTH}", extra, wires, stop=3.0)
    v, z = found["slide.velocity"], found["slide.position"]
    load = 0.5 * MASS * v**2 + MASS * G * (z - z[0])
    rope = found["rope.energy"] - found["rope.energy"][0]
    spent = -found["spent.y"]
    assert spent[-1] > 3000.0
    assert found["stored.y"][-1] > 1e-4 * spent[-1]  # without it the ledger would be off by this
    np.testing.assert_allclose(load + rope + found["stored.y"], spent, atol=1e-8 * spent[-1])
    # the drum's layers: what is on it fills its cross-section
    W, r = found["winch.length"], found["winch.layer_radius"]
    np.testing.assert_allclose(math.pi * (r**2 - 0.25**2) * 10 * 0.02, W * 0.02**2, rtol=1e-12)


def test_two_loads_over_a_sheave_move_as_atwoods() -> None:
    sim = luff.compile(
        luff.loads("""
luff: 1
blocks:
  sheave: {type: fixed, at: [1, 0, 5]}
  left: {type: prismatic, axis: z, initial: {position: 0}}
  right: {type: prismatic, axis: z, initial: {position: 0}}
  a: {type: rigid_link, mass: 30, inertia: [1, 1, 1]}
  b: {type: rigid_link, mass: 50, inertia: [1, 1, 1]}
  near: {type: fixed, at: [1, 0, 0]}
  rope: {type: rope, EA: 1e6, damping: 0.02, through: 1, length: 10}
connect:
  - world.frame -- near.frame_a
  - near.frame_b -- left.frame_a
  - left.frame_b -- a.frame_a
  - near.frame_b -- right.frame_a
  - right.frame_b -- b.frame_a
  - world.frame -- sheave.frame_a
  - a.frame_a -- rope.frame_a
  - sheave.frame_b -- rope.sheave_1
  - b.frame_a -- rope.frame_b
simulation: {stop: 0.8, step: 1e-4, output_step: 1e-3}
""")
    )
    found = sim.run()
    late = found.time > 0.3
    slope = np.polyfit(found.time[late], found["left.velocity"][late], 1)[0]
    # the strain stays as it is, and the ringing of the start has died out
    assert slope == pytest.approx(G * 20.0 / 80.0, rel=1e-5)
    assert found["rope.tension"][-1] == pytest.approx(2.0 * 30.0 * 50.0 / 80.0 * G, rel=1e-5)


def test_slack_rope_pulls_nothing_and_catches_again() -> None:
    found = hoist("length: 10, damping: 0.01", start="position: -10, velocity: 3", stop=1.0)
    back = 2.0 * 3.0 / G  # free flight up and down
    free = (found.time > 1e-9) & (found.time < back - 1e-9)
    assert (found["rope.tension"][free] == 0.0).all()
    np.testing.assert_allclose(
        found["rope.slack"][free], 3.0 * found.time[free] - 0.5 * G * found.time[free] ** 2, atol=1e-9
    )
    caught = found["rope.tension"][found.time > back + 0.01]
    assert caught.max() > 2.0 * MASS * G
    # no kick: from one row to the next, 5 ms apart, tension grows by no more than the speed of 3 m/s explains
    k = EA / LENGTH
    assert np.abs(np.diff(found["rope.tension"])).max() < k * 3.0 * (5e-3 + 0.01) * 1.2


def test_hoisting_over_a_boom_that_luffs() -> None:
    """Drum at rest: rope from the foot over the boom's tip to the load. T = m g once it hangs still."""
    sim = luff.compile(
        luff.loads("""
luff: 1
blocks:
  foot: {type: fixed, at: [-1, 0, 0]}
  luff: {type: motion_law, start_value: -30 deg, end_value: -60 deg, duration: 4, unit: rad}
  boom: {type: revolute, axis: y, driven: true}
  jib: {type: rigid_link, mass: 300, com: [4, 0, 0], inertia: [10, 1000, 1000], frame_b: {at: [8, 0, 0]}}
  free: {type: free, initial: {position: [6.9282, 0, -2]}}
  load: {type: rigid_link, mass: 500, inertia: [10, 10, 10]}
  rope: {type: rope, EA: 1e7, damping: 0.02, through: 1, length: 14.85}
  drag: {type: bushing, stiffness: [0, 0, 0], damping: [400, 400, 400]}
connect:
  - world.frame -- foot.frame_a
  - world.frame -- boom.frame_a
  - luff.y -> boom.follow
  - boom.frame_b -- jib.frame_a
  - world.frame -- free.frame_a
  - free.frame_b -- load.frame_a
  - foot.frame_b -- rope.frame_a
  - jib.frame_b -- rope.sheave_1
  - load.frame_a -- rope.frame_b
  - world.frame -- drag.frame_a
  - load.frame_a -- drag.frame_b
simulation: {stop: 25, step: 1e-3, output_step: 0.05}
""")
    )
    found = sim.run()
    assert found["rope.tension"][-1] == pytest.approx(500.0 * G, rel=1e-4)
    tip = np.array([8.0 * math.cos(math.radians(60)), 8.0 * math.sin(math.radians(60))])
    natural = 14.85 * (1.0 + 500.0 * G / 1e7)
    below = natural - math.hypot(tip[0] + 1.0, tip[1])
    assert found["free.position"][-1, 2] == pytest.approx(tip[1] - below, abs=1e-4)
    assert found.quality["newton_euler_residual"] < 1e-9
