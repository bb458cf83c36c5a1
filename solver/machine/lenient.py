"""`math` as compiled code has it, for what runs as plain Python: NaN or infinity, where Python's own raises."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from types import SimpleNamespace


def _lenient(function: Callable[..., float]) -> Callable[..., float]:
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
    entries = {name: value for name, value in vars(math).items() if not name.startswith("_")}
    return {name: _lenient(value) if callable(value) else value for name, value in entries.items()}


lenient_math = SimpleNamespace(**_entries())
