"""Run loop: steps, sampled blocks, output rows; a chunk of steps a call, without the interpreter's lock."""

from __future__ import annotations

from ..codegen.intrinsics import (
    part,
    run_crossings,
    run_ends,
    run_late_outputs,
    run_late_updates,
    run_outputs,
    run_rates,
    run_settles,
    run_updates,
    run_with_events,
)
from ..codegen.jit import entry_point, helper
from ..kernels import model_data as f
from ..kernels.dense_linear_algebra import count_non_finite
from ..kernels.model_data import Data, Model
from . import run_data as r
from .run_data import Run, decide_branches, loop, rates, write_piece_time, write_state
from .step_projection import normalise_quaternions, project_constraints
from .substeps import copy_row, whole_step
from .zero_crossings import sides_at_step_start, watch_crossings


@helper
def decide_modes(run, t, h):
    """Decide the branches that hold in the step from t on.

    Time is that of the middle of the step, so that decisions by time alone do not depend on rounding at an edge; with
    event location it is the start of the step.
    """
    at = run.number[r.AT_TIME]
    run.w[at + 1] = t + 0.5 * h
    run.w[at] = t if run.number[r.LOCATE] != 0 else t + 0.5 * h
    decide_branches(run)
    run.w[at] = t


@helper
def record_row(run, row):
    """Evaluate the recorded signals at the state in the work space, to row `row`."""
    run_outputs(run)
    store_row(run, row)


@helper
def store_row(run, row):
    """Copy the evaluated recorded signals to row `row`."""
    for j in range(run.record.shape[0]):
        run.rows[row, j] = run.w[run.record[j]]


@helper
def store_poses(run, d, frame):
    """Write R_WB and p_WB of all bodies to frame `frame` of the film."""
    for i in range(d.row.shape[0]):
        for j in range(f.R_WB_COLUMNS):
            run.film[frame, f.R_WB_COLUMNS * i + j] = d.row[i, f.R_WB + j]


@helper
def pause_requested(run, d):
    """True if the run has to return to its caller: dependent coordinates are to be chosen anew, a position is singular,
    sign changes have reached a number, or a condition of the netlist ends it.
    """
    over = 0.0 < run.real[r.PAUSE] <= run.real[r.COUNTED]
    for k in range(0, d.scalar.shape[0], f.SCALARS):
        over = over or d.scalar[k + f.COUPLING_MAX] > d.scalar[k + f.COUPLING_LIMIT] > 0.0
        over = over or d.scalar[k + f.SINGULAR] > 0.0
    at = run.number[r.AT_ENDS]
    for j in range(run.number[r.ENDS]):
        over = over or run.w[at + j] != 0.0
    return over


@helper
def widen_ranges(run):
    """Widen the recorded range of each state by its value after a step."""
    x = run.x
    lowest = part(run.w, run.number[r.AT_LOWEST], x.shape[0])
    highest = part(run.w, run.number[r.AT_HIGHEST], x.shape[0])
    for j in range(x.shape[0]):
        lowest[j], highest[j] = min(lowest[j], x[j]), max(highest[j], x[j])


@helper
def take_step(run, m, d, step):
    """Take step number `step`; normalise quaternions, project on the constraints."""
    if run.number[r.LOCATE] != 0:
        run_with_events(run, m, d)
    else:
        whole_step(run)
    watch_crossings(run, step)
    if m.option[f.O_QUATS] > 0:
        normalise_quaternions(run.x, m)
    if m.constraint.shape[0] > 0:
        project_constraints(run, m, run.real[r.NOW] + run.real[r.STEP])


