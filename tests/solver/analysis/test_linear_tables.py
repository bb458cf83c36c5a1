"""Tables of linear models: entries within their errors, poles, and zeros against closed forms."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.analysis.linear_tables import (
    certain_matrices,
    is_rounded,
    path_zeros,
    pole_rows,
    relative_degree,
    zero_rows,
)
from luff.solver.analysis.linearise import Linear, linearise
from luff.solver.analysis.natural_modes import modes

LIBRARY = Path(luff.__file__).parent / "library"
M, m, L, C, G = 3.0, 2.0, 0.7, 0.4, 9.81
CART = f"""luff: 1
blocks:
  rail: {{type: prismatic, axis: x, damping: 0.7}}
  cart: {{type: rigid_link, mass: {M}}}
  pin: {{type: revolute, axis: y, damping: {C}}}
  bob: {{type: rigid_link, mass: {m}, com: [0, 0, -{L}], inertia: [0, 0, 0]}}
  push: {{type: constant, value: 0, unit: N}}
connect: [world.frame -- rail.frame_a, rail.frame_b -- cart.frame_a, cart.frame_b -- pin.frame_a,
  pin.frame_b -- bob.frame_a, push.y -> rail.effort]
simulation: {{stop: 1 s, step: 1 ms}}
"""


def cart(inputs: tuple[str, ...] = ("rail.effort",), outputs: tuple[str, ...] = ("rail.position",)) -> Linear:
    return linearise(luff.compile(luff.loads(CART)), 0.0, "equilibrium", inputs, outputs, errors=True)


def test_entries_that_only_rounding_makes_are_zero() -> None:
    """A crane that lies in its plane: motion in it and across it do not act on each other."""
    crane = luff.compile(LIBRARY / "crane_demo.yaml")
    lin = linearise(crane, 0.0, "equilibrium", ["slew.effort"], ["slew.position"], errors=True)
    names = lin.state_names
    across = [k for k, name in enumerate(names) if name.startswith(("slew.", "sling.beta"))]
    along = [k for k in range(len(names)) if k not in across]
    A = certain_matrices(lin)["A"]
    assert lin.A[np.ix_(across, along)].any()  # as computed
    assert is_rounded(lin)
    assert not A[np.ix_(across, along)].any()
    assert not A[np.ix_(along, across)].any()
    changed = A != lin.A
    largest = np.maximum(abs(lin.A).max(axis=1, keepdims=True), 1e-300)
    assert (abs(lin.A) / largest)[changed].max() < 1e-13  # some hundred last digits of a row's largest entry


def test_errors_bound_what_the_last_digits_of_states_change() -> None:
    """Of many directions of chance at once: none changes an entry by more."""
    crane, rng = luff.compile(LIBRARY / "crane_demo.yaml"), np.random.default_rng(4)
    given = linearise(crane, 0.0, "equilibrium", ["slew.effort"], ["slew.position"], errors=True)
    n, rows = len(given.A), given.errors[: len(given.A), : len(given.A)]
    worst, states = np.zeros((n, n)), [k for k in range(n) if k not in given.quaternions]
    for _ in range(200):
        x = given.x.copy()
        x[states] += np.finfo(float).eps * np.maximum(1.0, abs(x[states])) * rng.uniform(-1, 1, len(states))
        worst = np.maximum(
            worst, abs(linearise(crane, 0.0, x, ["slew.effort"], ["slew.position"]).A - given.A)
        )
    # what these evaluations round themselves, beside what the digits do
    assert (worst <= rows + 4 * np.finfo(float).eps * abs(given.A).max(axis=1, keepdims=True)).all()
    assert (worst > 0.1 * rows)[rows > 0.0].mean() > 0.5  # and it is no idle bound


def test_a_small_entry_that_is_known_stays() -> None:
    text = """luff: 1
blocks:
  one: {type: integrator, initial: 1}
  slow: {type: gain, k: -1e-30}
