"""Reactions of overconstrained loops: of all that balance, those that equal bushings in the joints would take.

Multipliers l with J^T l = 0 do no work on any coordinate but load the joints of their loops: a state of self-stress.
Let r be forces and torques of all joints, r_0 those of the active constraints alone, N one column for each independent
l: r(y) = r_0 + N y. Equal bushings take the r of least r^T W r: y = -(N^T W N)^-1 N^T W r_0. W weighs forces by 1 and
torques by 1/length^2, the ratio of a bushing's stiffnesses. The result does not depend on where loops are cut.
"""

from __future__ import annotations

import math

from ..codegen.jit import helper, inlined
from . import model_data as f
from .dense_linear_algebra import ldl_factor, ldl_solve
from .frame_kinematics import frame_position
from .loop_blocks import solve_blocks_transposed
from .position_projection import factor_dependent
from .small_matrices import ZERO_3, add_3, add_to_3, cross, dot, read_3, scale_3, subtract_3

# share of a servo constraint in a redundant one above which, beyond rounding, it is no internal force; rows of length 1
DRIVEN_SHARE = 1e-9


@helper
def row_length(d, c):
    """|J_c|: Euclidean length of row c of the constraint Jacobian."""
    s = 0.0
    for i in range(d.jac.shape[1]):
        s += d.jac[c, i] * d.jac[c, i]
    return math.sqrt(s)


@helper
def self_stresses(m, d):
    """Self-stress of each redundant constraint, a row of `self_stress`: unit multiplier there and those that balance
    it.

    Columns are in partition order. Rows that a drive would have to balance are no self-stress: zero.
    """
    r, total = d.coupling.shape[1], m.constraint.shape[0]
    factor_dependent(m, d)
    for k in range(total - r):
        c = d.part[f.ACTIVE, r + k]
        for a in range(r):
            d.solve[a] = d.jac[c, d.part[f.DEPENDENT, a]]
        solve_blocks_transposed(m, d, r)
        size = 1.0 if m.constraint[c, f.C_SERVO] < 0 else 0.0
        for a in range(r):
            b = d.part[f.ACTIVE, a]
            if m.constraint[b, f.C_SERVO] >= 0:
                share = abs(d.solve[a]) * row_length(d, b)
                size = 0.0 if not share <= DRIVEN_SHARE * row_length(d, c) else size
        for b in range(total):
            d.self_stress[k, b] = 0.0
        for a in range(r):
            d.self_stress[k, a] = -size * d.solve[a]
        d.self_stress[k, r + k] = size


@helper
def joint_reference_point(m, d, j):
    """Origin of frame_b of joint j in W, cut joints numbered behind those of the tree [m]."""
    if j < m.joint.shape[0]:
        return frame_position(m, d, m.joint[j, f.J_FRAME_B])
    return frame_position(m, d, m.cut[j - m.joint.shape[0], f.CUT_FRAME_B])


@helper
def multiplier_sign(m, j, c):
    """Sign with which joint j transmits the unit wrench of constraint c: 1, -1, or 0 where it does not."""
    if m.constraint[c, f.C_SERVO] >= 0:
        return 0.0
    if j < m.joint.shape[0]:
        return -m.way[m.constraint[c, f.C_TIE], m.joint[j, f.J_LAST]]
    k = j - m.joint.shape[0]
    return 1.0 if m.cut[k, f.CUT_FIRST] <= c < m.cut[k, f.CUT_LAST] else 0.0


@inlined
def unit_multiplier_wrench(m, d, c, at):
    """Torque about the point `at` and force of a unit multiplier of constraint c, in W."""
    force = read_3(d.con, c, f.FORCE_CONSTRAINT)
    torque = cross(subtract_3(read_3(d.tie, m.constraint[c, f.C_TIE], f.p_WTIE), at), force)
    return add_3(read_3(d.con, c, f.WRENCH_CONSTRAINT), torque), force


@helper
def programmed_weight(m, d, c):
    """Square of the force of a unit multiplier of a programmed constraint: its part of r^T W r."""
    if m.constraint[c, f.C_TARGET] < 0 or m.constraint[c, f.C_SERVO] >= 0:
        return 0.0
    force = read_3(d.con, c, f.FORCE_CONSTRAINT)
    return dot(force, force)


