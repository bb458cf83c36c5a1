"""Sine and cosine against 60 digits: less than one unit in the last place, however the angle is reduced."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np

from luff.solver.codegen.libm.trigonometric import LARGE, sine_cosine


def error(found: float, exact: Any) -> float:
    """In units of the last place."""
    return float(abs(mpmath.mpf(found) - exact) / math.ulp(float(exact)))


def angles() -> list[float]:
    rng = np.random.default_rng(1)
    errors = [
        *rng.uniform(-0.8, 0.8, 1000),
        *rng.uniform(-10.0, 10.0, 1500),
        *rng.uniform(-LARGE, LARGE, 1000),
    ]
    errors += [*(10.0 ** rng.uniform(-12, 0, 300))]
    # where a multiple of pi/4 is near, and nearly all digits cancel
    for k in [*range(-40, 41), *rng.integers(-1_200_000, 1_200_000, 300).tolist()]:
        near = float(k * mpmath.pi / 4)
        errors += [near, math.nextafter(near, 9e9), math.nextafter(near, -9e9)]
    return [float(x) for x in errors if abs(x) <= LARGE]


def test_errors_are_below_one_unit_in_the_last_place() -> None:
    worst = 0.0
    with mpmath.workdps(60):
        for x in angles():
            sine, cosine = sine_cosine(x)
            exact = mpmath.mpf(x)
            worst = max(worst, error(cosine, mpmath.cos(exact)))
            if x:
                worst = max(worst, error(sine, mpmath.sin(exact)))
    assert worst < 0.9


def test_exact_values_and_what_is_no_number() -> None:
    assert sine_cosine(0.0) == (0.0, 1.0)
    assert sine_cosine(5e-324) == (5e-324, 1.0)
    assert math.isnan(sine_cosine(math.nan)[0])
    for x in (0.3, 1.0, 2.0, 30.0, 4e5):
        sine, cosine = sine_cosine(x)
        assert sine_cosine(-x) == (-sine, cosine)
