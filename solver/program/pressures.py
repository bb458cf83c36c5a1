"""Pressures at the start: cylinders whose cap pressure is not given carry the load that stands on them."""

from __future__ import annotations

import numpy as np

from ...blocks import Block
from ...blocks.hydraulics.cylinder import HydraulicCylinder
from ..kernels.chosen import inverse
from ..mechanism.spanning import Mechanism
from ..start.start import Start
from ..table.operations import Operation
from ..table.places import Slots
from ..table.schedule import schedule
from .mechanics import Mechanics
from .model_control import drive_rates, work_size
from .plainly import run_plainly
from .signals import Emitter
from .steps import KINEMATICS

CARRIED = ("@", "carried", 0, 0)


def carry_loads(mechanics: Mechanics, emitter: Emitter, start: Start) -> None:
    """Set the initial states of such cylinders; passive coordinates count as held, drives as giving nothing."""
    found = waiting(mechanics.mechanism, mechanics.blocks)
    rows = list(found.values())
    if not rows:
        return
    if np.linalg.matrix_rank(drive_rates(mechanics.mechanism, start, rows), tol=1e-9) < len(rows):
        start.notes.append("cylinders share loads: their pressures at the start count as zero until given")
        return
    for (name, _), force in zip(found.items(), resting_forces(mechanics, emitter, start, rows), strict=True):
        block = mechanics.blocks[name]
        assert isinstance(block, HydraulicCylinder)  # no other carries its load by pressure
        cap_area, rod_area = block.areas()
        p_rod = block.fluid.initial.rod
        if force + p_rod * rod_area < 0.0 and "rod" not in block.fluid.initial.given:
            p_rod = -force / rod_area
        states = emitter.states
        states.values[states.names.index(f"{name}.p_rod")] = block.holding(p_rod)
        p_cap = max(0.0, (force + p_rod * rod_area) / cap_area)
        states.values[states.names.index(f"{name}.p_cap")] = block.holding(p_cap)


def waiting(mechanism: Mechanism, blocks: dict[str, Block]) -> dict[str, int]:
    """Cylinders without a given cap pressure, and the rows of their slides."""
    found: dict[str, int] = {}
    for joint in mechanism.joints:
        fluid = getattr(blocks[joint.block], "fluid", None)
        if fluid is not None and not joint.part.name and "cap" not in fluid.initial.given:
            found[joint.block] = joint.first
    return found


def resting_forces(mechanics: Mechanics, emitter: Emitter, start: Start, rows: list[int]) -> np.ndarray:
    """What the slides must supply at rest, by the same kernel that compensates gravity."""
    n = len(rows)
    first = len(emitter.work.values)
    values = [float(n), *map(float, rows), *[0.0] * (work_size(len(start.model.topo), n) - 1 - n)]
    work = Slots("work", list(emitter.work.names), [*emitter.work.values, *values])
    rest = Operation((CARRIED,), (KINEMATICS,), inverse("hold"), work=(first, n))
    ordered = schedule([*mechanics.operations, *emitter.operations, rest], [CARRIED])
    w, _ = run_plainly(
        ordered, mechanics.scalars, emitter, start.model, start.data, start.states.initial, work
    )
    return w[first + 1 + 2 * n : first + 1 + 3 * n]
