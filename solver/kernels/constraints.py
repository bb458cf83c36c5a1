"""Constraints: residuals, rates, Jacobian and the accelerations that velocities alone give them.

Every scalar constraint pushes along a wrench: Phi' = w . (V_B - V_A), with V the spatial velocity of the bodies of
frames b and a, so that the Jacobian is that wrench seen by the rows between the two, and a multiplier times the
wrench is the constraint's force on b, and its opposite on a. A relation between joints has no wrench: its multiplier
is an effort on each of them, in proportion to the slope there.
"""

from __future__ import annotations

from ..machine import fields as f
from ..machine.fields import kernel
from ..machine.jit import helper, inlined
from .frames import frame_axes, frame_axis, frame_position, point_velocity, spin
from .relation import run_relation, second
from .tuples import add_3, cross, less_3, read_3


@inlined
def bias_of_point(m, d, frame, x, y, z):
    """Acceleration that velocities (and driven rows) alone give the point x, y, z of the body of a frame."""
    i = m.frame_row[frame]
    if i < 0:
        return -m.constant[f.G], -m.constant[f.G + 1], -m.constant[f.G + 2]
    r, w = less_3((x, y, z), read_3(d.row, i, f.POSITION)), read_3(d.row, i, f.TWIST)
    a = add_3(read_3(d.row, i, f.FREE_ACC + f.LINEAR), cross(read_3(d.row, i, f.FREE_ACC), r))
    return add_3(a, cross(w, cross(w, r)))


@inlined
def locate_ties(m, d):
    """Where the frames of all constraints are, and how far apart."""
    for t in range(m.tie.shape[0]):
        a, b, tie = m.tie[t, f.T_FRAME_A], m.tie[t, f.T_FRAME_B], d.tie[t]
        A = frame_axes(m, d, a)
        tie[f.AXES_A], tie[f.AXES_A + 1], tie[f.AXES_A + 2] = A[0], A[1], A[2]
        tie[f.AXES_A + 3], tie[f.AXES_A + 4], tie[f.AXES_A + 5] = A[3], A[4], A[5]
        tie[f.AXES_A + 6], tie[f.AXES_A + 7], tie[f.AXES_A + 8] = A[6], A[7], A[8]
        ox, oy, oz = frame_position(m, d, a)
        px, py, pz = frame_position(m, d, b)
        tie[f.AT], tie[f.AT + 1], tie[f.AT + 2] = px, py, pz
        tie[f.GAP], tie[f.GAP + 1], tie[f.GAP + 2] = px - ox, py - oy, pz - oz


@inlined
def move_ties(m, d):
    """How frame b of all constraints moves as a sees it; from FREE_ACC."""
    for t in range(m.tie.shape[0]):
        a, b, tie = m.tie[t, f.T_FRAME_A], m.tie[t, f.T_FRAME_B], d.tie[t]
        px, py, pz = tie[f.AT], tie[f.AT + 1], tie[f.AT + 2]
        wx, wy, wz = spin(m, d, a)
        vx, vy, vz = point_velocity(m, d, b, px, py, pz)
        ux, uy, uz = point_velocity(m, d, a, px, py, pz)
        ux, uy, uz = vx - ux, vy - uy, vz - uz
        tie[f.GAP_RATE], tie[f.GAP_RATE + 1], tie[f.GAP_RATE + 2] = ux, uy, uz
        ex, ey, ez = cross((wx, wy, wz), (ux, uy, uz))
        vx, vy, vz = bias_of_point(m, d, b, px, py, pz)
        ux, uy, uz = bias_of_point(m, d, a, px, py, pz)
        # less what the turning of a adds to it, Coriolis's part last
        tie[f.GAP_BIAS] = vx - ux - 2.0 * ex
        tie[f.GAP_BIAS + 1] = vy - uy - 2.0 * ey
        tie[f.GAP_BIAS + 2] = vz - uz - 2.0 * ez


