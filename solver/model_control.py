"""Controllers that call the model's inverse dynamics: their statements, their work space, and what they cannot do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..blocks import CompileError
from ..blocks.errors import Problem
from ..blocks.parts import InverseDynamics
from .constraint_table import Table, drive_row
from .layout import C_SERVO, FREE, MODE, Model
from .mechanics import DYNAMICS, KINEMATICS, Mechanics
from .schedule import Statement
from .signals import Emitter, Key, Scalars, spread
from .start import Start
from .tree import Mechanism, Placed


def work_size(rows: int, drives: int) -> int:
    """Entries of the work space of `hold` and `track`: see there."""
    unknowns = rows + drives
    return 1 + 3 * drives + 4 * rows + rows * rows + unknowns * (unknowns + 1)


def controllers(mechanism: Mechanism) -> list[Placed]:
    return [placed for placed in mechanism.others if isinstance(placed.part, InverseDynamics)]


def add_controllers(mechanics: Mechanics, emitter: Emitter, start: Start) -> None:
    """Append the controllers' statements; their work space is the end of the memories, which is why they come last."""
    placed = controllers(mechanics.mechanism)
    if not placed:
        return
    tokens = []
    for controller in placed:
        rows = drive_rows(mechanics.mechanism, controller)
        check_drives(mechanics.mechanism, mechanics.table, start, controller, rows)
        statements = list(_statements(controller, rows, mechanics.scalars, emitter, start.model))
        mechanics.statements += statements
        tokens.append(statements[0].makes[0])
    for statement in mechanics.statements:
        if DYNAMICS in statement.makes:
            # inverse dynamics uses the work space of the dynamics, and so must be done before
            statement.needs += tuple(tokens)


def drive_rows(mechanism: Mechanism, controller: Placed) -> list[int]:
    return [drive_row(mechanism, controller.block, name, "drives") for name in controller.part.drives]


def check_drives(
    mechanism: Mechanism, table: Table, start: Start, controller: Placed, rows: list[int]
) -> None:
    """Each drive must move on its own: neither prescribed, nor a constraint's, nor fixed by the others."""
    servo = {row[C_SERVO] for row in table.rows}
    for name, row in zip(controller.part.drives, rows, strict=True):
        why = ""
        if start.model.topo[row, MODE] != FREE:
            why = "follows a trajectory already"
        elif row in servo:
            why = "realises a constraint already"
        if why:
            raise CompileError(
                Problem(f"the drive {name} {why}", f"{controller.block}.drives", "leave it out")
            )
    rates = drive_rates(mechanism, start, rows)
    for k in range(len(rows)):
        if np.linalg.matrix_rank(rates[: k + 1], tol=1e-9 * max(1.0, abs(rates).max())) <= k:
            others = ", ".join(controller.part.drives[:k]) or "the constraints"
            message = f"the drive {controller.part.drives[k]} cannot move on its own beside {others}"
            fix = "name no more drives than there are degrees of freedom"
            raise CompileError(Problem(message, f"{controller.block}.drives", fix))


def drive_rates(mechanism: Mechanism, start: Start, rows: list[int]) -> np.ndarray:
    """Rates of the drives from independent rates of the mechanism."""
    n = len(mechanism.rows)
    if start.origin is None:
        return np.eye(n)[rows]
    part, jac = start.origin.partition, start.origin.jac
    J = np.zeros((n, len(part.independent)))
    J[part.independent] = np.eye(len(part.independent))
    active = jac[part.active]
    J[part.dependent] = -np.linalg.solve(active[:, part.dependent], active[:, part.independent])
    return J[rows]


def _statements(
    controller: Placed, rows: list[int], scalars: Scalars, emitter: Emitter, model: Model
) -> Iterator[Statement]:
    block, part, n = controller.block, controller.part, len(rows)
    memory = emitter.memory
    first = len(memory.values)
    memory.names.append(f"{block}.drives")
    memory.values += [float(n), *map(float, rows)]
    memory.values += [0.0] * (work_size(len(model.topo), n) - 1 - n)
    done: Key = (block, "@efforts", 0, 0)
    needs: list[Key] = [KINEMATICS]
    lines = []
    if part.target:
        gains = {name: spread(scalars.blocks[block].values[name], n) for name in ("kp", "kd")}
        slot = {name: emitter.params.add(f"{block}.{name}", values) for name, values in gains.items()}
        for k, row in enumerate(rows):
            read = [scalars.read(block, part.target, k, order) for order in range(3)]
            needs += [key for _, key in read if key is not None]
            q, v, a = (text for text, _ in read)
            error = f"p[{slot['kp'] + k}] * ({q} - d.row[{row}, Q])"
            rate = f"p[{slot['kd'] + k}] * ({v} - d.row[{row}, V])"
            lines.append(f"mem[{first + 1 + n + k}] = {a} + {rate} + {error}")
    lines.append(f"{part.law}(mem[{first}:{len(memory.values)}], m, d)")
    yield Statement((done,), tuple(needs), tuple(lines), (), block)
    for k in range(n):
        key: Key = (block, "effort", k, 0)
        text = f"{scalars.name(key)} = mem[{first + 1 + 2 * n + k}]"
        yield Statement((key,), (done,), (text,), (), f"{block}.effort")
