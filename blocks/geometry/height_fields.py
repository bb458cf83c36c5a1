"""Height fields: a grid of heights, the natural bicubic spline through it, and what of it is a corner or an edge."""

from __future__ import annotations

import hashlib
import io
import math
import zipfile
from pathlib import Path

import numpy as np
from scipy.linalg import solve_banded

from ..errors import LuffError, Problem
from ..multibody_parts import Heights, Solid
from ..params import shown_value
from ..text.data_files import named_file, read_rows
from ..text.safe_read import file_content, read_once, shown
from .body_shapes import Files, Shape, as_tuple

RIDGE = 1e-6  # sin^2 of the turn over one spacing at which a grid point, or a grid line, counts by half as a feature


def heights_in(shape: Shape, files: Files) -> np.ndarray:
    """Heights of the grid points (rows along x, the first at the lowest y) [m].

    Raises
    ------
    LuffError
        The file cannot be read, or the heights are no grid of finite numbers.
    """
    rows = shape.heights if shape.file is None else _file_rows(shape, files)[0]
    grid = np.array(rows, float) if len({len(row) for row in rows}) == 1 else np.zeros((0, 0))
    if min(grid.shape) < 2:
        raise LuffError("found no grid of heights, expected two or more rows of equally many numbers")
    if not np.isfinite(grid).all():
        raise LuffError("found a height that is not finite")
    return grid * (as_tuple(shape.scale) or (1.0,))[0]


def _file_rows(shape: Shape, files: Files) -> tuple[tuple[tuple[float, ...], ...], list[str]]:
    """Rows of the file of a height field, and the digests of what was read."""
    path = named_file(files.folder, shape.file, files.files, "a height field")
    if path.suffix.lower() == ".npz":
        archived = read_once(_archived_rows, path, shown(shape.file))
        return archived.value, archived.digests
    table = read_rows(files.folder, shape.file, files.files)
    return table.value.rows, table.digests


def digests(shape: Shape, files: Files) -> list[str]:
    """Digests of the file of a height field; none of heights in the netlist."""
    return [] if shape.file is None else _file_rows(shape, files)[1]


def _archived_rows(path: Path, name: str) -> tuple[tuple[float, ...], ...]:
    data = file_content(path, "a height field (.npz)") or b""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as kept:
            rows = np.asarray(kept["heights"], float)
            if rows.ndim != 2:
                raise ValueError(f"`heights` has {rows.ndim} dimensions, expected 2")
    except (ValueError, KeyError, OSError, zipfile.BadZipFile, EOFError, TypeError) as error:
        fix = "save it with numpy.savez(file, heights=...), rows along x"
        raise LuffError(f"cannot read {name} as a height field: {error}", fix=fix) from None
    return tuple(map(tuple, rows.tolist()))


def field_of(shape: Shape, files: Files, place: str) -> Solid:
    """Solid of a height field: all that is below its surface.

    Parameters
    ----------
    shape : Shape
        The height field.
    files : Files
        Where its file is read.
    place : str
        Place of the shape in its block, for messages.

    Returns
    -------
    Solid
        The ground, whose surface goes on straight beyond the grid.

    Raises
    ------
    LuffError
        The heights cannot be read.
    """
    try:
        grid = heights_in(shape, files)
    except LuffError as error:
        at = f"{place}.{'heights' if shape.file is None else 'file'}"
        raise LuffError(problem.at(path=at) for problem in error.problems) from None
    half = tuple(0.5 * size for size in shape.sizes())
    nodes = surface_nodes(grid, (half[0], half[1]))
    digest = hashlib.sha256(nodes.tobytes()).hexdigest()
    ny, nx = grid.shape
    heights = Heights((nx, ny), digest, nodes)
    steepest = _steepest(_coefficients_in(heights), _spacings(grid, (half[0], half[1])))
    secant = math.sqrt(1.0 + steepest * steepest)
    return Solid("height_field", (*half, secant), bound=math.inf, heights=heights)


