"""Derivatives by differences of eighth order, and what rounding leaves uncertain of them: the judge of exact ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

WEIGHTS = np.array([4 / 5, -1 / 5, 4 / 105, -1 / 280])
EPS = float(np.finfo(float).eps)
LEVELS = 12


def judge(f: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """df/dx with a doubt of each entry: the change to half the step, and rounding of f over the step."""
    ways = np.random.default_rng(1).normal(size=(12, len(x)))
    noise = np.max([abs(f(x + EPS * abs(x) * way) - f(x)) for way in ways], axis=0)
    columns = [_column(f, x, k, noise) for k in range(len(x))]
    return np.array([column for column, _ in columns]).T, np.array([doubt for _, doubt in columns]).T


def _column(
    f: Callable[[np.ndarray], np.ndarray], x: np.ndarray, k: int, noise: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    size = abs(x[k]) if x[k] else 0.1
    best, least, before = np.zeros(0), np.array(np.inf), None
    for level in range(LEVELS):
        h = 0.05 * size / 2.0**level
        slope, largest = _at(f, x, k, h)
        if before is not None:
            doubt = abs(slope - before) + (noise + EPS * largest) / h
            doubt[~np.isfinite(doubt)] = np.inf
            best = np.where(doubt < least, slope, best) if best.size else slope
            least = np.minimum(least, doubt)
        before = slope
    return best, least


def _at(
    f: Callable[[np.ndarray], np.ndarray], x: np.ndarray, k: int, h: float
) -> tuple[np.ndarray, np.ndarray]:
    way = np.zeros(len(x))
    way[k] = h
    slope: np.ndarray | float = 0.0
    largest: np.ndarray | float = 0.0
    for j, weight in enumerate(WEIGHTS, 1):
        ahead, behind = f(x + j * way), f(x - j * way)
        slope = slope + weight * (ahead - behind) / h
        largest = np.maximum(largest, np.maximum(abs(ahead), abs(behind)))
    return np.asarray(slope), np.asarray(largest)
