"""`implicit`: linearly implicit (Rosenbrock-W) step of fixed length, for stiff bristles, stops and fluids.

ROS34PW2 of Rang and Angermann (2005), BIT Numerical Mathematics 45, p. 761: order 3, four stages, L-stable, stiffly
accurate. A W-method keeps its order with any matrix in place of the Jacobian, so that finite differences suffice, and
a step solves linear equations only: those of a long tree by a sweep with the stiffness and damping of its rows
(`kernels/tangent_sweep.py`), the others by sparse differences (`sparsity.py`). `program/dependencies.py` chooses.
"""

from __future__ import annotations

import math

import numpy as np

from ..codegen.jit import helper
from .implicit_matrix import (
    GAMMA,
    TINIEST,
    directional_derivative,
    factor_matrix,
    factor_sweeps,
    fill_matrix,
    mark_decays,
    row_of,
    solve_matrix,
)
from .run_data import (
    BLOCK,
    BLOCKS,
    COLOURS,
    COUNTS,
    DEFECT,
    DIAGONAL,
    MATRIX,
    MECHANICAL,
    NOW,
    ORDER,
    STEP,
    SWEPT,
    TRAILING,
    loop,
    rates,
    stage,
)
from .substeps import CONVERGES, HOLD

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

SMALL = 1e-8  # [m, rad and rates; also relative] motion in a step below which slopes have no effect
SHARED = 1e-4  # share of the longest motion of smooth coordinates: half of the digits that SMALL leaves
TINY = (
    1e-14  # [any unit] the same of signals, such as 1e-9 m^3 of oil: what rounding leaves of numbers near 1
)


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
    # behind the matrix 17 rows of work: four stages, rates now and later, a state, increments (in differences also
    # states before these), residual of the slopes, motions of the states and the largest of each group, pivots, a
    # right-hand side, rates in a difference, inertias along the rows, marks of states that decay by themselves, and
    # their divisors
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
