"""Acceleration of a mechanism with one freedom by virtual power: generalised force over generalised inertia.

J: motion of every body at a unit rate of the freedom; a0: accelerations of the bodies at qdd = 0;
w: gyroscopic and centrifugal wrench less the external one. Then
(sum J^T I J) qdd = sum J_i tau_i - sum J^T (I a0 + w): neither a mass matrix nor a backward pass.
"""

from __future__ import annotations

from ..codegen.jit import inlined
from . import model_data as f
from .loop_blocks import solve_blocks
from .model_data import kernel
from .newton_euler import propagate_all
from .small_matrices import (
    ZERO_3,
    add_3,
    add_cross,
    dot,
    dot_6,
    read_3,
    read_6,
    scale_3,
    symmetric_times,
    write_3,
)


@inlined
def unit_rate_motion(m, d):
    """Rate of each row at a unit rate of the freedom, to FREEDOM_RATE; qdd at zero acceleration of the freedom, from
    `solve`.
    """
    r, first = d.coupling.shape[1], d.part[f.INDEPENDENT, 0]
    for i in range(m.topo.shape[0]):
        d.row[i, f.FREEDOM_RATE] = 0.0
    d.row[first, f.FREEDOM_RATE], d.row[first, f.QDD] = 1.0, 0.0
    for a in range(r):
        i = d.part[f.DEPENDENT, a]
        d.row[i, f.FREEDOM_RATE], d.row[i, f.QDD] = d.coupling[f.NOW, a, 0], d.solve[a]


@kernel
def solve_one_dof(m, d):
    """qdd of all rows from gamma, the accelerations that the constraints require, in `solve`."""
    r, first = d.coupling.shape[1], d.part[f.INDEPENDENT, 0]
    solve_blocks(m, d, r)
    unit_rate_motion(m, d)
    propagate_all(m, d)
    inertia = power = 0.0
    for i in range(m.topo.shape[0]):
        k, rate = m.topo[i, f.PARENT], d.row[i, f.FREEDOM_RATE]
        w = v = ZERO_3
        if k >= 0:
            w = read_3(d.row, k, f.MOTION)
            v = add_cross(read_3(d.row, k, f.MOTION + f.LINEAR), w, read_3(d.row, i, f.p_parent))
        if m.topo[i, f.KIND] == f.PRISMATIC:
            v = add_3(v, scale_3(rate, read_3(d.row, i, f.AXIS)))
        else:
            w = add_3(w, scale_3(rate, read_3(d.row, i, f.AXIS)))
        write_3(d.row, i, f.MOTION, w)
        write_3(d.row, i, f.MOTION + f.LINEAR, v)
        # momentum of the body in this motion: I J
        mass, h = d.row[i, f.MASS], read_3(d.row, i, f.FIRST_MOMENT)
        angular = add_cross(symmetric_times(read_6(d.row, i, f.INERTIA), w), h, v)
        linear = add_cross(scale_3(mass, v), w, h)
        rotor = rate * m.row[i, f.COORDINATE + f.ARMATURE]
        inertia += dot_6(w, v, angular, linear)
        inertia += rate * rotor
        power += rate * d.row[i, f.TAU] - rotor * d.row[i, f.QDD]
        power -= dot(read_3(d.row, i, f.ACC), angular)
        power -= dot(read_3(d.row, i, f.ACC + f.LINEAR), linear)
        power -= dot(w, read_3(d.row, i, f.BIAS_WRENCH))
        power -= dot(v, read_3(d.row, i, f.BIAS_WRENCH + f.LINEAR))
    qdd = power / inertia
    d.row[first, f.QDD] = qdd
    for a in range(r):
        d.row[d.part[f.DEPENDENT, a], f.QDD] += d.coupling[f.NOW, a, 0] * qdd
