"""Modes of a flexible body in the tangents of accelerations (`dynamics_tangents.py`): residuals in, corrections out.

With left = u - B^T p what a mode lacks, p the residual wrenches of its interfaces, and the factors of
`eliminate_modes`: h_0 = (1 + L^T E L)^-1 L^T B left; the body passes on C left + Y^T L h_0 beside its rigid sum.
Outwards h = h_0 + Z a, and the modes are corrected by left - C^T a - B^T L h.
"""

from __future__ import annotations

from ..codegen.intrinsics import carried, value_of
from ..codegen.jit import INTEGER, entry_point, inlined
from . import model_data as f
from .flexible_body import along_mode, sum_of_columns
from .modal_elimination import face_motions, face_wrenches, modal_motion
from .model_data import Data, Model
from .small_matrices import (
    add_3,
    add_cross,
    add_to_3,
    matrix_times,
    read_3,
    read_9,
    transposed_times,
    values_of_9,
    values_of_dual_3,
    write_3,
)


@inlined
def with_tangents_3(v, change):
    """Vector of dual numbers: v with its tangent increased by that of `change`."""
    return carried(v[0], change[0]), carried(v[1], change[1]), carried(v[2], change[2])


@inlined
def store_correction(d, i, alpha, a):
    """Correction of the acceleration of row i, to REACTION and to the tangents of ACC."""
    write_3(d.row, i, f.REACTION, alpha)
    write_3(d.row, i, f.REACTION + f.LINEAR, a)
    write_3(d.row, i, f.ACC, with_tangents_3(read_3(d.row, i, f.ACC), alpha))
    write_3(d.row, i, f.ACC + f.LINEAR, with_tangents_3(read_3(d.row, i, f.ACC + f.LINEAR), a))


# Factors are those of values alone, without tangents; what they multiply is zero but for rounding and its tangents.


@inlined
def face_responses(m, d, b, x):
    """L h_0 of the interfaces of body b in slot x, h_0 = (1 + L^T E L)^-1 L^T B left, half solved for in H_FACE; left
    stands in the column of the modes' efforts.
    """
    faces = m.flex[b, f.X_FACES]
    G, A, N, Y, s = d.modal_columns, d.face_inertia, d.face_factor, d.face_solve, 6 * faces
    for c in range(s):
        z = G[x, 0, c] * G[x, 0, s + 6]
        for j in range(1, m.flex[b, f.X_COUNT]):
            z += G[x, j, c] * G[x, j, s + 6]
        Y[x, c, f.R_FACE] = z
    for p in range(faces):
        o = 6 * p
        for c in range(6):
            z = A[x, o + c, o + c] * Y[x, o + c, f.R_FACE]
            for j in range(c + 1, 6):
                z += A[x, o + j, o + c] * Y[x, o + j, f.R_FACE]
            Y[x, o + c, f.H_FACE] = z
    for c in range(s):
        for e in range(c + 1, s):
            Y[x, e, f.H_FACE] -= N[x, e, c] * Y[x, c, f.H_FACE]
    for c in range(s):
        Y[x, c, f.H_FACE] *= 1.0 / N[x, c, c]
        Y[x, c, f.R_FACE] = Y[x, c, f.H_FACE]
    face_wrenches(m, d, b, x)


@inlined
def passed_wrench(m, d, b, x):
    """C left + Y^T L h_0: what the modes of body b pass on in slot x, (torque, force) in its axes."""
    G, Y, s = d.modal_columns, d.face_solve, 6 * m.flex[b, f.X_FACES]
    t0 = t1 = t2 = F0 = F1 = F2 = 0.0 * G[x, 0, s + 6]
    for j in range(m.flex[b, f.X_COUNT]):
        left = G[x, j, s + 6]
        t0 += G[x, j, s] * left
        t1 += G[x, j, s + 1] * left
        t2 += G[x, j, s + 2] * left
        F0 += G[x, j, s + 3] * left
        F1 += G[x, j, s + 4] * left
        F2 += G[x, j, s + 5] * left
    for c in range(s):
        w = Y[x, c, f.W_FACE]
        t0 += Y[x, c, 0] * w
        t1 += Y[x, c, 1] * w
        t2 += Y[x, c, 2] * w
        F0 += Y[x, c, 3] * w
        F1 += Y[x, c, 4] * w
        F2 += Y[x, c, 5] * w
    return (t0, t1, t2), (F0, F1, F2)


