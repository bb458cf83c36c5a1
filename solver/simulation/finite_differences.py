"""Finite differences with error estimates, for functions known by values only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

LEVELS = 7
FACTOR = 3.0  # ratio of successive steps
FIRST = 1e-3  # largest step, over the size of the variable
FELT = 1e-3  # relative change of the function that a step of a linear input should make
LARGEST = 1e8
NEAR = 1e-5  # step over the size of the variable within which a bend counts as a kink
WIDER = 4.0  # ratio of steps in the test of kinks against curvature
ROUGH = 1e-10  # relative uncertainty of the function from loop closure and rounding
MOST = 2_000_000  # most numbers in the points of one call
EPS = float(np.finfo(float).eps)

Function = Callable[[np.ndarray], np.ndarray]


def pointwise(f: Function) -> Function:
    """Function of many points, one a row, from a function of one."""
    return lambda points: np.array([f(x) for x in points])


def jacobian(
    f: Function,
    x: np.ndarray,
    linear: Sequence[int] | np.ndarray = (),
    many: Function | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """df/dx and its error, entry by entry; entries below their own error are exactly zero.

    Variables in `linear` may be stepped far, as efforts and other inputs of unknown size should be. `many` is f of many
    points at once, where that is faster.
    """
    many = many or pointwise(f)
    steps = FIRST * np.maximum(1.0, abs(x))
    for k in linear:

        def along(s: float, k: int = k) -> np.ndarray:
            moved = x.copy()
            moved[k] += s
            return f(moved)

        steps[k] = effective_step(along, steps[k])
    if not len(x):
        empty = np.zeros((len(f(x)), 0))
        return empty, empty.copy()
    columns, errors = derivatives(many, x, steps)
    J, error = columns.T, errors.T
    return np.where(abs(J) <= 2.0 * error, 0.0, J), error


def derivatives(
    many: Function, x: np.ndarray, steps: np.ndarray, levels: int = LEVELS, together: int = LEVELS
) -> tuple[np.ndarray, np.ndarray]:
    """df/dx_k, one a row, and errors: central differences extrapolated over falling steps (Ridders 1982).

    Each entry is taken where its own estimate is best: the change between neighbours of the tableau, or the rounding
    error. Steps at which f is not finite are skipped. Steps end where the rounding error is the larger in all entries,
    since it grows as steps fall; `together` of them are one call of `many`.
    """
    best, error = np.array(np.nan), np.array(np.inf)
    above: list[np.ndarray] = []
    for h, ahead, behind in _pairs(many, x, steps, levels, together):
        row = [(ahead - behind) / (2.0 * h)]
        noise = 4.0 * EPS * np.maximum(abs(ahead), abs(behind)) / h
        if not above:
            best, error = np.full_like(row[0], np.nan), np.full_like(row[0], np.inf)
        for j, before in enumerate(above):
            weight = FACTOR ** (2 * (j + 1))
            finer = (weight * row[j] - before) / (weight - 1.0)
            doubt = np.maximum(np.maximum(abs(finer - row[j]), abs(finer - before)), noise)
            row.append(finer)
            better = doubt < error
            best, error = np.where(better, finer, best), np.where(better, doubt, error)
        above = row
        if (error <= noise).all():
            break
    return best, error


def _pairs(
    many: Function, x: np.ndarray, steps: np.ndarray, levels: int, together: int
) -> Iterator[tuple[np.ndarray, ...]]:
    """Falling steps, one a row, with f ahead and behind by each; several at a time to save calls."""
    sizes = [steps.copy()]
    for _ in range(levels - 1):
        sizes.append(sizes[-1] / FACTOR)
    n = len(x)
    together = max(min(together, MOST // (2 * n * n)), 1)
    for first in range(0, levels, together):
        some = sizes[first : first + together]
        ways = np.concatenate([sign * np.diag(h) for h in some for sign in (1.0, -1.0)])
        values = iter(many(x + ways).reshape(2 * len(some), n, -1))
        for h, ahead, behind in zip(some, values, values, strict=True):
            yield h[:, None], ahead, behind


def kinked_entries(f: Function, x: np.ndarray, J: np.ndarray, many: Function | None = None) -> np.ndarray:
    """Mask of entries of df/dx whose one-sided slopes differ by more than a tenth (central differences take their
    mean).

    A bend at a kink grows with the step, curvature with its square, rounding not at all: three steps separate them.
    """
    many = many or pointwise(f)
    here = f(x)
    # at an equilibrium the terms of f cancel: its rounding is that of the largest slopes
    noise = ROUGH * float(np.max(abs(here), initial=0.0)) + ROUGH * NEAR * float(np.max(abs(J), initial=0.0))
    if not len(x):
        return np.zeros(J.shape, bool)
    bends = []
    for wider in (1.0, WIDER, WIDER**2):
        steps = np.diag(wider * NEAR * np.maximum(1.0, abs(x)))
        bends.append(abs(many(x + steps) - 2.0 * here + many(x - steps)).T)
    kinks = bends[0] > 0.1 * abs(J) * NEAR * np.maximum(1.0, abs(x)) + noise
    for small, large in pairwise(bends):
        kinks &= (large > WIDER**0.5 * small) & (large < WIDER**1.5 * small)
    return kinks


def effective_step(f: Callable[[float], np.ndarray], h: float) -> float:
    """Step that changes the function by the share FELT of itself, so that rounding does not hide the change."""
    here = f(0.0)
    size = float(np.max(abs(here), initial=0.0))
    for _ in range(12):
        change = float(np.max(abs(f(h) - here), initial=0.0))
        if change == 0.0 or change >= FELT * size or h >= LARGEST:
            return h
        h *= 10.0
    return h
