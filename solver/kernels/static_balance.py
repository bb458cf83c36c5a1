"""Unbalanced efforts of a mechanism at rest, in two kernels: other forces of a statics are added between them."""

from __future__ import annotations

from . import model_data as f
from .constraint_jacobian import constraint_positions
from .kinematics import inertias, positions, velocities
from .model_data import kernel
from .newton_euler import along_axis, newton_euler, propagate_all
from .passive_forces import passive_forces


@kernel
def forces_at_rest(m, d):
    """Poses, constraints, and efforts of coordinates at zero rates and accelerations; zeroes WRENCH_EXT."""
    for i in range(d.row.shape[0]):
        d.row[i, f.V] = 0.0
        d.row[i, f.QDD] = 0.0
    positions(m, d)
    constraint_positions(m, d)
    velocities(m, d)
    passive_forces(m, d)


@kernel
def static_balance(m, d):
    """TAU = F, the unbalanced effort of each row at rest [N, N m]: its spring, damper and stop less what the joint
    wrench asks for along the row.
    """
    inertias(m, d)
    propagate_all(m, d)
    newton_euler(m, d)
    for i in range(d.row.shape[0]):
        given = d.row[i, f.SPRING_EFFORT] + d.row[i, f.DAMPER_EFFORT] + d.row[i, f.STOP_EFFORT]
        d.row[i, f.TAU] = given - along_axis(m, d, f.REACTION, i)
