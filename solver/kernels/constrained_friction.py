"""Friction under the joints' own reactions in mechanisms with constraints.

Accelerations, multipliers and joint loads are linear in the friction efforts, as in trees (`joint_friction.py`). The
load of a joint is the inertia force of all bodies it carries, less the constraint forces on these. A force needs no
point of application, so that sums over the bodies suffice.
"""

from __future__ import annotations

from ..codegen.jit import helper
from . import model_data as f
from .articulated_body import acceleration_pass, articulated_inertias, unit_effort_accelerations
from .constrained_dynamics import (
    constraint_correction,
    efforts_and_inertias,
    factor_multiplier_responses,
    solve_constrained,
    solve_dense,
    solve_reduced_mass,
    unit_multiplier_efforts,
)
from .constraint_jacobian import residuals_and_jacobian
from .dense_linear_algebra import lu_solve
from .joint_friction import (
    apply_friction_efforts,
    apply_unit_efforts,
    balance_loads,
    friction_laws,
    store_frictionless_loads,
    store_load,
    store_load_response,
    transmitted_force,
)
from .joint_reactions import active_multipliers, servo_efforts
from .loop_blocks import solve_blocks_transposed
from .model_data import kernel
from .redundant_reactions import distribute_by_bushings, factor_stresses
from .small_matrices import (
    ZERO_3,
    add_3,
    add_cross,
    add_to_3,
    read_3,
    read_6,
    read_down,
    scale_3,
    subtract_3,
    symmetric_times,
    write_3,
    write_down,
)
from .tree_dynamics import state_rates


@helper
def spread_constraint_wrench(m, d, c, frame, factor, k, a):
    """Add the force of constraint c on the body of `frame`, times `factor`, to column a of `pushes`, for each loaded
    joint below that body.
    """
    force = scale_3(factor, read_3(d.con, c, f.FORCE_CONSTRAINT))
    i, j = m.frame_row[frame], k - 1
    while i >= 0:
        while j >= 0 and d.part[f.LOADED, j] > i:
            j -= 1
        if j < 0:
            return
        if d.part[f.LOADED, j] == i:
            write_down(d.pushes, 3 * j, a, add_3(read_down(d.pushes, 3 * j, a), force))
        i = m.topo[i, f.PARENT]


@helper
def multiplier_loads(m, d, k):
    """W (3 k, c), in `pushes`: force of unit multipliers, in partition order, on the bodies that each loaded joint
    carries.
    """
    r, total = d.coupling.shape[1], m.constraint.shape[0]
    if total > r:
        residuals_and_jacobian(m, d, r, total)
        factor_stresses(m, d)
    for j in range(3 * k):
        for b in range(total):
            d.pushes[j, b] = 0.0
    for b in range(total):
        c = d.part[f.ACTIVE, b]
        if m.constraint[c, f.C_SERVO] < 0:
            spread_constraint_wrench(m, d, c, m.constraint[c, f.C_FRAME_B], 1.0, k, b)
            spread_constraint_wrench(m, d, c, m.constraint[c, f.C_FRAME_A], -1.0, k, b)


@helper
def without_constraint_wrenches(m, d, j, force):
    """Load of loaded joint j [N]: inertia force less W lambda, with lambda in `solve`."""
    for a in range(m.constraint.shape[0]):
        force = subtract_3(force, scale_3(d.solve[a], read_down(d.pushes, 3 * j, a)))
    return force


@helper
def clear_efforts(d):
    """Zero the vector `effort`."""
    for i in range(d.effort.shape[0]):
        d.effort[i] = 0.0


@helper
def friction_efforts(d, k):
    """Friction efforts -grip N of the loaded rows, to FRICTION_EFFORT, to the sum TAU and to `effort`."""
    clear_efforts(d)
    for j in range(k):
        i = d.part[f.LOADED, j]
        effort = -d.row[i, f.GRIP] * d.row[i, f.NORMAL]
        d.row[i, f.FRICTION_EFFORT] = effort
        d.row[i, f.TAU] += effort
        d.effort[i] = effort


