"""Poses of a mechanism's rows, at the start and from recorded results. Pure numpy: no Qt.

A pose has shape (rows, 12): R_WB row by row, then p_WB [m]; that of a MODAL row is (eta, 0, 0), its modal coordinate.
"""

from __future__ import annotations

import numpy as np

from ...blocks.errors import LuffError, Problem
from ...solver.kernels import model_data as arrays
from ...solver.kernels.model_data import SHARED, Data, Model, new_data
from ...solver.mechanism.constraint_rows import pack_constraints
from ...solver.program.started_program import Started
from ...solver.results.recorded_run import RecordedRun


def start_data(program: Started) -> Data:
    """Copy of the model's data with the coordinates of the initial state."""
    model, mechanism = program.model, program.mechanism
    data = Data(*(np.array(array) for array in program.data))
    # the search for the start of a closed mechanism leaves all coordinates there
    closed = [one.rows for one in program.components if one.origin is not None]
    states = {row for rows in closed for row in range(rows.start, rows.stop)}
    for value, (kind, row, component, _) in zip(program.x0, model.state, strict=False):
        if row in states:
            continue
        if kind == arrays.Q_STATE:
            data.q[row] = value
            states.add(int(row))
        elif kind == arrays.QUAT_STATE:
            data.quat[model.topo[row, arrays.QUAT], component] = value
    for row, entry in enumerate(mechanism.rows):
        # locked and driven coordinates are no states
        coordinate = entry.coordinate
        if coordinate is not None and row not in states:
            data.q[row] = coordinate.value if coordinate.value is not None else coordinate.guess
    return data


def start_of_all(program: Started) -> tuple[Model, Data]:
    """The arrays of all mechanisms as if they were one, with room for all constraints; coordinates as they start."""
    data, table = start_data(program), program.constraints
    if len(program.components) == 1:
        return program.model, data
    model = program.model._replace(**pack_constraints(table, program.model.topo, program.model.frame_row))
    sizes = (len(data.inputs), len(data.target), 0, table.depth, len(data.choice))
    whole = new_data(model, program.mechanism.quats, *sizes)
    return model, whole._replace(**{name: getattr(data, name) for name in SHARED if name != "scalar"})


def start_pose(program: Started) -> np.ndarray:
    """Poses of the rows at the initial state; empty for a model without a mechanism."""
    model = program.model
    if not len(model.topo):
        return np.zeros((0, 12))
    data = start_data(program)
    turned = np.flatnonzero(model.topo[:, arrays.KIND] == arrays.QUAT_X)
    quats = {int(row): data.quat[[model.topo[row, arrays.QUAT]]] for row in turned}
    return poses(model, data.q[None].copy(), quats)[0]


def poses(model: Model, q: np.ndarray, quats: dict[int, np.ndarray]) -> np.ndarray:
    """Poses (times, rows, 12) from coordinates (times, rows), and by QUAT_X row its quaternions (times, 4)."""
    count, n = q.shape
    R, p = np.zeros((count, n, 3, 3)), np.zeros((count, n, 3))
    for i in range(n):
        parent, kind = int(model.topo[i, arrays.PARENT]), int(model.topo[i, arrays.KIND])
        R_i, p_i = model.place[i, :9].reshape(3, 3), model.place[i, 9:]
        if kind == arrays.MODAL:
            R[:, i], p[:, i, 0] = np.eye(3), q[:, i]
            continue
        if kind == arrays.FACE:
            bend, shift = _bent_face(model, q, int(model.topo[i, arrays.QUAT]))
            R_i, p_i = bend @ R_i, p_i + shift
            p[:, i] = p[:, parent] + np.einsum("tkl,tl->tk", R[:, parent], p_i)
            R[:, i] = R[:, parent] @ R_i
            continue
        R[:, i], p[:, i] = R_i, p_i
        if parent >= 0:
            p[:, i] = p[:, parent] + R[:, parent] @ p_i
            R[:, i] = R[:, parent] @ R_i
        if kind == arrays.REVOLUTE:
            R[:, i] = R[:, i] @ _about_z(q[:, i])
        elif kind == arrays.PRISMATIC:
            p[:, i] += R[:, i, :, 2] * q[:, i, None]
        elif kind == arrays.QUAT_X and i in quats:
            R[:, i] = R[:, i] @ rotations_of(quats[i])
    return np.concatenate((R.reshape(count, n, 9), p), axis=2)


