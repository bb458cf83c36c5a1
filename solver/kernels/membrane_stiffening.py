"""Geometric stiffening of a flexible body: tension stiffens its modes, compression makes them buckle.

Its strain energy to third order (von Karman) is that of membrane strains z = c . eta + eta . G eta / 2, which
`ReducedBody.membranes` finds: V = sum z^2 / 2, of which (c . eta)^2 / 2 is in the stiffness of the modes.
"""

from __future__ import annotations

from ..codegen.jit import INTEGER, entry_point, inlined
from . import model_data as f
from .model_data import Data, Model


@inlined
def membrane_sags(m, d, b):
    """G eta of all membrane strains of body b, to `sags`."""
    G, M, S = m.stress_stiffness, d.modal, d.sags
    for j in range(S.shape[1]):
        S[b, j] = 0.0
    for a in range(0, M.shape[2], 4):
        at = b * M.shape[2] + a
        x0, x1, x2, x3 = M[b, f.ETA, a], M[b, f.ETA, a + 1], M[b, f.ETA, a + 2], M[b, f.ETA, a + 3]
        for j in range(S.shape[1]):
            S[b, j] += x0 * G[at, j] + x1 * G[at + 1, j] + x2 * G[at + 2, j] + x3 * G[at + 3, j]


@inlined
def membrane_strain(m, d, b, s):
    """c . eta and eta . G eta / 2 of membrane strain s of body b, after `membrane_sags`."""
    M, S, c = d.modal, d.sags, m.membrane_mode
    first = second = 0.0
    for j in range(0, M.shape[2], 4):
        o = s * M.shape[2] + j
        x0, x1, x2, x3 = M[b, f.ETA, j], M[b, f.ETA, j + 1], M[b, f.ETA, j + 2], M[b, f.ETA, j + 3]
        first += (x0 * c[b, o] + x1 * c[b, o + 1]) + (x2 * c[b, o + 2] + x3 * c[b, o + 3])
        second += (x0 * S[b, o] + x1 * S[b, o + 1]) + (x2 * S[b, o + 2] + x3 * S[b, o + 3])
    return first, 0.5 * second


@entry_point(Model, Data, INTEGER)
def stiffen(m, d, b):
    """Efforts of geometric stiffening, to SPRING_EFFORT of the modes of body b.

    V = sum of (c . eta + eta . G eta / 2)^2 / 2 over its membrane strains, von Karman's energy to third order, of
    which (c . eta)^2 / 2 is in the stiffness of the modes:

        effort = -(c . eta + eta . G eta / 2) G eta - (eta . G eta / 2) c
    """
    if m.flex[b, f.X_STRAINS] == 0:
        return
    first, M, S, c = m.flex[b, f.X_FIRST], d.modal, d.sags, m.membrane_mode
    membrane_sags(m, d, b)
    for j in range(M.shape[2]):
        M[b, f.STIFFENING, j] = 0.0
    for s in range(m.flex[b, f.X_STRAINS]):
        linear, strain = membrane_strain(m, d, b, s)
        z, o = linear + strain, s * M.shape[2]
        for j in range(M.shape[2]):
            M[b, f.STIFFENING, j] -= z * S[b, o + j] + strain * c[b, o + j]
    for j in range(m.flex[b, f.X_COUNT]):
        d.row[first + j, f.SPRING_EFFORT] += M[b, f.STIFFENING, j]
