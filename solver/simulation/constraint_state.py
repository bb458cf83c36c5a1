"""Care for the dependent coordinates of closed mechanisms between evaluations: anchor, far states, partitions whose
coupling has grown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...blocks import RunError
from ..codegen.blas_threads import one_blas_thread
from ..initial.coordinate_partition import choose_partition
from ..initial.initial_state import coupling_at, reduced_states, set_partition, write_start
from ..initial.row_masks import FixedRows
from ..kernels import model_data as f
from ..kernels.model_data import Data, Model
from ..mechanism.components import all_states
from ..program.ball_joints import lock_fix
from ..program.band_checks import pace_problems, start_problems

if TYPE_CHECKING:
    from ..program.started_program import Started, StartedComponent
    from .instance import Instance

FAR = 0.05  # [rad or m] distance beyond which a state is approached in steps, so that no loop changes its branch
STRIDE = 0.3  # [rad or m] largest motion of a coordinate in one of these steps
SHORTEST = 1e-4  # shortest step over the whole way


def restore_start(run: Instance) -> None:
    """Coordinates, choice of states and anchors as they were at the start."""
    for one, model, data in run.each:
        if one.origin is not None:
            write_start(model, data, one.origin.assembled, one.origin.partition, one.origin.jac)
            data.scalar[[f.TIME_S, f.ANCHOR_TIME, f.LOOP_OPEN, f.VIOLATION]] = 0.0
            model.state[:] = one.origin.state
    share_state_choices(run)


def release_bands(run: Instance, x: np.ndarray, events: str, method: str) -> None:
    """Let no edge of a tolerance band act at the start x.

    RunError if a band begins beyond an edge, or if the run could not meet one.
    """
    bands, mechanism = run.model.element[:, f.E_KIND] == f.BAND, run.program.mechanism
    if bands.any():
        run.data.element_out[bands, f.BAND_SIDE : f.BAND_LEFT + 1] = 0.0
        run.rates(0.0, x)
        found = [*pace_problems(mechanism, events, method), *start_problems(mechanism, run.model, run.data)]
        problems = [*map(run.program.flat.located, found)]
        if problems:
            raise RunError(problems)


def share_state_choices(run: Instance) -> None:
    """The states of all components, as each has chosen its own."""
    if len(run.mechanisms) > 1:
        spans = [one.spans for one in run.program.components]
        run.model.state[:] = all_states([model for model, _ in run.mechanisms], spans)


def walk_anchor(run: Instance, t: float, x: np.ndarray) -> None:
    """Walk the anchors from the start to the neighbourhood of t and x, keeping the loops closed on the way."""
    program = run.program
    if not program.closed or run.model.option[f.O_METHOD] != f.REDUCED:
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
    closed = [data for one, _, data in run.each if one.origin is not None]
    done, share = 0.0, 1.0 / max(1.0, np.ceil(leap))
    while done < 1.0:
        reached = min(1.0, done + share)
        before = data.row[:, f.ANCHOR_Q].copy()
        way[:n] = np.where(positions, here + gap * reached, 0.0)
        run.rates(t * reached, way)
        change = abs(data.q - before)[anchored_rows(run)].max(initial=0.0)
        if not change <= STRIDE and share > SHORTEST:
            run.scalars[:, f.LOOP_OPEN] = 0.0
            share /= 2.0
            continue
        run.settle()
        # rates are left out on the way: what the anchor knows of them would mislead
        for own in closed:
            own.row[own.part[f.DEPENDENT, : own.coupling.shape[1]], f.ANCHOR_V] = 0.0
            own.row[:, f.ANCHOR_A] = 0.0
        done = reached


def anchored_rows(run: Instance) -> np.ndarray:
    """Rows of mechanisms with constraints."""
    rows = [np.full(len(model.topo), one.origin is not None) for one, model, _ in run.each]
    return np.concatenate(rows)


def is_time_driven(program: Started) -> bool:
    """True if time alone moves a mechanism with constraints."""
    return any(
        bool(one.table.targets)
        or any(row.coordinate is not None and row.coordinate.follow for row in one.mechanism.rows)
        for one in program.components
        if one.origin is not None
    )


def repartition(run: Instance, t: float, x: np.ndarray) -> None:
    """Choose the dependent coordinates anew at the present configuration, where the choice has degraded; x changes its
    meaning with them."""
    run.rates(t, x)
    for one, model, data in run.each:
        if data.scalar[f.COUPLING_MAX] > data.scalar[f.COUPLING_LIMIT] > 0.0:
            choose_independent_anew(run, one, model, data, x)
    share_state_choices(run)


def choose_independent_anew(
    run: Instance,
    one: StartedComponent,
    model: Model,
    data: Data,
    x: np.ndarray,
    drives: set[int] | None = None,
) -> None:
    """Choose the independent coordinates of one component anew, `drives` rather than others: those whose effort is
    wired unless given.
    """
    from ..kernels.constraint_jacobian import constraint_positions

    constraint_positions(model, data)
    jac = data.jac[: len(model.constraint)].copy()
    none = np.zeros(len(model.topo), bool)
    partition, _ = choose_partition(
        one.mechanism,
        one.table,
        model,
        jac,
        FixedRows(none, none),
        run.program.flat.simulation.constraints.dependent or (),
        one.driven if drives is None else drives,
        model.option[f.O_METHOD] == f.REDUCED,
    )
    assert one.origin is not None
    same = set(partition.dependent.tolist()) == set(
        data.part[f.DEPENDENT, : len(partition.dependent)].tolist()
    )
    counts = len(partition.dependent), partition.holonomic
    if same or counts != (data.coupling.shape[1], one.origin.partition.holonomic):
        # nothing better: the mechanism is near a singular configuration
        data.scalar[f.COUPLING_LIMIT] = 4.0 * data.scalar[f.COUPLING_MAX]
        return
    if model.option[f.O_METHOD] == f.REDUCED:
        states = reduced_states(one.mechanism, partition)
        states.set_initial(data, model)
        model.state[:, : f.ST_AT] = states.table
        moved = ~np.isin(model.state[:, f.ST_KIND], (f.BRISTLE_STATE, f.SLIP_STATE))
        x[model.state[moved, f.ST_AT]] = np.array(states.initial)[moved]
    set_partition(model, data, partition, jac)


def singular_one(run: Instance) -> tuple[StartedComponent, Model, Data]:
    """The mechanism that comes to a singular position, or the first with constraints."""
    closed = [each for each in run.each if each[0].origin is not None]
    return next((each for each in closed if each[2].scalar[f.SINGULAR] > 0.0), closed[0])


def singular(run: Instance) -> bool:
    """True if the dependent coordinates come to a singular position within the next steps."""
    return bool((run.scalars[:, f.SINGULAR] > 0.0).any())


def partition_degraded(run: Instance) -> bool:
    """True if an entry of a coupling matrix exceeds its limit: dependent coordinates have to be chosen anew."""
    coupling, limit = run.scalars[:, f.COUPLING_MAX], run.scalars[:, f.COUPLING_LIMIT]
    return bool(((coupling > limit) & (limit > 0.0)).any())


def state_names(run: Instance) -> list[str]:
    """Present names of the states; the partition may have changed since the start."""
    program = run.program
    if not program.closed or run.model.option[f.O_METHOD] != f.REDUCED:
        return program.state_names
    coordinates, rates = program.mechanism.coordinate_names(), program.mechanism.rate_names()
    # orientations of free joints and bristles keep their places
    names = list(program.state_names)
    for k, (kind, row, *_) in enumerate(run.model.state):
        if kind in (f.Q_STATE, f.V_STATE):
            names[k] = (coordinates if kind == f.Q_STATE else rates)[row]
    return names


def condition_numbers(run: Instance) -> dict[str, float]:
    """Condition numbers at the last outputs: of the (reduced) mass matrix, rows scaled, and of Phi_d."""
    data = run.data
    if not (np.all(np.isfinite(data.q)) and np.all(np.isfinite(data.v))):
        return {}  # a run that failed
    masses, closures = [], []
    with one_blas_thread():
        for _, model, data in run.each:
            rows, A, closure = scaled_mass(model, data)
            closures += [singular_values(closure)] if len(closure) else []
            masses += [singular_values(A, symmetric=True)] if len(rows) else []
    kinds = {"constraints": closures, "mass": masses}
    return {kind: condition_number(values) for kind, values in kinds.items() if values}


def scaled_mass(model: Model, data: Data) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of the independent coordinates of a mechanism, their mass matrix with a diagonal of 1, and Phi_d.

    The matrix is NaN where no rates of the dependent coordinates follow.
    """
    from ..mechanism.mass_matrix import constraint_jacobian, reduced_mass

    rows, dependent = np.flatnonzero(model.topo[:, f.MODE] == f.FREE), np.zeros(0, int)
    closure = coupling = np.zeros((0, 0))
    r = data.coupling.shape[1]
    if r:
        active, dependent, rows = (data.part[k, :count] for k, count in (
            (f.ACTIVE, r), (f.DEPENDENT, r), (f.INDEPENDENT, data.coupling.shape[2])
        ))  # fmt: skip
        whole = constraint_jacobian(model, data)
        closure = whole[np.ix_(active, dependent)]
        try:
            coupling = coupling_at(data, whole)
        except np.linalg.LinAlgError:
            return rows, np.full((len(rows), len(rows)), np.nan), closure
    A = reduced_mass(model, data, rows, dependent, coupling)
    size = np.sqrt(np.maximum(np.diag(A), 1e-300))
    return rows, A / np.outer(size, size), closure


