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
from .model_data import Data, Model
from .small_matrices import (
    add_3,
    add_cross,
    add_to_3,
    matrix_times,
    read_3,
    read_9,
    transposed_times,
    values_of_3,
    values_of_9,
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


@inlined
def face_wrenches(m, d, b):
    """L h of the interfaces of body b, to W_FACE; h in H_FACE."""
    A, Y = d.face_inertia, d.face_solve
    for p in range(m.flex[b, f.X_FACES]):
        o = 6 * p
        for c in range(6):
            w = value_of(A[b, o + c, o]) * Y[b, o, f.H_FACE]
            for j in range(1, c + 1):
                w += value_of(A[b, o + c, o + j]) * Y[b, o + j, f.H_FACE]
            Y[b, o + c, f.W_FACE] = w


@inlined
def face_responses(m, d, b):
    """h_0 = (1 + L^T E L)^-1 L^T B left of the interfaces of body b, to H_FACE; left in the column u of its modes."""
    first, faces = m.flex[b, f.X_FIRST], m.flex[b, f.X_FACES]
    G, A, N, Y, s = d.modal_columns, d.face_inertia, d.face_factor, d.face_solve, 6 * faces
    for c in range(s):
        x = value_of(G[b, 0, c]) * d.row[first, f.u]
        for j in range(1, m.flex[b, f.X_COUNT]):
            x += value_of(G[b, j, c]) * d.row[first + j, f.u]
        Y[b, c, f.R_FACE] = x
    for p in range(faces):
        o = 6 * p
        for c in range(6):
            x = value_of(A[b, o + c, o + c]) * Y[b, o + c, f.R_FACE]
            for j in range(c + 1, 6):
                x += value_of(A[b, o + j, o + c]) * Y[b, o + j, f.R_FACE]
            Y[b, o + c, f.H_FACE] = x
    for c in range(s):
        for e in range(c + 1, s):
            Y[b, e, f.H_FACE] -= value_of(N[b, e, c]) * Y[b, c, f.H_FACE]
    for c in range(s - 1, -1, -1):
        Y[b, c, f.H_FACE] *= 1.0 / value_of(N[b, c, c])
        for e in range(c + 1, s):
            Y[b, c, f.H_FACE] -= value_of(N[b, e, c]) * Y[b, e, f.H_FACE]


@entry_point(Model, Data, INTEGER)
def modal_residuals(m, d, b):
    """u of the modes of body b, and what they pass on to p_A of its row, after those of its interfaces."""
    i0, first, faces = m.flex[b, f.X_ROW], m.flex[b, f.X_FIRST], m.flex[b, f.X_FACES]
    G, Y, s = d.modal_columns, d.face_solve, 6 * faces
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
    face_responses(m, d, b)
    face_wrenches(m, d, b)
    t0 = t1 = t2 = F0 = F1 = F2 = 0.0 * d.row[first, f.u]
    for j in range(m.flex[b, f.X_COUNT]):
        left = d.row[first + j, f.u]
        t0 += value_of(G[b, j, s]) * left
        t1 += value_of(G[b, j, s + 1]) * left
        t2 += value_of(G[b, j, s + 2]) * left
        F0 += value_of(G[b, j, s + 3]) * left
        F1 += value_of(G[b, j, s + 4]) * left
        F2 += value_of(G[b, j, s + 5]) * left
    for c in range(s):
        w = Y[b, c, f.W_FACE]
        t0 += value_of(Y[b, c, 0]) * w
        t1 += value_of(Y[b, c, 1]) * w
        t2 += value_of(Y[b, c, 2]) * w
        F0 += value_of(Y[b, c, 3]) * w
        F1 += value_of(Y[b, c, 4]) * w
        F2 += value_of(Y[b, c, 5]) * w
    add_to_3(d.row, i0, f.pA, matrix_times(values_of_9(R), (t0, t1, t2)))
    add_to_3(d.row, i0, f.pA + f.LINEAR, matrix_times(values_of_9(R), (F0, F1, F2)))
    # what the body needs for eta''
    for j in range(m.flex[b, f.X_COUNT]):
        d.modal[b, f.ETA_ACC, j] = d.row[first + j, f.QDD]
    torque, force = sum_of_columns(G, b, s, d.modal, f.ETA_ACC)
    add_to_3(d.row, i0, f.pA, matrix_times(R, torque))
    add_to_3(d.row, i0, f.pA + f.LINEAR, matrix_times(R, force))


@entry_point(Model, Data, INTEGER)
def modal_corrections(m, d, b):
    """Corrections of eta'' of body b, to ETA_ACC and the tangents of QDD, from that of its row."""
    i0, first, faces = m.flex[b, f.X_ROW], m.flex[b, f.X_FIRST], m.flex[b, f.X_FACES]
    G, Y, s = d.modal_columns, d.face_solve, 6 * faces
    R = values_of_9(read_9(d.row, i0, f.R_WB))
    x = transposed_times(R, read_3(d.row, i0, f.REACTION))
    y = transposed_times(R, read_3(d.row, i0, f.REACTION + f.LINEAR))
    for c in range(s):
        Y[b, c, f.H_FACE] += (
            value_of(Y[b, c, f.Z_FACE]) * x[0]
            + value_of(Y[b, c, f.Z_FACE + 1]) * x[1]
            + value_of(Y[b, c, f.Z_FACE + 2]) * x[2]
            + value_of(Y[b, c, f.Z_FACE + 3]) * y[0]
            + value_of(Y[b, c, f.Z_FACE + 4]) * y[1]
            + value_of(Y[b, c, f.Z_FACE + 5]) * y[2]
        )
    face_wrenches(m, d, b)
    for j in range(m.flex[b, f.X_COUNT]):
        z = d.row[first + j, f.u]
        z -= value_of(G[b, j, s]) * x[0] + value_of(G[b, j, s + 1]) * x[1] + value_of(G[b, j, s + 2]) * x[2]
        z -= (
            value_of(G[b, j, s + 3]) * y[0]
            + value_of(G[b, j, s + 4]) * y[1]
            + value_of(G[b, j, s + 5]) * y[2]
        )
        for c in range(s):
            z -= value_of(G[b, j, c]) * Y[b, c, f.W_FACE]
        d.modal[b, f.ETA_ACC, j] = z
        d.row[first + j, f.QDD] = carried(d.row[first + j, f.QDD], z)


@entry_point(Model, Data, INTEGER)
def face_correction(m, d, p):
    """Correction of the acceleration of interface p: that of its body and of its modes, to REACTION and ACC."""
    i, b = m.interface[p, f.FACE_ROW], m.interface[p, f.FACE_BODY]
    k, o, G = m.topo[i, f.PARENT], 6 * (p - m.flex[b, f.X_FACE]), d.modal_columns
    alpha, a = read_3(d.row, k, f.REACTION), read_3(d.row, k, f.REACTION + f.LINEAR)
    a = add_cross(a, alpha, values_of_3(read_3(d.row, i, f.p_parent)))
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
