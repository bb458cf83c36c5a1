"""Clearance of pairs of solids: their distance, its rate, and their closest points."""

from __future__ import annotations

import math

from ..codegen.jit import helper
from . import model_data as f
from .convex_distance import core_distance
from .frame_kinematics import point_velocity, relative_pose
from .model_data import kernel
from .small_matrices import (
    ZERO_3,
    add_3,
    add_matrix_vector,
    dot,
    matrix_times,
    read_3,
    scale_3,
    subtract_3,
    write_3,
)


@helper
def lowest_point(m, b, R, p):
    """Lowest point along z of b's core and its height, with the pose (R, p) of b."""
    from_above = -R[6], -R[7], -R[8]
    if m.solid[b, f.SO_KIND] == f.CYLINDER:
        square = from_above[0] * from_above[0] + from_above[1] * from_above[1]
        out = m.solid_value[b, f.SO_HALF] / math.sqrt(square) if square > 0.0 else 0.0
        half = m.solid_value[b, f.SO_HALF + 2]
        corner = out * from_above[0], out * from_above[1], -half if from_above[2] < 0.0 else half
        return add_matrix_vector(p, R, corner)
    first = m.solid[b, f.SO_CORNER]
    lowest = add_matrix_vector(p, R, read_3(m.corner, first, 0))
    for j in range(first + 1, first + m.solid[b, f.SO_CORNERS]):
        x = add_matrix_vector(p, R, read_3(m.corner, j, 0))
        if x[2] < lowest[2]:
            lowest = x
    return lowest


@helper
def apart_from_ball(m, k, b, p):
    """Lower bound of the distance of triangle k of a surface from solid b at p, by balls around both."""
    way = subtract_3(read_3(m.face, k, f.FA_NORMAL), p)
    return math.sqrt(dot(way, way)) - m.face[k, f.FA_DISTANCE] - m.solid_value[b, f.SO_BOUND]


@helper
def surface_distance(m, d, a, b, R, p):
    """`core_distance` of b and the triangle of surface a that is nearest to it.

    First that whose ball is nearest, then all whose balls are nearer than the least distance so far.
    """
    first, count = m.solid[a, f.SO_FACE], m.solid[a, f.SO_FACES]
    begin, least = first, 1e300
    for k in range(first, first + count):
        bound = apart_from_ball(m, k, b, p)
        if bound < least:
            begin, least = k, bound
    gap, v, x = core_distance(m, d, a, begin, b, R, p)
    for k in range(first, first + count):
        if k != begin and gap > 0.0 and apart_from_ball(m, k, b, p) < gap:
            nearer, way, at = core_distance(m, d, a, k, b, R, p)
            if nearer < gap:
                gap, v, x = nearer, way, at
    return gap, v, x


@helper
def closest_points(m, d, a, b, R, p):
    """Distance of two cores, the normal from a to b and the points of both cores, in the axes of a."""
    if m.solid[a, f.SO_KIND] == f.PLANE:
        x = lowest_point(m, b, R, p)
        return x[2], (0.0, 0.0, 1.0), (x[0], x[1], 0.0), x
    if m.solid[a, f.SO_KIND] == f.SURFACE:
        gap, v, x = surface_distance(m, d, a, b, R, p)
    else:
        gap, v, x = core_distance(m, d, a, 0, b, R, p)
    square = dot(v, v)
    if not square > 0.0:
        return 0.0, ZERO_3, x, x
    return gap, scale_3(1.0 / math.sqrt(square), v), x, add_3(x, v)


@kernel
def clearances(m, d):
    """Distance, rate and closest points in W of each pair of solids of a `clearance`."""
    out = d.element_out
    for k in range(m.touch.shape[0]):
        if m.touch[k, f.TO_FAMILY] == f.CLEARANCE_FAMILY:
            e, a, b = m.touch[k, f.TO_ELEMENT], m.touch[k, f.TO_A], m.touch[k, f.TO_B]
            A, origin, R, p = relative_pose(m, d, e)
            gap, normal, x, y = closest_points(m, d, a, b, R, p)
            ra, rb = m.solid_value[a, f.SO_ROUND], m.solid_value[b, f.SO_ROUND]
            n = matrix_times(A, normal)
            at, there = add_matrix_vector(origin, A, x), add_matrix_vector(origin, A, y)
            v_b = point_velocity(m, d, m.element[e, f.E_FRAME_B], there)
            v_a = point_velocity(m, d, m.element[e, f.E_FRAME_A], at)
            out[e, f.GAP_BETWEEN] = gap - ra - rb
            # closest points that move on their cores do not change the distance to first order
            out[e, f.GAP_BETWEEN_RATE] = dot(n, subtract_3(v_b, v_a))
            write_3(out, e, f.POINT_ON_A, add_3(at, scale_3(ra, n)))
            write_3(out, e, f.POINT_ON_B, subtract_3(there, scale_3(rb, n)))
