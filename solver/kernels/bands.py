"""Bands: an expression of p_AB or of joints is free between two edges; at an edge an ideal force keeps it from leaving.

Tolerance bands of components have two edges, inequalities one and the other at infinity. Phi(x, y, z, targets) is run
as a tape (holonomic_expression), its multiplier lambda acts along g = dPhi/d(x, y, z): a force on b, or an effort on
each joint. Inside lambda = 0. At an edge, side s = 1 (upper) or -1 (lower): Phi' = 0 by a plastic impact, then
Phi'' = 0 while the force -s lambda >= 0 points inwards (Pfeiffer and Glocker 1996). Edges that act together are a
linear complementarity problem in A = J M^-1 J^T, M with all other constraints, solved by principal pivots of least
index (Murty 1974), which end where A is positive definite. Responses A are those of the forward dynamics to unit
forces, so that trees, loops and drives need no equations of their own. Sides are memories: they change between steps
alone.
"""

from __future__ import annotations

from ..codegen.jit import helper
from . import model_data as f
from .frame_kinematics import (
    angular_velocity,
    apply_wrench,
    frame_axes,
    frame_position,
    point_acceleration,
    point_velocity,
)
from .holonomic_expression import run_tape
from .joint_reactions import dynamics_closed
from .model_data import kernel
from .newton_euler import propagate_all
from .small_matrices import (
    ZERO_3,
    add_to_3,
    cross,
    dot,
    matrix_times,
    read_3,
    scale_3,
    subtract_3,
    transposed_times,
    write_3,
)
from .tree_dynamics import dynamics

EPS = 2.220446049250313e-16
PIVOTS = 1000  # most pivots of a complementarity problem; 2^k end it in exact arithmetic


@helper
def is_band(m, e):
    """True if element e is a band."""
    return m.element[e, f.E_KIND] == f.BAND


@helper
def acts(m, d, e):
    """True if element e is a band that acts at an edge."""
    return is_band(m, e) and d.element_out[e, f.BAND_SIDE] != 0.0


@helper
def relates_joints(m, e):
    """True if x, y, z of a band are joint coordinates."""
    return m.element[e, f.E_JOINTS] >= 0


@helper
def band_variables(m, d, e):
    """x, y, z of a band and their rates, to `variables`, whose second rates are zero; no others are named in it."""
    x = d.variables
    for k in range(3):
        x[0, f.PLACES + k] = x[1, f.PLACES + k] = x[2, f.PLACES + k] = 0.0
    if relates_joints(m, e):
        for k in range(3):
            i = m.element[e, f.E_JOINTS + k]
            if i >= 0:
                x[0, f.PLACES + k], x[1, f.PLACES + k] = d.row[i, f.Q], d.row[i, f.V]
        return
    a, b = m.element[e, f.E_FRAME_A], m.element[e, f.E_FRAME_B]
    at, R_WA = frame_position(m, d, b), frame_axes(m, d, a)
    gap = transposed_times(R_WA, subtract_3(at, frame_position(m, d, a)))
    rate = transposed_times(R_WA, subtract_3(point_velocity(m, d, b, at), point_velocity(m, d, a, at)))
    for k in range(3):
        x[0, f.PLACES + k], x[1, f.PLACES + k] = gap[k], rate[k]


@helper
def band_motion(m, d, e):
    """Phi, Phi', g, and Phi'' at zero second rates of x, y, z."""
    out, first, last = d.element_out, m.element[e, f.E_FIRST], m.element[e, f.E_LAST]
    band_variables(m, d, e)
    run_tape(m.tape, first, last, m.tape_value, d.variables, d.target, d.choice, 0, d.stack)
    out[e, f.BAND_GAP], out[e, f.BAND_RATE] = d.stack[0, f.VALUE], d.stack[0, f.RATE]
    out[e, f.BAND_BIAS] = d.stack[0, f.SECOND]
    out[e, f.BAND_SPEED] = out[e, f.BAND_SIZE] = 0.0
    for k in range(3):
        g = d.stack[0, f.SLOPES + k]
        out[e, f.BAND_SLOPE + k] = g
        out[e, f.BAND_SPEED] += g * d.variables[1, f.PLACES + k]
        out[e, f.BAND_SIZE] += abs(g * d.variables[0, f.PLACES + k])
    if not relates_joints(m, e):
        along = matrix_times(frame_axes(m, d, m.element[e, f.E_FRAME_A]), read_3(out, e, f.BAND_SLOPE))
        write_3(out, e, f.BAND_DIRECTION, along)


