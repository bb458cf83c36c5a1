"""Each helper for vectors and matrices of fixed size, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from luff.solver.kernels import small_matrices

RNG = np.random.default_rng(7)
A, B, C, D = RNG.normal(size=(4, 3))
R = RNG.normal(size=(3, 3))
S = R + R.T


def six(matrix: np.ndarray) -> tuple[float, ...]:
    """A symmetric matrix as kernels have it."""
    return tuple(float(matrix[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))


def nine(matrix: np.ndarray) -> tuple[float, ...]:
    return tuple(map(float, matrix.flat))


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("add_3", (A, B), A + B),
        ("subtract_3", (A, B), A - B),
        ("add_6", (six(S), six(S @ S)), six(S + S @ S)),
        ("add_9", (nine(R), nine(S)), nine(R + S)),
        ("scale_3", (2.5, A), 2.5 * A),
        ("dot", (A, B), A @ B),
        ("dot_6", (A, B, C, D), A @ C + B @ D),
        ("cross", (A, B), np.cross(A, B)),
        ("add_cross", (C, A, B), C + np.cross(A, B)),
        ("symmetric_times", (six(S), A), S @ A),
        ("add_symmetric_vector", (B, six(S), A), B + S @ A),
        ("rotate_symmetric", (nine(R), six(S)), six(R @ S @ R.T)),
        ("matrix_times", (nine(R), A), R @ A),
        ("add_matrix_vector", (B, nine(R), A), B + R @ A),
        ("matrix_product", (nine(R), nine(S)), nine(R @ S)),
        ("transposed_times", (nine(R), A), R.T @ A),
        ("subtract_symmetric_outer", (six(S), A, 3.0 * A), six(S - np.outer(A, 3.0 * A))),
        ("subtract_outer", (nine(R), A, B), nine(R - np.outer(A, B))),
    ],
)
def test_helper_is_what_numpy_computes(name: str, arguments: tuple, expected: np.ndarray) -> None:
    """To a few roundings of numbers about one."""
    assert np.allclose(getattr(small_matrices, name)(*arguments), expected, rtol=1e-13, atol=1e-13)


def test_columns_are_read_and_written_where_they_stand() -> None:
    table = np.vstack([np.zeros(11), np.r_[0.0, R.flat, 0.0], np.zeros((2, 11))])
    assert [*small_matrices.read_column(table, 1, 1, 2)] == R[:, 2].tolist()
    small_matrices.write_down(table, 1, 10, tuple(A))
    assert [*small_matrices.read_down(table, 1, 10)] == table[1:, 10].tolist() == A.tolist()
    small_matrices.add_to_3(table, 2, 4, tuple(B))
    small_matrices.add_to_3(table, 2, 4, tuple(B))
    assert table[2].tolist() == [0.0] * 4 + (2.0 * B).tolist() + [0.0] * 3 + [A[1]]
