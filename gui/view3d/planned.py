"""Planned curve of a point in 3-D: a path that a programmed constraint follows, or a relation in two coordinates.

Pure numpy: no Qt.
"""

from __future__ import annotations

import numpy as np

from ...blocks.geometry import rotations
from ...blocks.mechanics.constraint_blocks import ProgrammedConstraint
from ...solver.flatten.flatten import Flat
from ...solver.simulation.planned_curves import Vec, curves_in_plane
from .scene_shapes import TIE, Drawing, Line

Frame = tuple[int, Vec, Vec]  # row, R and p


def planned(
    flat: Flat, name: str, block: ProgrammedConstraint, point: Vec, base: Frame, pose: Vec, size: float
) -> Drawing:
    """The plan of a point that starts at `point`, in the world, in a pose; the plane is fixed to `base`."""
    row, R_B, p_B = base
    R, p = (
        R_B @ np.reshape(rotations.rotation_of_turns(block.plane.rotate), (3, 3)),
        p_B + R_B @ np.array(block.plane.at),
    )
    if 0 <= row < len(pose):
        point = pose[row, :9].reshape(3, 3).T @ (point - pose[row, 9:])
    start = R.T @ (point - p)
    curves = curves_in_plane(flat, name, block, start, size)
    return Drawing(
        lines=[Line(name, block.family, TIE, [row] * len(curve), p + curve @ R.T) for curve in curves]
    )
