"""Contact with a plane: impacts, friction, rolling and tipping, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import luff

G = 9.81


def falling(
    law: str, speed: float, gravity: float = 0.0, step: float = 1e-5, stop: float = 0.2
) -> luff.Result:
    """A point mass of 2 kg on a vertical slide that meets the ground at that speed."""
    text = f"""
luff: 1
blocks:
  world: {{gravity: [0, 0, {-gravity!r}]}}
  slide: {{type: prismatic, axis: z, initial: {{position: 1e-3, velocity: {-speed!r}}}}}
  mass: {{type: rigid_link, mass: 2, inertia: [1, 1, 1]}}
  ground: {{type: contact, law: {law}}}
connect: [world.frame -- slide.frame_a, slide.frame_b -- mass.frame_a, world.frame -- ground.plane,
          mass.frame_a -- ground.of]
simulation: {{stop: {stop}, step: {step}, output_step: {step}}}
"""
    return luff.compile(luff.loads(text)).run()


@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_impact_comes_back_as_hunt_and_crossley_say(exponent: float) -> None:
    """m v dv = -k s^n (1 + c v) ds leaves c v - ln(1 + c v) the same before and after, whatever k and n."""
    c, speed = 0.4, 1.2
    found = falling(f"{{stiffness: 1e5, exponent: {exponent}, dissipation: {c}}}", speed)
    before = c * speed - math.log1p(c * speed)
    back = brentq(lambda v: -c * v - math.log1p(-c * v) - before, 1e-6, speed)
    # the steps at which it touches and leaves are taken in eight parts
    assert found["slide.velocity"][-1] == pytest.approx(back, rel=1e-6)
    energy = found.quality["energy"]
    assert energy["relative_residual"] < 1e-8
    assert energy["dissipated"] == pytest.approx(speed**2 - back**2, rel=1e-6)
    assert found["ground.normal_force"].min() == 0.0
    assert set(found["ground.touching"]) == {0.0, 1.0}


def test_depth_of_an_undamped_impact_follows_from_energy() -> None:
    speed, k, n = 0.5, 1e6, 1.5
    found = falling(f"{{stiffness: {k}, exponent: {n}, dissipation: 0}}", speed, G)

    def missing(s: float) -> float:
        return 0.5 * 2.0 * speed**2 + 2.0 * G * (1e-3 + s) - k * s ** (n + 1) / (n + 1)

    # between two samples of 10 us near the turning point
    assert found["ground.depth"].max() == pytest.approx(brentq(missing, 0.0, 0.1), rel=1e-5)
    assert found.quality["energy"]["relative_residual"] < 1e-8


@pytest.mark.parametrize(("method", "step"), [("rk4", 1e-4), ("rk4", 1e-3), ("implicit", 1e-3)])
def test_block_on_a_slope_sticks_below_its_angle_of_friction_and_slides_above(
    method: str, step: float
) -> None:
    mu, k = 0.5, 1e5

    def run(degrees: float, speed: float) -> luff.Result:
        sim = luff.compile(
            luff.loads(f"""
luff: 1
blocks:
  slope: {{type: fixed, rotate: [[y, {degrees} deg]]}}
  along: {{type: prismatic, axis: x, initial: {{velocity: {speed}}}}}
  across: {{type: prismatic, axis: z, initial: {{position: {-3.0 * G * math.cos(math.radians(degrees)) / k!r}}}}}
  block: {{type: rigid_link, mass: 3, inertia: [1, 1, 1]}}
  ground: {{type: contact, law: {{stiffness: {k}, dissipation: 2}}, friction: {{mu: {mu}, damping: 500}}}}
connect: [world.frame -- slope.frame_a, slope.frame_b -- along.frame_a, along.frame_b -- across.frame_a,
          across.frame_b -- block.frame_a, slope.frame_b -- ground.plane, block.frame_a -- ground.of]
