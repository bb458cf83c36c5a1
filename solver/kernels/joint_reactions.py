"""Multipliers of constraints, after the accelerations; and what joints, cut ones included, transmit."""

from __future__ import annotations

from ..codegen.jit import helper, inlined
from . import model_data as f
from .constrained_dynamics import solve_constrained, solver_gives_multipliers, unit_multiplier_effort
from .constraint_jacobian import residual_rates, residuals_and_jacobian
from .dense_linear_algebra import factor, solve_transposed
from .frame_kinematics import frame_axes, frame_position, sense_acceleration
from .model_data import kernel
from .newton_euler import inverse_dynamics_row, joint_wrenches, newton_euler, powers, propagate_all
from .redundant_reactions import distribute_by_bushings, factor_stresses
from .small_matrices import (
    ZERO_3,
    add_3,
    add_to_3,
    cross,
    read_3,
    scale_3,
    subtract_3,
    transposed_times,
    write_3,
)
from .tree_dynamics import state_rates


@kernel
def locate_redundant(m, d):
    """Locate constraints that follow from others: only when reactions are requested."""
    residuals_and_jacobian(m, d, d.coupling.shape[1], m.constraint.shape[0])
    for k in range(d.coupling.shape[1], m.constraint.shape[0]):
        residual_rates(m, d, d.part[f.ACTIVE, k])


@helper
def distribute_multipliers(m, d):
    """Spread multipliers over constraints that repeat each other."""
    r, total = d.coupling.shape[1], m.constraint.shape[0]
    locate_redundant(m, d)
    factor_stresses(m, d)
    for a in range(r):
        d.solve[a] = d.con[d.part[f.ACTIVE, a], f.MULTIPLIER]
    distribute_by_bushings(m, d, f.REACTION)
    for b in range(total):
        d.con[d.part[f.ACTIVE, b], f.MULTIPLIER] = d.solve[b]


@helper
def factor_forces(m, d):
    """What `solve_transposed` needs of F_d^T, the efforts of unit multipliers on as many rows."""
    r = d.coupling.shape[1]
    for a in range(r):
        for b in range(r):
            d.factor[b, a] = unit_multiplier_effort(m, d, d.part[f.ACTIVE, b], d.part[f.FORCE_DEPENDENT, a])
    factor(d.factor, d.part[f.PIVOT], r)


@kernel
def active_multipliers(m, d):
    """F lambda = M qdd + C - tau from the accelerations, for the active constraints; left in `solve`."""
    propagate_all(m, d)
    newton_euler(m, d)
    factor_forces(m, d)
    for a in range(d.coupling.shape[1]):
        i = d.part[f.FORCE_DEPENDENT, a]
        # efforts of servo constraints are part of what is asked for, also once they are known and in tau
        d.solve[a] = inverse_dynamics_row(m, d, i) - (d.row[i, f.TAU] - d.row[i, f.SERVO])
    # factor holds F_d^T: (F_d^T)^T lambda = residual
    solve_transposed(d.factor, d.part[f.PIVOT], d.coupling.shape[1], d.solve)


@kernel
def multipliers(m, d):
    """Multipliers from the accelerations; where they are not unique, as equal bushings share the load."""
    r, total = d.coupling.shape[1], m.constraint.shape[0]
    active_multipliers(m, d)
    for c in range(total):
        d.con[c, f.MULTIPLIER] = 0.0
    for a in range(r):
        d.con[d.part[f.ACTIVE, a], f.MULTIPLIER] = d.solve[a]
    if total > r:
        distribute_multipliers(m, d)


@inlined
def servo_efforts(m, d):
    """What the drives of servo constraints supply."""
    if m.option[f.O_SERVO] > 0:
        if not solver_gives_multipliers(m, d):
            multipliers(m, d)
        for c in range(m.constraint.shape[0]):
            i = m.constraint[c, f.C_SERVO]
            if i >= 0:
                d.row[i, f.SERVO] += d.con[c, f.MULTIPLIER]
                d.row[i, f.TAU] += d.con[c, f.MULTIPLIER]


@kernel
def dynamics_closed(m, d):
    """Accelerations that satisfy the constraints, and what servo drives supply."""
    solve_constrained(m, d)
    servo_efforts(m, d)
    state_rates(m, d)


