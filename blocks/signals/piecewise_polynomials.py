"""Piecewise polynomials: fitted when parameters are read, evaluated by a function that blocks may use.

A table of columns over knots becomes flat coefficients: for each segment, column and power (lowest first) of
the distance from the segment's left knot.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from math import factorial

DEGREE = {"linear": 1, "cubic": 3, "quintic": 5}
BEYOND = ("hold", "linear", "periodic")
Row = Sequence[float]


def fit_spline(knots: Row, rows: Sequence[Row], kind: str, periodic: bool = False) -> tuple[float, ...]:
    """Coefficients of the interpolant through `rows`.

    Splines end not-a-knot, or close on themselves with all their derivatives; points too few for that are joined
    by the one polynomial through all of them.
    """
    if kind == "linear":
        segments = zip(pairwise(knots), pairwise(rows), strict=True)
        pieces = [[(p, (q - p) / (b - a)) for p, q in zip(*ends, strict=True)] for (a, b), ends in segments]
        return tuple(number for piece in pieces for pair in piece for number in pair)
    import numpy as np
    from scipy.interpolate import make_interp_spline

    degree = DEGREE[kind] if periodic else min(DEGREE[kind], len(knots) - 1)
    values = np.array([*rows[:-1], rows[0] if periodic else rows[-1]], float)
    spline = make_interp_spline(knots, values, k=degree, bc_type="periodic" if periodic else None)
    powers = [spline(np.array(knots[:-1]), nu=k) / factorial(k) for k in range(degree + 1)]
    return tuple(np.stack(powers, axis=-1).ravel().tolist())


def inside_step(t, during):
    """t, moved a little into the step in which `during` lies: it decides between pieces that meet at t."""
    return t + 1e-3 * (during - t)


def clamped_lookup(first, last, mode, t, near):
    """Argument of a lookup between two ends, the argument that selects the piece, and how far t is beyond the ends.

    The mode is the place in `BEYOND`; the fourth number is 0 where the value is held beyond the ends.
    """
    if first <= near <= last:
        return t, near, 0.0, 1.0
    if mode == 2.0:
        back = math.floor((near - first) / (last - first)) * (last - first)
        return t - back, near - back, 0.0, 1.0
    edge = first if near < first else last
    return edge, edge, t - edge, 1.0 if mode == 1.0 else 0.0


def segment_of(knots, first, count, near):
    """The interval between `count` knots from `first` on in which `near` lies; the outer ones go on."""
    low, high = 0, count - 1
    while high - low > 1:
        middle = (low + high) // 2
        if near < knots[first + middle]:
            high = middle
        else:
            low = middle
    return low


def evaluate_piecewise(knots, coefficients, columns, column, t, near):
    """Value, rate and acceleration of one column at t; the outer pieces go on beyond the ends.

    `near` decides which piece holds.
    """
    low = segment_of(knots, 0, len(knots), near)
    order = len(coefficients) // ((len(knots) - 1) * columns)
    first = (low * columns + column) * order
    s = t - knots[low]
    value, rate, acceleration = 0.0, 0.0, 0.0
    for k in range(order - 1, -1, -1):
        acceleration = acceleration * s + 2.0 * rate
        rate = rate * s + value
        value = value * s + coefficients[first + k]
    return value, rate, acceleration
