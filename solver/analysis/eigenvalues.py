"""Eigenvalues with bounds of their errors: how far those of any matrix within the given uncertainty may lie from them.

A is uncertain entry by entry, by E: derivatives are rounded. With approximate eigenvectors X and W near inv(X),
inv(X) (A + dA) X = diag(lambda) + P, where |P| <= |W| (E |X| + |A X - X diag(lambda)|) but for the rounding of these
products. Gershgorin's discs of that matrix hold its eigenvalues, as many in each connected group as the group has
discs (Wilkinson, 1965, ch. 2). So nothing is zero, and no real part has a sign, because it is small next to the
largest entry: k/m and the stiffness of oil are no rates.

States that do not depend on each other both ways are apart: their blocks have eigenvalues and errors of their own, and
what structure makes zero is exactly zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Complex = NDArray[np.complex128]
Real = NDArray[np.float64]
EPS = float(np.finfo(float).eps)
BLURRED = 0.1  # of |1 - W X|: eigenvectors that are no basis any more
# where a circle about the multipliers near zero is looked for: whatever these are, `stays_inside` shows what it holds
CIRCLE, LEAST = 0.3, 1e-3  # ends of the gaps between sizes of multipliers
# radii: of the way from the outer end of a gap to the inner one, in logarithms
SHARES = (0.5, 0.25, 0.1, 0.03, 0.01)
# powers of two of a matrix that are tried, up to its 2048th: a chain of memories vanishes in as many powers as it has
# numbers, and a map has at most 1500 (`sampled_loops.MOST`). Where none of them is small, the discs of the whole matrix
# bound its eigenvalues, more widely
SQUARINGS = 12
TURNS = 3  # of the scaling that evens rows and columns of the bounds


@dataclass(frozen=True)
class Eigenvalues:
    """Computed eigenvalues, and the radius about each within which the true one lies."""

    values: Complex
    bounds: Real

    @property
    def settled(self) -> Complex:
        """Eigenvalues, with those set to zero that may be zero."""
        return np.where(abs(self.values) <= self.bounds, 0.0, self.values).astype(complex)


def none() -> Eigenvalues:
    return Eigenvalues(np.zeros(0, complex), np.zeros(0))


def joined(parts: list[Eigenvalues]) -> Eigenvalues:
    whole = [none(), *parts]
    return Eigenvalues(
        np.concatenate([part.values for part in whole]), np.concatenate([part.bounds for part in whole])
    )


def components(leads: np.ndarray) -> list[NDArray[np.int64]]:
    """Strongly connected components of a graph, `leads[i, j]`: i depends on j."""
    from scipy.sparse.csgraph import connected_components

    if not len(leads):
        return []
    count, part = connected_components(leads, directed=True, connection="strong")
    order = np.argsort(part, kind="stable")
    return np.split(order, np.cumsum(np.bincount(part, minlength=count))[:-1])


def eigenvalues(A: np.ndarray, E: np.ndarray, chains: bool = False) -> Eigenvalues:
    """Eigenvalues of A with error bounds, block by block; entries of A are known to E.

    `chains` says that A is a map whose memories pass on what they hold, which has no basis of eigenvectors.
    """
    blocks = [(A[np.ix_(k, k)], E[np.ix_(k, k)]) for k in components((A != 0.0) | (E != 0.0))]
    return joined([of_block(*block, chains) for block in blocks])


def nearest(wanted: Complex, values: Complex) -> NDArray[np.int64]:
    """Place among `values` of each wanted one, each place once, by the least sum of distances."""
    from scipy.optimize import linear_sum_assignment

    return linear_sum_assignment(abs(wanted[:, None] - values[None, :]))[1]


def multipliers(A: np.ndarray) -> Complex:
    """Eigenvalues of a map, block by block: what leads nowhere is exactly zero, however long its chain."""
    blocks = [np.linalg.eigvals(A[np.ix_(k, k)]) for k in components(A != 0.0)]
    return np.concatenate([np.zeros(0, complex), *blocks]).astype(complex)


def of_block(A: np.ndarray, E: np.ndarray, chains: bool = False) -> Eigenvalues:
    """Eigenvalues of one block that depends on itself as a whole."""
    n = len(A)
    if n == 1:
        return Eigenvalues(A[0].astype(complex), E[0].astype(float))
    scale = scaling(A)
    T, E = A * (scale / scale[:, None]), E * (scale / scale[:, None])
    parted = without_chains(T, E) if chains and n > 2 else None
    if parted is not None:
        return parted
    return of_basis(T, E)


def of_basis(T: np.ndarray, E: np.ndarray) -> Eigenvalues:
    """Eigenvalues by the discs of the matrix in their eigenvectors."""
    n = len(T)
    values, X = np.linalg.eig(T)
    values, X = values.astype(complex), X.astype(complex)
    rounding = (n + 2) * EPS * (abs(T) @ abs(X) + abs(X) * abs(values))
    try:
        W = np.linalg.inv(X)
    except np.linalg.LinAlgError:
        return Eigenvalues(values, coarse(T, E))
    size = abs(W)
    tau = float((abs(np.eye(n) - W @ X) + (n + 2) * EPS * (size @ abs(X))).sum(axis=1).max())
    if not tau < BLURRED:
        return Eigenvalues(values, coarse(T, E))
    N = size @ (E @ abs(X) + abs(T @ X - X * values) + rounding)
    N = N + tau / (1.0 - tau) * N.max(axis=0)
    return Eigenvalues(values, np.minimum(radii(values, N), coarse(T, E)))


def without_chains(T: np.ndarray, E: np.ndarray) -> Eigenvalues | None:
    """Eigenvalues of a map apart from those near zero, of which it is only shown that they are inside a circle.

    inv(X) T X = diag(S, C) by a Schur form and a Sylvester equation, C with what is inside. That perturbed powers of
    C / radius fall below one keeps its eigenvalues there; what both parts do to each other counts twice.
    """
    from scipy.linalg import schur, solve_sylvester

    sizes = np.sort(abs(np.linalg.eigvals(T)))
    low = np.concatenate([[LEAST], sizes[(sizes > LEAST) & (sizes < CIRCLE)], [CIRCLE]])
    widest = int(np.argmax(low[1:] / low[:-1]))
    inner, outer = low[widest], low[widest + 1]
    if outer == CIRCLE:  # nothing is there: the gap goes on to the next one, or to the unit circle
        outer = sizes[sizes >= CIRCLE].min(initial=1.0)
    radii_tried = outer * (inner / outer) ** np.array(SHARES)
    middle = float(np.sqrt(inner * outer))
    if not (sizes < middle).any():
        return None
    form, Z, m = schur(T, output="complex", sort=lambda z: abs(z) > middle)  # pyright: ignore
    S, C = form[:m, :m], form[m:, m:]
    try:
        Y = solve_sylvester(S, -C, -form[:m, m:]) if m else np.zeros((0, len(C)))
    except np.linalg.LinAlgError:
        return None
    right = np.hstack([Z[:, :m], Z[:, :m] @ Y + Z[:, m:]])
    left = np.vstack([Z[:, :m].conj().T - Y @ Z[:, m:].conj().T, Z[:, m:].conj().T])
    whole = np.zeros_like(form)
    whole[:m, :m], whole[m:, m:] = S, C
    n = len(T)
    rounding = n * EPS * (abs(T) @ abs(right) + abs(right) @ abs(whole))
    P = abs(left) @ (E @ abs(right) + abs(T @ right - right @ whole) + rounding)
    # powers of a long chain are large over a small radius
    off = float(np.linalg.norm(P[m:, m:]))
    radius = next((one for one in radii_tried.tolist() if stays_inside(C / one, off / one)), None)
    if radius is None:
        return None
    inside = Eigenvalues(np.zeros(n - m, complex), np.full(n - m, radius))
    if not m:
        return inside
    # (z - C)^-1 where the others are
    reach = max(float(np.linalg.norm(np.linalg.inv(z * np.eye(n - m) - C), 2)) for z in np.diag(S))
    both = 2.0 * reach * P[:m, m:] @ P[m:, :m]
    if reach * float(np.linalg.norm(P)) > BLURRED:
        return None
    return joined([of_basis(S, P[:m, :m] + both), inside])


def stays_inside(B: np.ndarray, off: float) -> bool:
    """True if every matrix within `off` of B has a power of norm below one (then its spectral radius is below one).

    The norm is the spectral one, 1 for a chain of memories of any length. A complex product and sum rounds by less than
    4 EPS.
    """
    n = len(B)
    for _ in range(SQUARINGS):
        if not (np.isfinite(off) and np.isfinite(B).all()):
            return False
        size = float(np.linalg.norm(B, 2))
        if size + off < 1.0:
            return True
        rounding = 4.0 * n * EPS * float(np.linalg.norm(B)) ** 2
        off, B = off * (2.0 * size + off) + rounding, B @ B
    return False


def scaling(A: np.ndarray) -> Real:
    """Units of states, powers of two, in which rows and columns of A are alike (Osborne, 1960)."""
    from scipy.linalg import matrix_balance

    _, (scale, _) = matrix_balance(A, permute=False, separate=True)
    return scale


def coarse(A: np.ndarray, E: np.ndarray) -> Real:
    """Elsner's bound (1985), which asks for no eigenvectors: (|A| + |A + E|)^(1 - 1/n) |E|^(1/n)."""
    n = len(A)
    size = float(np.linalg.norm(A))
    off = float(np.linalg.norm(E)) + 10.0 * n * EPS * size  # the second: of the eigenvalues' own algorithm
    return np.full(n, (2.0 * size + off) ** (1.0 - 1.0 / n) * off ** (1.0 / n))


