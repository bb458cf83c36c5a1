"""Numerical derivatives against complex steps and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from luff.solver.simulation.finite_differences import jacobian, kinked_entries


def lively(x: np.ndarray) -> np.ndarray:
    """Entries of very different sizes and speeds; also for complex x."""
    a, b, c = x
    return np.array(
        [np.sin(3 * a) * b**2, 1e6 * np.exp(-a) + c, np.sqrt(1 + b**2) * c**3, 1e-4 * np.tanh(5 * c)]
    )


def complex_step(f, x: np.ndarray) -> np.ndarray:
    return np.array([np.imag(f(x + 1e-30j * row)) / 1e-30 for row in np.eye(len(x))]).T


@pytest.mark.parametrize("seed", range(4))
def test_jacobian_agrees_with_complex_steps_within_its_own_error(seed: int) -> None:
    x = np.random.default_rng(seed).normal(size=3)
    J, error = jacobian(lively, x)
    exact = complex_step(lively, x)
    size = np.abs(exact).max(axis=1, keepdims=True)
    # extrapolation leaves rounding: 1e-16 of the function over steps of 1e-3 to 1e-5
    assert np.all(np.abs(J - exact) <= 1e-10 * size), f"seed {seed}"
    # entries below the estimate are put to zero, twice it at most
    assert np.all(np.abs(J - exact) <= 3 * error), f"seed {seed}"


def test_structural_zeros_are_exact() -> None:
    J, _ = jacobian(lambda x: np.array([9.81 + x[0] ** 2, 0.0 * x[1]]), np.array([0.3, 0.7]))
    assert J[0, 1] == 0.0
    assert J[1].tolist() == [0.0, 0.0]


def test_weak_linear_inputs_are_stepped_far() -> None:
    """A force of 1 N on 100 t, beside gravity: small steps would drown in rounding."""
    f = lambda u: np.array([-9.81 + 1e-5 * u[0]])  # noqa: E731
    J, _ = jacobian(f, np.zeros(1), linear=[0])
    assert J[0, 0] == pytest.approx(1e-5, rel=1e-10)


def test_steps_beyond_the_domain_count_for_nothing() -> None:
    """1e-5 from the end of the square root's domain the first steps reach beyond it."""
    with np.errstate(invalid="ignore"):
        J, _ = jacobian(np.sqrt, np.array([1e-5]))
    # two levels of 1.4e-6 and 4e-6 are left: (h / x)^4 of the value, about 5e-3 times a small factor
    assert J[0, 0] == pytest.approx(0.5 / np.sqrt(1e-5), rel=5e-3)


def test_kinks_are_found_where_they_are_and_not_beside() -> None:
    f = lambda x: np.array([abs(x[0]), abs(x[0] - 1e-4), np.sin(40 * x[0]), max(x[0], 0.0) + 9.81])  # noqa: E731
    x = np.zeros(1)
    J, _ = jacobian(f, x)
    np.testing.assert_allclose(J.ravel(), [0.0, -1.0, 40.0, 0.5], rtol=1e-9)
    assert kinked_entries(f, x, J).ravel().tolist() == [True, False, False, True]


def test_curves_however_steep_are_no_kinks() -> None:
    """Beside an equilibrium nothing says how large the function is: 5e4 x^2 bends by 1e-5 where all else is zero."""
    f = lambda x: np.array([5e4 * x[0] ** 2, 1e4 * x[0] ** 3, 1e3 * (1.0 - np.cos(x[0])), 1e-6 * abs(x[0])])  # noqa: E731
    x = np.zeros(1)
    J, _ = jacobian(f, x)
    assert kinked_entries(f, x, J).ravel().tolist() == [False, False, False, True]


def test_rounding_is_no_kink() -> None:
    """Sums that cancel leave noise of the size of their terms' rounding, not of their own."""
    f = lambda x: np.array([(1e9 + x[0] ** 2) - 1e9])  # noqa: E731
    found = [kinked_entries(f, np.array([at]), np.zeros((1, 1)))[0, 0] for at in np.linspace(-1e-3, 1e-3, 50)]
    assert sum(found) <= 2, "three steps must agree by chance"
