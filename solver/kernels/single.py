"""Acceleration of a mechanism with one freedom, by virtual power: generalised force over generalised inertia.

With the motion J of every body that a unit rate of the freedom causes, and the accelerations a0 of the bodies at rest
of it: (sum J^T I J) qdd = sum J_i tau_i - sum J^T (I a0 + w), w being the gyroscopic and centrifugal wrench less the
external one.
No mass matrix is needed, and no sweep inwards.
"""

from __future__ import annotations

from ..machine.fields import (
    ACC,
    ARM,
    ARMATURE,
    AXIS,
    COORDINATE,
    DEPENDENT,
    INDEPENDENT,
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    MOTION,
    NOW,
    PARENT,
    PIVOT,
    PRISMATIC,
    QDD,
    SHARE,
    TAU,
    WRENCH,
    kernel,
)
from ..machine.jit import inlined
from .linear import solve
from .newton_euler import propagate


@inlined
def share_motion(m, d):
    """What a unit rate of the freedom gives each coordinate, and the accelerations at rest of it (`solve`)."""
    r, first = d.coupling.shape[1], d.part[INDEPENDENT, 0]
    for i in range(m.topo.shape[0]):
        d.row[i, SHARE] = 0.0
    d.row[first, SHARE], d.row[first, QDD] = 1.0, 0.0
    for a in range(r):
        i = d.part[DEPENDENT, a]
        d.row[i, SHARE], d.row[i, QDD] = d.coupling[NOW, a, 0], d.solve[a]


@kernel
def solve_single(m, d):
    """qdd from gamma, the accelerations that the constraints require, in `solve`."""
    r, first = d.coupling.shape[1], d.part[INDEPENDENT, 0]
    solve(d.factor, d.part[PIVOT], r, d.solve)
    share_motion(m, d)
    propagate(m, d)
    inertia = power = 0.0
    for i in range(m.topo.shape[0]):
        k, rate = m.topo[i, PARENT], d.row[i, SHARE]
        wx = wy = wz = vx = vy = vz = 0.0
        if k >= 0:
            rx, ry, rz = d.row[i, ARM], d.row[i, ARM + 1], d.row[i, ARM + 2]
            wx, wy, wz = d.row[k, MOTION], d.row[k, MOTION + 1], d.row[k, MOTION + 2]
            vx = d.row[k, MOTION + 3] + wy * rz - wz * ry
            vy = d.row[k, MOTION + 4] + wz * rx - wx * rz
            vz = d.row[k, MOTION + 5] + wx * ry - wy * rx
        sx, sy, sz = rate * d.row[i, AXIS], rate * d.row[i, AXIS + 1], rate * d.row[i, AXIS + 2]
        if m.topo[i, KIND] == PRISMATIC:
            vx, vy, vz = vx + sx, vy + sy, vz + sz
        else:
            wx, wy, wz = wx + sx, wy + sy, wz + sz
        d.row[i, MOTION], d.row[i, MOTION + 1], d.row[i, MOTION + 2] = wx, wy, wz
        d.row[i, MOTION + 3], d.row[i, MOTION + 4], d.row[i, MOTION + 5] = vx, vy, vz
        # the body's momentum in this motion
        mass, hx, hy, hz = (
            d.row[i, MASS],
            d.row[i, MOMENT],
            d.row[i, MOMENT + 1],
            d.row[i, MOMENT + 2],
        )
        jxx, jyy, jzz = d.row[i, INERTIA], d.row[i, INERTIA + 1], d.row[i, INERTIA + 2]
        jxy, jxz, jyz = d.row[i, INERTIA + 3], d.row[i, INERTIA + 4], d.row[i, INERTIA + 5]
        lx = jxx * wx + jxy * wy + jxz * wz + hy * vz - hz * vy
        ly = jxy * wx + jyy * wy + jyz * wz + hz * vx - hx * vz
        lz = jxz * wx + jyz * wy + jzz * wz + hx * vy - hy * vx
        px, py, pz = (
            mass * vx + wy * hz - wz * hy,
            mass * vy + wz * hx - wx * hz,
            mass * vz + wx * hy - wy * hx,
        )
        inertia += wx * lx + wy * ly + wz * lz + vx * px + vy * py + vz * pz
        rotor = rate * m.row[i, COORDINATE + ARMATURE]
        inertia += rate * rotor
        power += rate * d.row[i, TAU] - rotor * d.row[i, QDD]
        power -= d.row[i, ACC] * lx + d.row[i, ACC + 1] * ly + d.row[i, ACC + 2] * lz
        power -= d.row[i, ACC + 3] * px + d.row[i, ACC + 4] * py + d.row[i, ACC + 5] * pz
        power -= wx * d.row[i, WRENCH] + wy * d.row[i, WRENCH + 1] + wz * d.row[i, WRENCH + 2]
        power -= vx * d.row[i, WRENCH + 3] + vy * d.row[i, WRENCH + 4] + vz * d.row[i, WRENCH + 5]
    qdd = power / inertia
    d.row[first, QDD] = qdd
    for a in range(r):
        d.row[d.part[DEPENDENT, a], QDD] += d.coupling[NOW, a, 0] * qdd
