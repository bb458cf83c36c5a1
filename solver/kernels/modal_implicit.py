"""Modes of a flexible body in the equations of implicit steps (`tangent_sweep.py`): (M + g C + g^2 K) w = r.

With M_e = 1 the weight of a mode is delta = 1 / (1 + 2 zeta w g + w^2 g^2): the elimination of
`modal_elimination.py` with columns scaled by the root of delta. Slot b + bodies of its arrays holds it through the
stages of a step. Derivatives of geometric stiffening are left out, as those of all loads on bent rows.
"""

from __future__ import annotations

import math

from ..codegen.jit import INTEGER, entry_point
from . import model_data as f
from .flexible_body import along_mode
from .modal_elimination import (
    add_eliminated,
    face_accelerations,
    face_articulated_inertia,
    face_motions,
    modal_motion,
)
from .modal_products import weighted_products
from .modal_tangents import face_responses, passed_wrench
from .model_data import Data, Model
from .small_matrices import (
    add_3,
    add_cross,
    add_to_3,
    matrix_times,
    read_3,
    read_9,
    transposed,
    transposed_times,
    write_3,
    write_9,
)


@entry_point(Model, Data, INTEGER)
def factor_modes(m, d, b):
    """Add the articulated inertia of the interfaces of body b, its modes solved for, to its row; R_WB is kept."""
    i0, first, faces = m.flex[b, f.X_ROW], m.flex[b, f.X_FIRST], m.flex[b, f.X_FACES]
    G, T, g, x, s = d.modal_columns, d.tangent, d.scalar[f.H_GAMMA], b + m.flex.shape[0], 6 * faces
    R = read_9(d.row, i0, f.R_WB)
    write_9(T, i0, f.TAN_R_WB, R)
    for j in range(m.flex[b, f.X_COUNT]):
        i = first + j
        stiffness, damping = m.row[i, f.COORDINATE + f.STIFFNESS], m.row[i, f.COORDINATE + f.DAMPING]
        delta = 1.0 / (m.row[i, f.COORDINATE + f.ARMATURE] + g * (damping + g * stiffness))
        T[i, f.TAN_STIFFNESS], T[i, f.TAN_DAMPING], T[i, f.TAN_D_INV] = stiffness, damping, delta
        root = math.sqrt(delta)
        for c in range(s + 6):
            G[x, j, c] = root * G[b, j, c]
        G[x, j, s + 6] = 0.0
    weighted_products(G, d.gram, x, s)
    Rt = transposed(R)
    for p in range(faces):
        face_articulated_inertia(m, d, b, x, p, Rt)
        for c in range(6):
            d.face_solve[x, 6 * p + c, f.P_FACE] = 0.0
        face_accelerations(m, d, b, x, p, s, Rt)
    add_eliminated(m, d, b, x, R)
    # the sweep has no bias forces
    for c in range(6):
        d.row[i0, f.pA + c] = 0.0


@entry_point(Model, Data, INTEGER)
def modes_inwards(m, d, b):
    """Efforts g (-c v - k q) of the modes of body b, less what its interfaces ask for, passed on to TAN_WRENCH of its
    row.
    """
    i0, first, faces = m.flex[b, f.X_ROW], m.flex[b, f.X_FIRST], m.flex[b, f.X_FACES]
    G, T, g, x, s = d.modal_columns, d.tangent, d.scalar[f.H_GAMMA], b + m.flex.shape[0], 6 * faces
    R = read_9(T, i0, f.TAN_R_WB)
    for j in range(m.flex[b, f.X_COUNT]):
        i = first + j
        v = g * T[i, f.TAN_RIGHT_V]
        q = g * (T[i, f.TAN_RIGHT_Q] + v)
        effort = -g * (T[i, f.TAN_DAMPING] * v + T[i, f.TAN_STIFFNESS] * q)
        G[x, j, s + 6] = math.sqrt(T[i, f.TAN_D_INV]) * effort
    for p in range(faces):
        k = m.interface[m.flex[b, f.X_FACE] + p, f.FACE_ROW]
        torque = transposed_times(R, read_3(T, k, f.TAN_WRENCH))
        force = transposed_times(R, read_3(T, k, f.TAN_WRENCH + f.LINEAR))
        for j in range(m.flex[b, f.X_COUNT]):
            G[x, j, s + 6] -= along_mode(G, x, j, 6 * p, torque, force)
    face_responses(m, d, b, x)
    torque, force = passed_wrench(m, d, b, x)
    add_to_3(T, i0, f.TAN_WRENCH, matrix_times(R, torque))
    add_to_3(T, i0, f.TAN_WRENCH + f.LINEAR, matrix_times(R, force))


@entry_point(Model, Data, INTEGER)
def modes_outwards(m, d, b):
    """Solution u_v = g r_v + w of the modes of body b, in place of r_v, from the motion of its row; w to ETA_ACC."""
    i0, first, x = m.flex[b, f.X_ROW], m.flex[b, f.X_FIRST], b + m.flex.shape[0]
    T, g = d.tangent, d.scalar[f.H_GAMMA]
    R = read_9(T, i0, f.TAN_R_WB)
    alpha = transposed_times(R, read_3(T, i0, f.TAN_WRENCH))
    a = transposed_times(R, read_3(T, i0, f.TAN_WRENCH + f.LINEAR))
    face_motions(m, d, b, x, alpha, a)
    for j in range(m.flex[b, f.X_COUNT]):
        i = first + j
        scaled = modal_motion(m, d, b, x, j, alpha, a)
        d.modal[b, f.ETA_ACC, j] = scaled
        T[i, f.TAN_RIGHT_V] = g * T[i, f.TAN_RIGHT_V] + math.sqrt(T[i, f.TAN_D_INV]) * scaled


@entry_point(Model, Data, INTEGER)
def face_outwards(m, d, p):
    """Motion of interface p, to TAN_WRENCH of its row: that of its body and of its modes."""
    i, b, T, G = m.interface[p, f.FACE_ROW], m.interface[p, f.FACE_BODY], d.tangent, d.modal_columns
    k, o, x = m.topo[i, f.PARENT], 6 * (p - m.flex[b, f.X_FACE]), b + m.flex.shape[0]
    alpha, a = read_3(T, k, f.TAN_WRENCH), read_3(T, k, f.TAN_WRENCH + f.LINEAR)
    a = add_cross(a, alpha, read_3(T, i, f.TAN_ARM))
    R = read_9(T, k, f.TAN_R_WB)
    t0 = t1 = t2 = F0 = F1 = F2 = 0.0
    for j in range(m.flex[b, f.X_COUNT]):
        z = d.modal[b, f.ETA_ACC, j]
        t0 += G[x, j, o] * z
        t1 += G[x, j, o + 1] * z
        t2 += G[x, j, o + 2] * z
        F0 += G[x, j, o + 3] * z
        F1 += G[x, j, o + 4] * z
        F2 += G[x, j, o + 5] * z
    write_3(T, i, f.TAN_WRENCH, add_3(alpha, matrix_times(R, (t0, t1, t2))))
    write_3(T, i, f.TAN_WRENCH + f.LINEAR, add_3(a, matrix_times(R, (F0, F1, F2))))
