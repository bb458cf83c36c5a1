"""Controllability of servo constraints: rank of the drives' efforts on the constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...blocks import CompileError
from ...blocks.errors import Problem
from ..kernels import model_data as f
from ..kernels.model_data import Data, Model
from ..mechanism.constraint_rows import ConstraintTable
from ..mechanism.mass_matrix import constraint_jacobian, mass_matrix
from ..mechanism.mechanism import Mechanism

if TYPE_CHECKING:
    from .coordinate_partition import Partition

# effect of a drive over that of a force along the constraint, as a cosine; below it, where the effort would be 1e6
# times that force, it does not reach it by definition
REACH = 1e-6


def check_servo_rank(
    mechanism: Mechanism, table: ConstraintTable, model: Model, data: Data, partition: Partition
) -> None:
    """CompileError unless Phi_q M^-1 F^T has full rank, F the efforts of drives and ideal constraints.

    Rows and columns are scaled by the kinetic metric: entries are cosines, and units do not matter.
    """
    servo = model.constraint[partition.active, f.C_SERVO]
    if not (servo >= 0).any():
        return
    free = model.topo[:, f.MODE] == f.FREE
    J = constraint_jacobian(model, data)[partition.active][:, free]
    F = np.where((servo >= 0)[:, None], np.eye(len(free))[servo][:, free], J)
    M = mass_matrix(model, data)[np.ix_(free, free)]
    by_force = np.linalg.lstsq(M, F.T, rcond=1e-12)[0]
    by_constraint = np.linalg.lstsq(M, J.T, rcond=1e-12)[0]
    sizes = [np.sqrt(abs(np.einsum("ij,ji->i", A, B))) for A, B in ((J, by_constraint), (F, by_force))]
    cosines = J @ by_force / np.maximum(np.outer(*sizes), 1e-300)
    left, values, right = np.linalg.svd(cosines)
    if values[-1] > REACH:
        return
    drives = np.where(servo >= 0, abs(right[-1]), 0.0)
    drive = mechanism.joints[mechanism.rows[int(servo[int(np.argmax(drives))])].joint].block
    asked = np.where(servo >= 0, abs(left[:, -1]), 0.0)
    c = int(partition.active[int(np.argmax(asked))])
    mistake = (
        f"the drive {drive} cannot reach {table.words[c]}: its effort changes that acceleration by less than "
        f"{REACH:g} of what a force along the constraint would"
    )
    fix = "name another drive, start elsewhere, or constrain another point"
    raise CompileError(Problem(mistake, table.blocks[c], fix))
