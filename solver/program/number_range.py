"""Number range: values of a netlist too large or too small to calculate with, reported as its mistake.

A value may be finite while products of it are not: 1e308 m squared, or 1 kg/m^3 over 1e-308 m.
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

HARDLY_MEANT = 30  # decades from 1 in SI units beyond which a value is taken for a mistake


@contextmanager
def reporting_overflow(flat: Flat) -> Iterator[None]:
    """Context: silence overflow, and report equations that cannot be solved for it."""
    try:
        with np.errstate(all="ignore"):
            yield
    except np.linalg.LinAlgError as error:
        raise CompileError(range_problem(flat)) from error


def check_finite(flat: Flat, model: Model) -> None:
    """CompileError for bodies or frames with numbers that are not finite."""
    if not all(np.all(np.isfinite(array)) for array in (model.body, model.place, model.frame_place)):
        raise CompileError(range_problem(flat))


def range_problem(flat: Flat) -> Problem:
    """Problem with the value furthest from 1, if it is beyond HARDLY_MEANT."""
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
    """Finite non-zero numbers in nested values, with the parameter that holds each."""
    if isinstance(values, dict):
        for key, inside in values.items():
            yield from finite_numbers(inside, name or str(key))
    elif isinstance(values, list | tuple | np.ndarray):
        for inside in values:
            yield from finite_numbers(inside, name)
    elif isinstance(values, float | np.floating) and math.isfinite(values) and values != 0.0:
        yield name, float(values)