connect: [one.y -> slow.u, slow.y -> one.u]
simulation: {stop: 1 s, step: 1 ms}
"""
    lin = linearise(luff.compile(luff.loads(text)), 0.0, "initial", errors=True)
    assert certain_matrices(lin)["A"].tolist() == [[-1e-30]]
    assert not is_rounded(lin)


def test_entries_without_known_errors_are_as_they_are() -> None:
    lin = cart()
    lin.errors = np.zeros((0, 0))
    assert not is_rounded(lin)
    assert path_zeros(lin) is None


def test_poles_are_numbered_as_modes() -> None:
    lin, found = cart(), modes(luff.compile(luff.loads(CART)))
    rows = pole_rows(lin)
    assert [row[0] for row in rows] == [str(k + 1) for k in range(len(found.eigenvalues))]
    for row, s in zip(rows, found.eigenvalues, strict=True):
        assert float(row[1].partition(" ")[0]) == pytest.approx(s.real, rel=1e-5, abs=1e-12)
    swings = rows[0]
    assert float(swings[3]) == pytest.approx(found.frequencies[0] / (2 * math.pi), rel=1e-5)
    assert float(swings[4]) == pytest.approx(found.damping[0], rel=1e-3)
    assert swings[-1] == "pin.position"
    assert [row[-1] for row in rows if row[1] == "0"] == ["rail.position"]  # nothing draws the cart back


def test_zeros_of_a_cart_are_those_of_its_pendulum_held_still() -> None:
    """While the force keeps the cart where it is, m l^2 a'' + c a' + m g l a = 0 is left."""
    zeros = path_zeros(cart())
    assert zeros is not None
    expected = np.roots([m * L**2, C, m * G * L])
    np.testing.assert_allclose(np.sort_complex(zeros), np.sort_complex(expected), rtol=1e-9)
    (row,) = zero_rows(cart())
    assert float(row[3]) == pytest.approx(math.sqrt(G / L) / (2 * math.pi), rel=1e-5)
    for inputs, outputs in ((("rail.effort",), ("rail.position", "pin.position")), ((), ("rail.position",))):
        assert path_zeros(cart(inputs, outputs)) is None  # no single path


@pytest.mark.parametrize(
    ("num", "den"),
    [([1.0, 3.0], [1.0, 0.4, 9.0]), ([2.0, 0.5, 8.0], [1.0, 5.0, 6.0]), ([1.0], [1.0, 5.0, 6.0])],
)
def test_zeros_of_a_transfer_function_are_its_numerators(num: list[float], den: list[float]) -> None:
    text = f"""luff: 1
blocks:
  source: {{type: constant, value: 0}}
  plant: {{type: transfer_function, num: {num}, den: {den}}}
  apart: {{type: transfer_function, num: [1.0], den: [1.0, 1.0]}}
connect: [source.y -> plant.u, source.y -> apart.u]
simulation: {{stop: 1 s, step: 1 ms}}
"""
    lin = linearise(luff.compile(luff.loads(text)), 0.0, "initial", ["plant.u"], ["plant.y"], errors=True)
    zeros = path_zeros(lin)
    assert zeros is not None
    by_sign = lambda s: np.array(sorted(s, key=lambda z: z.imag), complex)  # noqa: E731
    np.testing.assert_allclose(by_sign(zeros), by_sign(np.roots(num)), rtol=1e-12)


def test_a_path_that_may_cancel_has_no_known_zeros() -> None:
    """Two ways of the same length whose sum is zero within the errors: the order of the path is not known."""
    A = np.array([[-1.0, 0.0], [0.0, -2.0]])
    b, c = np.array([1.0, 1.0]), np.array([1.0, -1.0])
    exact, rounded = np.zeros((3, 3)), np.full((3, 3), 1e-15)
    assert relative_degree(A, b, c, 0.0, rounded) is None
    assert relative_degree(A, b, c * [1.0, 2.0], 0.0, rounded) == 1
    assert relative_degree(A, b, c, 1.0, exact) == 0
    assert relative_degree(A, b, 0.0 * c, 0.0, exact) is None  # no path


def test_the_command_tells_poles_and_zeros(tmp_path: Path) -> None:
    from luff.tests.cli.test_commands import call

    (tmp_path / "cart.yaml").write_text(CART)
    words = ("linearize", str(tmp_path / "cart.yaml"), "--from", "rail.effort", "--to", "rail.position")
    lines = call(*words).stdout.splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith("zero"))
    assert lines[at + 1].split()[3] == f"{math.sqrt(G / L) / (2 * math.pi):.6g}"
    assert any(line.startswith("mode  real [1/s]") for line in lines[:at])
    assert json.loads(call(*words, "--json").stdout)["A"] == cart().A.tolist()  # as computed
