"""Supports that only push: lift-off and tipping against statics, bounces against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import fsolve

import luff
from luff.blocks import CompileError, NetlistError
from luff.solver.diagram.composite_types import LIBRARY

G = 9.81
MASS, COM, HALF, K = 20e3, 1.2, 2.0, 2e7
REACH, HEIGHT = 8.0, 6.0


def crane(load: float, solve: str = "static", extra: str = "") -> luff.Simulation:
    """A crane in a plane: two outriggers, a load beside them."""
    return luff.compile(
        luff.loads(f"""
luff: 1
blocks:
  stand:
    type: base_support
    mass: {MASS}
    com: [0, 0, {COM}]
    inertia: [6e4, 6e4, 6e4]
    coordinates: [z, theta]
    one_sided: true
    supports:
      - {{at: [{HALF}, 0, 0], stiffness: [0, 0, {K}], damping: [0, 0, 4e5]}}
      - {{at: [{-HALF}, 0, 0], stiffness: [0, 0, {K}], damping: [0, 0, 4e5]}}
    frame_b: {{at: [{REACH}, 0, {HEIGHT}]}}
    {extra}
  weight: {{type: rigid_link, mass: {load!r}, inertia: [1, 1, 1]}}
connect: [world.frame -- stand.frame_a, stand.frame_b -- weight.frame_a]
initial: {{solve: {solve}}}
simulation: {{stop: 4, step: 1e-3, output_step: 0.01}}
""")
    )


def tipping() -> tuple[float, float]:
    """Load and lean at which the outrigger behind carries nothing: all stands on the one in front."""

    def left(unknown: np.ndarray) -> list[float]:
        load, lean = unknown[0] * 1e3, unknown[1]
        front = K * 2.0 * HALF * math.sin(lean)
        moved = REACH * math.cos(lean) + HEIGHT * math.sin(lean)
        return [
            front / G / 1e3 - (MASS + load) / 1e3,
            (front * HALF * math.cos(lean) / G - MASS * COM * math.sin(lean) - load * moved) / 1e3,
        ]

    found: Any = fsolve(left, [6.0, 3e-3], xtol=1e-14)
    load, lean = found
    return float(load * 1e3), float(lean)


def test_crane_tips_at_the_load_of_statics() -> None:
    load, lean = tipping()
    # rigid outriggers would bear 20 t at 2 m against 6 m
    assert load == pytest.approx(MASS * HALF / (REACH - HALF), rel=0.02)
    below = crane(load * (1.0 - 1e-5)).evaluate()
    assert 0.0 < below["stand.force_2[2]"] < 1e-3 * below["stand.force_1[2]"]
    assert below["stand.lifted_2"] == 0.0
    assert below["stand.theta"] == pytest.approx(lean, rel=1e-4)
    with pytest.raises(CompileError):  # beyond it there is no rest
        crane(load * (1.0 + 1e-4))


def test_run_tips_beyond_it_and_says_what_lifts() -> None:
    load, _ = tipping()
    start = crane(load * 0.99).evaluate()
    tipped = crane(
        load * 1.02, "assemble", f"initial: {{z: {start['stand.z']!r}, theta: {start['stand.theta']!r}}}"
    )
    session = tipped.start()
    while session.advance() == "running":
        pass
    rows = dict(zip(session.columns, session.take()[1][-1], strict=True))
    assert (rows["stand.lifted_1"], rows["stand.lifted_2"]) == (0.0, 1.0)
    assert rows["stand.theta"] > 0.05
    (note,) = [each for each in session.remarks if "lifts" in each.message]
    assert note.path == "stand"
    assert note.message.startswith("the support 2 carried at the start, and lifts at t = ")
    assert note.message.endswith(" s: the others carry its share from there, until the base tips")


def block(z: float, push: float, ramp: float = 0.0) -> luff.Simulation:
    """A block on one support, which may slide along x; something pushes it, at once or more and more."""
    return luff.compile(
        luff.loads(f"""
luff: 1
blocks:
  stand: {{type: base_support, mass: 3, inertia: [1, 1, 1], coordinates: [x, z], one_sided: true, grip: 0.4,
           supports: [{{at: [0, 0, 0], stiffness: [1e5, 1e5, 3e4], damping: [300, 300, 0]}}],
           initial: {{x: 0, z: {z!r}}}}}
  grows: {{type: table, data: [[0, {0.0 if ramp else push}], [{ramp or 1.0}, {push}]]}}
  none: {{type: constant, value: 0}}
  hand: {{type: mux, sizes: [1, 1, 1]}}
  shove: {{type: applied_force}}
connect: [world.frame -- stand.frame_a, stand.frame_b -- shove.frame_b, hand.y -> shove.force,
          grows.y -> hand.u1, none.y -> hand.u2, none.y -> hand.u3]
simulation: {{stop: 0.6, step: 1e-3, events: locate}}
""")
    )


def test_undamped_bounce_is_as_high_and_lasts_as_long_as_by_pencil() -> None:
    found = block(0.1, 0.0).run()
    w, speed = math.sqrt(3e4 / 3.0), math.sqrt(2.0 * G * 0.1)
    fall = speed / G
    # z = -(g/w^2) (1 - cos) - (speed/w) sin, until it is zero again
    touch = (2.0 * math.pi - 2.0 * math.atan2(speed / w, G / w**2)) / w
    t = found.time
    flight = (t > fall + touch) & (t < 2.0 * fall + touch)
    wanted = speed * (t - fall - touch) - 0.5 * G * (t - fall - touch) ** 2
    # RK4 in the contact: (w h)^5 / 120 a step, and 32 of them
    np.testing.assert_allclose(found["stand.z"][flight], wanted[flight], atol=2e-7)
    assert found.quality["energy"]["relative_residual"] < 3e-6
    assert set(found["stand.lifted_1"]) == {0.0, 1.0}


def test_force_across_is_held_by_the_grip_and_no_more() -> None:
    weight, rest = 3.0 * G, -3.0 * G / 3e4
    held = block(rest, 0.9 * 0.4 * weight, 0.2).run()
    assert held["stand.x"][-1] == pytest.approx(0.9 * 0.4 * weight / 1e5, rel=1e-6)
    slides = block(rest, 20.0).run()
    assert slides.quality["newton_euler_residual"] < 1e-9
    rate = np.diff(slides["stand.x_rate"][-100:]) / 1e-3
    np.testing.assert_allclose(rate, (20.0 - 0.4 * weight) / 3.0, rtol=1e-8)
    # the step in which it breaks loose costs its order
    assert slides.quality["energy"]["relative_residual"] < 2e-6


def test_one_sided_and_linearised_are_refused_together() -> None:
    with pytest.raises(NetlistError, match="one_sided with linearised"):
        crane(1000.0, extra="linearised: true")


def test_library_crane_lifts_and_says_so() -> None:
    sim = luff.compile(LIBRARY / "crane_on_outriggers.yaml")
    session = sim.start()
    while session.advance() == "running":
        pass
    assert session.status == "finished"
    assert [note for note in session.remarks if "carried at the start, and lifts" in note.message]
    light = luff.compile(LIBRARY / "crane_on_outriggers.yaml", **{"parameters.load": "4 t"}).start()
    while light.advance() == "running":
        pass
    assert light.remarks == []
