"""Where every row is, how it moves, and the inertia it carries there: three sweeps from the world outwards."""

from __future__ import annotations

from ..machine import fields as f
from ..machine.fields import kernel
from ..machine.jit import inlined
from .sines import sine_cosine
from .tuples import (
    ZERO_3,
    add_3,
    cross,
    less_3,
    matrix_times,
    read_3,
    read_6,
    read_9,
    scaled,
    symmetric_times,
    turned_symmetric,
    write_3,
    write_6,
)  # fmt: skip


@inlined
def place(m, d, first, turn):
    """q -> pose, axis, arm of the rows from `first` on, with cosines and sines as they are there unless `turn`."""
    topo = m.topo
    for i in range(first, topo.shape[0]):
        k = topo[i, f.PARENT]
        kind = topo[i, f.KIND]
        t0, t1, t2 = m.row[i, f.PLACE], m.row[i, f.PLACE + 1], m.row[i, f.PLACE + 2]
        t3, t4, t5 = m.row[i, f.PLACE + 3], m.row[i, f.PLACE + 4], m.row[i, f.PLACE + 5]
        t6, t7, t8 = m.row[i, f.PLACE + 6], m.row[i, f.PLACE + 7], m.row[i, f.PLACE + 8]
        px, py, pz = m.row[i, f.PLACE_AT], m.row[i, f.PLACE_AT + 1], m.row[i, f.PLACE_AT + 2]

        # the joint frame in the world: R_WJ = R_WP @ R_PJ
        if k < 0:
            r0, r1, r2, r3, r4, r5, r6, r7, r8 = t0, t1, t2, t3, t4, t5, t6, t7, t8
            ax, ay, az = px, py, pz
            ox = oy = oz = 0.0
        else:
            a0, a1, a2 = d.row[k, f.POSE], d.row[k, f.POSE + 1], d.row[k, f.POSE + 2]
            a3, a4, a5 = d.row[k, f.POSE + 3], d.row[k, f.POSE + 4], d.row[k, f.POSE + 5]
            a6, a7, a8 = d.row[k, f.POSE + 6], d.row[k, f.POSE + 7], d.row[k, f.POSE + 8]
            r0, r1, r2 = a0 * t0 + a1 * t3 + a2 * t6, a0 * t1 + a1 * t4 + a2 * t7, a0 * t2 + a1 * t5 + a2 * t8
            r3, r4, r5 = a3 * t0 + a4 * t3 + a5 * t6, a3 * t1 + a4 * t4 + a5 * t7, a3 * t2 + a4 * t5 + a5 * t8
            r6, r7, r8 = a6 * t0 + a7 * t3 + a8 * t6, a6 * t1 + a7 * t4 + a8 * t7, a6 * t2 + a7 * t5 + a8 * t8
            ax, ay, az = a0 * px + a1 * py + a2 * pz, a3 * px + a4 * py + a5 * pz, a6 * px + a7 * py + a8 * pz
            ox, oy, oz = d.row[k, f.POSITION], d.row[k, f.POSITION + 1], d.row[k, f.POSITION + 2]
        sx, sy, sz = r2, r5, r8

        if kind == f.REVOLUTE:
            if turn:
                d.row[i, f.SIN], d.row[i, f.COS] = sine_cosine(d.row[i, f.Q])
            c, s = d.row[i, f.COS], d.row[i, f.SIN]
            r0, r1 = c * r0 + s * r1, c * r1 - s * r0
            r3, r4 = c * r3 + s * r4, c * r4 - s * r3
            r6, r7 = c * r6 + s * r7, c * r7 - s * r6
        elif kind == f.PRISMATIC:
            q = d.row[i, f.Q]
            ax, ay, az = ax + q * sx, ay + q * sy, az + q * sz
        elif kind == f.QUAT_X:
            # the quaternion is normalised on use, so that its length never matters to the physics
            j = topo[i, f.QUAT]
            w, x, y, z = d.quat[j, 0], d.quat[j, 1], d.quat[j, 2], d.quat[j, 3]
            scale = 2.0 / (w * w + x * x + y * y + z * z)
            b0, b1, b2 = 1 - scale * (y * y + z * z), scale * (x * y - w * z), scale * (x * z + w * y)
            b3, b4, b5 = scale * (x * y + w * z), 1 - scale * (x * x + z * z), scale * (y * z - w * x)
            b6, b7, b8 = scale * (x * z - w * y), scale * (y * z + w * x), 1 - scale * (x * x + y * y)
            r0, r1, r2 = r0 * b0 + r1 * b3 + r2 * b6, r0 * b1 + r1 * b4 + r2 * b7, r0 * b2 + r1 * b5 + r2 * b8
            r3, r4, r5 = r3 * b0 + r4 * b3 + r5 * b6, r3 * b1 + r4 * b4 + r5 * b7, r3 * b2 + r4 * b5 + r5 * b8
            r6, r7, r8 = r6 * b0 + r7 * b3 + r8 * b6, r6 * b1 + r7 * b4 + r8 * b7, r6 * b2 + r7 * b5 + r8 * b8
            sx, sy, sz = r0, r3, r6
        elif kind == f.QUAT_Y:
            sx, sy, sz = r1, r4, r7
        elif kind == f.WELD:
            sx = sy = sz = 0.0

        d.row[i, f.POSE], d.row[i, f.POSE + 1], d.row[i, f.POSE + 2] = r0, r1, r2
        d.row[i, f.POSE + 3], d.row[i, f.POSE + 4], d.row[i, f.POSE + 5] = r3, r4, r5
        d.row[i, f.POSE + 6], d.row[i, f.POSE + 7], d.row[i, f.POSE + 8] = r6, r7, r8
        d.row[i, f.POSITION], d.row[i, f.POSITION + 1], d.row[i, f.POSITION + 2] = ox + ax, oy + ay, oz + az
        d.row[i, f.AXIS], d.row[i, f.AXIS + 1], d.row[i, f.AXIS + 2] = sx, sy, sz
        d.row[i, f.ARM], d.row[i, f.ARM + 1], d.row[i, f.ARM + 2] = ax, ay, az


