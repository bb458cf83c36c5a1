"""Values over the points of several grids: the product of one interpolant along each of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import prod

import numpy as np

from ..block import Equation
from ..errors import Problem
from ..text.generated_functions import function_from
from .piecewise_polynomials import DEGREE, Row, clamped_lookup, fit_spline, segment_of
from .table_data import knot_order_problem

MOST = 2_000_000  # coefficients of one table


def fit_grid(grids: Sequence[Row], rows: Sequence[Row], kind: str) -> tuple[float, ...]:
    """Coefficients for each cell and power of the distances from its lower corner, as `grid_function` reads them."""
    values = np.array(rows, float).reshape([len(grid) for grid in grids])
    for axis, grid in enumerate(grids):
        ahead = np.moveaxis(values, axis, 0)
        flat = fit_spline(grid, ahead.reshape(len(grid), -1).tolist(), kind)
        fitted = np.array(flat).reshape(len(grid) - 1, *ahead.shape[1:], -1)
        values = np.moveaxis(fitted, 0, axis)
    return tuple(values.ravel().tolist())


def orders(grids: Sequence[Row], kind: str) -> list[int]:
    """Powers along each grid; points too few for a spline have the one polynomial through all of them."""
    return [min(DEGREE[kind], len(grid) - 1) + 1 for grid in grids]


def grid_place(knots, first, count, mode, u):
    """The interval of a grid that holds for u, how far u is into it, and how far beyond an end a line goes on."""
    where, piece, further, goes_on = clamped_lookup(knots[first], knots[first + count - 1], mode, u, u)
    k = segment_of(knots, first, count, piece)
    return k, where - knots[first + k], goes_on * further


@cache
def grid_function(axes: int) -> Equation:
    """y of u1, u2, ...: Horner's scheme along each grid within that of the one before, on a line beyond its ends."""
    names = range(1, axes + 1)
    lines = [f"def grid_of_{axes}({', '.join(f'u{k}' for k in names)}, knots, coefficients, layout):"]
    lines += ["    first, at = 0, 0"]
    for k in names:
        lines += [
            f"    n{k}, o{k} = int(layout[{2 * k - 1}]), int(layout[{2 * k}])",
            f"    k{k}, s{k}, d{k} = grid_place(knots, first, n{k}, layout[0], u{k})",
            f"    first, at = first + n{k}, at * (n{k} - 1) + k{k}",
        ]
    for k in names:
        pad = "    " * k
        at = "at * o1 + a1" if k == 2 else f"at{k - 1} * o{k - 1} + a{k - 1}"
        lines += [
            *([f"{pad}at{k} = {at}"] if k > 1 else []),
            f"{pad}y{k}, r{k} = 0.0, 0.0",
            f"{pad}for a{k} in range(o{k} - 1, -1, -1):",
        ]
    pad = "    " * (axes + 1)
    inner = f"coefficients[at{axes} * o{axes} + a{axes}]"
    for k in reversed(names):
        lines += [f"{pad}r{k} = r{k} * s{k} + y{k}", f"{pad}y{k} = y{k} * s{k} + {inner}"]
        pad, inner = pad[4:], f"(y{k} + d{k} * r{k})"
    lines += ["    return y1 + d1 * r1", ""]
    return function_from("\n".join(lines), grid_place)


def grid_problems(grids: Sequence[Row]) -> Iterable[Problem]:
    """Mistakes in the grids alone."""
    if len(grids) < 2:
        yield Problem(f"found {len(grids)} grids, expected two or more", ".grids", "take over: input for one")
    for k, grid in enumerate(grids):
        if len(grid) < 2:
            yield Problem(f"found {len(grid)} points, expected at least 2", f".grids[{k}]")
        yield from knot_order_problem(grid, f".grids[{k}]", "a grid")


def size_problems(grids: Sequence[Row], rows: Sequence[Row], kind: str, place: str) -> Iterable[Problem]:
    """Mistakes in how many numbers there are over the grids."""
    wanted = prod(len(grid) for grid in grids[:-1])
    if len(rows) != wanted:
        sizes = " x ".join(str(len(grid)) for grid in grids[:-1])
        expected = f"{wanted}: {sizes}, one for each point of the grids but the last"
        yield Problem(f"found {len(rows)} rows, expected {expected}", place)
    elif len(rows[0]) != len(grids[-1]):
        expected = f"{len(grids[-1])}, one for each point of the last grid"
        yield Problem(f"found rows of {len(rows[0])} numbers, expected {expected}", place)
    count = prod(len(grid) - 1 for grid in grids) * prod(orders(grids, kind))
    if count > MOST:
        mistake = f"found a table of {count} coefficients, expected at most {MOST}"
        yield Problem(mistake, place, "take fewer points, or interpolation: linear")
