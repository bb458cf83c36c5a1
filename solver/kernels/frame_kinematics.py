"""Kinematics of frames fixed to rows (position, axes, velocities), and of the sensors that report it."""

from __future__ import annotations

import math

from ..codegen.jit import helper, inlined
from . import model_data as f
from .model_data import kernel
from .small_matrices import (
    ZERO_3,
    add_3,
    add_cross,
    add_matrix_vector,
    add_to_3,
    cross,
    matrix_product,
    matrix_times,
    read_3,
    read_9,
    read_column,
    scale_3,
    subtract_3,
    transposed_times,
    write_3,
)


@inlined
def gravity(m):
    """g, acceleration of free fall in W [m/s^2]."""
    return m.constant[f.G], m.constant[f.G + 1], m.constant[f.G + 2]


@helper
def frame_position(m, d, frame):
    """p_WF, origin of a frame in W [m]."""
    i, at = m.frame_row[frame], read_3(m.frame_place, frame, f.p_BF)
    if i < 0:
        return at
    return add_matrix_vector(read_3(d.row, i, f.p_WB), read_9(d.row, i, f.R_WB), at)


@helper
def frame_axes(m, d, frame):
    """R_WF, axes of a frame in W, row by row."""
    i, R = m.frame_row[frame], read_9(m.frame_place, frame, f.R_BF)
    if i < 0:
        return R
    return matrix_product(read_9(d.row, i, f.R_WB), R)


@helper
def frame_axis(m, d, frame, k):
    """Axis k of a frame in W."""
    i, axis = m.frame_row[frame], read_column(m.frame_place, frame, f.R_BF, k)
    if i < 0:
        return axis
    return matrix_times(read_9(d.row, i, f.R_WB), axis)


@helper
def angular_velocity(m, d, frame):
    """w_WB, angular velocity in W of the body that carries a frame [rad/s]."""
    i = m.frame_row[frame]
    if i < 0:
        return ZERO_3
    return read_3(d.row, i, f.TWIST)


@helper
def point_velocity(m, d, frame, at):
    """Velocity in W of the body point at position `at` (in W) of the body that carries a frame [m/s]."""
    i = m.frame_row[frame]
    if i < 0:
        return ZERO_3
    r = subtract_3(at, read_3(d.row, i, f.p_WB))
    return add_cross(read_3(d.row, i, f.TWIST + f.LINEAR), read_3(d.row, i, f.TWIST), r)


@inlined
def point_acceleration(m, d, frame, at, column):
    """Acceleration of the point `at` of a frame's body, less gravity, in W [m/s^2], from spatial accelerations in
    `column`: ACC, or ACC_BIAS of zero qdd of the FREE rows.
    """
    i = m.frame_row[frame]
    if i < 0:
        return scale_3(-1.0, gravity(m))
    r, w = subtract_3(at, read_3(d.row, i, f.p_WB)), read_3(d.row, i, f.TWIST)
    a = add_3(read_3(d.row, i, column + f.LINEAR), cross(read_3(d.row, i, column), r))
    return add_3(a, cross(w, cross(w, r)))


@helper
def apply_wrench(m, d, frame, at, torque, force, sign):
    """Add sign * (torque, force), acting at the point `at`, to WRENCH_EXT of the body that carries a frame; all in
    W.
    """
    i = m.frame_row[frame]
    if i < 0:  # fixed to the world
        return
    r = subtract_3(at, read_3(d.row, i, f.p_WB))
    add_to_3(d.row, i, f.WRENCH_EXT, scale_3(sign, add_cross(torque, r, force)))
    add_to_3(d.row, i, f.WRENCH_EXT + f.LINEAR, scale_3(sign, force))


@helper
def relative_pose(m, d, e):
    """Pose of frame a of element e in W, and of its frame b in a (R_WA, p_WA, R_AB, p_AB)."""
    a, b = m.element[e, f.E_FRAME_A], m.element[e, f.E_FRAME_B]
    A, origin = frame_axes(m, d, a), frame_position(m, d, a)
    B = frame_axes(m, d, b)
    R = matrix_product((A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]), B)
    return A, origin, R, transposed_times(A, subtract_3(frame_position(m, d, b), origin))


