"""Steps of flexible bodies that bend without stretching.

A stiff membrane mode k stretches by z_k = eta_k + s_k, s_k = eta . G_k eta / (2 w_k^2): along a straight step of the
modes that bend, s_k makes large forces of second order. A step that keeps z_k linear has the same tangent and none of
these.
"""

from __future__ import annotations

import numpy as np

from ..kernels import model_data as f
from ..kernels.model_data import Model

ROUNDS = 8  # of the contraction that solves eta_k + s_k(eta) = z_k


def keep_stretch(model: Model, q: np.ndarray, before: np.ndarray, rows: np.ndarray) -> None:
    """Correct the membrane modes among the moved `rows`: their stretch changes as the step says to first order."""
    for b in range(len(model.flex)):
        first, count = model.flex[b, [f.X_FIRST, f.X_COUNT]]
        own = slice(first, first + count)
        mine = np.flatnonzero(
            (model.membrane[:, f.MEMBRANE_BODY] == b) & rows[first + model.membrane[:, f.MEMBRANE_MODE]]
        )
        if not len(mine) or np.array_equal(q[own], before[own]):
            continue
        modes = model.membrane[mine, f.MEMBRANE_MODE]
        G = (
            model.stress_stiffness[mine, :count, :count]
            / model.coordinate[first + modes, f.STIFFNESS][:, None, None]
        )
        old, step, eta = before[own], q[own] - before[own], q[own].copy()
        wanted = eta[modes] + 0.5 * (G @ old) @ old + (G @ old) @ step
        for _ in range(ROUNDS):
            eta[modes] = wanted - 0.5 * (G @ eta) @ eta
        # no contraction where it bends too far: the straight step stays
        if np.allclose(eta[modes] + 0.5 * (G @ eta) @ eta, wanted, rtol=1e-9, atol=1e-15):
            q[own] = eta
