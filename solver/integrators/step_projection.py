"""What stands between steps: quaternions of length one, closed constraints."""

from __future__ import annotations

import math

from ..codegen.intrinsics import run_projections, run_settles
from ..codegen.jit import helper
from ..kernels import model_data as f
from .run_data import AT_X, rates


@helper
def normalise_quaternions(x, m):
    """Quaternions back to length one; the physics never sees their length, so nothing jumps."""
    for j in range(m.state.shape[0]):
        if m.state[j, f.ST_KIND] == f.QUAT_STATE and m.state[j, f.ST_COMPONENT] == 0:
            length = math.sqrt(x[j] ** 2 + x[j + 1] ** 2 + x[j + 2] ** 2 + x[j + 3] ** 2)
            for c in range(4):
                x[j + c] /= length


@helper
def project_constraints(run, m, t):
    """After a step: back onto the constraints, or the anchors to the present coordinates."""
    if m.option[f.O_METHOD] == f.PROJECTED:
        # an evaluation at the new time, so that moving constraints stand where they belong
        rates(run, t, run.x, run.work[0])
        run_projections(run)
        at = run.number[AT_X]
        for j in range(run.x.shape[0]):
            run.x[j] = run.w[at + j]
    else:
        run_settles(run)
