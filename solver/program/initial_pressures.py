"""Initial pressures: cylinders without a given cap pressure carry their static load."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...blocks import Block
from ...blocks.multibody_parts import Touch
from ..initial.initial_state import InitialState
from ..kernels import model_data as f
from ..kernels.kernel_selection import inverse_dynamics_kernel
from ..mechanism.mechanism import Mechanism
from .evaluation_stages import KINEMATICS, own_key
from .interpreter import interpret
from .inverse_dynamics_operations import controller_work_size, drive_rates, rank_of_rates
from .operations import Operation
from .program import Moved, Program
from .schedule import schedule

if TYPE_CHECKING:
    from ...blocks.hydraulics.hydraulic_cylinder import HydraulicCylinder

CARRIED = ("@", "carried", 0, 0)


def load_carrying_pressures(program: Program, starts: Sequence[InitialState]) -> list[float]:
    """States of signals at the start, with those of such cylinders; passive coordinates count as held, drives as
    giving nothing.
    """
    values = list(program.numbers.states.values)
    for one in program.components:
        carry_own(program, one, starts, values)
    return values


def carry_own(program: Program, one: Moved, starts: Sequence[InitialState], values: list[float]) -> None:
    """Write the load-carrying pressures of one component [Pa] into the states of signals."""
    states, start = program.numbers.states, starts[one.number]
    cylinders = cylinders_without_pressure(one.mechanism, program.flat.blocks)
    rows = [row for _, row in cylinders]
    if not rows:
        return
    if rank_of_rates(drive_rates(one.mechanism, start, rows)) < len(rows):
        start.notes.append("cylinders share loads: their pressures at the start count as zero until given")
        return
    forces = static_slide_forces(program, one, starts, rows)
    touching = blocks_that_push(one.mechanism, start)
    if touching:
        start.notes.append(
            f"pressures of cylinders at the start leave out what {touching} carries: they hold all of the weight; give "
            "initial: {cap: ...} if that is too much"
        )
    for (block, _), force in zip(cylinders, forces, strict=True):
        cap_area, rod_area = block.areas()
        p_rod = block.fluid.initial.rod
        if force + p_rod * rod_area < 0.0 and "rod" not in block.fluid.initial.given:
            p_rod = -force / rod_area
        values[states.names.index(f"{block.name}.p_rod")] = block.holding(p_rod)
        p_cap = max(0.0, (force + p_rod * rod_area) / cap_area)
        values[states.names.index(f"{block.name}.p_cap")] = block.holding(p_cap)


def blocks_that_push(mechanism: Mechanism, start: InitialState) -> str:
    """Names of blocks whose shapes push where they were evaluated last."""
    out = start.data.element_out
    names = {
        placed.block: None
        for e, placed in enumerate(mechanism.elements)
        if isinstance(placed.part, Touch) and out[e, f.TOUCHING] > 0.0
    }
    return ", ".join(names)


def cylinders_without_pressure(
    mechanism: Mechanism, blocks: dict[str, Block]
) -> list[tuple[HydraulicCylinder, int]]:
    """Cylinders without a given cap pressure, and the rows of their slides."""
    slides = [joint for joint in mechanism.joints if blocks[joint.block].oil_compressibility()]
    if not slides:
        return []
    from ...blocks.hydraulics.hydraulic_cylinder import HydraulicCylinder

    return [
        (block, joint.first)
        for joint in slides
        if isinstance(block := blocks[joint.block], HydraulicCylinder)
        and not joint.part.name
        and "cap" not in block.fluid.initial.given
    ]


def static_slide_forces(
    program: Program, one: Moved, starts: Sequence[InitialState], rows: list[int]
) -> np.ndarray:
    """Forces of the slides at rest [N], by the kernel that compensates gravity."""
    n = len(rows)
    first = len(program.numbers.work.values)
    values = [
        float(n),
        *map(float, rows),
        *[0.0] * (controller_work_size(len(one.mechanism.rows), n) - 1 - n),
    ]
    needs, number = (own_key(KINEMATICS, one.number),), one.number
    rest = Operation((CARRIED,), needs, inverse_dynamics_kernel("hold"), work=(first, n), component=number)
    ordered = schedule([*program.operations, rest], [CARRIED])
    numbers = program.numbers.with_work(values)
    x = np.zeros(sum(len(start.states.initial) for start in starts))
    for start in starts:
        x[start.model.state[:, f.ST_AT]] = start.states.initial
    models, each = [start.model for start in starts], [start.data for start in starts]
    w, _ = interpret(ordered, numbers, models, each, x.tolist())
    return w[first + 1 + 2 * n : first + 1 + 3 * n]
