"""Substeps: division of a step in which a valve opens too far, or whose slopes do not hold to its end.

A linearly implicit step takes its slopes at its start. If a valve opens within the step and little oil stands behind
it, there is no slope yet: too much oil leaves, and the pressure is thrown to where other valves open. An explicit step
fails likewise if it is longer than the time constant of the flow. A step is accepted only if all its stages and its
end see each opening within `FAR`. Within that an explicit step can still oscillate about a rest position forever:
its stages may not overshoot both of its ends by more than the distance between these.

Bristles: |v| z has another slope on each side of v = 0; stages solved with one of them that lie on the other side can
follow a branch that does not exist. A method that solves with slopes reports their error in `DEFECT`; a step is
accepted only if that is within `HOLD`. A mode that grows so fast that the method would turn it round has an infinite
defect: z = h lambda is beyond the pole 1 / gamma = 2.29 of the stability function. Between 1.43 and the pole it decays
instead of growing. So a substep is to be `RESOLVED` times shorter than one that was refused for that: z < 0.57, where
growth in a substep is right to 0.5 %.

A rejected step is divided into 1/2, 1/4, ... of it under the same rule. Accepted substeps have slopes that hold, and
an error below `FAR` at each valve.
"""

from __future__ import annotations

import math

from ..codegen.intrinsics import run_openings, run_step, run_substepped
from ..codegen.jit import helper
from ..kernels.dense_linear_algebra import count_non_finite, is_finite
from . import run_data as r
from .run_data import loop, rates, record_openings, write_state

FAR = 0.25  # largest motion of an opening in a substep; 1 is from shut to open
SLACK = 1e-4  # swing of an explicit step about a rest position that is allowed, in the same unit
SHUT, OPEN = -1.0, 2.0  # range in which the motion of an opening counts; a diverging step comes past it
FINEST = 65536  # most substeps of a step
HOLD = 0.3  # largest accepted defect of slopes; beyond 0.5 brakes at rest begin to creep
# largest accepted contraction rate of simplified Newton iterations with the W of a sweep. It bounds growth: for
# y' = (a + b) y with a in W and b left out, a and a + b anywhere in the left half plane, |b| <= 0.1 |1/(h gamma) - a|,
# a step grows by less than 1e-3; with HOLD in place of 0.1 it would by 8 %
CONVERGES = 0.1
EXPLICIT = -1.0  # `DEFECT` of a method without slopes
RESOLVED = 8  # length of a substep that turns a growing mode round, over the longest one accepted beside it
TRIALS = 256  # trials in a step, after which defects are accepted: a jump in the state has no slopes


@helper
def whole_step(run):
    """One step of the chosen method, divided into substeps if `PARTED`."""
    if run.number[r.PARTED] != 0:
        run_substepped(run)
    else:
        run_step(run)


@helper
def opening_travel(run, j):
    """Motion of opening j in the step, clipped to SHUT and OPEN; negative beyond them, and -1 for other functions."""
    w, n, at = run.w, run.number[r.SWITCHES], run.number[r.AT_SWITCHES] + j
    if w[at + r.OPENING * n] == 0.0:
        return -1.0
    return min(w[at + r.GREATEST * n], OPEN) - max(w[at + r.LEAST * n], SHUT)


@helper
def largest_opening_travel(run, t):
    """Largest motion of an opening in the step that ends at t."""
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
    """One step of the method from t, length h; returns the largest motion of an opening in it."""
    w, n, at = run.w, run.number[r.SWITCHES], run.number[r.AT_SWITCHES]
    for j in range(n):
        w[at + r.LEAST * n + j], w[at + r.GREATEST * n + j] = math.inf, -math.inf
        w[at + r.BEGUN * n + j] = math.nan
    run.real[r.NOW], run.real[r.STEP], run.real[r.DEFECT] = t, h, EXPLICIT
    run_step(run)
    return largest_opening_travel(run, t + h)


@helper
def stage_overshoot(run):
    """Largest overshoot of the stages of an explicit step beyond its ends, over the distance between these."""
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
    """row[:] = values."""
    for j in range(row.shape[0]):
        row[j] = values[j]


@helper
def count_unresolved(run):
    """Count the openings that move too far in the finest substep; True if its end is finite."""
    w, n, at = run.w, run.number[r.SWITCHES], run.number[r.AT_SWITCHES]
    for j in range(n):
        w[at + r.ROUGH * n + j] += opening_travel(run, j) > FAR
    return count_non_finite(run.x) == 0


@helper
def euler_growth(run, begin, t, h):
    """Explicit Euler step for a mode that grows too fast for any substep; True while the state is finite."""
    slope = run.work[0]
    rates(run, t, begin, slope)
    known = True
    for j in range(run.x.shape[0]):
        run.x[j] = begin[j] + h * slope[j]
        known = known and is_finite(run.x[j])
    return known


@loop
def substepped_step(run):
    """One step of the grid in substeps; branches by time are decided once for the whole step."""
    t, h, x, begin = run.real[r.NOW], run.real[r.STEP], run.x, run.work[run.work.shape[0] - 2]
    done, size, trials, turned = 0, FINEST, 0, RESOLVED * FINEST
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
            if off == math.inf:
                turned = min(turned, size)
            resolved = RESOLVED * size <= turned or trials >= TRIALS
            if (moved <= FAR and off <= HOLD and beyond <= 1.0 and resolved) or size == 1:
                break
            size //= 2
            copy_row(x, begin)
        if off == math.inf and not euler_growth(run, begin, t + h * done / FINEST, h * size / FINEST):
            break
        if moved > FAR and not count_unresolved(run):
            break
        done += size
        calm = 4.0 * moved < FAR and 4.0 * off < HOLD and 4.0 * beyond < 1.0
        if calm and done % (2 * size) == 0 and 2 * RESOLVED * size <= turned:
            size *= 2
    run.real[r.NOW], run.real[r.STEP] = t, h