def massless_motions(run: Instance) -> list[str]:
    """Coordinates that can move against each other without moving any mass: their accelerations mean nothing."""
    with one_blas_thread():
        return next((names for one, model, data in run.each if (names := idle(one, model, data))), [])


def massless_words(run: Instance, names: Sequence[str]) -> str:
    """What massless motions do, and what to do; empty without any."""
    return f"{', '.join(names)} can move {massless_fix(run, names)}" if names else ""


def massless_fix(run: Instance, names: Sequence[str]) -> str:
    """Effect of massless motions, and what to do."""
    apart = "turn their axes apart, or put a mass off their axes, or an inertia, between them"
    return f"without moving any mass: {lock_fix(run.program.mechanism, names) or apart}"


def idle(one: StartedComponent, model: Model, data: Data) -> list[str]:
    """Massless motion of one component: its coordinates, none where the mass matrix is definite."""
    if not len(model.topo):
        return []
    rows, A, _ = scaled_mass(model, data)
    if not len(rows) or not np.all(np.isfinite(A)):
        return []
    if is_well_conditioned(A):
        return []
    values, vectors = np.linalg.eigh(A)
    if values[0] > np.finfo(float).eps * len(rows) * values[-1]:
        return []
    names = one.mechanism.rate_names()
    # a tenth chooses which ones are named; the largest always is, of hundreds too: no name is no such motion
    least = min(0.1, 0.5 * abs(vectors[:, 0]).max())
    return [names[i] for i, share in zip(rows, vectors[:, 0], strict=True) if abs(share) > least]


