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
    lu_factor_block(A, pivot, 0, n, 0)


@helper
def lu_factor_block(A, pivot, first, last, up):
    """LU of the block of A with columns first <= k < last and rows k - up, in place; True if its determinant > 0.

    `up` is 0 for a block on the diagonal, and `first` where the blocks are stacked: all in the rows from 0 on.
    """
    sign = 1.0
    for k in range(first, last):
        row, best, at = k - up, abs(A[k - up, k]), k
        for i in range(k + 1, last):
            if abs(A[i - up, k]) > best:
                best, at = abs(A[i - up, k]), i
        pivot[k] = at
        if at != k:
            for j in range(first, last):
                A[row, j], A[at - up, j] = A[at - up, j], A[row, j]
        inv = A[row, k] = 1.0 / A[row, k]
        sign = -sign if (inv < 0.0) != (at != k) else sign
        for i in range(row + 1, last - up):
            f = A[i, k] * inv
            A[i, k] = f
            # a small matrix subtracts zeros too: faster than a branch, and SIMD lanes do not diverge
            if last - first < SMALL or f != 0.0:
                for j in range(k + 1, last):
                    A[i, j] -= f * A[row, j]
    return sign > 0.0


@helper
def lu_solve(A, pivot, n, b):
    """b := A^-1 b, A from `lu_factor`."""
    lu_solve_block(A, pivot, 0, n, 0, b)


@helper
def lu_solve_block(A, pivot, first, last, up, b):
    """Entries first <= k < last of b := A^-1 b, A from `lu_factor_block`."""
    for k in range(first, last):
        at = int(pivot[k])
        if at != k:
            b[k], b[at] = b[at], b[k]
    for k in range(first, last):
        if last - first < SMALL or b[k] != 0.0:
            for i in range(k + 1, last):
                b[i] -= A[i - up, k] * b[k]
    for k in range(last - 1, first - 1, -1):
        s = b[k]
        for j in range(k + 1, last):
            s -= A[k - up, j] * b[j]
        b[k] = s * A[k - up, k]


@helper
def lu_solve_transposed(A, pivot, first, last, b):
    """Entries first <= k < last of b := A^-T b, A from `lu_factor_block`."""
    for k in range(first, last):
        s = b[k]
        for j in range(first, k):
            s -= A[j, k] * b[j]
        b[k] = s * A[k, k]
    for k in range(last - 1, first - 1, -1):
        s = b[k]
        for i in range(k + 1, last):
            s -= A[i, k] * b[i]
        b[k] = s
    for k in range(last - 1, first - 1, -1):
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


@helper
def ldl_solve_rows(A, n, B, first, last):
    """B := A^-1 B for the columns first <= c < last of B, A from `ldl_factor`."""
    for k in range(n):
        for i in range(k + 1, n):
            f = A[k, i] * A[k, k]
            for c in range(first, last):
                B[i, c] -= f * B[k, c]
    for k in range(n - 1, -1, -1):
        inv = A[k, k]
        for j in range(k + 1, n):
            f = A[k, j]
            for c in range(first, last):
                B[k, c] -= f * B[j, c]
        for c in range(first, last):
            B[k, c] *= inv


@inlined
def swap_rows(pivot, first, last, B, left, right):
    """Permute the rows first <= k < last of B, in the columns left <= c < right, by the pivots of
    `lu_factor_block`.
    """
    for k in range(first, last):
        at = int(pivot[k])
        if at != k:
            for c in range(left, right):
                B[k, c], B[at, c] = B[at, c], B[k, c]


@helper
def lu_solve_rows(A, pivot, first, last, B, left, right):
    """Rows first <= k < last of B := A^-1 B, columns left <= c < right, row by row; A from `lu_factor_block`."""
    swap_rows(pivot, first, last, B, left, right)
    for k in range(first, last):
        for i in range(k + 1, last):
            f = A[i, k]
            if f != 0.0:
                for c in range(left, right):
                    B[i, c] -= f * B[k, c]
    for k in range(last - 1, first - 1, -1):
        for j in range(k + 1, last):
            f = A[k, j]
            if f != 0.0:
                for c in range(left, right):
                    B[k, c] -= f * B[j, c]
        inv = A[k, k]
        for c in range(left, right):
            B[k, c] *= inv


