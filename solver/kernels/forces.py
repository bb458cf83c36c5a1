"""Forces on the tree: springs between frames, springs and stops of coordinates, wrenches given by signals."""

from __future__ import annotations

import math

from ..machine.fields import (
    B_DAMPING,
    B_STIFFNESS,
    B_TURN_DAMPING,
    B_TURN_STIFFNESS,
    BUSHING,
    CONSTRAINT_POWER,
    CONTACT,
    COORDINATE,
    CUBIC,
    DAMPER_EFFORT,
    DAMPING,
    DEFLECTION,
    DISSIPATION,
    DRIVE,
    DRIVE_POWER,
    E_FRAME_A,
    E_FRAME_B,
    E_INPUT,
    E_KIND,
    FORCE_B,
    FORCE_IN_A,
    FORCE_WORLD,
    FRICTION_EFFORT,
    FRICTION_POWER,
    L_DAMPING,
    L_LENGTH,
    L_STIFFNESS,
    LINE,
    LOST,
    LOWER,
    OUTER,
    PUT_IN,
    R_FALLS,
    R_NUMBER,
    R_PULL,
    REST,
    ROPE_LENGTH,
    ROPE_RATE,
    SEGMENT,
    SERVO,
    SP_COEFFICIENTS,
    SP_DAMPING,
    SP_FIRST,
    SP_LAST,
    SP_STIFFNESS,
    SPRING_EFFORT,
    SPRING_FORCE,
    STIFFNESS,
    STOP_BEYOND,
    STOP_DAMPING,
    STOP_DEPTH,
    STOP_EFFORT,
    STOP_STIFFNESS,
    STOP_WIDTH,
    STOPS,
    STORED,
    STRETCH,
    SUPPORT,
    TAU,
    TORQUE_B,
    UPPER,
    WAY,
    WAY_LENGTH,
    WAY_RATE,
    Q,
    V,
    kernel,
)
from ..machine.jit import helper
from .contacts import contact, support, write_out
from .frames import frame_axes, frame_position, point_velocity, push, spin


@helper
def coordinate_forces(m, d, i):
    """Spring, damper and stop of one coordinate."""
    q, v = d.row[i, Q], d.row[i, V]
    off = q - m.row[i, COORDINATE + REST]
    d.row[i, SPRING_EFFORT] = (
        -(m.row[i, COORDINATE + STIFFNESS] + m.row[i, COORDINATE + CUBIC] * off * off) * off
    )
    d.row[i, DAMPER_EFFORT] = -m.row[i, COORDINATE + DAMPING] * v
    d.row[i, STOP_EFFORT] = 0.0
    if m.row[i, COORDINATE + STOP_STIFFNESS] > 0.0:
        depth, side = q - m.row[i, COORDINATE + UPPER], 1.0
        if m.row[i, COORDINATE + LOWER] - q > depth:
            depth, side = m.row[i, COORDINATE + LOWER] - q, -1.0
        w = m.row[i, COORDINATE + STOP_WIDTH]
        d.row[i, STOP_DEPTH], d.row[i, STOP_BEYOND] = depth, depth - w
        if depth > 0.0:
            # s = depth^2 / 2w fades in over the width w, then grows with slope one; damping fades in with the slope
            slope = min(depth / w, 1.0)
            s = 0.5 * depth * slope if depth < w else depth - 0.5 * w
            d.row[i, STOP_EFFORT] = -side * m.row[i, COORDINATE + STOP_STIFFNESS] * s
            d.row[i, DAMPER_EFFORT] -= m.row[i, COORDINATE + STOP_DAMPING] * slope * v
            # roots of unlike whole numbers: no two sets of pieces of the law have the same sum
            d.scalar[STOPS] += math.sqrt(4.0 * i + 2.0 + side + 0.5 * (depth < w))


@helper
def linear_spring(m, d, s):
    """Spring whose stretch is linear in neighbouring coordinates, e = c . q; each of them feels -c (k e + d de/dt)."""
    first, stiffness, damping = (
        m.spring[s, SP_FIRST],
        m.spring_value[s, SP_STIFFNESS],
        m.spring_value[s, SP_DAMPING],
    )
    stretch = rate = 0.0
    for i in range(first, m.spring[s, SP_LAST] + 1):
        c = m.spring_value[s, SP_COEFFICIENTS + i - first]
        stretch += c * d.row[i, Q]
        rate += c * d.row[i, V]
    for i in range(first, m.spring[s, SP_LAST] + 1):
        c = m.spring_value[s, SP_COEFFICIENTS + i - first]
        d.row[i, SPRING_EFFORT] -= c * stiffness * stretch
        d.row[i, DAMPER_EFFORT] -= c * damping * rate
    d.spring_out[s, STRETCH], d.spring_out[s, SPRING_FORCE] = stretch, -stiffness * stretch - damping * rate


