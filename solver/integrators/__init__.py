"""Integrators: one file a family; `step_of` finds the step of a fixed-step method.

In: a `Run`: tables of addresses, states. Out: the same some steps later, rows of outputs.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""

from __future__ import annotations

from ..machine.jit import Unit

OWN = 2  # rows from the end: start of a part that openings ask for; of one that ends at a change


def work_rows(method: str, states: int) -> int:
    """How many vectors of that many states the step of a method works with; the last are for parts: `OWN`."""
    if method == "implicit":
        from .rosenbrock import VECTORS

        return states + VECTORS + OWN
    return 5 + OWN


def step_of(method: str) -> Unit:
    """The compiled step; only what is asked for is loaded."""
    if method == "implicit":
        from .rosenbrock import implicit

        return implicit
    from . import explicit

    return getattr(explicit, method, explicit.rk4)
