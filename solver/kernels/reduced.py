"""Equations of motion of mechanisms with constraints: no multiplier takes part in the solution.

With the coupling K, J = [1; K] and sigma = [0; sigma_d]: J^T M J qdd_i = J^T (tau - C - M sigma). Servo constraints
replace J^T by a matrix whose columns are at right angles to the drives' efforts. The Schur complement of the same
system is solved instead where that is less work: it costs O(n) for each constraint.
"""

from __future__ import annotations

from ..machine import fields as f
from ..machine.fields import kernel
from ..machine.jit import helper, inlined
from .articulated import accelerate, articulate, respond
from .constraints import between_joints
from .forces import efforts
from .kinematics import inertias
from .linear import factor, ldl_factor, ldl_solve, lu_factor, lu_solve, solve, solve_rows
from .newton_euler import along_axis, demand_free, mass_matrix
from .single import solve_single
from .tuples import ZERO_3, dot, less_3, plus_cross, read_3, scaled


@inlined
def wanted_acceleration(m, d, c):
    """gamma of one constraint: what J qdd must be."""
    gamma = -d.con[c, f.PHI_BIAS]
    if m.option[f.O_METHOD] == f.BAUMGARTE:
        alpha, beta = m.constant[f.ALPHA], m.constant[f.BETA]
        gamma -= 2.0 * alpha * d.con[c, f.PHI_RATE] + beta * beta * d.con[c, f.PHI]
    return gamma


@inlined
def force_column(m, d, c, i):
    """Effort on row i of a unit multiplier: the Jacobian's for ideal constraints, the drive's for servo ones."""
    servo = m.constraint[c, f.C_SERVO]
    if servo < 0:
        return d.jac[c, i]
    return 1.0 if i == servo else 0.0


@helper
def couple_forces(m, d):
    """L of N = [1; L] with N^T F = 0, where F holds the efforts of unit multipliers. Leaves F_d^T, factored."""
    r, n = d.coupling.shape[1], d.coupling.shape[2]
    for a in range(r):
        for b in range(r):
            d.factor[a, b] = force_column(m, d, d.part[f.ACTIVE, a], d.part[f.FORCE_DEPENDENT, b])
        for b in range(n):
            d.coupling[f.FORCES, a, b] = -force_column(
                m, d, d.part[f.ACTIVE, a], d.part[f.FORCE_INDEPENDENT, b]
            )
    factor(d.factor, d.part[f.PIVOT], r)
    solve_rows(d.factor, d.part[f.PIVOT], r, d.coupling[f.FORCES], n)


@inlined
def factor_reduced(m, d):
    """What `divide_reduced` needs of the reduced mass matrix: without servo constraints it is symmetric, and its upper
    triangle is enough."""
    if m.option[f.O_SERVO] == 0:
        ldl_factor(d.reduced, d.coupling.shape[2])
    else:
        lu_factor(d.reduced, d.part[f.PIVOT_REDUCED], d.coupling.shape[2])


@inlined
def divide_reduced(m, d, y):
    """y := A^-1 y with the reduced mass matrix A."""
    if m.option[f.O_SERVO] == 0:
        ldl_solve(d.reduced, d.coupling.shape[2], y)
    else:
        lu_solve(d.reduced, d.part[f.PIVOT_REDUCED], d.coupling.shape[2], y)


@inlined
def solve_reduced(m, d, y, sigma):
    """qdd from the reduced mass matrix and its right-hand side y: independent rows, then dependent ones."""
    r, n, K = d.coupling.shape[1], d.coupling.shape[2], d.coupling[f.NOW]
    ii, dd = d.part[f.INDEPENDENT], d.part[f.DEPENDENT]
    factor_reduced(m, d)
    divide_reduced(m, d, y)
    for b in range(n):
        d.row[ii[b], f.QDD] = y[b]
    for a in range(r):
        s = sigma[a]
        for b in range(n):
            s += K[a, b] * y[b]
        d.row[dd[a], f.QDD] = s