# Below, systems of order two and three use the inverse, in a third of the time: for matrices whose columns were
# chosen to be well conditioned. All work on the diagonal block of A with rows and columns first <= k < last.


@inlined
def factor(A, pivot, first, last):
    """Prepare the block for `solve` in place: inverse for orders 2 and 3, else LU."""
    n, i, j, k = last - first, first, first + 1, first + 2
    if n == 2:
        a, b, c, e = A[i, i], A[i, j], A[j, i], A[j, j]
        f = 1.0 / (a * e - b * c)
        A[i, i], A[i, j], A[j, i], A[j, j] = f * e, -f * b, -f * c, f * a
    elif n == 3:
        a, b, c = A[i, i], A[i, j], A[i, k]
        p, q, r = A[j, i], A[j, j], A[j, k]
        x, y, z = A[k, i], A[k, j], A[k, k]
        u, v, w = q * z - r * y, r * x - p * z, p * y - q * x
        f = 1.0 / (a * u + b * v + c * w)
        A[i, i], A[i, j], A[i, k] = f * u, f * (c * y - b * z), f * (b * r - c * q)
        A[j, i], A[j, j], A[j, k] = f * v, f * (a * z - c * x), f * (c * p - a * r)
        A[k, i], A[k, j], A[k, k] = f * w, f * (b * x - a * y), f * (a * q - b * p)
    else:
        lu_factor_block(A, pivot, first, last, 0)


@inlined
def solve(A, pivot, first, last, b):
    """Entries first <= k < last of b := A^-1 b, A from `factor`."""
    n, i, j, k = last - first, first, first + 1, first + 2
    if n == 2:
        x, y = b[i], b[j]
        b[i], b[j] = A[i, i] * x + A[i, j] * y, A[j, i] * x + A[j, j] * y
    elif n == 3:
        x, y, z = b[i], b[j], b[k]
        for e in range(first, last):
            b[e] = A[e, i] * x + A[e, j] * y + A[e, k] * z
    else:
        lu_solve_block(A, pivot, first, last, 0, b)


@inlined
def solve_rows(A, pivot, first, last, B, left, right):
    """Rows first <= k < last of B := A^-1 B, columns left <= c < right; A from `factor`."""
    n, i, j, k = last - first, first, first + 1, first + 2
    if n == 2:
        for c in range(left, right):
            x, y = B[i, c], B[j, c]
            B[i, c], B[j, c] = A[i, i] * x + A[i, j] * y, A[j, i] * x + A[j, j] * y
    elif n == 3:
        for c in range(left, right):
            x, y, z = B[i, c], B[j, c], B[k, c]
            for e in range(first, last):
                B[e, c] = A[e, i] * x + A[e, j] * y + A[e, k] * z
    else:
        lu_solve_rows(A, pivot, first, last, B, left, right)


@helper
def solve_transposed(A, pivot, first, last, b):
    """Entries first <= k < last of b := A^-T b, A from `factor`."""
    n, i, j, k = last - first, first, first + 1, first + 2
    if n == 2:
        x, y = b[i], b[j]
        b[i], b[j] = A[i, i] * x + A[j, i] * y, A[i, j] * x + A[j, j] * y
    elif n == 3:
        x, y, z = b[i], b[j], b[k]
        for e in range(first, last):
            b[e] = A[i, e] * x + A[j, e] * y + A[k, e] * z
    else:
        lu_solve_transposed(A, pivot, first, last, b)


@inlined
def inverse_determinant(A, pivot, first, last):
    """1 / det of the block, up to the sign of its permutation, from its factors by `factor`."""
    n, i, j, k = last - first, first, first + 1, first + 2
    if n == 2:
        return A[i, i] * A[j, j] - A[i, j] * A[j, i]
    if n == 3:
        return (
            A[i, i] * (A[j, j] * A[k, k] - A[j, k] * A[k, j])
            - A[i, j] * (A[j, i] * A[k, k] - A[j, k] * A[k, i])
            + A[i, k] * (A[j, i] * A[k, j] - A[j, j] * A[k, i])
        )
    product = 1.0
    for a in range(first, last):
        product *= A[a, a] if int(pivot[a]) == a else -A[a, a]
    return product
