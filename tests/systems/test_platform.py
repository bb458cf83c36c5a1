"""A deck that moves as prescribed, against differences of its pose and against Newton and Euler by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import luff

MASS, COM, INERTIA = 10.0, np.array([1.0, 0.5, 2.0]), np.diag([3.0, 4.0, 5.0])
MOTIONS = {  # amplitude, frequency, phase
    "surge": (0.8, 0.7, 0.1),
    "sway": (0.5, 1.1, 0.9),
    "heave": (1.2, 0.9, 2.0),
    "roll": (0.3, 1.3, 0.4),
    "pitch": (0.2, 1.7, 1.5),
    "yaw": (0.4, 0.5, 2.5),
}
TEXT = f"""
luff: 1
blocks:
  deck: {{type: platform}}
  load: {{type: rigid_link, mass: {MASS}, com: {COM.tolist()}, inertia: [3, 4, 5], frame_b: {{at: {COM.tolist()}}}}}
  seen: {{type: frame_sensor, resolve: world}}
  {{sources}}
connect: [world.frame -- deck.frame_a, deck.frame_b -- load.frame_a, load.frame_b -- seen.frame_b{{wires}}]
simulation: {{stop: 4 s, step: 10 ms}}
"""


def text(names: list[str]) -> str:
    sources = "\n  ".join(
        f"{name}: {{type: sine, amplitude: {a}, frequency: {w}, phase: {p}}}"
        for name, (a, w, p) in MOTIONS.items()
        if name in names
    )
    wires = "".join(f", {name}.trajectory -> deck.{name}" for name in names)
    return TEXT.replace("{sources}", sources).replace("{wires}", wires)


def pose(t: np.ndarray, names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Origin of the deck and R = Rz(yaw) Ry(pitch) Rx(roll), written out."""
    at = {name: a * np.sin(w * t + p) if name in names else 0.0 * t for name, (a, w, p) in MOTIONS.items()}
    cz, sz = np.cos(at["yaw"]), np.sin(at["yaw"])
    cy, sy = np.cos(at["pitch"]), np.sin(at["pitch"])
    cx, sx = np.cos(at["roll"]), np.sin(at["roll"])
    R = np.array(
        [
            [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
            [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
            [-sy, cy * sx, cy * cx],
        ]
    )
    return np.stack([at["surge"], at["sway"], at["heave"]], -1), np.moveaxis(R, -1, 0)


def differences(values: list[np.ndarray], h: float) -> tuple[np.ndarray, np.ndarray]:
    """First and second derivative from five points."""
    a, b, c, d, e = values
    return (a - 8 * b + 8 * d - e) / (12 * h), (-a + 16 * b - 30 * c + 16 * d - e) / (12 * h * h)


@pytest.mark.parametrize("names", [list(MOTIONS), ["heave"], ["yaw", "roll"]], ids="-".join)
def test_deck_moves_exactly_and_says_what_moves_it(names: list[str]) -> None:
    found = luff.compile(luff.loads(text(names))).run()
    t, h = found.time, 2e-3
    poses = [pose(t + k * h, names) for k in (-2, -1, 0, 1, 2)]
    points = [p + R @ COM for p, R in poses]
    velocity, acceleration = differences(points, h)
    R = poses[2][1]
    R_rate, R_second = differences([R for _, R in poses], h)
    # differences are off by h^4 / 30 of a fifth derivative of 10, and by 1e-15 / h^2 of rounding
    np.testing.assert_allclose(found["seen.position"], points[2], atol=1e-14)
    np.testing.assert_allclose(found["seen.velocity"], velocity, atol=1e-10)
    np.testing.assert_allclose(found["seen.acceleration"], acceleration, atol=1e-8)
    # Newton and Euler: the wrench at the deck's origin in its axes
    force = MASS * (acceleration + np.array([0.0, 0.0, 9.81]))
    spin = np.einsum("nij,nkj->nik", R_rate, R)
    bend = np.einsum("nij,nkj->nik", R_second, R) + np.einsum("nij,nkj->nik", R_rate, R_rate)
    w = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], -1)
    turn = np.stack([bend[:, 2, 1], bend[:, 0, 2], bend[:, 1, 0]], -1)
    J = R @ INERTIA @ np.swapaxes(R, 1, 2)
    torque = np.einsum("nij,nj->ni", J, turn) + np.cross(w, np.einsum("nij,nj->ni", J, w))
    torque += np.cross(R @ COM, force)
    np.testing.assert_allclose(found["deck.total_force"], np.einsum("nji,nj->ni", R, force), atol=1e-6)
    np.testing.assert_allclose(found["deck.total_torque"], np.einsum("nji,nj->ni", R, torque), atol=1e-6)
    assert found.quality["newton_euler_residual"] < 1e-9
    assert abs(found.quality["energy"]["relative_residual"]) < 1e-8


def test_bead_on_a_turning_deck_flies_out_and_loads_its_drive() -> None:
    """x = x_0 cosh(W t) along the deck; the drive turns against Coriolis' force: M = 2 m W x x'."""
    found = luff.compile(
        luff.loads("""
luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  yaw: {type: ramp, slope: 2}
  deck: {type: platform}
  rail: {type: prismatic, axis: x, initial: {position: 0.1}}
  bead: {type: rigid_link, mass: 3, inertia: [0.1, 0.1, 0.2]}
connect: [yaw.trajectory -> deck.yaw, world.frame -- deck.frame_a, deck.frame_b -- rail.frame_a,
          rail.frame_b -- bead.frame_a]
simulation: {stop: 2, step: 1e-3, output_step: 0.1}
""")
    ).run()
    x, rate = 0.1 * np.cosh(2.0 * found.time), 0.2 * np.sinh(2.0 * found.time)
    np.testing.assert_allclose(found["rail.position"], x, rtol=1e-11)
    np.testing.assert_allclose(found["deck.total_torque"][:, 2], 2.0 * 3.0 * 2.0 * x * rate, atol=1e-8)


def test_pendulum_on_a_heaving_deck_swings_under_the_gravity_that_it_feels() -> None:
    """A deck that heaves with a constant acceleration: w^2 = (g + a) / l."""
    a, length = 3.0, 2.0
    sim = luff.compile(
        luff.loads(f"""
luff: 1
blocks:
  deck: {{type: platform}}
  lift:
    type: table
    data: [[0, 0], [1, {0.5 * a}], [2, {2 * a}], [3, {4.5 * a}]]
    interpolation: cubic
    beyond: linear
  pin: {{type: revolute, axis: y, initial: {{position: 0.001}}}}
  bob: {{type: rigid_link, mass: 5, com: [0, 0, {-length}]}}
connect: [world.frame -- deck.frame_a, lift.trajectory -> deck.heave, deck.frame_b -- pin.frame_a,
          pin.frame_b -- bob.frame_a]
simulation: {{stop: 3 s, step: 5 ms}}
""")
    )
    found = sim.run()
    assert sim.state_names == ["pin.position", "pin.velocity"]
    w = math.sqrt((9.81 + a) / length)
    # sin q = q to 1e-6 / 6, RK4 as small
    np.testing.assert_allclose(found["pin.position"], 1e-3 * np.cos(w * found.time), atol=1e-9)
    np.testing.assert_allclose(found["deck.z_rate"], a * found.time, atol=1e-11)
