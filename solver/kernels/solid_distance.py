"""Signed distance of a point from the convex core of a solid, with its gradient: the outward normal n, |n| = 1.

Outside a core the distance is continuously differentiable. Inside it is that of the nearest face, and its gradient
jumps from face to face: solids touch within their roundings. Points and normals are in the axes of the solid.
"""

from __future__ import annotations

import math

from ..codegen.jit import helper, inlined
from . import model_data as f
from .small_matrices import ZERO_3, add_3, cross, dot, read_3, scale_3, subtract_3


@inlined
def outward(x):
    """Sign of a coordinate: the side of the middle on which it lies."""
    return -1.0 if x < 0.0 else 1.0


@inlined
def box_distance(half, x):
    """Distance from a box of these half extents (d, nx, ny, nz)."""
    qx, qy, qz = abs(x[0]) - half[0], abs(x[1]) - half[1], abs(x[2]) - half[2]
    if qx <= 0.0 and qy <= 0.0 and qz <= 0.0:
        if qx >= qy and qx >= qz:
            return qx, outward(x[0]), 0.0, 0.0
        if qy >= qz:
            return qy, 0.0, outward(x[1]), 0.0
        return qz, 0.0, 0.0, outward(x[2])
    ox, oy, oz = max(qx, 0.0), max(qy, 0.0), max(qz, 0.0)
    d = math.sqrt(ox * ox + oy * oy + oz * oz)
    return d, outward(x[0]) * ox / d, outward(x[1]) * oy / d, outward(x[2]) * oz / d


@helper
def segment_distance(half, x):
    """Distance from the segment |z| <= half of the z axis (d, nx, ny, nz); without a length that of a point."""
    z = x[2] - min(max(x[2], -half), half)
    square = x[0] * x[0] + x[1] * x[1] + z * z
    if not square > 0.0:
        return 0.0, 0.0, 0.0, 1.0
    d = math.sqrt(square)
    return d, x[0] / d, x[1] / d, z / d


@helper
def cylinder_distance(radius, half, x):
    """Distance from a cylinder about z, |z| <= half (d, nx, ny, nz)."""
    square = x[0] * x[0] + x[1] * x[1]
    rho = math.sqrt(square) if square > 0.0 else 0.0
    inv = 1.0 / rho if rho > 0.0 else 0.0
    qr, qz = rho - radius, abs(x[2]) - half
    if qr <= 0.0 and qz <= 0.0:
        if qr >= qz:
            return qr, x[0] * inv, x[1] * inv, 0.0
        return qz, 0.0, 0.0, outward(x[2])
    across, along = max(qr, 0.0), max(qz, 0.0)
    d = math.sqrt(across * across + along * along)
    return d, across / d * x[0] * inv, across / d * x[1] * inv, outward(x[2]) * along / d


@helper
def widest_face(m, s, x):
    """Face from whose plane a point is furthest outside, and that distance; below zero within the polyhedron."""
    first = m.solid[s, f.SO_FACE]
    most, widest = -1e300, first
    for k in range(first, first + m.solid[s, f.SO_FACES]):
        h = dot(read_3(m.face, k, f.FA_NORMAL), x) - m.face[k, f.FA_DISTANCE]
        if h > most:
            most, widest = h, k
    return widest, most


@helper
def nearest_of_face(m, k, x, h, nearest, gap, ridge):
    """Vector from the closest point of face k, its square and the edge on which that lies, where it is the nearest.

    Where it is not, they stay `gap`, `nearest` and `ridge`. h is the distance from the face's plane; the fourth value
    is True if the foot lies in the face. The edge is a unit vector, zero at a corner.
    """
    n = read_3(m.face, k, f.FA_NORMAL)
    inside = True
    begin, count = m.face_loop[k, f.LO_FIRST], m.face_loop[k, f.LO_COUNT]
    for j in range(count):
        a = read_3(m.corner, m.loop[begin + j], 0)
        edge = subtract_3(read_3(m.corner, m.loop[begin + (j + 1) % count], 0), a)
        w = subtract_3(x, a)
        if dot(cross(edge, w), n) < 0.0:
            inside = False
            length = dot(edge, edge)
            t = min(max(dot(edge, w) / length, 0.0), 1.0)
            q = subtract_3(w, scale_3(t, edge))
            square = dot(q, q)
            if square < nearest:
                nearest, gap = square, q
                ridge = scale_3(1.0 / math.sqrt(length), edge) if 0.0 < t < 1.0 else ZERO_3
    if inside:
        nearest, gap = h * h, scale_3(h, n)
    return gap, nearest, ridge, inside


@helper
def closest_on_hull(m, s, x):
    """Signed distance from a polyhedron, its gradient, the edge on which the closest point lies, and True if in a face.

    The nearest of the faces that see the point and of their edges. Where the foot on the widest face lies in it, that
    is the closest point.
    """
    widest, most = widest_face(m, s, x)
    if most <= 0.0:
        return most, read_3(m.face, widest, f.FA_NORMAL), ZERO_3, True
    gap, nearest, ridge, inside = nearest_of_face(m, widest, x, most, 1e300, ZERO_3, ZERO_3)
    if not inside:
        first = m.solid[s, f.SO_FACE]
        for k in range(first, first + m.solid[s, f.SO_FACES]):
            h = dot(read_3(m.face, k, f.FA_NORMAL), x) - m.face[k, f.FA_DISTANCE]
            if k != widest and h > 0.0 and h * h < nearest:
                gap, nearest, ridge, flat = nearest_of_face(m, k, x, h, nearest, gap, ridge)
                inside = inside or flat
    d = math.sqrt(nearest)
    return d, scale_3(1.0 / d, gap), ridge, inside


