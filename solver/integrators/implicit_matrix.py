"""Matrix of implicit steps, 1/(h gamma) - df/dx: its differences, its factors, and solutions with it.

One-sided differences by colours fill diagonal blocks (`sparsity.py`); of trees that sweeps solve
(`kernels/tangent_sweep.py`) there is no matrix, but for a correction of low rank. States that decay by themselves, such
as bristles of pairs that do not push, take no difference and no room in the factors.
"""

from __future__ import annotations

import math

import numpy as np

from ..codegen.intrinsics import run_factors, run_solves
from ..codegen.jit import helper
from ..kernels.dense_linear_algebra import lu_factor_block, lu_solve_block
from .run_data import (
    AT_DX,
    AT_TIME,
    BLOCK,
    BLOCKS,
    COLOUR,
    COLOURS,
    COLUMN,
    COUNTS,
    DECAYING,
    DECAYS,
    DIAGONAL,
    INSIDE,
    LEFT,
    LOW_RANK,
    MATRIX,
    ORDER,
    PLACE,
    SEEN,
    SHAPE,
    STEP,
    SWEPT,
    TRAILING,
    rates,
)

GAMMA = 0.435866521508459  # of ROS34PW2: see `rosenbrock.py`
# relative increment of one-sided differences: balances rounding against curvature
NUDGE = math.sqrt(np.finfo(float).eps)
TINIEST = float(np.finfo(float).tiny)  # least divisor
H_GAMMA = 2  # place of h gamma behind the time (`program/work_space.py`)
LEAST = 1e-4  # [SI] least scale of a state: increments below NUDGE times it would be all rounding


@helper
def increment_scale(run, j, slope):
    """Scale of the increments of state j: its size, at least LEAST.

    Below size 1 the motion in a step counts too: 1e-8 m^3 are much of a little oil. Above, it would spoil the slope of
    a diverging state. Forces of shapes that touch follow from differences of places: rounding of these does not fall
    with a coordinate that is zero at some origin. There the size of a shape is the least, and of rates what moves
    by it in the time of the matrix, h gamma.
    """
    least, kind = LEAST, run.vector[2, j]
    if kind == 0:
        least = max(least, run.real[SHAPE])
    elif kind == 1:
        least = max(least, min(run.real[SHAPE] / (run.real[STEP] * GAMMA), 1.0))
    return max(abs(run.x[j]), min(run.real[STEP] * abs(slope[j]), 1.0), least)


@helper
def row_of(run, k):
    """Row of work vector k in `run.work`, behind the matrix."""
    return run.structure[COUNTS, MATRIX] + k


@helper
def mark_decays(run):
    """Mark with 1 the states that decay by themselves at the state that was evaluated last: see `DECAYS`."""
    places, mark = run.structure[DECAYS], run.work[row_of(run, 15)]
    for j in range(run.x.shape[0]):
        mark[j] = 0.0
        if places[j] >= 0 and run.w[places[j]] == 0.0:
            mark[j] = 1.0


@helper
def stays(run, p):
    """True if the state at place p of the order stays in the equations: it does not decay by itself."""
    structure = run.structure
    return structure[COUNTS, DECAYING] == 0 or run.work[row_of(run, 15), structure[ORDER, p]] == 0.0


@helper
def nudge_colour(run, c, slope, increment, kept):
    """Move the states of colour c by their increments, but for those that decay by themselves; how many were moved."""
    x, mark, count = run.x, run.work[row_of(run, 15)], 0
    for k in range(run.structure[COLOUR, c], run.structure[COLOUR, c + 1]):
        j = run.structure[COLUMN, k]
        kept[j] = x[j]
        if mark[j] == 0.0:
            x[j] += math.copysign(NUDGE * increment_scale(run, j, slope), slope[j])
            count += 1
        increment[j] = x[j] - kept[j]
    return count


@helper
def fill_decay(run, k, slope, energies):
    """Column k of W for a state that decays by itself, x' = -a x: a on the diagonal, nothing outside of its block.

    Its equation alone is asked of its block. Slopes of the energies are left to `add_energies`.
    """
    entry, structure, j, n = run.entry, run.structure, run.structure[COLUMN, k], run.x.shape[0]
    for i in range(n - run.number[TRAILING], energies):
        run.work[structure[COUNTS, MATRIX] - n + i, structure[PLACE, j]] = 0.0
    own = structure[INSIDE, k]  # the state's own rate comes first of those of its block
    for e in range(structure[SEEN, k], own):
        run.work[entry[2, e], entry[3, e]] = 0.0
    if run.x[j] != 0.0:
        run.work[entry[2, own], entry[3, own]] = -slope[j] / run.x[j]


