"""Forward dynamics of the tree in O(n): the articulated-body algorithm (Featherstone 2008, ch. 7) in world axes.

Each row keeps its own origin as reference point, so no inertia is ever turned, only shifted, and nothing loses digits
far from the world's origin.
"""

from __future__ import annotations

from ..machine.jit import INTEGER, unit
from ..machine.layout import (
    ACC,
    ARM,
    ARMATURE,
    ART,
    ART_WRENCH,
    AXIS,
    BIAS,
    BRANCHED,
    COORDINATE,
    FREE,
    GAIN,
    INERTIA,
    KIND,
    LANE,
    LOADED,
    MODE,
    PARENT,
    PRISMATIC,
    QDD,
    SHIFT,
    TAU,
    WRENCH,
    Data,
    Model,
    kernel,
)


@kernel
def articulate(m, d):
    """Articulated inertias and bias wrenches, tips to world; leaves in `gain` what the outward sweep needs.

    What a row passes on to the row before it stays in local variables; only where branches meet is it collected in
    the row's own columns.
    """
    topo = m.topo
    n = topo.shape[0]
    for i in range(n):
        if topo[i, BRANCHED]:
            for j in range(27):
                d.row[i, ART + j] = 0.0

    passed = False  # whether the local variables hold what the row after this one passes on
    jxx = jyy = jzz = jxy = jxz = jyz = mxx = myy = mzz = mxy = mxz = myz = 0.0
    h0 = h1 = h2 = h3 = h4 = h5 = h6 = h7 = h8 = tx = ty = tz = fx = fy = fz = 0.0
    for i in range(n - 1, -1, -1):
        mass, hx, hy, hz = (
            d.row[i, INERTIA],
            d.row[i, INERTIA + 1],
            d.row[i, INERTIA + 2],
            d.row[i, INERTIA + 3],
        )
        if not passed:
            jxx = jyy = jzz = jxy = jxz = jyz = mxx = myy = mzz = mxy = mxz = myz = 0.0
            h0 = h1 = h2 = h3 = h4 = h5 = h6 = h7 = h8 = tx = ty = tz = fx = fy = fz = 0.0
        if topo[i, BRANCHED]:
            jxx, jyy, jzz = jxx + d.row[i, ART], jyy + d.row[i, ART + 1], jzz + d.row[i, ART + 2]
            jxy, jxz, jyz = jxy + d.row[i, ART + 3], jxz + d.row[i, ART + 4], jyz + d.row[i, ART + 5]
            h0, h1, h2 = h0 + d.row[i, ART + 6], h1 + d.row[i, ART + 7], h2 + d.row[i, ART + 8]
            h3, h4, h5 = h3 + d.row[i, ART + 9], h4 + d.row[i, ART + 10], h5 + d.row[i, ART + 11]
            h6, h7, h8 = h6 + d.row[i, ART + 12], h7 + d.row[i, ART + 13], h8 + d.row[i, ART + 14]
            mxx, myy, mzz = mxx + d.row[i, ART + 15], myy + d.row[i, ART + 16], mzz + d.row[i, ART + 17]
            mxy, mxz, myz = mxy + d.row[i, ART + 18], mxz + d.row[i, ART + 19], myz + d.row[i, ART + 20]
            tx, ty, tz = (
                tx + d.row[i, ART_WRENCH],
                ty + d.row[i, ART_WRENCH + 1],
                tz + d.row[i, ART_WRENCH + 2],
            )
            fx, fy, fz = (
                fx + d.row[i, ART_WRENCH + 3],
                fy + d.row[i, ART_WRENCH + 4],
                fz + d.row[i, ART_WRENCH + 5],
            )
        # the row's own body
        jxx, jyy, jzz = jxx + d.row[i, INERTIA + 4], jyy + d.row[i, INERTIA + 5], jzz + d.row[i, INERTIA + 6]
        jxy, jxz, jyz = jxy + d.row[i, INERTIA + 7], jxz + d.row[i, INERTIA + 8], jyz + d.row[i, INERTIA + 9]
        h1, h2, h3, h5, h6, h7 = h1 - hz, h2 + hy, h3 + hz, h5 - hx, h6 - hy, h7 + hx
        mxx, myy, mzz = mxx + mass, myy + mass, mzz + mass
        tx, ty, tz = tx + d.row[i, WRENCH], ty + d.row[i, WRENCH + 1], tz + d.row[i, WRENCH + 2]
        fx, fy, fz = fx + d.row[i, WRENCH + 3], fy + d.row[i, WRENCH + 4], fz + d.row[i, WRENCH + 5]
        d.row[i, ART], d.row[i, ART + 1], d.row[i, ART + 2] = jxx, jyy, jzz
        d.row[i, ART + 3], d.row[i, ART + 4], d.row[i, ART + 5] = jxy, jxz, jyz
        d.row[i, ART + 6], d.row[i, ART + 7], d.row[i, ART + 8] = h0, h1, h2
        d.row[i, ART + 9], d.row[i, ART + 10], d.row[i, ART + 11] = h3, h4, h5
        d.row[i, ART + 12], d.row[i, ART + 13], d.row[i, ART + 14] = h6, h7, h8
        d.row[i, ART + 15], d.row[i, ART + 16], d.row[i, ART + 17] = mxx, myy, mzz
        d.row[i, ART + 18], d.row[i, ART + 19], d.row[i, ART + 20] = mxy, mxz, myz
        d.row[i, ART_WRENCH], d.row[i, ART_WRENCH + 1], d.row[i, ART_WRENCH + 2] = tx, ty, tz
        d.row[i, ART_WRENCH + 3], d.row[i, ART_WRENCH + 4], d.row[i, ART_WRENCH + 5] = fx, fy, fz
        bx, by, bz, ex, ey, ez = (
            d.row[i, BIAS],
            d.row[i, BIAS + 1],
            d.row[i, BIAS + 2],
            d.row[i, BIAS + 3],
            d.row[i, BIAS + 4],
            d.row[i, BIAS + 5],
        )
        sx, sy, sz = d.row[i, AXIS], d.row[i, AXIS + 1], d.row[i, AXIS + 2]
        k = topo[i, PARENT]

        if topo[i, MODE] == FREE:
            # u = I_A s, D = s . u, effort left over for this row
            if topo[i, KIND] == PRISMATIC:
                ux, uy, uz = (
                    h0 * sx + h1 * sy + h2 * sz,
                    h3 * sx + h4 * sy + h5 * sz,
                    h6 * sx + h7 * sy + h8 * sz,
                )
                gx, gy, gz = (
                    mxx * sx + mxy * sy + mxz * sz,
                    mxy * sx + myy * sy + myz * sz,
                    mxz * sx + myz * sy + mzz * sz,
                )
                inv = 1.0 / (sx * gx + sy * gy + sz * gz + m.row[i, COORDINATE + ARMATURE])
                left = d.row[i, TAU] - (sx * fx + sy * fy + sz * fz)
            else:
                ux, uy, uz = (
                    jxx * sx + jxy * sy + jxz * sz,
                    jxy * sx + jyy * sy + jyz * sz,
                    jxz * sx + jyz * sy + jzz * sz,
                )
                gx, gy, gz = (
                    h0 * sx + h3 * sy + h6 * sz,
                    h1 * sx + h4 * sy + h7 * sz,
                    h2 * sx + h5 * sy + h8 * sz,
                )
                inv = 1.0 / (sx * ux + sy * uy + sz * uz + m.row[i, COORDINATE + ARMATURE])
                left = d.row[i, TAU] - (sx * tx + sy * ty + sz * tz)
            d.row[i, GAIN], d.row[i, GAIN + 1], d.row[i, GAIN + 2] = ux, uy, uz
            d.row[i, GAIN + 3], d.row[i, GAIN + 4], d.row[i, GAIN + 5] = gx, gy, gz
            d.row[i, GAIN + 6], d.row[i, GAIN + 7] = inv, left
            if k < 0:
                passed = False
                continue
            # what the parent feels: I_A - u u^T / D, and its bias wrench
            push = inv * (left - (ux * bx + uy * by + uz * bz + gx * ex + gy * ey + gz * ez))
            ox, oy, oz = inv * ux, inv * uy, inv * uz
            qx, qy, qz = inv * gx, inv * gy, inv * gz
        else:
            if k < 0:
                passed = False
                continue
            # the acceleration of this row is given: it joins the bias
            if topo[i, KIND] == PRISMATIC:
                ex, ey, ez = ex + sx * d.row[i, QDD], ey + sy * d.row[i, QDD], ez + sz * d.row[i, QDD]
            else:
                bx, by, bz = bx + sx * d.row[i, QDD], by + sy * d.row[i, QDD], bz + sz * d.row[i, QDD]
            push = 0.0
            ux = uy = uz = gx = gy = gz = ox = oy = oz = qx = qy = qz = 0.0

        tx += jxx * bx + jxy * by + jxz * bz + h0 * ex + h1 * ey + h2 * ez + ux * push
        ty += jxy * bx + jyy * by + jyz * bz + h3 * ex + h4 * ey + h5 * ez + uy * push
        tz += jxz * bx + jyz * by + jzz * bz + h6 * ex + h7 * ey + h8 * ez + uz * push
        fx += h0 * bx + h3 * by + h6 * bz + mxx * ex + mxy * ey + mxz * ez + gx * push
        fy += h1 * bx + h4 * by + h7 * bz + mxy * ex + myy * ey + myz * ez + gy * push
        fz += h2 * bx + h5 * by + h8 * bz + mxz * ex + myz * ey + mzz * ez + gz * push
        jxx, jyy, jzz = jxx - ux * ox, jyy - uy * oy, jzz - uz * oz
        jxy, jxz, jyz = jxy - ux * oy, jxz - ux * oz, jyz - uy * oz
        h0, h1, h2 = h0 - ux * qx, h1 - ux * qy, h2 - ux * qz
        h3, h4, h5 = h3 - uy * qx, h4 - uy * qy, h5 - uy * qz
        h6, h7, h8 = h6 - uz * qx, h7 - uz * qy, h8 - uz * qz
        mxx, myy, mzz = mxx - gx * qx, myy - gy * qy, mzz - gz * qz
        mxy, mxz, myz = mxy - gx * qy, mxz - gx * qz, myz - gy * qz

        if topo[i, SHIFT]:
            # to the parent's origin: H' = H + [r] M,  J' = J - H [r] + [r] H'^T,  t' = t + r x f
            rx, ry, rz = d.row[i, ARM], d.row[i, ARM + 1], d.row[i, ARM + 2]
            tx, ty, tz = tx + ry * fz - rz * fy, ty + rz * fx - rx * fz, tz + rx * fy - ry * fx
            k0, k1, k2 = h0 + ry * mxz - rz * mxy, h1 + ry * myz - rz * myy, h2 + ry * mzz - rz * myz
            k3, k4, k5 = h3 + rz * mxx - rx * mxz, h4 + rz * mxy - rx * myz, h5 + rz * mxz - rx * mzz
            k6, k7, k8 = h6 + rx * mxy - ry * mxx, h7 + rx * myy - ry * mxy, h8 + rx * myz - ry * mxz
            jxx += h2 * ry - h1 * rz + ry * k2 - rz * k1
            jyy += h3 * rz - h5 * rx + rz * k3 - rx * k5
            jzz += h7 * rx - h6 * ry + rx * k7 - ry * k6
            jxy += h0 * rz - h2 * rx + ry * k5 - rz * k4
            jxz += h1 * rx - h0 * ry + ry * k8 - rz * k7
            jyz += h4 * rx - h3 * ry + rz * k6 - rx * k8
            h0, h1, h2, h3, h4, h5, h6, h7, h8 = k0, k1, k2, k3, k4, k5, k6, k7, k8

        passed = k == i - 1
        if passed:
            continue
        d.row[k, ART] += jxx
        d.row[k, ART + 1] += jyy
        d.row[k, ART + 2] += jzz
        d.row[k, ART + 3] += jxy
        d.row[k, ART + 4] += jxz
        d.row[k, ART + 5] += jyz
        d.row[k, ART + 6] += h0
        d.row[k, ART + 7] += h1
        d.row[k, ART + 8] += h2
        d.row[k, ART + 9] += h3
        d.row[k, ART + 10] += h4
        d.row[k, ART + 11] += h5
        d.row[k, ART + 12] += h6
        d.row[k, ART + 13] += h7
        d.row[k, ART + 14] += h8
        d.row[k, ART + 15] += mxx
        d.row[k, ART + 16] += myy
        d.row[k, ART + 17] += mzz
        d.row[k, ART + 18] += mxy
        d.row[k, ART + 19] += mxz
        d.row[k, ART + 20] += myz
        d.row[k, ART_WRENCH] += tx
        d.row[k, ART_WRENCH + 1] += ty
        d.row[k, ART_WRENCH + 2] += tz
        d.row[k, ART_WRENCH + 3] += fx
        d.row[k, ART_WRENCH + 4] += fy
        d.row[k, ART_WRENCH + 5] += fz


