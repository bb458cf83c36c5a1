"""Mechanisms with constraints: dependent coordinates, the reduced equations of motion, and multipliers afterwards.

With the coupling K (rates of the dependent rows from the independent ones), J = [1; K] and sigma = [0; sigma_d]:
J^T M J qdd_i = J^T (tau - C - M sigma); no multiplier takes part. Servo constraints replace J^T by a matrix whose
columns are at right angles to the drives' efforts. Long chains use the Schur complement of the same system instead,
which costs O(n) for each constraint.
"""

from __future__ import annotations

from ..jit import compiled, jit
from ..layout import (
    ACTIVE,
    ALPHA,
    ANCHOR,
    ANCHOR_Q,
    ANCHOR_TIME,
    ANCHOR_V,
    BAUMGARTE,
    BETA,
    C_FRAME_A,
    C_FRAME_B,
    C_SERVO,
    C_TARGET,
    CLOCK,
    CUT_FIRST,
    CUT_FRAME_B,
    CUT_LAST,
    DEPENDENT,
    DRIVE,
    FORCE_DEPENDENT,
    FORCE_INDEPENDENT,
    FORCES,
    FREE,
    INDEPENDENT,
    KERNEL,
    MODE,
    MULTIPLIER,
    NOW,
    O_METHOD,
    O_SOLVER,
    OPEN,
    PASSIVE,
    PHI,
    PHI_BIAS,
    PHI_RATE,
    PHI_T,
    PIVOT,
    PIVOT_REDUCED,
    POSE,
    PUSH,
    Q_STATE,
    QDD,
    REACTION,
    REDUCED,
    SCHUR,
    SERVO,
    ST_KIND,
    ST_ROW,
    STATE_KERNEL,
    TAU,
    V_STATE,
    WORN,
    WRENCH,
    Q,
    V,
)
from .articulated import accelerate, articulate, respond
from .constraints import constraint_positions, constraint_rates, cross
from .forces import applied_forces, passive_forces
from .frames import frame_axes, frame_position, sense_acceleration, sense_motion
from .kinematics import inertias, positions, velocities
from .linear import lu_factor, lu_solve, lu_solve_rows, lu_solve_transposed
from .newton_euler import along_axis, into, joint_wrenches, mass_matrix, newton_euler, powers, propagate
from .tree import unpack

ITERATIONS = 30
CLOSED = 1e-12  # a correction below this is none
QUADRATIC = 1e-7  # after a correction below this the next one is below rounding


@jit
def factor_dependent(m, d):
    """LU of the dependent columns of the active constraints."""
    r = d.coupling.shape[1]
    for a in range(r):
        for b in range(r):
            d.factor[a, b] = d.jac[d.part[ACTIVE, a], d.part[DEPENDENT, b]]
    return lu_factor(d.factor, d.part[PIVOT], r)


@jit
def normal_factor(m, d):
    """LU of J J^T over the active constraints and free rows."""
    r, n = d.coupling.shape[1], d.row.shape[0]
    for a in range(r):
        for b in range(r):
            s = 0.0
            for i in range(n):
                if m.topo[i, MODE] == FREE:
                    s += d.jac[d.part[ACTIVE, a], i] * d.jac[d.part[ACTIVE, b], i]
            d.factor[a, b] = s
    lu_factor(d.factor, d.part[PIVOT], r)


@jit
def couple(m, d):
    """K = -Phi_d^-1 Phi_i, and its largest entry."""
    r, n = d.coupling.shape[1], d.coupling.shape[2]
    for a in range(r):
        for b in range(n):
            d.coupling[NOW, a, b] = -d.jac[d.part[ACTIVE, a], d.part[INDEPENDENT, b]]
    lu_solve_rows(d.factor, d.part[PIVOT], r, d.coupling[NOW], n)
    largest = 0.0
    for a in range(r):
        for b in range(n):
            largest = max(largest, abs(d.coupling[NOW, a, b]))
    d.scalar[WORN] = largest


