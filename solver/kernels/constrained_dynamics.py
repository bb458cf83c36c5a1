"""Constrained forward dynamics: M qdd + C = tau + J^T lambda, J qdd = gamma, by the null-space or the Schur method.

Null space: with the coupling K, N = [1; K] and sigma = [0; sigma_d], N^T M N qdd_i = N^T (tau - C - M sigma) has no
multipliers. Servo constraints, whose forces are efforts of drives, replace N^T by a matrix orthogonal to these.
Loops embedded in the tree: `loop_embedding.py`, O(n) for loops that share no joint.
Schur complement: J M^-1 J^T lambda = gamma - J M^-1 (tau - C), O(n) a constraint. `O_SOLVER` holds the cheapest.
"""

from __future__ import annotations

from ..codegen.jit import helper, inlined
from . import model_data as f
from .articulated_body import acceleration_pass, articulated_inertias, unit_effort_accelerations
from .constraint_jacobian import is_joint_relation
from .dense_linear_algebra import factor, ldl_factor, ldl_solve, lu_factor, lu_solve, solve_rows
from .kinematics import inertias
from .loop_blocks import solve_blocks
from .loop_embedding import solve_embedded
from .model_data import kernel
from .newton_euler import along_axis, inverse_dynamics_pass_bias, mass_matrix
from .one_dof import solve_one_dof
from .passive_forces import efforts
from .small_matrices import ZERO_3, add_cross, dot, read_3, scale_3, subtract_3


@inlined
def required_acceleration(m, d, c):
    """gamma of constraint c, J qdd = gamma; with Baumgarte (1972): gamma = -bias - 2 alpha Phi' - beta^2 Phi."""
    gamma = -d.con[c, f.PHI_BIAS]
    if m.option[f.O_METHOD] == f.BAUMGARTE:
        alpha, beta = m.constant[f.ALPHA], m.constant[f.BETA]
        gamma -= 2.0 * alpha * d.con[c, f.PHI_RATE] + beta * beta * d.con[c, f.PHI]
    return gamma


@inlined
def unit_multiplier_effort(m, d, c, i):
    """Entry (c, i) of F: generalised force on row i of a unit multiplier; J_ci if ideal, 1 on its drive if servo."""
    servo = m.constraint[c, f.C_SERVO]
    if servo < 0:
        return d.jac[c, i]
    return 1.0 if i == servo else 0.0


@helper
def force_coupling(m, d):
    """L of N = [1; L] with F N = 0, F the efforts of unit multipliers, to coupling[FORCES]; leaves F_d factored."""
    r, n = d.coupling.shape[1], d.coupling.shape[2]
    for a in range(r):
        for b in range(r):
            d.factor[a, b] = unit_multiplier_effort(m, d, d.part[f.ACTIVE, a], d.part[f.FORCE_DEPENDENT, b])
        for b in range(n):
            d.coupling[f.FORCES, a, b] = -unit_multiplier_effort(
                m, d, d.part[f.ACTIVE, a], d.part[f.FORCE_INDEPENDENT, b]
            )
    factor(d.factor, d.part[f.PIVOT], 0, r)
    solve_rows(d.factor, d.part[f.PIVOT], 0, r, d.coupling[f.FORCES], 0, n)


@inlined
def factor_reduced(m, d):
    """Factor the reduced mass matrix A in place: L D L^T of its upper triangle if symmetric, LU with servo
    constraints.
    """
    if m.option[f.O_SERVO] == 0:
        ldl_factor(d.reduced, d.coupling.shape[2])
    else:
        lu_factor(d.reduced, d.part[f.PIVOT_REDUCED], d.coupling.shape[2])


@inlined
def solve_reduced_mass(m, d, y):
    """y := A^-1 y with the reduced mass matrix A."""
    if m.option[f.O_SERVO] == 0:
        ldl_solve(d.reduced, d.coupling.shape[2], y)
    else:
        lu_solve(d.reduced, d.part[f.PIVOT_REDUCED], d.coupling.shape[2], y)


@inlined
def solve_reduced(m, d, y, sigma):
    """qdd from A y = right-hand side: independent rows qdd_i = y, dependent rows qdd_d = sigma + K y."""
    r, n, K = d.coupling.shape[1], d.coupling.shape[2], d.coupling[f.NOW]
    ii, dd = d.part[f.INDEPENDENT], d.part[f.DEPENDENT]
    factor_reduced(m, d)
    solve_reduced_mass(m, d, y)
    for b in range(n):
        d.row[ii[b], f.QDD] = y[b]
    for a in range(r):
        s = sigma[a]
        for b in range(n):
            s += K[a, b] * y[b]
        d.row[dd[a], f.QDD] = s


