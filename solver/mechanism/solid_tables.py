"""Tables of the shapes that touch, and of their pairs, in the arrays of `Model`."""

from __future__ import annotations

import numpy as np

from ...blocks import CompileError
from ...blocks.multibody_parts import Solid, SolidPair
from ..kernels import model_data as f
from .mechanism import Mechanism
from .model_packing import carrier_row

KINDS = {
    "sphere": f.SPHERE, "capsule": f.CAPSULE, "box": f.BOX, "plane": f.PLANE, "cylinder": f.CYLINDER, "hull": f.HULL,
    "height_field": f.HEIGHT_FIELD, "surface": f.SURFACE,
}  # fmt: skip
FAMILIES = {
    "touch_flat": f.FLAT_FAMILY, "touch_round": f.ROUND_FAMILY, "touch_hull": f.HULL_FAMILY,
    "touch_mixed": f.MIXED_FAMILY, "clearance": f.CLEARANCE_FAMILY, "touch_ground": f.GROUND_FAMILY,
    "touch_ground_round": f.ROUND_GROUND_FAMILY,
}  # fmt: skip


def pack_solids(mechanism: Mechanism) -> dict[str, np.ndarray]:
    """Arrays `touch`, `stand`, `solid`, ... of `Model`; shapes of one size are one solid."""
    solids: dict[Solid, int] = {}
    stands: dict[tuple[int, int], int] = {}
    pairs: list[tuple[int, ...]] = []
    bristles = 0
    for e, placed in enumerate(mechanism.elements):
        part = placed.part
        if not isinstance(part, SolidPair):
            continue
        if carrier_row(mechanism, placed.frame_a) == carrier_row(mechanism, placed.frame_b):
            raise CompileError(
                f"found two shapes of one body, {part.frame_b} and {part.frame_a}: they never move apart",
                path=placed.block,
                fix="name shapes of bodies between which a joint leads",
            )
        a, b = (solids.setdefault(solid, len(solids)) for solid in (part.solid_a, part.solid_b))
        frames = ((placed.frame_a, a), (placed.frame_b, b))
        places = (stands.setdefault(stand, len(stands)) for stand in frames)
        pairs.append((e, a, b, FAMILIES[part.kind], *places, bristles, part.bristle))
        bristles += part.bristle
    rows, values = [], []
    corners: list[tuple[float, ...]] = []
    edges: list[tuple[float, ...]] = []
    faces: list[tuple[float, ...]] = []
    loops: list[tuple[int, int]] = []
    loop: list[int] = []
    heights: list[np.ndarray] = []
    for solid in solids:
        counts = (
            len(corners),
            len(solid.corners),
            len(edges),
            len(solid.edges),
            len(faces),
            len(solid.faces),
            sum(map(len, heights)),
            *(solid.heights.size if solid.heights is not None else (0, 0)),
        )
        rows.append((KINDS[solid.kind], *counts))
        values.append((*solid.half, solid.rounding, solid.bound))
        for one in solid.loops:
            loops.append((len(loop), len(one)))
            loop += [len(corners) + k for k in one]
        corners += solid.corners
        edges += solid.edges
        faces += solid.faces
        if solid.heights is not None:
            heights.append(solid.heights.nodes)
    return {
        "touch": np.array(pairs, np.int64).reshape(-1, f.TOUCH_COLUMNS),
        "stand": np.array([*stands], np.int64).reshape(-1, 2),
        "solid": np.array(rows, np.int64).reshape(-1, f.SOLID_ROW_COLUMNS),
        "solid_value": np.array(values, float).reshape(-1, f.SOLID_COLUMNS),
        "corner": np.array(corners, float).reshape(-1, 3),
        "edge": _edge_rows(edges),
        "face": np.array(faces, float).reshape(-1, f.FACE_COLUMNS),
        "face_loop": np.array(loops, np.int64).reshape(-1, 2),
        "loop": np.array(loop, np.int64),
        "height": np.vstack([np.zeros((0, f.HEIGHT_COLUMNS)), *heights]),
    }


def _edge_rows(edges: list[tuple[float, ...]]) -> np.ndarray:
    """`Model.edge`: each edge with the box around it."""
    rows = np.array(edges, float).reshape(-1, f.ED_LOW)
    start, end = rows[:, :3], rows[:, :3] + rows[:, f.ED_SPAN : f.ED_SPAN + 3]
    return np.hstack((rows, np.minimum(start, end), np.maximum(start, end)))
