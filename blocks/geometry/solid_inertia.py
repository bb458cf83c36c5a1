"""Mass properties of solid and hollow shapes in their own axes, for a density of one; sizes are half lengths."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .mass_properties import Inertia

Size = tuple[float, float, float]


def _diagonal(mass: float, xx: float, yy: float, zz: float) -> Inertia:
    return Inertia(mass, np.zeros(3), np.diag([xx, yy, zz]))


def sphere(size: Size, hollow: bool) -> Inertia:
    r = size[0]
    mass, share = (4.0 * math.pi * r**2, 2.0 / 3.0) if hollow else (4.0 / 3.0 * math.pi * r**3, 0.4)
    return _diagonal(mass, *[share * mass * r**2] * 3)


def cylinder(size: Size, hollow: bool) -> Inertia:
    """Inertia of a cylinder about z for a density of 1; a hollow one has end discs."""
    r, h = size[0], 2.0 * size[1]
    if not hollow:
        mass = math.pi * r**2 * h
        across = mass * (3.0 * r**2 + h**2) / 12.0
        return _diagonal(mass, across, across, mass * r**2 / 2.0)
    wall, disc = 2.0 * math.pi * r * h, math.pi * r**2
    across = wall * (6.0 * r**2 + h**2) / 12.0 + 2.0 * disc * (r**2 / 4.0 + h**2 / 4.0)
    return _diagonal(wall + 2.0 * disc, across, across, wall * r**2 + disc * r**2)


def capsule(size: Size, hollow: bool) -> Inertia:
    """Inertia of a capsule about z for a density of 1: a cylinder without ends, and two half spheres."""
    r, half = size[0], size[1]
    h = 2.0 * half
    ball = sphere(size, hollow)
    # of a half sphere: its com from its centre, and the moment about that com
    out = r / 2.0 if hollow else 3.0 * r / 8.0
    caps = ball.about_com[0, 0] + ball.mass * ((half + out) ** 2 - out**2)
    if hollow:
        wall = 2.0 * math.pi * r * h
        across, along = wall * (6.0 * r**2 + h**2) / 12.0, wall * r**2
    else:
        wall = math.pi * r**2 * h
        across, along = wall * (3.0 * r**2 + h**2) / 12.0, wall * r**2 / 2.0
    return _diagonal(ball.mass + wall, across + caps, across + caps, along + ball.about_com[2, 2])


def box(size: Size, hollow: bool) -> Inertia:
    a, b, c = size
    if not hollow:
        mass = 8.0 * a * b * c
        return _diagonal(mass, *(mass / 3.0 * s for s in (b**2 + c**2, a**2 + c**2, a**2 + b**2)))
    total = _diagonal(0.0, 0.0, 0.0, 0.0)
    moments = np.zeros(3)
    for k, (across, p, q) in enumerate(((a, b, c), (b, c, a), (c, a, b))):
        face = 8.0 * p * q  # both faces across axis k
        spread = np.zeros(3)  # mean squares of the coordinates
        spread[k], spread[(k + 1) % 3], spread[(k + 2) % 3] = across**2, p**2 / 3.0, q**2 / 3.0
        total.mass += face
        moments += face * (spread.sum() - spread)
    return _diagonal(total.mass, *moments)


def ellipsoid(size: Size, hollow: bool) -> Inertia:
    """A hollow one as MuJoCo has it: Thomsen's area, and the moments of a thin layer of equal depth."""
    a, b, c = size
    if not hollow:
        mass = 4.0 / 3.0 * math.pi * a * b * c
        return _diagonal(mass, *(mass / 5.0 * s for s in (b**2 + c**2, a**2 + c**2, a**2 + b**2)))
    p = 1.6075
    mass = 4.0 * math.pi * (((a * b) ** p + (b * c) ** p + (c * a) ** p) / 3.0) ** (1.0 / p)
    depth = 1e-6
    outer, inner = ellipsoid((a + depth, b + depth, c + depth), False), ellipsoid(size, False)
    share = mass / (outer.mass - inner.mass)
    return _diagonal(mass, *np.diag(share * (outer.about_com - inner.about_com)))


SOLIDS: dict[str, Callable[[Size, bool], Inertia]] = {
    "sphere": sphere,
    "cylinder": cylinder,
    "capsule": capsule,
    "box": box,
    "ellipsoid": ellipsoid,
}
SIZES = {"sphere": 1, "cylinder": 2, "capsule": 2, "box": 3, "ellipsoid": 3}

WAYS = ("convex", "exact", "legacy", "shell")  # to count a mesh


def mesh(vertices: np.ndarray, faces: np.ndarray, way: str) -> Inertia:
    """Inertia of a triangle mesh for a density of 1, by pyramids from the centre of the faces to each face.

    `exact` and `convex` (whose faces are those of the hull) count pyramids with their sign, `legacy` without, as older
    versions of MuJoCo do; `shell` counts areas.
    """
    corners = vertices[faces]
    areas = (
        np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2.0
    )
    if not areas.sum() > 0.0:
        return Inertia()
    middle = areas @ corners.mean(axis=1) / areas.sum()
    weights = _weights(corners - middle, areas, way)
    if not weights.sum() > 0.0:
        return Inertia()
    # of a pyramid the com is at three quarters; MuJoCo takes the same for the triangles of a shell
    com = middle + weights @ (corners - middle).mean(axis=1) * 0.75 / weights.sum()
    corners = corners - com
    weights = _weights(corners, areas, way)
    total = corners.sum(axis=1)
    products = np.einsum("f,fi,fj->ij", weights, total, total)
    products += np.einsum("f,fki,fkj->ij", weights, corners, corners)
    products /= 12.0 if way == "shell" else 20.0
    return Inertia(float(weights.sum()), com, np.trace(products) * np.eye(3) - products)


def _weights(corners: np.ndarray, areas: np.ndarray, way: str) -> np.ndarray:
    if way == "shell":
        return areas
    volumes = np.linalg.det(corners) / 6.0
    return np.abs(volumes) if way == "legacy" else volumes