@jit
def close_positions(m, d):
    """Newton on the dependent coordinates, from the anchor's tangent."""
    r, n = d.coupling.shape[1], d.coupling.shape[2]
    elapsed = d.scalar[CLOCK] - d.scalar[ANCHOR_TIME]
    for a in range(r):
        i = d.part[DEPENDENT, a]
        guess, drift = d.row[i, ANCHOR_Q], d.row[i, ANCHOR_V]
        for b in range(n):
            j = d.part[INDEPENDENT, b]
            guess += d.coupling[ANCHOR, a, b] * (d.row[j, Q] - d.row[j, ANCHOR_Q])
            drift -= d.coupling[ANCHOR, a, b] * d.row[j, ANCHOR_V]
        d.row[i, Q] = guess + drift * elapsed
    for _ in range(ITERATIONS):
        positions(m, d)
        constraint_positions(m, d)
        factor_dependent(m, d)
        for a in range(r):
            d.solve[a] = -d.con[d.part[ACTIVE, a], PHI]
        lu_solve(d.factor, d.part[PIVOT], r, d.solve)
        step = 0.0
        for a in range(r):
            step = max(step, abs(d.solve[a]))
        if step < CLOSED:
            return
        for a in range(r):
            d.row[d.part[DEPENDENT, a], Q] += d.solve[a]
        if step < QUADRATIC:
            positions(m, d)
            constraint_positions(m, d)
            factor_dependent(m, d)
            return
    # not closed: NaN stops the run, which then tells why
    d.scalar[OPEN] = 1.0
    for a in range(r):
        d.row[d.part[DEPENDENT, a], Q] = float("nan")
    positions(m, d)


@jit
def close_velocities(m, d):
    """Rates of the dependent rows from all others."""
    r, n = d.coupling.shape[1], d.row.shape[0]
    for a in range(r):
        d.row[d.part[DEPENDENT, a], V] = 0.0
    for a in range(r):
        c = d.part[ACTIVE, a]
        s = d.con[c, PHI_T]
        for i in range(n):
            s += d.jac[c, i] * d.row[i, V]
        d.solve[a] = -s
    lu_solve(d.factor, d.part[PIVOT], r, d.solve)
    for a in range(r):
        d.row[d.part[DEPENDENT, a], V] = d.solve[a]


@compiled(KERNEL)
def kinematics_closed(m, d):
    """All that follows from the state alone, with the constraints."""
    if m.option[O_METHOD] == REDUCED:
        close_positions(m, d)
        close_velocities(m, d)
    else:
        positions(m, d)
        constraint_positions(m, d)
        factor_dependent(m, d)
    couple(m, d)
    velocities(m, d)
    passive_forces(m, d)
    constraint_rates(m, d)
    if m.sensor.shape[0] > 0:
        sense_motion(m, d)


@compiled(KERNEL)
def settle(m, d):
    """Move the anchor to the present coordinates: once after each step, never within one."""
    for i in range(d.row.shape[0]):
        d.row[i, ANCHOR_Q], d.row[i, ANCHOR_V] = d.row[i, Q], d.row[i, V]
    d.scalar[ANCHOR_TIME] = d.scalar[CLOCK]
    for a in range(d.coupling.shape[1]):
        for b in range(d.coupling.shape[2]):
            d.coupling[ANCHOR, a, b] = d.coupling[NOW, a, b]


@compiled(STATE_KERNEL)
def project(x, m, d):
    """After a step: coordinates and rates back onto the constraints, by the shortest way (Gauss-Newton)."""
    unpack(x, m, d)
    r, n = d.coupling.shape[1], d.row.shape[0]
    for _ in range(ITERATIONS):
        positions(m, d)
        constraint_positions(m, d)
        normal_factor(m, d)
        for a in range(r):
            d.solve[a] = -d.con[d.part[ACTIVE, a], PHI]
        lu_solve(d.factor, d.part[PIVOT], r, d.solve)
        step = 0.0
        for i in range(n):
            s = 0.0
            if m.topo[i, MODE] == FREE:
                for a in range(r):
                    s += d.jac[d.part[ACTIVE, a], i] * d.solve[a]
                d.row[i, Q] += s
            step = max(step, abs(s))
        if step < CLOSED:
            break
    for a in range(r):
        c = d.part[ACTIVE, a]
        s = d.con[c, PHI_T]
        for i in range(n):
            s += d.jac[c, i] * d.row[i, V]
        d.solve[a] = -s
    lu_solve(d.factor, d.part[PIVOT], r, d.solve)
    for i in range(n):
        if m.topo[i, MODE] == FREE:
            for a in range(r):
                d.row[i, V] += d.jac[d.part[ACTIVE, a], i] * d.solve[a]
    for j in range(m.state.shape[0]):
        if m.state[j, ST_KIND] == Q_STATE:
            x[j] = d.row[m.state[j, ST_ROW], Q]
        elif m.state[j, ST_KIND] == V_STATE:
            x[j] = d.row[m.state[j, ST_ROW], V]


