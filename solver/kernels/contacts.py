"""Forces that push and never pull: a sphere on a plane, a support that something stands on."""

from __future__ import annotations

import math

from ..machine.fields import (
    CONTACT,
    DEFLECTION,
    E_FRAME_A,
    E_FRAME_B,
    E_KIND,
    ELEMENT_COLUMNS,
    FORCE_IN_A,
    FORCE_ON_B,
    H_DAMPING,
    H_EXPONENT,
    H_FRICTION,
    H_RADIUS,
    H_SLIP,
    H_STIFFNESS,
    LOST,
    MARGIN,
    S_DAMPING,
    S_GRIP,
    S_STIFFNESS,
    STOPS,
    STORED,
    SUPPORT,
    TORQUE_ON_B,
    TOUCHING,
    kernel,
)
from ..machine.jit import helper
from .frames import frame_axes, frame_position, point_velocity, push


@helper
def write_out(d, e, tx, ty, tz, fx, fy, fz):
    out = d.element_out
    out[e, TORQUE_ON_B], out[e, TORQUE_ON_B + 1], out[e, TORQUE_ON_B + 2] = tx, ty, tz
    out[e, FORCE_ON_B], out[e, FORCE_ON_B + 1], out[e, FORCE_ON_B + 2] = fx, fy, fz


@helper
def contact(m, d, e):
    """A sphere about b's origin (a point, if its radius is zero) against the plane through a's origin across its z.

    Hunt and Crossley (1975): f = k s^n (1 + c ds/dt), s the depth, and never a pull. Friction is mu f against the
    motion along the plane, faded in by v / sqrt(v^2 + v_slip^2).
    """
    a, b = m.element[e, E_FRAME_A], m.element[e, E_FRAME_B]
    value, out = m.element_value, d.element_out
    A = frame_axes(m, d, a)
    nx, ny, nz = A[2], A[5], A[8]
    ax, ay, az = frame_position(m, d, a)
    bx, by, bz = frame_position(m, d, b)
    height = nx * (bx - ax) + ny * (by - ay) + nz * (bz - az)
    depth = value[e, H_RADIUS] - height
    for j in range(ELEMENT_COLUMNS):
        out[e, j] = 0.0
    out[e, DEFLECTION] = out[e, MARGIN] = depth
    if depth <= 0.0:
        return
    # where the sphere meets the plane, and how b's body moves there against a's
    px, py, pz = bx - height * nx, by - height * ny, bz - height * nz
    vx, vy, vz = point_velocity(m, d, b, px, py, pz)
    ux, uy, uz = point_velocity(m, d, a, px, py, pz)
    vx, vy, vz = vx - ux, vy - uy, vz - uz
    rate = -(nx * vx + ny * vy + nz * vz)
    elastic = value[e, H_STIFFNESS] * depth ** value[e, H_EXPONENT]
    damped = 1.0 + value[e, H_DAMPING] * rate
    out[e, MARGIN] = depth * damped
    normal = elastic * max(damped, 0.0)
    vx, vy, vz = vx + rate * nx, vy + rate * ny, vz + rate * nz
    slip = math.sqrt(vx * vx + vy * vy + vz * vz + value[e, H_SLIP] * value[e, H_SLIP])
    rub = value[e, H_FRICTION] * normal / slip
    fx, fy, fz = normal * nx - rub * vx, normal * ny - rub * vy, normal * nz - rub * vz
    push(m, d, b, px, py, pz, 0.0, 0.0, 0.0, fx, fy, fz, 1.0)
    push(m, d, a, px, py, pz, 0.0, 0.0, 0.0, fx, fy, fz, -1.0)
    # told at b's origin
    rx, ry, rz = px - bx, py - by, pz - bz
    write_out(d, e, ry * fz - rz * fy, rz * fx - rx * fz, rx * fy - ry * fx, fx, fy, fz)
    out[e, TOUCHING], out[e, STORED] = 1.0, elastic * depth / (value[e, H_EXPONENT] + 1.0)
    out[e, LOST] = (normal - elastic) * rate + rub * (vx * vx + vy * vy + vz * vz)
    out[e, FORCE_IN_A] = A[0] * fx + A[3] * fy + A[6] * fz
    out[e, FORCE_IN_A + 1] = A[1] * fx + A[4] * fy + A[7] * fz
    out[e, FORCE_IN_A + 2] = normal
    # a number of its own for each contact: see coordinate_forces
    d.scalar[STOPS] += math.sqrt(4.0 * (m.topo.shape[0] + e) + 2.0)


