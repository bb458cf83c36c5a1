"""The matrices of M(q) qdd = h(q, v) + Q + Phi_q^T lambda at one state, as a derivation by hand has them (theory.md).

They are computed by the same sweeps as runs, one state at a time: for comparisons, not for speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...blocks import RunError
from ..machine.fields import AXIS, KIND, POSE, POSITION, PRISMATIC, REACTION
from .closed import approach

if TYPE_CHECKING:
    from .instance import Instance
    from .simulation import Simulation

State = Sequence[float] | np.ndarray | None


def coordinates(sim: Simulation) -> dict[str, int]:
    """The rates of all free coordinates, dependent ones too, and their rows."""
    return {name: i for i, name in enumerate(sim.program.mechanism.rate_names()) if name}


def at(sim: Simulation, x: State, t: float) -> Instance:
    """The model evaluated at a state; dependent coordinates are closed."""
    state = np.array(sim.x0 if x is None else x, float)
    if state.shape != sim.x0.shape:
        raise RunError(f"found {state.size} states, expected {sim.x0.size}", path="x")
    run = sim.instance
    approach(run, t, state)
    run.rates(t, state)
    return run


def mass_matrix(sim: Simulation, x: State, t: float) -> np.ndarray:
    from ..mechanism.numbers import mass

    run, rows = at(sim, x, t), [*coordinates(sim).values()]
    return mass(run.model, run.data)[np.ix_(rows, rows)]


def bias(sim: Simulation, x: State, t: float) -> np.ndarray:
    """By inverse dynamics with accelerations of nothing but prescribed joints: the efforts would be -h."""
    from ..kernels.kinematics import inertias, positions, velocities
    from ..kernels.newton_euler import demand_free, propagate_driven

    run = at(sim, x, t)
    for sweep in (positions, velocities, inertias, propagate_driven, demand_free):
        sweep(run.model, run.data)
    rows, slides = run.data.row, run.model.topo[:, KIND] == PRISMATIC
    first = REACTION + 3 * slides
    return np.array(
        [-rows[i, first[i] : first[i] + 3] @ rows[i, AXIS : AXIS + 3] for i in coordinates(sim).values()]
    )


def constraint_jacobian(sim: Simulation, x: State, t: float) -> np.ndarray:
    from ..mechanism.numbers import jacobian

    run, rows = at(sim, x, t), [*coordinates(sim).values()]
    return jacobian(run.model, run.data)[:, rows]


def kinematics(sim: Simulation, x: State, t: float) -> dict[str, np.ndarray]:
    run, mechanism = at(sim, x, t), sim.program.mechanism
    found: dict[str, np.ndarray] = {}
    for (block, frame), number in mechanism.frame_index.items():
        if not frame.isidentifier() or not block[0].isidentifier():
            continue  # a frame that luff has made for itself
        row, pose = mechanism.frames[number]
        T_BF, T_WB = np.eye(4), np.eye(4)
        T_BF[:3, :3], T_BF[:3, 3] = pose.R, pose.p
        if row >= 0:
            T_WB[:3, :3] = run.data.row[row, POSE : POSE + 9].reshape(3, 3)
            T_WB[:3, 3] = run.data.row[row, POSITION : POSITION + 3]
        found[f"{block}.{frame}"] = T_WB @ T_BF
    return found
