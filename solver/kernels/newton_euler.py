"""Inverse dynamics, reactions, mass matrix and energies: the recursive Newton-Euler and composite-body sweeps."""

from __future__ import annotations

import math

from ..machine import fields as f
from ..machine.fields import kernel
from ..machine.jit import helper, inlined
from .frames import frame_axes, frame_position


@helper
def along_axis(m, d, w, i):
    """Component of the wrench in column w along a row's freedom."""
    o = f.LINEAR if m.topo[i, f.KIND] == f.PRISMATIC else 0
    o += w
    return (
        d.row[i, o] * d.row[i, f.AXIS]
        + d.row[i, o + 1] * d.row[i, f.AXIS + 1]
        + d.row[i, o + 2] * d.row[i, f.AXIS + 2]
    )


@helper
def into(B, x, y, z):
    """B^T (x, y, z)."""
    return B[0] * x + B[3] * y + B[6] * z, B[1] * x + B[4] * y + B[7] * z, B[2] * x + B[5] * y + B[8] * z


@helper
def across(m, d, first, last, slides, x, y, z):
    """A vector less its part in the span of the axes of a joint's slides (or turns); they need not be orthogonal."""
    ux = uy = uz = wx = wy = wz = 0.0
    for i in range(first, last + 1):
        if m.topo[i, f.KIND] == f.WELD or (m.topo[i, f.KIND] == f.PRISMATIC) != slides:
            continue
        # Gram and Schmidt: what this axis adds to those before it
        sx, sy, sz = d.row[i, f.AXIS], d.row[i, f.AXIS + 1], d.row[i, f.AXIS + 2]
        a, b = sx * ux + sy * uy + sz * uz, sx * wx + sy * wy + sz * wz
        sx, sy, sz = sx - a * ux - b * wx, sy - a * uy - b * wy, sz - a * uz - b * wz
        length = math.sqrt(sx * sx + sy * sy + sz * sz)
        if length < 1e-9:
            continue  # a singular position: the axis lies in the span of those before it
        sx, sy, sz = sx / length, sy / length, sz / length
        along = sx * x + sy * y + sz * z
        x, y, z = x - along * sx, y - along * sy, z - along * sz
        wx, wy, wz = ux, uy, uz
        ux, uy, uz = sx, sy, sz
    return x, y, z


@helper
def asked_along(m, d, i):
    """Effort along a row that the bodies behind it, and its own rotor, ask for at their accelerations."""
    return along_axis(m, d, f.REACTION, i) + m.row[i, f.COORDINATE + f.ARMATURE] * d.row[i, f.QDD]


@kernel
def joint_wrenches(m, d):
    """What each joint transmits to b's body, at frame_b's origin in frame_b: in all, and by constraint alone."""
    for j in range(m.joint.shape[0]):
        first, last = m.joint[j, f.J_FIRST], m.joint[j, f.J_LAST]
        tx, ty, tz = d.row[last, f.REACTION], d.row[last, f.REACTION + 1], d.row[last, f.REACTION + 2]
        fx, fy, fz = d.row[last, f.REACTION + 3], d.row[last, f.REACTION + 4], d.row[last, f.REACTION + 5]
        # take off what acts along the joint's own freedoms: drive, spring, damper, stop, friction
        cx, cy, cz = across(m, d, first, last, False, tx, ty, tz)
        gx, gy, gz = across(m, d, first, last, True, fx, fy, fz)
        b = m.joint[j, f.J_FRAME_B]
        if m.joint[j, f.J_REVERSED]:
            # the sweep ran from b to a: the row's body is a's, and its wrench acts at a's origin
            ox, oy, oz = frame_position(m, d, m.joint[j, f.J_FRAME_A])
            px, py, pz = frame_position(m, d, b)
            rx, ry, rz = ox - px, oy - py, oz - pz
            tx, ty, tz = -(tx + ry * fz - rz * fy), -(ty + rz * fx - rx * fz), -(tz + rx * fy - ry * fx)
            cx, cy, cz = -(cx + ry * gz - rz * gy), -(cy + rz * gx - rx * gz), -(cz + rx * gy - ry * gx)
            fx, fy, fz, gx, gy, gz = -fx, -fy, -fz, -gx, -gy, -gz
        B = frame_axes(m, d, m.joint[j, f.J_RESOLVE])
        out = d.joint_out
        out[j, f.TOTAL_FORCE], out[j, f.TOTAL_FORCE + 1], out[j, f.TOTAL_FORCE + 2] = into(B, fx, fy, fz)
        out[j, f.TOTAL_TORQUE], out[j, f.TOTAL_TORQUE + 1], out[j, f.TOTAL_TORQUE + 2] = into(B, tx, ty, tz)
        out[j, f.IDEAL_FORCE], out[j, f.IDEAL_FORCE + 1], out[j, f.IDEAL_FORCE + 2] = into(B, gx, gy, gz)
        out[j, f.IDEAL_TORQUE], out[j, f.IDEAL_TORQUE + 1], out[j, f.IDEAL_TORQUE + 2] = into(B, cx, cy, cz)
        # the resultant across the axis of a one-coordinate joint
        sx, sy, sz = d.row[last, f.AXIS], d.row[last, f.AXIS + 1], d.row[last, f.AXIS + 2]
        s = gx * sx + gy * sy + gz * sz
        out[j, f.NORMAL_FORCE] = math.sqrt((gx - s * sx) ** 2 + (gy - s * sy) ** 2 + (gz - s * sz) ** 2)
        # what a drive along the last freedom must add to springs, dampers and friction
        out[j, f.REQUIRED_EFFORT] = asked_along(m, d, last) - d.row[last, f.TAU]


