"""Constraints: residuals Phi, their rates, the Jacobian J, and the bias accelerations J' v.

A located constraint acts along a wrench w: Phi' = w . (V_B - V_A), V the spatial velocities of the bodies of frames b
and a. The Jacobian is w projected on the rows between the two; lambda w is the constraint's force on b, and -lambda w
on a. A relation between joint coordinates has no wrench: its multiplier is an effort slope_k on each joint.
"""

from __future__ import annotations

from ..codegen.jit import helper, inlined
from . import model_data as f
from .flexible_body import modal_jacobian, mode_motion_at_tie
from .frame_kinematics import (
    angular_velocity,
    frame_axes,
    frame_axis,
    frame_position,
    point_acceleration,
    point_velocity,
)
from .holonomic_expression import run_relation
from .model_data import kernel
from .small_matrices import (
    ZERO_3,
    add_3,
    cross,
    dot,
    read_3,
    read_column,
    scale_3,
    subtract_3,
    write_3,
    write_9,
)


@inlined
def tie_positions(m, d):
    """R_WA, p_WB and the gap p_WB - p_WA of all ties (pairs of constrained frames)."""
    for t in range(m.tie.shape[0]):
        a, at = m.tie[t, f.T_FRAME_A], frame_position(m, d, m.tie[t, f.T_FRAME_B])
        write_9(d.tie, t, f.R_WA, frame_axes(m, d, a))
        write_3(d.tie, t, f.p_WTIE, at)
        write_3(d.tie, t, f.GAP, subtract_3(at, frame_position(m, d, a)))


@inlined
def tie_rates(m, d):
    """Rate of the gap of all ties as seen from a, and its bias acceleration, in W; from ACC_BIAS."""
    for t in range(m.tie.shape[0]):
        a, b, at = m.tie[t, f.T_FRAME_A], m.tie[t, f.T_FRAME_B], read_3(d.tie, t, f.p_WTIE)
        rate = subtract_3(point_velocity(m, d, b, at), point_velocity(m, d, a, at))
        write_3(d.tie, t, f.GAP_RATE, rate)
        # gap'' seen from a: relative acceleration less the Coriolis term 2 w_A x gap'
        bias = subtract_3(
            point_acceleration(m, d, b, at, f.ACC_BIAS), point_acceleration(m, d, a, at, f.ACC_BIAS)
        )
        write_3(d.tie, t, f.GAP_BIAS, subtract_3(bias, scale_3(2.0, cross(angular_velocity(m, d, a), rate))))


@helper
def component_along(d, t, k, w):
    """Component along axis k of frame a of the vector in column w of a tie."""
    return dot(read_column(d.tie, t, f.R_WA, k), read_3(d.tie, t, w))


@inlined
def is_joint_relation(m, c):
    """True if constraint c relates joint coordinates (no frames)."""
    return m.constraint[c, f.C_JOINTS] >= 0


@inlined
def relation_variables(m, d, c, t):
    """Variables x, y, z of a relation at rest: p_AB in a's axes, or the joints' coordinates; all rates zero."""
    for k in range(3):
        i = m.constraint[c, f.C_JOINTS + k]
        if i >= 0:
            d.variables[0, f.PLACES + k] = d.row[i, f.Q]
        elif is_joint_relation(m, c):
            d.variables[0, f.PLACES + k] = 0.0
        else:
            d.variables[0, f.PLACES + k] = component_along(d, t, k, f.GAP)
        d.variables[0, f.SPEEDS + k] = d.variables[0, f.ACCELERATIONS + k] = 0.0
    for k in range(f.VARIABLES):
        d.variables[1, k] = d.variables[2, k] = 0.0


@inlined
def relation_motion(m, d, c, t, k):
    """Rate of variable x, y or z, and its second rate at zero qdd of the FREE rows."""
    i = m.constraint[c, f.C_JOINTS + k]
    if i >= 0:
        return d.row[i, f.V], d.row[i, f.QDD] if m.topo[i, f.MODE] == f.DRIVEN else 0.0
    if is_joint_relation(m, c):
        return 0.0, 0.0
    return component_along(d, t, k, f.GAP_RATE), component_along(d, t, k, f.GAP_BIAS)


@inlined
def row_motion_at_tie(m, d, t, i, turning):
    """Relative motion of b against a at a unit rate of row i, in W: angular velocity if `turning`, else velocity of
    b's origin.
    """
    slides = m.topo[i, f.KIND] == f.PRISMATIC
    if slides and turning:
        return ZERO_3
    axis = scale_3(m.way[t, i], read_3(d.row, i, f.AXIS))
    if slides or turning:
        return axis
    return cross(axis, subtract_3(read_3(d.tie, t, f.p_WTIE), read_3(d.row, i, f.p_WB)))


