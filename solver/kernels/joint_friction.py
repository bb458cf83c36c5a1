"""Joint friction under a given load or under the joint's own reaction.

A law gives a coefficient mu from the state: the speed v and, in bristle laws, their deflection z. The effort is
-mu N d/2 on a pin of diameter d and -mu N on a slide, N the constraint force across the axis. N depends on the
accelerations, and these on friction, both linearly in the friction efforts. Responses to unit efforts then give
N_j = |R_j - sum_b C_jb grip_b N_b|, with grip = mu d/2 or mu: a small system that Newton's method solves to rounding
in the same evaluation.
"""

from __future__ import annotations

import math

from ..codegen.jit import helper
from . import model_data as f
from .articulated_body import unit_effort_accelerations
from .dense_linear_algebra import is_finite, lu_factor, lu_solve
from .model_data import kernel
from .newton_euler import propagate_all
from .small_matrices import (
    add_3,
    add_symmetric_vector,
    dot,
    read_3,
    read_6,
    read_9,
    read_down,
    scale_3,
    subtract_3,
    transposed_times,
    write_3,
    write_down,
)
from .stiction import bristle_force
from .tree_dynamics import forward_dynamics, state_rates

ITERATIONS = 30
# relative correction of the loads at which Newton stops: the error left is of its square
BALANCED = 1e-9
WITHIN, SHARES = 0.9, 64  # part of a proved stretch of regular shares that is gone at a time; most stretches
STEEP = 10.0  # regularised Coulomb friction: tanh(STEEP v / v_s), v_s the Stribeck velocity


@helper
def stribeck(m, i, v):
    """Stribeck curve g(v) = mu_k + (mu_s - mu_k) exp(-(v / v_s)^2) of row i."""
    w = v / m.row[i, f.FRICTION + f.F_STRIBECK]
    mu_k = m.row[i, f.FRICTION + f.F_MU_K]
    return mu_k + (m.row[i, f.FRICTION + f.F_MU_S] - mu_k) * math.exp(-w * w)


@helper
def friction_coefficient(m, d, i):
    """mu of row i by its law; the bristle rate goes to BRISTLE_RATE."""
    law, v, z = m.row[i, f.FRICTION + f.F_LAW], d.row[i, f.V], d.row[i, f.BRISTLE]
    s0 = m.row[i, f.FRICTION + f.F_SIGMA_0]
    if law == f.VISCOUS:
        return m.row[i, f.FRICTION + f.F_SIGMA_2] * v
    if law == f.COULOMB:
        return stribeck(m, i, v) * math.tanh(STEEP * v / m.row[i, f.FRICTION + f.F_STRIBECK])
    if law == f.DAHL:
        # Dahl (1968); |r| ^ gamma sgn(r), as r falls below zero when the bristles are bent beyond mu_s / sigma_0
        r = 1.0 - s0 * z * math.copysign(1.0, v) / m.row[i, f.FRICTION + f.F_MU_S]
        rate = v * math.copysign(abs(r) ** m.row[i, f.FRICTION + f.F_GAMMA], r)
        d.row[i, f.BRISTLE_RATE] = rate
        return s0 * z
    if law == f.ELASTOPLASTIC:
        # spring and damper of the bristle never exceed g; the viscous part comes on top
        s1, g = m.row[i, f.FRICTION + f.F_SIGMA_1], stribeck(m, i, v)
        held, _, slip, _ = bristle_force(False, (z, 0.0), (v, 0.0), (s0, s0), (s1, s1), g)
        d.row[i, f.BRISTLE_RATE] = v - slip
        return held + m.row[i, f.FRICTION + f.F_SIGMA_2] * v
    # Canudas de Wit, Olsson, Astrom and Lischinsky (1995), eq. 2 to 4
    rate = v - s0 * abs(v) * z / stribeck(m, i, v)
    d.row[i, f.BRISTLE_RATE] = rate
    return s0 * z + m.row[i, f.FRICTION + f.F_SIGMA_1] * rate + m.row[i, f.FRICTION + f.F_SIGMA_2] * v