@kernel
def solve_dense(m, d):
    """qdd by the reduced mass matrix: A = N^T M J, A qdd_i = N^T (tau - C - M sigma) (null-space method)."""
    r, n = d.coupling.shape[1], d.coupling.shape[2]
    K, L, P = d.coupling[f.NOW], d.coupling[f.NOW], d.coupling[f.CARRIED]
    ii, dd, fi, fd = d.part[f.INDEPENDENT], d.part[f.DEPENDENT], d.part[f.INDEPENDENT], d.part[f.DEPENDENT]
    M, A, y, sigma = d.mass, d.reduced, d.effort, d.solve
    for a in range(r):
        sigma[a] = required_acceleration(m, d, d.part[f.ACTIVE, a])
    solve_blocks(m, d, r)
    if m.option[f.O_SERVO] > 0:
        force_coupling(m, d)
        L, fi, fd = d.coupling[f.FORCES], d.part[f.FORCE_INDEPENDENT], d.part[f.FORCE_DEPENDENT]
    mass_matrix(m, d)
    inverse_dynamics_pass_bias(m, d)
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
def backward_pass_wrench(m, d, c, frame, sign, y):
    """Add u of a unit multiplier's wrench on the body of `frame`, times `sign`, to `response[y]`, up to the world."""
    i = m.frame_row[frame]
    if i < 0 or is_joint_relation(m, c):
        return
    force = scale_3(sign, read_3(d.con, c, f.FORCE_CONSTRAINT))
    # shift from the tie's point to the body's origin
    r = subtract_3(read_3(d.tie, m.constraint[c, f.C_TIE], f.p_WTIE), read_3(d.row, i, f.p_WB))
    torque = add_cross(scale_3(sign, read_3(d.con, c, f.WRENCH_CONSTRAINT)), r, force)
    backward_pass_unit(m, d, i, 0.0, torque, force, y)


@inlined
def backward_pass_joint_efforts(m, d, c, y):
    """Add u of a unit multiplier of a joint relation, an effort slope_k on each of its joints, to `response[y]`."""
    for k in range(3):
        i = m.constraint[c, f.C_JOINTS + k]
        if i >= 0:
            backward_pass_unit(m, d, i, d.con[c, f.SLOPE + k], ZERO_3, ZERO_3, y)


@helper
def backward_pass_unit(m, d, i, effort, torque, force, y):
    """Add u of a unit load on row i (effort, or wrench at its origin in W) to response[y], for i and its ancestors."""
    while i >= 0:
        # u of a FREE row; the parent receives p_A + U u / D
        if m.topo[i, f.MODE] == f.FREE:
            axis = read_3(d.row, i, f.AXIS)
            left = effort + dot(axis, force if m.topo[i, f.KIND] == f.PRISMATIC else torque)
            d.response[y, i] += left
            g = d.row[i, f.D_INV] * left
            torque = subtract_3(torque, scale_3(g, read_3(d.row, i, f.U)))
            force = subtract_3(force, scale_3(g, read_3(d.row, i, f.U + f.LINEAR)))
        # shift to the parent's origin
        if m.topo[i, f.SHIFT]:
            torque = add_cross(torque, read_3(d.row, i, f.p_parent), force)
        effort = 0.0
        i = m.topo[i, f.PARENT]


@inlined
def add_multiplier_residuals(d, r):
    """u += Y^T lambda, with lambda in `solve` and Y in `response`."""
    for i in range(d.row.shape[0]):
        s = 0.0
        for a in range(r):
            s += d.solve[a] * d.response[a, i]
        d.row[i, f.u] += s


