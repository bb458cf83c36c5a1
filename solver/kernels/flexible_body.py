"""Flexible body reduced from finite elements: interfaces, inertia at its deformation, inverse dynamics.

Its floating frame is clamped to the row X_ROW. Modes are normalised by mass: M_e = 1, K_e = diag(w^2). A point stands
at r = r_0 + Phi eta. Inside the body all vectors are in its own axes, in which its shapes are constant. With the
integrals C_t = sum m phi_j, C_r = sum m r x phi_j, J_j = tr(S) 1 - S of S = sym sum m r phi_j^T, A_ij = sum m phi_i x
phi_j over its mass points the kinetic energy is exact (Wallrapp 1994; Shabana, Dynamics of Multibody Systems):

    T = w.J w / 2 + m v^2 / 2 + v . (w x h) + w . C_r eta' + v . C_t eta' + eta'^2 / 2

    torque   = h x a + J alpha + C_r eta'' + w x (J w + C_r eta') + 2 sum eta_j' J_j w
    force    = m a + alpha x h + C_t eta'' + w x (w x h) + 2 w x C_t eta'
    effort_j = C_r,j . alpha + C_t,j . a + eta_j'' - w . J_j w + 2 w . sum eta_i' A_ij + sum B_j . W over interfaces

A MODAL row has the axis x and no body: the effort that its mode needs stands in REACTION as that of any other row.
"""

from __future__ import annotations

from ..codegen.jit import INTEGER, entry_point, helper, inlined
from . import model_data as f
from .membrane_stiffening import membrane_strains
from .model_data import Data, Model
from .small_matrices import (
    ZERO_3,
    add_3,
    add_cross,
    add_matrix_vector,
    add_to_3,
    cross,
    dot,
    matrix_product,
    matrix_times,
    read_3,
    read_6,
    read_9,
    scale_3,
    subtract_3,
    symmetric_times,
    transposed_times,
    write_3,
    write_9,
)

# --- sums over the modes -----------------------------------------------------------------------------------


@inlined
def three_rows_times(A, p, r, X, b, x):
    """Sum over j of (A[p, r, j], A[p, r + 1, j], A[p, r + 2, j]) X[b, x, j], four modes at once."""
    s0 = s1 = s2 = 0.0
    for j in range(0, X.shape[2], 4):
        x0, x1, x2, x3 = X[b, x, j], X[b, x, j + 1], X[b, x, j + 2], X[b, x, j + 3]
        s0 += (A[p, r, j] * x0 + A[p, r, j + 1] * x1) + (A[p, r, j + 2] * x2 + A[p, r, j + 3] * x3)
        s1 += (A[p, r + 1, j] * x0 + A[p, r + 1, j + 1] * x1) + (
            A[p, r + 1, j + 2] * x2 + A[p, r + 1, j + 3] * x3
        )
        s2 += (A[p, r + 2, j] * x0 + A[p, r + 2, j + 1] * x1) + (
            A[p, r + 2, j + 2] * x2 + A[p, r + 2, j + 3] * x3
        )
    return s0, s1, s2


@inlined
def sum_of_columns(G, b, c, X, x):
    """Sum over j of the spatial vectors G[b, j, c:c + 6] X[b, x, j]: (angular, linear)."""
    s0 = s1 = s2 = s3 = s4 = s5 = 0.0
    for j in range(X.shape[2]):
        v = X[b, x, j]
        s0 += G[b, j, c] * v
        s1 += G[b, j, c + 1] * v
        s2 += G[b, j, c + 2] * v
        s3 += G[b, j, c + 3] * v
        s4 += G[b, j, c + 4] * v
        s5 += G[b, j, c + 5] * v
    return (s0, s1, s2), (s3, s4, s5)


@inlined
def along_mode(G, b, j, c, torque, force):
    """G[b, j, c:c + 6] . (torque, force)."""
    return (
        G[b, j, c] * torque[0]
        + G[b, j, c + 1] * torque[1]
        + G[b, j, c + 2] * torque[2]
        + G[b, j, c + 3] * force[0]
        + G[b, j, c + 4] * force[1]
        + G[b, j, c + 5] * force[2]
    )


