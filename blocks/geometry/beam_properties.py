"""Mass and stiffness of a beam along its length; its section changes in straight lines between stations."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .cross_sections import Constants, Section

FIRST_BENDING = 1.8751040687119611  # least root of cos(b) cosh(b) = -1: a clamped and free beam
# places and weights of Gauss: exact for what weighs, as sizes run straight and no moment exceeds degree 5
GAUSS = ((0.5 - math.sqrt(0.15), 5.0 / 18.0), (0.5, 8.0 / 18.0), (0.5 + math.sqrt(0.15), 5.0 / 18.0))
GRID = 400  # stretches of a tapered beam, whose frequency is then right to 1e-4
ROUNDS = 30  # of Stodola's method: each takes a share of at most (f1/f2)^2 of what was wrong
Three = tuple[float, float, float]


class Beam(NamedTuple):
    """A beam along x. `stations`: places and sections, the first at 0; one alone holds for the whole length.

    Between two stations every size of the section runs in a straight line; at two with one place it jumps.
    """

    length: float
    stations: tuple[tuple[float, Section], ...]
    E: float
    G: float
    rho: float

    def section_at(self, x: float) -> Section:
        """Section at x [m]; behind the place of a jump."""
        if len(self.stations) == 1:
            return self.stations[0][1]
        (a, first), (b, last) = self._around(x)
        return first.interpolated(last, (x - a) / (b - a))

    def _around(self, x: float) -> tuple[tuple[float, Section], tuple[float, Section]]:
        """The two stations that x lies between."""
        spans = [(one, two) for one, two in pairwise(self.stations) if two[0] > one[0]]
        return next((span for span in spans if x < span[1][0]), spans[-1])

    def _gauss(self, a: float, b: float) -> Iterator[tuple[float, float, Section]]:
        """Places behind a [m], weights (sum 1) and sections of Gauss's rule between a and b, by spans of stations."""
        inner = [x for x, _ in self.stations if a < x < b]
        for start, end in pairwise([a, *inner, b]):
            share = (end - start) / (b - a) if b > a else 1.0  # a piece may have no length
            for x, w in GAUSS:
                place = start + (end - start) * x
                yield place - a, w * share, self.section_at(place)

    def piece(self, a: float, b: float) -> tuple[float, Three, Three]:
        """Mass, centre of mass behind a and inertia about it of the beam between two places."""
        d = b - a
        shares = [(x, w * self.rho * each.mass_area(), each.constants()) for x, w, each in self._gauss(a, b)]
        line = sum(share for _, share, _ in shares)  # mass per length: a piece may have none
        com = sum(share * x for x, share, _ in shares) / line
        along = sum(share * (x - com) ** 2 for x, share, _ in shares)
        # what weighs and carries nothing, such as bracing, stands as far from the axis as what carries
        y, z = (sum(share * c[k] / c.A for _, share, c in shares) for k in (1, 2))
        return d * line, (com, 0.0, 0.0), (d * (y + z), d * (y + along), d * (z + along))

    def stiffness(self, a: float, b: float) -> Three:
        """Stiffness of a spring about z, y and x that bends and twists as the beam between two places [N m/rad]."""
        constants = [(w * (b - a), each.constants()) for _, w, each in self._gauss(a, b)]
        return (
            self.E / sum(w / c.I_z for w, c in constants),
            self.E / sum(w / c.I_y for w, c in constants),
            self.G / sum(w / c.J for w, c in constants),
        )

    def sliding_stiffness(self, a: float, b: float) -> Three:
        """Stiffness of a spring along x, y and z that stretches and shears as the beam between two places [N/m]."""
        parts = [(w * (b - a), each.constants(), self.shear_of(each)) for _, w, each in self._gauss(a, b)]
        return (
            self.E / sum(w / c.A for w, c, _ in parts),
            self.G / sum(w / (c.A * kappa[0]) for w, c, kappa in parts),
            self.G / sum(w / (c.A * kappa[1]) for w, c, kappa in parts),
        )

    def shear_of(self, section: Section) -> tuple[float, float]:
        """Shear coefficients of a section along y and z, with Poisson's ratio nu = E / 2G - 1."""
        return section.shear_coefficients(0.5 * self.E / self.G - 1.0)

    def end_mass_bound(self, a: float, b: float) -> float:
        """Largest m for which m (v_a^2 + v_b^2) / 2 is within the kinetic energy of the rigid piece from a to b [kg].

        v_a, v_b: velocities of its ends across the axis. m is the smaller eigenvalue of its mass matrix in them; of a
        uniform piece a sixth of its mass.
        """
        d, near, cross, far = b - a, 0.0, 0.0, 0.0
        for x, w, section in self._gauss(a, b):
            mass, s = d * w * self.rho * section.mass_area(), x / d
            near, cross, far = near + mass * (1.0 - s) ** 2, cross + mass * s * (1.0 - s), far + mass * s * s
        return 0.5 * (near + far) - math.hypot(0.5 * (near - far), cross)

    def first_bending(self) -> float:
        """Circular frequency of the first bending mode of an Euler-Bernoulli beam clamped at its start [rad/s]."""
        if len(self.stations) == 1:
            section = self.stations[0][1]
            c, line = section.constants(), self.rho * section.mass_area()
            return (FIRST_BENDING / self.length) ** 2 * math.sqrt(self.E * min(c.I_y, c.I_z) / line)
        sections = [self.section_at(self.length * k / GRID) for k in range(GRID + 1)]
        line = self.rho * np.array([each.mass_area() for each in sections])
        every = [each.constants() for each in sections]
        return min(
            stodola_frequency(line, self.E * np.array([c[k] for c in every]), self.length / GRID)
            for k in (Constants._fields.index("I_y"), Constants._fields.index("I_z"))
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
