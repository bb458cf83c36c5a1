"""Mass and stiffness of a beam along its length, uniform or tapered."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .cross_sections import Section

FIRST_BENDING = 1.8751040687119611  # least root of cos(b) cosh(b) = -1: a clamped and free beam
# places and weights of Gauss: exact for what weighs, as sizes run straight and no moment exceeds degree 5
GAUSS = ((0.5 - math.sqrt(0.15), 5.0 / 18.0), (0.5, 8.0 / 18.0), (0.5 + math.sqrt(0.15), 5.0 / 18.0))
GRID = 400  # stretches of a tapered beam, whose frequency is then right to 1e-4
ROUNDS = 30  # of Stodola's method: each takes a share of at most (f1/f2)^2 of what was wrong
Three = tuple[float, float, float]


class Beam(NamedTuple):
    """A beam along x. Between its ends every size of the section runs in a straight line."""

    length: float
    start: Section
    end: Section | None
    E: float
    G: float
    rho: float

    def section_at(self, x: float) -> Section:
        return self.start if self.end is None else self.start.interpolated(self.end, x / self.length)

    def piece(self, a: float, b: float) -> tuple[float, Three, Three]:
        """Mass, centre of mass behind a and inertia about it of the beam between two places."""
        d = b - a
        sections = [(d * x, w, self.section_at(a + d * x)) for x, w in GAUSS]
        shares = [(x, w * self.rho * each.mass_area(), each.constants()) for x, w, each in sections]
        line = sum(share for _, share, _ in shares)  # mass per length: a piece may have none
        com = sum(share * x for x, share, _ in shares) / line
        along = sum(share * (x - com) ** 2 for x, share, _ in shares)
        # what weighs and carries nothing, such as bracing, stands as far from the axis as what carries
        y, z = (sum(share * c[k] / c.A for _, share, c in shares) for k in (1, 2))
        return d * line, (com, 0.0, 0.0), (d * (y + z), d * (y + along), d * (z + along))

    def stiffness(self, a: float, b: float) -> Three:
        """Stiffness of a spring about z, y and x that bends and twists as the beam between two places [N m/rad]."""
        constants = [(w * (b - a), self.section_at(a + (b - a) * x).constants()) for x, w in GAUSS]
        return (
            self.E / sum(w / c.I_z for w, c in constants),
            self.E / sum(w / c.I_y for w, c in constants),
            self.G / sum(w / c.J for w, c in constants),
        )

    def first_bending(self) -> float:
        """Circular frequency of the first bending mode of an Euler-Bernoulli beam clamped at its start [rad/s]."""
        c = self.start.constants()
        if self.end is None:
            line = self.rho * self.start.mass_area()
            return (FIRST_BENDING / self.length) ** 2 * math.sqrt(self.E * min(c.I_y, c.I_z) / line)
        sections = [self.section_at(self.length * k / GRID) for k in range(GRID + 1)]
        line = self.rho * np.array([each.mass_area() for each in sections])
        every = [each.constants() for each in sections]
        return min(
            stodola_frequency(line, self.E * np.array([c[k] for c in every]), self.length / GRID)
            for k in (1, 2)
        )


def stodola_frequency(line: np.ndarray, stiffness: np.ndarray, dx: float) -> float:
    """First bending frequency of a cantilever [rad/s] by Stodola's iteration; mass and stiffness at equal distances dx.

    Loaded by the inertia of a shape, the beam bends into a shape that is nearer to its first mode; the frequency is
    Rayleigh's quotient of both.
    """
    y, w = np.linspace(0.0, 1.0, len(line)) ** 2, 0.0
    for _ in range(ROUNDS):
        shear = _cumulative_integral(line * y, dx, from_end=True)
        curvature = _cumulative_integral(shear, dx, from_end=True) / stiffness
        bent = _cumulative_integral(_cumulative_integral(curvature, dx), dx)
        w = math.sqrt(float(np.trapezoid(line * y * bent) / np.trapezoid(line * bent * bent)))
        y = bent / bent[-1]
    return w


def _cumulative_integral(values: np.ndarray, dx: float, from_end: bool = False) -> np.ndarray:
    """The integral from the start, or from the end, by trapezia."""
    if from_end:
        return _cumulative_integral(values[::-1], dx)[::-1]
    return np.concatenate([[0.0], np.cumsum(0.5 * dx * (values[1:] + values[:-1]))])
