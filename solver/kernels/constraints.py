"""Constraints: residuals, rates, Jacobian and the accelerations that velocities alone give them.

Every scalar constraint pushes along a wrench: Phi' = w . (V_B - V_A), with V the spatial velocity of the bodies of
frames b and a, so that the Jacobian is that wrench seen by the rows between the two, and a multiplier times the
wrench is the constraint's force on b, and its opposite on a.
"""

from __future__ import annotations

from ..jit import compiled, inlined, jit
from ..layout import (
    ACTIVE,
    ALIGN,
    ARM,
    AT,
    AXIS,
    BIAS,
    C_AXIS_A,
    C_AXIS_B,
    C_FIRST,
    C_FRAME_A,
    C_FRAME_B,
    C_KIND,
    C_LAST,
    C_TARGET,
    DRIVEN,
    FREE_ACC,
    KERNEL,
    KIND,
    MODE,
    PARENT,
    PHI,
    PHI_BIAS,
    PHI_RATE,
    PHI_T,
    POINT,
    POSE,
    PRISMATIC,
    PUSH,
    QDD,
    RELATION,
    TWIST,
    VELOCITY_RELATION,
)
from .frames import frame_axes, frame_position, point_velocity, spin
from .relation import run_tape, second


@jit
def cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@jit
def column(R, k):
    """Axis k of a frame in world axes."""
    if k == 0:
        return R[0], R[3], R[6]
    if k == 1:
        return R[1], R[4], R[7]
    return R[2], R[5], R[8]


@inlined
def bias_of_body(m, d, f):
    """Angular acceleration that velocities (and driven rows) alone give the body of a frame."""
    i = m.frame_row[f]
    if i < 0:
        return 0.0, 0.0, 0.0
    return d.row[i, FREE_ACC], d.row[i, FREE_ACC + 1], d.row[i, FREE_ACC + 2]


@inlined
def bias_of_point(m, d, f, x, y, z):
    """The same for the point x, y, z of that body."""
    i = m.frame_row[f]
    if i < 0:
        return 0.0, 0.0, 0.0
    rx, ry, rz = x - d.row[i, POSE + 9], y - d.row[i, POSE + 10], z - d.row[i, POSE + 11]
    wx, wy, wz = d.row[i, TWIST], d.row[i, TWIST + 1], d.row[i, TWIST + 2]
    ex, ey, ez = cross(wx, wy, wz, rx, ry, rz)
    ex, ey, ez = cross(wx, wy, wz, ex, ey, ez)
    ax, ay, az = cross(d.row[i, FREE_ACC], d.row[i, FREE_ACC + 1], d.row[i, FREE_ACC + 2], rx, ry, rz)
    return (
        d.row[i, FREE_ACC + 3] + ax + ex,
        d.row[i, FREE_ACC + 4] + ay + ey,
        d.row[i, FREE_ACC + 5] + az + ez,
    )


@jit
def component(d, A, k, rx, ry, rz):
    """Component k of r in the axes A."""
    ax, ay, az = column(A, k)
    return ax * rx + ay * ry + az * rz


@inlined
def component_rates(m, d, a, b, A, k, px, py, pz, rx, ry, rz):
    """Rate of component k of p_B - p_A in a's axes, and the second rate that velocities alone give."""
    ax, ay, az = column(A, k)
    wx, wy, wz = spin(m, d, a)
    ex, ey, ez = cross(wx, wy, wz, ax, ay, az)
    ox, oy, oz = px - rx, py - ry, pz - rz
    vx, vy, vz = point_velocity(m, d, b, px, py, pz)
    ux, uy, uz = point_velocity(m, d, a, ox, oy, oz)
    vx, vy, vz = vx - ux, vy - uy, vz - uz
    rate = ex * rx + ey * ry + ez * rz + ax * vx + ay * vy + az * vz
    gx, gy, gz = cross(wx, wy, wz, ex, ey, ez)
    bx, by, bz = bias_of_body(m, d, a)
    hx, hy, hz = cross(bx, by, bz, ax, ay, az)
    cx, cy, cz = bias_of_point(m, d, b, px, py, pz)
    nx, ny, nz = bias_of_point(m, d, a, ox, oy, oz)
    second_rate = (
        (gx + hx) * rx + (gy + hy) * ry + (gz + hz) * rz
        + 2.0 * (ex * vx + ey * vy + ez * vz)
        + ax * (cx - nx) + ay * (cy - ny) + az * (cz - nz)
    )  # fmt: skip
    return rate, second_rate


@inlined
def relation_variables(m, d, c, A, rx, ry, rz, vx, vy, vz):
    for k in range(3):
        d.variables[0, k] = component(d, A, k, rx, ry, rz)
    target = m.constraint[c, C_TARGET]
    d.variables[0, 3] = d.target[target, 0]
    d.variables[0, 4], d.variables[0, 5], d.variables[0, 6] = vx, vy, vz