def _spacings(grid: np.ndarray, half: tuple[float, float]) -> tuple[float, float]:
    """Distances of neighbouring grid points along x and y [m]."""
    ny, nx = grid.shape
    return 2.0 * half[0] / (nx - 1), 2.0 * half[1] / (ny - 1)


def spline_coefficients(values: np.ndarray) -> np.ndarray:
    """Coefficients of the natural cubic spline through each column, at its points: c_-1 = 2 c_0 - c_1, and so behind.

    Between points 1, 4, 1 over 6; at the ends, where the second derivative is zero, c = h.
    """
    n = len(values)
    bands = np.zeros((3, n))
    bands[1] = 1.0
    bands[1, 1:-1], bands[0, 2:], bands[2, :-2] = 4.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0
    return solve_banded((1, 1), bands, values)


def grid_coefficients(grid: np.ndarray) -> np.ndarray:
    """Coefficients of the natural bicubic spline through a grid."""
    return spline_coefficients(spline_coefficients(grid).T).T


def _coefficients_in(heights: Heights) -> np.ndarray:
    """Coefficients of the spline, (ny, nx)."""
    nx, ny = heights.size
    return heights.nodes[:, 0].reshape(ny, nx)


def _continued(c: np.ndarray) -> np.ndarray:
    """Coefficients with one more row and column on each side, where the surface goes on straight."""
    c = np.vstack((2.0 * c[0] - c[1], c, 2.0 * c[-1] - c[-2]))
    return np.column_stack((2.0 * c[:, 0] - c[:, 1], c, 2.0 * c[:, -1] - c[:, -2]))


def _steepest(c: np.ndarray, spacing: tuple[float, float]) -> float:
    """Upper bound of the slope within the grid: a derivative is a mean of differences of coefficients."""
    wide = _continued(c)
    return math.hypot(
        abs(np.diff(wide, axis=1)).max() / spacing[0], abs(np.diff(wide, axis=0)).max() / spacing[1]
    )


def sharpest_hollow(solid: Solid) -> float:
    """Upper bound of the curvature at which a height field's surface bends upwards anywhere [1/m].

    Second derivatives of a B-spline are means of second differences of its coefficients. In each cell the curvature is
    at most the larger of both along the axes, and the mixed one.
    """
    assert solid.heights is not None
    c = _coefficients_in(solid.heights)
    ny, nx = c.shape
    dx, dy = _spacings(c, (solid.half[0], solid.half[1]))
    wide = _continued(c)
    along = np.diff(wide, 2, axis=1) / dx**2  # (ny + 2, nx)
    across = np.diff(wide, 2, axis=0) / dy**2  # (ny, nx + 2)
    mixed = abs(np.diff(np.diff(wide, axis=0), axis=1)) / (dx * dy)  # (ny + 1, nx + 1)

    def of_cells(values: np.ndarray) -> np.ndarray:
        """Largest of the values that bear on each cell (ny - 1, nx - 1)."""
        rows, columns = values.shape[0] - (ny - 1) + 1, values.shape[1] - (nx - 1) + 1
        return np.lib.stride_tricks.sliding_window_view(values, (rows, columns)).max(axis=(2, 3))

    bent = np.maximum(of_cells(along), of_cells(across)) + of_cells(mixed)
    return max(float(bent.max()), 0.0)