@helper
def band_acceleration(m, d, e):
    """Phi'' = g . (x'', y'', z'') + its bias, and the size of these terms, to BAND_ACC; after `propagate_all`."""
    out = d.element_out
    total, size = out[e, f.BAND_BIAS], abs(out[e, f.BAND_BIAS])
    if relates_joints(m, e):
        for k in range(3):
            i = m.element[e, f.E_JOINTS + k]
            if i >= 0:
                term = out[e, f.BAND_SLOPE + k] * d.row[i, f.QDD]
                total, size = total + term, size + abs(term)
        out[e, f.BAND_ACC], out[e, f.BAND_TERMS] = total, size
        return
    a, b = m.element[e, f.E_FRAME_A], m.element[e, f.E_FRAME_B]
    at = frame_position(m, d, b)
    rate = subtract_3(point_velocity(m, d, b, at), point_velocity(m, d, a, at))
    # gap'' seen from a: relative acceleration less the Coriolis term 2 w_A x gap'
    of_b, of_a = point_acceleration(m, d, b, at, f.ACC), point_acceleration(m, d, a, at, f.ACC)
    turning, along = scale_3(2.0, cross(angular_velocity(m, d, a), rate)), read_3(out, e, f.BAND_DIRECTION)
    for k in range(3):
        size += abs(along[k]) * (abs(of_b[k]) + abs(of_a[k]) + abs(turning[k]))
    out[e, f.BAND_ACC] = total + dot(along, subtract_3(subtract_3(of_b, of_a), turning))
    out[e, f.BAND_TERMS] = size


@helper
def accelerate(m, d):
    """Forward dynamics under the forces of bands as they are, and Phi'' of all bands."""
    if m.constraint.shape[0] > 0:
        dynamics_closed(m, d)
    else:
        dynamics(m, d)
    propagate_all(m, d)
    for e in range(m.element.shape[0]):
        if is_band(m, e):
            band_acceleration(m, d, e)


@helper
def push(m, d, e, force):
    """Add `force` to lambda of a band: on b along g and its opposite on a at the same point, or on joints."""
    if relates_joints(m, e):
        for k in range(3):
            i = m.element[e, f.E_JOINTS + k]
            if i >= 0:
                d.row[i, f.STOP_EFFORT] += force * d.element_out[e, f.BAND_SLOPE + k]
    else:
        a, b = m.element[e, f.E_FRAME_A], m.element[e, f.E_FRAME_B]
        at, along = frame_position(m, d, b), scale_3(force, read_3(d.element_out, e, f.BAND_DIRECTION))
        apply_wrench(m, d, b, at, ZERO_3, along, 1.0)
        apply_wrench(m, d, a, at, ZERO_3, along, -1.0)
        add_to_3(d.element_out, e, f.FORCE_ON_B, along)
    d.element_out[e, f.BAND_FORCE] += force
    d.element_out[e, f.POWER_IN] = d.element_out[e, f.BAND_FORCE] * d.element_out[e, f.BAND_SPEED]


@helper
def responses(m, d):
    """A of the bands that act, Phi'' under unit forces less that without, to `band`; returns their number."""
    col = 0
    for j in range(m.element.shape[0]):
        if acts(m, d, j):
            push(m, d, j, 1.0)
            accelerate(m, d)
            row = 0
            for i in range(m.element.shape[0]):
                if acts(m, d, i):
                    d.band[row, col] = d.element_out[i, f.BAND_ACC] - d.element_out[i, f.BAND_FREE]
                    row += 1
            push(m, d, j, -1.0)
            col += 1
    return col


@helper
def eliminate(B, n, k):
    """Solve B[:k, n:n + k] y = B[:k, n + k] in place by Gaussian elimination with row pivots; y in column n + k."""
    for p in range(k):
        best = p
        for i in range(p + 1, k):
            if abs(B[i, n + p]) > abs(B[best, n + p]):
                best = i
        for j in range(n + p, n + k + 1):
            B[p, j], B[best, j] = B[best, j], B[p, j]
        for i in range(p + 1, k):
            g = B[i, n + p] / B[p, n + p]
            for j in range(n + p, n + k + 1):
                B[i, j] -= g * B[p, j]
    for p in range(k - 1, -1, -1):
        for j in range(p + 1, k):
            B[p, n + k] -= B[p, n + j] * B[j, n + k]
        B[p, n + k] /= B[p, n + p]


@helper
def balance_bands(m, d, k):
    """lambda += -A^-1 Phi'' for the k bands that act."""
    n, row = d.band.shape[0], 0
    for e in range(m.element.shape[0]):
        if acts(m, d, e):
            for j in range(k):
                d.band[row, n + j] = d.band[row, j]
            d.band[row, n + k] = -d.element_out[e, f.BAND_ACC]
            row += 1
    eliminate(d.band, n, k)
    row = 0
    for e in range(m.element.shape[0]):
        if acts(m, d, e):
            push(m, d, e, d.band[row, n + k])
            row += 1