def radii(values: Complex, N: np.ndarray) -> Real:
    """Radii about the diagonal `values` that hold the eigenvalues of diag(values) + P with |P| <= N."""
    n = len(values)
    d = np.ones(n)
    for _ in range(TURNS):  # a diagonal scaling is free: even rows and columns
        off = N * (d / d[:, None])
        np.fill_diagonal(off, 0.0)
        rows, columns = off.sum(axis=1), off.sum(axis=0)
        d = d * np.sqrt(np.where((rows > 0.0) & (columns > 0.0), rows / np.maximum(columns, 1e-300), 1.0))
    N = N * (d / d[:, None])
    r, apart = N.sum(axis=1), abs(values[:, None] - values[None, :])
    touching = components(apart <= r[:, None] + r[None, :])
    bounds = np.zeros(n)
    for group in touching:
        if len(group) > 1:
            bounds[group] = (apart[np.ix_(group, group)] + r[group]).max(axis=1)
        else:
            bounds[group] = isolated_radius(int(group[0]), N, r, apart)
    return bounds


def isolated_radius(i: int, N: np.ndarray, r: np.ndarray, apart: np.ndarray) -> float:
    """Radius of a disc that is apart from the others: it shrinks while theirs grow up to half of the way."""
    others = np.arange(len(r)) != i
    room = 0.5 * apart[i, others] - (r[others] - N[others, i])
    if not (room > 0.0).all():
        return float(r[i])
    share = float((N[others, i] / room).max(initial=0.0))
    small = float(N[i, i] + share * (r[i] - N[i, i]))
    return small if share < 1.0 and small < 0.5 * apart[i, others].min(initial=np.inf) else float(r[i])
