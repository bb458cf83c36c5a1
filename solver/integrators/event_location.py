"""A step in parts: where a switching function changes its sign one ends, and the next begins with the other piece.

A part is found by steps that are tried from its start: first over all that is left, then shorter ones, until the change
lies within `CLOSE` of the end of the shortest that has it. All stages of a part are thus on one side, but for what a
stage of a method is off the solution, and the order of the method holds across a kink, and across a jump that is
decided at the start of each part.
"""

from __future__ import annotations

from ..codegen.intrinsics import run_crossings, run_decisions
from ..codegen.jit import entry_point, helper
from ..kernels.model_data import Data, Model
from .run_data import AT_SWITCHES, CROWDED, HIGH, LOW, NOW, SIDE, STEP, SWITCHES, Run, write_state
from .step_projection import normalise_quaternions, project_constraints
from .substeps import whole_step
from .zero_crossings import count_sign_change, side_of

PARTS = 8  # of a step, at most: what changes more often chatters, and the rest is taken as one
CLOSE = 1e-10  # of the step
TRIALS = 60


@helper
def begin_substep(run, t):
    """Pieces as they hold at the start of a part; values and sides there."""
    write_state(run, t, run.x)
    run_decisions(run)
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
    """A step from the start of the part, and the switching functions at its end."""
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
    """Whether a function has another side than at the start of the part."""
    w, n, at = run.w, run.number[SWITCHES], run.number[AT_SWITCHES]
    changed = False
    for j in range(n):
        changed = changed or side_of(w[at + j]) != w[at + SIDE * n + j]
    return changed


@helper
def store_values(run, column):
    """Values of the functions as they are now, for the search."""
    w, n, at = run.w, run.number[SWITCHES], run.number[AT_SWITCHES]
    for j in range(n):
        w[at + column * n + j] = w[at + j]


@helper
def secant_fraction(run, low, high):
    """Where the first function between both ends is zero, on straight lines; the ends have weights."""
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
    """Length of the shortest part that ends behind a change: the rule of false position as Dowell and Jarratt (1971)
    weigh it (Illinois), with halves between, so that a bracket always closes.

    An end that was found on a straight line follows what the change hangs on, to first order: in numbers with tangents
    the part has the slope of its length. One that was found by a half has not: it moves to the line, and behind it as
    far as the change can be.
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
    """A part that ends behind a change, at t."""
    w, n, at = run.w, run.number[SWITCHES], run.number[AT_SWITCHES]
    for j in range(n):
        if side_of(w[at + j]) != w[at + SIDE * n + j]:
            count_sign_change(run, j, t)
    if m.constraint.shape[0] > 0:
        project_constraints(run, m, t)


@entry_point(Run, Model, Data)
def event_step(run, m, d):
    """One step of the grid in as many parts as there are changes."""
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