@helper
def band_margin(m, d, e):
    """MARGIN of a band: positive until it meets an edge, or while its edge pushes inwards."""
    out = d.element_out
    if out[e, f.BAND_SIDE] != 0.0:
        out[e, f.MARGIN] = -out[e, f.BAND_SIDE] * out[e, f.BAND_FORCE]
        return
    gap, rate = out[e, f.BAND_GAP], out[e, f.BAND_RATE]
    upper = max(m.element_value[e, f.BAND_UPPER] - gap, -rate)
    lower = max(gap - m.element_value[e, f.BAND_LOWER], rate)
    # from rest at the edge that it leaves
    if out[e, f.BAND_LEFT] > 0.0:
        upper = max(upper, -out[e, f.BAND_ACC])
    elif out[e, f.BAND_LEFT] < 0.0:
        lower = max(lower, out[e, f.BAND_ACC])
    out[e, f.MARGIN] = min(upper, lower)


@helper
def without_bands(m, d):
    """Forward dynamics with lambda = 0 of all bands; their Phi'' is kept in BAND_FREE."""
    for e in range(m.element.shape[0]):
        if is_band(m, e):
            push(m, d, e, -d.element_out[e, f.BAND_FORCE])
    accelerate(m, d)
    for e in range(m.element.shape[0]):
        if is_band(m, e):
            d.element_out[e, f.BAND_FREE] = d.element_out[e, f.BAND_ACC]


@kernel
def dynamics_banded(m, d):
    """qdd with the forces of bands at their edges: Phi'' = 0 where one acts, lambda = 0 elsewhere."""
    for e in range(m.element.shape[0]):
        if is_band(m, e):
            band_motion(m, d, e)
            # WRENCH_EXT is new in each evaluation
            d.element_out[e, f.BAND_FORCE] = 0.0
            write_3(d.element_out, e, f.TORQUE_ON_B, ZERO_3)
            write_3(d.element_out, e, f.FORCE_ON_B, ZERO_3)
    without_bands(m, d)
    k = responses(m, d)
    if k > 0:
        # differences leave some digits of A: the second round takes them back
        accelerate(m, d)
        for _ in range(2):
            balance_bands(m, d, k)
            accelerate(m, d)
    for e in range(m.element.shape[0]):
        if is_band(m, e):
            band_margin(m, d, e)


@helper
def complementarity(m, d, k, column):
    """Murty's principal pivots for w = q + A' z, w >= 0, z >= 0, w z = 0, A'_ij = s_i s_j A_ij; True if solved.

    q = -s times `column` of the bands that act. z goes to column 2 n + 1 of `band`, 1 for what is basic to 2 n + 2. A
    w below zero by less than its rounding is zero: an event is located where w is, and its edge is then left.
    """
    B, n = d.band, d.band.shape[0]
    row = 0
    for e in range(m.element.shape[0]):
        if acts(m, d, e):
            s = d.element_out[e, f.BAND_SIDE]
            B[row, 2 * n + 3], B[row, 2 * n + 4] = s, -s * d.element_out[e, column]
            B[row, 2 * n + 2], B[row, 2 * n + 5] = 0.0, d.element_out[e, f.BAND_TERMS]
            if column == f.BAND_RATE:
                B[row, 2 * n + 5] = abs(d.element_out[e, f.BAND_SPEED]) + abs(d.element_out[e, f.BAND_RATE])
            row += 1
    for _ in range(PIVOTS):
        for i in range(k):
            basic = B[i, 2 * n + 2] != 0.0
            for j in range(k):
                entry = B[i, 2 * n + 3] * B[j, 2 * n + 3] * B[i, j]
                B[i, n + j] = entry if basic else 1.0 * (i == j)
            B[i, n + k] = -B[i, 2 * n + 4] if basic else 0.0
        eliminate(B, n, k)
        for i in range(k):
            B[i, 2 * n + 1] = B[i, n + k]
        wrong = -1
        for i in range(k):
            left, size = B[i, 2 * n + 4], B[i, 2 * n + 5]
            for j in range(k):
                part = B[i, 2 * n + 3] * B[j, 2 * n + 3] * B[i, j] * B[j, 2 * n + 1]
                left, size = left + part, size + abs(part)
            basic = B[i, 2 * n + 2] != 0.0
            bad = B[i, 2 * n + 1] < 0.0 if basic else left < -(k + 2 + d.row.shape[0]) * EPS * size
            if bad and wrong < 0:
                wrong = i
        if wrong < 0:
            return True
        B[wrong, 2 * n + 2] = 1.0 - B[wrong, 2 * n + 2]
    return False