@helper
def between(m, d, a, b):
    """Length of the line from frame a to frame b, its rate and its direction.

    At zero length the line has none: what pulls along it counts as zero there.
    """
    ax, ay, az = frame_position(m, d, a)
    bx, by, bz = frame_position(m, d, b)
    vx, vy, vz = point_velocity(m, d, b, bx, by, bz)
    ux, uy, uz = point_velocity(m, d, a, ax, ay, az)
    rx, ry, rz = bx - ax, by - ay, bz - az
    length = math.sqrt(rx * rx + ry * ry + rz * rz)
    inv = 1.0 / length if length > 0.0 else 0.0
    ex, ey, ez = rx * inv, ry * inv, rz * inv
    return length, ex * (vx - ux) + ey * (vy - uy) + ez * (vz - uz), ex, ey, ez


@helper
def pull_together(m, d, e, tension, ex, ey, ez):
    """Equal and opposite forces along the line from a to b, at its ends."""
    a, b = m.element[e, E_FRAME_A], m.element[e, E_FRAME_B]
    ax, ay, az = frame_position(m, d, a)
    bx, by, bz = frame_position(m, d, b)
    fx, fy, fz = -tension * ex, -tension * ey, -tension * ez
    push(m, d, b, bx, by, bz, 0.0, 0.0, 0.0, fx, fy, fz, 1.0)
    push(m, d, a, ax, ay, az, 0.0, 0.0, 0.0, fx, fy, fz, -1.0)
    write_out(d, e, 0.0, 0.0, 0.0, fx, fy, fz)


@helper
def line_spring(m, d, e):
    """Tension along the line from a to b."""
    a, b = m.element[e, E_FRAME_A], m.element[e, E_FRAME_B]
    value = m.element_value
    k, c, free = value[e, L_STIFFNESS], value[e, L_DAMPING], value[e, L_LENGTH]
    length, rate, ex, ey, ez = between(m, d, a, b)
    tension = k * (length - free) + c * rate
    pull_together(m, d, e, tension, ex, ey, ez)
    d.element_out[e, DEFLECTION], d.element_out[e, DEFLECTION + 1], d.element_out[e, DEFLECTION + 2] = (
        length,
        rate,
        tension,
    )
    d.element_out[e, STORED], d.element_out[e, LOST] = 0.5 * k * (length - free) ** 2, c * rate * rate


