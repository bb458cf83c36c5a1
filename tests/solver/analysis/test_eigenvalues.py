"""Bounds of eigenvalues: against the same matrices in 50 digits, and matrices anywhere within their uncertainty."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import luff
from luff.solver.analysis.bounded_roots import DECAYS, GROWS, OPEN, STAYS, spectrum, verdict_of
from luff.solver.analysis.eigenvalues import EPS, eigenvalues, radii
from luff.solver.analysis.linearise import linearise
from luff.tests.shared.loops_by_chance import mechanics

DIGITS = 50
FLOOR = 1e-12  # 1/s: of a zero that is double even 50 digits leave 1e-25


def exact(A: np.ndarray) -> np.ndarray:
    with mpmath.workdps(DIGITS):
        return np.array([complex(z) for z in mpmath.eig(mpmath.matrix(A.tolist()), left=False, right=False)])


def outside(values: np.ndarray, bounds: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Which computed values have no true one within their bounds, each true one counted once."""
    away = abs(values[:, None] - true[None, :])
    off = bounds[:, None] + FLOOR + 4 * EPS * abs(values)[:, None]
    rows, columns = linear_sum_assignment(away / off)
    return values[rows][away[rows, columns] > off[rows, 0]]


@pytest.mark.parametrize("stiff", [1e2, 1e10])
def test_a_double_zero_is_within_the_root_of_rounding_and_a_soft_mode_is_none(stiff: float) -> None:
    # two carts that a spring joins, free as a whole, with a third one on a soft spring to the second
    m, soft = np.array([2.0, 3.0, 5.0]), 1.0
    K = np.array([[stiff, -stiff, 0.0], [-stiff, stiff + soft, -soft], [0.0, -soft, soft]])
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-K / m[:, None], np.zeros((3, 3))]])
    found = eigenvalues(A, 4 * EPS * abs(A))
    assert np.count_nonzero(found.settled) == 4
    w = np.sqrt(soft * (1 / 5.0 + 1 / 5.0))  # both carts move as one of 5 kg where the spring is stiff
    slow = found.settled[found.settled != 0.0]
    if stiff == 1e10:
        # what rounding of 1e10 does to a stiffness of 1: 1e-6
        assert min(abs(slow)) == pytest.approx(w, rel=1e-5)
    assert not len(outside(found.values, found.bounds, exact(A)))


@pytest.mark.parametrize("within", [0.0, 1.0])
def test_bounds_hold_for_any_matrix_within_the_uncertainty(within: float) -> None:
    rng = np.random.default_rng(7)
    for _ in range(15):
        n = int(rng.integers(2, 7))
        A = rng.standard_normal((n, n)) * 10.0 ** rng.uniform(-4, 4, (n, n))
        E = 1e-9 * abs(A)
        found = eigenvalues(A, E)
        near = A + within * E * rng.choice([-1.0, 1.0], (n, n))
        assert not len(outside(found.values, found.bounds, exact(near)))


def test_bounds_hold_where_eigenvectors_hardly_span_the_space() -> None:
    """Nearly defective matrices that are known exactly: what is off is rounding alone."""
    rng = np.random.default_rng(1)
    for _ in range(150):
        n = int(rng.integers(2, 5))
        V, chain = rng.standard_normal((n, n)), np.diag(np.ones(n - 1), 1) * 10.0 ** rng.uniform(-8, 0)
        A = V @ (np.diag(rng.integers(-2, 3, n).astype(float)) + chain) @ np.linalg.inv(V)
        found = eigenvalues(A, np.zeros((n, n)))
        away = abs(found.values[:, None] - exact(A)[None, :])
        rows, columns = linear_sum_assignment(away / (found.bounds[:, None] + 1e-300))
        assert (away[rows, columns] <= found.bounds[rows] + 2 * EPS * abs(found.values[rows])).all(), (
            A.tolist()
        )


def test_discs_that_touch_hold_their_eigenvalues_together() -> None:
    """Gershgorin: discs of radius 1 about 0 and 1.5 hold two eigenvalues in their union, and either may hold both."""
    together = radii(np.array([0.0, 1.5], complex), np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert together.tolist() == [2.5, 2.5]


def test_a_disc_that_may_not_shrink_keeps_its_radius() -> None:
    """Three discs apart: the neighbour's of radius 0.8 has no room to grow by which that about 0 would shrink."""
    N = np.array([[0.0, 0.3, 0.0], [0.3, 0.0, 0.5], [0.0, 0.5, 0.0]])
    assert radii(np.array([0.0, 1.11, 10.0], complex), N)[0] == pytest.approx(0.3, rel=1e-12)


def test_a_map_with_a_chain_of_memories_shows_that_they_decay() -> None:
    # x(k+1) = x(k) - g x(k-d): 60 memories in a row, eigenvalues of which one pair is slow
    d, g = 60, 0.02
    A = np.zeros((d + 1, d + 1))
    A[0, 0], A[0, d] = 1.0, -g
    A[1:, :-1] += np.eye(d)
    found = eigenvalues(A, 4 * EPS * abs(A), chains=True)
    roots = np.roots([1.0, -1.0, *[0.0] * (d - 1), g])
    assert found.bounds.max() < 1e-8
    assert sorted(abs(found.values))[-4:] == pytest.approx(sorted(abs(roots))[-4:], rel=1e-9)


def test_eigenvalues_of_models_by_chance_are_those_of_50_digits(seed: int, many: int) -> None:
    """All of them within their bounds; zeros are those that are, and no more."""
    for number in range(12 * many):
        rng = np.random.default_rng([seed, number])
        text = mechanics(rng)
        lin = linearise(luff.compile(luff.loads(text)), x="equilibrium")
        found, true = spectrum(lin), exact(lin.A)
        assert not len(outside(found.values, found.bounds, true)), (number, text)
        assert np.count_nonzero(found.values == 0.0) == np.count_nonzero(abs(true) < FLOOR), (number, text)


@pytest.mark.parametrize(
    ("signs", "verdict"),
    [
        ([DECAYS, DECAYS], "stable"),
        ([DECAYS, OPEN], "indifferent"),
        ([DECAYS, STAYS], "indifferent"),
        ([OPEN, GROWS, STAYS], "unstable"),
    ],
)
def test_a_root_on_the_axis_within_its_error_is_not_called_stable(signs: list[str], verdict: str) -> None:
    assert verdict_of(signs) == verdict
