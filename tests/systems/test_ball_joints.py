"""Ball joints through theta = 90 deg: by quaternions against Euler's equations; by angles it is told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import luff
from luff.blocks.geometry import rotations

INERTIA = np.array([0.2, 0.3, 0.1])
SIGNALS = [
    *[f"ball.{name}{rate}" for name in ("psi", "theta", "phi") for rate in ("", "_rate")],
    *[f"tip.position[{k}]" for k in range(3)],
]
FLOATING = """
luff: 1
name: floating
blocks:
  world: {gravity: [0, 0, 0]}
  ball: {type: spherical, coordinates: quaternion, initial: {INITIAL}}
  rod: {type: rigid_link, mass: 2, inertia: [0.2, 0.3, 0.1]}
connect: [world.frame -- ball.frame_a, ball.frame_b -- rod.frame_a]
simulation: {stop: 1 s, step: 1 ms, method: METHOD, output_step: 10 ms}
"""
SWINGING = """
luff: 1
blocks:
  slew: {type: revolute, axis: z, initial: {velocity: 0.7}}
  arm: {type: rigid_link, mass: 3, inertia: [0.2, 0.3, 0.1], frame_b: {at: [0.4, 0, 0.1], rotate: [[y, 25 deg]]}}
  ball:
    {type: spherical, COORDINATES, initial: {psi: 0.4, theta: -0.3, phi: 0.6, psi_rate: 1, theta_rate: -2, phi_rate: 3}}
  rod: {type: rigid_link, mass: 2, com: [0.1, 0.2, -0.5], inertia: [0.2, 0.3, 0.1], frame_b: {at: [0, 0, -1]}}
  tip: {type: frame_sensor}
connect:
  - world.frame -- slew.frame_a
  - slew.frame_b -- arm.frame_a
  - arm.frame_b -- ball.frame_a
  - ball.frame_b -- rod.frame_a
  - rod.frame_b -- tip.frame_b
simulation: {stop: 0.5 s, step: 1 ms, output_step: 5 ms}
"""


def angles_at(result: luff.Result, k: int) -> np.ndarray:
    """R_AB from the three angles of row k."""
    psi, theta, phi = (float(result[f"ball.{name}"][k]) for name in ("psi", "theta", "phi"))
    return rotations.rotation_of_turns([((0, 0, 1), psi), ((0, 1, 0), theta), ((1, 0, 0), phi)])


def free_rotation(angles: list[float], rates: list[float], times: np.ndarray) -> np.ndarray:
    """R_AB over time by Euler's equations and the nine direction cosines, DOP853."""
    R = rotations.rotation_of_turns(zip(([0, 0, 1], [0, 1, 0], [1, 0, 0]), angles, strict=True))
    c, s = np.cos(angles[2]), np.sin(angles[2])
    across = rates[0] * np.cos(angles[1])
    w = np.array(
        [rates[2] - rates[0] * np.sin(angles[1]), rates[1] * c + across * s, across * c - rates[1] * s]
    )

    def slope(_: float, y: np.ndarray) -> np.ndarray:
        R, w = y[:9].reshape(3, 3), y[9:]
        return np.concatenate([(R @ rotations.skew(w)).ravel(), -np.cross(w, INERTIA * w) / INERTIA])

    y = np.concatenate([R.ravel(), w])
    found = solve_ivp(slope, (0.0, times[-1]), y, "DOP853", times, rtol=1e-12, atol=1e-13)
    return found.y[:9].T.reshape(-1, 3, 3)


@pytest.mark.parametrize("psi_rate", [1e-6, 1e-3, 0.03, 1.0])
@pytest.mark.parametrize("method", ["rk4", "dop853", "implicit"])
def test_quaternions_go_through_the_lock(psi_rate: float, method: str) -> None:
    angles, rates = [0.0, np.radians(60.0), 0.0], [psi_rate, 3.0, 0.3]
    initial = f"theta: 60 deg, psi_rate: {psi_rate}, theta_rate: 3, phi_rate: 0.3"
    text = FLOATING.replace("INITIAL", initial).replace("METHOD", method)
    result = luff.compile(luff.loads(text)).run()
    assert np.ptp(result["ball.theta"]) > 0.5
    exact = free_rotation(angles, rates, result.time)
    # rk4: (w h)^4 / 120 a turn is 1e-12; dop853: rtol 1e-8; implicit: of second order, (w h)^2
    close = {"rk4": 1e-11, "dop853": 1e-6, "implicit": 1e-5}[method]
    for k in range(0, len(result.time), 5):
        np.testing.assert_allclose(angles_at(result, k), exact[k], atol=close)


def test_a_quaternion_starts_in_the_lock_and_its_rates_are_not_known_there() -> None:
    text = FLOATING.replace("INITIAL", "theta: 90 deg, psi: 0.3, phi: 0.1, psi_rate: 2, theta_rate: 0.5")
    with pytest.warns(luff.ModelWarning, match=r"ball\.(psi|phi)_rate: is not a finite number at t = 0"):
        result = luff.compile(luff.loads(text.replace("METHOD", "rk4"))).run()
    exact = free_rotation([0.3, np.radians(90.0), 0.1], [2.0, 0.5, 0.0], result.time)
    for k in range(0, len(result.time), 5):
        np.testing.assert_allclose(angles_at(result, k), exact[k], atol=1e-11)


