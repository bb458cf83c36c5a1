"""Roots of a linear model with delays: begun by a coarse map, ended by Newton's method on the characteristic matrix."""

from __future__ import annotations

import numpy as np

from .frequency import SHORT, Complex, multipliers
from .loops import Loop, pace_of, period_map

COARSE = 40  # steps that all delays together are parted into, to begin with
TRUSTED = 0.3  # of half of the map's frequency: beyond it its roots are those of its steps
NEWTON = 30  # steps at most
MOVED = 0.3  # of the trusted frequency: a root that moves further was another one


def roots_with_delays(loop: Loop, step: float) -> Complex | None:
    """The slow ones of det F(s) = 0, those that grow among them; none where too much is remembered for a map."""
    pace = pace_of(loop, step, COARSE)
    if pace is None:
        return None
    period = pace.step * pace.count
    z = multipliers(period_map(loop, pace)[0])
    z = z[abs(z) > SHORT]
    limit = TRUSTED * np.pi / period
    began: Complex = (np.log(z) / period).astype(complex)
    began = began[(began.imag >= 0.0) & (abs(began.imag) < limit) & (began.real > -limit)]
    kept: list[complex] = []
    for start in began:
        s = polished(loop, complex(start))
        alike = 1e-7 * max(abs(start), 1e-9)
        if s is not None and abs(s - start) < MOVED * limit and all(abs(s - one) > alike for one in kept):
            kept.append(complex(s.real, 0.0) if abs(s.imag) <= alike else s)
    upper: Complex = np.array(kept, complex)
    return np.concatenate([upper, upper[upper.imag > 0.0].conj()])


def polished(loop: Loop, s: complex) -> complex | None:
    """The root near s: of u* F v = 0, with the singular vectors of F that belong to its least singular value."""
    for _ in range(NEWTON):
        F, dF = characteristic(loop, s)
        if not np.isfinite(F).all():
            return None
        left, _, right = np.linalg.svd(F)
        u, v = left[:, -1].conj(), right[-1].conj()
        slope = u @ dF @ v
        if slope == 0.0:
            return None
        change = complex(u @ F @ v / slope)
        s -= change
        if abs(change) <= 1e-13 * max(abs(s), 1.0):
            return s
    return None


def characteristic(loop: Loop, s: complex) -> tuple[Complex, Complex]:
    """F(s) = [[s - A, -B], [-e M, 1 - e N]], e the sum of share times exp(-s delay), and dF/ds."""
    n = len(loop.A)
    shift = np.array([sum(a * np.exp(-s * d) for a, d in echo.shares) for echo in loop.echoes], complex)
    slope = np.array([sum(-d * a * np.exp(-s * d) for a, d in echo.shares) for echo in loop.echoes], complex)
    e, de, k = shift[:, None], slope[:, None], len(shift)
    F = np.block([[s * np.eye(n) - loop.A, -loop.B], [-e * loop.M, np.eye(k) - e * loop.N]])
    dF = np.block([[np.eye(n), np.zeros((n, k))], [-de * loop.M, -de * loop.N]])
    return F.astype(complex), dF.astype(complex)
