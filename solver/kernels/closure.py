"""Dependent coordinates of mechanisms with constraints: positions by Newton, rates by the coupling, anchors between.

With the coupling K the rates of the dependent rows are K times those of the independent ones, and what moves without
them. Newton starts from the anchor, where the last step ended, with the motion's own first and second derivative, so
that as a rule one correction closes everything to rounding.
"""

from __future__ import annotations

from ..machine.fields import (
    ACTIVE,
    ANCHOR,
    ANCHOR_A,
    ANCHOR_Q,
    ANCHOR_TIME,
    ANCHOR_V,
    C_KIND,
    CLOCK,
    COS,
    COUPLING_MAX,
    DENSE,
    DEPENDENT,
    FREE,
    INDEPENDENT,
    KIND,
    MODE,
    NOW,
    O_METHOD,
    O_SOLVER,
    OPEN,
    PHI,
    PHI_T,
    PIVOT,
    Q_STATE,
    QDD,
    QUAT,
    QUAT_STATE,
    QUAT_X,
    QUAT_Z,
    REDUCED,
    SIN,
    ST_COMPONENT,
    ST_KIND,
    ST_ROW,
    V_STATE,
    VELOCITY_RELATION,
    VIOLATION,
    Q,
    V,
    kernel,
)
from ..machine.jit import helper, inlined
from .constraints import (
    constraint_positions,
    constraint_rates,
    effort,
    locate,
    locate_and_spread,
    locate_ties,
    watched,
)
from .forces import passive_forces
from .kinematics import place, positions, velocities
from .linear import factor, lu_factor, lu_solve, solve, solve_rows
from .newton_euler import propagate_driven
from .open_tree import unpack

ITERATIONS = 30
CLOSED = 1e-12  # a correction below this is none
QUADRATIC = 1e-7  # after a correction below this the next one is below rounding


@inlined
def on_positions(m, d):
    """How many of the active constraints are on positions; those on velocities alone stand behind them."""
    r = d.coupling.shape[1]
    while r > 0 and m.constraint[d.part[ACTIVE, r - 1], C_KIND] == VELOCITY_RELATION:
        r -= 1
    return r


@inlined
def factor_dependent(m, d):
    """What `solve` needs of the dependent columns of the active constraints."""
    r = d.coupling.shape[1]
    for a in range(r):
        for b in range(r):
            d.factor[a, b] = d.jac[d.part[ACTIVE, a], d.part[DEPENDENT, b]]
    factor(d.factor, d.part[PIVOT], r)


@helper
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


@inlined
def couple(m, d):
    """K = -Phi_d^-1 Phi_i."""
    r, n = d.coupling.shape[1], d.coupling.shape[2]
    for a in range(r):
        for b in range(n):
            d.coupling[NOW, a, b] = -d.jac[d.part[ACTIVE, a], d.part[INDEPENDENT, b]]
    solve_rows(d.factor, d.part[PIVOT], r, d.coupling[NOW], n)


@helper
def note_coupling(m, d):
    """The largest entry of K: it grows as the chosen coordinates become a poor choice."""
    largest = 0.0
    for a in range(d.coupling.shape[1]):
        for b in range(d.coupling.shape[2]):
            largest = max(largest, abs(d.coupling[NOW, a, b]))
    d.scalar[COUPLING_MAX] = largest


@inlined
def guess_dependent(m, d, h):
    """Dependent coordinates as the anchor's motion continues."""
    n = d.coupling.shape[2]
    elapsed = d.scalar[CLOCK] - d.scalar[ANCHOR_TIME]
    for a in range(h):
        i = d.part[DEPENDENT, a]
        s = d.row[i, ANCHOR_Q] + elapsed * (d.row[i, ANCHOR_V] + 0.5 * elapsed * d.row[i, ANCHOR_A])
        for b in range(n):
            j = d.part[INDEPENDENT, b]
            s += d.coupling[ANCHOR, a, b] * (d.row[j, Q] - d.row[j, ANCHOR_Q])
        d.row[i, Q] = s


@inlined
def correction(m, d, h):
    """Newton's step of the dependent coordinates, left in `solve`; returns its largest entry."""
    locate_ties(m, d)
    for a in range(h):
        c = d.part[ACTIVE, a]
        locate(m, d, c)
        d.solve[a] = -d.con[c, PHI]
        for b in range(h):
            d.factor[a, b] = effort(m, d, c, d.part[DEPENDENT, b])
    factor(d.factor, d.part[PIVOT], h)
    solve(d.factor, d.part[PIVOT], h, d.solve)
    step = 0.0
    for a in range(h):
        # NaN must not pass for small
        step = max(step, abs(d.solve[a])) if d.solve[a] == d.solve[a] else d.solve[a]
    return step


@inlined
def close_positions(m, d):
    """Newton on the dependent coordinates, from the anchor's motion."""
    h = on_positions(m, d)
    guess_dependent(m, d, h)
    for _ in range(ITERATIONS):
        positions(m, d)
        step = correction(m, d, h)
        if step < CLOSED:
            return
        first = m.topo.shape[0]
        for a in range(h):
            i, turn = d.part[DEPENDENT, a], d.solve[a]
            d.row[i, Q] += turn
            # the cosine after so small a turn, to rounding
            c, s = d.row[i, COS], d.row[i, SIN]
            d.row[i, COS] -= turn * (s + 0.5 * turn * c)
            d.row[i, SIN] += turn * (c - 0.5 * turn * s)
            first = min(first, i)
        if step < QUADRATIC:
            place(m, d, first, False)
            return
    # not closed: NaN stops the run, which then reports why
    d.scalar[OPEN] = 1.0
    for a in range(h):
        d.row[d.part[DEPENDENT, a], Q] = float("nan")
    positions(m, d)


