"""Features of cylinders that touch: the deepest point of each rim, edges of others across the side, and crossed sides.

A rim counts where its deepest point is that of the whole end, and by W = sin^2 / (sin^2 + `PARALLEL`) of the angle
between axis and normal, so that a cylinder which stands on its end does so on the corners of its core, eight points
inside each rim, and rolls without them. Conventions: `touch_features.py`; `swapped`: the cylinder is solid a, and the
other one b, in whose axes its features are found.
"""

from __future__ import annotations

import math

from ..codegen.jit import helper, inlined
from . import model_data as f
from .small_matrices import (
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
from .solid_distance import along
from .touch_features import PARALLEL, add_feature

STEPS = 20  # of Newton's method for the deepest point of a rim, which ends after some three
LARGEST = 0.3  # of its steps [rad]
HALVINGS = 40  # of the interval in which something is least deep
FADE = 1.0  # length in which a side fades out before its end, over the rounding
SKEW = 0.04  # sin^2 of the angle to an axis at which lines across a side count by half: feet run along it as 1 / sin^2


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
def turned_rim(m, o, centre, radius, axis, way, distance, turned):
    """Slope n . t of the distance along a rim at `way`, t its tangent there, and its derivative by the angle."""
    x, tangent = along(centre, radius, way), cross(axis, way)
    gap, nx, ny, nz = distance(m, o, x)
    n = (nx, ny, nz)
    return dot(n, tangent), radius * dot(tangent, turned(m, o, x, gap, n, tangent)) - dot(n, way)


@helper
def turned_along(way, axis, angle):
    """Direction `way` of a rim, moved along its tangent by a small angle."""
    moved = along(way, angle, cross(axis, way))
    return scale_3(1.0 / math.sqrt(dot(moved, moved)), moved)


@helper
def deepest_of_rim(m, o, centre, radius, axis, towards, distance, turned):
    """Direction from a rim's centre to its point that is deepest in o: bisection over the half rim about `towards`.

    A step of Newton's method behind it carries derivatives over.
    """
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
    slope, stiff = turned_rim(m, o, centre, radius, axis, way, distance, turned)
    if stiff > 1e-9:
        way = turned_along(way, axis, -slope / stiff)
    return way


@helper
def nearby_of_rim(m, o, centre, radius, axis, towards, distance, turned):
    """Direction from a rim's centre to its point that is deepest in o, by Newton's method in steps of at most `LARGEST`
    from `towards`, which is near it where o is all but flat.
    """
    way = towards
    for _ in range(STEPS):
        slope, stiff = turned_rim(m, o, centre, radius, axis, way, distance, turned)
        step = -slope / stiff if stiff > 1e-9 else -slope
        way = turned_along(way, axis, min(max(step, -LARGEST), LARGEST))
        if not abs(step) > 1e-9:
            break
    return way


@helper
def rims(m, d, e, c, o, Rc, pc, R, p, motion, distance, turned, search, number, count, swapped):
    """Add the deepest point of each rim of cylinder c against the core of o; (Rc, pc) its pose in o's axes.

    The distance is convex over the end: where it falls from the rim inwards, the end is deepest elsewhere, which other
    features see, and W = 0 between the two. With c_n = n . axis the weight is W(1 - c_n^2). The normal turns as the rim
    moves, and as its deepest point does, which stays where n . t = 0, t the tangent of the rim.
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
            way = search(m, o, centre, radius, axis, way, distance, turned)
        x = along(centre, radius, way)
        gap, nx, ny, nz = distance(m, o, x)
        n, s = (nx, ny, nz), rc + ro - gap
        cosine = dot(n, axis)
        sine = max(1.0 - cosine * cosine, 0.0)
        if not sine > 1e-12 or not dot(n, way) < 0.0:
            continue
        weight = sine / (sine + PARALLEL)
        slope = 2.0 * cosine * PARALLEL / ((sine + PARALLEL) * sine)
        # change of c_n by a motion of the rim's point, and by a turn
        tangent = cross(axis, way)
        by_axis = turned(m, o, x, gap, n, axis)
        by_tangent = turned(m, o, x, gap, n, tangent)
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


@inlined
def end_fade(t, half, zone):
    """Weight w of a point at t of a side |t| <= half, which falls to 0 within `zone` of the end, and d ln w / dt."""
    q = min((half - abs(t)) / zone, 1.0)
    weight = q * q * (3.0 - 2.0 * q)
    slope = 6.0 * q * (1.0 - q) / (zone * weight) if weight > 0.0 else 0.0
    return weight, slope if t < 0.0 else -slope


@helper
def cross_side(m, d, e, c, start, span, radius, zone, out, share, R, p, motion, number, count, swapped):
    """Add a line of this radius across the side of cylinder c, in c's axes: it is nearest at the common perpendicular.

    The line x = start + t span is nearest to the axis where G = x . span across z is zero. It counts by
    W = (1 + `SKEW`) sin^2 / (sin^2 + `SKEW`) of both directions, and fades out before the side's end: there the rim is
    as deep. With a `zone` the line fades out before its own ends too, or, by `out` of its length, behind them; without
    one they are corners. All counts by `share`.
    """
    half, rc = m.solid_value[c, f.SO_HALF + 2], m.solid_value[c, f.SO_ROUND]
    reach = m.solid_value[c, f.SO_HALF] + rc + radius
    across = span[0] * span[0] + span[1] * span[1]
    square = across + span[2] * span[2]
    sine = across / square
    if not sine > 1e-12:
        return count
    t = -(start[0] * span[0] + start[1] * span[1]) / across
    inner = t > -out and t < 1.0 + out
    if zone > 0.0 and not inner:
        return count
    t = min(max(t, -out), 1.0 + out)
    x = along(start, t, span)
    away = x[0] * x[0] + x[1] * x[1]
    if not away < reach * reach or not away > 1e-24 or not abs(x[2]) < half:
        return count
    rho = math.sqrt(away)
    n = (x[0] / rho, x[1] / rho, 0.0)
    fade, by_z = end_fade(x[2], half, min(FADE * rc, half))
    own, by_t = 1.0, 0.0
    if zone > 0.0:
        own, by_t = end_fade(t - 0.5, 0.5 + out, zone)
    if not fade * own > 1e-12:
        return count
    # d ln w along z, and by t, which moves with the line
    if inner:
        by_t = by_t + by_z * span[2]
    moved = by_t / across
    grad = (-moved * span[0], -moved * span[1], by_z)
    pull = (-grad[0], -grad[1], -grad[2])
    turn = scale_3(moved, cross(span, (x[0], x[1], 0.0)))
    # W and the torque of its gradient
    weight = share * (1.0 + SKEW) * sine / (sine + SKEW)
    slope = 2.0 * span[2] / square * SKEW / ((sine + SKEW) * sine)
    twist = add_cross(add_3(turn, (slope * span[1], -slope * span[0], 0.0)), x, pull)
    s = reach - rho
    at = along(x, 0.5 * s - radius, n)
    spread = min(radius, reach - radius)
    return place_feature(
        m, d, e, R, p, motion, s, weight * fade * own, at, n, spread, pull, twist, number, count, swapped
    )


@helper
def sides(m, d, e, o, c, Ro, po, R, p, motion, number, count, swapped):
    """Add the edges of o against the side of cylinder c, in whose axes (Ro, po) is o's pose.

    `swapped`: c is solid b.
    """
    for i in range(m.solid[o, f.SO_EDGE], m.solid[o, f.SO_EDGE] + m.solid[o, f.SO_EDGES]):
        number += 1
        start = add_matrix_vector(po, Ro, read_3(m.edge, i, f.ED_START))
        span = matrix_times(Ro, read_3(m.edge, i, f.ED_SPAN))
        radius = m.edge[i, f.ED_RADIUS]
        count = cross_side(
            m, d, e, c, start, span, radius, 0.0, 0.0, 1.0, R, p, motion, number, count, swapped
        )
    return count


@helper
def crossed_sides(m, d, e, a, b, R, p, motion, number, count):
    """Add the sides of two cylinders: the axis of b, with b's radius, across the side of a."""
    half, rounding = m.solid_value[b, f.SO_HALF + 2], m.solid_value[b, f.SO_ROUND]
    axis = (R[2], R[5], R[8])
    zone = min(FADE * rounding / (2.0 * half), 0.5)
    radius = m.solid_value[b, f.SO_HALF] + rounding
    start, span = along(p, -half, axis), scale_3(2.0 * half, axis)
    return cross_side(m, d, e, a, start, span, radius, zone, 0.0, 1.0, R, p, motion, number, count, False)
