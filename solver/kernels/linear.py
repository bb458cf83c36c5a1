"""Small dense linear algebra in place, without allocation."""

from __future__ import annotations

from ..jit import jit


@jit
def lu_factor(A, pivot, n):
    """Factor the leading n x n of A with partial pivoting; returns the smallest |pivot| over the largest."""
    largest, smallest = 0.0, 1e300
    for k in range(n):
        best, at = abs(A[k, k]), k
        for i in range(k + 1, n):
            if abs(A[i, k]) > best:
                best, at = abs(A[i, k]), i
        pivot[k] = at
        if at != k:
            for j in range(n):
                A[k, j], A[at, j] = A[at, j], A[k, j]
        largest, smallest = max(largest, best), min(smallest, best)
        inv = 1.0 / A[k, k]
        for i in range(k + 1, n):
            f = A[i, k] * inv
            A[i, k] = f
            if f != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= f * A[k, j]
    return smallest / largest if n > 0 else 1.0


@jit
def lu_solve(A, pivot, n, b):
    """b := A^-1 b."""
    for k in range(n):
        at = int(pivot[k])
        if at != k:
            b[k], b[at] = b[at], b[k]
    for k in range(n):
        for i in range(k + 1, n):
            b[i] -= A[i, k] * b[k]
    for k in range(n - 1, -1, -1):
        s = b[k]
        for j in range(k + 1, n):
            s -= A[k, j] * b[j]
        b[k] = s / A[k, k]


@jit
def lu_solve_transposed(A, pivot, n, b):
    """b := A^-T b."""
    for k in range(n):
        s = b[k]
        for j in range(k):
            s -= A[j, k] * b[j]
        b[k] = s / A[k, k]
    for k in range(n - 1, -1, -1):
        s = b[k]
        for i in range(k + 1, n):
            s -= A[i, k] * b[i]
        b[k] = s
    for k in range(n - 1, -1, -1):
        at = int(pivot[k])
        if at != k:
            b[k], b[at] = b[at], b[k]


@jit
def lu_solve_rows(A, pivot, n, B, m):
    """B := A^-1 B for the leading m columns of B, all at once, row by row."""
    for k in range(n):
        at = int(pivot[k])
        if at != k:
            for c in range(m):
                B[k, c], B[at, c] = B[at, c], B[k, c]
    for k in range(n):
        for i in range(k + 1, n):
            f = A[i, k]
            if f != 0.0:
                for c in range(m):
                    B[i, c] -= f * B[k, c]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            f = A[k, j]
            if f != 0.0:
                for c in range(m):
                    B[k, c] -= f * B[j, c]
        inv = 1.0 / A[k, k]
        for c in range(m):
            B[k, c] *= inv
