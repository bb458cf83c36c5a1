"""Inertia of a flexible body at its deformation, to the second order of its modal coordinates (`flexible_body.py`).

Sums over pairs of modes are the only work that grows with the square of their number; the table lies in the order in
which they pass over it.
"""

from __future__ import annotations

from ..codegen.jit import INTEGER, entry_point, inlined
from . import model_data as f
from .model_data import Data, Model
from .small_matrices import (
    add_3,
    add_6,
    add_scaled_4,
    add_symmetric_vector,
    cross,
    matrix_times,
    read_3,
    read_6,
    read_9,
    rotate_symmetric,
    scale_3,
    subtract_3,
    symmetric_times,
    transposed_times,
    write_3,
    write_6,
)

ZERO_4 = (0.0, 0.0, 0.0, 0.0)
ZERO_12 = (ZERO_4, ZERO_4, ZERO_4)


@inlined
def twelve(T, g, i, e):
    """T[g, i, e:e + 12] by fours."""
    return (
        (T[g, i, e], T[g, i, e + 1], T[g, i, e + 2], T[g, i, e + 3]),
        (T[g, i, e + 4], T[g, i, e + 5], T[g, i, e + 6], T[g, i, e + 7]),
        (T[g, i, e + 8], T[g, i, e + 9], T[g, i, e + 10], T[g, i, e + 11]),
    )


@inlined
def add_scaled_12(x, k, y):
    """x + k y of twelve numbers by fours."""
    return add_scaled_4(x[0], k, y[0]), add_scaled_4(x[1], k, y[1]), add_scaled_4(x[2], k, y[2])


@inlined
def write_12(S, b, e, x):
    """S[b, e:e + 12] = x."""
    S[b, e], S[b, e + 1], S[b, e + 2], S[b, e + 3] = x[0]
    S[b, e + 4], S[b, e + 5], S[b, e + 6], S[b, e + 7] = x[1]
    S[b, e + 8], S[b, e + 9], S[b, e + 10], S[b, e + 11] = x[2]


@inlined
def sums_over_pairs(m, d, b):
    """sum eta_i J_2,ij (6), sum eta_i A_ij and sum eta_i' A_ij (3) of each mode j, to `pair_sums` and `spin_sums`; four
    modes j at once, in the order of the table.
    """
    T, M = m.modal_pairs, d.modal
    fours, rate = m.modal_inertia.shape[1] >> 2, b + m.flex.shape[0]
    for k in range(fours):
        g, r, s, t, u = b * fours + k, ZERO_12, ZERO_12, ZERO_12, ZERO_12
        for i in range(T.shape[1]):
            x, spins = M[b, f.ETA, i], twelve(T, g, i, 24)
            r, s = add_scaled_12(r, x, twelve(T, g, i, 0)), add_scaled_12(s, x, twelve(T, g, i, 12))
            t, u = add_scaled_12(t, x, spins), add_scaled_12(u, M[b, f.ETA_RATE, i], spins)
        write_12(d.pair_sums, b, 24 * k, r)
        write_12(d.pair_sums, b, 24 * k + 12, s)
        write_12(d.spin_sums, b, 12 * k, t)
        write_12(d.spin_sums, rate, 12 * k, u)


