"""Normal force of two solids: a sum over features that keep their identity while the solids move.

Each solid is a convex core swept by a ball. Features are the corners of one core against the other core, and edges of
one against edges of the other; a cylinder's rims and side are in `cylinder_features.py`. Each has a depth
s = r_a + r_b - distance and a force k s^n (1 + c s') where s > 0. The distance is continuously differentiable outside
a core, so that forces are continuous and derive from a potential while no core is entered, without a list of contacts
that changes.

Edges count by W = sin^2 / (sin^2 + `PARALLEL`) of their angle: parallel edges, between which the closest points jump,
count nothing, and their ends are corners. W has a gradient, which is a torque.

All is in the axes of solid a with its origin as reference; (R, p) is the pose of solid b there. Forces act on b.

Features that a plane shows to be apart are left out before their distance is known: it changes no bit.
"""

from __future__ import annotations

import math

from ..codegen.jit import helper, inlined
from . import model_data as f
from .small_matrices import (
    ZERO_3,
    add_3,
    add_cross,
    add_matrix_vector,
    add_to_3,
    cross,
    dot,
    matrix_times,
    read_3,
    scale_3,
    subtract_3,
    transposed_times,
    write_3,
)
from .solid_distance import along, closest_on_segments

PARALLEL = 0.0025  # sin^2 of the angle at which edges count by half
# of the margin by which features are further apart than they have to be where they are left out: see `margin`
SURE, ROUNDINGS = 1e-6, 16.0 * 2.0**-52


@helper
def raised(s, n):
    """s^n: a function of its own, so that the compiler calls it only where it is asked for."""
    return s**n


@helper
def add_feature(m, d, e, p, motion, s, weight, x, n, curvature, pull, twist, number, count):
    """Add a feature of depth s at place x with the normal n from a to b; returns `count`, increased if it touches.

    `motion` is (angular velocity, velocity at a's origin) of b against a; `pull` and `twist` are force and torque of
    the weight's gradient over the energy, about a's origin; `curvature` is the radius that spreads the pressure;
    `number` tells features apart.
    """
    total, value = d.touch_sum, m.element_value
    total[0, f.SUM_DEPTH] = max(total[0, f.SUM_DEPTH], s)
    if not s > 0.0:
        return count
    exponent = value[e, f.T_EXPONENT]
    elastic = weight * value[e, f.T_STIFFNESS] * (s if exponent == 1.0 else raised(s, exponent))
    # s' = -(v + w x x) . n
    rate = -dot(add_cross(motion[1], motion[0], x), n)
    damped = 1.0 + value[e, f.T_DAMPING] * rate
    force = elastic * max(damped, 0.0)
    energy = elastic * s / (exponent + 1.0)
    total[0, f.SUM_NORMAL] += force
    add_to_3(total, 0, f.SUM_MOMENT, scale_3(force, x))
    add_to_3(total, 0, f.SUM_FORCE, add_3(scale_3(force, n), scale_3(energy, pull)))
    add_to_3(total, 0, f.SUM_TORQUE, add_3(scale_3(force, cross(x, n)), scale_3(energy, twist)))
    r = subtract_3(x, p)
    total[0, f.SUM_SPREAD] += force * (dot(r, r) + curvature * s)
    total[0, f.SUM_STORED] += energy
    total[0, f.SUM_LOST] += (force - elastic) * rate
    if weight > 0.5:
        # term of this feature in the fingerprint: see coordinate_forces
        piece = 2.0 * number + (2.0 if damped > 0.0 else 1.0)
        total[0, f.SUM_FINGERPRINT] += math.sqrt(4.0 * (m.topo.shape[0] + e) + 2.0 + piece / 4096.0)
    write_3(d.touch_point, count, f.POINT_AT, x)
    d.touch_point[count, f.POINT_FORCE] = force
    return count + 1


@helper
def within_reach(m, s, x, reach):
    """True if a point may be closer than `reach` to a core: it is within the box around it, or below that plane."""
    if m.solid[s, f.SO_KIND] == f.PLANE:
        return x[2] < reach
    return (
        abs(x[0]) < m.solid_value[s, f.SO_HALF] + reach
        and abs(x[1]) < m.solid_value[s, f.SO_HALF + 1] + reach
        and abs(x[2]) < m.solid_value[s, f.SO_HALF + 2] + reach
    )


@inlined
def margin(m, a, b, reach):
    """Distance beyond `reach` from which on a plane shows features to be apart, whatever rounding does [m].

    The normal of a supporting plane is a difference of points over their distance, `reach` or more: it is known to some
    eps size / reach, and so the distance of another point from the plane to that times the size. A share of `reach`
    is beyond it, for distances from faces that are slivers.
    """
    size = m.solid_value[a, f.SO_BOUND] + m.solid_value[b, f.SO_BOUND]
    return SURE * reach + ROUNDINGS * size * size / reach


@inlined
def least_distance(d, reach):
    """Distance up to which a corner touches or may be the nearest so far."""
    return max(reach, reach - d.touch_sum[0, f.SUM_DEPTH])


