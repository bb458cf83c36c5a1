"""Warnings about friction before and during a run: bristles too stiff for the step, ambiguous loads, jamming."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...blocks.errors import Problem
from ..integrators.method_table import method_of
from ..kernels import model_data as f
from ..kernels.model_data import Data, Model
from .friction_parameters import rows_with_friction
from .mechanism import Mechanism
from .self_stress import UNIQUE, self_stress_basis

if TYPE_CHECKING:
    from ..diagram.run_settings import SimulationSettings
    from .state_names import States


def row_name(mechanism: Mechanism, row: int) -> str:
    """Block of the joint that a row belongs to."""
    return mechanism.joints[mechanism.rows[row].joint].block


def stiff_bristles(model: Model, speeds: np.ndarray, step: float, method: str) -> dict[int, float]:
    """Largest stable step [s] of each row whose bristles are too stiff for an explicit method with this step.

    Bristle eigenvalue: -sigma_0 |v| / g(v), g >= min(mu_k, mu_s) (LuGre), -sigma_0 |v| / mu_s (Dahl). Elasto-plastic
    bristles slip at any step.
    """
    known = method_of(method)
    if not known.explicit or not model.option[f.O_FRICTION]:
        return {}
    limit = known.real_limit
    law = model.row[:, f.FRICTION :]
    ceiling = np.where(
        law[:, f.F_LAW] == f.LUGRE, np.minimum(law[:, f.F_MU_K], law[:, f.F_MU_S]), law[:, f.F_MU_S]
    )
    poled = (law[:, f.F_LAW] == f.LUGRE) | (law[:, f.F_LAW] == f.DAHL)
    pole = np.where(poled, law[:, f.F_SIGMA_0] * abs(speeds) / np.maximum(ceiling, 1e-300), 0.0)
    return {int(i): limit / float(pole[i]) for i in np.flatnonzero(pole * step > limit)}


def stiff_bristle_message(
    mechanism: Mechanism, row: int, speed: float, longest: float, step: float, method: str
) -> str:
    """Warning of a bristle that is too stiff for the step."""
    return (
        f"{row_name(mechanism, row)}.friction: at {abs(speed):.3g} {'m/s' if row_slides(mechanism, row) else 'rad/s'} "
        f"its bristles are too stiff for {method} with a step of {step:g} s; "
        f"use method: implicit, or a step below {longest:.2g} s"
    )


def row_slides(mechanism: Mechanism, row: int) -> bool:
    """True if the row's coordinate is prismatic."""
    c = mechanism.rows[row].coordinate
    return c is not None and c.prismatic


def ambiguous_loads(mechanism: Mechanism, model: Model, data: Data) -> list[str]:
    """Warnings of joints whose friction load is not unique because their loop is overconstrained.

    The load is the one with least internal forces; a real internal force may add to it.
    """
    loaded = [i for i, _, law in rows_with_friction(mechanism) if law.load is None]
    ideal, internal = self_stress_basis(model, data) if loaded else (np.zeros(0, int), np.zeros((0, 0)))
    if not len(internal):
        return []
    notes = []
    for i in loaded:
        pushes = np.array(
            [
                model.way[model.constraint[c, f.C_TIE], i]
                * data.con[c, f.FORCE_CONSTRAINT : f.FORCE_CONSTRAINT + 3]
                for c in ideal
            ]
        )
        load = internal @ pushes
        axis = data.row[i, f.AXIS : f.AXIS + 3]
        across = load - np.outer(load @ axis, axis)
        if abs(across).max(initial=0.0) > UNIQUE:
            notes.append(
                f"{row_name(mechanism, i)}.friction: the load of this joint is not unique, since its loop is "
                "over-constrained: equal bushings in its joints share it. Flexible links, or joints with more freedom, "
                "make it unique"
            )
    return notes


def jam_message(mechanism: Mechanism, model: Model, data: Data, time: float) -> Problem | None:
    """Problem if friction and load of a joint had no balance (FRICTION_JAM), else None."""
    row = int(data.scalar[f.FRICTION_JAM]) - 1
    if row < 0:
        return None
    name, lever = row_name(mechanism, row), "mu" if row_slides(mechanism, row) else "mu*d/2"
    what = f"friction of {name}: the load and the friction feed each other without limit after t = {time:g} s"
    why = f"{lever} is too large for the distances between its forces (mu_s {model.row[row, f.FRICTION + f.F_MU_S]:g})"
    return Problem(
        f"{what}: {why}", f"{name}.friction", "lower mu_s and mu_k, or the diameter, or give a `load`"
    )


def friction_warnings(
    mechanism: Mechanism, model: Model, data: Data, states: States, settings: SimulationSettings
) -> list[str]:
    """Warnings about friction before a run."""
    if not model.option[f.O_FRICTION]:
        return []
    speeds = data.v.copy()
    for (kind, row, _), value in zip(states.table, states.initial, strict=True):
        if kind == f.V_STATE:
            speeds[row] = value
    stiff = stiff_bristles(model, speeds, settings.step, settings.method)
    return [
        *(
            stiff_bristle_message(mechanism, row, speeds[row], longest, settings.step, settings.method)
            for row, longest in stiff.items()
        ),
        *ambiguous_loads(mechanism, model, data),
    ]
