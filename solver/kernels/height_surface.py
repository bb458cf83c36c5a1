"""Surface of a height field: a natural bicubic spline, straight beyond its grid, and distances of points from it.

The foot of a point is the place of the surface that is nearest to it: Newton's method from below the point. It is the
only one while the distance times the curvature of hollows stays below 1, and the distance is then as smooth as the
slope of the surface. All is in the axes of the field.
"""

from __future__ import annotations

import math

from ..codegen.jit import helper, inlined
from . import model_data as f
from .small_matrices import ZERO_3, dot, scale_3, subtract_3

TURNS = 30  # of the search of a foot, which ends after some four
CLOSE = 1e-16  # square of the last turn's way over the spacing
FAR = 1e9  # spacings beyond which a point stands above no node


@inlined
def spacing(m, s, axis):
    """Distance of neighbouring nodes along x (0) or y (1) [m]."""
    return 2.0 * m.solid_value[s, f.SO_HALF + axis] / (m.solid[s, f.SO_NODES_X + axis] - 1)


@helper
def coefficient(m, s, i, j):
    """Coefficient of the spline at node (i, j), which goes on straight beyond the grid [m]."""
    nx, ny = m.solid[s, f.SO_NODES_X], m.solid[s, f.SO_NODES_Y]
    k, l = min(max(i, 0), nx - 2), min(max(j, 0), ny - 2)
    a, b = float(i - k), float(j - l)
    first = m.solid[s, f.SO_HEIGHT] + l * nx + k
    c = m.height
    low = (1.0 - a) * c[first, f.HE_COEFFICIENT] + a * c[first + 1, f.HE_COEFFICIENT]
    high = (1.0 - a) * c[first + nx, f.HE_COEFFICIENT] + a * c[first + nx + 1, f.HE_COEFFICIENT]
    return (1.0 - b) * low + b * high


@inlined
def basis(t):
    """Cubic B-splines at t of a spacing."""
    u = 1.0 - t
    return (
        u * u * u / 6.0,
        (t * t * (3.0 * t - 6.0) + 4.0) / 6.0,
        (u * u * (3.0 * u - 6.0) + 4.0) / 6.0,
        t * t * t / 6.0,
    )


@inlined
def basis_slopes(t):
    """Derivatives of the cubic B-splines at t."""
    u = 1.0 - t
    return -0.5 * u * u, t * (1.5 * t - 2.0), -u * (1.5 * u - 2.0), 0.5 * t * t


@inlined
def basis_bends(t):
    """Second derivatives of the cubic B-splines at t."""
    return 1.0 - t, 3.0 * t - 2.0, 1.0 - 3.0 * t, t