@helper
def bushing(m, d, e):
    """Linear mount along a's axes. The turn is measured by t = vee(R - R^T) / 2 with R = R_AB, and the torque is
    the exact gradient of t K t / 2, so that it conserves energy at any angle: t' = (tr(R) 1 - R) w / 2."""
    a, b = m.element[e, E_FRAME_A], m.element[e, E_FRAME_B]
    value = m.element_value
    A, B = frame_axes(m, d, a), frame_axes(m, d, b)
    ax, ay, az = frame_position(m, d, a)
    bx, by, bz = frame_position(m, d, b)
    vx, vy, vz = point_velocity(m, d, b, bx, by, bz)
    ux, uy, uz = point_velocity(m, d, a, bx, by, bz)
    wx, wy, wz = spin(m, d, b)
    gx, gy, gz = spin(m, d, a)
    # offset and its rate in a's axes
    rx, ry, rz = bx - ax, by - ay, bz - az
    vx, vy, vz = vx - ux, vy - uy, vz - uz
    wx, wy, wz = wx - gx, wy - gy, wz - gz
    rx, ry, rz = (
        A[0] * rx + A[3] * ry + A[6] * rz,
        A[1] * rx + A[4] * ry + A[7] * rz,
        A[2] * rx + A[5] * ry + A[8] * rz,
    )
    vx, vy, vz = (
        A[0] * vx + A[3] * vy + A[6] * vz,
        A[1] * vx + A[4] * vy + A[7] * vz,
        A[2] * vx + A[5] * vy + A[8] * vz,
    )
    wx, wy, wz = (
        A[0] * wx + A[3] * wy + A[6] * wz,
        A[1] * wx + A[4] * wy + A[7] * wz,
        A[2] * wx + A[5] * wy + A[8] * wz,
    )
    fx = -value[e, B_STIFFNESS] * rx - value[e, B_DAMPING] * vx
    fy = -value[e, B_STIFFNESS + 1] * ry - value[e, B_DAMPING + 1] * vy
    fz = -value[e, B_STIFFNESS + 2] * rz - value[e, B_DAMPING + 2] * vz
    kx, ky, kz = value[e, B_TURN_STIFFNESS], value[e, B_TURN_STIFFNESS + 1], value[e, B_TURN_STIFFNESS + 2]
    tx, ty, tz = (
        -value[e, B_TURN_DAMPING] * wx,
        -value[e, B_TURN_DAMPING + 1] * wy,
        -value[e, B_TURN_DAMPING + 2] * wz,
    )
    lost = (
        value[e, B_DAMPING] * vx * vx
        + value[e, B_DAMPING + 1] * vy * vy
        + value[e, B_DAMPING + 2] * vz * vz
        - (tx * wx + ty * wy + tz * wz)
    )
    energy = 0.5 * (
        value[e, B_STIFFNESS] * rx * rx
        + value[e, B_STIFFNESS + 1] * ry * ry
        + value[e, B_STIFFNESS + 2] * rz * rz
    )
    if kx != 0.0 or ky != 0.0 or kz != 0.0:
        # R_AB = A^T B
        r0, r1, r2 = (
            A[0] * B[0] + A[3] * B[3] + A[6] * B[6],
            A[0] * B[1] + A[3] * B[4] + A[6] * B[7],
            A[0] * B[2] + A[3] * B[5] + A[6] * B[8],
        )
        r3, r4, r5 = (
            A[1] * B[0] + A[4] * B[3] + A[7] * B[6],
            A[1] * B[1] + A[4] * B[4] + A[7] * B[7],
            A[1] * B[2] + A[4] * B[5] + A[7] * B[8],
        )
        r6, r7, r8 = (
            A[2] * B[0] + A[5] * B[3] + A[8] * B[6],
            A[2] * B[1] + A[5] * B[4] + A[8] * B[7],
            A[2] * B[2] + A[5] * B[5] + A[8] * B[8],
        )
        sx, sy, sz = 0.5 * (r7 - r5), 0.5 * (r2 - r6), 0.5 * (r3 - r1)
        energy += 0.5 * (kx * sx * sx + ky * sy * sy + kz * sz * sz)
        kx, ky, kz = kx * sx, ky * sy, kz * sz
        trace = r0 + r4 + r8
        tx -= 0.5 * (trace * kx - (r0 * kx + r3 * ky + r6 * kz))
        ty -= 0.5 * (trace * ky - (r1 * kx + r4 * ky + r7 * kz))
        tz -= 0.5 * (trace * kz - (r2 * kx + r5 * ky + r8 * kz))
    d.element_out[e, DEFLECTION], d.element_out[e, DEFLECTION + 1], d.element_out[e, DEFLECTION + 2] = (
        rx,
        ry,
        rz,
    )
    d.element_out[e, STORED], d.element_out[e, LOST] = energy, lost
    d.element_out[e, FORCE_IN_A], d.element_out[e, FORCE_IN_A + 1], d.element_out[e, FORCE_IN_A + 2] = (
        fx,
        fy,
        fz,
    )
    # back to the world, equal and opposite at b's origin
    fx, fy, fz = (
        A[0] * fx + A[1] * fy + A[2] * fz,
        A[3] * fx + A[4] * fy + A[5] * fz,
        A[6] * fx + A[7] * fy + A[8] * fz,
    )
    tx, ty, tz = (
        A[0] * tx + A[1] * ty + A[2] * tz,
        A[3] * tx + A[4] * ty + A[5] * tz,
        A[6] * tx + A[7] * ty + A[8] * tz,
    )
    push(m, d, b, bx, by, bz, tx, ty, tz, fx, fy, fz, 1.0)
    push(m, d, a, bx, by, bz, tx, ty, tz, fx, fy, fz, -1.0)
    write_out(d, e, tx, ty, tz, fx, fy, fz)


