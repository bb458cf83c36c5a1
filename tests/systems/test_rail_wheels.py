"""Wheels on rails: laws of creep, grip at rest, energy, shafts, guides with play, and a gantry that runs askew."""

from __future__ import annotations

import math

import numpy as np
import pytest

import luff
from luff.blocks import NetlistError

G = 9.81
N = 1e5  # load of a wheel at a depth of 1 mm [N]
MU, XI = 0.3, 0.004


def compiled(text: str, **values: float) -> luff.Simulation:
    return luff.compile(luff.loads(text), **values)


def towed(wheel: str, speed: float = 1.0, stop: float = 1.0) -> str:
    """A wheel that is drawn along its rail at a speed and pressed on it by N."""
    return f"""
luff: 1
blocks:
  track: {{type: prismatic, axis: x, driven: true}}
  path: {{type: table, data: [[0, 0], [10, {10 * speed}]], unit: m, interpolation: linear}}
  axle: {{type: rigid_link, mass: 100}}
  low: {{type: fixed, at: [0, 0, -1 mm]}}
  wheel: {{type: rail_wheel, {wheel}}}
connect: [world.frame -- track.frame_a, track.frame_b -- axle.frame_a, axle.frame_a -- low.frame_a,
          world.frame -- wheel.frame_a, low.frame_b -- wheel.frame_b, path.trajectory -> track.follow]
simulation: {{stop: {stop}, step: 1e-3, method: rk4}}
"""


@pytest.mark.parametrize("speed", [1.0, -0.5])
@pytest.mark.parametrize("skew", [5e-4, 2e-3, -3.9e-3, 8e-3])
@pytest.mark.parametrize("law", ["linear", "exponential"])
def test_skewed_wheel_has_the_creep_force_of_its_law(law: str, skew: float, speed: float) -> None:
    run = compiled(towed(f"skew: {skew!r}, creep: {{law: {law}}}", speed, stop=1.5 / abs(speed))).run()
    share = abs(math.tan(skew)) / XI
    share = min(share, 1.0) if law == "linear" else 1.0 - math.exp(-share)
    # the wheel slides to its right where it is turned to the left: the rail pushes it to the left
    force = math.copysign(MU * N * share, skew * speed)
    # 1.5 m of rolling against the relaxation length of mu N / (k xi_0) = 75 mm leave exp(-1.5/0.075) of it, and more
    # from 95 % of mu N on, where a part of the motion slips
    assert run["wheel.lateral_force"][-1] == pytest.approx(force, rel=1e-5)
    assert run["wheel.grip_ratio"][-1] == pytest.approx(share, rel=1e-5)
    assert run["wheel.normal_force"][-1] == pytest.approx(N, rel=1e-12)
    assert run["wheel.longitudinal_force"][-1] == 0.0
    np.testing.assert_allclose(run["wheel.place"], speed * run.time, atol=1e-12)


def test_force_follows_over_a_rolled_way() -> None:
    """Linear creep: F = F_steady (1 - exp(-way/L)), L = mu N / (k xi_0), at any speed."""
    for speed in (0.2, 2.0):
        run = compiled(towed("skew: 1e-3, creep: {law: linear, stiffness: 2e8}", speed)).run()
        steady, length = MU * N * math.tan(1e-3) / XI, MU * N / (2e8 * XI)
        # the wheel's way is 1/cos(1e-3) of the track's; rk4 at h V / L <= 0.053: (h V / L)^4 / 120
        expected = steady * (1.0 - np.exp(-speed * run.time / length))
        np.testing.assert_allclose(run["wheel.lateral_force"], expected, atol=1e-6 * steady)


