"""Internal forces of loops that are held more than once: multipliers that push no free coordinate."""

from __future__ import annotations

import numpy as np

from ..machine.fields import AT, C_SERVO, C_TIE, FREE, MODE, POSITION, PUSH, PUSH_FORCE, Data, Model
from .constraint_table import Table
from .spanning import Mechanism

UNIQUE = 1e-8  # a load per unit internal force below this is none


def internal_forces(model: Model, data: Data) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the ideal constraints, and a basis of the multipliers on them that accelerate nothing."""
    from ..kernels.constraints import constraint_positions
    from ..kernels.kinematics import positions

    ideal = np.flatnonzero(model.constraint[:, C_SERVO] < 0)
    if len(model.constraint) == data.coupling.shape[1]:
        return ideal, np.zeros((0, len(ideal)))
    positions(model, data)
    constraint_positions(model, data)
    _, s, vt = np.linalg.svd(data.jac[ideal][:, model.topo[:, MODE] == FREE].T)
    return ideal, vt[int(np.sum(s > UNIQUE * s.max(initial=0.0))) :]


def ambiguous_reactions(mechanism: Mechanism, table: Table, model: Model, data: Data) -> str:
    """What to say of the joints whose reactions are not unique; nothing where all are."""
    ideal, internal = internal_forces(model, data)
    if not len(internal):
        return ""
    names = []
    for joint in mechanism.joints:
        at = data.row[joint.last, POSITION : POSITION + 3]
        wrench = np.zeros((len(internal), 6))
        for k, c in enumerate(ideal):
            tie = model.constraint[c, C_TIE]
            sign = model.way[tie, joint.last]
            torque, force = data.con[c, PUSH:PUSH_FORCE], data.con[c, PUSH_FORCE : PUSH_FORCE + 3]
            moment = torque + np.cross(data.tie[tie, AT : AT + 3] - at, force)
            wrench += np.outer(internal[:, k], sign * np.concatenate([force, moment]))
        if abs(wrench).max() > UNIQUE:
            names.append(joint.block)
    for c in np.flatnonzero(abs(internal).max(axis=0) > UNIQUE):
        names.append(table.blocks[int(ideal[c])])
    joints = ", ".join(dict.fromkeys(names))
    return (
        f"the reactions of {joints} are not unique, and the smallest constraint forces are taken; flexible links, or "
        "joints with more freedom, make them unique"
    )
