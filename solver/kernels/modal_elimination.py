"""Elimination of the modes of a flexible body in the articulated-body algorithm, in its force form.

With M_e = 1 each mode is an oscillator of its own that only the acceleration a of the body's frame and the wrenches W
of its interfaces on what stands there drive; unknown are these wrenches, six an interface:

    eta'' = q - C^T a - B^T W,   a_f = X a + c_f + B eta'',   W = I_A a_f + p_A

q is the effort left for each mode, C = (C_r; C_t), B the columns of the interfaces, X = [1, 0; -[r], 1]. With
I_A = L L^T of what stands on the interfaces, E = B B^T, Y = X - B C^T and r = c_f + B q - E p_A:

    (1 + L^T E L) h = L^T (Y a + r),   W = p_A + L h
    I_A of the body += - C C^T + (L^T Y)^T (1 + L^T E L)^-1 (L^T Y),   p_A += C q + Y^T (p_A + L h) at a = 0

The classical form factors a matrix of the order of the modes (Jain and Rodriguez, J. Guidance 1992); here all products
are entries of one Gram matrix, so that the cost is linear in the modes. 1 + L^T E L has eigenvalues of at least one:
L D L^T needs no pivots. All in body axes.
"""

from __future__ import annotations

import math

from ..codegen.jit import INTEGER, entry_point, inlined
from . import model_data as f
from .modal_products import four, modal_products, write_four
from .model_data import Data, Model
from .small_matrices import (
    add_6,
    add_9,
    add_matrix_vector,
    add_scaled_4,
    dot,
    matrix_times,
    read_3,
    read_6,
    read_9,
    rotate_general,
    rotate_symmetric,
    scaled_4,
    transposed,
    transposed_times,
    write_3,
    write_6,
    write_9,
)

# added to an articulated inertia that hinges make singular: rounding of its entries, relative to its trace and to what
# hinges took away, which may be much more: a load on a ball joint, its centre of mass far below
SHARE = 1e-14
LEAST = 1e-60  # the same where nothing stands on an interface


@inlined
def eliminated_traces(m, d, p):
    """Traces of U U^T / D that hinges and slides behind interface p took away: of turns [kg m^2], of slides [kg]."""
    turn, slide = 0.0, 0.0
    for s in range(m.segment.shape[0]):
        if m.segment[s, f.SEG_FACE] == p:
            for i in range(m.segment[s, f.SEG_FIRST], m.segment[s, f.SEG_LAST]):
                # 1 / D of rows that are not free is zero
                inv, u, g = d.row[i, f.D_INV], read_3(d.row, i, f.U), read_3(d.row, i, f.U + f.LINEAR)
                turn, slide = turn + inv * dot(u, u), slide + inv * dot(g, g)
    return turn, slide