@jit
def wanted_acceleration(m, d, c):
    """gamma of one constraint: what J qdd must be."""
    gamma = -d.con[c, PHI_BIAS]
    if m.option[O_METHOD] == BAUMGARTE:
        alpha, beta = m.constant[ALPHA], m.constant[BETA]
        gamma -= 2.0 * alpha * d.con[c, PHI_RATE] + beta * beta * d.con[c, PHI]
    return gamma


@jit
def force_column(m, d, c, i):
    """Effort on row i of a unit multiplier: the Jacobian's for ideal constraints, the drive's for servo ones."""
    servo = m.constraint[c, C_SERVO]
    if servo < 0:
        return d.jac[c, i]
    return 1.0 if i == servo else 0.0


@jit
def couple_forces(m, d):
    """L of N = [1; L] with N^T F = 0, where F holds the efforts of unit multipliers. Leaves LU of F_d^T in `factor`."""
    r, n = d.coupling.shape[1], d.coupling.shape[2]
    for a in range(r):
        for b in range(r):
            d.factor[a, b] = force_column(m, d, d.part[ACTIVE, a], d.part[FORCE_DEPENDENT, b])
        for b in range(n):
            d.coupling[FORCES, a, b] = -force_column(m, d, d.part[ACTIVE, a], d.part[FORCE_INDEPENDENT, b])
    lu_factor(d.factor, d.part[PIVOT], r)
    lu_solve_rows(d.factor, d.part[PIVOT], r, d.coupling[FORCES], n)


@jit
def has_servo(m):
    found = False
    for c in range(m.constraint.shape[0]):
        found = found or m.constraint[c, C_SERVO] >= 0
    return found


@jit
def solve_dense(m, d):
    """qdd by the reduced mass matrix."""
    r, n = d.coupling.shape[1], d.coupling.shape[2]
    for a in range(r):
        d.solve[a] = wanted_acceleration(m, d, d.part[ACTIVE, a])
    lu_solve(d.factor, d.part[PIVOT], r, d.solve)
    for b in range(n):
        d.row[d.part[INDEPENDENT, b], QDD] = 0.0
    for a in range(r):
        d.row[d.part[DEPENDENT, a], QDD] = d.solve[a]
    propagate(m, d)
    newton_euler(m, d)
    for i in range(d.row.shape[0]):
        if m.topo[i, MODE] == FREE:
            d.solve[i] = d.row[i, TAU] - along_axis(m, d, REACTION, i)
    mass_matrix(m, d, d.mass)
    K, L = d.coupling[NOW], d.coupling[NOW]
    fi, fd, ii, dd = d.part[INDEPENDENT], d.part[DEPENDENT], d.part[INDEPENDENT], d.part[DEPENDENT]
    if has_servo(m):
        couple_forces(m, d)
        L, fi, fd = d.coupling[FORCES], d.part[FORCE_INDEPENDENT], d.part[FORCE_DEPENDENT]
    total = d.row.shape[0]
    M, A, y = d.mass[:total], d.mass[total:], d.mass[d.mass.shape[0] - 1]
    # A = N^T M J with N = [1; L], J = [1; K]: the columns of M J are kept in M itself
    for i in range(M.shape[0]):
        if m.topo[i, MODE] == FREE:
            for b in range(n):
                s = M[i, ii[b]]
                for a in range(r):
                    s += M[i, dd[a]] * K[a, b]
                M[i, ii[b]] = s
    for b in range(n):
        for e in range(n):
            s = M[fi[b], ii[e]]
            for a in range(r):
                s += L[a, b] * M[fd[a], ii[e]]
            A[b, e] = s
    for b in range(n):
        s = d.solve[fi[b]]
        for a in range(r):
            s += L[a, b] * d.solve[fd[a]]
        y[b] = s
    lu_factor(A, d.part[PIVOT_REDUCED], n)
    lu_solve(A, d.part[PIVOT_REDUCED], n, y)
    for b in range(n):
        d.row[ii[b], QDD] = y[b]
    for a in range(r):
        s = d.row[dd[a], QDD]
        for b in range(n):
            s += K[a, b] * y[b]
        d.row[dd[a], QDD] = s


@jit
def respond_to_multiplier(m, d, c, a):
    """Accelerations that a unit multiplier of constraint c causes, below the Jacobian: response row a."""
    n, y = m.topo.shape[0], m.constraint.shape[0] + a
    for i in range(n):
        d.jac[y, i] = force_column(m, d, c, i)
    respond(m, d, d.jac, y, n, n)


