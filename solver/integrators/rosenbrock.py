"""`implicit`: a linearly implicit step of fixed length, for stiff bristles, stops and fluids.

ROS34PW2 of Rang and Angermann (2005), BIT Numerical Mathematics 45, p. 761: order 3, four stages, L-stable, stiffly
accurate. It is a W-method: its order holds with any matrix in place of the Jacobian, so that finite differences do,
and each step solves linear equations only.
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

# in the variables u = Gamma k no product with the Jacobian is left (Hairer and Wanner II, eq. IV.7.25)
_INVERSE = np.linalg.inv(GAMMAS)
A, C, M = ALPHA @ _INVERSE, np.diag(np.diag(_INVERSE)) - _INVERSE, WEIGHTS @ _INVERSE
TIMES, RATES = ALPHA.sum(axis=1), GAMMAS.sum(axis=1)
NUDGE = math.sqrt(np.finfo(float).eps)  # balances rounding against curvature in one-sided differences
LEAST = 1e-4  # [SI] size of a state that is and moves less: of smaller nudges rounding would be all

SMALL = 1e-8  # [of a state; m, rad and their rates] motion in a step below which nothing hangs on its slopes
SHARED = 1e-4  # of the longest way of smooth coordinates: half of the digits that SMALL leaves
TINY = (
    1e-14  # [any unit] the same of signals, such as 1e-9 m^3 of oil: what rounding leaves of numbers near 1
)


@helper
def fill_matrix(run, t, h, slope, z, W):
    """1/(h gamma) - df/dx, column by column; nothing depends on energies.

    Each state is nudged to where it is going, by a share of its own size: 1e-8 m^3 are much of a little oil. What is
    less than 1 also counts by what it moves in a step; more would leave the slope of what runs away.
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
    """How far the slopes are off on the way to a stage: what they miss, solved for, of the way of the state.

    z is the state of the stage, `rate` what it has there, `part` its share of the step. That is also by how much a
    second iteration of Newton's would move the stage. States of one block and unit share their longest way: the twist
    of a boom that bends is no reason for a shorter step, however small it is. Nor is a coordinate of a mechanism, with
    no friction and no stop, that moves by less than `SHARED` of the longest way among those.
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
    # beside the matrix eleven rows of work: four stages, slopes now and later, a state, pivots, what slopes miss,
    # ways of the states and the longest of those that are alike
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

    # what grows faster than 1/(h gamma) would be turned round, and no slope be right for it
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
