"""Bending cycles of a rope, metre by metre, and its life."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .assessment_settings import Feyrer, Sheave

Floats = NDArray[np.float64]
METRE = 1.0  # of rope: the pieces in which cycles are counted


@dataclass(frozen=True)
class BendingCycles:
    """Bending cycles in one run, each with the row after it, the place of the rope, and what it counts."""

    rows: NDArray[np.intp]
    places: NDArray[np.intp]
    cycles: Floats

    def sum_by_place(self, weight: Floats, size: int) -> Floats:
        """Sum at each place over its cycles, each with the weight of its row."""
        return np.bincount(self.places, self.cycles * weight[self.rows], size).astype(float)


def bending_cycles(length: Floats, places: Floats, sheaves: Sequence[Sheave], drum: float) -> BendingCycles:
    """Bending cycles of a rope with the given length off the drum [m]; places count from its end.

    A place c is bent once when it runs over a sheave that stands where c = length - at - share length, and counts
    `drum` when it winds on or off the drum, where c = length.
    """
    parts = [(*_level_crossings(length, places), drum)]
    parts += [(*_level_crossings((1.0 - one.share) * length - one.at, places), 1.0) for one in sheaves]
    rows, columns = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    return BendingCycles(rows, columns, np.concatenate([np.full(len(part[0]), part[2]) for part in parts]))


def _level_crossings(values: Floats, levels: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows after which a signal has passed a level, and which."""
    above = values[:, None] > levels[None, :]
    rows, columns = np.nonzero(above[1:] != above[:-1])
    return rows + 1, columns


def feyrer_life(feyrer: Feyrer, tension: Floats, diameter: float) -> Floats:
    """Feyrer's number of bending cycles (Drahtseile, 2000), by the user's constants; in N and mm as he has it.

    A rope without tension is not worn.
    """
    d, ratio = 1e3 * diameter, math.log10(feyrer.sheave / diameter)
    with np.errstate(divide="ignore"):
        load = np.log10(np.maximum(tension, 0.0) / d**2) - 0.4 * math.log10(feyrer.grade / 1e6 / 1770.0)
    lg = feyrer.b0 + (feyrer.b1 + feyrer.b3 * ratio) * load + feyrer.b2 * ratio + math.log10(feyrer.factor)
    return np.where(tension <= 0.0, np.inf, 10.0**lg)
