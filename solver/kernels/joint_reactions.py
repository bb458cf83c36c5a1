"""Constraint multipliers from the accelerations, and the wrenches that joints transmit, cut joints included."""

from __future__ import annotations

from ..codegen.jit import helper, inlined
from . import model_data as f
from .constrained_dynamics import solve_constrained, solver_gives_multipliers, unit_multiplier_effort
from .constraint_jacobian import residual_rates, residuals_and_jacobian
from .dense_linear_algebra import factor
from .frame_kinematics import frame_axes, frame_position, sense_acceleration
from .loop_blocks import factor_leading, solve_blocks_transposed
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
    """Residuals, wrenches and rates of the redundant constraints; only where reactions are requested."""
    residuals_and_jacobian(m, d, d.coupling.shape[1], m.constraint.shape[0])
    for k in range(d.coupling.shape[1], m.constraint.shape[0]):
        residual_rates(m, d, d.part[f.ACTIVE, k])


@helper
def distribute_multipliers(m, d):
    """Distribute the multipliers over redundant constraints as equal bushings in the joints would."""
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
    """Factor F_d, efforts of unit multipliers on the force-dependent rows, for `solve_blocks_transposed`."""
    r = d.coupling.shape[1]
    if m.option[f.O_SERVO] == 0:
        factor_leading(m, d, r)
    else:
        for a in range(r):
            for b in range(r):
                d.factor[b, a] = unit_multiplier_effort(
                    m, d, d.part[f.ACTIVE, b], d.part[f.FORCE_DEPENDENT, a]
                )
        factor(d.factor, d.part[f.PIVOT], 0, r)


@kernel
def active_multipliers(m, d):
    """lambda of the active constraints from F^T lambda = M qdd + C - tau; left in `solve`."""
    propagate_all(m, d)
    newton_euler(m, d)
    factor_forces(m, d)
    for a in range(d.coupling.shape[1]):
        i = d.part[f.FORCE_DEPENDENT, a]
        # servo efforts belong to lambda, also where tau holds them already
        d.solve[a] = inverse_dynamics_row(m, d, i) - (d.row[i, f.TAU] - d.row[i, f.SERVO])
    # F_d^T lambda = residual
    solve_blocks_transposed(m, d, d.coupling.shape[1])


@kernel
def multipliers(m, d):
    """Multipliers of all constraints from qdd; those of redundant ones as equal bushings share the load."""
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
    """Add the multipliers of servo constraints to SERVO and TAU of their drives."""
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
    """qdd with constraints, servo efforts, state rates."""
    solve_constrained(m, d)
    servo_efforts(m, d)
    state_rates(m, d)


@helper
def subtract_constraint_wrench(m, d, c, frame, factor):
    """Subtract `factor` times the unit wrench of constraint c from the wrench that the body of `frame` requires."""
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
    """Subtract lambda times the wrenches of all ideal constraints from BIAS_WRENCH of their bodies."""
    for c in range(m.constraint.shape[0]):
        if m.constraint[c, f.C_SERVO] < 0:
            s = factor * d.con[c, f.MULTIPLIER]
            subtract_constraint_wrench(m, d, c, m.constraint[c, f.C_FRAME_B], -s)
            subtract_constraint_wrench(m, d, c, m.constraint[c, f.C_FRAME_A], s)


@helper
def cut_wrench(m, d, k):
    """Wrench of the loop-closing joint k on b's body, at frame_b's origin, in the frame of its outputs."""
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
    """Multipliers, and REACTION of every row under them."""
    multipliers(m, d)
    subtract_constraint_wrenches(m, d, 1.0)
    newton_euler(m, d)
    # multipliers may be computed again in this evaluation: restore BIAS_WRENCH
    subtract_constraint_wrenches(m, d, -1.0)


@kernel
def reactions_closed(m, d):
    """Multipliers and the wrenches of all joints, cut ones included."""
    transmitted_wrenches(m, d)
    joint_wrenches(m, d)
    for k in range(m.cut.shape[0]):
        cut_wrench(m, d, k)


@kernel
def powers_closed(m, d):
    """Powers with constraints; multipliers first, as moving or violated constraints and DRIVEN rows do work."""
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
    """Accelerations of all rows from qdd, then those of the sensors."""
    propagate_all(m, d)
    sense_acceleration(m, d)
