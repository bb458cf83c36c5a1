"""Equations of implicit steps on a tree in O(n): (M + g C + g^2 K) w = r with g = h gamma.

C and K are diagonal: damping and stiffness of each row. They add to its rotor inertia, so that the articulated-body
algorithm (Featherstone 2008, ch. 7) factors and solves the equations. Derivatives of gravity, of velocity products and
of loads on bent rows are left out: a W-method keeps its order with any matrix in place of the Jacobian.
"""

from __future__ import annotations

import math

from ..codegen.jit import helper, inlined
from . import model_data as f
from .articulated_body import (
    add_body_inertia,
    add_branch_inertia,
    clear_branch_sums,
    shift_to_parent,
    store_articulated,
)
from .modal_implicit import face_outwards, factor_modes, modes_inwards, modes_outwards
from .model_data import kernel
from .small_matrices import (
    ZERO_3,
    ZERO_6,
    ZERO_9,
    add_3,
    add_cross,
    add_to_3,
    dot,
    matrix_times,
    read_3,
    scale_3,
    subtract_outer,
    subtract_symmetric_outer,
    symmetric_times,
    transposed_times,
    write_3,
)


@helper
def row_tangent(m, d, i):
    """Stiffness k [N/m, N m/rad] and damping c [N s/m, N m s/rad] of row i: spring with cubic term, damper, viscous
    friction under a given load.
    """
    off = d.row[i, f.Q] - m.row[i, f.COORDINATE + f.REST]
    stiffness = m.row[i, f.COORDINATE + f.STIFFNESS] + 3.0 * m.row[i, f.COORDINATE + f.CUBIC] * off * off
    damping = m.row[i, f.COORDINATE + f.DAMPING]
    if m.row[i, f.FRICTION + f.F_LAW] == f.VISCOUS:
        lever = m.row[i, f.FRICTION + f.F_LEVER] * m.row[i, f.FRICTION + f.F_LOAD]
        damping += m.row[i, f.FRICTION + f.F_SIGMA_2] * lever
    return stiffness, damping


@inlined
def implicit_joint_inertia(d, i, slides, J, H, M, rotor):
    """U = I_A s (angular, linear part) and 1 / D with D = s . U + rotor.

    1 / D is 0 for a row that is HELD, and NaN if D <= 0: a mode that grows faster than 1/g.
    """
    s = read_3(d.row, i, f.AXIS)
    if slides:
        u, v = matrix_times(H, s), symmetric_times(M, s)
        inertia = dot(s, v) + rotor
    else:
        u, v = symmetric_times(J, s), transposed_times(H, s)
        inertia = dot(s, u) + rotor
    moves = 1.0 - d.row[i, f.HELD]
    return u, v, moves / inertia if inertia > 0.0 else math.nan


@inlined
def factor_row(m, d, i, J, H, M):
    """U and 1 / D of row i with D = s . U + rotor + g c + g^2 k, and its geometry at the start of the step; returns the
    inertia that it passes to its parent.
    """
    topo, T, g = m.topo, d.tangent, d.scalar[f.H_GAMMA]
    u, v, inv = ZERO_3, ZERO_3, 0.0
    T[i, f.TAN_STIFFNESS] = T[i, f.TAN_DAMPING] = 0.0
    if topo[i, f.MODE] == f.FREE:
        stiffness, damping = row_tangent(m, d, i)
        T[i, f.TAN_STIFFNESS], T[i, f.TAN_DAMPING] = stiffness, damping
        rotor = m.row[i, f.COORDINATE + f.ARMATURE] + g * damping + g * g * stiffness
        u, v, inv = implicit_joint_inertia(d, i, topo[i, f.KIND] == f.PRISMATIC, J, H, M, rotor)
    write_3(T, i, f.TAN_U, u)
    write_3(T, i, f.TAN_U + f.LINEAR, v)
    T[i, f.TAN_D_INV] = inv

    # geometry at the start of the step, for the solutions of all its stages
    write_3(T, i, f.TAN_AXIS, read_3(d.row, i, f.AXIS))
    write_3(T, i, f.TAN_ARM, read_3(d.row, i, f.p_parent))
    if topo[i, f.KIND] == f.QUAT_X:
        for c in range(4):
            T[i, f.TAN_QUAT + c] = d.quat[topo[i, f.QUAT], c]

    # articulated inertia passed to the parent: I_A - U U^T / D
    if topo[i, f.PARENT] < 0:
        return J, H, M
    p, q = scale_3(inv, u), scale_3(inv, v)
    J, H, M = (
        subtract_symmetric_outer(J, u, p),
        subtract_outer(H, u, q),
        subtract_symmetric_outer(M, v, q),
    )
    if topo[i, f.SHIFT]:
        J, H, _ = shift_to_parent(d, i, J, H, M, ZERO_3, ZERO_3)
    return J, H, M


