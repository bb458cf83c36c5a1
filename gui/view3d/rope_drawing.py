"""Drawing of a rope with its drum, sheaves and end block. Pure numpy: no Qt."""

from __future__ import annotations

import numpy as np

from ...blocks.mechanics.ropes import Drum, Rope
from ...solver.flatten.flatten import Flat
from .body_faces import Frames
from .scene_shapes import ROPE, Drawing, Line, Skin, in_row, place
from .solid_faces import ball, round_prism

SPREAD = 0.9  # distance of two falls, in units of `thin`


def drum_of(flat: Flat, rope: str) -> Drum | None:
    """Drum wired to the rope's `take_up`; None if there is none."""
    for wire in flat.wires:
        source = flat.blocks[wire.source.block]
        if (wire.target.block, wire.target.port) == (rope, "take_up") and isinstance(source, Drum):
            return source
    return None


def draw_rope(
    name: str, block: Rope, own: Frames, drum: Drum | None, start: np.ndarray, thin: float
) -> Drawing:
    order = ["frame_a", *(f"sheave_{k}" for k in range(1, block.through + 1)), "frame_b"]
    ends = {port: (row, point) for port, row, point in own}
    if not set(order) <= ends.keys():
        return Drawing()
    rows, points = [ends[port][0] for port in order], [ends[port][1] for port in order]
    places = np.array([place(start, row, point) for row, point in zip(rows, points, strict=True)])
    skins = []
    for k in range(1, len(order) - 1):
        axis = _horizontal_normal(places[k] - places[k - 1], places[k + 1] - places[k])
        radius, width = 1.3 * thin, 0.5 * thin
        half = 0.5 * width * in_row(start, rows[k], axis)
        wheel = round_prism(points[k] - half, points[k] + half, radius, thin)
        skins.append(Skin(name, block.family, wheel, rows[k]))
    if drum is not None:
        axis = in_row(start, rows[0], _horizontal_normal(places[1] - places[0], np.zeros(3)))
        radius = max(drum.radius, 0.8 * thin)
        half = 0.5 * max(2.2 * radius, 3.0 * thin) * axis
        barrel = round_prism(points[0] - half, points[0] + half, radius, thin)
        skins.append(Skin(name, block.family, barrel, rows[0]))
    skins.append(Skin(name, block.family, ball(points[-1], 0.7 * thin, thin), rows[-1], edges=False))
    lines = [
        Line(name, block.family, ROPE, rows, np.array(fall), size=thin)
        for fall in _parallel_falls(block, rows, points, places, start, thin)
    ]
    return Drawing(skins, lines)


def _parallel_falls(
    block: Rope, rows: list[int], points: list[np.ndarray], places: np.ndarray, start: np.ndarray, thin: float
) -> list[list[np.ndarray]]:
    """Parallel falls of a reeved rope, at most six."""
    count = min(block.reeving, 6)
    aside = _horizontal_normal(places[-1] - places[-2], np.zeros(3))
    shifts = SPREAD * thin * (np.arange(count) - 0.5 * (count - 1))
    turned = [in_row(start, row, aside) for row in rows]
    return [[p + shift * way for p, way in zip(points, turned, strict=True)] for shift in shifts]


def _horizontal_normal(way: np.ndarray, onward: np.ndarray) -> np.ndarray:
    """Horizontal unit vector across a rope, or the axis about which it bends."""
    for axis in (np.cross(way, onward), np.cross(way, [0.0, 0.0, 1.0])):
        length = float(np.linalg.norm(axis))
        if length > 1e-3 * float(np.linalg.norm(way)) * max(float(np.linalg.norm(onward)), 1.0):
            return axis / length
    return np.array([0.0, 1.0, 0.0])
