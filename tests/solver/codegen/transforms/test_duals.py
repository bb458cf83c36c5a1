"""Single entry points with tangents: the bits of single runs, derivatives to the last digits but few."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from luff.solver.codegen import object_store
from luff.solver.codegen.jit import ENTRY_POINTS
from luff.solver.codegen.memory_arena import cache_line_aligned
from luff.solver.codegen.source_functions import Function
from luff.solver.codegen.transforms.entry_point_variants import DIRECTIONS, dual
from luff.solver.codegen.transforms.variant_compile import compile_variant
from luff.tests.conftest import about_compiling
from luff.tests.solver.codegen.transforms.test_lane_functions import CASES, SIZE, bodies, called, function_of

pytestmark = about_compiling
NUMBERS = DIRECTIONS + 1

FUNCTIONS = {  # of x and y, as plain Python has them, beside those of 50 digits
    "math.sin(x) * y": lambda x, y: mpmath.sin(x) * y,
    "math.cos(x) / y": lambda x, y: mpmath.cos(x) / y,
    "math.tan(x) - y": lambda x, y: mpmath.tan(x) - y,
    "math.exp(x * y)": lambda x, y: mpmath.exp(x * y),
    "math.expm1(x) * y": lambda x, y: mpmath.expm1(x) * y,
    "math.log(x) + math.log1p(y)": lambda x, y: mpmath.log(x) + mpmath.log1p(y),
    "math.log10(x) - math.log2(y)": lambda x, y: mpmath.log10(x) - mpmath.log(y, 2),
    "x ** y": lambda x, y: x**y,
    "x ** 3 + y ** 0.5": lambda x, y: x**3 + mpmath.sqrt(y),
    "math.sqrt(x * x + y)": lambda x, y: mpmath.sqrt(x * x + y),
    "math.hypot(x, y)": lambda x, y: mpmath.hypot(x, y),
    "math.atan2(x, y)": lambda x, y: mpmath.atan2(x, y),
    "math.atan(x) * math.asin(y)": lambda x, y: mpmath.atan(x) * mpmath.asin(y),
    "math.acos(y) - x": lambda x, y: mpmath.acos(y) - x,
    "math.sinh(x) + math.cosh(y)": lambda x, y: mpmath.sinh(x) + mpmath.cosh(y),
    "math.asinh(x) * math.acosh(1 + y)": lambda x, y: mpmath.asinh(x) * mpmath.acosh(1 + y),
    "math.atanh(y) + x": lambda x, y: mpmath.atanh(y) + x,
    "math.tanh(x - y)": lambda x, y: mpmath.tanh(x - y),
    "math.erf(x) - math.erfc(y)": lambda x, y: mpmath.erf(x) - mpmath.erfc(y),
    "abs(x - y) * math.copysign(x, -y)": lambda x, y: -abs(x - y) * x,
    "(x * y) % 0.3": lambda x, y: x * y - 0.3 * mpmath.floor(x * y / 0.3),
    "min(x, y) / max(x * x, y)": lambda x, y: min(x, y) / max(x * x, y),
    "math.floor(8 * x) + (y if x > 0.5 else -y)": lambda x, y: y if x > 0.5 else -y,
}


def tangents(entry: Function, numbers: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What stands in memory afterwards, and its derivatives by the first entries."""
    wide = cache_line_aligned(np.zeros(SIZE * NUMBERS)).reshape(SIZE, NUMBERS)
    wide[:, 0] = numbers
    wide[:DIRECTIONS, 1:] = np.eye(DIRECTIONS)
    called(dual(entry))(wide.ctypes.data, places.ctypes.data)
    return wide[:, 0].copy(), wide[:, 1:].copy()


def alone(entry: Function, numbers: np.ndarray, places: np.ndarray) -> np.ndarray:
    here = numbers.copy()
    called(entry)(here.ctypes.data, places.ctypes.data)
    return here


def slope_of(text: str, x: float, y: float) -> tuple[float, np.ndarray]:
    entry = function_of(f"x, y = w[0], w[1]\n    w[11] = {text}")
    values, slopes = tangents(entry, np.array([x, y, *[0.0] * 10]), np.zeros(1, np.int64))
    return values[11], slopes[11, :2]


@pytest.mark.parametrize("name", CASES)
def test_values_have_the_bits_of_a_single_run(name: str) -> None:
    entry, places = function_of(CASES[name]), np.array([5, 1, 2])
    rng = np.random.default_rng(1)
    odd = rng.choice([0.0, -0.0, 1.0, -1.0, 0.5, 1e-310, 1e300, 3.0], SIZE)
    for numbers in (*(scale * rng.normal(size=SIZE) for scale in (0.1, 1.0, 30.0)), odd):
        values, _ = tangents(entry, numbers, places)
        np.testing.assert_array_equal(values, alone(entry, numbers, places))


