"""What sticks: brakes, clutches, joints and feet hold without drift, carry at most their limit, and keep no energy."""

from __future__ import annotations

import itertools
import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest

import luff
from luff.blocks.drives.drive_trains import bristle_torque
from luff.blocks.mechanics.bristle_friction import stick_force, stick_rate
from luff.solver.kernels.stiction import bristle_force

G = 9.81
K, M = 1e5, 100.0  # bristles and break-away torque of brakes


def run(
    blocks: str, wires: str, stop: float, step: float, method: str = "rk4", rows: float = 0.0
) -> luff.Result:
    return luff.compile(
        luff.loads(f"""
luff: 1
blocks:
{blocks}
connect: [{wires}]
simulation: {{stop: {stop}, step: {step}, output_step: {rows or step}, method: {method}}}
""")
    ).run()


# --- the law alone -------------------------------------------------------------------------------------------------


def test_force_stays_within_the_limit_and_takes_power_for_any_state() -> None:
    """Also with dampers, where the limit has fallen below what the bristle carries, and where it is zero."""
    rng = np.random.default_rng(7)
    worst = 0.0
    for _ in range(20_000):
        k, c = 10.0 ** rng.uniform(2, 6, 2), rng.choice([0.0, 1.0], 2) * 10.0 ** rng.uniform(0, 6, 2)
        most = rng.choice([0.0, 1.0, 1.0, 1.0]) * 10.0 ** rng.uniform(-1, 4)
        z = rng.normal(size=2) * rng.choice([0.0, 0.5, 1.0, 3.0]) * (most or 1.0) / k
        v = rng.normal(size=2) * 10.0 ** rng.uniform(-6, 2)
        fx, fy, ux, uy = bristle_force(False, z, v, k, c, most)
        assert math.hypot(fx, fy) <= most * (1.0 + 1e-12)
        lost = fx * v[0] + fy * v[1] - k[0] * z[0] * (v[0] - ux) - k[1] * z[1] * (v[1] - uy)
        scale = abs(fx * v[0]) + abs(fy * v[1]) + abs(k * z * (v - [ux, uy])).sum()
        worst = min(worst, lost / scale if scale > 0.0 else 0.0)
    assert worst >= -1e-13  # rounding


def test_law_about_one_axis_is_that_of_the_plane() -> None:
    """Where faces part, too: there z' = -100 z knows no side, or an importer's method stops where z comes to rest."""
    rng = np.random.default_rng(3)
    for _ in range(2000):
        k, c = 10.0 ** rng.uniform(2, 5), 10.0 ** rng.uniform(0, 4)
        most = rng.choice([0.0, 1.0, 1.0]) * 10.0 ** rng.uniform(0, 3)
        z, v = rng.normal() * (most or 1.0) / k, rng.normal() * 10.0 ** rng.uniform(-4, 2)
        fx, _, ux, _ = bristle_force(False, (z, 0.0), (v, 0.0), (k, k), (c, c), most)
        assert stick_force(z, v, k, c, most, most) == pytest.approx(fx, rel=1e-12, abs=1e-12 * most)
        assert stick_rate(z, v, k, most, most) == pytest.approx(v - ux, rel=1e-10, abs=1e-10 * abs(v))


@pytest.mark.parametrize("creeps", [(0.0,), (1.0,)])
def test_brake_carries_at_most_its_torque_in_every_evaluation(creeps: tuple[float]) -> None:
    for z, v, closed in itertools.product(
        np.linspace(-0.02, 0.02, 9), (-50.0, -1e-3, 0.0, 2.0, 50.0), (0, 0.3, 1)
    ):
        torque = bristle_torque(z, v, closed, 150.0, 1.2, 0.1, 1e5, 100.0, creeps)
        most = 150.0 * closed * (1.2 if creeps[0] else 1.0 + 0.2 * math.exp(-((v / 0.1) ** 2)))
        assert abs(torque) <= most * (1.0 + 1e-15)


# --- brakes and clutches -------------------------------------------------------------------------------------------

SWUNG = {
    "brake": "brake.shaft -- wheel.shaft",
    "clutch": "brake.a -- wheel.shaft, brake.b -- post.shaft",
}


