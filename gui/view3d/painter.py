"""Mechanism painter: solids by their depth, labels and arrows over them; on every platform, with or without OpenGL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QLinearGradient, QPainter, QPen, QPolygonF

from ..theme.active_theme import theme
from .axes_gizmo import AXES, Gizmo
from .camera import UP, Camera
from .depth_image import DepthImage
from .ground_picture import length_text, paint_grid, paint_shadow, step_of
from .scene_model import Scene, frame_at
from .scene_shapes import Arrow, points_of, trail_colour
from .solid_picture import FADED, paint_faded, paint_lines, paint_solids, paint_trace, paint_water
from .stress_colours import UNSTRESSED, Scale, Stresses

EDGE = 12.0  # px, of words from the edges
DOT = 4.5  # px: radius of the dot where shapes touch
SCALE, LOW = 56.0, 34.0  # px of the height that a scale of colours takes, and from its bar on
LEFT, WIDE, HIGH, TICK = 104.0, 168.0, 9.0, 4.0  # px, beside the directions of the world


@dataclass
class Look:
    """Display options of the 3-D view and its overlays."""

    grid: bool = True
    water: bool = True
    time: float = 0.0  # s, of what is shown
    shadow: bool = True
    corner: bool = True  # axes of the world in a corner
    frames: bool = False
    gravity: bool = False
    forces: bool = False
    contacts: bool = True
    torques: bool = False
    rest: bool = False
    stresses: bool = False
    selected: frozenset[str] = frozenset()  # blocks by full name, composites with all that is in them
    arrows: Sequence[Arrow] = ()
    trails: Sequence[np.ndarray] = ()  # ways of frames up to now, (n, 3) each
    colours: Sequence[str] = ()  # colours of all faces; empty for their own
    scale: Scale | None = None  # scale of these colours
    legend: str = ""  # what the lengths of arrows mean
    reason: str = ""  # why stresses have no colours
    ghost: np.ndarray | None = None  # corners of the faces of another run

    def colour(self, stresses: Stresses, time: float) -> None:
        self.colours, self.scale = stresses.colours(time), stresses.scale

    def clear_colours(self) -> None:
        self.colours, self.scale = (), None


@dataclass(frozen=True)
class Handle:
    """Grabbed point of a body: its position in the row's frame and its depth in front of the eye [m]."""

    block: str
    row: int
    point: np.ndarray
    depth: float