@inlined
def factor_inertia(L, x, o, J, H, M, gone_turn, gone_slide):
    """L of I_A = L L^T, to the 6 x 6 block at o of slot x; hinges make I_A singular: SHARE of its trace, and of what
    they took away, is added.

    By L' D L'^T, so that no root waits for another.
    """
    turn, slide = (
        SHARE * (abs(J[0] + J[1] + J[2]) + gone_turn) + LEAST,
        SHARE * (abs(M[0] + M[1] + M[2]) + gone_slide) + LEAST,
    )
    a10, a20, a30, a40, a50 = J[3], J[4], H[0], H[1], H[2]
    d0 = J[0] + turn
    inv = 1.0 / d0
    l10, l20, l30, l40, l50 = a10 * inv, a20 * inv, a30 * inv, a40 * inv, a50 * inv
    a21, a31, a41, a51 = J[5] - l10 * a20, H[3] - l10 * a30, H[4] - l10 * a40, H[5] - l10 * a50
    d1 = J[1] + turn - l10 * a10
    inv = 1.0 / d1
    l21, l31, l41, l51 = a21 * inv, a31 * inv, a41 * inv, a51 * inv
    a32 = H[6] - l20 * a30 - l21 * a31
    a42 = H[7] - l20 * a40 - l21 * a41
    a52 = H[8] - l20 * a50 - l21 * a51
    d2 = J[2] + turn - l20 * a20 - l21 * a21
    inv = 1.0 / d2
    l32, l42, l52 = a32 * inv, a42 * inv, a52 * inv
    a43 = M[3] - l30 * a40 - l31 * a41 - l32 * a42
    a53 = M[4] - l30 * a50 - l31 * a51 - l32 * a52
    d3 = M[0] + slide - l30 * a30 - l31 * a31 - l32 * a32
    inv = 1.0 / d3
    l43, l53 = a43 * inv, a53 * inv
    a54 = M[5] - l40 * a50 - l41 * a51 - l42 * a52 - l43 * a53
    d4 = M[1] + slide - l40 * a40 - l41 * a41 - l42 * a42 - l43 * a43
    l54 = a54 / d4
    d5 = M[2] + slide - l50 * a50 - l51 * a51 - l52 * a52 - l53 * a53 - l54 * a54
    r0, r1, r2, r3, r4, r5 = (
        math.sqrt(d0), math.sqrt(d1), math.sqrt(d2), math.sqrt(d3), math.sqrt(d4), math.sqrt(d5)
    )  # fmt: skip
    L[x, o, o], L[x, o + 1, o + 1], L[x, o + 2, o + 2] = r0, r1, r2
    L[x, o + 3, o + 3], L[x, o + 4, o + 4], L[x, o + 5, o + 5] = r3, r4, r5
    L[x, o + 1, o], L[x, o + 2, o], L[x, o + 3, o] = r0 * l10, r0 * l20, r0 * l30
    L[x, o + 4, o], L[x, o + 5, o] = r0 * l40, r0 * l50
    L[x, o + 2, o + 1], L[x, o + 3, o + 1] = r1 * l21, r1 * l31
    L[x, o + 4, o + 1], L[x, o + 5, o + 1] = r1 * l41, r1 * l51
    L[x, o + 3, o + 2], L[x, o + 4, o + 2], L[x, o + 5, o + 2] = r2 * l32, r2 * l42, r2 * l52
    L[x, o + 4, o + 3], L[x, o + 5, o + 3] = r3 * l43, r3 * l53
    L[x, o + 5, o + 4] = r4 * l54


@inlined
def face_articulated_inertia(m, d, b, x, p, Rt):
    """L of I_A and p_A of what stands on interface p, in axes of body b, to slot x of `face_inertia` and to P_FACE."""
    i, o = m.interface[m.flex[b, f.X_FACE] + p, f.FACE_ROW], 6 * p
    J, M = rotate_symmetric(Rt, read_6(d.row, i, f.IA)), rotate_symmetric(Rt, read_6(d.row, i, f.IA_M))
    turn, slide = eliminated_traces(m, d, m.flex[b, f.X_FACE] + p)
    factor_inertia(d.face_inertia, x, o, J, rotate_general(Rt, read_9(d.row, i, f.IA_H)), M, turn, slide)
    t = matrix_times(Rt, read_3(d.row, i, f.pA))
    F = matrix_times(Rt, read_3(d.row, i, f.pA + f.LINEAR))
    for c in range(3):
        d.face_solve[x, o + c, f.P_FACE] = t[c]
        d.face_solve[x, o + 3 + c, f.P_FACE] = F[c]


