"""Intervals of a fit's unknowns by profile likelihood (Bates and Watts 1988, Nonlinear Regression Analysis, 6.1).

An end of the interval of one unknown is where the least sum of squares over all others has risen to the quantile of F
for it, cost + noise F. No linear model of the residuals is assumed, as standard errors do.
"""

from __future__ import annotations

import math

import numpy as np

from .least_squares import gauss_newton_step, relative_offset, uncertainty
from .residuals import LOST, Residuals

LEVEL = 0.95
CLOSE = 0.01  # of the half-width: how near an end is found
INNER = (
    0.05  # relative offset of the p others at an end: the cost is above its least by p INNER^2 of the noise
)
STEPS = 12  # of Newton's method, at most, for an end and for the others


def profile_intervals(
    residuals: Residuals, point: np.ndarray, off: np.ndarray, J: np.ndarray, known: bool
) -> list[tuple[float, float]]:
    """Both ends of each unknown, as points of the cube; infinite beyond its bounds, NaN where none was found.

    Noise has the variance one where it is `known`, else the mean square of the residuals.
    """
    from scipy.stats import chi2
    from scipy.stats import f as fisher

    free = len(off) - len(point)
    if free <= 0:
        return [(math.nan, math.nan)] * len(point)
    noise = 1.0 if known else float(off @ off) / free
    rise = noise * float(chi2.ppf(LEVEL, 1) if known else fisher.ppf(LEVEL, 1, free))
    spread, correlation, blind = uncertainty(J, 1.0)
    found = []
    for j in range(len(point)):
        way = (
            math.sqrt(rise) * spread * correlation[:, j]
        )  # along which the cost of a linear model rises so much
        ends = [
            math.nan if blind[j] else _end(residuals, point, float(off @ off), side * way, j, rise)
            for side in (-1.0, 1.0)
        ]
        found.append((ends[0], ends[1]))
    return found


def _end(
    residuals: Residuals, point: np.ndarray, least: float, way: np.ndarray, j: int, rise: float
) -> float:
    """Value of one unknown at which the least cost over all others is least + rise; `way` leads to a first guess."""
    z = np.clip(point + way, 0.0, 1.0)
    for _ in range(STEPS):
        z, cost = _least_beside(residuals, z, j)
        if not math.isfinite(cost) or cost <= least:
            return math.nan
        reached = math.sqrt((cost - least) / rise)
        if abs(reached - 1.0) <= CLOSE:
            return float(z[j])
        if reached < 1.0 and z[j] in (0.0, 1.0):
            return math.copysign(math.inf, way[j])
        z = np.clip(point + (z - point) / reached, 0.0, 1.0)  # the root of the rise is nearly linear
    return math.nan


def _least_beside(residuals: Residuals, z: np.ndarray, j: int) -> tuple[np.ndarray, float]:
    """Least cost with one unknown held, by Gauss-Newton steps that are halved until the cost falls; NaN: not reached.

    Unknowns on a bound stay there while the cost falls beyond it.
    """
    off, J = _at(residuals, z)
    for _ in range(STEPS):
        if off is None or J is None:
            break
        slope = J.T @ off
        free = (np.arange(len(z)) != j) & ~((z <= 0.0) & (slope > 0.0)) & ~((z >= 1.0) & (slope < 0.0))
        if not free.any() or relative_offset(off, J[:, free]) <= INNER:
            return z, float(off @ off)
        step, length = gauss_newton_step(off, J[:, free]), 1.0
        while length > 1e-3:
            tried = z.copy()
            tried[free] = np.clip(z[free] + length * step, 0.0, 1.0)
            new, slopes = _at(residuals, tried)
            if new is not None and new @ new < off @ off:
                break
            length *= 0.5
        else:
            break
        z, off, J = tried, new, slopes
    return z, math.nan


def _at(residuals: Residuals, z: np.ndarray) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Residuals and Jacobian; None where a run failed."""
    off = residuals.linearised(z[None]).values[0]
    if (off == LOST).all():
        return None, None
    return off, residuals.jacobian(z)[0]
