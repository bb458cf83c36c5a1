"""Terms of M(q) qdd = h(q, v) + Q + Phi_q^T lambda at one state, as derived by hand (theory.md).

They use the kernels of runs, one state at a time: for comparisons, not for speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...blocks import RunError
from ..kernels import model_data as f
from ..mechanism.state_names import free_states
from .constraint_state import walk_anchor

if TYPE_CHECKING:
    from ..program.started_program import Started
    from .instance import Instance

State = Sequence[float] | np.ndarray | None


def free_coordinates(program: Started) -> dict[str, int]:
    """Names of the rates of all free coordinates, dependent ones included, and their rows."""
    return {name: i for i, name in enumerate(program.mechanism.rate_names()) if name}


def evaluate_at(run: Instance, x: State, t: float) -> list[int]:
    """Evaluate the model at a state, loops closed; returns the rows of the coordinates."""
    x0 = run.program.x0
    state = np.array(x0 if x is None else x, float)
    if state.shape != x0.shape:
        raise RunError(f"found {state.size} states, expected {x0.size}", path="x")
    walk_anchor(run, t, state)
    run.rates(t, state)
    return [*free_coordinates(run.program).values()]


def mass_matrix(run: Instance, x: State, t: float) -> np.ndarray:
    """M over the free coordinates."""
    from ..mechanism.mass_matrix import mass_matrix

    rows = evaluate_at(run, x, t)
    return mass_matrix(run.model, run.data)[np.ix_(rows, rows)]


def bias_forces(run: Instance, x: State, t: float) -> np.ndarray:
    """h by inverse dynamics at zero accelerations of the free rows: h = -effort."""
    return _bias_of_rows(run, evaluate_at(run, x, t))


def _bias_of_rows(run: Instance, places: list[int]) -> np.ndarray:
    """h at the positions and velocities that are in `Data` [N, N m]."""
    from ..kernels.kinematics import inertias, positions, velocities
    from ..kernels.newton_euler import inverse_dynamics_pass_bias, propagate_driven

    for sweep in (positions, velocities, inertias, propagate_driven, inverse_dynamics_pass_bias):
        sweep(run.model, run.data)
    rows, slides = run.data.row, run.model.topo[:, f.KIND] == f.PRISMATIC
    first = f.REACTION + 3 * slides
    return np.array([-rows[i, first[i] : first[i] + 3] @ rows[i, f.AXIS : f.AXIS + 3] for i in places])


def position_places(program: Started) -> dict[str, tuple[int, int, int]]:
    """Kind, row and component of each position q of the free coordinates, by name."""
    states = free_states(program.mechanism)
    rows = zip(states.names, states.table, strict=True)
    return {name: place for name, place in rows if place[0] in (f.Q_STATE, f.QUAT_STATE)}


def inverse_dynamics(run: Instance, q: State, v: State, a: State, t: float) -> np.ndarray:
    """M(q) a - h(q, v) over the free coordinates, by the recursive Newton-Euler algorithm (Featherstone 2008, 5.3)."""
    from ..mechanism.mass_matrix import mass_matrix

    places, rows = position_places(run.program), [*free_coordinates(run.program).values()]
    given = [_vector(values, name, count) for values, name, count in (
        (q, "q", len(places)), (v, "v", len(rows)), (a, "a", len(rows))
    )]  # fmt: skip
    evaluate_at(run, None, t)  # motions that time prescribes
    data, topo = run.data, run.model.topo
    for (kind, row, component), value in zip(places.values(), given[0].tolist(), strict=True):
        if kind == f.QUAT_STATE:
            data.quat[topo[row, f.QUAT], component] = value
        else:
            data.q[row] = value
    data.v[rows] = given[1]
    h = _bias_of_rows(run, rows)
    return mass_matrix(run.model, data)[np.ix_(rows, rows)] @ given[2] - h


def _vector(values: State, name: str, count: int) -> np.ndarray:
    """Vector of a given length; RunError otherwise."""
    made = np.asarray(values, float)
    if made.shape != (count,):
        order = "position_names" if name == "q" else "rate_names"
        raise RunError(
            f"found {made.size} numbers, expected {count}", path=name, fix=f"in the order of sim.{order}"
        )
    return made


def constraint_jacobian(run: Instance, x: State, t: float) -> np.ndarray:
    rows = evaluate_at(run, x, t)
    return jacobian_of_rows(run)[:, rows]


def jacobian_of_rows(run: Instance) -> np.ndarray:
    """Phi_q of all mechanisms over all rows, at the coordinates that are there."""
    from ..mechanism.mass_matrix import constraint_jacobian

    whole = np.zeros((len(run.model.constraint), len(run.model.topo)))
    for one, model, data in run.each:
        first = one.spans.constraints
        whole[first : first + len(model.constraint), one.rows] = constraint_jacobian(model, data)
    return whole


def kinematics(run: Instance, x: State, t: float) -> dict[str, np.ndarray]:
    """T_WF (4 x 4) of all frames of the netlist."""
    evaluate_at(run, x, t)
    mechanism = run.program.mechanism
    matrices: dict[str, np.ndarray] = {}
    for (block, frame), number in mechanism.frame_index.items():
        if not frame.isidentifier() or not block[0].isidentifier():
            continue  # internal frame
        row, pose = mechanism.frames[number]
        T_BF, T_WB = np.eye(4), np.eye(4)
        T_BF[:3, :3], T_BF[:3, 3] = pose.R, pose.p
        if row >= 0:
            T_WB[:3, :3] = run.data.row[row, f.R_WB : f.R_WB + 9].reshape(3, 3)
            T_WB[:3, 3] = run.data.row[row, f.p_WB : f.p_WB + 3]
        matrices[f"{block}.{frame}"] = T_WB @ T_BF
    return matrices
