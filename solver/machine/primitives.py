"""What kernels do by addresses and plain Python by slices and calls: parts of the work space, operations, methods.

Here are the plain forms; `build.py` has those that are compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .jit import ENABLED, NUMBA_TYPES

STEP_ADDRESS, LOCATE, PARTED = 0, 1, 2  # entries of Run.number: addresses; behind them those of kernels


class Primitive:
    """A function with a compiled form of its own."""

    def __init__(self, function: Callable[..., Any]):
        self.function = function

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)

    @property
    def _numba_type_(self) -> Any:
        return NUMBA_TYPES["primitive"](self)


def primitive(function: Callable[..., Any]) -> Any:
    return Primitive(function) if ENABLED else function


@primitive
def part(w, first, size):
    """`size` entries of the work space from `first` on."""
    return w[first : first + size]


@primitive
def run_rates(run):
    """All operations that the rates need."""
    for function, first, second, _ in run.plain["rates"]:
        function(first, second)


@primitive
def run_outputs(run):
    """All operations that recorded signals need."""
    for function, first, second, _ in run.plain["outputs"]:
        function(first, second)


@primitive
def run_updates(run, step):
    """Operations of sampled blocks that are due, and what they need."""
    for function, first, second, every in run.plain["updates"]:
        if every < 0 or step % int(run.w[every]) == 0:
            function(first, second)


@primitive
def run_late_outputs(run):
    """Of these what is left once the rates are known."""
    for function, first, second, _ in run.plain["late_outputs"]:
        function(first, second)


@primitive
def run_late_updates(run, step):
    """Of operations of sampled blocks, and what they need, what is left once the rates are known."""
    for function, first, second, every in run.plain["late_updates"]:
        if every < 0 or step % int(run.w[every]) == 0:
            function(first, second)


@primitive
def run_ends(run):
    """What is remembered at the end of a step."""
    for function, first, second, _ in run.plain["ends"]:
        function(first, second)


@primitive
def run_decisions(run):
    """Which pieces hold during a step."""
    for function, first, second, _ in run.plain["decisions"]:
        function(first, second)


@primitive
def run_crossings(run):
    """Switching functions at the state that stands in the work space."""
    for function, first, second, _ in run.plain["crossings"]:
        function(first, second)


@primitive
def run_sides(run):
    """Switching functions, of what the last evaluation left."""
    for function, first, second, _ in run.plain["sides"]:
        function(first, second)


@primitive
def run_openings(run):
    """Those functions of them over which something opens, at the state that stands in the work space."""
    for function, first, second, _ in run.plain["openings"]:
        function(first, second)


@primitive
def run_step(run):
    """One step by the method that was chosen."""
    run.plain["calls"][STEP_ADDRESS](run)


@primitive
def run_parted(run):
    """One step, in parts where an opening moves too far for it."""
    run.plain["calls"][PARTED](run)


@primitive
def run_located(run, m, d):
    """One step that ends, and begins again, where something changes its piece."""
    run.plain["calls"][LOCATE](run, m, d)


@primitive
def run_kernel(run, which, m, d):
    """A kernel whose address stands in `number`."""
    run.plain["calls"][which](m, d)