@helper
def segment_way(m, d, e):
    """Length of a segment of a rope, its rate and direction; the rope's whole length stands at its first segment."""
    a, b, out = m.element[e, E_FRAME_A], m.element[e, E_FRAME_B], d.element_out
    length, rate, ex, ey, ez = between(m, d, a, b)
    out[e, WAY], out[e, WAY + 1], out[e, WAY + 2] = ex, ey, ez
    out[e, WAY_LENGTH], out[e, WAY_RATE] = length, rate
    falls, first = m.element_value[e, R_FALLS], e - int(m.element_value[e, R_NUMBER])
    if first == e:
        out[e, ROPE_LENGTH] = out[e, ROPE_RATE] = 0.0
    out[first, ROPE_LENGTH] += falls * length
    out[first, ROPE_RATE] += falls * rate


@helper
def segment_pull(m, d, e):
    """The rope's force on both ends of a segment."""
    out = d.element_out
    pull = d.inputs[m.element[e, E_INPUT] + int(m.element_value[e, R_PULL])]
    pull_together(m, d, e, pull, out[e, WAY], out[e, WAY + 1], out[e, WAY + 2])
    out[e, PUT_IN] = -pull * out[e, WAY_RATE]


@kernel
def passive_forces(m, d):
    """Springs, dampers and stops: all that follows from the motion alone."""
    d.scalar[STOPS] = 0.0
    for i in range(d.row.shape[0]):
        for j in range(6):
            d.row[i, OUTER + j] = 0.0
        coordinate_forces(m, d, i)
    for s in range(m.spring.shape[0]):
        linear_spring(m, d, s)
    for e in range(m.element.shape[0]):
        kind = m.element[e, E_KIND]
        if kind == LINE:
            line_spring(m, d, e)
        elif kind == BUSHING:
            bushing(m, d, e)
        elif kind == CONTACT:
            contact(m, d, e)
        elif kind == SUPPORT:
            support(m, d, e)
        elif kind == SEGMENT:
            segment_way(m, d, e)


@kernel
def applied_forces(m, d):
    """Wrenches that signals give."""
    for e in range(m.element.shape[0]):
        kind = m.element[e, E_KIND]
        if kind == SEGMENT:
            segment_pull(m, d, e)
        if kind < FORCE_WORLD or kind == SEGMENT:
            continue
        b, first = m.element[e, E_FRAME_B], m.element[e, E_INPUT]
        x, y, z = d.inputs[first], d.inputs[first + 1], d.inputs[first + 2]
        if kind == FORCE_B or kind == TORQUE_B:
            B = frame_axes(m, d, b)
            x, y, z = (
                B[0] * x + B[1] * y + B[2] * z,
                B[3] * x + B[4] * y + B[5] * z,
                B[6] * x + B[7] * y + B[8] * z,
            )
        px, py, pz = frame_position(m, d, b)
        if kind == FORCE_WORLD or kind == FORCE_B:
            push(m, d, b, px, py, pz, 0.0, 0.0, 0.0, x, y, z, 1.0)
            write_out(d, e, 0.0, 0.0, 0.0, x, y, z)
            vx, vy, vz = point_velocity(m, d, b, px, py, pz)
        else:
            push(m, d, b, px, py, pz, x, y, z, 0.0, 0.0, 0.0, 1.0)
            write_out(d, e, x, y, z, 0.0, 0.0, 0.0)
            vx, vy, vz = spin(m, d, b)
        d.element_out[e, PUT_IN] = x * vx + y * vy + z * vz


@kernel
def efforts(m, d):
    """The sum of all efforts on each row; and, where nothing is added to them later, the powers of all forces."""
    drive = lost = friction = 0.0
    for i in range(d.row.shape[0]):
        given, damping, rubbing = d.row[i, DRIVE], d.row[i, DAMPER_EFFORT], d.row[i, FRICTION_EFFORT]
        d.row[i, SERVO] = 0.0
        d.row[i, TAU] = given + d.row[i, SPRING_EFFORT] + damping + d.row[i, STOP_EFFORT] + rubbing
        v = d.row[i, V]
        drive, lost, friction = drive + given * v, lost - damping * v, friction - rubbing * v
    for e in range(m.element.shape[0]):
        lost += d.element_out[e, LOST]
        drive += d.element_out[e, PUT_IN]
    d.scalar[DRIVE_POWER], d.scalar[DISSIPATION] = drive, lost
    d.scalar[FRICTION_POWER], d.scalar[CONSTRAINT_POWER] = friction, 0.0
