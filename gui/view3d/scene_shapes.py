"""Drawable parts of a mechanism: skins of solids and lines with points fixed to rows; ground grid. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...solver.results.matplotlib_plots import COLOURS

Vec = np.ndarray
SPRING, TIE, ROPE, BAR = "spring", "tie", "rope", "bar"


@dataclass(frozen=True)
class Bend:
    """Points of a flexible body that its modes move, in the frame of its row."""

    first: int  # row of its first mode
    shapes: Vec  # (points, 3, modes): displacements
    stresses: Callable[[Vec], Vec] | None = None  # at the points [Pa], of the modal coordinates
    allowable: float | None = None  # Pa

    def moved(self, pose: Vec) -> Vec:
        """Displacements of the points (points, 3) [m]."""
        return self.shapes @ pose[self.first : self.first + self.shapes.shape[2], 9]


@dataclass
class Skin:
    """Polygons of one solid; each corner is fixed to its own row, so that a beam may bend."""

    block: str
    colour: str  # a family, or #rrggbb
    faces: list[Vec]  # (corners, 3) each
    rows: int | list[Vec]  # row of all corners, or rows of each face's corners
    edges: bool = True  # edges are drawn; not on meshes of many triangles
    back: float = 0.0  # m, by which pages paint it as if further away: what slides inside of another solid
    bend: Bend | None = None
    numbers: list[Vec] = field(default_factory=list)  # of each face's corners among the points of `bend`

    def rows_of(self, k: int) -> Vec:
        return np.full(len(self.faces[k]), self.rows) if isinstance(self.rows, int) else self.rows[k]


@dataclass
class Line:
    """Polyline on rows, drawn by kind: a spring as a coil, a tie dashed, a bar thin."""

    block: str
    colour: str
    kind: str
    rows: list[int]
    points: Vec  # (n, 3), each in the frame of its row
    size: float = 0.1
    quiet: bool = False  # shown while its block is selected alone


@dataclass
class Drawing:
    """Skins and lines of one block."""

    skins: list[Skin] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)


@dataclass(frozen=True)
class Arrow:
    """Arrow of a force, or with two heads of a torque; the vector in metres of the drawing."""

    at: np.ndarray
    vector: np.ndarray
    double: bool = False
    lit: str = ""  # colour of the theme, with a dot at its start: where shapes touch
    words: str = ""  # name of its signal or block, and its size


def place(pose: Vec, row: int, point: Vec) -> Vec:
    """World position of a point fixed to a row; row -1 is the world."""
    if row < 0 or row >= len(pose):
        return np.asarray(point, float)
    return pose[row, :9].reshape(3, 3) @ point + pose[row, 9:]


def places(poses: Sequence[Vec], row: int, point: Vec) -> Vec:
    """World positions of a point fixed to a row, in many poses, (n, 3)."""
    if not poses or not 0 <= row < len(poses[0]):
        return np.tile(np.asarray(point, float), (len(poses), 1))
    rows = np.array([pose[row] for pose in poses])
    return rows[:, :9].reshape(-1, 3, 3) @ point + rows[:, 9:]


def in_row(pose: Vec, row: int, way: Vec) -> Vec:
    """World direction in the axes of a row."""
    return pose[row, :9].reshape(3, 3).T @ way if 0 <= row < len(pose) else way


def points_of(line: Line, pose: Vec) -> Vec:
    return np.array([place(pose, row, point) for row, point in zip(line.rows, line.points, strict=True)])


def trail_colour(number: int) -> str:
    """Colour of trace `number`: the plot colours that are distinct on light and dark backgrounds."""
    seen = COLOURS[:4]  # on light and dark ground alike
    return seen[number % len(seen)]


def grid(size: float, middle: np.ndarray) -> tuple[float, int, np.ndarray]:
    """Grid in the world's x-y plane: round step [m], number of lines to each side, centre."""
    step = 10 ** np.floor(np.log10(size))
    if size / step > 5:
        step *= 2
    elif size / step < 2:
        step /= 2
    count = int(np.ceil(size / step)) + 1
    return float(step), count, np.round(middle[:2] / step) * step
