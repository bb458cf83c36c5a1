"""Acceleration of a mechanism with one freedom, by virtual power: what all loads supply over what all bodies ask for.

With the motion J of every body that a unit rate of the freedom causes, and the accelerations a0 of the bodies at rest
of it: (sum J^T I J) qdd = sum J_i tau_i - sum J^T (I a0 + w), w being what velocities ask for less the external wrench.
No mass matrix is needed, and no sweep inwards.
"""

from __future__ import annotations

from ..machine.jit import inlined
from ..machine.layout import (
    ACC,
    ARM,
    ARMATURE,
    ART,
    AXIS,
    COORDINATE,
    DEPENDENT,
    GAIN,
    INDEPENDENT,
    INERTIA,
    KIND,
    NOW,
    PARENT,
    PIVOT,
    PRISMATIC,
    QDD,
    TAU,
    WRENCH,
    kernel,
)
from .linear import solve
from .newton_euler import propagate


@inlined
def share_motion(m, d):
    """What a unit rate of the freedom gives each coordinate, and the accelerations at rest of it (`solve`)."""
    r, first = d.coupling.shape[1], d.part[INDEPENDENT, 0]
    for i in range(m.topo.shape[0]):
        d.row[i, GAIN] = 0.0
    d.row[first, GAIN], d.row[first, QDD] = 1.0, 0.0
    for a in range(r):
        i = d.part[DEPENDENT, a]
        d.row[i, GAIN], d.row[i, QDD] = d.coupling[NOW, a, 0], d.solve[a]


@kernel
def solve_single(m, d):
    """qdd from the accelerations that the constraints ask for in `solve`."""
    r, first = d.coupling.shape[1], d.part[INDEPENDENT, 0]
    solve(d.factor, d.part[PIVOT], r, d.solve)
    share_motion(m, d)
    propagate(m, d)
    inertia = power = 0.0
    for i in range(m.topo.shape[0]):
        k, rate = m.topo[i, PARENT], d.row[i, GAIN]
        wx = wy = wz = vx = vy = vz = 0.0
        if k >= 0:
            rx, ry, rz = d.row[i, ARM], d.row[i, ARM + 1], d.row[i, ARM + 2]
            wx, wy, wz = d.row[k, ART], d.row[k, ART + 1], d.row[k, ART + 2]
            vx = d.row[k, ART + 3] + wy * rz - wz * ry
            vy = d.row[k, ART + 4] + wz * rx - wx * rz
            vz = d.row[k, ART + 5] + wx * ry - wy * rx
        sx, sy, sz = rate * d.row[i, AXIS], rate * d.row[i, AXIS + 1], rate * d.row[i, AXIS + 2]
        if m.topo[i, KIND] == PRISMATIC:
            vx, vy, vz = vx + sx, vy + sy, vz + sz
        else:
            wx, wy, wz = wx + sx, wy + sy, wz + sz
        d.row[i, ART], d.row[i, ART + 1], d.row[i, ART + 2] = wx, wy, wz
        d.row[i, ART + 3], d.row[i, ART + 4], d.row[i, ART + 5] = vx, vy, vz
        # the body's momentum in this motion
        mass, hx, hy, hz = (
            d.row[i, INERTIA],
            d.row[i, INERTIA + 1],
            d.row[i, INERTIA + 2],
            d.row[i, INERTIA + 3],
        )
        jxx, jyy, jzz = d.row[i, INERTIA + 4], d.row[i, INERTIA + 5], d.row[i, INERTIA + 6]
        jxy, jxz, jyz = d.row[i, INERTIA + 7], d.row[i, INERTIA + 8], d.row[i, INERTIA + 9]
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
