"""Frames that ride on rows: where they are and how they move; and sensors, which report it."""

from __future__ import annotations

import math

from ..machine import fields as f
from ..machine.fields import kernel
from ..machine.jit import helper
from .tuples import less_3, read_3


@helper
def frame_position(m, d, frame):
    """p_WF."""
    i = m.frame_row[frame]
    x, y, z = (
        m.frame_place[frame, f.FRAME_AT],
        m.frame_place[frame, f.FRAME_AT + 1],
        m.frame_place[frame, f.FRAME_AT + 2],
    )
    if i < 0:
        return x, y, z
    return (
        d.row[i, f.POSITION] + d.row[i, f.POSE] * x + d.row[i, f.POSE + 1] * y + d.row[i, f.POSE + 2] * z,
        d.row[i, f.POSITION + 1]
        + d.row[i, f.POSE + 3] * x
        + d.row[i, f.POSE + 4] * y
        + d.row[i, f.POSE + 5] * z,
        d.row[i, f.POSITION + 2]
        + d.row[i, f.POSE + 6] * x
        + d.row[i, f.POSE + 7] * y
        + d.row[i, f.POSE + 8] * z,
    )


@helper
def frame_axes(m, d, frame):
    """R_WF, row by row."""
    i = m.frame_row[frame]
    b0, b1, b2 = (
        m.frame_place[frame, f.FRAME_AXES],
        m.frame_place[frame, f.FRAME_AXES + 1],
        m.frame_place[frame, f.FRAME_AXES + 2],
    )
    b3, b4, b5 = (
        m.frame_place[frame, f.FRAME_AXES + 3],
        m.frame_place[frame, f.FRAME_AXES + 4],
        m.frame_place[frame, f.FRAME_AXES + 5],
    )
    b6, b7, b8 = (
        m.frame_place[frame, f.FRAME_AXES + 6],
        m.frame_place[frame, f.FRAME_AXES + 7],
        m.frame_place[frame, f.FRAME_AXES + 8],
    )
    if i < 0:
        return b0, b1, b2, b3, b4, b5, b6, b7, b8
    a0, a1, a2 = d.row[i, f.POSE], d.row[i, f.POSE + 1], d.row[i, f.POSE + 2]
    a3, a4, a5 = d.row[i, f.POSE + 3], d.row[i, f.POSE + 4], d.row[i, f.POSE + 5]
    a6, a7, a8 = d.row[i, f.POSE + 6], d.row[i, f.POSE + 7], d.row[i, f.POSE + 8]
    return (
        a0 * b0 + a1 * b3 + a2 * b6, a0 * b1 + a1 * b4 + a2 * b7, a0 * b2 + a1 * b5 + a2 * b8,
        a3 * b0 + a4 * b3 + a5 * b6, a3 * b1 + a4 * b4 + a5 * b7, a3 * b2 + a4 * b5 + a5 * b8,
        a6 * b0 + a7 * b3 + a8 * b6, a6 * b1 + a7 * b4 + a8 * b7, a6 * b2 + a7 * b5 + a8 * b8,
    )  # fmt: skip


@helper
def frame_axis(m, d, frame, k):
    """Axis k of a frame in the world."""
    i = m.frame_row[frame]
    x, y, z = (
        m.frame_place[frame, f.FRAME_AXES + k],
        m.frame_place[frame, f.FRAME_AXES + 3 + k],
        m.frame_place[frame, f.FRAME_AXES + 6 + k],
    )
    if i < 0:
        return x, y, z
    return (
        d.row[i, f.POSE] * x + d.row[i, f.POSE + 1] * y + d.row[i, f.POSE + 2] * z,
        d.row[i, f.POSE + 3] * x + d.row[i, f.POSE + 4] * y + d.row[i, f.POSE + 5] * z,
        d.row[i, f.POSE + 6] * x + d.row[i, f.POSE + 7] * y + d.row[i, f.POSE + 8] * z,
    )


@helper
def spin(m, d, frame):
    """Angular velocity of the body that carries a frame."""
    i = m.frame_row[frame]
    if i < 0:
        return 0.0, 0.0, 0.0
    return d.row[i, f.TWIST], d.row[i, f.TWIST + 1], d.row[i, f.TWIST + 2]


@helper
def point_velocity(m, d, frame, x, y, z):
    """Velocity of the point x, y, z of the body that carries a frame."""
    i = m.frame_row[frame]
    if i < 0:
        return 0.0, 0.0, 0.0
    rx, ry, rz = x - d.row[i, f.POSITION], y - d.row[i, f.POSITION + 1], z - d.row[i, f.POSITION + 2]
    wx, wy, wz = d.row[i, f.TWIST], d.row[i, f.TWIST + 1], d.row[i, f.TWIST + 2]
    return (
        d.row[i, f.TWIST + 3] + wy * rz - wz * ry,
        d.row[i, f.TWIST + 4] + wz * rx - wx * rz,
        d.row[i, f.TWIST + 5] + wx * ry - wy * rx,
    )


