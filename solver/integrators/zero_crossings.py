"""What changes its piece where a function of the state changes its sign: on which side it is, and how often it changes.

The functions are computed from what the last stage of a step has left: a count needs no evaluation of its own.
"""

from __future__ import annotations

from ..codegen.intrinsics import run_sides
from ..codegen.jit import INTEGER, entry_point, helper
from . import run_data as r
from .run_data import Run

STRETCH = 50  # steps over which changes are counted


@helper
def side_of(value):
    """Of what is not a number: always the same."""
    return 1.0 if value > 0.0 else -1.0


@helper
def sides_at_step_start(run):
    """At the start of a step: on which side that is which is decided there."""
    if run.number[r.DECIDED] == 0:
        return
    run_sides(run)
    w, n, at = run.w, run.number[r.SWITCHES], run.number[r.AT_SWITCHES]
    for j in range(n):
        if w[at + r.JUMPS * n + j] != 0.0:
            w[at + r.SIDE * n + j] = side_of(w[at + j])


@helper
def count_sign_change(run, j, t):
    """Function j has changed its side in the step that ends at t."""
    w, n, at = run.w, run.number[r.SWITCHES], run.number[r.AT_SWITCHES] + j
    if w[at + r.CHANGES * n] == 0.0:
        w[at + r.CHANGED * n] = t
    w[at + r.CHANGES * n] += 1.0
    run.real[r.COUNTED] += 1.0
    w[at + r.RECENT * n] += 1.0
    if w[at + r.RECENT * n] > w[at + r.MOST * n]:
        w[at + r.MOST * n], w[at + r.BUSY * n] = w[at + r.RECENT * n], t


@helper
def watch_crossings(run, step):
    """After a step, number `step`."""
    if run.number[r.SWITCHES] > 0:
        run_sides(run)
        count_sign_changes(run, step)


@entry_point(Run, INTEGER)
def count_sign_changes(run, step):
    """The same, of values that stand there already. A function of its own: runs side by side part in it, and meet."""
    w, n, at = run.w, run.number[r.SWITCHES], run.number[r.AT_SWITCHES]
    t = run.real[r.NOW] + run.real[r.STEP]
    for j in range(n):
        side, before = side_of(w[at + j]), w[at + r.SIDE * n + j]
        if step == 1:
            w[at + r.STARTED * n + j] = side
        if before != 0.0 and side != before:
            count_sign_change(run, j, t)
        w[at + r.SIDE * n + j] = side
        if w[at + j] < w[at + r.LOWEST * n + j]:
            w[at + r.LOWEST * n + j] = w[at + j]
        if step % STRETCH == 0:
            w[at + r.RECENT * n + j] = 0.0