@kernel
def solve_dense(m, d):
    """qdd by the reduced mass matrix."""
    r, n = d.coupling.shape[1], d.coupling.shape[2]
    K, L, P = d.coupling[f.NOW], d.coupling[f.NOW], d.coupling[f.CARRIED]
    ii, dd, fi, fd = d.part[f.INDEPENDENT], d.part[f.DEPENDENT], d.part[f.INDEPENDENT], d.part[f.DEPENDENT]
    M, A, y, sigma = d.mass, d.reduced, d.effort, d.solve
    for a in range(r):
        sigma[a] = wanted_acceleration(m, d, d.part[f.ACTIVE, a])
    solve(d.factor, d.part[f.PIVOT], r, sigma)
    if m.option[f.O_SERVO] > 0:
        couple_forces(m, d)
        L, fi, fd = d.coupling[f.FORCES], d.part[f.FORCE_INDEPENDENT], d.part[f.FORCE_DEPENDENT]
    mass_matrix(m, d)
    demand_free(m, d)
    # A = N^T M J with N = [1; L], J = [1; K], and y = N^T (tau - C - M sigma); of M J the dependent rows come first
    for a in range(r):
        i = fd[a]
        left = d.row[i, f.TAU] - along_axis(m, d, f.REACTION, i)
        for e in range(n):
            P[a, e] = M[i, ii[e]]
        for k in range(r):
            g = M[i, dd[k]]
            left -= g * sigma[k]
            for e in range(n):
                P[a, e] += g * K[k, e]
        sigma[r + a] = left
    for b in range(n):
        i = fi[b]
        left = d.row[i, f.TAU] - along_axis(m, d, f.REACTION, i)
        first = b if m.option[f.O_SERVO] == 0 else 0
        for e in range(first, n):
            A[b, e] = M[i, ii[e]]
        for k in range(r):
            g, l = M[i, dd[k]], L[k, b]
            left += l * sigma[r + k] - g * sigma[k]
            for e in range(first, n):
                A[b, e] += g * K[k, e] + l * P[k, e]
        y[b] = left
    solve_reduced(m, d, y, sigma)


@inlined
def send_inwards(m, d, c, frame, sign, y):
    """Add to `response[y]` what a constraint's wrench on one of its bodies leaves for each row towards the world."""
    i = m.frame_row[frame]
    if i < 0 or between_joints(m, c):
        return
    force = scaled(sign, read_3(d.con, c, f.PUSH_FORCE))
    # brought from where the tie is to the body's origin
    r = less_3(read_3(d.tie, m.constraint[c, f.C_TIE], f.AT), read_3(d.row, i, f.POSITION))
    torque = plus_cross(scaled(sign, read_3(d.con, c, f.PUSH)), r, force)
    sweep_inwards(m, d, i, 0.0, torque, force, y)


@inlined
def send_efforts_inwards(m, d, c, y):
    """The same of a relation between joints, whose unit multiplier is an effort on each of them."""
    for k in range(3):
        i = m.constraint[c, f.C_JOINTS + k]
        if i >= 0:
            sweep_inwards(m, d, i, d.con[c, f.SLOPE + k], ZERO_3, ZERO_3, y)


@helper
def sweep_inwards(m, d, i, effort, torque, force, y):
    """Add to `response[y]` what an effort on a row, and a wrench on its body, leave for it and all rows before it."""
    while i >= 0:
        # what a free row takes of it, and what that leaves for the bodies before
        if m.topo[i, f.MODE] == f.FREE:
            axis = read_3(d.row, i, f.AXIS)
            left = effort + dot(axis, force if m.topo[i, f.KIND] == f.PRISMATIC else torque)
            d.response[y, i] += left
            g = d.row[i, f.INV_D] * left
            torque = less_3(torque, scaled(g, read_3(d.row, i, f.GAIN)))
            force = less_3(force, scaled(g, read_3(d.row, i, f.GAIN + f.LINEAR)))
        # to the origin of the row before
        if m.topo[i, f.SHIFT]:
            torque = plus_cross(torque, read_3(d.row, i, f.ARM), force)
        effort = 0.0
        i = m.topo[i, f.PARENT]


@inlined
def add_left(d, r):
    """What the multipliers in `solve` leave for each row, added to what the other efforts do: u + Y lambda."""
    for i in range(d.row.shape[0]):
        s = 0.0
        for a in range(r):
            s += d.solve[a] * d.response[a, i]
        d.row[i, f.LEFT] += s