# --- kinematics --------------------------------------------------------------------------------------------


@entry_point(Model, Data, INTEGER)
def modal_state(m, d, b):
    """eta and eta' of body b from its MODAL rows, whose axis is x; p_WB = (eta, 0, 0) tells pictures how it bends."""
    first = m.flex[b, f.X_FIRST]
    for j in range(m.flex[b, f.X_COUNT]):
        d.modal[b, f.ETA, j], d.modal[b, f.ETA_RATE, j] = d.row[first + j, f.Q], d.row[first + j, f.V]
        d.row[first + j, f.AXIS], d.row[first + j, f.p_WB] = 1.0, d.row[first + j, f.Q]


@entry_point(Model, Data, INTEGER)
def face_pose(m, d, p):
    """R_WB, p_WB and p_parent of interface p, and its columns B of `modal_columns`.

    R = C(theta) R_0 with Cayley's map C = 1 + c ([theta] + [theta]^2 / 2), c = 4 / (4 + theta^2), theta = Phi_r eta;
    its angular velocity in the body is B_r eta' with B_r = c (1 + [theta] / 2) Phi_r.
    """
    i, b = m.interface[p, f.FACE_ROW], m.interface[p, f.FACE_BODY]
    o, S, G = 6 * (p - m.flex[b, f.X_FACE]), m.face_shape, d.modal_columns
    tx, ty, tz = three_rows_times(S, p, f.FACE_TURN, d.modal, b, f.ETA)
    shift = three_rows_times(S, p, f.FACE_SHIFT, d.modal, b, f.ETA)
    c = 4.0 / (4.0 + tx * tx + ty * ty + tz * tz)
    h = 0.5 * c
    d.face_turn[p, 0], d.face_turn[p, 1], d.face_turn[p, 2], d.face_turn[p, f.FACE_C] = tx, ty, tz, c
    hx, hy, hz = h * tx, h * ty, h * tz
    for j in range(G.shape[1]):
        px, py, pz = S[p, f.FACE_TURN, j], S[p, f.FACE_TURN + 1, j], S[p, f.FACE_TURN + 2, j]
        G[b, j, o] = c * px + hy * pz - hz * py
        G[b, j, o + 1] = c * py + hz * px - hx * pz
        G[b, j, o + 2] = c * pz + hx * py - hy * px
        G[b, j, o + 3] = S[p, f.FACE_SHIFT, j]
        G[b, j, o + 4] = S[p, f.FACE_SHIFT + 1, j]
        G[b, j, o + 5] = S[p, f.FACE_SHIFT + 2, j]
    C = (
        1 - h * (ty * ty + tz * tz), h * tx * ty - c * tz, h * tx * tz + c * ty,
        h * tx * ty + c * tz, 1 - h * (tx * tx + tz * tz), h * ty * tz - c * tx,
        h * tx * tz - c * ty, h * ty * tz + c * tx, 1 - h * (tx * tx + ty * ty),
    )  # fmt: skip
    k = m.topo[i, f.PARENT]
    R_WB = read_9(d.row, k, f.R_WB)
    arm = matrix_times(R_WB, add_3(read_3(m.row, i, f.p_PJ), shift))
    write_9(d.row, i, f.R_WB, matrix_product(R_WB, matrix_product(C, read_9(m.row, i, f.R_PJ))))
    write_3(d.row, i, f.p_WB, add_3(read_3(d.row, k, f.p_WB), arm))
    write_3(d.row, i, f.p_parent, arm)