@helper
def subtract_constraint_wrench(m, d, c, frame, factor):
    """Subtract a constraint's wrench from what the body of frame f requires."""
    i = m.frame_row[frame]
    if i < 0:
        return
    t = m.constraint[c, f.C_TIE]
    force = read_3(d.con, c, f.FORCE_CONSTRAINT)
    r = subtract_3(read_3(d.tie, t, f.p_WTIE), read_3(d.row, i, f.p_WB))
    torque = add_3(read_3(d.con, c, f.WRENCH_CONSTRAINT), cross(r, force))
    add_to_3(d.row, i, f.BIAS_WRENCH, scale_3(factor, torque))
    add_to_3(d.row, i, f.BIAS_WRENCH + f.LINEAR, scale_3(factor, force))


@helper
def subtract_constraint_wrenches(m, d, factor):
    """Subtract the wrenches of all ideal constraints from what the bodies require."""
    for c in range(m.constraint.shape[0]):
        if m.constraint[c, f.C_SERVO] < 0:
            s = factor * d.con[c, f.MULTIPLIER]
            subtract_constraint_wrench(m, d, c, m.constraint[c, f.C_FRAME_B], -s)
            subtract_constraint_wrench(m, d, c, m.constraint[c, f.C_FRAME_A], s)


@helper
def cut_wrench(m, d, k):
    """What a joint that closes a loop exerts on b's body, at frame_b's origin in the axes of its outputs."""
    torque = force = ZERO_3
    for c in range(m.cut[k, f.CUT_FIRST], m.cut[k, f.CUT_LAST]):
        s = d.con[c, f.MULTIPLIER]
        torque = add_3(torque, scale_3(s, read_3(d.con, c, f.WRENCH_CONSTRAINT)))
        force = add_3(force, scale_3(s, read_3(d.con, c, f.FORCE_CONSTRAINT)))
    # constraint frames share their origin with the joint's own
    t = m.constraint[m.cut[k, f.CUT_FIRST], f.C_TIE]
    r = subtract_3(read_3(d.tie, t, f.p_WTIE), frame_position(m, d, m.cut[k, f.CUT_FRAME_B]))
    B = frame_axes(m, d, m.cut[k, f.CUT_RESOLVE])
    out, j = d.joint_out, m.joint.shape[0] + k
    write_3(out, j, f.TOTAL_FORCE, transposed_times(B, force))
    write_3(out, j, f.TOTAL_TORQUE, transposed_times(B, add_3(torque, cross(r, force))))
    for i in range(6):
        out[j, f.CONSTRAINT_FORCE + i] = out[j, f.TOTAL_FORCE + i]


@kernel
def transmitted_wrenches(m, d):
    """Multipliers, and what every row transmits under them."""
    multipliers(m, d)
    subtract_constraint_wrenches(m, d, 1.0)
    newton_euler(m, d)
    # multipliers may be computed again in this evaluation: the constraints' forces must not stay among the loads
    subtract_constraint_wrenches(m, d, -1.0)


@kernel
def reactions_closed(m, d):
    """Multipliers, then what every joint transmits, cut ones included."""
    transmitted_wrenches(m, d)
    joint_wrenches(m, d)
    for k in range(m.cut.shape[0]):
        cut_wrench(m, d, k)


@kernel
def powers_closed(m, d):
    """Constraints that move, or that are off, do work, as prescribed joints do under them: multipliers come first."""
    driven = False
    for i in range(m.topo.shape[0]):
        driven = driven or (m.topo[i, f.MODE] == f.DRIVEN and d.row[i, f.V] != 0.0)
    working = m.option[f.O_METHOD] == f.BAUMGARTE
    for c in range(m.constraint.shape[0]):
        working = working or m.constraint[c, f.C_TARGET] >= 0
    if driven:
        transmitted_wrenches(m, d)
    elif working:
        if not solver_gives_multipliers(m, d):
            multipliers(m, d)
    else:
        for c in range(m.constraint.shape[0]):
            d.con[c, f.MULTIPLIER] = 0.0
    powers(m, d)


@kernel
def sense_acceleration_closed(m, d):
    propagate_all(m, d)
    sense_acceleration(m, d)
