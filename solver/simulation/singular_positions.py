"""Singular positions of loops: passed over on a polynomial of the motion, with a note where energies do not match.

Where det Phi_d goes through zero, accelerations are quotients of vanishing numbers. They have limits, as the motion is
smooth there, but steps close to the point compute them from rounding. So rates are sampled before it, backwards along
the motion, and their polynomial is integrated over it (Adams-Bashforth with one long step). Energies on both sides are
compared: on the right branch they differ by the work done.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.light_dataclass import mutable
from ..kernels import model_data as f
from ..kernels.loop_blocks import STEPS_AHEAD
from .constraint_state import choose_independent_anew, share_state_choices

if TYPE_CHECKING:
    from ..kernels.model_data import Data, Model
    from ..program.started_program import StartedComponent
    from .instance import Instance

NODES = 6  # number of sampled rates: order of the polynomial
ANOTHER = 2.0  # ratio of times to zero, from which on two are not of one position
PARTED = 1e-6  # difference of energies, over the kinetic energy, above which a note is given


@mutable
class Passage:
    """Polynomial passage: states and coordinates over time from `begin` over a number of steps."""

    begin: float
    steps: int
    nodes: np.ndarray  # times of the samples, the first zero, the others before it [s]
    x: np.ndarray  # state at begin
    rates: np.ndarray  # (nodes, states)
    q: np.ndarray
    v: np.ndarray  # (nodes, rows)
    energy: float  # total energy less work done, at begin [J]
    moving: float  # kinetic energy at begin [J]

    def over(self, samples: np.ndarray, t: float) -> np.ndarray:
        """Integral of the samples' polynomial from 0 to t, by Gauss-Legendre quadrature, exact for its order."""
        points, weights = np.polynomial.legendre.leggauss(NODES // 2)
        basis = np.array([lagrange(self.nodes, 0.5 * t * (1.0 + p)) for p in points])
        return 0.5 * t * (weights @ basis) @ samples

    def state(self, t: float) -> np.ndarray:
        """State at time t after begin."""
        return self.x + self.over(self.rates, t)

    def place(self, run: Instance, t: float) -> np.ndarray:
        """Move the anchor to time t after begin; returns the state there."""
        x, d = self.state(t), run.data
        d.row[:, f.ANCHOR_Q] = self.q + self.over(self.v, t)
        d.row[:, f.ANCHOR_V] = d.row[:, f.ANCHOR_A] = 0.0
        states = run.model.state
        for k in np.flatnonzero(states[:, f.ST_KIND] == f.Q_STATE):
            d.row[states[k, f.ST_ROW], f.ANCHOR_Q] = x[k]
        run.scalars[:, f.ANCHOR_TIME] = self.begin + t
        return x


def lagrange(nodes: np.ndarray, t: float) -> np.ndarray:
    """Lagrange polynomials over the nodes at t."""
    gaps = nodes[:, None] - nodes[None, :] + np.eye(len(nodes))
    away = np.where(np.eye(len(nodes), dtype=bool), 1.0, t - nodes[None, :])
    return np.prod(away / gaps, axis=1)


def regular_elsewhere(run: Instance, number: int, t: float, x: np.ndarray, h: float) -> bool:
    """Take the partition of a mechanism with the largest |det Phi_d|; true if the run goes on with it for now.

    So it does if its zero is another one than that ahead, or one of lower order that is not near: beside the angles of
    three legs whose rods become parallel det Phi_d vanishes like tau^3, beside other coordinates like tau.
    """
    one, model, data = component(run, number)
    run.rates(t, x)
    before, limit, share = abs(determinant(data)), data.scalar[f.COUPLING_LIMIT], least_share(data)
    ahead, power = next_zero(run, number, t, x, h)
    # a drive's coordinate is no better here than another
    choose_independent_anew(run, one, model, data, x, drives=set())
    share_state_choices(run)
    run.rates(t, x)
    if abs(determinant(data)) > before:
        later, order = next_zero(run, number, t, x, h)
        lower = order < power and later > STEPS_AHEAD * h
        if lower:
            remember_share(data, share ** (order / power))
        if lower or later <= 0.0 or later > ANOTHER * ahead:
            return True
    data.scalar[f.COUPLING_LIMIT] = max(limit, data.scalar[f.COUPLING_LIMIT])
    return False


def block_ends(data: Data) -> Iterator[tuple[int, slice]]:
    """Number and rows of each block of Phi_d."""
    blocks, k = data.part[f.BLOCK], 0
    while blocks[k] < data.coupling.shape[1]:
        yield k, slice(blocks[k], blocks[k + 1])
        k += 1


def least_share(data: Data) -> float:
    """|det| over its largest value so far, of the block of Phi_d with the least."""
    found = []
    _, jac = dependent_jacobian(data)
    single = sum(1 for _ in block_ends(data)) == 1
    for k, part in block_ends(data):
        size = abs(float(np.linalg.det(jac[part, part])))
        found.append(
            size
            / max(size, data.scalar[f.DETERMINANT_MAX] if single else data.loop_block[k, f.BLOCK_DET_MAX])
        )
    return min(found)


def remember_share(data: Data, share: float) -> None:
    """Write the largest |det| that each block of a fresh Phi_d would have had, if its share is this now."""
    _, jac = dependent_jacobian(data)
    for k, part in block_ends(data):
        most = abs(float(np.linalg.det(jac[part, part]))) / share
        data.loop_block[k, f.BLOCK_DET_MAX] = data.scalar[f.DETERMINANT_MAX] = most


def component(run: Instance, number: int) -> tuple[StartedComponent, Model, Data]:
    return (run.program.components[number], *run.mechanisms[number])


def dependent_jacobian(data: Data) -> tuple[np.ndarray, np.ndarray]:
    """Active constraints, and Phi_d at the state that was evaluated last."""
    r = data.coupling.shape[1]
    active, dependent = (data.part[k, :r].astype(int) for k in (f.ACTIVE, f.DEPENDENT))
    return active, data.jac[active][:, dependent]


def determinant(data: Data) -> float:
    """det Phi_d at the state that was evaluated last; NaN or infinite where that state is none."""
    with np.errstate(invalid="ignore", over="ignore"):
        return float(np.linalg.det(dependent_jacobian(data)[1]))


@contextmanager
def undisturbed(run: Instance) -> Iterator[None]:
    """Anchors, scalars and couplings are behind it as they were."""
    d = run.data
    kept = d.row[:, [f.ANCHOR_Q, f.ANCHOR_V, f.ANCHOR_A]].copy(), d.scalar.copy()
    arrays = [
        (array, array.copy()) for _, data in run.mechanisms for array in (data.coupling, data.loop_block)
    ]
    yield
    d.row[:, [f.ANCHOR_Q, f.ANCHOR_V, f.ANCHOR_A]], d.scalar[:] = kept
    for array, before in arrays:
        array[:] = before


def next_zero(run: Instance, number: int, t: float, x: np.ndarray, h: float) -> tuple[float, float]:
    """Time to the zero of det Phi_d by its last values along the motion [s], not positive where none is ahead, NaN
    where it cannot be told; its order.
    """
    own = run.mechanisms[number][1]
    with undisturbed(run):
        first = run.rates(t, x).copy()
        values = [determinant(own)]
        for k in (1, 2):
            run.rates(t - k * h, x - k * h * first)
            values.append(determinant(own))
    run.rates(t, x)  # as it was
    now, before, earlier = values
    return zero_of(now, before, earlier, h)


def passage(run: Instance, number: int, t: float, x: np.ndarray, h: float, left: int) -> Passage | None:
    """A way over the singular position of a mechanism ahead, of at most `left` steps; None where none is foretold."""
    d, (ahead, _) = run.data, next_zero(run, number, t, x, h)
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
    with undisturbed(run):
        for node in nodes[1:]:
            run.settle()
            y = backwards(run, s, y, t + node - s)
            s = t + node
            rates.append(run.rates(s, y))
            v.append(d.row[:, f.V].copy())
    sampled = np.array(rates), np.array(v)
    if not all(np.isfinite(each).all() for each in sampled):
        return None
    return Passage(t, steps, nodes, x.copy(), sampled[0], q, sampled[1], energy, moving)


def zero_of(now: float, before: float, earlier: float, h: float) -> tuple[float, float]:
    """Time to the zero of D = a tau^p from values at steps of h, and p: 2 where two loops become singular together.

    Both are NaN where these do not tell it: a run that diverges has no motion to look back along.
    """
    slope = (3.0 * now - 4.0 * before + earlier) / (2.0 * h)
    bend = (now - 2.0 * before + earlier) / (h * h)
    if slope == 0.0:
        return 0.0, 0.0
    # D D'' / D'^2 = (p - 1) / p
    curve = now * bend / (slope * slope) if slope * slope > 0.0 else np.nan
    if not np.isfinite(curve):
        return np.nan, np.nan
    power = max(1.0, round(1.0 / max(1.0 - curve, 1e-2)))
    return -power * now / slope, power


def backwards(run: Instance, t: float, x: np.ndarray, h: float) -> np.ndarray:
    """One step of the classical Runge-Kutta method with h < 0."""
    a = run.rates(t, x)
    b = run.rates(t + 0.5 * h, x + 0.5 * h * a)
    c = run.rates(t + 0.5 * h, x + 0.5 * h * b)
    e = run.rates(t + h, x + h * c)
    return x + h / 6.0 * (a + 2.0 * b + 2.0 * c + e)


def balance_of(run: Instance, t: float, x: np.ndarray) -> float:
    """Energy of the mechanism less work done on it [J]: constant along the motion."""
    drives, lost, friction, constraints = x[len(run.program.x0) :]
    return float(sum(run.energy(t, x).values()) - (drives + constraints - lost - friction))


def singular_place(run: Instance, number: int) -> str:
    """Blocks of the loop whose constraints are about to depend on each other, in words."""
    one, _, data = component(run, number)
    active, jac = dependent_jacobian(data)
    left, _, _ = np.linalg.svd(jac)
    blocks, weight = one.table.blocks, abs(left[:, -1])
    # which ones are named: a tenth chooses words alone
    names = ", ".join(dict.fromkeys(blocks[c] for c in active[weight > 0.1 * weight.max()]))
    return f"{names}: a singular position of the loop"


def energy_doubt(run: Instance, way: Passage, t: float, x: np.ndarray) -> str:
    """Note on a passage whose energies on both sides differ, or empty."""
    gap = abs(balance_of(run, t, x) - way.energy)
    moving = max(run.energy(t, x)["kinetic"], way.moving)
    if not np.isfinite(gap + moving):
        return "its energies behind it are no numbers"
    if gap <= PARTED * moving:
        return ""
    return f"energies of both sides differ by {gap:.2g} J, where {moving:.3g} J move"
