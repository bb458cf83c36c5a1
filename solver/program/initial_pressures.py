"""Initial pressures: cylinders without a given cap pressure carry their static load."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...blocks import Block
from ..initial.initial_state import InitialState
from ..kernels.kernel_selection import inverse_dynamics_kernel
from ..mechanism.mechanism import Mechanism
from .evaluation_stages import KINEMATICS
from .interpreter import interpret
from .inverse_dynamics_operations import controller_work_size, drive_rates
from .operations import Operation
from .program import Program
from .schedule import schedule

if TYPE_CHECKING:
    from ...blocks.hydraulics.hydraulic_cylinder import HydraulicCylinder

CARRIED = ("@", "carried", 0, 0)


def load_carrying_pressures(program: Program, start: InitialState) -> list[float]:
    """Initial states of signals, with pressures of such cylinders; passive coordinates are held, drives give no
    effort.
    """
    states = program.numbers.states
    values = list(states.values)
    cylinders = cylinders_without_pressure(program.mechanism, program.flat.blocks)
    rows = [row for _, row in cylinders]
    if not rows:
        return values
    if np.linalg.matrix_rank(drive_rates(program.mechanism, start, rows), tol=1e-9) < len(rows):
        start.notes.append("cylinders share loads: their pressures at the start count as zero until given")
        return values
    for (block, _), force in zip(cylinders, static_slide_forces(program, start, rows), strict=True):
        cap_area, rod_area = block.areas()
        p_rod = block.fluid.initial.rod
        if force + p_rod * rod_area < 0.0 and "rod" not in block.fluid.initial.given:
            p_rod = -force / rod_area
        values[states.names.index(f"{block.name}.p_rod")] = block.holding(p_rod)
        p_cap = max(0.0, (force + p_rod * rod_area) / cap_area)
        values[states.names.index(f"{block.name}.p_cap")] = block.holding(p_cap)
    return values


def cylinders_without_pressure(
    mechanism: Mechanism, blocks: dict[str, Block]
) -> list[tuple[HydraulicCylinder, int]]:
    """Cylinders without a given cap pressure, and the rows of their slides."""
    slides = [joint for joint in mechanism.joints if blocks[joint.block].oil_laws()]
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


def static_slide_forces(program: Program, start: InitialState, rows: list[int]) -> np.ndarray:
    """Static force of each slide [N], by the kernel of gravity compensation."""
    n = len(rows)
    first = len(program.numbers.work.values)
    values = [float(n), *map(float, rows), *[0.0] * (controller_work_size(len(start.model.topo), n) - 1 - n)]
    rest = Operation((CARRIED,), (KINEMATICS,), inverse_dynamics_kernel("hold"), work=(first, n))
    ordered = schedule([*program.operations, rest], [CARRIED])
    numbers = program.numbers.with_work(values)
    w, _ = interpret(ordered, numbers, start.model, start.data, start.states.initial)
    return w[first + 1 + 2 * n : first + 1 + 3 * n]
