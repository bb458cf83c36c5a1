"""Forward kinematics, world to tips: pose, twist and velocity-product acceleration of each row; inertias in W."""

from __future__ import annotations

from ..codegen.intrinsics import value_of
from ..codegen.jit import inlined
from ..codegen.libm.trigonometric import sine_cosine
from ..codegen.transforms.entry_point_variants import replaces_in_duals
from . import model_data as f
from .deformed_inertia import flexible_inertia
from .flexible_body import face_pose, face_velocity, modal_state
from .model_data import kernel
from .small_matrices import (
    ZERO_3,
    add_3,
    cross,
    matrix_product,
    matrix_times,
    read_3,
    read_6,
    read_9,
    rotate_symmetric,
    scale_3,
    subtract_3,
    symmetric_times,
    values_of_6,
    values_of_9,
    values_of_dual_3,
    write_3,
    write_6,
    write_9,
)  # fmt: skip


@inlined
def rotation_of_quaternion(quat, j):
    """Rotation matrix of quaternion j, normalised on use: its length has no effect on the physics."""
    w, x, y, z = quat[j, 0], quat[j, 1], quat[j, 2], quat[j, 3]
    scale = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        1 - scale * (y * y + z * z), scale * (x * y - w * z), scale * (x * z + w * y),
        scale * (x * y + w * z), 1 - scale * (x * x + z * z), scale * (y * z - w * x),
        scale * (x * z - w * y), scale * (y * z + w * x), 1 - scale * (x * x + y * y),
    )  # fmt: skip


@inlined
def row_cosines(m, d):
    """cos q and sin q of the revolute rows; independent of one another, so that the processor overlaps them."""
    for i in range(m.topo.shape[0]):
        if m.topo[i, f.KIND] == f.REVOLUTE:
            d.row[i, f.SIN], d.row[i, f.COS] = sine_cosine(d.row[i, f.Q])


@inlined
def row_pose(m, d, i, R, arm):
    """R_WB, p_WB, axis and p_parent of row i from q, COS and SIN; R, arm: R_PJ and p_PJ of its joint frame in the
    parent.
    """
    k, kind, origin = m.topo[i, f.PARENT], m.topo[i, f.KIND], ZERO_3
    # the joint frame in the world: R_WJ = R_WP @ R_PJ
    if k >= 0:
        R_WP = read_9(d.row, k, f.R_WB)
        R, arm, origin = matrix_product(R_WP, R), matrix_times(R_WP, arm), read_3(d.row, k, f.p_WB)
    axis = R[2], R[5], R[8]

    if kind == f.REVOLUTE:
        c, s = d.row[i, f.COS], d.row[i, f.SIN]
        R = (
            c * R[0] + s * R[1], c * R[1] - s * R[0], R[2],
            c * R[3] + s * R[4], c * R[4] - s * R[3], R[5],
            c * R[6] + s * R[7], c * R[7] - s * R[6], R[8],
        )  # fmt: skip
    elif kind == f.PRISMATIC:
        arm = add_3(arm, scale_3(d.row[i, f.Q], axis))
    elif kind == f.QUAT_X:
        R = matrix_product(R, rotation_of_quaternion(d.quat, m.topo[i, f.QUAT]))
        axis = R[0], R[3], R[6]
    elif kind == f.QUAT_Y:
        axis = R[1], R[4], R[7]
    elif kind == f.WELD:
        axis = ZERO_3

    write_9(d.row, i, f.R_WB, R)
    write_3(d.row, i, f.p_WB, add_3(origin, arm))
    write_3(d.row, i, f.AXIS, axis)
    write_3(d.row, i, f.p_parent, arm)


@inlined
def begin_segment(m, d, s, first):
    """Pose of the interface that segment s begins with, unless it stands before row `first`; returns the first row."""
    p = m.segment[s, f.SEG_FACE]
    if p >= 0 and m.interface[p, f.FACE_ROW] >= first:
        face_pose(m, d, p)
    return max(first, m.segment[s, f.SEG_FIRST])


@inlined
def modal_states(m, d):
    """Modal coordinates and rates of all flexible bodies."""
    for b in range(m.flex.shape[0]):
        modal_state(m, d, b)


@inlined
def row_poses(m, d, first):
    """Poses of the rows `first` to n."""
    modal_states(m, d)
    for s in range(m.segment.shape[0]):
        for i in range(begin_segment(m, d, s, first), m.segment[s, f.SEG_LAST]):
            row_pose(m, d, i, read_9(m.row, i, f.R_PJ), read_3(m.row, i, f.p_PJ))


@kernel
def positions(m, d):
    """q -> R_WB, p_WB, axis, p_parent of every row."""
    row_cosines(m, d)
    row_poses(m, d, 0)


@replaces_in_duals(positions)
def positions_with_tangents(m, d):
    """`positions` for dual numbers: model constants enter as values unless `O_MODEL_TANGENTS`."""
    row_cosines(m, d)
    if m.option[f.O_MODEL_TANGENTS] > 0:
        row_poses(m, d, 0)
    else:
        modal_states(m, d)
        for s in range(m.segment.shape[0]):
            for i in range(begin_segment(m, d, s, 0), m.segment[s, f.SEG_LAST]):
                R, arm = values_of_9(read_9(m.row, i, f.R_PJ)), values_of_dual_3(read_3(m.row, i, f.p_PJ))
                row_pose(m, d, i, R, arm)


