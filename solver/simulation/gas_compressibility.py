"""How much gas softens oil: who looks for the fastest motion leaves it out, as pressure does."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...blocks.hydraulics.oil_properties import content_of, pressure_of
from ..program.started_program import Started

PRESSED = 1e5  # [Pa] at which torn oil is looked at


def oil_states(program: Started) -> Iterator[tuple[int, tuple[float, float, float]]]:
    """Places of the states that are a content, with bulk modulus, gas and exponent."""
    for name, block in program.flat.blocks.items():
        for state, law in block.oil_laws().items():
            yield program.state_names.index(f"{name}.{state}"), law


def without_cavities(program: Started, x: np.ndarray) -> np.ndarray:
    """The same state with oil where it was torn, which has no slopes."""
    whole = x.copy()
    for k, law in oil_states(program):
        if pressure_of(float(x[k]), *law) < -0.9 * 101325.0:
            whole[k] = content_of(PRESSED, *law)
    return whole


def gas_softness(program: Started, x: np.ndarray) -> np.ndarray:
    """Of each state, the pressure's change over that of the same liquid alone; one where it holds no oil."""
    factors = np.ones(len(program.x0))
    for k, law in oil_states(program):
        p = pressure_of(float(x[k]), *law)
        factors[k] = 1.0 / (content_of(p + 0.5, *law) - content_of(p - 0.5, *law))
    return factors