@inlined
def locate(m, d, c):
    """Residual of one constraint and the wrench of its unit multiplier, from the poses."""
    kind, a, b = m.constraint[c, C_KIND], m.constraint[c, C_FRAME_A], m.constraint[c, C_FRAME_B]
    A = frame_axes(m, d, a)
    px, py, pz = frame_position(m, d, b)
    tx = ty = tz = fx = fy = fz = 0.0
    d.con[c, PHI_T] = 0.0
    if kind == ALIGN:
        B = frame_axes(m, d, b)
        ux, uy, uz = column(A, m.constraint[c, C_AXIS_A])
        wx, wy, wz = column(B, m.constraint[c, C_AXIS_B])
        d.con[c, PHI] = ux * wx + uy * wy + uz * wz
        tx, ty, tz = cross(wx, wy, wz, ux, uy, uz)
    else:
        ox, oy, oz = frame_position(m, d, a)
        rx, ry, rz = px - ox, py - oy, pz - oz
        if kind == POINT:
            k = m.constraint[c, C_AXIS_A]
            fx, fy, fz = column(A, k)
            d.con[c, PHI] = component(d, A, k, rx, ry, rz) - m.constraint_value[c]
            if m.constraint[c, C_TARGET] >= 0:
                d.con[c, PHI] -= d.target[m.constraint[c, C_TARGET], 0]
                d.con[c, PHI_T] = -d.target[m.constraint[c, C_TARGET], 1]
        else:
            relation_variables(m, d, c, A, rx, ry, rz, 0.0, 0.0, 0.0)
            run_tape(
                m.tape,
                m.constraint[c, C_FIRST],
                m.constraint[c, C_LAST],
                m.tape_value,
                d.variables[0],
                d.stack,
            )
            # a velocity relation is linear in v: its value at v = 0 is its rate without motion
            d.con[c, PHI] = d.stack[0, 0] if kind == RELATION else 0.0
            d.con[c, PHI_T] = d.stack[0, 4] if kind == RELATION else d.stack[0, 0]
            shift = 0 if kind == RELATION else 4
            for k in range(3):
                g = d.stack[0, 1 + shift + k]
                ex, ey, ez = column(A, k)
                fx, fy, fz = fx + g * ex, fy + g * ey, fz + g * ez
    d.con[c, PUSH], d.con[c, PUSH + 1], d.con[c, PUSH + 2] = tx, ty, tz
    d.con[c, PUSH + 3], d.con[c, PUSH + 4], d.con[c, PUSH + 5] = fx, fy, fz
    d.con[c, AT], d.con[c, AT + 1], d.con[c, AT + 2] = px, py, pz


@inlined
def effort(m, d, c, i):
    """What the wrench of a located constraint does along the freedom of a row on its way to the world."""
    fx, fy, fz = d.con[c, PUSH + 3], d.con[c, PUSH + 4], d.con[c, PUSH + 5]
    sx, sy, sz = d.row[i, AXIS], d.row[i, AXIS + 1], d.row[i, AXIS + 2]
    if m.topo[i, KIND] == PRISMATIC:
        return fx * sx + fy * sy + fz * sz
    rx, ry, rz = (
        d.con[c, AT] - d.row[i, POSE + 9],
        d.con[c, AT + 1] - d.row[i, POSE + 10],
        d.con[c, AT + 2] - d.row[i, POSE + 11],
    )
    gx, gy, gz = cross(rx, ry, rz, fx, fy, fz)
    return (d.con[c, PUSH] + gx) * sx + (d.con[c, PUSH + 1] + gy) * sy + (d.con[c, PUSH + 2] + gz) * sz


@inlined
def spread(m, d, c):
    """The Jacobian's row of a located constraint."""
    for i in range(m.topo.shape[0]):
        d.jac[c, i] = 0.0
    i = m.frame_row[m.constraint[c, C_FRAME_B]]
    while i >= 0:
        d.jac[c, i] = effort(m, d, c, i)
        i = m.topo[i, PARENT]
    i = m.frame_row[m.constraint[c, C_FRAME_A]]
    while i >= 0:
        d.jac[c, i] -= effort(m, d, c, i)
        i = m.topo[i, PARENT]


@compiled(KERNEL)
def constraint_positions(m, d):
    """Residuals, wrenches and Jacobian of all constraints."""
    for c in range(m.constraint.shape[0]):
        locate(m, d, c)
        spread(m, d, c)


@inlined
def watched(m, d, k):
    """The k-th constraint in the order of the partition; -1 when it follows from others and no signal shows it."""
    c = d.part[ACTIVE, k]
    return c if k < d.coupling.shape[1] or m.constraint[c, C_TARGET] >= 0 else -1


