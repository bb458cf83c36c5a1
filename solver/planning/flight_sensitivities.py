"""Sensitivities dx/dp of a flown motion to its controls and to the durations of its arcs.

Between two rows of the run the linearised model dx' = A dx + B du + f dd / d is solved with the mean of A and B at
both, by matrix exponentials: exact for constant A, also where motions are stiff or faster than the rows (Magnus
expansion of order 2; Hairer, Lubich and Wanner 2006, IV.7).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import expm

from .collocation import Grid


def control_weights(grid: Grid, durations: np.ndarray, at: np.ndarray, linear: bool) -> np.ndarray:
    """Weights of the controls' values in u at times (times, values): lines between them, or constants before `at`."""
    times = grid.times(durations)
    if linear:
        return np.stack([np.interp(at, times, row) for row in np.eye(len(times))], axis=1)
    place = np.clip(np.searchsorted(times, at) - 1, 0, grid.count - 1)
    return np.eye(grid.count)[place]


def flown_sensitivities(
    grid: Grid, durations: np.ndarray, times: np.ndarray, x: np.ndarray, J: np.ndarray, linear: bool
) -> np.ndarray:
    """dx/dp (times, n, p) at the rows of a run, p = [controls at nodes, durations of arcs].

    Parameters
    ----------
    times : ndarray
        Those of the rows [s].
    x : ndarray
        States at the rows (times, n).
    J : ndarray
        Jacobians of the rates by states and controls there (times, n, n + m).
    """
    n, m, h = x.shape[1], J.shape[2] - x.shape[1], np.diff(times)
    middles = 0.5 * (times[1:] + times[:-1])
    mean = 0.5 * (J[1:] + J[:-1]) * h[:, None, None]
    # forced by m controls and by the stretch of an arc, each constant in a row, and as a ramp
    forced = np.concatenate([mean[:, :, n:], np.diff(x, axis=0)[:, :, None]], axis=2)
    M = np.zeros((len(h), n + 2 * m + 2, n + 2 * m + 2))
    M[:, :n, :n], M[:, :n, n : n + m + 1] = mean[:, :, :n], forced
    M[:, n : n + m + 1, n + m + 1 :] = np.eye(m + 1)
    E: Any = expm(M)
    step, constant, ramp = E[:, :n, :n], E[:, :n, n : n + m + 1], E[:, :n, n + m + 1 :]
    before = control_weights(grid, durations, times[:-1] if linear else middles, linear)
    after = control_weights(grid, durations, times[1:] if linear else middles, linear)
    arc = np.clip(np.searchsorted(np.cumsum(durations), middles), 0, grid.arcs - 1)
    nodes = before.shape[1]
    S = np.zeros((len(times), n, nodes * m + grid.arcs))
    for k in range(len(h)):
        held = np.flatnonzero(before[k] + after[k])
        done = (held[-1] + 1) * m  # nodes behind it have no say yet
        S[k + 1, :, :done] = step[k] @ S[k, :, :done]
        S[k + 1, :, nodes * m :] = step[k] @ S[k, :, nodes * m :]
        for node in held:
            value, change = before[k, node], after[k, node] - before[k, node]
            S[k + 1, :, node * m : (node + 1) * m] += value * constant[k, :, :m] + change * ramp[k, :, :m]
        S[k + 1, :, nodes * m + arc[k]] += constant[k, :, m] / durations[arc[k]]
    return S