@pytest.mark.parametrize("text", FUNCTIONS)
def test_rules_against_fifty_digits(text: str) -> None:
    for x, y in ((0.3, 0.7), (0.9, 0.2), (2.5, 0.4)):
        value, slope = slope_of(text, x, y)
        with mpmath.workdps(50):
            f = FUNCTIONS[text]
            expected = [float(mpmath.diff(f, (x, y), way)) for way in ((1, 0), (0, 1))]
        np.testing.assert_allclose(slope, expected, rtol=1e-13, atol=1e-15, err_msg=f"{value}")


@pytest.mark.parametrize(
    ("text", "slope"),
    [
        ("math.sqrt(x)", 0.0),
        ("abs(x)", 0.0),
        ("x ** 0.5", 0.0),
        ("x ** 1.0", 1.0),
        ("x ** 2.0", 0.0),
        ("x ** y", 0.0),
        ("math.hypot(x, 0.0 * y)", 0.0),
        ("math.atan2(x, 0.0 * y)", 0.0),
        ("math.sqrt(x * x) + 3.0 * x", 3.0),
        ("abs(x) * x", 0.0),
        ("math.asin(1.0 - x)", 0.0),
        ("math.acos(x - 1.0)", 0.0),
        ("math.acosh(1.0 + x)", 0.0),
        ("math.tanh(1e3 + x)", 0.0),
        ("max(x, 0.0)", 1.0),
        ("max(0.0, x)", 0.0),
        ("min(x, y)", 1.0),
        ("math.copysign(x, y)", 1.0),
    ],
)
def test_slopes_at_zero_are_finite(text: str, slope: float) -> None:
    _, slopes = slope_of(text, 0.0, 0.5)
    assert slopes[0] == slope
    assert np.isfinite(slopes).all()


def test_what_rounds_has_no_slope() -> None:
    """A sum with 1.5 * 2^52 is a whole number."""
    _, slope = slope_of("x - ((x * 4.0 + 6755399441055744.0) - 6755399441055744.0) * 0.25", 1.3, 0.0)
    assert slope.tolist() == [1.0, 0.0]


def test_integers_follow_the_value() -> None:
    """Indices and rounds of a loop are those of a single run; what they choose brings its own slope."""
    entry = function_of(CASES["an index by value"])
    numbers = np.arange(1.0, SIZE + 1.0)
    numbers[0] = 2.7
    _, slopes = tangents(entry, numbers, np.zeros(1, np.int64))
    assert slopes[6].tolist() == np.eye(DIRECTIONS)[1].tolist()  # w[4 + 2] = w[1]
    assert slopes[8].tolist() == np.eye(DIRECTIONS)[7].tolist()  # w[8] = w[4 + 3]


def test_what_nobody_can_derive_is_refused() -> None:
    code, reasons = compile_variant(dual(function_of("w[1] = math.gamma(w[0])")))
    assert code == b""
    assert "gamma" in reasons[0]


@settings(max_examples=6, deadline=None)
@given(lines=bodies(), seed=st.integers(0, 2**32 - 1))
def test_random_functions(lines: list[str], seed: int) -> None:
    """Slopes along a direction against differences of the same code, where it goes the same way on both sides."""
    entry, places = function_of("\n    ".join(lines)), np.zeros(1, np.int64)
    rng = np.random.default_rng(seed)
    numbers, way = rng.normal(size=SIZE), np.zeros(SIZE)
    way[:DIRECTIONS] = rng.normal(size=DIRECTIONS)
    values, slopes = tangents(entry, numbers, places)
    np.testing.assert_array_equal(values, alone(entry, numbers, places))
    bent = []
    for h in (1e-4, 5e-5):
        ahead, behind = (alone(entry, numbers + s * h * way, places) for s in (1.0, -1.0))
        bent.append((ahead - behind) / (2.0 * h))
    expected = (4.0 * bent[1] - bent[0]) / 3.0
    smooth = np.isfinite(expected) & (abs(bent[1] - bent[0]) < 1e-5 * (1.0 + abs(expected)))
    # differences are off by rounding, 1e-16 of values over the step; those by some powers may be large
    off = abs(slopes @ way[:DIRECTIONS] - expected)[smooth]
    assert np.all(off <= 1e-6 * (1.0 + abs(expected) + abs(values))[smooth])


def test_all_entry_points_of_the_solver_can_be_derived() -> None:
    """Of those that are compiled already: other tests have the rest compiled."""
    kept = [object_store.read_object(dual(entry)) for entry in ENTRY_POINTS]
    assert [reasons for reasons, code in filter(None, kept) if not code] == []
