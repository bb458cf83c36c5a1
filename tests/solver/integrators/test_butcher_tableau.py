"""Methods of a user: order by Butcher's conditions and by runs, stability, places where they are named, mistakes."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate._ivp import dop853_coefficients as dop

import luff
from luff import LuffError
from luff.solver.integrators.butcher_tableau import order_of, rooted_trees, stability_polynomial
from luff.solver.integrators.method_table import METHODS, first_exit, method_of
from luff.tests.process import call

pytestmark = pytest.mark.usefixtures("methods")

RALSTON = {"a": [[], [1 / 2], [0, 3 / 4]], "b": [2 / 9, 1 / 3, 4 / 9]}
KUTTA = {"a": [[], [1 / 2], [0, 1 / 2], [0, 0, 1]], "b": [1 / 6, 1 / 3, 1 / 3, 1 / 6]}
SWING = """
luff: 1
blocks:
  slide: {type: prismatic, axis: x, stiffness: 40 N/m, initial: {position: 1}}
  cart: {type: rigid_link, mass: 10 kg}
connect: [world.frame -- slide.frame_a, slide.frame_b -- cart.frame_a]
simulation: {stop: 1 s, step: STEP, method: METHOD}
"""


def matrix(a: list[list[float]]) -> np.ndarray:
    return np.array([[*row, *[0.0] * (len(a) - len(row))] for row in a])


def test_trees_have_their_numbers() -> None:
    """Cayley; OEIS A000081."""
    assert [len(rooted_trees(order)) for order in range(1, 9)] == [1, 1, 2, 4, 9, 20, 48, 115]


@pytest.mark.parametrize(
    ("A", "b", "order"),
    [
        (np.zeros((1, 1)), np.ones(1), 1),
        (matrix(RALSTON["a"]), np.array(RALSTON["b"]), 3),
        (matrix(KUTTA["a"]), np.array(KUTTA["b"]), 4),
        (dop.A[:12, :12], dop.B, 8),  # Hairer, Norsett and Wanner (1993), whose coefficients have 16 digits
    ],
    ids=["euler", "ralston", "kutta", "dop853"],
)
def test_orders_are_those_of_the_literature(A: np.ndarray, b: np.ndarray, order: int) -> None:
    assert order_of(A, b) == order
    expected = [1 / math.factorial(k) for k in range(order + 1)]
    np.testing.assert_allclose(stability_polynomial(A, b)[: order + 1], expected, rtol=1e-12)


def test_errors_of_runs_fall_with_the_order() -> None:
    """cos(2 t) of an oscillator: halved steps leave 2^-3 of the error."""
    luff.add_method("ralston3", **RALSTON)
    errors = []
    for step in ("20 ms", "10 ms"):
        sim = luff.compile(luff.loads(SWING.replace("METHOD", "ralston3").replace("STEP", step)))
        result = sim.run()
        errors.append(abs(result["slide.position"][-1] - math.cos(2.0)))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(
        3.0, abs=0.1
    )  # the next term is 2 % of the first
    assert result.quality["step_error"]["verdict"] == "fine"


def test_the_tableau_of_kutta_is_rk4() -> None:
    luff.add_method("kutta4", **KUTTA)
    sim = luff.compile("library/crane_knuckle_boom.yaml")
    one, other = (sim.run(stop=0.2, method=name) for name in ("kutta4", "rk4"))
    names = [name for name in one if name.endswith(".position")]
    assert len(names) > 2
    for name in names:  # the same formula, rounded in another order in each of 200 steps
        np.testing.assert_allclose(one[name], other[name], rtol=0, atol=1e-12, err_msg=name)


def test_batches_have_the_bits_of_runs() -> None:
    luff.add_method("ralston3", **RALSTON)
    sim = luff.compile("library/templates/pendulum.yaml")
    masses = [1.0, 2.0, 3.0, 4.0, 5.0]
    table = luff.batch(
        sim, {"rod.mass": masses}, outputs=["pin.position"], stop=0.2, method="ralston3", lanes=True
    )
    assert table.lanes > 0
    sim.set("rod.mass", 3.0)
    expected = sim.run(stop=0.2, method="ralston3")["pin.position"]
    np.testing.assert_array_equal(table["pin.position"][2], expected)


def test_stability_limits_are_those_of_closed_forms() -> None:
    """R of order 3 in 3 stages: |R(iw)| = 1 at sqrt(3), R(-x) = -1 at the root of x^3 - 3 x^2 + 6 x = 12."""
    luff.add_method("ralston3", **RALSTON)
    made = method_of("ralston3")
    assert made.imaginary_limit == pytest.approx(math.sqrt(3.0), rel=1e-9)
    x = made.real_limit
    assert x**3 - 3 * x**2 + 6 * x == pytest.approx(12.0, rel=1e-9)
    assert first_exit((1.0, 1.0), 1j) == 0.0


def test_regions_in_two_parts_end_at_the_first() -> None:
    """R = T_3(1 + z / 9), Chebyshev's: |R| <= 1 from 0 to -18 along the axis, and touches 1 twice on the way."""
    growth = (1.0, 1.0, 4 * 3 / 81, 4 / 729)
    assert growth[1] == pytest.approx(9 / 9)
    assert first_exit(growth, -1.0) == pytest.approx(18.0, rel=1e-5)  # up to the rounding of double roots


def test_a_file_beside_a_netlist_brings_its_method(tmp_path: Path) -> None:
    (tmp_path / "methods.py").write_text(f"import luff\n\nluff.add_method('mine', **{RALSTON!r})\n")
    text = SWING.replace("METHOD", "mine").replace("STEP", "1 ms")
    (tmp_path / "swing.yaml").write_text(text.replace("blocks:", "blocks:\n  files: [methods.py]"))
    call("run", "swing.yaml", "--allow-code", "--quiet", "-o", "out.npz", cwd=tmp_path)
    result = luff.read(tmp_path / "out.npz")
    assert result["slide.position"][-1] == pytest.approx(math.cos(2.0), abs=1e-8)  # (w h)^3 of a radian / 24


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"name": "rk4", **KUTTA}, r"add_method\.rk4: there already is a method of this name"),
        ({"name": "a b", **KUTTA}, 'found the name "a b"'),
        ({"name": "x", "a": [[]], "b": [0.5]}, r"found weights b whose sum is 0\.5, expected 1"),
        (
            {"name": "x", "a": [[1.0]], "b": [1.0]},
            r"found rows of \[1\] numbers for 1 weights, expected 0, 1, 2",
        ),
        ({"name": "x", "a": [[], [math.nan]], "b": [0.5, 0.5]}, "found a coefficient that is not finite"),
        ({"name": "x", "a": [[], ["a"]], "b": [0.5, 0.5]}, "found a tableau that is not made of numbers"),
    ],
)
def test_a_tableau_that_is_none_is_refused(about: dict, message: str) -> None:
    with pytest.raises(LuffError, match=message):
        luff.add_method(**about)
    assert "x" not in METHODS


def test_a_method_may_be_added_again() -> None:
    luff.add_method("again", **RALSTON)
    luff.add_method("again", **RALSTON)
    with pytest.raises(LuffError, match="there already is a method of this name"):
        luff.add_method("again", **KUTTA)
    with pytest.raises(LuffError, match=r"found 'agaim', expected one of .*again"):
        luff.compile(luff.loads(SWING.replace("METHOD", "agaim").replace("STEP", "1 ms")))