@entry_point(Run, Model, Data)
def advance(run, m, d):
    """Take up to COUNT steps from step FIRST on; TAKEN is the number taken.

    The loop returns early if the state is not finite, if the coupling exceeds its limit, if an external block failed,
    if a condition ends the run, or if the caller asked to see sign changes. After each step sampled blocks are updated;
    every EVERY-th step writes a row of outputs, every FILM-th, a multiple, one of poses. Where both need an evaluation
    and leave the rates as they are, it serves as the first stage of the next step. If a step fails, `before` holds the
    last good state.
    """
    row = frame = 0
    fresh = 0.0
    x, first, count = run.x, run.number[r.FIRST], run.number[r.COUNT]
    every, film = run.number[r.EVERY], run.number[r.FILM]
    t0, h = run.real[r.START], run.real[r.STEP]
    run.number[r.TAKEN] = count
    write_state(run, t0 + h * first, x)
    decide_modes(run, t0 + h * first, h)
    sides_at_step_start(run)
    for s in range(first, first + count):
        copy_row(run.before, x)
        run.real[r.NOW] = t0 + h * s
        run.real[r.FRESH] = fresh
        take_step(run, m, d, s + 1)
        if count_non_finite(x):
            run.number[r.TAKEN] = s - first
            return
        widen_ranges(run)
        t = t0 + h * (s + 1)
        write_state(run, t, x)
        run_ends(run)
        decide_modes(run, t, h)
        written = (s + 1) % every == 0
        late = written and run.number[r.SHARED] == 2
        needed = late or (run.updates.shape[0] > 0 and run.number[r.SHARED] != 0)
        shared = needed and s + 1 < first + count and run.number[r.LOCATE] == 0
        fresh = 1.0 if shared else 0.0
        if shared:
            run_rates(run)
            run_late_updates(run, s + 1)
        else:
            run_updates(run, s + 1)
        if run.number[r.QUIT] != 0:
            run.number[r.TAKEN] = s - first
            return
        decide_modes(run, t, h)  # also by what the sampled blocks hold from now on
        sides_at_step_start(run)
        if written:
            if shared and late:
                run_late_outputs(run)
                store_row(run, row)
            else:
                record_row(run, row)
            run.times[row] = t
            row += 1
        if film > 0 and (s + 1) % film == 0:
            store_poses(run, d, frame)
            frame += 1
        if pause_requested(run, d):
            run.number[r.TAKEN] = s + 1 - first
            return


@loop
def evaluate_rates(run):
    """dx/dt at time NOW and state `x`, to `before`."""
    write_piece_time(run, run.real[r.WITHIN])
    rates(run, run.real[r.NOW], run.x, run.before)


@loop
def evaluate_outputs(run):
    """Recorded signals at time NOW and state `x`, to row 0."""
    write_piece_time(run, run.real[r.WITHIN])
    write_state(run, run.real[r.NOW], run.x)
    record_row(run, 0)


@loop
def evaluate_updates(run):
    """Operations between two steps at step number FIRST; WITHIN is in the middle of the next step."""
    t = run.real[r.NOW]
    half = run.real[r.WITHIN] - t
    write_piece_time(run, t - half)
    write_state(run, t, run.x)
    run_ends(run)
    decide_modes(run, t, 2.0 * half)
    run_updates(run, run.number[r.FIRST])
    decide_modes(run, t, 2.0 * half)


@loop
def evaluate_crossings(run):
    """Switching functions at time NOW and state `x`; decisions first if COUNT is not 0."""
    write_piece_time(run, run.real[r.WITHIN])
    write_state(run, run.real[r.NOW], run.x)
    if run.number[r.COUNT] != 0:
        decide_branches(run)
    run_crossings(run)


@loop
def evaluate_settled(run):
    """Move the anchors of closed mechanisms to the coordinates that were evaluated last."""
    run_settles(run)


@loop
def evaluate_many(run):
    """dx/dt at time NOW of each state in `rows`, to `film`; recorded signals behind it if `film` is wider."""
    write_piece_time(run, run.real[r.WITHIN])
    n = run.x.shape[0]
    for k in range(run.rows.shape[0]):
        for j in range(n):
            run.x[j] = run.rows[k, j]
        rates(run, run.real[r.NOW], run.x, run.before)
        for j in range(n):
            run.film[k, j] = run.before[j]
        if run.film.shape[1] > n:
            run_outputs(run)
            for j in range(run.record.shape[0]):
                run.film[k, n + j] = run.w[run.record[j]]


@loop
def repeat_rates(run):
    """dx/dt, COUNT times: for timing."""
    for _ in range(run.number[r.COUNT]):
        rates(run, run.real[r.NOW], run.x, run.before)