@helper
def hull_distance(m, s, x):
    """Distance from a polyhedron (d, nx, ny, nz)."""
    d, n, _, _ = closest_on_hull(m, s, x)
    return d, n[0], n[1], n[2]


@inlined
def flat_distance(m, s, x):
    """Distance from a sphere's, capsule's, box's or plane's core."""
    kind = m.solid[s, f.SO_KIND]
    if kind == f.BOX:
        return box_distance(read_3(m.solid_value, s, f.SO_HALF), x)
    if kind == f.PLANE:
        return x[2], 0.0, 0.0, 1.0
    return segment_distance(m.solid_value[s, f.SO_HALF + 2], x)


@helper
def round_distance(m, s, x):
    """Distance from a core that is no hull's."""
    if m.solid[s, f.SO_KIND] == f.CYLINDER:
        return cylinder_distance(m.solid_value[s, f.SO_HALF], m.solid_value[s, f.SO_HALF + 2], x)
    return flat_distance(m, s, x)


@helper
def hull_or_flat_distance(m, s, x):
    """Distance from any core but a cylinder's."""
    if m.solid[s, f.SO_KIND] == f.HULL:
        return hull_distance(m, s, x)
    return flat_distance(m, s, x)


@helper
def any_distance(m, s, x):
    """Distance from any core."""
    if m.solid[s, f.SO_KIND] == f.HULL:
        return hull_distance(m, s, x)
    return round_distance(m, s, x)


@helper
def turned_on_box(m, s, x, gap, n, way):
    """H w of a box's or capsule's core: across n, along the axes in which x lies outside, over the distance."""
    wx, wy, wz = way
    if m.solid[s, f.SO_KIND] == f.BOX:
        wx = wx if abs(x[0]) > m.solid_value[s, f.SO_HALF] else 0.0
        wy = wy if abs(x[1]) > m.solid_value[s, f.SO_HALF + 1] else 0.0
    if abs(x[2]) <= m.solid_value[s, f.SO_HALF + 2]:
        wz = 0.0
    along_n = n[0] * wx + n[1] * wy + n[2] * wz
    return (wx - along_n * n[0]) / gap, (wy - along_n * n[1]) / gap, (wz - along_n * n[2]) / gap


@helper
def turned_on_cylinder(half, x, gap, n, way):
    """H w of a cylinder: across its meridian over the radius at x, along it over the distance at a rim."""
    rho = math.sqrt(x[0] * x[0] + x[1] * x[1]) if x[0] != 0.0 or x[1] != 0.0 else 0.0
    across = n[0] * n[0] + n[1] * n[1]
    if not rho > 0.0 or not across > 0.0:
        return ZERO_3
    out = x[0] / rho, x[1] / rho
    radial = n[0] * out[0] + n[1] * out[1]
    turn = (out[0] * way[1] - out[1] * way[0]) * radial / rho
    bend = 0.0
    if abs(x[2]) > half:
        # along the meridian (-n_z r, n_r)
        bend = (radial * way[2] - n[2] * (out[0] * way[0] + out[1] * way[1])) / gap
    return -turn * out[1] - bend * n[2] * out[0], turn * out[0] - bend * n[2] * out[1], bend * radial


@helper
def turned_on_round(m, s, x, gap, n, way):
    """Change of the normal of any core but a hull's at x outside it per motion along `way`: H w, H the Hessian of the
    distance.
    """
    kind = m.solid[s, f.SO_KIND]
    if kind == f.PLANE or not gap > 0.0:
        return ZERO_3
    if kind == f.CYLINDER:
        return turned_on_cylinder(m.solid_value[s, f.SO_HALF + 2], x, gap, n, way)
    return turned_on_box(m, s, x, gap, n, way)


@helper
def turned_on_any(m, s, x, gap, n, way):
    """Change of the normal of any core at x outside it per motion along `way`."""
    if m.solid[s, f.SO_KIND] != f.HULL:
        return turned_on_round(m, s, x, gap, n, way)
    _, _, ridge, flat = closest_on_hull(m, s, x)
    if flat or not gap > 0.0:
        return ZERO_3
    across = subtract_3(way, add_3(scale_3(dot(n, way), n), scale_3(dot(ridge, way), ridge)))
    return scale_3(1.0 / gap, across)


@helper
def closest_on_segments(a, d, b, e):
    """Closest points a + t d and b + u e of two segments, t and u in [0, 1], and sin^2 of their angle.

    Ericson (2005), Real-Time Collision Detection, section 5.1.9.
    """
    r = subtract_3(a, b)
    dd, ee, er, dr, de = dot(d, d), dot(e, e), dot(e, r), dot(d, r), dot(d, e)
    wide = dd * ee - de * de
    t = 0.0
    if wide > 1e-14 * dd * ee:
        t = min(max((de * er - dr * ee) / wide, 0.0), 1.0)
    u = (de * t + er) / ee
    if u < 0.0:
        u = 0.0
        t = min(max(-dr / dd, 0.0), 1.0)
    elif u > 1.0:
        u = 1.0
        t = min(max((de - dr) / dd, 0.0), 1.0)
    return t, u, max(wide / (dd * ee), 0.0)


@inlined
def along(x, t, d):
    """x + t d."""
    return add_3(x, scale_3(t, d))