@kernel
def dense_effort_accelerations(m, d):
    """qdd in `effort` and multipliers in `solve` that the efforts in `effort` cause, by the factors of
    `solve_dense`.
    """
    r, n = d.coupling.shape[1], d.coupling.shape[2]
    K, L = d.coupling[f.NOW], d.coupling[f.NOW]
    fi, fd, ii, dd = d.part[f.INDEPENDENT], d.part[f.DEPENDENT], d.part[f.INDEPENDENT], d.part[f.DEPENDENT]
    if m.option[f.O_SERVO] > 0:
        L, fi, fd = d.coupling[f.FORCES], d.part[f.FORCE_INDEPENDENT], d.part[f.FORCE_DEPENDENT]
    effort = d.effort
    for a in range(r):
        d.solve[n + a] = effort[d.part[f.FORCE_DEPENDENT, a]]
    for b in range(n):
        s = effort[fi[b]]
        for a in range(r):
            s += L[a, b] * effort[fd[a]]
        d.solve[b] = s
    solve_reduced_mass(m, d, d.solve)
    for b in range(n):
        effort[ii[b]] = d.solve[b]
    for a in range(r):
        s = 0.0
        for b in range(n):
            s += K[a, b] * d.solve[b]
        effort[dd[a]] = s
    # F_d^T lambda = (M J qdd_i - tau)_d
    for a in range(r):
        s = -d.solve[n + a]
        for b in range(n):
            s += d.coupling[f.CARRIED, a, b] * effort[ii[b]]
        d.row[a, f.REACTION] = s
    for a in range(r):
        d.solve[a] = d.row[a, f.REACTION]
    solve_blocks_transposed(m, d, r)


@kernel
def inertia_forces(m, d):
    """Inertia force of each row's subtree at the accelerations in `effort`, to the linear part of pA [N, in W]."""
    n = d.row.shape[0]
    for i in range(n):
        k = m.topo[i, f.PARENT]
        alpha = a = ZERO_3
        if k >= 0:
            alpha = read_3(d.row, k, f.REACTION)
            a = add_cross(read_3(d.row, k, f.REACTION + f.LINEAR), alpha, read_3(d.row, i, f.p_parent))
        u = d.effort[i] if m.topo[i, f.MODE] == f.FREE else 0.0
        if m.topo[i, f.KIND] == f.PRISMATIC:
            a = add_3(a, scale_3(u, read_3(d.row, i, f.AXIS)))
        else:
            alpha = add_3(alpha, scale_3(u, read_3(d.row, i, f.AXIS)))
        write_3(d.row, i, f.REACTION, alpha)
        write_3(d.row, i, f.REACTION + f.LINEAR, a)
        force = add_cross(scale_3(d.row[i, f.MASS], a), alpha, read_3(d.row, i, f.FIRST_MOMENT))
        write_3(d.row, i, f.pA + f.LINEAR, force)
    for i in range(n - 1, -1, -1):
        k = m.topo[i, f.PARENT]
        if k >= 0:
            add_to_3(d.row, k, f.pA + f.LINEAR, read_3(d.row, i, f.pA + f.LINEAR))


@helper
def inertia_torques(m, d):
    """Inertia torque of each row's subtree about its origin, to the angular part of pA [N m, in W]; after
    `inertia_forces`.
    """
    n = d.row.shape[0]
    for i in range(n):
        alpha, a = read_3(d.row, i, f.REACTION), read_3(d.row, i, f.REACTION + f.LINEAR)
        turning = symmetric_times(read_6(d.row, i, f.INERTIA), alpha)
        write_3(d.row, i, f.pA, add_cross(turning, read_3(d.row, i, f.FIRST_MOMENT), a))
    for i in range(n - 1, -1, -1):
        k = m.topo[i, f.PARENT]
        if k >= 0:
            force = read_3(d.row, i, f.pA + f.LINEAR)
            torque = add_cross(read_3(d.row, i, f.pA), read_3(d.row, i, f.p_parent), force)
            add_to_3(d.row, k, f.pA, torque)


