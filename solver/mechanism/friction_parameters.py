"""Friction parameters of joints as columns that kernels read; laws and sources: `kernels/joint_friction.py`."""

from __future__ import annotations

from collections.abc import Iterator

from ...blocks.mechanics.friction_params import BRISTLED
from ...blocks.multibody_parts import Coordinate, Friction
from ..kernels import model_data as f
from .mechanism import Mechanism

LAWS = {
    "viscous": f.VISCOUS,
    "coulomb": f.COULOMB,
    "dahl": f.DAHL,
    "lugre": f.LUGRE,
    "elastoplastic": f.ELASTOPLASTIC,
}


def rows_with_friction(mechanism: Mechanism) -> Iterator[tuple[int, Coordinate, Friction]]:
    """(row, coordinate, friction) of rows with friction."""
    for i, row in enumerate(mechanism.rows):
        c = row.coordinate
        if c is not None and c.friction is not None and not c.locked:
            yield i, c, c.friction


def rows_with_bristles(mechanism: Mechanism) -> Iterator[tuple[int, Coordinate, Friction]]:
    """(row, coordinate, friction) of rows whose friction has a bristle state."""
    return (bristled for bristled in rows_with_friction(mechanism) if bristled[2].model in BRISTLED)


def friction_columns(law: Friction) -> tuple[float, ...]:
    """Values of the FRICTION columns of a row."""
    load = -1.0 if law.load is None else law.load
    bristles = law.sigma_0, law.sigma_1, law.sigma_2
    return (LAWS[law.model], law.mu_s, law.mu_k, law.stribeck, *bristles, law.gamma, law.lever, load)