@helper
def support(m, d, e):
    """Springs and dampers along a's axes at b's origin, of which that along z pushes and never pulls.

    What they take across is at most the grip times the push, as friction would hold it: nothing jumps where b lands
    beside the place that it left. Work across counts as lost, also what the springs give back.
    """
    a, b = m.element[e, E_FRAME_A], m.element[e, E_FRAME_B]
    value, out = m.element_value, d.element_out
    A = frame_axes(m, d, a)
    ax, ay, az = frame_position(m, d, a)
    bx, by, bz = frame_position(m, d, b)
    vx, vy, vz = point_velocity(m, d, b, bx, by, bz)
    ux, uy, uz = point_velocity(m, d, a, bx, by, bz)
    rx, ry, rz = bx - ax, by - ay, bz - az
    vx, vy, vz = vx - ux, vy - uy, vz - uz
    for j in range(ELEMENT_COLUMNS):
        out[e, j] = 0.0
    for k in range(3):
        out[e, DEFLECTION + k] = A[k] * rx + A[3 + k] * ry + A[6 + k] * rz
    gap = out[e, DEFLECTION + 2]
    out[e, MARGIN] = -value[e, S_STIFFNESS + 2] * gap
    if gap >= 0.0:
        return
    rx, ry = out[e, DEFLECTION], out[e, DEFLECTION + 1]
    vx, vy, vz = (
        A[0] * vx + A[3] * vy + A[6] * vz,
        A[1] * vx + A[4] * vy + A[7] * vz,
        A[2] * vx + A[5] * vy + A[8] * vz,
    )
    elastic = -value[e, S_STIFFNESS + 2] * gap
    out[e, MARGIN] = elastic - value[e, S_DAMPING + 2] * vz
    fz = max(out[e, MARGIN], 0.0)
    fx = -value[e, S_STIFFNESS] * rx - value[e, S_DAMPING] * vx
    fy = -value[e, S_STIFFNESS + 1] * ry - value[e, S_DAMPING + 1] * vy
    across, most = math.sqrt(fx * fx + fy * fy), value[e, S_GRIP] * fz
    if across > most:
        fx, fy = fx * most / across, fy * most / across
    out[e, STORED] = -0.5 * elastic * gap
    out[e, LOST] = (elastic - fz) * vz - fx * vx - fy * vy
    out[e, FORCE_IN_A], out[e, FORCE_IN_A + 1], out[e, FORCE_IN_A + 2] = fx, fy, fz
    fx, fy, fz = (
        A[0] * fx + A[1] * fy + A[2] * fz,
        A[3] * fx + A[4] * fy + A[5] * fz,
        A[6] * fx + A[7] * fy + A[8] * fz,
    )
    push(m, d, b, bx, by, bz, 0.0, 0.0, 0.0, fx, fy, fz, 1.0)
    push(m, d, a, bx, by, bz, 0.0, 0.0, 0.0, fx, fy, fz, -1.0)
    write_out(d, e, 0.0, 0.0, 0.0, fx, fy, fz)
    d.scalar[STOPS] += math.sqrt(4.0 * (m.topo.shape[0] + e) + 2.0)


@kernel
def contact_forces(m, d):
    for e in range(m.element.shape[0]):
        kind = m.element[e, E_KIND]
        if kind == CONTACT:
            contact(m, d, e)
        elif kind == SUPPORT:
            support(m, d, e)
