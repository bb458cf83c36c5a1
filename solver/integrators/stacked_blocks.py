"""LU of the diagonal blocks of a matrix, stacked above each other: block k of the columns first <= j < last has its
rows in 0 <= i < last - first of A. Storage is the largest block times the order, not its square.
"""

from __future__ import annotations

from ..codegen.jit import helper
from ..kernels.dense_linear_algebra import SMALL


@helper
def clear_stacked(A, first, last):
    """Zeros in a block."""
    for i in range(last - first):
        for j in range(first, last):
            A[i, j] = 0.0


@helper
def lu_factor_stacked(A, pivot, first, last):
    """LU of a block in place, partial pivoting; the diagonal holds 1 / U_kk. True if the determinant is positive."""
    sign = 1.0
    for k in range(first, last):
        row, best, at = k - first, abs(A[k - first, k]), k
        for i in range(k + 1, last):
            if abs(A[i - first, k]) > best:
                best, at = abs(A[i - first, k]), i
        pivot[k] = at
        if at != k:
            for j in range(first, last):
                A[row, j], A[at - first, j] = A[at - first, j], A[row, j]
        inv = A[row, k] = 1.0 / A[row, k]
        sign = -sign if (inv < 0.0) != (at != k) else sign
        for i in range(row + 1, last - first):
            f = A[i, k] * inv
            A[i, k] = f
            # a small matrix subtracts zeros too: faster than a branch, and SIMD lanes do not diverge
            if last - first < SMALL or f != 0.0:
                for j in range(k + 1, last):
                    A[i, j] -= f * A[row, j]
    return sign > 0.0


@helper
def lu_solve_stacked(A, pivot, first, last, b):
    """Entries first <= k < last of b := A^-1 b, A from `lu_factor_stacked`."""
    for k in range(first, last):
        at = int(pivot[k])
        if at != k:
            b[k], b[at] = b[at], b[k]
    for k in range(first, last):
        for i in range(k + 1, last):
            b[i] -= A[i - first, k] * b[k]
    for k in range(last - 1, first - 1, -1):
        s = b[k]
        for j in range(k + 1, last):
            s -= A[k - first, j] * b[j]
        b[k] = s * A[k - first, k]
