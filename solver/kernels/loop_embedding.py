"""Forward dynamics with loops in O(n): constraint embedding in the articulated-body algorithm (Jain 2009, 2011).

Rows whose loops share joints make a cluster, an aggregate with the independent coordinates of its loops, that stands on
one row, its base: the tree of clusters has no loops. With M the mass matrix of a cluster from its articulated inertias,
F its forces on the base at unit accelerations, N = [1; K], sigma the accelerations that the constraints require:

    D = N^T M N,  U = F N,  u = N^T (tau - W - M sigma),  I_A' = I_A - U D^-1 U^T,  p_A' = p_A + F sigma + U D^-1 u

and outwards qdd_i = D^-1 (u - U^T a), qdd_d = sigma + K qdd_i. A cluster of one free row is Featherstone's equation.
Accelerations are counted from ACC_BIAS, those at zero qdd of the FREE rows: bias forces p_A are wrenches at these.
"""

from __future__ import annotations

from ..codegen.jit import helper, inlined
from . import model_data as f
from .articulated_body import (
    add_branch_inertia,
    joint_acceleration,
    joint_space_inertia,
    shift_to_parent,
    store_acceleration,
    store_articulated,
)
from .dense_linear_algebra import ldl_factor, ldl_solve_rows
from .loop_blocks import solve_blocks
from .model_data import kernel
from .newton_euler import required_wrench
from .small_matrices import (
    ZERO_3,
    add_3,
    add_cross,
    dot,
    matrix_times,
    read_3,
    read_6,
    read_9,
    scale_3,
    subtract_outer,
    subtract_symmetric_outer,
    symmetric_times,
    transposed_times,
    write_3,
)


@inlined
def body_at_bias(d, i):
    """I_A of row i's body alone, and p_A, its wrench at zero qdd of the FREE rows."""
    mass, (hx, hy, hz) = d.row[i, f.MASS], read_3(d.row, i, f.FIRST_MOMENT)
    t, F = required_wrench(d, i, read_3(d.row, i, f.ACC_BIAS), read_3(d.row, i, f.ACC_BIAS + f.LINEAR))
    H = 0.0, -hz, hy, hz, 0.0, -hx, -hy, hx, 0.0
    store_articulated(d, i, read_6(d.row, i, f.INERTIA), H, (mass, mass, mass, 0.0, 0.0, 0.0), t, F)


@inlined
def articulated(d, i):
    """I_A = (J, H, M) and p_A = (t, F) of row i."""
    J, H, M = read_6(d.row, i, f.IA), read_9(d.row, i, f.IA_H), read_6(d.row, i, f.IA_M)
    return J, H, M, read_3(d.row, i, f.pA), read_3(d.row, i, f.pA + f.LINEAR)


@inlined
def add_to_parent(m, d, i, k, J, H, M, t, F):
    """Add I_A and p_A at row i's origin to those of its parent k."""
    if m.topo[i, f.SHIFT]:
        J, H, t = shift_to_parent(d, i, J, H, M, t, F)
    J, H, M, t, F = add_branch_inertia(d, k, J, H, M, t, F)
    store_articulated(d, k, J, H, M, t, F)


@inlined
def is_dependent(d, i):
    """True if the coordinate of row i follows from constraints."""
    return d.part[f.PLACE, i] >= 0


@inlined
def is_independent(m, d, i):
    """True if row i is FREE and its coordinate a state."""
    return m.topo[i, f.MODE] == f.FREE and d.part[f.PLACE, i] < 0


@inlined
def eliminate_row(m, d, i):
    """I_A - U U^T / D and p_A + U u / D of a row of the tree, to its parent; leaves U, D_INV and u."""
    k = m.topo[i, f.PARENT]
    J, H, M, t, F = articulated(d, i)
    if m.topo[i, f.MODE] == f.FREE:
        u, g, inv, left = joint_space_inertia(m, d, i, m.topo[i, f.KIND] == f.PRISMATIC, J, H, M, t, F)
        p, q, push = scale_3(inv, u), scale_3(inv, g), inv * left
        J, H, M = (
            subtract_symmetric_outer(J, u, p),
            subtract_outer(H, u, q),
            subtract_symmetric_outer(M, g, q),
        )
        t, F = add_3(t, scale_3(push, u)), add_3(F, scale_3(push, g))
    if k >= 0:
        add_to_parent(m, d, i, k, J, H, M, t, F)


