"""Distance of two convex cores by the algorithm of Gilbert, Johnson and Keerthi (1988), with its closest points.

The simplex lies in `Data.touch_point`. Row 2 k holds the difference w = x_b - x_a of its point k, and behind it the
share of that point in the nearest one to the origin; row 2 k + 1 the point x_a. All is in the axes of solid a.
"""

from __future__ import annotations

import math

from ..codegen.jit import helper, inlined
from . import model_data as f
from .small_matrices import (
    ZERO_3,
    add_3,
    add_matrix_vector,
    cross,
    dot,
    read_3,
    scale_3,
    subtract_3,
    transposed_times,
    write_3,
)

TURNS = 100  # of the search, which ends after some ten
CLOSE = 1e-14  # relative gap of the bounds of the squared distance at which it ends
FLAT = 1e-24  # squared volume of a tetrahedron over its edges' sixth power below which it has none


@helper
def farthest_of_loop(m, k, way):
    """Corner of triangle k of a surface that is farthest along `way`."""
    first = m.face_loop[k, f.LO_FIRST]
    best = m.loop[first]
    most = dot(read_3(m.corner, best, 0), way)
    for j in range(first + 1, first + m.face_loop[k, f.LO_COUNT]):
        along = dot(read_3(m.corner, m.loop[j], 0), way)
        if along > most:
            best, most = m.loop[j], along
    return read_3(m.corner, best, 0)


@helper
def farthest_corner(m, s, piece, way):
    """Point of a core, or of triangle `piece` of a surface, that is farthest along `way`, all in the solid's axes."""
    if m.solid[s, f.SO_KIND] == f.SURFACE:
        return farthest_of_loop(m, piece, way)
    if m.solid[s, f.SO_KIND] == f.CYLINDER:
        square = way[0] * way[0] + way[1] * way[1]
        out = m.solid_value[s, f.SO_HALF] / math.sqrt(square) if square > 0.0 else 0.0
        half = m.solid_value[s, f.SO_HALF + 2]
        return out * way[0], out * way[1], -half if way[2] < 0.0 else half
    first = m.solid[s, f.SO_CORNER]
    best, most = first, dot(read_3(m.corner, first, 0), way)
    for j in range(first + 1, first + m.solid[s, f.SO_CORNERS]):
        along = dot(read_3(m.corner, j, 0), way)
        if along > most:
            best, most = j, along
    return read_3(m.corner, best, 0)


@inlined
def on_segment(a, b):
    """Shares of a and b in the point of their segment that is nearest to the origin."""
    d = subtract_3(b, a)
    square = dot(d, d)
    t = min(max(-dot(a, d) / square, 0.0), 1.0) if square > 0.0 else 0.0
    return 1.0 - t, t


@helper
def on_triangle(a, b, c):
    """Shares of a, b and c in the point of their triangle that is nearest to the origin.

    Ericson (2005), Real-Time Collision Detection, section 5.1.5.
    """
    ab, ac = subtract_3(b, a), subtract_3(c, a)
    d1, d2 = -dot(ab, a), -dot(ac, a)
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    d3, d4 = -dot(ab, b), -dot(ac, b)
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / (d1 - d3)
        return 1.0 - t, t, 0.0
    d5, d6 = -dot(ab, c), -dot(ac, c)
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / (d2 - d6)
        return 1.0 - t, 0.0, t
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 >= d3 and d5 >= d6:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return 0.0, 1.0 - t, t
    inv = 1.0 / (va + vb + vc)
    return va * inv, vb * inv, vc * inv


@inlined
def blend(shares, a, b, c):
    """Point of a triangle with these shares of its corners."""
    return add_3(add_3(scale_3(shares[0], a), scale_3(shares[1], b)), scale_3(shares[2], c))