@entry_point(Model, Data, INTEGER)
def modal_residuals(m, d, b):
    """u of the modes of body b, and what they pass on to p_A of its row, after those of its interfaces."""
    i0, first, faces = m.flex[b, f.X_ROW], m.flex[b, f.X_FIRST], m.flex[b, f.X_FACES]
    G, s = d.modal_columns, 6 * faces
    R = read_9(d.row, i0, f.R_WB)
    alpha = transposed_times(R, read_3(d.row, i0, f.ACC))
    a = transposed_times(R, read_3(d.row, i0, f.ACC + f.LINEAR))
    for j in range(m.flex[b, f.X_COUNT]):
        i = first + j
        left = d.row[i, f.TAU] - m.row[i, f.COORDINATE + f.ARMATURE] * d.row[i, f.QDD]
        d.row[i, f.u] = left - d.modal[b, f.MODAL_BIAS, j] - along_mode(G, b, j, s, alpha, a)
    for p in range(faces):
        k = m.interface[m.flex[b, f.X_FACE] + p, f.FACE_ROW]
        torque = transposed_times(R, read_3(d.row, k, f.pA))
        force = transposed_times(R, read_3(d.row, k, f.pA + f.LINEAR))
        for j in range(m.flex[b, f.X_COUNT]):
            d.row[first + j, f.u] -= along_mode(G, b, j, 6 * p, torque, force)
    for j in range(m.flex[b, f.X_COUNT]):
        G[b, j, s + 6] = d.row[first + j, f.u]
    face_responses(m, d, b, b)
    torque, force = passed_wrench(m, d, b, b)
    add_to_3(d.row, i0, f.pA, matrix_times(values_of_9(R), torque))
    add_to_3(d.row, i0, f.pA + f.LINEAR, matrix_times(values_of_9(R), force))
    # what the body needs for eta''
    for j in range(m.flex[b, f.X_COUNT]):
        d.modal[b, f.ETA_ACC, j] = d.row[first + j, f.QDD]
    torque, force = sum_of_columns(G, b, s, d.modal, f.ETA_ACC)
    add_to_3(d.row, i0, f.pA, matrix_times(R, torque))
    add_to_3(d.row, i0, f.pA + f.LINEAR, matrix_times(R, force))


@entry_point(Model, Data, INTEGER)
def modal_corrections(m, d, b):
    """Corrections of eta'' of body b, to ETA_ACC and the tangents of QDD, from that of its row."""
    i0, first = m.flex[b, f.X_ROW], m.flex[b, f.X_FIRST]
    R = values_of_9(read_9(d.row, i0, f.R_WB))
    alpha = transposed_times(R, read_3(d.row, i0, f.REACTION))
    a = transposed_times(R, read_3(d.row, i0, f.REACTION + f.LINEAR))
    face_motions(m, d, b, b, alpha, a)
    for j in range(m.flex[b, f.X_COUNT]):
        z = modal_motion(m, d, b, b, j, alpha, a)
        d.modal[b, f.ETA_ACC, j] = z
        d.row[first + j, f.QDD] = carried(d.row[first + j, f.QDD], z)


@entry_point(Model, Data, INTEGER)
def face_correction(m, d, p):
    """Correction of the acceleration of interface p: that of its body and of its modes, to REACTION and ACC."""
    i, b = m.interface[p, f.FACE_ROW], m.interface[p, f.FACE_BODY]
    k, o, G = m.topo[i, f.PARENT], 6 * (p - m.flex[b, f.X_FACE]), d.modal_columns
    alpha, a = read_3(d.row, k, f.REACTION), read_3(d.row, k, f.REACTION + f.LINEAR)
    a = add_cross(a, alpha, values_of_dual_3(read_3(d.row, i, f.p_parent)))
    R, M = values_of_9(read_9(d.row, k, f.R_WB)), d.modal
    t0 = t1 = t2 = F0 = F1 = F2 = 0.0 * M[b, f.ETA_ACC, 0]
    for j in range(m.flex[b, f.X_COUNT]):
        z = M[b, f.ETA_ACC, j]
        t0 += value_of(G[b, j, o]) * z
        t1 += value_of(G[b, j, o + 1]) * z
        t2 += value_of(G[b, j, o + 2]) * z
        F0 += value_of(G[b, j, o + 3]) * z
        F1 += value_of(G[b, j, o + 4]) * z
        F2 += value_of(G[b, j, o + 5]) * z
    store_correction(
        d, i, add_3(alpha, matrix_times(R, (t0, t1, t2))), add_3(a, matrix_times(R, (F0, F1, F2)))
    )