@helper
def cluster_mass(m, d, first, end, base):
    """M, F and tau - W of a cluster by the composite-rigid-body algorithm on articulated inertias; these go to the
    base.
    """
    M_C, work, count = d.mass, d.cluster_work, end - first
    for b in range(count):
        for e in range(count):
            M_C[b, e] = 0.0
    for at in range(end - 1, first - 1, -1):
        i, b = m.member[at, f.CL_ROW], at - first
        J, H, M, t, F = articulated(d, i)
        k = m.topo[i, f.PARENT]
        if m.topo[i, f.MODE] == f.FREE:
            # momentum at a unit rate of the row: I_A s
            s, own = read_3(d.row, i, f.AXIS), m.row[i, f.COORDINATE + f.ARMATURE]
            if m.topo[i, f.KIND] == f.PRISMATIC:
                angular, linear = matrix_times(H, s), symmetric_times(M, s)
                work[b, f.CL_TAU] = d.row[i, f.TAU] - dot(s, F)
            else:
                angular, linear = symmetric_times(J, s), transposed_times(H, s)
                work[b, f.CL_TAU] = d.row[i, f.TAU] - dot(s, t)
            j = i
            while j != base:
                if m.topo[j, f.MODE] == f.FREE:
                    e = m.member[j, f.CL_PLACE] - first
                    along = dot(
                        linear if m.topo[j, f.KIND] == f.PRISMATIC else angular, read_3(d.row, j, f.AXIS)
                    )
                    M_C[b, e] = M_C[e, b] = along + own
                own = 0.0
                angular = add_cross(angular, read_3(d.row, j, f.p_parent), linear)
                j = m.topo[j, f.PARENT]
            write_3(work, b, f.CL_FORCE, angular)
            write_3(work, b, f.CL_FORCE + f.LINEAR, linear)
        if k >= 0:
            add_to_parent(m, d, i, k, J, H, M, t, F)


@helper
def required_accelerations(m, d, first, end):
    """sigma of a cluster, taken to the right-hand side: tau - W - M sigma."""
    work = d.cluster_work
    for at in range(first, end):
        i = m.member[at, f.CL_ROW]
        work[at - first, f.CL_SIGMA] = 0.0
        if is_dependent(d, i):
            sigma = work[at - first, f.CL_SIGMA] = d.solve[d.part[f.PLACE, i]]
            for b in range(end - first):
                work[b, f.CL_TAU] -= d.mass[b, at - first] * sigma


@helper
def add_dependent(m, d, first, end, n, count):
    """Column `count` of M N and of [U, u]: the dependent rows' shares K of the independent row n."""
    work, K = d.cluster_work, d.coupling[f.NOW]
    for at in range(first, end):
        i = m.member[at, f.CL_ROW]
        if is_dependent(d, i):
            share = K[d.part[f.PLACE, i], n]
            for j in range(7):
                work[count, f.CL_SOLVE + j] += share * work[at - first, f.CL_FORCE + j]
            for b in range(end - first):
                work[b, f.CL_CARRIED + count] += share * d.mass[b, at - first]


@helper
def project_momentum(m, d, first, end, i, count):
    """Entry of N^T (M N) of the independent row i and column `count`."""
    n, at = -1 - d.part[f.PLACE, i], m.member[i, f.CL_PLACE]
    total = d.cluster_work[at - first, f.CL_CARRIED + count]
    for by in range(first, end):
        k = m.member[by, f.CL_ROW]
        if is_dependent(d, k):
            share = d.coupling[f.NOW, d.part[f.PLACE, k], n]
            total += share * d.cluster_work[by - first, f.CL_CARRIED + count]
    return total


@helper
def project_cluster(m, d, first, end):
    """D = N^T M N to `reduced`, U = F N and u = N^T (tau - W - M sigma) to CL_SOLVE; returns the number of independent
    rows.
    """
    work, count = d.cluster_work, 0
    for at in range(first, end):
        i = m.member[at, f.CL_ROW]
        if is_independent(m, d, i):
            for j in range(7):
                work[count, f.CL_SOLVE + j] = work[at - first, f.CL_FORCE + j]
            for b in range(end - first):
                work[b, f.CL_CARRIED + count] = d.mass[b, at - first]
            add_dependent(m, d, first, end, -1 - d.part[f.PLACE, i], count)
            # the upper triangle
            e = 0
            for to in range(first, at + 1):
                if is_independent(m, d, m.member[to, f.CL_ROW]):
                    d.reduced[e, count] = project_momentum(m, d, first, end, m.member[to, f.CL_ROW], count)
                    e += 1
            count += 1
    return count


