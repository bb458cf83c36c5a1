"""Vectors and matrices of fixed size as tuples of numbers, which compiled code keeps in registers.

A vector is (x, y, z), a symmetric matrix (xx, yy, zz, xy, xz, yz); other matrices go row by row. Terms are written in
the order in which they are added, as rounding depends on it.
"""

from __future__ import annotations

from ..codegen.intrinsics import value_of
from ..codegen.jit import inlined

ZERO_3 = (0.0, 0.0, 0.0)
ZERO_6 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
ZERO_9 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inlined
def read_3(A, i, c):
    """A[i, c:c + 3] as a tuple."""
    return A[i, c], A[i, c + 1], A[i, c + 2]


@inlined
def read_6(A, i, c):
    """A[i, c:c + 6] as a tuple."""
    return A[i, c], A[i, c + 1], A[i, c + 2], A[i, c + 3], A[i, c + 4], A[i, c + 5]


@inlined
def read_9(A, i, c):
    """A[i, c:c + 9] as a tuple."""
    return (
        A[i, c], A[i, c + 1], A[i, c + 2], A[i, c + 3], A[i, c + 4], A[i, c + 5], A[i, c + 6], A[i, c + 7], A[i, c + 8],
    )  # fmt: skip


@inlined
def values_of_dual_3(v):
    """Values of three dual numbers, without tangents."""
    return value_of(v[0]), value_of(v[1]), value_of(v[2])


@inlined
def values_of_6(S):
    """Values of six dual numbers, without tangents."""
    return *values_of_dual_3(S[:3]), *values_of_dual_3(S[3:])


@inlined
def values_of_9(R):
    """Values of nine dual numbers, without tangents."""
    return *values_of_dual_3(R[:3]), *values_of_dual_3(R[3:6]), *values_of_dual_3(R[6:])


@inlined
def write_3(A, i, c, v):
    """A[i, c:c + 3] := v."""
    A[i, c], A[i, c + 1], A[i, c + 2] = v


@inlined
def write_6(A, i, c, v):
    """A[i, c:c + 6] := v."""
    A[i, c], A[i, c + 1], A[i, c + 2], A[i, c + 3], A[i, c + 4], A[i, c + 5] = v


@inlined
def write_9(A, i, c, v):
    """A[i, c:c + 9] := v."""
    A[i, c], A[i, c + 1], A[i, c + 2] = v[0], v[1], v[2]
    A[i, c + 3], A[i, c + 4], A[i, c + 5] = v[3], v[4], v[5]
    A[i, c + 6], A[i, c + 7], A[i, c + 8] = v[6], v[7], v[8]


@inlined
def add_to_3(A, i, c, v):
    """A[i, c:c + 3] += v."""
    A[i, c], A[i, c + 1], A[i, c + 2] = A[i, c] + v[0], A[i, c + 1] + v[1], A[i, c + 2] + v[2]


@inlined
def read_column(A, i, c, k):
    """Column k of the 3 x 3 matrix stored in A[i, c:c + 9]."""
    return A[i, c + k], A[i, c + 3 + k], A[i, c + 6 + k]


@inlined
def read_down(A, i, c):
    """A[i:i + 3, c] as a tuple."""
    return A[i, c], A[i + 1, c], A[i + 2, c]


@inlined
def write_down(A, i, c, v):
    """A[i:i + 3, c] := v."""
    A[i, c], A[i + 1, c], A[i + 2, c] = v


@inlined
def add_3(a, b):
    """a + b (3)."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inlined
def subtract_3(a, b):
    """a - b (3)."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inlined
def add_6(a, b):
    """a + b (6)."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@inlined
def add_9(a, b):
    """a + b (9)."""
    return (
        a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5],
        a[6] + b[6], a[7] + b[7], a[8] + b[8],
    )  # fmt: skip


@inlined
def scaled_4(k, x):
    """k x of four numbers."""
    return k * x[0], k * x[1], k * x[2], k * x[3]


@inlined
def add_scaled_4(x, k, y):
    """x + k y of four numbers."""
    return x[0] + k * y[0], x[1] + k * y[1], x[2] + k * y[2], x[3] + k * y[3]


@inlined
def add_products_4(a, x, y):
    """a + x * y, entry by entry, of four numbers."""
    return a[0] + x[0] * y[0], a[1] + x[1] * y[1], a[2] + x[2] * y[2], a[3] + x[3] * y[3]


@inlined
def scale_3(f, a):
    """f a."""
    return f * a[0], f * a[1], f * a[2]


@inlined
def dot(a, b):
    """a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def dot_6(a, b, c, d):
    """a . c + b . d, the product of two spatial vectors (a, b), (c, d)."""
    return a[0] * c[0] + a[1] * c[1] + a[2] * c[2] + b[0] * d[0] + b[1] * d[1] + b[2] * d[2]


