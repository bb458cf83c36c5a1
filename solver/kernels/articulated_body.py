"""Forward dynamics of the tree in O(n): the articulated-body algorithm (Featherstone 2008, ch. 7) in world axes.

Each row's own origin is its reference point. Inertias are shifted and never rotated, so that no digits are lost far
from the world's origin. Symbols: I_A articulated inertia, p_A its bias force, s joint axis, U = I_A s, D = s . U,
u = tau - s . p_A. I_A has the blocks J, H, M: torque = J alpha + H a + t, force = H^T alpha + M a + F.
"""

from __future__ import annotations

from ..codegen.jit import INTEGER, entry_point, inlined
from . import model_data as f
from .added_mass import add_fluid_inertia, shift_spatial_inertia
from .flexible_body import face_acceleration
from .frame_kinematics import gravity
from .modal_elimination import eliminate_modes, modal_accelerations
from .model_data import Data, Model, kernel
from .small_matrices import (
    ZERO_3,
    ZERO_6,
    ZERO_9,
    add_3,
    add_6,
    add_9,
    add_cross,
    add_to_3,
    dot,
    matrix_times,
    read_3,
    read_6,
    read_9,
    scale_3,
    subtract_3,
    subtract_outer,
    subtract_symmetric_outer,
    symmetric_times,
    transposed_times,
    write_3,
    write_6,
    write_9,
)

# An articulated inertia with its bias wrench is J, H, M, t, F: torque = J alpha + H a + t, force = H^T alpha + M a + F.


@inlined
def clear_branch_sums(m, d):
    """Zero I_A and p_A of the rows that several children add to."""
    for i in range(m.topo.shape[0]):
        if m.topo[i, f.BRANCHED]:
            for j in range(f.IA_COLUMNS):
                d.row[i, f.IA + j] = 0.0


@inlined
def add_branch_inertia(d, i, J, H, M, t, F):
    """Add I_A and p_A that branching children have summed in the columns of row i."""
    J, M = add_6(J, read_6(d.row, i, f.IA)), add_6(M, read_6(d.row, i, f.IA_M))
    H = add_9(H, read_9(d.row, i, f.IA_H))
    t, F = add_3(t, read_3(d.row, i, f.pA)), add_3(F, read_3(d.row, i, f.pA + f.LINEAR))
    return J, H, M, t, F


@inlined
def store_articulated(d, i, J, H, M, t, F):
    """Write I_A = (J, H, M) and p_A = (t, F) to the columns of row i."""
    write_6(d.row, i, f.IA, J)
    write_9(d.row, i, f.IA_H, H)
    write_6(d.row, i, f.IA_M, M)
    write_3(d.row, i, f.pA, t)
    write_3(d.row, i, f.pA + f.LINEAR, F)


@inlined
def add_body_inertia(d, i, J, H, M, t, F):
    """Add the rigid body of row i: mass m, first moment h (H += [h], M += m 1), inertia, bias wrench."""
    mass, (hx, hy, hz) = d.row[i, f.MASS], read_3(d.row, i, f.FIRST_MOMENT)
    J = add_6(J, read_6(d.row, i, f.INERTIA))
    H = H[0], H[1] - hz, H[2] + hy, H[3] + hz, H[4], H[5] - hx, H[6] - hy, H[7] + hx, H[8]
    M = M[0] + mass, M[1] + mass, M[2] + mass, M[3], M[4], M[5]
    t, F = add_3(t, read_3(d.row, i, f.BIAS_WRENCH)), add_3(F, read_3(d.row, i, f.BIAS_WRENCH + f.LINEAR))
    return J, H, M, t, F


@inlined
def joint_space_inertia(m, d, i, slides, J, H, M, t, F):
    """U = I_A s, 1 / D with D = s . U + rotor inertia, u = tau - s . p_A; stored for the forward pass.

    A row that is HELD has 1 / D = 0: it takes any effort without an acceleration. Returns angular and linear part of U,
    1 / D and u.
    """
    s, rotor = read_3(d.row, i, f.AXIS), m.row[i, f.COORDINATE + f.ARMATURE]
    moves = 1.0 - d.row[i, f.HELD]
    if slides:
        u, g = matrix_times(H, s), symmetric_times(M, s)
        inv, left = moves / (dot(s, g) + rotor), d.row[i, f.TAU] - dot(s, F)
    else:
        u, g = symmetric_times(J, s), transposed_times(H, s)
        inv, left = moves / (dot(s, u) + rotor), d.row[i, f.TAU] - dot(s, t)
    write_3(d.row, i, f.U, u)
    write_3(d.row, i, f.U + f.LINEAR, g)
    d.row[i, f.D_INV], d.row[i, f.u] = inv, left
    return u, g, inv, left