@kernel
def positions(m, d):
    """q -> pose, axis, arm of every row."""
    place(m, d, 0, True)


@kernel
def velocities(m, d):
    """v -> twist of every row, and the acceleration that velocities alone give it relative to its parent."""
    topo = m.topo
    for i in range(topo.shape[0]):
        k = topo[i, f.PARENT]
        kind = topo[i, f.KIND]
        r, u = read_3(d.row, i, f.ARM), scaled(d.row[i, f.V], read_3(d.row, i, f.AXIS))
        w = v = e = ZERO_3
        if k >= 0:
            # v_i = v_P + w_P x r;  centripetal part w_P x (w_P x r)
            w = read_3(d.row, k, f.TWIST)
            c = cross(w, r)
            v, e = add_3(read_3(d.row, k, f.TWIST + f.LINEAR), c), cross(w, c)

        if kind == f.PRISMATIC:
            # Coriolis: the sliding axis turns with the parent
            write_3(d.row, i, f.BIAS, ZERO_3)
            e = add_3(e, scaled(2.0, cross(w, u)))
            v = add_3(v, u)
        else:
            # the axes of a quaternion's rows turn with the body, not with one another: w of the group's parent counts
            g = w
            if kind == f.QUAT_Y or kind == f.QUAT_Z:
                g = less_3(g, scaled(d.row[i - 1, f.V], read_3(d.row, i - 1, f.AXIS)))
                if kind == f.QUAT_Z:
                    g = less_3(g, scaled(d.row[i - 2, f.V], read_3(d.row, i - 2, f.AXIS)))
            write_3(d.row, i, f.BIAS, cross(g, u))
            w = add_3(w, u)
        write_3(d.row, i, f.BIAS + f.LINEAR, e)
        write_3(d.row, i, f.TWIST, w)
        write_3(d.row, i, f.TWIST + f.LINEAR, v)


@kernel
def inertias(m, d):
    """Inertia of every row in world axes, and its gyroscopic and centrifugal wrench less the external one."""
    for i in range(m.topo.shape[0]):
        mass = m.row[i, f.BODY_MASS]
        if (
            mass == 0.0
            and m.row[i, f.BODY_INERTIA] == 0.0
            and m.row[i, f.BODY_INERTIA + 1] == 0.0
            and m.row[i, f.BODY_INERTIA + 2] == 0.0
        ):
            for j in range(f.BODY_COLUMNS):
                d.row[i, f.MASS + j] = 0.0
            for j in range(6):
                d.row[i, f.WRENCH + j] = -d.row[i, f.OUTER + j]
            continue
        # first moment and inertia turned into world axes
        R = read_9(d.row, i, f.POSE)
        h = matrix_times(R, read_3(m.row, i, f.BODY_MOMENT))
        J = turned_symmetric(R, read_6(m.row, i, f.BODY_INERTIA))
        d.row[i, f.MASS] = mass
        write_3(d.row, i, f.MOMENT, h)
        write_6(d.row, i, f.INERTIA, J)
        # gyroscopic torque w x J w, centrifugal force w x (w x m c)
        w = read_3(d.row, i, f.TWIST)
        torque, force = cross(w, symmetric_times(J, w)), cross(w, cross(w, h))
        write_3(d.row, i, f.WRENCH, less_3(torque, read_3(d.row, i, f.OUTER)))
        write_3(d.row, i, f.WRENCH + f.LINEAR, less_3(force, read_3(d.row, i, f.OUTER + f.LINEAR)))