def test_force_turns_round_with_the_way() -> None:
    """Rolled ahead for 1 s and back: from one steady force to the other over the same length."""
    there = towed("skew: 1e-3, creep: {law: linear, stiffness: 2e8}", stop=2.0)
    run = compiled(there.replace("data: [[0, 0], [10, 10.0]]", "data: [[0, 0], [1, 1], [2, 0]]")).run()
    steady, length = MU * N * math.tan(1e-3) / XI, MU * N / (2e8 * XI)
    t, back = run.time, run.time > 1.0
    turned = steady * (1.0 - math.exp(-1.0 / length))
    expected = np.where(back, (turned + steady) * np.exp((1.0 - t) / length) - steady, 0.0)
    expected[~back] = steady * (1.0 - np.exp(-t[~back] / length))
    np.testing.assert_allclose(run["wheel.lateral_force"], expected, atol=2e-6 * steady)
    # the contact takes F s, gives back what bends it while the force turns round, and loses the rest
    taken = float(np.trapezoid(run["wheel.lateral_force"] * np.where(back, -1.0, 1.0) * math.sin(1e-3), t))
    left = taken - 0.5 * run["wheel.lateral_force"][-1] ** 2 / 2e8
    # rows of 1 ms joined by straight lines, (h V / L)^2 / 12 = 6e-5; the row at the turn has one of two speeds
    assert run.quality["energy"]["dissipated"] == pytest.approx(left, rel=2e-3)


def standing(push: float, extra: str = "") -> str:
    """A mass of 10 t on one wheel, held upright, pushed sideways."""
    return f"""
luff: 1
blocks:
  side: {{type: prismatic, axis: y}}
  up: {{type: prismatic, axis: z, initial: {{position: {-10e3 * G / 1e8!r}}}}}
  crane: {{type: rigid_link, mass: 10 t}}
  wheel: {{type: rail_wheel, stiffness: 1e8{extra}}}
  push: {{type: constant, value: [0, {push!r}, 0]}}
  wind: {{type: applied_force}}
connect: [world.frame -- side.frame_a, side.frame_b -- up.frame_a, up.frame_b -- crane.frame_a,
          world.frame -- wheel.frame_a, crane.frame_a -- wheel.frame_b, push.y -> wind.force,
          crane.frame_a -- wind.frame_b]
simulation: {{stop: 1, step: 1e-3}}
"""


def test_wheel_at_rest_holds_sideways_and_slips_at_its_limit() -> None:
    limit = MU * 10e3 * G
    held = compiled(standing(0.45 * limit)).run()  # the force swings up to twice the push
    swing = 0.45 * limit / 1e8 * (1.0 - np.cos(100.0 * held.time))
    # rk4 at w h = 0.1: a phase of (w h)^5 / 120 a step, 1e3 steps
    np.testing.assert_allclose(held["side.position"], swing, atol=1e-3 * limit / 1e8)
    slid = compiled(standing(1.5 * limit)).run()
    assert slid["wheel.grip_ratio"][-1] == pytest.approx(1.0)
    gained = slid["side.velocity"][-1] - slid["side.velocity"][500]
    assert gained == pytest.approx(0.5 * 0.5 * limit / 10e3, rel=1e-9)


def test_rollers_push_beyond_their_play_alone() -> None:
    """A mass that bounces between two rollers: 2 play/v of flight and pi sqrt(m/k) of contact a side."""
    text = """
luff: 1
blocks:
  side: {type: prismatic, axis: y, initial: {position: 0, velocity: 0.1}}
  crane: {type: rigid_link, mass: 1000}
  guide: {type: guide_roller, play: 5 mm, stiffness: 1e7}
connect: [world.frame -- side.frame_a, side.frame_b -- crane.frame_a, world.frame -- guide.frame_a,
          crane.frame_a -- guide.frame_b]
simulation: {stop: 2, step: 5e-4, events: locate, output_step: 5e-4}
"""
    run = compiled(text).run()
    flight, contact = 0.01 / 0.1, math.pi * math.sqrt(1000 / 1e7)
    period = 2.0 * (flight + contact)
    t = (run.time + 0.5 * flight) % period
    back = t >= flight + contact
    t = np.where(back, t - flight - contact, t)
    sine = 0.1 / 100.0 * np.sin(np.clip(100.0 * (t - flight), 0.0, math.pi))
    place = np.where(t < flight, -0.005 + 0.1 * t, 0.005 + sine)
    np.testing.assert_allclose(run["guide.offset"], np.where(back, -place, place), atol=2e-7)
    push = np.where(back, 1.0, -1.0) * 1e7 * np.where(t > flight, sine, 0.0)
    np.testing.assert_allclose(run["guide.guide_force"], push, atol=5.0)  # 1e7 N/m times that
    # steps end within 1e-6 of a step behind a touch, at 0.1 m/s
    assert run.quality["energy"]["relative_residual"] < 1e-6


