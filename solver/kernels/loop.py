"""The run loop: steps, sampled blocks, output rows. Runs with the GIL released, a chunk of steps a call."""

from __future__ import annotations

import math

from ..jit import compiled, f1, f2, jit, types
from ..layout import (
    DATA,
    MODEL,
    O_METHOD,
    O_QUATS,
    POSE,
    PROJECTED,
    QUAT_STATE,
    ST_COMPONENT,
    ST_KIND,
    WORN,
    WORN_LIMIT,
)
from .table import EVALUATE_TYPE, KERNELS, PROJECT, SETTLE, STEP_TYPE, UPDATE_TYPE

f8, i8 = types.float64, types.int64


@jit
def normalise(x, m):
    """Quaternions back to length one; the physics never sees their length, so nothing jumps."""
    for j in range(m.state.shape[0]):
        if m.state[j, ST_KIND] == QUAT_STATE and m.state[j, ST_COMPONENT] == 0:
            length = math.sqrt(x[j] ** 2 + x[j + 1] ** 2 + x[j + 2] ** 2 + x[j + 3] ** 2)
            for c in range(4):
                x[j + c] /= length


@compiled(
    i8(
        STEP_TYPE,
        EVALUATE_TYPE,
        EVALUATE_TYPE,
        UPDATE_TYPE,
        f8,
        f8,
        i8,
        i8,
        i8,
        i8,
        f1,
        f1,
        f2,
        f1,
        f1,
        MODEL,
        DATA,
        KERNELS,
        f1,
        f2,
        f2,
    )
)
def advance(
    step,
    rhs,
    outputs,
    update,
    t0,
    h,
    first,
    count,
    every,
    film,
    x,
    x_before,
    work,
    p,
    mem,
    m,
    d,
    k,
    times_out,
    rows_out,
    film_out,
):
    """Take `count` steps from step number `first`; returns the steps taken: fewer when the state is not finite.

    After each step sampled blocks are updated, and every `every`-th step writes a row of outputs; every `film`-th, a
    multiple of it, one of where the bodies are. The last good state stays in `x_before` when a step fails.
    """
    row = frame = 0
    n = x.shape[0]
    for s in range(first, first + count):
        for j in range(n):
            x_before[j] = x[j]
        t = t0 + h * s
        step(rhs, t, h, x, work, p, mem, m, d, k)
        if m.option[O_QUATS] > 0:
            normalise(x, m)
        if m.constraint.shape[0] > 0:
            if m.option[O_METHOD] == PROJECTED:
                # an evaluation at the new time, so that moving constraints stand where they belong
                rhs(t + h, x, work[0], p, mem, m, d, k)
                k[PROJECT](x, m, d)
            else:
                k[SETTLE](m, d)
        lost = 0
        for j in range(n):
            lost += x[j] * 0.0 != 0.0  # NaN or infinity times zero is NaN
        if lost:
            return s - first
        t = t0 + h * (s + 1)
        update(s + 1, t, x, p, mem, m, d, k)
        if (s + 1) % every == 0:
            outputs(t, x, rows_out[row], p, mem, m, d, k)
            times_out[row] = t
            row += 1
        if film > 0 and (s + 1) % film == 0:
            for i in range(m.topo.shape[0]):
                for j in range(12):
                    film_out[frame, 12 * i + j] = d.row[i, POSE + j]
            frame += 1
        if d.scalar[WORN] > d.scalar[WORN_LIMIT] > 0.0:  # the choice of dependent coordinates wears out
            return s + 1 - first
    return count
