"""Singular positions of loops: passed over on the motion's own polynomial, and told where both sides do not fit.

Where det Phi_d goes through zero, accelerations are quotients of what vanishes: they have limits, for the motion itself
is smooth there, but steps that land near the point compute them from rounding. So rates are sampled before it, going
back along the motion, and their polynomial is integrated over it (Adams and Bashforth's method, with one long step).
Energies of both sides are compared: on the right branch, passed well, what changed is what power has passed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...blocks.light_dataclass import mutable
from ..kernels import model_data as f
from .constraint_state import choose_anew, tell_states

if TYPE_CHECKING:
    from ..kernels.model_data import Data, Model
    from ..program.started_program import Begun
    from .instance import Instance

NODES = 6  # rates that are sampled: the polynomial's order
REGULAR = 10.0  # factor by which another partition has to be better conditioned to be taken instead
PARTED = 1e-6  # of the kinetic energy: by how much energies of both sides may differ before it is told


@mutable
class Passage:
    """States and coordinates as polynomials of the time after `begin`, over a number of steps."""

    begin: float
    steps: int
    nodes: np.ndarray  # times of the samples, the first zero, the others before it [s]
    x: np.ndarray  # at its begin
    rates: np.ndarray  # (nodes, states)
    q: np.ndarray
    v: np.ndarray  # (nodes, rows)
    energy: float  # total, less what power has passed, at its begin [J]
    moving: float  # kinetic energy there [J]

    def over(self, samples: np.ndarray, t: float) -> np.ndarray:
        """Integral of the samples' polynomial from 0 to t, by Gauss-Legendre points, exact for its order."""
        points, weights = np.polynomial.legendre.leggauss(NODES // 2)
        basis = np.array([lagrange(self.nodes, 0.5 * t * (1.0 + p)) for p in points])
        return 0.5 * t * (weights @ basis) @ samples

    def state(self, t: float) -> np.ndarray:
        return self.x + self.over(self.rates, t)

    def place(self, run: Instance, t: float) -> np.ndarray:
        """Bring the anchor to a time after the begin; returns the state there."""
        x, d = self.state(t), run.data
        d.row[:, f.ANCHOR_Q] = self.q + self.over(self.v, t)
        d.row[:, f.ANCHOR_V] = d.row[:, f.ANCHOR_A] = 0.0
        states = run.model.state
        for k in np.flatnonzero(states[:, f.ST_KIND] == f.Q_STATE):
            d.row[states[k, f.ST_ROW], f.ANCHOR_Q] = x[k]
        run.scalars[:, f.ANCHOR_TIME] = self.begin + t
        return x


def lagrange(nodes: np.ndarray, t: float) -> np.ndarray:
    """Values at t of Lagrange's polynomials over the nodes."""
    gaps = nodes[:, None] - nodes[None, :] + np.eye(len(nodes))
    away = np.where(np.eye(len(nodes), dtype=bool), 1.0, t - nodes[None, :])
    return np.prod(away / gaps, axis=1)


def regular_elsewhere(run: Instance, number: int, t: float, x: np.ndarray) -> bool:
    """Take another partition of a mechanism where one is regular; whether there was one."""
    one, model, data = component(run, number)
    run.rates(t, x)
    before, limit = abs(determinant(data)), data.scalar[f.COUPLING_LIMIT]
    choose_anew(run, one, model, data, x)
    tell_states(run)
    run.rates(t, x)
    if abs(determinant(data)) > REGULAR * before:
        return True
    data.scalar[f.COUPLING_LIMIT] = max(limit, data.scalar[f.COUPLING_LIMIT])
    return False


def component(run: Instance, number: int) -> tuple[Begun, Model, Data]:
    return (run.program.components[number], *run.mechanisms[number])


def dependent_jacobian(data: Data) -> tuple[np.ndarray, np.ndarray]:
    """Active constraints, and Phi_d at the state that was evaluated last."""
    r = data.coupling.shape[1]
    active, dependent = (data.part[k, :r].astype(int) for k in (f.ACTIVE, f.DEPENDENT))
    return active, data.jac[active][:, dependent]


def determinant(data: Data) -> float:
    return float(np.linalg.det(dependent_jacobian(data)[1]))


def passage(run: Instance, number: int, t: float, x: np.ndarray, h: float, left: int) -> Passage | None:
    """A way over the singular position of a mechanism ahead, of at most `left` steps; None where none is foretold."""
    d, own = run.data, run.mechanisms[number][1]
    kept = d.row[:, [f.ANCHOR_Q, f.ANCHOR_V, f.ANCHOR_A]].copy(), d.scalar.copy()
    couplings = [(data.coupling, data.coupling.copy()) for _, data in run.mechanisms]
    first = run.rates(t, x)
    values = [determinant(own)]
    for k in (1, 2):
        run.rates(t - k * h, x - k * h * first)
        values.append(determinant(own))
    now, before, earlier = values
    ahead = distance(now, before, earlier, h)
    if not ahead > 0.0:
        return None
    steps = min(max(2 * int(np.ceil(ahead / h)), 2), left)
    spacing = 0.5 * steps * h
    nodes = -spacing * np.arange(NODES)
    nodes = nodes[t + nodes >= 0.0]
    if len(nodes) < NODES:
        return None
    rates, v = [run.rates(t, x)], [d.row[:, f.V].copy()]
    q, energy = d.row[:, f.Q].copy(), balance_of(run, t, x)
    moving = float(run.scalars[:, f.KINETIC].sum())
    y, s = x.copy(), t
    for node in nodes[1:]:
        run.settle()
        y = backwards(run, s, y, t + node - s)
        s = t + node
        rates.append(run.rates(s, y))
        v.append(d.row[:, f.V].copy())
    d.row[:, [f.ANCHOR_Q, f.ANCHOR_V, f.ANCHOR_A]], d.scalar[:] = kept
    for coupling, before in couplings:
        coupling[:] = before
    sampled = np.array(rates), np.array(v)
    if not all(np.isfinite(each).all() for each in sampled):
        return None
    return Passage(t, steps, nodes, x.copy(), sampled[0], q, sampled[1], energy, moving)


def distance(now: float, before: float, earlier: float, h: float) -> float:
    """Time to the zero of a tau^p, from values at steps of h: p is 2 where two loops become singular together."""
    slope = (3.0 * now - 4.0 * before + earlier) / (2.0 * h)
    bend = (now - 2.0 * before + earlier) / (h * h)
    # D D'' / D'^2 = (p - 1) / p
    power = max(1.0, round(1.0 / max(1.0 - now * bend / (slope * slope), 1e-2))) if slope != 0.0 else 1.0
    return -power * now / slope if slope != 0.0 else 0.0


def backwards(run: Instance, t: float, x: np.ndarray, h: float) -> np.ndarray:
    """One step of Runge and Kutta's method, h below zero."""
    a = run.rates(t, x)
    b = run.rates(t + 0.5 * h, x + 0.5 * h * a)
    c = run.rates(t + 0.5 * h, x + 0.5 * h * b)
    e = run.rates(t + h, x + h * c)
    return x + h / 6.0 * (a + 2.0 * b + 2.0 * c + e)


def balance_of(run: Instance, t: float, x: np.ndarray) -> float:
    """Energy of the mechanism less what has been put in and lost [J]: it stands still on the motion."""
    drives, lost, friction, constraints = x[len(run.program.x0) :]
    return float(sum(run.energy(t, x).values()) - (drives + constraints - lost - friction))


def singular_place(run: Instance, number: int) -> str:
    """Blocks of the loop whose constraints are about to depend on each other, in words."""
    one, _, data = component(run, number)
    active, jac = dependent_jacobian(data)
    left, _, _ = np.linalg.svd(jac)
    blocks, weight = one.table.blocks, abs(left[:, -1])
    names = ", ".join(dict.fromkeys(blocks[c] for c in active[weight > 0.1 * weight.max()]))
    return f"{names}: a singular position of the loop"


def doubt(run: Instance, way: Passage, t: float, x: np.ndarray) -> str:
    """What there is to say behind a passage: that energies of both sides part, by which share of the kinetic one."""
    gap = abs(balance_of(run, t, x) - way.energy)
    moving = max(run.energy(t, x)["kinetic"], way.moving)
    if gap <= PARTED * moving:
        return ""
    return f"energies of both sides differ by {gap:.2g} J, where {moving:.3g} J move"