def test_damper_of_a_guide_never_pulls() -> None:
    """Pressed against the left roller and thrown away from it: it flies at once."""
    text = """
luff: 1
blocks:
  side: {type: prismatic, axis: y, initial: {position: 0.3, velocity: -5}}
  crane: {type: rigid_link, mass: 1000}
  guide: {type: guide_roller, play: 0.2, stiffness: 1e5, damping: 1e6}
connect: [world.frame -- side.frame_a, side.frame_b -- crane.frame_a, world.frame -- guide.frame_a,
          crane.frame_a -- guide.frame_b]
simulation: {stop: 0.09, step: 1e-3}
"""
    run = compiled(text).run()
    np.testing.assert_allclose(run["guide.offset"], 0.3 - 5.0 * run.time, atol=1e-12)
    assert not run["guide.guide_force"].any()
    # its spring's energy of 0.5 * 1e5 * 0.1^2 is lost in the damper
    assert run.quality["energy"]["dissipated"] == pytest.approx(500.0, rel=1e-6)


AXES = {"front": 2.0, "rear": -2.0}
SIDES = {"right": -10.0, "left": 10.0}


def gantry(
    angle: float,
    guide: float | None = 2.8,
    law: str = "linear",
    coupled: bool = False,
    com: float = 0.0,
    simulation: str = "stop: 1, step: 1e-3",
    speed: float = 0.25,
) -> str:
    """A gantry of 40 t, 20 m wide, on four wheels 4 m apart; rollers at x = `guide` of its right leg touch at first.

    At 0.25 m/s inertia is no part of the balance: (v/h)^2 times 6e6 kg m^2 about the guide is 1e-3 of its moments.
    """
    blocks, wires, half = [], [], 0.25 * 40e3 * G
    for side, y in SIDES.items():
        blocks.append(f"  {side}_rail: {{type: fixed, at: [0, {y}, 0]}}")
        wires.append(f"world.frame -- {side}_rail.frame_a")
        for axis, x in AXES.items():
            name = f"{axis}_{side}"
            shaft = ", driven: true" if coupled else ""
            blocks += [
                f"  at_{name}: {{type: fixed, at: [{x}, {y}, 0]}}",
                f"  {name}: {{type: rail_wheel, damping: 1e5, creep: {{law: {law}, stiffness: 1e9}}{shaft}}}",
            ]
            wires += [
                f"gantry.frame_a -- at_{name}.frame_a",
                f"{side}_rail.frame_b -- {name}.frame_a",
                f"at_{name}.frame_b -- {name}.frame_b",
            ]
            if coupled:
                wires.append(f"{axis}_shaft.shaft -- {name}.shaft")
    if coupled:
        start = f"initial_speed: {speed / 0.3!r}"
        blocks += [f"  {axis}_shaft: {{type: shaft_inertia, inertia: 20, {start}}}" for axis in AXES]
    if guide is not None:
        rollers = "stiffness: 1e9, damping: 1e6"
        blocks += [
            f"  at_guide: {{type: fixed, at: [{guide}, -10, 0]}}",
            f"  guide: {{type: guide_roller, play: {abs(guide) * math.sin(angle)!r}, {rollers}}}",
        ]
        wires += [
            "gantry.frame_a -- at_guide.frame_a",
            "right_rail.frame_b -- guide.frame_a",
            "at_guide.frame_b -- guide.frame_b",
        ]
    lines = "\n".join(blocks)
    return f"""
luff: 1
blocks:
  place:
    type: free
    initial: {{position: [0, 0, {-half / 1e8!r}], rotate: [[z, {angle!r}]], velocity: [{speed}, 0, 0]}}
  gantry: {{type: rigid_link, mass: 40 t, com: [0, {com}, 0], inertia: [1e6, 1e6, 1.5e6]}}
{lines}
connect: [world.frame -- place.frame_a, place.frame_b -- gantry.frame_a, {", ".join(wires)}]
simulation: {{{simulation}}}
"""