simulation: {{stop: 2, step: {step}, output_step: 0.01, method: {method}}}
""")
        )
        return sim.run()

    angle = math.radians(15.0)
    stuck = run(15.0, 0.0)
    # bent by its weight along the slope over the stiffness, and still to the last bit of what is left of the start
    assert stuck["along.position"][-1] == pytest.approx(3.0 * G * math.sin(angle) / k, rel=1e-9)
    assert np.ptp(stuck["along.position"][stuck.time > 1.0]) < 1e-15
    thrown = run(15.0, 1.0)
    slows = G * (mu * math.cos(angle) - math.sin(angle))
    # v^2 / 2 a, and at most the bristle's mu N / k to and fro, and a step
    bent = mu * 3.0 * G / k
    assert thrown["along.position"][-1] == pytest.approx(0.5 / slows, abs=2.0 * bent + step)
    assert np.ptp(thrown["along.position"][thrown.time > 1.5]) < 1e-12
    energy = thrown.quality["energy"]
    # all that it had is lost; it begins at 1 m/s, seven times the bristle's bend in a step of 1 ms
    assert energy["relative_residual"] < (5e-4 if step < 1e-3 else 1e-2)
    steep = run(35.0, 0.0)
    late = steep.time > 0.5
    rate = np.polyfit(steep.time[late], steep["along.velocity"][late], 1)[0]
    angle = math.radians(35.0)
    assert rate == pytest.approx(G * (math.sin(angle) - mu * math.cos(angle)), rel=1e-9)


def test_sphere_that_slides_ends_rolling_at_five_sevenths() -> None:
    m, radius, speed = 1.5, 0.2, 2.0
    inertia = 0.4 * m * radius**2
    left = radius - m * G / 1e5  # of the radius: the ball sinks in
    sim = luff.compile(
        luff.loads(f"""
luff: 1
blocks:
  free: {{type: free, initial: {{position: [0, 0, {left!r}], velocity: [{speed}, 0, 0]}}}}
  ball: {{type: rigid_link, mass: {m}, inertia: [{inertia!r}, {inertia!r}, {inertia!r}]}}
  ground: {{type: contact, radius: {radius}, law: {{stiffness: 1e5, dissipation: 2}},
            friction: {{mu: 0.3}}}}
connect: [world.frame -- free.frame_a, free.frame_b -- ball.frame_a, world.frame -- ground.plane,
          ball.frame_a -- ground.of]
simulation: {{stop: 1.5, step: 1e-4, method: implicit, output_step: 0.01}}
""")
    )
    found = sim.run()
    # five sevenths, but for the depth to which the ball sinks in: it rolls on what is left of its radius
    rolling = speed / (1.0 + inertia / (m * left**2))
    assert rolling == pytest.approx(5.0 / 7.0 * speed, rel=1e-3)
    # the slip that is left fades with the slip speed, 1e-4 m/s
    assert found["free.velocity"][-1, 0] == pytest.approx(rolling, abs=1e-4)
    assert found["free.angular_velocity"][-1, 1] * left == pytest.approx(rolling, abs=1e-4)
    # until then it slows down by mu g
    sliding = (found.time > 0.05) & (found.time < 0.15)
    slope = np.polyfit(found.time[sliding], found["free.velocity"][sliding, 0], 1)[0]
    assert slope == pytest.approx(-0.3 * G, rel=1e-3)


def wedge(friction: str, method: str) -> luff.Result:
    """A block of 5 kg on the slope of a wedge of 30 kg that slides on the ground without friction."""
    return luff.compile(
        luff.loads(f"""
luff: 1
blocks:
  rail: {{type: prismatic, axis: x}}
  wedge: {{type: rigid_link, mass: 30, inertia: [1, 1, 1], frame_b: {{at: [0, 0, 0], rotate: [[y, 25 deg]]}}}}
  free: {{type: free}}
  block: {{type: rigid_link, mass: 5, inertia: [0.1, 0.1, 0.1]}}
  slope: {{type: contact, law: {{stiffness: 1e6, dissipation: 5}}{friction}}}
connect: [world.frame -- rail.frame_a, rail.frame_b -- wedge.frame_a, world.frame -- free.frame_a,
          free.frame_b -- block.frame_a, wedge.frame_b -- slope.plane, block.frame_a -- slope.of]