class Painting:
    """One picture of a scene at a size in pixels."""

    def __init__(self, scene: Scene, camera: Camera, look: Look, width: int, height: int):
        self.scene, self.camera, self.look = scene, camera, look
        self.width, self.height = width, height
        blocks = {*scene.mesh.blocks, *(line.block for line in scene.lines)} if look.selected else set()
        self.selected = {block for block in blocks if _is_among(block, look.selected)}
        self.lines = [line for line in scene.lines if not line.quiet or line.block in self.selected]

    def paint(self, painter: QPainter, pose: np.ndarray) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        sky(painter, self.width, self.height)
        look, scene, size = self.look, self.scene, (self.width, self.height)
        vertices = scene.mesh.vertices(pose)
        surface = scene.water.at(look.time, self.camera.eye) if scene.water and look.water else None
        if surface is None:
            if look.grid:
                paint_grid(painter, scene, self.camera, *size)
            if look.shadow and float(self.camera.eye @ UP[self.camera.up][:, 2]) > scene.ground:
                paint_shadow(painter, scene, self.camera, vertices, *size)
        for other in (scene.mesh.vertices(scene.start) if look.rest else None, look.ghost):
            if other is not None:
                self._faded(painter, other)
        picture = self._picture(painter)
        colours = look.colours or scene.mesh.colours
        paint_solids(picture, scene, vertices, colours, self.selected, outlined=look.scale is not None)
        paint_lines(picture, self.lines, pose, self.selected, UNSTRESSED if look.scale else "")
        for k, trail in enumerate(look.trails):
            paint_trace(picture, trail, QColor(trail_colour(k)))
        if surface is not None:
            paint_water(picture, surface)
        picture.paint(painter)
        if surface is not None and look.shadow and surface.side > 0:
            paint_shadow(painter, scene, self.camera, vertices, *size, surface)
        self._over(painter, pose)

    def _picture(self, painter: QPainter) -> DepthImage:
        return DepthImage(self.camera, self.width, self.height, painter.device().devicePixelRatio())

    def _faded(self, painter: QPainter, vertices: np.ndarray) -> None:
        """Paint a faded mesh: another pose or another run."""
        picture = self._picture(painter)
        paint_faded(picture, vertices)
        painter.setOpacity(FADED)
        picture.paint(painter)
        painter.setOpacity(1.0)

    def _over(self, painter: QPainter, pose: np.ndarray) -> None:
        """Paint what nothing hides."""
        if self.look.frames:
            for name in self.scene.frames:
                R, p = frame_at(self.scene, pose, name)
                self._triad(painter, p, 0.05 * self.scene.size * R)
        self._arrows(painter)
        if self.look.corner:
            Gizmo(self.camera, self.height).paint(painter)
        self._words(painter)
        if self.look.scale is not None:
            paint_scale(painter, self.look.scale, self.height)

    def _words(self, painter: QPainter) -> None:
        """Below to the right the step of the grid, what arrows mean, and why there are no stresses."""
        look = self.look
        below = [words for words in (look.reason, look.legend) if words]
        if look.corner and look.grid and not (look.water and self.scene.water):
            below.append(f"grid {length_text(step_of(self.scene, self.camera))}")
        painter.setPen(theme().colour("muted"))
        text = painter.fontMetrics()
        for k, words in enumerate(reversed(below)):
            at = (
                self.width - EDGE - text.horizontalAdvance(words),
                self.height - EDGE - k * text.lineSpacing(),
            )
            painter.drawText(QPointF(*at), words)

    def project(self, points: np.ndarray) -> np.ndarray:
        return self.camera.project(points, self.width, self.height)

    # ------------------------------------------------------------------ over the mechanism

    def _triad(self, painter: QPainter, p: np.ndarray, axes: np.ndarray) -> None:
        flat = self.project(np.vstack((p, p + axes.T)))
        if np.all(flat[:, 2] > 0):
            for k, colour in enumerate(AXES):
                painter.setPen(QPen(QColor(colour), 1.4))
                painter.drawLine(QPointF(*flat[0, :2]), QPointF(*flat[k + 1, :2]))

    def _arrows(self, painter: QPainter) -> None:
        for arrow in self.look.arrows:
            colour = QColor(theme().family("constraints" if arrow.double else "forces"))
            if arrow.lit:
                colour = theme().colour(arrow.lit)
                self._dot(painter, arrow.at, colour)
            self._arrow(painter, arrow, colour)
        g = self.scene.gravity
        if self.look.gravity and np.any(g):
            middle = self.scene.middle + 0.35 * self.scene.size * UP[self.camera.up][:, 2]
            vector = 0.2 * self.scene.size * g / np.linalg.norm(g)
            self._arrow(painter, Arrow(middle, vector), theme().colour("fits"))

    def _dot(self, painter: QPainter, at: np.ndarray, colour: QColor) -> None:
        flat = self.project(at[None])[0]
        if flat[2] > 0:
            painter.setPen(QPen(theme().colour("field"), 1.2))
            painter.setBrush(colour)
            painter.drawEllipse(QPointF(*flat[:2]), DOT, DOT)

    def _arrow(self, painter: QPainter, arrow: Arrow, colour: QColor) -> None:
        flat = self.project(np.array([arrow.at, arrow.at + arrow.vector]))
        way = flat[1, :2] - flat[0, :2]
        length = float(np.linalg.norm(way))
        if np.any(flat[:, 2] <= 0) or length < 2.0:
            return
        ahead = way / length
        aside = np.array([-ahead[1], ahead[0]])
        head = min(11.0, 0.6 * length)
        painter.setPen(QPen(colour, 2.2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLine(QPointF(*flat[0, :2]), QPointF(*(flat[1, :2] - 0.8 * head * ahead)))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        for back in (0.0, 0.75 * head)[: 2 if arrow.double else 1]:
            tip = flat[1, :2] - back * ahead
            corners = (tip, tip - head * ahead + 0.4 * head * aside, tip - head * ahead - 0.4 * head * aside)
            painter.drawConvexPolygon(QPolygonF([QPointF(*corner) for corner in corners]))

    # ------------------------------------------------------------------ what is where

    def face_at(self, pose: np.ndarray, x: float, y: float) -> int:
        """Index of the nearest face under a pixel; -1 if none."""
        vertices = self.scene.mesh.vertices(pose)
        flat = self.project(vertices).reshape(-1, 4, 3)
        point, nearest = QPointF(x, y), (-1, np.inf)
        around = (
            facing(flat)
            & np.all(flat[:, :, :2].min(axis=1) <= (x, y), axis=1)
            & np.all(flat[:, :, :2].max(axis=1) >= (x, y), axis=1)
        )
        for k in np.flatnonzero(around).tolist():
            if polygon(flat[k]).containsPoint(point, Qt.FillRule.OddEvenFill):
                depth = self._depth(vertices, k, x, y)
                if depth < nearest[1]:
                    nearest = k, depth
        return nearest[0]

    def _depth(self, vertices: np.ndarray, face: int, x: float, y: float) -> float:
        """Depth in front of the eye at which the ray through a pixel meets the plane of a face [m]."""
        ends = self.camera.reach * np.array([0.5, 1.0])
        near, far = (self.camera.unproject(x, y, depth, self.width, self.height) for depth in ends)
        a, b, c, d = vertices[4 * face : 4 * face + 4]
        normal = np.cross(c - a, d - b)
        share = float((a - near) @ normal / ((far - near) @ normal))
        return float(ends[0] + share * (ends[1] - ends[0]))

    def block_at(self, pose: np.ndarray, x: float, y: float, reach: float = 6.0) -> str:
        """Block of the nearest face or line under a pixel; empty over the ground."""
        face = self.face_at(pose, x, y)
        if face >= 0:
            return self.scene.mesh.blocks[face]
        for line in self.lines:
            points = self.project(points_of(line, pose))
            if _distance_to_polyline(points[:, :2], np.array([x, y])) < reach:
                return line.block
        return ""

    def arrow_at(self, x: float, y: float, reach: float = 5.0) -> str:
        """Name and size of the nearest arrow within reach of a pixel; empty without one."""
        nearest, words = reach, ""
        for arrow in self.look.arrows:
            ends = self.project(np.array([arrow.at, arrow.at + arrow.vector]))
            far = _distance_to_polyline(ends[:, :2], np.array([x, y]))
            if far < nearest and np.all(ends[:, 2] > 0):
                nearest, words = far, arrow.words
        return words

    def handle_at(self, pose: np.ndarray, x: float, y: float) -> Handle | None:
        """Point of a body under a pixel that a drag would hold; None if there is no face."""
        face = self.face_at(pose, x, y)
        if face < 0:
            return None
        mesh = self.scene.mesh
        depth = self._depth(mesh.vertices(pose), face, x, y)
        at, row = self.camera.unproject(x, y, depth, self.width, self.height), int(mesh.rows[4 * face])
        R, p = (pose[row, :9].reshape(3, 3), pose[row, 9:]) if row >= 0 else (np.eye(3), np.zeros(3))
        return Handle(mesh.blocks[face], row, R.T @ (at - p), depth)


def sky(painter: QPainter, width: int, height: int) -> None:
    gradient = QLinearGradient(0, 0, 0, height)
    gradient.setColorAt(0, theme().colour("canvas"))
    gradient.setColorAt(1, theme().colour("window"))
    painter.fillRect(0, 0, width, height, QBrush(gradient))


def _is_among(block: str, names: frozenset[str]) -> bool:
    """True if a block, or a composite that contains it, is among the names."""
    words = block.split(".")
    return any(".".join(words[: k + 1]) in names for k in range(len(words)))


def _distance_to_polyline(points: np.ndarray, at: np.ndarray) -> float:
    """Distance of a point from a polyline."""
    a, way = points[:-1], np.diff(points, axis=0)
    share = np.clip(((at - a) * way).sum(axis=1) / np.maximum((way**2).sum(axis=1), 1e-12), 0.0, 1.0)
    return float(np.hypot(*(a + share[:, None] * way - at).T).min())


def facing(flat: np.ndarray) -> np.ndarray:
    """Mask of faces in front of the eye whose outside faces the camera (back-face culling)."""
    a, b = flat[:, 2, :2] - flat[:, 0, :2], flat[:, 3, :2] - flat[:, 1, :2]
    return (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] < 0) & np.all(flat[:, :, 2] > 0, axis=1)


def polygon(flat: np.ndarray) -> QPolygonF:
    return QPolygonF([QPointF(point[0], point[1]) for point in flat.tolist()])


def paint_scale(painter: QPainter, scale: Scale, height: int) -> None:
    top = height - LOW
    each = WIDE / len(scale.colours)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(Qt.PenStyle.NoPen)
    for k, colour in enumerate(scale.colours):
        painter.fillRect(QRectF(LEFT + k * each, top, each + 1.0, HIGH), QColor(colour))
    if scale.over:
        painter.fillRect(QRectF(LEFT + WIDE + 3.0, top, 2 * HIGH, HIGH), QColor(scale.over))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(theme().colour("text"))
    text = painter.fontMetrics()
    painter.drawText(QPointF(LEFT, top - text.descent() - 2.0), scale.title)
    for share, words in scale.ticks:
        x = LEFT + share * WIDE
        painter.drawLine(QPointF(x, top + HIGH), QPointF(x, top + HIGH + TICK))
        middle = QPointF(x - text.horizontalAdvance(words) / 2, top + HIGH + TICK + text.ascent())
        painter.drawText(middle, words)
