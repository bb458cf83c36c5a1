"""Even and odd modes of a flexible body with a plane of symmetry, and the tables of its membrane strains by parity.

Entry i, j of the strain s is zero unless p_i + p_j + r_s = 0 (mod 2), with parities p of the modes and r of the
strains. These equations of all entries that are not zero are solved over GF(2); a solution need not come from a plane.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...blocks.reduction.reduced_body import LEAST_MEMBRANE, ReducedBody
from ..kernels import model_data as f
from ..kernels.model_data import Model

Strains = Sequence[tuple[np.ndarray, np.ndarray]]  # c (m,) and G (m, m) of each


def multiple_of_four(count: int) -> int:
    """Next multiple of four: modes go through registers by fours."""
    return 4 * -(-count // 4)


def parities(body: ReducedBody, strains: Strains) -> tuple[np.ndarray, np.ndarray]:
    """Parity (0 or 1) of each mode and of each membrane strain; all 0 where no symmetry halves the tables.

    Entries that break it are dropped if the root of their sum of squares, in strains of unit energy, is at most
    `LEAST_MEMBRANE` of the largest strain of second order, as weak strains are.
    """
    m, count = body.modes, len(strains)
    none = np.zeros(m, int), np.zeros(count, int)
    if not count:
        return none
    T = np.array([G for _, G in strains]) / np.outer(body.frequencies, body.frequencies)
    sizes = np.sort(abs(T).ravel())
    total = np.sqrt(np.cumsum(sizes**2))
    bound = LEAST_MEMBRANE * max(float(abs(np.linalg.eigvalsh(one)).max()) for one in T)
    least = sizes[
        np.searchsorted(total, bound, side="right")
    ]  # of those that are kept, as are all of its size
    coupled = abs(T) >= least
    best = none
    for vector in null_vectors(coupling_equations(coupled | coupled.transpose(0, 2, 1)), m + count):
        bits = np.array([vector >> k & 1 for k in range(m + count)])
        for mixed in (bits, bits ^ np.concatenate(best)):
            found = mixed[:m], mixed[m:]
            if half_width(found[0]) < half_width(best[0]):
                best = found
    return best


def half_width(parity: np.ndarray) -> int:
    """Room for the modes of either parity."""
    odd = int(parity.sum())
    return multiple_of_four(max(odd, len(parity) - odd))


def coupling_equations(coupled: np.ndarray) -> set[int]:
    """Equations p_i + p_j + r_s = 0 as bits, p first: of each strain those of a spanning forest of its couplings, and
    r_s = 0 where one of its cycles is odd.
    """
    count, m, _ = coupled.shape
    rows: set[int] = set()
    for s in range(count):
        colour = np.full(m, -1)
        for start in range(m):
            if colour[start] >= 0:
                continue
            colour[start], stack = 0, [start]
            while stack:
                i = stack.pop()
                for j in np.flatnonzero(coupled[s, i]).tolist():
                    if colour[j] < 0:
                        colour[j] = 1 - colour[i]
                        rows.add(1 << i | 1 << j | 1 << m + s)
                        stack.append(j)
                    elif colour[j] == colour[i]:
                        rows.add(1 << m + s)
    return rows


def null_vectors(rows: set[int], size: int) -> list[int]:
    """Basis of the solutions of linear equations over GF(2), each a word of bits, by elimination."""
    pivots: dict[int, int] = {}  # leading bit of a reduced equation, and the equation
    for row in sorted(rows):
        for bit, own in pivots.items():
            if row >> bit & 1:
                row ^= own
        if row:
            lead = row.bit_length() - 1
            for bit, own in pivots.items():
                if own >> lead & 1:
                    pivots[bit] = own ^ row
            pivots[lead] = row
    free = [k for k in range(size) if k not in pivots]
    return [1 << k | sum(1 << bit for bit, own in pivots.items() if own >> k & 1) for k in free]


def pack_strains(bodies: Sequence[tuple[ReducedBody, Strains]]) -> dict[str, np.ndarray]:
    """Tables of the membrane strains of all bodies by parity, and the number of parities of each body."""
    each = [parities(body, strains) for body, strains in bodies]
    n, most = len(bodies), max([0, *(len(strains) for _, strains in bodies)])
    width = max([0, *(half_width(p) for (p, _), (_, strains) in zip(each, bodies, strict=True) if strains)])
    order, parity = np.zeros((2 * n, width), np.int64), np.zeros((n, most), np.int64)
    c, G = np.zeros((2 * n, most, width)), np.zeros((2 * n, most, width, width))
    for b, ((_, strains), (p, r)) in enumerate(zip(bodies, each, strict=True)):
        if not strains:
            continue
        own = [np.flatnonzero(p == h) for h in range(2)]
        parity[b, : len(r)] = r
        for h, rows in enumerate(own):
            order[2 * b + h, : len(rows)] = rows
            for s, (strain, stress) in enumerate(strains):
                columns = own[h ^ r[s]]
                c[2 * b + h, s, : len(columns)] = strain[columns]
                G[2 * b + h, s, : len(rows), : len(columns)] = stress[np.ix_(rows, columns)]
    fours = G.reshape(2 * n, most, width, width // 4, 4).transpose(0, 1, 3, 2, 4)
    return {
        "parities": np.array([1 + int(p.any()) for p, _ in each], np.int64),
        "membrane_order": order,
        "membrane_parity": parity,
        "membrane_mode": c,
        "stress_stiffness": fours.reshape(2 * n * most, width // 4, 4 * width),
    }


def strains_of(model: Model, b: int) -> tuple[np.ndarray, np.ndarray]:
    """c (s, m) and G (s, m, m) of the membrane strains of body b of a model."""
    count, strains = int(model.flex[b, f.X_COUNT]), int(model.flex[b, f.X_STRAINS])
    _, most, width = model.membrane_mode.shape
    c, G = np.zeros((strains, count)), np.zeros((strains, count, count))
    for h in range(int(model.flex[b, f.X_PARITIES])):
        at = 2 * b + h
        rows = model.membrane_order[at]
        for s in range(strains):
            fours = model.stress_stiffness[at * most + s].reshape(width // 4, width, 4)
            columns = model.membrane_order[2 * b + (h ^ int(model.membrane_parity[b, s]))]
            # places behind a parity's modes name the first mode and hold zeros
            np.add.at(c[s], columns, model.membrane_mode[at, s])
            np.add.at(G[s], np.ix_(rows, columns), fours.transpose(1, 0, 2).reshape(width, width))
    return c, G


def all_strains(models: Sequence[Model]) -> dict[str, np.ndarray]:
    """Tables of the membrane strains of several models behind each other, with room for the most."""
    most = max(m.membrane_parity.shape[1] for m in models)
    width = max(m.membrane_order.shape[1] for m in models)
    tables: dict[str, list[np.ndarray]] = {
        name: [] for name in ("membrane_order", "membrane_parity", "membrane_mode", "stress_stiffness")
    }
    for m in models:
        n, strains, own = m.membrane_mode.shape
        more, wider, fours = (0, most - strains), (0, width - own), (0, (width - own) // 4)
        stress = m.stress_stiffness.reshape(n, strains, own // 4, own, 4)
        tables["membrane_order"].append(np.pad(m.membrane_order, ((0, 0), wider)))
        tables["membrane_parity"].append(np.pad(m.membrane_parity, ((0, 0), more)))
        tables["membrane_mode"].append(np.pad(m.membrane_mode, ((0, 0), more, wider)))
        wide = np.pad(stress, ((0, 0), more, fours, wider, (0, 0)))
        tables["stress_stiffness"].append(wide.reshape(n * most, width // 4, 4 * width))
    return {name: np.concatenate(each) for name, each in tables.items()}
