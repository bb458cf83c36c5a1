"""Faces of the drawn shapes, in world coordinates. Pure numpy: nothing here knows Qt."""

from __future__ import annotations

import itertools

import numpy as np

from .shapes import Shape, points_of

SIDES = 10
Faces = list[np.ndarray]  # each (corners, 3)


def frame_about(axis: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A right-handed triad whose third vector is the axis."""
    n = axis / (float(np.linalg.norm(axis)) or 1.0)
    helper = np.array([0.0, 0.0, 1.0]) if abs(n[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
    u = np.cross(helper, n)
    u /= float(np.linalg.norm(u)) or 1.0
    return u, np.cross(n, u), n


def prism(
    a: np.ndarray, b: np.ndarray, radius: float, sides: int = 4, turn: float = np.pi / 4, taper: float = 1.0
) -> Faces:
    """From a to b, with a regular section."""
    if np.linalg.norm(b - a) < 1e-12:
        return []
    u, v, _ = frame_about(b - a)
    angles = turn + 2 * np.pi * np.arange(sides) / sides
    ring = np.outer(np.cos(angles), u) + np.outer(np.sin(angles), v)
    low, high = a + radius * ring, b + radius * taper * ring
    faces = [np.array([low[k], low[(k + 1) % sides], high[(k + 1) % sides], high[k]]) for k in range(sides)]
    return [*faces, low[::-1], high]


def faces_of(shape: Shape, pose: np.ndarray) -> Faces:
    points = points_of(shape, pose)
    if shape.kind == "link":
        return [f for a, b in itertools.pairwise(points) for f in prism(a, b, shape.size, 4, taper=0.8)]
    if shape.kind == "rod":
        middle = points[0] + 0.55 * (points[1] - points[0])
        return prism(points[0], middle, shape.size, SIDES) + prism(
            middle, points[1], 0.45 * shape.size, SIDES
        )
    if shape.kind == "pin":
        axis = world_axis(shape, pose)
        return prism(
            points[0] - 1.3 * shape.size * axis, points[0] + 1.3 * shape.size * axis, shape.size, SIDES
        )
    if shape.kind == "slide":
        axis = world_axis(shape, pose)
        return prism(
            points[0] - 1.4 * shape.size * axis, points[0] + 1.4 * shape.size * axis, 1.2 * shape.size, 4
        )
    if shape.kind in ("ball", "mass"):
        return ball(points[0], shape.size)
    return []


def world_axis(shape: Shape, pose: np.ndarray) -> np.ndarray:
    axis = shape.axis if shape.axis is not None else np.array([0.0, 0.0, 1.0])
    row = shape.rows[0]
    return pose[row, :9].reshape(3, 3) @ axis if 0 <= row < len(pose) else axis


def ball(centre: np.ndarray, radius: float) -> Faces:
    """An icosahedron-like ball of few faces."""
    rings, faces = 4, []
    angles = 2 * np.pi * np.arange(8) / 8
    circle = np.column_stack((np.cos(angles), np.sin(angles)))
    levels = []
    for k in range(rings + 1):
        tilt = np.pi * k / rings
        levels.append(np.column_stack((np.sin(tilt) * circle, np.full(8, np.cos(tilt)))) * radius + centre)
    for low, high in itertools.pairwise(levels):
        faces += [np.array([low[k], high[k], high[(k + 1) % 8], low[(k + 1) % 8]]) for k in range(8)]
    return faces


def zigzag(a: np.ndarray, b: np.ndarray, width: float, turns: int = 9) -> np.ndarray:
    u, _, _ = frame_about(b - a)
    steps = np.linspace(0.12, 0.88, 2 * turns)
    sway = width * np.where(np.arange(2 * turns) % 2, 1.0, -1.0)
    inner = a + np.outer(steps, b - a) + np.outer(sway, u)
    return np.vstack((a, a + 0.1 * (b - a), inner, a + 0.9 * (b - a), b))
