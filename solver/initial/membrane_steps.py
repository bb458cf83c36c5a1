"""Steps of flexible bodies that bend without stretching.

A membrane strain is z = c . eta + s, s = eta . G eta / 2: along a straight step of the modes that bend, s makes large
forces of second order. A step that keeps z linear has the same tangent and none of these.
"""

from __future__ import annotations

import numpy as np

from ..kernels import model_data as f
from ..kernels.model_data import Model
from ..mechanism.mirror_symmetry import strains_of

# of the contraction that solves z(eta) = its value after a linear step. What is not solved by then stays a straight
# step, with the same tangent: no verdict rests on this number
ROUNDS = 8


def keep_stretch(model: Model, q: np.ndarray, before: np.ndarray, rows: np.ndarray) -> None:
    """Correct the modes among the moved `rows`: membrane strains change as the step says to first order."""
    for b in range(len(model.flex)):
        first, count = model.flex[b, [f.X_FIRST, f.X_COUNT]]
        own = slice(first, first + count)
        if not model.flex[b, f.X_STRAINS] or not rows[own].any() or np.array_equal(q[own], before[own]):
            continue
        c, G = strains_of(model, b)
        old, step, eta = before[own], q[own] - before[own], q[own].copy()

        def stretch(eta: np.ndarray, c: np.ndarray = c, G: np.ndarray = G) -> np.ndarray:
            return c @ eta + 0.5 * (G @ eta) @ eta

        wanted = stretch(old) + c @ step + (G @ old) @ step
        # least elastic energy w^2 d^2 / 2 of a correction d of the moved modes: d = (c / w^2)^T y
        way = np.where(rows[own], c / model.coordinate[own, f.STIFFNESS], 0.0)
        inverse = way.T @ np.linalg.pinv(c @ way.T)
        for _ in range(ROUNDS):
            eta += inverse @ (wanted - stretch(eta))
        # no contraction where it bends too far: the straight step stays
        if np.allclose(stretch(eta), wanted, rtol=1e-9, atol=1e-15):
            q[own] = eta
