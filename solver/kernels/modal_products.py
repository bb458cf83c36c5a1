"""Products over the modes of a flexible body of its columns B (interfaces), C = (C_r; C_t) and q (efforts).

Shapes at interfaces and C_t are constant, and so are their products: B_r = T Phi_r with T = c (1 + [theta] / 2) of the
interface's turn theta (`flexible_body.face_pose`). Only C_r, which follows the deformation, and q ask for sums in each
evaluation: four rows instead of all, linear in the modes. With weights of the modes (implicit steps) all are summed.
"""

from __future__ import annotations

from ..codegen.jit import inlined
from . import model_data as f
from .small_matrices import add_scaled_4


@inlined
def face_turn(d, p):
    """c and c theta / 2 of T (x, y, z) = c (x, y, z) + (c theta / 2) x (x, y, z) at interface p."""
    c = d.face_turn[p, f.FACE_C]
    h = 0.5 * c
    return c, h * d.face_turn[p, 0], h * d.face_turn[p, 1], h * d.face_turn[p, 2]


@inlined
def products_of_shapes(m, d, b, s):
    """B B^T, B C_t^T and C_t C_t^T of body b, from `Model.shape_products`; s columns B."""
    K, P, first = m.shape_products, d.gram, m.flex[b, f.X_FACE]
    for o in range(0, s, 6):
        c, hx, hy, hz = face_turn(d, first + o // 6)
        for e in range(s + 6):
            x, y, z = K[b, o, e], K[b, o + 1, e], K[b, o + 2, e]
            P[b, o, e] = c * x + (hy * z - hz * y)
            P[b, o + 1, e] = c * y + (hz * x - hx * z)
            P[b, o + 2, e] = c * z + (hx * y - hy * x)
        for r in range(3, 6):
            for e in range(s + 6):
                P[b, o + r, e] = K[b, o + r, e]
    for o in range(0, s, 6):
        c, hx, hy, hz = face_turn(d, first + o // 6)
        for r in range(s):
            x, y, z = P[b, r, o], P[b, r, o + 1], P[b, r, o + 2]
            P[b, r, o] = c * x + (hy * z - hz * y)
            P[b, r, o + 1] = c * y + (hz * x - hx * z)
            P[b, r, o + 2] = c * z + (hx * y - hy * x)
    for r in range(s + 3, s + 6):
        for e in range(s + 3, s + 6):
            P[b, r, e] = K[b, r, e]


@inlined
def four(A, b, r, e):
    """A[b, r, e:e + 4]."""
    return A[b, r, e], A[b, r, e + 1], A[b, r, e + 2], A[b, r, e + 3]


@inlined
def write_four(A, b, r, e, x):
    """A[b, r, e:e + 4] = x."""
    A[b, r, e], A[b, r, e + 1], A[b, r, e + 2], A[b, r, e + 3] = x[0], x[1], x[2], x[3]


@inlined
def sums_over_modes(G, P, b, c, r):
    """Products of the columns c and r with all, to their rows of P; four columns at once."""
    for k in range(P.shape[2] >> 2):
        e = 4 * k
        x = y = (0.0, 0.0, 0.0, 0.0)
        for j in range(G.shape[1]):
            g = four(G, b, j, e)
            x, y = add_scaled_4(x, G[b, j, c], g), add_scaled_4(y, G[b, j, r], g)
        write_four(P, b, c, e, x)
        write_four(P, b, r, e, y)


@inlined
def modal_products(m, d, b, s):
    """Products of the columns of body b in rows B and C of `gram`; s columns B."""
    G, P, q = d.modal_columns, d.gram, s + 6
    products_of_shapes(m, d, b, s)
    sums_over_modes(G, P, b, s, s + 1)
    sums_over_modes(G, P, b, s + 2, q)
    for c in range(s):
        P[b, c, s], P[b, c, s + 1], P[b, c, s + 2] = P[b, s, c], P[b, s + 1, c], P[b, s + 2, c]
        P[b, c, q] = P[b, q, c]
    for c in range(s + 3, q):
        P[b, c, q] = P[b, q, c]


@inlined
def weighted_products(G, P, b, s):
    """Products of all columns of slot b, which roots of weights scale, in rows B and C of P."""
    for k in range((s + 6) >> 1):
        sums_over_modes(G, P, b, 2 * k, 2 * k + 1)