@inlined
def parent_bias_wrench(J, H, M, t, F, u, g, push, b, e):
    """p_A + I_A c + U push: bias force that row i passes to its parent, with c = (b, e) its velocity-product
    acceleration.
    """
    return (
        (
            t[0] + (J[0] * b[0] + J[3] * b[1] + J[4] * b[2] + H[0] * e[0] + H[1] * e[1] + H[2] * e[2] + u[0] * push),
            t[1] + (J[3] * b[0] + J[1] * b[1] + J[5] * b[2] + H[3] * e[0] + H[4] * e[1] + H[5] * e[2] + u[1] * push),
            t[2] + (J[4] * b[0] + J[5] * b[1] + J[2] * b[2] + H[6] * e[0] + H[7] * e[1] + H[8] * e[2] + u[2] * push),
        ),
        (
            F[0] + (H[0] * b[0] + H[3] * b[1] + H[6] * b[2] + M[0] * e[0] + M[3] * e[1] + M[4] * e[2] + g[0] * push),
            F[1] + (H[1] * b[0] + H[4] * b[1] + H[7] * b[2] + M[3] * e[0] + M[1] * e[1] + M[5] * e[2] + g[1] * push),
            F[2] + (H[2] * b[0] + H[5] * b[1] + H[8] * b[2] + M[4] * e[0] + M[5] * e[1] + M[2] * e[2] + g[2] * push),
        ),
    )  # fmt: skip


@inlined
def shift_to_parent(d, i, J, H, M, t, F):
    """Shift I_A and p_A to the parent's origin: H' = H + [r] M, J' = J - H [r] + [r] H'^T, t' = t + r x F."""
    r = read_3(d.row, i, f.p_parent)
    t = add_cross(t, r, F)
    J, K = shift_spatial_inertia(r, J, H, M)
    return J, K, t


@inlined
def inertia_in_parent(m, d, i, J, H, M, t, F):
    """I_A - U U^T / D and its bias force at the parent's origin: what row i passes on; leaves U, D_INV and u."""
    topo = m.topo
    free, slides = topo[i, f.MODE] == f.FREE, topo[i, f.KIND] == f.PRISMATIC
    u, g, inv, left = ZERO_3, ZERO_3, 0.0, 0.0
    if free:
        u, g, inv, left = joint_space_inertia(m, d, i, slides, J, H, M, t, F)
    if topo[i, f.PARENT] < 0:
        return J, H, M, t, F
    b, e = read_3(d.row, i, f.VELOCITY_PRODUCT), read_3(d.row, i, f.VELOCITY_PRODUCT + f.LINEAR)
    push = 0.0
    if free:
        push = inv * (left - (dot(u, b) + g[0] * e[0] + g[1] * e[1] + g[2] * e[2]))
    elif slides:  # DRIVEN row: its given acceleration s qdd joins the bias
        e = add_3(e, scale_3(d.row[i, f.QDD], read_3(d.row, i, f.AXIS)))
    else:
        b = add_3(b, scale_3(d.row[i, f.QDD], read_3(d.row, i, f.AXIS)))
    t, F = parent_bias_wrench(J, H, M, t, F, u, g, push, b, e)
    p, q = scale_3(inv, u), scale_3(inv, g)
    J, H, M = (
        subtract_symmetric_outer(J, u, p),
        subtract_outer(H, u, q),
        subtract_symmetric_outer(M, g, q),
    )
    if topo[i, f.SHIFT]:
        J, H, t = shift_to_parent(d, i, J, H, M, t, F)
    return J, H, M, t, F