@inlined
def factor_face(m, d, p, J, H, M):
    """Articulated inertia of what stands on interface p, to its row; (J, H, M) is what its first row passes on."""
    i = m.interface[p, f.FACE_ROW]
    write_3(d.tangent, i, f.TAN_ARM, read_3(d.row, i, f.p_parent))
    J, H, M, _, _ = add_branch_inertia(d, i, J, H, M, ZERO_3, ZERO_3)
    J, H, M, _, _ = add_body_inertia(d, i, J, H, M, ZERO_3, ZERO_3)
    store_articulated(d, i, J, H, M, ZERO_3, ZERO_3)


@kernel
def factor_tangent(m, d):
    """Backward pass, tips to world: articulated inertias of M + g C + g^2 K at the state of the last evaluation.

    Leaves s . I_A s + rotor, the inertia along each row, in `dx` at the states of the row; 0 if it is HELD.
    """
    topo, T, g = m.topo, d.tangent, d.scalar[f.H_GAMMA]
    clear_branch_sums(m, d)
    for s in range(m.segment.shape[0] - 1, -1, -1):
        if m.segment[s, f.SEG_BODY] >= 0:
            factor_modes(m, d, m.segment[s, f.SEG_BODY])
        passed = False  # the local variables hold the sum that row i + 1 passes to its parent, row i
        J, H, M = ZERO_6, ZERO_9, ZERO_6
        for i in range(m.segment[s, f.SEG_LAST] - 1, m.segment[s, f.SEG_FIRST] - 1, -1):
            if not passed:
                J, H, M = ZERO_6, ZERO_9, ZERO_6
            if topo[i, f.BRANCHED]:
                J, H, M, _, _ = add_branch_inertia(d, i, J, H, M, ZERO_3, ZERO_3)
            J, H, M, _, _ = add_body_inertia(d, i, J, H, M, ZERO_3, ZERO_3)
            J, H, M = factor_row(m, d, i, J, H, M)
            k = topo[i, f.PARENT]
            passed = k >= 0 and k == i - 1
            if k >= 0 and not passed:
                J, H, M, _, _ = add_branch_inertia(d, k, J, H, M, ZERO_3, ZERO_3)
                store_articulated(d, k, J, H, M, ZERO_3, ZERO_3)
        if m.segment[s, f.SEG_FACE] >= 0:
            if not passed:
                J, H, M = ZERO_6, ZERO_9, ZERO_6
            factor_face(m, d, m.segment[s, f.SEG_FACE], J, H, M)
    for j in range(m.state.shape[0]):
        i = m.state[j, f.ST_ROW]
        inv = T[i, f.TAN_D_INV]
        implicit_part = g * (T[i, f.TAN_DAMPING] + g * T[i, f.TAN_STIFFNESS])
        d.dx[m.state[j, f.ST_AT]] = 0.0 if inv == 0.0 else 1.0 / inv - implicit_part


@helper
def add_quaternion_change(T, i, c, change):
    """Add to the right-hand sides of q' = v of rows i to i + 2, in the body's axes, the turn that a change of component
    c of the quaternion makes: 2 vec(q* dq) / |q|^2.
    """
    w, x, y, z = T[i, f.TAN_QUAT], T[i, f.TAN_QUAT + 1], T[i, f.TAN_QUAT + 2], T[i, f.TAN_QUAT + 3]
    scale = 2.0 * change / (w * w + x * x + y * y + z * z)
    if c == 0:
        turn = -x, -y, -z
    elif c == 1:
        turn = w, -z, y
    elif c == 2:
        turn = z, w, -x
    else:
        turn = -y, x, w
    for a in range(3):
        T[i + a, f.TAN_RIGHT_Q] += scale * turn[a]


@helper
def quaternion_rate(T, i, c):
    """Component c of q' = q w / 2 at the solved angular velocity w of rows i to i + 2, in the body's axes."""
    w, x, y, z = T[i, f.TAN_QUAT], T[i, f.TAN_QUAT + 1], T[i, f.TAN_QUAT + 2], T[i, f.TAN_QUAT + 3]
    a, b, e = T[i, f.TAN_RIGHT_V], T[i + 1, f.TAN_RIGHT_V], T[i + 2, f.TAN_RIGHT_V]
    if c == 0:
        return -0.5 * (x * a + y * b + z * e)
    if c == 1:
        return 0.5 * (w * a + y * e - z * b)
    if c == 2:
        return 0.5 * (w * b + z * a - x * e)
    return 0.5 * (w * e + x * b - y * a)


@inlined
def row_inwards(m, d, g, i):
    """u = effort - s . p_A of row i, and p_A + U u / D to its parent."""
    topo, T = m.topo, d.tangent
    torque, force = read_3(T, i, f.TAN_WRENCH), read_3(T, i, f.TAN_WRENCH + f.LINEAR)
    if topo[i, f.MODE] == f.FREE:
        v = g * T[i, f.TAN_RIGHT_V]
        q = g * (T[i, f.TAN_RIGHT_Q] + v)
        s = read_3(T, i, f.TAN_AXIS)
        along = dot(s, force) if topo[i, f.KIND] == f.PRISMATIC else dot(s, torque)
        effort = -g * (T[i, f.TAN_DAMPING] * v + T[i, f.TAN_STIFFNESS] * q) - along
        T[i, f.TAN_EFFORT] = effort
        rate = T[i, f.TAN_D_INV] * effort
        torque = add_3(torque, scale_3(rate, read_3(T, i, f.TAN_U)))
        force = add_3(force, scale_3(rate, read_3(T, i, f.TAN_U + f.LINEAR)))
    k = topo[i, f.PARENT]
    if k >= 0:
        add_to_3(T, k, f.TAN_WRENCH, add_cross(torque, read_3(T, i, f.TAN_ARM), force))
        add_to_3(T, k, f.TAN_WRENCH + f.LINEAR, force)