@inlined
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
    solve(d.factor, d.part[PIVOT], r, d.solve)
    for a in range(r):
        d.row[d.part[DEPENDENT, a], V] = d.solve[a]


@kernel
def kinematics_closed(m, d):
    """All that follows from the state alone, with the constraints."""
    unpack(m, d)
    if m.option[O_METHOD] == REDUCED:
        close_positions(m, d)
    else:
        positions(m, d)
    locate_ties(m, d)
    locate_and_spread(m, d, 0, watched(m, d))
    factor_dependent(m, d)
    if m.option[O_METHOD] == REDUCED:
        close_velocities(m, d)
    if m.option[O_SOLVER] == DENSE:
        couple(m, d)
    velocities(m, d)
    passive_forces(m, d)
    propagate_driven(m, d)
    constraint_rates(m, d)


@inlined
def note_violation(m, d):
    """The largest residual so far, of all constraints; NaN stops the run by itself."""
    for c in range(m.constraint.shape[0]):
        d.scalar[VIOLATION] = max(d.scalar[VIOLATION], abs(d.con[c, PHI]))


@kernel
def settle(m, d):
    """Move the anchor to the present coordinates: once after each step, never within one."""
    r, n = d.coupling.shape[1], d.coupling.shape[2]
    for k in range(r, m.constraint.shape[0]):
        locate(m, d, d.part[ACTIVE, k])
    note_violation(m, d)
    if m.option[O_SOLVER] != DENSE:
        factor_dependent(m, d)
        couple(m, d)
    note_coupling(m, d)
    for i in range(d.row.shape[0]):
        d.row[i, ANCHOR_Q], d.row[i, ANCHOR_V] = d.row[i, Q], d.row[i, V]
    d.scalar[ANCHOR_TIME] = d.scalar[CLOCK]
    for a in range(r):
        i = d.part[DEPENDENT, a]
        v, acc = d.row[i, V], d.row[i, QDD]
        for b in range(n):
            k = d.coupling[NOW, a, b]
            d.coupling[ANCHOR, a, b] = k
            v -= k * d.row[d.part[INDEPENDENT, b], V]
            acc -= k * d.row[d.part[INDEPENDENT, b], QDD]
        d.row[i, ANCHOR_V], d.row[i, ANCHOR_A] = v, acc


@helper
def shift_rows(m, d):
    """Add the column of the accelerations to all free coordinates; quaternions turn by it, in body axes."""
    for i in range(d.row.shape[0]):
        kind = m.topo[i, KIND]
        if m.topo[i, MODE] != FREE or (QUAT_X < kind <= QUAT_Z):
            continue
        if kind != QUAT_X:
            d.row[i, Q] += d.row[i, QDD]
            continue
        j = m.topo[i, QUAT]
        w, a, b, c = d.quat[j, 0], d.quat[j, 1], d.quat[j, 2], d.quat[j, 3]
        e, f, g = 0.5 * d.row[i, QDD], 0.5 * d.row[i + 1, QDD], 0.5 * d.row[i + 2, QDD]
        d.quat[j, 0] = w - a * e - b * f - c * g
        d.quat[j, 1] = a + w * e + b * g - c * f
        d.quat[j, 2] = b + w * f + c * e - a * g
        d.quat[j, 3] = c + w * g + a * f - b * e


@inlined
def shortest_step(m, d):
    """Gauss-Newton's step of all free coordinates, in the column of the accelerations, which is free until the next
    evaluation; returns its largest entry."""
    r = d.coupling.shape[1]
    for a in range(r):
        d.solve[a] = -d.con[d.part[ACTIVE, a], PHI]
    lu_solve(d.factor, d.part[PIVOT], r, d.solve)
    step = 0.0
    for i in range(d.row.shape[0]):
        s = 0.0
        if m.topo[i, MODE] == FREE:
            for a in range(r):
                s += d.jac[d.part[ACTIVE, a], i] * d.solve[a]
            d.row[i, QDD] = s
        step = max(step, abs(s))
    return step


@inlined
def project_rates(m, d):
    """Rates of the free rows back onto the constraints, by the shortest way."""
    r, n = d.coupling.shape[1], d.row.shape[0]
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


@inlined
def pack(m, d):
    """Coordinates and rates -> state vector; bristles stay."""
    for j in range(m.state.shape[0]):
        kind = m.state[j, ST_KIND]
        if kind == Q_STATE or kind == V_STATE:
            d.x[j] = d.row[m.state[j, ST_ROW], kind]
        elif kind == QUAT_STATE:
            d.x[j] = d.quat[m.topo[m.state[j, ST_ROW], QUAT], m.state[j, ST_COMPONENT]]


@kernel
def project(m, d):
    """After a step: coordinates and rates back onto the constraints, by the shortest way (Gauss-Newton)."""
    unpack(m, d)
    for _ in range(ITERATIONS):
        positions(m, d)
        constraint_positions(m, d)
        normal_factor(m, d)
        step = shortest_step(m, d)
        shift_rows(m, d)
        if step < CLOSED:
            break
    project_rates(m, d)
    pack(m, d)
    note_violation(m, d)
    factor_dependent(m, d)
    couple(m, d)
    note_coupling(m, d)
