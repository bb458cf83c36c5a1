"""Intrinsics: operations that compiled code does by addresses and plain Python by slices and calls.

Plain forms; `lowering.py` has the compiled ones.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from typing import TypeVar, cast

from .jit import ENABLED, NUMBA_TYPES

F = TypeVar("F", bound=Callable[..., object])
STEP_ADDRESS, LOCATE, PARTED = 0, 1, 2  # entries of Run.number: addresses


class Primitive:
    """Function with a compiled form of its own: `kind` chooses it in `lowering.py`, `about` is its table or entry."""

    def __init__(self, function: Callable[..., object], kind: str, about: str | int):
        self.function, self.kind, self.about = function, kind, about

    def __call__(self, *arguments: object) -> object:
        return self.function(*arguments)

    @property
    def _numba_type_(self) -> object:
        return NUMBA_TYPES["primitive"](self)


def _primitive(kind: str, about: str | int = "") -> Callable[[F], F]:
    """Decorator: make a Primitive of a function if the JIT is enabled."""
    return lambda function: cast("F", Primitive(function, kind, about)) if ENABLED else function


@_primitive("part")
def part(w, first, size):
    """w[first : first + size], a view of the work space."""
    return w[first : first + size]


@_primitive("bits_of")
def bits_of(x):
    """Bit pattern of a double as int64."""
    return struct.unpack("<q", struct.pack("<d", x))[0]


@_primitive("from_bits")
def from_bits(bits):
    """Double of an int64 bit pattern."""
    return struct.unpack("<d", struct.pack("<q", bits))[0]


@_primitive("value_of")
def value_of(x):
    """x without its tangents, in code for dual numbers."""
    return x


@_primitive("carried")
def carried(x, change):
    """x with the tangents of x + change added, in code for dual numbers; the value of `change` is zero up to
    rounding.
    """
    return x


def _run_table(table: str) -> Callable[..., object]:
    """Intrinsic that runs all operations of a table."""

    def run_all(run):
        for function, first, second, _ in run.plain[table]:
            function(first, second)

    return _primitive("every", table)(run_all)


def _run_due_table(table: str) -> Callable[..., object]:
    """Intrinsic that runs the operations of a table that are due at a step."""

    def run_due(run, step):
        for function, first, second, every in run.plain[table]:
            if every < 0 or step % int(run.w[every]) == 0:
                function(first, second)

    return _primitive("due", table)(run_due)


run_rates = _run_table("rates")  # what the rates need
run_outputs = _run_table("outputs")  # what recorded signals need
run_late_outputs = _run_table("late_outputs")  # of these what is left once the rates are known
run_ends = _run_table("ends")  # what is remembered at the end of a step
run_decisions = _run_table("decisions")  # which pieces hold during a step
run_crossings = _run_table("crossings")  # switching functions at the state that stands in the work space
run_sides = _run_table("sides")  # switching functions, of what the last evaluation left
run_openings = _run_table(
    "openings"
)  # those over which something opens, at the state that stands in the work space
run_settles = _run_table("settles")  # anchors of closed mechanisms, once after each step
run_projections = _run_table("projections")  # closed mechanisms back onto their constraints, after each step
run_factors = _run_table(
    "factors"
)  # factors of the equations of implicit steps, of mechanisms that a sweep solves
run_solves = _run_table("solves")  # their solution, in place of the rates
run_updates = _run_due_table("updates")  # sampled blocks, and what they need
run_late_updates = _run_due_table("late_updates")  # of these what is left once the rates are known


@_primitive("method", STEP_ADDRESS)
def run_step(run):
    """One step of the chosen method."""
    run.plain["calls"][STEP_ADDRESS](run)


@_primitive("method", PARTED)
def run_substepped(run):
    """One step with substeps (`integrators/substeps.py`)."""
    run.plain["calls"][PARTED](run)


@_primitive("located", LOCATE)
def run_with_events(run, m, d):
    """One step divided at its events (`integrators/event_location.py`)."""
    run.plain["calls"][LOCATE](run, m, d)


@_primitive("address")
def run_at(code, first, second, third):
    """Call the code at an address with three words."""
    words = [int(word) for word in (first, second, third)]
    ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)(int(code))(*words)