@entry_point(Model, Data, INTEGER)
def face_velocity(m, d, p):
    """Twist of interface p, and its acceleration relative to the body at zero eta''."""
    i, b = m.interface[p, f.FACE_ROW], m.interface[p, f.FACE_BODY]
    k = m.topo[i, f.PARENT]
    R, w, r = read_9(d.row, k, f.R_WB), read_3(d.row, k, f.TWIST), read_3(d.row, i, f.p_parent)
    spin, slide = sum_of_columns(d.modal_columns, b, 6 * (p - m.flex[b, f.X_FACE]), d.modal, f.ETA_RATE)
    spin, slide = matrix_times(R, spin), matrix_times(R, slide)
    # d/dt (B_r eta') at zero eta'': -(c / 2) (theta . theta') B_r eta', as theta' x theta' = 0
    rate = three_rows_times(m.face_shape, p, f.FACE_TURN, d.modal, b, f.ETA_RATE)
    drift = -0.5 * d.face_turn[p, f.FACE_C] * dot(read_3(d.face_turn, p, 0), rate)
    arm_rate = cross(w, r)
    write_3(d.row, i, f.VELOCITY_PRODUCT, add_cross(scale_3(drift, spin), w, spin))
    bias = add_cross(cross(w, arm_rate), scale_3(2.0, w), slide)
    write_3(d.row, i, f.VELOCITY_PRODUCT + f.LINEAR, bias)
    write_3(d.row, i, f.TWIST, add_3(w, spin))
    v = add_3(add_3(read_3(d.row, k, f.TWIST + f.LINEAR), arm_rate), slide)
    write_3(d.row, i, f.TWIST + f.LINEAR, v)


@entry_point(Model, Data, INTEGER, INTEGER, INTEGER)
def face_acceleration(m, d, p, column, free):
    """Acceleration of interface p in a column of its row. `free`: 0 without eta'', 1 with that of QDD, 2 with that of
    `modal`.
    """
    i, b = m.interface[p, f.FACE_ROW], m.interface[p, f.FACE_BODY]
    k = m.topo[i, f.PARENT]
    alpha, a = read_3(d.row, k, column), read_3(d.row, k, column + f.LINEAR)
    a = add_3(
        add_cross(a, alpha, read_3(d.row, i, f.p_parent)), read_3(d.row, i, f.VELOCITY_PRODUCT + f.LINEAR)
    )
    alpha = add_3(alpha, read_3(d.row, i, f.VELOCITY_PRODUCT))
    if free > 0:
        first, R = m.flex[b, f.X_FIRST], read_9(d.row, k, f.R_WB)
        if free == 1:
            for j in range(m.flex[b, f.X_COUNT]):
                d.modal[b, f.ETA_ACC, j] = d.row[first + j, f.QDD]
        spin, slide = sum_of_columns(d.modal_columns, b, 6 * (p - m.flex[b, f.X_FACE]), d.modal, f.ETA_ACC)
        alpha, a = add_matrix_vector(alpha, R, spin), add_matrix_vector(a, R, slide)
    write_3(d.row, i, column, alpha)
    write_3(d.row, i, column + f.LINEAR, a)


# --- energies ------------------------------------------------------------------------------------------------


@entry_point(Model, Data, INTEGER)
def flexible_energies(m, d, b):
    """Add w . C_r eta' + v . C_t eta' of body b to KINETIC, and its energy of stiffening to ELASTIC [J]."""
    i, M = m.flex[b, f.X_ROW], d.modal
    R = read_9(d.row, i, f.R_WB)
    spin, slide = sum_of_columns(d.modal_columns, b, 6 * m.flex[b, f.X_FACES], M, f.ETA_RATE)
    d.scalar[f.KINETIC] += dot(read_3(d.row, i, f.TWIST), matrix_times(R, spin))
    d.scalar[f.KINETIC] += dot(read_3(d.row, i, f.TWIST + f.LINEAR), matrix_times(R, slide))
    membrane_strains(m, d, b)
    for s in range(m.flex[b, f.X_STRAINS]):
        i = b * m.membrane_parity.shape[1] + s
        strain = d.membrane_strain[i, f.STRAIN_SECOND]
        d.scalar[f.ELASTIC] += strain * (0.5 * strain + d.membrane_strain[i, f.STRAIN_FIRST])


# --- inverse dynamics --------------------------------------------------------------------------------------


