"""Least squares and null spaces in blocks against numpy's on the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest

from luff.solver.mechanism.blocks import blocks_of, least_squares, left_null_space


def shuffled(rng: np.random.Generator, ranks: list[int]) -> np.ndarray:
    """Blocks of these ranks, one row more than that each, among rows and columns in any order; and a row of zeros."""
    sizes = [(rank + 1, rank + int(rng.integers(0, 3))) for rank in ranks]
    A = np.zeros((sum(m for m, _ in sizes) + 1, sum(n for _, n in sizes)))
    i = j = 0
    for (m, n), rank in zip(sizes, ranks, strict=True):
        A[i : i + m, j : j + n] = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))
        i, j = i + m, j + n
    return A[rng.permutation(len(A))][:, rng.permutation(A.shape[1])]


@pytest.mark.parametrize("ranks", [[3], [1, 2, 3], [2, 2, 2, 2, 2]], ids=str)
def test_blocks_solve_what_the_whole_does(ranks: list[int]) -> None:
    rng = np.random.default_rng(len(ranks))
    for _ in range(20):
        A = shuffled(rng, ranks)
        assert len([*blocks_of(A)]) == len(ranks) + 1
        b = rng.normal(size=(len(A), 2))
        expected = np.linalg.lstsq(A, b, rcond=1e-10)[0]
        # random blocks of such sizes have condition numbers of 1e3 at most, as a rule
        np.testing.assert_allclose(
            least_squares(A, b, 1e-10), expected, rtol=0, atol=1e-9 * abs(expected).max()
        )
        basis = left_null_space(A, 1e-10)
        assert basis.shape == (len(ranks) + 1, len(A))
        assert abs(basis @ A).max() < 1e-12 * abs(A).max()
        np.testing.assert_allclose(basis @ basis.T, np.eye(len(basis)), atol=1e-12)


def test_nothing_to_solve() -> None:
    assert least_squares(np.zeros((0, 3)), np.zeros(0)).tolist() == [0.0, 0.0, 0.0]
    assert left_null_space(np.zeros((2, 3)), 1e-8).shape == (2, 2)
    assert left_null_space(np.zeros((0, 3)), 1e-8).shape == (0, 0)