@helper
def on_tetrahedron(a, b, c, d):
    """Shares of a, b, c and d in the point of their tetrahedron nearest to the origin; all above zero inside it."""
    ab, ac, ad = subtract_3(b, a), subtract_3(c, a), subtract_3(d, a)
    volume = dot(cross(ab, ac), ad)
    inv = 1.0 / volume if volume != 0.0 else 0.0
    # barycentric coordinates of the origin
    sb, sc, sd = -dot(cross(ac, ad), a) * inv, -dot(cross(ad, ab), a) * inv, -dot(cross(ab, ac), a) * inv
    sa = 1.0 - sb - sc - sd
    long = max(dot(ab, ab), dot(ac, ac), dot(ad, ad))
    flat = not volume * volume > FLAT * long * long * long
    if not flat and sa > 0.0 and sb > 0.0 and sc > 0.0 and sd > 0.0:
        return sa, sb, sc, sd
    least, best = 1e300, (1.0, 0.0, 0.0, 0.0)
    if flat or sd <= 0.0:
        s = on_triangle(a, b, c)
        x = blend(s, a, b, c)
        if dot(x, x) < least:
            least, best = dot(x, x), (s[0], s[1], s[2], 0.0)
    if flat or sb <= 0.0:
        s = on_triangle(a, c, d)
        x = blend(s, a, c, d)
        if dot(x, x) < least:
            least, best = dot(x, x), (s[0], 0.0, s[1], s[2])
    if flat or sc <= 0.0:
        s = on_triangle(a, b, d)
        x = blend(s, a, b, d)
        if dot(x, x) < least:
            least, best = dot(x, x), (s[0], s[1], 0.0, s[2])
    if flat or sa <= 0.0:
        s = on_triangle(b, c, d)
        x = blend(s, b, c, d)
        if dot(x, x) < least:
            least, best = dot(x, x), (0.0, s[0], s[1], s[2])
    return best


@helper
def nearest_of_simplex(points, count):
    """Write the shares of a simplex's points in that of it which is nearest to the origin; True if that lies inside."""
    a = read_3(points, 0, 0)
    sa, sb, sc, sd = 1.0, 0.0, 0.0, 0.0
    if count == 2:
        sa, sb = on_segment(a, read_3(points, 2, 0))
    elif count == 3:
        sa, sb, sc = on_triangle(a, read_3(points, 2, 0), read_3(points, 4, 0))
    elif count == 4:
        sa, sb, sc, sd = on_tetrahedron(a, read_3(points, 2, 0), read_3(points, 4, 0), read_3(points, 6, 0))
    points[0, 3], points[2, 3], points[4, 3], points[6, 3] = sa, sb, sc, sd
    return count == 4 and sa > 0.0 and sb > 0.0 and sc > 0.0 and sd > 0.0


@helper
def reduce_simplex(points, count):
    """Keep the points with shares above zero; their number, the nearest point w to the origin and its x_a."""
    kept, w, x = 0, ZERO_3, ZERO_3
    for k in range(count):
        share = points[2 * k, 3]
        if share > 0.0:
            own, at = read_3(points, 2 * k, 0), read_3(points, 2 * k + 1, 0)
            w, x = add_3(w, scale_3(share, own)), add_3(x, scale_3(share, at))
            write_3(points, 2 * kept, 0, own)
            write_3(points, 2 * kept + 1, 0, at)
            kept += 1
    return kept, w, x


@helper
def core_distance(m, d, a, piece, b, R, p):
    """Lower bound of the distance of two cores, the vector between its closest points and that on a; 0 if they meet.

    (R, p) is the pose of b in a, `piece` the triangle of a that counts where a is a surface. The bound is below the
    distance by less than `CLOSE` of it.
    """
    points = d.touch_point
    v, x = (p if dot(p, p) > 0.0 else (1.0, 0.0, 0.0)), ZERO_3
    kept, bound, square, begun = 0, 0.0, 1e300, True
    for _ in range(TURNS):
        # point of the difference b - a that is farthest against v
        at = farthest_corner(m, a, piece, v)
        there = farthest_corner(m, b, 0, transposed_times(R, (-v[0], -v[1], -v[2])))
        w = subtract_3(add_matrix_vector(p, R, there), at)
        if square < 1e300:
            bound = max(bound, dot(v, w) / math.sqrt(square))
            if square - bound * bound <= CLOSE * square:
                break
        write_3(points, 2 * kept, 0, w)
        write_3(points, 2 * kept + 1, 0, at)
        if nearest_of_simplex(points, kept + 1):
            return 0.0, ZERO_3, x
        left, near, foot = reduce_simplex(points, kept + 1)
        now = dot(near, near)
        if not now > 0.0:
            return 0.0, ZERO_3, foot
        if now < square:
            kept, v, x, square, begun = left, near, foot, now, False
        elif begun:
            break
        else:
            # a flat simplex, of which rounding finds no nearer point: begin anew from the nearest one
            write_3(points, 0, 0, v)
            write_3(points, 1, 0, x)
            kept, begun = 1, True
    return bound, v, x
