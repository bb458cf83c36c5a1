"""`Run`: data of the run loop beside the mechanism: tables of operations, work space, states, recorded rows."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..codegen.array_structs import F1, F2, I1, I2, bundled
from ..codegen.intrinsics import part, run_decisions, run_rates, run_sides
from ..codegen.jit import entry_point, helper

# entries of Run.number
(
    STEP_ADDRESS,  # address of the step of the method
    LOCATE,  # address of event_step; 0 unless steps end at events
    PARTED,  # address of substepped_step; 0 unless steps may be divided
    AT_TIME,  # place of the time in `w`; the time that decides branches stands behind it
    AT_X,  # place of the states in `w`
    AT_DX,  # place of their rates in `w`
    FIRST,  # in: number of the first step of a call
    COUNT,  # in: number of steps of a call
    EVERY,  # steps from one row of outputs to the next
    FILM,  # steps from one row of poses to the next
    TAKEN,  # out: number of steps taken
    TRAILING,  # number of states at the end that nothing depends on (energies)
    AT_STOPS,  # place of the fingerprint of end stops in `w`
    QUIT,  # 1 once something outside compiled code has failed
    AT_SWITCHES,  # place of the switching functions in `w`
    SWITCHES,  # number of switching functions
    DECIDED,  # number of them that are decided at the start of each step
    OPENINGS,  # number of them that are openings
    SHARED,  # uses of the evaluation after a step: see `Program.shared`
    UNHELD,  # number of steps whose slopes held in none of their substeps
    AT_ENDS,  # place in `w` of the memories that end a run once one of them is not 0
    ENDS,  # number of these memories
    MECHANICAL,  # number of states of the mechanisms, which come before those of signals
    COMPONENTS,  # number of mechanisms
    AT_LOWEST,  # place in `w` of the lowest value of each state in this run
    AT_HIGHEST,  # place in `w` of the highest value of each state in this run
    RESETS,  # 1 if decisions may change the state: impacts
) = range(27)
# columns of the switching functions, each of the length of their number
(
    VALUE,  # present value
    SIDE,  # sign at the last step: -1, 1; 0 before the first
    STARTED,  # sign at the start of the run
    JUMPS,  # 1 where a jump is decided at the start of each step
    RECENT,  # sign changes in the present stretch of steps
    MOST,  # most sign changes in a stretch
    BUSY,  # time of that [s]
    CHANGES,  # all sign changes
    CHANGED,  # time of the first [s]
    LOW,  # value at the lower end of the bracket of an event
    HIGH,  # value at its upper end
    OPENING,  # 1 for an opening
    LEAST,  # least value in the stages of a step
    GREATEST,  # greatest value in the stages of a step
    ROUGH,  # number of finest substeps in which it moved too far
    LOWEST,  # least value after a step, where it is below zero
    BEGUN,  # first value that a step saw
    SWITCH_COLUMNS,
) = range(18)
# entries of Run.real
(
    START,  # time at the start of the run [s]
    NOW,  # time at the start of the present step [s]
    STEP,  # length of the step [s]
    WITHIN,  # time within the step by which branches are decided [s]
    DEFECT,  # error of the slopes of the last step over the motion of the state
    COUNTED,  # sign changes of switching functions in this run
    FRESH,  # 1 while the rates in `w` belong to the time and states there
    PAUSE,  # value of COUNTED at which a call ends; 0: none
    TRIED,  # substeps tried in this run
    CROWDED,  # end of the first step with more events than are located [s]
    SHAPE,  # least bounding radius of the shapes that touch, 0 without [m]
) = range(11)
NUMBERS, REALS = 27, 11
# rows of Run.structure: sparsity of df/dx, and order in which its equations are solved
(
    COUNTS,  # numbers, below
    ORDER,  # states: those in blocks, block by block; of mechanisms that sweeps solve; with 1/(h gamma) alone; energies
    PLACE,  # place of each state in ORDER
    BLOCK,  # first place of each diagonal block
    COLOUR,  # first column of each colour
    COLUMN,  # states by colour; with LOW_RANK, those of the correction
    SEEN,  # by column: first of the rates that depend on it, in row 0 of `entry`
    LEFT,  # by place: first of the states before its block on which its rate depends, in row 1 of `entry`
    # by state: place in `w` of a number that is 0 while the rate is in proportion to the state and nothing else but
    # energies depends on it, such as the normal force of a bristle's pair; -1 for other states
    DECAYS,
    INSIDE,  # by column: first of the rates in SEEN that are of its block, its own before the others
    STRUCTURE_ROWS,
) = range(11)
# entries of row COUNTS
(
    BLOCKS,  # number of diagonal blocks
    COLOURS,  # number of colours
    SWEPT,  # 1 if sweeps over trees solve for mechanisms; 2 if states in blocks depend on these
    DIAGONAL,  # place in ORDER behind the states that sweeps solve for
    LOW_RANK,  # number of columns of the correction of sweeps, 0 without
    MATRIX,  # rows of `work` before the work vectors
    DECAYING,  # number of states with a place in DECAYS
) = range(7)


@bundled
class Run(NamedTuple):
    """One run: operations as (address, first pointer, second pointer, period); n states, energies last."""

    rates: I2  # (o, 4)
    outputs: I2  # (o, 4)
    ends: I2  # (o, 4)
    updates: I2  # (o, 4); the period is a place in `w`, or -1
    decisions: I2  # (o, 4)
    crossings: I2  # (o, 4): switching functions, with the operations they need
    sides: I2  # (o, 4): switching functions of the work space as it is
    openings: I2  # (o, 4): switching functions that open a valve, with the operations they need
    late_updates: I2  # (o, 4): operations of `updates` that are not in `rates`
    late_outputs: I2  # (o, 4): operations of `outputs` that are not in `rates`
    settles: I2  # (o, 4): anchors of closed mechanisms, moved after a step
    projections: I2  # (o, 4): projections onto the constraints, where a method wants them
    factors: I2  # (o, 4): factors of the equations of implicit steps, of mechanisms that sweeps solve
    solves: I2  # (o, 4): their solutions, in place of the rates
    record: I1  # places of the recorded signals in `w`
    w: F1  # the work space
    x: F1  # (n,) state vector
    before: F1  # (n,) state vector at the start of the step
    # of each state but energies: first of the neighbouring states of its block in the same unit; first of the
    # smooth coordinates, or rates, of a mechanism in that unit, or itself; 0 for coordinates of a mechanism, 1 for
    # rates of one, 2 for other states
    vector: I2  # (3, n)
    structure: I2  # (STRUCTURE_ROWS, n + 7): sparsity of df/dx for methods that solve, else (0, 0)
    # (4, entries): rates that depend on a column; states on which a rate depends; row and column in `work` of the first
    entry: I2
    work: F2  # matrix and work vectors of the method
    number: I1
    real: F1
    times: F1  # time of each written row [s]
    rows: F2
    film: F2  # poses of all bodies


loop = entry_point(Run)


@helper
def rates(run, t, x, dx):
    """dx/dt at (t, x), to `dx`."""
    run.real[FRESH] = 0.0
    write_state(run, t, x)
    run_rates(run)
    copy_rates(run, dx)


@helper
def copy_rates(run, dx):
    """Copy the rates of the work space to `dx`."""
    written = part(run.w, run.number[AT_DX], dx.shape[0])
    for j in range(dx.shape[0]):
        dx[j] = written[j]


@helper
def rates_are_fresh(run, t, x):
    """True if the work space holds the rates at (t, x)."""
    if run.real[FRESH] == 0.0:
        return False
    here, others = part(run.w, run.number[AT_X], x.shape[0]), 0
    for j in range(x.shape[0]):
        others += here[j] != x[j]
    return others == 0 and run.w[run.number[AT_TIME]] == t


@helper
def stage(run, t, x, dx):
    """dx/dt in a stage of a step; openings are observed. The first stage may reuse the rates of the last evaluation."""
    if rates_are_fresh(run, t, x):
        run.real[FRESH] = 0.0
        copy_rates(run, dx)
    else:
        rates(run, t, x, dx)
    if run.number[OPENINGS] != 0:
        observe_openings(run)


@helper
def observe_openings(run):
    """Evaluate the openings in a stage and record their range in the step."""
    run_sides(run)
    record_openings(run)


@helper
def record_openings(run):
    """Record the least, greatest and first value of each opening in the step."""
    w, n, at = run.w, run.number[SWITCHES], run.number[AT_SWITCHES]
    for j in range(n):
        if w[at + OPENING * n + j] != 0.0:
            value = w[at + j]
            if w[at + BEGUN * n + j] != w[at + BEGUN * n + j]:
                w[at + BEGUN * n + j] = value
            # NaN widens the range to both infinities
            if not value >= w[at + LEAST * n + j]:
                w[at + LEAST * n + j] = value if value == value else -math.inf
            if not value <= w[at + GREATEST * n + j]:
                w[at + GREATEST * n + j] = value if value == value else math.inf


@helper
def write_state(run, t, x):
    """Write time and state vector to the work space."""
    run.w[run.number[AT_TIME]] = t
    here = part(run.w, run.number[AT_X], x.shape[0])
    for j in range(x.shape[0]):
        here[j] = x[j]


@helper
def decide_branches(run):
    """Run the decisions at the state in the work space; once more, at the rates that it leaves, where an impact has
    changed the state.
    """
    run_decisions(run)
    if run.number[RESETS] != 0 and take_over_state(run) > 0:
        run_decisions(run)
        take_over_state(run)


@helper
def take_over_state(run):
    """Copy the state of the work space to `x`; returns the number of entries that differed."""
    here, others = part(run.w, run.number[AT_X], run.x.shape[0]), 0
    for j in range(run.x.shape[0]):
        others += here[j] != run.x[j]
        run.x[j] = here[j]
    return others


@helper
def write_piece_time(run, during):
    """Write the time by which functions with jumps choose their branch: see theory, Jumps."""
    run.w[run.number[AT_TIME] + 1] = during