@helper
def clear_blocks(run):
    """Rows := 0 of the states that stay in the equations, in their blocks, and the diagonal of the others."""
    structure, W = run.structure, run.work
    for k in range(structure[COUNTS, BLOCKS]):
        first, last = structure[BLOCK, k], structure[BLOCK, k + 1]
        for p in range(first, last):
            W[p - first, p] = 0.0
            if stays(run, p):
                for q in range(first, last):
                    W[p - first, q] = 0.0


@helper
def fill_matrix(run, t, slope, z):
    """W = 1/(h gamma) - df/dx of the states in blocks, in their order, by one-sided differences, a colour at a time.

    The rate of a state that decays by itself is in proportion to it: its slope is known without a difference.

    Blocks are stacked, each in the rows from 0 on: storage is the largest block times the order, not its square. Column
    p holds below its block the entries left of the block in row p, and rows behind all of these the slopes of the
    energies, where every colour is one state. Increments point along the rates.
    """
    x, structure, W, n, h = run.x, run.structure, run.work, run.x.shape[0], run.real[STEP]
    place, column, seen, entry = structure[PLACE], structure[COLUMN], structure[SEEN], run.entry
    inner = n - run.number[TRAILING]
    energies = n if structure[COUNTS, COLOURS] == inner else inner
    increment, kept, mark = run.work[row_of(run, 7)], run.work[row_of(run, 8)], run.work[row_of(run, 15)]
    clear_blocks(run)
    for c in range(structure[COUNTS, COLOURS]):
        if nudge_colour(run, c, slope, increment, kept) > 0:
            rates(run, t, x, z)
        for k in range(structure[COLOUR, c], structure[COLOUR, c + 1]):
            j = column[k]
            x[j] = kept[j]
            if mark[j] > 0.0:
                fill_decay(run, k, slope, energies)
                continue
            for e in range(seen[k], seen[k + 1]):
                i = entry[0, e]
                W[entry[2, e], entry[3, e]] = (slope[i] - z[i]) / increment[j]
            for i in range(inner, energies):
                W[structure[COUNTS, MATRIX] - n + i, place[j]] = (slope[i] - z[i]) / increment[j]
    for k in range(structure[COUNTS, BLOCKS]):
        first = structure[BLOCK, k]
        for p in range(first, structure[BLOCK, k + 1]):
            W[p - first, p] += 1.0 / (h * GAMMA)


@helper
def directional_derivative(run, t, x, fx, slope, b, first, last, z):
    """z := df/dx b at (t, x) with fx = f(t, x); b counts at the places first <= p < last of the order.

    No state moves by more than its increment.
    """
    order, kept, longest = run.structure[ORDER], run.work[row_of(run, 7)], TINIEST
    for p in range(first, last):
        j = order[p]
        longest = max(longest, abs(b[j]) / increment_scale(run, j, slope))
    part = NUDGE / longest
    for p in range(first, last):
        j = order[p]
        kept[j] = x[j]
        x[j] += part * b[j]
    rates(run, t, x, z)
    for p in range(first, last):
        j = order[p]
        x[j] = kept[j]
    for j in range(x.shape[0]):
        z[j] = (z[j] - fx[j]) / part


@helper
def solve_sweeps(run, b):
    """b := B^-1 b, with B of the sweeps over trees; 1/(h gamma) for the states behind them."""
    structure, at = run.structure, run.number[AT_DX]
    first, last = structure[BLOCK, structure[COUNTS, BLOCKS]], structure[COUNTS, DIAGONAL]
    for p in range(first, last):
        run.w[at + structure[ORDER, p]] = b[structure[ORDER, p]]
    run_solves(run)
    for p in range(first, last):
        b[structure[ORDER, p]] = run.w[at + structure[ORDER, p]]
    for p in range(last, run.x.shape[0] - run.number[TRAILING]):
        b[structure[ORDER, p]] *= run.real[STEP] * GAMMA


@helper
def factor_correction(run, t, slope, z):
    """Columns Z = B^-1 (J - W) E and factors of 1 - E^T Z, with B = 1/(h gamma) - W of the sweeps.

    (B - (J - W) E E^T) u = r is solved by u = B^-1 r + Z c, (1 - E^T Z) c = E^T B^-1 r (Woodbury). E selects the states
    that signals read. Rows of `work` hold the factors, and Z^T behind them. True if the determinant of 1 - E^T Z > 0.
    """
    x, W, column, rank = run.x, run.work, run.structure[COLUMN], run.structure[COUNTS, LOW_RANK]
    inner = x.shape[0] - run.number[TRAILING]
    for k in range(rank):
        j, Z = column[k], W[rank + k]
        kept = x[j]
        x[j] = kept + math.copysign(NUDGE * increment_scale(run, j, slope), slope[j])
        increment = x[j] - kept
        rates(run, t, x, z)
        x[j] = kept
        for i in range(inner):
            Z[i] = (z[i] - slope[i]) / increment
        # B^-1 W e = B^-1 e / (h gamma) - e
        Z[j] -= 1.0 / (run.real[STEP] * GAMMA)
        solve_sweeps(run, Z)
        Z[j] += 1.0
    for a in range(rank):
        for b in range(rank):
            W[a, b] = (1.0 if a == b else 0.0) - W[rank + b, column[a]]
    return lu_factor_block(W, run.work[row_of(run, 11)], 0, rank, 0)


