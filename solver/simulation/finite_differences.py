"""Derivatives of functions that are only known by their values, with an estimate of their error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

LEVELS = 7
FACTOR = 3.0  # from one step to the next smaller one
FIRST = 1e-3  # the largest step, over the size of the variable
FELT = 1e-3  # a step of a linear input should change the function by this share, if it can
LARGEST = 1e8
NEAR = 1e-5  # step, over the size of the variable, within which a bend is a kink
WIDER = 4.0  # from one step to the next when kinks are told from curves
ROUGH = 1e-10  # share of the function that solving loops and rounding may leave uncertain
MOST = 2_000_000  # numbers in the points of one call
EPS = float(np.finfo(float).eps)

Function = Callable[[np.ndarray], np.ndarray]


def pointwise(f: Function) -> Function:
    """The same function of many points, one a row."""
    return lambda points: np.array([f(x) for x in points])


def jacobian(
    f: Function,
    x: np.ndarray,
    linear: Sequence[int] | np.ndarray = (),
    many: Function | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """df/dx and its error, entry by entry. Entries that drown in their own error are exactly zero.

    Variables in `linear` may be stepped far, as efforts and other inputs of unknown size should be. `many` is f of many
    points at once, where that is quicker.
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
    many: Function, x: np.ndarray, steps: np.ndarray, levels: int = LEVELS
) -> tuple[np.ndarray, np.ndarray]:
    """df/dx_k, one a row, and their errors: central differences of falling steps, extrapolated (Ridders, 1982).

    Each entry is taken where its own estimate is best: the change from the tableau's neighbours, or what rounding
    alone may do. Steps at which f is not finite count for nothing.
    """
    best, error = np.array(np.nan), np.array(np.inf)
    above: list[np.ndarray] = []
    for h, ahead, behind in _pairs(many, x, steps, levels):
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
    return best, error


def _pairs(many: Function, x: np.ndarray, steps: np.ndarray, levels: int) -> Iterator[tuple[np.ndarray, ...]]:
    """Falling steps, one a row, and f ahead and behind by each of them; many at a time, since a call has its price."""
    sizes = [steps.copy()]
    for _ in range(levels - 1):
        sizes.append(sizes[-1] / FACTOR)
    n = len(x)
    together = max(MOST // (2 * n * n), 1)
    for first in range(0, levels, together):
        some = sizes[first : first + together]
        ways = np.concatenate([sign * np.diag(h) for h in some for sign in (1.0, -1.0)])
        values = iter(many(x + ways).reshape(2 * len(some), n, -1))
        for h, ahead, behind in zip(some, values, values, strict=True):
            yield h[:, None], ahead, behind


def kinked_entries(f: Function, x: np.ndarray, J: np.ndarray, many: Function | None = None) -> np.ndarray:
    """Entries of df/dx whose slopes to the two sides differ by a tenth: central differences take their mean.

    What bends at a kink grows with the step, what is merely curved with its square, and rounding not at all: three
    steps tell them apart, whatever the size of the curvature.
    """
    many = many or pointwise(f)
    here = f(x)
    # at an equilibrium all that was added up is gone from f: its rounding is that of the largest slopes
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
    """A step that changes the function by a share of itself, so that rounding hides nothing."""
    here = f(0.0)
    size = float(np.max(abs(here), initial=0.0))
    for _ in range(12):
        change = float(np.max(abs(f(h) - here), initial=0.0))
        if change == 0.0 or change >= FELT * size or h >= LARGEST:
            return h
        h *= 10.0
    return h