def drift(kind: str, model: str, mean: float, swing: float, method: str, step: float) -> float:
    """By how much what a brake or a clutch holds moves on in a cycle of 1 s."""
    more = "" if kind == "brake" else "  post: {type: speed_source}\n  still: {type: constant, value: 0}\n"
    found = run(
        f"""
  load: {{type: sine, amplitude: {swing}, offset: {mean}, frequency: 1 Hz}}
  source: {{type: torque_source}}
  wheel: {{type: shaft_inertia, inertia: 0.1}}
  turned: {{type: integrator}}
  brake: {{type: {"shaft_brake" if kind == "brake" else "clutch"}, model: {model}, torque: {M}, stiffness: {K},
           damping: 100}}
{more}""",
        f"load.y -> source.torque, source.shaft -- wheel.shaft, {SWUNG[kind]}, wheel.speed -> turned.u"
        + (", still.y -> post.speed" if more else ""),
        5.0,
        step,
        method,
        0.5,
    )
    # the first two cycles take up the start
    return float(np.diff(found["turned.y"][4::2]).mean())


@pytest.mark.parametrize("kind", ["brake", "clutch"])
@pytest.mark.parametrize(("method", "step"), [("rk4", 1e-4), ("implicit", 1e-3)])
@pytest.mark.parametrize(("mean", "swing"), [(50.0, 30.0), (0.0, 90.0), (-20.0, 70.0)])
def test_swinging_load_moves_nothing_on(
    kind: str, method: str, step: float, mean: float, swing: float
) -> None:
    """LuGre drifts by (M / k) ln((1 - a^2) / (1 - b^2)) a cycle between the shares a and b, also through zero."""
    # of the millimetre that the bristles bend to: rounding of a thousand steps a cycle
    assert abs(drift(kind, "elastoplastic", mean, swing, method, step)) < 1e-15 * 1e3
    a, b = (mean - swing) / M, (mean + swing) / M
    formula = M / K * math.log((1.0 - a * a) / (1.0 - b * b))
    # the formula is that of a slow load; damper and inertia at 1 Hz add 2e-3 of it
    wanted = pytest.approx(formula, rel=3e-3, abs=1e-9)
    assert drift(kind, "lugre", mean, swing, method, step) == wanted


@pytest.mark.parametrize("model", ["elastoplastic", "lugre"])
def test_joint_holds_a_swinging_load(model: str) -> None:
    """mu_s N d / 2 = 100 N m, k = sigma_0 N d / 2; the same formula."""
    found = run(
        f"""
  world: {{gravity: [0, 0, 0]}}
  joint: {{type: revolute, axis: z, friction: {{model: {model}, mu_s: 0.1, mu_k: 0.1, sigma_0: 100, sigma_1: 0.1,
           sigma_2: 0, diameter: 1, load: 2000}}}}
  wheel: {{type: rigid_link, mass: 1, inertia: [0.1, 0.1, 0.1]}}
  load: {{type: sine, amplitude: 30, offset: 50, frequency: 1 Hz}}
""",
        "world.frame -- joint.frame_a, joint.frame_b -- wheel.frame_a, load.y -> joint.effort",
        5.0,
        2e-4,
        rows=0.5,
    )
    moved = np.diff(found["joint.position"][4::2]).mean()
    if model == "lugre":
        a, b = 0.2, 0.8
        assert moved == pytest.approx(0.1 / 100 * math.log((1 - a * a) / (1 - b * b)), rel=1e-3)
    else:
        assert abs(moved) < 1e-12


@pytest.mark.parametrize(("method", "step"), [("rk4", 1e-4), ("rk4", 1e-3), ("rk4", 1e-2), ("implicit", 1e-3),
                                              ("implicit", 1e-2)])  # fmt: skip
def test_closing_brake_stops_a_wheel_with_its_torque_and_no_more(method: str, step: float) -> None:
    """A damper of 100 N m s on 50 rad/s would take 5,000 N m."""
    inertia, speed, torque = 2.0, 50.0, 150.0
    found = run(
        f"""
  shut: {{type: step, start: 0.1}}
  wheel: {{type: shaft_inertia, inertia: {inertia}, initial_speed: {speed}}}
  brake: {{type: shaft_brake, torque: {torque}, stiffness: 1e5, damping: 100}}
""",
        "shut.y -> brake.closed, brake.shaft -- wheel.shaft",
        1.2,
        step,
        method,
    )
    assert np.abs(found["brake.effort"]).max() <= torque
    slides = (found.time > 0.12) & (found.time < 0.7)
    np.testing.assert_allclose(found["brake.effort"][slides], -torque, rtol=1e-12)
    # J w / M, and a step or two in which it closes and stops
    stops = found.time[np.flatnonzero(np.abs(found["wheel.speed"]) < 1e-2 * speed)[0]]
    assert stops == pytest.approx(0.1 + 0.99 * inertia * speed / torque, abs=2.0 * step)
    assert abs(found["wheel.speed"][-1]) < 1e-3