@helper
def condense(run, first, last):
    """Move the equations of the states that stay in a block to its corner; the end of their places.

    Those that decay by themselves are solved alone: no other state depends on them. Their divisors are kept.
    """
    structure, W, end = run.structure, run.work, first
    if structure[COUNTS, DECAYING] == 0:
        return last
    for p in range(first, last):
        if not stays(run, p):
            W[row_of(run, 16), structure[ORDER, p]] = 1.0 / W[p - first, p]
            continue
        to = first
        for q in range(first, last):
            if stays(run, q):
                W[end - first, to] = W[p - first, q]
                to += 1
        end += 1
    return end


@helper
def factor_matrix(run, t, slope, z):
    """Factors of the diagonal blocks, or of the correction of sweeps; True if no determinant is negative."""
    structure, pivot, negative = run.structure, run.work[row_of(run, 11)], 0
    for k in range(structure[COUNTS, BLOCKS]):
        first = structure[BLOCK, k]
        end = condense(run, first, structure[BLOCK, k + 1])
        if not lu_factor_block(run.work, pivot, first, end, first):
            negative += 1
    if structure[COUNTS, LOW_RANK] > 0 and not factor_correction(run, t, slope, z):
        negative += 1
    return negative == 0


@helper
def add_correction(run, b):
    """b += Z c with (1 - E^T Z) c = E^T b: see `factor_correction`."""
    W, column, rank, c = (
        run.work,
        run.structure[COLUMN],
        run.structure[COUNTS, LOW_RANK],
        run.work[row_of(run, 12)],
    )
    for k in range(rank):
        c[k] = b[column[k]]
    lu_solve_block(W, run.work[row_of(run, 11)], 0, rank, 0, c)
    for k in range(rank):
        for i in range(run.x.shape[0] - run.number[TRAILING]):
            b[i] += W[rank + k, i] * c[k]


@helper
def solve_matrix(run, t, slope, z, b):
    """b := (1/(h gamma) - W)^-1 b for all states but energies: sweeps first, then block by block."""
    structure, W, n = run.structure, run.work, run.x.shape[0]
    order, left = structure[ORDER], structure[LEFT]
    pivot, y, blocked = (
        run.work[row_of(run, 11)],
        run.work[row_of(run, 12)],
        structure[BLOCK, structure[COUNTS, BLOCKS]],
    )
    if structure[COUNTS, SWEPT] > 0:
        solve_sweeps(run, b)
    if structure[COUNTS, LOW_RANK] > 0:
        add_correction(run, b)
    if structure[COUNTS, SWEPT] == 2:
        directional_derivative(run, t, run.x, slope, slope, b, blocked, n - run.number[TRAILING], z)
        for p in range(blocked):
            b[order[p]] += z[order[p]]
    for k in range(structure[COUNTS, BLOCKS]):
        first, last = structure[BLOCK, k], structure[BLOCK, k + 1]
        end = first
        for p in range(first, last):
            s = b[order[p]]
            for e in range(left[p], left[p + 1]):
                s -= W[last - first + e - left[p], p] * b[run.entry[1, e]]
            if stays(run, p):
                y[end] = s
                end += 1
            else:
                b[order[p]] = s * W[row_of(run, 16), order[p]]
        lu_solve_block(W, pivot, first, end, first, y)
        end = first
        for p in range(first, last):
            if stays(run, p):
                b[order[p]] = y[end]
                end += 1


@helper
def factor_sweeps(run, weight):
    """Factors of the equations that sweeps solve; `weight`: inertia along the row of each of their states."""
    structure, at = run.structure, run.number[AT_DX]
    run.w[run.number[AT_TIME] + H_GAMMA] = run.real[STEP] * GAMMA
    run_factors(run)
    for p in range(structure[BLOCK, structure[COUNTS, BLOCKS]], structure[COUNTS, DIAGONAL]):
        weight[structure[ORDER, p]] = run.w[at + structure[ORDER, p]]
