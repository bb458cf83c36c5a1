"""Forces of shapes on a height field, which is solid a of its pairs (`height_surface.py`, `touch_features.py`).

Features are the corners of b against the smooth surface; nodes of the grid, as far as they are peaks, against b's core;
and edges of b across lines between nodes, as far as these are ridges. Weights of peaks and ridges are constants of the
field: level or hollow ground has none, and a plane field is a plane.
"""

from __future__ import annotations

import math

from ..codegen.jit import helper
from . import model_data as f
from .cylinder_features import cross_side, end_fade, nearby_of_rim, rims
from .frame_kinematics import relative_pose
from .height_surface import (
    above_reach,
    first_node,
    ground_distance,
    highest,
    last_node,
    over_grid,
    spacing,
    turned_on_ground,
)
from .model_data import kernel
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
    transposed_times,
)
from .solid_distance import along, hull_or_flat_distance, round_distance
from .touch import forget, press, touch_family
from .touch_features import PARALLEL, add_feature, within_reach

OVERLAP = 0.05  # of a line's length, by which it goes on beyond its ends, fading out
NUMBERS = 997  # of peaks and ridges in the fingerprint, counted anew from there


@helper
def box_over(m, b, R, p):
    """Half extents along the field's axes of the box around solid b."""
    bx, by, bz = read_3(m.solid_value, b, f.SO_HALF)
    r = m.solid_value[b, f.SO_ROUND]
    return (
        abs(R[0]) * bx + abs(R[1]) * by + abs(R[2]) * bz + r,
        abs(R[3]) * bx + abs(R[4]) * by + abs(R[5]) * bz + r,
        abs(R[6]) * bx + abs(R[7]) * by + abs(R[8]) * bz + r,
    )


@helper
def above_ground(m, a, b, R, p):
    """True if the box around solid b is above all that is below it."""
    ex, ey, ez = box_over(m, b, R, p)
    if not over_grid(m, a, p, max(ex, ey)):
        return False
    return p[2] - ez > highest(m, a, p[0] - ex, p[0] + ex, p[1] - ey, p[1] + ey)


@helper
def corners_on_ground(m, d, e, a, b, R, p, motion, count):
    """Add the corners of b's core against the surface."""
    rb, first = m.solid_value[b, f.SO_ROUND], m.solid[b, f.SO_CORNER]
    for j in range(m.solid[b, f.SO_CORNERS]):
        x = add_matrix_vector(p, R, read_3(m.corner, first + j, 0))
        if not above_reach(m, a, x, rb):
            gap, nx, ny, nz = ground_distance(m, a, x)
            n, s = (nx, ny, nz), rb - gap
            at = along(x, 0.5 * s - rb, n)
            count = add_feature(m, d, e, p, motion, s, 1.0, at, n, rb, ZERO_3, ZERO_3, j, count)
    return count


@helper
def node_at(m, a, i, j):
    """Node of the grid: its row of `Model.height`, and its place."""
    k = m.solid[a, f.SO_HEIGHT] + j * m.solid[a, f.SO_NODES_X] + i
    x = i * spacing(m, a, 0) - m.solid_value[a, f.SO_HALF]
    y = j * spacing(m, a, 1) - m.solid_value[a, f.SO_HALF + 1]
    return k, (x, y, m.height[k, f.HE_HEIGHT])


@helper
def peaks(m, d, e, a, b, R, p, motion, distance, number, count):
    """Add the nodes of the grid that are peaks against b's core."""
    rb = m.solid_value[b, f.SO_ROUND]
    ex, ey, _ = box_over(m, b, R, p)
    for j in range(first_node(m, a, 1, p[1] - ey), last_node(m, a, 1, p[1] + ey) + 1):
        for i in range(first_node(m, a, 0, p[0] - ex), last_node(m, a, 0, p[0] + ex) + 1):
            k, node = node_at(m, a, i, j)
            weight = m.height[k, f.HE_PEAK]
            if weight > 0.0:
                x = transposed_times(R, subtract_3(node, p))
                if within_reach(m, b, x, rb):
                    gap, nx, ny, nz = distance(m, b, x)
                    # the gradient points from b to the node
                    n, s = matrix_times(R, (-nx, -ny, -nz)), rb - gap
                    at = along(node, -0.5 * s, n)
                    own = number + (i + 31 * j) % NUMBERS
                    count = add_feature(m, d, e, p, motion, s, weight, at, n, 0.0, ZERO_3, ZERO_3, own, count)
    return count


