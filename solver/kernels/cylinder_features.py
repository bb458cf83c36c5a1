"""Features of cylinders that touch: the deepest point of each rim, and edges of others across the side.

A rim counts by W = sin^2 / (sin^2 + `PARALLEL`) of the angle between axis and normal, so that a cylinder which stands
on its end does so on the corners of its core, eight points inside each rim, and rolls without them. Conventions:
`touch_features.py`; `swapped`: the cylinder is solid a, and the other one b, in whose axes its features are found.
"""

from __future__ import annotations

import math

from ..codegen.jit import helper
from . import model_data as f
from .small_matrices import (
    ZERO_3,
    add_3,
    add_cross,
    add_matrix_vector,
    cross,
    dot,
    matrix_times,
    read_3,
    scale_3,
    subtract_3,
)
from .solid_distance import along, cylinder_distance, turned_normal
from .touch_features import PARALLEL, add_feature

HALVINGS = 40  # of the interval in which something is least deep


@helper
def place_feature(m, d, e, R, p, motion, s, weight, x, n, curvature, pull, twist, number, count, swapped):
    """Add a feature found in the axes of the other solid, with n, pull and twist on the one that is not in them.

    `swapped`: these are b's axes.
    """
    if swapped:
        pull = matrix_times(R, (-pull[0], -pull[1], -pull[2]))
        twist = add_cross(matrix_times(R, (-twist[0], -twist[1], -twist[2])), p, pull)
        x, n = add_matrix_vector(p, R, x), matrix_times(R, (-n[0], -n[1], -n[2]))
    return add_feature(m, d, e, p, motion, s, weight, x, n, curvature, pull, twist, number, count)


@helper
def deepest_of_rim(m, o, centre, radius, axis, towards, distance):
    """Direction from a rim's centre to its point that is deepest in o: bisection over the half rim about `towards`."""
    low, high, way = cross(towards, axis), cross(axis, towards), towards
    for _ in range(HALVINGS):
        _, nx, ny, nz = distance(m, o, along(centre, radius, way))
        if dot((nx, ny, nz), cross(axis, way)) > 0.0:
            high = way
        else:
            low = way
        way = add_3(low, high)
        size = math.sqrt(dot(way, way))
        # the first halves meet opposite each other
        way = scale_3(1.0 / size, way) if size > 1e-9 else towards
    return way


@helper
def rims(m, d, e, c, o, Rc, pc, R, p, motion, distance, number, count, swapped):
    """Add the deepest point of each rim of cylinder c against the core of o; (Rc, pc) its pose in o's axes.

    With c_n = n . axis the weight is W(1 - c_n^2). The normal turns as the rim moves, and as its deepest point does,
    which stays where n . t = 0, t the tangent of the rim.
    """
    radius, half = m.solid_value[c, f.SO_HALF], m.solid_value[c, f.SO_HALF + 2]
    rc, ro = m.solid_value[c, f.SO_ROUND], m.solid_value[o, f.SO_ROUND]
    axis = Rc[2], Rc[5], Rc[8]
    for side in range(2):
        centre = along(pc, half - 2.0 * half * side, axis)
        gap, nx, ny, nz = distance(m, o, centre)
        n = (nx, ny, nz)
        q = subtract_3(n, scale_3(dot(n, axis), axis))
        square = dot(q, q)
        if gap - radius > rc + ro or not square > 1e-18:
            continue
        way = scale_3(-1.0 / math.sqrt(square), q)
        if m.solid[o, f.SO_KIND] != f.PLANE:
            way = deepest_of_rim(m, o, centre, radius, axis, way, distance)
        x = along(centre, radius, way)
        gap, nx, ny, nz = distance(m, o, x)
        n, s = (nx, ny, nz), rc + ro - gap
        cosine = dot(n, axis)
        sine = max(1.0 - cosine * cosine, 0.0)
        if not sine > 1e-12:
            continue
        weight = sine / (sine + PARALLEL)
        slope = 2.0 * cosine * PARALLEL / ((sine + PARALLEL) * sine)
        # change of c_n by a motion of the rim's point, and by a turn
        tangent = cross(axis, way)
        by_axis = turned_normal(m, o, x, gap, n, axis)
        by_tangent = turned_normal(m, o, x, gap, n, tangent)
        stiff = radius * dot(tangent, by_tangent) - dot(n, way)
        share = radius * dot(axis, by_tangent) / stiff if stiff > 1e-9 else 0.0
        pull = scale_3(slope, subtract_3(by_axis, scale_3(share, by_tangent)))
        couple = subtract_3(cross(axis, n), scale_3(share, cross(tangent, n)))
        twist = add_cross(scale_3(slope, couple), x, pull)
        at = along(x, 0.5 * s - rc, n)
        count = place_feature(
            m, d, e, R, p, motion, s, weight, at, n, rc + radius, pull, twist, number + side, count, swapped
        )
    return count