@entry_point(Model, Data, INTEGER)
def add_modal_wrench(m, d, b):
    """Add (C_r, C_t) eta'' of body b to REACTION of its row."""
    i, first, M = m.flex[b, f.X_ROW], m.flex[b, f.X_FIRST], d.modal
    for j in range(m.flex[b, f.X_COUNT]):
        M[b, f.ETA_ACC, j] = d.row[first + j, f.QDD]
    R = read_9(d.row, i, f.R_WB)
    torque, force = sum_of_columns(d.modal_columns, b, 6 * m.flex[b, f.X_FACES], M, f.ETA_ACC)
    add_to_3(d.row, i, f.REACTION, matrix_times(R, torque))
    add_to_3(d.row, i, f.REACTION + f.LINEAR, matrix_times(R, force))


@entry_point(Model, Data, INTEGER, INTEGER)
def modal_reactions(m, d, b, column):
    """Effort that each mode of body b needs at the acceleration in a column of its row, less eta_j'', to REACTION."""
    i, first, G = m.flex[b, f.X_ROW], m.flex[b, f.X_FIRST], d.modal_columns
    R, faces = read_9(d.row, i, f.R_WB), m.flex[b, f.X_FACES]
    alpha = transposed_times(R, read_3(d.row, i, column))
    a = transposed_times(R, read_3(d.row, i, column + f.LINEAR))
    for j in range(m.flex[b, f.X_COUNT]):
        d.row[first + j, f.REACTION] = d.modal[b, f.MODAL_BIAS, j] + along_mode(G, b, j, 6 * faces, alpha, a)
    for p in range(faces):
        k = m.interface[m.flex[b, f.X_FACE] + p, f.FACE_ROW]
        torque = transposed_times(R, read_3(d.row, k, f.REACTION))
        force = transposed_times(R, read_3(d.row, k, f.REACTION + f.LINEAR))
        for j in range(m.flex[b, f.X_COUNT]):
            d.row[first + j, f.REACTION] += along_mode(G, b, j, 6 * p, torque, force)


@inlined
def composite_momentum(d, i, angular, linear):
    """I_c times the twist (angular, linear) of row i, both at its origin: (angular, linear) momentum in W."""
    mass, h, J = d.row[i, f.COMPOSITE], read_3(d.row, i, f.COMPOSITE + 1), read_6(d.row, i, f.COMPOSITE + 4)
    return (
        add_cross(symmetric_times(J, angular), h, linear),
        add_cross(scale_3(mass, linear), angular, h),
    )


@helper
def spread_modal_momentum(m, d, i, k, angular, linear):
    """M[i, .] of the rows from k to the world that a momentum of row i's unit rate, at k's origin, moves; the modes of
    flexible bodies on the way too.
    """
    M = d.mass
    while k >= 0:
        if m.topo[k, f.KIND] == f.FACE:
            p = m.topo[k, f.QUAT]
            b = m.interface[p, f.FACE_BODY]
            R, first = read_9(d.row, m.flex[b, f.X_ROW], f.R_WB), m.flex[b, f.X_FIRST]
            torque, force = transposed_times(R, angular), transposed_times(R, linear)
            for j in range(m.flex[b, f.X_COUNT]):
                x = along_mode(d.modal_columns, b, j, 6 * (p - m.flex[b, f.X_FACE]), torque, force)
                M[i, first + j] = M[first + j, i] = x
        elif m.topo[i, f.KIND] == f.MODAL:
            x = dot(linear if m.topo[k, f.KIND] == f.PRISMATIC else angular, read_3(d.row, k, f.AXIS))
            M[i, k] = M[k, i] = x
        angular = add_cross(angular, read_3(d.row, k, f.p_parent), linear)
        k = m.topo[k, f.PARENT]


