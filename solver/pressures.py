"""Pressures at the start: cylinders whose cap pressure is not given carry the load that stands on them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..blocks import Block
from . import layout
from .codegen import function_text
from .mechanics import KINEMATICS, Mechanics
from .model_control import drive_rates, work_size
from .schedule import Statement, schedule
from .signals import LAYOUT, Emitter
from .start import Start
from .tree import Mechanism

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
        block: Any = mechanics.blocks[name]
        cap_area, rod_area = block.areas()
        p_rod = block.fluid.initial.rod
        if force + p_rod * rod_area < 0.0 and "rod" not in block.fluid.initial.given:
            p_rod = -force / rod_area
        states = emitter.states
        states.values[states.names.index(f"{name}.p_rod")] = p_rod
        states.values[states.names.index(f"{name}.p_cap")] = max(0.0, (force + p_rod * rod_area) / cap_area)


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
    from .kernels.table import kernels

    n = len(rows)
    work = np.zeros(work_size(len(start.model.topo), n))
    work[: 1 + n] = n, *rows
    hold = Statement((CARRIED,), (KINEMATICS,), ("hold(work, m, d)",))
    ordered = schedule([*mechanics.statements, *emitter.statements, hold], [CARRIED])
    source = "".join(f"{text.rstrip()}\n\n" for text in emitter.functions.values())
    source += function_text("carry", "t, x, p, mem, m, d, k", ordered)
    names: dict[str, Any] = {"math": math, "work": work, **{name: getattr(layout, name) for name in LAYOUT}}
    exec(compile(source, "<loads at the start>", "exec"), names)
    x = np.array([*start.states.initial, *emitter.states.values])
    p, mem = np.array(emitter.params.values), np.array(emitter.memory.values)
    called = kernels(bool(mechanics.table.rows), inverse=True)
    names["carry"](0.0, x, p, mem, start.model, start.data, called)
    return work[1 + 2 * n : 1 + 3 * n]
