"""Integrators: one file a family; `step_of` finds the step of a fixed-step method.

In: a `Run`: tables of addresses, states. Out: the same some steps later, rows of outputs.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""

from __future__ import annotations

from ..machine.jit import Unit


def work_rows(method: str, states: int) -> int:
    """How many vectors of that many states the step of a method works with; the last keeps the start of a part."""
    if method == "implicit":
        from .rosenbrock import VECTORS

        return states + VECTORS + 1
    return 6


def step_of(method: str) -> Unit:
    """The compiled step; only what is asked for is loaded."""
    if method == "implicit":
        from .rosenbrock import implicit

        return implicit
    from . import explicit

    return getattr(explicit, method, explicit.rk4)