@inlined
def deformed_inertia(m, d, b, k, w):
    """J(eta) - J_0, 2 sum eta_j' J_j(eta), C_t eta, C_r eta' and C_t eta' of body b that turns with w, in its axes.

    Its columns C of `modal_columns`, from k on, and MODAL_BIAS, 2 w . sum eta_i' A_ij - w . J_j(eta) w.
    """
    K, S, W, M, G = m.modal_inertia, d.pair_sums, d.spin_sums, d.modal, d.modal_columns
    rate = b + m.flex.shape[0]
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = 2.0 * w[0] * w[1], 2.0 * w[0] * w[2], 2.0 * w[1] * w[2]
    a0 = a1 = a2 = a3 = a4 = a5 = 0.0
    b0 = b1 = b2 = b3 = b4 = b5 = 0.0
    h0 = h1 = h2 = s0 = s1 = s2 = p0 = p1 = p2 = 0.0
    for j in range(K.shape[1]):
        x, v, o, e = M[b, f.ETA, j], M[b, f.ETA_RATE, j], 6 * j, 3 * j
        k0, k1, k2 = K[b, j, f.J_1], K[b, j, f.J_1 + 1], K[b, j, f.J_1 + 2]
        k3, k4, k5 = K[b, j, f.J_1 + 3], K[b, j, f.J_1 + 4], K[b, j, f.J_1 + 5]
        y0, y1, y2 = k0 + S[b, o], k1 + S[b, o + 1], k2 + S[b, o + 2]
        y3, y4, y5 = k3 + S[b, o + 3], k4 + S[b, o + 4], k5 + S[b, o + 5]
        # J(eta) = J_0 + sum eta_j (J_1,j + J_j(eta)), J_j(eta) = J_1,j + sum eta_i J_2,ij
        a0, a1, a2 = a0 + x * (k0 + y0), a1 + x * (k1 + y1), a2 + x * (k2 + y2)
        a3, a4, a5 = a3 + x * (k3 + y3), a4 + x * (k4 + y4), a5 + x * (k5 + y5)
        b0, b1, b2, b3, b4, b5 = b0 + v * y0, b1 + v * y1, b2 + v * y2, b3 + v * y3, b4 + v * y4, b5 + v * y5
        coriolis = w[0] * W[rate, e] + w[1] * W[rate, e + 1] + w[2] * W[rate, e + 2]
        M[b, f.MODAL_BIAS, j] = 2.0 * coriolis - (xx * y0 + yy * y1 + zz * y2 + xy * y3 + xz * y4 + yz * y5)
        # C_r(eta) = C_r + sum eta_i A_ij
        c0, c1, c2 = (
            K[b, j, f.C_R] + W[b, e],
            K[b, j, f.C_R + 1] + W[b, e + 1],
            K[b, j, f.C_R + 2] + W[b, e + 2],
        )
        t0, t1, t2 = K[b, j, f.C_T], K[b, j, f.C_T + 1], K[b, j, f.C_T + 2]
        h0, h1, h2 = h0 + x * t0, h1 + x * t1, h2 + x * t2
        s0, s1, s2 = s0 + v * c0, s1 + v * c1, s2 + v * c2
        p0, p1, p2 = p0 + v * t0, p1 + v * t1, p2 + v * t2
        G[b, j, k], G[b, j, k + 1], G[b, j, k + 2] = c0, c1, c2
        G[b, j, k + 3], G[b, j, k + 4], G[b, j, k + 5] = t0, t1, t2
    change = a0, a1, a2, a3, a4, a5
    rates = 2.0 * b0, 2.0 * b1, 2.0 * b2, 2.0 * b3, 2.0 * b4, 2.0 * b5
    return change, rates, (h0, h1, h2), (s0, s1, s2), (p0, p1, p2)


@entry_point(Model, Data, INTEGER)
def flexible_inertia(m, d, b):
    """m, h, J and bias wrench of body b at its deformation, to its row in W; MODAL_BIAS and the columns C of its
    modes.
    """
    i = m.flex[b, f.X_ROW]
    R = read_9(d.row, i, f.R_WB)
    w = transposed_times(R, read_3(d.row, i, f.TWIST))
    sums_over_pairs(m, d, b)
    change, rate, shift, spin, slide = deformed_inertia(m, d, b, 6 * m.flex[b, f.X_FACES], w)
    J = add_6(read_6(m.row, i, f.BODY_INERTIA), change)
    h = add_3(read_3(m.row, i, f.BODY_FIRST_MOMENT), shift)
    # torque = w x (J w + C_r eta') + 2 sum eta_j' J_j w, force = w x (w x h + 2 C_t eta')
    torque = cross(w, add_3(symmetric_times(J, w), spin))
    torque = add_symmetric_vector(torque, rate, w)
    force = cross(w, add_3(cross(w, h), scale_3(2.0, slide)))
    d.row[i, f.MASS] = m.row[i, f.BODY_MASS]
    write_3(d.row, i, f.FIRST_MOMENT, matrix_times(R, h))
    write_6(d.row, i, f.INERTIA, rotate_symmetric(R, J))
    torque = subtract_3(matrix_times(R, torque), read_3(d.row, i, f.WRENCH_EXT))
    force = subtract_3(matrix_times(R, force), read_3(d.row, i, f.WRENCH_EXT + f.LINEAR))
    write_3(d.row, i, f.BIAS_WRENCH, torque)
    write_3(d.row, i, f.BIAS_WRENCH + f.LINEAR, force)
