"""Friction under the joints' own reactions in mechanisms with constraints.

As in trees, accelerations, multipliers and loads are linear in the friction efforts. The load of a joint is the force
that the accelerations of what it carries ask for, less what constraints exert there; forces need no point of
application, so that sums over the bodies do.
"""

from __future__ import annotations

from ..jit import compiled, jit
from ..layout import (
    ACTIVE,
    ARM,
    ART_WRENCH,
    AXIS,
    C_FRAME_A,
    C_FRAME_B,
    C_SERVO,
    DEPENDENT,
    F_LAW,
    FORCE_DEPENDENT,
    FORCE_INDEPENDENT,
    FORCES,
    FREE,
    FRICTION,
    FRICTIONLESS,
    INDEPENDENT,
    INERTIA,
    KERNEL,
    KIND,
    LOADED,
    MODE,
    NOW,
    O_FRICTION,
    O_SOLVER,
    PARENT,
    PIVOT,
    PIVOT_REDUCED,
    PRISMATIC,
    PUSH,
    QDD,
    REACTION,
    SCHUR,
)
from .articulated import respond
from .closure import factor_dependent
from .constraints import constraint_positions
from .friction import (
    balance,
    balanced_efforts,
    first_row,
    friction_laws,
    keep_answer,
    keep_load,
    unit_effort,
)
from .linear import lu_solve, lu_solve_transposed
from .multipliers import active_multipliers, factor_shares, servo_efforts
from .newton_euler import newton_euler, propagate
from .reduced import has_servo, solve_closed


@jit
def spread_push(m, d, c, frame, sign, k, W):
    """Add the force of constraint c on the body of a frame to the loads of all joints that carry it."""
    r, repeats = d.coupling.shape[1], m.constraint.shape[0] > d.coupling.shape[1]
    i = m.frame_row[frame]
    while i >= 0:
        if m.row[i, FRICTION + F_LAW] != FRICTIONLESS:
            for j in range(k):
                if d.part[LOADED, j] != i:
                    continue
                for a in range(r):
                    if repeats:
                        share = sign * d.jac[c, d.part[DEPENDENT, a]]
                    else:
                        share = sign if d.part[ACTIVE, a] == c else 0.0
                    for x in range(3):
                        d.mass[W + 3 * j + x, a] += share * d.con[c, PUSH + 3 + x]
        i = m.topo[i, PARENT]


@jit
def multiplier_loads(m, d, k):
    """W: what unit multipliers of the active constraints exert on all that each loaded joint carries.

    Constraints that repeat each other share them with least norm: W (C^T C)^-1 C^T instead of W.
    """
    r, total = d.coupling.shape[1], m.constraint.shape[0]
    W = first_row(m, d) + 4 * m.option[O_FRICTION]
    for j in range(3 * k):
        for a in range(r):
            d.mass[W + j, a] = 0.0
    if total > r:
        factor_shares(m, d)
    for c in range(total):
        if m.constraint[c, C_SERVO] < 0:
            spread_push(m, d, c, m.constraint[c, C_FRAME_B], 1.0, k, W)
            spread_push(m, d, c, m.constraint[c, C_FRAME_A], -1.0, k, W)
    if total > r:
        for j in range(3 * k):
            lu_solve(d.factor, d.part[PIVOT], r, d.mass[W + j])
        # what was borrowed goes back
        constraint_positions(m, d)
        factor_dependent(m, d)


@jit
def less_pushes(m, d, j, x, y, z):
    """A force that accelerations ask for, less what the constraints supply by the multipliers in `solve`."""
    W = first_row(m, d) + 4 * m.option[O_FRICTION] + 3 * j
    for a in range(d.coupling.shape[1]):
        s = d.solve[a]
        x, y, z = x - s * d.mass[W, a], y - s * d.mass[W + 1, a], z - s * d.mass[W + 2, a]
    return x, y, z


@jit
def respond_dense(m, d, y):
    """Efforts in the scratch row y -> accelerations there, multipliers in `solve`, by the factors of the solution."""
    r, n = d.coupling.shape[1], d.coupling.shape[2]
    K, L = d.coupling[NOW], d.coupling[NOW]
    fi, fd, ii, dd = d.part[INDEPENDENT], d.part[DEPENDENT], d.part[INDEPENDENT], d.part[DEPENDENT]
    if has_servo(m):
        L, fi, fd = d.coupling[FORCES], d.part[FORCE_INDEPENDENT], d.part[FORCE_DEPENDENT]
    total, effort = d.row.shape[0], d.mass[y]
    for a in range(r):
        d.solve[n + a] = effort[d.part[FORCE_DEPENDENT, a]]
    for b in range(n):
        s = effort[fi[b]]
        for a in range(r):
            s += L[a, b] * effort[fd[a]]
        d.solve[b] = s
    lu_solve(d.mass[total:], d.part[PIVOT_REDUCED], n, d.solve)
    for b in range(n):
        effort[ii[b]] = d.solve[b]
    for a in range(r):
        s = 0.0
        for b in range(n):
            s += K[a, b] * d.solve[b]
        effort[dd[a]] = s
    # F_d lambda = (M J qdd_i - tau)_d; the columns of M J stand in M
    for a in range(r):
        i = d.part[FORCE_DEPENDENT, a]
        s = -d.solve[n + a]
        for b in range(n):
            s += d.mass[i, ii[b]] * effort[ii[b]]
        d.row[a, REACTION] = s
    for a in range(r):
        d.solve[a] = d.row[a, REACTION]
    lu_solve_transposed(d.factor, d.part[PIVOT], r, d.solve)