@kernel
def articulated_inertias(m, d):
    """Backward pass, tips to world: I_A and p_A of all rows; leaves U, D_INV and u for the forward pass.

        I_A' = I_A - U U^T / D,  p_A' = p_A + I_A c + U (u - U . c) / D    (Featherstone 2008, eq. 7.43, 7.44)

    The sum that row i passes to row i - 1 stays in local variables. It is stored only at branches, and in mechanisms
    with friction, whose joint loads follow from it.
    """
    topo = m.topo
    clear_branch_sums(m, d)
    for s in range(m.segment.shape[0] - 1, -1, -1):
        first, last = m.segment[s, f.SEG_FIRST], m.segment[s, f.SEG_LAST]
        if m.segment[s, f.SEG_BODY] >= 0:  # its row sums as a branching one
            eliminate_modes(m, d, m.segment[s, f.SEG_BODY])
        passed = False  # the local variables hold the sum that row i + 1 passes to its parent, row i
        J, H, M, t, F = ZERO_6, ZERO_9, ZERO_6, ZERO_3, ZERO_3
        for i in range(last - 1, first - 1, -1):
            if not passed:
                J, H, M, t, F = ZERO_6, ZERO_9, ZERO_6, ZERO_3, ZERO_3
            if topo[i, f.BRANCHED]:
                J, H, M, t, F = add_branch_inertia(d, i, J, H, M, t, F)
            J, H, M, t, F = add_body_inertia(d, i, J, H, M, t, F)
            if m.option[f.O_ADDED] > 0:
                J, H, M, t, F = add_fluid_inertia(m, d, i, J, H, M, t, F)
            if m.option[f.O_FRICTION] > 0:
                store_articulated(d, i, J, H, M, t, F)

            k = topo[i, f.PARENT]
            J, H, M, t, F = inertia_in_parent(m, d, i, J, H, M, t, F)
            passed = k >= 0 and k == i - 1
            if k < 0:
                continue
            if not passed:  # add to the sum stored at the branching row
                J, H, M, t, F = add_branch_inertia(d, k, J, H, M, t, F)
                store_articulated(d, k, J, H, M, t, F)
        if m.segment[s, f.SEG_FACE] >= 0:
            i = m.interface[m.segment[s, f.SEG_FACE], f.FACE_ROW]
            if not passed:
                J, H, M, t, F = ZERO_6, ZERO_9, ZERO_6, ZERO_3, ZERO_3
            J, H, M, t, F = add_branch_inertia(d, i, J, H, M, t, F)
            J, H, M, t, F = add_body_inertia(d, i, J, H, M, t, F)
            store_articulated(d, i, J, H, M, t, F)


@inlined
def velocity_product(m, d, i):
    """Acceleration (alpha, a) of row i at qdd_i = 0: that of its parent plus the velocity-product term; -g at the
    world.
    """
    k = m.topo[i, f.PARENT]
    b, e = read_3(d.row, i, f.VELOCITY_PRODUCT), read_3(d.row, i, f.VELOCITY_PRODUCT + f.LINEAR)
    if k < 0:
        return b, subtract_3(e, gravity(m))
    alpha = read_3(d.row, k, f.ACC)
    a = add_3(add_cross(read_3(d.row, k, f.ACC + f.LINEAR), alpha, read_3(d.row, i, f.p_parent)), e)
    return add_3(alpha, b), a


@inlined
def joint_acceleration(d, i, alpha, a):
    """qdd_i = (u - U . a') / D, with a' = (alpha, a) the acceleration of row i at qdd_i = 0."""
    u, g = read_3(d.row, i, f.U), read_3(d.row, i, f.U + f.LINEAR)
    return d.row[i, f.D_INV] * (d.row[i, f.u] - dot(u, alpha) - dot(g, a))


@inlined
def store_acceleration(m, d, i, alpha, a):
    """Write the acceleration of row i to ACC: (alpha, a) + s qdd_i."""
    own = scale_3(d.row[i, f.QDD], read_3(d.row, i, f.AXIS))
    if m.topo[i, f.KIND] == f.PRISMATIC:
        a = add_3(a, own)
    else:
        alpha = add_3(alpha, own)
    write_3(d.row, i, f.ACC, alpha)
    write_3(d.row, i, f.ACC + f.LINEAR, a)


