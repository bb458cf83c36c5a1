"""Mass matrix and constraint Jacobian as dense numpy matrices."""

from __future__ import annotations

import numpy as np

from ..kernels.model_data import Data, Model


def constraint_jacobian(model: Model, data: Data) -> np.ndarray:
    """J of all constraints at the present coordinates (c, n)."""
    from ..kernels.constraint_jacobian import constraint_positions
    from ..kernels.kinematics import positions

    positions(model, data)
    constraint_positions(model, data)
    return data.jac[: len(model.constraint)].copy()


def mass_matrix(model: Model, data: Data) -> np.ndarray:
    """M of all rows at the present coordinates (n, n)."""
    from ..kernels.kinematics import inertias, positions, velocities
    from ..kernels.newton_euler import mass_matrix

    data = data._replace(mass=np.zeros((len(model.topo), len(model.topo))))
    for sweep in (positions, velocities, inertias, mass_matrix):
        sweep(model, data)
    return data.mass


def reduced_mass(
    model: Model, data: Data, independent: np.ndarray, dependent: np.ndarray, coupling: np.ndarray
) -> np.ndarray:
    """J^T M J of the independent coordinates, with dependent rates K v_i and J = [1; K]."""
    M = mass_matrix(model, data)
    A = M[np.ix_(independent, independent)]
    if len(dependent):
        mixed = M[np.ix_(independent, dependent)] @ coupling
        A = A + mixed + mixed.T + coupling.T @ M[np.ix_(dependent, dependent)] @ coupling
    return A
