"""Painter's order of faces and line pieces, back to front, with a water surface between those on its two sides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import product

import numpy as np
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QBrush, QLinearGradient, QPainter, QPen, QPolygonF

from ..theme.active_theme import theme
from .brushes import SHADES, brush_of, water_colour, water_colours, water_sky
from .face_arrays import Mesh, shade
from .sea_surface import Surface, cut

Project = Callable[[np.ndarray], np.ndarray]
Stroke = tuple[QPen, np.ndarray, np.ndarray]  # a piece of a line in the world, and in the picture


class Layers:
    """Depth-sorted faces and line pieces; indices count the visible faces first, then the line pieces."""

    def __init__(
        self,
        mesh: Mesh,
        vertices: np.ndarray,
        strokes: Iterable[Stroke],
        colours: Sequence[str],
        selected: Collection[str],
        project: Project,
        R_WV: np.ndarray,
    ):
        self.mesh, self.colours, self.selected, self.project = mesh, colours, selected, project
        self.corners, quads = vertices.reshape(-1, 4, 3), project(vertices).reshape(-1, 4, 3)
        self.seen = np.flatnonzero(facing(quads))
        self.strokes = list(strokes)
        near = [float(flat[:, 2].mean()) for _, _, flat in self.strokes]
        depths = np.concatenate((quads[self.seen, :, 2].mean(axis=1) + mesh.back[self.seen], near))
        self.order: list[int] = np.argsort(-depths, kind="stable").tolist()
        self.shades = np.round(SHADES * shade(mesh.normals(vertices) @ R_WV)).astype(int).tolist()
        self.flat = quads[:, :, :2].tolist()

    def paint(self, painter: QPainter) -> None:
        for place in self.order:
            self._paint(painter, place, None)

    def meet(self, surface: Surface) -> None:
        """Compute the signed distance of all points from the water surface, positive on the eye's side."""
        faces, pieces = surface.before(self.corners[self.seen]), [points for _, points, _ in self.strokes]
        self._before = [*faces, *map(surface.before, pieces)]
        self._least = [*faces.min(axis=1).tolist(), *(min(far) for far in self._before[len(faces) :])]
        self._most = [*faces.max(axis=1).tolist(), *(max(far) for far in self._before[len(faces) :])]

    def paint_beyond(self, painter: QPainter) -> None:
        """Paint what is beyond the water surface, or crosses it."""
        for place in self.order:
            if self._least[place] <= 0.0:
                self._paint(painter, place, None)

    def paint_before(self, painter: QPainter) -> None:
        """Paint what is on the eye's side of the water surface, clipped at the surface."""
        for place in self.order:
            if self._most[place] > 0.0:
                self._paint(painter, place, self._before[place] if self._least[place] < 0.0 else None)

    def _paint(self, painter: QPainter, place: int, before: np.ndarray | None) -> None:
        if place < len(self.seen):
            self._face(painter, int(self.seen[place]), before)
            return
        pen, points, flat = self.strokes[place - len(self.seen)]
        if before is not None:
            flat = self.project(cut(points, before, closed=False)[0])
        painter.setPen(pen)
        painter.drawPolyline(polygon(flat))

    def _face(self, painter: QPainter, k: int, before: np.ndarray | None) -> None:
        selected = self.mesh.blocks[k] in self.selected
        edge, plain, colour = brush_of(self.colours[k], self.shades[k], selected, theme().name)
        sides, flat = self.mesh.sides[k], self.flat[k]
        if before is not None:
            part, lie_on = cut(self.corners[k], before, closed=True)
            sides = [at for at, side in enumerate(lie_on) if side in sides]
            flat = self.project(part)[:, :2].tolist()
        places, count = [QPointF(x, y) for x, y in flat], len(flat)
        painter.setPen(edge if len(sides) == count else plain)
        painter.setBrush(colour)
        painter.drawConvexPolygon(places)
        if 0 < len(sides) < count:
            painter.setPen(edge)
            painter.drawLines([QLineF(places[side], places[side - count + 1]) for side in sides])


def paint_water(
    painter: QPainter, surface: Surface, project: Project, near: float, width: int, height: int
) -> None:
    """Paint the water strips back to front, from depth `near` on; without antialiasing their seams do not show."""
    strips = surface.strips()
    flat = project(strips.reshape(-1, 3)).reshape(strips.shape)
    whole, part = _inside(flat, near, width, height), _cut(strips, flat[..., 2] - near, project)
    sky = water_sky(flat[..., 1].mean(axis=2) / height)
    own, outside = water_colours(surface, sky), sky.astype(int).tolist()
    sides = ((flat[:, :, 0] + flat[:, :, 1]) / 2, (flat[:, :, 2] + flat[:, :, 3]) / 2)
    outer, inner = (np.where([[[True], [False], [False]]], a, b) for a, b in (sides, sides[::-1]))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    painter.setPen(Qt.PenStyle.NoPen)
    for k, piece in product(np.argsort(-flat[..., 2].mean(axis=(1, 2))).tolist(), range(3)):
        corners = whole.get((k, piece), part.get((k, piece)))
        if corners is None:
            continue
        brush = QBrush(water_colour(own[k][piece]))
        if piece != 1 and (k, piece) in whole:
            over = QLinearGradient(*outer[k, piece, :2].tolist(), *inner[k, piece, :2].tolist())
            over.setColorAt(0.0, water_colour(outside[k][piece]))
            over.setColorAt(1.0, brush.color())
            brush = QBrush(over)
        painter.setBrush(brush)
        painter.drawConvexPolygon(polygon(corners))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


Pieces = dict[tuple[int, int], np.ndarray]  # corners in the picture by (strip, piece)


def _inside(flat: np.ndarray, near: float, width: int, height: int) -> Pieces:
    """Strip pieces entirely beyond depth `near` that are within the picture."""
    low, high = flat.min(axis=2), flat.max(axis=2)
    seen = np.all((high[..., :2] > 0.0) & (low[..., :2] < (width, height)), axis=2) & (low[..., 2] > near)
    return {(k, piece): flat[k, piece] for k, piece in np.argwhere(seen).tolist()}


def _cut(strips: np.ndarray, beyond: np.ndarray, project: Project) -> Pieces:
    """Strip pieces that cross depth `near`, clipped to the part beyond it."""
    through = np.argwhere((beyond.min(axis=2) <= 0.0) & (beyond.max(axis=2) > 0.0)).tolist()
    if not through:
        return {}
    parts = [cut(strips[k, piece], beyond[k, piece], closed=True)[0] for k, piece in through]
    ends = np.cumsum([len(part) for part in parts])
    corners = np.split(project(np.concatenate(parts)), ends[:-1])
    return {(k, piece): part for (k, piece), part in zip(through, corners, strict=True)}


def facing(flat: np.ndarray) -> np.ndarray:
    """Mask of faces in front of the eye whose outside faces the camera (back-face culling)."""
    a, b = flat[:, 2, :2] - flat[:, 0, :2], flat[:, 3, :2] - flat[:, 1, :2]
    return (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] < 0) & np.all(flat[:, :, 2] > 0, axis=1)


def polygon(flat: np.ndarray) -> QPolygonF:
    return QPolygonF([QPointF(point[0], point[1]) for point in flat.tolist()])
