"""Event location: a step ends where a switching function changes sign, and the next begins with the other branch.

A substep is tried over all that is left of the step, then over shorter lengths, until a sign change lies within `CLOSE`
of the end of the shortest substep that contains it. All stages of a substep are then on one side of the event, up to
the distance of a stage from the solution. The method keeps its order across a kink, and across a jump decided at the
start of each substep.
"""

from __future__ import annotations

from ..codegen.intrinsics import run_crossings
from ..codegen.jit import entry_point, helper
from ..kernels.model_data import Data, Model
from .run_data import (
    AT_SWITCHES,
    CROWDED,
    HIGH,
    LOW,
    NOW,
    SIDE,
    STEP,
    SWITCHES,
    Run,
    decide_branches,
    write_state,
)
from .step_projection import normalise_quaternions, project_constraints
from .substeps import whole_step
from .zero_crossings import count_sign_change, side_of

PARTS = 8  # most substeps of a step; beyond them a switch chatters, and the rest is one substep
CLOSE = 1e-10  # width of the bracket of an event, over the step
TRIALS = 60


@helper
def begin_substep(run, t):
    """Start a substep at t: decide branches, store the values and sides of the switching functions."""
    write_state(run, t, run.x)
    decide_branches(run)
    run_crossings(run)
    w, n, at = run.w, run.number[SWITCHES], run.number[AT_SWITCHES]
    for j in range(n):
        w[at + LOW * n + j] = w[at + j]
        w[at + SIDE * n + j] = side_of(w[at + j])
    start = run.work[run.work.shape[0] - 1]
    for j in range(run.x.shape[0]):
        start[j] = run.x[j]


@helper
def try_substep(run, m, t, h):
    """Step of length h from the start of the substep; evaluate the switching functions at its end."""
    start = run.work[run.work.shape[0] - 1]
    for j in range(run.x.shape[0]):
        run.x[j] = start[j]
    run.real[NOW], run.real[STEP] = t, h
    whole_step(run)
    normalise_quaternions(run.x, m)
    write_state(run, t + h, run.x)
    run_crossings(run)


@helper
def any_sign_change(run):
    """True if a switching function has another sign than at the start of the substep."""
    w, n, at = run.w, run.number[SWITCHES], run.number[AT_SWITCHES]
    changed = False
    for j in range(n):
        changed = changed or side_of(w[at + j]) != w[at + SIDE * n + j]
    return changed


@helper
def store_values(run, column):
    """Copy the present values of the switching functions to `column` (LOW or HIGH of the bracket)."""
    w, n, at = run.w, run.number[SWITCHES], run.number[AT_SWITCHES]
    for j in range(n):
        w[at + column * n + j] = w[at + j]


@helper
def secant_fraction(run, low, high):
    """Fraction of the bracket at which the first switching function crosses zero by the secant, ends weighted by
    low, high.
    """
    w, n, at = run.w, run.number[SWITCHES], run.number[AT_SWITCHES]
    first = 1.0
    for j in range(n):
        if side_of(w[at + HIGH * n + j]) != w[at + SIDE * n + j]:
            a, b = low * w[at + LOW * n + j], high * w[at + HIGH * n + j]
            if a != b:
                first = min(first, a / (a - b))
    return first


@helper
def locate_crossing(run, m, t, left, close):
    """Length of the shortest substep that ends behind a sign change: Illinois method (Dowell and Jarratt 1971).

    Every fourth trial bisects, so that the bracket always closes. An end found by the secant follows the data to first
    order: with dual numbers the substep length carries its tangent. An end found by bisection does not; it is moved to
    the secant, and behind it as far as the event can be.
    """
    low, high, before, after, moved, halved = 0.0, left, 1.0, 1.0, 0, False
    store_values(run, HIGH)
    for k in range(TRIALS):
        if high - low <= close:
            break
        s = low + secant_fraction(run, before, after) * (high - low)
        half = k % 4 == 3 or not low < s < high
        if half:
            s = 0.5 * (low + high)
        try_substep(run, m, t, s)
        if any_sign_change(run):
            high, after, halved = s, 1.0, half
            before = 0.5 * before if moved == 1 else 1.0
            moved = 1
            store_values(run, HIGH)
        else:
            low, before = s, 1.0
            after = 0.5 * after if moved == -1 else 1.0
            moved = -1
            store_values(run, LOW)
    return min(low + secant_fraction(run, 1.0, 1.0) * (high - low) + close, left) if halved else high


@helper
def end_substep(run, m, d, t):
    """End a substep behind an event at t: count sign changes, project on the constraints."""
    w, n, at = run.w, run.number[SWITCHES], run.number[AT_SWITCHES]
    for j in range(n):
        if side_of(w[at + j]) != w[at + SIDE * n + j]:
            count_sign_change(run, j, t)
    if m.constraint.shape[0] > 0:
        project_constraints(run, m, t)


@entry_point(Run, Model, Data)
def event_step(run, m, d):
    """One step of the grid, divided at its events."""
    t, h, done = run.real[NOW], run.real[STEP], 0.0
    for part in range(PARTS):
        begin_substep(run, t + done)
        left = h - done
        try_substep(run, m, t + done, left)
        if not any_sign_change(run):
            break
        if part == PARTS - 1:
            if run.real[CROWDED] == 0.0:
                run.real[CROWDED] = t + h
            break
        length = locate_crossing(run, m, t + done, left, CLOSE * h)
        if left - length <= CLOSE * h:
            try_substep(run, m, t + done, left)
            break
        try_substep(run, m, t + done, length)
        done += length
        end_substep(run, m, d, t + done)
    run.real[NOW], run.real[STEP] = t, h
