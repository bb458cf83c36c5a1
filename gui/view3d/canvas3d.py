"""The mechanism, painted by QPainter: faces from back to front. Works on every platform, with or without OpenGL."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QKeyEvent,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from ..look.theme import theme
from .camera import Camera
from .model import Scene
from .shapes import place, points_of
from .solids import zigzag

LIGHT = np.array([0.35, -0.5, 0.79])


class Canvas3D(QWidget):
    picked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.camera = Camera()
        self.scene: Scene | None = None
        self.pose = np.zeros((0, 12))
        self.trace: np.ndarray = np.zeros((0, 3))
        self._last: QPointF | None = None
        self._seen = (np.zeros(3), np.zeros(3))  # the box that the frames have been in
        self._by_hand = False  # the user has moved the camera
        self.setMinimumSize(220, 160)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("3-D view")

    def show_scene(self, scene: Scene) -> None:
        fresh = self.scene is None
        before = (self.scene.size, tuple(self.scene.middle)) if self.scene else None
        self.scene, self.pose = scene, scene.start
        if fresh or before != (scene.size, tuple(scene.middle)):
            self._seen = (scene.middle, scene.middle)
            self._widen()
            self.home()
        self.update()

    def show_pose(self, pose: np.ndarray) -> None:
        self.pose = pose
        if self._widen() and not self._by_hand:
            self._stand_back()
        self.update()

    def home(self) -> None:
        """Everything in view, wherever it has been."""
        if self.scene:
            self._by_hand = False
            self.camera.azimuth, self.camera.elevation = -0.9, 0.32
            self._stand_back()
            self.update()

    def _widen(self) -> bool:
        """Whether the mechanism has left the box that it has been in; the box grows by more, so as to grow seldom."""
        if self.scene is None or not self.scene.frames:
            return False
        places = self.scene.frames_at(self.pose)
        low, high = places.min(axis=0), places.max(axis=0)
        if not np.all(np.isfinite(places)) or (
            np.all(low >= self._seen[0]) and np.all(high <= self._seen[1])
        ):
            return False
        room = 0.05 * self.scene.size
        self._seen = (
            np.where(low < self._seen[0], low - room, self._seen[0]),
            np.where(high > self._seen[1], high + room, self._seen[1]),
        )
        return True

    def _stand_back(self) -> None:
        low, high = self._seen
        self.camera.look_at((low + high) / 2, max(float(np.linalg.norm(high - low)), 0.1))

    # ------------------------------------------------------------------ painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        t = theme()
        sky = QLinearGradient(0, 0, 0, self.height())
        sky.setColorAt(0, t.colour("canvas"))
        sky.setColorAt(1, t.colour("window"))
        painter.fillRect(self.rect(), QBrush(sky))
        if self.empty_text():
            painter.setPen(t.colour("muted"))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.empty_text())
            return
        self._ground(painter)
        self._trace(painter)
        self._solids(painter)
        self._triad(painter)

    def empty_text(self) -> str:
        """What stands in place of a picture."""
        if self.scene is None:
            return "A mechanism shows here once it compiles"
        return "" if self.scene.shapes else "This model has no mechanism to show"

    def project(self, points: np.ndarray) -> np.ndarray:
        return self.camera.project(points, self.width(), self.height())

    def _line(self, painter: QPainter, points: np.ndarray) -> None:
        flat = self.project(points)
        if np.all(flat[:, 2] > 0):
            painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y, _ in flat]))

    def _ground(self, painter: QPainter) -> None:
        """The world's x-y plane, on a grid of a round step."""
        assert self.scene
        step = 10 ** np.floor(np.log10(self.scene.size))
        if self.scene.size / step > 5:
            step *= 2
        elif self.scene.size / step < 2:
            step /= 2
        count = int(np.ceil(self.scene.size / step)) + 1
        middle = np.round(self.scene.middle[:2] / step) * step
        painter.setPen(QPen(theme().colour("grid"), 1))
        for k in range(-count, count + 1):
            for axis in (0, 1):
                a, b = np.zeros(3), np.zeros(3)
                a[axis] = b[axis] = middle[axis] + k * step
                a[1 - axis], b[1 - axis] = middle[1 - axis] - count * step, middle[1 - axis] + count * step
                self._line(painter, np.array([a, b]))

    def _trace(self, painter: QPainter) -> None:
        if len(self.trace) > 1:
            painter.setPen(QPen(theme().colour("fits"), 1.6))
            self._line(painter, self.trace[:: max(1, len(self.trace) // 1500)])

    def _solids(self, painter: QPainter) -> None:
        assert self.scene
        for shape in self.scene.shapes:
            if shape.kind in ("spring", "tie"):
                colour = theme().family(shape.family)
                points = points_of(shape, self.pose)
                painter.setPen(
                    QPen(
                        colour, 1.6, Qt.PenStyle.SolidLine if shape.kind == "spring" else Qt.PenStyle.DashLine
                    )
                )
                self._line(
                    painter, zigzag(*points, width=1.4 * shape.size) if shape.kind == "spring" else points
                )
                continue
        mesh = self.scene.mesh
        flat = self.project(mesh.vertices(self.pose))
        quads = flat[mesh.faces]
        if not len(quads):
            return
        # faces that look away are hidden by those that look here
        a, b = quads[:, 1, :2] - quads[:, 0, :2], quads[:, 2, :2] - quads[:, 0, :2]
        towards = (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) < 0
        seen = np.flatnonzero(towards & np.all(quads[:, :, 2] > 0, axis=1))
        order = seen[np.argsort(-quads[seen, :, 2].mean(axis=1))]
        shades = mesh.shades(self.pose, LIGHT / np.linalg.norm(LIGHT))
        colours: dict[tuple[str, int], tuple[QPen, QColor]] = {}
        for k in order:
            key = (mesh.families[k], round(12 * float(shades[k])))
            if key not in colours:
                colour = _lit(theme().family(key[0]), 0.62 + 0.38 * key[1] / 12)
                colours[key] = (QPen(colour.darker(118), 0.7), colour)
            pen, colour = colours[key]
            painter.setPen(pen)
            painter.setBrush(colour)
            painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y, _ in quads[k].tolist()]))

    def _triad(self, painter: QPainter) -> None:
        """The directions of the world, in the corner."""
        right, up, _ = self.camera.axes()
        origin = QPointF(34, self.height() - 34)
        for axis, label, colour in zip(np.eye(3), "xyz", ("#c0392b", "#2e8b57", "#2467ae"), strict=True):
            tip = origin + QPointF(22 * float(axis @ right), -22 * float(axis @ up))
            painter.setPen(QPen(QColor(colour), 1.6))
            painter.drawLine(origin, tip)
            painter.setPen(theme().colour("text"))
            painter.drawText(tip + QPointF(2, -2), label)

    # ------------------------------------------------------------------ mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._last = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._last is None or not event.buttons():
            return
        self._by_hand = True
        moved = event.position() - self._last
        self._last = event.position()
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if event.buttons() & Qt.MouseButton.LeftButton and not shift:
            self.camera.orbit(moved.x(), moved.y())
        else:
            self.camera.pan(moved.x(), moved.y(), self.height())
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._last = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """On a frame: trace it. Elsewhere: show all."""
        name = self.frame_at(event.position())
        if name:
            self.picked.emit(name)
        else:
            self.home()

    def frame_at(self, at: QPointF, reach: float = 14.0) -> str:
        if not self.scene or not self.scene.frames:
            return ""
        names = list(self.scene.frames)
        flat = self.project(np.array([place(self.pose, *self.scene.frames[name]) for name in names]))
        far = np.hypot(flat[:, 0] - at.x(), flat[:, 1] - at.y())
        near = np.flatnonzero(far <= reach)
        # several frames coincide in a joint: the last one is the furthest out
        return names[near[-1]] if len(near) else ""

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._by_hand = True
        self.camera.zoom(1.0015 ** event.angleDelta().y())
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Left: (-12, 0),
            Qt.Key.Key_Right: (12, 0),
            Qt.Key.Key_Up: (0, 12),
            Qt.Key.Key_Down: (0, -12),
        }
        if event.key() in steps:
            self._by_hand = True
            self.camera.orbit(*steps[Qt.Key(event.key())])
        elif event.key() in (Qt.Key.Key_Plus, Qt.Key.Key_Minus):
            self._by_hand = True
            self.camera.zoom(1.2 if event.key() == Qt.Key.Key_Plus else 1 / 1.2)
        elif event.key() in (Qt.Key.Key_Home, Qt.Key.Key_Space):
            self.home()
        else:
            super().keyPressEvent(event)
            return
        self.update()


def _lit(colour: QColor, shade: float) -> QColor:
    return QColor(
        *(
            min(255, round(c * shade + 255 * 0.16 * shade))
            for c in (colour.red(), colour.green(), colour.blue())
        )
    )