@jit
def solve_schur(m, d):
    """qdd by the articulated bodies, corrected along the responses to unit multipliers."""
    r, n = d.coupling.shape[1], d.row.shape[0]
    articulate(m, d)
    accelerate(m, d)
    for a in range(r):
        c = d.part[ACTIVE, a]
        respond_to_multiplier(m, d, c, a)
        s = wanted_acceleration(m, d, c)
        for i in range(n):
            if m.topo[i, MODE] == FREE:
                s -= d.jac[c, i] * d.row[i, QDD]
        d.solve[a] = s
    for a in range(r):
        c = d.part[ACTIVE, a]
        for b in range(r):
            s = 0.0
            for i in range(n):
                s += d.jac[c, i] * d.jac[m.constraint.shape[0] + b, i]
            d.factor[a, b] = s
    lu_factor(d.factor, d.part[PIVOT], r)
    lu_solve(d.factor, d.part[PIVOT], r, d.solve)
    for b in range(r):
        for i in range(n):
            if m.topo[i, MODE] == FREE:
                d.row[i, QDD] += d.solve[b] * d.jac[m.constraint.shape[0] + b, i]


@jit
def factor_shares(m, d):
    """C of J = C J_active, in the Jacobian's place of the dependent columns, and LU of C^T C in `factor`.

    Multipliers of constraints that repeat each other, with least norm: lambda = C (C^T C)^-1 lambda_active.
    """
    r, total = d.coupling.shape[1], m.constraint.shape[0]
    factor_dependent(m, d)
    for c in range(total):
        for a in range(r):
            d.solve[a] = d.jac[c, d.part[DEPENDENT, a]]
        lu_solve_transposed(d.factor, d.part[PIVOT], r, d.solve)
        for a in range(r):
            d.jac[c, d.part[DEPENDENT, a]] = d.solve[a]
    for a in range(r):
        for b in range(r):
            s = 0.0
            for c in range(total):
                s += d.jac[c, d.part[DEPENDENT, a]] * d.jac[c, d.part[DEPENDENT, b]]
            d.factor[a, b] = s
    lu_factor(d.factor, d.part[PIVOT], r)


@jit
def share_multipliers(m, d):
    """Spread multipliers over constraints that repeat each other."""
    r, total = d.coupling.shape[1], m.constraint.shape[0]
    factor_shares(m, d)
    for a in range(r):
        d.solve[a] = d.con[d.part[ACTIVE, a], MULTIPLIER]
    lu_solve(d.factor, d.part[PIVOT], r, d.solve)
    for c in range(total):
        s = 0.0
        for a in range(r):
            s += d.jac[c, d.part[DEPENDENT, a]] * d.solve[a]
        d.con[c, MULTIPLIER] = s
    constraint_positions(m, d)


@jit
def factor_forces(m, d):
    """LU of F_d^T, the efforts of unit multipliers on as many rows."""
    r = d.coupling.shape[1]
    for a in range(r):
        for b in range(r):
            d.factor[b, a] = force_column(m, d, d.part[ACTIVE, b], d.part[FORCE_DEPENDENT, a])
    lu_factor(d.factor, d.part[PIVOT], r)


@jit
def active_multipliers(m, d):
    """F lambda = M qdd + C - tau from the accelerations, for the active constraints; left in `solve`."""
    propagate(m, d)
    newton_euler(m, d)
    factor_forces(m, d)
    for a in range(d.coupling.shape[1]):
        i = d.part[FORCE_DEPENDENT, a]
        # efforts of servo constraints are part of what is asked for, also once they are known and in tau
        d.solve[a] = along_axis(m, d, REACTION, i) - (d.row[i, TAU] - d.row[i, SERVO])
    # factor holds F_d^T: (F_d^T)^T lambda = residual
    lu_solve_transposed(d.factor, d.part[PIVOT], d.coupling.shape[1], d.solve)


@jit
def multipliers(m, d):
    """Multipliers from the accelerations, of least norm where they are not unique."""
    r, total = d.coupling.shape[1], m.constraint.shape[0]
    active_multipliers(m, d)
    for c in range(total):
        d.con[c, MULTIPLIER] = 0.0
    for a in range(r):
        d.con[d.part[ACTIVE, a], MULTIPLIER] = d.solve[a]
    if total > r:
        share_multipliers(m, d)


@compiled(KERNEL)
def solve_closed(m, d):
    """Accelerations that satisfy the constraints; efforts of servo constraints are not known yet."""
    applied_forces(m, d)
    for i in range(d.row.shape[0]):
        d.row[i, SERVO] = 0.0
        d.row[i, TAU] = (
            d.row[i, DRIVE]
            + d.row[i, PASSIVE]
            + d.row[i, PASSIVE + 1]
            + d.row[i, PASSIVE + 2]
            + d.row[i, PASSIVE + 3]
        )
    inertias(m, d)
    if m.option[O_SOLVER] == SCHUR:
        solve_schur(m, d)
    else:
        solve_dense(m, d)


