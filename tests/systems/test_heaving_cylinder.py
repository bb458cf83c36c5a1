"""A half-immersed circular cylinder that heaves: added mass, damping and decay against Ursell's multipole expansion.

Per length, A over rho pi a^2 / 2 and B over w rho pi a^2 / 2, of K a = w^2 a / g.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.special import exp1

import luff
from luff.blocks.environment.radiation_memory import cached_resonators, response

G, RHO, LENGTH = 9.81, 1025.0, 10.0
MASS = 0.5 * math.pi * RHO * LENGTH  # that it displaces; a = 1 m


def ursell(Ka: float, count: int = 24, points: int = 120) -> tuple[float, float, float]:
    """A, B and the amplitude of far waves over that of the heave.

    Ursell (1949), Q. J. Mech. Appl. Math. 2, 218: a source and multipoles at the middle, stream function on the hull by
    least squares, pressure by its integral. Integrals over wave numbers by E1.
    """
    nodes, weights = np.polynomial.legendre.leggauss(points)
    angle, weight = 0.25 * np.pi * (nodes + 1.0), 0.25 * np.pi * weights
    m = np.arange(1, count + 1)

    def source(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, ...]:
        z = 1j * (x - 1j * y)
        integral, wave = np.exp(-z) * exp1(-z), np.pi * np.exp(-y)  # of e^(-k (x - i y)) / (k - i)
        return (
            wave * np.cos(x),
            wave * np.sin(x) - integral.real,
            wave * np.sin(x),
            integral.imag - wave * np.cos(x),
        )

    phi_c, phi_s, psi_c, psi_s = source(Ka * np.sin(angle), Ka * np.cos(angle))
    _, _, edge_c, edge_s = source(np.array(Ka), np.array(1e-300))
    sine = np.sin(angle)[:, None]
    odd = 2 * m - 1
    f = -np.sin(2 * m * angle[:, None]) - Ka / odd * (
        np.sin(odd * angle[:, None]) - sine * np.sin(0.5 * np.pi * odd)
    )
    wanted = np.column_stack([psi_c - edge_c * np.sin(angle), psi_s - edge_s * np.sin(angle)])
    scale = np.sqrt(weight)[:, None]
    p, q = np.linalg.lstsq(f * scale, wanted * scale, rcond=None)[0].T
    sign = (-1.0) ** (m - 1)
    a, b = (edge + (sign * Ka / odd) @ one for edge, one in ((edge_c, p), (edge_s, q)))
    n_0, m_0 = (
        weight @ (phi * np.cos(angle)) + 0.25 * np.pi * Ka * one[0] + (sign / (4 * m * m - 1)) @ one
        for phi, one in ((phi_c, p), (phi_s, q))
    )
    both = a * a + b * b
    added, damping = (4.0 / np.pi * one / both for one in (m_0 * b + n_0 * a, m_0 * a - n_0 * b))
    return float(added), float(damping), float(np.pi * Ka / math.sqrt(both))


@pytest.mark.parametrize("Ka", [1e-3, 0.03, 0.3, 1.0, 3.0, 10.0])
def test_reference_radiates_what_it_takes(Ka: float) -> None:
    """Newman (1962), from Haskind's relations: B w^3 = rho g^2 (far amplitude)^2. Least squares leave 3e-6."""
    _, damping, amplitude = ursell(Ka)
    assert damping == pytest.approx(2.0 * amplitude**2 / (np.pi * Ka**2), abs=1e-5)


def test_reference_has_the_limits_of_long_and_short_waves() -> None:
    """Long waves: amplitude 2 K a; 8 / pi^2 of added mass more as log(1 / K a) grows by one, up to terms of K a log^2.

    Short waves: 1 - 4 / (3 pi K a) of added mass, Ursell (1953), Proc. R. Soc. A 220, 90, eq. 5.1, up to (K a)^-2.
    """
    (low, _, amplitude), (lower, _, _) = ursell(1e-4), ursell(1e-5)
    assert amplitude == pytest.approx(2e-4, rel=1e-3)
    assert (lower - low) / math.log(10.0) == pytest.approx(8.0 / np.pi**2, rel=5e-3)
    for Ka in (5.0, 7.0, 10.0):
        assert ursell(Ka)[0] == pytest.approx(1.0 - 4.0 / (3.0 * np.pi * Ka), abs=Ka**-2.0)


def test_memory_of_a_cylinder_has_its_added_mass_damping_and_decay() -> None:
    """A table from K a = 0.02 to 10; let go 1 cm high, s(t) = 2/pi int Re H(w) sin(w t) / w dw by the reference."""
    Ka = np.geomspace(0.02, 10.0, 40)
    A, B, _ = np.array([ursell(one) for one in Ka]).T
    w = np.sqrt(G * Ka)
    rows = [[float(x), 3, 3, float(a), float(b)] for x, a, b in zip(w, A * MASS, B * MASS * w, strict=True)]
    found = cached_resonators(tuple(tuple(map(float, row)) for row in rows), None)
    K = response(found.modes, w)[:, 2, 2]
    np.testing.assert_allclose(K.real / (MASS * w), B, atol=0.01 * B.max())
    np.testing.assert_allclose((found.infinite[2, 2] + K.imag / w) / MASS, A, atol=0.01 * A.max())
    assert found.infinite[2, 2] == pytest.approx(MASS, rel=0.02)
    stiffness = 2.0 * RHO * G * LENGTH
    more = f"volume: {MASS / RHO!r}, restoring: [[3, 3, {stiffness!r}]], radiation: {rows}"
    text = f"""
luff: 1
blocks:
  sea: {{type: prismatic, axis: z, initial: {{position: 0.01}}}}
  hull: {{type: rigid_link, mass: {MASS!r}}}
  water: {{type: floating_body, {more}}}
connect: [world.frame -- sea.frame_a, sea.frame_b -- hull.frame_a, hull.frame_a -- water.frame_b]
simulation: {{stop: 6, step: 0.01, output_step: 0.1}}
"""
    decaying = luff.compile(luff.loads(text)).run()
    knots = np.geomspace(1e-6, 10.0, 80)
    added, damping = (
        CubicSpline(np.log(knots), one) for one in np.array([ursell(one)[:2] for one in knots]).T
    )
    fine = np.linspace(2e-3, 10.0 * w[-1], 20000)
    inside = fine < w[-1]
    at = np.log(np.minimum(fine * fine / G, 10.0))
    A_w = MASS * np.where(inside, added(at), 1.0 - (1.0 - A[-1]) * (w[-1] / fine) ** 2)
    B_w = MASS * fine * np.where(inside, damping(at), 0.0)
    real = (1.0 / (stiffness - fine**2 * (MASS + A_w) + 1j * fine * B_w)).real
    step = 2.0 / math.pi * np.trapezoid(real / fine * np.sin(np.outer(decaying.time, fine)), fine, axis=1)
    np.testing.assert_allclose(decaying["sea.position"], 0.01 * (1.0 - stiffness * step), atol=1e-4)