@helper
def friction_laws(m, d):
    """GRIP of all rows, FRICTION_EFFORT under given loads; returns the number of rows loaded by their own reaction."""
    k = 0
    for i in range(m.topo.shape[0]):
        if m.row[i, f.FRICTION + f.F_LAW] == f.FRICTIONLESS:
            continue
        grip = friction_coefficient(m, d, i) * m.row[i, f.FRICTION + f.F_LEVER]
        load = m.row[i, f.FRICTION + f.F_LOAD]
        d.row[i, f.GRIP], d.row[i, f.NORMAL] = grip, load
        d.row[i, f.FRICTION_EFFORT] = -grip * load
        if load < 0.0:
            d.row[i, f.FRICTION_EFFORT] = 0.0
            d.part[f.LOADED, k] = i
            k += 1
    return k


@helper
def reject_axis(d, i, v):
    """v - (v . s) s: component of v across the axis of row i."""
    axis = read_3(d.row, i, f.AXIS)
    return subtract_3(v, scale_3(dot(v, axis), axis))


@helper
def store_load(d, i, force):
    """Store the frictionless load R of row i, the force across its axis [N, in W]."""
    write_3(d.row, i, f.LOAD, reject_axis(d, i, force))


@helper
def store_load_response(d, j, b, force):
    """Store C_jb: change of the load of loaded row j by a unit effort on loaded row b."""
    write_down(d.answers, 3 * j, b, reject_axis(d, d.part[f.LOADED, j], force))


@helper
def balance_loads(d, k):
    """Newton's method for N_j = |R_j - sum_b C_jb grip_b N_b|, started at zero friction.

    The joints jam (FRICTION_JAM, N = NaN) unless the solution is known to follow from that without friction
    (`follows_from_no_friction`).
    """
    A, C = d.balance, d.answers
    for j in range(k):
        d.row[d.part[f.LOADED, j], f.NORMAL] = 0.0
    balanced, known = False, True
    for _ in range(ITERATIONS):
        for j in range(k):
            i = d.part[f.LOADED, j]
            load = read_3(d.row, i, f.LOAD)
            known = known and is_finite(load[0] + load[1] + load[2])
            for b in range(k):
                effort = d.row[d.part[f.LOADED, b], f.GRIP] * d.row[d.part[f.LOADED, b], f.NORMAL]
                load = subtract_3(load, scale_3(effort, read_down(C, 3 * j, b)))
            length = math.sqrt(dot(load, load))
            inv = 1.0 / length if length > 0.0 else 0.0
            for b in range(k):
                along = dot(load, read_down(C, 3 * j, b))
                A[k + j, b] = A[j, b] = inv * along * d.row[d.part[f.LOADED, b], f.GRIP]
            A[j, j] += 1.0
            d.solve[j] = length - d.row[i, f.NORMAL]
        if not known:  # loads that are not finite have no balance
            break
        lu_factor(A, d.part[f.PIVOT_LOADED], k)
        lu_solve(A, d.part[f.PIVOT_LOADED], k, d.solve)
        step = largest = 0.0
        for j in range(k):
            i = d.part[f.LOADED, j]
            d.row[i, f.NORMAL] += d.solve[j]
            step, largest = max(step, abs(d.solve[j])), max(largest, abs(d.row[i, f.NORMAL]))
        if step <= BALANCED * largest:
            balanced = follows_from_no_friction(d, k)
            break
    if not balanced:
        if known and d.scalar[f.FRICTION_JAM] == 0.0:
            d.scalar[f.FRICTION_JAM] = 1.0 + strongest_feedback_row(d, k)
        for j in range(k):
            d.row[d.part[f.LOADED, j], f.NORMAL] = float("nan")


