"""Shapes of a mechanism: chains of points on rows. Pure numpy: nothing here knows Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Vec = np.ndarray


@dataclass
class Shape:
    """A chain of points on one row or several, drawn with some thickness."""

    block: str
    family: str
    kind: str  # link, pin, slide, ball, spring, rod, mass
    rows: list[int]
    points: np.ndarray  # (n, 3), each in the frame of its row
    axis: np.ndarray | None = None  # in the frame of the first row
    size: float = 0.1


def place(pose: np.ndarray, row: int, point: np.ndarray) -> np.ndarray:
    """A point of a row in the world; row -1 is the world."""
    if row < 0 or row >= len(pose):
        return np.asarray(point, float)
    return pose[row, :9].reshape(3, 3) @ point + pose[row, 9:]


def points_of(shape: Shape, pose: np.ndarray) -> np.ndarray:
    return np.array([place(pose, row, point) for row, point in zip(shape.rows, shape.points, strict=True)])
