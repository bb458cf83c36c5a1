"""`implicit`: linearly implicit (Rosenbrock-W) step of fixed length, for stiff bristles, stops and fluids.

ROS34PW2 of Rang and Angermann (2005), BIT Numerical Mathematics 45, p. 761: order 3, four stages, L-stable, stiffly
accurate. A W-method keeps its order with any matrix in place of the Jacobian, so that finite differences suffice, and
a step solves linear equations only: those of a long tree by a sweep with the stiffness and damping of its rows
(`kernels/tangent_sweep.py`), the others by sparse differences (`sparsity.py`). `program/dependencies.py` chooses.
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
    DECAYS,
    DEFECT,
    DIAGONAL,
    LEFT,
    LOW_RANK,
    MATRIX,
    MECHANICAL,
    NOW,
    ORDER,
    PLACE,
    SEEN,
    STEP,
    SWEPT,
    TRAILING,
    loop,
    rates,
    stage,
)
from .substeps import CONVERGES, HOLD

GAMMA = 0.435866521508459
ALPHA = np.array(
    [
        [0.0, 0.0, 0.0, 0.0],
        [0.87173304301691801, 0.0, 0.0, 0.0],
        [0.84457060015369423, -0.11299064236484185, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
    ]
)
GAMMAS = np.array(
    [
        [GAMMA, 0.0, 0.0, 0.0],
        [-0.87173304301691801, GAMMA, 0.0, 0.0],
        [-0.90338057013044082, 0.054180672388095326, GAMMA, 0.0],
        [0.24212380706095346, -1.2232505839045147, 0.54526025533510214, GAMMA],
    ]
)
WEIGHTS = np.array([0.24212380706095346, -1.2232505839045147, 1.5452602553351020, GAMMA])

# in the variables u = Gamma k the Jacobian is not multiplied (Hairer and Wanner II, eq. IV.7.25)
_INVERSE = np.linalg.inv(GAMMAS)
A, C, M = ALPHA @ _INVERSE, np.diag(np.diag(_INVERSE)) - _INVERSE, WEIGHTS @ _INVERSE
TIMES, RATES = ALPHA.sum(axis=1), GAMMAS.sum(axis=1)
# relative increment of one-sided differences: balances rounding against curvature
NUDGE = math.sqrt(np.finfo(float).eps)
TINIEST = float(np.finfo(float).tiny)  # least divisor
H_GAMMA = 2  # place of h gamma behind the time (`program/work_space.py`)
LEAST = 1e-4  # [SI] least scale of a state: increments below NUDGE times it would be all rounding

SMALL = 1e-8  # [m, rad and rates; also relative] motion in a step below which slopes have no effect
SHARED = 1e-4  # share of the longest motion of smooth coordinates: half of the digits that SMALL leaves
TINY = (
    1e-14  # [any unit] the same of signals, such as 1e-9 m^3 of oil: what rounding leaves of numbers near 1
)


@helper
def increment_scale(run, j, slope):
    """Scale of the increments of state j: its size, at least LEAST.

    Below size 1 the motion in a step counts too: 1e-8 m^3 are much of a little oil. Above, it would spoil the slope of
    a diverging state.
    """
    return max(abs(run.x[j]), min(run.real[STEP] * abs(slope[j]), 1.0), LEAST)


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
    """Column k of W for a state that decays by itself, x' = -a x: a on the diagonal, nothing elsewhere.

    Slopes of the energies are left to `add_energies`.
    """
    entry, j, n = run.entry, run.structure[COLUMN, k], run.x.shape[0]
    for i in range(n - run.number[TRAILING], energies):
        run.work[run.structure[COUNTS, MATRIX] - n + i, run.structure[PLACE, j]] = 0.0
    for e in range(run.structure[SEEN, k], run.structure[SEEN, k + 1]):
        run.work[entry[2, e], entry[3, e]] = 0.0
        if entry[0, e] == j and run.x[j] != 0.0:
            run.work[entry[2, e], entry[3, e]] = -slope[j] / run.x[j]


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
    for k in range(structure[COUNTS, BLOCKS]):
        first, last = structure[BLOCK, k], structure[BLOCK, k + 1]
        for p in range(last - first):
            for q in range(first, last):
                W[p, q] = 0.0
    increment, kept, mark = run.work[row_of(run, 7)], run.work[row_of(run, 8)], run.work[row_of(run, 15)]
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
def factor_matrix(run, t, slope, z):
    """Factors of the diagonal blocks, or of the correction of sweeps; True if no determinant is negative."""
    structure, pivot, negative = run.structure, run.work[row_of(run, 11)], 0
    for k in range(structure[COUNTS, BLOCKS]):
        first, last = structure[BLOCK, k], structure[BLOCK, k + 1]
        if not lu_factor_block(run.work, pivot, first, last, first):
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
        for p in range(first, last):
            s = b[order[p]]
            for e in range(left[p], left[p + 1]):
                s -= W[last - first + e - left[p], p] * b[run.entry[1, e]]
            y[p] = s
        lu_solve_block(W, pivot, first, last, first, y)
        for p in range(first, last):
            b[order[p]] = y[p]


@helper
def add_decays(run, slope, v, z, total):
    """total += J v of the states that decay by themselves, which columns leave out, at the start of the step."""
    inner, moved, mark = run.x.shape[0] - run.number[TRAILING], 0.0, run.work[row_of(run, 15)]
    for j in range(inner):
        v[j] *= mark[j]
        moved = max(moved, abs(v[j]))
    if moved > 0.0:
        directional_derivative(run, run.real[NOW], run.x, slope, slope, v, 0, inner, z)
        for i in range(inner, run.x.shape[0]):
            total[i] += z[i]


@helper
def add_energies(run, t, z, slope, u, v, scratch):
    """Energies at the end of the step: x_e += h sum_s b_s (f_s + J u_s), the sum of their rows over the stages.

    Nothing depends on energies, and df/dt drops out: sum b_s gamma_s = 0. J v with v = sum b_s u_s is found by columns
    where these are known, else by a difference about the last stage z, evaluated last: loops are closed from there.
    """
    structure, x, n, h = run.structure, run.x, run.x.shape[0], run.real[STEP]
    inner = n - run.number[TRAILING]
    if inner == n:
        return
    for j in range(inner):
        v[j] = 0.0
        for s in range(4):
            v[j] += WEIGHTS[s] * u[s, j]
    for i in range(inner, n):
        scratch[i] = 0.0
        for s in range(4):
            x[i] += h * WEIGHTS[s] * u[s, i]
    if structure[COUNTS, COLOURS] == inner:
        for i in range(inner, n):
            for p in range(inner):
                scratch[i] -= run.work[structure[COUNTS, MATRIX] - n + i, p] * v[structure[ORDER, p]]
        add_decays(run, slope, v, z, scratch)
    else:
        directional_derivative(run, t, z, u[3], slope, v, 0, inner, scratch)
    for i in range(inner, n):
        x[i] += h * scratch[i]


@helper
def factor_sweeps(run, weight):
    """Factors of the equations that sweeps solve; `weight`: inertia along the row of each of their states."""
    structure, at = run.structure, run.number[AT_DX]
    run.w[run.number[AT_TIME] + H_GAMMA] = run.real[STEP] * GAMMA
    run_factors(run)
    for p in range(structure[BLOCK, structure[COUNTS, BLOCKS]], structure[COUNTS, DIAGONAL]):
        weight[structure[ORDER, p]] = run.w[at + structure[ORDER, p]]


@helper
def swept_defect(run, z, weight, missed, way):
    """Contraction rate of simplified Newton iterations for mechanisms that sweeps solve, as a defect: HOLD at
    CONVERGES.

    Norm of the kinetic energy, for coordinates and for rates (Hairer and Wanner II, eq. IV.8.13): the motion of a light
    body counts less than that of a heavy one.
    """
    structure, x, worst = run.structure, run.x, 0.0
    first, last = structure[BLOCK, structure[COUNTS, BLOCKS]], structure[COUNTS, DIAGONAL]
    for rate in range(2):
        moved = whole = 0.0
        for p in range(first, last):
            j = structure[ORDER, p]
            if run.vector[2, j] == rate:
                off = missed[j] + z[j] - x[j]
                moved += weight[j] * off * off
                whole += weight[j] * way[j] * way[j]
        share = math.sqrt(moved / max(whole, TINIEST))
        worst = max(worst, share if share == share else math.inf)
    return HOLD / CONVERGES * worst


@helper
def slope_defect(run, t, z, rate, part, slope, change, missed, way, longest, scratch):
    """Error of the slopes on the way to a stage: W^-1 residual over the motion of the state (largest ratio).

    z is the state of the stage, `rate` its rate there, `part` its fraction of the step. The defect is the relative
    shift of the stage by a second Newton iteration. States of one block and unit share their largest motion: a small
    twist of a bending boom does not shorten the step. A coordinate of a mechanism without friction and stops is exempt
    if it moves by less than `SHARED` of the largest motion of such coordinates.
    """
    x, h, n, structure = run.x, run.real[STEP], run.x.shape[0], run.structure
    inner, blocked = n - run.number[TRAILING], structure[BLOCK, structure[COUNTS, BLOCKS]]
    for j in range(inner):
        missed[j] = rate[j] - slope[j] - part * change[j] - (z[j] - x[j]) / (h * GAMMA)
    solve_matrix(run, t, slope, scratch, missed)
    for j in range(inner):
        way[j] = SMALL if j < run.number[MECHANICAL] else TINY
        longest[j] = 0.0
    for j in range(inner):
        k = run.vector[0, j]
        way[k] = max(way[k], abs(z[j] - x[j]), h * abs(slope[j]), SMALL * abs(x[j]))
    for j in range(inner):
        k = run.vector[1, j]
        longest[k] = max(longest[k], way[run.vector[0, j]])
    worst = 0.0
    for p in range(inner):
        j = structure[ORDER, p]
        if p < blocked or p >= structure[COUNTS, DIAGONAL]:
            least = max(way[run.vector[0, j]], SHARED * longest[run.vector[1, j]])
            share = abs(missed[j] + z[j] - x[j]) / least
            worst = max(worst, share if share == share else math.inf)
    if structure[COUNTS, SWEPT] == 0:
        return worst
    for j in range(inner):
        way[j] = max(abs(z[j] - x[j]), SMALL)
    return max(worst, swept_defect(run, z, run.work[row_of(run, 14)], missed, way))


@helper
def stage_state(run, s, u, z):
    """State of stage s: z = x + sum A_sr u_r, with the energies of the start."""
    x, inner = run.x, run.x.shape[0] - run.number[TRAILING]
    for j in range(x.shape[0]):
        z[j] = x[j]
    for j in range(inner):
        for r in range(s):
            z[j] += A[s, r] * u[r, j]


@loop
def implicit(run):
    """One step: (1/(h gamma) - df/dx) u_i = f(t_i, x + sum a_ij u_j) + sum c_ij/h u_j + gamma_i h df/dt."""
    t, h, x, work = run.real[NOW], run.real[STEP], run.x, run.work
    n, first = x.shape[0], row_of(run, 0)
    # behind the matrix 16 rows of work: four stages, rates now and later, a state, increments (in differences also
    # states before these), residual of the slopes, motions of the states and the largest of each group, pivots, a
    # right-hand side, rates in a difference, inertias along the rows, marks of states that decay by themselves
    u, inner = work[first : first + 4], n - run.number[TRAILING]
    slope, change, z = work[first + 4], work[first + 5], work[first + 6]
    missed, way, longest, scratch = work[first + 8], work[first + 9], work[first + 10], work[first + 13]
    stage(run, t, x, slope)
    # both at the state that was evaluated last, that of t and x
    mark_decays(run)
    if run.structure[COUNTS, SWEPT] > 0:
        factor_sweeps(run, work[first + 14])
    # h df/dt over the whole step: a jump within it stays as large as it is
    rates(run, t + h, x, change)
    for j in range(n):
        change[j] -= slope[j]

    # real modes that grow faster than 1/(h gamma): the step would turn them round. A negative determinant of a block
    # proves an odd number of them, and the step is divided. A positive one proves nothing: eigenvalues of the block
    # would cost more than the step. An even number is found by a run's comparison with two halves, which follow them:
    # the run ends ("has run away"), or its step is told as too long (tests/systems/test_step_error.py, pairs by chance)
    fill_matrix(run, t, slope, z)
    run.real[DEFECT] = 0.0 if factor_matrix(run, t, slope, z) else math.inf
    for s in range(4):
        if s == 0:
            for j in range(n):
                u[0, j] = slope[j]
        else:
            stage_state(run, s, u, z)
            stage(run, t + TIMES[s] * h, z, u[s])
            off = slope_defect(run, t, z, u[s], TIMES[s], slope, change, missed, way, longest, scratch)
            run.real[DEFECT] = max(run.real[DEFECT], off)
        for j in range(inner):
            u[s, j] += RATES[s] * change[j]
            for r in range(s):
                u[s, j] += C[s, r] / h * u[r, j]
        solve_matrix(run, t, slope, scratch, u[s])
    add_energies(run, t + TIMES[3] * h, z, slope, u, missed, scratch)
    for j in range(inner):
        for r in range(4):
            x[j] += M[r] * u[r, j]