@inlined
def face_accelerations(m, d, b, x, p, k, Rt):
    """Y of interface p to slot x; Y and r, without E p_A, in place of B C^T and B q in its rows of `gram`."""
    i, o, Y, P = m.interface[m.flex[b, f.X_FACE] + p, f.FACE_ROW], 6 * p, d.face_solve, d.gram
    rx, ry, rz = matrix_times(Rt, read_3(d.row, i, f.p_parent))
    for c in range(6):
        for e in range(6):
            P[x, o + c, k + e] = -P[x, o + c, k + e]
        P[x, o + c, k + c] += 1.0
    P[x, o + 3, k + 1] += rz
    P[x, o + 3, k + 2] -= ry
    P[x, o + 4, k] -= rz
    P[x, o + 4, k + 2] += rx
    P[x, o + 5, k] += ry
    P[x, o + 5, k + 1] -= rx
    for c in range(6):
        for e in range(6):
            Y[x, o + c, e] = P[x, o + c, k + e]
    turn = matrix_times(Rt, read_3(d.row, i, f.VELOCITY_PRODUCT))
    slide = matrix_times(Rt, read_3(d.row, i, f.VELOCITY_PRODUCT + f.LINEAR))
    for c in range(3):
        P[x, o + c, k + 6] += turn[c]
        P[x, o + 3 + c, k + 6] += slide[c]


@inlined
def less_face_loads(d, b, s):
    """r -= E p_A."""
    P, Y = d.gram, d.face_solve
    for c in range(s):
        x = 0.0
        for e in range(s):
            x += P[b, c, e] * Y[b, e, f.P_FACE]
        P[b, c, s + 6] -= x


@inlined
def scale_by_inertia(d, b, faces):
    """L^T (E, Y, r), to `face_half`; four columns at once."""
    P, L, U = d.gram, d.face_inertia, d.face_half
    for p in range(faces):
        o = 6 * p
        for k in range(P.shape[2] >> 2):
            e = 4 * k
            for c in range(6):
                x = scaled_4(L[b, o + c, o + c], four(P, b, o + c, e))
                for j in range(c + 1, 6):
                    x = add_scaled_4(x, L[b, o + j, o + c], four(P, b, o + j, e))
                write_four(U, b, o + c, e, x)


@inlined
def couple_faces(d, b, faces):
    """N = 1 + L^T E L, in place of L^T E in `face_half`; entries of L above its diagonal are zero."""
    L, U = d.face_inertia, d.face_half
    for p in range(faces):
        o = 6 * p
        for c in range(6 * faces):
            x, y, z = scaled_4(U[b, c, o], four(L, b, o, o)), 0.0, 0.0
            for j in range(1, 6):
                u = U[b, c, o + j]
                x, y, z = (
                    add_scaled_4(x, u, four(L, b, o + j, o)),
                    y + u * L[b, o + j, o + 4],
                    z + u * L[b, o + j, o + 5],
                )
            write_four(U, b, c, o, x)
            U[b, c, o + 4], U[b, c, o + 5] = y, z
    for c in range(6 * faces):
        U[b, c, c] += 1.0


@inlined
def uncoupled_inertia(d, b, k):
    """-C C^T and C q + Y^T p_A: J, H, M, t, F of the modes before the interfaces' wrenches are solved for."""
    P, Y = d.gram, d.face_solve
    q = k + 6
    J = (
        -P[b, k, k],
        -P[b, k + 1, k + 1],
        -P[b, k + 2, k + 2],
        -P[b, k, k + 1],
        -P[b, k, k + 2],
        -P[b, k + 1, k + 2],
    )
    H = (
        -P[b, k, k + 3], -P[b, k, k + 4], -P[b, k, k + 5],
        -P[b, k + 1, k + 3], -P[b, k + 1, k + 4], -P[b, k + 1, k + 5],
        -P[b, k + 2, k + 3], -P[b, k + 2, k + 4], -P[b, k + 2, k + 5],
    )  # fmt: skip
    M = (
        -P[b, k + 3, k + 3], -P[b, k + 4, k + 4], -P[b, k + 5, k + 5],
        -P[b, k + 3, k + 4], -P[b, k + 3, k + 5], -P[b, k + 4, k + 5],
    )  # fmt: skip
    t, F = (P[b, k, q], P[b, k + 1, q], P[b, k + 2, q]), (P[b, k + 3, q], P[b, k + 4, q], P[b, k + 5, q])
    for c in range(k):
        w = Y[b, c, f.P_FACE]
        t = t[0] + Y[b, c, 0] * w, t[1] + Y[b, c, 1] * w, t[2] + Y[b, c, 2] * w
        F = F[0] + Y[b, c, 3] * w, F[1] + Y[b, c, 4] * w, F[2] + Y[b, c, 5] * w
    return J, H, M, t, F