simulation: {{stop: 1, step: 1e-4, method: {method}, output_step: 0.01}}
""")
    ).run()


@pytest.mark.parametrize(("mu", "method"), [(0.0, "rk4"), (0.2, "implicit")])
def test_plane_that_gives_way_to_a_sliding_block(mu: float, method: str) -> None:
    """Newton for both: m (A + s d) = N n - mu N d - m g, M A = -N n_x + mu N d_x, along the slope d and across it n."""
    found = wedge(f", friction: {{mu: {mu}}}" if mu else "", method)
    m, M, c, s = 5.0, 30.0, math.cos(math.radians(25.0)), math.sin(math.radians(25.0))
    A, _, normal = np.linalg.solve(
        [[m, m * c, mu * c - s], [0.0, -m * s, -c - mu * s], [M, 0.0, s - mu * c]], [0.0, -m * G, 0.0]
    )
    late = found.time > 0.4  # the block has sunk in and rests across the slope
    assert np.polyfit(found.time[late], found["rail.velocity"][late], 1)[0] == pytest.approx(A, rel=1e-7)
    assert found["slope.normal_force"][-1] == pytest.approx(normal, rel=1e-8)
    momentum = M * found["rail.velocity"] + m * found["free.velocity"][:, 0]
    assert np.abs(momentum).max() < 1e-11
    # order 3 where the block meets the slope, and where it begins to slide
    assert found.quality["energy"]["relative_residual"] < (1e-8 if mu == 0.0 else 2e-5)


CRANE = """
luff: 1
parameters: {{reach: {reach}, load: {load}}}
blocks:
  free: {{type: free, initial: {{position: [0, 0, 0]}}}}
  chassis:
    type: rigid_link
    mass: 20 t
    com: [0, 0, 1]
    inertia: [40 t*m^2, 90 t*m^2, 100 t*m^2]
    frames: {{a: {{at: [2, 2, 0]}}, b: {{at: [2, -2, 0]}}, c: {{at: [-3, 2, 0]}}, d: {{at: [-3, -2, 0]}},
              hook: {{at: [=reach, 0, 3]}}}}
  weight: {{type: rigid_link, mass: =load, inertia: [10, 10, 10]}}
  a: {{type: contact, law: {{stiffness: 1e7, dissipation: 20}}, friction: {{mu: 0.6}}}}
  b: {{type: contact, law: {{stiffness: 1e7, dissipation: 20}}, friction: {{mu: 0.6}}}}
  c: {{type: contact, law: {{stiffness: 1e7, dissipation: 20}}, friction: {{mu: 0.6}}}}
  d: {{type: contact, law: {{stiffness: 1e7, dissipation: 20}}, friction: {{mu: 0.6}}}}
connect:
  - world.frame -- free.frame_a
  - free.frame_b -- chassis.frame_a
  - chassis.hook -- weight.frame_a
"""


def outriggers(reach: float, load: float, stop: float) -> luff.Result:
    text = CRANE.format(reach=reach, load=load)
    for name in "abcd":
        text += f"  - world.frame -- {name}.plane\n  - chassis.{name} -- {name}.of\n"
    text += f"simulation: {{stop: {stop}, step: 1e-3, output_step: 0.01}}\n"
    return luff.compile(luff.loads(text)).run()


def test_mobile_crane_stands_as_statics_says_and_tips_beyond() -> None:
    """Moments about the front outriggers: 20 t at 2 m hold a load of 5 t out to 8 m beyond them."""
    reach, load = 8.0, 5000.0
    found = outriggers(reach, load, 4.0)
    front = rear = tilt = 0.0
    for _ in range(5):  # the outriggers give way: what stands high moves forward with the tilt
        ahead = 20000.0 * (2.0 - tilt) + load * (2.0 - reach - 3.0 * tilt)
        rear = G * ahead / 5.0 / 2.0
        front = G * (20000.0 + load) / 2.0 - rear
        tilt = (front - rear) / 1e7 / 5.0
    wanted = {"a": front, "b": front, "c": rear, "d": rear}
    for name, force in wanted.items():
        # small angles: squares of a tilt of 2 mrad are left out
        assert found[f"{name}.normal_force"][-1] == pytest.approx(force, rel=1e-4)
    # short of the limit by what its fall onto the outriggers at the start takes
    assert outriggers(9.4, load, 3.0)["c.touching"][-1] == 1.0
    tipped = outriggers(10.1, load, 3.0)
    assert tipped["c.touching"][-1] == 0.0
    assert tipped["a.touching"][-1] == 1.0
