"""Mesh of a convex hull as a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial import ConvexHull


def write_hull(path: Path) -> None:
    """Write the hull of 14 points as an OBJ file of triangles that face outwards."""
    points = np.random.default_rng(1).normal(size=(14, 3)) * [1.0, 0.6, 0.4]
    hull = ConvexHull(points)
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points.tolist()]
    for (a, b, c), plane in zip(hull.simplices, hull.equations, strict=True):
        turned = np.cross(points[b] - points[a], points[c] - points[a]) @ plane[:3] < 0.0
        lines.append("f " + " ".join(str(k + 1) for k in ((a, c, b) if turned else (a, b, c))))
    path.write_text("\n".join(lines))
