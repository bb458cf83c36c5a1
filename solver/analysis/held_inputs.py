"""Linear models from one sample to the next, with inputs held: matrices with error bounds, cost, and the verdict."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .eigenvalues import EPS, Complex, eigenvalues

# terms of Taylor's series. What they leave out is in the error that is told, however large; at a norm of at most 1/2,
# to which the matrix is scaled, it is 1/2 to the power of 19 over 19!, 2e-23, and no longer counts beside rounding
TERMS = 18


class HeldInputMap(NamedTuple):
    """A and B of the map over a sample, and bounds of their errors, entry by entry."""

    A: np.ndarray
    B: np.ndarray
    E_A: np.ndarray
    E_B: np.ndarray


def held_inputs(A: np.ndarray, B: np.ndarray, E_A: np.ndarray, E_B: np.ndarray, T: float) -> HeldInputMap:
    """Map over T with inputs held, exp([A B; 0 0] T), of rates that are known to E_A and E_B."""
    n = len(A)
    flow, error = exponential(held_system(A, B) * T, held_system(E_A, E_B) * T)
    return HeldInputMap(flow[:n, :n], flow[:n, n:], error[:n, :n], error[:n, n:])


def held_system(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """[[A, B], [0, 0]]: rates of states and of inputs that are held."""
    return np.vstack([np.hstack([A, B]), np.zeros((B.shape[1], sum(B.shape)))])


def exponential(F: np.ndarray, E: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """exp(F) by Taylor's series and squaring, and how far exp of any matrix within E of F may lie, entry by entry.

    Running error analysis (Higham 2002, sec. 3.3): each product adds its own rounding, and carries on what came before.
    """
    k, I = len(F), np.eye(len(F))
    with np.errstate(all="ignore"):  # what grows beyond all numbers is refused by the equation that it is for
        size = float(np.linalg.norm(abs(F) + E, 1))
        # size < 2^exponent, so that the norm is below 1/2
        squarings = max(0, int(np.frexp(size)[1]) + 1) if np.isfinite(size) else 0
        X, D = np.ldexp(F, -squarings), np.ldexp(E, -squarings)
        size_of_X = abs(X) + D
        # terms left out, |X| (1 + |X| + ...)
        Y, off = I, size_of_X @ np.linalg.inv(I - size_of_X) if np.isfinite(size) else abs(F)
        for j in range(TERMS, 0, -1):
            off = (abs(X) @ off + D @ (abs(Y) + off) + (k + 2) * EPS * abs(X) @ abs(Y)) / j
            Y = I + X @ Y / j
            off += EPS * abs(Y)
        for _ in range(squarings):
            off = abs(Y) @ off + off @ (abs(Y) + off) + k * EPS * abs(Y) @ abs(Y)
            Y = Y @ Y
    return Y, off


def sampled_cost(
    A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, N: np.ndarray, T: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q, R, N of a sum over samples with inputs held: the cost's integral is exact (Van Loan 1978)."""
    from scipy.linalg import expm

    n, m = B.shape
    F = held_system(A, B)
    cost = np.block([[Q, N], [N.T, R]])
    # as large as F: larger entries would cost digits of the flow
    size = float(np.linalg.norm(cost) / (np.linalg.norm(F) or 1.0)) or 1.0
    grown = expm(np.block([[-F.T, cost / size], [np.zeros_like(F), F]]) * T)
    cost = size * grown[n + m :, n + m :].T @ grown[: n + m, n + m :]
    cost = 0.5 * (cost + cost.T)
    return cost[:n, :n], cost[n:, n:], cost[:n, n:]


def map_verdict(A: np.ndarray, E: np.ndarray) -> tuple[Complex, str]:
    """Eigenvalues z of a map from sample to sample, and the verdict: stable if all |z| < 1 by more than errors."""
    found = eigenvalues(A, E)
    size, off = abs(found.values), found.bounds
    if (size - off > 1.0).any():
        return found.values, "unstable"
    return found.values, "stable" if (size + off < 1.0).all() else "indifferent"
