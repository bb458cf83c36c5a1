"""Luff's own functions of mathematics: less than one unit in the last place from 50 digits, edges as in Python's
`math`, and the same bits compiled, in plain Python, and where code calls `math` by name."""

from __future__ import annotations

import ctypes
import math
import random
import struct
from collections.abc import Callable
from typing import Any

import mpmath
import pytest

from luff.solver.codegen import object_loader
from luff.solver.codegen.ieee_math import MATHEMATICS
from luff.solver.codegen.jit import ENTRY_POINTS, Elementary
from luff.solver.codegen.libm.trigonometric import LARGE, sine_cosine
from luff.solver.codegen.source_functions import function

OWN = {each.symbol.removeprefix("luff_"): each for each in ENTRY_POINTS if isinstance(each, Elementary)}
EXACT: dict[str, Callable[..., Any]] = {
    "pow": mpmath.power, "log2": lambda x: mpmath.log(x, 2), "exp2": lambda x: mpmath.mpf(2) ** x,
    "hypot": lambda x, y: mpmath.sqrt(x * x + y * y),
}  # fmt: skip
EDGES = (
    0.0, -0.0, 5e-324, 1e-310, 0.5, 1.0, -1.0, 2.0, 3.0, -3.0, 0.25, 1e17, 1e308, math.inf, -math.inf, math.nan,
)  # fmt: skip
DRAWS = 700


def drawn(name: str, rng: random.Random) -> tuple[float, ...]:
    """Numbers of all sizes, many where digits cancel."""
    sign = rng.choice((-1.0, 1.0))
    size = sign * 10.0 ** rng.uniform(-300.0, 300.0)
    common = rng.choice((rng.uniform(-4.0, 4.0), sign * 10.0 ** rng.uniform(-9.0, 0.0)))
    near_one = 1.0 + sign * 10.0 ** rng.uniform(-15.0, -0.5)
    if name == "pow":
        return rng.choice((
            (10.0 ** rng.uniform(-30.0, 30.0), rng.uniform(-9.0, 9.0)),
            (near_one, sign * 10.0 ** rng.uniform(-3.0, 12.0)),
            (rng.uniform(0.0, 3.0), rng.uniform(-300.0, 300.0)),
        ))  # fmt: skip
    if name in ("atan2", "hypot"):
        other = rng.choice((-1.0, 1.0)) * 10.0 ** rng.uniform(-3.0, 3.0)
        return rng.choice(((common, other), (common * size, size), (size, -size * other)))
    angle = float(rng.randrange(-2_000_000, 2_000_000) * mpmath.pi / 4)
    return (
        rng.choice((common, near_one, size, rng.uniform(-740.0, 705.0), angle, math.nextafter(angle, 9e99))),
    )


def in_ulps(value: float, exact: Any) -> float:
    return float(abs(mpmath.mpf(value) - exact) / math.ulp(float(exact)))


@pytest.mark.parametrize("name", sorted(MATHEMATICS))
def test_errors_are_below_one_unit_in_the_last_place(name: str) -> None:
    rng, met = random.Random(f"{name} 1"), 0
    with mpmath.workdps(50):
        while met < DRAWS:
            numbers = drawn(name, rng)
            exact = EXACT.get(name) or getattr(mpmath, name)
            try:
                value = exact(*map(mpmath.mpf, numbers))
            except (ValueError, OverflowError):
                value = mpmath.nan
            met += 1
            # what lies outside of the domain, or is no number, is for the edges below
            if not isinstance(value, mpmath.mpf) or not 1e-300 < abs(value) < 1e300:
                continue
            error = in_ulps(OWN[name](*numbers), value)
            assert error < 0.95, (numbers, error)


def test_every_function_of_the_list_is_there_and_no_other() -> None:
    assert set(OWN) == MATHEMATICS


@pytest.mark.parametrize("name", sorted(MATHEMATICS))
def test_edges_are_those_of_python(name: str) -> None:
    own, known = OWN[name], getattr(math, name)
    for x in EDGES:
        for numbers in [(x,)] if len(own.kinds) == 1 else [(x, y) for y in EDGES]:
            value = own(*numbers)
            try:
                wanted = known(*numbers)
            except OverflowError:
                assert abs(value) == math.inf, numbers
                continue
            except ValueError:  # outside of its domain, or a pole: as in C
                assert math.isnan(value) or math.isinf(value), numbers
                continue
            assert math.isnan(wanted) == math.isnan(value), numbers
            if not math.isnan(wanted):
                assert abs(value - wanted) <= math.ulp(wanted) or value == wanted, numbers
                if (name, x) != ("sin", 0.0):  # which is 0 on both sides of it
                    assert math.copysign(1.0, value) == math.copysign(1.0, wanted), numbers


def bits(value: float) -> bytes:
    return struct.pack("<d", math.nan if math.isnan(value) else value)


@pytest.mark.parametrize("name", sorted(MATHEMATICS))
def test_compiled_and_called_by_name_they_have_the_bits_of_plain_python(name: str) -> None:
    own, rng = OWN[name], random.Random(f"{name} 2")
    doubles = len(own.kinds)
    address = object_loader.address_of(own)
    compiled = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * doubles)(address)
    # as a block's own function, or a formula, calls it
    arguments = ", ".join(f"w[{k}]" for k in range(doubles))
    by_name = function(f"def operation(w, a):\n    w[2] = math.{name}({arguments})\n", (), name)
    draws = [drawn(name, rng) for _ in range(200)]
    draws += [(x, 0.5)[:doubles] for x in EDGES] + [(0.5, x)[:doubles] for x in EDGES]
    for numbers in draws:
        wanted = bits(own(*numbers))
        assert bits(compiled(*numbers)) == wanted, numbers
        words = (ctypes.c_double * 3)(*numbers)
        object_loader.callable_of(by_name)(ctypes.addressof(words), 0)
        assert bits(words[2]) == wanted, numbers


def test_sine_and_cosine_together_are_those_by_themselves() -> None:
    for x in (0.0, 5e-324, 0.3, -1.0, 2.0, -30.0, 4e5, LARGE, 2e6, -3.7e9, 1e300):
        assert sine_cosine(x) == (OWN["sin"](x), OWN["cos"](x))


def test_powers_that_are_whole_are_exact() -> None:
    for base in (2.0, 3.0, 5.0, 7.0, 10.0, 0.5, -3.0):
        for exponent in range(16):
            assert OWN["pow"](base, float(exponent)) == base**exponent
    assert OWN["pow"](4.0, 0.5) == 2.0
    assert OWN["log2"](2.0**-1060) == -1060.0
    assert OWN["log10"](1e15) == 15.0
