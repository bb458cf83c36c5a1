"""Zero crossings: signs of the switching functions after each step, and counts of their changes.

The functions use what the last stage of a step left in the work space, so that counting needs no evaluation.
"""

from __future__ import annotations

from ..codegen.intrinsics import run_sides
from ..codegen.jit import INTEGER, entry_point, helper
from . import run_data as r
from .run_data import Run

STRETCH = 50  # steps over which changes are counted


@helper
def side_of(value):
    """Sign of a switching function: 1 if positive, else -1, also for NaN."""
    return 1.0 if value > 0.0 else -1.0


@helper
def sides_at_step_start(run):
    """Update the signs of the functions whose jumps are decided at the start of the step."""
    if run.number[r.DECIDED] == 0:
        return
    run_sides(run)
    w, n, at = run.w, run.number[r.SWITCHES], run.number[r.AT_SWITCHES]
    for j in range(n):
        if w[at + r.JUMPS * n + j] != 0.0:
            w[at + r.SIDE * n + j] = side_of(w[at + j])


@helper
def count_sign_change(run, j, t):
    """Count a sign change of function j in the step that ends at t."""
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
    """Evaluate the switching functions after step number `step` and count their sign changes."""
    if run.number[r.SWITCHES] > 0:
        run_sides(run)
        count_sign_changes(run, step)


@entry_point(Run, INTEGER)
def count_sign_changes(run, step):
    """Count sign changes of the values in the work space after step number `step`.

    An entry point of its own: SIMD lanes diverge in it and meet again behind it.
    """
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
