"""Dependent coordinates of constrained mechanisms: positions by Newton, rates by the coupling K, anchor between steps.

qd_d = K qd_i - Phi_d^-1 Phi_t. Newton starts from the anchor, the end of the last step, extrapolated with first and
second derivative: as a rule one correction closes the loops to rounding. `project` is Gauss-Newton on all coordinates.
"""

from __future__ import annotations

from ..codegen.jit import helper, inlined
from . import model_data as f
from .constraint_jacobian import (
    constraint_positions,
    constraint_rates,
    constraint_residual,
    evaluated_constraints,
    residuals_and_jacobian,
    tie_positions,
)
from .dense_linear_algebra import factor, lu_factor, lu_solve, solve
from .kinematics import positions, row_poses, velocities
from .loop_blocks import (
    coupling_matrix,
    divided,
    factor_blocks,
    factor_leading,
    fill_dense,
    forward_substitution,
    is_one_block,
    note_determinant,
    solve_at_positions,
)
from .model_data import kernel
from .newton_euler import propagate_driven
from .passive_forces import passive_forces
from .tree_dynamics import unpack_state

ITERATIONS = 30
CLOSED = 1e-12  # largest Gauss-Newton correction that counts as converged [rad, m]
QUADRATIC = 1e-7  # Newton correction after which the next one is below rounding


@inlined
def position_constraint_count(m, d):
    """Number of active constraints on positions; those on velocities alone follow behind them."""
    r = d.coupling.shape[1]
    while r > 0 and m.constraint[d.part[f.ACTIVE, r - 1], f.C_KIND] >= f.VELOCITY_RELATION:
        r -= 1
    return r


@inlined
def kinematic_constraint_count(m, d):
    """Number of active constraints on positions or velocities; those on accelerations follow behind them."""
    r = d.coupling.shape[1]
    while r > 0 and m.constraint[d.part[f.ACTIVE, r - 1], f.C_KIND] == f.ACCELERATION_RELATION:
        r -= 1
    return r


@inlined
def curved(m, d):
    """True if the Jacobian of an active constraint depends on velocities."""
    found = False
    for k in range(position_constraint_count(m, d), d.coupling.shape[1]):
        c = d.part[f.ACTIVE, k]
        found = found or m.constraint[c, f.C_CURVED] == 1
    return found


@inlined
def factor_dependent(m, d):
    """Factor Phi_d, the dependent columns of the active constraints' Jacobian, for `solve_blocks`."""
    factor_leading(m, d, d.coupling.shape[1])


@helper
def normal_factor(m, d):
    """LU of J J^T over the active constraints and FREE rows."""
    r, n = d.coupling.shape[1], d.row.shape[0]
    for a in range(r):
        for b in range(r):
            s = 0.0
            for i in range(n):
                if m.topo[i, f.MODE] == f.FREE:
                    s += d.jac[d.part[f.ACTIVE, a], i] * d.jac[d.part[f.ACTIVE, b], i]
            d.factor[a, b] = s
    lu_factor(d.factor, d.part[f.PIVOT], r)


@helper
def record_coupling_norm(m, d):
    """max |K_ab| to COUPLING_MAX: it grows as the independent coordinates become a poor choice."""
    largest = 0.0
    for a in range(d.coupling.shape[1]):
        for b in range(d.part[f.FIRST_FREE, a], d.part[f.END_FREE, a]):
            largest = max(largest, abs(d.coupling[f.NOW, a, b]))
    d.scalar[f.COUPLING_MAX] = largest


@inlined
def extrapolate_dependent(m, d, h):
    """Dependent coordinates extrapolated from the anchor: q_d = a_q + a_v t + a_a t^2 / 2 + K_a (q_i - q_i,a)."""
    elapsed = d.scalar[f.TIME_S] - d.scalar[f.ANCHOR_TIME]
    for a in range(h):
        i = d.part[f.DEPENDENT, a]
        s = d.row[i, f.ANCHOR_Q] + elapsed * (d.row[i, f.ANCHOR_V] + 0.5 * elapsed * d.row[i, f.ANCHOR_A])
        for b in range(d.part[f.FIRST_FREE, a], d.part[f.END_FREE, a]):
            j = d.part[f.INDEPENDENT, b]
            s += d.coupling[f.ANCHOR, a, b] * (d.row[j, f.Q] - d.row[j, f.ANCHOR_Q])
        d.row[i, f.Q] = s


