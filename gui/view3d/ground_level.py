"""Height of the ground in pictures: a plane that bodies stand on, else z = 0 or what reaches below it. No Qt."""

from __future__ import annotations

import numpy as np

from ...blocks.multibody_parts import Element, SolidPair
from ...solver.mechanism.mechanism import Mechanism

STANDING = ("contact", "support")  # elements whose frame_a is a plane, its z leaving it
LEVEL = 1e-9  # of the sine of a plane's slope, by rounding


def level_planes(mechanism: Mechanism, up: np.ndarray) -> list[float]:
    """Heights of the level planes of the world that something may stand on [m]."""
    heights = []
    for placed in mechanism.elements:
        row, R, p = -1, np.eye(3), np.zeros(3)
        if placed.frame_a >= 0:
            row, pose = mechanism.frames[placed.frame_a]
            R, p = pose.R, pose.p
        level = np.linalg.norm(np.cross(R[:, 2], up)) < LEVEL and R[:, 2] @ up > 0
        if row < 0 and level and _is_plane(placed.part):
            heights.append(float(p @ up))
    return heights


def ground_level(planes: list[float], heights: np.ndarray) -> float:
    """Height of the ground [m]: the lowest plane; without one z = 0, or the lowest point of what is drawn if that is
    lower."""
    return min(planes) if planes else float(heights.min(initial=0.0))


def _is_plane(part: Element) -> bool:
    if isinstance(part, SolidPair):
        return part.solid_a.kind == "plane"
    return part.kind in STANDING