@entry_point(Model, Data)
def modal_mass(m, d):
    """Rows and columns of M that belong to modes, after those of all other rows."""
    G = d.modal_columns
    # other rows against the modes of bodies that carry them
    for i in range(m.topo.shape[0]):
        kind = m.topo[i, f.KIND]
        if kind == f.MODAL or kind == f.FACE or kind == f.WELD:
            continue
        s = read_3(d.row, i, f.AXIS)
        turn, slide = (ZERO_3, s) if kind == f.PRISMATIC else (s, ZERO_3)
        angular, linear = composite_momentum(d, i, turn, slide)
        spread_modal_momentum(m, d, i, i, angular, linear)
    for b in range(m.flex.shape[0]):
        i, first, count, faces = (
            m.flex[b, f.X_ROW],
            m.flex[b, f.X_FIRST],
            m.flex[b, f.X_COUNT],
            m.flex[b, f.X_FACES],
        )
        R = read_9(d.row, i, f.R_WB)
        for j in range(count):
            c = 6 * faces
            angular = matrix_times(R, (G[b, j, c], G[b, j, c + 1], G[b, j, c + 2]))
            linear = matrix_times(R, (G[b, j, c + 3], G[b, j, c + 4], G[b, j, c + 5]))
            d.mass[first + j, first + j] = m.row[first + j, f.COORDINATE + f.ARMATURE]
            for p in range(faces):
                k = m.interface[m.flex[b, f.X_FACE] + p, f.FACE_ROW]
                turn = matrix_times(R, (G[b, j, 6 * p], G[b, j, 6 * p + 1], G[b, j, 6 * p + 2]))
                slide = matrix_times(R, (G[b, j, 6 * p + 3], G[b, j, 6 * p + 4], G[b, j, 6 * p + 5]))
                t, F = composite_momentum(d, k, turn, slide)
                x, y = transposed_times(R, t), transposed_times(R, F)
                for e in range(count):
                    d.mass[first + j, first + e] += along_mode(G, b, e, 6 * p, x, y)
                linear = add_3(linear, F)
                angular = add_3(angular, add_cross(t, read_3(d.row, k, f.p_parent), F))
            spread_modal_momentum(m, d, first + j, i, angular, linear)


@inlined
def mode_at_tie(m, d, t, b, j):
    """Relative motion of b against a of tie t at a unit rate of mode j of body b, in W: angular velocity, and velocity
    of b's origin.
    """
    R, G = read_9(d.row, m.flex[b, f.X_ROW], f.R_WB), d.modal_columns
    w = v = ZERO_3
    for p in range(m.flex[b, f.X_FACES]):
        k = m.interface[m.flex[b, f.X_FACE] + p, f.FACE_ROW]
        sign = m.way[t, k]
        if sign != 0.0:
            turn = matrix_times(R, (G[b, j, 6 * p], G[b, j, 6 * p + 1], G[b, j, 6 * p + 2]))
            slide = matrix_times(R, (G[b, j, 6 * p + 3], G[b, j, 6 * p + 4], G[b, j, 6 * p + 5]))
            r = subtract_3(read_3(d.tie, t, f.p_WTIE), read_3(d.row, k, f.p_WB))
            w = add_3(w, scale_3(sign, turn))
            v = add_3(v, scale_3(sign, add_cross(slide, turn, r)))
    return w, v


@helper
def mode_motion_at_tie(m, d, t, i, turning):
    """`mode_at_tie` of MODAL row i: angular velocity if `turning`, else velocity of b's origin."""
    b = m.topo[i, f.QUAT]
    w, v = mode_at_tie(m, d, t, b, i - m.flex[b, f.X_FIRST])
    return w if turning else v


@entry_point(Model, Data, INTEGER, INTEGER)
def modal_jacobian(m, d, first, last):
    """J of the constraints `first` to `last` of the partition order along the MODAL rows."""
    for b in range(m.flex.shape[0]):
        row = m.flex[b, f.X_FIRST]
        for at in range(first, last):
            c = d.part[f.ACTIVE, at]
            if m.constraint[c, f.C_JOINTS] >= 0:
                continue
            t, aligns = m.constraint[c, f.C_TIE], m.constraint[c, f.C_KIND] == f.ALIGN
            push = read_3(d.con, c, f.WRENCH_CONSTRAINT if aligns else f.FORCE_CONSTRAINT)
            for j in range(m.flex[b, f.X_COUNT]):
                w, v = mode_at_tie(m, d, t, b, j)
                d.jac[c, row + j] = dot(push, w if aligns else v)
