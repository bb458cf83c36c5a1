"""Rates that vanish at rest: those of motions that a grid resolves.

A grid of intervals h has no controls for motions faster than pi / h, half of whose period is within an interval, and
leaves them to their damping. The rates at rest are projected on the left invariant subspace of the slower ones, which
the faster ones do not enter.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.linalg import schur

from .collocation import Case

RANK = 1e-9  # singular value, over the largest, of a rate that says nothing beside the others
EPS = float(np.finfo(float).eps)
DISPLACED = 0.1  # share of its size by which each number is moved to see which rates are linear


def rest_rows(case: Case, z: np.ndarray, fastest: float) -> tuple[np.ndarray, np.ndarray, int]:
    """Rows (k, n) by which rates vanish at rest at z = [x, u]; those that say all; and the number of motions left out.

    Each row has the unit of the rate that it has most of. A rate that is a multiple of another to first order, as
    that of a bristle at rest is of the speed, says nothing beside it to a search, and is not among those that say all.
    """
    n, q = case.points.native, case.n + case.points.m
    size = case.scale[:q]
    both = case.points.jacobians(np.stack([z, z + DISPLACED * size]), False)[:, :n] * size / size[:n, None]
    J = both[0]
    if not np.all(np.isfinite(J)):
        return np.eye(n), np.eye(n), 0
    sorted_form: Any = schur(J[:, :n].T, output="real", sort=lambda re, im: np.hypot(re, im) <= fastest)
    _, Q, slow = sorted_form  # with `sort` there are three
    if slow == 0:
        return np.eye(n), np.eye(n), 0  # a grid that resolves nothing
    W = np.eye(n) if slow == n else Q[:, :slow].T.copy()
    resolved = _in_units(W, size[:n])
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
    # rows of length one: a rate over a large size says as much as others
    length = np.linalg.norm(W @ J, axis=1)
    told = length > n * EPS * np.max(length)
    W = W[told] / length[told, None]
    left, gain, _ = np.linalg.svd(W @ J, full_matrices=False)
    independent = gain > RANK * np.max(gain, initial=0.0)
    if not np.all(independent):
        W = left[:, independent].T @ W
    return resolved, _in_units(W, size[:n]), n - int(slow)


def _in_units(W: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Rows for rates over their sizes as rows for rates, each in the unit of the one that it has most of."""
    most = np.argmax(abs(W), axis=1)
    return W / size * (size[most] / W[np.arange(len(W)), most])[:, None]


def highest_frequency(case: Case, z: np.ndarray) -> float:
    """Highest angular frequency of the motions about z = [x, u] [rad/s]; 0 if it is unknown."""
    n = case.points.native
    J = case.points.jacobians(z[None], False)[0, :n, :n]
    return float(np.max(abs(np.linalg.eigvals(J).imag), initial=0.0)) if np.all(np.isfinite(J)) else 0.0


def resting(case: Case, z: np.ndarray, fastest: float) -> Case:
    """Case that asks the motions up to a frequency [rad/s] for rest at z = [x, u]."""
    every, rows, faster = rest_rows(case, z, fastest)
    return replace(case, resting=every, rest_rows=rows, faster=faster)