@helper
def along(tie, k, w):
    """Component along axis k of frame a of the vector in column w of a tie."""
    return (
        tie[f.AXES_A + k] * tie[w] + tie[f.AXES_A + 3 + k] * tie[w + 1] + tie[f.AXES_A + 6 + k] * tie[w + 2]
    )


@inlined
def between_joints(m, c):
    """Whether a constraint is a relation of joints' coordinates."""
    return m.constraint[c, f.C_JOINTS] >= 0


@inlined
def relation_variables(m, d, c, tie):
    """Place of b in a's axes, or the joints' coordinates; and the time."""
    for k in range(3):
        i = m.constraint[c, f.C_JOINTS + k]
        if i >= 0:
            d.variables[0, k] = d.row[i, f.Q]
        elif between_joints(m, c):
            d.variables[0, k] = 0.0
        else:
            d.variables[0, k] = along(tie, k, f.GAP)
    d.variables[0, 3] = d.target[m.constraint[c, f.C_TARGET], f.TARGET]


@inlined
def relation_motion(m, d, c, tie, k):
    """Rate of variable x, y or z, and its second rate without accelerations of the free rows."""
    i = m.constraint[c, f.C_JOINTS + k]
    if i >= 0:
        return d.row[i, f.V], d.row[i, f.QDD] if m.topo[i, f.MODE] == f.DRIVEN else 0.0
    if between_joints(m, c):
        return 0.0, 0.0
    return along(tie, k, f.GAP_RATE), along(tie, k, f.GAP_BIAS)


@inlined
def locate(m, d, c):
    """Residual of one constraint and the wrench of its unit multiplier; after `locate_ties`."""
    kind, tie = m.constraint[c, f.C_KIND], d.tie[m.constraint[c, f.C_TIE]]
    tx = ty = tz = fx = fy = fz = 0.0
    d.con[c, f.PHI_T] = 0.0
    if kind == f.ALIGN:
        j, k = m.constraint[c, f.C_AXIS_A], m.constraint[c, f.C_AXIS_B]
        ux, uy, uz = tie[f.AXES_A + j], tie[f.AXES_A + j + 3], tie[f.AXES_A + j + 6]
        wx, wy, wz = frame_axis(m, d, m.constraint[c, f.C_FRAME_B], k)
        d.con[c, f.PHI] = ux * wx + uy * wy + uz * wz
        tx, ty, tz = cross((wx, wy, wz), (ux, uy, uz))
    elif kind == f.POINT:
        k = m.constraint[c, f.C_AXIS_A]
        fx, fy, fz = tie[f.AXES_A + k], tie[f.AXES_A + k + 3], tie[f.AXES_A + k + 6]
        d.con[c, f.PHI] = along(tie, k, f.GAP) - m.constraint_value[c]
        if m.constraint[c, f.C_TARGET] >= 0:
            d.con[c, f.PHI] -= d.target[m.constraint[c, f.C_TARGET], f.TARGET]
            d.con[c, f.PHI_T] = -d.target[m.constraint[c, f.C_TARGET], f.TARGET_RATE]
    else:
        relation_variables(m, d, c, tie)
        # a velocity relation is linear in v: its value at v = 0 is its rate without motion
        d.variables[0, 4] = d.variables[0, 5] = d.variables[0, 6] = 0.0
        run_relation(m, d, c)
        d.con[c, f.PHI] = d.stack[0, 0] if kind == f.RELATION else 0.0
        d.con[c, f.PHI_T] = d.stack[0, 4] if kind == f.RELATION else d.stack[0, 0]
        shift = 0 if kind == f.RELATION else 4
        for k in range(3):
            g = d.stack[0, 1 + shift + k]
            d.con[c, f.SLOPE + k] = g
            if between_joints(m, c):
                continue
            fx, fy, fz = (
                fx + g * tie[f.AXES_A + k],
                fy + g * tie[f.AXES_A + k + 3],
                fz + g * tie[f.AXES_A + k + 6],
            )
    d.con[c, f.PUSH], d.con[c, f.PUSH + 1], d.con[c, f.PUSH + 2] = tx, ty, tz
    d.con[c, f.PUSH_FORCE], d.con[c, f.PUSH_FORCE + 1], d.con[c, f.PUSH_FORCE + 2] = fx, fy, fz


