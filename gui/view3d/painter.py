"""Mechanism painter on QPainter, faces back to front; works on every platform, with or without OpenGL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QByteArray, QDataStream, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QLinearGradient, QPainter, QPainterPath, QPen, QPolygonF

from ..theme.active_theme import theme
from .axes_gizmo import AXES, Gizmo
from .brushes import pen_of
from .camera import UP, Camera
from .depth_order import Layers, Stroke, facing, paint_water, polygon
from .face_arrays import CONTACT, LIGHT_FROM, NEAR
from .scene_model import Scene, frame_at
from .scene_shapes import BAR, ROPE, SPRING, Arrow, grid, points_of, trail_colour
from .sea_surface import Surface
from .solid_faces import coil, subdivided
from .stress_colours import Scale, Stresses

COARSE = 2  # pixels of the picture for one of a shadow: it is soft, and quick
PLAIN = 170  # opacity (0 to 255) of shadows cast from above CONTACT
DOT = 4.5  # px: radius of the dot where shapes touch
MOVE, DRAW = 0, 1  # kinds of elements
ELEMENT = np.dtype([("kind", ">i4"), ("x", ">f8"), ("y", ">f8")])
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
    trace: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    arrows: Sequence[Arrow] = ()
    trails: Sequence[np.ndarray] = ()  # ways of frames up to now, (n, 3) each
    colours: Sequence[str] = ()  # colours of all faces; empty for their own
    scale: Scale | None = None  # scale of these colours
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
        vertices = self.scene.mesh.vertices(pose)
        layers = self._layers(vertices, pose)
        water = self.scene.water if self.look.water else None
        surface = water.at(self.look.time, self.camera.eye) if water is not None else None
        if surface is not None:
            layers.meet(surface)
            layers.paint_beyond(painter)
            near = NEAR * self.camera.distance
            paint_water(painter, surface, self.project, near, self.width, self.height)
        elif self.look.grid:
            self._ground(painter)
        high = float(self.camera.eye @ UP[self.camera.up][:, 2]) if surface is None else surface.side
        if self.look.shadow and high > 0:
            self._shadow(painter, vertices, surface)
        if self.look.rest:
            self._faded(painter, self.scene.mesh.vertices(self.scene.start))
        if self.look.ghost is not None:
            self._faded(painter, self.look.ghost)
        self._trace(painter, self.look.trace, theme().colour("fits"))
        for k, trail in enumerate(self.look.trails):
            self._trace(painter, trail, QColor(trail_colour(k)))
        if surface is not None:
            layers.paint_before(painter)
        else:
            layers.paint(painter)
        if self.look.frames:
            for name in self.scene.frames:
                R, p = frame_at(self.scene, pose, name)
                self._triad(painter, p, 0.05 * self.scene.size * R)
        self._arrows(painter)
        if self.look.corner:
            Gizmo(self.camera, self.height).paint(painter)
        if self.look.scale is not None:
            paint_scale(painter, self.look.scale, self.height)

    def project(self, points: np.ndarray) -> np.ndarray:
        return self.camera.project(points, self.width, self.height)

    def _line(self, painter: QPainter, points: np.ndarray) -> None:
        flat = self.project(points)
        if np.all(flat[:, 2] > 0):
            painter.drawPolyline(polygon(flat))

    # ------------------------------------------------------------------ below the mechanism

    def _ground(self, painter: QPainter) -> None:
        """Paint the ground grid in the x-y plane of the view's frame."""
        R_WV = UP[self.camera.up]
        step, count, middle = grid(self.scene.size, self.scene.middle @ R_WV)
        along = np.arange(-count, count + 1)
        ends = np.zeros((2, len(along), 2, 3))  # axis, line, end
        for axis in (0, 1):
            ends[axis, :, :, axis] = (middle[axis] + along * step)[:, None]
            ends[axis, :, :, 1 - axis] = middle[1 - axis] + count * step * np.array([-1, 1])
        flat = self.project(ends.reshape(-1, 3) @ R_WV.T).reshape(-1, 2, 3)
        for k, ((x1, y1, near), (x2, y2, far)) in zip((*along, *along), flat.tolist(), strict=True):
            if min(near, far) > 0:
                colour = theme().colour("grid")
                colour.setAlphaF(1.0 - 0.75 * abs(int(k)) / count)
                painter.setPen(QPen(colour, 1))
                painter.drawLine(QPointF(x1, y1), QPointF(x2, y2))

    def _shadow(self, painter: QPainter, vertices: np.ndarray, surface: Surface | None) -> None:
        """Paint shadows onto the ground or the water; darker below surfaces that are close to it."""
        # in the view's frame; the sea is that of the world
        R_WV = UP[self.camera.up if surface is None else "z"]
        quads = vertices.reshape(-1, 4, 3) @ R_WV
        normals = self.scene.mesh.normals(vertices) @ R_WV
        level = np.zeros(quads.shape[:2]) if surface is None else surface.level(quads)
        heights = np.maximum(quads[:, :, 2:] - level[:, :, None], 0.0)
        over = np.any(heights > 0, axis=1)[:, 0]
        near = over & (normals[:, 2] > 0) & (heights.min(axis=1)[:, 0] < CONTACT * self.scene.size)
        cast = quads - heights / LIGHT_FROM[2] * LIGHT_FROM
        image = QImage(
            self.width // COARSE + 1, self.height // COARSE + 1, QImage.Format.Format_ARGB32_Premultiplied
        )
        image.fill(Qt.GlobalColor.transparent)
        inner = QPainter(image)
        inner.setRenderHint(
            QPainter.RenderHint.Antialiasing
        )  # thin parts such as lattices cast a full shadow
        inner.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        inner.setPen(Qt.PenStyle.NoPen)
        cast[:, :, 2] = level
        feet = np.dstack((quads[:, :, :2], level))
        for fallen, dark in ((cast[over & (normals @ LIGHT_FROM > 0)], PLAIN), (feet[near], 255)):
            flat = self.project(fallen.reshape(-1, 3) @ R_WV.T).reshape(-1, 4, 3)
            inner.setBrush(QColor(0, 0, 0, dark))
            inner.drawPath(faces_as_path(flat[np.all(flat[:, :, 2] > 0, axis=1), :, :2] / COARSE))
        inner.end()
        # once more to half its size: its edges become soft
        half = QSize(image.width() // 2 + 1, image.height() // 2 + 1)
        image = image.scaled(
            half, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
        )
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setOpacity(0.2 if theme().name == "light" else 0.6)
        painter.drawImage(QRectF(0, 0, self.width + COARSE, self.height + COARSE), image)
        painter.setOpacity(1.0)

    def _faded(self, painter: QPainter, vertices: np.ndarray) -> None:
        """Paint a faded mesh: another pose or another run."""
        flat = self.project(vertices).reshape(-1, 4, 3)
        colour = theme().colour("muted")
        colour.setAlphaF(0.16)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        for k in np.flatnonzero(facing(flat)):
            painter.drawConvexPolygon(polygon(flat[k]))

    def _trace(self, painter: QPainter, trace: np.ndarray, colour: QColor) -> None:
        if len(trace) > 1:
            painter.setPen(QPen(colour, 1.6))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            self._line(painter, trace[:: max(1, len(trace) // 1500)])

    # ------------------------------------------------------------------ the mechanism

    def _layers(self, vertices: np.ndarray, pose: np.ndarray) -> Layers:
        mesh = self.scene.mesh
        return Layers(
            mesh,
            vertices,
            self._strokes(pose),
            self.look.colours or mesh.colours,
            self.selected,
            self.project,
            UP[self.camera.up],
        )

    def _strokes(self, pose: np.ndarray) -> Iterator[Stroke]:
        """Line pieces for depth sorting, so that faces may hide them one by one."""
        for line in self.lines:
            pen = pen_of(line, line.block in self.selected)
            points = points_of(line, pose)
            if line.kind == SPRING and np.linalg.norm(points[1] - points[0]) > 1e-9:
                points = coil(points[0], points[1], line.size)
            elif line.kind == ROPE:
                points = subdivided(points)
            step = 3 if line.kind in (SPRING, BAR) else 1
            flat = self.project(points)
            if np.all(flat[:, 2] > 0):
                for k in range(0, len(points) - 1, step):
                    yield pen, points[k : k + step + 1], flat[k : k + step + 1]

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
        flat = self.project(self.scene.mesh.vertices(pose)).reshape(-1, 4, 3)
        point, nearest = QPointF(x, y), (-1, np.inf)
        around = (
            facing(flat)
            & np.all(flat[:, :, :2].min(axis=1) <= (x, y), axis=1)
            & np.all(flat[:, :, :2].max(axis=1) >= (x, y), axis=1)
        )
        for k in np.flatnonzero(around).tolist():
            depth = float(flat[k, :, 2].mean())
            if depth < nearest[1] and polygon(flat[k]).containsPoint(point, Qt.FillRule.OddEvenFill):
                nearest = k, depth
        return nearest[0]

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

    def handle_at(self, pose: np.ndarray, x: float, y: float) -> Handle | None:
        """Point of a body under a pixel that a drag would hold; None if there is no face."""
        face = self.face_at(pose, x, y)
        if face < 0:
            return None
        mesh = self.scene.mesh
        corners = slice(4 * face, 4 * face + 4)
        vertices = mesh.vertices(pose)
        normal = mesh.normals(vertices)[face]
        # the ray through the pixel, where it meets the plane of the face
        ends = self.camera.reach * np.array([0.5, 1.0])
        near, far = (self.camera.unproject(x, y, depth, self.width, self.height) for depth in ends)
        share = float((vertices[4 * face] - near) @ normal / ((far - near) @ normal))
        at, row = near + share * (far - near), int(mesh.rows[corners][0])
        R, p = (pose[row, :9].reshape(3, 3), pose[row, 9:]) if row >= 0 else (np.eye(3), np.zeros(3))
        return Handle(mesh.blocks[face], row, R.T @ (at - p), float(ends[0] + share * (ends[1] - ends[0])))


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


def faces_as_path(faces: np.ndarray) -> QPainterPath:
    """QPainterPath of the union of faces of one orientation, (n, corners, 2), through QDataStream's format."""
    elements = np.zeros((len(faces), faces.shape[1] + 1), ELEMENT)  # back to the first corner
    elements["kind"] = DRAW
    elements["kind"][:, 0] = MOVE
    elements["x"], elements["y"] = np.moveaxis(np.concatenate((faces, faces[:, :1]), axis=1), 2, 0)
    begin, rule = max(0, elements.size - elements.shape[1]), Qt.FillRule.WindingFill.value
    ends = [np.array(numbers, ">i4").tobytes() for numbers in ([elements.size], [begin, rule])]
    path = QPainterPath()
    stream = QDataStream(QByteArray(elements.tobytes().join(ends)))
    _ = stream >> path
    return path


def paint_scale(painter: QPainter, scale: Scale, height: int) -> None:
    top = height - 34.0
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
