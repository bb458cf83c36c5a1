"""Motor, gear and brake on a joint, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import expm

import luff

INERTIA = 2.0  # of the load about the joint


def train(
    blocks: str, wires: str, stop: float, step: float, joint: str = "", com: float = 0.0
) -> luff.Result:
    """A wheel, or an arm whose mass hangs at a distance, on a horizontal axis."""
    text = f"""
luff: 1
blocks:
  joint: {{type: revolute, axis: y{joint}}}
  load: {{type: rigid_link, mass: 5, com: [{com}, 0, 0], inertia: [{INERTIA}, {INERTIA}, {INERTIA}]}}
  {blocks}
connect: [world.frame -- joint.frame_a, joint.frame_b -- load.frame_a, {wires}]
simulation: {{stop: {stop}, step: {step}, output_step: {stop / 200!r}}}
"""
    return luff.compile(luff.loads(text)).run()


MOTOR = (
    "V: {type: constant, value: 24}\n  motor: {type: motor, resistance: 0.5, inductance: 0.02, constant: 0.3}"
)


def test_dc_motor_runs_up_as_its_two_equations_say() -> None:
    found = train(
        MOTOR, "V.y -> motor.voltage, joint.velocity -> motor.speed, motor.torque -> joint.effort", 20.0, 1e-3
    )
    R, L, k = 0.5, 0.02, 0.3
    A = np.array([[-R / L, -k / L, 24.0 / L], [k / INERTIA, 0.0, 0.0], [0.0, 0.0, 0.0]])
    for row in (10, 60, 200):
        current, speed, _ = expm(A * found.time[row]) @ np.array([0.0, 0.0, 1.0])
        assert found["motor.current"][row] == pytest.approx(current, rel=1e-7)
        assert found["joint.velocity"][row] == pytest.approx(speed, rel=1e-7)


def test_motor_with_a_curve_reaches_the_speed_at_which_it_has_the_torque() -> None:
    curve = "[[0 rad/s, 20 N*m], [10 rad/s, 20 N*m], [30 rad/s, 0 N*m]]"
    found = train(
        f"u: {{type: constant, value: 0.5}}\n  motor: {{type: motor, model: curve, curve: {curve}}}",
        "u.y -> motor.command, joint.velocity -> motor.speed, motor.torque -> joint.effort",
        40.0,
        1e-3,
        ", damping: 0.25",
    )
    # 0.5 (30 - w) = 0.25 w
    assert found["joint.velocity"][-1] == pytest.approx(20.0, rel=1e-6)
    # from rest, with half of 20 N m, but for the lag of 10 ms
    early = 4  # rows, 0.8 s
    assert found["joint.velocity"][early] == pytest.approx(
        40.0 * (1.0 - math.exp(-0.125 * (found.time[early] - 0.01))), rel=1e-3
    )


GEAR = "T: {{type: constant, value: {torque}}}\n  gear: {{type: gear, ratio: {ratio}, inertia: 0.01, {more}}}"
GEARED = "T.y -> gear.torque, joint.velocity -> gear.velocity, gear.effort -> joint.effort"


@pytest.mark.parametrize("ratio", [20.0, -20.0])
def test_gear_reflects_the_rotor_and_loses_its_share(ratio: float) -> None:
    """Stiff: a = T N eta / (J + eta I N^2), both signs of the ratio and of the torque."""
    more = "stiffness: 1e5, damping: 300, efficiency: 0.8"
    found = train(GEAR.format(torque=0.5, ratio=ratio, more=more), GEARED, 2.0, 1e-4)
    wanted = 0.5 * ratio * 0.8 / (INERTIA + 0.8 * 0.01 * ratio**2)
    half = found.time > 1.0
    slope = np.polyfit(found.time[half], found["joint.velocity"][half], 1)[0]
    # what the twist takes at the start dies out within 0.1 s
    assert slope == pytest.approx(wanted, rel=1e-6)
    assert found["gear.speed"][-1] == pytest.approx(ratio * found["joint.velocity"][-1], rel=1e-6)


def test_load_that_drives_is_slowed_by_the_efficiency_backwards() -> None:
    """A torque on the load turns the rotor through the gear: a = T / (J + I N^2 / eta_b)."""
    more = "stiffness: 1e5, damping: 300, efficiency: 0.8, back_efficiency: 0.6"
    found = train(
        GEAR.format(torque=0.0, ratio=20.0, more=more)
        + "\n  push: {type: constant, value: 9}\n  both: {type: sum, signs: ++}",
        "T.y -> gear.torque, joint.velocity -> gear.velocity, gear.effort -> both.u1, push.y -> both.u2, "
        "both.y -> joint.effort",
        2.0,
        1e-4,
    )
    half = found.time > 1.0
    slope = np.polyfit(found.time[half], found["joint.velocity"][half], 1)[0]
    assert slope == pytest.approx(9.0 / (INERTIA + 0.01 * 20.0**2 / 0.6), rel=1e-6)


def test_elastic_gear_rings_between_rotor_and_load() -> None:
    """Two masses on a spring: w^2 = k (1 / J + 1 / I N^2)."""
    k, N = 400.0, 10.0
    found = train(GEAR.format(torque=1.0, ratio=N, more=f"stiffness: {k}, damping: 0"), GEARED, 2.0, 1e-4)
    w = math.sqrt(k * (1.0 / INERTIA + 1.0 / (0.01 * N**2)))
    steady = 1.0 / (0.01 * N) / w**2
    wanted = steady * (1.0 - np.cos(w * found.time))
    np.testing.assert_allclose(found["gear.twist_angle"], wanted, atol=1e-9)


def test_rotor_runs_through_the_backlash_before_it_pushes() -> None:
    b, N, T = 0.02, 50.0, 0.5
    more = f"stiffness: 1e4, damping: 10, backlash: {b}"
    found = train(GEAR.format(torque=T, ratio=N, more=more), GEARED, 0.5, 1e-4)
    # from the middle: half of the play
    reached = math.sqrt(2.0 * 0.5 * b * N * 0.01 / T)
    free = found.time < reached - 0.0026
    assert (found["gear.effort"][free] == 0.0).all()
    np.testing.assert_allclose(found["gear.speed"][free], T / 0.01 * found.time[free], rtol=1e-9, atol=1e-12)
    assert found["gear.effort"][np.searchsorted(found.time, reached + 0.0026)] > 0.0


def test_brake_stops_a_wheel_at_its_torque_and_holds_a_weight_without_creep() -> None:
    spin = train(
        "brake: {type: brake, torque: 10, stiffness: 1e4}",
        "joint.velocity -> brake.velocity, brake.effort -> joint.effort",
        2.0,
        2e-5,
        ", initial: {position: 0, velocity: 3}",
    )
    # J w^2 / 2 M, and half of the deflection at which it begins to slip; it then springs back by some of that
    assert spin["joint.position"][-1] == pytest.approx(INERTIA * 9.0 / 20.0, abs=2.0 * 10.0 / 1e4)
    assert abs(spin["joint.velocity"][-1]) < 0.1

    held = train(
        "brake: {type: brake, torque: 10, stiffness: 1e4, damping: 100}",
        "joint.velocity -> brake.velocity, brake.effort -> joint.effort",
        20.0,
        1e-3,
        com=0.1,
    )
    weight = 5.0 * 9.81 * 0.1
    late = held.time > 5.0
    sag = held["joint.position"][late]
    assert np.ptp(sag) < 1e-9
    # the bristles bend by weight / k: half of what they carry, so that none of it slips while they stop the fall
    assert sag[-1] == pytest.approx(weight * math.cos(sag[-1]) / 1e4, rel=1e-9)
    assert held["brake.effort"][-1] == pytest.approx(-weight * math.cos(sag[-1]), rel=1e-6)
