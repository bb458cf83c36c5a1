"""Clusters of loops: rows that share constraints, as aggregates that stand on one row each (Jain 2009)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..kernels import model_data as f
from .blocks import representative


def moved_rows(
    rows: Sequence[tuple[int, ...]], ties: Sequence[int], way: np.ndarray, flexible: bool
) -> list[list[int]]:
    """Rows that change each constraint, ascending: those on the way between its frames, or of its joints.

    With flexible bodies all rows: modes change constraints too.
    """
    moved = []
    for row, tie in zip(rows, ties, strict=True):
        joints = row[f.C_JOINTS : f.C_JOINTS + 3]
        if flexible:
            moved.append([*range(way.shape[1])])
        elif joints[0] >= 0:
            moved.append(sorted({i for i in joints if i >= 0}))
        else:
            moved.append(np.flatnonzero(way[tie]).tolist())
    return moved


def path_between(parents: Sequence[int], rows: Sequence[int]) -> set[int]:
    """Rows between these and their lowest common ancestor, which is left out; they themselves are in it."""
    ways = []
    for i in rows:
        way = []
        while i >= 0:
            way.append(i)
            i = parents[i]
        ways.append(way)
    shared = set.intersection(*map(set, ways))
    return set().union(*ways) - shared | {*rows}


def loop_clusters(parents: Sequence[int], moved: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """`Model.cluster` and `Model.member`: sets of rows that constraints tie to each other, parents first.

    Each stands on one row, its base: the ways of two constraints that share a row lie below the higher of their lowest
    common ancestors. Rows without constraints are sets of their own.
    """
    own = [*range(len(parents))]
    for rows in moved:
        joined = path_between(parents, rows) if rows else set()
        for i in joined:
            own[representative(own, i)] = representative(own, min(joined))
    sets: dict[int, list[int]] = {}
    for i in range(len(parents)):
        sets.setdefault(representative(own, i), []).append(i)
    depth: dict[int, int] = {-1: 0}  # of each set: number of sets below it
    bases = {}
    # a base is above all rows of its set, so that its own set has been met
    for key, rows in sorted(sets.items(), key=lambda item: item[1][0]):
        bases[key] = parents[rows[0]]
        base = representative(own, bases[key]) if bases[key] >= 0 else -1
        depth[key] = depth[base] + 1
    order = sorted(sets, key=lambda key: (depth[key], sets[key][0]))
    cluster, member, place = [], np.zeros((len(parents), 2), np.int64), 0
    for key in order:
        rows = sets[key]
        cluster.append((place, place + len(rows), bases[key]))
        member[place : place + len(rows), f.CL_ROW] = rows
        place += len(rows)
    member[member[:, f.CL_ROW], f.CL_PLACE] = np.arange(len(parents))
    return np.array(cluster, np.int64).reshape(-1, 3), member