@inlined
def dot_4(a, b):
    """a . b (4)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]


@helper
def node_row(m, s, i, j):
    """Coefficients of the four nodes (i - 1 ... i + 2, j)."""
    nx, ny = m.solid[s, f.SO_NODES_X], m.solid[s, f.SO_NODES_Y]
    if i >= 1 and i + 2 < nx and j >= 0 and j < ny:
        k = m.solid[s, f.SO_HEIGHT] + j * nx + i
        c = m.height
        return (
            c[k - 1, f.HE_COEFFICIENT],
            c[k, f.HE_COEFFICIENT],
            c[k + 1, f.HE_COEFFICIENT],
            c[k + 2, f.HE_COEFFICIENT],
        )
    return (
        coefficient(m, s, i - 1, j),
        coefficient(m, s, i, j),
        coefficient(m, s, i + 1, j),
        coefficient(m, s, i + 2, j),
    )


@helper
def surface(m, s, x, y):
    """Height, slopes along x and y, and second derivatives xx, xy, yy at (x, y)."""
    dx, dy = spacing(m, s, 0), spacing(m, s, 1)
    u, v = (x + m.solid_value[s, f.SO_HALF]) / dx, (y + m.solid_value[s, f.SO_HALF + 1]) / dy
    if not (abs(u) < FAR and abs(v) < FAR):
        return math.nan, math.nan, math.nan, math.nan, math.nan, math.nan
    i, j = math.floor(u), math.floor(v)
    t, w = u - i, v - j
    A, dA, ddA = basis(t), basis_slopes(t), basis_bends(t)
    B, dB, ddB = basis(w), basis_slopes(w), basis_bends(w)
    c0, c1 = node_row(m, s, i, j - 1), node_row(m, s, i, j)
    c2, c3 = node_row(m, s, i, j + 1), node_row(m, s, i, j + 2)
    rows = dot_4(A, c0), dot_4(A, c1), dot_4(A, c2), dot_4(A, c3)
    sloped = dot_4(dA, c0), dot_4(dA, c1), dot_4(dA, c2), dot_4(dA, c3)
    bent = dot_4(ddA, c0), dot_4(ddA, c1), dot_4(ddA, c2), dot_4(ddA, c3)
    return (
        dot_4(B, rows),
        dot_4(B, sloped) / dx,
        dot_4(dB, rows) / dy,
        dot_4(B, bent) / (dx * dx),
        dot_4(dB, sloped) / (dx * dy),
        dot_4(ddB, rows) / (dy * dy),
    )


@helper
def foot_of(m, s, x):
    """Place (u, v) of the foot of a point."""
    u, v = x[0], x[1]
    least = spacing(m, s, 0) * spacing(m, s, 1)
    for turn in range(TURNS):
        h, p, q, r, mixed, t = surface(m, s, u, v)
        below = h - x[2]
        # half the square of the distance: its slopes, and its second derivatives, at first without the surface's
        gu, gv = u - x[0] + below * p, v - x[1] + below * q
        a, b, c = 1.0 + p * p, p * q, 1.0 + q * q
        full_a, full_b, full_c = a + below * r, b + below * mixed, c + below * t
        if turn > 0 and full_a > 0.0 and full_a * full_c - full_b * full_b > 0.0:
            a, b, c = full_a, full_b, full_c
        det = a * c - b * b
        du, dv = (c * gu - b * gv) / det, (a * gv - b * gu) / det
        u, v = u - du, v - dv
        if not du * du + dv * dv > CLOSE * least:
            break
    return u, v


@helper
def ground_distance(m, s, x):
    """Signed distance of a point from the surface, above zero over it (d, nx, ny, nz); n at the foot."""
    u, v = foot_of(m, s, x)
    h, p, q, _, _, _ = surface(m, s, u, v)
    inv = 1.0 / math.sqrt(1.0 + p * p + q * q)
    n = -p * inv, -q * inv, inv
    return dot(n, subtract_3(x, (u, v, h))), n[0], n[1], n[2]


@helper
def turned_on_ground(m, s, x, gap, n, way):
    """Change of the normal at the foot of x per motion of x along `way`.

    The foot moves by A^-1 (w_x + p w_z, w_y + q w_z), A the second derivatives of half the squared distance.
    """
    u, v = foot_of(m, s, x)
    h, p, q, r, mixed, t = surface(m, s, u, v)
    below = h - x[2]
    a, b, c = 1.0 + p * p + below * r, p * q + below * mixed, 1.0 + q * q + below * t
    det = a * c - b * b
    if not det > 0.0:
        return ZERO_3
    gu, gv = way[0] + p * way[2], way[1] + q * way[2]
    du, dv = (c * gu - b * gv) / det, (a * gv - b * gu) / det
    inv = 1.0 / math.sqrt(1.0 + p * p + q * q)
    bend = -(r * du + mixed * dv) * inv, -(mixed * du + t * dv) * inv, 0.0
    return subtract_3(bend, scale_3(dot(n, bend), n))


@helper
def over_grid(m, s, x, reach):
    """True if a point and all that is closer to it than `reach` lie over the grid."""
    return (
        abs(x[0]) + reach < m.solid_value[s, f.SO_HALF]
        and abs(x[1]) + reach < m.solid_value[s, f.SO_HALF + 1]
    )


@helper
def above_reach(m, s, x, reach):
    """True if a point is so high above the surface that it is further away than `reach`, by the steepest slope."""
    if not over_grid(m, s, x, reach):
        return False
    h, _, _, _, _, _ = surface(m, s, x[0], x[1])
    return x[2] - h > reach * m.solid_value[s, f.SO_HALF + 2]


@helper
def first_node(m, s, axis, x):
    """Number of the first node along x (0) or y (1) that is at x or beyond, within the grid's numbers."""
    last = m.solid[s, f.SO_NODES_X + axis] - 1
    u = (x + m.solid_value[s, f.SO_HALF + axis]) / spacing(m, s, axis)
    return math.ceil(min(max(u, 0.0), float(last))) if u <= last else last + 1


@helper
def last_node(m, s, axis, x):
    """Number of the last node along x (0) or y (1) that is at x or before; -1 if there is none."""
    u = (x + m.solid_value[s, f.SO_HALF + axis]) / spacing(m, s, axis)
    return math.floor(min(u, m.solid[s, f.SO_NODES_X + axis] - 1.0)) if u >= 0.0 else -1


@helper
def highest(m, s, x0, x1, y0, y1):
    """Upper bound of the surface over a rectangle within the grid: the largest coefficient that bears on it."""
    nx, ny = m.solid[s, f.SO_NODES_X], m.solid[s, f.SO_NODES_Y]
    most = -math.inf
    for j in range(max(last_node(m, s, 1, y0) - 1, -1), min(first_node(m, s, 1, y1) + 1, ny) + 1):
        for i in range(max(last_node(m, s, 0, x0) - 1, -1), min(first_node(m, s, 0, x1) + 1, nx) + 1):
            most = max(most, coefficient(m, s, i, j))
    return most