@inlined
def solve_faces(d, b, s, J, H, M, t, F):
    """L D L^T of N = 1 + L^T E L; Z_FACE and H_FACE, (L D)^-1 (L^T Y, L^T r); J, H, M, t, F with what they add."""
    N, Y, U = d.face_factor, d.face_solve, d.face_half
    for c in range(s):
        N[b, c, c] = U[b, c, c]
        inv = 1.0 / N[b, c, c]
        z0, z1, z2 = U[b, c, s], U[b, c, s + 1], U[b, c, s + 2]
        z3, z4, z5 = U[b, c, s + 3], U[b, c, s + 4], U[b, c, s + 5]
        h = U[b, c, s + 6]
        x0, x1, x2, x3, x4, x5 = inv * z0, inv * z1, inv * z2, inv * z3, inv * z4, inv * z5
        J = J[0] + x0 * z0, J[1] + x1 * z1, J[2] + x2 * z2, J[3] + x0 * z1, J[4] + x0 * z2, J[5] + x1 * z2
        H = (
            H[0] + x0 * z3, H[1] + x0 * z4, H[2] + x0 * z5,
            H[3] + x1 * z3, H[4] + x1 * z4, H[5] + x1 * z5,
            H[6] + x2 * z3, H[7] + x2 * z4, H[8] + x2 * z5,
        )  # fmt: skip
        M = M[0] + x3 * z3, M[1] + x4 * z4, M[2] + x5 * z5, M[3] + x3 * z4, M[4] + x3 * z5, M[5] + x4 * z5
        t = t[0] + x0 * h, t[1] + x1 * h, t[2] + x2 * h
        F = F[0] + x3 * h, F[1] + x4 * h, F[2] + x5 * h
        for i in range(c + 1, s):
            l = U[b, i, c] * inv
            N[b, i, c] = l
            for k in range(c >> 2, U.shape[2] >> 2):
                e = 4 * k
                write_four(U, b, i, e, add_scaled_4(four(U, b, i, e), -l, four(U, b, c, e)))
        for e in range(7):
            Y[b, c, f.Z_FACE + e] = inv * U[b, c, s + e]
    return J, H, M, t, F


@inlined
def add_eliminated(m, d, b, x, R):
    """Solve for the interfaces' wrenches in slot x, and add what is left of them and of the modes to the row of body
    b.
    """
    i0, faces = m.flex[b, f.X_ROW], max(m.flex[b, f.X_FACES], 0)
    scale_by_inertia(d, x, faces)
    couple_faces(d, x, faces)
    J, H, M, t, F = uncoupled_inertia(d, x, 6 * faces)
    J, H, M, t, F = solve_faces(d, x, 6 * faces, J, H, M, t, F)
    write_6(d.row, i0, f.IA, add_6(read_6(d.row, i0, f.IA), rotate_symmetric(R, J)))
    write_9(d.row, i0, f.IA_H, add_9(read_9(d.row, i0, f.IA_H), rotate_general(R, H)))
    write_6(d.row, i0, f.IA_M, add_6(read_6(d.row, i0, f.IA_M), rotate_symmetric(R, M)))
    write_3(d.row, i0, f.pA, add_matrix_vector(read_3(d.row, i0, f.pA), R, t))
    write_3(d.row, i0, f.pA + f.LINEAR, add_matrix_vector(read_3(d.row, i0, f.pA + f.LINEAR), R, F))


