"""Bending cycles of a rope, metre by metre, and its life."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .settings import Feyrer

Floats = NDArray[np.float64]
METRE = 1.0  # of rope: the pieces in which cycles are counted


def bending_cycles(length: Floats, sheaves: Sequence[float], drum: float) -> tuple[Floats, Floats]:
    """Places along the rope from its end on, and the bending cycles of each in one run.

    `length` is what is off the drum. A piece c from the rope's end is bent once when it runs over a sheave, where
    length - at passes c, and counts `drum` when it winds on or off, where length passes c.
    """
    places = np.arange(0.5 * METRE, float(length.max()) + METRE, METRE)
    cycles = drum * crossings(length, places)
    for at in sheaves:
        cycles = cycles + crossings(length - at, places)
    return places, cycles


def crossings(values: Floats, levels: Floats) -> Floats:
    """How often a signal passes each level."""
    above = values[:, None] > levels[None, :]
    return np.sum(above[1:] != above[:-1], axis=0).astype(float)


def bending_life(feyrer: Feyrer, tension: float, diameter: float) -> float:
    """Feyrer's number of bending cycles (Drahtseile, 2000), by the user's constants; in N and mm as he has it."""
    d, ratio = 1e3 * diameter, math.log10(feyrer.sheave / diameter)
    load = math.log10(tension / d**2) - 0.4 * math.log10(feyrer.grade / 1e6 / 1770.0)
    lg = feyrer.b0 + (feyrer.b1 + feyrer.b3 * ratio) * load + feyrer.b2 * ratio + math.log10(feyrer.factor)
    return 10.0**lg