@inlined
def newton_correction(m, d, h):
    """Newton correction -Phi_d^-1 Phi of the dependent coordinates, left in `solve`; returns its largest entry."""
    tie_positions(m, d)
    for a in range(h):
        c = d.part[f.ACTIVE, a]
        constraint_residual(m, d, c)
        d.solve[a] = -d.con[c, f.PHI]
    solve_at_positions(m, d, h)
    step = 0.0
    for a in range(h):
        # NaN must not pass for small
        step = max(step, abs(d.solve[a])) if d.solve[a] == d.solve[a] else d.solve[a]
    return step


@inlined
def close_positions(m, d):
    """Newton on the dependent coordinates, from the extrapolated anchor. The correction below rounding is made too:
    with dual numbers it carries the derivatives of the loop closure.
    """
    h = position_constraint_count(m, d)
    extrapolate_dependent(m, d, h)
    for _ in range(ITERATIONS):
        positions(m, d)
        step = newton_correction(m, d, h)
        d.scalar[f.ROUNDS] += 1.0
        first = m.topo.shape[0]
        for a in range(h):
            i, turn = d.part[f.DEPENDENT, a], d.solve[a]
            d.row[i, f.Q] += turn
            # cosine and sine after the small turn, to second order
            c, s = d.row[i, f.COS], d.row[i, f.SIN]
            d.row[i, f.COS] -= turn * (s + 0.5 * turn * c)
            d.row[i, f.SIN] += turn * (c - 0.5 * turn * s)
            first = min(first, i)
        if step < QUADRATIC:
            row_poses(m, d, first)
            return
    # no convergence: NaN stops the run, which then reports LOOP_OPEN
    d.scalar[f.LOOP_OPEN] = 1.0
    for a in range(h):
        d.row[d.part[f.DEPENDENT, a], f.Q] = float("nan")
    positions(m, d)


@inlined
def velocity_residual(m, d, r):
    """-(J v + Phi_t) of the first r active constraints, in `solve`."""
    for a in range(r):
        c = d.part[f.ACTIVE, a]
        s = d.con[c, f.PHI_T]
        for i in range(d.row.shape[0]):
            s += d.jac[c, i] * d.row[i, f.V]
        # velocities are free where accelerations are constrained
        d.solve[a] = 0.0 if m.constraint[c, f.C_KIND] == f.ACCELERATION_RELATION else -s


@divided
def solve_rates_of_blocks(m, d):
    """Newton step of the dependent rates over the blocks of Phi_d, in `solve`."""
    factor_blocks(m, d)
    for a in range(d.coupling.shape[1]):
        c = d.part[f.ACTIVE, a]
        s = d.con[c, f.PHI_T]
        for e in range(m.constraint[c, f.C_MOVED], m.constraint[c, f.C_MOVED_END]):
            s += d.jac[c, m.moved[e]] * d.row[m.moved[e], f.V]
        d.solve[a] = -s
    forward_substitution(m, d)


@inlined
def correct_rates(m, d, r):
    """Newton step of the first r dependent rates; returns its largest entry."""
    if is_one_block(d):
        fill_dense(d, r)
        factor(d.factor, d.part[f.PIVOT], 0, r)
        velocity_residual(m, d, r)
        solve(d.factor, d.part[f.PIVOT], 0, r, d.solve)
    else:
        solve_rates_of_blocks(m, d)
    step = 0.0
    for a in range(r):
        d.row[d.part[f.DEPENDENT, a], f.V] += d.solve[a]
        step = max(step, abs(d.solve[a])) if d.solve[a] == d.solve[a] else d.solve[a]
    return step