@helper
def speed(m, d, c, t, k):
    """Rate of variable x, y or z of a relation from the rates of the rows, before velocities of bodies are known."""
    i = m.constraint[c, f.C_JOINTS + k]
    if i >= 0:
        return d.row[i, f.V]
    total = 0.0
    if not is_joint_relation(m, c):
        axis = read_column(d.tie, t, f.R_WA, k)
        for i in range(m.topo.shape[0]):
            if m.way[t, i] != 0.0:
                total += dot(axis, row_motion_at_tie(m, d, t, i, False)) * d.row[i, f.V]
    return total


@inlined
def constraint_residual(m, d, c):
    """Residual Phi, Phi_t and the unit multiplier's wrench (or joint slopes) of constraint c; after `tie_positions`."""
    kind, t = m.constraint[c, f.C_KIND], m.constraint[c, f.C_TIE]
    torque = force = ZERO_3
    d.con[c, f.PHI_T] = 0.0
    if kind == f.ALIGN:
        u = read_column(d.tie, t, f.R_WA, m.constraint[c, f.C_AXIS_A])
        w = frame_axis(m, d, m.constraint[c, f.C_FRAME_B], m.constraint[c, f.C_AXIS_B])
        d.con[c, f.PHI] = dot(u, w)
        torque = cross(w, u)
    elif kind == f.POINT:
        k = m.constraint[c, f.C_AXIS_A]
        force = read_column(d.tie, t, f.R_WA, k)
        d.con[c, f.PHI] = component_along(d, t, k, f.GAP) - m.constraint_value[c]
        if m.constraint[c, f.C_TARGET] >= 0:
            d.con[c, f.PHI] -= d.target[m.constraint[c, f.C_TARGET], f.TARGET]
            d.con[c, f.PHI_T] = -d.target[m.constraint[c, f.C_TARGET], f.TARGET_RATE]
    else:
        relation_variables(m, d, c, t)
        curved = m.constraint[c, f.C_CURVED] == 1
        if curved:
            for k in range(3):
                d.variables[0, f.SPEEDS + k] = speed(m, d, c, t, k)
        run_relation(m, d, c)
        value, rate = d.stack[0, f.VALUE], d.stack[0, f.RATE]
        d.con[c, f.PHI] = value if kind == f.RELATION else 0.0
        # Phi_t at v = 0 of what is linear in velocities, else of its tangent: Phi - Phi_v v
        d.con[c, f.PHI_T] = rate if kind == f.RELATION else value
        for k in range(3):
            g = d.stack[0, f.SLOPES + k]
            d.con[c, f.SLOPE + k] = g
            if curved:
                d.con[c, f.PHI_T] -= g * d.variables[0, f.SPEEDS + k]
            if not is_joint_relation(m, c):
                force = add_3(force, scale_3(g, read_column(d.tie, t, f.R_WA, k)))
    write_3(d.con, c, f.WRENCH_CONSTRAINT, torque)
    write_3(d.con, c, f.FORCE_CONSTRAINT, force)


@inlined
def joint_relation_effort(m, d, c, i):
    """J_ci of a joint relation: sum of its slopes at row i."""
    total = 0.0
    for k in range(3):
        if m.constraint[c, f.C_JOINTS + k] == i:
            total += d.con[c, f.SLOPE + k]
    return total


@inlined
def constraint_effort(m, d, c, i):
    """J_ci: unit multiplier's wrench on b, less that on a, along the freedom of row i."""
    if is_joint_relation(m, c):
        return joint_relation_effort(m, d, c, i)
    aligns = m.constraint[c, f.C_KIND] == f.ALIGN
    push = read_3(d.con, c, f.WRENCH_CONSTRAINT if aligns else f.FORCE_CONSTRAINT)
    if m.topo[i, f.KIND] == f.MODAL:
        return dot(push, mode_motion_at_tie(m, d, m.constraint[c, f.C_TIE], i, aligns))
    return dot(push, row_motion_at_tie(m, d, m.constraint[c, f.C_TIE], i, aligns))


@inlined
def residuals_and_jacobian(m, d, first, last):
    """Phi and J of the constraints `first` to `last` of the partition order; after `tie_positions`."""
    for k in range(first, last):
        c = d.part[f.ACTIVE, k]
        constraint_residual(m, d, c)
        t, aligns = m.constraint[c, f.C_TIE], m.constraint[c, f.C_KIND] == f.ALIGN
        left, right = m.constraint[c, f.C_MOVED], m.constraint[c, f.C_MOVED_END]
        # all other entries are zero
        if is_joint_relation(m, c):
            for e in range(left, right):
                d.jac[c, m.moved[e]] = joint_relation_effort(m, d, c, m.moved[e])
        else:
            push = read_3(d.con, c, f.WRENCH_CONSTRAINT if aligns else f.FORCE_CONSTRAINT)
            for e in range(left, right):
                i = m.moved[e]
                d.jac[c, i] = dot(push, row_motion_at_tie(m, d, t, i, aligns))
    if m.flex.shape[0] > 0:
        modal_jacobian(m, d, first, last)


