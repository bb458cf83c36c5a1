"""A grid whose arcs end where controls switch: with their durations as variables, bang-bang switches are met exactly
(Kaya and Noakes 1996, Computations and time-optimal controls).
"""

from __future__ import annotations

import numpy as np

from .collocation import NODES, Grid, Motion, point_times

JUMP = 0.02  # share of a control's size beyond which neighbours differ
MOST = 0.5  # of the intervals: with more switches the controls are curves and no arcs


def switching_times(times: np.ndarray, controls: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Times at which constant controls switch; within an interval whose value is a mean of both sides.

    Parameters
    ----------
    times : ndarray
        Ends of the intervals [s].
    controls : ndarray
        A row for each interval.
    reference : ndarray
        Sizes of the controls.
    """
    found: list[float] = []
    for u, size in zip(controls.T, reference, strict=True):
        jump = np.diff(u)
        large = abs(jump) > JUMP * size
        k = 0
        while k < len(jump):
            if not large[k]:
                k += 1
                continue
            inside = k + 1 < len(jump) and large[k + 1] and jump[k] * jump[k + 1] > 0.0
            if inside:
                share = (u[k + 1] - u[k + 2]) / (u[k] - u[k + 2])
                found.append(times[k + 1] + share * (times[k + 2] - times[k + 1]))
                k += 2
            else:
                found.append(times[k + 1])
                k += 1
    apart = 1e-3 * (times[-1] - times[0]) / len(controls)
    kept: list[float] = []
    for time in sorted(found):
        if time - (kept[-1] if kept else times[0]) > apart and times[-1] - time > apart:
            kept.append(time)
    return np.array(kept)


def arcs_between(times: np.ndarray, switches: np.ndarray, intervals: int) -> tuple[Grid, np.ndarray]:
    """Grid with an arc between neighbouring switches, of about this number of intervals; durations of its arcs."""
    ends = np.concatenate([[times[0]], switches, [times[-1]]])
    mean = (times[-1] - times[0]) / intervals
    counts = np.maximum(1, np.round(np.diff(ends) / mean).astype(int))
    arc = np.repeat(np.arange(len(counts)), counts)
    return Grid(arc, 1.0 / counts[arc]), np.diff(ends)


def moved_to(motion: Motion, old: Grid, new: Grid, durations: np.ndarray, linear: bool) -> Motion:
    """Motion on another grid: states by the collocation polynomials, controls by their values in the middle."""
    times, ends = old.times(motion.durations), new.times(durations)
    points = point_times(ends)
    states = [collocated(times, x, points) for x in motion.states]
    if linear:
        controls = np.stack([np.interp(ends, times, u) for u in motion.controls.T], axis=1)
    else:
        middles = 0.5 * (ends[1:] + ends[:-1])
        place = np.clip(np.searchsorted(times, middles) - 1, 0, old.count - 1)
        controls = motion.controls[place]
    return Motion(states, controls, motion.rest.copy(), durations.copy())


def collocated(times: np.ndarray, x: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """States at wanted times, by the cubics through the beginning and the three points of each interval."""
    k = np.clip(np.searchsorted(times, wanted, side="left") - 1, 0, len(times) - 2)
    share = (wanted - times[k]) / (times[k + 1] - times[k])
    at = np.concatenate([[0.0], NODES])
    made = np.zeros((len(wanted), x.shape[1]))
    for i in range(4):
        others = np.delete(at, i)
        basis = np.prod((share[:, None] - others) / (at[i] - others), axis=1)
        made += basis[:, None] * x[3 * k + i]
    return made