@helper
def close_curved(m, d):
    """Dependent rates by Newton where J depends on them, from the anchor's rates and accelerations."""
    r, h = kinematic_constraint_count(m, d), position_constraint_count(m, d)
    elapsed = d.scalar[f.TIME_S] - d.scalar[f.ANCHOR_TIME]
    for a in range(r):
        i = d.part[f.DEPENDENT, a]
        v = d.row[i, f.ANCHOR_V] + elapsed * d.row[i, f.ANCHOR_A]
        for b in range(d.part[f.FIRST_FREE, a], d.part[f.END_FREE, a]):
            v += d.coupling[f.ANCHOR, a, b] * d.row[d.part[f.INDEPENDENT, b], f.V]
        d.row[i, f.V] = v
    for _ in range(ITERATIONS):
        residuals_and_jacobian(m, d, h, d.coupling.shape[1])
        if correct_rates(m, d, r) < QUADRATIC:
            # J at the new rates
            residuals_and_jacobian(m, d, h, d.coupling.shape[1])
            return
    d.scalar[f.LOOP_OPEN] = 1.0
    for a in range(r):
        d.row[d.part[f.DEPENDENT, a], f.V] = float("nan")


@helper
def close_velocities(m, d):
    """Dependent rates of all others, Phi_d v_d = -(J v + Phi_t) at v_d = 0; leaves Phi_d factored."""
    r = kinematic_constraint_count(m, d)
    if curved(m, d):
        close_curved(m, d)
    else:
        for a in range(r):
            d.row[d.part[f.DEPENDENT, a], f.V] = 0.0
        correct_rates(m, d, r)
        if r == d.coupling.shape[1]:
            return
    factor_dependent(m, d)


@kernel
def kinematics_closed(m, d):
    """Kinematics with constraints: dependent q and v, poses, J, K, passive forces, constraint biases."""
    unpack_state(m, d)
    d.scalar[f.EVALUATIONS] += 1.0
    if m.option[f.O_METHOD] == f.REDUCED:
        close_positions(m, d)
    else:
        positions(m, d)
    tie_positions(m, d)
    residuals_and_jacobian(m, d, 0, evaluated_constraints(m, d))
    if m.option[f.O_METHOD] == f.REDUCED:
        close_velocities(m, d)
    else:
        factor_dependent(m, d)
    if m.option[f.O_SOLVER] != f.SCHUR:
        coupling_matrix(m, d)
    velocities(m, d)
    passive_forces(m, d)
    propagate_driven(m, d)
    constraint_rates(m, d)


@inlined
def record_violation(m, d):
    """max |Phi| over all constraints and the run so far, to VIOLATION; NaN stops the run by itself."""
    for c in range(m.constraint.shape[0]):
        d.scalar[f.VIOLATION] = max(d.scalar[f.VIOLATION], abs(d.con[c, f.PHI]))


@kernel
def move_anchor(m, d):
    """Move the anchor to the present coordinates, rates and accelerations: once after each step, never within one."""
    r = d.coupling.shape[1]
    for k in range(r, m.constraint.shape[0]):
        constraint_residual(m, d, d.part[f.ACTIVE, k])
    record_violation(m, d)
    if m.option[f.O_SOLVER] == f.SCHUR:
        factor_dependent(m, d)
        coupling_matrix(m, d)
    record_coupling_norm(m, d)
    # `factor` holds Phi_d of the last evaluation, unless servo constraints used it for F_d
    if m.option[f.O_METHOD] == f.REDUCED and m.option[f.O_SERVO] == 0:
        note_determinant(m, d)
    for i in range(d.row.shape[0]):
        d.row[i, f.ANCHOR_Q], d.row[i, f.ANCHOR_V] = d.row[i, f.Q], d.row[i, f.V]
    d.scalar[f.ANCHOR_TIME] = d.scalar[f.TIME_S]
    for a in range(r):
        i = d.part[f.DEPENDENT, a]
        v, acc = d.row[i, f.V], d.row[i, f.QDD]
        for b in range(d.part[f.FIRST_FREE, a], d.part[f.END_FREE, a]):
            k = d.coupling[f.NOW, a, b]
            d.coupling[f.ANCHOR, a, b] = k
            v -= k * d.row[d.part[f.INDEPENDENT, b], f.V]
            acc -= k * d.row[d.part[f.INDEPENDENT, b], f.QDD]
        d.row[i, f.ANCHOR_V], d.row[i, f.ANCHOR_A] = v, acc


