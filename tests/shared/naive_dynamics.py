"""The slow obvious twins of the fast kernels: trace forms over homogeneous transforms."""

from __future__ import annotations

import numpy as np

from luff.solver.kernels.model_data import (
    BODY_FIRST_MOMENT,
    BODY_INERTIA,
    BODY_MASS,
    COORDINATE,
    KIND,
    PARENT,
    PRISMATIC,
    R_PJ,
    REVOLUTE,
    Model,
    p_PJ,
)

# d/dq of a turn about z and of a slide along z, at the identity
TURN = np.array([[0.0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
SLIDE = np.array([[0.0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]])


def place(model: Model, i: int) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = model.row[i, R_PJ:p_PJ].reshape(3, 3), model.row[i, p_PJ:BODY_MASS]
    return T


def motion(kind: int, q: float) -> np.ndarray:
    if kind == PRISMATIC:
        return np.eye(4) + q * SLIDE
    assert kind == REVOLUTE
    T = np.eye(4)
    T[:2, :2] = [[np.cos(q), -np.sin(q)], [np.sin(q), np.cos(q)]]
    return T


def pseudo_inertia(model: Model, i: int) -> np.ndarray:
    """H of a row's body about the row's origin, from the inertia about that origin."""
    row = model.row[i]
    mass, h, six = row[BODY_MASS], row[BODY_FIRST_MOMENT:BODY_INERTIA], row[BODY_INERTIA:COORDINATE]
    J = np.array([[six[0], six[3], six[4]], [six[3], six[1], six[5]], [six[4], six[5], six[2]]])
    H = np.empty((4, 4))
    H[:3, :3] = 0.5 * np.trace(J) * np.eye(3) - J
    H[:3, 3] = H[3, :3] = h
    H[3, 3] = mass
    return H


def lineage(model: Model, i: int) -> list[int]:
    rows = []
    while i >= 0:
        rows.append(i)
        i = model.topo[i, PARENT]
    return rows[::-1]


def transform(model: Model, q: np.ndarray, i: int, by: tuple[int, ...] = ()) -> np.ndarray:
    """T of row i, differentiated by the coordinates in `by` (each entry once more)."""
    T = np.eye(4)
    rows = lineage(model, i)
    if any(j not in rows for j in by):
        return np.zeros((4, 4))
    for j in rows:
        generator = SLIDE if model.topo[j, KIND] == PRISMATIC else TURN
        T = T @ place(model, j) @ motion(model.topo[j, KIND], q[j])
        # the derivative of exp(G q) is exp(G q) G
        T = T @ np.linalg.matrix_power(generator, by.count(j))
    return T


def trace_form(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """M_ij = tr(T_i H T_j^T) and h_i = -sum_mn tr(T_i H T_mn^T) v_m v_n + gravity, of M qdd = h + Q."""
    n = len(model.topo)
    M, h = np.zeros((n, n)), np.zeros(n)
    for b in range(n):
        H = pseudo_inertia(model, b)
        rows = lineage(model, b)
        first = {i: transform(model, q, b, (i,)) for i in rows}
        pull = sum(
            (transform(model, q, b, (m, k)) * v[m] * v[k] for m in rows for k in rows), np.zeros((4, 4))
        )
        pull[:3, 3] -= model.gravity  # falling freely is like being pulled the other way
        for i in rows:
            h[i] -= np.trace(first[i] @ H @ pull.T)
            for j in rows:
                M[i, j] += np.trace(first[i] @ H @ first[j].T)
    return M, h
