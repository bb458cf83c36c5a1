"""A step in parts: where a valve opens too quickly for it, or where its slopes do not hold to its end.

A linearly implicit step looks at slopes where it begins. Where little oil stands behind a valve that opens within the
step, none is there yet: far too much oil leaves, and the pressure is thrown to where other valves open. An explicit
step does the same where it is longer than the time in which the oil flows off. So a step is kept only where all its
stages and its end see each opening within `FAR`. Within that an explicit step can still swing to and fro about a
place that it would have to come to, and stay there: its stages may not be thrown farther beyond both of its ends than
these lie apart.

The same holds for bristles: |v| z has another slope on each side of v = 0, and stages that are solved with one of them
and lie on the other side can follow a branch that does not exist. A method that solves with slopes says in `DEFECT` how
far they were off in its stages; a step is kept only where that is within `HOLD`. What grows so
quickly that the method would turn it round counts as far off.

Else it is taken in parts of 1/2, 1/4, ... of it that are kept by the same rule. What is kept has then been computed
with slopes that hold, and is off by less than `FAR` at each valve.
"""

from __future__ import annotations

import math

from ..codegen.intrinsics import run_openings, run_step, run_substepped
from ..codegen.jit import helper
from ..kernels.dense_linear_algebra import count_non_finite, is_finite
from . import run_data as r
from .run_data import loop, rates, record_openings, write_state

FAR = 0.25  # of the way from shut to open
SLACK = 1e-4  # of the same way: about a place of rest an explicit step may swing by as much
SHUT, OPEN = -1.0, 2.0  # beyond these a valve moves as it likes: a step that is thrown comes past them
FINEST = 65536  # parts of a step, at most
HOLD = 0.3  # share by which slopes may be off in a stage; beyond 0.5 brakes at rest begin to creep
EXPLICIT = -1.0  # `DEFECT` of a method that solves with no slopes
TRIALS = 256  # of parts in a step, for slopes: what jumps at a state has none, and the rest is taken as it is


@helper
def whole_step(run):
    """One step by the method that was chosen."""
    if run.number[r.PARTED] != 0:
        run_substepped(run)
    else:
        run_step(run)


@helper
def opening_travel(run, j):
    """How far opening j was seen to move between `SHUT` and `OPEN`; below zero beyond them, and of other functions."""
    w, n, at = run.w, run.number[r.SWITCHES], run.number[r.AT_SWITCHES] + j
    if w[at + r.OPENING * n] == 0.0:
        return -1.0
    return min(w[at + r.GREATEST * n], OPEN) - max(w[at + r.LEAST * n], SHUT)


@helper
def largest_opening_travel(run, t):
    """How far the opening has moved in a step to t that has moved most."""
    widest = 0.0
    if run.number[r.OPENINGS] != 0:
        write_state(run, t, run.x)
        run_openings(run)
        record_openings(run)
        for j in range(run.number[r.SWITCHES]):
            widest = max(widest, opening_travel(run, j))
    return widest


@helper
def step_with_opening(run, t, h):
    """A step of the method; how far the opening has moved in it that has moved most."""
    w, n, at = run.w, run.number[r.SWITCHES], run.number[r.AT_SWITCHES]
    for j in range(n):
        w[at + r.LEAST * n + j], w[at + r.GREATEST * n + j] = math.inf, -math.inf
        w[at + r.BEGUN * n + j] = math.nan
    run.real[r.NOW], run.real[r.STEP], run.real[r.DEFECT] = t, h, EXPLICIT
    run_step(run)
    return largest_opening_travel(run, t + h)


@helper
def stage_overshoot(run):
    """How far the stages of an explicit step were thrown beyond its ends, over the way between these."""
    w, n, worst = run.w, run.number[r.SWITCHES], 0.0
    if run.real[r.DEFECT] != EXPLICIT or run.number[r.OPENINGS] == 0:
        return worst
    for j in range(n):
        at = run.number[r.AT_SWITCHES] + j
        if w[at + r.OPENING * n] != 0.0:
            first = min(max(w[at + r.BEGUN * n], SHUT), OPEN)
            last = min(max(w[at + r.VALUE * n], SHUT), OPEN)
            above = min(w[at + r.GREATEST * n], OPEN) - max(first, last)
            below = min(first, last) - max(w[at + r.LEAST * n], SHUT)
            worst = max(worst, max(above, below) / (abs(last - first) + SLACK))
    return worst


@helper
def copy_row(row, values):
    """A row of work: a copy."""
    for j in range(row.shape[0]):
        row[j] = values[j]


@helper
def count_unresolved(run):
    """The finest part is too long for these; whether its end is finite."""
    w, n, at = run.w, run.number[r.SWITCHES], run.number[r.AT_SWITCHES]
    for j in range(n):
        w[at + r.ROUGH * n + j] += opening_travel(run, j) > FAR
    return count_non_finite(run.x) == 0


@helper
def euler_growth(run, begin, t, h):
    """What grows too fast for any part goes on growing, x + h f(t, x), for as long as it is finite."""
    slope = run.work[0]
    rates(run, t, begin, slope)
    known = True
    for j in range(run.x.shape[0]):
        run.x[j] = begin[j] + h * slope[j]
        known = known and is_finite(run.x[j])
    return known


@loop
def substepped_step(run):
    """One step of the grid. Which pieces hold, by time, is decided for the whole of it."""
    t, h, x, begin = run.real[r.NOW], run.real[r.STEP], run.x, run.work[run.work.shape[0] - 2]
    done, size, trials = 0, FINEST, 0
    while done < FINEST:
        copy_row(begin, x)
        while True:
            moved = step_with_opening(run, t + h * done / FINEST, h * size / FINEST)
            trials += 1
            run.real[r.TRIED] += 1.0
            run.number[r.UNHELD] += trials == TRIALS
            off, beyond = run.real[r.DEFECT], stage_overshoot(run)
            if trials >= TRIALS and off < math.inf:
                off = 0.0
            if (moved <= FAR and off <= HOLD and beyond <= 1.0) or size == 1:
                break
            size //= 2
            copy_row(x, begin)
        if off == math.inf and not euler_growth(run, begin, t + h * done / FINEST, h * size / FINEST):
            break
        if moved > FAR and not count_unresolved(run):
            break
        done += size
        if 4.0 * moved < FAR and 4.0 * off < HOLD and 4.0 * beyond < 1.0 and done % (2 * size) == 0:
            size *= 2
    run.real[r.NOW], run.real[r.STEP] = t, h
