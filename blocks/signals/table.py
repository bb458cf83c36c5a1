"""Tables: values over time, or characteristics over an input."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

from ..block import Equation
from ..errors import LuffError, Problem
from ..params import Choice
from ..ports import ANY, TRAJECTORY, In, Out, Port
from ..signal_params import Rows, UnitName
from .splines import beside, fit, piecewise
from .tables import Tabulated, order_problem

BEYOND = ("hold", "linear", "periodic")


def beyond_ends(knots, mode, t, near):
    """Where to look a table up for t, what decides there which piece holds, and how far t is beyond an end.

    The fourth number is 0 where the value is held beyond the ends.
    """
    first, last = knots[0], knots[len(knots) - 1]
    if first <= near <= last:
        return t, near, 0.0, 1.0
    if mode == 2.0:
        back = math.floor((near - first) / (last - first)) * (last - first)
        return t - back, near - back, 0.0, 1.0
    edge = first if near < first else last
    return edge, edge, t - edge, 1.0 if mode == 1.0 else 0.0


def table_value(knots, coefficients, layout, column, t, near):
    """Value, rate and acceleration of a column, also beyond the ends."""
    where, piece, further, goes_on = beyond_ends(knots, layout[1], t, near)
    value, rate, acceleration = piecewise(knots, coefficients, int(layout[0]), column, where, piece)
    if knots[0] <= near <= knots[len(knots) - 1] or layout[1] == 2.0:
        return value, rate, acceleration
    return value + goes_on * rate * further, goes_on * rate, 0.0


def table_y(t, during, i, knots, coefficients, layout):
    return table_value(knots, coefficients, layout, i, t, beside(t, during))[0]


def table_trajectory(t, during, i, knots, coefficients, layout):
    return table_value(knots, coefficients, layout, i, t, beside(t, during))


def table_of_input(i, u, knots, coefficients, layout):
    return table_value(knots, coefficients, layout, i, u, u)[0]


def alike(a: list[float], b: list[float]) -> bool:
    """Slopes of one line, but for rounding."""
    return all(math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12) for x, y in zip(a, b, strict=True))


class Table(Tabulated):
    """A table: y(t), or y(u), through rows [t, y1, y2, ...], joined linearly or by splines."""

    y = Out(ANY, doc="one element for each column after the first")
    trajectory = Out(ANY, doc="y with its rate and acceleration, where it is over time", kind=TRAJECTORY)
    data = Rows(doc="rows [t, y1, y2, ...]")
    over = Choice("time", ["time", "input"], doc="what the first column is: the time, or an input u")
    interpolation = Choice("linear", ["linear", "cubic", "quintic"], doc="how rows are joined")
    beyond = Choice("hold", BEYOND, doc="before the first row and after the last")
    unit = UnitName(doc="unit of y; empty is not checked")
    derived_names = ("knots", "coefficients", "layout")
    example = {"data": [[0.0, 0.0], [1.0, 2.0], [2.0, 1.0]]}

    def ports(self) -> dict[str, Port]:
        y = Out(ANY, self.unit or None, self.class_ports["y"].doc).named("y")
        if self.over == "input":
            return {"u": In(doc="what y is looked up for").named("u"), "y": y}
        return super().ports() | {"y": y}

    def width(self) -> int | None:
        try:
            rows = self.rows()
        except LuffError:
            return None  # `check` tells why
        return len(rows[0]) - 1 if rows else None

    def check(self) -> Iterable[Problem]:
        problems = list(self.table_problems(2, range(2, 1000)))
        return problems or order_problem([row[0] for row in self.rows()], self.table_place())

    def derived(self) -> dict[str, tuple[float, ...]]:
        rows = self.rows()
        knots = tuple(row[0] for row in rows)
        coefficients = fit(knots, [row[1:] for row in rows], self.interpolation)
        layout = (float(len(rows[0]) - 1), float(BEYOND.index(self.beyond)))
        return {"knots": knots, "coefficients": coefficients, "layout": layout}

    def jumps(self) -> Iterable[tuple[float, float]]:
        """Where a periodic table over time does not end as it begins."""
        rows = self.rows()
        if self.over == "input" or self.beyond != "periodic" or rows[0][1:] == rows[-1][1:]:
            return ()
        return ((rows[0][0], rows[-1][0] - rows[0][0]),)

    def bends(self) -> Iterable[tuple[float, float]]:
        if self.over == "input":
            return ()
        times = [row[0] for row in self.rows()]
        period = times[-1] - times[0] if self.beyond == "periodic" else 0.0
        return tuple((time, period) for time in times)

    def breaks(self) -> Iterable[tuple[float, float]]:
        """Corners of straight lines; of curves, which are smooth between, the ends."""
        breaks = tuple(self.bends())
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
        return {"out_y": table_y, "out_trajectory": table_trajectory}