def yaw(run: luff.Result) -> np.ndarray:
    return 2.0 * np.arctan2(run["place.orientation[3]"], run["place.orientation[0]"])


@pytest.mark.parametrize("coupled", [False, True])
def test_gantry_askew_is_guided_by_the_force_about_its_slide_pole(coupled: bool) -> None:
    """Guided at a distance e_j from its axles it turns about a pole at h: no moment of creep about the guide.

    Wheels that turn freely: h = sum e^2 / sum e. Wheels on common shafts across: h = (n l^2/4 + sum e^2) / sum e,
    loads being equal. The guide carries S = mu W (angle/xi_0) (1 - sum e / (n h)); the axle j (1 - e_j / h) of it.
    """
    method = "stop: 4, step: 1e-3, output_step: 0.4, method: " + ("implicit" if coupled else "rk4")
    run = compiled(gantry(1e-3, coupled=coupled, simulation=method)).run()
    e = np.array([0.8, 4.8])
    h = (np.sum(e**2) + (2 * 20.0**2 / 4 if coupled else 0.0)) / np.sum(e)
    angle, weight = yaw(run)[-1], 40e3 * G
    guide = MU * weight / XI * angle * (1.0 - np.sum(e) / (2 * h))
    wheels = MU * weight / 4 / XI * angle * (1.0 - e / h)
    # rolling and yielding of guide and wheels as the angle falls add S/(h k) < 2e4/(4.2 * 1e9) of slope to 8e-4
    assert run["guide.guide_force"][-1] == pytest.approx(-guide, rel=0.01)
    for axis, force in zip(AXES, wheels, strict=True):
        for side in SIDES:
            # the crane is drawn to the left, where it rolls
            assert run[f"{axis}_{side}.lateral_force"][-1] == pytest.approx(force, abs=0.01 * wheels[0])
    # the pole at h takes the angle off it over the way
    assert angle / yaw(run)[-2] == pytest.approx(math.exp(-0.1 / h), rel=2e-3)
    if coupled:
        # the crane turns to the right: its right side lags behind the rims, which pull it ahead
        ahead = MU * weight / 4 / XI * angle * 10.0 / h
        assert run["front_right.longitudinal_force"][-1] == pytest.approx(ahead, rel=0.02)
        assert run["front_left.longitudinal_force"][-1] == pytest.approx(-ahead, rel=0.02)
    else:
        assert run["front_left.longitudinal_force"][-1] == 0.0
    assert run.quality["energy"]["relative_residual"] < 1e-6


@pytest.mark.parametrize("stiffness", ["100 MN/m", "10 GN/m"])
def test_gantry_of_the_library_starts_without_a_knock(stiffness: str) -> None:
    """Its wheels carry and its rollers touch: no guide pushes with more than the force by hand at the first angle."""
    run = luff.compile("library/gantry_skew.yaml", guide_stiffness=stiffness).run(
        stop=1.5, step=2e-4, output_step=2e-4
    )
    load, far = 52e3 * 9.81, 4.8
    by_hand = 0.3 * (1 - math.exp(-0.25)) * load * (1 - 5.6 / (2 * (0.8**2 + far**2) / 5.6))
    assert 0.9 < -run["rollers.guide_force"].min() / by_hand < 1
    loads = [run[f"{axle}_{side}.normal_force"] for axle in ("front", "rear") for side in ("left", "right")]
    left, right = load * (0.25 + 20 / 52 * 4 / 40), load * (0.25 - 20 / 52 * 4 / 40)
    for carried, expected in zip(loads, (left, right, left, right), strict=True):
        # the guide's moment about the centre of mass, 8.8 m above it, is what changes them
        assert carried[0] == pytest.approx(expected, rel=1e-6)
        assert abs(carried - expected).max() < 12e3 * 10 / 20