def _bent_face(model: Model, q: np.ndarray, face: int) -> tuple[np.ndarray, np.ndarray]:
    """Rotation (times, 3, 3) by Cayley's map and displacement (times, 3) of an interface, in the axes of its body."""
    first, count = model.flex[model.interface[face, arrays.FACE_BODY], [arrays.X_FIRST, arrays.X_COUNT]]
    moved = q[:, first : first + count] @ model.face_shape[face, :, :count].T
    turn = moved[:, arrays.FACE_TURN : arrays.FACE_TURN + 3]
    S = np.cross(np.eye(3)[None], turn[:, None])  # S v = turn x v
    c = 4.0 / (4.0 + (turn**2).sum(axis=1))
    return np.eye(3) + c[:, None, None] * (S + 0.5 * S @ S), moved[:, arrays.FACE_SHIFT :]


def _about_z(angles: np.ndarray) -> np.ndarray:
    c, s, zero = np.cos(angles), np.sin(angles), np.zeros(len(angles))
    return np.stack((c, -s, zero, s, c, zero, zero, zero, zero + 1.0), axis=1).reshape(-1, 3, 3)


def rotations_of(quaternions: np.ndarray) -> np.ndarray:
    """Rotation matrices (n, 3, 3) of quaternions (n, 4), w first, normalised here."""
    norms = np.linalg.norm(quaternions, axis=1, keepdims=True)
    w, x, y, z = (quaternions / np.where(norms > 0, norms, 1.0)).T
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def quaternions_of(R: np.ndarray) -> np.ndarray:
    """Quaternions (n, 4), w first, of rotation matrices; divides by the largest component (Shepperd's method)."""
    d = np.einsum("nii->ni", R)
    squares = np.stack((d.sum(axis=1), *(2 * d[:, k] - d.sum(axis=1) for k in range(3))), axis=1) + 1.0
    a, b, c = R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]
    xy, xz, yz = R[:, 0, 1] + R[:, 1, 0], R[:, 0, 2] + R[:, 2, 0], R[:, 1, 2] + R[:, 2, 1]
    w2, x2, y2, z2 = squares.T
    each = np.stack(
        [np.stack(q, axis=1) for q in ((w2, a, b, c), (a, x2, xy, xz), (b, xy, y2, yz), (c, xz, yz, z2))],
        axis=1,
    )
    quaternions = each[np.arange(len(R)), squares.argmax(axis=1)]
    return quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)


def recorded_poses(program: Started, result: RecordedRun, rows: np.ndarray) -> np.ndarray:
    """Poses at some rows of a result; raises LuffError if it lacks signals."""
    mechanism, model = program.mechanism, program.model
    n = len(mechanism.rows)
    q, quats, missing = np.zeros((len(rows), n)), {}, []
    for i, row in enumerate(mechanism.rows):
        block = mechanism.joints[row.joint].block if row.joint >= 0 else ""
        if row.kind == arrays.QUAT_X:
            names = [f"{block}.orientation[{k}]" for k in range(4)]
            if all(name in result for name in names):
                quats[i] = np.stack([result[name][rows] for name in names], axis=1)
            else:
                missing.append(f"{block}.orientation")
        elif row.coordinate is not None:
            name = f"{block}.{row.coordinate.name}"
            if name in result:
                q[:, i] = result[name][rows]
            elif row.coordinate.locked:
                q[:, i] = row.coordinate.value or 0.0
            else:
                missing.append(name)
    if missing:
        shown = ", ".join(missing[:4]) + (f" and {len(missing) - 4} more" if len(missing) > 4 else "")
        fix = 'animate the netlist itself, or run it with record: ["*"]'
        raise LuffError(
            Problem(f"the result does not hold {shown}, so where bodies were is not known", fix=fix)
        )
    return poses(model, q, quats)
