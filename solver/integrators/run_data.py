"""`Run`: all that the run loop sees beside the mechanism: tables of operations, the work space, states, rows."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..codegen.array_structs import F1, F2, I1, I2, bundled
from ..codegen.intrinsics import part, run_rates, run_sides
from ..codegen.jit import entry_point, helper

# entries of `number`: addresses; where time, states and rates stand in the work space; what a call of the loop is to
# do; how many states nothing depends on (energies); where the number of the end stops' laws stands; 1 once something
# outside of compiled code has failed; where switching functions stand, how many, how many of them are decided at the
# start of each step, and how many are openings; what one evaluation serves after a step: see `Program.shared`; steps
# whose slopes held in no part of them; where the memories stand that end a run once one of them is not 0, and how many
# they are; how many states the mechanisms have, before those of signals; how many mechanisms these are; where the
# lowest and highest values of each state in this run stand. `LOCATE` is 0 unless steps end where something
# changes, `PARTED` unless they are taken in parts where they have to be
(
    STEP_ADDRESS,
    LOCATE,
    PARTED,
    AT_TIME,
    AT_X,
    AT_DX,
    FIRST,
    COUNT,
    EVERY,
    FILM,
    TAKEN,
    TRAILING,
    AT_STOPS,
    QUIT,
    AT_SWITCHES,
    SWITCHES,
    DECIDED,
    OPENINGS,
    SHARED,
    UNHELD,
    AT_ENDS,
    ENDS,
    MECHANICAL,
    COMPONENTS,
    AT_LOWEST,
    AT_HIGHEST,
) = range(26)
# columns of the switching functions, each as long as there are functions: value; side on which it was (-1, 1; 0 before
# the first step), and is at the start of the run; 1 where a jump is decided at the start of each step; changes in the
# stretch of steps under way, the most in one stretch, and when; all changes, and the time of the first; values at
# both ends of a search; 1 for an opening; the least and the greatest of its values in the stages of a step; parts of
# steps that were too long for it, however short; the least value after a step, where it is below zero; the first value
# that a step saw
(
    VALUE, SIDE, STARTED, JUMPS, RECENT, MOST, BUSY, CHANGES, CHANGED, LOW, HIGH, OPENING, LEAST, GREATEST, ROUGH,
    LOWEST, BEGUN, SWITCH_COLUMNS,
) = range(18)  # fmt: skip
# entries of `real`: time at the start of the run, and of the step under way; length of a step; the time within it that
# decides between pieces; how far the slopes were off that the last step was solved with, of its way; changes of the
# signs of switching functions in this run; 1 while the rates in the work space are those of time and states there; at
# how many of these changes a call ends (0: it does not); parts of steps that were tried in this run; end of the first
# step in which more changed than is located
START, NOW, STEP, WITHIN, DEFECT, COUNTED, FRESH, PAUSE, TRIED, CROWDED = range(10)
NUMBERS, REALS = 26, 10


@bundled
class Run(NamedTuple):
    """One run: operations as (address, first pointer, second pointer, period), n states with the energies behind."""

    rates: I2  # (o, 4)
    outputs: I2  # (o, 4)
    ends: I2  # (o, 4)
    updates: I2  # (o, 4); the period is a place in `w`, or -1
    decisions: I2  # (o, 4)
    crossings: I2  # (o, 4): switching functions, with all that they need
    sides: I2  # (o, 4): switching functions of what stands in the work space
    openings: I2  # (o, 4): those over which something opens, with all that they need
    late_updates: I2  # (o, 4): those of `updates` that rates do not need
    late_outputs: I2  # (o, 4): those of `outputs` that rates do not need
    settles: I2  # (o, 4): what moves the anchors of closed mechanisms
    projections: I2  # (o, 4): what brings coordinates back onto the constraints, where a method wants that
    record: I1  # places of the recorded signals in `w`
    w: F1  # the work space
    x: F1  # (n,) state vector
    before: F1  # (n,) the same at the start of the step
    # of each state but energies: the first of those beside it that its block has in the same unit; the first of the
    # smooth coordinates, or rates, of a mechanism in that unit, or itself
    vector: I2  # (2, n)
    work: F2  # vectors of the method
    number: I1
    real: F1
    times: F1  # of the rows that are written
    rows: F2
    film: F2  # poses of all bodies


loop = entry_point(Run)


@helper
def rates(run, t, x, dx):
    """dx/dt at t and x."""
    run.real[FRESH] = 0.0
    write_state(run, t, x)
    run_rates(run)
    copy_rates(run, dx)


@helper
def copy_rates(run, dx):
    """Those that stand in the work space."""
    written = part(run.w, run.number[AT_DX], dx.shape[0])
    for j in range(dx.shape[0]):
        dx[j] = written[j]


@helper
def rates_are_fresh(run, t, x):
    """Whether the work space has the rates at t and x already."""
    if run.real[FRESH] == 0.0:
        return False
    here, others = part(run.w, run.number[AT_X], x.shape[0]), 0
    for j in range(x.shape[0]):
        others += here[j] != x[j]
    return others == 0 and run.w[run.number[AT_TIME]] == t


@helper
def stage(run, t, x, dx):
    """The same in a stage of a step, where openings are seen; the first may stand there since the step before."""
    if rates_are_fresh(run, t, x):
        run.real[FRESH] = 0.0
        copy_rates(run, dx)
    else:
        rates(run, t, x, dx)
    if run.number[OPENINGS] != 0:
        observe_openings(run)


@helper
def observe_openings(run):
    """How far openings have moved in the stages of a step."""
    run_sides(run)
    record_openings(run)


@helper
def record_openings(run):
    """The same, of values that stand there already."""
    w, n, at = run.w, run.number[SWITCHES], run.number[AT_SWITCHES]
    for j in range(n):
        if w[at + OPENING * n + j] != 0.0:
            value = w[at + j]
            if w[at + BEGUN * n + j] != w[at + BEGUN * n + j]:
                w[at + BEGUN * n + j] = value
            # what is not a number is both
            if not value >= w[at + LEAST * n + j]:
                w[at + LEAST * n + j] = value if value == value else -math.inf
            if not value <= w[at + GREATEST * n + j]:
                w[at + GREATEST * n + j] = value if value == value else math.inf


@helper
def write_state(run, t, x):
    """Time and states into the work space."""
    run.w[run.number[AT_TIME]] = t
    here = part(run.w, run.number[AT_X], x.shape[0])
    for j in range(x.shape[0]):
        here[j] = x[j]


@helper
def write_piece_time(run, during):
    """The time that decides between the pieces of what jumps: see theory, Jumps."""
    run.w[run.number[AT_TIME] + 1] = during
