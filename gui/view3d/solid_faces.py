"""Polygons of solids, corners counter-clockwise seen from outside. Pure numpy: no Qt."""

from __future__ import annotations

import itertools

import numpy as np

SIDES = 16  # where the size of the mechanism is not known yet
FEWEST, MOST = 12, 64
CHORD = 0.02  # furthest that a side is from its arc, in units of `thin`
TURNS, STEPS = 9, 12  # turns of a coil, and points per turn
Faces = list[np.ndarray]  # each (corners, 3)


def sides_of(radius: float, thin: float) -> int:
    """Sides of a round cross-section that look round beside parts of the half width `thin`: a multiple of four."""
    needed = np.pi / np.sqrt(2.0 * CHORD * thin / radius) if radius > 0.0 and thin > 0.0 else SIDES
    return int(np.clip(4 * np.ceil(0.25 * needed), FEWEST, MOST))


def frame_about(axis: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Right-handed orthonormal triad with the axis as its third vector."""
    n = axis / (float(np.linalg.norm(axis)) or 1.0)
    helper = np.array([0.0, 0.0, 1.0]) if abs(n[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
    u = np.cross(helper, n)
    u /= float(np.linalg.norm(u)) or 1.0
    return u, np.cross(n, u), n


def tube(rings: list[np.ndarray]) -> Faces:
    """Faces through rings with equal corner counts, closed by lids."""
    sides = len(rings[0])
    faces = [
        np.array([low[k], low[(k + 1) % sides], high[(k + 1) % sides], high[k]])
        for low, high in itertools.pairwise(rings)
        for k in range(sides)
    ]
    return [*faces, rings[0][::-1], rings[-1]]


def prism(
    a: np.ndarray, b: np.ndarray, radius: float, sides: int = 4, turn: float = np.pi / 4, taper: float = 1.0
) -> Faces:
    """Prism or frustum from a to b with a regular cross-section."""
    if np.linalg.norm(b - a) < 1e-12:
        return []
    u, v, _ = frame_about(b - a)
    angles = turn + 2 * np.pi * np.arange(sides) / sides
    ring = np.outer(np.cos(angles), u) + np.outer(np.sin(angles), v)
    return tube([a + radius * ring, b + radius * taper * ring])


def round_prism(a: np.ndarray, b: np.ndarray, radius: float, thin: float) -> Faces:
    """Prism from a to b that looks round beside parts of the half width `thin`."""
    return prism(a, b, radius, sides_of(radius, thin))


def box(size: tuple[float, ...]) -> Faces:
    """Box centred at the origin."""
    x, y, z = (0.5 * entry for entry in size)
    ring = np.array([[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]])
    up = np.array([0.0, 0.0, z])
    return tube([ring - up, ring + up])


def cylinder(diameter: float, length: float, sides: int = SIDES) -> Faces:
    """Cylinder along z, centred at the origin."""
    end = np.array([0.0, 0.0, 0.5 * length])
    return prism(-end, end, 0.5 * diameter, sides)


def capsule(diameter: float, length: float, sides: int = SIDES) -> Faces:
    """Capsule along z, centred at the origin: a cylinder between hemispheres; a sphere if the length is zero."""
    rings, angles = sides // 2, 2 * np.pi * np.arange(sides) / sides
    circle = np.column_stack((np.cos(angles), np.sin(angles)))
    up, levels = np.array([0.0, 0.0, 0.5 * length]), []
    for k in range(rings + 1):
        tilt = np.pi * (1 - k / rings)
        ring = np.column_stack((np.sin(tilt) * circle, np.full(sides, np.cos(tilt)))) * 0.5 * diameter
        if 2 * k == rings and length > 0:
            levels.append(ring - up)
        levels.append(ring + up if 2 * k >= rings else ring - up)
    return tube(levels)[:-2]  # the poles are points


def ball(centre: np.ndarray, radius: float, thin: float = 0.0) -> Faces:
    """Ball that looks round beside parts of the half width `thin`."""
    return [face + centre for face in capsule(2 * radius, 0.0, sides_of(radius, thin))]


def coil(a: np.ndarray, b: np.ndarray, radius: float) -> np.ndarray:
    """Helix points of a spring from a to b."""
    u, v, _ = frame_about(b - a)
    angles = 2 * np.pi * np.arange(TURNS * STEPS + 1) / STEPS
    along = np.linspace(0.1, 0.9, len(angles))
    inner = a + np.outer(along, b - a) + radius * (np.outer(np.cos(angles), u) + np.outer(np.sin(angles), v))
    return np.vstack((a, a + 0.1 * (b - a), inner, a + 0.9 * (b - a), b))
