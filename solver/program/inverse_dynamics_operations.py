"""Controllers that call the model's inverse dynamics: operations, work space, checks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...blocks import CompileError
from ...blocks.errors import Problem
from ...blocks.multibody_parts import InverseDynamics, TipJacobian
from ..initial.coordinate_partition import pivots
from ..initial.initial_state import InitialState
from ..kernels import model_data as f
from ..kernels.kernel_selection import inverse_dynamics_kernel
from ..mechanism.constraint_rows import ConstraintTable, drive_row, longest_lever
from ..mechanism.mechanism import Mechanism, PlacedPart
from .evaluation_stages import APPLIED_FORCES, DYNAMICS, KINEMATICS, RIM_SLIP
from .mechanism_operations import MechanismOperations
from .operations import ASK, Operation
from .scalar_places import Key, Output
from .signal_operations import SignalEmitter, spread_value

Controller = PlacedPart[InverseDynamics] | PlacedPart[TipJacobian]


def controller_work_size(rows: int, drives: int) -> int:
    """Number of entries of the work space of `hold` and `track`: see there."""
    return 1 + 3 * drives + 4 * rows


def controllers(mechanism: Mechanism) -> list[PlacedPart[InverseDynamics]]:
    """Inverse-dynamics controllers of a mechanism."""
    return mechanism.others_of(InverseDynamics)


def add_controllers(mechanics: MechanismOperations, emitter: SignalEmitter) -> None:
    """Append the controllers' operations."""
    placed = controllers(mechanics.mechanism)
    if not placed:
        return
    tokens = []
    for controller in placed:
        rows = drive_rows(mechanics.mechanism, controller)
        size = controller_work_size(len(mechanics.mechanism.rows), len(rows))
        mechanics.operations += _operations(controller, rows, mechanics, emitter, size)
        tokens.append((controller.block, "@efforts", 0, 0))
    # inverse dynamics knows no forces of signals and uses the work space of the dynamics: it comes before both
    later = {mechanics.key(step) for step in (APPLIED_FORCES, RIM_SLIP, DYNAMICS)}
    for operation in mechanics.operations:
        if not later.isdisjoint(operation.makes):
            operation.needs += tuple(tokens)


def drive_rows(mechanism: Mechanism, controller: Controller) -> list[int]:
    """Rows of a controller's drives."""
    return [drive_row(mechanism, controller.block, name, "drives") for name in controller.part.drives]


def check_controllers(mechanism: Mechanism, constraints: ConstraintTable, start: InitialState) -> None:
    """CompileError for drives that controllers cannot use."""
    tips = mechanism.others_of(TipJacobian) if constraints.rows else []
    for controller in (*controllers(mechanism), *tips):
        check_drives(mechanism, constraints, start, controller, drive_rows(mechanism, controller))


def check_drives(
    mechanism: Mechanism,
    table: ConstraintTable,
    start: InitialState,
    controller: Controller,
    rows: list[int],
) -> None:
    """CompileError unless each drive moves independently: not prescribed, not a servo constraint's, not fixed by
    others.
    """
    servo = {row[f.C_SERVO] for row in table.rows}
    for name, row in zip(controller.part.drives, rows, strict=True):
        why = ""
        if start.model.topo[row, f.MODE] != f.FREE:
            why = "follows a trajectory already"
        elif row in servo:
            why = "realises a constraint already"
        if why:
            raise CompileError(
                Problem(f"the drive {name} {why}", f"{controller.block}.drives", "leave it out")
            )
    rates = drive_rates(mechanism, start, rows)
    for k in range(len(rows)):
        if rank_of_rates(rates[: k + 1]) <= k:
            others = ", ".join(controller.part.drives[:k]) or "the constraints"
            message = f"the drive {controller.part.drives[k]} is not independent of {others}"
            fix = "name no more drives than there are degrees of freedom"
            raise CompileError(Problem(message, f"{controller.block}.drives", fix))


def drive_rates(mechanism: Mechanism, start: InitialState, rows: list[int]) -> np.ndarray:
    """Rates of the drives at unit independent rates of the mechanism, of slides at one lever a second."""
    n = len(mechanism.rows)
    if start.origin is None:
        return np.eye(n)[rows]
    part, jac = start.origin.partition, start.origin.jac
    J = np.zeros((n, len(part.independent)))
    J[part.independent] = np.eye(len(part.independent))
    active = jac[part.active]
    J[part.dependent] = -np.linalg.solve(active[:, part.dependent], active[:, part.independent])
    slides = start.model.topo[part.independent, f.KIND] == f.PRISMATIC
    J *= np.where(slides, longest_lever(start.model), 1.0)
    return J[rows]


def rank_of_rates(rates: np.ndarray) -> int:
    """Number of drives that move independently, as ranks of constraints are decided: rows of length 1, 8 digits."""
    return len(pivots(rates, np.zeros(len(rates)), np.ones(rates.shape[1])))


def _operations(
    controller: PlacedPart[InverseDynamics],
    rows: list[int],
    mechanics: MechanismOperations,
    emitter: SignalEmitter,
    size: int,
) -> Iterator[Operation]:
    """Operations of a controller: inputs, kernel, efforts."""
    block, part, n = controller.block, controller.part, len(rows)
    scalars, cell, kinematics = mechanics.scalars, mechanics.cell, mechanics.key(KINEMATICS)
    first = emitter.work.add(f"{block}.drives", [float(n), *map(float, rows), *[0.0] * (size - 1 - n)])
    done: Key = (block, "@efforts", 0, 0)
    needs: list[Key] = [kinematics]
    if part.target:
        gains = {name: spread_value(scalars.blocks[block].values[name], n) for name in ("kp", "kd")}
        slot = {name: emitter.params.add(f"{block}.{name}", values) for name, values in gains.items()}
        for k, row in enumerate(rows):
            read = [scalars.input_place(block, part.target, k, order) for order in range(3)]
            q, v, a = (place for place, _ in read)
            entries = (
                ("work", first + 1 + n + k), a,
                ("p", slot["kd"] + k), v, cell("row", row, f.V),
                ("p", slot["kp"] + k), q, cell("row", row, f.Q),
            )  # fmt: skip
            key: Key = (block, "@asked", k, 0)
            wanted = (kinematics, *(need for _, need in read if need is not None))
            yield Operation((key,), wanted, ASK, entries, label=block)
            needs.append(key)
    code, number = inverse_dynamics_kernel(part.law), mechanics.number
    yield Operation((done,), tuple(needs), code, label=block, work=(first, n), component=number)
    for k in range(n):
        place = ("work", first + 1 + 2 * n + k)
        yield from scalars.outputs([Output((block, "effort", k, 0), (place,), done)])