@helper
def solve_inwards(m, d, g):
    """Bias forces of the efforts g (-c v - k q), tips to world, at the motion q, v of the right-hand sides:
    u = effort - s . p_A, and p_A + U u / D to the parent.
    """
    topo, T = m.topo, d.tangent
    for i in range(topo.shape[0]):
        for j in range(6):
            T[i, f.TAN_WRENCH + j] = 0.0
    for s in range(m.segment.shape[0] - 1, -1, -1):
        if m.segment[s, f.SEG_BODY] >= 0:
            modes_inwards(m, d, m.segment[s, f.SEG_BODY])
        for i in range(m.segment[s, f.SEG_LAST] - 1, m.segment[s, f.SEG_FIRST] - 1, -1):
            row_inwards(m, d, g, i)
        if m.segment[s, f.SEG_FACE] >= 0:
            row_inwards(m, d, g, m.interface[m.segment[s, f.SEG_FACE], f.FACE_ROW])


@inlined
def row_outwards(m, d, g, i):
    """Motion of row i, and u_v = g r_v + w in place of r_v."""
    topo, T = m.topo, d.tangent
    k = topo[i, f.PARENT]
    alpha = a = ZERO_3
    if k >= 0:
        alpha = read_3(T, k, f.TAN_WRENCH)
        a = add_cross(read_3(T, k, f.TAN_WRENCH + f.LINEAR), alpha, read_3(T, i, f.TAN_ARM))
    if topo[i, f.MODE] == f.FREE:
        u, v = read_3(T, i, f.TAN_U), read_3(T, i, f.TAN_U + f.LINEAR)
        rate = T[i, f.TAN_D_INV] * (T[i, f.TAN_EFFORT] - dot(u, alpha) - dot(v, a))
        own = scale_3(rate, read_3(T, i, f.TAN_AXIS))
        if topo[i, f.KIND] == f.PRISMATIC:
            a = add_3(a, own)
        else:
            alpha = add_3(alpha, own)
        T[i, f.TAN_RIGHT_V] = g * T[i, f.TAN_RIGHT_V] + rate
    write_3(T, i, f.TAN_WRENCH, alpha)
    write_3(T, i, f.TAN_WRENCH + f.LINEAR, a)


@helper
def solve_outwards(m, d, g):
    """Solution u_v = g r_v + w in place of r_v, world to tips: w = (u - U . a') / D, with a' the parent's motion."""
    for s in range(m.segment.shape[0]):
        if m.segment[s, f.SEG_FACE] >= 0:
            face_outwards(m, d, m.segment[s, f.SEG_FACE])
        for i in range(m.segment[s, f.SEG_FIRST], m.segment[s, f.SEG_LAST]):
            row_outwards(m, d, g, i)
        if m.segment[s, f.SEG_BODY] >= 0:
            modes_outwards(m, d, m.segment[s, f.SEG_BODY])


@kernel
def solve_tangent(m, d):
    """Solution of (1/g - W) u = r for the states, r and u in `dx`: u_q = g (r_q + u_v), u_v = g r_v + w."""
    T, g = d.tangent, d.scalar[f.H_GAMMA]
    for i in range(m.topo.shape[0]):
        T[i, f.TAN_RIGHT_Q] = T[i, f.TAN_RIGHT_V] = 0.0
    for j in range(m.state.shape[0]):
        kind, i, at = m.state[j, f.ST_KIND], m.state[j, f.ST_ROW], m.state[j, f.ST_AT]
        if kind == f.QUAT_STATE:
            add_quaternion_change(T, i, m.state[j, f.ST_COMPONENT], d.dx[at])
        elif kind == f.V_STATE:
            T[i, f.TAN_RIGHT_V] = d.dx[at]
        else:
            T[i, f.TAN_RIGHT_Q] = d.dx[at]
    solve_inwards(m, d, g)
    solve_outwards(m, d, g)
    for j in range(m.state.shape[0]):
        kind, i, at = m.state[j, f.ST_KIND], m.state[j, f.ST_ROW], m.state[j, f.ST_AT]
        if kind == f.QUAT_STATE:
            d.dx[at] = g * (d.dx[at] + quaternion_rate(T, i, m.state[j, f.ST_COMPONENT]))
        elif kind == f.V_STATE:
            d.dx[at] = T[i, f.TAN_RIGHT_V]
        else:
            d.dx[at] = g * (d.dx[at] + T[i, f.TAN_RIGHT_V])