@inlined
def demand(m, d, column):
    """Wrench that each row's parent exerts on it, from the accelerations in a column, tips to world."""
    n = m.topo.shape[0]
    for i in range(n):
        mass, hx, hy, hz = (
            d.row[i, f.MASS],
            d.row[i, f.MOMENT],
            d.row[i, f.MOMENT + 1],
            d.row[i, f.MOMENT + 2],
        )
        jxx, jyy, jzz = d.row[i, f.INERTIA], d.row[i, f.INERTIA + 1], d.row[i, f.INERTIA + 2]
        jxy, jxz, jyz = d.row[i, f.INERTIA + 3], d.row[i, f.INERTIA + 4], d.row[i, f.INERTIA + 5]
        bx, by, bz = d.row[i, column], d.row[i, column + 1], d.row[i, column + 2]
        ax, ay, az = d.row[i, column + 3], d.row[i, column + 4], d.row[i, column + 5]
        d.row[i, f.REACTION] = d.row[i, f.WRENCH] + jxx * bx + jxy * by + jxz * bz + hy * az - hz * ay
        d.row[i, f.REACTION + 1] = d.row[i, f.WRENCH + 1] + jxy * bx + jyy * by + jyz * bz + hz * ax - hx * az
        d.row[i, f.REACTION + 2] = d.row[i, f.WRENCH + 2] + jxz * bx + jyz * by + jzz * bz + hx * ay - hy * ax
        d.row[i, f.REACTION + 3] = d.row[i, f.WRENCH + 3] + mass * ax + by * hz - bz * hy
        d.row[i, f.REACTION + 4] = d.row[i, f.WRENCH + 4] + mass * ay + bz * hx - bx * hz
        d.row[i, f.REACTION + 5] = d.row[i, f.WRENCH + 5] + mass * az + bx * hy - by * hx
    for i in range(n - 1, -1, -1):
        k = m.topo[i, f.PARENT]
        if k < 0:
            continue
        rx, ry, rz = d.row[i, f.ARM], d.row[i, f.ARM + 1], d.row[i, f.ARM + 2]
        fx, fy, fz = d.row[i, f.REACTION + 3], d.row[i, f.REACTION + 4], d.row[i, f.REACTION + 5]
        d.row[k, f.REACTION] += d.row[i, f.REACTION] + ry * fz - rz * fy
        d.row[k, f.REACTION + 1] += d.row[i, f.REACTION + 1] + rz * fx - rx * fz
        d.row[k, f.REACTION + 2] += d.row[i, f.REACTION + 2] + rx * fy - ry * fx
        d.row[k, f.REACTION + 3] += fx
        d.row[k, f.REACTION + 4] += fy
        d.row[k, f.REACTION + 5] += fz