def test_exponential_law_has_the_slide_pole_of_its_own_forces() -> None:
    """At a large angle each wheel slips by its own creepage: moments about the guide, by a root."""
    from scipy.optimize import brentq

    run = compiled(gantry(6e-3, law="exponential", simulation="stop: 4, step: 1e-3")).run()
    angle, quarter = yaw(run)[-1], 40e3 * G / 4

    def force(arm: float, h: float, across: float = 0.0) -> float:
        slip = angle * (1.0 - arm / h) / (1.0 + across * angle / h)  # the left side runs ahead
        return MU * quarter * math.copysign(1.0 - math.exp(-abs(slip) / XI), slip)

    arms = [(e, across) for e in (0.8, 4.8) for across in (0.0, 20.0)]
    # nothing drives it: the guide slows it down by S angle, and its mass pulls ahead at 10 m beside the guide
    h = brentq(lambda h: sum((e + 10.0 * angle) * force(e, h, across) for e, across in arms), 1.0, 4.8)
    guide = -sum(force(e, h, across) for e, across in arms)
    assert run["guide.guide_force"][-1] == pytest.approx(guide, rel=2e-3)  # yielding
    assert run["front_left.lateral_force"][-1] == pytest.approx(force(0.8, h, 20.0), rel=2e-3)


def test_skew_force_follows_from_the_angle_and_not_from_the_speed() -> None:
    slow = compiled(gantry(1e-3, speed=0.1, simulation="stop: 10, step: 1e-3")).run()
    fast = compiled(gantry(1e-3, speed=0.25, simulation="stop: 4, step: 1e-3")).run()
    assert yaw(slow)[-1] == pytest.approx(yaw(fast)[-1], rel=5e-3)  # it starts along x, not as it rolls
    assert slow["guide.guide_force"][-1] == pytest.approx(fast["guide.guide_force"][-1], rel=5e-3)


@pytest.mark.filterwarnings("ignore::luff.ModelWarning")  # wheels lift, as they shall
@pytest.mark.parametrize("method", ["rk4", "implicit"])
def test_no_energy_comes_from_wheels_that_bounce_and_slide(method: str) -> None:
    """Dropped askew and off centre, with loads that change while the wheels are strained along the rails."""
    simulation = f"stop: 0.5, step: 1e-4, method: {method}, output_step: 0.1"
    text = gantry(5e-3, coupled=True, com=3.0, simulation=simulation, speed=1.0).replace(
        "inertia: 20,", "inertia: 2e3,"
    )
    text = text.replace(
        "velocity: [1.0, 0, 0]", "velocity: [1.0, 0.4, -0.3], angular_velocity: [0, 0.05, 0.02]"
    )
    names = [f"{axis}_shaft" for axis in AXES]
    run = compiled(text).run()
    rotors = sum(run[f"{name}.energy"] for name in names)
    ledger = run.quality["energy"]
    # rk4 at a bristle that gets fast as its load goes: 1.9e-4, 4.6e-5, 1.7e-6 at steps of 0.2, 0.1, 0.05 ms
    assert ledger["relative_residual"] < (1e-4 if method == "rk4" else 1e-6)
    assert ledger["dissipated"] > 0.0
    # what the shafts give to the crane is what their rotors lose
    assert ledger["drives"] == pytest.approx(rotors[0] - rotors[-1], rel=1e-4)


