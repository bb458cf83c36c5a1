"""Self-stress of overconstrained loops: multipliers with J^T l = 0, and the bushings that share them."""

from __future__ import annotations

from dataclasses import field

import numpy as np

from ...blocks.light_dataclass import mutable
from ...blocks.multibody_parts import Joint
from ..kernels import model_data as f
from ..kernels.model_data import Data, Model
from .blocks import left_null_space
from .constraint_rows import ConstraintTable, in_lengths, longest_lever
from .mechanism import Mechanism

# load of a joint over the size of the self-stress below which it is none, and relative rank threshold: half of the
# digits; torques count over a lever of the mechanism, so that both are forces
UNIQUE = 1e-8
ALONE = 1.0  # [m] length of bushings of joints at one point


@mutable
class BushingWeights:
    """Weights of the joints' reactions where these are not unique, names and lengths of their bushings."""

    weights: np.ndarray  # `Model.bushing`
    names: list[str] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)

    def words(self) -> str:
        """Note on the joints whose reactions are not unique; empty if all are."""
        if not self.names:
            return ""
        levers = ", ".join(f"{length:.4g} m" for length in sorted(set(self.lengths)))
        return (
            f"the reactions of {', '.join(self.names)} are not unique: equal bushings in these joints share the load "
            f"(as stiff against torques as against forces on a lever of {levers}); flexible links, or joints with "
            "more freedom, make them unique"
        )


