"""Least squares and null spaces of matrices whose rows fall into sets that share no column: loops that share no joint.

Each set is solved by itself, so that work grows with the sets and not with the cube of the whole.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np


def representative(of: np.ndarray | list[int], k: int) -> int:
    """Member that stands for the set of k, by union-find; `of`: of each member one further on the way to it."""
    while of[k] != k:
        of[k] = of[of[k]]
        k = int(of[k])
    return k


def blocks_of(A: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows and columns of each set, in the order of their first rows; rows of zeros stand alone, without columns."""
    pattern = A != 0.0
    return _blocks(pattern.tobytes(), *pattern.shape)


@lru_cache(maxsize=16)  # searches ask again with the same pattern
def _blocks(pattern: bytes, height: int, width: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows and columns of each set of a pattern of entries that are not zero."""
    rows, columns = np.nonzero(np.frombuffer(pattern, bool).reshape(height, width))
    of = np.arange(width)
    begins = np.searchsorted(rows, np.arange(height))
    for row, begin in enumerate(begins):
        if begin < len(rows) and rows[begin] == row:
            own = representative(of, int(columns[begin]))
            end = begins[row + 1] if row + 1 < height else len(rows)
            for column in columns[begin + 1 : end]:
                of[representative(of, int(column))] = own
    sets: dict[int, list[int]] = {}
    for row, begin in enumerate(begins):
        empty = begin == len(rows) or rows[begin] != row
        sets.setdefault(-1 - row if empty else representative(of, int(columns[begin])), []).append(row)
    members: dict[int, list[int]] = {}
    for column in np.unique(columns).tolist():
        members.setdefault(representative(of, column), []).append(column)
    return [(np.array(own), np.array(members.get(key, []), int)) for key, own in sets.items()]


def least_squares(A: np.ndarray, b: np.ndarray, rcond: float | None = None) -> np.ndarray:
    """The shortest x with the least |A x - b|; singular values below `rcond` of the largest of their set are none."""
    blocks = blocks_of(A)
    if len(blocks) < 2:
        return np.linalg.lstsq(A, b, rcond=rcond)[0]
    x = np.zeros((A.shape[1], *b.shape[1:]))
    for rows, columns in blocks:
        if len(columns):
            x[columns] = np.linalg.lstsq(A[np.ix_(rows, columns)], b[rows], rcond=rcond)[0]
    return x


def left_null_space(A: np.ndarray, least: float) -> np.ndarray:
    """A basis of the y with y^T A = 0, each in its set; singular values below `least` of the largest are none."""
    parts = []
    for rows, columns in blocks_of(A):
        _, s, vt = np.linalg.svd(A[np.ix_(rows, columns)].T)
        parts.append((rows, s, vt))
    largest = max((float(s.max(initial=0.0)) for _, s, _ in parts), default=0.0)
    basis = []
    for rows, s, vt in parts:
        for vector in vt[int(np.sum(s > least * largest)) :]:
            y = np.zeros(len(A))
            y[rows] = vector
            basis.append(y)
    return np.array(basis).reshape(len(basis), len(A))
