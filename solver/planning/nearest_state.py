"""The state nearest to a given one that has wanted values, and rests if asked: damped Gauss-Newton of least norm."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .collocation import Watched, watched_slopes, watched_values
from .model_points import ModelPoints

ITERATIONS = 60
LONGEST = 0.5  # of a step, over the sizes of the numbers
ACCURACY = 1e-9  # of the values and the state, over their sizes
RANK = 1e-10


def nearest_state(
    points: ModelPoints, z: np.ndarray, wanted: Sequence[Watched], rest: bool, free: np.ndarray
) -> tuple[np.ndarray, bool]:
    """[x, u] nearest to z with the wanted values, and f(x, u) = 0 if `rest`; False if it was not found.

    Entries of z other than `free` stay as they are.
    """
    z, n = z.copy(), points.n
    if not wanted and not rest:
        return z, True
    signals = any(one.place >= len(z) for one in wanted)
    size = np.maximum(1.0, abs(z))

    def residual(z: np.ndarray) -> np.ndarray:
        f = points.values(z[None], signals)
        parts = [watched_values(z[None], f, n, one.place) - one.lower for one in wanted]
        return np.concatenate([*parts, *([f[0, :n]] if rest else [])])

    r = residual(z)
    if not np.all(np.isfinite(r)):
        return z, False
    weight = np.ones(len(r))
    for k, one in enumerate(wanted):
        weight[k] = 1.0 / max(1.0, abs(one.lower))
    if rest:
        # over the largest change that one size of a number makes: stiff rates are small where the state is near enough
        change = np.max(abs(points.jacobians(z[None], signals)[0, :n]) * size, axis=1)
        weight[len(wanted) :] = 1.0 / np.fmax(size[:n], change)
    for _ in range(ITERATIONS):
        if np.max(abs(weight * r), initial=0.0) <= ACCURACY:
            return z, True
        size = np.maximum(1.0, abs(z))
        J = points.jacobians(z[None], signals)
        rows = [watched_slopes(z[None], J, n, one.place) for one in wanted]
        A = np.concatenate([*rows, *([J[0, :n]] if rest else [])])
        step = -size[free] * (np.linalg.pinv((weight[:, None] * A * size)[:, free], RANK) @ (weight * r))
        step *= min(1.0, LONGEST / max(np.max(abs(step / size[free]), initial=0.0), 1e-300))
        share = 1.0
        while share > 1e-4:
            trial = z.copy()
            trial[free] += share * step
            after = residual(trial)
            if np.all(np.isfinite(after)) and np.linalg.norm(weight * after) < np.linalg.norm(weight * r):
                break
            share /= 2.0
        else:
            return z, False
        z, r = trial, after
    return z, bool(np.max(abs(weight * r)) <= ACCURACY)