@entry_point(Model, Data, INTEGER)
def eliminate_modes(m, d, b):
    """Add I_A and p_A of what stands on the interfaces of body b, with its modes solved for, to its row."""
    # max: no index is negative, as compiled code can see
    i0, first, faces = m.flex[b, f.X_ROW], m.flex[b, f.X_FIRST], max(m.flex[b, f.X_FACES], 0)
    s = 6 * faces
    R = read_9(d.row, i0, f.R_WB)
    Rt = transposed(R)
    for j in range(m.flex[b, f.X_COUNT]):
        d.modal_columns[b, j, s + 6] = d.row[first + j, f.TAU] - d.modal[b, f.MODAL_BIAS, j]
    modal_products(m, d, b, s)
    for p in range(faces):
        face_articulated_inertia(m, d, b, b, p, Rt)
        face_accelerations(m, d, b, b, p, s, Rt)
    less_face_loads(d, b, s)
    add_eliminated(m, d, b, b, R)


@inlined
def face_wrenches(m, d, b, x):
    """L h of the interfaces of body b, to W_FACE of slot x; h = L^-T y of L D L^T by y in R_FACE, in its place."""
    L, N, Y = d.face_inertia, d.face_factor, d.face_solve
    faces = m.flex[b, f.X_FACES]
    for i in range(6 * faces - 1, 0, -1):
        y = Y[x, i, f.R_FACE]
        for c in range(i):
            Y[x, c, f.R_FACE] -= N[x, i, c] * y
    for p in range(faces):
        o = 6 * p
        for c in range(6):
            w = L[x, o + c, o] * Y[x, o, f.R_FACE]
            for j in range(1, c + 1):
                w += L[x, o + c, o + j] * Y[x, o + j, f.R_FACE]
            Y[x, o + c, f.W_FACE] = w


@inlined
def face_motions(m, d, b, x, alpha, a):
    """h of the interfaces of body b in slot x, whose body moves by (alpha, a) in its axes, and L h."""
    Y = d.face_solve
    for c in range(6 * m.flex[b, f.X_FACES]):
        Y[x, c, f.R_FACE] = Y[x, c, f.H_FACE] + (
            Y[x, c, f.Z_FACE] * alpha[0]
            + Y[x, c, f.Z_FACE + 1] * alpha[1]
            + Y[x, c, f.Z_FACE + 2] * alpha[2]
            + Y[x, c, f.Z_FACE + 3] * a[0]
            + Y[x, c, f.Z_FACE + 4] * a[1]
            + Y[x, c, f.Z_FACE + 5] * a[2]
        )
    face_wrenches(m, d, b, x)


@inlined
def modal_motion(m, d, b, x, j, alpha, a):
    """q - C^T a - B^T W of mode j of body b in slot x; W in W_FACE."""
    G, Y, s = d.modal_columns, d.face_solve, 6 * m.flex[b, f.X_FACES]
    z = G[x, j, s + 6]
    z -= G[x, j, s] * alpha[0] + G[x, j, s + 1] * alpha[1] + G[x, j, s + 2] * alpha[2]
    z -= G[x, j, s + 3] * a[0] + G[x, j, s + 4] * a[1] + G[x, j, s + 5] * a[2]
    for c in range(s):
        z -= G[x, j, c] * Y[x, c, f.W_FACE]
    return z


@entry_point(Model, Data, INTEGER)
def modal_accelerations(m, d, b):
    """eta'' of body b from the acceleration of its row: W = p_A + L h, eta'' = q - C^T a - B^T W."""
    i0, first, Y = m.flex[b, f.X_ROW], m.flex[b, f.X_FIRST], d.face_solve
    R = read_9(d.row, i0, f.R_WB)
    alpha = transposed_times(R, read_3(d.row, i0, f.ACC))
    a = transposed_times(R, read_3(d.row, i0, f.ACC + f.LINEAR))
    face_motions(m, d, b, b, alpha, a)
    for c in range(6 * m.flex[b, f.X_FACES]):
        Y[b, c, f.W_FACE] += Y[b, c, f.P_FACE]
    for j in range(m.flex[b, f.X_COUNT]):
        d.row[first + j, f.QDD] = d.modal[b, f.ETA_ACC, j] = modal_motion(m, d, b, b, j, alpha, a)