@inlined
def cross(a, b):
    """a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inlined
def add_cross(v, a, b):
    """v + a x b; shifts a spatial vector to another reference point."""
    return (
        v[0] + a[1] * b[2] - a[2] * b[1],
        v[1] + a[2] * b[0] - a[0] * b[2],
        v[2] + a[0] * b[1] - a[1] * b[0],
    )


@inlined
def add_matrix_vector(v, H, a):
    """v + H a."""
    return (
        v[0] + H[0] * a[0] + H[1] * a[1] + H[2] * a[2],
        v[1] + H[3] * a[0] + H[4] * a[1] + H[5] * a[2],
        v[2] + H[6] * a[0] + H[7] * a[1] + H[8] * a[2],
    )


@inlined
def symmetric_times(S, a):
    """S a for symmetric S."""
    return (
        S[0] * a[0] + S[3] * a[1] + S[4] * a[2],
        S[3] * a[0] + S[1] * a[1] + S[5] * a[2],
        S[4] * a[0] + S[5] * a[1] + S[2] * a[2],
    )


@inlined
def add_symmetric_vector(v, S, a):
    """v + S a for symmetric S."""
    return (
        v[0] + S[0] * a[0] + S[3] * a[1] + S[4] * a[2],
        v[1] + S[3] * a[0] + S[1] * a[1] + S[5] * a[2],
        v[2] + S[4] * a[0] + S[5] * a[1] + S[2] * a[2],
    )


@inlined
def rotate_symmetric(R, S):
    """R S R^T for symmetric S."""
    r0, r1, r2 = (R[0], R[1], R[2]), (R[3], R[4], R[5]), (R[6], R[7], R[8])
    a0, a1, a2 = symmetric_times(S, r0), symmetric_times(S, r1), symmetric_times(S, r2)
    return dot(a0, r0), dot(a1, r1), dot(a2, r2), dot(a0, r1), dot(a0, r2), dot(a1, r2)


@inlined
def matrix_times(H, a):
    """H a."""
    return (
        H[0] * a[0] + H[1] * a[1] + H[2] * a[2],
        H[3] * a[0] + H[4] * a[1] + H[5] * a[2],
        H[6] * a[0] + H[7] * a[1] + H[8] * a[2],
    )


@inlined
def matrix_product(A, B):
    """A B."""
    a0, a1, a2, a3, a4, a5, a6, a7, a8 = A
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = B
    return (
        a0 * b0 + a1 * b3 + a2 * b6, a0 * b1 + a1 * b4 + a2 * b7, a0 * b2 + a1 * b5 + a2 * b8,
        a3 * b0 + a4 * b3 + a5 * b6, a3 * b1 + a4 * b4 + a5 * b7, a3 * b2 + a4 * b5 + a5 * b8,
        a6 * b0 + a7 * b3 + a8 * b6, a6 * b1 + a7 * b4 + a8 * b7, a6 * b2 + a7 * b5 + a8 * b8,
    )  # fmt: skip


@inlined
def transposed(R):
    """R^T."""
    return R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]


@inlined
def rotate_general(R, H):
    """R H R^T."""
    return matrix_product(matrix_product(R, H), transposed(R))


@inlined
def transposed_times(H, a):
    """H^T a."""
    return (
        H[0] * a[0] + H[3] * a[1] + H[6] * a[2],
        H[1] * a[0] + H[4] * a[1] + H[7] * a[2],
        H[2] * a[0] + H[5] * a[1] + H[8] * a[2],
    )


@inlined
def subtract_symmetric_outer(S, a, b):
    """S - a b^T for parallel a and b."""
    return (
        S[0] - a[0] * b[0], S[1] - a[1] * b[1], S[2] - a[2] * b[2],
        S[3] - a[0] * b[1], S[4] - a[0] * b[2], S[5] - a[1] * b[2],
    )  # fmt: skip


@inlined
def subtract_outer(H, a, b):
    """H - a b^T."""
    return (
        H[0] - a[0] * b[0], H[1] - a[0] * b[1], H[2] - a[0] * b[2],
        H[3] - a[1] * b[0], H[4] - a[1] * b[1], H[5] - a[1] * b[2],
        H[6] - a[2] * b[0], H[7] - a[2] * b[1], H[8] - a[2] * b[2],
    )  # fmt: skip
