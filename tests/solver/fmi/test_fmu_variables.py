"""Which numbers of a model an FMU may offer: what follows parameters in a straight line, and nothing else."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import luff
from luff.blocks.params import Param
from luff.solver.fmi.fmu_variables import (
    AffineTarget,
    Parameter,
    nonlinear_places,
    parameters,
    same_initial_state,
)
from luff.solver.program.started_program import Started

MODEL = """
luff: 1
blocks:
  one: {type: constant, value: 0.125}
  it: {type: unit_delay, sample_time: 0.1 s, initial: FIRST}
connect: [one.y -> it.u]
simulation: {stop: 1 s, step: 0.1 s}
"""


def program(first: float = 0.0) -> Started:
    return luff.compile(luff.loads(MODEL.replace("FIRST", str(first)))).program


def number_of_one(start: Started) -> int:
    """Where the value of `one` lies in the work space."""
    return int(np.flatnonzero(start.work_space == 0.125)[0])


def with_number(before: Started, place: int, value: float) -> Started:
    numbers = before.work_space.copy()
    numbers[place] = value
    return replace(before, work_space=numbers)


@pytest.mark.parametrize(
    ("before", "moves", "after", "straight"),
    [
        # 0.1 + 0.2 is no 0.3 for a computer: a straight line to rounding
        (0.0, (0.1, 0.2), 0.3, True),
        # rounding of the terms, which cancel, is far above that of the sum
        (0.1, (1e6, -1e6 + 0.1), 0.2, True),
        # rounding of a number beside which the moves are small
        (1e6, (1e-4, 1e-4), 1e6 + 2e-4, True),
        (0.1, (0.1, 0.2), 0.4 + 1e-9, False),
        (0.1, (0.1, 0.2), -0.4, False),
        (0.1, (0.1, 0.2), math.nan, False),
        (0.1, (0.1, math.inf), math.inf, False),
    ],
)
def test_a_sum_is_one_to_rounding_and_no_further(
    before: float, moves: tuple[float, float], after: float, straight: bool
) -> None:
    start = program()
    place = number_of_one(start)
    given = [
        Parameter(name, 2.0, Param(0.0), [AffineTarget("w", place, 0.0, move)])
        for name, move in zip("ab", moves, strict=True)
    ]
    values = {"a": 3.0, "b": 3.0}  # each moves by one, its slope is what it does
    apart = nonlinear_places(
        with_number(start, place, before), with_number(start, place, after), given, values
    )
    assert apart == ([] if straight else [("w", place)])


def test_what_nothing_reaches_cannot_be_told() -> None:
    start = program()
    moved = with_number(start, number_of_one(start), 17.0)
    assert nonlinear_places(start, moved, [], {}) is None


def test_programs_that_begin_otherwise_are_different_ones() -> None:
    """What a memory holds at the start is no number that a run could be given later."""
    one, same, other = program(1.0), program(1.0), program(2.0)
    assert same_initial_state(one, same)
    assert one.like(other)
    assert not same_initial_state(one, other)


def test_the_start_of_a_memory_is_a_constant_of_an_fmu() -> None:
    sim = luff.compile(luff.loads(MODEL.replace("FIRST", "1")))
    reached = {one.name: bool(one.reaches) for one in parameters(sim, ["*"])}
    assert reached["one.value"]
    assert not reached["it.initial"]
