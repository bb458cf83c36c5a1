"""Mass matrix and Jacobian of all rows, as plain matrices."""

from __future__ import annotations

import numpy as np

from ..kernels.model_data import Data, Model


def constraint_jacobian(model: Model, data: Data) -> np.ndarray:
    """Of all constraints, at the coordinates that are there."""
    from ..kernels.constraint_jacobian import constraint_positions
    from ..kernels.kinematics import positions

    positions(model, data)
    constraint_positions(model, data)
    return data.jac[: len(model.constraint)].copy()


def mass_matrix(model: Model, data: Data) -> np.ndarray:
    """Mass matrix of all rows at the coordinates that are there."""
    from ..kernels.kinematics import inertias, positions, velocities
    from ..kernels.newton_euler import mass_matrix

    data = data._replace(mass=np.zeros((len(model.topo), len(model.topo))))
    for sweep in (positions, velocities, inertias, mass_matrix):
        sweep(model, data)
    return data.mass