@helper
def dense_friction(m, d, k):
    """Loads, friction efforts and qdd with the reduced mass matrix."""
    solve_dense(m, d)
    active_multipliers(m, d)
    repeated = m.constraint.shape[0] > d.coupling.shape[1]
    if repeated:
        distribute_by_bushings(m, d, f.REACTION)
    for j in range(k):
        i = d.part[f.LOADED, j]
        store_load(d, i, without_constraint_wrenches(m, d, j, read_3(d.row, i, f.REACTION + f.LINEAR)))
    for b in range(k):
        clear_efforts(d)
        d.effort[d.part[f.LOADED, b]] = 1.0
        dense_effort_accelerations(m, d)
        inertia_forces(m, d)
        if repeated:
            inertia_torques(m, d)
            distribute_by_bushings(m, d, f.pA)
        for j in range(k):
            i = d.part[f.LOADED, j]
            store_load_response(
                d, j, b, without_constraint_wrenches(m, d, j, read_3(d.row, i, f.pA + f.LINEAR))
            )
    balance_loads(d, k)
    friction_efforts(d, k)
    dense_effort_accelerations(m, d)
    for i in range(d.row.shape[0]):
        if m.topo[i, f.MODE] == f.FREE:
            d.row[i, f.QDD] += d.effort[i]


@helper
def unit_load_responses(m, d, k):
    """Tree responses to unit multipliers and unit friction efforts: qdd to `response`, loads to `pushes` and `answers`.

    Loads under unit multipliers are stored less the constraint forces themselves.
    """
    r, C, W = d.coupling.shape[1], d.answers, d.pushes
    unit_multiplier_efforts(m, d)
    apply_unit_efforts(d, r, k)
    for first in range(0, r + k, f.LANES):
        count = min(f.LANES, r + k - first)
        unit_effort_accelerations(m, d, first, count, max(0, r - first), k - 1 - max(0, first - r))
        for w in range(count):
            b = first + w
            for j in range(k):
                force = transmitted_force(d, d.part[f.LOADED, j], w)
                if b < r:
                    write_down(W, 3 * j, b, subtract_3(force, read_down(W, 3 * j, b)))
                else:
                    write_down(C, 3 * j, k - 1 - (b - r), force)


@helper
def constrained_load_responses(m, d, k):
    """Responses to unit friction efforts with the constraints kept: qdd and loads corrected by the multipliers.

    The multipliers of each unit effort are stored in the last k rows of `response`.
    """
    r, n, C, W = d.coupling.shape[1], d.row.shape[0], d.answers, d.pushes
    for b in range(k):
        u = r + k - 1 - b
        for a in range(r):
            push = 0.0
            for i in range(n):
                push -= d.jac[d.part[f.ACTIVE, a], i] * d.response[u, i]
            d.solve[a] = push
        lu_solve(d.factor, d.part[f.PIVOT], r, d.solve)
        for a in range(r):
            push = d.solve[a]
            d.response[u + k, a] = push
            for i in range(n):
                d.response[u, i] += push * d.response[a, i]
            for j in range(3 * k):
                C[j, b] += push * W[j, a]
        for j in range(k):
            store_load_response(d, j, b, read_down(C, 3 * j, b))


@helper
def schur_friction(m, d, k):
    """Loads, friction efforts and qdd by the Schur complement of unit responses; no constraint may be redundant."""
    r, W = d.coupling.shape[1], d.pushes
    articulated_inertias(m, d)
    acceleration_pass(m, d)
    store_frictionless_loads(d, k)
    unit_load_responses(m, d, k)
    factor_multiplier_responses(m, d)
    constrained_load_responses(m, d, k)
    constraint_correction(m, d)
    for j in range(k):
        i = d.part[f.LOADED, j]
        load = read_3(d.row, i, f.LOAD)
        for a in range(r):
            load = add_3(load, scale_3(d.con[d.part[f.ACTIVE, a], f.MULTIPLIER], read_down(W, 3 * j, a)))
        store_load(d, i, load)
    balance_loads(d, k)
    apply_friction_efforts(d, r, k)
    for a in range(r):
        for j in range(k):
            push = d.row[d.part[f.LOADED, j], f.FRICTION_EFFORT] * d.response[r + 2 * k - 1 - j, a]
            d.con[d.part[f.ACTIVE, a], f.MULTIPLIER] += push


@kernel
def dynamics_closed_friction(m, d):
    """qdd of a mechanism with constraints and joint friction, and the state rates."""
    k = friction_laws(m, d)
    if k == 0:
        solve_constrained(m, d)
    else:
        multiplier_loads(m, d, k)
        efforts_and_inertias(m, d)
        if m.option[f.O_SOLVER] == f.SCHUR:
            schur_friction(m, d, k)
        else:
            dense_friction(m, d, k)
    servo_efforts(m, d)
    state_rates(m, d)
