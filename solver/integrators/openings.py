"""A step in parts where a valve opens or shuts too quickly for it.

A linearly implicit step looks at slopes where it begins. Where little oil stands behind a valve that opens within the
step, none is there yet: far too much oil leaves, and the pressure is thrown to where other valves open. An explicit
step does the same where it is longer than the time in which the oil flows off. So a step is kept only where all its
stages and its end see each opening within `FAR`; else it is taken in parts of 1/2, 1/4, ... of it that are kept by the
same rule. What is kept has then been computed with slopes that hold, and is off by less than `FAR` at each valve.
"""

from __future__ import annotations

from ..kernels.linear import finite
from ..machine.jit import helper
from ..machine.primitives import run_openings, run_parted, run_step
from ..machine.run_arrays import (
    AT_SWITCHES,
    GREATEST,
    LEAST,
    NOW,
    OPENING,
    PARTED,
    ROUGH,
    STEP,
    SWITCHES,
    bound_openings,
    loop,
    place_state,
)

FAR = 0.25  # of the way from shut to open
SHUT, OPEN = -1.0, 2.0  # beyond these a valve moves as it likes: a step that is thrown comes past them
FINEST = 65536  # parts of a step, at most


@helper
def whole_step(run):
    """One step by the method that was chosen."""
    if run.number[PARTED] != 0:
        run_parted(run)
    else:
        run_step(run)


@helper
def span(run, j):
    """How far opening j was seen to move between `SHUT` and `OPEN`; below zero beyond them, and of other functions."""
    w, n, at = run.w, run.number[SWITCHES], run.number[AT_SWITCHES] + j
    if w[at + OPENING * n] == 0.0:
        return -1.0
    return min(w[at + GREATEST * n], OPEN) - max(w[at + LEAST * n], SHUT)


@helper
def take(run, t, h):
    """A step of the method; how far the opening has moved in it that has moved most."""
    w, n, at = run.w, run.number[SWITCHES], run.number[AT_SWITCHES]
    for j in range(n):
        w[at + LEAST * n + j], w[at + GREATEST * n + j] = OPEN, SHUT
    run.real[NOW], run.real[STEP] = t, h
    run_step(run)
    place_state(run, t + h, run.x)
    run_openings(run)
    bound_openings(run)
    widest = 0.0
    for j in range(n):
        widest = max(widest, span(run, j))
    return widest


@helper
def count_rough(run):
    """The finest part is too long for these; whether its end is finite."""
    w, n, at = run.w, run.number[SWITCHES], run.number[AT_SWITCHES]
    for j in range(n):
        w[at + ROUGH * n + j] += span(run, j) > FAR
    lost = 0
    for j in range(run.x.shape[0]):
        lost += not finite(run.x[j])
    return lost == 0


@loop
def parted_step(run):
    """One step of the grid. Which pieces hold, by time, is decided for the whole of it."""
    t, h, x, begin = run.real[NOW], run.real[STEP], run.x, run.work[run.work.shape[0] - 2]
    done, size = 0, FINEST
    while done < FINEST:
        for j in range(x.shape[0]):
            begin[j] = x[j]
        moved = take(run, t + h * done / FINEST, h * size / FINEST)
        while moved > FAR and size > 1:
            size //= 2
            for j in range(x.shape[0]):
                x[j] = begin[j]
            moved = take(run, t + h * done / FINEST, h * size / FINEST)
        if moved > FAR and not count_rough(run):
            break
        done += size
        if 4.0 * moved < FAR and done % (2 * size) == 0:
            size *= 2
    run.real[NOW], run.real[STEP] = t, h
