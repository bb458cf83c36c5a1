"""Springs and dampers between two frames: along the line between them, or along and about the axes of one (bushing)."""

from __future__ import annotations

import math

from ..codegen.jit import helper, inlined
from . import model_data as f
from .frame_kinematics import (
    angular_velocity,
    apply_wrench,
    frame_axes,
    frame_position,
    origin_motion,
    point_velocity,
)
from .model_data import kernel
from .small_matrices import ZERO_3, dot, matrix_times, read_3, scale_3, subtract_3, transposed_times, write_3
from .unilateral_contacts import write_element_output


@inlined
def line_between_frames(m, d, a, b):
    """Length of the line from frame a to frame b, its rate, its unit direction in W.

    At zero length the direction is zero, and with it any force along the line.
    """
    p_a, p_b = frame_position(m, d, a), frame_position(m, d, b)
    r, v = subtract_3(p_b, p_a), subtract_3(point_velocity(m, d, b, p_b), point_velocity(m, d, a, p_a))
    length = math.sqrt(dot(r, r))
    way = scale_3(1.0 / length if length > 0.0 else 0.0, r)
    return length, dot(way, v), way


@helper
def apply_line_force(m, d, e, tension, way):
    """Equal and opposite forces `tension` along the line from a to b, at the frames' origins."""
    a, b = m.element[e, f.E_FRAME_A], m.element[e, f.E_FRAME_B]
    force = scale_3(-tension, way)
    apply_wrench(m, d, b, frame_position(m, d, b), ZERO_3, force, 1.0)
    apply_wrench(m, d, a, frame_position(m, d, a), ZERO_3, force, -1.0)
    write_element_output(d, e, ZERO_3, force)


@helper
def line_spring(m, d, e):
    """Spring-damper along the line a-b: tension k (length - free) + c rate [N]."""
    value = m.element_value
    k, c, free = value[e, f.L_STIFFNESS], value[e, f.L_DAMPING], value[e, f.L_LENGTH]
    length, rate, way = line_between_frames(m, d, m.element[e, f.E_FRAME_A], m.element[e, f.E_FRAME_B])
    tension = k * (length - free) + c * rate
    apply_line_force(m, d, e, tension, way)
    write_3(d.element_out, e, f.DEFLECTION, (length, rate, tension))
    d.element_out[e, f.STORED], d.element_out[e, f.POWER_LOST] = (
        0.5 * k * (length - free) ** 2,
        c * rate * rate,
    )


@inlined
def weighted_square(k, a):
    """sum_i k_i a_i^2."""
    return k[0] * a[0] * a[0] + k[1] * a[1] * a[1] + k[2] * a[2] * a[2]


@helper
def rotational_spring(A, B, k):
    """Torque of stiffnesses k about a's axes, and the energy in them.

    The rotation is measured by t = vee(R - R^T) / 2 with R = R_AB. The torque is the exact gradient of t . K t / 2, so
    that energy is conserved at any angle: t' = (tr(R) 1 - R) w / 2.
    """
    x = transposed_times(A, (B[0], B[3], B[6]))  # columns of R
    y = transposed_times(A, (B[1], B[4], B[7]))
    z = transposed_times(A, (B[2], B[5], B[8]))
    t = 0.5 * (y[2] - z[1]), 0.5 * (z[0] - x[2]), 0.5 * (x[1] - y[0])
    g = k[0] * t[0], k[1] * t[1], k[2] * t[2]
    trace = x[0] + y[1] + z[2]
    return (
        0.5 * (trace * g[0] - dot(x, g)),
        0.5 * (trace * g[1] - dot(y, g)),
        0.5 * (trace * g[2] - dot(z, g)),
        0.5 * weighted_square(k, t),
    )


@helper
def bushing(m, d, e):
    """Six-axis bushing between frames: linear springs and dampers along a's axes, `rotational_spring` about them."""
    a, b, value, out = m.element[e, f.E_FRAME_A], m.element[e, f.E_FRAME_B], m.element_value, d.element_out
    A, B = frame_axes(m, d, a), frame_axes(m, d, b)
    # p_AB, its rate and w_AB in a's axes
    at, r, v = origin_motion(m, d, e, A)
    w = transposed_times(A, subtract_3(angular_velocity(m, d, b), angular_velocity(m, d, a)))
    k, c = read_3(value, e, f.B_STIFFNESS), read_3(value, e, f.B_DAMPING)
    force = -k[0] * r[0] - c[0] * v[0], -k[1] * r[1] - c[1] * v[1], -k[2] * r[2] - c[2] * v[2]
    energy = 0.5 * weighted_square(k, r)
    k, g = read_3(value, e, f.B_TURN_STIFFNESS), read_3(value, e, f.B_TURN_DAMPING)
    t = -g[0] * w[0], -g[1] * w[1], -g[2] * w[2]
    lost = weighted_square(c, v) - dot(t, w)
    if k[0] != 0.0 or k[1] != 0.0 or k[2] != 0.0:
        tx, ty, tz, stored = rotational_spring(A, B, k)
        t = subtract_3(t, (tx, ty, tz))
        energy += stored
    write_3(out, e, f.DEFLECTION, r)
    write_3(out, e, f.FORCE_IN_A, force)
    out[e, f.STORED], out[e, f.POWER_LOST] = energy, lost
    # in W, equal and opposite at b's origin
    force, torque = matrix_times(A, force), matrix_times(A, t)
    apply_wrench(m, d, b, at, torque, force, 1.0)
    apply_wrench(m, d, a, at, torque, force, -1.0)
    write_element_output(d, e, torque, force)


@kernel
def mount_forces(m, d):
    """Forces of all line springs and bushings between frames."""
    for e in range(m.element.shape[0]):
        kind = m.element[e, f.E_KIND]
        if kind == f.LINE:
            line_spring(m, d, e)
        elif kind == f.BUSHING:
            bushing(m, d, e)
