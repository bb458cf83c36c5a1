"""Tables: values over time, or characteristics over an input."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import pairwise

from ..block import Equation
from ..errors import LuffError, Problem
from ..params import Choice
from ..ports import ANY, TRAJECTORY, In, Out, Port
from ..signal_params import Rows, UnitName
from .grid_interpolation import fit_grid, grid_function, grid_problems, orders, size_problems
from .piecewise_polynomials import BEYOND, clamped_lookup, evaluate_piecewise, fit_spline, inside_step
from .table_data import Tabulated, knot_order_problem


def table_value(knots, coefficients, layout, column, t, near):
    """Value, rate and acceleration of a column, also beyond the ends."""
    first, last = knots[0], knots[len(knots) - 1]
    where, piece, further, goes_on = clamped_lookup(first, last, layout[1], t, near)
    value, rate, acceleration = evaluate_piecewise(knots, coefficients, int(layout[0]), column, where, piece)
    if first <= near <= last or layout[1] == 2.0:
        return value, rate, acceleration
    return value + goes_on * rate * further, goes_on * rate, 0.0


def table_y(t, during, i, knots, coefficients, layout):
    return table_value(knots, coefficients, layout, i, t, inside_step(t, during))[0]


def table_trajectory(t, during, i, knots, coefficients, layout):
    return table_value(knots, coefficients, layout, i, t, inside_step(t, during))


def table_of_input(i, u, knots, coefficients, layout):
    return table_value(knots, coefficients, layout, i, u, u)[0]


def alike(a: list[float], b: list[float]) -> bool:
    """Slopes of one line, but for rounding."""
    return all(math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12) for x, y in zip(a, b, strict=True))


class TableRows(Rows):
    """Rows whose first column is named after what the table is over."""

    def entries_beside(self, raw: Mapping[str, object]) -> tuple[str, ...]:
        return {"input": ("u", "y"), "inputs": ("y",)}.get(str(raw.get("over")), ("t", "y"))


class Table(Tabulated):
    """A table: y(t), or y(u), through rows [t, y1, y2, ...], joined linearly or by splines.

    Splines end not-a-knot: `cubic` ones are those of `scipy.interpolate.CubicSpline`.

    With `over: inputs` it is y(u1, u2, ...) over as many `grids`, the product of such an interpolant along each of them
    (bilinear for two). Beyond the ends each input follows `beyond` by itself: it is held at the end of its grid, goes
    on in a straight line from there, or comes round.
    """

    y = Out(ANY, doc="one element for each column after the first")
    trajectory = Out(ANY, doc="y with its rate and acceleration, where it is over time", kind=TRAJECTORY)
    data = TableRows(
        "t or u",
        "y",
        doc="rows [t, y1, y2, ...]; of several inputs rows of y along the last grid, the grid before it changing next",
    )
    usual = ("data", "file")
    over = Choice("time", ["time", "input", "inputs"], doc="the time, an input u, or inputs u1, u2, ...")
    grids = Rows(doc="with over: inputs, the points of u1, of u2, ...")
    interpolation = Choice("linear", ["linear", "cubic", "quintic"], doc="how rows are joined")
    beyond = Choice("hold", BEYOND, doc="before the first row and after the last")
    unit = UnitName(doc="unit of y; empty is not checked")
    derived_names = ("knots", "coefficients", "layout")
    example = {"data": [[0.0, 0.0], [1.0, 2.0], [2.0, 1.0]]}

    def ports(self) -> dict[str, Port]:
        y = Out(ANY, self.unit or None, self.class_ports["y"].doc).named("y")
        if self.over == "input":
            return {"u": In(doc="what y is looked up for").named("u"), "y": y}
        if self.over == "inputs":
            names = [f"u{k}" for k in range(1, len(self.grids or ()) + 1)]
            ports = {name: In(doc=f"along grid {name[1:]}").named(name) for name in names}
            return ports | {"y": Out(1, self.unit or None).named("y")}
        return super().ports() | {"y": y}

    def unit_laws(self) -> Iterable[str]:
        return ("trajectory = y",)

    def width(self) -> int | None:
        if self.over == "inputs":
            return None
        try:
            rows = self.rows()
        except LuffError:
            return None  # `check` tells why
        return len(rows[0]) - 1 if rows else None

    def column_units(self, count: int) -> Iterable[str | None]:
        first = {"time": ["s"], "input": [None], "inputs": []}[self.over]
        return [*first, *[self.unit or None] * (count - len(first))]

    def check(self) -> Iterable[Problem]:
        if (self.over == "inputs") != (self.grids is not None):
            which = "no grids with over: inputs" if self.grids is None else f"grids with over: {self.over}"
            expected = "expected over: inputs and grids: [[points of u1], [points of u2]], or neither"
            return [Problem(f"found {which}, {expected}", ".over")]
        if self.over == "inputs":
            return self._grid_problems()
        problems = list(self.table_problems(2, range(2, 1000)))
        return problems or knot_order_problem([row[0] for row in self.rows()], self.table_place())

    def _grid_problems(self) -> Iterable[Problem]:
        problems = [*grid_problems(self.grids), *self.table_problems(2, range(2, 100_000))]
        return problems or size_problems(self.grids, self.rows(), self.interpolation, self.table_place())

    def derived(self) -> dict[str, tuple[float, ...]]:
        if self.over == "inputs":
            sizes = zip(map(len, self.grids), orders(self.grids, self.interpolation), strict=True)
            return {
                "knots": tuple(point for grid in self.grids for point in grid),
                "coefficients": fit_grid(self.grids, self.rows(), self.interpolation),
                "layout": (float(BEYOND.index(self.beyond)), *(float(x) for pair in sizes for x in pair)),
            }
        rows = self.rows()
        knots = tuple(row[0] for row in rows)
        coefficients = fit_spline(knots, [row[1:] for row in rows], self.interpolation)
        layout = (float(len(rows[0]) - 1), float(BEYOND.index(self.beyond)))
        return {"knots": knots, "coefficients": coefficients, "layout": layout}

    def jumps(self) -> Iterable[tuple[float, float]]:
        """Ends of the period of a table over time that does not end as it begins."""
        rows = self.rows()
        if self.over != "time" or self.beyond != "periodic" or rows[0][1:] == rows[-1][1:]:
            return ()
        return ((rows[0][0], rows[-1][0] - rows[0][0]),)

    def kinks(self) -> Iterable[tuple[float, float]]:
        if self.over != "time":
            return ()
        times = [row[0] for row in self.rows()]
        period = times[-1] - times[0] if self.beyond == "periodic" else 0.0
        return tuple((time, period) for time in times)

    def breaks(self) -> Iterable[tuple[float, float]]:
        """Corners of straight lines; of curves, which are smooth between, the ends."""
        breaks = tuple(self.kinks())
        if self.interpolation != "linear":
            return (breaks[0], breaks[-1]) if breaks else ()
        slopes = [
            [(y - x) / (b[0] - a[0]) for x, y in zip(a[1:], b[1:], strict=True)]
            for a, b in pairwise(self.rows())
        ]
        level = [[0.0] * len(slopes[0])]
        if self.beyond == "periodic":
            slopes = [slopes[-1], *slopes, slopes[0]]
        else:
            slopes = [*level, *slopes, *level] if self.beyond == "hold" else [slopes[0], *slopes, slopes[-1]]
        return tuple(row for row, (a, b) in zip(breaks, pairwise(slopes), strict=True) if not alike(a, b))

    def instance_functions(self) -> dict[str, Equation]:
        if self.over == "input":
            return {"out": table_of_input}
        if self.over == "inputs":
            return {"out": grid_function(len(self.grids))}
        return {"out_y": table_y, "out_trajectory": table_trajectory}