# --- feet ----------------------------------------------------------------------------------------------------------


def pushed(push: str, method: str, step: float, more: str = "", stop: float = 6.0) -> luff.Result:
    """A block of 3 kg on one foot that grips 0.4 of its weight."""
    return run(
        f"""
  stand: {{type: base_support, mass: 3, inertia: [1, 1, 1], coordinates: [x, y, z], one_sided: true, grip: 0.4,{more}
           supports: [{{at: [0, 0, 0], stiffness: [1e5, 1e5, 3e4], damping: [300, 300, 100]}}],
           initial: {{x: 0, y: 0, z: {-3.0 * G / 3e4!r}}}}}
  along: {{type: {push}}}
  none: {{type: constant, value: 0}}
  hand: {{type: mux, sizes: [1, 1, 1]}}
  shove: {{type: applied_force}}
""",
        "world.frame -- stand.frame_a, stand.frame_b -- shove.frame_b, hand.y -> shove.force, along.y -> hand.u1, "
        "none.y -> hand.u2, none.y -> hand.u3",
        stop,
        step,
        method,
        0.01,
    )


@pytest.mark.parametrize(
    ("method", "step"), [("rk4", 1e-3), ("rk4", 1e-2), ("implicit", 1e-3), ("implicit", 1e-2)]
)
def test_block_pushed_by_its_weight_slides_stops_and_stays(method: str, step: float) -> None:
    found = pushed(f"table, data: [[0, {3 * G}], [1, {3 * G}], [1.001, 0]]", method, step)
    x = found["stand.x"]
    # 0.6 g for 1 s, then 0.4 g against it; what bends before it slides, and the ramp's end, come on top
    assert x[-1] == pytest.approx(0.5 * 0.6 * G * (1.0 + 0.6 / 0.4), rel=1e-2)
    assert np.ptp(x[found.time > 4.0]) < 1e-12
    energy = found.quality["energy"]
    # the grip over the whole way takes it all, but for what bends
    assert x[-1] == pytest.approx(energy["drives"] / (0.4 * 3.0 * G), rel=1e-4)
    # what was put in is lost; steps of 10 ms are ten times too long for bristles of 180 rad/s
    assert energy["dissipated"] == pytest.approx(energy["drives"], rel=2e-4)
    assert energy["relative_residual"] < (1e-6 if step < 5e-3 else 2e-4)


@pytest.mark.parametrize("model", ["elastoplastic", "lugre"])
@pytest.mark.parametrize("method", ["rk4", "implicit"])
def test_foot_holds_what_swings_below_its_grip(method: str, model: str) -> None:
    limit = 0.4 * 3.0 * G
    push = f"sine, amplitude: {0.3 * limit}, offset: {0.5 * limit}, frequency: 1 Hz"
    found = pushed(push, method, 1e-3, f" grip_model: {model},")
    moved = np.diff(found["stand.x"][100::100])[1:]
    a, b = 0.2, 0.8
    formula = limit / 1e5 * math.log((1 - a * a) / (1 - b * b))
    if model == "lugre":
        # the formula is that of a slow load; at 1 Hz the damper carries a share
        assert moved.mean() == pytest.approx(formula, rel=1e-2)
    else:
        assert np.abs(moved).max() < 1e-9 * formula


def test_foot_forgets_where_it_stood_when_it_lifts() -> None:
    """Pushed aside and thrown up: it lands without a force across, though beside the place that it left."""
    found = run(
        """
  stand: {type: base_support, mass: 3, inertia: [1, 1, 1], coordinates: [x, z], one_sided: true, grip: 0.4,
           supports: [{at: [0, 0, 0], stiffness: [1e5, 1e5, 3e4], damping: [300, 300, 300]}],
           initial: {x: 9e-5, z: -0.03}}
""",
        "world.frame -- stand.frame_a",
        1.0,
        1e-4,
    )
    force, lifted = found["stand.force_1[0]"], found["stand.lifted_1"] > 0.0
    assert force[0] == pytest.approx(-9.0, rel=1e-9)
    assert lifted.any()
    assert (force[lifted] == 0.0).all()
    # it flies aside with what the bristle gave it, and stays about where it comes down
    down = np.flatnonzero(lifted)[-1]
    away = abs(found["stand.x"][down])
    assert away > 1e-3
    assert abs(found["stand.x"][-1] - found["stand.x"][down]) < 0.1 * away
    assert found.quality["energy"]["relative_residual"] < 1e-5


