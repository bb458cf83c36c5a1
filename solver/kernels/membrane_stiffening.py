"""Geometric stiffening of a flexible body: tension stiffens its modes, compression makes them buckle.

Its strain energy to third order (von Karman) is that of membrane strains z = c . eta + eta . G eta / 2, which
`ReducedBody.membrane_strains` finds: V = sum z^2 / 2, of which (c . eta)^2 / 2 is in the stiffness of the modes.

Modes of a body with a plane of symmetry are even or odd, and so is each strain: an even one couples modes alike, an
odd one even with odd modes (`mirror_symmetry.py`). Tables hold the blocks that are not zero: of the rows of parity h,
and of each strain s, the columns of parity h ^ parity_s.
"""

from __future__ import annotations

from ..codegen.jit import INTEGER, entry_point, inlined
from . import model_data as f
from .modal_products import four, write_four
from .model_data import Data, Model
from .small_matrices import add_products_4, add_scaled_4

ZERO_4 = (0.0, 0.0, 0.0, 0.0)


@inlined
def four_places(E, at, k):
    """E[at, k : k + 4]."""
    return E[at, k], E[at, k + 1], E[at, k + 2], E[at, k + 3]


@inlined
def sag_of_four(G, i, q, E, at):
    """Four columns q of G_s eta over the rows of one parity, from block i of the table."""
    w = x = y = z = ZERO_4
    for a in range(E.shape[1] >> 2):
        e0, e1, e2, e3 = four_places(E, at, 4 * a)
        w, x = add_scaled_4(w, e0, four(G, i, q, 16 * a)), add_scaled_4(x, e1, four(G, i, q, 16 * a + 4))
        y, z = add_scaled_4(y, e2, four(G, i, q, 16 * a + 8)), add_scaled_4(z, e3, four(G, i, q, 16 * a + 12))
    return (
        (w[0] + x[0]) + (y[0] + z[0]),
        (w[1] + x[1]) + (y[1] + z[1]),
        (w[2] + x[2]) + (y[2] + z[2]),
        (w[3] + x[3]) + (y[3] + z[3]),
    )


@inlined
def membrane_strains(m, d, b):
    """c . eta, eta . G eta / 2 of all membrane strains of body b, to `membrane_strain`; G eta of each to `sags`."""
    c, S, E, Z = m.membrane_mode, d.sags, d.eta_by_parity, d.membrane_strain
    most = m.membrane_parity.shape[1]
    for h in range(m.flex[b, f.X_PARITIES]):
        at = 2 * b + h
        for k in range(E.shape[1]):
            E[at, k] = d.modal[b, f.ETA, max(m.membrane_order[at, k], 0)]
    for s in range(m.flex[b, f.X_STRAINS]):
        i, first, second = b * most + s, ZERO_4, ZERO_4
        for h in range(m.flex[b, f.X_PARITIES]):
            at, other = 2 * b + h, 2 * b + (h ^ m.membrane_parity[b, s])
            for q in range(E.shape[1] >> 2):
                sag = sag_of_four(m.stress_stiffness, at * most + s, q, E, at)
                x = four_places(E, other, 4 * q)
                write_four(S, at, s, 4 * q, sag)
                first = add_products_4(first, four(c, at, s, 4 * q), x)
                second = add_products_4(second, sag, x)
        Z[i, 0], Z[i, 1], Z[i, 2], Z[i, 3] = first
        Z[i, 4], Z[i, 5], Z[i, 6], Z[i, 7] = second
    # the four sums are added behind the loop: within it they would cost a body of 60 modes a seventh of its time
    for s in range(m.flex[b, f.X_STRAINS]):
        i = b * most + s
        Z[i, f.STRAIN_FIRST] = (Z[i, 0] + Z[i, 1]) + (Z[i, 2] + Z[i, 3])
        Z[i, f.STRAIN_SECOND] = 0.5 * ((Z[i, 4] + Z[i, 5]) + (Z[i, 6] + Z[i, 7]))


@entry_point(Model, Data, INTEGER)
def stiffen(m, d, b):
    """Efforts of geometric stiffening, to SPRING_EFFORT of the modes of body b.

    V = sum of (c . eta + eta . G eta / 2)^2 / 2 over its membrane strains, von Karman's energy to third order, of
    which (c . eta)^2 / 2 is in the stiffness of the modes:

        effort = -(c . eta + eta . G eta / 2) G eta - (eta . G eta / 2) c
    """
    if m.flex[b, f.X_STRAINS] == 0:
        return
    first, S, c, Z = m.flex[b, f.X_FIRST], d.sags, m.membrane_mode, d.membrane_strain
    most, order = m.membrane_parity.shape[1], m.membrane_order
    membrane_strains(m, d, b)
    for h in range(m.flex[b, f.X_PARITIES]):
        for q in range(order.shape[1] >> 2):
            e = ZERO_4
            for s in range(m.flex[b, f.X_STRAINS]):
                i, at = b * most + s, 2 * b + (h ^ m.membrane_parity[b, s])
                strain = Z[i, f.STRAIN_SECOND]
                e = add_scaled_4(e, -(Z[i, f.STRAIN_FIRST] + strain), four(S, at, s, 4 * q))
                e = add_scaled_4(e, -strain, four(c, at, s, 4 * q))
            for k in range(4):
                d.row[first + max(order[2 * b + h, 4 * q + k], 0), f.SPRING_EFFORT] += e[k]
