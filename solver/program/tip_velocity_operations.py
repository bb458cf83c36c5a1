"""Operations of resolved-rate control: the Jacobian of a frame by the rates of drives."""

from __future__ import annotations

from ...blocks import CompileError
from ...blocks.errors import Problem
from ...blocks.multibody_parts import TipJacobian
from ..kernels.kernel_selection import tip_jacobian_kernel
from ..mechanism.constraint_rows import drive_row
from ..mechanism.mechanism import Mechanism, PlacedPart
from .evaluation_stages import DYNAMICS, KINEMATICS
from .mechanism_operations import MechanismOperations
from .operations import Operation
from .scalar_places import Key, Output
from .signal_operations import SignalEmitter


def tips(mechanism: Mechanism) -> list[PlacedPart[TipJacobian]]:
    """Blocks that ask for the Jacobian of a frame."""
    return mechanism.others_of(TipJacobian)


def add_tip_jacobians(mechanics: MechanismOperations, emitter: SignalEmitter) -> None:
    """Append the Jacobians of a component."""
    mechanism, tokens = mechanics.mechanism, list[Key]()
    for placed in tips(mechanism):
        block, drives = placed.block, placed.part.drives
        rows = drive_rows(mechanics, placed)
        n, count = len(rows), len(mechanism.rows)
        if placed.frame_b < 0:
            raise CompileError("nothing is wired to frame_b", path=block, fix="wire the frame that it moves")
        known = [float(n), *map(float, rows), float(placed.frame_a), float(placed.frame_b)]
        first = emitter.work.add(f"{block}.drives", [*known, *[0.0] * (3 * n + count)])
        done: Key = (block, "@jacobian", 0, 0)
        needs, number = (mechanics.key(KINEMATICS),), mechanics.number
        made = Operation(
            (done,), needs, tip_jacobian_kernel(), label=block, work=(first, n), component=number
        )
        mechanics.operations.append(made)
        places = [("work", first + 3 + n + k) for k in range(3 * len(drives))]
        outputs = [Output((block, "jacobian", k, 0), (place,), done) for k, place in enumerate(places)]
        mechanics.operations += emitter.scalars.outputs(outputs)
        tokens.append(done)
    for operation in mechanics.operations if mechanics.table.rows else ():
        if mechanics.key(DYNAMICS) in operation.makes:
            # it reads the factors of the constraints, which the dynamics overwrite
            operation.needs += tuple(tokens)


def drive_rows(mechanics: MechanismOperations, placed: PlacedPart[TipJacobian]) -> list[int]:
    """Rows of the drives; CompileError for those that cannot be commanded independently."""
    block, names = placed.block, placed.part.drives
    rows = [drive_row(mechanics.mechanism, block, name, "drives") for name in names]
    for name, row in zip(names, rows, strict=True):
        coordinate = mechanics.mechanism.rows[row].coordinate
        if mechanics.table.rows and coordinate is not None and coordinate.follow:
            mistake = f"the drive {name} follows a trajectory, in a mechanism with loops or constraints"
            fix = "drive it by an effort (pd), whose rate this block commands"
            raise CompileError(Problem(mistake, f"{block}.drives", fix))
    return rows
