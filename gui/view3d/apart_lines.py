"""Thin lines from the frames of a body to its shapes, where a shape stands apart from what it hangs on. No Qt."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ...blocks.mechanics.bodies import ShapedBlock
from .body_faces import FAMILY, Frames, Piece, faces_of
from .scene_shapes import BAR, Line

INSIDE = 0.45  # of the half of a shape's smallest side: how deep a line ends in it; within a ball at its corners, too


def lines_to_shapes(
    name: str, block: ShapedBlock, piece: Piece, own: Frames, wired: Collection[tuple[str, str]]
) -> list[Line]:
    """One line from each wired frame to the nearest shape of its body, if it is further away than that is long.

    What is fixed to the world stands where it is said to, on nothing.
    """
    held = [point for port, row, point in own if row == piece.row and (name, port) in wired]
    boxes = _boxes(block) if held and piece.row >= 0 else []
    lines: list[Line] = []
    for point in held if boxes else []:
        here = piece.R.T @ (point - piece.p)
        gaps = [float(np.linalg.norm(box.nearest(here) - here)) for box in boxes]
        nearest = boxes[int(np.argmin(gaps))]
        if min(gaps) > (nearest.high - nearest.low).max():
            points = np.array([point, piece.R @ nearest.inner().nearest(here) + piece.p])
            lines.append(Line(name, FAMILY, BAR, [piece.row, piece.row], points))
    return lines


class _Box:
    """Box around a shape, in the shape's own axes, with the shape's pose in the body."""

    def __init__(self, low: np.ndarray, high: np.ndarray, R: np.ndarray, p: np.ndarray):
        self.low, self.high, self.R, self.p = low, high, R, p

    def nearest(self, point: np.ndarray) -> np.ndarray:
        return self.R @ np.clip(self.R.T @ (point - self.p), self.low, self.high) + self.p

    def inner(self) -> _Box:
        margin = INSIDE * float((self.high - self.low).min())
        return _Box(self.low + 0.5 * margin, self.high - 0.5 * margin, self.R, self.p)


def _boxes(block: ShapedBlock) -> list[_Box]:
    found = []
    for shape in block.shapes_by_path().values():
        faces = [] if shape.hidden else faces_of(shape, block.meshes)
        if faces:
            corners = np.concatenate(faces)
            found.append(_Box(corners.min(axis=0), corners.max(axis=0), *shape.pose()))
    return found