@kernel
def accelerate(m, d):
    """Accelerations of coordinates and rows, world to tips."""
    topo = m.topo
    for i in range(topo.shape[0]):
        k = topo[i, PARENT]
        rx, ry, rz = d.row[i, ARM], d.row[i, ARM + 1], d.row[i, ARM + 2]
        if k < 0:
            ax, ay, az = d.row[i, BIAS], d.row[i, BIAS + 1], d.row[i, BIAS + 2]
            cx, cy, cz = (
                d.row[i, BIAS + 3] - m.constant[0],
                d.row[i, BIAS + 4] - m.constant[1],
                d.row[i, BIAS + 5] - m.constant[2],
            )
        else:
            ax, ay, az = d.row[k, ACC], d.row[k, ACC + 1], d.row[k, ACC + 2]
            cx = d.row[k, ACC + 3] + ay * rz - az * ry + d.row[i, BIAS + 3]
            cy = d.row[k, ACC + 4] + az * rx - ax * rz + d.row[i, BIAS + 4]
            cz = d.row[k, ACC + 5] + ax * ry - ay * rx + d.row[i, BIAS + 5]
            ax, ay, az = ax + d.row[i, BIAS], ay + d.row[i, BIAS + 1], az + d.row[i, BIAS + 2]
        if topo[i, MODE] == FREE:
            d.row[i, QDD] = d.row[i, GAIN + 6] * (
                d.row[i, GAIN + 7]
                - (d.row[i, GAIN] * ax + d.row[i, GAIN + 1] * ay + d.row[i, GAIN + 2] * az)
                - (d.row[i, GAIN + 3] * cx + d.row[i, GAIN + 4] * cy + d.row[i, GAIN + 5] * cz)
            )
        sx, sy, sz = (
            d.row[i, QDD] * d.row[i, AXIS],
            d.row[i, QDD] * d.row[i, AXIS + 1],
            d.row[i, QDD] * d.row[i, AXIS + 2],
        )
        if topo[i, KIND] == PRISMATIC:
            cx, cy, cz = cx + sx, cy + sy, cz + sz
        else:
            ax, ay, az = ax + sx, ay + sy, az + sz
        d.row[i, ACC], d.row[i, ACC + 1], d.row[i, ACC + 2] = ax, ay, az
        d.row[i, ACC + 3], d.row[i, ACC + 4], d.row[i, ACC + 5] = cx, cy, cz