@helper
def edge_on_ridge(m, d, e, start, span, rb, other, way, share, p, motion, number, count):
    """Add an edge of b across a line of the grid, by its `share`, W of their angle, and w(u) of the place u: lines
    fade out about their ends as their neighbours fade in.
    """
    r = subtract_3(start, other)
    dd, ww, dw = dot(span, span), dot(way, way), dot(span, way)
    wide = dd * ww - dw * dw
    sine = wide / (dd * ww)
    if sine < 1e-12:
        return count
    t = (dw * dot(r, way) - ww * dot(r, span)) / wide
    inner = t > 0.0 and t < 1.0
    t = min(max(t, 0.0), 1.0)
    x = along(start, t, span)
    u = dot(subtract_3(x, other), way) / ww
    gap = subtract_3(subtract_3(x, other), scale_3(u, way))
    square = dot(gap, gap)
    if square >= rb * rb or square < 1e-24 or not (u > -OVERLAP and u < 1.0 + OVERLAP):
        return count
    apart = math.sqrt(square)
    s, n = rb - apart, scale_3(1.0 / apart, gap)
    # W and the torque of its gradient
    weight = share * sine / (sine + PARALLEL)
    slope = 2.0 * dw / (dd * ww) * PARALLEL / ((sine + PARALLEL) * sine)
    twist = scale_3(slope, cross(span, way))
    # u changes by A . v + (x x A + B) . w of b's motion at x
    fade, by_u = end_fade(u - 0.5, 0.5 + OVERLAP, 2.0 * OVERLAP)
    A, B = scale_3(1.0 / ww, way), ZERO_3
    if inner:
        A = scale_3(1.0 / wide, subtract_3(scale_3(dd, way), scale_3(dw, span)))
        B = scale_3(-dw / wide, cross(span, gap))
    pull = scale_3(-by_u, A)
    twist = add_3(twist, add_cross(scale_3(-by_u, B), x, pull))
    at = along(x, 0.5 * s - rb, n)
    return add_feature(m, d, e, p, motion, s, weight * fade, at, n, 0.0, pull, twist, number, count)


@helper
def ridge_number(number, i, j, axis):
    """Number of the line from node (i, j) along x (0) or y (1) in the fingerprint."""
    return number + (2 * (i + 31 * j)) % NUMBERS + axis


@helper
def ridges(m, d, e, a, b, R, p, motion, number, count):
    """Add the edges of b across the lines of the grid that are ridges."""
    for row in range(m.solid[b, f.SO_EDGE], m.solid[b, f.SO_EDGE] + m.solid[b, f.SO_EDGES]):
        start = add_matrix_vector(p, R, read_3(m.edge, row, f.ED_START))
        span = matrix_times(R, read_3(m.edge, row, f.ED_SPAN))
        rb = m.edge[row, f.ED_RADIUS]
        more_x, more_y = rb + OVERLAP * spacing(m, a, 0), rb + OVERLAP * spacing(m, a, 1)
        x0, x1 = min(start[0], start[0] + span[0]) - more_x, max(start[0], start[0] + span[0]) + more_x
        y0, y1 = min(start[1], start[1] + span[1]) - more_y, max(start[1], start[1] + span[1]) + more_y
        # lines that begin a node before, and those from it on
        i0, i1 = max(last_node(m, a, 0, x0), 0), last_node(m, a, 0, x1)
        j0, j1 = max(last_node(m, a, 1, y0), 0), last_node(m, a, 1, y1)
        for j in range(j0, j1 + 1):
            for i in range(i0, i1 + 1):
                k, node = node_at(m, a, i, j)
                for axis in range(2):
                    share = m.height[k, f.HE_RIDGE_X + axis]
                    if share > 0.0:
                        _, there = node_at(m, a, i + 1 - axis, j + axis)
                        way, own = subtract_3(there, node), ridge_number(number, i, j, axis)
                        count = edge_on_ridge(
                            m, d, e, start, span, rb, node, way, share, p, motion, own, count
                        )
    return count


