"""Unilateral forces: sphere-plane contact and foot supports, which push and never pull.

Across, both stick by a bristle (`stiction.py`) whose limit follows the normal force; its two deflections are states of
the element. In statics, which has no states, the bristle of a support is its whole displacement across.
"""

from __future__ import annotations

import math

from ..codegen.jit import helper
from . import model_data as f
from .frame_kinematics import apply_wrench, frame_axes, frame_position, origin_motion, point_velocity
from .model_data import kernel
from .small_matrices import ZERO_3, cross, matrix_times, subtract_3, transposed_times, write_3
from .stiction import bristle_force


@helper
def write_element_output(d, e, torque, force):
    """Write torque and force on b, in W, to the outputs of element e."""
    write_3(d.element_out, e, f.TORQUE_ON_B, torque)
    write_3(d.element_out, e, f.FORCE_ON_B, force)


@helper
def contact(m, d, e):
    """Contact of a sphere about b's origin (radius zero: a point) with the plane through a's origin across its z axis.

    Hunt and Crossley (1975): f = k s^n (1 + c s'), s the depth, f >= 0. Across, a bristle holds up to mu f.
    """
    a, b = m.element[e, f.E_FRAME_A], m.element[e, f.E_FRAME_B]
    value, out = m.element_value, d.element_out
    A = frame_axes(m, d, a)
    at = frame_position(m, d, b)
    height = transposed_times(A, subtract_3(at, frame_position(m, d, a)))[2]
    depth = value[e, f.H_RADIUS] - height
    for j in range(f.SLIP):
        out[e, j] = 0.0
    out[e, f.DEFLECTION] = out[e, f.MARGIN] = depth
    normal = elastic = 0.0
    # contact point in W; velocity of b's body relative to a's there, in a's axes
    touched = at[0] - height * A[2], at[1] - height * A[5], at[2] - height * A[8]
    v = transposed_times(A, subtract_3(point_velocity(m, d, b, touched), point_velocity(m, d, a, touched)))
    if depth > 0.0:
        elastic = value[e, f.H_STIFFNESS] * depth ** value[e, f.H_EXPONENT]
        damped = 1.0 - value[e, f.H_DAMPING] * v[2]
        out[e, f.MARGIN] = depth * damped
        normal = elastic * max(damped, 0.0)
    zx, zy, k, c = out[e, f.SLIP], out[e, f.SLIP + 1], value[e, f.H_ACROSS], value[e, f.H_ACROSS_DAMPING]
    most = value[e, f.H_FRICTION] * normal
    fx, fy, ux, uy = bristle_force(value[e, f.H_CREEPS] > 0.0, (zx, zy), (v[0], v[1]), (k, k), (c, c), most)
    out[e, f.SLIP_RATE], out[e, f.SLIP_RATE + 1] = v[0] - ux, v[1] - uy
    # energy in the bristle
    out[e, f.STORED] = 0.5 * k * (zx * zx + zy * zy)
    out[e, f.POWER_LOST] = fx * v[0] + fy * v[1] - k * (zx * (v[0] - ux) + zy * (v[1] - uy))
    if depth <= 0.0:
        return
    out[e, f.STORED] += elastic * depth / (value[e, f.H_EXPONENT] + 1.0)
    out[e, f.POWER_LOST] -= (normal - elastic) * v[2]
    out[e, f.TOUCHING] = 1.0
    write_3(out, e, f.FORCE_IN_A, (-fx, -fy, normal))
    force = matrix_times(A, (-fx, -fy, normal))
    apply_wrench(m, d, b, touched, ZERO_3, force, 1.0)
    apply_wrench(m, d, a, touched, ZERO_3, force, -1.0)
    # output at b's origin
    write_element_output(d, e, cross(subtract_3(touched, at), force), force)
    # term of this contact in the fingerprint: see coordinate_forces
    d.scalar[f.END_STOPS] += math.sqrt(4.0 * (m.topo.shape[0] + e) + 2.0)


@helper
def first_loading(value, e, z):
    """Force F(z) of the soil of support e on first loading [N]: straight lines from the origin through the pairs of
    S_CURVE, constant behind the last.
    """
    z_0 = force_0 = 0.0
    for j in range(f.CURVE_POINTS):
        z_1, force_1 = value[e, f.S_CURVE + 2 * j], value[e, f.S_CURVE + 2 * j + 1]
        if z <= z_1:
            return force_0 + (z - z_0) * (force_1 - force_0) / (z_1 - z_0)
        z_0, force_0 = z_1, force_1
    return force_0