def test_both_coordinates_give_one_motion() -> None:
    """Away from the lock."""
    text = SWINGING
    one, other = (
        luff.compile(luff.loads(text.replace("COORDINATES", f"coordinates: {kind}"))).run()
        for kind in ("angles", "quaternion")
    )
    assert abs(np.cos(one["ball.theta"])).min() > 0.2
    for name in SIGNALS:
        # rk4 at 1 ms of rates of 5 rad/s, which both coordinates feel differently: h^4 w^5 / 120 a second
        np.testing.assert_allclose(other[name], one[name], atol=2e-8, err_msg=name)
    w, x, y, z = (other[f"ball.orientation[{k}]"][-1] for k in range(4))
    R = np.array([rotations.rotated((w, x, y, z), axis) for axis in np.eye(3)]).T
    np.testing.assert_allclose(R, angles_at(one, -1), atol=2e-8)
    rates = [one[f"ball.{name}_rate"][-1] for name in ("psi", "theta", "phi")]
    spin = rotations.angular_velocity([one[f"ball.{name}"][-1] for name in ("psi", "theta", "phi")], rates)
    np.testing.assert_allclose([other[f"ball.angular_velocity[{k}]"][-1] for k in range(3)], spin, atol=5e-8)


def test_a_quaternion_the_wrong_way_round_is_told() -> None:
    text = FLOATING.replace("INITIAL", "theta: 1").replace("METHOD", "rk4")
    text = (
        text.replace("ball.frame_a", "ball.B")
        .replace("ball.frame_b", "ball.frame_a")
        .replace("ball.B", "ball.frame_b")
    )
    with pytest.raises(luff.LuffError, match=r"ball: frame_b of a spherical joint is nearer .*swap"):
        luff.compile(luff.loads(text))


def test_damping_of_a_quaternion_acts_on_the_angular_velocity() -> None:
    """About one axis I w' = -c w, over the upper position."""
    text = FLOATING.replace("INITIAL", "theta: 80 deg, theta_rate: 4").replace("METHOD", "rk4")
    result = luff.compile(luff.loads(text.replace("quaternion,", "quaternion, damping: 0.2,"))).run()
    turned = np.radians(80.0) + 4.0 * 0.3 / 0.2 * (1.0 - np.exp(-0.2 / 0.3 * result.time))
    np.testing.assert_allclose(np.sin(result["ball.theta"]), np.sin(turned), atol=1e-11)
    with pytest.raises(luff.LuffError, match=r"ball\.stiffness: its spring acts on each angle"):
        luff.compile(luff.loads(text.replace("quaternion,", "quaternion, stiffness: 5,")))


def with_angles(initial: str) -> str:
    text = FLOATING.replace("coordinates: quaternion, ", "").replace("METHOD", "rk4")
    return text.replace("INITIAL", initial)


def test_angles_that_lock_are_told(tmp_path: Path) -> None:
    model = tmp_path / "ball.yaml"

    def told(initial: str) -> tuple[int, str]:
        model.write_text(with_angles(initial))
        done = subprocess.run(
            [sys.executable, "-m", "luff", "run", str(model)], capture_output=True, text=True, check=False
        )
        return done.returncode, done.stderr

    code, words = told("theta: 60 deg, theta_rate: 3, psi_rate: 1e-9")
    assert code == 0
    assert "theta passes 90 deg at t = 0.17" in words
    code, words = told("theta: 60 deg, theta_rate: 3, psi_rate: 1e-3, phi_rate: 1e-3")
    assert code == 3
    assert "give ball coordinates: quaternion" in words


def test_a_range_of_theta_is_that_of_its_start() -> None:
    result = luff.compile(luff.loads(with_angles("theta: 170 deg, theta_rate: 0.3, psi_rate: 0.3"))).run()
    assert not result.remarks
    with pytest.warns(luff.ModelWarning, match="theta passes 90 deg"):
        luff.compile(luff.loads(with_angles("theta: 100 deg, theta_rate: -3"))).run()


LOOP = """
luff: 1
blocks:
  pin: {type: revolute, axis: z, initial: {position: 0.3}}
  crank: {type: rigid_link, mass: 1, inertia: [1, 1, 1], frame_b: {at: [1, 0, 0]}}
  ball: {type: spherical, coordinates: quaternion}
  rod: {type: rigid_link, mass: 1, inertia: [1, 1, 1], frame_b: {at: [3, 0, 0]}}
  other: {type: spherical, coordinates: quaternion}
  slide: {type: prismatic, axis: x, guess: {position: 4}}
  block: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- crank.frame_a
  - crank.frame_b -- ball.frame_a
  - ball.frame_b -- rod.frame_a
  - rod.frame_b -- other.frame_a
  - other.frame_b -- block.frame_a
  - world.frame -- slide.frame_a
  - slide.frame_b -- block.frame_a
simulation: {stop: 0.1 s}
"""


def test_a_quaternion_in_a_loop_is_refused_with_a_fix() -> None:
    with pytest.raises(luff.LuffError, match=r"ball: .*orientation.*coordinates: angles"):
        luff.compile(luff.loads(LOOP)).run()
    used = LOOP + "record: [ball.psi, other.psi]\n"
    with pytest.raises(luff.LuffError, match=r"coordinates: angles"):
        luff.compile(luff.loads(used)).run()