@kernel
def demand_free(m, d):
    """The same for accelerations without those of the free rows."""
    demand(m, d, f.FREE_ACC)


@kernel
def newton_euler(m, d):
    """The same from the accelerations of the solution."""
    demand(m, d, f.ACC)


@kernel
def reactions(m, d):
    """What every row and every joint transmits."""
    newton_euler(m, d)
    joint_wrenches(m, d)


@inlined
def carry(m, d, column, free):
    """Accelerations of the rows from those of all coordinates, or of the driven ones alone."""
    for i in range(m.topo.shape[0]):
        k = m.topo[i, f.PARENT]
        rx, ry, rz = d.row[i, f.ARM], d.row[i, f.ARM + 1], d.row[i, f.ARM + 2]
        if k < 0:
            ax = ay = az = 0.0
            cx, cy, cz = -m.constant[f.G], -m.constant[f.G + 1], -m.constant[f.G + 2]
        else:
            ax, ay, az = d.row[k, column], d.row[k, column + 1], d.row[k, column + 2]
            cx = d.row[k, column + 3] + ay * rz - az * ry
            cy = d.row[k, column + 4] + az * rx - ax * rz
            cz = d.row[k, column + 5] + ax * ry - ay * rx
        o = f.LINEAR if m.topo[i, f.KIND] == f.PRISMATIC else 0
        d.row[i, column], d.row[i, column + 1], d.row[i, column + 2] = (
            ax + d.row[i, f.BIAS],
            ay + d.row[i, f.BIAS + 1],
            az + d.row[i, f.BIAS + 2],
        )
        d.row[i, column + 3], d.row[i, column + 4], d.row[i, column + 5] = (
            cx + d.row[i, f.BIAS + 3],
            cy + d.row[i, f.BIAS + 4],
            cz + d.row[i, f.BIAS + 5],
        )
        if free or m.topo[i, f.MODE] == f.DRIVEN:
            for j in range(3):
                d.row[i, column + o + j] += d.row[i, f.QDD] * d.row[i, f.AXIS + j]


@kernel
def propagate(m, d):
    """Accelerations of the rows from those of all coordinates."""
    carry(m, d, f.ACC, True)


@kernel
def propagate_driven(m, d):
    """Accelerations of the rows without those of the free coordinates."""
    carry(m, d, f.FREE_ACC, False)