@helper
def settle(m, d, e, depth):
    """Write the settlement's rate of the pad of support e to SLIP_RATE and return the settlement s [m].

    At a depth z, with the stiffness k of unloading, s tends to z - F(z)/k with a time constant, and never back; the
    soil pushes by k (z - s). In statics s is there: first loading.
    """
    value, out = m.element_value, d.element_out
    aim = depth - first_loading(value, e, depth) / value[e, f.S_STIFFNESS + 2] if depth > 0.0 else 0.0
    if d.scalar[f.STATICS] > 0.0:
        out[e, f.SETTLEMENT] = aim
    s = out[e, f.SETTLEMENT]
    out[e, f.SLIP_RATE + 2] = max(aim - s, 0.0) / value[e, f.S_SETTLING]
    return s


@helper
def support(m, d, e):
    """Spring and damper along a's z axis at b's origin, push only; across, a bristle holds up to grip * push.

    The foot stays where it stands until it slips; lifted, it follows the base. Below the pad of a foot soil settles.
    """
    a, b = m.element[e, f.E_FRAME_A], m.element[e, f.E_FRAME_B]
    value, out = m.element_value, d.element_out
    A = frame_axes(m, d, a)
    at, r, v = origin_motion(m, d, e, A)
    for j in range(f.SLIP):
        out[e, j] = 0.0
    write_3(out, e, f.DEFLECTION, r)
    gap = r[2]
    if value[e, f.S_SETTLING] > 0.0:
        gap += settle(m, d, e, -r[2])
    elastic = -value[e, f.S_STIFFNESS + 2] * gap
    fz, out[e, f.MARGIN], out[e, f.FOOT_GAP] = 0.0, elastic, gap
    if gap < 0.0:
        out[e, f.MARGIN] = elastic - value[e, f.S_DAMPING + 2] * v[2]
        fz = max(out[e, f.MARGIN], 0.0)
    if d.scalar[f.STATICS] > 0.0:
        out[e, f.SLIP], out[e, f.SLIP + 1] = r[0], r[1]
    bent = out[e, f.SLIP], out[e, f.SLIP + 1]
    k = value[e, f.S_STIFFNESS], value[e, f.S_STIFFNESS + 1]
    c = value[e, f.S_DAMPING], value[e, f.S_DAMPING + 1]
    fx, fy, ux, uy = bristle_force(
        value[e, f.S_CREEPS] > 0.0, bent, (v[0], v[1]), k, c, value[e, f.S_GRIP] * fz
    )
    out[e, f.SLIP_RATE], out[e, f.SLIP_RATE + 1] = v[0] - ux, v[1] - uy
    ex, ey = k[0] * bent[0], k[1] * bent[1]
    out[e, f.STORED] = 0.5 * (ex * bent[0] + ey * bent[1])
    out[e, f.POWER_LOST] = fx * v[0] + fy * v[1] - ex * (v[0] - ux) - ey * (v[1] - uy)
    if value[e, f.S_SETTLING] > 0.0:
        out[e, f.PAD_SINKAGE] = -r[2]
        out[e, f.PAD_PRESSURE] = fz / value[e, f.S_AREA]
        out[e, f.PAD_BEARING] = out[e, f.PAD_PRESSURE] / value[e, f.S_BEARING]
    if gap >= 0.0:
        return
    out[e, f.STORED] -= 0.5 * elastic * gap
    out[e, f.POWER_LOST] += (elastic - fz) * v[2]
    if value[e, f.S_SETTLING] > 0.0:
        out[e, f.POWER_LOST] += elastic * out[e, f.SLIP_RATE + 2]
    write_3(out, e, f.FORCE_IN_A, (-fx, -fy, fz))
    force = matrix_times(A, (-fx, -fy, fz))
    apply_wrench(m, d, b, at, ZERO_3, force, 1.0)
    apply_wrench(m, d, a, at, ZERO_3, force, -1.0)
    write_element_output(d, e, ZERO_3, force)
    d.scalar[f.END_STOPS] += math.sqrt(4.0 * (m.topo.shape[0] + e) + 2.0)


@kernel
def contact_forces(m, d):
    """Forces of all contacts and supports."""
    for e in range(m.element.shape[0]):
        kind = m.element[e, f.E_KIND]
        if kind == f.CONTACT:
            contact(m, d, e)
        elif kind == f.SUPPORT:
            support(m, d, e)