@kernel
def solve_schur(m, d):
    """qdd by the articulated bodies, whose inward sweep factors M = L D L^T.

    With Y = L^-1 Phi_q^T, one inward sweep for each constraint, and u = L^-1 (tau - C): Y^T D^-1 Y lambda = gamma -
    Y^T D^-1 u. Then u + Y lambda is all that the outward sweep needs.
    """
    r, n, Y = d.coupling.shape[1], d.row.shape[0], d.response
    articulate(m, d)
    for a in range(r):
        c = d.part[f.ACTIVE, a]
        for i in range(n):
            Y[a, i] = 0.0
        send_inwards(m, d, c, m.constraint[c, f.C_FRAME_B], 1.0, a)
        send_inwards(m, d, c, m.constraint[c, f.C_FRAME_A], -1.0, a)
        send_efforts_inwards(m, d, c, a)
        d.solve[a] = wanted_acceleration(m, d, c)
        for b in range(a, r):
            d.factor[a, b] = 0.0
    for i in range(n):
        if m.topo[i, f.MODE] != f.FREE:
            continue
        # the sweep's u leaves out what its ancestors' own biases do
        u = d.row[i, f.LEFT]
        for j in range(6):
            u -= d.row[i, f.GAIN + j] * d.row[i, f.FREE_ACC + j]
        inv = d.row[i, f.INV_D]
        for a in range(r):
            y = inv * Y[a, i]
            if y != 0.0:
                d.solve[a] -= y * u
                for b in range(a, r):
                    d.factor[a, b] += y * Y[b, i]
    ldl_factor(d.factor, r)
    ldl_solve(d.factor, r, d.solve)
    for a in range(r):
        d.con[d.part[f.ACTIVE, a], f.MULTIPLIER] = d.solve[a]
    add_left(d, r)
    accelerate(m, d)


@helper
def efforts_of_multipliers(m, d):
    """What unit multipliers of the active constraints exert on the rows, into `response`."""
    for a in range(d.coupling.shape[1]):
        c = d.part[f.ACTIVE, a]
        if m.constraint[c, f.C_SERVO] < 0:
            for i in range(m.topo.shape[0]):
                d.response[a, i] = d.jac[c, i]
        else:
            for i in range(m.topo.shape[0]):
                d.response[a, i] = force_column(m, d, c, i)


@helper
def factor_answers(m, d):
    """LU of J M^-1 F, from the accelerations in `response`."""
    r = d.coupling.shape[1]
    for a in range(r):
        c = d.part[f.ACTIVE, a]
        for b in range(r):
            s = 0.0
            for i in range(m.topo.shape[0]):
                s += d.jac[c, i] * d.response[b, i]
            d.factor[a, b] = s
    lu_factor(d.factor, d.part[f.PIVOT], r)


@helper
def correct(m, d):
    """Multipliers that turn the tree's accelerations into the wanted ones; both are kept."""
    r, n = d.coupling.shape[1], d.row.shape[0]
    for a in range(r):
        c = d.part[f.ACTIVE, a]
        s = wanted_acceleration(m, d, c)
        for i in range(n):
            if m.topo[i, f.MODE] == f.FREE:
                s -= d.jac[c, i] * d.row[i, f.QDD]
        d.solve[a] = s
    lu_solve(d.factor, d.part[f.PIVOT], r, d.solve)
    for b in range(r):
        d.con[d.part[f.ACTIVE, b], f.MULTIPLIER] = d.solve[b]
        for i in range(n):
            # the response of driven rows is zero
            d.row[i, f.QDD] += d.solve[b] * d.response[b, i]


@kernel
def solve_by_responses(m, d):
    """The same along the responses to unit multipliers: efforts of servo constraints are no wrenches."""
    r = d.coupling.shape[1]
    articulate(m, d)
    accelerate(m, d)
    efforts_of_multipliers(m, d)
    for first in range(0, r, f.LANES):
        count = min(f.LANES, r - first)
        respond(m, d, first, count, count, 0)
    factor_answers(m, d)
    correct(m, d)


@inlined
def multipliers_known(m, d):
    """Whether the solution has found all multipliers on its way."""
    return m.option[f.O_SOLVER] != f.DENSE and m.constraint.shape[0] == d.coupling.shape[1]


@inlined
def prepare_closed(m, d):
    """Efforts and inertias; efforts of servo constraints are not known yet."""
    efforts(m, d)
    inertias(m, d)


@kernel
def solve_closed(m, d):
    """Accelerations that satisfy the constraints."""
    prepare_closed(m, d)
    if m.option[f.O_SOLVER] == f.DENSE:
        if d.coupling.shape[2] == 1 and m.option[f.O_SERVO] == 0:
            for a in range(d.coupling.shape[1]):
                d.solve[a] = wanted_acceleration(m, d, d.part[f.ACTIVE, a])
            solve_single(m, d)
        else:
            solve_dense(m, d)
    elif m.option[f.O_SERVO] > 0:
        solve_by_responses(m, d)
    else:
        solve_schur(m, d)