@inlined
def row_velocity(m, d, i):
    """Twist (w, v) of row i and its velocity-product acceleration relative to the parent, in W."""
    k, kind = m.topo[i, f.PARENT], m.topo[i, f.KIND]
    r, u = read_3(d.row, i, f.p_parent), scale_3(d.row[i, f.V], read_3(d.row, i, f.AXIS))
    w = v = e = ZERO_3
    if k >= 0:
        # v_i = v_P + w_P x r;  centripetal part w_P x (w_P x r)
        w = read_3(d.row, k, f.TWIST)
        c = cross(w, r)
        v, e = add_3(read_3(d.row, k, f.TWIST + f.LINEAR), c), cross(w, c)

    if kind == f.PRISMATIC:
        # Coriolis: the sliding axis turns with the parent
        write_3(d.row, i, f.VELOCITY_PRODUCT, ZERO_3)
        e = add_3(e, scale_3(2.0, cross(w, u)))
        v = add_3(v, u)
    else:
        # the three axes of a quaternion turn with the body, not with one another: use w of the group's parent
        g = w
        if kind == f.QUAT_Y or kind == f.QUAT_Z:
            g = subtract_3(g, scale_3(d.row[i - 1, f.V], read_3(d.row, i - 1, f.AXIS)))
            if kind == f.QUAT_Z:
                g = subtract_3(g, scale_3(d.row[i - 2, f.V], read_3(d.row, i - 2, f.AXIS)))
        write_3(d.row, i, f.VELOCITY_PRODUCT, cross(g, u))
        w = add_3(w, u)
    write_3(d.row, i, f.VELOCITY_PRODUCT + f.LINEAR, e)
    write_3(d.row, i, f.TWIST, w)
    write_3(d.row, i, f.TWIST + f.LINEAR, v)


@kernel
def velocities(m, d):
    """v -> twist (w, v) of every row and its velocity-product acceleration relative to the parent, in W."""
    for s in range(m.segment.shape[0]):
        if m.segment[s, f.SEG_FACE] >= 0:
            face_velocity(m, d, m.segment[s, f.SEG_FACE])
        for i in range(m.segment[s, f.SEG_FIRST], m.segment[s, f.SEG_LAST]):
            row_velocity(m, d, i)


@inlined
def body_inertia(d, i, mass, h, J):
    """m, h, J of row i's body about its origin in W, and BIAS_WRENCH = (w x J w, w x (w x h)) - WRENCH_EXT."""
    if mass == 0.0 and J[0] == 0.0 and J[1] == 0.0 and J[2] == 0.0:
        for j in range(f.BODY_COLUMNS):
            d.row[i, f.MASS + j] = 0.0
        for j in range(6):
            d.row[i, f.BIAS_WRENCH + j] = -d.row[i, f.WRENCH_EXT + j]
        return
    # h and J in W: R h, R J R^T
    R = read_9(d.row, i, f.R_WB)
    h, J = matrix_times(R, h), rotate_symmetric(R, J)
    d.row[i, f.MASS] = mass
    write_3(d.row, i, f.FIRST_MOMENT, h)
    write_6(d.row, i, f.INERTIA, J)
    # gyroscopic torque w x J w, centrifugal force w x (w x m c)
    w = read_3(d.row, i, f.TWIST)
    torque, force = cross(w, symmetric_times(J, w)), cross(w, cross(w, h))
    write_3(d.row, i, f.BIAS_WRENCH, subtract_3(torque, read_3(d.row, i, f.WRENCH_EXT)))
    write_3(d.row, i, f.BIAS_WRENCH + f.LINEAR, subtract_3(force, read_3(d.row, i, f.WRENCH_EXT + f.LINEAR)))


@inlined
def body_inertias(m, d):
    """Inertia and bias wrench in W of every row's body."""
    for i in range(m.topo.shape[0]):
        if m.topo[i, f.KIND] == f.MODAL:  # has no body
            continue
        mass, h = m.row[i, f.BODY_MASS], read_3(m.row, i, f.BODY_FIRST_MOMENT)
        body_inertia(d, i, mass, h, read_6(m.row, i, f.BODY_INERTIA))
    for b in range(m.flex.shape[0]):
        flexible_inertia(m, d, b)


@kernel
def inertias(m, d):
    """m, h, J of every row's body about its origin in W, and its bias wrench less the external one."""
    body_inertias(m, d)


@replaces_in_duals(inertias)
def inertias_with_tangents(m, d):
    """`inertias` for dual numbers: model constants enter as values unless `O_MODEL_TANGENTS`."""
    if m.option[f.O_MODEL_TANGENTS] > 0:
        body_inertias(m, d)
    else:
        for i in range(m.topo.shape[0]):
            mass, h = value_of(m.row[i, f.BODY_MASS]), values_of_dual_3(read_3(m.row, i, f.BODY_FIRST_MOMENT))
            body_inertia(d, i, mass, h, values_of_6(read_6(m.row, i, f.BODY_INERTIA)))
        for b in range(m.flex.shape[0]):
            flexible_inertia(m, d, b)