@helper
def side_on_ridges(m, d, e, a, b, R, p, motion, number, count):
    """Add the lines of the grid that are ridges across the side of cylinder b."""
    ex, ey, _ = box_over(m, b, R, p)
    ex, ey = ex + OVERLAP * spacing(m, a, 0), ey + OVERLAP * spacing(m, a, 1)
    j0, j1 = max(last_node(m, a, 1, p[1] - ey), 0), last_node(m, a, 1, p[1] + ey)
    i0, i1 = max(last_node(m, a, 0, p[0] - ex), 0), last_node(m, a, 0, p[0] + ex)
    for j in range(j0, j1 + 1):
        for i in range(i0, i1 + 1):
            k, node = node_at(m, a, i, j)
            start = transposed_times(R, subtract_3(node, p))
            for axis in range(2):
                share = m.height[k, f.HE_RIDGE_X + axis]
                if share > 0.0:
                    _, there = node_at(m, a, i + 1 - axis, j + axis)
                    span = transposed_times(R, subtract_3(there, node))
                    own = ridge_number(number, i, j, axis)
                    count = cross_side(
                        m, d, e, b, start, span, 0.0, 2.0 * OVERLAP, OVERLAP, share, R, p, motion, own,
                        count, True,
                    )  # fmt: skip
    return count


@helper
def ground_features(m, d, e, a, b, R, p, motion):
    """Add the features of a sphere, capsule, box or hull on a height field; a sphere's centre is its only one."""
    count = corners_on_ground(m, d, e, a, b, R, p, motion, 0)
    if m.solid[b, f.SO_KIND] != f.SPHERE:
        number = m.solid[b, f.SO_CORNERS]
        count = peaks(m, d, e, a, b, R, p, motion, hull_or_flat_distance, number, count)
        count = ridges(m, d, e, a, b, R, p, motion, number + NUMBERS, count)
    return count


@helper
def round_ground_features(m, d, e, a, b, R, p, motion):
    """Add the features of a cylinder on a height field."""
    count = corners_on_ground(m, d, e, a, b, R, p, motion, 0)
    number = m.solid[b, f.SO_CORNERS]
    count = rims(
        m, d, e, b, a, R, p, R, p, motion, ground_distance, turned_on_ground, nearby_of_rim, number, count, False
    )  # fmt: skip
    count = peaks(m, d, e, a, b, R, p, motion, round_distance, number + 2, count)
    count = ridges(m, d, e, a, b, R, p, motion, number + 2 + NUMBERS, count)
    return side_on_ridges(m, d, e, a, b, R, p, motion, number + 4 + 2 * NUMBERS, count)


@helper
def ground_pair(m, d, k, features):
    """Force of pair k of a height field, which is near to all; the function `features` adds up its features."""
    e, a, b = m.touch[k, f.TO_ELEMENT], m.touch[k, f.TO_A], m.touch[k, f.TO_B]
    A, origin, R, p = relative_pose(m, d, e)
    if above_ground(m, a, b, R, p):
        forget(m, d, k)
    else:
        press(m, d, k, A, origin, R, p, features)


@kernel
def touch_ground(m, d):
    """Forces of pairs of a height field with a sphere, capsule, box or hull."""
    touch_family(m, d, f.GROUND_FAMILY, ground_pair, ground_features)


@kernel
def touch_ground_round(m, d):
    """Forces of pairs of a height field with a cylinder."""
    touch_family(m, d, f.ROUND_GROUND_FAMILY, ground_pair, round_ground_features)