@helper
def fail(m, d):
    """Make the first rate of the mechanism NaN, which ends the run."""
    for j in range(m.state.shape[0]):
        if m.state[j, f.ST_KIND] == f.V_STATE:
            d.x[m.state[j, f.ST_AT]] = float("nan")
            return


@helper
def impact(m, d):
    """Plastic impact at all edges that act: v += M^-1 J^T Lambda, Phi' inwards or zero after it.

    IMPACT_LOSS is what the impulses take, IMPACT_WORK what moving targets give.
    """
    without_bands(m, d)
    for i in range(d.row.shape[0]):
        d.kick[i] = d.row[i, f.QDD]
    k = responses(m, d)
    if not complementarity(m, d, k, f.BAND_RATE):
        fail(m, d)
        return
    row, n = 0, d.band.shape[0]
    for e in range(m.element.shape[0]):
        if acts(m, d, e):
            push(m, d, e, -d.element_out[e, f.BAND_SIDE] * d.band[row, 2 * n + 1])
            row += 1
    accelerate(m, d)
    for e in range(m.element.shape[0]):
        if acts(m, d, e):
            change = d.element_out[e, f.BAND_ACC] - d.element_out[e, f.BAND_FREE]
            mean = d.element_out[e, f.BAND_RATE] + 0.5 * change
            impulse = d.element_out[e, f.BAND_FORCE]
            d.scalar[f.IMPACT_WORK] += impulse * (
                d.element_out[e, f.BAND_SPEED] - d.element_out[e, f.BAND_RATE]
            )
            d.scalar[f.IMPACT_LOSS] -= impulse * mean
    for j in range(m.state.shape[0]):
        if m.state[j, f.ST_KIND] == f.V_STATE:
            i = m.state[j, f.ST_ROW]
            d.x[m.state[j, f.ST_AT]] += d.row[i, f.QDD] - d.kick[i]


@helper
def choose_sides(m, d):
    """Edges that go on pushing, and those that are left, by the accelerations."""
    for e in range(m.element.shape[0]):
        if is_band(m, e) and d.element_out[e, f.BAND_LEFT] != 0.0:
            d.element_out[e, f.BAND_SIDE], d.element_out[e, f.BAND_LEFT] = d.element_out[e, f.BAND_LEFT], 0.0
    without_bands(m, d)
    k = responses(m, d)
    if k == 0:
        return
    if not complementarity(m, d, k, f.BAND_FREE):
        fail(m, d)
        return
    row, n = 0, d.band.shape[0]
    for e in range(m.element.shape[0]):
        if acts(m, d, e):
            if d.band[row, 2 * n + 2] == 0.0:
                d.element_out[e, f.BAND_LEFT] = d.element_out[e, f.BAND_SIDE]
                d.element_out[e, f.BAND_SINCE] = d.scalar[f.TIME_S]
                # SIDE is read by `acts` of the others: it is cleared below
            row += 1
    for e in range(m.element.shape[0]):
        if is_band(m, e) and d.element_out[e, f.BAND_LEFT] != 0.0:
            d.element_out[e, f.BAND_SIDE] = 0.0


@kernel
def decide_bands(m, d):
    """Sides of all bands at the state that was evaluated: impacts of those that meet an edge, else by accelerations.

    After an impact it is called again, with the rates that this leaves.
    """
    out, hit = d.element_out, False
    d.scalar[f.IMPACT_LOSS] = d.scalar[f.IMPACT_WORK] = 0.0
    for e in range(m.element.shape[0]):
        if not is_band(m, e) or out[e, f.BAND_SIDE] != 0.0:
            continue
        if out[e, f.BAND_LEFT] != 0.0 and out[e, f.BAND_SINCE] != d.scalar[f.TIME_S]:
            out[e, f.BAND_LEFT] = 0.0
        if out[e, f.BAND_LEFT] == 0.0:
            gap, rate = out[e, f.BAND_GAP], out[e, f.BAND_RATE]
            if gap >= m.element_value[e, f.BAND_UPPER] and rate >= 0.0:
                out[e, f.BAND_SIDE] = 1.0
                hit = True
            elif gap <= m.element_value[e, f.BAND_LOWER] and rate <= 0.0:
                out[e, f.BAND_SIDE] = -1.0
                hit = True
    if hit:
        impact(m, d)
    else:
        choose_sides(m, d)
