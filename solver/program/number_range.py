"""Numbers that are too large or too small to calculate with are told as a mistake of the netlist.

A value may be finite and the products that a mechanism needs of it not: 1e308 m squared, or 1 kg/m^3 over 1e-308 m.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ...blocks import CompileError
from ...blocks.errors import Problem
from ..flatten.flatten import Flat
from ..kernels.model_data import Model

HARDLY_MEANT = 30  # decades from 1, in SI units


@contextmanager
def reporting_overflow(flat: Flat) -> Iterator[None]:
    """Products that leave the range of numbers are silent here; equations that cannot be solved for it are told."""
    try:
        with np.errstate(all="ignore"):
            yield
    except np.linalg.LinAlgError as error:
        raise CompileError(range_problem(flat)) from error


def check_finite(flat: Flat, model: Model) -> None:
    """Refuse a mechanism whose bodies or frames are beyond all numbers."""
    if not all(np.all(np.isfinite(array)) for array in (model.body, model.place, model.frame_place)):
        raise CompileError(range_problem(flat))


def range_problem(flat: Flat) -> Problem:
    """The value that is furthest from 1, where one is so far that it can hardly be meant."""
    block, name, value = max(
        (
            (block, name, value)
            for block in flat.blocks
            for name, value in finite_numbers(flat.blocks[block].values)
        ),
        key=lambda entry: abs(math.log10(abs(entry[2]))),
        default=("", "", 1.0),
    )
    mistake = "the equations of motion have no solution in finite numbers"
    if abs(math.log10(abs(value))) < HARDLY_MEANT:
        return Problem(mistake, "blocks", "look for lengths, masses and inertias that differ by many decades")
    return Problem(
        f"{mistake}; found {name} = {value:g} in SI units", block, "look for a wrong unit or exponent"
    )


def finite_numbers(values: object, name: str = "") -> Iterator[tuple[str, float]]:
    """All that are neither nought nor endless, with the parameter that holds them."""
    if isinstance(values, dict):
        for key, inside in values.items():
            yield from finite_numbers(inside, name or str(key))
    elif isinstance(values, list | tuple | np.ndarray):
        for inside in values:
            yield from finite_numbers(inside, name)
    elif isinstance(values, float | np.floating) and math.isfinite(values) and values != 0.0:
        yield name, float(values)
