"""Rates that vanish at rest: those of motions that a grid resolves.

A grid of intervals h has no controls for motions faster than pi / h, half of whose period is within an interval, and
leaves them to their damping. The rates at rest are projected on the left invariant subspace of the slower ones, which
the faster ones do not enter.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import schur

from .collocation import Case

RANK = 1e-9  # singular value, over the largest, of a rate that says nothing beside the others
DISPLACED = 0.1  # share of its size by which each number is moved to see which rates are linear


def rest_rows(case: Case, z: np.ndarray, fastest: float) -> tuple[np.ndarray, int]:
    """Combinations of the rates (k, n) that vanish at rest at z = [x, u], by rows; and the number of motions left out.

    Each row has the unit of the rate that it has most of. A rate that is a multiple of another to first order, as
    that of a bristle at rest is of the speed, says nothing beside it, and is left out.
    """
    n, q = case.points.native, case.n + case.points.m
    size = case.scale[:q]
    both = case.points.jacobians(np.stack([z, z + DISPLACED * size]), False)[:, :n] * size / size[:n, None]
    J = both[0]
    if not np.all(np.isfinite(J)):
        return np.eye(n), 0
    _, Q, slow = schur(J[:, :n].T, output="complex", sort=lambda pole: abs(pole) <= fastest)
    W = np.eye(n) if slow == n else _real_basis(Q[:, :slow])
    bent = np.max(abs(both[1] - J), axis=1) > RANK * np.max(abs(J), axis=1)
    for i in np.flatnonzero(bent):
        norms = np.linalg.norm(J, axis=1)
        share = J @ J[i] / np.maximum(norms**2, 1e-300)
        off = np.linalg.norm(J[i] - share[:, None] * J, axis=1)
        twins = [k for k in np.flatnonzero(~bent) if off[k] <= RANK * norms[i]]
        if norms[i] == 0.0 or twins:
            if twins:
                W[:, twins[0]] += share[twins[0]] * W[:, i]
            W[:, i] = 0.0
    left, gain, _ = np.linalg.svd(W @ J, full_matrices=False)
    independent = gain > RANK * gain[0]
    if not np.all(independent):
        W = left[:, independent].T @ W
    most = np.argmax(abs(W), axis=1)
    rows = W / size[:n] * (size[most] / W[np.arange(len(W)), most])[:, None]
    return rows, n - int(slow)


def _real_basis(Q: np.ndarray) -> np.ndarray:
    """Orthonormal rows that span the real subspace of conjugate columns."""
    left, gain, _ = np.linalg.svd(np.hstack([Q.real, Q.imag]), full_matrices=False)
    return left[:, : Q.shape[1]].T if gain[Q.shape[1] - 1] > 0.0 else left.T