@inlined
def constraint_accelerations(m, d):
    """Accelerations of the rows that velocities and driven rows alone give, without gravity."""
    for i in range(m.topo.shape[0]):
        k = m.topo[i, PARENT]
        for j in range(6):
            d.row[i, FREE_ACC + j] = d.row[i, BIAS + j]
        if k >= 0:
            rx, ry, rz = d.row[i, ARM], d.row[i, ARM + 1], d.row[i, ARM + 2]
            ax, ay, az = d.row[k, FREE_ACC], d.row[k, FREE_ACC + 1], d.row[k, FREE_ACC + 2]
            cx, cy, cz = cross(ax, ay, az, rx, ry, rz)
            d.row[i, FREE_ACC] += ax
            d.row[i, FREE_ACC + 1] += ay
            d.row[i, FREE_ACC + 2] += az
            d.row[i, FREE_ACC + 3] += d.row[k, FREE_ACC + 3] + cx
            d.row[i, FREE_ACC + 4] += d.row[k, FREE_ACC + 4] + cy
            d.row[i, FREE_ACC + 5] += d.row[k, FREE_ACC + 5] + cz
        if m.topo[i, MODE] == DRIVEN:
            g = d.row[i, QDD]
            o = 3 if m.topo[i, KIND] == PRISMATIC else 0
            for j in range(3):
                d.row[i, FREE_ACC + o + j] += g * d.row[i, AXIS + j]


@inlined
def second_rates(m, d, c):
    """Rate of one residual, and what its second rate is without accelerations of the free rows."""
    kind, a, b = m.constraint[c, C_KIND], m.constraint[c, C_FRAME_A], m.constraint[c, C_FRAME_B]
    target = m.constraint[c, C_TARGET]
    A = frame_axes(m, d, a)
    if kind == ALIGN:
        B = frame_axes(m, d, b)
        ux, uy, uz = column(A, m.constraint[c, C_AXIS_A])
        wx, wy, wz = column(B, m.constraint[c, C_AXIS_B])
        ax, ay, az = spin(m, d, a)
        bx, by, bz = spin(m, d, b)
        # first and second rates of both axes
        ex, ey, ez = cross(ax, ay, az, ux, uy, uz)
        gx, gy, gz = cross(bx, by, bz, wx, wy, wz)
        d.con[c, PHI_RATE] = ex * wx + ey * wy + ez * wz + ux * gx + uy * gy + uz * gz
        cx, cy, cz = cross(ax, ay, az, ex, ey, ez)
        hx, hy, hz = cross(bx, by, bz, gx, gy, gz)
        px, py, pz = bias_of_body(m, d, a)
        qx, qy, qz = bias_of_body(m, d, b)
        px, py, pz = cross(px, py, pz, ux, uy, uz)
        qx, qy, qz = cross(qx, qy, qz, wx, wy, wz)
        d.con[c, PHI_BIAS] = (
            (cx + px) * wx + (cy + py) * wy + (cz + pz) * wz
            + 2.0 * (ex * gx + ey * gy + ez * gz)
            + ux * (hx + qx) + uy * (hy + qy) + uz * (hz + qz)
        )  # fmt: skip
        return
    px, py, pz = frame_position(m, d, b)
    ox, oy, oz = frame_position(m, d, a)
    rx, ry, rz = px - ox, py - oy, pz - oz
    if kind == POINT:
        k = m.constraint[c, C_AXIS_A]
        rate, bias = component_rates(m, d, a, b, A, k, px, py, pz, rx, ry, rz)
        if target >= 0:
            rate -= d.target[target, 1]
            bias -= d.target[target, 2]
        d.con[c, PHI_RATE], d.con[c, PHI_BIAS] = rate, bias
        return
    v0, b0 = component_rates(m, d, a, b, A, 0, px, py, pz, rx, ry, rz)
    v1, b1 = component_rates(m, d, a, b, A, 1, px, py, pz, rx, ry, rz)
    v2, b2 = component_rates(m, d, a, b, A, 2, px, py, pz, rx, ry, rz)
    relation_variables(m, d, c, A, rx, ry, rz, v0, v1, v2)
    run_tape(m.tape, m.constraint[c, C_FIRST], m.constraint[c, C_LAST], m.tape_value, d.variables[0], d.stack)
    s = d.stack
    d.variables[1, 0], d.variables[1, 1], d.variables[1, 2], d.variables[1, 3] = (
        v0,
        v1,
        v2,
        d.target[target, 1],
    )
    if kind == VELOCITY_RELATION:
        # psi(x, t, v) = 0: psi' = psi_x v + psi_t + psi_v a
        d.con[c, PHI_RATE] = s[0, 0]
        bias = s[0, 5] * b0 + s[0, 6] * b1 + s[0, 7] * b2
        for i in range(4):
            bias += s[0, 1 + i] * d.variables[1, i]
        d.con[c, PHI_BIAS] = bias
    else:
        rate, bias = 0.0, s[0, 1] * b0 + s[0, 2] * b1 + s[0, 3] * b2 + s[0, 4] * d.target[target, 2]
        for i in range(4):
            rate += s[0, 1 + i] * d.variables[1, i]
            for j in range(4):
                bias += second(s, i, j) * d.variables[1, i] * d.variables[1, j]
        d.con[c, PHI_RATE], d.con[c, PHI_BIAS] = rate, bias


@inlined
def constraint_rates(m, d):
    """Rates of the residuals that the solution, or a signal, needs; after `constraint_accelerations`."""
    for k in range(m.constraint.shape[0]):
        c = watched(m, d, k)
        if c >= 0:
            second_rates(m, d, c)
