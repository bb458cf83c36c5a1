"""Small dense linear algebra in place, without allocation: LU with partial pivoting, L D L^T, inverses of order 2
and 3.
"""

from __future__ import annotations

from ..codegen.jit import helper, inlined

SMALL = 24  # order up to which zeros are multiplied: larger matrices are mostly zero


@inlined
def is_finite(x):
    """True if x is finite: NaN and infinity times zero are NaN."""
    return x * 0.0 == 0.0


@helper
def count_non_finite(x):
    """Number of entries of x that are NaN or infinite."""
    lost = 0
    for j in range(x.shape[0]):
        lost += not is_finite(x[j])
    return lost


@helper
def lu_factor(A, pivot, n):
    """LU of the leading n x n block of A in place, partial pivoting; the diagonal holds 1 / U_kk."""
    lu_factor_block(A, pivot, 0, n)


@helper
def lu_factor_block(A, pivot, first, last):
    """LU of the diagonal block of A with rows and columns first <= k < last, in place; True if its determinant > 0."""
    sign = 1.0
    for k in range(first, last):
        best, at = abs(A[k, k]), k
        for i in range(k + 1, last):
            if abs(A[i, k]) > best:
                best, at = abs(A[i, k]), i
        pivot[k] = at
        if at != k:
            for j in range(first, last):
                A[k, j], A[at, j] = A[at, j], A[k, j]
        inv = A[k, k] = 1.0 / A[k, k]
        sign = -sign if (inv < 0.0) != (at != k) else sign
        for i in range(k + 1, last):
            f = A[i, k] * inv
            A[i, k] = f
            # a small matrix subtracts zeros too: faster than a branch, and SIMD lanes do not diverge
            if last - first < SMALL or f != 0.0:
                for j in range(k + 1, last):
                    A[i, j] -= f * A[k, j]
    return sign > 0.0


@helper
def lu_solve(A, pivot, n, b):
    """b := A^-1 b, A from `lu_factor`."""
    lu_solve_block(A, pivot, 0, n, b)


@helper
def lu_solve_block(A, pivot, first, last, b):
    """Entries first <= k < last of b := A^-1 b, A from `lu_factor_block`."""
    for k in range(first, last):
        at = int(pivot[k])
        if at != k:
            b[k], b[at] = b[at], b[k]
    for k in range(first, last):
        for i in range(k + 1, last):
            b[i] -= A[i, k] * b[k]
    for k in range(last - 1, first - 1, -1):
        s = b[k]
        for j in range(k + 1, last):
            s -= A[k, j] * b[j]
        b[k] = s * A[k, k]


@helper
def lu_solve_transposed(A, pivot, n, b):
    """b := A^-T b, A from `lu_factor`."""
    for k in range(n):
        s = b[k]
        for j in range(k):
            s -= A[j, k] * b[j]
        b[k] = s * A[k, k]
    for k in range(n - 1, -1, -1):
        s = b[k]
        for i in range(k + 1, n):
            s -= A[i, k] * b[i]
        b[k] = s
    for k in range(n - 1, -1, -1):
        at = int(pivot[k])
        if at != k:
            b[k], b[at] = b[at], b[k]


@helper
def ldl_factor(A, n):
    """L D L^T of the leading n x n block of A, symmetric positive definite, from its upper triangle; no pivoting.

    The diagonal then holds 1 / D_kk, the upper triangle the rows D_k L_ik.
    """
    for k in range(n):
        inv = A[k, k] = 1.0 / A[k, k]
        for i in range(k + 1, n):
            f = A[k, i] * inv
            if f != 0.0:
                for j in range(i, n):
                    A[i, j] -= f * A[k, j]


@helper
def ldl_solve(A, n, b):
    """b := A^-1 b, A from `ldl_factor`."""
    for k in range(n):
        f = b[k] * A[k, k]
        for i in range(k + 1, n):
            b[i] -= f * A[k, i]
    for k in range(n - 1, -1, -1):
        s = b[k]
        for j in range(k + 1, n):
            s -= A[k, j] * b[j]
        b[k] = s * A[k, k]


@inlined
def swap_rows(pivot, n, B, m):
    """Permute the rows of B by the pivots of `lu_factor`."""
    for k in range(n):
        at = int(pivot[k])
        if at != k:
            for c in range(m):
                B[k, c], B[at, c] = B[at, c], B[k, c]


@helper
def lu_solve_rows(A, pivot, n, B, m):
    """B := A^-1 B for the leading m columns of B, row by row, A from `lu_factor`."""
    swap_rows(pivot, n, B, m)
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
        inv = A[k, k]
        for c in range(m):
            B[k, c] *= inv


# Below, systems of order two and three use the inverse, in a third of the time: for matrices whose columns were
# chosen to be well conditioned.


@inlined
def factor(A, pivot, n):
    """Prepare A for `solve` in place: inverse for n = 2 and 3, else LU."""
    if n == 2:
        a, b, c, e = A[0, 0], A[0, 1], A[1, 0], A[1, 1]
        f = 1.0 / (a * e - b * c)
        A[0, 0], A[0, 1], A[1, 0], A[1, 1] = f * e, -f * b, -f * c, f * a
    elif n == 3:
        a, b, c = A[0, 0], A[0, 1], A[0, 2]
        p, q, r = A[1, 0], A[1, 1], A[1, 2]
        x, y, z = A[2, 0], A[2, 1], A[2, 2]
        u, v, w = q * z - r * y, r * x - p * z, p * y - q * x
        f = 1.0 / (a * u + b * v + c * w)
        A[0, 0], A[0, 1], A[0, 2] = f * u, f * (c * y - b * z), f * (b * r - c * q)
        A[1, 0], A[1, 1], A[1, 2] = f * v, f * (a * z - c * x), f * (c * p - a * r)
        A[2, 0], A[2, 1], A[2, 2] = f * w, f * (b * x - a * y), f * (a * q - b * p)
    else:
        lu_factor(A, pivot, n)


@inlined
def solve(A, pivot, n, b):
    """b := A^-1 b, A from `factor`."""
    if n == 2:
        x, y = b[0], b[1]
        b[0], b[1] = A[0, 0] * x + A[0, 1] * y, A[1, 0] * x + A[1, 1] * y
    elif n == 3:
        x, y, z = b[0], b[1], b[2]
        for k in range(3):
            b[k] = A[k, 0] * x + A[k, 1] * y + A[k, 2] * z
    else:
        lu_solve(A, pivot, n, b)


@inlined
def solve_rows(A, pivot, n, B, m):
    """B := A^-1 B for the leading m columns of B, A from `factor`."""
    if n == 2:
        for c in range(m):
            x, y = B[0, c], B[1, c]
            B[0, c], B[1, c] = A[0, 0] * x + A[0, 1] * y, A[1, 0] * x + A[1, 1] * y
    elif n == 3:
        for c in range(m):
            x, y, z = B[0, c], B[1, c], B[2, c]
            for k in range(3):
                B[k, c] = A[k, 0] * x + A[k, 1] * y + A[k, 2] * z
    else:
        lu_solve_rows(A, pivot, n, B, m)


@helper
def solve_transposed(A, pivot, n, b):
    """b := A^-T b, A from `factor`."""
    if n == 2:
        x, y = b[0], b[1]
        b[0], b[1] = A[0, 0] * x + A[1, 0] * y, A[0, 1] * x + A[1, 1] * y
    elif n == 3:
        x, y, z = b[0], b[1], b[2]
        for k in range(3):
            b[k] = A[0, k] * x + A[1, k] * y + A[2, k] * z
    else:
        lu_solve_transposed(A, pivot, n, b)