@helper
def displace_coordinates(m, d):
    """q += QDD on all FREE rows, here a displacement; quaternions turn by it in body axes."""
    for i in range(d.row.shape[0]):
        kind = m.topo[i, f.KIND]
        if m.topo[i, f.MODE] != f.FREE or (f.QUAT_X < kind <= f.QUAT_Z):
            continue
        if kind != f.QUAT_X:
            d.row[i, f.Q] += d.row[i, f.QDD]
            continue
        j = m.topo[i, f.QUAT]
        w, a, b, c = d.quat[j, 0], d.quat[j, 1], d.quat[j, 2], d.quat[j, 3]
        e, h, g = 0.5 * d.row[i, f.QDD], 0.5 * d.row[i + 1, f.QDD], 0.5 * d.row[i + 2, f.QDD]
        d.quat[j, 0] = w - a * e - b * h - c * g
        d.quat[j, 1] = a + w * e + b * g - c * h
        d.quat[j, 2] = b + w * h + c * e - a * g
        d.quat[j, 3] = c + w * g + a * h - b * e


@inlined
def least_norm_correction(m, d):
    """Gauss-Newton step -J^T (J J^T)^-1 Phi of all free coordinates, in QDD, which is unused until the next evaluation;
    returns its largest entry.
    """
    r = d.coupling.shape[1]
    for a in range(r):
        d.solve[a] = -d.con[d.part[f.ACTIVE, a], f.PHI]
    lu_solve(d.factor, d.part[f.PIVOT], r, d.solve)
    step = 0.0
    for i in range(d.row.shape[0]):
        s = 0.0
        if m.topo[i, f.MODE] == f.FREE:
            for a in range(r):
                s += d.jac[d.part[f.ACTIVE, a], i] * d.solve[a]
            d.row[i, f.QDD] = s
        step = max(step, abs(s))
    return step


@inlined
def project_rates(m, d):
    """Project the rates of the FREE rows on the constraints with least norm: v -= J^T (J J^T)^-1 (J v + Phi_t)."""
    r = d.coupling.shape[1]
    for _ in range(ITERATIONS):
        velocity_residual(m, d, r)
        lu_solve(d.factor, d.part[f.PIVOT], r, d.solve)
        step = 0.0
        for i in range(d.row.shape[0]):
            if m.topo[i, f.MODE] == f.FREE:
                s = 0.0
                for a in range(r):
                    s += d.jac[d.part[f.ACTIVE, a], i] * d.solve[a]
                d.row[i, f.V] += s
                step = max(step, abs(s))
        if step < QUADRATIC or not curved(m, d):
            return
        constraint_positions(m, d)
        normal_factor(m, d)


@inlined
def pack_state(m, d):
    """Coordinates, rates and quaternions -> state vector; bristles stay."""
    for j in range(m.state.shape[0]):
        kind, at = m.state[j, f.ST_KIND], m.state[j, f.ST_AT]
        if kind == f.Q_STATE or kind == f.V_STATE:
            d.x[at] = d.row[m.state[j, f.ST_ROW], kind]
        elif kind == f.QUAT_STATE:
            d.x[at] = d.quat[m.topo[m.state[j, f.ST_ROW], f.QUAT], m.state[j, f.ST_COMPONENT]]


@kernel
def project(m, d):
    """Project coordinates and rates on the constraints after a step, with least norm (Gauss-Newton)."""
    unpack_state(m, d)
    for _ in range(ITERATIONS):
        positions(m, d)
        constraint_positions(m, d)
        normal_factor(m, d)
        step = least_norm_correction(m, d)
        displace_coordinates(m, d)
        if step < CLOSED:
            break
    project_rates(m, d)
    pack_state(m, d)
    record_violation(m, d)
    factor_dependent(m, d)
    coupling_matrix(m, d)
    record_coupling_norm(m, d)
