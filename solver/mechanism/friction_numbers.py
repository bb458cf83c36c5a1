"""Friction of joints: the numbers that kernels read, and what is worth saying about them before and during a run.

Laws and their sources stand in `kernels/joint_friction.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...blocks.mechanics.friction import BRISTLED
from ...blocks.parts import Coordinate, Friction
from ..machine.fields import (
    COULOMB,
    DAHL,
    ELASTOPLASTIC,
    LUGRE,
    VISCOUS,
)
from .spanning import Mechanism

LAWS = {"viscous": VISCOUS, "coulomb": COULOMB, "dahl": DAHL, "lugre": LUGRE, "elastoplastic": ELASTOPLASTIC}


def rubbing(mechanism: Mechanism) -> Iterator[tuple[int, Coordinate, Friction]]:
    """Rows with friction."""
    for i, row in enumerate(mechanism.rows):
        c = row.coordinate
        if c is not None and c.friction is not None and not c.locked:
            yield i, c, c.friction


def bristled(mechanism: Mechanism) -> Iterator[tuple[int, Coordinate, Friction]]:
    """Rows whose friction has a state."""
    return (found for found in rubbing(mechanism) if found[2].model in BRISTLED)


def pack_friction(mechanism: Mechanism) -> np.ndarray:
    """The friction columns of `Model.row`."""
    table = np.zeros((len(mechanism.rows), 10))
    for i, c, f in rubbing(mechanism):
        table[i] = friction_row(c, f)
    return table


def friction_row(c: Coordinate, f: Friction) -> tuple[float, ...]:
    lever = 1.0 if c.prismatic else 0.5 * f.diameter
    load = -1.0 if f.load is None else f.load
    return LAWS[f.model], f.mu_s, f.mu_k, f.stribeck, f.sigma_0, f.sigma_1, f.sigma_2, f.gamma, lever, load