@helper
def supporting_plane(gap, n, x, reach, plane):
    """Plane (n, n . y) of a core beyond which it does not lie, by the distance of x from it; else `plane`."""
    if gap > reach:
        return n[0], n[1], n[2], dot(n, x) - gap
    return plane


@helper
def note_nearest(d, s, n):
    """Keep the normal of a feature of depth s if it is the nearest one so far."""
    if s > d.touch_sum[0, f.SUM_DEPTH]:
        write_3(d.touch_sum, 0, f.SUM_TOWARDS, n)


@helper
def corners_of_b(m, d, e, a, b, R, p, motion, distance, count):
    """Add the corners of b's core against a's core."""
    ra, rb = m.solid_value[a, f.SO_ROUND], m.solid_value[b, f.SO_ROUND]
    first, plane = m.solid[b, f.SO_CORNER], (0.0, 0.0, 0.0, 0.0)
    sure = margin(m, a, b, ra + rb)
    for j in range(m.solid[b, f.SO_CORNERS]):
        x = add_matrix_vector(p, R, read_3(m.corner, first + j, 0))
        beyond = dot((plane[0], plane[1], plane[2]), x) - plane[3]
        if within_reach(m, a, x, ra + rb) and beyond <= least_distance(d, ra + rb) + sure:
            gap, nx, ny, nz = distance(m, a, x)
            n, s = (nx, ny, nz), ra + rb - gap
            plane = supporting_plane(gap, n, x, ra + rb, plane)
            note_nearest(d, s, n)
            at = along(x, 0.5 * s - rb, n)
            count = add_feature(m, d, e, p, motion, s, 1.0, at, n, rb, ZERO_3, ZERO_3, j, count)
    return count


@helper
def corners_of_a(m, d, e, a, b, R, p, motion, distance, count):
    """Add the corners of a's core against b's core."""
    ra, rb = m.solid_value[a, f.SO_ROUND], m.solid_value[b, f.SO_ROUND]
    first, number, plane = m.solid[a, f.SO_CORNER], m.solid[b, f.SO_CORNERS], (0.0, 0.0, 0.0, 0.0)
    sure = margin(m, a, b, ra + rb)
    for j in range(m.solid[a, f.SO_CORNERS]):
        corner = read_3(m.corner, first + j, 0)
        x = transposed_times(R, subtract_3(corner, p))
        beyond = dot((plane[0], plane[1], plane[2]), x) - plane[3]
        if within_reach(m, b, x, ra + rb) and beyond <= least_distance(d, ra + rb) + sure:
            gap, nx, ny, nz = distance(m, b, x)
            plane = supporting_plane(gap, (nx, ny, nz), x, ra + rb, plane)
            # the gradient points from b to a
            n, s = matrix_times(R, (-nx, -ny, -nz)), ra + rb - gap
            note_nearest(d, s, n)
            at = along(corner, ra - 0.5 * s, n)
            count = add_feature(m, d, e, p, motion, s, 1.0, at, n, ra, ZERO_3, ZERO_3, number + j, count)
    return count


@inlined
def squared_distance_of_boxes(low_a, high_a, low_b, high_b):
    """Squared distance of two boxes along the axes, given by their least and largest coordinates."""
    x = max(low_a[0] - high_b[0], low_b[0] - high_a[0], 0.0)
    y = max(low_a[1] - high_b[1], low_b[1] - high_a[1], 0.0)
    z = max(low_a[2] - high_b[2], low_b[2] - high_a[2], 0.0)
    return x * x + y * y + z * z


@inlined
def box_of_ends(a, b):
    """Least and largest coordinates of a segment from its ends."""
    low = min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2])
    return low, (max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2]))


@inlined
def box_seen_from_b(m, a, R, p):
    """Least and largest coordinates of a's core in the axes of b, which has the pose (R, p) in a."""
    x, y, z = read_3(m.solid_value, a, f.SO_HALF)
    middle = transposed_times(R, (-p[0], -p[1], -p[2]))
    half = (
        abs(R[0]) * x + abs(R[3]) * y + abs(R[6]) * z,
        abs(R[1]) * x + abs(R[4]) * y + abs(R[7]) * z,
        abs(R[2]) * x + abs(R[5]) * y + abs(R[8]) * z,
    )
    return subtract_3(middle, half), add_3(middle, half)


@inlined
def parallel(d, e):
    """True if sin^2 of the angle of two edges is next to zero."""
    dd, ee, de = dot(d, d), dot(e, e), dot(d, e)
    return dd * ee - de * de < 1e-12 * (dd * ee)


@helper
def slab(m, d, a, b, R, p):
    """Direction n from a to b, how far the core of a goes along it, and from where on that of b does.

    n is the normal of the nearest corner; without one it is zero, and both are 0.
    """
    n = read_3(d.touch_sum, 0, f.SUM_TOWARDS)
    top, bottom = -math.inf, math.inf
    for j in range(m.solid[a, f.SO_CORNER], m.solid[a, f.SO_CORNER] + m.solid[a, f.SO_CORNERS]):
        top = max(top, dot(n, read_3(m.corner, j, 0)))
    turned, shift = transposed_times(R, n), dot(n, p)
    for j in range(m.solid[b, f.SO_CORNER], m.solid[b, f.SO_CORNER] + m.solid[b, f.SO_CORNERS]):
        bottom = min(bottom, dot(turned, read_3(m.corner, j, 0)) + shift)
    return n, top, bottom


