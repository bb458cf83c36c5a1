"""Where every row is, how it moves, and the inertia it carries there: three sweeps from the world outwards."""

from __future__ import annotations

from ..machine import fields as f
from ..machine.fields import kernel
from ..machine.jit import inlined
from .sines import sine_cosine


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
        sx, sy, sz = d.row[i, f.AXIS], d.row[i, f.AXIS + 1], d.row[i, f.AXIS + 2]
        rx, ry, rz = d.row[i, f.ARM], d.row[i, f.ARM + 1], d.row[i, f.ARM + 2]
        qd = d.row[i, f.V]
        ux, uy, uz = qd * sx, qd * sy, qd * sz
        if k < 0:
            wx = wy = wz = vx = vy = vz = 0.0
            ex = ey = ez = 0.0
        else:
            wx, wy, wz = d.row[k, f.TWIST], d.row[k, f.TWIST + 1], d.row[k, f.TWIST + 2]
            # v_i = v_P + w_P x r;  centripetal part w_P x (w_P x r)
            cx, cy, cz = wy * rz - wz * ry, wz * rx - wx * rz, wx * ry - wy * rx
            vx, vy, vz = d.row[k, f.TWIST + 3] + cx, d.row[k, f.TWIST + 4] + cy, d.row[k, f.TWIST + 5] + cz
            ex, ey, ez = wy * cz - wz * cy, wz * cx - wx * cz, wx * cy - wy * cx

        if kind == f.PRISMATIC:
            # Coriolis: the sliding axis turns with the parent
            d.row[i, f.BIAS] = d.row[i, f.BIAS + 1] = d.row[i, f.BIAS + 2] = 0.0
            ex += 2.0 * (wy * uz - wz * uy)
            ey += 2.0 * (wz * ux - wx * uz)
            ez += 2.0 * (wx * uy - wy * ux)
            vx, vy, vz = vx + ux, vy + uy, vz + uz
        else:
            # the axes of a quaternion's rows turn with the body, not with one another: w of the group's parent counts
            gx, gy, gz = wx, wy, wz
            if kind == f.QUAT_Y or kind == f.QUAT_Z:
                gx, gy, gz = (
                    gx - d.row[i - 1, f.V] * d.row[i - 1, f.AXIS],
                    gy - d.row[i - 1, f.V] * d.row[i - 1, f.AXIS + 1],
                    gz - d.row[i - 1, f.V] * d.row[i - 1, f.AXIS + 2],
                )
                if kind == f.QUAT_Z:
                    gx, gy, gz = (
                        gx - d.row[i - 2, f.V] * d.row[i - 2, f.AXIS],
                        gy - d.row[i - 2, f.V] * d.row[i - 2, f.AXIS + 1],
                        gz - d.row[i - 2, f.V] * d.row[i - 2, f.AXIS + 2],
                    )
            d.row[i, f.BIAS], d.row[i, f.BIAS + 1], d.row[i, f.BIAS + 2] = (
                gy * uz - gz * uy,
                gz * ux - gx * uz,
                gx * uy - gy * ux,
            )
            wx, wy, wz = wx + ux, wy + uy, wz + uz
        d.row[i, f.BIAS + 3], d.row[i, f.BIAS + 4], d.row[i, f.BIAS + 5] = ex, ey, ez
        d.row[i, f.TWIST], d.row[i, f.TWIST + 1], d.row[i, f.TWIST + 2] = wx, wy, wz
        d.row[i, f.TWIST + 3], d.row[i, f.TWIST + 4], d.row[i, f.TWIST + 5] = vx, vy, vz


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
        r0, r1, r2 = d.row[i, f.POSE], d.row[i, f.POSE + 1], d.row[i, f.POSE + 2]
        r3, r4, r5 = d.row[i, f.POSE + 3], d.row[i, f.POSE + 4], d.row[i, f.POSE + 5]
        r6, r7, r8 = d.row[i, f.POSE + 6], d.row[i, f.POSE + 7], d.row[i, f.POSE + 8]
        bx, by, bz = m.row[i, f.BODY_MOMENT], m.row[i, f.BODY_MOMENT + 1], m.row[i, f.BODY_MOMENT + 2]
        ixx, iyy, izz = m.row[i, f.BODY_INERTIA], m.row[i, f.BODY_INERTIA + 1], m.row[i, f.BODY_INERTIA + 2]
        ixy, ixz, iyz = (
            m.row[i, f.BODY_INERTIA + 3],
            m.row[i, f.BODY_INERTIA + 4],
            m.row[i, f.BODY_INERTIA + 5],
        )

        # first moment and inertia turned into world axes: R I R^T
        hx, hy, hz = r0 * bx + r1 * by + r2 * bz, r3 * bx + r4 * by + r5 * bz, r6 * bx + r7 * by + r8 * bz
        a0, a1, a2 = (
            r0 * ixx + r1 * ixy + r2 * ixz,
            r0 * ixy + r1 * iyy + r2 * iyz,
            r0 * ixz + r1 * iyz + r2 * izz,
        )
        a3, a4, a5 = (
            r3 * ixx + r4 * ixy + r5 * ixz,
            r3 * ixy + r4 * iyy + r5 * iyz,
            r3 * ixz + r4 * iyz + r5 * izz,
        )
        a6, a7, a8 = (
            r6 * ixx + r7 * ixy + r8 * ixz,
            r6 * ixy + r7 * iyy + r8 * iyz,
            r6 * ixz + r7 * iyz + r8 * izz,
        )
        jxx, jyy, jzz = a0 * r0 + a1 * r1 + a2 * r2, a3 * r3 + a4 * r4 + a5 * r5, a6 * r6 + a7 * r7 + a8 * r8
        jxy, jxz, jyz = a0 * r3 + a1 * r4 + a2 * r5, a0 * r6 + a1 * r7 + a2 * r8, a3 * r6 + a4 * r7 + a5 * r8

        # gyroscopic torque w x J w, centrifugal force w x (w x m c)
        wx, wy, wz = d.row[i, f.TWIST], d.row[i, f.TWIST + 1], d.row[i, f.TWIST + 2]
        lx, ly, lz = (
            jxx * wx + jxy * wy + jxz * wz,
            jxy * wx + jyy * wy + jyz * wz,
            jxz * wx + jyz * wy + jzz * wz,
        )
        cx, cy, cz = wy * hz - wz * hy, wz * hx - wx * hz, wx * hy - wy * hx
        d.row[i, f.WRENCH] = wy * lz - wz * ly - d.row[i, f.OUTER]
        d.row[i, f.WRENCH + 1] = wz * lx - wx * lz - d.row[i, f.OUTER + 1]
        d.row[i, f.WRENCH + 2] = wx * ly - wy * lx - d.row[i, f.OUTER + 2]
        d.row[i, f.WRENCH + 3] = wy * cz - wz * cy - d.row[i, f.OUTER + 3]
        d.row[i, f.WRENCH + 4] = wz * cx - wx * cz - d.row[i, f.OUTER + 4]
        d.row[i, f.WRENCH + 5] = wx * cy - wy * cx - d.row[i, f.OUTER + 5]
        d.row[i, f.MASS], d.row[i, f.MOMENT], d.row[i, f.MOMENT + 1], d.row[i, f.MOMENT + 2] = (
            mass,
            hx,
            hy,
            hz,
        )
        d.row[i, f.INERTIA], d.row[i, f.INERTIA + 1], d.row[i, f.INERTIA + 2] = jxx, jyy, jzz
        d.row[i, f.INERTIA + 3], d.row[i, f.INERTIA + 4], d.row[i, f.INERTIA + 5] = jxy, jxz, jyz