@helper
def eliminate_cluster(m, d, first, end, base):
    """I_A - U D^-1 U^T and p_A + F sigma + U D^-1 u of a cluster, to its base; leaves D^-1 U and D^-1 u in U and u of
    its independent rows.
    """
    cluster_mass(m, d, first, end, base)
    required_accelerations(m, d, first, end)
    count, work = project_cluster(m, d, first, end), d.cluster_work
    U, W = d.row, f.CL_SOLVE
    # U and u by row, as the solution takes the place of CL_SOLVE
    e = 0
    for at in range(first, end):
        i = m.member[at, f.CL_ROW]
        if is_independent(m, d, i):
            for j in range(6):
                U[i, f.U + j] = work[e, W + j]
            e += 1
    ldl_factor(d.reduced, count)
    ldl_solve_rows(d.reduced, count, work, W, W + 7)
    e = 0
    if base >= 0:
        J, H, M, t, F = articulated(d, base)
        for at in range(first, end):
            i = m.member[at, f.CL_ROW]
            if m.topo[i, f.MODE] != f.FREE:
                continue
            if is_dependent(d, i):
                sigma = work[at - first, f.CL_SIGMA]
                t = add_3(t, scale_3(sigma, read_3(work, at - first, f.CL_FORCE)))
                F = add_3(F, scale_3(sigma, read_3(work, at - first, f.CL_FORCE + f.LINEAR)))
            else:
                u, g = read_3(U, i, f.U), read_3(U, i, f.U + f.LINEAR)
                p, q, push = read_3(work, e, W), read_3(work, e, W + f.LINEAR), work[e, W + 6]
                J, H, M = (
                    subtract_symmetric_outer(J, u, p),
                    subtract_outer(H, u, q),
                    subtract_symmetric_outer(M, g, q),
                )
                t, F = add_3(t, scale_3(push, u)), add_3(F, scale_3(push, g))
                e += 1
        store_articulated(d, base, J, H, M, t, F)
    e = 0
    for at in range(first, end):
        i = m.member[at, f.CL_ROW]
        if is_independent(m, d, i):
            for j in range(6):
                U[i, f.U + j] = work[e, W + j]
            d.row[i, f.u] = work[e, W + 6]
            e += 1


@inlined
def is_tree_row(m, d, g):
    """True if cluster g is one row that follows from no constraint."""
    first = m.cluster[g, f.CL_FIRST]
    i = m.member[first, f.CL_ROW]
    alone = m.cluster[g, f.CL_END] - first == 1
    return alone and not is_dependent(d, i)


@inlined
def base_acceleration(d, base):
    """Acceleration of a cluster's base beyond ACC_BIAS, in ACC."""
    if base < 0:
        return ZERO_3, ZERO_3
    return read_3(d.row, base, f.ACC), read_3(d.row, base, f.ACC + f.LINEAR)


@helper
def accelerate_row(m, d, i, alone):
    """ACC of row i beyond ACC_BIAS: that of its parent, and s qdd of a FREE row; qdd of a row of the tree (`alone`)."""
    alpha, a = base_acceleration(d, m.topo[i, f.PARENT])
    a = add_cross(a, alpha, read_3(d.row, i, f.p_parent))
    if m.topo[i, f.MODE] == f.FREE:
        if alone:
            d.row[i, f.QDD] = joint_acceleration(d, i, alpha, a)
        store_acceleration(m, d, i, alpha, a)
    else:
        write_3(d.row, i, f.ACC, alpha)
        write_3(d.row, i, f.ACC + f.LINEAR, a)


@helper
def accelerate_cluster(m, d, first, end, base):
    """qdd_i = D^-1 u - (D^-1 U)^T a and qdd_d = sigma + K qdd_i of a cluster."""
    alpha, a = base_acceleration(d, base)
    for at in range(first, end):
        i = m.member[at, f.CL_ROW]
        if is_independent(m, d, i):
            u, g = read_3(d.row, i, f.U), read_3(d.row, i, f.U + f.LINEAR)
            d.row[i, f.QDD] = d.row[i, f.u] - dot(u, alpha) - dot(g, a)
    for at in range(first, end):
        i = m.member[at, f.CL_ROW]
        if is_dependent(d, i):
            p = d.part[f.PLACE, i]
            s = d.solve[p]
            for b in range(d.part[f.FIRST_FREE, p], d.part[f.END_FREE, p]):
                s += d.coupling[f.NOW, p, b] * d.row[d.part[f.INDEPENDENT, b], f.QDD]
            d.row[i, f.QDD] = s
    for at in range(first, end):
        accelerate_row(m, d, m.member[at, f.CL_ROW], False)


@kernel
def solve_embedded(m, d):
    """qdd of all FREE rows; `solve` holds gamma, the accelerations that the constraints require, then sigma."""
    solve_blocks(m, d, d.coupling.shape[1])
    for i in range(m.topo.shape[0]):
        body_at_bias(d, i)
    for g in range(m.cluster.shape[0] - 1, -1, -1):
        first, end, base = m.cluster[g, f.CL_FIRST], m.cluster[g, f.CL_END], m.cluster[g, f.CL_BASE]
        if is_tree_row(m, d, g):
            eliminate_row(m, d, m.member[first, f.CL_ROW])
        else:
            eliminate_cluster(m, d, first, end, base)
    for g in range(m.cluster.shape[0]):
        first, end, base = m.cluster[g, f.CL_FIRST], m.cluster[g, f.CL_END], m.cluster[g, f.CL_BASE]
        if is_tree_row(m, d, g):
            accelerate_row(m, d, m.member[first, f.CL_ROW], True)
        else:
            accelerate_cluster(m, d, first, end, base)