def test_driven_wheels_pull_up_to_their_grip() -> None:
    """Two coupled shafts under twice the torque that grips: the crane gains mu g, the rims run away."""
    text = gantry(
        0.0, guide=None, coupled=True, simulation="stop: 1, step: 5e-4, method: implicit", speed=0.1
    )
    text = text.replace(
        "connect: [", "connect: [motor.shaft -- front_shaft.shaft, motor_2.shaft -- rear_shaft.shaft, "
    )
    torque = 2.0 * MU * 40e3 * G / 2 * 0.3
    text = text.replace(
        "  gantry:",
        f"  much: {{type: constant, value: {torque!r}}}\n  motor: {{type: torque_source}}\n"
        "  motor_2: {type: torque_source}\n  gantry:",
    ).replace("connect: [", "connect: [much.y -> motor.torque, much.y -> motor_2.torque, ")
    run = compiled(text).run()
    gained = run["place.velocity[0]"][-1] - run["place.velocity[0]"][len(run.time) // 2]
    assert gained == pytest.approx(MU * G * 0.5, rel=1e-3)
    # of each shaft: I w' = T - mu W/2 r = T/2
    w = run["front_shaft.speed"]
    assert w[-1] - w[len(w) // 2] == pytest.approx(0.5 * torque / 20 * 0.5, rel=1e-3)
    assert run["front_left.grip_ratio"][-1] == pytest.approx(1.0)


def test_gantry_at_rest_leans_on_a_flange_against_the_wind() -> None:
    text = gantry(0.0, guide=None, com=2.0).replace("velocity: [0.25, 0, 0]", "velocity: [0, 0, 0]")
    text = text.replace("damping: 1e5, creep", "damping: 1e5, flange: {play: 8 mm, stiffness: 5e6}, creep")
    text = text.replace(
        "  gantry:",
        "  push: {type: constant, value: [0, -60000, 0]}\n  wind: {type: applied_force}\n  gantry:",
    ).replace("connect: [", "connect: [push.y -> wind.force, gantry.frame_a -- wind.frame_b, ")
    rest = compiled(text.replace("simulation:", "initial: {solve: static}\nsimulation:")).evaluate()
    for axis in AXES:
        # its weight 2 m to the left of the middle, of 20 m; the wind acts at the height of the rails
        assert rest[f"{axis}_left.normal_force"] == pytest.approx(40e3 * G / 4 * 1.2, rel=1e-4)
        assert rest[f"{axis}_right.normal_force"] == pytest.approx(40e3 * G / 4 * 0.8, rel=1e-4)
        for side in SIDES:
            assert rest[f"{axis}_{side}.guide_force"] == pytest.approx(15e3, rel=1e-4)
            assert rest[f"{axis}_{side}.offset"] == pytest.approx(-0.008 - 15e3 / 5e6, rel=1e-4)


def test_small_motion_of_a_standing_wheel_is_that_of_its_springs() -> None:
    found = luff.modes(
        compiled(standing(0.0).replace("simulation:", "initial: {solve: static}\nsimulation:"))
    )
    np.testing.assert_allclose(
        sorted(found.frequencies)[-2:], 100.0, rtol=1e-6
    )  # upwards, sideways: sqrt(1e8/1e4)


def test_lanes_have_the_numbers_of_single_runs() -> None:
    text = gantry(1e-3, simulation="stop: 0.2, step: 1e-3, output_step: 0.1")
    sim = compiled(text)
    name, values = "front_left.creep.mu", [0.1, 0.2, 0.25, 0.3]
    many = luff.batch(sim, {name: values}, outputs="guide.guide_force", lanes=True)["guide.guide_force"]
    alone = [compiled(text, **{name: mu}).run()["guide.guide_force"] for mu in values]
    np.testing.assert_array_equal(many, alone)


def test_rail_may_move_itself() -> None:
    """A trolley on a bridge that travels: forces as on a rail that stands still."""
    text = towed("skew: 2e-3, creep: {law: linear}")
    moved = text.replace("world.frame -- track", "bridge.frame_b -- track").replace(
        "world.frame -- wheel", "bridge.frame_b -- wheel"
    )
    moved = moved.replace(
        "blocks:",
        "blocks:\n  bridge: {type: prismatic, axis: y, driven: true}\n"
        "  travel: {type: table, data: [[0, 0], [10, 7]], unit: m, interpolation: linear}",
    ).replace("connect: [", "connect: [world.frame -- bridge.frame_a, travel.trajectory -> bridge.follow, ")
    one, other = compiled(text).run(), compiled(moved).run()
    np.testing.assert_allclose(other["wheel.lateral_force"], one["wheel.lateral_force"], rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize(
    ("wheel", "words"),
    [
        ("stiffness: 0", "stiffness"),
        ("creep: {creepage: 0}", "creepage"),
        ("creep: {law: quadratic}", "exponential"),
        ("flange: {play: -1 mm}", "play"),
        ("skew: 1 mm", "found '1 mm'"),
    ],
)
def test_wrong_wheels_are_refused(wheel: str, words: str) -> None:
    with pytest.raises(NetlistError, match=words):
        compiled(towed(wheel))


def test_shaft_asks_for_a_driven_wheel() -> None:
    text = towed("radius: 0.3").replace("blocks:", "blocks:\n  rotor: {type: shaft_inertia}")
    with pytest.raises(NetlistError, match="shaft"):
        compiled(text.replace("connect: [", "connect: [rotor.shaft -- wheel.shaft, "))
