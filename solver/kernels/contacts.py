"""Forces that push and never pull: a sphere on a plane, a support that something stands on.

Across, both stick by a bristle (`sticking.py`) whose limit follows the push; its two states are those of the element.
In statics, which has no states, the foot of a support stands where the base is at zero.
"""

from __future__ import annotations

import math

from ..machine.fields import (
    CONTACT,
    DEFLECTION,
    E_FRAME_A,
    E_FRAME_B,
    E_KIND,
    FORCE_IN_A,
    FORCE_ON_B,
    H_ACROSS,
    H_ACROSS_DAMPING,
    H_CREEPS,
    H_DAMPING,
    H_EXPONENT,
    H_FRICTION,
    H_RADIUS,
    H_STIFFNESS,
    LOST,
    MARGIN,
    RESTING,
    S_CREEPS,
    S_DAMPING,
    S_GRIP,
    S_STIFFNESS,
    SLIP,
    SLIP_RATE,
    STOPS,
    STORED,
    SUPPORT,
    TORQUE_ON_B,
    TOUCHING,
    kernel,
)
from ..machine.jit import helper
from .frames import frame_axes, frame_position, point_velocity, push
from .sticking import stick
from .tuples import less_3, matrix_times, transposed_times


@helper
def write_out(d, e, tx, ty, tz, fx, fy, fz):
    out = d.element_out
    out[e, TORQUE_ON_B], out[e, TORQUE_ON_B + 1], out[e, TORQUE_ON_B + 2] = tx, ty, tz
    out[e, FORCE_ON_B], out[e, FORCE_ON_B + 1], out[e, FORCE_ON_B + 2] = fx, fy, fz


@helper
def contact(m, d, e):
    """A sphere about b's origin (a point, if its radius is zero) against the plane through a's origin across its z.

    Hunt and Crossley (1975): f = k s^n (1 + c ds/dt), s the depth, and never a pull. Across, a bristle holds mu f.
    """
    a, b = m.element[e, E_FRAME_A], m.element[e, E_FRAME_B]
    value, out = m.element_value, d.element_out
    A = frame_axes(m, d, a)
    at = frame_position(m, d, b)
    height = transposed_times(A, less_3(at, frame_position(m, d, a)))[2]
    depth = value[e, H_RADIUS] - height
    for j in range(SLIP):
        out[e, j] = 0.0
    out[e, DEFLECTION] = out[e, MARGIN] = depth
    normal = elastic = 0.0
    # where the sphere meets the plane, and how b's body moves there against a's, in a's axes
    px, py, pz = at[0] - height * A[2], at[1] - height * A[5], at[2] - height * A[8]
    v = transposed_times(A, less_3(point_velocity(m, d, b, px, py, pz), point_velocity(m, d, a, px, py, pz)))
    if depth > 0.0:
        elastic = value[e, H_STIFFNESS] * depth ** value[e, H_EXPONENT]
        damped = 1.0 - value[e, H_DAMPING] * v[2]
        out[e, MARGIN] = depth * damped
        normal = elastic * max(damped, 0.0)
    zx, zy, k, c = out[e, SLIP], out[e, SLIP + 1], value[e, H_ACROSS], value[e, H_ACROSS_DAMPING]
    most = value[e, H_FRICTION] * normal
    fx, fy, ux, uy = stick(value[e, H_CREEPS] > 0.0, (zx, zy), (v[0], v[1]), (k, k), (c, c), most)
    out[e, SLIP_RATE], out[e, SLIP_RATE + 1] = v[0] - ux, v[1] - uy
    # what bends the bristle is stored
    out[e, STORED] = 0.5 * k * (zx * zx + zy * zy)
    out[e, LOST] = fx * v[0] + fy * v[1] - k * (zx * (v[0] - ux) + zy * (v[1] - uy))
    if depth <= 0.0:
        return
    out[e, STORED] += elastic * depth / (value[e, H_EXPONENT] + 1.0)
    out[e, LOST] -= (normal - elastic) * v[2]
    out[e, TOUCHING] = 1.0
    out[e, FORCE_IN_A], out[e, FORCE_IN_A + 1], out[e, FORCE_IN_A + 2] = -fx, -fy, normal
    fx, fy, fz = matrix_times(A, (-fx, -fy, normal))
    push(m, d, b, px, py, pz, 0.0, 0.0, 0.0, fx, fy, fz, 1.0)
    push(m, d, a, px, py, pz, 0.0, 0.0, 0.0, fx, fy, fz, -1.0)
    # told at b's origin
    rx, ry, rz = px - at[0], py - at[1], pz - at[2]
    write_out(d, e, ry * fz - rz * fy, rz * fx - rx * fz, rx * fy - ry * fx, fx, fy, fz)
    # a number of its own for each contact: see coordinate_forces
    d.scalar[STOPS] += math.sqrt(4.0 * (m.topo.shape[0] + e) + 2.0)


@helper
def support(m, d, e):
    """A spring and a damper along a's z at b's origin that push and never pull; across, a bristle holds grip times it.

    The foot stays where it stands until it slips; lifted, it follows the base.
    """
    a, b = m.element[e, E_FRAME_A], m.element[e, E_FRAME_B]
    value, out = m.element_value, d.element_out
    A = frame_axes(m, d, a)
    x, y, z = frame_position(m, d, b)
    r = transposed_times(A, less_3((x, y, z), frame_position(m, d, a)))
    v = transposed_times(A, less_3(point_velocity(m, d, b, x, y, z), point_velocity(m, d, a, x, y, z)))
    for j in range(SLIP):
        out[e, j] = 0.0
    out[e, DEFLECTION], out[e, DEFLECTION + 1], out[e, DEFLECTION + 2] = r
    elastic = -value[e, S_STIFFNESS + 2] * r[2]
    fz, out[e, MARGIN] = 0.0, elastic
    if r[2] < 0.0:
        out[e, MARGIN] = elastic - value[e, S_DAMPING + 2] * v[2]
        fz = max(out[e, MARGIN], 0.0)
    if d.scalar[RESTING] > 0.0:
        out[e, SLIP], out[e, SLIP + 1] = r[0], r[1]
    bent = out[e, SLIP], out[e, SLIP + 1]
    k = value[e, S_STIFFNESS], value[e, S_STIFFNESS + 1]
    c = value[e, S_DAMPING], value[e, S_DAMPING + 1]
    fx, fy, ux, uy = stick(value[e, S_CREEPS] > 0.0, bent, (v[0], v[1]), k, c, value[e, S_GRIP] * fz)
    out[e, SLIP_RATE], out[e, SLIP_RATE + 1] = v[0] - ux, v[1] - uy
    ex, ey = k[0] * bent[0], k[1] * bent[1]
    out[e, STORED] = 0.5 * (ex * bent[0] + ey * bent[1])
    out[e, LOST] = fx * v[0] + fy * v[1] - ex * (v[0] - ux) - ey * (v[1] - uy)
    if r[2] >= 0.0:
        return
    out[e, STORED] -= 0.5 * elastic * r[2]
    out[e, LOST] += (elastic - fz) * v[2]
    out[e, FORCE_IN_A], out[e, FORCE_IN_A + 1], out[e, FORCE_IN_A + 2] = -fx, -fy, fz
    fx, fy, fz = matrix_times(A, (-fx, -fy, fz))
    push(m, d, b, x, y, z, 0.0, 0.0, 0.0, fx, fy, fz, 1.0)
    push(m, d, a, x, y, z, 0.0, 0.0, 0.0, fx, fy, fz, -1.0)
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
