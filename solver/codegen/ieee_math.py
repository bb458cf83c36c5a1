"""`math` with IEEE results for plain Python: NaN or infinity, as in compiled code, where Python's raises."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from types import SimpleNamespace


def _without_exceptions(function: Callable[..., float]) -> Callable[..., float]:
    """Wrap a function of `math`: inf on overflow, NaN outside the domain, -inf for log(0)."""

    @functools.wraps(function)
    def called(*numbers: float) -> float:
        try:
            return function(*numbers)
        except OverflowError:
            return math.inf
        except ValueError:  # outside the domain, or a pole
            return -math.inf if function is math.log and numbers == (0.0,) else math.nan

    return called


def _entries() -> dict[str, object]:
    """Functions and constants of `math`, functions wrapped."""
    entries: Mapping[str, Callable[..., float] | float] = vars(math)
    return {
        name: value if isinstance(value, float | int) else _without_exceptions(value)
        for name, value in entries.items()
        if not name.startswith("_")
    }


# functions with an implementation of luff's own (`libm/`), in compiled code and here
_OWN = "acos acosh asin asinh atan atan2 atanh cos cosh exp exp2 expm1 hypot log log10 log1p log2 pow sin sinh tan tanh"
MATHEMATICS = frozenset(_OWN.split())

lenient_math = SimpleNamespace(**_entries())
