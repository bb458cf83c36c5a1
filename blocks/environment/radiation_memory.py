"""Radiation memory as a passive state space: damped resonators fitted to added mass and damping over frequency.

K(s) = sum_k c_k s / (s^2 + a_k s + b_k) d_k d_k^T with c_k >= 0: its real part on the imaginary axis is a sum of
positive semidefinite matrices whatever the fit, K(0) = 0 and K falls as 1/s, as radiation does (Perez and Fossen 2008).
Each resonator stores c (p^2 + b w^2) / 2 and loses c a p^2: energy is never created.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

FREQUENCIES, RATIOS = 30, (0.1, 0.25, 0.6, 1.2)  # bank: natural frequencies, damping ratios
PAIRS = tuple((i, j) for i in range(6) for j in range(i, 6))
NEGLIGIBLE = 1e-12  # share of the largest damping below which an axis radiates nothing
ROUNDS, ADDED = 12, 4  # rounds of the search, resonators added in each
MOST, POLISHING = 16, 60  # most resonators that are kept, most steps in which they are moved
LEAST = 1e-6  # share of the strongest resonator below which one is not kept
ENOUGH, STALLED = 1e-4, 0.999  # relative residual that ends them, and its square's fall in one


class Radiation(NamedTuple):
    """Added mass and damping over frequency: w (n,), A and B (n, 6, 6), A at infinite frequency or None."""

    w: np.ndarray
    A: np.ndarray
    B: np.ndarray
    infinite: np.ndarray | None


class Memory(NamedTuple):
    """Resonators, one a row [a, b, c, d_1 ... d_6]; added mass at infinite frequency; relative error of the fit."""

    modes: np.ndarray
    infinite: np.ndarray
    error: float


def response(modes: np.ndarray, w: np.ndarray) -> np.ndarray:
    """K(i w) of the resonators: (n, 6, 6)."""
    a, b, c, d = modes[:, 0], modes[:, 1], modes[:, 2], modes[:, 3:]
    s = 1j * w[:, None]
    gain = c * s / (s * s + a * s + b)
    return np.einsum("nk,ki,kj->nij", gain, d, d)


def fit_resonators(data: Radiation) -> Memory:
    """Least squares over sums of resonators: a search over a bank of them, whose best ones are then moved freely.

    Axes are scaled to their largest damping. Both steps have c_k >= 0 by construction.
    """
    w = data.w
    size = np.diag(abs(data.B).max(axis=0))
    scale = np.sqrt(np.where(size > NEGLIGIBLE * size.max(initial=0.0), size, 0.0))
    unit = np.where(scale > 0.0, scale, 1.0)
    over = np.outer(unit, unit)
    known = np.zeros((6, 6)) if data.infinite is None else data.infinite
    wanted = (data.B + 1j * w[:, None, None] * (data.A - known)) / over
    free = (
        [_matrices_as_vector(1j * w[:, None, None] * _symmetric_unit(i, j)) for i, j in PAIRS]
        if data.infinite is None
        else []
    )
    fixed = np.array(free).reshape(len(free), -1).T if free else np.zeros((2 * len(PAIRS) * len(w), 0))
    target = _matrices_as_vector(wanted)
    found = _select_resonators(w, target, fixed, scale > 0.0) if scale.any() else np.zeros((0, 8))
    modes, share = _refined_resonators(w, target, fixed, found)
    infinite = known.copy()
    for (i, j), value in zip(PAIRS if free else (), share, strict=True):
        infinite[i, j] = infinite[j, i] = value * over[i, j]
    modes = np.column_stack([modes[:, :2], np.ones(len(modes)), modes[:, 2:] * unit])
    memory = _matrices_as_vector((data.B + 1j * w[:, None, None] * (data.A - infinite)) / over)
    return Memory(
        modes, infinite, _relative_norm(_matrices_as_vector(response(modes, w) / over) - memory, memory)
    )


def _select_resonators(
    w: np.ndarray, target: np.ndarray, fixed: np.ndarray, active: np.ndarray
) -> np.ndarray:
    """Rows [a, b, u_1 ... u_6] of resonators u u^T, by fully corrective conditional gradients (Frank and Wolfe 1956).

    Each round adds the resonators and directions along which the residual falls most, the leading eigenvectors of its
    gradient, and finds all shares >= 0 anew (Lawson and Hanson 1974); `fixed` columns may have either sign.
    """
    from scipy.optimize import nnls

    bank = np.array([(2.0 * r * w0, w0 * w0) for w0 in _bank_frequencies(w) for r in RATIOS])
    s = 1j * w
    gain = s / (s * s + np.multiply.outer(bank[:, 0], s) + bank[:, 1:])
    size = np.linalg.norm(gain, axis=1)
    first = 2 * fixed.shape[1]
    columns = [side * column for column in fixed.T for side in (1.0, -1.0)]
    chosen, share, seen = list[int](), np.zeros(first), np.outer(active, active)
    directions: list[np.ndarray] = []
    for turn in range(ROUNDS + 1):
        made = np.array(columns).T.reshape(len(target), len(columns))
        share = nnls(made, target, maxiter=100 * max(len(columns), 1))[0] if columns else share
        if turn == ROUNDS:
            break
        residual = _matrices_of_vector(target - made @ share, len(w))
        slope = np.einsum("kn,nij->kij", gain.conj(), residual).real / size[:, None, None]
        values, vectors = np.linalg.eigh(np.where(seen, slope, 0.0))
        for k in np.argsort(values[:, -1])[-ADDED:]:
            if values[k, -1] > 0.0:
                chosen.append(int(k))
                directions.append(vectors[k, :, -1])
                columns.append(
                    _matrices_as_vector(gain[k][:, None, None] * np.outer(directions[-1], directions[-1]))
                )
    matrices = np.zeros((len(bank), 6, 6))
    for k, d, c in zip(chosen, directions, share[first:], strict=True):
        matrices[k] += c * np.outer(d, d)
    values, vectors = np.linalg.eigh(matrices)
    weight = values * size[:, None]
    largest = [divmod(int(at), 6) for at in np.argsort(weight, axis=None)[::-1][:MOST]]
    best = [(k, e) for k, e in largest if weight[k, e] > LEAST * weight.max()]
    return np.array(
        [
            (*bank[k], *(math.sqrt(values[k, e]) * vectors[k, :, e]))
            for k, e in best
            if weight[k, e] > 1e-6 * weight.max()
        ]
    ).reshape(-1, 8)


def _refined_resonators(
    w: np.ndarray, target: np.ndarray, fixed: np.ndarray, found: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Resonators moved by least squares in log a, log b and u (Levenberg and Marquardt), and shares of `fixed`."""
    n, s = len(found), 1j * w

    def parts(z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        own = z[: 8 * n].reshape(n, 8)
        a, b = np.exp(own[:, 0, None]), np.exp(own[:, 1, None])
        return s / (s * s + a * s + b), own[:, 2:], a, b

    def residual(z: np.ndarray) -> np.ndarray:
        gain, u, _, _ = parts(z)
        return _matrices_as_vector(np.einsum("kn,ki,kj->nij", gain, u, u)) + fixed @ z[8 * n :] - target

    def slopes(z: np.ndarray) -> np.ndarray:
        gain, u, a, b = parts(z)
        whole, one = np.einsum("ki,kj->kij", u, u), np.einsum("ei,kj->keij", np.eye(6), u)
        turns = [np.einsum("kn,kij->knij", g, whole) for g in (-a * gain * gain, -b * gain * gain / s)]
        moved = np.einsum("kn,keij->kenij", gain, one + one.transpose(0, 1, 3, 2))
        each = np.concatenate([np.stack(turns, axis=1), moved], axis=1).reshape(8 * n, len(w), 6, 6)
        entries = [each[:, :, i, j] * (1.0 if i == j else math.sqrt(2.0)) for i, j in PAIRS]
        return np.concatenate(
            [
                np.concatenate([part for entry in entries for part in (entry.real, entry.imag)], axis=1).T,
                fixed,
            ],
            axis=1,
        )

    z = np.concatenate(
        [np.column_stack([np.log(found[:, :2]), found[:, 2:]]).ravel(), np.zeros(fixed.shape[1])]
    )
    if len(z) > 8 * n:
        z[8 * n :] = np.linalg.lstsq(fixed, -residual(z), rcond=None)[0]
    left, damping = residual(z), 1e-3
    for _ in range(POLISHING if n else 0):
        J = slopes(z)
        H, g = J.T @ J, J.T @ left
        weights = np.diag(H) + 1e-12 * np.trace(H)
        step = np.linalg.solve(H + damping * np.diag(weights), -g)
        tried = residual(z + step)
        # NaN is no improvement
        if not tried @ tried < left @ left:
            damping *= 8.0
            continue
        stalled = tried @ tried > STALLED * (left @ left)
        z, left, damping = z + step, tried, damping / 5.0
        if stalled or tried @ tried < ENOUGH**2 * (target @ target):
            break
    own = z[: 8 * n].reshape(n, 8).copy()
    own[:, :2] = np.exp(own[:, :2])
    return own, z[8 * n :]


def _relative_norm(part: np.ndarray, whole: np.ndarray) -> float:
    """Norm of a vector over that of another; 0 where both are nothing."""
    return float(np.linalg.norm(part) / max(float(np.linalg.norm(whole)), 1e-300))


def _bank_frequencies(w: np.ndarray) -> np.ndarray:
    """Natural frequencies of the bank: those of the table and beyond [rad/s]."""
    return np.geomspace(0.3 * w.min(), 3.0 * w.max(), FREQUENCIES)


def _symmetric_unit(i: int, j: int) -> np.ndarray:
    """Symmetric matrix with ones at (i, j) and (j, i)."""
    one = np.zeros((6, 6))
    one[i, j] = one[j, i] = 1.0
    return one


def _matrices_as_vector(K: np.ndarray) -> np.ndarray:
    """Real and imaginary parts of symmetric matrices over frequency as one vector with their Frobenius norm."""
    entries = [K[:, i, j] * (1.0 if i == j else math.sqrt(2.0)) for i, j in PAIRS]
    return np.concatenate([part for entry in entries for part in (entry.real, entry.imag)])


def _matrices_of_vector(vector: np.ndarray, n: int) -> np.ndarray:
    """Matrices over n frequencies of `_matrices_as_vector`."""
    parts = vector.reshape(len(PAIRS), 2, n)
    K = np.zeros((n, 6, 6), complex)
    for (i, j), (real, imaginary) in zip(PAIRS, parts, strict=True):
        K[:, i, j] = K[:, j, i] = (real + 1j * imaginary) / (1.0 if i == j else math.sqrt(2.0))
    return K


@lru_cache(maxsize=32)
def cached_resonators(rows: tuple[tuple[float, ...], ...], infinite: tuple[float, ...] | None) -> Memory:
    """`fit_resonators` of rows [w, i, j, A, B] and 36 numbers of the added mass at infinite frequency, cached."""
    return fit_resonators(radiation_of(rows, infinite))


def radiation_of(rows: tuple[tuple[float, ...], ...], infinite: tuple[float, ...] | None) -> Radiation:
    """Matrices over frequency from rows [w, i, j, A, B]; entries that are not given are zero, both triangles equal."""
    w = np.array(sorted({row[0] for row in rows}))
    A, B = np.zeros((len(w), 6, 6)), np.zeros((len(w), 6, 6))
    counts = np.zeros((len(w), 6, 6))
    place = {value: k for k, value in enumerate(w.tolist())}
    for frequency, i, j, added, damping in rows:
        k, p, q = place[frequency], int(i) - 1, int(j) - 1
        A[k, p, q] += added
        B[k, p, q] += damping
        counts[k, p, q] += 1.0
    A, B = (_mean_of_mirrored(part, counts) for part in (A, B))
    return Radiation(w, A, B, None if infinite is None else np.reshape(infinite, (6, 6)))


def _mean_of_mirrored(part: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Mean of an entry and its mirror where both are given, else the one that is."""
    total, number = part + part.transpose(0, 2, 1), counts + counts.transpose(0, 2, 1)
    return total / np.maximum(number, 1.0)