@unit(Model, Data, INTEGER, INTEGER, INTEGER, INTEGER)
def respond(m, d, y, count, whole, last):
    """Efforts in `count` rows of the Jacobian's array from y on -> the accelerations that each of them alone causes.

    They go through the tree side by side, in lanes of `sweep`, with the articulated inertias that are there: each is a
    chain of sums that wait for one another, and a processor has room for several. The first `whole` stand on all rows,
    each of the others on one: on part[LOADED, last], part[LOADED, last - 1] and so on. Left in the lanes: the bias
    wrenches of the bodies (6) and their accelerations (6).
    """
    n, topo, L = m.topo.shape[0], m.topo, d.sweep
    for i in range(n):
        for w in range(count):
            a = LANE * w
            L[i, a] = L[i, a + 1] = L[i, a + 2] = L[i, a + 3] = L[i, a + 4] = L[i, a + 5] = 0.0
    there = min(whole, count)  # how many stand on this row or beyond it
    for i in range(n - 1, -1, -1):
        while there < count and d.part[LOADED, last - (there - whole)] >= i:
            there += 1
        k, free, slides = topo[i, PARENT], topo[i, MODE] == FREE, topo[i, KIND] == PRISMATIC
        sx, sy, sz = d.row[i, AXIS], d.row[i, AXIS + 1], d.row[i, AXIS + 2]
        rx, ry, rz = d.row[i, ARM], d.row[i, ARM + 1], d.row[i, ARM + 2]
        ux, uy, uz = d.row[i, GAIN], d.row[i, GAIN + 1], d.row[i, GAIN + 2]
        gx, gy, gz = d.row[i, GAIN + 3], d.row[i, GAIN + 4], d.row[i, GAIN + 5]
        inv = d.row[i, GAIN + 6]
        for w in range(there):
            a = LANE * w
            tx, ty, tz, fx, fy, fz = L[i, a], L[i, a + 1], L[i, a + 2], L[i, a + 3], L[i, a + 4], L[i, a + 5]
            if free:
                left = d.jac[y + w, i]
                left -= sx * fx + sy * fy + sz * fz if slides else sx * tx + sy * ty + sz * tz
                d.jac[y + w, i] = left
                g = inv * left
                tx, ty, tz = tx + g * ux, ty + g * uy, tz + g * uz
                fx, fy, fz = fx + g * gx, fy + g * gy, fz + g * gz
            if k >= 0:
                L[k, a] += tx + ry * fz - rz * fy
                L[k, a + 1] += ty + rz * fx - rx * fz
                L[k, a + 2] += tz + rx * fy - ry * fx
                L[k, a + 3] += fx
                L[k, a + 4] += fy
                L[k, a + 5] += fz
    for i in range(n):
        k, free, slides = topo[i, PARENT], topo[i, MODE] == FREE, topo[i, KIND] == PRISMATIC
        sx, sy, sz = d.row[i, AXIS], d.row[i, AXIS + 1], d.row[i, AXIS + 2]
        rx, ry, rz = d.row[i, ARM], d.row[i, ARM + 1], d.row[i, ARM + 2]
        ux, uy, uz = d.row[i, GAIN], d.row[i, GAIN + 1], d.row[i, GAIN + 2]
        gx, gy, gz = d.row[i, GAIN + 3], d.row[i, GAIN + 4], d.row[i, GAIN + 5]
        inv = d.row[i, GAIN + 6]
        for w in range(count):
            a = LANE * w + 6
            ax = ay = az = cx = cy = cz = 0.0
            if k >= 0:
                ax, ay, az = L[k, a], L[k, a + 1], L[k, a + 2]
                cx = L[k, a + 3] + ay * rz - az * ry
                cy = L[k, a + 4] + az * rx - ax * rz
                cz = L[k, a + 5] + ax * ry - ay * rx
            u = 0.0
            if free:
                u = inv * (d.jac[y + w, i] - (ux * ax + uy * ay + uz * az) - (gx * cx + gy * cy + gz * cz))
                if slides:
                    cx, cy, cz = cx + u * sx, cy + u * sy, cz + u * sz
                else:
                    ax, ay, az = ax + u * sx, ay + u * sy, az + u * sz
            d.jac[y + w, i] = u
            L[i, a], L[i, a + 1], L[i, a + 2] = ax, ay, az
            L[i, a + 3], L[i, a + 4], L[i, a + 5] = cx, cy, cz