# --- gears that lock -----------------------------------------------------------------------------------------------

GEARS = {
    "gear": (
        "  gear: {{type: gear, ratio: 50, inertia: 0.01, damping: 2000, {}}}",
        "joint.velocity -> gear.velocity, gear.effort -> joint.effort, motor.y -> gear.torque",
    ),
    "gearbox": (
        """  gear: {{type: gearbox, ratio: 50, damping: 2000, {}}}
  rotor: {{type: shaft_inertia, inertia: 0.01}}
  source: {{type: torque_source}}""",
        "rotor.shaft -- gear.a, gear.b -- joint.shaft, motor.y -> source.torque, source.shaft -- rotor.shaft",
    ),
}


def arm(kind: str, law: str, torque: str, method: str = "rk4", stop: float = 10.0) -> luff.Result:
    """A mass of 50 kg, 1 m beside a horizontal axis."""
    blocks, wires = GEARS[kind]
    return run(
        f"""
  joint: {{type: revolute, axis: y}}
  load: {{type: rigid_link, mass: 50, com: [1, 0, 0], inertia: [2, 2, 2]}}
  motor: {{type: {torque}}}
{blocks.format(law)}""",
        f"world.frame -- joint.frame_a, joint.frame_b -- load.frame_a, {wires}",
        stop,
        2e-4 if method == "rk4" else 1e-3,
        method,
        0.01,
    )


@pytest.mark.parametrize("kind", GEARS)
@pytest.mark.parametrize("law", ["back_efficiency: 0", "efficiency: 0.4", "efficiency: 0.5"])
@pytest.mark.parametrize("method", ["rk4", "implicit"])
def test_self_locking_gear_holds_a_load_without_creep(kind: str, law: str, method: str) -> None:
    found = arm(kind, law, "constant, value: 0", method)
    q = found["joint.position"]
    # the teeth, and their friction as stiff as they are, each bend by the weight over k
    assert q[-1] == pytest.approx(2.0 * 50.0 * G * math.cos(q[-1]) / 1e5, rel=0.3)
    assert np.ptp(q[found.time > 7.0]) < 1e-7  # what is left of the ringing of the start
    free = arm(kind, "efficiency: 0.8", "constant, value: 0", method, 2.0)
    assert free["joint.position"][-1] > 0.3


@pytest.mark.parametrize("kind", GEARS)
def test_self_locking_gear_is_driven_both_ways_by_the_motor(kind: str) -> None:
    """Upwards it takes M / N / eta; downwards the friction's reserve over the load, a tenth of M / N."""
    weight = 50.0 * G / 50.0
    law = "efficiency: 0.4, back_efficiency: 0"
    for torque, moves in ((-2.7, True), (-2.3, False), (0.05, False), (0.2, True)):
        found = arm(kind, law, f"constant, value: {torque * weight!r}", stop=2.0)
        late = found["joint.position"][found.time > 1.0]
        assert (np.ptp(late) > 1e-2) == moves, torque


# --- end stops -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["rk4", "implicit"])
@pytest.mark.parametrize("damping", [0.0, 1e3, 1e4, 1e6])
def test_end_stop_pushes_gives_back_no_energy_and_rests_at_its_place(method: str, damping: float) -> None:
    m, k, width = 100.0, 1e6, 1e-3
    for speed, gravity in ((0.03, 0.0), (3.0, 0.0), (0.3, 98.1)):
        found = run(
            f"""
  world: {{gravity: [0, 0, {-gravity}]}}
  slide: {{type: prismatic, axis: z, initial: {{position: 1e-3, velocity: {-speed}}},
          limits: {{lower: 0, stiffness: {k}, damping: {damping}, width: {width}}}}}
  mass: {{type: rigid_link, mass: {m}}}
""",
            "world.frame -- slide.frame_a, slide.frame_b -- mass.frame_a",
            0.3 if gravity == 0.0 else 1.5,
            1e-4,
            method,
        )
        force = m * (found["slide.acceleration"] + gravity)
        assert force.min() > -1e-9 * force.max()
        energy = found.quality["energy"]
        assert energy["dissipated"] >= -1e-12 * m * speed**2
        # 1e6 N s/m decays within a step of 0.1 ms, and meets the bend where the damper would pull within it
        assert energy["relative_residual"] < (2e-2 if damping == 1e6 else 1e-4)
        if gravity == 0.0:
            assert found["slide.velocity"].max() <= speed * (1.0 + 1e-5)
        elif damping:
            # m g / k from the limit on; c / k seconds to come there
            assert found["slide.position"][-1] == pytest.approx(
                -m * gravity / k, rel=1e-3 if damping < 1e6 else 0.3
            )