def surface_nodes(grid: np.ndarray, half: tuple[float, float]) -> np.ndarray:
    """Rows of `Model.height`: coefficient, height, and weights of the point and of the lines from it along x and y.

    A point is a corner as far as the surface bends downwards there in all directions, a line between neighbours is an
    edge as far as it does across it at its middle: W = sin^2 / (sin^2 + `RIDGE`) of the turn over one spacing.
    """
    dx, dy = _spacings(grid, half)
    c = grid_coefficients(grid)
    _, p, q, r, s, t = _surface(c, np.arange(grid.shape[1]), np.arange(grid.shape[0]), dx, dy)
    # principal curvatures are those of H against the metric I + g g'
    root = np.sqrt(1.0 + p * p + q * q)
    E, F, G = 1.0 + p * p, p * q, 1.0 + q * q
    det = E * G - F * F
    mean = (E * t - 2.0 * F * s + G * r) / (2.0 * det * root)
    gauss = (r * t - s * s) / (det * root * root)
    largest = mean + np.sqrt(np.maximum(mean * mean - gauss, 0.0))
    peak = _weight(-largest * math.sqrt(dx * dy))
    inner = np.zeros(grid.shape, bool)
    inner[1:-1, 1:-1] = True
    peak[~inner] = 0.0
    along_x, along_y = np.zeros(grid.shape), np.zeros(grid.shape)
    x, y = np.arange(grid.shape[1] - 1) + 0.5, np.arange(grid.shape[0] - 1) + 0.5
    _, p, q, _, _, t = _surface(c, x, np.arange(grid.shape[0]), dx, dy)
    along_x[1:-1, :-1] = _weight(-t / ((1.0 + q * q) * np.sqrt(1.0 + p * p + q * q)) * dy)[1:-1]
    _, p, q, r, _, _ = _surface(c, np.arange(grid.shape[1]), y, dx, dy)
    along_y[:-1, 1:-1] = _weight(-r / ((1.0 + p * p) * np.sqrt(1.0 + p * p + q * q)) * dx)[:, 1:-1]
    return np.column_stack([each.reshape(-1) for each in (c, grid, peak, along_x, along_y)])


def _weight(turn: np.ndarray) -> np.ndarray:
    """Weight of a feature at which the surface turns downwards by these angles; 0 where it turns upwards."""
    square = np.sin(np.clip(turn, 0.0, 0.5 * math.pi)) ** 2
    weight = square / (square + RIDGE)
    return np.where(weight > 1e-6, weight, 0.0)


def _surface(c: np.ndarray, x: np.ndarray, y: np.ndarray, dx: float, dy: float) -> list[np.ndarray]:
    """Height, slopes along x and y and second derivatives xx, xy, yy at places in spacings (y, x)."""
    wide = _continued(_continued(c))
    A, B = _basis(x, wide.shape[1]), _basis(y, wide.shape[0])
    orders = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
    return [B[j] @ wide @ A[i].T / (dx**i * dy**j) for i, j in orders]


def _basis(places: np.ndarray, count: int) -> list[np.ndarray]:
    """Cubic B-splines at places in spacings, and their derivatives; two coefficients stand before the first point."""
    k = np.floor(places).astype(int)
    u = places - k
    one = np.ones_like(u)
    rows = [
        [(1 - u) ** 3 / 6, (3 * u**3 - 6 * u**2 + 4) / 6, (-3 * u**3 + 3 * u**2 + 3 * u + 1) / 6, u**3 / 6],
        [-((1 - u) ** 2) / 2, (3 * u**2 - 4 * u) / 2, (-3 * u**2 + 2 * u + 1) / 2, u**2 / 2],
        [one - u, 3 * u - 2, 1 - 3 * u, u],
    ]
    made = []
    for weights in rows:
        matrix = np.zeros((len(places), count))
        for j, weight in enumerate(weights):
            matrix[np.arange(len(places)), k + 1 + j] = weight
        made.append(matrix)
    return made


def height_problems(shape: Shape, place: str, files: Files) -> list[Problem]:
    """Mistakes in a height field."""
    problems = []
    if (shape.file is None) == (shape.heights is None):
        how = "neither heights nor" if shape.file is None else "both heights and"
        problems.append(Problem(f"found {how} file, expected one of them", place))
    for name in ("density", "round"):
        if getattr(shape, name) is not None:
            message = f"found {name} of a height field"
            problems.append(Problem(message, f"{place}.{name}", f"remove {name}", key=True))
    if len(as_tuple(shape.scale)) > 1:
        message = (
            f"found {shown_value(list(as_tuple(shape.scale)))}, expected one number: it multiplies heights"
        )
        problems.append(Problem(message, f"{place}.scale"))
    if problems:
        return problems
    try:
        heights_in(shape, files)
    except LuffError as error:
        at = f"{place}.{'heights' if shape.file is None else 'file'}"
        return [problem.at(path=at) for problem in error.problems]
    return []