@kernel
def acceleration_pass(m, d):
    """Forward pass, world to tips: qdd of the FREE rows and the spatial acceleration ACC of every row."""
    for s in range(m.segment.shape[0]):
        if m.segment[s, f.SEG_FACE] >= 0:
            face_acceleration(m, d, m.segment[s, f.SEG_FACE], f.ACC, 2)
        for i in range(m.segment[s, f.SEG_FIRST], m.segment[s, f.SEG_LAST]):
            alpha, a = velocity_product(m, d, i)
            if m.topo[i, f.MODE] == f.FREE:
                d.row[i, f.QDD] = joint_acceleration(d, i, alpha, a)
            store_acceleration(m, d, i, alpha, a)
        if m.segment[s, f.SEG_BODY] >= 0:
            modal_accelerations(m, d, m.segment[s, f.SEG_BODY])


@inlined
def backward_pass(m, d, y, count, whole, last):
    """Backward pass for `count` unit efforts: p_A in the lanes of `sweep`, u in `response`, tips to world.

    I_A, U and D are those of `articulated_inertias`. Arguments as in `unit_effort_accelerations`.
    """
    n, topo, L = m.topo.shape[0], m.topo, d.sweep
    there = min(whole, count)  # number of efforts that act on row i or beyond it
    for i in range(n - 1, -1, -1):
        while there < count and d.part[f.LOADED, last - (there - whole)] >= i:
            there += 1
        k, free, slides = topo[i, f.PARENT], topo[i, f.MODE] == f.FREE, topo[i, f.KIND] == f.PRISMATIC
        s, r, inv = read_3(d.row, i, f.AXIS), read_3(d.row, i, f.p_parent), d.row[i, f.D_INV]
        u, g = read_3(d.row, i, f.U), read_3(d.row, i, f.U + f.LINEAR)
        for w in range(there):
            a = f.LANE * w
            torque, force = read_3(L, i, a), read_3(L, i, a + f.LINEAR)
            if free:
                left = d.response[y + w, i] - dot(s, force if slides else torque)
                d.response[y + w, i] = left
                torque, force = add_3(torque, scale_3(inv * left, u)), add_3(force, scale_3(inv * left, g))
            if k >= 0:
                add_to_3(L, k, a, add_cross(torque, r, force))
                add_to_3(L, k, a + f.LINEAR, force)


@inlined
def forward_pass(m, d, y, count):
    """Forward pass for `count` unit efforts: qdd to `response`, accelerations to the lanes of `sweep`, world to
    tips.
    """
    n, topo, L = m.topo.shape[0], m.topo, d.sweep
    for i in range(n):
        k, free, slides = topo[i, f.PARENT], topo[i, f.MODE] == f.FREE, topo[i, f.KIND] == f.PRISMATIC
        s, r, inv = read_3(d.row, i, f.AXIS), read_3(d.row, i, f.p_parent), d.row[i, f.D_INV]
        u, g = read_3(d.row, i, f.U), read_3(d.row, i, f.U + f.LINEAR)
        for w in range(count):
            at = f.LANE * w + f.LANE_ACC
            alpha = a = ZERO_3
            if k >= 0:
                alpha = read_3(L, k, at)
                a = add_cross(read_3(L, k, at + f.LINEAR), alpha, r)
            rate = 0.0
            if free:
                rate = inv * (d.response[y + w, i] - dot(u, alpha) - dot(g, a))
                if slides:
                    a = add_3(a, scale_3(rate, s))
                else:
                    alpha = add_3(alpha, scale_3(rate, s))
            d.response[y + w, i] = rate
            write_3(L, i, at, alpha)
            write_3(L, i, at + f.LINEAR, a)


@entry_point(Model, Data, INTEGER, INTEGER, INTEGER, INTEGER)
def unit_effort_accelerations(m, d, y, count, whole, last):
    """Accelerations qdd = M^-1 e of `count` effort vectors e, rows y to y + count of `response`, in place.

    The vectors go through the tree side by side in the lanes of `sweep`, with the I_A that is stored: each sweep is a
    chain of dependent sums, and a processor runs several at once. The first `whole` vectors have entries on all rows.
    Each of the others acts on one row: part[LOADED, last], part[LOADED, last - 1] and so on. Left in the lanes: bias
    forces p_A (6) and accelerations (6) of the rows.
    """
    for i in range(m.topo.shape[0]):
        for w in range(count):
            for j in range(f.LANE_ACC):
                d.sweep[i, f.LANE * w + j] = 0.0
    backward_pass(m, d, y, count, whole, last)
    forward_pass(m, d, y, count)
