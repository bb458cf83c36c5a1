"""Hydraulic cylinders in loops: direction at the start, reachable pin distances, outputs."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ...blocks.errors import Problem
from ...blocks.multibody_parts import Telescope
from ..kernels import model_data as f
from ..kernels.model_data import Data, Model
from .mechanism import Mechanism, PlacedPart, TreeJoint


def cylinder_loops(mechanism: Mechanism) -> Iterator[tuple[PlacedPart[Telescope], TreeJoint, TreeJoint]]:
    """Cylinders that close a loop, with their joints at the barrel's pin and between barrel and rod."""
    closing = {cut.block for cut in mechanism.cuts}
    for placed in mechanism.others_of(Telescope):
        if placed.block in closing:
            own = {j.part.name: j for j in mechanism.joints if j.block == placed.block and not j.reversed}
            if placed.part.turn in own and placed.part.slide in own:
                yield placed, own[placed.part.turn], own[placed.part.slide]


def pin_line(
    mechanism: Mechanism, data: Data, placed: PlacedPart[Telescope]
) -> tuple[np.ndarray, np.ndarray]:
    """Barrel's pin in W, and the vector from there to the rod's pin in the pin's axes [m]."""
    (R_WA, p_A), (_, p_B) = (
        world_frame(mechanism, data, frame) for frame in (placed.frame_a, placed.frame_b)
    )
    return p_A, R_WA.T @ (p_B - p_A)


def world_frame(mechanism: Mechanism, data: Data, frame: int) -> tuple[np.ndarray, np.ndarray]:
    """R_WF and p_WF of a frame."""
    row, place = mechanism.frames[frame]
    if row < 0:
        return place.R, place.p
    R, p = data.row[row, f.R_WB : f.p_WB].reshape(3, 3), data.row[row, f.p_WB : f.p_WB + 3]
    return R @ place.R, R @ place.p + p


def aim_barrels(mechanism: Mechanism, model: Model, data: Data) -> None:
    """Point every barrel at its rod's pin; a free extension takes the distance of the pins."""
    from ..kernels.kinematics import positions

    for placed, turn, slide in cylinder_loops(mechanism):
        positions(model, data)
        _, line = pin_line(mechanism, data, placed)
        distance = float(np.linalg.norm(line))
        if distance == 0.0:
            continue
        x, y, z = line / distance
        names = [c.name for c in turn.part.coordinates]
        if len(names) == 2:
            data.q[turn.first], data.q[turn.last] = math.atan2(-y, z), math.asin(x)
        else:  # in a plane, where the cylinder turns about its pin or about the axis across
            data.q[turn.first] = math.atan2(-y, z) if names == ["angle"] else math.atan2(x, z)
        if placed.part.aimed and model.topo[slide.first, f.MODE] == f.FREE:
            data.q[slide.first] = distance - placed.part.length


def out_of_reach(mechanism: Mechanism, model: Model, data: Data, given: np.ndarray) -> Problem | None:
    """Problem of the first cylinder whose given extension does not fit between its pins, or None."""
    for placed, _, slide in cylinder_loops(mechanism):
        if not given[slide.first] and model.topo[slide.first, f.MODE] == f.FREE:
            continue
        needed = placed.part.length + data.q[slide.first]
        least, most = reachable_distances(mechanism, model, data, given, placed)
        if least - 1e-9 <= needed <= most + 1e-9:
            continue
        mistake = f"found a pin distance of {placed.part.length:g} + {data.q[slide.first]:g} = {needed:.6g} m"
        room = f"from {least:.6g} to {most:.6g} m" if most > least else f"{least:.6g} m"
        fix = "change initial.position or barrel.length, or move the pins"
        return Problem(f"{mistake}, but its links allow {room}", placed.block, fix)
    return None


def reachable_distances(
    mechanism: Mechanism, model: Model, data: Data, given: np.ndarray, placed: PlacedPart[Telescope]
) -> tuple[float, float]:
    """Least and greatest pin distance [m] if at most one revolute joint between the pins is free, else (0, inf)."""
    rows = [mechanism.frames[frame][0] for frame in (placed.frame_a, placed.frame_b)]
    a, b = (set(ancestors(model, row)) for row in rows)
    loose = [i for i in a ^ b if model.topo[i, f.MODE] == f.FREE and not given[i]]
    p_A, p_B = (world_frame(mechanism, data, frame)[1] for frame in (placed.frame_a, placed.frame_b))
    if not loose:
        distance = float(np.linalg.norm(p_B - p_A))
        return distance, distance
    if len(loose) > 1 or mechanism.rows[loose[0]].kind != f.REVOLUTE:
        return 0.0, math.inf
    origin, axis = data.row[loose[0], f.p_WB : f.p_WB + 3], data.row[loose[0], f.AXIS : f.AXIS + 3]
    along = [(p - origin) @ axis for p in (p_A, p_B)]
    off = [float(np.linalg.norm(p - origin - h * axis)) for p, h in zip((p_A, p_B), along, strict=True)]
    shift = along[1] - along[0]
    return math.hypot(off[1] - off[0], shift), math.hypot(off[0] + off[1], shift)


def ancestors(model: Model, row: int) -> Iterator[int]:
    """Rows from `row` to the world."""
    while row >= 0:
        yield row
        row = int(model.topo[row, f.PARENT])
