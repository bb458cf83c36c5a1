"""The closed meshes that MJCF makes of numbers (`builtin=`): vertices as MuJoCo 4 places them.

Those of convex solids need no faces of their own: their hull has them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...blocks.geometry.mesh_readers import hull

MOST = 200  # divisions: vertices grow as their square
DEEPEST = 5  # halvings of the icosahedron's edges
Mesh = tuple[np.ndarray, np.ndarray]


def sphere(halvings: float) -> Mesh:
    """An icosahedron whose edges are halved that often."""
    golden = (1.0 + 5.0**0.5) / 2.0
    one = [(0.0, a, b * golden) for a in (-1.0, 1.0) for b in (-1.0, 1.0)]
    points = np.array([np.roll(point, k) for point in one for k in range(3)])
    points /= np.linalg.norm(points, axis=1)[:, None]
    for _ in range(_whole(halvings, 0, DEEPEST)):
        faces = hull(points)
        edges = np.unique(
            np.sort(np.vstack([faces[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))]), axis=1), axis=0
        )
        middle = points[edges].sum(axis=1)
        points = np.vstack([points, middle / np.linalg.norm(middle, axis=1)[:, None]])
    return points, hull(points)


def hemisphere(resolution: float) -> Mesh:
    """The upper half of an octahedron, each edge in `resolution` + 1 parts, blown up; and the middle of its base."""
    n = _whole(resolution, 1, MOST) + 1
    grid = [(x, y, n - abs(x) - abs(y)) for x in range(-n, n + 1) for y in range(abs(x) - n, n + 1 - abs(x))]
    points = np.array(grid, float)
    points = np.vstack([points / np.linalg.norm(points, axis=1)[:, None], np.zeros(3)])
    return points, hull(points)


def cone(corners: float, radius: float) -> Mesh:
    """A pyramid between z = -1, where its corners are on the unit circle, and z = 1."""
    angle = 2.0 * np.pi * np.arange(_whole(corners, 3, MOST)) / corners
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    if not 0.0 <= radius <= 1.0:
        raise ValueError(f"found a radius of {radius:g}, expected 0 to 1")
    top = circle * radius if radius > 0.0 else np.zeros((1, 2))
    ends = ((circle, -1.0), (top, 1.0))
    points = np.vstack([np.column_stack([plane, np.full(len(plane), z)]) for plane, z in ends])
    return points, hull(points)


def supersphere(resolution: float, e: float, n: float) -> Mesh:
    """Barr (1981): a sphere whose sines and cosines are raised to these powers, over latitude and longitude."""
    count = _whole(resolution, 3, MOST)
    latitude = np.pi * (np.arange(1, count) / count - 0.5)
    longitude = 2.0 * np.pi * np.arange(count) / count - np.pi
    ring = np.column_stack([_power(np.cos(longitude), e), _power(np.sin(longitude), e)])
    wide, high = _power(np.cos(latitude), n), _power(np.sin(latitude), n)
    rows = [np.column_stack([r * ring, np.full(count, z)]) for r, z in zip(wide, high, strict=True)]
    points = np.vstack([(0.0, 0.0, -1.0), *rows, (0.0, 0.0, 1.0)])
    k, after = np.arange(count), (np.arange(count) + 1) % count
    last = 1 + (count - 2) * count
    faces = [np.column_stack([np.zeros(count, int), 1 + after, 1 + k])]
    for first in range(1, last, count):
        a, b, c, d = first + k, first + after, first + count + k, first + count + after
        faces += [np.column_stack([a, b, c]), np.column_stack([b, d, c])]
    faces.append(np.column_stack([np.full(count, len(points) - 1), last + k, last + after]))
    return points, np.vstack(faces)


def supertorus(resolution: float, radius: float, s: float, t: float) -> Mesh:
    """A ring of radius 1; its section has this radius and the power s, the ring itself the power t."""
    count = _whole(resolution, 3, MOST)
    angle = 2.0 * np.pi * np.arange(count) / count
    wide = 1.0 + radius * _power(np.cos(angle), s)
    high = radius * _power(np.sin(angle), s)
    ring = np.column_stack([_power(np.cos(angle), t), _power(np.sin(angle), t)])
    points = np.vstack([np.column_stack([wide[:, None] * one, high]) for one in ring])
    k, after = np.arange(count), (np.arange(count) + 1) % count
    faces = []
    for row in range(count):
        here, there = row * count, (row + 1) % count * count
        faces += [
            np.column_stack([here + k, there + k, here + after]),
            np.column_stack([there + k, there + after, here + after]),
        ]
    return points, np.vstack(faces)


MADE: dict[str, tuple[int, Callable[..., Mesh]]] = {
    "sphere": (1, sphere),
    "hemisphere": (1, hemisphere),
    "cone": (2, cone),
    "supersphere": (3, supersphere),
    "supertorus": (4, supertorus),
}


def made(name: str, params: Sequence[float]) -> Mesh:
    """ValueError in words where the numbers make no mesh."""
    count, make = MADE[name]
    if len(params) != count:
        raise ValueError(f"found {len(params)} numbers, expected {count}")
    return make(*params)


def _whole(number: float, least: int, most: int) -> int:
    if number != round(number) or not least <= number <= most:
        raise ValueError(f"found {number:g}, expected a whole number from {least} to {most}")
    return round(number)


def _power(values: np.ndarray, exponent: float) -> np.ndarray:
    """Signed power sign(x) |x|^exponent."""
    if exponent <= 0.0:
        raise ValueError(f"found an exponent of {exponent:g}, expected a number above zero")
    return np.sign(values) * np.abs(values) ** exponent
