"""Compressibility of gas in oil: excluded from the fastest motion of a model, as pressure excludes it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...blocks.hydraulics.oil_properties import content_of, pressure_of
from ..program.started_program import Started

PRESSED = 1e5  # [Pa] pressure put in place of cavitation


def oil_states(program: Started) -> Iterator[tuple[int, tuple[float, float, float]]]:
    """Indices of the states that are oil contents, with bulk modulus, gas fraction and exponent."""
    for name, block in program.flat.blocks.items():
        for state, law in block.oil_compressibility().items():
            yield program.state_names.index(f"{name}.{state}"), law


def without_cavities(program: Started, x: np.ndarray) -> np.ndarray:
    """State with cavitated oil set to PRESSED, as cavities have no slope."""
    whole = x.copy()
    for k, law in oil_states(program):
        if pressure_of(float(x[k]), *law) < -0.9 * 101325.0:
            whole[k] = content_of(PRESSED, *law)
    return whole


def gas_softness(program: Started, x: np.ndarray) -> np.ndarray:
    """Pressure slope of each oil state over that of gas-free oil; 1 for other states."""
    factors = np.ones(len(program.x0))
    for k, law in oil_states(program):
        p = pressure_of(float(x[k]), *law)
        factors[k] = 1.0 / (content_of(p + 0.5, *law) - content_of(p - 0.5, *law))
    return factors
