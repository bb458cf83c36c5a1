"""The library's passive heave compensator, in small motion, against a mass on a gas spring and throttles."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from scipy.linalg import expm

import luff

MODEL = Path(luff.__file__).resolve().parent / "library" / "heave_compensator.yaml"


def test_small_motion_is_that_of_a_mass_on_a_gas_spring() -> None:
    """m x'' = -k (x - d) - c (x' - d'), d = a sin(w t), k = n (p + p_amb) A^2 / V, c = A^2 sqrt(laminar) / gain."""
    a, w, stiff = 0.02, 0.9, {"cylinder.fluid.bulk_modulus": 1e12, "bottle.bulk_modulus": 1e12}
    sim = luff.compile(MODEL, amplitude=a, **stiff)
    # the check valve stays closed, and nothing switches
    found = sim.run(stop=20.0, step=1e-3, method="implicit", output_step=0.1)
    assert np.abs(found["into.flow"]).max() == 0.0
    mass, ambient, n = 20100.0, 101325.0, 1.4
    cap, rod = math.pi / 4 * 0.1**2, math.pi / 4 * (0.1**2 - 0.07**2)
    p = mass * 9.81 / cap
    gas = 0.7 * ((0.9 * p + ambient) / (p + ambient)) ** (1.0 / n)
    k = n * (p + ambient) * cap**2 / gas
    gain = 0.65 * 5e-4 * math.sqrt(2.0 / 870.0)
    c = (cap**2 + rod**2) * math.sqrt(1e5) / gain
    # x, x', sin, cos
    A = np.zeros((4, 4))
    A[0, 1] = 1.0
    A[1] = [-k / mass, -c / mass, k * a / mass, c * a * w / mass]
    A[2, 3], A[3, 2] = w, -w
    wanted = [(expm(A * t) @ [0.0, 0.0, 0.0, 1.0])[0] for t in found.time]
    moved = found["rail.position"] - 4.5
    assert np.abs(wanted).max() > 0.7 * a
    # of second order in the motion: the gas hardens by 1.2 x A / V
    np.testing.assert_allclose(moved, wanted, atol=1e-3 * a)