@jit
def servo_efforts(m, d):
    """What the drives of servo constraints supply."""
    if has_servo(m):
        multipliers(m, d)
        for c in range(m.constraint.shape[0]):
            i = m.constraint[c, C_SERVO]
            if i >= 0:
                d.row[i, SERVO] += d.con[c, MULTIPLIER]
                d.row[i, TAU] += d.con[c, MULTIPLIER]


@compiled(KERNEL)
def dynamics_closed(m, d):
    """Accelerations that satisfy the constraints, and what servo drives supply."""
    solve_closed(m, d)
    servo_efforts(m, d)


@jit
def constraint_push(m, d, c, f, factor):
    """Take a constraint's wrench off what the body of frame f asks for."""
    i = m.frame_row[f]
    if i < 0:
        return
    px, py, pz = frame_position(m, d, m.constraint[c, C_FRAME_B])
    rx, ry, rz = px - d.row[i, POSE + 9], py - d.row[i, POSE + 10], pz - d.row[i, POSE + 11]
    fx, fy, fz = d.con[c, PUSH + 3], d.con[c, PUSH + 4], d.con[c, PUSH + 5]
    gx, gy, gz = cross(rx, ry, rz, fx, fy, fz)
    d.row[i, WRENCH] += factor * (d.con[c, PUSH] + gx)
    d.row[i, WRENCH + 1] += factor * (d.con[c, PUSH + 1] + gy)
    d.row[i, WRENCH + 2] += factor * (d.con[c, PUSH + 2] + gz)
    d.row[i, WRENCH + 3] += factor * fx
    d.row[i, WRENCH + 4] += factor * fy
    d.row[i, WRENCH + 5] += factor * fz


@jit
def cut_wrench(m, d, k):
    """What a joint that closes a loop exerts on b's body, at frame_b's origin in frame_b."""
    tx = ty = tz = fx = fy = fz = 0.0
    for c in range(m.cut[k, CUT_FIRST], m.cut[k, CUT_LAST]):
        s = d.con[c, MULTIPLIER]
        tx, ty, tz = tx + s * d.con[c, PUSH], ty + s * d.con[c, PUSH + 1], tz + s * d.con[c, PUSH + 2]
        fx, fy, fz = fx + s * d.con[c, PUSH + 3], fy + s * d.con[c, PUSH + 4], fz + s * d.con[c, PUSH + 5]
    # constraint frames share their origin with the joint's own
    px, py, pz = frame_position(m, d, m.constraint[m.cut[k, CUT_FIRST], C_FRAME_B])
    b = m.cut[k, CUT_FRAME_B]
    qx, qy, qz = frame_position(m, d, b)
    gx, gy, gz = cross(px - qx, py - qy, pz - qz, fx, fy, fz)
    B = frame_axes(m, d, b)
    out, j = d.joint_out, m.joint.shape[0] + k
    out[j, 0], out[j, 1], out[j, 2] = into(B, fx, fy, fz)
    out[j, 3], out[j, 4], out[j, 5] = into(B, tx + gx, ty + gy, tz + gz)
    for i in range(6):
        out[j, 6 + i] = out[j, i]


@compiled(KERNEL)
def reactions_closed(m, d):
    """Multipliers, then what every joint transmits, cut ones included."""
    multipliers(m, d)
    for c in range(m.constraint.shape[0]):
        if m.constraint[c, C_SERVO] >= 0:
            continue
        constraint_push(m, d, c, m.constraint[c, C_FRAME_B], -d.con[c, MULTIPLIER])
        constraint_push(m, d, c, m.constraint[c, C_FRAME_A], d.con[c, MULTIPLIER])
    newton_euler(m, d)
    joint_wrenches(m, d)
    for k in range(m.cut.shape[0]):
        cut_wrench(m, d, k)


@compiled(KERNEL)
def powers_closed(m, d):
    """Constraints that move, or that are off, do work: their multipliers come first."""
    working = m.option[O_METHOD] == BAUMGARTE
    for c in range(m.constraint.shape[0]):
        working = working or m.constraint[c, C_TARGET] >= 0
    if working:
        multipliers(m, d)
    powers(m, d)


@compiled(KERNEL)
def sense_acceleration_closed(m, d):
    propagate(m, d)
    sense_acceleration(m, d)
