"""`implicit`: linearly implicit (Rosenbrock-W) step of fixed length, for stiff bristles, stops and fluids.

ROS34PW2 of Rang and Angermann (2005), BIT Numerical Mathematics 45, p. 761: order 3, four stages, L-stable, stiffly
accurate. A W-method keeps its order with any matrix in place of the Jacobian, so that finite differences suffice, and
a step solves linear equations only.
"""

from __future__ import annotations

import math

import numpy as np

from ..codegen.jit import helper
from ..kernels.dense_linear_algebra import lu_factor, lu_solve, positive_determinant
from .run_data import DEFECT, MECHANICAL, NOW, STEP, TRAILING, loop, rates, stage

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
LEAST = 1e-4  # [SI] least scale of a state: increments below NUDGE times it would be all rounding

SMALL = 1e-8  # [m, rad and rates; also relative] motion in a step below which slopes have no effect
SHARED = 1e-4  # share of the longest motion of smooth coordinates: half of the digits that SMALL leaves
TINY = (
    1e-14  # [any unit] the same of signals, such as 1e-9 m^3 of oil: what rounding leaves of numbers near 1
)


@helper
def fill_matrix(run, t, h, slope, z, W):
    """W = 1/(h gamma) - df/dx by one-sided differences, a column a state; energy states have no effect.

    The increment points along the state's rate and scales with its size: 1e-8 m^3 are much of a little oil. Below size
    1 the motion in a step counts too; above, it would spoil the slope of a diverging state.
    """
    x, n = run.x, run.x.shape[0]
    inner = n - run.number[TRAILING]
    for j in range(n):
        if j < inner:
            kept = x[j]
            x[j] = kept + math.copysign(NUDGE * max(abs(kept), min(h * abs(slope[j]), 1.0), LEAST), slope[j])
            nudge = x[j] - kept
            rates(run, t, x, z)
            x[j] = kept
            for i in range(n):
                W[i, j] = (slope[i] - z[i]) / nudge
        else:
            for i in range(n):
                W[i, j] = 0.0
        W[j, j] += 1.0 / (h * GAMMA)


@helper
def slope_defect(run, z, rate, part, slope, change, missed, way, longest):
    """Error of the slopes on the way to a stage: W^-1 residual over the motion of the state (largest ratio).

    z is the state of the stage, `rate` its rate there, `part` its fraction of the step. The defect is the relative
    shift of the stage by a second Newton iteration. States of one block and unit share their largest motion: a small
    twist of a bending boom does not shorten the step. A coordinate of a mechanism without friction and stops is exempt
    if it moves by less than `SHARED` of the largest motion of such coordinates.
    """
    x, work, h, n = run.x, run.work, run.real[STEP], run.x.shape[0]
    inner = n - run.number[TRAILING]
    for j in range(n):
        missed[j] = rate[j] - slope[j] - part * change[j] - (z[j] - x[j]) / (h * GAMMA)
    lu_solve(work[:n], work[n + 7], n, missed)
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
    for j in range(inner):
        least = max(way[run.vector[0, j]], SHARED * longest[run.vector[1, j]])
        share = abs(missed[j] + z[j] - x[j]) / least
        worst = max(worst, share if share == share else math.inf)
    return worst


@loop
def implicit(run):
    """One step: (1/(h gamma) - df/dx) u_i = f(t_i, x + sum a_ij u_j) + sum c_ij/h u_j + gamma_i h df/dt."""
    t, h, x, work = run.real[NOW], run.real[STEP], run.x, run.work
    n = x.shape[0]
    # beside the matrix eleven rows of work: four stages, rates now and later, a state, pivots, residual of the slopes,
    # motions of the states and the largest of each group
    W, u = work[:n], work[n : n + 4]
    slope, change, z, pivot = work[n + 4], work[n + 5], work[n + 6], work[n + 7]
    missed, way, longest = work[n + 8], work[n + 9], work[n + 10]
    stage(run, t, x, slope)
    # h df/dt over the whole step: a jump within it stays as large as it is
    rates(run, t + h, x, change)
    for j in range(n):
        change[j] -= slope[j]

    fill_matrix(run, t, h, slope, z, W)
    lu_factor(W, pivot, n)

    # real modes that grow faster than 1/(h gamma): the step would turn them round. det W < 0 shows an odd number of
    # them; an even number passes here, and shows in the step's error by halves
    run.real[DEFECT] = 0.0 if positive_determinant(W, pivot, n) else math.inf
    for s in range(4):
        if s == 0:
            for j in range(n):
                u[0, j] = slope[j]
        else:
            for j in range(n):
                z[j] = x[j]
                for r in range(s):
                    z[j] += A[s, r] * u[r, j]
            stage(run, t + TIMES[s] * h, z, u[s])
            off = slope_defect(run, z, u[s], TIMES[s], slope, change, missed, way, longest)
            run.real[DEFECT] = max(run.real[DEFECT], off)
        for j in range(n):
            u[s, j] += RATES[s] * change[j]
            for r in range(s):
                u[s, j] += C[s, r] / h * u[r, j]
        lu_solve(W, pivot, n, u[s])
    for j in range(n):
        for r in range(4):
            x[j] += M[r] * u[r, j]