@helper
def nearest_to_cylinder(radius, half, start, span):
    """t in [0, 1] at which the segment start + t span is nearest to a cylinder: bisection of the convex distance."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        t = 0.5 * (low + high)
        _, nx, ny, nz = cylinder_distance(radius, half, along(start, t, span))
        if dot((nx, ny, nz), span) > 0.0:
            high = t
        else:
            low = t
    return 0.5 * (low + high)


@helper
def side_weight(radius, half, x, span, inner):
    """Weight F = 1 - n_z^2 of an edge's point x at the side of a cylinder, with force and torque of its gradient.

    u and v are the distances from the side and from the end. F = u^2 / (u^2 + v^2) changes with x, and with t, which
    stays where G = (u rho + v z) . span = 0 if x is `inner` to the edge. Force and torque about the origin act on the
    edge, for an energy of 1 / F.
    """
    rho = math.sqrt(x[0] * x[0] + x[1] * x[1])
    u, v = rho - radius, abs(x[2]) - half
    if v <= 0.0:
        return 1.0, ZERO_3, ZERO_3
    if u <= 0.0:
        return 0.0, ZERO_3, ZERO_3
    side = -1.0 if x[2] < 0.0 else 1.0
    out = x[0] / rho, x[1] / rho, 0.0
    square = u * u + v * v
    by_u, by_v = 2.0 * u * v * v / (square * square), -2.0 * u * u * v / (square * square)
    g = by_u * out[0], by_u * out[1], by_v * side
    couple = ZERO_3
    if inner:
        radial = dot(out, span)
        around = span[0] - radial * out[0], span[1] - radial * out[1]
        A = radial * out[0] + u / rho * around[0], radial * out[1] + u / rho * around[1], span[2]
        stiff = dot(A, span)
        share = dot(g, span) / stiff if stiff > 1e-12 else 0.0
        g = subtract_3(g, scale_3(share, A))
        couple = scale_3(share, cross(span, (u * out[0], u * out[1], v * side)))
    pull = -g[0], -g[1], -g[2]
    return u * u / square, pull, add_cross(couple, x, pull)


@helper
def sides(m, d, e, o, c, Ro, po, R, p, motion, number, count, swapped):
    """Add the edges of o against the side of cylinder c, in whose axes (Ro, po) is o's pose.

    `swapped`: c is solid b.
    """
    radius, half = m.solid_value[c, f.SO_HALF], m.solid_value[c, f.SO_HALF + 2]
    rc = m.solid_value[c, f.SO_ROUND]
    for i in range(m.solid[o, f.SO_EDGE], m.solid[o, f.SO_EDGE] + m.solid[o, f.SO_EDGES]):
        number += 1
        start = add_matrix_vector(po, Ro, read_3(m.edge, i, f.ED_START))
        span = matrix_times(Ro, read_3(m.edge, i, f.ED_SPAN))
        ro = m.edge[i, f.ED_RADIUS]
        wide, high = radius + rc + ro, half + rc + ro
        outside = (
            min(start[0], start[0] + span[0]) > wide
            or max(start[0], start[0] + span[0]) < -wide
            or min(start[1], start[1] + span[1]) > wide
            or max(start[1], start[1] + span[1]) < -wide
            or min(start[2], start[2] + span[2]) > high
            or max(start[2], start[2] + span[2]) < -high
        )
        if outside:
            continue
        t = nearest_to_cylinder(radius, half, start, span)
        x = along(start, t, span)
        gap, nx, ny, nz = cylinder_distance(radius, half, x)
        s, n = rc + ro - gap, (nx, ny, nz)
        length = math.sqrt(dot(span, span))
        cosine = span[2] / length
        sine = max(1.0 - cosine * cosine, 0.0)
        fade, pull, twist = side_weight(radius, half, x, span, 1e-9 < t < 1.0 - 1e-9)
        if not s > 0.0 or not sine > 1e-12 or not fade > 1e-12:
            continue
        weight = sine / (sine + PARALLEL)
        slope = 2.0 * cosine * PARALLEL / ((sine + PARALLEL) * sine) / length
        twist = add_3(scale_3(1.0 / fade, twist), (slope * span[1], -slope * span[0], 0.0))
        at = along(x, 0.5 * s - ro, n)
        pull = scale_3(1.0 / fade, pull)
        count = place_feature(
            m,
            d,
            e,
            R,
            p,
            motion,
            s,
            weight * fade,
            at,
            n,
            min(ro, radius),
            pull,
            twist,
            number,
            count,
            swapped,
        )
    return count
