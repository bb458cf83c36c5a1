"""Dependent coordinates of mechanisms with loops between evaluations: anchor, distant states, repartitioning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..initial.coordinate_partition import choose_partition
from ..initial.initial_state import reduced_states, set_partition, write_start
from ..initial.row_masks import FixedRows
from ..kernels import model_data as f

if TYPE_CHECKING:
    from ..program.started_program import Started
    from .instance import Instance

FAR = 0.05  # [rad or m] distance beyond which a state is approached in steps, so that no loop changes its branch
STRIDE = 0.3  # [rad or m] largest motion of a coordinate in one of these steps
SHORTEST = 1e-4  # shortest step over the whole way


def restore_start(run: Instance) -> None:
    """Restore coordinates, partition and anchor of the start."""
    program = run.program
    if program.origin is None:
        return
    origin = program.origin
    write_start(run.model, run.data, origin.assembled, origin.partition, origin.jac)
    run.data.scalar[[f.TIME_S, f.ANCHOR_TIME, f.LOOP_OPEN, f.VIOLATION]] = 0.0
    run.model.state[:] = origin.state


def walk_anchor(run: Instance, t: float, x: np.ndarray) -> None:
    """Walk the anchor from the start to the neighbourhood of (t, x), keeping the loops closed on the way."""
    program = run.program
    if program.origin is None or run.model.option[f.O_METHOD] != f.REDUCED:
        return
    restore_start(run)
    n = program.mechanical
    positions = run.model.state[:, f.ST_KIND] == f.Q_STATE
    here = program.x0[:n].copy()
    gap = np.where(positions, x[:n] - here, 0.0)
    leap = abs(gap).max(initial=0.0) / FAR
    if not np.isfinite(leap) or (leap == 0.0 and (t == 0.0 or not is_time_driven(program))):
        return
    data, way = run.data, x.copy()
    done, share = 0.0, 1.0 / max(1.0, np.ceil(leap))
    while done < 1.0:
        reached = min(1.0, done + share)
        before = data.row[:, f.ANCHOR_Q].copy()
        way[:n] = np.where(positions, here + gap * reached, 0.0)
        run.rates(t * reached, way)
        change = abs(data.q - before).max(initial=0.0)
        if not change <= STRIDE and share > SHORTEST:
            data.scalar[f.LOOP_OPEN] = 0.0
            share /= 2.0
            continue
        run.settle()
        # no rates on the way: the anchor's rates would mislead the extrapolation
        data.row[data.part[f.DEPENDENT, : data.coupling.shape[1]], f.ANCHOR_V] = 0.0
        data.row[:, f.ANCHOR_A] = 0.0
        done = reached


def is_time_driven(program: Started) -> bool:
    """True if time alone moves the mechanism."""
    follows = any(row.coordinate is not None and row.coordinate.follow for row in program.mechanism.rows)
    return bool(program.constraints.targets) or follows


def repartition(run: Instance, t: float, x: np.ndarray) -> None:
    """Choose the dependent coordinates anew at the present configuration; the meaning of x changes with them."""
    from ..kernels.constraint_jacobian import constraint_positions

    program = run.program
    model, data = run.model, run.data
    run.rates(t, x)
    constraint_positions(model, data)
    jac = data.jac[: len(model.constraint)].copy()
    none = np.zeros(len(model.topo), bool)
    partition, _ = choose_partition(
        program.mechanism,
        program.constraints,
        model,
        jac,
        FixedRows(none, none),
        program.flat.simulation.constraints.dependent or (),
        program.driven,
        model.option[f.O_METHOD] == f.REDUCED,
    )
    assert program.origin is not None
    same = set(partition.dependent.tolist()) == set(
        data.part[f.DEPENDENT, : len(partition.dependent)].tolist()
    )
    counts = len(partition.dependent), partition.holonomic
    if same or counts != (data.coupling.shape[1], program.origin.partition.holonomic):
        # no better partition: the mechanism is near a singular configuration
        data.scalar[f.COUPLING_LIMIT] = 4.0 * data.scalar[f.COUPLING_MAX]
        return
    if model.option[f.O_METHOD] == f.REDUCED:
        states = reduced_states(program.mechanism, partition)
        states.set_initial(data, model)
        model.state[:] = states.table
        moved = ~np.isin(model.state[:, f.ST_KIND], (f.BRISTLE_STATE, f.SLIP_STATE))
        x[: len(moved)][moved] = np.array(states.initial)[moved]
    set_partition(model, data, partition, jac)


def singular(run: Instance) -> bool:
    """True if the dependent coordinates approach a singular position within the next steps."""
    return bool(run.data.scalar[f.SINGULAR] > 0.0)


def partition_degraded(run: Instance) -> bool:
    """True if the dependent coordinates have to be chosen anew."""
    coupling, limit = run.data.scalar[f.COUPLING_MAX], run.data.scalar[f.COUPLING_LIMIT]
    return bool(coupling > limit > 0.0)


def state_names(run: Instance) -> list[str]:
    """Present names of the states; the partition may have changed since the start."""
    program = run.program
    if program.origin is None or run.model.option[f.O_METHOD] != f.REDUCED:
        return program.state_names
    coordinates, rates = program.mechanism.coordinate_names(), program.mechanism.rate_names()
    # orientations of free joints and bristles keep their places
    names = list(program.state_names)
    for k, (kind, row, _) in enumerate(run.model.state):
        if kind in (f.Q_STATE, f.V_STATE):
            names[k] = (coordinates if kind == f.Q_STATE else rates)[row]
    return names


def condition_numbers(run: Instance) -> dict[str, float]:
    """Condition numbers at the last outputs: of the (reduced) mass matrix, rows scaled, and of Phi_d."""
    data = run.data
    if not (np.all(np.isfinite(data.q)) and np.all(np.isfinite(data.v))):
        return {}  # a run that failed
    conditions: dict[str, float] = {}
    rows, A, closure = reduced_mass(run)
    if len(closure):
        conditions["constraints"] = condition_number(closure)
    if len(rows):
        conditions["mass"] = condition_number(A)
    return conditions


def reduced_mass(run: Instance) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of the independent coordinates, their mass matrix with rows scaled, and Phi_d."""
    from ..mechanism.mass_matrix import constraint_jacobian, mass_matrix

    model, data = run.model, run.data
    rows = np.flatnonzero(model.topo[:, f.MODE] == f.FREE)
    J = np.eye(len(model.topo))[:, rows]
    closure = np.zeros((0, 0))
    r = data.coupling.shape[1]
    if r:
        active, dependent, rows = (data.part[k, :count] for k, count in (
            (f.ACTIVE, r), (f.DEPENDENT, r), (f.INDEPENDENT, data.coupling.shape[2])
        ))  # fmt: skip
        whole = constraint_jacobian(model, data)[active]
        closure = whole[:, dependent]
        J = np.eye(len(model.topo))[:, rows]
        J[dependent] = -np.linalg.lstsq(closure, whole[:, rows], rcond=None)[0]
    A = J.T @ mass_matrix(model, data) @ J
    size = np.sqrt(np.maximum(np.diag(A), 1e-300))
    return rows, A / np.outer(size, size), closure


def massless_motions(run: Instance) -> list[str]:
    """Rates of coordinates whose combined motion moves no mass: their accelerations are undefined."""
    if not len(run.model.topo):
        return []
    rows, A, _ = reduced_mass(run)
    if not len(rows) or not np.all(np.isfinite(A)):
        return []
    values, vectors = np.linalg.eigh(A)
    if values[0] > np.finfo(float).eps * len(rows) * values[-1]:
        return []
    names = run.program.mechanism.rate_names()
    return [names[i] for i, share in zip(rows, vectors[:, 0], strict=True) if abs(share) > 0.1]


def condition_number(A: np.ndarray) -> float:
    """Largest over smallest singular value; inf if A is not finite."""
    return float(np.linalg.cond(A)) if np.all(np.isfinite(A)) else float("inf")
