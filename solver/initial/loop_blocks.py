"""Block lower triangular form of Phi_d: which loops are solved apart, and in which order (Duff and Reid 1978)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..kernels import model_data as f
from ..kernels.model_data import Data, Model


def constraint_rows_of(model: Model, c: int) -> np.ndarray:
    """Rows that change constraint c, ascending."""
    return model.moved[model.constraint[c, f.C_MOVED] : model.constraint[c, f.C_MOVED_END]]


def is_divisible(model: Model, active: np.ndarray) -> bool:
    """True if Phi_d may be solved in blocks: ideal constraints on positions between rigid bodies.

    Constraints on velocities stand behind all others, and the forces of drives have a matrix of their own.
    """
    kinds, servo = model.constraint[active, f.C_KIND], model.constraint[:, f.C_SERVO]
    return bool((kinds <= f.RELATION).all() and (servo < 0).all() and not len(model.flex))


def entries(model: Model, active: np.ndarray, dependent: np.ndarray) -> list[list[int]]:
    """Columns in which each row of Phi_d may have an entry."""
    place = {int(i): a for a, i in enumerate(dependent)}
    return [[place[i] for i in constraint_rows_of(model, int(c)).tolist() if i in place] for c in active]


def block_order(
    model: Model, active: np.ndarray, dependent: np.ndarray
) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Active constraints and dependent rows in the order in which their blocks are solved, and the size of each block;
    as they come where there is one block.
    """
    whole = [len(active)] if len(active) else []
    if not is_divisible(model, active):
        return active, dependent, whole
    columns = entries(model, active, dependent)
    match = perfect_matching(columns)
    row_of = {b: a for a, b in enumerate(match)}
    blocks = strong_components([[row_of[b] for b in own if row_of[b] != a] for a, own in enumerate(columns)])
    if len(blocks) < 2:
        return active, dependent, whole
    order = np.array([a for block in blocks for a in block], np.int64)
    return active[order], dependent[np.array(match)[order]], [*map(len, blocks)]


def perfect_matching(columns: Sequence[Sequence[int]]) -> list[int]:
    """A column for each row, of those where it has entries, by augmenting paths; exists where the matrix is regular.

    The diagonal, the pivots of an elimination, is tried first.
    """
    row_of: dict[int, int] = {}
    for row, own in enumerate(columns):
        free = next((b for b in ((row, *own) if row in own else own) if b not in row_of), None)
        came: dict[int, int] = {}  # of each column: the row from which it was reached
        waiting = [row] if free is None else []
        if free is not None:
            came[free] = row
        for a in waiting:
            for b in columns[a]:
                if b not in came:
                    came[b] = a
                    if b not in row_of:
                        free = b
                        break
                    waiting.append(row_of[b])
            if free is not None:
                break
        assert free is not None, "Phi_d has no regular pattern"
        match = {a: b for b, a in row_of.items()}
        while True:
            a = came[free]
            before = match.get(a)
            row_of[free] = a
            if before is None or a == row:
                break
            free = before
    found = [0] * len(columns)
    for b, a in row_of.items():
        found[a] = b
    return found


def strong_components(after: Sequence[Sequence[int]]) -> list[list[int]]:
    """Strongly connected components of a graph, each behind all that its edges lead to (Tarjan 1972)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    path: list[int] = []
    waiting: set[int] = set()
    found: list[list[int]] = []
    for root in range(len(after)):
        if root in index:
            continue
        calls = [(root, iter(after[root]))]
        index[root] = low[root] = len(index)
        path.append(root)
        waiting.add(root)
        while calls:
            a, rest = calls[-1]
            for b in rest:
                if b not in index:
                    index[b] = low[b] = len(index)
                    path.append(b)
                    waiting.add(b)
                    calls.append((b, iter(after[b])))
                    break
                if b in waiting:
                    low[a] = min(low[a], index[b])
            else:
                calls.pop()
                if calls:
                    low[calls[-1][0]] = min(low[calls[-1][0]], low[a])
                if low[a] == index[a]:
                    own = [path.pop()]
                    while own[-1] != a:
                        own.append(path.pop())
                    waiting.difference_update(own)
                    found.append(sorted(own))
    return found


def write_blocks(
    model: Model,
    data: Data,
    active: np.ndarray,
    dependent: np.ndarray,
    independent: np.ndarray,
    sizes: Sequence[int],
) -> None:
    """Write the blocks of Phi_d, whose rows come in their order, and the columns of K that each has."""
    r, part = len(active), data.part
    part[f.PLACE] = -1
    part[f.PLACE, independent] = -1 - np.arange(len(independent))
    part[f.PLACE, dependent] = np.arange(r)
    ends = np.cumsum(sizes, dtype=np.int64).tolist()
    part[f.BLOCK, : r + 1] = r
    part[f.BLOCK, : len(ends)] = [0, *ends][: len(ends)]
    part[f.CHAINED, :r] = 0
    part[f.FIRST_FREE, :r], part[f.END_FREE, :r] = 0, len(independent)
    data.loop_block[:] = 0.0
    if len(sizes) < 2:
        return
    first_free, end_free = np.full(r, len(independent)), np.zeros(r, np.int64)
    for first, end in zip([0, *ends], ends, strict=False):
        low, high = len(independent), 0
        for a in range(first, end):
            rows = constraint_rows_of(model, int(active[a]))
            places = part[f.PLACE, rows[model.topo[rows, f.MODE] == f.FREE]]
            free, others = -1 - places[places < 0], places[(places >= 0) & (places < first)]
            part[f.CHAINED, a] = len(others) > 0
            for p in free.tolist():
                low, high = min(low, p), max(high, p + 1)
            for p in others:
                low, high = min(low, int(first_free[p])), max(high, int(end_free[p]))
        first_free[first:end], end_free[first:end] = min(low, high), high
    part[f.FIRST_FREE, :r], part[f.END_FREE, :r] = first_free, end_free