@helper
def follows_from_no_friction(d, k):
    """True if 1 + s G is proved regular for every share 0 <= s <= 1 of the friction; G: rows k to 2 k of `balance`.

    G_jb = e_j . C_jb grip_b at the solution, e_j the direction of load j: at a singular share the loads and the
    friction feed each other without limit. From a regular share s all up to s + 1/r are regular, r = |(1 + s G)^-1 G|
    in the norm of column sums. False where that does not arrive at 1: singular, or too close to it to be known.
    """
    A, share = d.balance, 0.0
    for _ in range(SHARES):
        growth = 0.0
        if share > 0.0:
            for j in range(k):
                for b in range(k):
                    A[j, b] = share * A[k + j, b]
                A[j, j] += 1.0
            lu_factor(A, d.part[f.PIVOT_LOADED], k)
        for b in range(k):
            for j in range(k):
                d.solve[j] = A[k + j, b]
            if share > 0.0:
                lu_solve(A, d.part[f.PIVOT_LOADED], k, d.solve)
            column = 0.0
            for j in range(k):
                column += abs(d.solve[j])
            if not column <= growth:
                growth = column
        if not growth < 1.0 / BALANCED:  # of loads that are balanced to that no digit is left
            return False
        if growth * (1.0 - share) <= WITHIN:
            return True
        share += WITHIN / growth
    return False


@helper
def strongest_feedback_row(d, k):
    """Row with the largest |grip C_jj|, the feedback of its friction on its own load."""
    best, row = -1.0, 0
    for j in range(k):
        i = d.part[f.LOADED, j]
        answer = read_down(d.answers, 3 * j, j)
        size = abs(d.row[i, f.GRIP]) * math.sqrt(dot(answer, answer))
        if size > best:
            best, row = size, i
    return row


@helper
def articulated_force(d, i, alpha, a):
    """Force H^T alpha + M a of the articulated inertia of row i."""
    return add_symmetric_vector(
        transposed_times(read_9(d.row, i, f.IA_H), alpha), read_6(d.row, i, f.IA_M), a
    )


@helper
def store_frictionless_loads(d, k):
    """Forces that the loaded rows transmit in the tree without friction and constraints, to LOAD."""
    for j in range(k):
        i = d.part[f.LOADED, j]
        force = articulated_force(d, i, read_3(d.row, i, f.ACC), read_3(d.row, i, f.ACC + f.LINEAR))
        write_3(d.row, i, f.LOAD, add_3(force, read_3(d.row, i, f.pA + f.LINEAR)))


@helper
def transmitted_force(d, i, w):
    """Force [N] in W that row i transmits under unit effort number w of a sweep, without other loads."""
    L, at = d.sweep, f.LANE * w + f.LANE_ACC
    force = articulated_force(d, i, read_3(L, i, at), read_3(L, i, at + f.LINEAR))
    return add_3(force, read_3(L, i, f.LANE * w + f.LINEAR))


@helper
def apply_unit_efforts(d, y, k):
    """Unit efforts on the k loaded rows, last first, to rows y to y + k of `response`."""
    for b in range(k):
        for i in range(d.row.shape[0]):
            d.response[y + b, i] = 0.0
        d.response[y + b, d.part[f.LOADED, k - 1 - b]] = 1.0


@helper
def apply_friction_efforts(d, y, k):
    """Friction efforts -grip N to FRICTION_EFFORT and TAU, and their accelerations added to QDD.

    The unit responses are in rows y to y + k of `response`, last first.
    """
    for j in range(k):
        i = d.part[f.LOADED, j]
        effort = -d.row[i, f.GRIP] * d.row[i, f.NORMAL]
        d.row[i, f.FRICTION_EFFORT] = effort
        d.row[i, f.TAU] += effort
        for a in range(d.row.shape[0]):
            d.row[a, f.QDD] += effort * d.response[y + k - 1 - j, a]


@helper
def forward_friction(m, d):
    """qdd of a tree with joint friction."""
    k = friction_laws(m, d)
    forward_dynamics(m, d)
    if k == 0:
        return
    store_frictionless_loads(d, k)
    apply_unit_efforts(d, 0, k)
    for first in range(0, k, f.LANES):
        count = min(f.LANES, k - first)
        unit_effort_accelerations(m, d, first, count, 0, k - 1 - first)
        for w in range(count):
            for j in range(k):
                store_load_response(d, j, k - 1 - first - w, transmitted_force(d, d.part[f.LOADED, j], w))
    for j in range(k):
        i = d.part[f.LOADED, j]
        store_load(d, i, read_3(d.row, i, f.LOAD))
    balance_loads(d, k)
    apply_friction_efforts(d, 0, k)
    propagate_all(m, d)


@kernel
def dynamics_friction(m, d):
    """qdd of a tree with joint friction, and the state rates."""
    forward_friction(m, d)
    state_rates(m, d)
