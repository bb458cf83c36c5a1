"""Rotation matrices from axes and angles; `R_AB` takes components in B to components in A."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from ..errors import Problem

Vector = Sequence[float] | np.ndarray
IDENTITY = np.eye(3)


def degrees_meant(angle: float, path: str) -> Iterable[Problem]:
    """An angle of more than a turn in few digits: a number without a unit is in radians."""
    if abs(angle) > 2.0 * math.pi and angle == round(angle, 1):
        message = f"found {angle:g} rad, which is {abs(angle) / (2.0 * math.pi):.3g} turns"
        yield Problem(message, path, f"write {angle:g} deg if that is meant", severity="warning")


def rotation_about(axis: Vector, angle: float) -> np.ndarray:
    """Turn by `angle` about a unit axis (Rodrigues)."""
    x, y, z = axis
    c, s = math.cos(angle), math.sin(angle)
    v = 1.0 - c
    return np.array(
        [
            [c + x * x * v, x * y * v - z * s, x * z * v + y * s],
            [y * x * v + z * s, c + y * y * v, y * z * v - x * s],
            [z * x * v - y * s, z * y * v + x * s, c + z * z * v],
        ]
    )


def rotation_of_turns(turns: Iterable[tuple[Vector, float]]) -> np.ndarray:
    """Turns applied in order, each about the axes already turned."""
    R = IDENTITY
    for axis, angle in turns:
        R = R @ rotation_about(axis, angle)
    return R.copy()


def rotation_z_to(axis: Vector) -> np.ndarray:
    """A rotation whose z axis is `axis`; exact for the coordinate axes."""
    n = np.asarray(axis, float)
    j = int(np.argmax(np.abs(n)))
    if abs(n[j]) == 1.0:
        # a cyclic permutation, turned over for the negative direction
        R = np.roll(np.eye(3), j - 2, axis=0)
        return R if n[j] > 0 else R @ np.diag([1.0, -1.0, -1.0])
    c = n[2]
    if c < -0.5:
        return rotation_about((1.0, 0.0, 0.0), math.pi) @ rotation_z_to(np.array([n[0], -n[1], -n[2]]))
    v = np.array([-n[1], n[0], 0.0])
    K = skew(v)
    return np.eye(3) + K + K @ K / (1.0 + c)


def skew(v: Vector) -> np.ndarray:
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def quaternion(R: np.ndarray) -> np.ndarray:
    """Unit quaternion (w, x, y, z) of a rotation matrix, w >= 0."""
    w2 = 1.0 + R[0, 0] + R[1, 1] + R[2, 2]
    x2 = 1.0 + R[0, 0] - R[1, 1] - R[2, 2]
    y2 = 1.0 - R[0, 0] + R[1, 1] - R[2, 2]
    z2 = 1.0 - R[0, 0] - R[1, 1] + R[2, 2]
    k = int(np.argmax([w2, x2, y2, z2]))
    a, b, c = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    xy, xz, yz = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    q = np.array([[w2, a, b, c], [a, x2, xy, xz], [b, xy, y2, yz], [c, xz, yz, z2]][k])
    q /= np.linalg.norm(q)
    return q if q[0] >= 0 else -q


def angular_velocity(angles: Vector, rates: Vector) -> tuple[float, float, float]:
    """w_AB in B of R_AB = Rz(psi) Ry(theta) Rx(phi), from psi, theta, phi and their rates."""
    _, theta, phi = angles
    psi_rate, theta_rate, phi_rate = rates
    level, c, s = psi_rate * math.cos(theta), math.cos(phi), math.sin(phi)
    return (
        phi_rate - psi_rate * math.sin(theta),
        theta_rate * c + level * s,
        level * c - theta_rate * s,
    )


def rotated(q: Vector, v: Vector) -> np.ndarray:
    """v turned by the unit quaternion q = (w, x, y, z): v + 2 w (n x v) + 2 n x (n x v), n = (x, y, z)."""
    across = np.cross(q[1:], v)
    return np.asarray(v) + 2.0 * (q[0] * across + np.cross(q[1:], across))


def angles_of_rotation(R: np.ndarray) -> tuple[float, float, float]:
    """psi, theta, phi of R = Rz(psi) Ry(theta) Rx(phi); at theta = 90 deg rounding makes psi, and phi is the rest."""
    psi = math.atan2(R[1, 0], R[0, 0])
    c, s = math.cos(psi), math.sin(psi)
    return (
        psi,
        math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0])),
        math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1]),
    )


def angles_of_quaternion(q: Vector) -> tuple[float, float, float]:
    """psi, theta, phi of the rotation by a unit quaternion."""
    return angles_of_rotation(np.column_stack([rotated(q, axis) for axis in IDENTITY]))


def inertia_matrix(six: Vector) -> np.ndarray:
    """[xx, yy, zz, xy, xz, yz] as a matrix."""
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