@helper
def origin_motion(m, d, e, A):
    """Origin of frame b of element e: place in W; place and velocity in frame a, whose axes in W are A."""
    a, b = m.element[e, f.E_FRAME_A], m.element[e, f.E_FRAME_B]
    at = frame_position(m, d, b)
    r = transposed_times(A, subtract_3(at, frame_position(m, d, a)))
    v = transposed_times(A, subtract_3(point_velocity(m, d, b, at), point_velocity(m, d, a, at)))
    return at, r, v


@helper
def resolve_in_axes(R, axes, v):
    """Components of a world vector: in W (axes 0), or R^T v with R the axes of a (1) or b (2)."""
    if axes == 0:
        return v
    return transposed_times(R, v)


@helper
def rotation_angles(x, y, z):
    """psi, theta, phi of axes x, y, z = Rz(psi) Ry(theta) Rx(phi); they give back the axes at theta = 90 deg too."""
    psi = math.atan2(x[1], x[0])
    c, s = math.cos(psi), math.sin(psi)
    phi = math.atan2(s * z[0] - c * z[1], c * y[1] - s * y[0])
    return psi, math.atan2(-x[2], math.hypot(x[0], x[1])), phi


@kernel
def sense_motion(m, d):
    """Position, angles (psi, theta, phi), velocity and angular velocity of each sensor's frame b, relative to a."""
    out = d.sensor_out
    for s in range(m.sensor.shape[0]):
        a, b, axes = m.sensor[s, f.S_FRAME_A], m.sensor[s, f.S_FRAME_B], m.sensor[s, f.S_AXES]
        at, R = frame_position(m, d, b), frame_axes(m, d, b)
        v, w = point_velocity(m, d, b, at), angular_velocity(m, d, b)
        x, y, z = (R[0], R[3], R[6]), (R[1], R[4], R[7]), (R[2], R[5], R[8])
        if a >= 0:
            # relative motion as an observer on a sees it
            A = frame_axes(m, d, a)
            v, w = subtract_3(v, point_velocity(m, d, a, at)), subtract_3(w, angular_velocity(m, d, a))
            at = subtract_3(at, frame_position(m, d, a))
            x, y, z = transposed_times(A, x), transposed_times(A, y), transposed_times(A, z)
            if axes == 1:
                R = A
        elif axes == 1:
            axes = 0
        write_3(out, s, f.SENSED, resolve_in_axes(R, axes, at))
        write_3(out, s, f.SENSED_ANGLES, rotation_angles(x, y, z))
        write_3(out, s, f.SENSED_VELOCITY, resolve_in_axes(R, axes, v))
        write_3(out, s, f.SENSED_SPIN, resolve_in_axes(R, axes, w))


@kernel
def sense_acceleration(m, d):
    """Acceleration and angular acceleration of each sensor's frame b in the world, gravity added back."""
    for s in range(m.sensor.shape[0]):
        a, b, axes = m.sensor[s, f.S_FRAME_A], m.sensor[s, f.S_FRAME_B], m.sensor[s, f.S_AXES]
        i = m.frame_row[b]
        alpha = acceleration = ZERO_3
        if i >= 0:
            r, w = subtract_3(frame_position(m, d, b), read_3(d.row, i, f.p_WB)), angular_velocity(m, d, b)
            alpha = read_3(d.row, i, f.ACC)
            acceleration = add_3(read_3(d.row, i, f.ACC + f.LINEAR), gravity(m))
            acceleration = add_cross(add_cross(acceleration, alpha, r), w, cross(w, r))
        R = frame_axes(m, d, b)
        if axes == 1:
            if a >= 0:
                R = frame_axes(m, d, a)
            else:
                axes = 0
        write_3(d.sensor_out, s, f.SENSED_ACC, resolve_in_axes(R, axes, acceleration))
        write_3(d.sensor_out, s, f.SENSED_SPIN_ACC, resolve_in_axes(R, axes, alpha))