@kernel
def constraint_positions(m, d):
    """Phi, unit wrenches and J of all constraints."""
    tie_positions(m, d)
    residuals_and_jacobian(m, d, 0, m.constraint.shape[0])


@inlined
def evaluated_constraints(m, d):
    """Number of constraints, in partition order, that the solver or an input signal needs."""
    k = d.coupling.shape[1]
    while k < m.constraint.shape[0] and m.constraint[d.part[f.ACTIVE, k], f.C_TARGET] >= 0:
        k += 1
    return k


@inlined
def align_rates(m, d, c, t):
    """Phi' and bias of Phi'' for two axes at right angles, Phi = u . v: Phi' = (v x u) . (w_B - w_A)."""
    a, b = m.constraint[c, f.C_FRAME_A], m.constraint[c, f.C_FRAME_B]
    i, j = m.frame_row[a], m.frame_row[b]
    u = read_column(d.tie, t, f.R_WA, m.constraint[c, f.C_AXIS_A])
    v = frame_axis(m, d, b, m.constraint[c, f.C_AXIS_B])
    torque, w_a, w_b = (
        read_3(d.con, c, f.WRENCH_CONSTRAINT),
        angular_velocity(m, d, a),
        angular_velocity(m, d, b),
    )
    # w_AB and the bias of its rate
    w = subtract_3(w_b, w_a)
    bias = -dot(torque, cross(w_a, w_b))
    if i >= 0:
        bias -= dot(torque, read_3(d.row, i, f.ACC_BIAS))
    if j >= 0:
        bias += dot(torque, read_3(d.row, j, f.ACC_BIAS))
    bias += dot(u, w) * dot(v, w)
    d.con[c, f.PHI_RATE] = dot(torque, w)
    d.con[c, f.PHI_BIAS] = bias - dot(w, w) * d.con[c, f.PHI]


@inlined
def residual_rates(m, d, c):
    """Phi' of constraint c and its bias PHI_BIAS, the value of Phi'' at zero qdd of the FREE rows; after
    `tie_rates`.
    """
    kind, target, t = m.constraint[c, f.C_KIND], m.constraint[c, f.C_TARGET], m.constraint[c, f.C_TIE]
    if kind == f.ALIGN:
        align_rates(m, d, c, t)
        return
    if kind == f.POINT:
        k = m.constraint[c, f.C_AXIS_A]
        rate, bias = component_along(d, t, k, f.GAP_RATE), component_along(d, t, k, f.GAP_BIAS)
        if target >= 0:
            rate -= d.target[target, f.TARGET_RATE]
            bias -= d.target[target, f.TARGET_ACC]
        d.con[c, f.PHI_RATE], d.con[c, f.PHI_BIAS] = rate, bias
        return
    relation_variables(m, d, c, t)
    for k in range(3):
        rate, free = relation_motion(m, d, c, t, k)
        d.variables[1, f.PLACES + k] = d.variables[0, f.SPEEDS + k] = rate
        d.variables[2, f.PLACES + k] = d.variables[1, f.SPEEDS + k] = d.variables[0, f.ACCELERATIONS + k] = (
            free
        )
    run_relation(m, d, c)
    s = d.stack
    if kind == f.RELATION:
        rate, bias = s[0, f.RATE], s[0, f.SECOND]
    elif kind == f.VELOCITY_RELATION:
        rate, bias = s[0, f.VALUE], s[0, f.RATE]
    else:
        # Phi_t = -J v: the power lambda (J v + Phi_t) of the prescribed motion is that of the multiplier
        rate, bias = 0.0, s[0, f.VALUE]
        d.con[c, f.PHI_T] = 0.0
        for k in range(3):
            d.con[c, f.PHI_T] -= s[0, f.SLOPES + k] * d.variables[1, f.PLACES + k]
    d.con[c, f.PHI_RATE], d.con[c, f.PHI_BIAS] = rate, bias


@inlined
def constraint_rates(m, d):
    """Phi' and PHI_BIAS of all evaluated constraints, from ACC_BIAS."""
    tie_rates(m, d)
    for k in range(evaluated_constraints(m, d)):
        residual_rates(m, d, d.part[f.ACTIVE, k])