@helper
def stress_wrenches(m, d, j):
    """Add the rows of joint j of W^(1/2) N to `stress_wrench`."""
    total, extra = m.constraint.shape[0], m.constraint.shape[0] - d.coupling.shape[1]
    on_torque, on_force = m.bushing[j, f.ON_TORQUE], m.bushing[j, f.ON_FORCE]
    at, N, o = joint_reference_point(m, d, j), d.stress_wrench, 6 * j
    for b in range(total):
        c = d.part[f.ACTIVE, b]
        sign = multiplier_sign(m, j, c)
        if sign == 0.0:
            continue
        torque, force = unit_multiplier_wrench(m, d, c, at)
        for k in range(extra):
            add_to_3(N, k, o, scale_3(sign * d.self_stress[k, b] * on_torque, torque))
            add_to_3(N, k, o + f.LINEAR, scale_3(sign * d.self_stress[k, b] * on_force, force))


@helper
def factor_stresses(m, d):
    """L D L^T of N^T W N from the positions; all constraints have their wrenches."""
    total, extra = m.constraint.shape[0], m.constraint.shape[0] - d.coupling.shape[1]
    A, N = d.sharing, d.stress_wrench
    self_stresses(m, d)
    for k in range(extra):
        for i in range(N.shape[1]):
            N[k, i] = 0.0
    for j in range(m.bushing.shape[0]):
        if m.bushing[j, f.ON_FORCE] > 0.0:
            stress_wrenches(m, d, j)
    for k in range(extra):
        for e in range(k, extra):
            s = 0.0
            for i in range(N.shape[1]):
                s += N[k, i] * N[e, i]
            for b in range(total):
                s += programmed_weight(m, d, d.part[f.ACTIVE, b]) * d.self_stress[k, b] * d.self_stress[e, b]
            A[k, e] = s
        if A[k, k] == 0.0:
            A[k, k] = 1.0  # zero self-stress: y_k = 0
    ldl_factor(A, extra)


@inlined
def joint_wrench_of_multipliers(m, d, j, column):
    """Torque and force of joint j under the multipliers in `solve`; `column` holds the rows' wrenches without
    constraints.
    """
    torque = force = ZERO_3
    at = joint_reference_point(m, d, j)
    if j < m.joint.shape[0]:
        i = m.joint[j, f.J_LAST]
        force = read_3(d.row, i, column + f.LINEAR)
        torque = add_3(cross(subtract_3(read_3(d.row, i, f.p_WB), at), force), read_3(d.row, i, column))
    for a in range(d.coupling.shape[1]):
        c = d.part[f.ACTIVE, a]
        s = multiplier_sign(m, j, c) * d.solve[a]
        if s != 0.0:
            unit_torque, unit_force = unit_multiplier_wrench(m, d, c, at)
            torque, force = add_3(torque, scale_3(s, unit_torque)), add_3(force, scale_3(s, unit_force))
    return torque, force


@helper
def distribute_by_bushings(m, d, column):
    """Multipliers of all constraints by equal bushings, in `solve`, from those of the active ones there.

    Partition order; `column` holds the rows' wrenches without constraints; after `factor_stresses`.
    """
    r, total = d.coupling.shape[1], m.constraint.shape[0]
    extra, N, y = total - r, d.stress_wrench, d.solve[r:total]
    for k in range(extra):
        y[k] = 0.0
    for j in range(m.bushing.shape[0]):
        on_torque, on_force = m.bushing[j, f.ON_TORQUE], m.bushing[j, f.ON_FORCE]
        if on_force == 0.0:
            continue
        torque, force = joint_wrench_of_multipliers(m, d, j, column)
        o = 6 * j
        for k in range(extra):
            y[k] -= on_torque * dot(read_3(N, k, o), torque)
            y[k] -= on_force * dot(read_3(N, k, o + f.LINEAR), force)
    for a in range(r):
        push = programmed_weight(m, d, d.part[f.ACTIVE, a]) * d.solve[a]
        for k in range(extra):
            y[k] -= push * d.self_stress[k, a]
    ldl_solve(d.sharing, extra, y)
    for k in range(extra):
        for a in range(r):
            d.solve[a] += y[k] * d.self_stress[k, a]