@kernel
def solve_schur(m, d):
    """qdd by the Schur complement, with the articulated-body backward pass as factorisation M = L D L^T.

    With Y = L^-1 J^T, one backward pass a constraint, and u = L^-1 (tau - C): Y^T D^-1 Y lambda = gamma - Y^T D^-1 u.
    The forward pass then starts from u + Y lambda.
    """
    r, n, Y = d.coupling.shape[1], d.row.shape[0], d.response
    articulated_inertias(m, d)
    for a in range(r):
        c = d.part[f.ACTIVE, a]
        for i in range(n):
            Y[a, i] = 0.0
        backward_pass_wrench(m, d, c, m.constraint[c, f.C_FRAME_B], 1.0, a)
        backward_pass_wrench(m, d, c, m.constraint[c, f.C_FRAME_A], -1.0, a)
        backward_pass_joint_efforts(m, d, c, a)
        d.solve[a] = required_acceleration(m, d, c)
        for b in range(a, r):
            d.factor[a, b] = 0.0
    for i in range(n):
        if m.topo[i, f.MODE] != f.FREE:
            continue
        # the pass's u lacks the bias accelerations of the ancestors
        u = d.row[i, f.u]
        for j in range(6):
            u -= d.row[i, f.U + j] * d.row[i, f.ACC_BIAS + j]
        inv = d.row[i, f.D_INV]
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
    add_multiplier_residuals(d, r)
    acceleration_pass(m, d)


@helper
def unit_multiplier_efforts(m, d):
    """F: generalised forces of unit multipliers of the active constraints, to rows 0 to r of `response`."""
    for a in range(d.coupling.shape[1]):
        c = d.part[f.ACTIVE, a]
        if m.constraint[c, f.C_SERVO] < 0:
            for i in range(m.topo.shape[0]):
                d.response[a, i] = d.jac[c, i]
        else:
            for i in range(m.topo.shape[0]):
                d.response[a, i] = unit_multiplier_effort(m, d, c, i)


@helper
def factor_multiplier_responses(m, d):
    """LU of J M^-1 F^T, from the accelerations M^-1 F^T in `response`, to `factor`."""
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
def constraint_correction(m, d):
    """lambda = (J M^-1 F^T)^-1 (gamma - J qdd), and qdd += M^-1 F^T lambda; both are stored."""
    r, n = d.coupling.shape[1], d.row.shape[0]
    for a in range(r):
        c = d.part[f.ACTIVE, a]
        s = required_acceleration(m, d, c)
        for i in range(n):
            if m.topo[i, f.MODE] == f.FREE:
                s -= d.jac[c, i] * d.row[i, f.QDD]
        d.solve[a] = s
    lu_solve(d.factor, d.part[f.PIVOT], r, d.solve)
    for b in range(r):
        d.con[d.part[f.ACTIVE, b], f.MULTIPLIER] = d.solve[b]
        for i in range(n):
            # the response of DRIVEN rows is zero
            d.row[i, f.QDD] += d.solve[b] * d.response[b, i]


@kernel
def solve_by_unit_responses(m, d):
    """qdd by the Schur complement from responses M^-1 F^T to unit multipliers: for servo constraints, which have no
    wrench.
    """
    r = d.coupling.shape[1]
    articulated_inertias(m, d)
    acceleration_pass(m, d)
    unit_multiplier_efforts(m, d)
    for first in range(0, r, f.LANES):
        count = min(f.LANES, r - first)
        unit_effort_accelerations(m, d, first, count, count, 0)
    factor_multiplier_responses(m, d)
    constraint_correction(m, d)


@inlined
def solver_gives_multipliers(m, d):
    """True if the solver computes all multipliers: Schur complement, no redundant constraints."""
    return m.option[f.O_SOLVER] == f.SCHUR and m.constraint.shape[0] == d.coupling.shape[1]


@inlined
def efforts_and_inertias(m, d):
    """Efforts tau without those of servo drives, and body inertias in W."""
    efforts(m, d)
    inertias(m, d)


@kernel
def solve_constrained(m, d):
    """qdd that satisfies the constraints, by the solver of `O_SOLVER`; a single freedom by virtual power."""
    efforts_and_inertias(m, d)
    if m.option[f.O_SOLVER] == f.DENSE:
        plain = m.option[f.O_SERVO] == 0 and m.option[f.O_ADDED] == 0 and m.flex.shape[0] == 0
        if d.coupling.shape[2] == 1 and plain:
            for a in range(d.coupling.shape[1]):
                d.solve[a] = required_acceleration(m, d, d.part[f.ACTIVE, a])
            solve_one_dof(m, d)
        else:
            solve_dense(m, d)
    elif m.option[f.O_SOLVER] == f.EMBEDDED:
        for a in range(d.coupling.shape[1]):
            d.solve[a] = required_acceleration(m, d, d.part[f.ACTIVE, a])
        solve_embedded(m, d)
    elif m.option[f.O_SERVO] > 0:
        solve_by_unit_responses(m, d)
    else:
        solve_schur(m, d)