@inlined
def motion(m, d, t, i, turning):
    """What a unit rate of a row is to a tie: the spin of b, or the velocity of b's origin, as a sees it."""
    slides = m.topo[i, f.KIND] == f.PRISMATIC
    if slides and turning:
        return 0.0, 0.0, 0.0
    way = m.way[t, i]
    sx, sy, sz = way * d.row[i, f.AXIS], way * d.row[i, f.AXIS + 1], way * d.row[i, f.AXIS + 2]
    if slides or turning:
        return sx, sy, sz
    rx, ry, rz = (
        d.tie[t, f.AT] - d.row[i, f.POSITION],
        d.tie[t, f.AT + 1] - d.row[i, f.POSITION + 1],
        d.tie[t, f.AT + 2] - d.row[i, f.POSITION + 2],
    )
    return cross((sx, sy, sz), (rx, ry, rz))


@inlined
def effort_between_joints(m, d, c, i):
    """Effort of a unit multiplier on a row, where the constraint is a relation of joints' coordinates."""
    total = 0.0
    for k in range(3):
        if m.constraint[c, f.C_JOINTS + k] == i:
            total += d.con[c, f.SLOPE + k]
    return total


@inlined
def effort(m, d, c, i):
    """What the wrench of a located constraint does along the freedom of a row: on b, less that on a."""
    if between_joints(m, c):
        return effort_between_joints(m, d, c, i)
    aligns = m.constraint[c, f.C_KIND] == f.ALIGN
    x, y, z = motion(m, d, m.constraint[c, f.C_TIE], i, aligns)
    o = f.PUSH if aligns else f.PUSH_FORCE
    return d.con[c, o] * x + d.con[c, o + 1] * y + d.con[c, o + 2] * z


@inlined
def locate_and_spread(m, d, first, last):
    """Residuals and Jacobian of constraints in the order of the partition; after `locate_ties`."""
    for k in range(first, last):
        c = d.part[f.ACTIVE, k]
        locate(m, d, c)
        t, aligns = m.constraint[c, f.C_TIE], m.constraint[c, f.C_KIND] == f.ALIGN
        o = f.PUSH if aligns else f.PUSH_FORCE
        fx, fy, fz = d.con[c, o], d.con[c, o + 1], d.con[c, o + 2]
        for i in range(m.topo.shape[0]):
            left = 0.0
            if m.way[t, i] != 0.0:
                x, y, z = motion(m, d, t, i, aligns)
                left = fx * x + fy * y + fz * z
            if between_joints(m, c):
                left = effort_between_joints(m, d, c, i)
            d.jac[c, i] = left


@kernel
def constraint_positions(m, d):
    """Residuals, wrenches and Jacobian of all constraints."""
    locate_ties(m, d)
    locate_and_spread(m, d, 0, m.constraint.shape[0])


@inlined
def watched(m, d):
    """How many constraints, in the order of the partition, the solution or a signal needs."""
    k = d.coupling.shape[1]
    while k < m.constraint.shape[0] and m.constraint[d.part[f.ACTIVE, k], f.C_TARGET] >= 0:
        k += 1
    return k


