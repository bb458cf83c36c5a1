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
    add_matrix_vector,
    cross,
    dot,
    matrix_times,
    read_3,
    scale_3,
    subtract_3,
)
from .solid_distance import along, cylinder_distance
from .touch_features import PARALLEL, add_feature

FADES = 100.0  # 1 / sin^2 of the angle at which a side's end counts nothing
TURNS = 6  # of a rim's deepest point towards the gradient there
HALVINGS = 40  # of the interval of a convex function's least value


@helper
def place_feature(m, d, e, R, p, motion, s, weight, x, n, curvature, twist, number, count, swapped):
    """Add a feature found in the axes of the other solid; n points from there to the cylinder."""
    if swapped:
        x, n, twist = (
            add_matrix_vector(p, R, x),
            matrix_times(R, (-n[0], -n[1], -n[2])),
            matrix_times(R, twist),
        )
        twist = (-twist[0], -twist[1], -twist[2])
    return add_feature(m, d, e, p, motion, s, weight, x, n, curvature, twist, number, count)


@helper
def rims(m, d, e, c, o, Rc, pc, R, p, motion, distance, number, count, swapped):
    """Add the deepest point of each rim of cylinder c against the core of o; (Rc, pc) its pose in o's axes."""
    radius, half = m.solid_value[c, f.SO_HALF], m.solid_value[c, f.SO_HALF + 2]
    rc, ro = m.solid_value[c, f.SO_ROUND], m.solid_value[o, f.SO_ROUND]
    axis = Rc[2], Rc[5], Rc[8]
    turns = 1 if m.solid[o, f.SO_KIND] == f.PLANE else TURNS
    for side in range(2):
        centre = along(pc, half - 2.0 * half * side, axis)
        gap, nx, ny, nz = distance(m, o, centre)
        if gap - radius > rc + ro:
            continue
        found, way = False, ZERO_3
        for turn in range(turns):
            n = (nx, ny, nz)
            q = subtract_3(n, scale_3(dot(n, axis), axis))
            square = dot(q, q)
            if square > 1e-18:
                way, found = scale_3(-1.0 / math.sqrt(square), q), True
            elif turn == 0:
                break
            gap, nx, ny, nz = distance(m, o, along(centre, radius, way))
        if not found:
            continue
        x, n, s = along(centre, radius, way), (nx, ny, nz), rc + ro - gap
        cosine = dot(n, axis)
        sine = max(1.0 - cosine * cosine, 0.0)
        weight = sine / (sine + PARALLEL)
        slope = 2.0 * cosine * PARALLEL / ((sine + PARALLEL) * sine) if sine > 1e-12 else 0.0
        twist = scale_3(slope, cross(axis, n))
        at = along(x, 0.5 * s - rc, n)
        count = place_feature(
            m, d, e, R, p, motion, s, weight, at, n, rc + radius, twist, number + side, count, swapped
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
        x = along(start, nearest_to_cylinder(radius, half, start, span), span)
        gap, nx, ny, nz = cylinder_distance(radius, half, x)
        s, n = rc + ro - gap, (nx, ny, nz)
        length = math.sqrt(dot(span, span))
        cosine = span[2] / length
        sine = max(1.0 - cosine * cosine, 0.0)
        if not s > 0.0 or sine < 1e-12:
            continue
        weight = sine / (sine + PARALLEL)
        slope = 2.0 * cosine * PARALLEL / ((sine + PARALLEL) * sine) / length
        twist = slope * span[1], -slope * span[0], 0.0
        weight *= 1.0 - nz * nz
        if weight > 0.0:
            at = along(x, 0.5 * s - ro, n)
            count = place_feature(
                m, d, e, R, p, motion, s, weight, at, n, min(ro, radius), twist, number, count, swapped
            )
    return count
