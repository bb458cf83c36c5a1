"""Jacobian of a frame's velocity by the rates of selected drives, for resolved-rate control.

`work` belongs to the block: number of drives, their rows, frames a and b (-1: the world), J row by row; then scratch.
"""

from __future__ import annotations

from ..codegen.jit import helper
from . import model_data as f
from .frame_kinematics import frame_axes, frame_position
from .inverse_dynamics import solve_by_elimination
from .model_data import kernel
from .position_projection import coupling_matrix
from .small_matrices import ZERO_3, add_3, cross, read_3, scale_3, subtract_3, transposed_times


@helper
def carried_velocity(m, d, row, at, rates):
    """Velocity in W of the point `at`, fixed to the body of a row, at given rates of all rows [m/s]."""
    v = ZERO_3
    while row >= 0:
        s = read_3(d.row, row, f.AXIS)
        if m.topo[row, f.KIND] != f.PRISMATIC:
            s = cross(s, subtract_3(at, read_3(d.row, row, f.p_WB)))
        v = add_3(v, scale_3(rates[row], s))
        row = m.topo[row, f.PARENT]
    return v


@helper
def drive_share(m, d, row, b):
    """R: rate of a drive's row at a unit rate of independent coordinate b."""
    if d.part[f.INDEPENDENT, b] == row:
        return 1.0
    for a in range(d.coupling.shape[1]):
        if d.part[f.DEPENDENT, a] == row:
            return d.coupling[f.NOW, a, b]
    return 0.0


@helper
def rates_at_unit_drive(m, d, drives, k, rates):
    """Rates of all rows at a unit rate of drive k alone: N R^T (R R^T)^-1 e_k with N = [1; K], the least of all."""
    n = d.coupling.shape[2]
    A = d.system
    for p in range(drives):
        for q in range(drives):
            s = 0.0
            for b in range(n):
                s += drive_share(m, d, int(d.work[1 + p]), b) * drive_share(m, d, int(d.work[1 + q]), b)
            A[p, q] = s
        A[p, drives] = 1.0 if p == k else 0.0
    solve_by_elimination(A, drives, drives)
    for b in range(n):
        s = 0.0
        for p in range(drives):
            s += drive_share(m, d, int(d.work[1 + p]), b) * A[p, drives]
        rates[d.part[f.INDEPENDENT, b]] = s
    for a in range(d.coupling.shape[1]):
        s = 0.0
        for b in range(n):
            s += d.coupling[f.NOW, a, b] * rates[d.part[f.INDEPENDENT, b]]
        rates[d.part[f.DEPENDENT, a]] = s


@kernel
def tip_jacobian(m, d):
    """J: velocity of b's origin against a, in a's axes, at unit rates of the drives, to `work`."""
    work, n = d.work, m.topo.shape[0]
    drives = int(work[0])
    a, b = int(work[1 + drives]), int(work[2 + drives])
    first = 3 + drives
    rates = work[first + 3 * drives : first + 3 * drives + n]
    closed = m.constraint.shape[0] > 0
    if closed and m.option[f.O_SOLVER] == f.SCHUR:
        coupling_matrix(m, d)
    at = frame_position(m, d, b)
    for k in range(drives):
        for i in range(n):
            rates[i] = 0.0
        if closed:
            rates_at_unit_drive(m, d, drives, k, rates)
        else:
            rates[int(work[1 + k])] = 1.0
        v = carried_velocity(m, d, m.frame_row[b], at, rates)
        if a >= 0:
            # b's point as if it were fixed to a: what is left is the motion that a sees
            v = subtract_3(v, carried_velocity(m, d, m.frame_row[a], at, rates))
            v = transposed_times(frame_axes(m, d, a), v)
        for j in range(3):
            work[first + drives * j + k] = v[j]