# --- the same everywhere -------------------------------------------------------------------------------------------

EVERYWHERE = f"""
luff: 1
blocks:
  stand: {{type: base_support, mass: 3, inertia: [1, 1, 1], coordinates: [x, y, z], one_sided: true, grip: 0.4,
           supports: [{{at: [0, 0, 0], stiffness: [1e5, 1e5, 3e4], damping: [300, 300, 100]}}],
           initial: {{x: 1e-5, y: 0, z: {-3.0 * G / 3e4!r}, y_rate: 0.3}}}}
  table: {{type: prismatic, axis: x, initial: {{position: 0, velocity: 0.2}},
           friction: {{model: elastoplastic, load: 20, sigma_0: 1e4}}, limits: {{upper: 0.01, stiffness: 1e4}}}}
  plate: {{type: rigid_link, mass: 2}}
  fall: {{type: prismatic, axis: z}}
  point: {{type: rigid_link, mass: 1}}
  ground: {{type: contact, law: {{stiffness: 1e4}}, friction: {{mu: 0.3}}}}
  rotor: {{type: shaft_inertia, inertia: 0.1, initial_speed: 5}}
  gearbox: {{type: gearbox, ratio: 5, stiffness: 1e3, damping: 10, efficiency: 0.4}}
  wheel: {{type: shaft_inertia, inertia: 1}}
  brake: {{type: shaft_brake, torque: 3, stiffness: 1e3, damping: 1}}
connect: [world.frame -- stand.frame_a, world.frame -- table.frame_a, table.frame_b -- plate.frame_a,
          plate.frame_a -- fall.frame_a, fall.frame_b -- point.frame_a, world.frame -- ground.plane,
          point.frame_a -- ground.of, rotor.shaft -- gearbox.a, gearbox.b -- wheel.shaft, brake.shaft -- wheel.shaft]
simulation: {{stop: 0.1, step: 1e-3, output_step: 1e-3}}
"""


def test_snapshots_batches_and_plain_python_have_the_states_of_what_sticks() -> None:
    sim = luff.compile(luff.loads(EVERYWHERE))
    assert [name for name in sim.state_names if "bristle" in name] == [
        "table.bristle", "stand.bristle_1[0]", "stand.bristle_1[1]", "ground.bristle[0]", "ground.bristle[1]",
    ]  # fmt: skip
    whole = sim.run()
    session = sim.start()
    session.advance(steps=40)
    mark = session.snapshot()
    session.advance(steps=20)
    session.restore(mark)
    while session.advance() == "running":
        pass
    again = session.x.copy()
    grips = [0.4, 0.1]
    batch = luff.batch(sim, {"stand.grip": grips})
    for k, grip in enumerate(grips):
        single = luff.compile(luff.loads(EVERYWHERE), **{"stand.grip": grip})
        last = single.start()
        while last.advance() == "running":
            pass
        if k == 0:
            np.testing.assert_array_equal(again, last.x)
        rows = single.run()
        for name in ("stand.y", "table.position", "ground.force[0]", "brake.effort"):
            np.testing.assert_array_equal(batch[name][k], rows[name])
    assert np.abs(batch["stand.y"][0] - batch["stand.y"][1]).max() > 1e-3
    # to rounding: a compiled sum may be contracted
    there = plainly(EVERYWHERE)
    for name, values in there.items():
        np.testing.assert_allclose(values, whole[name], rtol=0.0, atol=1e-9 * np.abs(whole[name]).max())


def plainly(text: str) -> dict[str, np.ndarray]:
    """The same run by uncompiled functions, in a process of its own."""
    code = (
        "import json, sys, luff; r = luff.compile(luff.loads(sys.stdin.read())).run();"
        "print(json.dumps({n: r[n].tolist() for n in ('stand.y', 'table.position', 'brake.effort')}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=text, env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {name: np.array(values) for name, values in json.loads(done.stdout).items()}