@helper
def list_edges(m, d, a, b, R, p, n, bottom, reach):
    """List the edges of a that may be within `reach` of edges of b by the box around b and the slab; returns their
    number."""
    bx, by, bz = read_3(m.solid_value, b, f.SO_HALF)
    hx = abs(R[0]) * bx + abs(R[1]) * by + abs(R[2]) * bz + reach
    hy = abs(R[3]) * bx + abs(R[4]) * by + abs(R[5]) * bz + reach
    hz = abs(R[6]) * bx + abs(R[7]) * by + abs(R[8]) * bz + reach
    number = 0
    for k in range(m.solid[a, f.SO_EDGE], m.solid[a, f.SO_EDGE] + m.solid[a, f.SO_EDGES]):
        start, span = read_3(m.edge, k, f.ED_START), read_3(m.edge, k, f.ED_SPAN)
        if (
            dot(n, start) + max(dot(n, span), 0.0) >= bottom - reach
            and min(start[0], start[0] + span[0]) <= p[0] + hx
            and max(start[0], start[0] + span[0]) >= p[0] - hx
            and min(start[1], start[1] + span[1]) <= p[1] + hy
            and max(start[1], start[1] + span[1]) >= p[1] - hy
            and min(start[2], start[2] + span[2]) <= p[2] + hz
            and max(start[2], start[2] + span[2]) >= p[2] - hz
        ):
            d.touch_edge[number] = k
            number += 1
    return number


@helper
def edges(m, d, e, a, b, R, p, motion, count):
    """Add the edges of b's core against those of a's core, as far as boxes and the slab between the cores allow."""
    if m.solid[a, f.SO_EDGES] == 0 or m.solid[b, f.SO_EDGES] == 0:
        return count
    n, top, bottom = slab(m, d, a, b, R, p)
    widest = m.solid_value[a, f.SO_ROUND] + m.solid_value[b, f.SO_ROUND]
    sure = margin(m, a, b, widest)
    near = list_edges(m, d, a, b, R, p, n, bottom, widest + sure)
    if near == 0:
        return count
    first, behind = m.solid[b, f.SO_EDGE], m.solid[a, f.SO_CORNERS] + m.solid[b, f.SO_CORNERS] + 1
    low_a, high_a = box_seen_from_b(m, a, R, p)
    for i in range(first, first + m.solid[b, f.SO_EDGES]):
        rb = m.edge[i, f.ED_RADIUS]
        reach = rb + m.solid_value[a, f.SO_ROUND]
        far = reach * reach
        low, high = read_3(m.edge, i, f.ED_LOW), read_3(m.edge, i, f.ED_HIGH)
        if squared_distance_of_boxes(low_a, high_a, low, high) >= far:
            continue
        start = add_matrix_vector(p, R, read_3(m.edge, i, f.ED_START))
        span = matrix_times(R, read_3(m.edge, i, f.ED_SPAN))
        if dot(n, start) + min(dot(n, span), 0.0) > top + reach + sure:
            continue
        low, high = box_of_ends(start, add_3(start, span))
        for j in range(near):
            k = int(d.touch_edge[j])
            other_low, other_high = read_3(m.edge, k, f.ED_LOW), read_3(m.edge, k, f.ED_HIGH)
            if squared_distance_of_boxes(low, high, other_low, other_high) >= far:
                continue
            if parallel(span, read_3(m.edge, k, f.ED_SPAN)):
                continue
            number = behind + (i - first) * m.solid[a, f.SO_EDGES] + k - m.solid[a, f.SO_EDGE]
            count = crossed_edges(m, d, e, p, motion, start, span, rb, k, number, count)
    return count


@helper
def crossed_edges(m, d, e, p, motion, start, span, rb, k, number, count):
    """Add an edge of b, from `start` along `span`, across edge k of a."""
    other, way, ra = read_3(m.edge, k, f.ED_START), read_3(m.edge, k, f.ED_SPAN), m.edge[k, f.ED_RADIUS]
    t, u, sine = closest_on_segments(start, span, other, way)
    x = along(start, t, span)
    gap = subtract_3(x, along(other, u, way))
    square = dot(gap, gap)
    if square >= (ra + rb) * (ra + rb) or square < 1e-24:
        return count
    apart = math.sqrt(square)
    s, n = ra + rb - apart, scale_3(1.0 / apart, gap)
    # W and the torque of its gradient, 2 cos / sin dW / dsin^2 about the common perpendicular
    weight = sine / (sine + PARALLEL)
    lengths = math.sqrt(dot(span, span) * dot(way, way))
    slope = 2.0 * dot(span, way) / (lengths * lengths) * PARALLEL / ((sine + PARALLEL) * sine)
    twist = scale_3(slope, cross(span, way))
    at = along(x, 0.5 * s - rb, n)
    return add_feature(m, d, e, p, motion, s, weight, at, n, min(ra, rb), ZERO_3, twist, number, count)