def self_stress_basis(model: Model, data: Data) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the ideal constraints, and a basis of the self-stresses on them by SVD of J^T.

    It is orthonormal in forces: multipliers that are torques count over `longest_lever`.
    """
    from ..kernels.constraint_jacobian import constraint_positions
    from ..kernels.kinematics import positions

    ideal = np.flatnonzero(model.constraint[:, f.C_SERVO] < 0)
    if len(model.constraint) == data.coupling.shape[1]:
        return ideal, np.zeros((0, len(ideal)))
    positions(model, data)
    constraint_positions(model, data)
    free = model.topo[:, f.MODE] == f.FREE
    J, kinds = data.jac[ideal][:, free], model.constraint[ideal, f.C_KIND]
    rows, columns = in_lengths(J, kinds, model.topo[free, f.KIND] == f.PRISMATIC, longest_lever(model))
    return ideal, left_null_space(rows[:, None] * J * columns, UNIQUE) * rows


def bushing_weights(
    mechanism: Mechanism, table: ConstraintTable, model: Model, data: Data, length: float | None = None
) -> BushingWeights:
    """Joints that share self-stresses, and the weights of their forces and torques.

    Joints with freedoms yield like bushings, all of a set with one length: `length`, else the mean distance between
    them. Welds are rigid unless nothing else yields.
    """
    sharing = BushingWeights(np.zeros_like(model.bushing))
    ideal, internal = self_stress_basis(model, data)
    if not len(internal):
        return sharing
    joints = [(joint.block, counts_as_bushing(joint.part)) for joint in mechanism.joints]
    joints += [(cut.block, not cut.weld and counts_as_bushing(cut.part)) for cut in table.cut_blocks]
    points = np.array(
        [
            frame_origin(model, data, frame)
            for frame in (*model.joint[:, f.J_FRAME_B], *model.cut[:, f.CUT_FRAME_B])
        ]
    )
    wrenches = self_stress_wrenches(model, data, ideal, internal, points)
    programmed = np.flatnonzero(model.constraint[ideal, f.C_TARGET] >= 0)
    pushes = (
        internal[:, programmed, None]
        * data.con[ideal[programmed], f.WRENCH_CONSTRAINT : f.WRENCH_CONSTRAINT + 6]
    )
    loads = np.concatenate([wrenches, pushes], axis=1)
    reach = longest_lever(model)
    loads[..., :3] /= reach
    soft = np.array([gives for _, gives in joints] + [True] * len(programmed))
    names = [block for block, _ in joints] + [table.blocks[int(ideal[c])] for c in programmed]
    for members in stress_groups(loads):
        among = members[soft[members]]
        if matrix_rank(loads[:, among]) < matrix_rank(loads[:, members]):
            among = members
        bushings = among[among < len(joints)]
        lever = length or mean_distance(points[bushings], reach)
        sharing.weights[bushings, f.ON_FORCE], sharing.weights[bushings, f.ON_TORQUE] = 1.0, 1.0 / lever
        sharing.lengths.append(lever)
        sharing.names += [names[j] for j in members]
    sharing.names = list(dict.fromkeys(sharing.names))
    return sharing


def counts_as_bushing(part: Joint) -> bool:
    """True if a joint counts as a bushing: neither a weld nor a section of a flexible link."""
    return part.kind != "elastic" and (bool(part.coordinates) or part.quaternion is not None)


def frame_origin(model: Model, data: Data, frame: int) -> np.ndarray:
    """p_WF of a frame [m]."""
    row, place = int(model.frame_row[frame]), model.frame_place[frame, f.p_BF : f.p_BF + 3]
    if row < 0:
        return place
    return data.row[row, f.p_WB : f.p_WB + 3] + data.row[row, f.R_WB : f.p_WB].reshape(3, 3) @ place


def self_stress_wrenches(
    model: Model, data: Data, ideal: np.ndarray, internal: np.ndarray, points: np.ndarray
) -> np.ndarray:
    """Wrench (torque; force) of each self-stress in each joint about its point (e, j + k, 6)."""
    wrenches = np.zeros((len(internal), len(points), 6))
    trees = len(model.joint)
    for k, c in enumerate(ideal):
        tie, force = (
            int(model.constraint[c, f.C_TIE]),
            data.con[c, f.FORCE_CONSTRAINT : f.FORCE_CONSTRAINT + 3],
        )
        for j, point in enumerate(points):
            first, last = model.cut[j - trees, [f.CUT_FIRST, f.CUT_LAST]] if j >= trees else (0, 0)
            sign = -model.way[tie, model.joint[j, f.J_LAST]] if j < trees else float(first <= c < last)
            if sign != 0.0:
                torque = data.con[c, f.WRENCH_CONSTRAINT : f.FORCE_CONSTRAINT] + np.cross(
                    data.tie[tie, f.p_WTIE : f.p_WTIE + 3] - point, force
                )
                wrenches[:, j] += np.outer(internal[:, k], sign * np.concatenate([torque, force]))
    return wrenches


def stress_groups(loads: np.ndarray) -> list[np.ndarray]:
    """Sets of joints that share self-stresses with each other and with no other joint."""
    e, count, _ = loads.shape
    _, s, vt = np.linalg.svd(loads.reshape(e, -1), full_matrices=False)
    basis = vt[s > UNIQUE * s.max(initial=0.0)]
    near = abs(basis.T @ basis).reshape(count, 6, count, 6).max(axis=(1, 3)) > UNIQUE
    left, sets = set(np.flatnonzero(near.diagonal()).tolist()), []
    while left:
        members, new = set(), {min(left)}
        while new:
            members |= new
            new = set(np.flatnonzero(near[sorted(new)].any(axis=0)).tolist()) - members
        sets.append(np.array(sorted(members)))
        left -= members
    return sets


def matrix_rank(loads: np.ndarray) -> int:
    """Rank of the wrenches (torque over a lever; force) of a set of joints."""
    flat = loads.reshape(len(loads), -1)
    return int(np.linalg.matrix_rank(flat, UNIQUE * max(1.0, abs(flat).max(initial=0.0)))) if flat.size else 0


def mean_distance(points: np.ndarray, reach: float) -> float:
    """Mean distance between points [m]; ALONE if they coincide, compared with a lever of the mechanism."""
    n = len(points)
    total = sum(float(np.linalg.norm(points[i] - points[j])) for i in range(n) for j in range(i))
    return total / (n * (n - 1) / 2) if total > UNIQUE * reach else ALONE
