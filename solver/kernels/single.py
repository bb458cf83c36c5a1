"""Acceleration of a mechanism with one freedom, by virtual power: generalised force over generalised inertia.

With the motion J of every body that a unit rate of the freedom causes, and the accelerations a0 of the bodies at rest
of it: (sum J^T I J) qdd = sum J_i tau_i - sum J^T (I a0 + w), w being the gyroscopic and centrifugal wrench less the
external one.
No mass matrix is needed, and no sweep inwards.
"""

from __future__ import annotations

from ..machine import fields as f
from ..machine.fields import kernel
from ..machine.jit import inlined
from .linear import solve
from .newton_euler import propagate


@inlined
def share_motion(m, d):
    """What a unit rate of the freedom gives each coordinate, and the accelerations at rest of it (`solve`)."""
    r, first = d.coupling.shape[1], d.part[f.INDEPENDENT, 0]
    for i in range(m.topo.shape[0]):
        d.row[i, f.SHARE] = 0.0
    d.row[first, f.SHARE], d.row[first, f.QDD] = 1.0, 0.0
    for a in range(r):
        i = d.part[f.DEPENDENT, a]
        d.row[i, f.SHARE], d.row[i, f.QDD] = d.coupling[f.NOW, a, 0], d.solve[a]


@kernel
def solve_single(m, d):
    """qdd from gamma, the accelerations that the constraints require, in `solve`."""
    r, first = d.coupling.shape[1], d.part[f.INDEPENDENT, 0]
    solve(d.factor, d.part[f.PIVOT], r, d.solve)
    share_motion(m, d)
    propagate(m, d)
    inertia = power = 0.0
    for i in range(m.topo.shape[0]):
        k, rate = m.topo[i, f.PARENT], d.row[i, f.SHARE]
        wx = wy = wz = vx = vy = vz = 0.0
        if k >= 0:
            rx, ry, rz = d.row[i, f.ARM], d.row[i, f.ARM + 1], d.row[i, f.ARM + 2]
            wx, wy, wz = d.row[k, f.MOTION], d.row[k, f.MOTION + 1], d.row[k, f.MOTION + 2]
            vx = d.row[k, f.MOTION + 3] + wy * rz - wz * ry
            vy = d.row[k, f.MOTION + 4] + wz * rx - wx * rz
            vz = d.row[k, f.MOTION + 5] + wx * ry - wy * rx
        sx, sy, sz = rate * d.row[i, f.AXIS], rate * d.row[i, f.AXIS + 1], rate * d.row[i, f.AXIS + 2]
        if m.topo[i, f.KIND] == f.PRISMATIC:
            vx, vy, vz = vx + sx, vy + sy, vz + sz
        else:
            wx, wy, wz = wx + sx, wy + sy, wz + sz
        d.row[i, f.MOTION], d.row[i, f.MOTION + 1], d.row[i, f.MOTION + 2] = wx, wy, wz
        d.row[i, f.MOTION + 3], d.row[i, f.MOTION + 4], d.row[i, f.MOTION + 5] = vx, vy, vz
        # the body's momentum in this motion
        mass, hx, hy, hz = (
            d.row[i, f.MASS],
            d.row[i, f.MOMENT],
            d.row[i, f.MOMENT + 1],
            d.row[i, f.MOMENT + 2],
        )
        jxx, jyy, jzz = d.row[i, f.INERTIA], d.row[i, f.INERTIA + 1], d.row[i, f.INERTIA + 2]
        jxy, jxz, jyz = d.row[i, f.INERTIA + 3], d.row[i, f.INERTIA + 4], d.row[i, f.INERTIA + 5]
        lx = jxx * wx + jxy * wy + jxz * wz + hy * vz - hz * vy
        ly = jxy * wx + jyy * wy + jyz * wz + hz * vx - hx * vz
        lz = jxz * wx + jyz * wy + jzz * wz + hx * vy - hy * vx
        px, py, pz = (
            mass * vx + wy * hz - wz * hy,
            mass * vy + wz * hx - wx * hz,
            mass * vz + wx * hy - wy * hx,
        )
        inertia += wx * lx + wy * ly + wz * lz + vx * px + vy * py + vz * pz
        rotor = rate * m.row[i, f.COORDINATE + f.ARMATURE]
        inertia += rate * rotor
        power += rate * d.row[i, f.TAU] - rotor * d.row[i, f.QDD]
        power -= d.row[i, f.ACC] * lx + d.row[i, f.ACC + 1] * ly + d.row[i, f.ACC + 2] * lz
        power -= d.row[i, f.ACC + 3] * px + d.row[i, f.ACC + 4] * py + d.row[i, f.ACC + 5] * pz
        power -= wx * d.row[i, f.WRENCH] + wy * d.row[i, f.WRENCH + 1] + wz * d.row[i, f.WRENCH + 2]
        power -= vx * d.row[i, f.WRENCH + 3] + vy * d.row[i, f.WRENCH + 4] + vz * d.row[i, f.WRENCH + 5]
    qdd = power / inertia
    d.row[first, f.QDD] = qdd
    for a in range(r):
        d.row[d.part[f.DEPENDENT, a], f.QDD] += d.coupling[f.NOW, a, 0] * qdd