@jit
def respond_schur(m, d, y):
    """The same by the articulated bodies and the responses to unit multipliers."""
    r, n, total = d.coupling.shape[1], d.row.shape[0], m.constraint.shape[0]
    respond(m, d, d.mass, y, n, n)
    for a in range(r):
        s = 0.0
        for i in range(n):
            s -= d.jac[d.part[ACTIVE, a], i] * d.mass[y, i]
        d.solve[a] = s
    lu_solve(d.factor, d.part[PIVOT], r, d.solve)
    for b in range(r):
        for i in range(n):
            if m.topo[i, MODE] == FREE:
                d.mass[y, i] += d.solve[b] * d.jac[total + b, i]


@jit
def respond_closed(m, d, y):
    if m.option[O_SOLVER] == SCHUR:
        respond_schur(m, d, y)
    else:
        respond_dense(m, d, y)


@jit
def inertia_forces(m, d, y):
    """Forces that the accelerations in the scratch row y ask for, of each row and all that it carries: ART_WRENCH."""
    n = d.row.shape[0]
    for i in range(n):
        k = m.topo[i, PARENT]
        ax = ay = az = cx = cy = cz = 0.0
        if k >= 0:
            rx, ry, rz = d.row[i, ARM], d.row[i, ARM + 1], d.row[i, ARM + 2]
            ax, ay, az = d.row[k, REACTION], d.row[k, REACTION + 1], d.row[k, REACTION + 2]
            cx = d.row[k, REACTION + 3] + ay * rz - az * ry
            cy = d.row[k, REACTION + 4] + az * rx - ax * rz
            cz = d.row[k, REACTION + 5] + ax * ry - ay * rx
        u = d.mass[y, i] if m.topo[i, MODE] == FREE else 0.0
        if m.topo[i, KIND] == PRISMATIC:
            cx, cy, cz = cx + u * d.row[i, AXIS], cy + u * d.row[i, AXIS + 1], cz + u * d.row[i, AXIS + 2]
        else:
            ax, ay, az = ax + u * d.row[i, AXIS], ay + u * d.row[i, AXIS + 1], az + u * d.row[i, AXIS + 2]
        d.row[i, REACTION], d.row[i, REACTION + 1], d.row[i, REACTION + 2] = ax, ay, az
        d.row[i, REACTION + 3], d.row[i, REACTION + 4], d.row[i, REACTION + 5] = cx, cy, cz
        mass, hx, hy, hz = (
            d.row[i, INERTIA],
            d.row[i, INERTIA + 1],
            d.row[i, INERTIA + 2],
            d.row[i, INERTIA + 3],
        )
        d.row[i, ART_WRENCH + 3] = mass * cx + ay * hz - az * hy
        d.row[i, ART_WRENCH + 4] = mass * cy + az * hx - ax * hz
        d.row[i, ART_WRENCH + 5] = mass * cz + ax * hy - ay * hx
    for i in range(n - 1, -1, -1):
        k = m.topo[i, PARENT]
        if k >= 0:
            for x in range(3, 6):
                d.row[k, ART_WRENCH + x] += d.row[i, ART_WRENCH + x]


@jit
def keep_loads(m, d, k):
    """Loads without friction, from the accelerations and multipliers that are there."""
    if m.option[O_SOLVER] == SCHUR:
        # the multipliers are in `solve` already
        propagate(m, d)
        newton_euler(m, d)
    else:
        active_multipliers(m, d)
    for j in range(k):
        i = d.part[LOADED, j]
        x, y, z = less_pushes(m, d, j, d.row[i, REACTION + 3], d.row[i, REACTION + 4], d.row[i, REACTION + 5])
        keep_load(d, i, x, y, z)


@compiled(KERNEL)
def dynamics_friction(m, d):
    """Accelerations that satisfy the constraints of a mechanism whose joints rub."""
    k = friction_laws(m, d)
    if k > 0:
        multiplier_loads(m, d, k)
    solve_closed(m, d)
    if k > 0:
        keep_loads(m, d, k)
        for b in range(k):
            row = unit_effort(m, d, d.part[LOADED, b])
            respond_closed(m, d, row)
            inertia_forces(m, d, row)
            for j in range(k):
                i = d.part[LOADED, j]
                x, y, z = less_pushes(
                    m, d, j, d.row[i, ART_WRENCH + 3], d.row[i, ART_WRENCH + 4], d.row[i, ART_WRENCH + 5]
                )
                keep_answer(m, d, j, b, x, y, z)
        balance(m, d, k)
        row = balanced_efforts(m, d, k)
        respond_closed(m, d, row)
        for i in range(d.row.shape[0]):
            if m.topo[i, MODE] == FREE:
                d.row[i, QDD] += d.mass[row, i]
    servo_efforts(m, d)
