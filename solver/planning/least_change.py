"""The least change of variables within linear limits: least distance programming (Lawson and Hanson 1974, chapter 23).

min |x| with G x >= h is the nonnegative least squares problem E u = f, E = [G^T; h^T], f = [0; 1]: its residual
r = E u - f is zero where the limits clash, else x = -r_x / r_h.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

KEPT = 1e-7  # violation of a limit that counts as kept
CLASH = 1e-6  # residual of limits that clash: those that do not are kept only by a change of a million sizes
ROUNDS = 50  # most rounds that take limits in


def least_change(
    weight: np.ndarray,
    bounds: tuple[np.ndarray, np.ndarray],
    A: np.ndarray,
    limits: tuple[np.ndarray, np.ndarray],
) -> np.ndarray | None:
    """Least sum of weight q^2 with q in its bounds and A q in its limits; None if there is no such q.

    Limits and bounds are taken in when they are broken: with those that are not the answer is that of all.
    """
    root, count = 1.0 / np.sqrt(weight), len(A)
    low, high = (np.concatenate(pair) for pair in zip(limits, bounds, strict=True))
    equal = low == high
    taken = {1.0: equal.copy(), -1.0: equal.copy()}  # lower sides, upper sides
    q = np.zeros(len(weight))
    for _ in range(ROUNDS):
        values = np.concatenate([A @ q, q])
        broken = {1.0: low - values > KEPT, -1.0: values - high > KEPT}
        if not broken[1.0].any() and not broken[-1.0].any():
            return q
        columns, sides = [], []
        for sign, bound in ((1.0, low), (-1.0, high)):
            taken[sign] |= broken[sign]
            rows = np.flatnonzero(taken[sign])
            unit = np.zeros((np.count_nonzero(rows >= count), len(q)))
            unit[np.arange(len(unit)), rows[rows >= count] - count] = 1.0
            columns.append(sign * np.vstack([A[rows[rows < count]], unit]) * root)
            sides.append(sign * bound[rows])
        E = np.vstack([np.vstack(columns).T, np.concatenate(sides)])
        Q, R = np.linalg.qr(E)
        try:
            u, _ = nnls(R, Q[-1])
        except RuntimeError:  # it takes too many steps
            return None
        r = E @ u
        r[-1] -= 1.0
        if not np.linalg.norm(r) > CLASH:
            return None
        q = -r[:-1] / r[-1] * root
    return None