@kernel
def mass_matrix(m, d):
    """Joint-space mass matrix by composite bodies, into `mass`; needs `inertias`. DRIVEN rows are filled too."""
    n, M = m.topo.shape[0], d.mass
    for i in range(n):
        for j in range(f.BODY_COLUMNS):
            d.row[i, f.COMPOSITE + j] = d.row[i, f.MASS + j]
        for j in range(n):
            M[i, j] = 0.0
    for i in range(n - 1, -1, -1):
        mass, hx, hy, hz = (
            d.row[i, f.COMPOSITE],
            d.row[i, f.COMPOSITE + 1],
            d.row[i, f.COMPOSITE + 2],
            d.row[i, f.COMPOSITE + 3],
        )
        jxx, jyy, jzz, jxy, jxz, jyz = (
            d.row[i, f.COMPOSITE + 4],
            d.row[i, f.COMPOSITE + 5],
            d.row[i, f.COMPOSITE + 6],
            d.row[i, f.COMPOSITE + 7],
            d.row[i, f.COMPOSITE + 8],
            d.row[i, f.COMPOSITE + 9],
        )
        sx, sy, sz = d.row[i, f.AXIS], d.row[i, f.AXIS + 1], d.row[i, f.AXIS + 2]
        # momentum that a unit rate gives the composite body
        if m.topo[i, f.KIND] == f.PRISMATIC:
            fx, fy, fz = mass * sx, mass * sy, mass * sz
            tx, ty, tz = hy * sz - hz * sy, hz * sx - hx * sz, hx * sy - hy * sx
        else:
            fx, fy, fz = sy * hz - sz * hy, sz * hx - sx * hz, sx * hy - sy * hx
            tx, ty, tz = (
                jxx * sx + jxy * sy + jxz * sz,
                jxy * sx + jyy * sy + jyz * sz,
                jxz * sx + jyz * sy + jzz * sz,
            )
        k = i if m.topo[i, f.KIND] != f.WELD else -1
        own = m.row[i, f.COORDINATE + f.ARMATURE]
        while k >= 0:
            if m.topo[k, f.KIND] == f.PRISMATIC:
                M[i, k] = fx * d.row[k, f.AXIS] + fy * d.row[k, f.AXIS + 1] + fz * d.row[k, f.AXIS + 2]
            else:
                M[i, k] = tx * d.row[k, f.AXIS] + ty * d.row[k, f.AXIS + 1] + tz * d.row[k, f.AXIS + 2]
            M[i, k] += own
            own = 0.0
            M[k, i] = M[i, k]
            rx, ry, rz = d.row[k, f.ARM], d.row[k, f.ARM + 1], d.row[k, f.ARM + 2]
            tx, ty, tz = tx + ry * fz - rz * fy, ty + rz * fx - rx * fz, tz + rx * fy - ry * fx
            k = m.topo[k, f.PARENT]
        k = m.topo[i, f.PARENT]
        if k >= 0:
            # the composite body about the parent's origin: I + m(r.r 1 - r r^T) + terms of the first moment
            rx, ry, rz = d.row[i, f.ARM], d.row[i, f.ARM + 1], d.row[i, f.ARM + 2]
            d.row[k, f.COMPOSITE] += mass
            d.row[k, f.COMPOSITE + 1] += hx + mass * rx
            d.row[k, f.COMPOSITE + 2] += hy + mass * ry
            d.row[k, f.COMPOSITE + 3] += hz + mass * rz
            dot = 2.0 * (rx * hx + ry * hy + rz * hz) + mass * (rx * rx + ry * ry + rz * rz)
            d.row[k, f.COMPOSITE + 4] += jxx + dot - 2.0 * rx * hx - mass * rx * rx
            d.row[k, f.COMPOSITE + 5] += jyy + dot - 2.0 * ry * hy - mass * ry * ry
            d.row[k, f.COMPOSITE + 6] += jzz + dot - 2.0 * rz * hz - mass * rz * rz
            d.row[k, f.COMPOSITE + 7] += jxy - rx * hy - ry * hx - mass * rx * ry
            d.row[k, f.COMPOSITE + 8] += jxz - rx * hz - rz * hx - mass * rx * rz
            d.row[k, f.COMPOSITE + 9] += jyz - ry * hz - rz * hy - mass * ry * rz