@helper
def push(m, d, frame, at, torque, force, sign):
    """Add a wrench, given at the point `at`, to the external one of the body that carries a frame."""
    i = m.frame_row[frame]
    if i < 0:  # the world takes what is given to it
        return
    fx, fy, fz = force
    rx, ry, rz = less_3(at, read_3(d.row, i, f.POSITION))
    d.row[i, f.OUTER] += sign * (torque[0] + ry * fz - rz * fy)
    d.row[i, f.OUTER + 1] += sign * (torque[1] + rz * fx - rx * fz)
    d.row[i, f.OUTER + 2] += sign * (torque[2] + rx * fy - ry * fx)
    d.row[i, f.OUTER + 3] += sign * fx
    d.row[i, f.OUTER + 4] += sign * fy
    d.row[i, f.OUTER + 5] += sign * fz


@helper
def turned(R, axes, x, y, z):
    """Components of a world vector in the axes R (1: of a, 2: of b; 0: world)."""
    if axes == 0:
        return x, y, z
    return R[0] * x + R[3] * y + R[6] * z, R[1] * x + R[4] * y + R[7] * z, R[2] * x + R[5] * y + R[8] * z


@kernel
def sense_motion(m, d):
    """Position, orientation and velocities of the sensors' frames."""
    out = d.sensor_out
    for s in range(m.sensor.shape[0]):
        a, b, axes = m.sensor[s, f.S_FRAME_A], m.sensor[s, f.S_FRAME_B], m.sensor[s, f.S_AXES]
        px, py, pz = frame_position(m, d, b)
        R = frame_axes(m, d, b)
        vx, vy, vz = point_velocity(m, d, b, px, py, pz)
        wx, wy, wz = spin(m, d, b)
        r0, r3, r6, r7, r8 = R[0], R[3], R[6], R[7], R[8]
        if a >= 0:
            # relative motion as an observer on a sees it
            ox, oy, oz = frame_position(m, d, a)
            ux, uy, uz = point_velocity(m, d, a, px, py, pz)
            gx, gy, gz = spin(m, d, a)
            A = frame_axes(m, d, a)
            px, py, pz = px - ox, py - oy, pz - oz
            vx, vy, vz = vx - ux, vy - uy, vz - uz
            wx, wy, wz = wx - gx, wy - gy, wz - gz
            r0, r3, r6 = (
                A[0] * R[0] + A[3] * R[3] + A[6] * R[6],
                A[1] * R[0] + A[4] * R[3] + A[7] * R[6],
                A[2] * R[0] + A[5] * R[3] + A[8] * R[6],
            )
            r7 = A[2] * R[1] + A[5] * R[4] + A[8] * R[7]
            r8 = A[2] * R[2] + A[5] * R[5] + A[8] * R[8]
            if axes == 1:
                R = A
        elif axes == 1:
            axes = 0
        out[s, f.SENSED], out[s, f.SENSED + 1], out[s, f.SENSED + 2] = turned(R, axes, px, py, pz)
        out[s, f.SENSED_ANGLES], out[s, f.SENSED_ANGLES + 1], out[s, f.SENSED_ANGLES + 2] = (
            math.atan2(r3, r0),
            -math.asin(min(1.0, max(-1.0, r6))),
            math.atan2(r7, r8),
        )
        out[s, f.SENSED_VELOCITY], out[s, f.SENSED_VELOCITY + 1], out[s, f.SENSED_VELOCITY + 2] = turned(
            R, axes, vx, vy, vz
        )
        out[s, f.SENSED_SPIN], out[s, f.SENSED_SPIN + 1], out[s, f.SENSED_SPIN + 2] = turned(
            R, axes, wx, wy, wz
        )


@kernel
def sense_acceleration(m, d):
    """Accelerations of the sensors' frames in the world, gravity put back."""
    out = d.sensor_out
    for s in range(m.sensor.shape[0]):
        a, b, axes = m.sensor[s, f.S_FRAME_A], m.sensor[s, f.S_FRAME_B], m.sensor[s, f.S_AXES]
        i = m.frame_row[b]
        ax = ay = az = cx = cy = cz = 0.0
        if i >= 0:
            px, py, pz = frame_position(m, d, b)
            rx, ry, rz = (
                px - d.row[i, f.POSITION],
                py - d.row[i, f.POSITION + 1],
                pz - d.row[i, f.POSITION + 2],
            )
            wx, wy, wz = spin(m, d, b)
            ex, ey, ez = wy * rz - wz * ry, wz * rx - wx * rz, wx * ry - wy * rx
            ax, ay, az = d.row[i, f.ACC], d.row[i, f.ACC + 1], d.row[i, f.ACC + 2]
            cx = d.row[i, f.ACC + 3] + m.constant[f.G] + ay * rz - az * ry + wy * ez - wz * ey
            cy = d.row[i, f.ACC + 4] + m.constant[f.G + 1] + az * rx - ax * rz + wz * ex - wx * ez
            cz = d.row[i, f.ACC + 5] + m.constant[f.G + 2] + ax * ry - ay * rx + wx * ey - wy * ex
        R = frame_axes(m, d, b)
        if axes == 1:
            if a >= 0:
                R = frame_axes(m, d, a)
            else:
                axes = 0
        out[s, f.SENSED_ACC], out[s, f.SENSED_ACC + 1], out[s, f.SENSED_ACC + 2] = turned(R, axes, cx, cy, cz)
        out[s, f.SENSED_SPIN_ACC], out[s, f.SENSED_SPIN_ACC + 1], out[s, f.SENSED_SPIN_ACC + 2] = turned(
            R, axes, ax, ay, az
        )