def is_well_conditioned(A: np.ndarray) -> bool:
    """True if a Cholesky factorisation shows that the least eigenvalue is above rounding of the largest: of most mass
    matrices, in a tenth of the time that eigenvalues take."""
    n = len(A)
    # the factorisation of A - tau is backward stable within n eps |A|: what is left above that is positive
    tau = 4.0 * n * np.finfo(float).eps * float(abs(A).sum(axis=1).max())
    try:
        np.linalg.cholesky(A - tau * np.eye(n))
    except np.linalg.LinAlgError:
        return False
    return True


def singular_values(A: np.ndarray, symmetric: bool = False) -> np.ndarray:
    """Singular values, largest first; |eigenvalues| if symmetric, in a third of the time. NaN if A is not finite."""
    if not np.all(np.isfinite(A)):
        return np.array([np.nan])
    return np.sort(abs(np.linalg.eigvalsh(A)))[::-1] if symmetric else np.linalg.svd(A, compute_uv=False)


def condition_number(blocks: list[np.ndarray]) -> float:
    """Largest over smallest of the singular values of the blocks of a matrix; infinity for what is not finite."""
    largest = max(float(values[0]) for values in blocks)
    least = min(float(values[-1]) for values in blocks)
    return largest / least if np.isfinite([largest, least]).all() and least > 0.0 else float("inf")