@kernel
def energies(m, d):
    """Kinetic and potential energy."""
    kinetic = gravity = elastic = 0.0
    for i in range(m.topo.shape[0]):
        mass, hx, hy, hz = (
            d.row[i, f.MASS],
            d.row[i, f.MOMENT],
            d.row[i, f.MOMENT + 1],
            d.row[i, f.MOMENT + 2],
        )
        wx, wy, wz = d.row[i, f.TWIST], d.row[i, f.TWIST + 1], d.row[i, f.TWIST + 2]
        vx, vy, vz = d.row[i, f.TWIST + 3], d.row[i, f.TWIST + 4], d.row[i, f.TWIST + 5]
        lx = d.row[i, f.INERTIA] * wx + d.row[i, f.INERTIA + 3] * wy + d.row[i, f.INERTIA + 4] * wz
        ly = d.row[i, f.INERTIA + 3] * wx + d.row[i, f.INERTIA + 1] * wy + d.row[i, f.INERTIA + 5] * wz
        lz = d.row[i, f.INERTIA + 4] * wx + d.row[i, f.INERTIA + 5] * wy + d.row[i, f.INERTIA + 2] * wz
        kinetic += 0.5 * (wx * lx + wy * ly + wz * lz + mass * (vx * vx + vy * vy + vz * vz))
        kinetic += vx * (wy * hz - wz * hy) + vy * (wz * hx - wx * hz) + vz * (wx * hy - wy * hx)
        gravity -= m.constant[f.G] * (mass * d.row[i, f.POSITION] + hx)
        gravity -= m.constant[f.G + 1] * (mass * d.row[i, f.POSITION + 1] + hy)
        gravity -= m.constant[f.G + 2] * (mass * d.row[i, f.POSITION + 2] + hz)
        kinetic += 0.5 * m.row[i, f.COORDINATE + f.ARMATURE] * d.row[i, f.V] ** 2

        off = d.row[i, f.Q] - m.row[i, f.COORDINATE + f.REST]
        elastic += (
            (0.5 * m.row[i, f.COORDINATE + f.STIFFNESS] + 0.25 * m.row[i, f.COORDINATE + f.CUBIC] * off * off)
            * off
            * off
        )
        if m.row[i, f.COORDINATE + f.STOP_STIFFNESS] > 0.0:
            depth = max(
                d.row[i, f.Q] - m.row[i, f.COORDINATE + f.UPPER],
                m.row[i, f.COORDINATE + f.LOWER] - d.row[i, f.Q],
            )
            if depth > 0.0:
                w = m.row[i, f.COORDINATE + f.STOP_WIDTH]
                k = m.row[i, f.COORDINATE + f.STOP_STIFFNESS]
                if depth < w:
                    elastic += k * depth * depth * depth / w * (2.0 / 3.0 - 0.25 * depth / w)
                else:
                    elastic += k * (0.5 * depth * depth - w * w / 12.0)
    for s in range(m.spring.shape[0]):
        elastic += 0.5 * m.spring_value[s, f.SP_STIFFNESS] * d.spring_out[s, f.STRETCH] ** 2
    for e in range(m.element.shape[0]):
        elastic += d.element_out[e, f.STORED]
    d.scalar[f.KINETIC], d.scalar[f.GRAVITY], d.scalar[f.ELASTIC] = kinetic, gravity, elastic


@kernel
def stored_energies(m, d):
    """Energy in the springs of each block that reports it."""
    for k in range(d.store_out.shape[0]):
        d.store_out[k] = 0.0
    for z in range(m.store.shape[0]):
        energy, of = d.store_out[m.store[z, f.S_OF]], m.store[z, f.S_KIND]
        for i in range(m.store[z, f.S_FIRST], m.store[z, f.S_LAST] + 1):
            if of == f.OF_ROWS:
                off = d.row[i, f.Q] - m.row[i, f.COORDINATE + f.REST]
                linear, cubic = m.row[i, f.COORDINATE + f.STIFFNESS], m.row[i, f.COORDINATE + f.CUBIC]
                energy += (0.5 * linear + 0.25 * cubic * off * off) * off * off
            elif of == f.OF_SPRINGS:
                energy += 0.5 * m.spring_value[i, f.SP_STIFFNESS] * d.spring_out[i, f.STRETCH] ** 2
            else:
                energy += d.element_out[i, f.STORED]
        d.store_out[m.store[z, f.S_OF]] = energy


@kernel
def powers(m, d):
    """What drives put in, dampers and friction take out, and moving constraints do."""
    drive = lost = friction = constraint = 0.0
    for i in range(m.topo.shape[0]):
        v = d.row[i, f.V]
        lost -= d.row[i, f.DAMPER_EFFORT] * v
        friction -= d.row[i, f.FRICTION_EFFORT] * v
        drive += (d.row[i, f.DRIVE] + d.row[i, f.SERVO]) * v
        if m.topo[i, f.MODE] == f.DRIVEN and m.topo[i, f.KIND] != f.WELD:
            constraint += (asked_along(m, d, i) - d.row[i, f.TAU]) * v
    for e in range(m.element.shape[0]):
        lost += d.element_out[e, f.LOST]
        drive += d.element_out[e, f.PUT_IN]
    for c in range(m.constraint.shape[0]):
        if m.constraint[c, f.C_SERVO] < 0:
            constraint += d.con[c, f.MULTIPLIER] * (d.con[c, f.PHI_RATE] - d.con[c, f.PHI_T])
    d.scalar[f.DRIVE_POWER], d.scalar[f.DISSIPATION] = drive, lost
    d.scalar[f.FRICTION_POWER], d.scalar[f.CONSTRAINT_POWER] = friction, constraint