@inlined
def align_rates(m, d, c, tie):
    """The two rates of two axes at right angles: b's turns about the wrench's torque, which stands across both."""
    a, b = m.constraint[c, f.C_FRAME_A], m.constraint[c, f.C_FRAME_B]
    i, j = m.frame_row[a], m.frame_row[b]
    k = m.constraint[c, f.C_AXIS_A]
    ux, uy, uz = tie[f.AXES_A + k], tie[f.AXES_A + k + 3], tie[f.AXES_A + k + 6]
    wx, wy, wz = frame_axis(m, d, b, m.constraint[c, f.C_AXIS_B])
    tx, ty, tz = d.con[c, f.PUSH], d.con[c, f.PUSH + 1], d.con[c, f.PUSH + 2]
    ax, ay, az = spin(m, d, a)
    bx, by, bz = spin(m, d, b)
    # spin of b as a sees it, and its rate
    ex, ey, ez = cross((ax, ay, az), (bx, by, bz))
    bx, by, bz = bx - ax, by - ay, bz - az
    bias = -(tx * ex + ty * ey + tz * ez)
    if i >= 0:
        bias -= tx * d.row[i, f.FREE_ACC] + ty * d.row[i, f.FREE_ACC + 1] + tz * d.row[i, f.FREE_ACC + 2]
    if j >= 0:
        bias += tx * d.row[j, f.FREE_ACC] + ty * d.row[j, f.FREE_ACC + 1] + tz * d.row[j, f.FREE_ACC + 2]
    bias += (ux * bx + uy * by + uz * bz) * (wx * bx + wy * by + wz * bz)
    d.con[c, f.PHI_RATE] = tx * bx + ty * by + tz * bz
    d.con[c, f.PHI_BIAS] = bias - (bx * bx + by * by + bz * bz) * d.con[c, f.PHI]


@inlined
def second_rates(m, d, c):
    """Rate of one residual, and what its second rate is without accelerations of the free rows; after `move_ties`."""
    kind, target, tie = (
        m.constraint[c, f.C_KIND],
        m.constraint[c, f.C_TARGET],
        d.tie[m.constraint[c, f.C_TIE]],
    )
    if kind == f.ALIGN:
        align_rates(m, d, c, tie)
        return
    if kind == f.POINT:
        k = m.constraint[c, f.C_AXIS_A]
        rate, bias = along(tie, k, f.GAP_RATE), along(tie, k, f.GAP_BIAS)
        if target >= 0:
            rate -= d.target[target, f.TARGET_RATE]
            bias -= d.target[target, f.TARGET_ACC]
        d.con[c, f.PHI_RATE], d.con[c, f.PHI_BIAS] = rate, bias
        return
    relation_variables(m, d, c, tie)
    for k in range(3):
        rate, _ = relation_motion(m, d, c, tie, k)
        d.variables[0, 4 + k] = d.variables[1, k] = rate
    d.variables[1, 3] = d.target[target, f.TARGET_RATE]
    run_relation(m, d, c)
    s = d.stack
    if kind == f.VELOCITY_RELATION:
        # psi(x, t, v) = 0: psi' = psi_x v + psi_t + psi_v a
        rate, bias = s[0, 0], 0.0
        for k in range(3):
            _, free = relation_motion(m, d, c, tie, k)
            bias += s[0, 5 + k] * free
        for i in range(4):
            bias += s[0, 1 + i] * d.variables[1, i]
    else:
        rate, bias = 0.0, s[0, 4] * d.target[target, f.TARGET_ACC]
        for k in range(3):
            _, free = relation_motion(m, d, c, tie, k)
            bias += s[0, 1 + k] * free
        for i in range(4):
            rate += s[0, 1 + i] * d.variables[1, i]
            for j in range(4):
                bias += second(s, i, j) * d.variables[1, i] * d.variables[1, j]
    d.con[c, f.PHI_RATE], d.con[c, f.PHI_BIAS] = rate, bias


@inlined
def constraint_rates(m, d):
    """Rates of the residuals that the solution, or a signal, needs; from FREE_ACC."""
    move_ties(m, d)
    for k in range(watched(m, d)):
        second_rates(m, d, d.part[f.ACTIVE, k])
