"""Event-driven integration of mechanisms in minimal coordinates whose constraints have edges, plastic impacts there."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

Vec = np.ndarray
G = 9.81


@dataclass
class Edges:
    """M(q) v' = f(q, v) + J^T lambda with lower <= Phi(q, t) <= upper of each row, plastic at the edges."""

    mass: Callable[[Vec], Vec]
    force: Callable[[Vec, Vec], Vec]
    phi: Callable[[float, Vec], Vec]
    jac: Callable[[Vec], Vec]
    rate: Callable[[float, Vec, Vec], Vec]
    bias: Callable[[float, Vec, Vec], Vec]  # Phi'' at v' = 0
    lower: Vec
    upper: Vec

    def free(self, t: float, q: Vec, v: Vec) -> tuple[Vec, Vec, Vec]:
        """v' without edges, M^-1 J^T, and Phi'' without edges."""
        M, J = self.mass(q), self.jac(q)
        a = np.linalg.solve(M, self.force(q, v))
        return a, np.linalg.solve(M, J.T), J @ a + self.bias(t, q, v)

    def chosen(self, A: Vec, q: Vec, sides: Vec) -> Vec:
        """Forces with the right signs, by trying all sets of edges."""
        at = np.flatnonzero(sides)
        for size in range(len(at) + 1):
            for some in map(list, itertools.combinations(at, size)):
                push = np.zeros(len(sides))
                push[some] = np.linalg.solve(A[np.ix_(some, some)], -q[some])
                left = q + A @ push
                others = [k for k in at if k not in some]
                if (-sides[some] * push[some] >= 0).all() and (-sides[others] * left[others] >= -1e-12).all():
                    return push
        raise AssertionError("no set of edges")

    def pushes(self, t: float, s: Vec, sides: Vec) -> tuple[Vec, Vec]:
        """Forces of the edges that act, and v'."""
        n = len(s) // 2
        a, Y, ahead = self.free(t, s[:n], s[n:])
        on = np.flatnonzero(sides)
        A = (self.jac(s[:n]) @ Y)[np.ix_(on, on)]
        push = np.zeros(len(sides))
        push[on] = np.linalg.solve(A, -ahead[on])
        return push, a + Y @ push

    def rates(self, t: float, s: Vec, sides: Vec) -> Vec:
        return np.concatenate([s[len(s) // 2 :], self.pushes(t, s, sides)[1]])

    def events(self, sides: Vec) -> list[Callable[[float, Vec, Vec], float]]:
        """Distances from edges, and pushes of those that act."""
        found: list[Callable[[float, Vec, Vec], float]] = []
        for k, side in enumerate(sides.tolist()):
            if side:
                found.append(lambda t, s, _, k=k, side=side: -side * self.pushes(t, s, sides)[0][k])
                continue
            found.append(lambda t, s, _, k=k: self.upper[k] - self.phi(t, s[: len(s) // 2])[k])
            found.append(lambda t, s, _, k=k: self.phi(t, s[: len(s) // 2])[k] - self.lower[k])
        for event in found:
            vars(event).update(terminal=True, direction=-1.0)
        return found

    def met(self, t: float, q: Vec, v: Vec, sides: Vec) -> tuple[Vec, Vec]:
        """Rates and sides behind an event."""
        gap, rate = self.phi(t, q), self.rate(t, q, v)
        # an event of solve_ivp is at the edge within its root finder's tolerance
        above = (gap > self.upper - 1e-10) & (rate > 1e-9)
        below = (gap < self.lower + 1e-10) & (rate < -1e-9)
        sides = np.where(sides == 0, 1.0 * above - 1.0 * below, sides)
        _, Y, _ = self.free(t, q, v)
        A = self.jac(q) @ Y
        v = v + Y @ self.chosen(A, self.rate(t, q, v) * (sides != 0), sides)
        return v, np.where(self.chosen(A, self.free(t, q, v)[2], sides) != 0, sides, 0.0)

    def run(self, q: Vec, v: Vec, times: Vec) -> tuple[Vec, int]:
        """Coordinates at the times, and the number of events."""
        n, t, sides, events = len(q), float(times[0]), np.zeros(len(self.lower)), 0
        rows = np.empty((len(times), n))
        rows[0] = q
        ways = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13, "max_step": 0.01}
        while t < times[-1]:
            start, edges = np.concatenate([q, v]), self.events(sides)
            found = solve_ivp(
                self.rates, (t, times[-1]), start, args=(sides,), dense_output=True, events=edges, **ways
            )
            here = (times > t) & (times <= found.t[-1])
            if here.any():
                rows[here] = found.sol(times[here]).T[:, :n]
            t, q, v = float(found.t[-1]), found.y[:n, -1], found.y[n:, -1]
            if found.status == 1:
                events += 1
                v, sides = self.met(t, q, v, sides)
        return rows, events


def arm_mass(q: Vec) -> Vec:
    """M of the planar arm of `ARM`: angles about y, positive down."""
    c = np.cos(q[1])
    m12 = 0.02 + 0.04 + 0.1 * c
    return np.array([[0.05 + 0.125 + 0.02 + 0.25 + 0.04 + 0.2 * c, m12], [m12, 0.06]])


def arm_force(q: Vec, v: Vec) -> Vec:
    """Right-hand side of the planar arm of `ARM`: weight and centrifugal terms."""
    s, a, b = 0.1 * np.sin(q[1]), np.cos(q[0]), np.cos(q[0] + q[1])
    weight = np.array([(2 * 0.25 + 0.5) * a + 0.2 * b, 0.2 * b]) * G
    return weight + np.array([s * v[1] * (2 * v[0] + v[1]), -s * v[0] ** 2])
